// What the block-wise baselines (blelloch, scan_then_fan, reduce_then_scan) share: an input is cut
// into parts, a part has a sum (the fold of its items, whatever the operator), and once the sums
// are scanned, every part knows what precedes it. This file holds the steps of that as kernels; the
// files of the algorithms say in which order they follow each other.
//
// Everything is numbered as it is scanned (scan/call/problem.hpp), and lies in memory's order: a
// scan of suffixes counts parts from the end of the input and keeps their sums from the end of
// `sums`, so that these are scanned in the same direction as the items, by the same code.
#ifndef SCAN_BASELINES_PARTS_CUH
#define SCAN_BASELINES_PARTS_CUH

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "scan/device/launch/enqueue.hpp"
#include "scan/device/launch/sequence_launch.cuh"
#include "src/baselines/partial_tile_io.cuh"
#include "src/baselines/register_tile.cuh"
#include "src/baselines/scratch.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace baselines {

/// Item `item` of `num_items` at `data`.
template <bool reversed, class U>
__host__ __device__ U* item_at(U* data, std::int64_t num_items, std::int64_t item) {
  return reversed ? data + (num_items - 1 - item) : data + item;
}

/// What is written where `before` is the fold of all that counts, or nothing does.
template <class Problem>
__device__ typename Problem::out_type output_of(const Problem& scan,
                                                const prefix<typename Problem::T>& before) {
  return scan.give(before.exists ? before.value : scan.first_output);
}

/// The sums of the parts; after their inclusive scan, the folds of all items up to a part's end.
template <class T, bool reversed>
struct part_sums {
  T* data;  // null where a kernel has none to read or to write
  std::int64_t num_parts;

  __device__ T& operator[](std::int64_t part) const {
    return *item_at<reversed>(data, num_parts, part);
  }
  /// The fold of all items before `part`, from scanned sums; absent for part 0.
  __device__ prefix<T> before(std::int64_t part) const {
    if (data == nullptr || part == 0) return {};
    return {(*this)[part - 1], true};
  }
};
template <class Problem>
using sums_of = part_sums<typename Problem::T, Problem::reversed>;

/// The shape in which a problem is cut into tiles: by its widest type.
template <class Problem>
struct tiled {
  static constexpr int element_bytes = static_cast<int>(
      std::max({sizeof(typename Problem::in_type), sizeof(typename Problem::out_type),
                sizeof(typename Problem::value_type), sizeof(typename Problem::T)}));
  static constexpr device::tuning tile = tile_tuning_for(element_bytes);
};

/// The tiles of part `blockIdx.x`, of parts of `part_tiles` tiles: [begin, end).
struct tile_range {
  std::int64_t begin, end;
  __device__ tile_range(std::int64_t num_items, int tile_items, std::int64_t part_tiles)
      : begin(blockIdx.x * part_tiles), end(begin + part_tiles) {
    const std::int64_t num_tiles = device::tiles_of(num_items, tile_items);
    if (end > num_tiles) end = num_tiles;
  }
};

/// Writes the sum of a part a block. Traffic: n.
template <class Tuned, class Problem>
__global__ void __launch_bounds__(Tuned::tile.threads_per_block, Tuned::tile.blocks_per_sm)
    reduce_parts(const __grid_constant__ Problem scan, std::int64_t part_tiles,
                 sums_of<Problem> sums) {
  __shared__ typename register_tile<Problem>::shared memory;
  const tile_range tiles(scan.num_items, Problem::tile_items, part_tiles);
  prefix<typename Problem::T> sum{};
  for (std::int64_t index = tiles.begin; index < tiles.end; ++index) {
    if (index > tiles.begin) __syncthreads();  // all have read the last tile's warp aggregates
    const register_tile<Problem> tile(scan, index, memory);
    sum = join(sum, {tile.aggregate(), true}, scan.op);
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = sum.value;
}

/// Scans a part a block, from what `prefixes`, the scanned sums, says precedes it (and init);
/// without them each part from its own first item on. Writes the folds of that and of the part to
/// `sums`, if given. Traffic: 2n.
template <class Tuned, class Problem>
__global__ void __launch_bounds__(Tuned::tile.threads_per_block, Tuned::tile.blocks_per_sm)
    scan_parts(const __grid_constant__ Problem scan, std::int64_t part_tiles,
               sums_of<Problem> prefixes, sums_of<Problem> sums) {
  __shared__ typename register_tile<Problem>::shared memory;
  const tile_range tiles(scan.num_items, Problem::tile_items, part_tiles);
  // Asked for here, used when the first tile is there: waiting for it would hold up the tile.
  const prefix<typename Problem::T> start = scan.start(), earlier = prefixes.before(blockIdx.x);
  if (blockIdx.x == 0 && threadIdx.x == 0) scan.write_start(start);
  prefix<typename Problem::T> before{};
  for (std::int64_t index = tiles.begin; index < tiles.end; ++index) {
    if (index > tiles.begin) __syncthreads();  // all have read the last tile's warp aggregates
    const register_tile<Problem> tile(scan, index, memory);
    if (index == tiles.begin) before = join(start, earlier, scan.op);
    tile.store(before);
    before = join(before, {tile.aggregate(), true}, scan.op);
  }
  if (sums.data != nullptr && threadIdx.x == 0) sums[blockIdx.x] = before.value;
}

/// For stripes of values and of results.
template <class Tuned, class Problem>
using fan_staging =
    device::stripe_staging<Problem::num_warps,
                           Tuned::tile.stripe_items() *
                               static_cast<int>(std::max(sizeof(typename Problem::T),
                                                         sizeof(typename Problem::out_type)))>;

/// Scans given scans of the parts alone, `local`, and `prefixes`: folds what precedes a part into
/// each of its results. A part is 2^part_bits items, whole vectors at least. The first result of a
/// part of an exclusive scan is that prefix itself: `local` has nothing there. `local` and the
/// output may be the same memory. Traffic: 2n.
template <class Tuned, class Problem>
__global__ void __launch_bounds__(Tuned::tile.threads_per_block, Tuned::tile.blocks_per_sm)
    fan(const __grid_constant__ Problem scan, const typename Problem::T* local, int part_bits,
        sums_of<Problem> prefixes) {
  using T = typename Problem::T;
  using io_local = partial_tile_io<T, Tuned, Problem::reversed>;
  __shared__ fan_staging<Tuned, Problem> stage;
  const std::int64_t first = std::int64_t{blockIdx.x} * Problem::tile_items;
  const int num_valid = scan.valid_items(first);
  const prefix<T> start = scan.start();
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    scan.write_start(start);
    scan.write_end(join(start, prefixes.before(prefixes.num_parts), scan.op));
  }

  const T* const boundary = Problem::reversed ? local + scan.num_items : local;
  typename io_local::part loaded;
  io_local::load(item_at<Problem::reversed>(local, scan.num_items, first), num_valid,
                 device::vector_aligned(boundary, Problem::vector_items), loaded, stage);
  prefix<T>
      earlier[Problem::stripes];  // asked for in one go: no store of a stripe holds up the next
#pragma unroll
  for (int stripe = 0; stripe < Problem::stripes; ++stripe) {
    const int item = io_local::first_item(stripe);
    if (item < num_valid) earlier[stripe] = prefixes.before((first + item) >> part_bits);
  }
#pragma unroll
  for (int stripe = 0; stripe < Problem::stripes; ++stripe) {
    const int num_left = num_valid - io_local::first_item(stripe);
    typename Problem::io_out::items results;
    if (num_left > 0) {
      const auto values = loaded.unpack(stripe);
      const std::int64_t item = first + io_local::first_item(stripe);
      const bool starts_part = (item & ((std::int64_t{1} << part_bits) - 1)) == 0;
      const prefix<T> before = join(start, earlier[stripe], scan.op);
#pragma unroll
      for (int i = 0; i < Problem::vector_items; ++i) {
        if (i >= num_left) break;
        prefix<T> result = before;
        if (i > 0 || !starts_part || !scan.exclusive) {
          // (As results they have been taken back to what elements are.)
          result = join(before, {masked_by(scan.op, values[i]), true}, scan.op);
        }
        results[i] = output_of(scan, result);
      }
    }
    Problem::io_out::store_stripe(scan.output(first), num_valid, scan.out_aligned, stripe,
                                  results.pack(), stage);
  }
}

/// `Problem` as the kernels above take it, with the tiles of `Problem`'s shape.
template <class Problem, class Tuned = tiled<Problem>>
using in_tiles = device::register_cut<Tuned, Problem, partial_tile_io>;

/// A block a part.
template <class Tuned>
device::grid blocks_of(std::int64_t num_parts) {
  return {num_parts, Tuned::tile.threads_per_block};
}

/// The sums' own scan: inclusive, in place, without init. For these the same problem again, so that
/// sums are scanned recursively with one set of kernels.
template <class Problem>
auto problem_of_sums(const Problem& scan, const sums_of<Problem>& sums) {
  using T = typename Problem::T;
  const auto op = unmasked(scan.op);  // sums are operands already
  using of_sums = problem<transform_input<T>, transform_output<T>, std::decay_t<decltype(op)>,
                          Problem::reversed>;
  return of_sums{{sums.data, {}}, {sums.data, {}}, sums.num_parts, op, false, {}, {}};
}

/// Scratch memory that is handed out piece by piece.
class scratch {
 public:
  explicit scratch(void* data) : next_(static_cast<char*>(data)) {}

  template <class T>
  T* take(std::int64_t count) {
    T* const piece = reinterpret_cast<T*>(next_);
    next_ += padded_bytes(count, sizeof(T));
    return piece;
  }

 private:
  char* next_;
};

}  // namespace baselines
}  // namespace SCAN_ABI
}  // namespace scan

#endif
