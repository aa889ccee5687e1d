// A call of scan/c.h once its structs have been read, and the options that the C++ calls take.
#ifndef SCAN_SRC_C_REQUEST_HPP
#define SCAN_SRC_C_REQUEST_HPP

#include <cstdint>
#include <cstring>
#include <optional>
#include <type_traits>

#include "scan/abi.hpp"
#include "scan/c.h"
#include "scan/call/entries.hpp"
#include "scan/options.hpp"
#include "scan/workspace.hpp"

/// What scan/c.h only names.
struct scan_workspace {
  template <class... Arguments>
  explicit scan_workspace(Arguments... arguments) noexcept : held(arguments...) {}
  scan::workspace held;
};

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace c_interface {

/// Arrays and options whose types are said elsewhere.
struct request {
  bool exclusive;
  const void* input;
  void* output;
  const scan_options& options;
};

/// `start`: what a scan without an init begins with, or nothing if it is negative.
template <class T>
std::optional<T> init_of(const scan_options& given, int start) noexcept {
  std::optional<T> result;
  if (given.init != nullptr) {
    T value;
    std::memcpy(&value, given.init, sizeof(T));
    result.emplace(value);
  } else if constexpr (std::is_integral_v<T> && sizeof(T) == 1) {
    if (start >= 0 && given.init_pointer == nullptr) result.emplace(static_cast<T>(start));
  }
  return result;
}

/// The caller's functions take any stream as a void*.
inline void* allocate_by_caller(void* context, std::size_t num_bytes, cudaStream_t stream) {
  const auto& given = *static_cast<const scan_options*>(context);
  return given.allocate(given.allocator_context, num_bytes, stream);
}
inline void deallocate_by_caller(void* context, void* memory, std::size_t num_bytes,
                                 cudaStream_t stream) {
  const auto& given = *static_cast<const scan_options*>(context);
  given.deallocate(given.allocator_context, memory, num_bytes, stream);
}
/// (Which outlives the call: all memory is given back before it returns.)
inline memory_resource resource_of(const scan_options& given) noexcept {
  return {given.allocate != nullptr ? allocate_by_caller : nullptr,
          given.deallocate != nullptr ? deallocate_by_caller : nullptr,
          const_cast<scan_options*>(&given)};
}

template <class T>
options<T> options_of(device::on_device, const scan_options& given, int start) noexcept {
  options<T> result;
  result.init = init_of<T>(given, start);
  result.stream = static_cast<cudaStream_t>(given.stream);
  result.workspace = given.workspace != nullptr ? &given.workspace->held : nullptr;
  result.init_pointer = static_cast<const T*>(given.init_pointer);
  result.total = static_cast<T*>(given.total);
  result.reverse = given.reverse != 0;
  result.complete = given.complete != 0;
  result.algorithm = static_cast<algorithm>(given.algorithm);
  result.memory_resource = resource_of(given);
  return result;
}
template <class T>
host_options<T> options_of(host_path::on_host, const scan_options& given, int start) noexcept {
  host_options<T> result;
  result.init = init_of<T>(given, start);
  result.threads = given.threads;
  result.total = static_cast<T*>(given.total);
  result.reverse = given.reverse != 0;
  result.complete = given.complete != 0;
  result.init_pointer = static_cast<const T*>(given.init_pointer);
  return result;
}

}  // namespace c_interface
}  // namespace SCAN_ABI
}  // namespace scan

#endif
