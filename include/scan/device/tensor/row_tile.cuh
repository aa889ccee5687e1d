// A group of tiles of rows: a block holds it in shared memory from its one load to the one store of
// the results.
//
// The order of operations is that of the wave's tiles (wave_tile.cuh), but not who does what: a
// thread has a run of vectors that follow each other, and a share of 32 * stripes vectors, which
// there is a warp's, is here some lanes'. So the scan of a share across lanes takes fewer steps,
// and what has to be found out about a place is found out once for all of the run.
#ifndef SCAN_DEVICE_TENSOR_ROW_TILE_CUH
#define SCAN_DEVICE_TENSOR_ROW_TILE_CUH

#include "scan/device/fold/block_scan.cuh"
#include "scan/device/fold/row_run.cuh"
#include "scan/device/fold/warp_scan.cuh"
#include "scan/device/slice/slice_problem.cuh"
#include "scan/device/tensor/row_look_back.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// `Problem` is a row_cut.
template <class Problem>
class row_tiles : public row_run<Problem, row_group> {
  using one_run = row_run<Problem, row_group>;
  using one_run::first_, one_run::part_;
  using one_run::rest_items_, one_run::scan_, one_run::tile_, one_run::tile_items, one_run::turn_;
  using one_run::view_, one_run::whole_;

 public:
  using typename one_run::byte;
  using typename one_run::in_type;
  using typename one_run::out_type;
  using typename one_run::T;
  using typename one_run::tile_view;
  static constexpr int vector_items = Problem::vector_items, num_inputs = Problem::num_inputs;
  static constexpr int stripes = Problem::stripes, run = Problem::run, values = Problem::values;
  static constexpr int share_threads = Problem::share_vectors / run;

  struct shared {
    tile_view tiles[Problem::most_tiles];
    shared_array<T, Problem::most_shares> aggregates;      // of shares
    shared_array<prefix<T>, Problem::most_shares> before;  // of shares, in their tiles
    shared_array<prefix<T>, Problem::most_tiles> before_tile;
    typename row_look_back<Problem>::shared look_back;
    phase_barrier loaded;
    ticket mine;
  };

  __device__ row_tiles(const Problem& scan, const row_group& group, shared& memory, byte* room)
      : one_run(scan, group, room), memory_(memory) {}

  /// One thread a tile, beside load().
  __device__ void start(int tile) const {
    const auto sequence = scan_.sequence(part_.first_row + part_.row_of(tile), 0);
    const std::int64_t first = part_.tile_of(tile) * tile_items();
    memory_.tiles[tile] = this->view_of(tile);
    if (!part_.is_rows && tile > 0) return;
    const prefix<T> before = sequence.start();
    memory_.before_tile[tile] = before;
    if (first == 0 && !left_alone(scan_)) sequence.write_start(before);
  }

  /// Folds the threads' runs and scans them across each share. A barrier follows.
  __device__ void fold_shares() {
    const bool exists = tile_ < part_.count;
    this->place(exists ? memory_.tiles[tile_] : tile_view{}, exists);
    if (whole_ > 0) {
      if (this->inputs_aligned()) {
        this->template fold_vectors<true>(folds_);
      } else {
        this->template fold_vectors<false>(folds_);
      }
    }
    rotate(folds_, -turn_);
#pragma unroll
    for (int i = 0; i < run; ++i) {
      if (i < whole_) {
        values_[i / stripes] = i % stripes == 0
                                   ? folds_[i]
                                   : static_cast<T>(scan_.op(values_[i / stripes], folds_[i]));
      }
    }
    const int num_values = (whole_ + stripes - 1) / stripes;
    scan_values(values_, num_values, scan_.op);
    previous_ = shuffle_up(values_[values - 1], 1);
    T folded = values_[0];
#pragma unroll
    for (int x = 1; x < values; ++x) {
      if (x < num_values) folded = values_[x];
    }
    // The last of its share, or of its tile.
    if (whole_ > 0 && (this->has_last_vector() || lane_in_share() == share_threads - 1)) {
      memory_.aggregates[share()] = folded;
    }
  }

  /// By a warp: scans the shares of the group's tile `tile`; its aggregate. A barrier follows.
  __device__ T scan_tile(int tile) const {
    const int lane = lane_index(), num_whole = memory_.tiles[tile].items / vector_items;
    const int num_valid = (num_whole + Problem::share_vectors - 1) / Problem::share_vectors;
    const int first = tile * scan_.tile_shares;
    const T scanned = warp_inclusive_scan(
        T(memory_.aggregates[first + min(lane, scan_.tile_shares - 1)]), num_valid, scan_.op);
    const T before = shuffle_up(scanned, 1);
    if (lane < scan_.tile_shares) {
      memory_.before[first + lane] = {before, lane > 0 && lane <= num_valid};
    }
    return shuffle(scanned, max(num_valid, 1) - 1);
  }

  /// What precedes each vector, once the prefixes of tiles are there.
  __device__ void find_starts() {
    if (whole_ == 0 && rest_items_ == 0) return;
    const prefix<T> before = join(memory_.before_tile[tile_], memory_.before[share()], scan_.op);
    // What precedes each vector in its share; nothing precedes the share's first.
    const bool is_first = lane_in_share() == 0;
    T(&starts)[run] = starts_;
#pragma unroll
    for (int i = 0; i < run; ++i) {
      starts[i] = i < stripes ? previous_ : values_[i < stripes ? 0 : i / stripes - 1];
#pragma unroll
      for (int r = 0; r < i % stripes; ++r) {
        const T& folded = folds_[i - i % stripes + r];
        if (i <= whole_) {
          starts[i] = i < stripes && is_first && r == 0
                          ? folded
                          : static_cast<T>(scan_.op(starts[i], folded));
        }
      }
    }
    if (before.exists) {
#pragma unroll
      for (int i = 0; i < run; ++i) {
        if (i > 0 || !is_first) {
          if (i <= whole_) starts[i] = scan_.op(before.value, starts[i]);
        } else {
          starts[i] = before.value;
        }
      }
    }
    has_start_ = before.exists || !is_first;
    // (Asked for by number, an array would leave the registers.)
    before_rest_ = {starts[0], has_start_ || whole_ > 0};
#pragma unroll
    for (int i = 1; i < run; ++i) {
      if (i <= whole_) before_rest_.value = starts[i];
    }
    rotate(starts, turn_);
  }

  /// Makes results of items. A barrier follows.
  __device__ void apply() {
    if (whole_ == 0 && rest_items_ == 0) return;
    prefix<T> end = before_rest_;
    const T last = this->all_aligned() ? this->template scan_vectors<true>(starts_, has_start_)
                                       : this->template scan_vectors<false>(starts_, has_start_);
    if (rest_items_ == 0) {
      end.value = last;
    } else {
      end = this->scan_rest(end);
    }
    if (this->has_end() && view_.is_last) {
      scan_.sequence(part_.first_row + part_.row_of(tile_), 0).write_end(end);
    }
  }

 private:
  __device__ int share() const { return static_cast<int>(threadIdx.x / share_threads); }
  __device__ int lane_in_share() const { return static_cast<int>(threadIdx.x % share_threads); }
  shared& memory_;
  T folds_[run];           // of vectors
  T values_[values];       // of each `stripes` vectors of the share up to these, inclusive
  T previous_;             // the same up to the lane before
  T starts_[run];          // what precedes each vector, in the order in which the thread goes round
  bool has_start_;         // before the run's first vector
  prefix<T> before_rest_;  // before the items after the run's last vector
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
