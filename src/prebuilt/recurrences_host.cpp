// Linear recurrences of libscan.a on CPU threads.
#include "scan/host/tensor/recurrences.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {

// (A type in parentheses is none.) NOLINTBEGIN(bugprone-macro-parentheses)
#define SCAN_INSTANTIATE(T)                                                                 \
  template status host_path::recur(on_host, const recurrence_input<T>&, T*, const extents&, \
                                   const host_options<state_t<T>>&) noexcept;
// NOLINTEND(bugprone-macro-parentheses)
SCAN_RECURRENCES_HELD(SCAN_INSTANTIATE)

}  // namespace SCAN_ABI
}  // namespace scan
