// From the arguments of a call to the kernel: check, describe, size, launch.
#ifndef SCAN_DEVICE_LAUNCH_CUH
#define SCAN_DEVICE_LAUNCH_CUH

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

#include "scan/device/kernel.cuh"
#include "scan/device/states_memory.hpp"
#include "scan/options.hpp"
#include "scan/problem.hpp"
#include "scan/scan.hpp"
#include "scan/status.hpp"

namespace scan::device {

/// The launch shape of a scan: by its widest element.
template <class Input, class Output, class Types = scan_types<Input, Output>>
using tuned_for = tuned<static_cast<int>(std::max(
    {sizeof(typename Types::in), sizeof(typename Types::out), sizeof(typename Types::value)}))>;

/// Launches `kernel`; an error is the launch's own: the caller's pending one stays where it is.
template <class Tuned, class... Parameters, class... Arguments>
status enqueue(void (*kernel)(Parameters...), std::int64_t num_blocks, cudaStream_t stream,
               const Arguments&... arguments) noexcept {
  cudaLaunchConfig_t config = {};
  config.gridDim = static_cast<unsigned>(num_blocks);
  config.blockDim = static_cast<unsigned>(Tuned::shape.threads_per_block);
  config.stream = stream;
  const cudaError_t code = cudaLaunchKernelEx(&config, kernel, arguments...);
  return code == cudaSuccess ? status{} : status{code, "launching the scan kernel failed"};
}

/// Sizes and launches a described scan. `most_blocks`: of the grid, which the result does not
/// depend on.
template <class Tuned, class Problem>
status launch(Problem scan, const options<typename Problem::value_type>& opts,
              std::int64_t most_blocks = INT32_MAX) noexcept {
  constexpr tuning shape = Tuned::shape;
  scan.init_pointer = opts.init_pointer;
  if (scan.num_items <= shape.tile_items()) {
    using one_tile = typename Tuned::one_tile;
    static_assert(one_tile::shape.tile_items() == shape.tile_items());
    const kernel_problem<one_tile, Problem> in_one(scan);
    return enqueue<one_tile>(one_tile_kernel<one_tile, kernel_problem<one_tile, Problem>>, 1,
                             opts.stream, in_one);
  }
  const kernel_problem<Tuned, Problem> in_tiles(scan);
  const std::int64_t tiles = num_tiles(scan.num_items, shape);
  const states_memory states(opts.workspace,
                             tile_states<typename Problem::T>::required_bytes(tiles), opts.stream);
  if (!states.error().ok()) return states.error();
  const std::int64_t resident_blocks =
      std::int64_t{sm_count(states.device())} * shape.blocks_per_sm;
  return enqueue<Tuned>(look_back_kernel<Tuned, kernel_problem<Tuned, Problem>>,
                        std::min({tiles, resident_blocks, most_blocks}), opts.stream, in_tiles,
                        states.data(), states.num_bytes());
}

/// A scan in device memory: `inclusive` and `exclusive` of scan.hpp.
template <class Input, class Output, class Op>
status scan_device(bool exclusive, const Input& in, const Output& out, std::int64_t n, Op op,
                   const options<typename scan_types<Input, Output>::value>& opts) noexcept {
  using shape = tuned_for<Input, Output>;
  if (opts.init && opts.init_pointer != nullptr) {
    return {cudaErrorInvalidValue, "options.init and options.init_pointer are both given"};
  }
  const bool init_given = opts.init || opts.init_pointer != nullptr;
  if (const status checked = validate_scan<Op>(exclusive, in, out, n, init_given, opts);
      !checked.ok()) {
    return checked;
  }
  if (const status checked =
          validate_init_pointer(out.data, n, opts.complete, opts.init_pointer, opts.total);
      !checked.ok()) {
    return checked;
  }
  if (n == 0 && !opts.complete && opts.total == nullptr) return {};

  return opts.reverse ? launch<shape>(describe<true>(exclusive, in, out, n, op, opts), opts)
                      : launch<shape>(describe<false>(exclusive, in, out, n, op, opts), opts);
}

}  // namespace scan::device

namespace scan {
struct device_scans {};  // they are here: see prebuilt.hpp
}  // namespace scan

#endif
