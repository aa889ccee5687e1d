// A scan as the ring kernel takes it: which chunks its tiles are made of.
#ifndef SCAN_DEVICE_SEQUENCE_RING_CUT_CUH
#define SCAN_DEVICE_SEQUENCE_RING_CUT_CUH

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "scan/call/problem.hpp"
#include "scan/device/fold/items.cuh"
#include "scan/device/fold/thread_runs.cuh"
#include "scan/device/move/chunk_io.cuh"
#include "scan/device/move/small_divisor.cuh"
#include "scan/device/plan/sequence_plan.hpp"
#include "scan/device/plan/tuning.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// Where in the rounds through a ring's stages a role is.
struct ring_position {
  int stage = 0;
  unsigned parity = 0;

  __device__ void advance(int num_stages) {
    if (++stage == num_stages) {
      stage = 0;
      parity ^= 1;
    }
  }
};

/// What stages, and blocks, hold of heads where there are none.
struct without_heads {
  __device__ void initialise() const {}
  __device__ no_heads of_chunk(int) const { return {}; }
};
/// What the ring kernel asks of a scan without segments, of which there is more to it: see
/// segment_ring.
struct without_segments {
  static constexpr int head_warps = 0;
  static constexpr bool heads_change_items = false;
  /// Whether a tile is one copy, where granules allow that.
  static constexpr bool packs_tiles = true;
  __device__ static constexpr bool has_inits_in_items() { return false; }
  using stage_heads = without_heads;
  using heads_shared = without_heads;
  static constexpr std::size_t heads_bytes() { return 0; }
  __device__ void initialise(without_heads&) const {}
  __device__ void ask_for_heads(without_heads&, int) const {}
  template <class Block>
  __device__ void find_heads(const Block&, without_heads&, int) const {}
};

/// One scan in tiles of the ring. Item numbers are those of `problem`.
template <class Tuned, class Problem>
struct ring_cut : Problem, without_segments {
  using typename Problem::in_type;
  using typename Problem::out_type;
  using typename Problem::T;
  static constexpr ring_tuning ring = Tuned::ring;
  static constexpr int element_bytes = Tuned::element_bytes;
  static constexpr int run_items = ring.run_items();
  static constexpr int warp_items = ring.warp_items();
  static constexpr int tile_items = ring.tile_items();
  static constexpr bool one_slot = sizeof(in_type) == sizeof(out_type);  // results replace items
  using in_slot = chunk_slot<warp_items* static_cast<int>(sizeof(in_type)), copied_line>;
  /// In a stage, from a chunk of one array that is read to that of the next.
  static constexpr int slots_apart = ring.scan_warps * static_cast<int>(sizeof(in_slot));

  static constexpr int look_batches =
      ring_look_batches(Problem::is_recurrence, Problem::has_heads, sizeof(T));
  static constexpr bool has_rows = false;
  using row = ring_cut;  // what the kernel scans one after another
  using runs = thread_runs<ring_cut>;
  SCAN_HOST_DEVICE static constexpr int threads_per_block() { return ring.threads_per_block(); }

  std::int64_t num_tiles;

  __host__ __device__ explicit ring_cut(const Problem& scan)
      : Problem(scan), num_tiles(tiles_of(scan.num_items, tile_items)) {}

  /// A tile, and the sequence that it is in; `first`: that sequence's first tile.
  struct place {
    const ring_cut& scan;
    std::int64_t tile, first;
  };
  __device__ place tile_at(std::int64_t tile) const { return {*this, tile, 0}; }
  __device__ const ring_cut& resolved() const { return *this; }

  /// Items of the `most` from item `first` on, which begin in a tile with items: maybe none.
  __device__ int valid_items(std::int64_t first, int most) const {
    return max(valid_of(this->num_items - first, most), 0);
  }

  /// Whether chunks meet where granules do: then none has more of them than its own.
  __device__ bool is_packed() const {
    std::uintptr_t begins = 0;
#pragma unroll
    for (int which = 0; which < Problem::num_inputs; ++which) {
      const auto* const data = this->input(which);
      begins |= reinterpret_cast<std::uintptr_t>(Problem::reversed ? data + this->num_items : data);
    }
    return begins % granule == 0;
  }
  /// Where in memory a tile without missing items begins, of which `first` is the first in order.
  __device__ const in_type* whole_tile(int which, std::int64_t first) const {
    const auto begin = Problem::reversed ? this->num_items - first - tile_items : first;
    return this->input(which) + begin;
  }
  /// The chunk that starts at item `first`, of the input or the output, in parts of elements.
  template <class U>
  __device__ auto chunk_of(U* data, std::int64_t first) const {
    constexpr int size = static_cast<int>(sizeof(U));
    const int num_valid = valid_items(first, warp_items);
    const int offset = Problem::reversed ? (warp_items - num_valid) * size : 0;
    auto* const begin =
        parts_at(data + (Problem::reversed ? this->num_items - first - num_valid : first));
    return chunk<std::remove_pointer_t<decltype(parts_at(data))>>{begin, num_valid * size, offset};
  }
};

/// The rows of a tensor, one after another; `Tensor` is a tensor_problem with inner = 1.
template <class Tuned, class Tensor>
struct ring_rows : Tensor, without_segments {
  using row = ring_cut<Tuned, typename Tensor::Problem>;
  using in_type = typename row::in_type;
  using out_type = typename row::out_type;
  using T = typename row::T;
  static constexpr ring_tuning ring = row::ring;
  static constexpr int run_items = row::run_items, warp_items = row::warp_items;
  static constexpr int tile_items = row::tile_items;
  static constexpr bool one_slot = row::one_slot, has_rows = true;
  using in_slot = typename row::in_slot;
  static constexpr int look_batches = row::look_batches;
  using runs = typename row::runs;
  SCAN_HOST_DEVICE static constexpr int threads_per_block() { return ring.threads_per_block(); }
  __device__ const ring_rows& resolved() const { return *this; }
  /// Of all rows.
  __device__ bool is_packed() const {
    constexpr std::int64_t bytes = sizeof(in_type);
    const std::int64_t apart = this->shape.outer > 1 ? this->shape.in_pitch * bytes : 0;
    return row(this->sequence(0, 0)).is_packed() && apart % granule == 0;
  }

  std::int64_t tiles_per_row, num_tiles;

  explicit ring_rows(const Tensor& scan)
      : Tensor(scan),
        tiles_per_row(tiles_of(scan.num_items, tile_items)),
        num_tiles(tiles_per_row * scan.shape.outer) {}

  struct place {
    row scan;
    std::int64_t tile, first;
  };
  __device__ place tile_at(std::int64_t tile) const {
    const std::int64_t index = tile_quotient(tile, tiles_per_row), first = index * tiles_per_row;
    return {row(this->sequence(index, 0)), tile - first, first};
  }
};

/// Whether the ring kernel takes a problem's types.
template <class Problem>
inline constexpr bool in_ring = in_arrays<Problem>&& ring_takes(sizeof(typename Problem::in_type),
                                                                sizeof(typename Problem::out_type),
                                                                sizeof(typename Problem::T));

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
