// What CUDA says of memory that a pointer leads to.
#ifndef SCAN_SRC_REACHABLE_MEMORY_HPP
#define SCAN_SRC_REACHABLE_MEMORY_HPP

#include "scan/call/validate.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// How much of some memory kernels of a device can read and write.
enum class reach { all, none, of_another_device, a_part, only_read };

/// Of `bytes`, by kernels of `device`, which is the current one. What CUDA cannot say is taken for
/// reachable. `is_graphs`: whether memory that CUDA does not know may be a captured graph's, which
/// is there when that runs.
reach reach_of(const memory_range& bytes, int device, bool is_graphs) noexcept;

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
