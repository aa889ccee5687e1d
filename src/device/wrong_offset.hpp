// What can be wrong with an entry of scan::segments::offsets.
#ifndef SCAN_SRC_WRONG_OFFSET_HPP
#define SCAN_SRC_WRONG_OFFSET_HPP

#include <cstdint>
#include <type_traits>

#include "scan/abi.hpp"
#include "scan/call/segment_heads.hpp"
#include "scan/status.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {

enum class wrong_offset : int { nothing, negative, decreasing, too_large };

/// Calls `with` the offsets as they are.
template <class With>
auto with_offsets(const segment_heads& heads, With with) {
  switch (heads.kind) {
    case head_kind::offsets_32:
      return with(static_cast<const std::int32_t*>(heads.data));
    case head_kind::offsets_u32:
      return with(static_cast<const std::uint32_t*>(heads.data));
    case head_kind::offsets_u64:
      return with(static_cast<const std::uint64_t*>(heads.data));
    default:
      return with(static_cast<const std::int64_t*>(heads.data));
  }
}

template <class Offset>
SCAN_HOST_DEVICE bool is_negative(Offset offset) {
  return std::is_signed_v<Offset> && static_cast<std::int64_t>(offset) < 0;
}
/// (num_items is not negative.)
template <class Offset>
SCAN_HOST_DEVICE bool exceeds(Offset offset, std::int64_t num_items) {
  return !is_negative(offset) &&
         static_cast<std::uint64_t>(offset) > static_cast<std::uint64_t>(num_items);
}
/// Of entry `index`, after `before`; num_items is known.
template <class Offset>
SCAN_HOST_DEVICE wrong_offset what_is_wrong(Offset before, Offset offset, std::int64_t index,
                                            std::int64_t num_items) {
  if (index == 0 && is_negative(offset)) return wrong_offset::negative;
  if (index > 0 && offset < before) return wrong_offset::decreasing;
  return exceeds(offset, num_items) ? wrong_offset::too_large : wrong_offset::nothing;
}

inline status status_of(wrong_offset what, std::int64_t index) noexcept {
  switch (what) {
    case wrong_offset::nothing:
      return {};
    case wrong_offset::negative:
      return {cudaErrorInvalidValue, "segments.offsets[0] is negative", index};
    case wrong_offset::decreasing:
      return {cudaErrorInvalidValue,
              "segments.offsets[i] is less than the entry before it; i is the status's index",
              index};
    case wrong_offset::too_large:
      break;
  }
  return {cudaErrorInvalidValue,
          "segments.offsets[i] is greater than num_items; i is the status's index", index};
}

}  // namespace SCAN_ABI
}  // namespace scan

#endif
