// In which order walks combine the elements of short rows, segments with gaps and columns, and the
// ring those of narrow columns: the formulas of include/scan/README.md, evaluated on the host, as
// tensor_association.hpp does those of other columns. Written from the formulas, not from the
// kernels, which this shares nothing with but the numbers of walk_plan.hpp and of tunings.
#ifndef SCAN_TESTS_WALK_ASSOCIATION_HPP
#define SCAN_TESTS_WALK_ASSOCIATION_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "scan/device/plan/column_ring_plan.hpp"
#include "scan/device/plan/column_walk_plan.hpp"
#include "scan/device/plan/strip_plan.hpp"
#include "scan/device/plan/walk_plan.hpp"
#include "tests/tensors/tensor_association.hpp"

namespace tests {

/// The scan of a row whose elements are `vector_items` a vector.
template <class T, class Op>
associated<T> row_walk_association(const std::vector<T>& x, Op op, std::size_t vector_items,
                                   bool exclusive, const std::optional<T>& init,
                                   const T& identity) {
  const std::size_t chunk_items = scan::device::chunk_vectors * vector_items;
  const std::size_t tile_items = scan::device::tile_chunks * chunk_items;
  associated<T> scanned;
  nested_prefix<T> prefix(init, scan::device::group_tiles, scan::device::span_groups);
  for (std::size_t tile = 0; tile < x.size(); tile += tile_items) {
    const std::size_t tile_end = std::min(tile + tile_items, x.size());
    std::vector<parts<T>> lanes;
    std::vector<T> folds;
    for (std::size_t first = tile; first < tile_end; first += chunk_items) {
      std::vector<T> vectors;
      const std::size_t end = std::min(first + chunk_items, tile_end);
      for (std::size_t i = first; i < end; i += vector_items) {
        vectors.push_back(*fold_left(x, i, std::min(i + vector_items, end), op));
      }
      lanes.push_back(warp_parts(vectors, op));
      folds.push_back(*lanes.back().all);
    }
    const parts<T> chunks = warp_parts(folds, op);
    for (std::size_t chunk = 0; chunk < folds.size(); ++chunk) {
      const std::optional<T> before = combine(prefix.before(op), chunks.before[chunk], op);
      for (std::size_t lane = 0; lane < lanes[chunk].before.size(); ++lane) {
        const std::size_t first = tile + chunk * chunk_items + lane * vector_items;
        append_results(x, first, std::min(first + vector_items, tile_end),
                       combine(before, lanes[chunk].before[lane], op), exclusive, identity, op,
                       scanned);
      }
    }
    prefix.add(*chunks.all, op);
  }
  return scanned;
}

/// The scan of a column: a warp has `lane_runs` runs of `run_rows` rows, a tile is `num_warps`
/// warps'; `prefix`: of no tiles.
template <class T, class Op>
associated<T> column_walk_association(const std::vector<T>& x, Op op, std::size_t run_rows,
                                      std::size_t lane_runs, std::size_t num_warps, bool exclusive,
                                      nested_prefix<T> prefix, const T& identity) {
  const std::size_t warp_rows = lane_runs * run_rows, tile_rows = num_warps * warp_rows;
  associated<T> scanned;
  for (std::size_t tile = 0; tile < x.size(); tile += tile_rows) {
    const std::size_t tile_end = std::min(tile + tile_rows, x.size());
    std::optional<T> of_warps;
    for (std::size_t warp = tile; warp < tile_end; warp += warp_rows) {
      std::vector<T> folds;
      const std::size_t end = std::min(warp + warp_rows, tile_end);
      for (std::size_t first = warp; first < end; first += run_rows) {
        folds.push_back(*fold_left(x, first, std::min(first + run_rows, end), op));
      }
      const parts<T> runs = warp_parts(folds, op);
      const std::optional<T> before = combine(prefix.before(op), of_warps, op);
      for (std::size_t run = 0; run < folds.size(); ++run) {
        const std::size_t first = warp + run * run_rows;
        append_results(x, first, std::min(first + run_rows, end),
                       combine(before, runs.before[run], op), exclusive, identity, op, scanned);
      }
      of_warps = combine(of_warps, runs.all, op);
    }
    prefix.add(*of_warps, op);
  }
  return scanned;
}
/// In the order of walks.
template <class T>
nested_prefix<T> walked_prefix(const std::optional<T>& init) {
  return {init, 16, 8};
}
/// The scan of a narrow column in the ring.
template <class T, class Op>
associated<T> column_ring_association(const std::vector<T>& x, Op op,
                                      const scan::device::column_ring_tuning& tuned,
                                      std::int64_t inner, bool exclusive,
                                      const std::optional<T>& init, const T& identity) {
  const std::int64_t lane_runs = 32 / inner, runs = tuned.scan_warps * lane_runs;
  std::int64_t most = 32 * tuned.lane_rows / (lane_runs * inner);
  if (most % 2 == 0) --most;
  const auto length = static_cast<std::int64_t>(x.size());
  const std::int64_t tiles = (length + runs * most - 1) / (runs * most);
  std::int64_t rows = (length + runs * tiles - 1) / (runs * tiles);
  if (rows % 2 == 0) ++rows;
  return column_walk_association<T>(x, op, rows, lane_runs, tuned.scan_warps, exclusive,
                                    nested_prefix<T>(init, 8, 1), identity);
}

/// The scan of a wide column in the ring.
template <class T, class Op>
associated<T> strip_association(const std::vector<T>& x, Op op, int in_bytes, int run_inputs,
                                std::int64_t inner, bool exclusive, const std::optional<T>& init,
                                const T& identity) {
  const auto tuned = scan::device::strip_tuning_for(in_bytes, run_inputs);
  const auto length = static_cast<std::int64_t>(x.size());
  const int lane_columns = in_bytes < 4 ? 2 : 1, beyond = static_cast<int>(inner * in_bytes % 16);
  // One strip, whose rows lie one after another; and warps beside each other.
  const bool is_whole = beyond != 0 && inner < 64 * lane_columns;
  const bool is_pair = is_whole
                           ? inner > 32 * lane_columns
                           : run_inputs == 1 && (beyond != 0 || (in_bytes > 1 && inner >= 128));
  const int most = is_whole && run_inputs > 1
                       ? std::min(256, 102400 / static_cast<int>(2 * inner * in_bytes))
                       : 256;
  const std::int64_t runs = tuned.scan_warps / (is_pair ? 2 : 1);
  const std::int64_t tiles = (length + most - 1) / most;
  std::int64_t rows = (length + runs * tiles - 1) / (runs * tiles);
  // A tile has as many rows of each place in granules.
  while (!is_whole && runs * rows * beyond % 16 != 0) ++rows;
  return column_walk_association<T>(x, op, rows, 1, runs, exclusive, nested_prefix<T>(init, 8, 1),
                                    identity);
}

}  // namespace tests

#endif
