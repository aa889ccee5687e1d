// What callers in C give, read and checked before anything looks at it, and what they get back.
#ifndef SCAN_SRC_C_GIVEN_HPP
#define SCAN_SRC_C_GIVEN_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <new>

#include "scan/abi.hpp"
#include "scan/c.h"
#include "scan/extents.hpp"
#include "scan/status.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace c_interface {

inline status refused(const char* message) noexcept { return {cudaErrorInvalidValue, message}; }

inline scan_status to_c(const status& said) noexcept {
  return {static_cast<cudaError_t>(said), said.index(), said.message()};
}

/// The status of `call`, of which nothing is thrown through C.
template <class Call>
scan_status guarded(Call call) noexcept {
  try {
    return to_c(call());
  } catch (const std::bad_alloc&) {
    return to_c({cudaErrorMemoryAllocation, "there is no memory for the call"});
  } catch (...) {
    return to_c({cudaErrorUnknown, "the call has thrown an exception"});
  }
}

/// What messages call a struct, and the sizes that it has had since its first version: a new field
/// goes to its end, where no padding is, and what was its size before stays in the list.
template <class Struct>
struct known_struct;
template <>
struct known_struct<scan_operands> {
  static constexpr std::size_t sizes[] = {40};
  static constexpr char null[] = "operands is null";
  static constexpr char wrong_size[] = "operands.size is no size of a scan_operands";
};
template <>
struct known_struct<scan_recurrence_operands> {
  static constexpr std::size_t sizes[] = {40, 48};
  static constexpr char null[] = "operands is null";
  static constexpr char wrong_size[] = "operands.size is no size of a scan_recurrence_operands";
};
template <>
struct known_struct<scan_gradient_operands> {
  static constexpr std::size_t sizes[] = {72};
  static constexpr char null[] = "operands is null";
  static constexpr char wrong_size[] = "operands.size is no size of a scan_gradient_operands";
};
template <>
struct known_struct<scan_select_operands> {
  static constexpr std::size_t sizes[] = {48};
  static constexpr char null[] = "operands is null";
  static constexpr char wrong_size[] = "operands.size is no size of a scan_select_operands";
};
template <>
struct known_struct<scan_indices_operands> {
  static constexpr std::size_t sizes[] = {32};
  static constexpr char null[] = "operands is null";
  static constexpr char wrong_size[] = "operands.size is no size of a scan_indices_operands";
};
template <>
struct known_struct<scan_runs_operands> {
  static constexpr std::size_t sizes[] = {40};
  static constexpr char null[] = "operands is null";
  static constexpr char wrong_size[] = "operands.size is no size of a scan_runs_operands";
};
template <>
struct known_struct<scan_extents> {
  static constexpr std::size_t sizes[] = {48};
  static constexpr char null[] = "extents is null";
  static constexpr char wrong_size[] = "extents.size is no size of a scan_extents";
};
template <>
struct known_struct<scan_segments> {
  static constexpr std::size_t sizes[] = {40};
  static constexpr char null[] = "segments is null";
  static constexpr char wrong_size[] = "segments.size is no size of a scan_segments";
};
template <>
struct known_struct<scan_keys> {
  static constexpr std::size_t sizes[] = {24};
  static constexpr char null[] = "keys is null";
  static constexpr char wrong_size[] = "keys.size is no size of a scan_keys";
};
template <>
struct known_struct<scan_options> {
  static constexpr std::size_t sizes[] = {96, 120};
  static constexpr char wrong_size[] = "options.size is no size of a scan_options";
};
template <>
struct known_struct<scan_workspace_needs> {
  static constexpr std::size_t sizes[] = {32};
  static constexpr char null[] = "needs is null";
  static constexpr char wrong_size[] = "needs.size is no size of a scan_workspace_needs";
};

/// Copies what the caller's version of a struct has; `mine` is all 0.
template <class Struct>
status read_known(const Struct& given, Struct& mine) noexcept {
  using known = known_struct<Struct>;
  static_assert(*std::rbegin(known::sizes) == sizeof(Struct));
  const auto* end = std::end(known::sizes);
  if (std::find(std::begin(known::sizes), end, given.size) == end) {
    return refused(known::wrong_size);
  }
  std::memcpy(&mine, &given, given.size);
  return {};
}
template <class Struct>
status read(const Struct* given, Struct& mine) noexcept {
  if (given == nullptr) return refused(known_struct<Struct>::null);
  return read_known(*given, mine);
}

inline extents extents_of(const scan_extents& given) noexcept {
  return {given.outer, given.length, given.inner, given.in_pitch, given.out_pitch};
}

/// These, or the usual ones of null; what is for the other place, or for compactions, is refused.
status read_options(const scan_options* given, scan_options& mine) noexcept;
/// The same of a compaction's.
status read_compaction_options(const scan_options* given, scan_options& mine) noexcept;

}  // namespace c_interface
}  // namespace SCAN_ABI
}  // namespace scan

#endif
