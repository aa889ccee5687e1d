// In which order a scan combines its elements: the formulas of include/scan/README.md ("In which
// order"), evaluated on the host. Written from the formulas, not from the kernels, which this
// shares nothing with but the numbers of a launch shape: where both give the same bits for sums of
// floats, the formulas hold. Names and letters are theirs.
//
// x is in the order of the scan and of the type that is computed in (of a reversed scan:
// in_memory_order). On the device the shape and W are those of plan_for() in sequence_plan.hpp;
// grid, alignment and workspace do not enter, and on CPU threads their number does not. (The
// library's own operators on integers go differently on CPU threads, which does not show.)
#ifndef SCAN_TESTS_ASSOCIATION_HPP
#define SCAN_TESTS_ASSOCIATION_HPP

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "scan/device/plan/sequence_plan.hpp"
#include "tests/sequences/formulas.hpp"

namespace tests {

/// The vectors of one warp of the wave, whose share is x(first), ..., x(end - 1): what comes before
/// each within the share, L(h(j - 1), f(jR) .. ), and the fold of the share.
template <class T, class Op>
parts<T> wave_parts(const std::vector<T>& x, std::size_t first, std::size_t end,
                    const scan::device::tuning& shape, Op op) {
  const auto vector_items = static_cast<std::size_t>(shape.vector_items);
  const auto stripes = static_cast<std::size_t>(shape.stripes);
  std::vector<T> vectors, runs;
  for (std::size_t i = first; i < end; i += vector_items) {
    vectors.push_back(*fold_left(x, i, std::min(i + vector_items, end), op));
  }
  for (std::size_t i = 0; i < vectors.size(); i += stripes) {
    runs.push_back(*fold_left(vectors, i, std::min(i + stripes, vectors.size()), op));
  }
  const parts<T> lanes = warp_parts(runs, op);
  parts<T> share;
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    if (i % stripes == 0) share.all = lanes.before[i / stripes];
    share.before.push_back(share.all);
    share.all = combine<T>(share.all, vectors[i], op);
  }
  share.all = lanes.all;
  return share;
}

/// The same of the look-back kernel and of the ring: g(r - 1) + h(r, l - 1).
template <class T, class Op>
parts<T> share_parts(const std::vector<T>& x, std::size_t first, std::size_t end,
                     const scan::device::tuning& shape, Op op) {
  const auto stripe_items = static_cast<std::size_t>(shape.stripe_items());
  const auto vector_items = static_cast<std::size_t>(shape.vector_items);
  parts<T> share;
  for (std::size_t stripe = first; stripe < end; stripe += stripe_items) {
    const std::size_t stripe_end = std::min(stripe + stripe_items, end);
    std::vector<T> vectors;
    for (std::size_t i = stripe; i < stripe_end; i += vector_items) {
      vectors.push_back(*fold_left(x, i, std::min(i + vector_items, stripe_end), op));
    }
    const parts<T> lanes = warp_parts(vectors, op);
    for (const std::optional<T>& before : lanes.before) {
      share.before.push_back(combine(share.all, before, op));
    }
    share.all = combine(share.all, lanes.all, op);
  }
  return share;
}

/// The shares of a tile's warps, and H of their folds.
template <class T>
struct tile_parts {
  std::vector<parts<T>> shares;
  parts<T> warps;
};
template <class T, class Op>
tile_parts<T> parts_of_tile(const std::vector<T>& x, std::size_t tile, std::size_t tile_end,
                            const scan::device::launch_plan& plan, Op op) {
  const auto warp_items = static_cast<std::size_t>(plan.tile.warp_items());
  std::vector<parts<T>> shares;
  std::vector<T> folds;
  for (std::size_t first = tile; first < tile_end; first += warp_items) {
    const std::size_t end = std::min(first + warp_items, tile_end);
    shares.push_back(plan.kernel == scan::algorithm::wave
                         ? wave_parts(x, first, end, plan.tile, op)
                         : share_parts(x, first, end, plan.tile, op));
    folds.push_back(*shares.back().all);
  }
  return {shares, warp_parts(folds, op)};
}

/// The device's scan of `x` by `plan`.
template <class T, class Op>
associated<T> device_association(const std::vector<T>& x, Op op,
                                 const scan::device::launch_plan& plan, bool exclusive,
                                 const std::optional<T>& init, const T& identity) {
  const auto tile_items = static_cast<std::size_t>(plan.tile_items);
  const auto warp_items = static_cast<std::size_t>(plan.tile.warp_items());
  const auto vector_items = static_cast<std::size_t>(plan.tile.vector_items);
  associated<T> scanned;
  std::optional<T> before_batch = init;  // P(k)
  std::vector<T> batch;                  // A(kW), ..., A(t - 1)
  for (std::size_t tile = 0; tile < x.size(); tile += tile_items) {
    const std::size_t tile_end = std::min(tile + tile_items, x.size());
    if (batch.size() == static_cast<std::size_t>(plan.batch_tiles)) {
      before_batch = combine(before_batch, fold_batch(batch, op), op);
      batch.clear();
    }
    const std::optional<T> before_tile = combine(before_batch, fold_batch(batch, op), op);
    const auto [shares, warps] = parts_of_tile(x, tile, tile_end, plan, op);
    for (std::size_t warp = 0; warp < shares.size(); ++warp) {
      const std::optional<T> before_warp = combine(before_tile, warps.before[warp], op);
      for (std::size_t v = 0; v < shares[warp].before.size(); ++v) {
        const std::size_t first = tile + warp * warp_items + v * vector_items;
        append_results(x, first, std::min(first + vector_items, tile_end),
                       combine(before_warp, shares[warp].before[v], op), exclusive, identity, op,
                       scanned);
      }
    }
    batch.push_back(*warps.all);
  }
  return scanned;
}

/// Whether CPU threads take small tiles of `num_items` items of `item_bytes` bytes.
inline bool small_host_tiles(std::size_t num_items, std::size_t item_bytes) {
  return num_items * item_bytes <= std::size_t{8} << 20;
}

/// a(k) of one sequence.
struct fold_of_block {
  template <class T, class Op>
  std::optional<T> operator()(const std::vector<T>& x, std::size_t first, std::size_t end,
                              std::size_t vector_items, Op op) const {
    return strided_fold(x, first, end, vector_items, op);
  }
};

/// A sum on CPU threads, computed in a type of 16 / `vector_items` bytes.
template <class T, class Op, class BlockFold = fold_of_block>
associated<T> host_sum_association(const std::vector<T>& x, Op op, std::size_t vector_items,
                                   bool exclusive, const std::optional<T>& init, const T& identity,
                                   BlockFold fold_block = {}) {
  const std::size_t group_items = 4 * vector_items, block_items = 64 * group_items;
  const std::size_t tile_items =
      (small_host_tiles(x.size(), 16 / vector_items) ? 8 : 32) * block_items;
  associated<T> scanned;
  std::optional<T> before_tile = init;                // P(t)
  std::optional<T> before_block = init, tile_blocks;  // C(k), and the fold of a(k) in the tile
  for (std::size_t block = 0; block < x.size(); block += block_items) {
    const std::size_t end = std::min(block + block_items, x.size());
    if (block % tile_items == 0 && block > 0) {
      before_block = before_tile = combine(before_tile, tile_blocks, op);
      tile_blocks.reset();
    }
    std::optional<T> before_group = before_block, previous = before_block;
    for (std::size_t group = block; group < end; group += group_items) {
      std::optional<T> before_vectors, last, w2;
      for (std::size_t j = 0; j < 4 && group + j * vector_items < end; ++j) {
        const std::size_t first = group + j * vector_items;
        const std::vector<T> vector(
            x.begin() + static_cast<std::ptrdiff_t>(first),
            x.begin() + static_cast<std::ptrdiff_t>(std::min(first + vector_items, end)));
        std::vector<T> h = inclusive_parts(vector, op);
        for (const T& sum : h) {
          last = combine<T>(before_vectors, combine<T>(w2, sum, op), op);  // q(j, l)
          const std::optional<T> through = combine(before_group, last, op);
          scanned.results.push_back(exclusive ? previous.value_or(identity) : *through);
          scanned.total = previous = through;
        }
        if (j < 2) before_vectors = combine<T>(before_vectors, h.back(), op);
        if (j == 2) w2 = h.back();
      }
      before_group = combine(before_group, last, op);
    }
    const std::optional<T> block_fold = fold_block(x, block, end, vector_items, op);
    before_block = combine(before_block, block_fold, op);
    tile_blocks = combine(tile_blocks, block_fold, op);
  }
  return scanned;
}

/// How blocks in four streams are cut, and what is an exclusive result where a stream begins in
/// one: what precedes it as folds, or the inclusive result before it.
struct stream_cut {
  std::size_t block_items, tile_blocks;
  bool follows_results;
};
template <class T, class Op>
associated<T> streams_association(const std::vector<T>& x, Op op, const stream_cut& cut,
                                  bool exclusive, const std::optional<T>& init, const T& identity) {
  constexpr std::size_t num_streams = 4;
  associated<T> scanned;
  std::optional<T> before_tile = init;                // P(t)
  std::optional<T> before_block = init, tile_blocks;  // C(k), and the fold of a(k) in the tile
  for (std::size_t block = 0; block < x.size(); block += cut.block_items) {
    const std::size_t block_end = std::min(block + cut.block_items, x.size());
    const std::size_t length = (block_end - block) / num_streams;
    if (block % (cut.tile_blocks * cut.block_items) == 0) {
      before_block = before_tile = combine(before_tile, tile_blocks, op);
      tile_blocks.reset();
    }
    std::optional<T> before = before_block, of_block;
    for (std::size_t s = 0; s <= num_streams; ++s) {
      const std::size_t first = block + s * length;
      const std::size_t end = s < num_streams ? first + length : block_end;
      if (first == end) continue;
      const std::optional<T> previous = scanned.total;
      append_results(x, first, end, before, exclusive, identity, op, scanned);
      if (cut.follows_results && exclusive && first > block) scanned.results[first] = *previous;
      const std::optional<T> folded = fold_left(x, first, end, op);
      before = combine(before, folded, op);
      of_block = combine(of_block, folded, op);
    }
    before_block = combine(before_block, of_block, op);
    tile_blocks = combine(tile_blocks, of_block, op);
  }
  return scanned;
}

/// Any other scan of `x` on CPU threads, `element_bytes` the larger of an input and an output
/// element.
template <class T, class Op>
associated<T> host_association(const std::vector<T>& x, Op op, std::size_t element_bytes,
                               bool exclusive, const std::optional<T>& init, const T& identity) {
  const std::size_t tile_items =
      (small_host_tiles(x.size(), element_bytes) ? 62 : 254) * 1024 / element_bytes;
  return streams_association(x, op, {tile_items, 1, false}, exclusive, init, identity);
}

/// A column of a tensor, inner >= 2, on CPU threads: P(t) + L of the strip's items up to there.
template <class T, class Op>
std::vector<T> host_column_association(const std::vector<T>& x, Op op, bool exclusive,
                                       std::optional<T> before, const T& identity) {
  constexpr std::size_t strip_items = 1024;
  std::vector<T> results;
  std::optional<T> strip;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (i % strip_items == 0) {
      before = combine(before, strip, op);
      strip.reset();
    }
    const std::optional<T> through = combine<T>(strip, x[i], op);
    results.push_back(combine(before, exclusive ? strip : through, op).value_or(identity));
    strip = through;
  }
  return results;
}

}  // namespace tests

#endif
