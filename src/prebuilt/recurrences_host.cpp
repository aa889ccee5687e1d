// Linear recurrences, also by segments, and their gradients of libscan.a on CPU threads.
#include "scan/host/segment/segment_recurrences.hpp"
#include "scan/host/tensor/gradients.hpp"
#include "scan/host/tensor/recurrences.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {

// (A type in parentheses is none.) NOLINTBEGIN(bugprone-macro-parentheses)
#define SCAN_INSTANTIATE(In, Out, Factors)                                                       \
  template status host_path::recur(on_host, const recurrence_input<In, Factors>&, Out*,          \
                                   const extents&, const host_options<state_t<Out>>&) noexcept;  \
  template status host_path::recur_segments(on_host, const recurrence_input<In, Factors>&, Out*, \
                                            const segment_heads&,                                \
                                            const host_options<state_t<Out>>&);
#define SCAN_INSTANTIATE_GRADIENT(T)                                               \
  template status host_path::recur_back(on_host, const gradient_input<T>&,         \
                                        const gradient_output<T>&, const extents&, \
                                        const host_gradient_options<state_t<T>>&) noexcept;
// NOLINTEND(bugprone-macro-parentheses)
SCAN_RECURRENCES_HELD(SCAN_INSTANTIATE)
SCAN_GRADIENTS_HELD(SCAN_INSTANTIATE_GRADIENT)

}  // namespace SCAN_ABI
}  // namespace scan
