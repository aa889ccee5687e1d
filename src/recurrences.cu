// Kernels of recurrences in libscan.a.
#include "scan/device/tensor_launch.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {

template <class T>
status device::recur_prebuilt(const recurrence_input<T>& in, T* out, const extents& shape,
                              const options<state_t<T>>& opts) noexcept {
  return recur(in, out, shape, opts);
}

#define SCAN_INSTANTIATE(T)                                                              \
  template status device::recur_prebuilt(const recurrence_input<T>&, T*, const extents&, \
                                         const options<state_t<T>>&) noexcept;
SCAN_INSTANTIATE(float)
SCAN_INSTANTIATE(double)
SCAN_INSTANTIATE(__half)
SCAN_INSTANTIATE(__nv_bfloat16)

}  // namespace SCAN_ABI
}  // namespace scan
