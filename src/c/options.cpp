#include "scan/options.hpp"

#include "scan/call/validate.hpp"
#include "src/c/codes.hpp"
#include "src/c/given.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace c_interface {

static_assert(SCAN_AUTOMATIC == static_cast<int>(algorithm::automatic));
static_assert(SCAN_WAVE == static_cast<int>(algorithm::wave));
static_assert(SCAN_LOOK_BACK == static_cast<int>(algorithm::look_back));
static_assert(SCAN_RING == static_cast<int>(algorithm::ring));
static_assert(SCAN_WALK == static_cast<int>(algorithm::walk));
static_assert(SCAN_BIT_LAYERS == static_cast<int>(algorithm::bit_layers));
static_assert(SCAN_BIT_THREE_KERNEL == static_cast<int>(algorithm::bit_three_kernel));
static_assert(SCAN_BIT_TWO_KERNEL == static_cast<int>(algorithm::bit_two_kernel));
static_assert(SCAN_BLELLOCH == static_cast<int>(algorithm::blelloch));
static_assert(SCAN_SCAN_THEN_FAN == static_cast<int>(algorithm::scan_then_fan));
static_assert(SCAN_REDUCE_THEN_SCAN == static_cast<int>(algorithm::reduce_then_scan));
static_assert(SCAN_REDUCE_THEN_SCAN_TWO_PASS ==
              static_cast<int>(algorithm::reduce_then_scan_two_pass));

namespace {

status refuse_other_place(const scan_options& given) noexcept {
  if (given.place == SCAN_DEVICE) {
    if (!is_algorithm(static_cast<algorithm>(given.algorithm))) {
      return refused("options.algorithm is no scan_algorithm");
    }
    if ((given.allocate == nullptr) != (given.deallocate == nullptr)) {
      return refused("options.allocate and deallocate: one is given, the other is not");
    }
    return given.threads == 0 ? status() : refused("options.threads is for SCAN_HOST alone");
  }
  if (given.stream != nullptr) return refused("options.stream is for SCAN_DEVICE alone");
  if (given.workspace != nullptr) return refused("options.workspace is for SCAN_DEVICE alone");
  if (given.algorithm != SCAN_AUTOMATIC) {
    return refused("options.algorithm is for SCAN_DEVICE alone");
  }
  if (given.allocate != nullptr || given.deallocate != nullptr ||
      given.allocator_context != nullptr) {
    return refused(
        "options.allocate, deallocate and allocator_context are for SCAN_DEVICE "
        "alone");
  }
  return {};
}

status read_any(const scan_options* given, scan_options& mine) noexcept {
  if (given == nullptr) return {};
  if (const status checked = read_known(*given, mine); !checked.ok()) return checked;
  if (!is_place_code(mine.place)) return refused("options.place is no scan_place");
  if (mine.reserved != 0) return refused("options.reserved is not 0");
  return refuse_other_place(mine);
}

}  // namespace

status read_options(const scan_options* given, scan_options& mine) noexcept {
  if (const status checked = read_any(given, mine); !checked.ok()) return checked;
  if (mine.count != nullptr) return refused("options.count is for compactions");
  if (mine.known_n != nullptr) return refused("options.known_n is for compactions");
  return mine.capacity == 0 ? status() : refused("options.capacity is for compactions");
}

status read_compaction_options(const scan_options* given, scan_options& mine) noexcept {
  if (const status checked = read_any(given, mine); !checked.ok()) return checked;
  if (mine.reverse != 0) return refused("options.reverse is not for compactions");
  if (mine.complete != 0) return refused("options.complete is not for compactions");
  if (mine.algorithm != SCAN_AUTOMATIC) {
    return refused("options.algorithm is not for compactions");
  }
  if (mine.init != nullptr) return refused("options.init is not for compactions");
  if (mine.init_pointer != nullptr) return refused("options.init_pointer is not for compactions");
  if (mine.total != nullptr) return refused("options.total is not for compactions: see count");
  if (mine.known_n != nullptr && !element_aligned(mine.known_n)) {
    return refused("options.known_n is not aligned to its type");
  }
  return {};
}

}  // namespace c_interface
}  // namespace SCAN_ABI
}  // namespace scan
