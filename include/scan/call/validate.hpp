// What every scan checks before it touches anything, on the device and on the host path.
#ifndef SCAN_CALL_VALIDATE_HPP
#define SCAN_CALL_VALIDATE_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "scan/status.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {

/// In place of a pointer: an iterator that has none. What it reads or writes, nobody knows.
struct no_array {
  friend bool operator==(no_array, std::nullptr_t) noexcept { return false; }
};
template <class Pointer>
inline constexpr std::int64_t bytes_apart = 1;
template <class T>
inline constexpr std::int64_t bytes_apart<T*> = sizeof(T);

/// The bytes of `count` elements from `pointer` on.
struct memory_range {
  std::uintptr_t begin, end;

  memory_range(no_array, std::int64_t) noexcept : begin(0), end(0) {}

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

inline bool element_aligned(no_array) noexcept { return true; }

/// Whether there can be n elements, of which the widest has `largest` bytes.
inline status validate_count(std::int64_t n, std::int64_t largest) noexcept {
  constexpr std::int64_t address_space = std::int64_t{1} << 57;  // five-level page tables
  if (n < 0) return {cudaErrorInvalidValue, "n is negative"};
  if (n > address_space / largest) {
    return {cudaErrorInvalidValue, "n is too large: n elements exceed the address space"};
  }
  return {};
}

/// Success, or `cudaErrorInvalidValue` naming the argument. `extra`: outputs beyond n, 0 or 1.
/// `In` and `Out` are pointers, or no_array.
template <class In, class Out>
status validate(In in, Out out, std::int64_t n, int extra) noexcept {
  constexpr std::int64_t largest = std::max(bytes_apart<In>, bytes_apart<Out>);
  if (const status checked = validate_count(n, largest); !checked.ok()) return checked;
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
  const bool in_place = read.begin == written.begin && bytes_apart<In> == bytes_apart<Out>;
  if (!in_place && read.overlaps(written)) {
    return {cudaErrorInvalidValue, "the output overlaps the input and is not in place"};
  }
  return {};
}

/// The same of options.total, which may be null.
template <class In, class Out, class Value>
status validate_total(In in, Out out, std::int64_t n, int extra, const Value* total) noexcept {
  if (total == nullptr) return {};
  if (!element_aligned(total)) {
    return {cudaErrorInvalidValue, "options.total is not aligned to its type"};
  }
  const memory_range written(total, 1);
  if (written.overlaps({in, n})) {
    return {cudaErrorInvalidValue, "options.total overlaps the input"};
  }
  if (written.overlaps({out, n + extra})) {
    return {cudaErrorInvalidValue, "options.total overlaps the output"};
  }
  return {};
}

/// Blocks that start late read the init late: what others have written by then must not be there.
/// (Tiles are published without an order among other reads, so a block that has all aggregates, and
/// writes the total, does not know that others have read it.)
inline constexpr char init_overlaps_output[] = "options.init_pointer overlaps the output";
inline constexpr char init_overlaps_total[] =
    "options.init_pointer overlaps options.total, which may be written before all have read it: "
    "let two buffers take turns";

/// The same of options.init_pointer, which may be null.
template <class Out, class Value>
status validate_init_pointer(Out out, std::int64_t n, int extra, const Value* init,
                             const Value* total) noexcept {
  if (init == nullptr) return {};
  if (!element_aligned(init)) {
    return {cudaErrorInvalidValue, "options.init_pointer is not aligned to its type"};
  }
  const memory_range read(init, 1);
  if (read.overlaps({out, n + extra})) {
    return {cudaErrorInvalidValue, init_overlaps_output};
  }
  if (total != nullptr && read.overlaps({total, 1})) {
    return {cudaErrorInvalidValue, init_overlaps_total};
  }
  return {};
}

}  // namespace SCAN_ABI
}  // namespace scan

#endif
