// In which order the scans of a tensor's sequences combine their elements: the formulas of
// include/scan/README.md, evaluated on the host, as association.hpp does those of one sequence.
// Rows (inner = 1) go by that; here are columns, and the operator of recurrences. Written from the
// formulas, not from the kernels, which this shares nothing with but the numbers of a cut.
#ifndef SCAN_TESTS_TENSOR_ASSOCIATION_HPP
#define SCAN_TESTS_TENSOR_ASSOCIATION_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

#include "scan/device/plan/column_plan.hpp"
#include "tests/sequences/association.hpp"

namespace tests {

/// The map of some steps of a recurrence, and whether one of them has a factor of 0.
template <class S>
struct modelled_map {
  S factor, offset;
  bool begins_anew;
};

/// Maps one after another, first `earlier`: as on a GPU, with one rounding for a product and sum.
struct compose_fused {
  template <class S>
  modelled_map<S> operator()(const modelled_map<S>& earlier, const modelled_map<S>& later) const {
    if (later.begins_anew) return later;
    return {later.factor * earlier.factor, std::fma(later.factor, earlier.offset, later.offset),
            earlier.begins_anew};
  }
};

/// What comes before the tiles of a sequence, one after another, of which so many are a batch, and
/// so many of these a span.
template <class T>
class nested_prefix {
 public:
  nested_prefix(const std::optional<T>& init, std::size_t batch_tiles, std::size_t span_batches)
      : batch_tiles_(batch_tiles), span_tiles_(batch_tiles * span_batches), before_span_(init) {}

  /// E(t).
  template <class Op>
  std::optional<T> before(Op op) const {
    return combine(combine(before_span_, batches_, op), tiles_, op);
  }
  /// A(t).
  template <class Op>
  void add(const T& tile, Op op) {
    tiles_ = combine<T>(tiles_, tile, op);
    if (++num_tiles_ % batch_tiles_ != 0) return;
    batches_ = combine(batches_, tiles_, op);  // with B(k)
    tiles_.reset();
    if (num_tiles_ % span_tiles_ != 0) return;
    before_span_ = combine(before_span_, batches_, op);  // P(s + 1)
    batches_.reset();
  }

 private:
  std::size_t batch_tiles_, span_tiles_;
  std::optional<T> before_span_, batches_, tiles_;
  std::size_t num_tiles_ = 0;
};

/// The scan of one column of a tensor, inner >= 2, by `cut`.
template <class T, class Op>
associated<T> column_association(const std::vector<T>& x, Op op,
                                 const scan::device::column_plan& cut, bool exclusive,
                                 const std::optional<T>& init, const T& identity) {
  const auto tile_rows = static_cast<std::size_t>(cut.tile_rows);
  const auto group_rows = static_cast<std::size_t>(cut.group_rows);
  associated<T> scanned;
  nested_prefix<T> prefix(init, 16, 8);
  for (std::size_t tile = 0; tile < x.size(); tile += tile_rows) {
    const std::size_t tile_end = std::min(tile + tile_rows, x.size());
    std::vector<T> folds;
    for (std::size_t first = tile; first < tile_end; first += group_rows) {
      folds.push_back(*fold_left(x, first, std::min(first + group_rows, tile_end), op));
    }
    const parts<T> groups = warp_parts(folds, op);
    const std::optional<T> before_tile = prefix.before(op);
    for (std::size_t group = 0; group < folds.size(); ++group) {
      const std::size_t first = tile + group * group_rows;
      append_results(x, first, std::min(first + group_rows, tile_end),
                     combine(before_tile, groups.before[group], op), exclusive, identity, op,
                     scanned);
    }
    prefix.add(*groups.all, op);
  }
  return scanned;
}

}  // namespace tests

#endif
