#include "src/c/heads.hpp"

#include "scan/call/validate.hpp"
#include "scan/segmented.hpp"
#include "src/c/codes.hpp"
#include "src/c/given.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace c_interface {
namespace {

template <class Offset>
segment_heads heads_by(const scan_segments& given) noexcept {
  return heads_of_segments(segments<Offset>{static_cast<const Offset*>(given.offsets),
                                            given.num_segments, given.num_items});
}

status check_offsets_at(std::int32_t place, const segment_heads& heads, void* stream) noexcept {
  const bool is_host = place == SCAN_HOST;
  if (const status checked = validate_heads(heads, 1, is_host); !checked.ok()) return checked;
  if (is_host) return host_path::check_offsets(heads, 0);
  return device::check_offsets(heads, static_cast<cudaStream_t>(stream));
}

}  // namespace

status read_segments(const scan_segments* given, segment_heads& heads) noexcept {
  scan_segments mine{};
  if (const status checked = read(given, mine); !checked.ok()) return checked;
  if (mine.reserved != 0) return refused("segments.reserved is not 0");
  switch (mine.offset_type) {
    case SCAN_INT32:
      heads = heads_by<std::int32_t>(mine);
      return {};
    case SCAN_INT64:
      heads = heads_by<std::int64_t>(mine);
      return {};
    case SCAN_UINT32:
      heads = heads_by<std::uint32_t>(mine);
      return {};
    case SCAN_UINT64:
      heads = heads_by<std::uint64_t>(mine);
      return {};
    default:
      return refused(is_type_code(mine.offset_type)
                         ? "segments.offset_type is no integer of 4 or 8 bytes"
                         : "segments.offset_type is no scan_type");
  }
}

status read_keys(const scan_keys* given, std::int64_t n, segment_heads& heads) noexcept {
  static_assert(SCAN_KEYS_8_BIT == 1 && SCAN_FLAG_BITS == 6);
  constexpr head_kind kinds[] = {head_kind::keys_8,  head_kind::keys_16,    head_kind::keys_32,
                                 head_kind::keys_64, head_kind::flag_bytes, head_kind::flag_bits};
  scan_keys mine{};
  if (const status checked = read(given, mine); !checked.ok()) return checked;
  if (mine.reserved != 0) return refused("keys.reserved is not 0");
  if (mine.kind < SCAN_KEYS_8_BIT || mine.kind > SCAN_FLAG_BITS) {
    return refused("keys.kind is no scan_key_kind");
  }
  if (mine.kind >= SCAN_FLAG_BYTES && n > 0 &&
      mine.keys == nullptr) {  // (C++ has a struct of them)
    return refused("keys.keys is null but n > 0");
  }
  if (mine.kind == SCAN_FLAG_BITS && n > 0 &&
      !element_aligned(static_cast<const std::uint32_t*>(mine.keys))) {
    return refused("keys.keys is not aligned to the uint32_t of SCAN_FLAG_BITS");
  }
  heads = {kinds[mine.kind - SCAN_KEYS_8_BIT], mine.keys, 0, n};
  return {};
}

}  // namespace c_interface
}  // namespace SCAN_ABI
}  // namespace scan

scan_status scan_check_segments(const scan_segments* segments, int32_t place, void* stream) {
  using namespace scan::c_interface;
  return guarded([&]() -> scan::status {
    scan::segment_heads heads{};
    if (const auto checked = read_segments(segments, heads); !checked.ok()) return checked;
    if (!is_place_code(place)) return refused("place is no scan_place");
    if (place == SCAN_HOST && stream != nullptr) {
      return refused("stream is for SCAN_DEVICE alone");
    }
    return check_offsets_at(place, heads, stream);
  });
}
