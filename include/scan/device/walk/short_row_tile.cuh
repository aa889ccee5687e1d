// Short rows that lie anywhere: a warp has a stretch of them in shared memory, and meets no other.
// Each is a lane's; but rows of whole vectors, of which lanes would meet in the same banks, few
// rows of many vectors (is_lanes_row), and some of more than 32 are scanned as those of
// short_row_walk.cuh.
#ifndef SCAN_DEVICE_WALK_SHORT_ROW_TILE_CUH
#define SCAN_DEVICE_WALK_SHORT_ROW_TILE_CUH

#include <algorithm>
#include <cstdint>

#include "scan/device/launch/dependent_launch.cuh"
#include "scan/device/move/chunk_io.cuh"
#include "scan/device/move/row_stretch.cuh"
#include "scan/device/walk/short_row_lanes.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

template <class Tensor>
struct short_row_tile_cut : short_row_cut<Tensor, false> {
  using base = short_row_cut<Tensor, false>;
  using typename base::in_type;
  using typename base::out_type;
  using typename base::T;
  static constexpr int in_item = sizeof(in_type), out_item = sizeof(out_type);
  /// Vectors of which a lane has as much as of two others, and registers for; two results take more
  /// of these, too.
  static constexpr bool long_vectors = Tensor::is_recurrence && base::vector_items > 4;
  static constexpr int blocks_of_small = (long_vectors ? 3 : 4) - (Tensor::num_outputs > 1 ? 1 : 0);
  static constexpr int blocks_per_sm = sizeof(T) > 16 ? 1 : sizeof(T) > 8 ? 2 : blocks_of_small;

  stretch_layout in_rows, out_rows;
  bool by_lanes;             // a row is a lane's
  int lanes;                 // that have rows at the same time
  bool in_place;             // results take the place of what they are made of
  int in_bytes, out_bytes;   // of shared memory: an array's
  int lines_at, warp_bytes;  // where in it lanes' lines are, and how much it is

  short_row_tile_cut(const Tensor& scan, bool extra_output, int sm_count)
      : base(scan, extra_output),
        in_rows(scan.shape.in_pitch * in_item, scan.shape.length * in_item, scan.shape.outer),
        out_rows(scan.shape.out_pitch * out_item,
                 (scan.shape.length + (extra_output ? 1 : 0)) * out_item, scan.shape.outer),
        by_lanes(this->rest_items > 0 && this->row_vectors <= (out_rows.has_gaps ? 16 : 32) &&
                 is_lanes_row(scan.shape.outer / (long_vectors ? 2 : 1),
                              this->row_vectors * (long_vectors ? 2 : 1), Tensor::is_recurrence,
                              sm_count)),
        in_place(by_lanes && in_rows.stride == out_rows.stride &&
                 in_rows.has_gaps == out_rows.has_gaps) {
    for (int i = 0; i < Tensor::num_outputs; ++i) {
      in_place =
          in_place && (address(scan.input(taken_by(i))) - address(scan.output(i))) % granule == 0;
    }
    const int line_bytes =
        by_lanes ? short_row_lines(this->row_vectors) * static_cast<int>(sizeof(T)) : 0;
    const int row_bytes = Tensor::num_inputs * in_rows.stride +
                          (in_place ? 0 : Tensor::num_outputs * out_rows.stride);
    const std::int64_t most = stretch_bytes / std::max(in_rows.stride, out_rows.stride);
    const std::int64_t fair = scan.shape.outer / (16 * sm_count);
    lanes = by_lanes ? warp_size : 1;
    int rows = std::max(static_cast<int>(std::min(most, fair)) / lanes, 1) * lanes;
    while (lanes > 8 && (lanes * (row_bytes + line_bytes) > most_stretch_bytes ||
                         scan.shape.outer < lanes * sm_count)) {
      rows = lanes /= 2;
    }
    in_bytes = whole_lines(in_rows.room(rows) + copied_line);
    out_bytes = in_place ? 0 : out_rows.room(rows);
    lines_at = Tensor::num_inputs * in_bytes + Tensor::num_outputs * out_bytes;
    const int folds = by_lanes ? lanes * line_bytes : rows * static_cast<int>(sizeof(T));
    warp_bytes = whole_lines(lines_at + folds);
    // (With as many warps as without room for lines.)
    const int others = std::max(warp_bytes - (Tensor::num_inputs + 1) * copied_line, granule);
    this->deal_out(rows, std::clamp(stretch_block_bytes / others, 1, 8), sm_count);
  }
  /// The input whose place an output takes, which nobody reads behind the step that writes there.
  SCAN_HOST_DEVICE static constexpr int taken_by(int which) {
    return which == 0 ? 0 : Tensor::num_inputs - 1;
  }

 private:
  static std::uintptr_t address(const void* data) { return reinterpret_cast<std::uintptr_t>(data); }
  static int whole_lines(int bytes) {
    return (bytes + copied_line - 1) / copied_line * copied_line;
  }
};

/// `Cut` is a short_row_tile_cut.
template <class Cut>
class short_row_tile {
  using T = typename Cut::T;
  using in_type = typename Cut::in_type;
  using out_type = typename Cut::out_type;
  using byte = unsigned char;
  static constexpr int num_inputs = Cut::num_inputs, num_outputs = Cut::num_outputs;
  static constexpr int vector_items = Cut::vector_items;
  // (Before a row's first element, which is read of an input beside its own, is another input.)
  static_assert(Cut::beside(0) == 0);
  using vectors = walk_vectors<Cut, vector_items>;

 public:
  __device__ short_row_tile(const Cut& scan, byte* memory, std::int64_t first_row)
      : scan_(scan),
        memory_(memory),
        first_row_(first_row),
        num_rows_(valid_of(scan.shape.outer - first_row, scan.rows)) {
#pragma unroll
    for (int i = 0; i < num_inputs; ++i) from_[i] = in(i).row(0);
#pragma unroll
    for (int i = 0; i < num_outputs; ++i) to_[i] = out(i).row(0);
  }

  __device__ void load() const {
    // Of tiny rows those beside the first, or the last, stretch may be no granule away from the
    // end.
    const std::int64_t others = min(first_row_, scan_.shape.outer - first_row_ - num_rows_);
    const bool at_end = others * scan_.shape.in_pitch * Cut::in_item < granule;
#pragma unroll
    for (int i = 0; i < num_inputs; ++i) {
      const in_type* const begin = scan_.input(i);
      in(i).load(at_end, begin,
                 begin + (scan_.shape.outer - 1) * scan_.shape.in_pitch + scan_.shape.length);
    }
    __pipeline_commit();
#pragma unroll
    for (int i = 0; i < num_outputs; ++i) out(i).prefetch_ends();
    __pipeline_wait_prior(0);
    __syncwarp();
  }
  __device__ void scan() const {
    if (vector_items == 1 || !scan_.by_lanes) {
      if (!Cut::is_recurrence && scan_.row_vectors > warp_size) {
        scan_vectors<!Cut::is_recurrence>();
      } else {
        scan_vectors<false>();  // (By the same code they would be 5 % slower.)
      }
      if (vector_items == 1 || scan_.rest_items == 0) return;
      __syncwarp();
      for (int row = lane_index(); row < num_rows_; row += warp_size) {
        const prefix<T> start = start_of(row);
        write_ends(row, start, lane_at(row).scan_rest(scan_, {folds()[row], true}));
      }
    } else if (scan_.row_vectors == 0 && !scan_.starts_apart && !scan_.has_ends) {
      // (Where rows are tiny it is this loop's instructions that take the time.)
      const prefix<T> start = scan_.init;
#pragma unroll 2
      for (int row = lane_index(); row < num_rows_; row += warp_size) {
        const prefix<T> end = lane_at(row).scan_rest(scan_, start);
        if constexpr (num_outputs > 1) write_ends(row, start, end);
      }
    } else {
#pragma unroll 1
      for (int row = lane_index(); row < num_rows_; row += warp_size) {
        const prefix<T> start = start_of(row);
        write_ends(row, start, lane_at(row).scan(scan_, start));
      }
    }
  }
  __device__ void store() const {
    __syncwarp();
#pragma unroll
    for (int i = 0; i < num_outputs; ++i) out(i).store();
  }

 private:
  __device__ row_stretch<in_type> in(int i) const {
    return {scan_.in_rows, in_memory(i), num_rows_, place_of(i)};
  }
  __device__ row_stretch<out_type> out(int i) const {
    return {scan_.out_rows, scan_.output(i) + first_row_ * scan_.shape.out_pitch, num_rows_,
            scan_.in_place ? place_of(Cut::taken_by(i))
                           : memory_ + num_inputs * scan_.in_bytes + i * scan_.out_bytes};
  }
  __device__ const in_type* in_memory(int i) const {
    return scan_.input(i) + first_row_ * scan_.shape.in_pitch;
  }
  /// As far off lines as in global memory: see copied_line.
  __device__ byte* place_of(int i) const {
    const auto address = static_cast<int>(reinterpret_cast<std::uintptr_t>(in_memory(i)));
    return memory_ + i * scan_.in_bytes + (address & (copied_line - granule));
  }
  template <class Item>
  __device__ static Item* row_of(Item* first, int row, const stretch_layout& rows) {
    using bytes = std::conditional_t<std::is_const_v<Item>, const byte*, byte*>;
    return reinterpret_cast<Item*>(reinterpret_cast<bytes>(first) + row * rows.stride);
  }
  __device__ const in_type* in_row(int i, int row) const {
    return row_of(from_[i], row, scan_.in_rows);
  }
  __device__ out_type* out_row(int i, int row) const { return row_of(to_[i], row, scan_.out_rows); }
  __device__ short_row_lane<Cut> lane_at(int row) const {
    short_row_lane<Cut> lane;
#pragma unroll
    for (int i = 0; i < num_inputs; ++i) lane.from[i] = in_row(i, row);
#pragma unroll
    for (int i = 0; i < num_outputs; ++i) lane.to[i] = out_row(i, row);
    lane.lines = folds() + lane_index();
    lane.common = scan_.sequence(first_row_ + row, 0).in_common();
    return lane;
  }
  __device__ T* folds() const { return reinterpret_cast<T*>(memory_ + scan_.lines_at); }

  __device__ prefix<T> start_of(int row) const {
    return scan_.starts_apart ? scan_.sequence(first_row_ + row, 0).start() : scan_.init;
  }
  /// What is not of a row's steps: of its results, and beside them.
  __device__ void write_ends(int row, const prefix<T>& start, const prefix<T>& end) const {
    if constexpr (num_outputs > 1) {
      const auto mine = scan_.sequence(first_row_ + row, 0);
      out_row(1, row)[Cut::reversed ? 0 : scan_.shape.length - 1] = mine.last_second(end.value);
      return mine.write_end(end);
    }
    if (!scan_.has_ends) return;
    if (scan_.total != nullptr) scan_.total[first_row_ + row] = scan_.as_value(end.value);
    if constexpr (!Cut::is_recurrence) {
      out_type& extra = out_row(0, row)[scan_.shape.length];
      if (scan_.start_output != nullptr) {
        extra = scan_.give(start.exists ? start.value : scan_.first_output);
      }
      if (scan_.end_output != nullptr) extra = scan_.give(end.value);
    }
  }

  /// All that is whole vectors.
  template <bool two_shares>
  __device__ void scan_vectors() const {
    const int num_vectors = scan_.rows * scan_.row_vectors;
    row_place at(scan_);
    row_steps<Cut, two_shares> rows;
#pragma unroll 1
    for (int done = 0; done < num_vectors; done += warp_size, at.go_on(scan_)) {
      const bool exists = at.row < num_rows_;
      typename vectors::vectors items;
      if (exists) {
#pragma unroll
        for (int k = 0; k < num_inputs; ++k) {
          items.of[k] = read_beside_others<typename vectors::in_items>(
              in_row(k, at.row) + scan_.first_of(at.vector) + Cut::beside_in_memory(k));
        }
        begin_beside<Cut, vector_items>(items, at.vector == 0);
        items.common = scan_.sequence(first_row_ + at.row, 0).in_common();
      }
      const prefix<T> start = exists ? start_of(at.row) : prefix<T>{};
      typename vectors::results results;
      const prefix<T> end = rows.scan(scan_, at, exists, start, items, results);
      if (!exists) continue;
#pragma unroll
      for (int k = 0; k < num_outputs; ++k) {
        vectors::out_items::write(out_row(k, at.row) + scan_.first_of(at.vector), results.of[k]);
      }
      if (at.vector < scan_.row_vectors - 1) continue;
      if (scan_.rest_items == 0) write_ends(at.row, start, end);
      if (scan_.rest_items > 0) {
        const prefix<T> folded{rows.folded(), true};
        folds()[at.row] = two_shares ? folded.value : join(start, folded, scan_.op).value;
      }
    }
  }

  const Cut& scan_;
  byte* memory_;
  std::int64_t first_row_;
  int num_rows_;
  in_type* from_[num_inputs];  // the first row
  out_type* to_[num_outputs];
};

/// `Cut` is a short_row_tile_cut.
template <class Cut>
__global__ void __launch_bounds__(Cut::most_threads, Cut::blocks_per_sm)
    short_row_tile_kernel(const __grid_constant__ Cut scan) {
  extern __shared__ __align__(128) unsigned char tile_memory[];
  admit_later_kernels();
  const std::int64_t first_row = scan.first_row();
  if (first_row >= scan.shape.outer) return;
  short_row_tile<Cut> tile(scan, tile_memory + warp_index() * scan.warp_bytes, first_row);
  await_earlier_kernels();
  tile.load();
  if (left_alone(scan)) return;
  tile.scan();
  tile.store();
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
