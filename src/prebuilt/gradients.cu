// Kernels of the gradients of recurrences in libscan.a.
#include "scan/device/launch/gradient_launch.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {

#define SCAN_INSTANTIATE(T)                                                     \
  template status device::recur_back(on_device, const gradient_input<T>&,       \
                                     const gradient_output<T>&, const extents&, \
                                     const gradient_options<state_t<T>>&) noexcept;
SCAN_GRADIENTS_HELD(SCAN_INSTANTIATE)

}  // namespace SCAN_ABI
}  // namespace scan
