// The scan of a warp's stripes of values, one value a lane and stripe, through shared memory: from
// stripes to runs of consecutive values, one run a lane, and back. Only the runs are scanned across
// lanes, so with R stripes there are R times fewer shuffles, which are what scans in registers wait
// for.
#ifndef SCAN_DEVICE_FOLD_WARP_SCAN_CUH
#define SCAN_DEVICE_FOLD_WARP_SCAN_CUH

#include "scan/device/fold/warp.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// Value i of a warp is that of lane i % 32 in stripe i / 32, and is in run i / stripes.
template <class T, int stripes>
class warp_runs {
  static constexpr int slot_bytes = sizeof(T) <= 4 ? 4 : sizeof(T) <= 8 ? 8 : 16;
  static_assert(sizeof(T) <= 16);
  static constexpr int run_bytes = stripes * slot_bytes;
  /// What of a run is read and written in one go.
  static constexpr int part_bytes = run_bytes % 16 == 0 ? 16 : run_bytes % 8 == 0 ? 8 : 4;
  static constexpr int num_parts = run_bytes / part_bytes;
  static constexpr int part_values = part_bytes / slot_bytes;

 public:
  struct shared {
    alignas(16) unsigned char bytes[warp_size * run_bytes];
  };

  __device__ explicit warp_runs(shared& memory) : memory_(memory) {}

  /// The value of the lane in stripe `stripe`, before the scan.
  __device__ void put(int stripe, const T& value) {
    *reinterpret_cast<T*>(at(stripe * warp_size + lane_index())) = value;
  }

  /// Scans the first `count` of the warp's values; the others never reach the operator. Leaves at
  /// before(stripe) the fold of the values before that of the lane in this stripe, up to value
  /// `count`; absent for value 0. Returns the fold of all, if there are any.
  template <class Op>
  __device__ T scan(int count, Op op) {
    __syncwarp();
    const int first = lane_index() * stripes, num_runs = (count + stripes - 1) / stripes;
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

  __device__ const T& before(int stripe) const {
    return *reinterpret_cast<const T*>(at(stripe * warp_size + lane_index()));
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
    return *reinterpret_cast<const part*>(at(lane_index() * stripes + i * part_values));
  }
  /// Where value i is. Parts of a run change places with each other, so that lanes that read parts
  /// of their runs side by side meet different banks.
  __device__ unsigned char* at(int i) const {
    const int run = i / stripes, turn = run * num_parts / 8 % num_parts;
    return memory_.bytes + (i * slot_bytes ^ turn * part_bytes);
  }

  shared& memory_;
};

/// With one stripe there is nothing to bring together.
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

// ---- The scan of a warp's 32 values across lanes that hold several of them each.

/// As warp_inclusive_scan, operation by operation, of sequences of 32 values that 32 / held lanes
/// hold: value i is value i % held of the sequence's lane i / held. So a warp scans `held`
/// sequences at once, with fewer shuffles for each. `num_valid`: of the lane's values; those beyond
/// never reach the operator.
template <int held, class T, class Op>
__device__ void scan_values(T (&values)[held], int num_valid, Op op) {
  const int lane = lane_index() % (warp_size / held);
#pragma unroll
  for (int delta = 1; delta < warp_size; delta *= 2) {
    const int lanes = delta < held ? 1 : delta / held;
    // What comes from another lane, before any of it changes.
    T earlier[held];
#pragma unroll
    for (int i = 0; i < held; ++i) {
      if (i < delta) earlier[i] = shuffle_up(values[(i + held * lanes - delta) % held], lanes);
    }
    const bool has_earlier = lane >= lanes;
#pragma unroll
    for (int i = held - 1; i >= 0; --i) {
      if (i >= num_valid) continue;
      if (i >= delta) {
        values[i] = op(values[i - delta], values[i]);
      } else if (has_earlier) {
        values[i] = op(earlier[i], values[i]);
      }
    }
  }
}

/// values[i] becomes values[(i + by) % count]; count is a power of two.
template <int count, class T>
__device__ void rotate(T (&values)[count], int by) {
  constexpr int num_words = (sizeof(T) + 3) / 4;
#pragma unroll
  for (int step = 1; step < count; step *= 2) {
    unsigned words[count][num_words] = {};
#pragma unroll
    for (int i = 0; i < count; ++i) memcpy(words[i], &values[i], sizeof(T));
#pragma unroll
    for (int i = 0; i < count; ++i) {
      unsigned chosen[num_words];
#pragma unroll
      for (int k = 0; k < num_words; ++k) {
        chosen[k] = (by & step) != 0 ? words[(i + step) % count][k] : words[i][k];
      }
      memcpy(&values[i], chosen, sizeof(T));
    }
  }
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
