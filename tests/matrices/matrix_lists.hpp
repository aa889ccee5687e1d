// The rows of the test matrix, as the README promises them to users; include/scan/call/prebuilt.hpp
// says which kernels serve them.
#ifndef SCAN_TESTS_MATRIX_LISTS_HPP
#define SCAN_TESTS_MATRIX_LISTS_HPP

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>

// entry(In, Out, operator) for every pair of element types that the README names, by operator: what
// -Dprebuilt=common holds, and what full adds. Macros, for the names.
#define SCAN_TESTS_SAME_INTEGERS(entry, op)                                             \
  entry(std::int8_t, std::int8_t, op) entry(std::uint8_t, std::uint8_t, op)             \
      entry(std::int16_t, std::int16_t, op) entry(std::uint16_t, std::uint16_t, op)     \
          entry(std::int32_t, std::int32_t, op) entry(std::uint32_t, std::uint32_t, op) \
              entry(std::int64_t, std::int64_t, op) entry(std::uint64_t, std::uint64_t, op)
#define SCAN_TESTS_SAME_FLOATS(entry, op)                                     \
  entry(float, float, op) entry(double, double, op) entry(__half, __half, op) \
      entry(__nv_bfloat16, __nv_bfloat16, op)
#define SCAN_TESTS_MIXED_INTEGERS(entry, op)                                       \
  entry(std::uint8_t, std::int32_t, op) entry(std::uint8_t, std::uint32_t, op)     \
      entry(std::uint8_t, std::int64_t, op) entry(std::uint8_t, std::uint64_t, op) \
          entry(std::int32_t, std::int64_t, op) entry(std::uint32_t, std::uint64_t, op)
#define SCAN_TESTS_MIXED_FLOATS(entry, op) \
  entry(__half, float, op) entry(__nv_bfloat16, float, op) entry(float, double, op)

#define SCAN_TESTS_COMMON_plus(entry)   \
  SCAN_TESTS_SAME_INTEGERS(entry, plus) \
  SCAN_TESTS_SAME_FLOATS(entry, plus)   \
  SCAN_TESTS_MIXED_INTEGERS(entry, plus) SCAN_TESTS_MIXED_FLOATS(entry, plus)
#define SCAN_TESTS_COMMON_minimum(entry) \
  SCAN_TESTS_SAME_INTEGERS(entry, minimum) SCAN_TESTS_SAME_FLOATS(entry, minimum)
#define SCAN_TESTS_COMMON_maximum(entry) \
  SCAN_TESTS_SAME_INTEGERS(entry, maximum) SCAN_TESTS_SAME_FLOATS(entry, maximum)
#define SCAN_TESTS_FULL_minimum(entry) \
  SCAN_TESTS_MIXED_INTEGERS(entry, minimum) SCAN_TESTS_MIXED_FLOATS(entry, minimum)
#define SCAN_TESTS_FULL_maximum(entry) \
  SCAN_TESTS_MIXED_INTEGERS(entry, maximum) SCAN_TESTS_MIXED_FLOATS(entry, maximum)
#define SCAN_TESTS_FULL_multiplies(entry)     \
  SCAN_TESTS_SAME_INTEGERS(entry, multiplies) \
  SCAN_TESTS_SAME_FLOATS(entry, multiplies)   \
  SCAN_TESTS_MIXED_INTEGERS(entry, multiplies) SCAN_TESTS_MIXED_FLOATS(entry, multiplies)
#define SCAN_TESTS_FULL_bit_and(entry) \
  SCAN_TESTS_SAME_INTEGERS(entry, bit_and) SCAN_TESTS_MIXED_INTEGERS(entry, bit_and)
#define SCAN_TESTS_FULL_bit_or(entry) \
  SCAN_TESTS_SAME_INTEGERS(entry, bit_or) SCAN_TESTS_MIXED_INTEGERS(entry, bit_or)
#define SCAN_TESTS_FULL_bit_xor(entry) \
  SCAN_TESTS_SAME_INTEGERS(entry, bit_xor) SCAN_TESTS_MIXED_INTEGERS(entry, bit_xor)

#endif
