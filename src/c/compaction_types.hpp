// What C says of a compaction's arrays by numbers, as types: each function hands `call` a null
// pointer of the type that libscan.a knows them by.
#ifndef SCAN_SRC_C_COMPACTION_TYPES_HPP
#define SCAN_SRC_C_COMPACTION_TYPES_HPP

#include <cstdint>
#include <type_traits>

#include "scan/abi.hpp"
#include "scan/c.h"
#include "scan/call/compaction_call.hpp"
#include "scan/call/validate.hpp"
#include "scan/status.hpp"
#include "src/c/given.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace c_interface {

/// `call` of the flags.
template <class Call>
status with_flags(std::int32_t kind, const void* words, Call call) {
  if (kind == SCAN_FLAG_BYTES) return call(flags{static_cast<const std::uint8_t*>(words)});
  return call(flags{static_cast<const std::uint32_t*>(words)});
}

template <class T>
inline bool are_aligned(const scan_select_operands& given) noexcept {
  return element_aligned(static_cast<const T*>(given.input)) &&
         element_aligned(static_cast<const T*>(given.output)) &&
         element_aligned(static_cast<const T*>(given.rejected));
}

/// `call` of a null pointer to elements of as many bytes.
template <class Call>
status with_elements(const scan_select_operands& given, Call call) {
  switch (given.element_bytes) {
    case 1:
      return call(static_cast<std::uint8_t*>(nullptr));
    case 2:
      return call(static_cast<std::uint16_t*>(nullptr));
    case 4:
      return call(static_cast<std::uint32_t*>(nullptr));
    case 8:
      if (!are_aligned<std::uint64_t>(given)) return call(static_cast<two_words*>(nullptr));
      return call(static_cast<std::uint64_t*>(nullptr));
    case 16:
      return call(static_cast<four_words*>(nullptr));
    default:
      return refused("operands.element_bytes is not 1, 2, 4, 8 or 16");
  }
}

/// The same of an integer type of 4 or 8 bytes; false where it is none.
template <class Call>
bool with_places(std::int32_t type, Call call) {
  switch (type) {
    case SCAN_INT32:
    case SCAN_UINT32:
      call(static_cast<std::int32_t*>(nullptr));
      return true;
    case SCAN_INT64:
    case SCAN_UINT64:
      call(static_cast<std::int64_t*>(nullptr));
      return true;
    default:
      return false;
  }
}

/// The same of what is compared for a type: of integers and bools bits. False where there are none.
template <class Call>
bool with_compared(std::int32_t type, Call call) {
  const auto if_held = [&](auto* of) {
    using T = std::remove_pointer_t<decltype(of)>;
    if constexpr (is_compaction_held<first_of_runs<T>>) call(of);
    return is_compaction_held<first_of_runs<T>>;
  };
  switch (type) {
    case SCAN_INT8:
    case SCAN_UINT8:
    case SCAN_BOOL:
      return if_held(static_cast<std::uint8_t*>(nullptr));
    case SCAN_INT16:
    case SCAN_UINT16:
      return if_held(static_cast<std::uint16_t*>(nullptr));
    case SCAN_INT32:
    case SCAN_UINT32:
      return if_held(static_cast<std::uint32_t*>(nullptr));
    case SCAN_INT64:
    case SCAN_UINT64:
      return if_held(static_cast<std::uint64_t*>(nullptr));
    case SCAN_FLOAT:
      return if_held(static_cast<float*>(nullptr));
    case SCAN_DOUBLE:
      return if_held(static_cast<double*>(nullptr));
    default:
      return false;
  }
}

}  // namespace c_interface
}  // namespace SCAN_ABI
}  // namespace scan

#endif
