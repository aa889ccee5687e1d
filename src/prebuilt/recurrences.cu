// Kernels of recurrences in libscan.a.
#include "scan/device/launch/tensor_launch.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {

#define SCAN_INSTANTIATE(T)                                                                \
  template status device::recur(on_device, const recurrence_input<T>&, T*, const extents&, \
                                const options<state_t<T>>&) noexcept;
SCAN_RECURRENCES_HELD(SCAN_INSTANTIATE)

}  // namespace SCAN_ABI
}  // namespace scan
