// C, scan_then_fan: scan the parts, scan their sums, add these to the parts. ("Fan": each scanned
// sum fans out to its part.)
//
//   1. A block scans a part by itself, stores the results and writes the part's sum.   2n
//   2. The sums are scanned: by the same three steps, until there is one part.         n / 4096
//   3. A block folds the sum of all earlier parts into each result of a part.          2n
//
// Traffic: 4n, because the results go to memory and back before they are final; at most half the
// speed of a copy. Where the output cannot hold them (its elements are narrower than what is
// computed with, or a function makes something else of them) they go to scratch memory.
//
// It is what one does first: a block cannot wait for another, but kernels follow each other. That
// step 1 stores anything at all is the waste that reduce_then_scan.cuh does away with; the
// look-back kernel (scan/device/sequence/look_back_kernel.cuh) even does without the second
// reading.
//
// Sources: Blelloch, "Prefix sums and their applications" (1990), section 1.3; Harris, Sengupta,
// Owens, "Parallel prefix sum (scan) with CUDA", GPU Gems 3 (2007), chapter 39.2.4 (arrays of
// arbitrary size). Within a tile it is the library's block scan: warp shuffles.
#ifndef SCAN_BASELINES_SCAN_THEN_FAN_CUH
#define SCAN_BASELINES_SCAN_THEN_FAN_CUH

#include "src/baselines/parts.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace baselines {

/// Whether the output can hold a value of the type that is computed in until it is final.
template <class Problem>
inline constexpr bool in_output =
    std::is_same_v<decltype(Problem::out), transform_output<typename Problem::T>>;

/// Memory for the results of step 1.
template <class Problem>
typename Problem::T* local_results(const Problem& scan, scratch& memory) {
  if constexpr (in_output<Problem>) {
    return scan.out.data;
  } else {
    return memory.take<typename Problem::T>(scan.num_items);
  }
}

/// The scan of step 1, as which every part knows nothing of init, total and the others.
template <class Problem>
auto problem_of_parts(const Problem& scan, typename Problem::T* local) {
  using T = typename Problem::T;
  using of_parts = problem<decltype(Problem::in), transform_output<T>, typename Problem::op_type,
                           Problem::reversed>;
  return of_parts{scan.in, {local, {}}, scan.num_items, scan.op, scan.exclusive, {}, {}};
}

/// Step 1 with a tile as a part.
struct tiles_first {
  template <class Tuned>
  static constexpr int part_items = Tuned::tile.tile_items();

  template <class Tuned, class Problem>
  static status enqueue(const Problem& parts, const sums_of<Problem>& sums, cudaStream_t stream) {
    using tiles = in_tiles<Problem, Tuned>;
    return device::enqueue_waiting(scan_parts<Tuned, tiles>, blocks_of<Tuned>(sums.num_parts),
                                   stream, tiles(parts), std::int64_t{1}, sums_of<Problem>{}, sums);
  }
};

constexpr int log2_of(int power_of_two) {
  int bits = 0;
  while (1 << bits < power_of_two) ++bits;
  return bits;
}

/// The three steps; `First` is step 1.
template <class First, class Problem>
status fan_out(const Problem& scan, scratch memory, cudaStream_t stream) {
  using T = typename Problem::T;
  using Tuned = tiled<Problem>;
  constexpr int part_items = First::template part_items<Tuned>;
  const std::int64_t num_parts = device::tiles_of(scan.num_items, part_items);
  T* const local = local_results(scan, memory);
  const sums_of<Problem> sums{memory.take<T>(num_parts), num_parts};

  if (const status first =
          First::template enqueue<Tuned>(problem_of_parts(scan, local), sums, stream);
      !first.ok()) {
    return first;
  }
  if (num_parts > 1) {
    const status second = fan_out<First>(problem_of_sums(scan, sums), memory, stream);
    if (!second.ok()) return second;
  }
  using tiles = in_tiles<Problem>;
  const std::int64_t num_tiles = device::tiles_of(scan.num_items, tiles::tile_items);
  return device::enqueue_waiting(fan<Tuned, tiles>, blocks_of<Tuned>(num_tiles), stream,
                                 tiles(scan), static_cast<const T*>(local), log2_of(part_items),
                                 sums);
}

template <class Problem>
status scan_then_fan(const Problem& scan, const scratch& memory, cudaStream_t stream) {
  return fan_out<tiles_first>(scan, memory, stream);
}

}  // namespace baselines
}  // namespace SCAN_ABI
}  // namespace scan

#endif
