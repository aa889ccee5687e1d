// A group of tiles of rows: a block holds it in shared memory from its one load to the one store of
// the results.
//
// The order of operations is that of the wave's tiles (wave_tile.cuh), but not who does what: a
// thread has a run of vectors that follow each other, and a share of 32 * rows vectors, which there
// is a warp's, is here some lanes'. So the scan of a share across lanes takes fewer steps, and what
// has to be found out about a place is found out once for all of the run.
//
// Lanes that read the first vectors of their runs would meet in the same banks: each goes round its
// run from another vector on.
#ifndef SCAN_DEVICE_ROW_TILE_CUH
#define SCAN_DEVICE_ROW_TILE_CUH

#include "scan/device/block_scan.cuh"
#include "scan/device/row_arrays.cuh"
#include "scan/device/row_look_back.cuh"
#include "scan/device/run_vectors.cuh"
#include "scan/device/short_rows_vectors.cuh"
#include "scan/device/value_scan.cuh"
#include "scan/device/vector_scan.cuh"

namespace scan::device {

/// `Problem` is a row_problem.
template <class Problem>
class row_tiles : public row_arrays<Problem> {
  using arrays = row_arrays<Problem>;
  using arrays::group_, arrays::input, arrays::output, arrays::parts_of, arrays::place_of;
  using arrays::scan_, arrays::tile_items;

 public:
  using T = typename Problem::T;
  using typename arrays::byte;
  using typename arrays::in_type;
  using typename arrays::out_type;
  static constexpr int vector_items = Problem::vector_items, num_inputs = Problem::num_inputs;
  static constexpr int rows = Problem::rows, run = Problem::run, values = Problem::values;
  static constexpr int share_threads = Problem::share_vectors / run;
  using scans = vector_scan<Problem, vector_items>;
  using in_vectors = short_rows_vectors<in_type, vector_items, Problem::reversed>;
  using out_vectors = short_rows_vectors<out_type, vector_items, Problem::reversed>;
  using in_vector = typename scans::in_vector;
  using out_vector = typename scans::out_vector;

  /// Where a tile begins in shared memory (reversed: ends), and how much of it there is.
  struct tile_view {
    int in[num_inputs], out;
    int items;
    bool is_last;  // of its row
  };
  struct shared {
    tile_view tiles[Problem::most_tiles];
    shared_array<T, Problem::most_shares> aggregates;      // of shares
    shared_array<prefix<T>, Problem::most_shares> before;  // of shares, in their tiles
    shared_array<prefix<T>, Problem::most_tiles> before_tile;
    typename row_look_back<Problem>::shared look_back;
    phase_barrier loaded;
    ticket mine;
  };

  __device__ row_tiles(const Problem& scan, const row_group& group, shared& memory, byte* room)
      : arrays(scan, group, room), memory_(memory) {
    tile_ = scan.tile_threads.quotient(static_cast<int>(threadIdx.x));
    first_ = (static_cast<int>(threadIdx.x) - tile_ * scan.tile_threads.divisor) * run;
    turn_ = run == 1 ? 0 : lane_index() * run * 16 / 128 % run;
  }

  /// One thread a tile, beside load().
  __device__ void start(int tile) const {
    const auto sequence = scan_.sequence(group_.row_of(tile), 0);
    const std::int64_t first = group_.tile_of(tile) * tile_items();
    const std::int64_t left = sequence.num_items - first;
    tile_view view;
    view.items = static_cast<int>(left < tile_items() ? left : tile_items());
    view.is_last = left <= tile_items();
    const auto out = parts_of(scan_.out.data, scan_.shape.out_pitch, scan_.out_dense);
    view.out = place_of(out, scan_.out_dense, sizeof(out_type), tile);
    for (int which = 0; which < num_inputs; ++which) {
      const auto in = parts_of(scan_.input(which), scan_.shape.in_pitch, scan_.in_dense);
      view.in[which] =
          Problem::one_place ? view.out : place_of(in, scan_.in_dense, sizeof(in_type), tile);
    }
    memory_.tiles[tile] = view;
    if (!group_.is_rows && tile > 0) return;
    const prefix<T> before = sequence.start();
    memory_.before_tile[tile] = before;
    if (first == 0) sequence.write_start(before);
  }
  /// All threads, after a barrier.
  __device__ void await_loads() const {
#if __CUDA_ARCH__ >= 900
    if (!Problem::one_place || scan_.alike) memory_.loaded.wait(0);
#endif
  }
  /// One thread, before load() and a barrier.
  __device__ void initialise() const {
#if __CUDA_ARCH__ >= 900
    memory_.loaded.initialise(num_inputs * warp_size);
    publish_to_bulk();
#endif
  }

  /// Folds the threads' runs and scans them across each share. A barrier follows.
  __device__ void fold_shares() {
    const bool exists = tile_ < group_.count;
    if (exists) view_ = memory_.tiles[tile_];
    const int left = exists ? view_.items / vector_items - first_ : 0;
    whole_ = min(max(left, 0), run);
    rest_items_ = exists && left >= 0 && left < run ? view_.items % vector_items : 0;
    bool aligned = in_vectors::in_words;
#pragma unroll
    for (int which = 0; which < num_inputs; ++which) {
      aligned = aligned && view_.in[which] % in_vectors::bytes == 0;
    }
    if (aligned) {
      fold_vectors<true>();
    } else {
      fold_vectors<false>();
    }
    rotate(folds_, -turn_);
#pragma unroll
    for (int i = 0; i < run; ++i) {
      if (i < whole_) {
        values_[i / rows] =
            i % rows == 0 ? folds_[i] : static_cast<T>(scan_.op(values_[i / rows], folds_[i]));
      }
    }
    const int num_values = (whole_ + rows - 1) / rows;
    scan_values(values_, num_values, scan_.op);
    previous_ = shuffle_up(values_[values - 1], 1);
    T folded = values_[0];
#pragma unroll
    for (int x = 1; x < values; ++x) {
      if (x < num_values) folded = values_[x];
    }
    // The last of its share, or of its tile.
    if (whole_ > 0 && (left == whole_ || lane_in_share() == share_threads - 1)) {
      memory_.aggregates[share()] = folded;
    }
  }

  /// By a warp: scans the shares of the group's tile `tile`; its aggregate. A barrier follows.
  __device__ T scan_tile(int tile) const {
    const int lane = lane_index(), num_whole = memory_.tiles[tile].items / vector_items;
    const int num_valid = (num_whole + Problem::share_vectors - 1) / Problem::share_vectors;
    const int first = tile * scan_.tile_shares;
    const T scanned = warp_inclusive_scan(
        T(memory_.aggregates[first + min(lane, scan_.tile_shares - 1)]), num_valid, scan_.op);
    const T before = shuffle_up(scanned, 1);
    if (lane < scan_.tile_shares) {
      memory_.before[first + lane] = {before, lane > 0 && lane <= num_valid};
    }
    return shuffle(scanned, max(num_valid, 1) - 1);
  }

  /// Makes results of items, once the prefixes of tiles are there. A barrier follows.
  __device__ void apply() {
    if (whole_ == 0 && rest_items_ == 0) return;
    const prefix<T> before = join(memory_.before_tile[tile_], memory_.before[share()], scan_.op);
    // What precedes each vector in its share; nothing precedes the share's first.
    const bool is_first = lane_in_share() == 0;
    T starts[run];
#pragma unroll
    for (int i = 0; i < run; ++i) {
      starts[i] = i < rows ? previous_ : values_[i < rows ? 0 : i / rows - 1];
#pragma unroll
      for (int r = 0; r < i % rows; ++r) {
        const T& folded = folds_[i - i % rows + r];
        if (i <= whole_) {
          starts[i] =
              i < rows && is_first && r == 0 ? folded : static_cast<T>(scan_.op(starts[i], folded));
        }
      }
    }
    if (before.exists) {
#pragma unroll
      for (int i = 0; i < run; ++i) {
        if (i > 0 || !is_first) {
          if (i <= whole_) starts[i] = scan_.op(before.value, starts[i]);
        } else {
          starts[i] = before.value;
        }
      }
    }
    const bool has_start = before.exists || !is_first;  // before the run's first vector
    // (Asked for by number, an array would leave the registers.)
    prefix<T> end{starts[0], has_start || whole_ > 0};
#pragma unroll
    for (int i = 1; i < run; ++i) {
      if (i <= whole_) end.value = starts[i];
    }
    rotate(starts, turn_);
    bool aligned =
        in_vectors::in_words && out_vectors::in_words && view_.out % out_vectors::bytes == 0;
#pragma unroll
    for (int which = 0; which < num_inputs; ++which) {
      aligned = aligned && view_.in[which] % in_vectors::bytes == 0;
    }
    if (aligned) {
      scan_vectors<true>(starts, has_start, end);
    } else {
      scan_vectors<false>(starts, has_start, end);
    }
    if (rest_items_ > 0) end = scan_rest(end);
    const bool is_end = rest_items_ > 0 || (view_.items % vector_items == 0 &&
                                            first_ + whole_ == view_.items / vector_items);
    if (is_end && view_.is_last) scan_.sequence(group_.row_of(tile_), 0).write_end(end);
  }
  /// All threads; then a barrier, and store().
  __device__ void publish_results() const {
#if __CUDA_ARCH__ >= 900
    publish_to_bulk();
#endif
  }

 private:
  __device__ int share() const { return static_cast<int>(threadIdx.x) / share_threads; }
  __device__ int lane_in_share() const { return static_cast<int>(threadIdx.x) % share_threads; }
  __device__ static int offset_of(int begin, int i, int bytes) {
    return Problem::reversed ? begin - (i + 1) * bytes : begin + i * bytes;
  }
  __device__ int in_offset(int which, int i) const {
    return offset_of(view_.in[which], first_ + i, in_vectors::bytes);
  }
  __device__ int out_offset(int i) const {
    return offset_of(view_.out, first_ + i, out_vectors::bytes);
  }
  /// The run's vector `i`, of each array.
  template <bool aligned>
  __device__ typename scans::vectors vectors_at(int i) const {
    typename scans::vectors all;
#pragma unroll
    for (int which = 0; which < num_inputs; ++which) {
      const int offset = in_offset(which, i);
      if constexpr (in_vectors::in_words) {
        all.of[which] = run_vectors<in_vectors>::template read<aligned>(input(which), offset);
      } else {
        all.of[which] = in_vectors::read_items(input(which), offset, vector_items).pack();
      }
      all.of[which].keep_packed();
    }
    return all;
  }
  /// In the order in which the thread goes round.
  template <bool aligned>
  __device__ void fold_vectors() {
#pragma unroll
    for (int j = 0; j < run; ++j) {
      const int i = (j + turn_) % run;
      if (i < whole_) folds_[j] = scans::fold(scan_, vectors_at<aligned>(i), true);
    }
  }
  template <bool aligned>
  __device__ void scan_vectors(const T (&starts)[run], bool has_start, prefix<T>& end) const {
#pragma unroll
    for (int j = 0; j < run; ++j) {
      const int i = (j + turn_) % run;
      if (i >= whole_) continue;
      out_vector results;
      const prefix<T> after =
          scans::scan(scan_, vectors_at<aligned>(i), {starts[j], i > 0 || has_start}, results);
      if constexpr (out_vectors::in_words) {
        run_vectors<out_vectors>::template write<aligned>(output(), out_offset(i), results);
      } else {
        out_vectors::write_items(output(), out_offset(i), vector_items,
                                 scans::out_items::unpack(results));
      }
      if (i == whole_ - 1 && (whole_ == run || rest_items_ == 0)) end = after;
    }
  }
  /// The items that fill no vector, after the thread's whole vectors.
  __device__ prefix<T> scan_rest(prefix<T> running) const {
    const auto place = [&](int i) { return Problem::reversed ? vector_items - 1 - i : i; };
#pragma unroll 1
    for (int i = 0; i < rest_items_; ++i) {
      item_of<Problem> item;
#pragma unroll
      for (int which = 0; which < num_inputs; ++which) {
        item.elements[which] =
            reinterpret_cast<const in_type*>(input(which) + in_offset(which, whole_))[place(i)];
      }
      reinterpret_cast<out_type*>(output() + out_offset(whole_))[place(i)] =
          scan_item(scan_, item, running);
    }
    return running;
  }

  shared& memory_;
  tile_view view_ = {};
  int tile_, first_;        // of the group, and of its vectors, where the thread's run begins
  int turn_;                // the vector of its run that a thread begins with
  int whole_, rest_items_;  // of the run
  T folds_[run];            // of vectors
  T values_[values];        // of each `rows` vectors of the share up to these, inclusive
  T previous_;              // the same up to the lane before
};

}  // namespace scan::device

#endif
