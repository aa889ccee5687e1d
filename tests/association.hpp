// In which order a scan combines its elements: the formulas of include/scan/README.md ("In which
// order"), evaluated on the host. Written from the formulas, not from the kernels, which this
// shares nothing with but the numbers of a launch shape: where both give the same bits for sums of
// floats, the formulas hold. Names and letters are theirs.
//
// x is in the order of the scan and of the type that is computed in: for a reversed scan the caller
// turns the elements round and passes an operator with its operands exchanged. What is absent is
// nullopt. On the device the shape and W are those of plan_for() in launch_plan.hpp; grid,
// alignment and workspace do not enter, and on CPU threads their number does not. (The library's
// own operators on integers go differently on CPU threads, which does not show.)
#ifndef SCAN_TESTS_ASSOCIATION_HPP
#define SCAN_TESTS_ASSOCIATION_HPP

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "scan/device/launch_plan.hpp"

namespace tests {

/// What a scan computes, before it is converted to the output's type. `total` is absent for n == 0.
template <class T>
struct associated {
  std::vector<T> results;
  std::optional<T> total;
};

/// What comes before each operand, among the operands; and the fold of all, absent for none.
template <class T>
struct parts {
  std::vector<std::optional<T>> before;
  std::optional<T> all;
};

/// a + b of the formula.
template <class T, class Op>
std::optional<T> combine(const std::optional<T>& a, const std::optional<T>& b, Op op) {
  if (!a) return b;
  if (!b) return a;
  return op(*a, *b);
}

/// L(x(first), ..., x(end - 1)).
template <class T, class Op>
std::optional<T> fold_left(const std::vector<T>& x, std::size_t first, std::size_t end, Op op) {
  std::optional<T> folded;
  for (std::size_t i = first; i < end; ++i) folded = combine<T>(folded, x[i], op);
  return folded;
}

/// H of the operands before each, and of all (of more than 32 with as many more steps).
template <class T, class Op>
parts<T> warp_parts(std::vector<T> a, Op op) {
  for (std::size_t delta = 1; delta < a.size(); delta *= 2) {
    const std::vector<T> previous = a;  // s(j, .), from which all of s(j + 1, .) is made
    for (std::size_t i = delta; i < a.size(); ++i) a[i] = op(previous[i - delta], previous[i]);
  }
  parts<T> scanned;
  for (const T& sum : a) {
    scanned.before.push_back(scanned.all);
    scanned.all = sum;
  }
  return scanned;
}

/// s(5, i) of the operands, for each i.
template <class T, class Op>
std::vector<T> inclusive_parts(std::vector<T> a, Op op) {
  const parts<T> scanned = warp_parts(a, op);
  for (std::size_t i = 0; i + 1 < a.size(); ++i) a[i] = *scanned.before[i + 1];
  a.back() = *scanned.all;
  return a;
}

/// a(k) of a block x(first), ..., x(end - 1).
template <class T, class Op>
std::optional<T> strided_fold(const std::vector<T>& x, std::size_t first, std::size_t end,
                              std::size_t vector_items, Op op) {
  std::optional<T> folded;
  for (std::size_t lane = 0; lane < vector_items; ++lane) {
    std::optional<T> c[4];
    for (std::size_t j = 0; j < 4; ++j) {
      for (std::size_t i = first + j * vector_items + lane; i < end; i += 4 * vector_items) {
        c[j] = combine<T>(c[j], x[i], op);
      }
    }
    const std::optional<T> f = combine(combine(c[0], c[1], op), combine(c[2], c[3], op), op);
    folded = combine(folded, f, op);
  }
  return folded;
}

/// F(a).
template <class T, class Op>
std::optional<T> fold_batch(const std::vector<T>& a, Op op) {
  std::vector<T> warps;
  for (std::size_t first = 0; first < a.size(); first += 32) {
    const std::size_t end = std::min(first + 32, a.size());
    warps.push_back(*warp_parts(std::vector<T>(&a[first], &a[first] + (end - first)), op).all);
  }
  return warp_parts(warps, op).all;
}

/// The vectors of one warp of the wave, whose share is x(first), ..., x(end - 1): what comes before
/// each within the share, L(h(j - 1), f(jR) .. ), and the fold of the share.
template <class T, class Op>
parts<T> wave_parts(const std::vector<T>& x, std::size_t first, std::size_t end,
                    const scan::device::tuning& shape, Op op) {
  const auto vector_items = static_cast<std::size_t>(shape.vector_items);
  const auto rows = static_cast<std::size_t>(shape.rows);
  std::vector<T> vectors, runs;
  for (std::size_t i = first; i < end; i += vector_items) {
    vectors.push_back(*fold_left(x, i, std::min(i + vector_items, end), op));
  }
  for (std::size_t i = 0; i < vectors.size(); i += rows) {
    runs.push_back(*fold_left(vectors, i, std::min(i + rows, vectors.size()), op));
  }
  const parts<T> lanes = warp_parts(runs, op);
  parts<T> share;
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    if (i % rows == 0) share.all = lanes.before[i / rows];
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
  const auto row_items = static_cast<std::size_t>(shape.row_items());
  const auto vector_items = static_cast<std::size_t>(shape.vector_items);
  parts<T> share;
  for (std::size_t row = first; row < end; row += row_items) {
    const std::size_t row_end = std::min(row + row_items, end);
    std::vector<T> vectors;
    for (std::size_t i = row; i < row_end; i += vector_items) {
      vectors.push_back(*fold_left(x, i, std::min(i + vector_items, row_end), op));
    }
    const parts<T> lanes = warp_parts(vectors, op);
    for (const std::optional<T>& before : lanes.before) {
      share.before.push_back(combine(share.all, before, op));
    }
    share.all = combine(share.all, lanes.all, op);
  }
  return share;
}

/// Appends inclusive(i) or exclusive(i) of x(first), ..., x(end - 1) after `before`, one after
/// another; `identity` is the result where nothing comes before.
template <class T, class Op>
void append_results(const std::vector<T>& x, std::size_t first, std::size_t end,
                    std::optional<T> before, bool exclusive, const T& identity, Op op,
                    associated<T>& to) {
  for (std::size_t i = first; i < end; ++i) {
    const std::optional<T> through = combine<T>(before, x[i], op);
    to.results.push_back(exclusive ? before.value_or(identity) : *through);
    before = through;
  }
  to.total = before;  // in the end, of the last element of all
}

/// The device's scan of `x` by `plan`.
template <class T, class Op>
associated<T> device_association(const std::vector<T>& x, Op op,
                                 const scan::device::launch_plan& plan, bool exclusive,
                                 const std::optional<T>& init, const T& identity) {
  const scan::device::tuning& shape = plan.shape;
  const bool in_wave = plan.kernel == scan::algorithm::wave;
  const auto tile_items = static_cast<std::size_t>(plan.tile_items);
  const auto batch_tiles = static_cast<std::size_t>(plan.batch_tiles);
  const auto warp_items = static_cast<std::size_t>(shape.warp_items());
  const auto vector_items = static_cast<std::size_t>(shape.vector_items);
  associated<T> scanned;
  std::optional<T> before_batch = init;  // P(k)
  std::vector<T> batch;                  // A(kW), ..., A(t - 1)
  for (std::size_t tile = 0; tile < x.size(); tile += tile_items) {
    const std::size_t tile_end = std::min(tile + tile_items, x.size());
    if (batch.size() == batch_tiles) {
      before_batch = combine(before_batch, fold_batch(batch, op), op);
      batch.clear();
    }
    const std::optional<T> before_tile = combine(before_batch, fold_batch(batch, op), op);

    std::vector<parts<T>> shares;
    std::vector<T> share_folds;
    for (std::size_t first = tile; first < tile_end; first += warp_items) {
      const std::size_t end = std::min(first + warp_items, tile_end);
      shares.push_back(in_wave ? wave_parts(x, first, end, shape, op)
                               : share_parts(x, first, end, shape, op));
      share_folds.push_back(*shares.back().all);
    }
    const parts<T> warps = warp_parts(share_folds, op);

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

/// Any other scan of `x` on CPU threads, `element_bytes` the larger of an input and an output
/// element.
template <class T, class Op>
associated<T> host_association(const std::vector<T>& x, Op op, std::size_t element_bytes,
                               bool exclusive, const std::optional<T>& init, const T& identity) {
  constexpr std::size_t num_streams = 4;
  const std::size_t tile_items =
      (small_host_tiles(x.size(), element_bytes) ? 62 : 254) * 1024 / element_bytes;
  associated<T> scanned;
  std::optional<T> before_tile = init;  // P(t)
  for (std::size_t tile = 0; tile < x.size(); tile += tile_items) {
    const std::size_t tile_end = std::min(tile + tile_items, x.size());
    const std::size_t length = (tile_end - tile) / num_streams;
    std::optional<T> before = before_tile, of_tile;
    for (std::size_t s = 0; s <= num_streams; ++s) {
      const std::size_t first = tile + s * length;
      const std::size_t end = s < num_streams ? first + length : tile_end;
      if (first == end) continue;
      append_results(x, first, end, before, exclusive, identity, op, scanned);
      const std::optional<T> folded = fold_left(x, first, end, op);
      before = combine(before, folded, op);
      of_tile = combine(of_tile, folded, op);
    }
    before_tile = combine(before_tile, of_tile, op);
  }
  return scanned;
}

/// An operator on strings that notes in which order it was applied.
struct parenthesize {
  std::string operator()(const std::string& a, const std::string& b) const {
    return "(" + a + b + ")";
  }
};

}  // namespace tests

#endif
