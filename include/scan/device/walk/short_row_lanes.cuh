// Short rows in shared memory, a row a lane: it folds and scans vector after vector.
#ifndef SCAN_DEVICE_WALK_SHORT_ROW_LANES_CUH
#define SCAN_DEVICE_WALK_SHORT_ROW_LANES_CUH

#include "scan/device/fold/items.cuh"
#include "scan/device/move/walk_beside.cuh"
#include "scan/device/walk/short_row_cut.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// `Cut` is a short_row_tile_cut.
template <class Cut>
class short_row_lane {
  using T = typename Cut::T;
  using in_type = typename Cut::in_type;
  using out_type = typename Cut::out_type;
  using byte = unsigned char;
  static constexpr int num_inputs = Cut::num_inputs, num_outputs = Cut::num_outputs;
  static constexpr int vector_items = Cut::vector_items;
  static constexpr int step = Cut::reversed ? -1 : 1;
  using vectors = walk_vectors<Cut, vector_items>;

 public:
  /// The row's elements, the first in memory; `lines`: of scan_folds, this lane's.
  const in_type* from[num_inputs];
  out_type* to[num_outputs];
  T* lines;
  typename Cut::constants common;

  /// All of the row, after `start`; returns the fold of both.
  __device__ prefix<T> scan(const Cut& scan, const prefix<T>& start) const {
    prefix<T> running = start;
    T delayed[7] = {};  // (set, or cicc takes one for another)
    int first = scan.first_of(0);
#pragma unroll 1
    for (int i = 0; i < scan.row_vectors; ++i, first += step * vector_items) {
      typename vectors::vectors items;
#pragma unroll
      for (int k = 0; k < num_inputs; ++k) {
        items.of[k] = vectors::in_items::read(from[k] + first + Cut::beside_in_memory(k));
      }
      items.common = common;
      begin_beside<Cut, vector_items>(items, i == 0);
      vectors mine;
      const T folded = mine.fold(scan, items, true, i == 0 && !start.exists);
      typename vectors::results results;
      mine.scan(scan, items, running, results);
#pragma unroll
      for (int k = 0; k < num_outputs; ++k) {
        vectors::out_items::write(to[k] + first, results.of[k]);
      }
      running = join(start, {scan_folds(scan, folded, i, delayed), true}, scan.op);
    }
    return scan_rest(scan, running);
  }

  /// What fills no vector, after `running`. (Of results that are not of the steps alone the row's
  /// last is to be put right: see write_ends.)
  __device__ prefix<T> scan_rest(const Cut& scan, prefix<T> running) const {
    const int done = scan.row_vectors * vector_items;
    const int first = Cut::reversed ? scan.rest_items - 1 : done;
    item_of<Cut> items[vector_items];
#pragma unroll
    for (int k = 0; k < num_inputs; ++k) {
#pragma unroll
      for (int i = 0; i < vector_items - 1; ++i) {
        items[i].common = common;
        if (i >= scan.rest_items) continue;
        // (Of the last one nobody asks what is behind it, where others may have put results.)
        const bool is_there = Cut::beside(k) < 0   ? i > 0 || done > 0
                              : Cut::beside(k) > 0 ? i < scan.rest_items - 1
                                                   : true;
        items[i].elements[k] =
            is_there ? from[k][first + i * step + Cut::beside_in_memory(k)] : one_of<in_type>();
      }
    }
#pragma unroll
    for (int i = 0; i < vector_items - 1; ++i) {
      if (i >= scan.rest_items) continue;
      const auto results = results_of<Cut>::scanned(scan, items[i], running);
#pragma unroll
      for (int k = 0; k < num_outputs; ++k) to[k][first + i * step] = results.of[k];
    }
    return running;
  }

 private:
  /// H of the folds up to vector `i`, whose fold is `value`: each level takes what another vector
  /// had before it. The long lines of those are in shared memory.
  __device__ T scan_folds(const Cut& scan, T value, int i, T (&delayed)[7]) const {
#pragma unroll
    for (int delta = 1; delta <= 4; delta *= 2) {
      T* const line = delayed + delta - 1;
      const T earlier = line[0];
#pragma unroll
      for (int k = 1; k < delta; ++k) line[k - 1] = line[k];
      line[delta - 1] = value;
      if (i >= delta) value = scan.op(earlier, value);
    }
    T* line = lines;
#pragma unroll
    for (int delta = 8; delta <= 16; delta *= 2) {
      if (scan.row_vectors > delta) {
        T& place = line[i % delta * scan.lanes];
        const T earlier = place;
        place = value;
        if (i >= delta) value = scan.op(earlier, value);
      }
      line += delta * scan.lanes;
    }
    return value;
  }
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
