// What device code is written in, for the few device headers that the explorer runs as they stand:
// blocks of one warp of `block_threads` threads, which are workers of the explorer side by side. In
// place of headers that hold much else there are the names of theirs that are wanted here, with
// batches and spans so small that a few tiles fill several.
#ifndef SCAN_TESTS_EXPLORER_DEVICE_WORDS_HPP
#define SCAN_TESTS_EXPLORER_DEVICE_WORDS_HPP

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "scan/device/plan/tuning.hpp"
#include "scan/protocol/prefix.hpp"
#include "scan/protocol/tile_states.hpp"
#include "tests/protocol/explorer/explore.hpp"

#define __device__
using std::max;
using std::min;

namespace explorer {

inline int block_threads = 1;
inline int thread_of_block() { return running->worker_running() % block_threads; }
inline int slot_of_block() { return running->worker_running() / block_threads; }

struct thread_number {
  operator unsigned() const { return static_cast<unsigned>(thread_of_block()); }
};
struct thread_count {
  operator unsigned() const { return static_cast<unsigned>(block_threads); }
};

}  // namespace explorer

inline const struct { explorer::thread_number x; } threadIdx;
inline const struct { explorer::thread_count x; } blockDim;

inline void __syncthreads() {
  explorer::running->barrier(explorer::slot_of_block(), explorer::block_threads);
}
inline void __syncwarp() { __syncthreads(); }
inline void __nanosleep(unsigned) { explorer::running->look_again(); }
/// Of blocks of one thread.
inline bool __all_sync(unsigned, bool ready) { return ready; }

#define SCAN_DEVICE_FOLD_WARP_CUH
#define SCAN_DEVICE_FOLD_BLOCK_SCAN_CUH
#define SCAN_DEVICE_FOLD_NAMED_BARRIER_CUH
#define SCAN_DEVICE_PLAN_COLUMN_RING_PLAN_HPP
#define SCAN_DEVICE_PLAN_STRIP_PLAN_HPP
#define SCAN_DEVICE_TENSOR_COLUMN_CUT_CUH
#define SCAN_DEVICE_TENSOR_ROW_CUT_CUH
namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

// ---- warp.cuh, block_scan.cuh ----
inline constexpr int warp_size = 2;
inline constexpr unsigned all_lanes = 0x3;
inline int lane_index() { return explorer::thread_of_block(); }
inline int warp_index() { return 0; }

template <class T, int count>
struct shared_array {
  std::array<T, count> values;
  T& operator[](int i) { return values[static_cast<std::size_t>(i)]; }
  const T& operator[](int i) const { return values[static_cast<std::size_t>(i)]; }
};

template <class T>
T shuffle(const T& value, int source) {
  static std::array<std::array<T, warp_size>, explorer::most_threads> given;
  auto& mine = given[static_cast<std::size_t>(explorer::slot_of_block())];
  mine[static_cast<std::size_t>(lane_index())] = value;
  __syncwarp();
  const T result = mine[static_cast<std::size_t>(source)];
  __syncwarp();
  return result;
}
template <class T, class Op>
T warp_inclusive_scan(T value, int num_valid, Op op) {
  const T first = shuffle(value, 0);
  return lane_index() == 1 && num_valid > 1 ? op(first, value) : value;
}

template <int number>
struct named_barrier {
  int num_threads;
  void meet() const { __syncthreads(); }
};

// ---- column_ring_plan.hpp ----
inline constexpr int most_ring_columns = 1, column_ring_batch = 2, most_column_batches = 2;

// ---- strip_plan.hpp ----
inline constexpr int strip_batch = 2;
inline std::int64_t strip_batches(std::int64_t num_tiles) { return (num_tiles - 1) / strip_batch; }

// ---- column_plan.hpp, column_cut.cuh ----
inline constexpr int column_batch_tiles = 2, span_batches = 2;
inline constexpr int most_column_looks = (column_batch_tiles - 1) + (2 * span_batches - 1) + 1;
struct column_plan {
  int width, groups;
  std::int64_t tiles;
  std::int64_t followed() const { return tiles - 1; }
  std::int64_t batches() const { return followed() / column_batch_tiles; }
  std::int64_t spans() const { return batches() / span_batches; }
  int state_width(int) const { return width; }
  std::int64_t strip_states(int) const { return (followed() + batches() + spans()) * width; }
};
struct column_place {
  unsigned strip, tile;
  int width;
};
struct column_part {
  int group, column, count;
};

// ---- row_plan.hpp, row_cut.cuh ----
inline constexpr int row_batch_tiles = 4;
struct row_group {
  std::int64_t first_row;
  int first_tile, count;
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#include "scan/device/tensor/column_prefix.cuh"
#include "scan/device/tensor/column_ring_looks.cuh"
#include "scan/device/tensor/row_look_back.cuh"
#include "scan/device/tensor/strip_looks.cuh"

#endif
