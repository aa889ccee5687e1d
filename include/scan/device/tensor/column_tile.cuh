// A tile of columns in shared memory, and the walks of threads over their rows of it.
#ifndef SCAN_DEVICE_TENSOR_COLUMN_TILE_CUH
#define SCAN_DEVICE_TENSOR_COLUMN_TILE_CUH

#include <algorithm>
#include <cstdint>
#include <utility>

#include "scan/device/fold/block_scan.cuh"
#include "scan/device/move/column_io.cuh"
#include "scan/device/tensor/column_cut.cuh"
#include "scan/protocol/prefix.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// Where a tile's elements are in shared memory: granules, of which the first element has the place
/// in one that it has in global memory.
struct column_memory {
  unsigned char* in;
  int input_stride;    // from input to input, in bytes
  unsigned char* out;  // where results do not take the place of the first input's elements
};

/// `Problem` is a column_cut.
template <class Problem>
class column_tile {
 public:
  using T = typename Problem::T;
  using in_type = typename Problem::in_type;
  using out_type = typename Problem::out_type;
  static constexpr int num_inputs = Problem::num_inputs;
  /// What an item is to the operator.
  using taken =
      decltype(std::declval<Problem>().take_all(std::declval<const in_type (&)[num_inputs]>()));
  /// Rows that are read from shared memory at once.
  static constexpr int step =
      std::max(1, std::min(Problem::tuned.step_rows, 64 / (num_inputs * Problem::sizes.in)));

  __device__ column_tile(const Problem& scan, const column_place& at, const column_memory& memory)
      : scan_(scan), at_(at), memory_(memory) {}

  /// What of the tile comes from where, and goes where.
  __device__ tile_lines input_lines(int input) const {
    return lines_of(scan_, at_, scan_.input(input), scan_.shape.in_pitch, staged(input),
                    scan_.in_strides);
  }
  __device__ tile_lines output_lines() const {
    return lines_of(scan_, at_, scan_.out.data, scan_.shape.out_pitch, results(),
                    scan_.out_strides);
  }
  /// Starts to bring the tile's elements. All threads.
  __device__ void load() const {
#pragma unroll 1
    for (int i = 0; i < num_inputs; ++i)
      copy_lines<load_lines, in_type, Problem::threads>(input_lines(i));
  }
  /// After a barrier that follows scan(). All threads.
  __device__ void store() const {
    if (scan_.stores_directly) return;
    copy_lines<store_lines, out_type, Problem::threads>(output_lines());
  }

  /// The fold of the rows of `part`, which has any.
  __device__ T fold(const column_part& part) const {
    auto op = scan_.op;
    const rows walk(*this, part);
    const bool is_first = at_.tile == 0 && part.first == 0 && !scan_.has_init();
    T value = run_of<T>(walk.take(0), is_first);
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

  /// Scans all columns of a tile of one group, whose sequences start with `start` and write nothing
  /// but their results. All threads; several columns each at once, so that these need not wait for
  /// each other's elements.
  __device__ void scan_columns(const prefix<T>& start) const {
    constexpr int at_once = num_inputs * Problem::sizes.value <= 8 ? 4 : 2;
    const int all = at_.slabs * scan_.cut.width;
    for (int i = static_cast<int>(threadIdx.x); i < all; i += at_once * Problem::threads) {
      scan_several<at_once>(i, all, start);
    }
  }

  /// Puts the results of the rows of `part`, which has any, in place; returns the fold of `before`
  /// and of them.
  __device__ T scan(const column_part& part, const prefix<T>& before) const {
    auto op = scan_.op;
    const rows walk(*this, part);
    const T earlier = before.exists ? before.value : scan_.first_output;
    T running = extend(before, walk.take(0), op).value;
    if (scan_.exclusive) {
      walk.write(0, earlier);
    } else {
      walk.write(0, running);
    }
    const auto advance = [&](int i, const auto& item) {
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
  /// Columns `number`, and as many more as threads away each.
  template <int count>
  __device__ void scan_several(int number, int all, const prefix<T>& start) const {
    auto op = scan_.op;
    bool inside[count];
    int in_place[count];
    place_type out_place[count];
    const int last = scan_.backwards ? at_.rows - 1 : 0;
#pragma unroll
    for (int j = 0; j < count; ++j) {
      const int own = number + j * Problem::threads;
      const int slab = scan_.per_width.quotient(own), column = own - slab * scan_.cut.width;
      inside[j] = own < all && slab < at_.slabs && column < at_.width;
      in_place[j] = slab * scan_.in_strides.slab + last * scan_.in_strides.row + column;
      out_place[j] = slab * result_slab_stride() + last * result_row_stride() + column;
    }
    const int in_step = scan_.backwards ? -scan_.in_strides.row : scan_.in_strides.row;
    const place_type out_step = scan_.backwards ? -result_row_stride() : result_row_stride();
    const in_type* in[num_inputs];
#pragma unroll
    for (int k = 0; k < num_inputs; ++k) in[k] = staged(k);
    out_type* out = first_result();
    T running[count];
#pragma unroll 1
    for (int i = 0; i < at_.rows; ++i) {
      taken item[count];
#pragma unroll
      for (int j = 0; j < count; ++j) {
        if (!inside[j]) continue;
        in_type element[num_inputs];
#pragma unroll
        for (int k = 0; k < num_inputs; ++k) element[k] = in[k][in_place[j]];
        item[j] = scan_.take_all(element);
      }
#pragma unroll
      for (int j = 0; j < count; ++j) {
        if (!inside[j]) continue;
        const prefix<T> before = i > 0 ? prefix<T>{running[j], true} : start;
        const T result = extend(before, item[j], op).value;
        T shown = result;
        if (scan_.exclusive)
          shown = i > 0 ? running[j] : start.exists ? start.value : scan_.first_output;
        running[j] = result;
        out[out_place[j]] = scan_.give(shown);
      }
#pragma unroll
      for (int k = 0; k < num_inputs; ++k) in[k] += in_step;
      out += out_step;
    }
  }

  /// Where the tile's first element is in shared memory.
  __device__ in_type* staged(int input) const {
    return placed(memory_.in + input * memory_.input_stride,
                  scan_.input(input) + at_.slab * scan_.shape.in_pitch + row());
  }
  __device__ out_type* results() const {
    if constexpr (Problem::in_place) {
      return reinterpret_cast<out_type*>(staged(0));
    } else {
      return placed(memory_.out, scan_.out.data + at_.slab * scan_.shape.out_pitch + row());
    }
  }
  template <class Element>
  __device__ static Element* placed(unsigned char* granules, const Element* global) {
    constexpr int granule_bytes = alignof(Element) > 16 ? alignof(Element) : 16;
    // (Where results take the place of items that are aligned to less, it has to be aligned to
    // more.)
    constexpr int least = Problem::in_place ? Problem::alignment : 1;
    const auto address = reinterpret_cast<std::uintptr_t>(global);
    return reinterpret_cast<Element*>(granules + address % granule_bytes / least * least);
  }
  /// From row to row of results, and their first, wherever they are put.
  using place_type = std::conditional_t<Problem::in_place, int, std::int64_t>;
  __device__ out_type* first_result() const {
    if (!Problem::in_place && scan_.stores_directly) {
      return scan_.out.data + at_.slab * scan_.shape.out_pitch + row();
    }
    return results();
  }
  __device__ place_type result_row_stride() const {
    if constexpr (Problem::in_place) return scan_.in_strides.row;
    if (scan_.stores_directly) return static_cast<place_type>(scan_.shape.inner);
    return scan_.out_strides.row;
  }
  __device__ place_type result_slab_stride() const {
    if constexpr (Problem::in_place) return scan_.in_strides.slab;
    if (scan_.stores_directly) return static_cast<place_type>(scan_.shape.out_pitch);
    return scan_.out_strides.slab;
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
    place_type out_stride;

    __device__ rows(const column_tile& tile, const column_part& part) : scan(tile.scan_) {
      const int row = scan.backwards ? tile.at_.rows - 1 - part.first : part.first;
      const int in_first =
          part.slab * scan.in_strides.slab + row * scan.in_strides.row + part.column;
#pragma unroll
      for (int k = 0; k < num_inputs; ++k) in[k] = tile.staged(k) + in_first;
      stride = scan.in_strides.row;
      out_stride = tile.result_row_stride();
      if constexpr (Problem::in_place) {  // one address for both
        out = const_cast<out_type*>(reinterpret_cast<const out_type*>(in[0]));
      } else {
        out = tile.first_result() + part.slab * tile.result_slab_stride() + row * out_stride +
              part.column;
      }
      if (scan.backwards) {
        stride = -stride;
        out_stride = -out_stride;
      }
    }
    __device__ elements read(int i) const {
      elements result;
#pragma unroll
      for (int k = 0; k < num_inputs; ++k) result.of[k] = in[k][i * stride];
      return result;
    }
    __device__ auto take(int i) const { return scan.take_all(read(i).of); }
    __device__ void write(int i, const T& result) const { out[i * out_stride] = scan.give(result); }
  };

  const Problem& scan_;
  const column_place& at_;
  const column_memory memory_;
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
