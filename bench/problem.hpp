// Which scan is measured, named at run time, and the way from the names to the types.
#ifndef SCAN_BENCH_PROBLEM_HPP
#define SCAN_BENCH_PROBLEM_HPP

#include <array>
#include <cstdint>
#include <string>
#include <utility>

#include "scan/scan.hpp"

namespace bench {

enum class element_type { u8, i32, u32, i64, u64, f32, f64 };
enum class scan_operator { plus, minimum, maximum };

// In the order of the enumerators; the command line takes the same words.
inline constexpr std::array type_names{"u8", "i32", "u32", "i64", "u64", "f32", "f64"};
inline constexpr std::array operator_names{"plus", "minimum", "maximum"};

// What a suite can be asked for, too.
inline constexpr std::array suite_type_names{"u8",  "i16",  "i32", "u32", "i64",   "u64",
                                             "f16", "bf16", "f32", "f64", "affine"};
inline constexpr std::array suite_operator_names{"plus", "minimum", "maximum", "compose"};

struct problem {
  element_type type = element_type::i32;
  scan_operator op = scan_operator::plus;
  bool exclusive = false;

  const char* type_name() const { return type_names[static_cast<std::size_t>(type)]; }
  const char* operator_name() const { return operator_names[static_cast<std::size_t>(op)]; }
  const char* kind_name() const { return exclusive ? "exclusive" : "inclusive"; }
};

/// Calls `visitor(T{})` with the element type.
template <class Visitor>
auto with_type(element_type type, Visitor visitor) {
  switch (type) {
    case element_type::u8:
      return visitor(std::uint8_t{});
    case element_type::i32:
      return visitor(std::int32_t{});
    case element_type::u32:
      return visitor(std::uint32_t{});
    case element_type::i64:
      return visitor(std::int64_t{});
    case element_type::u64:
      return visitor(std::uint64_t{});
    case element_type::f32:
      return visitor(float{});
    case element_type::f64:
      break;
  }
  return visitor(double{});
}

/// Calls `visitor(T{}, Op{})` with the element type and the library's operator.
template <class Visitor>
auto with_types(const problem& what, Visitor visitor) {
  return with_type(what.type, [&](auto zero) {
    switch (what.op) {
      case scan_operator::plus:
        return visitor(zero, scan::plus{});
      case scan_operator::minimum:
        return visitor(zero, scan::minimum{});
      case scan_operator::maximum:
        break;
    }
    return visitor(zero, scan::maximum{});
  });
}

inline std::int64_t element_bytes(element_type type) {
  return with_type(type, [](auto zero) { return static_cast<std::int64_t>(sizeof(zero)); });
}

inline bool is_float(element_type type) {
  return type == element_type::f32 || type == element_type::f64;
}

}  // namespace bench

#endif
