// Tile states of a slice, whose length is nobody's but this rank's to know.
#ifndef SCAN_DEVICE_PART_MEMORY_HPP
#define SCAN_DEVICE_PART_MEMORY_HPP

#include <cstddef>

#include "scan/slice_part.hpp"
#include "scan/workspace.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// The options of a call that needs `num_bytes` of states. Of slices without a workspace that is
/// too small, so that these are allocated: it was made for the longest slice, and some shorter ones
/// have more states.
template <class Problem, class Options>
Options with_room(const Problem& scan, Options opts, std::size_t num_bytes) noexcept {
  if (is_part(scan) && opts.workspace != nullptr &&
      opts.workspace->num_states_bytes() < num_bytes) {
    opts.workspace = nullptr;
  }
  return opts;
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
