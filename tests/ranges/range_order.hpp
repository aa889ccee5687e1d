// In which order a segment with gaps is scanned: walk_association.hpp, of its length alone.
#ifndef SCAN_TESTS_RANGE_ORDER_HPP
#define SCAN_TESTS_RANGE_ORDER_HPP

#include <algorithm>
#include <optional>
#include <vector>

#include "scan/device/plan/tuning.hpp"
#include "scan/operators.hpp"
#include "tests/tensors/walk_association.hpp"

namespace tests {

/// The sums of `segment`, in memory's order, and what they end with.
inline associated<float> segment_sums(std::vector<float> segment, bool reverse, bool exclusive,
                                      const std::optional<float>& init) {
  constexpr std::size_t vector_items = scan::device::vector_items_for(sizeof(float));
  if (reverse) std::reverse(segment.begin(), segment.end());
  auto sums = row_walk_association(segment, scan::plus{}, vector_items, exclusive, init,
                                   scan::plus::identity<float>());
  if (reverse) std::reverse(sums.results.begin(), sums.results.end());
  return sums;
}

}  // namespace tests

#endif
