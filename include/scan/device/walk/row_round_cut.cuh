// The rows of a tensor in rounds, and where a warp's part of a row lies in memory.
#ifndef SCAN_DEVICE_WALK_ROW_ROUND_CUT_CUH
#define SCAN_DEVICE_WALK_ROW_ROUND_CUT_CUH

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "scan/call/tensor_problem.hpp"
#include "scan/device/fold/items.cuh"
#include "scan/device/fold/warp.cuh"
#include "scan/device/move/chunk_io.cuh"
#include "scan/device/move/row_arrays.cuh"
#include "scan/device/move/small_divisor.cuh"
#include "scan/device/plan/round_plan.hpp"
#include "scan/device/walk/walk_vectors.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// A warp's items of a row: `count` from `first` on.
struct row_chunk {
  std::int64_t first;
  int count;

  /// Where they are in an array of the row, of `length`, from `data` on, and in a slot for `room`;
  /// of items that are read `beside` these those that there are.
  template <bool reversed, int room, class U>
  __device__ auto in(U* data, std::int64_t length, int beside = 0) const {
    constexpr int size = static_cast<int>(sizeof(U));
    const std::int64_t begin = first + beside;
    const int missing = beside < 0 && begin < 0 ? static_cast<int>(-begin) : 0;
    const std::int64_t left = length - begin;
    const int there = (beside > 0 && left < count ? static_cast<int>(left) : count) - missing;
    const std::int64_t at = reversed ? left - missing - there : begin + missing;
    const int offset = reversed ? room - missing - there : missing;
    auto* const parts = parts_at(data + at);
    return chunk<std::remove_pointer_t<decltype(parts)>>{parts, there * size, offset * size};
  }
};

/// Of a row's tile the chunk of warp `warp`; of rows there may be none.
struct round_place {
  std::int64_t row, tile;
  int warp;
};

/// The rows; `Tensor` is a tensor_problem with inner = 1. `looks_back_`: rows may be several tiles;
/// else each is one.
template <class Tensor, int run_, bool looks_back_>
struct row_round_cut : Tensor {
  using Tensor::num_inputs;
  using Tensor::num_outputs;
  using typename Tensor::in_type;
  using typename Tensor::out_type;
  using typename Tensor::T;
  static constexpr int element_bytes = walked_bytes<Tensor>;
  static constexpr int vector_items = vector_items_for(element_bytes);
  static constexpr int run = run_;  // vectors of a lane, which follow each other
  static constexpr int chunk_items = warp_size * run * vector_items;
  static constexpr bool looks_back = looks_back_;
  static constexpr int most_warps =
      run == most_round_run(num_inputs) ? most_round_warps(element_bytes) : round_block_warps;
  static constexpr int most_threads = most_warps * warp_size;
  static constexpr int blocks_per_sm = round_blocks_per_sm(most_warps, looks_back);
  /// (They have room for a line, so copies come in where lines put them.)
  using in_slot = chunk_slot<chunk_items* static_cast<int>(sizeof(in_type)), copied_line>;
  static_assert(sizeof(in_slot) >= in_slot::most_bytes + copied_line);
  using out_slot = chunk_slot<chunk_items* static_cast<int>(sizeof(out_type)), copied_line>;
  /// Results take the items' place where they are as wide.
  static constexpr bool in_place = sizeof(in_type) == sizeof(out_type);
  /// A warp's slots.
  static constexpr std::size_t warp_bytes =
      num_inputs * sizeof(in_slot) + (in_place ? 0 : num_outputs * sizeof(out_slot));

  __device__ static in_slot& in_slot_of(unsigned char* slots, int which) {
    return reinterpret_cast<in_slot*>(slots)[which];
  }
  __device__ static out_slot& out_slot_of(unsigned char* slots, int which) {
    constexpr std::size_t before = in_place ? 0 : num_inputs * sizeof(in_slot);
    return reinterpret_cast<out_slot*>(slots + before)[which];
  }

  round_plan plan;
  small_divisor row_warps;
  int block_rows;
  std::int64_t span_bytes;  // of an array that is read
  bool are_whole;           // granules
  bool reads_around;        // rows between others lie a granule and more within the array

  row_round_cut(const Tensor& scan, const round_plan& plan, int rows)
      : Tensor(scan),
        plan(plan),
        row_warps(plan.warps),
        block_rows(rows),
        span_bytes(span() * static_cast<std::int64_t>(sizeof(in_type))),
        are_whole(rows_are_whole(scan)),
        reads_around(scan.shape.in_pitch * static_cast<std::int64_t>(sizeof(in_type)) >= granule) {}

  /// (Not where what lies beside items is read, too.)
  __device__ bool lie_whole() const { return num_outputs == 1 && are_whole; }
  /// Whose the calling warp of block `index`, or of who has claimed that tile, is.
  __device__ round_place place_of(std::int64_t index) const {
    const int warp_of_block = uniform_warp_index();
    const int nth = row_warps.quotient(warp_of_block), warp = warp_of_block - nth * plan.warps;
    if (!looks_back || plan.tiles_per_row == 1) return {index * block_rows + nth, 0, warp};
    const std::int64_t row = tile_quotient(index, plan.tiles_per_row);
    return {row, index - row * plan.tiles_per_row, warp};
  }
  __device__ row_chunk chunk_of(const round_place& place) const {
    if constexpr (!looks_back) {
      const int first = place.warp * chunk_items;
      const int left = static_cast<int>(this->shape.length) - first;
      return {first, place.row < this->shape.outer ? min(max(left, 0), chunk_items) : 0};
    }
    const std::int64_t first = (place.tile * plan.warps + place.warp) * chunk_items;
    const int count = valid_of(this->shape.length - first, chunk_items);
    return {first, place.row < this->shape.outer ? max(count, 0) : 0};
  }
  /// The row itself; where there is none, the first.
  __device__ auto row_of(const round_place& place) const {
    return this->sequence(place.row < this->shape.outer ? place.row : 0, 0);
  }
  /// Where the chunk's items of an input are, and its results.
  template <class Row>
  __device__ auto items_of(const Row& row, const row_chunk& chunk, int which) const {
    return chunk.template in<Tensor::reversed, chunk_items>(row.input(which), this->shape.length,
                                                            Tensor::beside(which));
  }
  template <class Row>
  __device__ auto results_of(const Row& row, const row_chunk& chunk, int which) const {
    return chunk.template in<Tensor::reversed, chunk_items>(row.output(which), this->shape.length);
  }
  /// What an array's rows lie within.
  SCAN_HOST_DEVICE std::int64_t span() const {
    return (this->shape.outer - 1) * this->shape.in_pitch + this->shape.length;
  }
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
