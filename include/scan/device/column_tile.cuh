// A tile of columns in shared memory, and the walks of threads over their rows of it.
#ifndef SCAN_DEVICE_COLUMN_TILE_CUH
#define SCAN_DEVICE_COLUMN_TILE_CUH

#include <algorithm>
#include <cstdint>

#include "scan/device/block_scan.cuh"
#include "scan/device/column_io.cuh"
#include "scan/device/column_problem.cuh"
#include "scan/protocol/prefix.hpp"

namespace scan::device {

/// Room for a tile of `count` elements, the first of which may begin anywhere in a granule.
template <class Element, int count>
struct staged_elements {
  static constexpr int granule_bytes = std::max(16, static_cast<int>(alignof(Element)));
  alignas(granule_bytes) unsigned char bytes[count * sizeof(Element) + granule_bytes];

  /// Where the first element has the place in a granule that it has in global memory.
  __device__ Element* first_as(const void* global) {
    const auto address = reinterpret_cast<std::uintptr_t>(global);
    return reinterpret_cast<Element*>(bytes + address % granule_bytes);
  }
};
struct nothing_staged {
  __device__ void* first_as(const void*) { return nullptr; }
};

/// `Problem` is a column_problem.
template <class Problem>
class column_tile {
 public:
  using T = typename Problem::T;
  using in_type = typename Problem::in_type;
  using out_type = typename Problem::out_type;
  static constexpr int num_inputs = Problem::num_inputs;
  static constexpr int tile_items = Problem::tuned.tile_items();
  /// Rows that are read from shared memory at once.
  static constexpr int step =
      std::max(1, std::min(Problem::tuned.step_rows, 64 / (num_inputs * Problem::sizes.in)));

  struct shared {
    staged_elements<in_type, tile_items> in[num_inputs];
    std::conditional_t<Problem::in_place, nothing_staged, staged_elements<out_type, tile_items>>
        out;
  };

  __device__ column_tile(const Problem& scan, const column_place& at, shared& memory)
      : scan_(scan), at_(at), memory_(memory) {}

  /// Brings the tile's elements; a barrier. All threads.
  __device__ void load() const {
#pragma unroll 1
    for (int i = 0; i < num_inputs; ++i) {
      copy_tile<load_lines>(scan_, at_, scan_.input(i), scan_.shape.in_pitch, staged(i));
    }
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
  }
  /// After a barrier that follows scan(). All threads.
  __device__ void store() const {
    copy_tile<store_lines>(scan_, at_, scan_.out.data, scan_.shape.out_pitch, results());
  }

  /// The fold of the rows of `part`, which has any.
  __device__ T fold(const column_part& part) const {
    auto op = scan_.op;
    const rows walk(*this, part);
    T value = walk.take(0);
    int i = 1;
    for (; i + step <= part.count; i += step) {
      typename rows::elements read[step];
#pragma unroll
      for (int j = 0; j < step; ++j) read[j] = walk.read(i + j);
#pragma unroll
      for (int j = 0; j < step; ++j) value = op(value, scan_.take_all(read[j].of));
    }
#pragma unroll 1
    for (; i < part.count; ++i) value = op(value, walk.take(i));
    return value;
  }

  /// Puts the results of the rows of `part`, which has any, in place; returns the fold of `before`
  /// and of them.
  __device__ T scan(const column_part& part, const prefix<T>& before) const {
    auto op = scan_.op;
    const rows walk(*this, part);
    T running = walk.take(0);
    T earlier = scan_.first_output;
    if (before.exists) {
      earlier = before.value;
      running = op(before.value, running);
    }
    if (scan_.exclusive) {
      walk.write(0, earlier);
    } else {
      walk.write(0, running);
    }
    const auto advance = [&](int i, const T& item) {
      if (scan_.exclusive) walk.write(i, running);
      running = op(running, item);
      if (!scan_.exclusive) walk.write(i, running);
    };
    int i = 1;
    for (; i + step <= part.count; i += step) {
      typename rows::elements read[step];
#pragma unroll
      for (int j = 0; j < step; ++j) read[j] = walk.read(i + j);
#pragma unroll
      for (int j = 0; j < step; ++j) advance(i + j, scan_.take_all(read[j].of));
    }
#pragma unroll 1
    for (; i < part.count; ++i) advance(i, walk.take(i));
    return running;
  }

 private:
  /// Where the tile's first element is in shared memory.
  __device__ in_type* staged(int input) const {
    return memory_.in[input].first_as(scan_.input(input) + at_.slab * scan_.shape.in_pitch + row());
  }
  __device__ out_type* results() const {
    if constexpr (Problem::in_place) {
      return reinterpret_cast<out_type*>(staged(0));
    } else {
      return memory_.out.first_as(scan_.out.data + at_.slab * scan_.shape.out_pitch + row());
    }
  }
  __device__ std::int64_t row() const { return at_.first_row * scan_.shape.inner + at_.column; }

  /// The elements of a part in scan order.
  struct rows {
    struct elements {
      in_type of[num_inputs];
    };
    const Problem& scan;
    const in_type* in[num_inputs];
    out_type* out;
    int stride;

    __device__ rows(const column_tile& tile, const column_part& part) : scan(tile.scan_) {
      const int width = scan.cut.width;
      const int row = Problem::reversed ? tile.at_.rows - 1 - part.first : part.first;
      const int first = part.slab * scan.cut.slab_stride + row * width + part.column;
#pragma unroll
      for (int k = 0; k < num_inputs; ++k) in[k] = tile.staged(k) + first;
      out = tile.results() + first;
      stride = Problem::reversed ? -width : width;
    }
    __device__ elements read(int i) const {
      elements result;
#pragma unroll
      for (int k = 0; k < num_inputs; ++k) result.of[k] = in[k][i * stride];
      return result;
    }
    __device__ T take(int i) const { return scan.take_all(read(i).of); }
    __device__ void write(int i, const T& result) const { out[i * stride] = scan.give(result); }
  };

  const Problem& scan_;
  const column_place& at_;
  shared& memory_;
};

}  // namespace scan::device

#endif
