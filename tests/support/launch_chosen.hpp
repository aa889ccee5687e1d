// For tests that choose a kernel of the library themselves.
#ifndef SCAN_TESTS_SUPPORT_LAUNCH_CHOSEN_HPP
#define SCAN_TESTS_SUPPORT_LAUNCH_CHOSEN_HPP

#include <type_traits>

#include "scan/device/launch/enqueue.hpp"

namespace tests {

/// Launches what `choose(launch)` chooses for a described scan; it returns a status, or nothing.
template <class Problem, class Options, class Choose>
scan::status launch_chosen(const Problem&, const Options& opts,
                           const scan::device::device_limits& limits, Choose choose) {
  scan::device::launch_for<Problem> to;
  if constexpr (std::is_void_v<decltype(choose(to))>) {
    choose(to);
  } else if (const scan::status chosen = choose(to); !chosen.ok()) {
    return chosen;
  }
  return scan::device::enqueue(to, opts, limits);
}

}  // namespace tests

#endif
