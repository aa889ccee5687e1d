// A lane's run of a chunk in shared memory: vectors that follow each other, and the items behind
// the row's last whole one. Runs are folded item after item, in the ring's order.
#ifndef SCAN_DEVICE_WALK_ROUND_RUN_CUH
#define SCAN_DEVICE_WALK_ROUND_RUN_CUH

#include "scan/device/fold/items.cuh"
#include "scan/device/fold/vector_scan.cuh"
#include "scan/device/move/walk_beside.cuh"
#include "scan/device/walk/row_round_cut.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// `Cut` is a row_round_cut, of whose rows `Row` is one.
template <class Cut, class Row>
class round_run {
 protected:
  using T = typename Cut::T;
  using in_type = typename Cut::in_type;
  using out_type = typename Cut::out_type;
  static constexpr int num_inputs = Cut::num_inputs, num_outputs = Cut::num_outputs;
  static constexpr int vector_items = Cut::vector_items, run = Cut::run;
  static constexpr int run_items = run * vector_items;
  static constexpr bool reversed = Cut::reversed;
  using scans = vector_scan<Row, vector_items>;
  using unpacked = typename scans::unpacked;
  using in_vector = typename scans::in_vector;
  using out_vector = typename scans::out_vector;
  using out_items = typename scans::out_items;

 public:
  /// Of the warp's `slots`, in which are the items of `chunk`.
  __device__ round_run(unsigned char* slots, const row_chunk& chunk)
      : slots_(slots), chunk_(chunk), left_(chunk.count - lane_index() * run_items) {}
  /// Lanes of the chunk that have whole runs.
  __device__ int num_whole() const { return chunk_.count / run_items; }
  /// Puts there what steps at the ends of the row, which is so `length`, read beside it: see
  /// gradient_problem. `shift_of`: how far above their places items are.
  template <class ShiftOf>
  __device__ void fill_ends(std::int64_t length, ShiftOf shift_of) {
    const bool is_first = chunk_.first == 0, is_last = chunk_.first + chunk_.count == length;
#pragma unroll
    for (int which = 0; which < num_inputs; ++which) {
      const int beside = Cut::beside(which);
      if (lane_index() == 0 && ((beside < 0 && is_first) || (beside > 0 && is_last))) {
        auto* const bytes = Cut::in_slot_of(slots_, which).bytes + shift_of(which);
        reinterpret_cast<in_type*>(bytes)[place_of(beside < 0 ? 0 : chunk_.count - 1)] =
            one_of<in_type>();
      }
    }
    __syncwarp();
  }
  __device__ bool has_items() const { return left_ > 0; }
  /// Whether it has the chunk's last item.
  __device__ bool has_last() const { return left_ > 0 && left_ <= run_items; }

  /// The fold of a whole run; of others it means nothing. `is_first`: see run_of.
  __device__ T fold(const Row& row, bool is_first) const {
    T folded;
    if (left_ >= run_items) {
      const loaded vectors(*this, row);
#pragma unroll
      for (int i = 0; i < run; ++i) fold_vector(row, vectors.vector(i), i, is_first, folded);
    }
    return folded;
  }
  /// Scans the run after `running`; results go to their slots. Returns the fold of both.
  __device__ prefix<T> scan(const Row& row, prefix<T> running) const {
    const loaded vectors(*this, row);
#pragma unroll
    for (int i = 0; i < run; ++i) {
      if (has_vector(i)) scan_vector(row, vectors.vector(i), i, running);
    }
    return scan_rest(row, vectors.common, running);
  }
  /// What the row's last item has otherwise than scan() says.
  __device__ void finish_row([[maybe_unused]] const Row& row,
                             [[maybe_unused]] const prefix<T>& end) const {
    if constexpr (num_outputs > 1) {
      results<out_type>(1)[place_of(chunk_.count - 1)] = row.last_second(end.value);
    }
  }

 protected:
  __device__ bool has_vector(int i) const { return left_ >= (i + 1) * vector_items; }
  /// The items behind the row's last vector.
  __device__ prefix<T> scan_rest(const Row& row, const typename Row::constants& common,
                                 prefix<T> running) const {
    const int rest = left_ < run_items ? max(left_, 0) % vector_items : 0;
#pragma unroll 1
    for (int i = rest; i > 0; --i) {  // (the chunk's last items)
      item_of<Row> item{{}, common};
      const int at = place_of(chunk_.count - i);
#pragma unroll
      for (int k = 0; k < num_inputs; ++k) item.elements[k] = items<in_type>(k)[at];
      const auto given = results_of<Row>::scanned(row, item, running);
#pragma unroll
      for (int k = 0; k < num_outputs; ++k) results<out_type>(k)[at] = given.of[k];
    }
    return running;
  }

  /// All at once, so that the loads overlap: results may go where items have come from. (Whether
  /// vectors are there or not, which would be a branch for each; a slot has room for them.)
  struct loaded {
    in_vector of[num_inputs][run];
    typename Row::constants common;
    __device__ loaded(const round_run& from, const Row& row) : common(row.in_common()) {
#pragma unroll
      for (int i = 0; i < run; ++i) {
#pragma unroll
        for (int k = 0; k < num_inputs; ++k) {
          of[k][i] = from.template items<in_vector>(k)[from.vector_place(i)];
        }
      }
    }
    __device__ auto vector(int i) const {
      typename scans::vectors one;
#pragma unroll
      for (int k = 0; k < num_inputs; ++k) one.of[k] = of[k][i];
      one.common = common;
      return one;
    }
  };

  using vector = typename scans::vectors;
  /// (Of what is no recurrence in any order, by words where there are operations of these.)
  __device__ static void fold_vector(const Row& row, const vector& from, int i, bool is_first,
                                     T& folded) {
    if constexpr (!Row::is_recurrence) {
      const T mine = scans::fold(row, from, true);
      folded = i == 0 ? mine : static_cast<T>(row.op(folded, mine));
    } else {
      const unpacked items(from);
#pragma unroll
      for (int k = 0; k < vector_items; ++k) {
        if (i == 0 && k == 0) {
          folded = run_of<T>(take(row, items[0]), is_first);
        } else {
          folded = row.op(folded, take(row, items[k]));
        }
      }
    }
  }
  __device__ void scan_vector(const Row& row, const vector& from, int i, prefix<T>& running) const {
    out_vector scanned[num_outputs];
    if constexpr (num_outputs == 1) {
      running = scans::scan(row, from, running, scanned[0]);
    } else {
      const unpacked items(from);
      out_items elements[num_outputs];
#pragma unroll
      for (int k = 0; k < vector_items; ++k) {
        const auto given = results_of<Row>::scanned(row, items[k], running);
#pragma unroll
        for (int which = 0; which < num_outputs; ++which) elements[which][k] = given.of[which];
      }
#pragma unroll
      for (int which = 0; which < num_outputs; ++which) scanned[which] = elements[which].pack();
    }
#pragma unroll
    for (int which = 0; which < num_outputs; ++which) {
      results<out_vector>(which)[vector_place(i)] = scanned[which];
    }
  }

  // What is in the slots: items, or vectors of them.
  template <class Item>
  __device__ const Item* items(int which) const {
    return reinterpret_cast<const Item*>(Cut::in_slot_of(slots_, which).bytes);
  }
  template <class Item>
  __device__ Item* results(int which) const {
    return reinterpret_cast<Item*>(Cut::out_slot_of(slots_, which).bytes);
  }
  /// Where there its item, or vector, is.
  __device__ static int place_of(int item) { return reversed ? Cut::chunk_items - 1 - item : item; }
  __device__ static int vector_place(int i) {
    const int vector = lane_index() * run + i;
    return reversed ? warp_size * run - 1 - vector : vector;
  }

  unsigned char* slots_;
  row_chunk chunk_;
  int left_;  // items from the run's first on, or less than 0
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
