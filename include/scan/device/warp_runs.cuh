// The scan of a warp's rows of values, one value a lane and row, through shared memory: from rows
// to runs of consecutive values, one run a lane, and back. Only the runs are scanned across lanes,
// so with R rows there are R times fewer shuffles, which are what scans in registers wait for.
#ifndef SCAN_DEVICE_WARP_RUNS_CUH
#define SCAN_DEVICE_WARP_RUNS_CUH

#include "scan/device/warp.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// Value i of a warp is that of lane i % 32 in row i / 32, and is in run i / rows.
template <class T, int rows>
class warp_runs {
  static constexpr int slot_bytes = sizeof(T) <= 4 ? 4 : sizeof(T) <= 8 ? 8 : 16;
  static_assert(sizeof(T) <= 16);
  static constexpr int run_bytes = rows * slot_bytes;
  /// What of a run is read and written in one go.
  static constexpr int part_bytes = run_bytes % 16 == 0 ? 16 : run_bytes % 8 == 0 ? 8 : 4;
  static constexpr int num_parts = run_bytes / part_bytes;
  static constexpr int part_values = part_bytes / slot_bytes;

 public:
  struct shared {
    alignas(16) unsigned char bytes[warp_size * run_bytes];
  };

  __device__ explicit warp_runs(shared& memory) : memory_(memory) {}

  /// The value of the lane in row `row`, before the scan.
  __device__ void put(int row, const T& value) {
    *reinterpret_cast<T*>(at(row * warp_size + lane_index())) = value;
  }

  /// Scans the first `count` of the warp's values; the others never reach the operator. Leaves at
  /// before(row) the fold of the values before that of the lane in this row, up to value `count`;
  /// absent for value 0. Returns the fold of all, if there are any.
  template <class Op>
  __device__ T scan(int count, Op op) {
    __syncwarp();
    const int first = lane_index() * rows, num_runs = (count + rows - 1) / rows;
    T run;
#pragma unroll
    for (int i = 0; i < num_parts; ++i) {
      const part values = load(i);
#pragma unroll
      for (int k = 0; k < part_values; ++k) {
        if (i + k == 0) {
          run = values[k];
        } else if (first + i * part_values + k < count) {
          run = op(run, values[k]);
        }
      }
    }
    const T scanned = warp_inclusive_scan(run, num_runs, op);
    T running = shuffle_up(scanned, 1);
#pragma unroll
    for (int i = 0; i < num_parts; ++i) {
      part values = load(i);
#pragma unroll
      for (int k = 0; k < part_values; ++k) {
        const T value = values[k];
        values[k] = running;
        if (i + k == 0 && lane_index() == 0) {
          running = value;
        } else if (first + i * part_values + k < count) {
          running = op(running, value);
        }
      }
      *reinterpret_cast<part*>(at(first + i * part_values)) = values;
    }
    __syncwarp();
    return shuffle(scanned, max(num_runs, 1) - 1);
  }

  __device__ const T& before(int row) const {
    return *reinterpret_cast<const T*>(at(row * warp_size + lane_index()));
  }

 private:
  struct alignas(part_bytes) part {
    struct alignas(slot_bytes) slot {
      T value;
    } slots[part_values];
    __device__ T& operator[](int k) { return slots[k].value; }
    __device__ const T& operator[](int k) const { return slots[k].value; }
  };
  __device__ part load(int i) const {
    return *reinterpret_cast<const part*>(at(lane_index() * rows + i * part_values));
  }
  /// Where value i is. Parts of a run change places with each other, so that lanes that read parts
  /// of their runs side by side meet different banks.
  __device__ unsigned char* at(int i) const {
    const int run = i / rows, turn = run * num_parts / 8 % num_parts;
    return memory_.bytes + (i * slot_bytes ^ turn * part_bytes);
  }

  shared& memory_;
};

/// With one row there is nothing to bring together.
template <class T>
class warp_runs<T, 1> {
 public:
  struct shared {};
  __device__ explicit warp_runs(shared&) {}

  __device__ void put(int, const T& value) { before_ = value; }
  template <class Op>
  __device__ T scan(int count, Op op) {
    const T scanned = warp_inclusive_scan(before_, count, op);
    before_ = shuffle_up(scanned, 1);
    return shuffle(scanned, max(min(count, warp_size), 1) - 1);
  }
  __device__ const T& before(int) const { return before_; }

 private:
  T before_;
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
