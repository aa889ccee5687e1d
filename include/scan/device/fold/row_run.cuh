// A thread's run of vectors in shared memory: where it is, and its way from there and back.
#ifndef SCAN_DEVICE_FOLD_ROW_RUN_CUH
#define SCAN_DEVICE_FOLD_ROW_RUN_CUH

#include "scan/device/fold/items.cuh"
#include "scan/device/fold/thread_runs.cuh"
#include "scan/device/move/row_arrays.cuh"
#include "scan/device/move/run_vectors.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

// Lanes that read the first vectors of their runs would meet in the same banks: each goes round its
// run from another vector on.
//
// Where rows begin anywhere, a vector is parts of two granules, and those at the ends of a run are
// a neighbour's, too. Where results take the items' place, who writes reads just its own part.

/// `Problem` and `Part`: see row_arrays.
template <class Problem, class Part>
class row_run : public row_arrays<Problem, Part> {
  using arrays = row_arrays<Problem, Part>;

 public:
  using T = typename Problem::T;
  using typename arrays::byte;
  using typename arrays::in_type;
  using typename arrays::out_type;
  static constexpr int vector_items = Problem::vector_items, num_inputs = Problem::num_inputs;
  static constexpr int run = Problem::run;
  using scans = vector_scan<Problem, vector_items>;
  using in_vectors = shared_vectors<in_type, vector_items, Problem::reversed>;
  using out_vectors = shared_vectors<out_type, vector_items, Problem::reversed>;
  using in_vector = typename scans::in_vector;
  using out_vector = typename scans::out_vector;

  /// Where a tile begins in shared memory (reversed: ends), and how much of it there is.
  struct tile_view {
    int in[num_inputs], out;
    int items;
    bool is_last;  // of its row
  };
  __device__ row_run(const Problem& scan, const Part& part, byte* room) : arrays(scan, part, room) {
    const run_place place = Part::place_of(scan, static_cast<int>(threadIdx.x));
    tile_ = place.tile;
    first_ = place.first;
    // (The second term: of vectors narrower than 16 bytes, lanes further apart meet.)
    turn_ = run == 1 ? 0 : (lane_index() * run / 8 + lane_index() / 8) % run;
  }

  /// One thread, before load() and a barrier.
  __device__ static void initialise([[maybe_unused]] phase_barrier& loaded) {
#if __CUDA_ARCH__ >= 900
    loaded.initialise(num_inputs * warp_size);
    publish_to_bulk();
#endif
  }
  /// All threads, after a barrier.
  __device__ void await_loads([[maybe_unused]] phase_barrier& loaded) const {
#if __CUDA_ARCH__ >= 900
    if (!Problem::one_place || scan_.alike) loaded.wait(0);
#endif
  }
  /// All threads; then a barrier, and store().
  __device__ static void publish_results() {
#if __CUDA_ARCH__ >= 900
    publish_to_bulk();
#endif
  }

 protected:
  using arrays::part_, arrays::input, arrays::output, arrays::scan_;

  /// Where the part's tile `tile` is.
  __device__ tile_view view_of(int tile) const {
    const std::int64_t tile_items = this->tile_items();
    const std::int64_t left = scan_.shape.length - part_.tile_of(tile) * tile_items;
    tile_view view;
    view.items = static_cast<int>(left < tile_items ? left : tile_items);
    view.is_last = left <= tile_items;
    const auto out = this->parts_of(scan_.out.data, scan_.shape.out_pitch, scan_.out_dense);
    view.out = this->place_of(out, scan_.out_dense, sizeof(out_type), tile);
    for (int which = 0; which < num_inputs; ++which) {
      const auto in = this->parts_of(scan_.input(which), scan_.shape.in_pitch, scan_.in_dense);
      view.in[which] =
          Problem::one_place ? view.out : this->place_of(in, scan_.in_dense, sizeof(in_type), tile);
    }
    return view;
  }
  /// Of the tile that `view` is, or of none.
  __device__ void place(const tile_view& view, bool exists) {
    view_ = view;
    place_run();
    const int left = exists ? view_.items / vector_items - first_ : 0;
    whole_ = min(max(left, 0), run);
    rest_items_ = exists && left >= 0 && left < run ? view_.items % vector_items : 0;
  }
  __device__ bool inputs_aligned() const {
    bool aligned = in_vectors::in_words;
#pragma unroll
    for (int which = 0; which < num_inputs; ++which) {
      aligned = aligned && offset_in<in_vectors>(view_.in[which]) == 0;
    }
    return aligned;
  }
  __device__ bool all_aligned() const {
    return out_vectors::in_words && offset_in<out_vectors>(view_.out) == 0 && inputs_aligned();
  }
  /// Whether it has the tile's last whole vector, if it has any; and the last item.
  __device__ bool has_last_vector() const { return first_ + whole_ == view_.items / vector_items; }
  __device__ bool has_end() const {
    return rest_items_ > 0 || (view_.items % vector_items == 0 && has_last_vector());
  }

  /// In the order in which the thread goes round. (Beyond its last vector it folds that again.)
  template <bool aligned>
  __device__ void fold_vectors(T (&folds)[run]) const {
#pragma unroll
    for (int j = 0; j < run; ++j) {
      const int i = min(turned(j), whole_ - 1);
      folds[j] = scans::fold(scan_, vectors_at<aligned, false>(i), true);
    }
  }
  /// Each after its start, in that order, of which the run's first may be none. Returns the fold up
  /// to the run's last vector.
  template <bool aligned>
  __device__ T scan_vectors(const T (&starts)[run], bool has_start) const {
    T last = starts[0];
#pragma unroll
    for (int j = 0; j < run; ++j) {
      const int i = turned(j);
      if (i >= whole_) continue;
      out_vector results;
      const prefix<T> after = scans::scan(scan_, vectors_at<aligned, true>(i),
                                          {starts[j], i > 0 || has_start}, results);
      byte* const to = vector_place(view_.out, i, out_vectors::bytes);
      if constexpr (!out_vectors::in_words) {
        out_vectors::write_items(to, 0, vector_items, scans::out_items::unpack(results));
      } else if constexpr (aligned) {
        results.keep_packed();
        *reinterpret_cast<out_vector*>(to) = results;
      } else {
        run_vectors<out_vectors>::write(to, offset_in<out_vectors>(view_.out), results);
      }
      if (i == whole_ - 1) last = after.value;
    }
    return last;
  }
  /// The items that fill no vector, after the thread's whole vectors.
  __device__ prefix<T> scan_rest(prefix<T> running) const {
#pragma unroll 1
    for (int i = 0; i < rest_items_; ++i) {
      const int at = Problem::reversed ? vector_items - 1 - i : i;
      item_of<Problem> item{{}, scan_.in_common()};
#pragma unroll
      for (int which = 0; which < num_inputs; ++which) {
        item.elements[which] = reinterpret_cast<const in_type*>(
            vector_place(view_.in[which], whole_, in_vectors::bytes))[at];
      }
      reinterpret_cast<out_type*>(vector_place(view_.out, whole_, out_vectors::bytes))[at] =
          scan_item(scan_, item, running);
    }
    return running;
  }

  tile_view view_ = {};     // where the run begins
  int tile_, first_;        // of the group, and of its vectors, where the run begins
  int turn_;                // the vector that the thread begins with
  int whole_, rest_items_;  // of the run

 private:
  /// From where tiles begin to where the thread's run does, as addresses of shared memory: held in
  /// registers, or they are worked out again for every vector.
  __device__ void place_run() {
    constexpr int direction = Problem::reversed ? -1 : 1;
#pragma unroll
    for (int which = 0; which < num_inputs; ++which) {
      view_.in[which] += address_of(input(which)) + direction * first_ * in_vectors::bytes;
      asm("" : "+r"(view_.in[which]));
    }
    view_.out += address_of(output()) + direction * first_ * out_vectors::bytes;
    asm("" : "+r"(view_.out));
  }
  __device__ static int address_of(const byte* shared) {
    return static_cast<int>(__cvta_generic_to_shared(shared));
  }
  /// (By way of the kernel's array: told of an address alone, nvcc 13.0 does not come to an end
  /// where elements have 32 bytes.)
  __device__ static byte* at(int address) {
    extern __shared__ __align__(128) unsigned char arrays[];
    return arrays + (address - address_of(arrays));
  }
  /// How far vectors there are off multiples of their size.
  template <class Vectors>
  __device__ static int offset_in(int address) {
    return static_cast<int>(static_cast<unsigned>(address) % Vectors::bytes);
  }
  /// Where the run's vector `i` is, of those that begin, or end, at `begin`.
  __device__ static byte* vector_place(int begin, int i, int bytes) {
    return at(Problem::reversed ? begin - (i + 1) * bytes : begin + i * bytes);
  }
  /// The vector that the thread comes to after `steps` others.
  __device__ int turned(int steps) const {
    return static_cast<int>(static_cast<unsigned>(turn_ + steps) % run);
  }
  /// The run's vector `i`, of each array. `writes`: neighbours may be writing results beside it.
  template <bool aligned, bool writes>
  __device__ typename scans::vectors vectors_at(int i) const {
    typename scans::vectors all;
#pragma unroll
    for (int which = 0; which < num_inputs; ++which) {
      const byte* const from = vector_place(view_.in[which], i, in_vectors::bytes);
      const int off = offset_in<in_vectors>(view_.in[which]);
      if constexpr (!in_vectors::in_words) {
        all.of[which] = in_vectors::read_items(from, 0, vector_items).pack();
      } else if constexpr (aligned) {
        all.of[which] = *reinterpret_cast<const in_vector*>(from);
      } else if (writes && Problem::one_place && which == 0) {
        all.of[which] = run_vectors<in_vectors>::read_own(from, off, i == 0 || i == whole_ - 1);
      } else {
        all.of[which] = run_vectors<in_vectors>::read(from, off);
      }
      all.of[which].keep_packed();
    }
    return all;
  }
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
