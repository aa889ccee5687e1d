// Short rows as warps take them: a stretch of whole rows each.
#ifndef SCAN_DEVICE_WALK_SHORT_ROW_CUT_CUH
#define SCAN_DEVICE_WALK_SHORT_ROW_CUT_CUH

#include <algorithm>
#include <cstdint>

#include "scan/call/tensor_problem.hpp"
#include "scan/device/fold/warp.cuh"
#include "scan/device/move/small_divisor.cuh"
#include "scan/device/move/tile_io.cuh"
#include "scan/device/plan/walk_plan.hpp"
#include "scan/device/slice/slice_problem.cuh"
#include "scan/device/walk/walk_vectors.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// Of vectors of short rows: as in the call for one sequence, of recurrences as in longer ones.
template <class Tensor>
constexpr int short_row_bytes() {
  if constexpr (Tensor::is_recurrence) {
    return walked_bytes<Tensor>;
  } else {
    return scan_types<decltype(Tensor::in), decltype(Tensor::out)>::widest;
  }
}

/// The rows of a tensor, inner = 1, of at most 32 whole vectors, or of a short_row_tile_cut some
/// more; `Tensor` is a tensor_problem. `is_apart_`: a step of lanes has whole rows alone.
template <class Tensor, bool is_apart_>
struct short_row_cut : Tensor {
  using typename Tensor::in_type;
  using typename Tensor::out_type;
  using typename Tensor::T;
  static constexpr int element_bytes = short_row_bytes<Tensor>();
  static constexpr int vector_items = vector_items_for(element_bytes);
  static constexpr int most_threads = 256;
  static constexpr bool is_apart = is_apart_;

  int row_vectors, rest_items;  // of a row: vectors, and what fills none
  int step_rows, step_vectors;  // 32 vectors are so many rows, and vectors besides
  small_divisor by_vectors;
  bool starts_apart;  // each row has a start of its own
  bool has_ends;      // something is written besides the rows' outputs
  int rows, warps;    // of a warp; of a block

  /// `extra_output`: each row has one result more.
  short_row_cut(const Tensor& scan, bool extra_output)
      : Tensor(scan),
        row_vectors(static_cast<int>(scan.shape.length / vector_items)),
        rest_items(static_cast<int>(scan.shape.length % vector_items)),
        step_rows(warp_size / std::max(row_vectors, 1)),
        step_vectors(is_apart ? 0 : warp_size % std::max(row_vectors, 1)),
        by_vectors(std::max(row_vectors, 1)),
        starts_apart(scan.init_pointer != nullptr || is_part(scan)),
        has_ends(extra_output || scan.total != nullptr) {}

  std::int64_t num_blocks() const {
    return (this->shape.outer - 1) / (std::int64_t{rows} * warps) + 1;
  }
  /// The first of a warp's rows, of which there may be none.
  __device__ std::int64_t first_row() const {
    return (std::int64_t{blockIdx.x} * (blockDim.x / warp_size) + warp_index()) * rows;
  }
  /// The first element in memory of a row's vector.
  __device__ int first_of(int vector) const {
    const int first = vector * vector_items;
    return Tensor::reversed ? static_cast<int>(this->shape.length) - vector_items - first : first;
  }
  /// How far beside its own the element lies that a step reads of an input.
  __device__ static constexpr int beside_in_memory(int which) {
    return Tensor::reversed ? -Tensor::beside(which) : Tensor::beside(which);
  }

  /// Whether all vectors lie at multiples of their size.
  static bool are_aligned(const Tensor& scan) {
    const auto lies = [&](auto* data, std::int64_t pitch) {
      return vector_aligned(data, vector_items) &&
             (scan.shape.outer < 2 || pitch % vector_items == 0);
    };
    bool all = scan.shape.length % vector_items == 0;
    for (int i = 0; i < Tensor::num_outputs; ++i) {
      all = all && lies(scan.output(i), scan.shape.out_pitch);
    }
    for (int i = 0; i < Tensor::num_inputs; ++i) {
      all = all && lies(scan.input(i), scan.shape.in_pitch);
    }
    return all;
  }

 protected:
  /// Small tensors are for all multiprocessors.
  void deal_out(int most_rows, int most_warps, int sm_count) {
    rows = most_rows;
    const std::int64_t fair = (this->shape.outer - 1) / (std::int64_t{rows} * sm_count) + 1;
    warps = static_cast<int>(std::min<std::int64_t>(fair, most_warps));
  }
};

/// Where a lane's vector is in a warp's rows, whose vectors the lanes have one after another.
struct row_place {
  int row, vector;

  template <class Cut>
  __device__ explicit row_place(const Cut& scan)
      : row(scan.by_vectors.quotient(lane_index())), vector(lane_index() - row * scan.row_vectors) {
    if (Cut::is_apart && row >= scan.step_rows) row = INT32_MAX / 2;
  }
  /// To the vector that is 32 further.
  template <class Cut>
  __device__ void go_on(const Cut& scan) {
    row += scan.step_rows;
    vector += scan.step_vectors;
    if (vector >= scan.row_vectors) vector -= scan.row_vectors, ++row;
  }
};

/// Scans the vectors at these places, step after step. `two_shares`: of rows of more than 32
/// vectors, which are at most 64, these make the first share, and the others the second.
template <class Cut, bool two_shares = false>
class row_steps {
  using T = typename Cut::T;
  using vectors = walk_vectors<Cut, Cut::vector_items>;

 public:
  /// The results of a lane's vector, if it exists, and the fold of all up to it. All lanes.
  __device__ prefix<T> scan(const Cut& scan, const row_place& at, bool exists,
                            const prefix<T>& start, const typename vectors::vectors& items,
                            typename vectors::results& results) {
    vectors lane;
    T value = lane.fold(scan, items, exists, at.vector == 0 && !start.exists);
#pragma unroll
    for (int level = 0; level < 5; ++level) {
      const int delta = 1 << level;
      if (delta >= scan.row_vectors) continue;
      const T before = from_before(scan, value, last_[level], delta);
      if (exists && nth(at) >= delta) value = scan.op(before, value);
    }
    folded_ = value;
    const T before = from_before(scan, value, last_[5], 1);
    if constexpr (two_shares) {
      if (at.vector == warp_size - 1) last_[6] = value;
      const T first = shuffle(last_[6], (lane_index() + warp_size - 1 - nth(at)) % warp_size);
      if (exists && at.vector >= warp_size) {
        const prefix<T> before_share = join(start, {first, true}, scan.op);
        folded_ = scan.op(before_share.value, value);
        return lane.scan(scan, items, join(before_share, {before, nth(at) > 0}, scan.op), results);
      }
    }
    if (!exists) return {};
    return lane.scan(scan, items, join(start, {before, at.vector > 0}, scan.op), results);
  }
  /// What of the row has been folded at the last vectors: of two shares with its start, else
  /// without.
  __device__ const T& folded() const { return folded_; }

 private:
  /// The place of a vector in its share.
  __device__ static int nth(const row_place& at) {
    return two_shares ? at.vector % warp_size : at.vector;
  }
  /// The value `delta` vectors before the lane's; `last`: those of the step before.
  __device__ static T from_before(const Cut& scan, const T& value, T& last, int delta) {
    if (scan.step_vectors == 0) return shuffle_up(value, delta);  // no row goes on in the next step
    constexpr int num_words = (sizeof(T) + 3) / 4;
    unsigned words[num_words] = {},
             earlier[num_words] = {};  // (or it is addresses that are chosen)
    memcpy(words, &value, sizeof(T));
    memcpy(earlier, &last, sizeof(T));
#pragma unroll
    for (int i = 0; i < num_words; ++i) {
      words[i] = __shfl_sync(all_lanes, lane_index() < warp_size - delta ? words[i] : earlier[i],
                             (lane_index() + warp_size - delta) % warp_size);
    }
    last = value;
    T result;
    memcpy(&result, words, sizeof(T));
    return result;
  }

  T folded_;
  T last_[two_shares ? 7 : 6] = {};  // (set, or cicc takes one for another)
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
