// From the arguments of a call to the kernel: check, describe, size, launch.
#ifndef SCAN_DEVICE_LAUNCH_CUH
#define SCAN_DEVICE_LAUNCH_CUH

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

#include "scan/accumulator.hpp"
#include "scan/device/kernel.cuh"
#include "scan/device/states_memory.hpp"
#include "scan/options.hpp"
#include "scan/scan_start.hpp"
#include "scan/status.hpp"
#include "scan/validate.hpp"

namespace scan::device {

/// Enqueues `kernel`. The error is the launch's own: the caller's pending one stays where it is.
template <class... Parameters, class... Arguments>
status enqueue(void (*kernel)(Parameters...), std::int64_t num_blocks, int num_threads,
               cudaStream_t stream, const Arguments&... arguments) noexcept {
  cudaLaunchConfig_t config = {};
  config.gridDim = static_cast<unsigned>(num_blocks);
  config.blockDim = static_cast<unsigned>(num_threads);
  config.stream = stream;
  const cudaError_t code = cudaLaunchKernelEx(&config, kernel, arguments...);
  return code == cudaSuccess ? status{} : status{code, "launching the scan kernel failed"};
}

/// A scan in device memory: `inclusive` and `exclusive` of scan.hpp, with a launch shape.
template <class Tuned, class In, class Out, class Op>
status scan_device(bool exclusive, const In* in, Out* out, std::int64_t n, Op op,
                   const options<Out>& opts) noexcept {
  using T = accumulator_t<In, Out>;
  constexpr tuning shape = Tuned::shape;
  if (const status checked = validate(in, out, n); !checked.ok() || n == 0) return checked;

  problem<In, Out, T> scan = {};
  scan.in = in;
  scan.out = out;
  scan.num_items = n;
  scan.exclusive = exclusive;
  scan.in_aligned = vector_aligned(in, shape.vector_items);
  scan.out_aligned = vector_aligned(out, shape.vector_items);
  if (const status checked = validate_start<Op>(exclusive, opts.init, scan.start); !checked.ok()) {
    return checked;
  }

  const std::int64_t tiles = num_tiles(n, shape);
  if (tiles == 1) {
    return enqueue(one_tile_kernel<Tuned, In, Out, T, Op>, 1, shape.threads_per_block, opts.stream,
                   scan, op);
  }
  const states_memory states(opts.workspace, tile_states<T>::required_bytes(tiles), opts.stream);
  if (!states.error().ok()) return states.error();
  const std::int64_t resident_blocks =
      std::int64_t{sm_count(states.device())} * shape.blocks_per_sm;
  return enqueue(look_back_kernel<Tuned, In, Out, T, Op>, std::min(tiles, resident_blocks),
                 shape.threads_per_block, opts.stream, scan, op, states.data(), states.num_bytes());
}

}  // namespace scan::device

#endif
