// Kernels of the compactions in libscan.a.
#include "scan/device/launch/compaction_launch.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {

#define SCAN_INSTANTIATE(...) \
  template status device::compact(on_device, const __VA_ARGS__&, const select_options&) noexcept;
SCAN_COMPACTIONS_HELD(SCAN_INSTANTIATE)

}  // namespace SCAN_ABI
}  // namespace scan
