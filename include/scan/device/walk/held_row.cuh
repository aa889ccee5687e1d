// Recurrences along rows of a tensor that are a tile each: a warp has a chunk, whose lanes copy it
// to shared memory side by side, and each keeps its run in registers from its fold to its scan. The
// order is that of row_round.cuh, whose rows may be several tiles.
//
// A small call takes as long as its instructions, so rows of whole granules go a shorter way, and
// where all lies is found before the kernel before has ended. (bench/NOTES.md, "Rows in registers",
// H200, 2026-11-28)
#ifndef SCAN_DEVICE_WALK_HELD_ROW_CUH
#define SCAN_DEVICE_WALK_HELD_ROW_CUH

#include "scan/device/fold/block_scan.cuh"
#include "scan/device/fold/warp.cuh"
#include "scan/device/launch/dependent_launch.cuh"
#include "scan/device/slice/slice_problem.cuh"
#include "scan/device/walk/held_loads.cuh"
#include "scan/device/walk/held_run.cuh"
#include "scan/device/walk/row_round.cuh"
#include "scan/device/walk/row_round_cut.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// A warp at its chunk; `Cut` is a row_round_cut.
template <class Cut>
class held_row {
  using row_type = typename Cut::Problem;

 public:
  using T = typename Cut::T;
  using shared = shared_array<T, Cut::most_warps>;  // folds of chunks

  /// Touches nothing that is read. `slots`: the block's.
  __device__ held_row(const Cut& scan, shared& folds, unsigned char* slots,
                      const round_place& place)
      : scan_(scan),
        folds_(folds),
        slots_(slots + warp_index() * Cut::warp_bytes),
        warp_(place.warp),
        row_(scan.row_of(place)),
        chunk_(scan.chunk_of(place)),
        lane_(slots_, chunk_),
        loads_(scan, row_, chunk_) {}
  /// False: see held_loads.
  __device__ bool is_lost() const { return loads_.are_lost(); }

  __device__ void load() {
    loads_.start(slots_);
    before_row_ = row_.start();
    lane_.start(row_);
    loads_.finish(slots_);
    if constexpr (Cut::num_outputs > 1) {
      if (chunk_.count > 0) {
        lane_.fill_ends(scan_.shape.length, [&](int which) { return loads_.shift(which); });
      }
    }
    if (scan_.lie_whole()) {
      lane_.read_whole(loads_);
    } else {
      lane_.read(loads_);
    }
  }
  /// Of a row of several chunks a barrier follows.
  __device__ void fold() {
    const bool begins = warp_ == 0 && lane_index() == 0 && !row_.has_init();
    const int num_folds = lane_.num_whole();
    const T scanned = warp_inclusive_scan(lane_.fold(row_, begins), num_folds, row_.op);
    if (scan_.plan.warps > 1 && num_folds == warp_size && lane_index() == warp_size - 1) {
      folds_[warp_index()] = scanned;
    }
    before_lane_ = shuffle_up(scanned, 1);
  }
  /// Scans the chunk and stores it.
  __device__ void finish() {
    if (chunk_.count == 0) return;
    if (warp_ == 0 && lane_index() == 0) row_.write_start(before_row_);
    const prefix<T> before_chunk =
        join(before_row_, chunks_before(folds_, warp_, row_.op), row_.op);
    const bool has_earlier = lane_index() > 0 && lane_.has_items();
    const prefix<T> end =
        lane_.scan(row_, join(before_chunk, {before_lane_, has_earlier}, row_.op));
    if (chunk_.first + chunk_.count == scan_.shape.length && lane_.has_last()) {
      lane_.finish_row(row_, end);
      row_.write_end(end);
    }
    __syncwarp();
#pragma unroll
    for (int which = 0; which < Cut::num_outputs; ++which) {
      const auto& slot = Cut::out_slot_of(slots_, which);
      const auto to = scan_.results_of(row_, chunk_, which);
      if (scan_.lie_whole()) {
        slot.store_granules(to);
      } else {
        slot.store_at_once(to);
      }
    }
  }

 private:
  const Cut& scan_;
  shared& folds_;
  unsigned char* slots_;  // the warp's
  int warp_;              // of its row
  row_type row_;
  row_chunk chunk_;
  held_run<Cut, row_type> lane_;
  held_loads<Cut> loads_;
  prefix<T> before_row_;
  T before_lane_;
};

/// A block some rows. `Cut` is a row_round_cut that does not look back.
template <class Cut>
__global__ void __launch_bounds__(Cut::most_threads, Cut::blocks_per_sm)
    held_row_kernel(const __grid_constant__ Cut scan) {
  extern __shared__ __align__(128) unsigned char arrays[];
  __shared__ typename held_row<Cut>::shared folds;
  admit_later_kernels();
  held_row<Cut> row(scan, folds, arrays, scan.place_of(blockIdx.x));
  if (row.is_lost()) return;
  await_earlier_kernels();
  if (uniform(left_alone(scan))) return;
  row.load();
  row.fold();
  if (scan.plan.warps > 1) __syncthreads();
  row.finish();
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
