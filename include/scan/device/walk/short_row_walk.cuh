// Short rows of whole vectors at multiples of their size: they go from memory to registers and
// back, and meet no other thread. Rows of which some fill a vector are taken as one.
#ifndef SCAN_DEVICE_WALK_SHORT_ROW_WALK_CUH
#define SCAN_DEVICE_WALK_SHORT_ROW_WALK_CUH

#include <algorithm>
#include <cstdint>

#include "scan/device/fold/items.cuh"
#include "scan/device/launch/dependent_launch.cuh"
#include "scan/device/move/walk_beside.cuh"
#include "scan/device/walk/short_row_cut.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// (What is read beside vectors is the neighbouring lanes'.)
template <class Tensor>
struct short_row_walk_cut : short_row_cut<Tensor, (Tensor::num_outputs > 1)> {
  using base = short_row_cut<Tensor, (Tensor::num_outputs > 1)>;
  using base::vector_items;
  /// Vectors of a lane, whose loads are under way together.
  static constexpr int steps = short_walk_steps(
      Tensor::num_inputs, vector_items* static_cast<int>(sizeof(typename base::in_type)),
      static_cast<int>(sizeof(typename base::T)));
  unsigned starts;  // of rows in a vector: bits; 0: a row has one or more
  bool one_step;    // of a warp, not all: rows are few, and warps would be wanting

  short_row_walk_cut(const Tensor& scan, bool extra_output, int sm_count)
      : base(in_vectors(scan), extra_output), starts(0) {
    if (scan.shape.length < vector_items) {
      for (int i = 0; i < vector_items; i += static_cast<int>(scan.shape.length)) starts |= 1u << i;
    }
    const int most = base::is_apart ? steps * this->step_rows
                                    : std::max(steps * warp_size / this->row_vectors, 1);
    one_step = this->shape.outer / (8 * sm_count) < most;
    this->deal_out(one_step ? this->step_rows : most, base::most_threads / warp_size, sm_count);
  }

  static bool takes(const Tensor& scan, bool extra_output) {
    if (scan.shape.length >= vector_items) return pays(scan) && base::are_aligned(scan);
    const base as_rows(scan, extra_output);
    return (!Tensor::is_walked || Tensor::num_outputs > 1) &&
           vector_items % scan.shape.length == 0 && !as_rows.starts_apart && !as_rows.has_ends &&
           end_alike(scan) && scan.shape.outer * scan.shape.length % vector_items == 0 &&
           scan.shape.in_pitch == scan.shape.length && scan.shape.out_pitch == scan.shape.length &&
           base::are_aligned(in_vectors(scan));
  }

 private:
  /// Whether no row's last result is made of something of its own.
  static bool end_alike([[maybe_unused]] const Tensor& scan) {
    if constexpr (Tensor::num_outputs > 1) {
      return scan.first_pointer == nullptr;
    } else {
      return true;
    }
  }
  /// Whether enough is under way: of inputs that are narrower than outputs a lane reads less than a
  /// vector. (bench/NOTES.md, "short rows by two kernels")
  static bool pays(const Tensor& scan) {
    constexpr int wider = sizeof(typename Tensor::out_type) / sizeof(typename Tensor::in_type);
    constexpr std::int64_t few = (4 << 20) / sizeof(typename Tensor::out_type);
    if (Tensor::is_recurrence || wider < 2) return true;
    return wider == 2 && scan.shape.outer > few / scan.shape.length;
  }
  /// With vectors of rows as rows, if these are less.
  static Tensor in_vectors(const Tensor& scan) {
    Tensor result = scan;
    if (scan.shape.length < vector_items) {
      auto& shape = result.shape;
      shape.outer = shape.outer * shape.length / vector_items;
      shape.length = shape.in_pitch = shape.out_pitch = vector_items;
    }
    return result;
  }
};

/// `Cut` is a short_row_walk_cut.
template <class Cut>
class short_row_walk {
  using T = typename Cut::T;
  using vectors = walk_vectors<Cut, Cut::vector_items>;

 public:
  __device__ explicit short_row_walk(const Cut& scan) : scan_(scan), first_row_(scan.first_row()) {}

  __device__ void load() {
    row_place at(scan_);
#pragma unroll
    for (int step = 0; step < Cut::steps; ++step, at.go_on(scan_)) {
      if (!exists(at)) continue;
      const auto mine = scan_.sequence(first_row_ + at.row, 0);
#pragma unroll
      for (int i = 0; i < Cut::num_inputs; ++i) {
        auto& items = items_[step].of[i];
        items = *reinterpret_cast<const typename vectors::in_vector*>(mine.input(i) +
                                                                      scan_.first_of(at.vector));
        items.keep_packed();
      }
      items_[step].common = mine.in_common();
    }
  }

  __device__ void finish() {
    row_place at(scan_);
    row_steps<Cut> rows;
#pragma unroll 2
    for (int step = 0; step < Cut::steps; ++step, at.go_on(scan_)) {
      if (step == 1 && scan_.one_step) return;
      typename vectors::vectors items = items_[0];
#pragma unroll
      for (int i = 1; i < Cut::steps; ++i) items_[i - 1] = items_[i];
      const auto mine = scan_.sequence(first_row_ + at.row, 0);
      const prefix<T> start = !scan_.starts_apart ? scan_.init
                              : exists(at)        ? mine.start()
                                                  : prefix<T>{};
      const bool is_last = at.vector == scan_.row_vectors - 1;
      typename vectors::results results;
      prefix<T> end;
      if (scan_.starts == 0) {
        meet_beside<Cut, Cut::vector_items>(items, at.vector == 0, is_last);
        end = rows.scan(scan_, at, exists(at), start, items, results);
      } else if (exists(at)) {
        results = scan_tiny(items, start);
      }
      if (!exists(at)) continue;
      if (is_last && scan_.starts == 0) results.finish(mine, end);
#pragma unroll
      for (int i = 0; i < Cut::num_outputs; ++i) {
        *reinterpret_cast<typename vectors::out_vector*>(mine.output(i) +
                                                         scan_.first_of(at.vector)) = results.of[i];
      }
      if (!scan_.has_ends) continue;
      if (at.vector == 0) mine.write_start(start);
      if (is_last) mine.write_end(end);
    }
  }

 private:
  __device__ bool exists(const row_place& at) const {
    return at.row < scan_.rows && first_row_ + at.row < scan_.shape.outer;
  }
  /// A vector of several rows.
  __device__ typename vectors::results scan_tiny(const typename vectors::vectors& from,
                                                 const prefix<T>& start) const {
    const typename vectors::unpacked read(from);
    typename vectors::out_items scanned[Cut::num_outputs];
    prefix<T> running = start;
#pragma unroll
    for (int i = 0; i < Cut::vector_items; ++i) {
      const bool begins = begins_at(i), ends = begins_at(i + 1);
      if (begins) running = start;
      item_of<Cut> item{{}, from.common};
#pragma unroll
      for (int k = 0; k < Cut::num_inputs; ++k) {
        const int beside = Cut::beside(k), at = min(max(i + beside, 0), Cut::vector_items - 1);
        const bool is_there = beside >= 0 || !begins;  // (behind a row nobody asks)
        item.elements[k] = is_there ? read.of[k][at] : one_of<typename Cut::in_type>();
      }
      auto results = results_of<Cut>::scanned(scan_, item, running);
      if (ends) results.finish(scan_, running);
#pragma unroll
      for (int k = 0; k < Cut::num_outputs; ++k) scanned[k][i] = results.of[k];
    }
    typename vectors::results results;
#pragma unroll
    for (int k = 0; k < Cut::num_outputs; ++k) results.of[k] = scanned[k].pack();
    return results;
  }
  __device__ bool begins_at(int i) const {
    return i == Cut::vector_items || (scan_.starts >> i & 1) != 0;
  }

  const Cut& scan_;
  std::int64_t first_row_;
  typename vectors::vectors items_[Cut::steps];
};

/// `Cut` is a short_row_walk_cut.
template <class Cut>
__global__ void __launch_bounds__(Cut::most_threads)
    short_row_walk_kernel(const __grid_constant__ Cut scan) {
  admit_later_kernels();
  await_earlier_kernels();
  short_row_walk<Cut> rows(scan);
  rows.load();
  if (left_alone(scan)) return;
  rows.finish();
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
