// Thread runs: a warp's chunk in shared memory, of which each thread folds and scans a run of
// consecutive items. Lanes are an odd number of vectors apart, so they meet different banks.
#ifndef SCAN_DEVICE_FOLD_THREAD_RUNS_CUH
#define SCAN_DEVICE_FOLD_THREAD_RUNS_CUH

#include <cstdint>
#include <type_traits>

#include "scan/device/fold/items.cuh"
#include "scan/device/fold/packed.cuh"
#include "scan/device/fold/vector_scan.cuh"
#include "scan/device/fold/warp.cuh"
#include "scan/device/move/vector.cuh"
#include "scan/protocol/prefix.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// Where no segments begin within a sequence; whether the thread's run begins one of a recurrence,
/// with no init before it: see run_of.
struct no_heads {
  bool is_first = false;
};

/// `Cut` is a ring_cut, and `Problem` one or what its values are. Of a chunk only the first
/// `num_valid` items reach the operator.
template <class Problem, class Cut = Problem>
struct thread_runs {
  using T = typename Problem::T;
  using in_type = typename Problem::in_type;
  using out_type = typename Problem::out_type;
  static constexpr int num_vectors = Cut::ring.vectors_per_thread;
  static constexpr int vector_items = Cut::ring.vector_items;
  static constexpr int run_items = Cut::run_items;
  using in_vector = vector_elements<in_type, vector_items, Problem::reversed>;
  using out_vector = vector_elements<out_type, vector_items, Problem::reversed>;
  static constexpr int num_inputs = Problem::num_inputs;
  using scans = vector_scan<Problem, vector_items>;
  /// `of(which)`: the vector of an input.
  template <class Scan, class Of>
  __device__ static auto unpack_vector([[maybe_unused]] const Scan& scan, Of of) {
    if constexpr (!Problem::is_recurrence) {
      return in_vector::unpack(of(0));
    } else {
      typename scans::vectors vectors{{}, scan.in_common()};
#pragma unroll
      for (int which = 0; which < num_inputs; ++which) vectors.of[which] = of(which);
      return typename scans::unpacked(vectors);
    }
  }
  struct run {
    typename in_vector::packed vector[num_inputs][num_vectors];

    /// Vector `i`, by items: elements, or of a recurrence an item_of each. `scan`: a Problem, or
    /// what is made of one.
    template <class Scan>
    __device__ auto unpack(const Scan& scan, int i) const {
      return unpack_vector(scan, [&](int which) { return vector[which][i]; });
    }
  };
  struct run_elements {
    static constexpr int count = run_items;
    in_vector vector[num_inputs][num_vectors];
    typename Problem::constants common;

    __device__ run_elements(const Problem& scan, const run& packed) : common(scan.in_common()) {
#pragma unroll
      for (int which = 0; which < num_inputs; ++which) {
#pragma unroll
        for (int i = 0; i < num_vectors; ++i) {
          vector[which][i] = in_vector::unpack(packed.vector[which][i]);
        }
      }
    }
    __device__ decltype(auto) operator[](int i) const {
      if constexpr (!Problem::is_recurrence) {
        return (vector[0][i / vector_items][i % vector_items]);
      } else {
        item_of<Problem> item{{}, common};
#pragma unroll
        for (int which = 0; which < num_inputs; ++which) {
          item.elements[which] = vector[which][i / vector_items][i % vector_items];
        }
        return item;
      }
    }
  };

  /// What is kept of the fold before a lane, and the fold again.
  using lane_value = T;
  __device__ static const T& kept(const T& before) { return before; }
  __device__ static const T& restored(const T& before, no_heads) { return before; }

  /// What is known of a chunk's heads, for those who fold it, and who scan it. All lanes.
  template <class Scan, class Stage>
  __device__ static auto heads_to_fold([[maybe_unused]] const Scan& scan,
                                       [[maybe_unused]] std::int64_t tile, const Stage& stage,
                                       int c) {
    auto heads = stage.of_chunk(c);
    if constexpr (Problem::is_recurrence && std::is_same_v<decltype(heads), no_heads>) {
      heads.is_first = tile == 0 && c == 0 && lane_index() == 0 && !scan.has_init();
    }
    return heads;
  }
  template <class Scan, class Stage>
  __device__ static auto heads_to_scan(const Scan&, std::int64_t, const Stage& stage, int c) {
    return stage.of_chunk(c);
  }
  /// When all lanes have scanned chunk `c` of the tile.
  template <class Scan, class Stage, class End, class Heads>
  __device__ static void finish(const Scan&, std::int64_t, const Stage&, int, unsigned char*, int,
                                const End&, const Heads&) {}

  __device__ static bool holds_last(int num_valid) {
    return lane_index() == (num_valid - 1) / run_items;
  }

  /// The fold of this thread's items; means nothing without any.
  __device__ static T fold(const Problem& scan, const unsigned char* chunk, int num_valid,
                           no_heads heads = {}) {
    const int num_mine = num_valid - lane_index() * run_items;
    return num_mine >= run_items ? fold_run(scan, load(chunk), heads.is_first)
                                 : fold_part(scan, chunk, num_mine, heads.is_first);
  }

  /// Scans this thread's items after `before` and writes the results, which may take the items'
  /// place; returns the fold of both.
  __device__ static prefix<T> scan_items(const Problem& scan, const unsigned char* chunk,
                                         unsigned char* results, int num_valid,
                                         const prefix<T>& before, no_heads = {}) {
    const int num_mine = num_valid - lane_index() * run_items;
    return num_mine >= run_items ? scan_run(scan, load(chunk), results, before)
                                 : scan_part(scan, chunk, results, num_mine, before);
  }

 protected:
  template <class U>
  __device__ static auto& vector_at(U* chunk, int i) {
    constexpr int last = warp_size * num_vectors - 1;
    const int vector = lane_index() * num_vectors + i;
    return chunk[Problem::reversed ? last - vector : vector];
  }
  __device__ static const typename in_vector::packed& vector_of(const unsigned char* chunk,
                                                                int which, int i) {
    const unsigned char* const of_input = chunk + which * Cut::slots_apart;
    return vector_at(reinterpret_cast<const typename in_vector::packed*>(of_input), i);
  }
  template <class U>
  __device__ static auto& item_at(U* chunk, int i) {
    const int item = lane_index() * run_items + i;
    return chunk[Problem::reversed ? Cut::warp_items - 1 - item : item];
  }

  /// All at once, so that the loads overlap: results may go where items have come from.
  __device__ static run load(const unsigned char* chunk) {
    run items;
#pragma unroll
    for (int which = 0; which < num_inputs; ++which) {
#pragma unroll
      for (int i = 0; i < num_vectors; ++i) items.vector[which][i] = vector_of(chunk, which, i);
    }
    return items;
  }
  /// Vector `i` by itself, unpacked: see run.
  template <class Scan>
  __device__ static auto load_vector(const Scan& scan, const unsigned char* chunk, int i) {
    return unpack_vector(scan, [&](int which) { return vector_of(chunk, which, i); });
  }
  /// Item `i` of this thread's, as above.
  template <class Scan>
  __device__ static decltype(auto) load_item([[maybe_unused]] const Scan& scan,
                                             const unsigned char* chunk, int i) {
    if constexpr (!Problem::is_recurrence) {
      return item_at(reinterpret_cast<const in_type*>(chunk), i);
    } else {
      item_of<Problem> item{{}, scan.in_common()};
#pragma unroll
      for (int which = 0; which < num_inputs; ++which) {
        item.elements[which] =
            item_at(reinterpret_cast<const in_type*>(chunk + which * Cut::slots_apart), i);
      }
      return item;
    }
  }

 private:
  __device__ static T fold_run(const Problem& scan, const run& items, bool is_first) {
    if constexpr (packed<Problem>::folds && sizeof(items.vector[0][0]) % 4 == 0) {
      packed_fold<Problem> folded(scan);
#pragma unroll
      for (const auto& vector : items.vector[0]) folded.take(vector);
      return folded.result();
    } else {
      return fold_items(scan, run_elements(scan, items), run_items, is_first);
    }
  }
  /// A loop, unlike fold_items: who has part of a run is the last, and what is unrolled takes
  /// registers of all.
  __device__ static T fold_part(const Problem& scan, const unsigned char* chunk, int num_mine,
                                bool is_first) {
    auto op = scan.op;
    T value;
    if (num_mine > 0) value = run_of<T>(take(scan, load_item(scan, chunk, 0)), is_first);
    for (int i = 1; i < num_mine; ++i) value = op(value, take(scan, load_item(scan, chunk, i)));
    return value;
  }

  __device__ static prefix<T> scan_run(const Problem& scan, const run& items,
                                       unsigned char* results, prefix<T> running) {
    auto* to = reinterpret_cast<typename out_vector::packed*>(results);
    if constexpr (packed<Problem>::scans && sizeof(items.vector[0][0]) % 4 == 0) {
      packed_scan<Problem> words(scan, running);
#pragma unroll
      for (int i = 0; i < num_vectors; ++i) {
        vector_at(to, i) = words.scan(items.vector[0][i], scan.exclusive);
      }
      return {words.value(), true};
    } else {
#pragma unroll
      for (int i = 0; i < num_vectors; ++i) {
        const auto elements = items.unpack(scan, i);
        out_vector scanned;
#pragma unroll
        for (int k = 0; k < vector_items; ++k) scanned[k] = scan_item(scan, elements[k], running);
        vector_at(to, i) = scanned.pack();
      }
      return running;
    }
  }
  __device__ static prefix<T> scan_part(const Problem& scan, const unsigned char* chunk,
                                        unsigned char* results, int num_mine, prefix<T> running) {
    auto* to = reinterpret_cast<out_type*>(results);
    for (int i = 0; i < num_mine; ++i) {
      item_at(to, i) = scan_item(scan, load_item(scan, chunk, i), running);
    }
    return running;
  }
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
