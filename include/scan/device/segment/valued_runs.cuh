// Thread runs in which segments may begin that have an init each, or a total.
#ifndef SCAN_DEVICE_SEGMENT_VALUED_RUNS_CUH
#define SCAN_DEVICE_SEGMENT_VALUED_RUNS_CUH

#include <cstdint>

#include "scan/device/fold/warp.cuh"
#include "scan/device/segment/chunk_numbers.cuh"
#include "scan/device/segment/ring_values.cuh"
#include "scan/operators.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// As segment_runs, with the numbers of a chunk's segments.
template <class Problem>
struct valued_runs : segment_runs<Problem> {
  using base = segment_runs<Problem>;
  using typename base::held_run;
  using typename base::out_vector;
  using typename base::run_heads;
  using typename base::T;
  using typename base::V;
  using typename base::value_runs;
  using out_type = typename Problem::out_type;
  static constexpr int run_items = base::run_items;
  using numbers = chunk_numbers<Problem>;
  using heads_type = typename numbers::heads_type;
  using starts_type = segment_starts<Problem>;

  template <class Stage>
  __device__ static heads_type heads_to_fold(const Problem& scan, std::int64_t tile,
                                             const Stage& stage, int c) {
    if (!scan.looks_for_inits()) return {stage.of_chunk(c)};
    return numbers::numbered(scan, tile, stage, c);
  }
  template <class Stage>
  __device__ static heads_type heads_to_scan(const Problem& scan, std::int64_t tile,
                                             const Stage& stage, int c) {
    if (!scan.needs_numbers()) return {stage.of_chunk(c)};
    heads_type heads = numbers::numbered(scan, tile, stage, c);
    if (scan.total != nullptr && heads.count < 0) {
      // (Asked for here it is there when it is known what precedes the tile.)
#pragma unroll
      for (int k = 0; k < heads_type::num_ahead; ++k) {
        const std::int64_t mine = heads.begin + k * warp_size + lane_index();
        if (mine < heads.end) heads.ahead[k] = scan.boundaries().ask_boundary(mine);
      }
    }
    return heads;
  }

  /// The fold of this thread's items; means nothing without any.
  __device__ static T fold(const Problem& scan, const unsigned char* chunk, int num_valid,
                           const heads_type& of_chunk) {
    const run_heads heads(of_chunk.bits, of_chunk.first + lane_index() * run_items);
    if constexpr (base::has_single_way) {
      if (!__any_sync(all_lanes, heads.any())) {
        return {value_runs::fold(scan.values(), chunk, num_valid), 0};
      }
    }
    // What precedes the last head in the run is seen by nobody.
    const int last = heads.last();
    V start = scan.first_output;
    if (scan.looks_for_inits()) {
      const std::int64_t first = numbered_before(of_chunk, heads);
      if (last >= 0) {
        const auto boundary = scan.boundaries();
        const std::int64_t j = first >= 0
                                   ? first + heads.num_heads() - 1
                                   : segment_with(boundary, of_chunk, of_chunk.item_of(last));
        start = scan.init_of(boundary.segment(j));
      }
    }
    const int num_mine = num_valid - lane_index() * run_items;
    const V value = num_mine >= run_items ? fold_run(scan, held_run{chunk}, heads, last, start)
                                          : fold_part(scan, chunk, heads, last, start, num_mine);
    return {value, heads.any() ? 1u : 0u};
  }

  /// Scans this thread's items after `before` and writes the results, which may take the items'
  /// place; returns the fold of both.
  __device__ static prefix<T> scan_items(const Problem& scan, const unsigned char* chunk,
                                         unsigned char* results, int num_valid,
                                         const prefix<T>& before, const heads_type& of_chunk) {
    const bool leaves_totals = scan.exclusive && scan.total != nullptr;
    const run_heads heads(of_chunk.bits, of_chunk.first + lane_index() * run_items);
    const bool has_inits = scan.looks_for_inits();
    if ((!has_inits && !leaves_totals) || !__any_sync(all_lanes, heads.any())) {
      return base::scan_items(scan, chunk, results, num_valid, before, of_chunk);
    }
    const int num_mine = num_valid - lane_index() * run_items;
    V running = before.value.value;
    starts_type starts{scan, of_chunk};
    if (has_inits) starts.find(heads, numbered_before(of_chunk, heads));
    if (!has_inits || !__any_sync(all_lanes, heads.num_heads() > 1)) {
      V start = scan.first_output;
      if (has_inits && heads.any()) start = starts.of_next();
      const run_heads shown = leaves_totals ? run_heads{} : heads;
      running = base::scan_heads(scan, chunk, results, num_valid, before, heads, start, shown)
                    .value.value;
    } else if (num_mine >= run_items && starts.are_known) {
      scan_run(scan, chunk, results, heads, starts, leaves_totals, running);
    } else {
      scan_part(scan, chunk, results, heads, min(num_mine, run_items), starts, leaves_totals,
                running);
    }
    if (leaves_totals) {
      // (Where a run begins the fold before it, `before`, may be rounded otherwise.)
      const unsigned begun = __ballot_sync(all_lanes, heads[0]);
      __syncwarp();  // which has written its first result: a ballot orders no stores
      if (num_mine > run_items && lane_index() + 1 < warp_size &&
          (begun >> (lane_index() + 1) & 1) != 0) {
        value_runs::item_at(reinterpret_cast<out_type*>(results), run_items) = scan.give(running);
      }
    }
    return {{running, 1}, true};
  }

  /// All lanes have scanned their items, `end` of each. (What is known of a chunk's heads is read
  /// again: kept all the time it would take registers.)
  template <class Stage>
  __device__ static void finish(const Problem& scan, std::int64_t tile, const Stage& stage, int c,
                                unsigned char* results, int num_valid, const prefix<T>& end,
                                const heads_type& of_chunk) {
    // (Of an inclusive scan, where nothing ends, there is nothing to write.)
    if (scan.total != nullptr &&
        uniform(of_chunk.count != 0 || of_chunk.item == 0 || scan.exclusive)) {
      write_totals(scan, tile, stage, c, results, num_valid, end, of_chunk);
    }
    if constexpr (is_unrounded<typename Problem::Values>) store_rounded(scan, results, num_valid);
  }

 private:
  template <class Stage>
  __device__ static void write_totals(const Problem& scan, std::int64_t tile, const Stage& stage,
                                      int c, unsigned char* results, int num_valid,
                                      const prefix<T>& end, const heads_type& of_chunk) {
    heads_type heads = numbers::located(scan, tile, stage, c);
    heads.count = of_chunk.count;
    if (heads.count < 0) heads.end = numbers::end_of(scan, heads, stage, c);
#pragma unroll
    for (int k = 0; k < heads_type::num_ahead; ++k) heads.ahead[k] = of_chunk.ahead[k];
    out_type last{};  // of an exclusive scan alone
    if (scan.exclusive) last = shuffle(scan.give(end.value.value), (num_valid - 1) / run_items);
    __syncwarp();
    chunk_totals<Problem>{scan, reinterpret_cast<out_type*>(results), num_valid, heads, last}
        .write();
    __syncwarp();
  }
  /// Puts results in the place of the values that they are made of. (A caller's function sees none
  /// behind the last item.) All lanes.
  __device__ static void store_rounded(const Problem& scan, unsigned char* results, int num_valid) {
    using rounded = vector_elements<typename Problem::Values::stored_type, base::vector_items,
                                    Problem::reversed>;
    const int num_mine = num_valid - lane_index() * run_items;
    typename rounded::packed run[base::num_vectors];
#pragma unroll
    for (int i = 0; i < base::num_vectors; ++i) {
      const auto from = out_vector::unpack(
          value_runs::vector_at(reinterpret_cast<typename out_vector::packed*>(results), i));
      rounded to{};
#pragma unroll
      for (int k = 0; k < base::vector_items; ++k) {
        if (Problem::is_recurrence || i * base::vector_items + k < num_mine) {
          to[k] = scan.stored(from[k]);
        }
      }
      run[i] = to.pack();
    }
    __syncwarp();  // all have read: what is stored takes another place
    auto* const to = reinterpret_cast<typename rounded::packed*>(results);
#pragma unroll
    for (int i = 0; i < base::num_vectors; ++i) value_runs::vector_at(to, i) = run[i];
  }

  /// The boundary at this lane's first head, if no segment in the chunk is empty, else -1. All
  /// lanes.
  __device__ static std::int64_t numbered_before(const heads_type& of_chunk,
                                                 const run_heads& heads) {
    if (of_chunk.count < 0) return -1;
    const int mine = heads.num_heads();
    const int before = warp_inclusive_scan(mine, warp_size, plus{}) - mine;
    const bool at_first = (of_chunk.bits[of_chunk.first / 32] & 1) != 0;
    return of_chunk.begin - (at_first ? 1 : 0) + before;
  }

  __device__ static V fold_run(const Problem& scan, const held_run& items, const run_heads& heads,
                               int last, const V& start) {
    V value;
#pragma unroll 1
    for (int i = 0; i < base::num_vectors; ++i) {
      const auto elements = items.vector(scan, i);
      const unsigned begun = heads.from(i * base::vector_items);
#pragma unroll
      for (int k = 0; k < base::vector_items; ++k) {
        const bool head = (begun >> k & 1) != 0;
        follow(scan, scan.taken(elements[k]), i * base::vector_items + k, head, last, start, value);
      }
    }
    return value;
  }
  __device__ static V fold_part(const Problem& scan, const unsigned char* chunk,
                                const run_heads& heads, int last, const V& start, int num_mine) {
    V value;
#pragma unroll 1
    for (int i = 0; i < num_mine; ++i) {
      const auto own = scan.taken(value_runs::load_item(scan, chunk, i));
      follow(scan, own, i, heads[i], last, start, value);
    }
    return value;
  }
  /// Item `i` of the run: an operand, or a step. Operators of the caller's own see each init with
  /// its own segment alone.
  template <class Own>
  __device__ static void follow(const Problem& scan, const Own& own, int i, bool head, int last,
                                const V& start, V& value) {
    if constexpr (Problem::has_start) {
      value = i == 0 && !head ? own : static_cast<V>(scan.op.op(head ? start : value, own));
    } else if (i == last && scan.has_init()) {
      value = static_cast<V>(scan.op.op(start, own));
    } else {
      value = i == 0 || head ? run_of<V>(own, head) : static_cast<V>(scan.op.op(value, own));
    }
  }

  /// A loop, for the sake of those who do not come here: unrolled it takes registers of all.
  __device__ static void scan_run(const Problem& scan, const unsigned char* chunk,
                                  unsigned char* results, const run_heads& heads,
                                  starts_type& starts, bool leaves_totals, V& running) {
    constexpr int vector_items = base::vector_items;
    // (All of a vector are asked for before the first is used, of maps as many as registers hold.)
    constexpr int at_once = Problem::is_recurrence && vector_items > 4 ? 4 : vector_items;
    auto* const to = reinterpret_cast<typename out_vector::packed*>(results);
#pragma unroll 1
    for (int i = 0; i < base::num_vectors; ++i) {
      const auto elements = value_runs::load_vector(scan, chunk, i);
      const unsigned bits = heads.from(i * vector_items);
      out_vector scanned;
#pragma unroll
      for (int from = 0; from < vector_items; from += at_once) {
        V start[at_once];
#pragma unroll
        for (int k = 0; k < at_once; ++k) {
          if ((bits >> (from + k) & 1) != 0) start[k] = starts.of_next();
        }
#pragma unroll
        for (int k = 0; k < at_once; ++k) {
          const bool head = (bits >> (from + k) & 1) != 0;
          scanned[from + k] =
              scan.scan_item(elements[from + k], head, running, start[k], head && !leaves_totals);
        }
      }
      value_runs::vector_at(to, i) = scanned.pack();
    }
  }
  __device__ static void scan_part(const Problem& scan, const unsigned char* chunk,
                                   unsigned char* results, const run_heads& heads, int num_mine,
                                   starts_type& starts, bool leaves_totals, V& running) {
    auto* to = reinterpret_cast<out_type*>(results);
#pragma unroll 1
    for (int i = 0; i < num_mine; ++i) {
      const bool head = heads[i];
      V start = running;
      if (head) start = starts.of_item(i);
      value_runs::item_at(to, i) = scan.scan_item(value_runs::load_item(scan, chunk, i), head,
                                                  running, start, head && !leaves_totals);
    }
  }
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
