// Kernels of recurrences by segments and keys in libscan.a.
#include "scan/device/launch/segment_recurrence_launch.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {

#define SCAN_INSTANTIATE(In, Out, Factors)                                                      \
  template status device::recur_segments(on_device, const recurrence_input<In, Factors>&, Out*, \
                                         const segment_heads&,                                  \
                                         const options<state_t<Out>>&) noexcept;
SCAN_SEGMENT_RECURRENCES_HELD(SCAN_INSTANTIATE)

}  // namespace SCAN_ABI
}  // namespace scan
