#include <memory>

#include "scan/workspace.hpp"
#include "src/c/given.hpp"
#include "src/c/request.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace c_interface {
namespace {

status read_needs(const scan_workspace_needs* given, scan_workspace_needs& mine,
                  scan_extents& most) noexcept {
  if (const status checked = read(given, mine); !checked.ok()) return checked;
  if (!is_algorithm(static_cast<algorithm>(mine.algorithm))) {
    return refused("needs.algorithm is no scan_algorithm");
  }
  if (mine.extents != nullptr) {
    if (mine.max_items != 0) return refused("needs.max_items and needs.extents are both given");
    if (mine.algorithm != SCAN_AUTOMATIC) {
      return refused("needs.algorithm is for one sequence: it is refused with needs.extents");
    }
    if (const status checked = read(mine.extents, most); !checked.ok()) return checked;
  }
  if (mine.max_element_bytes == 0) mine.max_element_bytes = 8;
  return {};
}

/// Null where there is no memory for it in the host's.
std::unique_ptr<scan_workspace> workspace_for(const scan_workspace_needs& needs,
                                              const scan_extents& most) {
  if (needs.extents != nullptr) {
    return std::make_unique<scan_workspace>(extents_of(most), needs.max_element_bytes);
  }
  return std::make_unique<scan_workspace>(needs.max_items, needs.max_element_bytes,
                                          static_cast<algorithm>(needs.algorithm));
}

}  // namespace
}  // namespace c_interface
}  // namespace SCAN_ABI
}  // namespace scan

scan_status scan_workspace_create(const scan_workspace_needs* needs, scan_workspace** made) {
  using namespace scan::c_interface;
  if (made == nullptr) return to_c(refused("made is null"));
  *made = nullptr;
  return guarded([&]() -> scan::status {
    scan_workspace_needs given{};
    scan_extents most{};
    if (const auto checked = read_needs(needs, given, most); !checked.ok()) return checked;
    auto workspace = workspace_for(given, most);
    if (const scan::status error = workspace->held.error(); !error.ok()) return error;
    *made = workspace.release();
    return {};
  });
}

void scan_workspace_destroy(scan_workspace* workspace) { delete workspace; }

size_t scan_workspace_bytes(const scan_workspace* workspace) {
  return workspace != nullptr ? workspace->held.num_bytes() : 0;
}
