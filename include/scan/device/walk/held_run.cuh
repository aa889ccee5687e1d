// A lane's run of a chunk in registers, from its fold to its scan.
#ifndef SCAN_DEVICE_WALK_HELD_RUN_CUH
#define SCAN_DEVICE_WALK_HELD_RUN_CUH

#include "scan/call/recurrence_maps.hpp"
#include "scan/device/fold/items.cuh"
#include "scan/device/move/vector.cuh"
#include "scan/device/walk/round_run.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// Of a recurrence; `Cut` is a row_round_cut, of whose rows `Row` is one. With two instructions a
/// step where no factor is 0 or NaN, which the product of all tells (one that has become 0 by
/// underflow is looked at twice). Operation by operation as round_run.
template <class Cut, class Row>
class held_run : public round_run<Cut, Row> {
  using base = round_run<Cut, Row>;
  using base::has_vector, base::left_, base::num_inputs, base::num_outputs, base::reversed;
  using base::run, base::run_items, base::slots_, base::vector_items, base::vector_place;
  using typename base::in_type, typename base::in_vector, typename base::out_items;
  using typename base::out_type, typename base::out_vector, typename base::T;
  using typename base::unpacked;
  static constexpr unsigned vector_bytes = sizeof(in_vector);

 public:
  using base::base;

  /// What items have in common, of which memory may be asked.
  __device__ void start(const Row& row) { common_ = row.in_common(); }
  /// Takes the run from the slots, where whole vectors lie so far above their places as `loads`
  /// say. (Whether they are there or not, which would be a branch for each; a slot has room for
  /// them.)
  template <class Loads>
  __device__ void read_whole(const Loads& loads) {
#pragma unroll
    for (int k = 0; k < num_inputs; ++k) read_vectors(k, loads.shift(k));
    __syncwarp();  // all have read: where they have results go
  }
  /// The same of vectors that lie anywhere. Items behind the last one go to their places.
  template <class Loads>
  __device__ void read(const Loads& loads) {
#pragma unroll
    for (int k = 0; k < num_inputs; ++k) {
      if (loads.shift(k) % vector_bytes == 0) {
        read_vectors(k, loads.shift(k));
      } else {
        read_across(k, loads.shift(k));
      }
    }
    const int last = vector_place(max(left_, 0) / vector_items);
    const bool has_rest = left_ > 0 && left_ < run_items && left_ % vector_items > 0;
    in_vector rest[num_inputs];
#pragma unroll
    for (int k = 0; k < num_inputs; ++k) {
      const in_vector* const from = vectors_at(k) + last + loads.shift(k) / vector_bytes;
      if (has_rest) rest[k] = across(from[0], from[1], loads.shift(k));
    }
    __syncwarp();  // all have read: what is written is not read again
#pragma unroll
    for (int k = 0; k < num_inputs; ++k) {
      if (has_rest) vectors_at(k)[last] = rest[k];
    }
  }

  /// As round_run, of what has been read.
  __device__ T fold(const Row& row, bool is_first) {
    T folded{};
    each_vector([&](int i, const unpacked& items) {
#pragma unroll
      for (int k = 0; k < vector_items; ++k) {
        const auto step = take(row, items[k]);
        const bool begins = i + k == 0;
        folded.offset =
            begins ? step.offset : multiply_add(step.factor, folded.offset, step.offset);
        folded.factor = begins ? step.factor : step.factor * folded.factor;
      }
    });
    const auto factor = folded.factor;
    is_plain_ = !has_vector(0) || factor > 0 || factor < 0;
    if (!is_plain_) {
#pragma unroll
      for (int i = 0; i < run; ++i) {
        if (!has_vector(i)) break;
        base::fold_vector(row, vectors_[i], i, is_first, folded);
      }
    } else if (is_first) {
      folded.factor = begins_anew<decltype(folded.factor)>;
    }
    return folded;
  }
  __device__ prefix<T> scan(const Row& row, prefix<T> running) const {
    if (is_plain_) {
      const bool is_first = !running.exists;
      each_vector([&](int i, const unpacked& items) {
        out_items given[num_outputs];
#pragma unroll
        for (int k = 0; k < vector_items; ++k) {
          const auto step = take(row, items[k]);
          const auto state = multiply_add(step.factor, running.value.offset, step.offset);
          running.value.offset = i + k == 0 && is_first ? step.offset : state;
          given[0][k] = row.give(running.value);
          if constexpr (num_outputs > 1) {
            given[1][k] = row.give_second(running.value, items[k].elements);
          }
        }
        running.exists = true;
#pragma unroll
        for (int which = 0; which < num_outputs; ++which) {
          base::template results<out_vector>(which)[vector_place(i)] = given[which].pack();
        }
      });
    } else {
#pragma unroll
      for (int i = 0; i < run; ++i) {
        if (!has_vector(i)) break;
        base::scan_vector(row, vectors_[i], i, running);
      }
    }
    return base::scan_rest(row, common_, running);
  }

 private:
  /// Calls do_vector(i, items) of those that are there.
  template <class DoVector>
  __device__ void each_vector(DoVector do_vector) const {
#pragma unroll
    for (int i = 0; i < run; ++i) {
      if (!has_vector(i)) break;
      do_vector(i, unpacked(vectors_[i]));
    }
  }

  __device__ in_vector* vectors_at(int k) const {
    return reinterpret_cast<in_vector*>(Cut::in_slot_of(slots_, k).bytes);
  }
  /// The run's first in memory.
  __device__ const in_vector* run_at(int k, unsigned shift) const {
    return vectors_at(k) + vector_place(reversed ? run - 1 : 0) + shift / vector_bytes;
  }
  /// Where the i-th there is in the run.
  __device__ static int in_run(int i) { return reversed ? run - 1 - i : i; }
  __device__ void read_vectors(int k, unsigned shift) {
    const in_vector* const from = run_at(k, shift);
#pragma unroll
    for (int i = 0; i < run; ++i) put(in_run(i), k, from[i]);
  }
  __device__ void read_across(int k, unsigned shift) {
    const in_vector* const from = run_at(k, shift);
    in_vector low = from[0];
#pragma unroll
    for (int i = 0; i < run; ++i) {
      const in_vector high = from[i + 1];
      put(in_run(i), k, across(low, high, shift));
      low = high;
    }
  }
  __device__ void put(int i, int k, const in_vector& vector) {
    vectors_[i].of[k] = vector;
    vectors_[i].common = common_;
  }
  __device__ static in_vector across(const in_vector& low, const in_vector& high, unsigned shift) {
    return shifted<sizeof(in_type) % 4 != 0>(low, high, shift % vector_bytes);
  }

  typename base::vector vectors_[run];
  typename Row::constants common_;
  bool is_plain_;
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
