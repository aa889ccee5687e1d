// How contenders are measured: verified first, then timed round by round, all of them in each
// round.
#ifndef SCAN_BENCH_MEASURE_ROUNDS_HPP
#define SCAN_BENCH_MEASURE_ROUNDS_HPP

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace bench {

inline constexpr std::int64_t all_right = -1;  // instead of the index of a wrong element

/// An algorithm with its input and output at hand. Contenders of the same name are variants of one
/// algorithm: the fastest is reported.
struct contender {
  std::string name;
  /// Runs and compares the whole output: index of the first wrong element, or `all_right`.
  std::function<std::int64_t()> first_wrong;
  /// Microseconds of one call, as measured in one round.
  std::function<double()> time_us;
};

/// What became of a contender; times in microseconds per call, and only if verified.
struct measurement {
  std::string name;
  std::int64_t first_wrong = all_right;
  double median_us = 0;
  double q1_us = 0;
  double q3_us = 0;

  bool verified() const { return first_wrong == all_right; }
};

/// Verifies all contenders, then times the right ones in `num_rounds` rounds, interleaved, so that
/// what drifts in the machine meets all alike. Calls `on_step` now and then.
std::vector<measurement> measure(const std::vector<contender>& contenders, int num_rounds,
                                 const std::function<void()>& on_step);

}  // namespace bench

#endif
