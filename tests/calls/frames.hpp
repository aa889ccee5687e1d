// How a call reaches its kernels: which of the library's functions are on the stack when CUDA is
// called to launch. For programs that are compiled so that no function is inlined, with
// faulty_cuda.cpp linked in front of CUDA: on its made-up device, which takes every launch.
#ifndef SCAN_TESTS_CALLS_FRAMES_HPP
#define SCAN_TESTS_CALLS_FRAMES_HPP

#include <dlfcn.h>
#include <execinfo.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "scan/status.hpp"
#include "tests/faults/faulty_cuda.hpp"

namespace tests {

/// The function at an address, as binutils know it: of hidden ones dladdr() knows no names.
inline std::string function_at(const void* address) {
  Dl_info found{};
  if (dladdr(address, &found) == 0) return "?";
  const auto offset = static_cast<const char*>(address) - static_cast<const char*>(found.dli_fbase);
  char command[4096];
  std::snprintf(command, sizeof(command), "addr2line -Cfe '%s' 0x%tx", found.dli_fname, offset);
  std::FILE* const answer = popen(command, "r");
  std::string name;
  for (int c = 0; answer != nullptr && (c = std::fgetc(answer)) != EOF && c != '\n';) {
    name += static_cast<char>(c);
  }
  if (answer != nullptr) pclose(answer);
  return name;
}

/// `status scan::abi::device::f<int>(int)` as `scan::device::f`.
inline std::string bare(const std::string& name) {
  std::string left;
  int depth = 0;
  for (const char c : name) {
    if (c == '>' || c == ')') --depth;
    if (depth == 0 && c != '>' && c != ')' && c != '<' && c != '(') left += c;
    if (c == '<' || c == '(') ++depth;
  }
  const std::size_t qualifiers = left.find(" const");
  if (qualifiers != std::string::npos) left.resize(qualifiers);
  left.erase(0, left.rfind(' ') + 1);
  if (left.rfind("scan::", 0) == 0) left.erase(4, left.find("::", 6) - 4);
  return left;
}

/// What was on the stack at a launch, and what was launched.
struct launch_seen {
  std::vector<void*> frames;
  const void* kernel = nullptr;
};

/// Launches that `make()` comes to, with its status.
inline std::vector<launch_seen> launches_of(const std::function<scan::status()>& make,
                                            scan::status& status) {
  std::vector<launch_seen> seen;
  const std::function<void()> look = [&] {
    launch_seen here{std::vector<void*>(64), cuda_calls.kernel};
    here.frames.resize(static_cast<std::size_t>(backtrace(here.frames.data(), 64)));
    seen.push_back(here);
    cuda_calls.on_launch = look;
  };
  cuda_calls.on_launch = look;
  status = make();
  cuda_calls.on_launch = nullptr;
  return seen;
}

/// The library's functions on a stack, the first called first.
inline std::vector<std::string> library_frames(const launch_seen& seen) {
  std::vector<std::string> names;
  for (std::size_t i = seen.frames.size(); i-- > 0;) {
    const std::string name = bare(function_at(static_cast<const char*>(seen.frames[i]) - 1));
    if (name.rfind("scan::", 0) == 0) names.push_back(name);
  }
  return names;
}

/// A call, and the kernels that it is to launch, one after the other.
struct framed_call {
  const char* what;
  std::vector<std::string> kernels;
  std::function<scan::status()> make;
};

/// How many frames are allowed; or, to see the check fail, how many each launch has to be found to
/// exceed.
struct frame_limit {
  int most_frames = 5;
  bool is_exceeded = false;
};
/// As the programs are called: with a number that is too low, or without.
inline frame_limit limit_of(int argc, char** argv) {
  return argc > 1 ? frame_limit{std::atoi(argv[1]), true} : frame_limit{};
}

/// Whether a call launches what it is to, each from so few frames; prints these.
inline bool check(const framed_call& given, const frame_limit& limit) {
  scan::status status;
  const std::vector<launch_seen> seen = launches_of(given.make, status);
  bool is_right = status.ok() && seen.size() == given.kernels.size();
  std::printf("%s: %zu launches, %s\n", given.what, seen.size(), status.message());
  for (std::size_t i = 0; i < seen.size(); ++i) {
    const std::string kernel = bare(function_at(seen[i].kernel));
    const std::vector<std::string> names = library_frames(seen[i]);
    std::printf("  %s: %zu\n", kernel.c_str(), names.size());
    for (const std::string& name : names) std::printf("    %s\n", name.c_str());
    const std::string name = kernel.substr(kernel.rfind(':') + 1);
    if (i < given.kernels.size() && name != given.kernels[i]) {
      std::printf("    not %s\n", given.kernels[i].c_str());
      is_right = false;
    }
    const bool exceeds = names.size() > static_cast<std::size_t>(limit.most_frames);
    if (names.empty() || exceeds != limit.is_exceeded) {
      std::printf("    %s %d\n", exceeds ? "more than" : "none, or no more than",
                  limit.most_frames);
      is_right = false;
    }
  }
  return is_right;
}

/// Memory on the made-up device, which nobody looks at.
template <class T>
T* array(int which) {
  return reinterpret_cast<T*>(std::uintptr_t{1} << 40 | static_cast<std::uintptr_t>(which) << 36);
}

/// A type and an operator that libscan.a does not know.
struct framed_number {
  std::int32_t value;
};
struct framed_sum {
  __host__ __device__ framed_number operator()(const framed_number& x,
                                               const framed_number& y) const {
    return {x.value + y.value};
  }
};

}  // namespace tests

#endif
