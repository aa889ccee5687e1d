// The baselines: every classic scan behind one door, `options.algorithm`. A ladder to read in this
// order, each file opening with what its algorithm is, what it moves and where it comes from:
//
//   fenwick_tree.cuh, bit_layers.cuh, bit_three_kernel.cuh, bit_two_kernel.cuh   O(n log n) reads
//   blelloch.cuh                                                                 4n, 2n folds
//   parts.cuh, scan_then_fan.cuh                                                 4n, warp shuffles
//   reduce_then_scan.cuh                                                         3n
//   scan/device/sequence/look_back_kernel.cuh, scan/device/sequence/ring_kernel.cuh 2n, as a copy
//
// Includes the kernels for any type and operator; libscan.a holds them for what it holds scans of.
#ifndef SCAN_BASELINES_BASELINES_CUH
#define SCAN_BASELINES_BASELINES_CUH

#include "src/baselines/bit_layers.cuh"
#include "src/baselines/bit_three_kernel.cuh"
#include "src/baselines/bit_two_kernel.cuh"
#include "src/baselines/blelloch.cuh"
#include "src/baselines/reduce_then_scan.cuh"
#include "src/baselines/scan_then_fan.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
struct baseline_scans {};  // they are here: see prebuilt.hpp

namespace baselines {

/// Runs the baseline `opts.algorithm` on a described scan of at least one item.
template <class Problem>
status run(Problem scan, const options<typename Problem::value_type>& opts) noexcept {
  using T = typename Problem::T;
  scan.init_pointer = opts.init_pointer;
  if ((scan.num_items - 1) / least_block_items >= INT32_MAX) {
    return {cudaErrorInvalidValue, "n is too large for options.algorithm: a grid has 2^31 blocks"};
  }
  device::device_limits limits;
  if (const status asked = device::current_limits(limits, opts.stream); !asked.ok()) return asked;
  const device::call_memory memory(
      opts,
      scratch_bytes(opts.algorithm, scan.num_items, tiled<Problem>::tile.tile_items(), sizeof(T),
                    in_output<Problem>),
      device::memory_use::scratch);
  if (!memory.error().ok()) return memory.error();
  const scratch pieces(memory.data());
  switch (opts.algorithm) {
    case algorithm::bit_layers:
      return bit_layers(scan, pieces, opts.stream);
    case algorithm::bit_three_kernel:
      return bit_three_kernel(scan, pieces, opts.stream);
    case algorithm::bit_two_kernel:
      return bit_two_kernel(scan, pieces, opts.stream);
    case algorithm::blelloch:
      return blelloch(scan, pieces, opts.stream);
    case algorithm::scan_then_fan:
      return scan_then_fan(scan, pieces, opts.stream);
    case algorithm::reduce_then_scan:
      return reduce_then_scan(scan, pieces, opts.stream);
    case algorithm::reduce_then_scan_two_pass:
      return reduce_then_scan_two_pass(scan, pieces, opts.stream);
    default:
      return {cudaErrorInvalidValue, "options.algorithm is none"};
  }
}
}  // namespace baselines

/// A scan by a baseline, of validated arguments; n > 0.
template <class Input, class Output, class Op>
status device::scan_by_baseline(
    bool exclusive, const Input& in, const Output& out, std::int64_t n, Op op,
    const options<typename scan_types<Input, Output>::value>& opts) noexcept {
  return opts.reverse ? baselines::run(describe<true>(exclusive, in, out, n, op, opts), opts)
                      : baselines::run(describe<false>(exclusive, in, out, n, op, opts), opts);
}

}  // namespace SCAN_ABI
}  // namespace scan

#endif
