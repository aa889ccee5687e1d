// What can be wrong with an entry of scan::segments::offsets.
#ifndef SCAN_SRC_WRONG_OFFSET_HPP
#define SCAN_SRC_WRONG_OFFSET_HPP

#include <cstdint>

#include "scan/host_device.hpp"
#include "scan/status.hpp"

namespace scan {

enum class wrong_offset : int { nothing, negative, decreasing, too_large };

/// Of entry `index`, after `before`; num_items is known.
template <class Offset>
SCAN_HOST_DEVICE wrong_offset what_is_wrong(Offset before, Offset offset, std::int64_t index,
                                            std::int64_t num_items) {
  if (index == 0 && offset < 0) return wrong_offset::negative;
  if (index > 0 && offset < before) return wrong_offset::decreasing;
  return offset > num_items ? wrong_offset::too_large : wrong_offset::nothing;
}

inline status status_of(wrong_offset what, std::int64_t index) noexcept {
  switch (what) {
    case wrong_offset::nothing:
      return {};
    case wrong_offset::negative:
      return {cudaErrorInvalidValue, "segments.offsets[0] is negative", index};
    case wrong_offset::decreasing:
      return {cudaErrorInvalidValue,
              "segments.offsets[i] is less than the entry before it; i is status::index()", index};
    case wrong_offset::too_large:
      break;
  }
  return {cudaErrorInvalidValue,
          "segments.offsets[i] is greater than num_items; i is status::index()", index};
}

}  // namespace scan

#endif
