// What main() does of suites that want a GPU, all of them or some, and their arguments.
#ifndef SCAN_TESTS_RUN_TESTS_HPP
#define SCAN_TESTS_RUN_TESTS_HPP

#include <doctest/doctest.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "tests/support/device_memory.hpp"

namespace tests {

/// Of one case in so many, of at most so many elements: fewer for sanitizers, under which all take
/// hours.
inline std::uint64_t one_in = 1;
inline std::int64_t most_elements = std::int64_t{1} << 40;

/// They are a suite's first arguments.
inline void read_arguments(int argc, char** argv, std::int64_t most = most_elements) {
  most_elements = most;
  if (argc > 1 && std::atoll(argv[1]) > 0) one_in = static_cast<std::uint64_t>(std::atoll(argv[1]));
  if (argc > 2 && std::atoll(argv[2]) > 0) most_elements = std::atoll(argv[2]);
}

/// Whether a test, which needs a GPU, has none.
inline bool skipped() {
  if (gpu_present()) return false;
  static_cast<void>(cudaGetLastError());
  MESSAGE("skipped: no CUDA device");
  return true;
}

/// The exit code of a suite of which only some need a GPU.
inline int run_tests(int argc, char** argv) {
  const bool has_gpu = gpu_present();
  static_cast<void>(cudaGetLastError());
  const int failed = doctest::Context(argc, argv).run();
  if (failed != 0 || has_gpu) return failed;
  std::puts("skipped: what needs a CUDA device");
  return 77;
}

/// The same where all do, or want `is_here`.
inline int run_device_tests(int argc, char** argv, bool is_here = gpu_present()) {
  if (is_here) return doctest::Context(argc, argv).run();
  std::puts("skipped: no CUDA device for them");
  return 77;
}

}  // namespace tests

#endif
