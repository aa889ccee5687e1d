// What a block does with the vectors of a tile in which segments may begin: marks where, folds and
// scans.
#ifndef SCAN_DEVICE_SEGMENT_VECTORS_CUH
#define SCAN_DEVICE_SEGMENT_VECTORS_CUH

#include <cstdint>

#include "scan/device/vector_scan.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// `Problem` is a segment_wave or segment_round. Where segments have values of their own that takes
/// loops of a few more steps an item.
template <class Problem>
class segment_vectors {
 public:
  static constexpr int vector_items = Problem::vector_items;
  using T = typename Problem::T;
  using V = typename Problem::V;
  using in_type = typename Problem::in_type;
  using out_type = typename Problem::out_type;
  using base = vector_scan<typename Problem::Plain, vector_items>;
  using in_vectors = typename base::vectors;
  using in_items = typename base::in_items;
  using out_items = typename base::out_items;
  using heads_type = typename Problem::heads_type;

  __device__ explicit segment_vectors(heads_type& heads) : heads_(heads) {}

  /// Marks the heads of the tile that begins at item `first`. All threads.
  __device__ void enter(const Problem& scan, std::int64_t first, int num_items) {
    heads_.mark(scan, first, num_items);
  }

  /// Means nothing where the vector does not exist; then the operator sees nothing of it.
  __device__ T fold(const Problem& scan, const in_vectors& from, bool exists, int row,
                    int place) const {
    if (!exists) return {};
    const in_items items = in_items::unpack(from.of[0]);
    const auto heads = heads_.template of<vector_items>(row, place * vector_items);
    if constexpr (Problem::has_values) {
      if (has_own_values(scan)) {
        return {fold_valued(scan, items, place * vector_items), heads.any() ? 1u : 0u};
      }
    }
    V value = scan.begin(scan.take(items[0]), heads[0]);
#pragma unroll
    for (int i = 1; i < vector_items; ++i)
      value = scan.follow(value, scan.take(items[i]), heads[i]);
    return {value, heads.any() ? 1u : 0u};
  }

  __device__ prefix<T> scan(const Problem& scan, const in_vectors& from, const prefix<T>& before,
                            typename base::out_vector& results, int row, int place) const {
    const in_items items = in_items::unpack(from.of[0]);
    out_items scanned;
    V running = before.value.value;
    if (has_own_values(scan)) {
      if constexpr (Problem::has_values) {
#pragma unroll 1
        for (int i = 0; i < vector_items; ++i) {
          scanned[i] = scan_valued(scan, items[i], place * vector_items + i, running);
        }
      }
    } else {
      const auto heads = heads_.template of<vector_items>(row, place * vector_items);
#pragma unroll
      for (int i = 0; i < vector_items; ++i) {
        scanned[i] = scan.scan_item(items[i], heads[i], running);
      }
    }
    results = scanned.pack();
    return {{running, 1}, true};
  }

  /// One item by itself; `place`: in the tile.
  __device__ out_type scan_item(const Problem& scan, const in_type& item, prefix<T>& running,
                                int place) const {
    running.exists = true;
    if constexpr (Problem::has_values) {
      if (has_own_values(scan)) return scan_valued(scan, item, place, running.value.value);
    }
    return scan.scan_item(item, heads_.is_head(place), running.value.value);
  }

 private:
  /// Whether each segment has an init or a total of its own.
  __device__ static bool has_own_values(const Problem& scan) {
    if constexpr (Problem::has_values) {
      return scan.valued();
    } else {
      return false;
    }
  }
  __device__ V fold_valued(const Problem& scan, const in_items& items, int place) const {
    V value;
#pragma unroll 1
    for (int i = 0; i < vector_items; ++i) {
      const V item = scan.take(items[i]);
      if (heads_.is_head(place + i)) {
        value = scan.begun(heads_.segment_at(scan, place + i), item);
      } else {
        value = i == 0 ? item : static_cast<V>(scan.op.op(value, item));
      }
    }
    return value;
  }
  __device__ out_type scan_valued(const Problem& scan, const in_type& element, int place,
                                  V& running) const {
    const V item = scan.take(element);
    V before = running;
    if (heads_.is_head(place)) {
      const std::int64_t segment = heads_.segment_at(scan, place);
      before = scan.init_of(segment);
      running = scan.begun(segment, item);
    } else {
      running = static_cast<V>(scan.op.op(running, item));
    }
    if (scan.total != nullptr) heads_.write_total_of(scan, place, running);
    return scan.give(scan.exclusive ? before : running);
  }

  heads_type& heads_;
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
