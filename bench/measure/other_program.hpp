// What another program measures: one with more in it to compile.
#ifndef SCAN_BENCH_MEASURE_OTHER_PROGRAM_HPP
#define SCAN_BENCH_MEASURE_OTHER_PROGRAM_HPP

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>

#include "bench/data/host_data.hpp"

namespace bench {

/// Becomes the program of this name beside the one that runs. Throws `usage_error` that says how to
/// build it.
[[noreturn]] inline void run_instead(const std::string& program, char** argv) {
  std::error_code unknown;
  const auto here = std::filesystem::read_symlink("/proc/self/exe", unknown).parent_path();
  execv((here / program).c_str(), argv);
  throw usage_error((here / program).string() + ": " + std::strerror(errno) +
                    "; build it: meson compile -C " + here.parent_path().string() + " " + program);
}

}  // namespace bench

#endif
