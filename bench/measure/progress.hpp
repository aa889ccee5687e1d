// Tells a waiting user, on stderr, how far a long run is.
#ifndef SCAN_BENCH_MEASURE_PROGRESS_HPP
#define SCAN_BENCH_MEASURE_PROGRESS_HPP

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <string>

namespace bench {

/// Silent for two seconds, or for good unless `wanted`. Then on a terminal one line that is
/// rewritten, elsewhere one line for each finished size.
class progress {
 public:
  explicit progress(std::size_t num_sizes, bool wanted = true)
      : num_sizes_(num_sizes), wanted_(wanted) {}

  /// Something has happened to the size being measured.
  void step() {
    ++steps_;
    if (!terminal_ || too_early()) return;
    std::fprintf(stderr, "\r%zu of %zu sizes done, step %d of the next, %.0f s\033[K", finished_,
                 num_sizes_, steps_, seconds());
    shown_ = true;
  }

  /// Call before anything else is printed.
  void clear() {
    if (shown_) std::fprintf(stderr, "\r\033[K");
    shown_ = false;
  }

  void finish_size() {
    ++finished_;
    steps_ = 0;
    if (terminal_ || too_early() || finished_ == num_sizes_) return;
    std::fprintf(stderr, "%zu of %zu sizes done, %.0f s\n", finished_, num_sizes_, seconds());
  }

 private:
  using clock = std::chrono::steady_clock;
  static constexpr double patience = 2;

  double seconds() const { return std::chrono::duration<double>(clock::now() - started_).count(); }

  bool too_early() const { return !wanted_ || seconds() < patience; }

  std::size_t num_sizes_;
  bool wanted_;
  std::size_t finished_ = 0;
  int steps_ = 0;
  bool shown_ = false;
  bool terminal_ = isatty(STDERR_FILENO) != 0;
  clock::time_point started_ = clock::now();
};

}  // namespace bench

#endif
