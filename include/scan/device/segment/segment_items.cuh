// What a block does with the vectors of a tile in which segments may begin: marks where, folds and
// scans.
#ifndef SCAN_DEVICE_SEGMENT_SEGMENT_ITEMS_CUH
#define SCAN_DEVICE_SEGMENT_SEGMENT_ITEMS_CUH

#include <cstdint>
#include <type_traits>

#include "scan/call/segment_heads.hpp"
#include "scan/device/fold/items.cuh"
#include "scan/device/fold/packed.cuh"
#include "scan/device/fold/thread_runs.cuh"
#include "scan/device/segment/head_bits.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// `Problem` is a segment_tiles.
template <class Problem>
class segment_vectors {
 public:
  static constexpr int vector_items = Problem::vector_items;
  using T = typename Problem::T;
  using V = typename Problem::V;
  using in_type = typename Problem::in_type;
  using out_type = typename Problem::out_type;
  using base = vector_scan<typename Problem::Values, vector_items>;
  using in_vectors = typename base::vectors;
  using unpacked = typename base::unpacked;
  using item = typename base::item;
  using out_items = typename base::out_items;
  using heads_type = typename Problem::heads_type;

  __device__ explicit segment_vectors(heads_type& heads) : heads_(heads) {}

  /// Marks the heads of the tile that begins at item `first`. All threads.
  __device__ void enter(const Problem& scan, std::int64_t first, int num_items) {
    heads_.mark(scan, first, num_items);
  }

  /// Means nothing where the vector does not exist; then the operator sees nothing of it.
  __device__ T fold(const Problem& scan, const in_vectors& from, bool exists, int stripe,
                    int place) const {
    if (!exists) return {};
    const unpacked items(from);
    const auto heads = heads_.template of<vector_items>(stripe);
    const auto starts = heads_.starts_of(scan, place);
    V value = scan.begin(scan.taken(items[0]), heads[0], starts[0]);
#pragma unroll
    for (int i = 1; i < vector_items; ++i) {
      value = scan.follow(value, scan.taken(items[i]), heads[i], starts[i]);
    }
    return {value, heads.any() ? 1u : 0u};
  }

  __device__ prefix<T> scan(const Problem& scan, const in_vectors& from, const prefix<T>& before,
                            typename base::out_vector& results, int stripe, int place) const {
    const unpacked items(from);
    const auto heads = heads_.template of<vector_items>(stripe);
    const auto starts = heads_.starts_of(scan, place);
    typename heads_type::vector_values folds;
    out_items scanned;
    V running = before.value.value;
#pragma unroll
    for (int i = 0; i < vector_items; ++i) {
      scanned[i] = scan.scan_item(items[i], heads[i], running, starts[i], heads[i]);
      folds[i] = running;
    }
    heads_.keep(scan, place, folds);
    results = scanned.pack();
    return {{running, 1}, true};
  }

  /// One item by itself; `place`: in the tile.
  __device__ out_type scan_item(const Problem& scan, const item& elements, prefix<T>& running,
                                int place) const {
    running.exists = true;
    const bool head = heads_.is_head(place);
    const out_type result =
        scan.scan_item(elements, head, running.value.value, heads_.start_at(scan, place), head);
    heads_.keep(scan, place, running.value.value);
    return result;
  }

 private:
  heads_type& heads_;
};

// ---- Thread runs in which segments may begin: as thread_runs, with the heads of a tile beside its
// items.

/// The heads of a chunk: the bits of its tile, in which it starts at item `first`.
struct chunk_heads {
  const unsigned* bits;
  int first;
};

/// `Problem` is a segment_chunks. Chunks without heads take the same code as others, but for narrow
/// integers, which without heads are folded in words; and where the code of a run is long it is a
/// loop over vectors (has_loops). Warps with other roles run theirs meanwhile, and all of it has to
/// fit a cache of instructions. (bench/NOTES.md, "What instruction caches hold")
template <class Problem>
struct segment_runs : thread_runs<typename Problem::Values, Problem> {
  using T = typename Problem::T;
  using V = typename Problem::V;
  using value_runs = thread_runs<typename Problem::Values, Problem>;
  using typename value_runs::in_vector;
  using typename value_runs::out_vector;
  using typename value_runs::run;
  static constexpr int run_items = Problem::run_items;
  static constexpr int num_vectors = value_runs::num_vectors;
  static constexpr int vector_items = value_runs::vector_items;
  using run_heads = item_heads<run_items>;

  using lane_value = V;
  __device__ static const V& kept(const T& before) { return before.value; }
  __device__ static T restored(const V& before, const chunk_heads& of_chunk) {
    const run_heads heads(of_chunk.bits, of_chunk.first + lane_index() * run_items);
    const unsigned runs = __ballot_sync(all_lanes, heads.any());
    return {before, (runs & lanes_below()) != 0 ? 1u : 0u};
  }

  /// The fold of this thread's items; means nothing without any.
  __device__ static T fold(const Problem& scan, const unsigned char* chunk, int num_valid,
                           const chunk_heads& of_chunk) {
    const run_heads heads(of_chunk.bits, of_chunk.first + lane_index() * run_items);
    if constexpr (has_single_way) {
      if (!__any_sync(all_lanes, heads.any())) {
        return {value_runs::fold(scan.values(), chunk, num_valid), 0};
      }
    }
    const int num_mine = num_valid - lane_index() * run_items;
    const V value = num_mine >= run_items ? fold_run(scan, held_run{chunk}, heads)
                                          : fold_part(scan, chunk, heads, num_mine);
    return {value, heads.any() ? 1u : 0u};
  }

  /// Scans this thread's items after `before` and writes the results, which may take the items'
  /// place; returns the fold of both.
  __device__ static prefix<T> scan_items(const Problem& scan, const unsigned char* chunk,
                                         unsigned char* results, int num_valid,
                                         const prefix<T>& before, const chunk_heads& of_chunk) {
    const run_heads heads(of_chunk.bits, of_chunk.first + lane_index() * run_items);
    if constexpr (has_single_way) {
      if (!__any_sync(all_lanes, heads.any())) {
        const auto end = value_runs::scan_items(scan.values(), chunk, results, num_valid,
                                                {before.value.value, before.exists});
        return {{end.value, before.value.has_head}, end.exists};
      }
    }
    return scan_heads(scan, chunk, results, num_valid, before, heads, scan.first_output, heads);
  }

 protected:
  static constexpr bool has_single_way = packed<typename Problem::Values>::folds;
  static constexpr int unrolled = Problem::has_loops ? 1 : num_vectors;
  /// A run's vectors: loaded all at once, so that the loads overlap (results may go where items
  /// have come from); or each by itself.
  struct whole_run {
    run items;
    __device__ explicit whole_run(const unsigned char* chunk) : items(value_runs::load(chunk)) {}
    __device__ auto vector(const Problem& scan, int i) const { return items.unpack(scan, i); }
  };
  struct run_by_vectors {
    const unsigned char* chunk;
    __device__ auto vector(const Problem& scan, int i) const {
      return value_runs::load_vector(scan, chunk, i);
    }
  };
  /// Heads of a run's vector; of one that is known beforehand they need not be brought together.
  struct vector_heads {
    const run_heads& of_run;
    int first;
    unsigned bits = 0;
    __device__ vector_heads(const run_heads& heads, int i)
        : of_run(heads), first(i * vector_items) {
      if constexpr (Problem::has_loops) bits = heads.from(first);
    }
    __device__ bool operator[](int k) const {
      if constexpr (Problem::has_loops) return (bits >> k & 1) != 0;
      return of_run[first + k];
    }
  };
  using held_run = std::conditional_t<Problem::has_loops, run_by_vectors, whole_run>;

  /// The same of a run in which each segment begins with `start`, and shows that at `shown`.
  __device__ static prefix<T> scan_heads(const Problem& scan, const unsigned char* chunk,
                                         unsigned char* results, int num_valid,
                                         const prefix<T>& before, const run_heads& heads,
                                         const V& start, const run_heads& shown) {
    const int num_mine = num_valid - lane_index() * run_items;
    V running = before.value.value;
    if (num_mine >= run_items) {
      const held_run items{chunk};
      auto* to = reinterpret_cast<typename out_vector::packed*>(results);
#pragma unroll unrolled
      for (int i = 0; i < num_vectors; ++i) {
        const auto elements = items.vector(scan, i);
        const vector_heads begun(heads, i), shows(shown, i);
        out_vector scanned;
#pragma unroll
        for (int k = 0; k < vector_items; ++k) {
          scanned[k] = scan.scan_item(elements[k], begun[k], running, start, shows[k]);
        }
        value_runs::vector_at(to, i) = scanned.pack();
      }
    } else {
      auto* to = reinterpret_cast<typename Problem::out_type*>(results);
#pragma unroll 1
      for (int i = 0; i < num_mine; ++i) {
        value_runs::item_at(to, i) = scan.scan_item(value_runs::load_item(scan, chunk, i), heads[i],
                                                    running, start, shown[i]);
      }
    }
    return {{running, 1}, true};
  }

 private:
  __device__ static V fold_run(const Problem& scan, const held_run& items, const run_heads& heads) {
    V value;
#pragma unroll unrolled
    for (int i = 0; i < num_vectors; ++i) {
      const auto elements = items.vector(scan, i);
      const vector_heads begun(heads, i);
#pragma unroll
      for (int k = 0; k < vector_items; ++k) {
        const auto own = scan.taken(elements[k]);
        value = i + k == 0 ? scan.begin(own, begun[k]) : scan.follow(value, own, begun[k]);
      }
    }
    return value;
  }
  __device__ static V fold_part(const Problem& scan, const unsigned char* chunk,
                                const run_heads& heads, int num_mine) {
    V value;
#pragma unroll 1
    for (int i = 0; i < num_mine; ++i) {
      const auto own = scan.taken(value_runs::load_item(scan, chunk, i));
      value = i == 0 ? scan.begin(own, heads[i]) : scan.follow(value, own, heads[i]);
    }
    return value;
  }
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
