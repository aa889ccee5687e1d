// What every scan checks before it touches anything, on the device and on the host path.
#ifndef SCAN_VALIDATE_HPP
#define SCAN_VALIDATE_HPP

#include <cstdint>

#include "scan/status.hpp"

namespace scan {

/// Success, or `cudaErrorInvalidValue` naming the argument. n == 0 is always fine.
template <class In, class Out>
status validate(const In* in, const Out* out, std::int64_t n) noexcept {
  constexpr std::int64_t largest = sizeof(In) > sizeof(Out) ? sizeof(In) : sizeof(Out);
  constexpr std::int64_t address_space = std::int64_t{1} << 57;  // five-level page tables
  const auto in_begin = reinterpret_cast<std::uintptr_t>(in);
  const auto out_begin = reinterpret_cast<std::uintptr_t>(out);

  if (n == 0) return {};
  if (n < 0) return {cudaErrorInvalidValue, "n is negative"};
  if (n > address_space / largest) {
    return {cudaErrorInvalidValue, "n is too large: n elements exceed the address space"};
  }
  if (in == nullptr) return {cudaErrorInvalidValue, "the input pointer is null but n > 0"};
  if (out == nullptr) return {cudaErrorInvalidValue, "the output pointer is null but n > 0"};
  if (in_begin % alignof(In) != 0) {
    return {cudaErrorInvalidValue, "the input pointer is not aligned to its element type"};
  }
  if (out_begin % alignof(Out) != 0) {
    return {cudaErrorInvalidValue, "the output pointer is not aligned to its element type"};
  }
  const bool in_place = in_begin == out_begin && sizeof(In) == sizeof(Out);
  const bool apart = in_begin + static_cast<std::uintptr_t>(n) * sizeof(In) <= out_begin ||
                     out_begin + static_cast<std::uintptr_t>(n) * sizeof(Out) <= in_begin;
  if (!in_place && !apart) {
    return {cudaErrorInvalidValue, "the output overlaps the input and is not in place"};
  }
  return {};
}

}  // namespace scan

#endif
