// What every scan checks before it touches anything, on the device and on the host path.
#ifndef SCAN_VALIDATE_HPP
#define SCAN_VALIDATE_HPP

#include <algorithm>
#include <cstdint>

#include "scan/status.hpp"

namespace scan {

/// The bytes of `count` elements from `pointer` on.
struct memory_range {
  std::uintptr_t begin, end;

  template <class T>
  memory_range(const T* pointer, std::int64_t count) noexcept
      : begin(reinterpret_cast<std::uintptr_t>(pointer)),
        end(begin + static_cast<std::uintptr_t>(count) * sizeof(T)) {}
  bool overlaps(const memory_range& other) const noexcept {
    return std::max(begin, other.begin) < std::min(end, other.end);  // never, where one is empty
  }
};

template <class T>
bool element_aligned(const T* pointer) noexcept {
  return reinterpret_cast<std::uintptr_t>(pointer) % alignof(T) == 0;
}

/// Success, or `cudaErrorInvalidValue` naming the argument. `extra`: outputs beyond n, 0 or 1.
template <class In, class Out>
status validate(const In* in, const Out* out, std::int64_t n, int extra) noexcept {
  constexpr std::int64_t largest = sizeof(In) > sizeof(Out) ? sizeof(In) : sizeof(Out);
  constexpr std::int64_t address_space = std::int64_t{1} << 57;  // five-level page tables

  if (n < 0) return {cudaErrorInvalidValue, "n is negative"};
  if (n > address_space / largest) {
    return {cudaErrorInvalidValue, "n is too large: n elements exceed the address space"};
  }
  if (in == nullptr && n > 0) {
    return {cudaErrorInvalidValue, "the input pointer is null but n > 0"};
  }
  if (out == nullptr && n + extra > 0) {
    return {cudaErrorInvalidValue, "the output pointer is null but there are outputs to write"};
  }
  if (n + extra == 0) return {};
  if (n > 0 && !element_aligned(in)) {  // of no elements the address means nothing
    return {cudaErrorInvalidValue, "the input pointer is not aligned to its element type"};
  }
  if (!element_aligned(out)) {
    return {cudaErrorInvalidValue, "the output pointer is not aligned to its element type"};
  }
  const memory_range read(in, n), written(out, n + extra);
  const bool in_place = read.begin == written.begin && sizeof(In) == sizeof(Out);
  if (!in_place && read.overlaps(written)) {
    return {cudaErrorInvalidValue, "the output overlaps the input and is not in place"};
  }
  return {};
}

/// The same of options.total, which may be null.
template <class In, class Out, class Value>
status validate_total(const In* in, const Out* out, std::int64_t n, int extra,
                      const Value* total) noexcept {
  if (total == nullptr) return {};
  if (!element_aligned(total)) {
    return {cudaErrorInvalidValue, "options.total is not aligned to its type"};
  }
  const memory_range written(total, 1);
  if (written.overlaps({in, n}) || written.overlaps({out, n + extra})) {
    return {cudaErrorInvalidValue, "options.total overlaps the input or the output"};
  }
  return {};
}

/// The same of options.init_pointer, which may be null.
template <class Out, class Value>
status validate_init_pointer(const Out* out, std::int64_t n, int extra, const Value* init,
                             const Value* total) noexcept {
  if (init == nullptr) return {};
  if (!element_aligned(init)) {
    return {cudaErrorInvalidValue, "options.init_pointer is not aligned to its type"};
  }
  // Blocks that start late read it late.
  const memory_range read(init, 1);
  if (read.overlaps({out, n + extra}) || (total != nullptr && read.overlaps({total, 1}))) {
    return {cudaErrorInvalidValue, "options.init_pointer overlaps the output or options.total"};
  }
  return {};
}

}  // namespace scan

#endif
