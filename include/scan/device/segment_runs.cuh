// Thread runs in which segments may begin: as thread_runs, with the heads of a tile beside its
// items.
#ifndef SCAN_DEVICE_SEGMENT_RUNS_CUH
#define SCAN_DEVICE_SEGMENT_RUNS_CUH

#include "scan/device/head_bits.cuh"
#include "scan/device/thread_runs.cuh"
#include "scan/segment_fold.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// The heads of a chunk: the bits of its tile, in which it starts at item `first`.
struct chunk_heads {
  const unsigned* bits;
  int first;
};

/// `Problem` is a segment_ring. Chunks without heads, which all are of long segments, take the code
/// of single sequences.
template <class Problem>
struct segment_runs : thread_runs<typename Problem::Plain, Problem> {
  using T = typename Problem::T;
  using V = typename Problem::V;
  using plain_runs = thread_runs<typename Problem::Plain, Problem>;
  using typename plain_runs::in_vector;
  using typename plain_runs::out_vector;
  using typename plain_runs::run;
  static constexpr int run_items = Problem::run_items;
  static constexpr int num_vectors = plain_runs::num_vectors;
  static constexpr int vector_items = plain_runs::vector_items;
  using run_heads = item_heads<run_items>;

  using lane_value = V;
  __device__ static const V& kept(const T& before) { return before.value; }
  __device__ static T restored(const V& before, const chunk_heads& of_chunk) {
    const run_heads heads(of_chunk.bits, of_chunk.first + lane_index() * run_items);
    const unsigned runs = __ballot_sync(all_lanes, heads.any());
    return {before, (runs & ((1u << lane_index()) - 1)) != 0 ? 1u : 0u};
  }

  /// The fold of this thread's items; means nothing without any.
  __device__ static T fold(const Problem& scan, const unsigned char* chunk, int num_valid,
                           const chunk_heads& of_chunk) {
    const run_heads heads(of_chunk.bits, of_chunk.first + lane_index() * run_items);
    if (!__any_sync(all_lanes, heads.any())) {
      return {plain_runs::fold(scan.values(), chunk, num_valid), 0};
    }
    const int num_mine = num_valid - lane_index() * run_items;
    const V value = num_mine >= run_items ? fold_run(scan, plain_runs::load(chunk), heads)
                                          : fold_part(scan, chunk, heads, num_mine);
    return {value, heads.any() ? 1u : 0u};
  }

  /// Scans this thread's items after `before` and writes the results, which may take the items'
  /// place; returns the fold of both.
  __device__ static prefix<T> scan_items(const Problem& scan, const unsigned char* chunk,
                                         unsigned char* results, int num_valid,
                                         const prefix<T>& before, const chunk_heads& of_chunk) {
    const run_heads heads(of_chunk.bits, of_chunk.first + lane_index() * run_items);
    if (!__any_sync(all_lanes, heads.any())) {
      const auto end = plain_runs::scan_items(scan.values(), chunk, results, num_valid,
                                              {before.value.value, before.exists});
      return {{end.value, before.value.has_head}, end.exists};
    }
    const int num_mine = num_valid - lane_index() * run_items;
    V running = before.value.value;
    if (num_mine >= run_items) {
      scan_run(scan, plain_runs::load(chunk), results, heads, running);
    } else {
      scan_part(scan, chunk, results, heads, num_mine, running);
    }
    return {{running, 1}, true};
  }

 private:
  __device__ static V fold_run(const Problem& scan, const run& items, const run_heads& heads) {
    V value;
#pragma unroll
    for (int i = 0; i < num_vectors; ++i) {
      const in_vector elements = in_vector::unpack(items.vector[i]);
#pragma unroll
      for (int k = 0; k < vector_items; ++k) {
        const V item = scan.take(elements[k]);
        const bool head = heads[i * vector_items + k];
        value = i + k == 0 ? scan.begin(item, head) : scan.follow(value, item, head);
      }
    }
    return value;
  }
  __device__ static V fold_part(const Problem& scan, const unsigned char* chunk,
                                const run_heads& heads, int num_mine) {
    const auto* items = reinterpret_cast<const typename Problem::in_type*>(chunk);
    V value;
#pragma unroll 1
    for (int i = 0; i < num_mine; ++i) {
      const V item = scan.take(plain_runs::item_at(items, i));
      value = i == 0 ? scan.begin(item, heads[i]) : scan.follow(value, item, heads[i]);
    }
    return value;
  }

  __device__ static void scan_run(const Problem& scan, const run& items, unsigned char* results,
                                  const run_heads& heads, V& running) {
    auto* to = reinterpret_cast<typename out_vector::packed*>(results);
#pragma unroll
    for (int i = 0; i < num_vectors; ++i) {
      const in_vector elements = in_vector::unpack(items.vector[i]);
      out_vector scanned;
#pragma unroll
      for (int k = 0; k < vector_items; ++k) {
        scanned[k] = scan.scan_item(elements[k], heads[i * vector_items + k], running);
      }
      plain_runs::vector_at(to, i) = scanned.pack();
    }
  }
  __device__ static void scan_part(const Problem& scan, const unsigned char* chunk,
                                   unsigned char* results, const run_heads& heads, int num_mine,
                                   V& running) {
    const auto* items = reinterpret_cast<const typename Problem::in_type*>(chunk);
    auto* to = reinterpret_cast<typename Problem::out_type*>(results);
#pragma unroll 1
    for (int i = 0; i < num_mine; ++i) {
      plain_runs::item_at(to, i) = scan.scan_item(plain_runs::item_at(items, i), heads[i], running);
    }
  }
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
