// Linear recurrences of libscan.a on CPU threads.
#include "scan/host/recurrences.hpp"
#include "scan/tensors.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {

template <class T>
status host_path::recur_prebuilt(const recurrence_input<T>& in, T* out, const extents& shape,
                                 const host_options<state_t<T>>& opts) noexcept {
  return recur_host(in, out, shape, opts);
}

template status host_path::recur_prebuilt(const recurrence_input<float>&, float*, const extents&,
                                          const host_options<float>&) noexcept;
template status host_path::recur_prebuilt(const recurrence_input<double>&, double*, const extents&,
                                          const host_options<double>&) noexcept;
template status host_path::recur_prebuilt(const recurrence_input<__half>&, __half*, const extents&,
                                          const host_options<float>&) noexcept;
template status host_path::recur_prebuilt(const recurrence_input<__nv_bfloat16>&, __nv_bfloat16*,
                                          const extents&, const host_options<float>&) noexcept;

}  // namespace SCAN_ABI
}  // namespace scan
