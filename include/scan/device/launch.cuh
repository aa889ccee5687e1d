// From the arguments of a call to the kernel: check, describe, size, launch.
#ifndef SCAN_DEVICE_LAUNCH_CUH
#define SCAN_DEVICE_LAUNCH_CUH

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

#include "scan/device/cluster_kernel.cuh"
#include "scan/device/kernel.cuh"
#include "scan/device/prepared.cuh"
#include "scan/device/ring_kernel.cuh"
#include "scan/device/states_memory.hpp"
#include "scan/device/wave_kernel.cuh"
#include "scan/options.hpp"
#include "scan/problem.hpp"
#include "scan/scan.hpp"
#include "scan/status.hpp"

namespace scan::device {

/// The launch shape of a scan: by its widest element.
template <class Input, class Output, class Types = scan_types<Input, Output>>
using tuned_for = tuned<static_cast<int>(std::max(
    {sizeof(typename Types::in), sizeof(typename Types::out), sizeof(typename Types::value)}))>;

/// How a kernel is launched.
struct grid {
  std::int64_t num_blocks;
  int num_threads;
  std::size_t shared_bytes = 0;
  bool is_cluster = false;  // all blocks are one cluster
};

/// Launches `kernel`; an error is the launch's own: the caller's pending one stays where it is.
template <class... Parameters, class... Arguments>
status enqueue(void (*kernel)(Parameters...), const grid& blocks, cudaStream_t stream,
               const Arguments&... arguments) noexcept {
  cudaLaunchConfig_t config = {};
  config.gridDim = static_cast<unsigned>(blocks.num_blocks);
  config.blockDim = static_cast<unsigned>(blocks.num_threads);
  config.dynamicSmemBytes = blocks.shared_bytes;
  config.stream = stream;
  cudaLaunchAttribute cluster = {};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim = {config.gridDim.x, 1, 1};
  config.attrs = &cluster;
  config.numAttrs = blocks.is_cluster ? 1 : 0;
  const cudaError_t code = cudaLaunchKernelEx(&config, kernel, arguments...);
  return code == cudaSuccess ? status{} : status{code, "launching the scan kernel failed"};
}

/// Scans with a block a tile; one block or a cluster of them needs no states.
template <class Tuned, class Problem>
status launch_wave(const Problem& scan,
                   const options<typename Problem::value_type>& opts) noexcept {
  using shape = typename Tuned::wave;
  using Scan = kernel_problem<shape, Problem>;
  const Scan in_tiles(scan);
  const int num_threads = wave_threads(scan.num_items, shape::shape);
  const int tile_items = num_threads / warp_size * shape::shape.warp_items();
  const std::int64_t tiles = scan.num_items == 0 ? 1 : tiles_of(scan.num_items, tile_items);
  if (tiles == 1 || (tiles <= most_cluster_blocks && takes_clusters<shape, Scan>())) {
    return enqueue(cluster_kernel<shape, Scan>, {tiles, num_threads, 0, tiles > 1}, opts.stream,
                   in_tiles);
  }
  const states_memory states(opts.workspace,
                             tile_states<typename Problem::T>::required_bytes(tiles), opts.stream);
  if (!states.error().ok()) return states.error();
  return enqueue(wave_kernel<shape, Scan>, {tiles, num_threads}, opts.stream, in_tiles,
                 states.data(), states.num_bytes());
}

/// Scans with persistent blocks that hold tiles in registers; `most_blocks`: see launch.
template <class Tuned, class Problem>
status launch_look_back(const Problem& scan, const options<typename Problem::value_type>& opts,
                        std::int64_t most_blocks) noexcept {
  constexpr tuning shape = Tuned::shape;
  kernel_problem<Tuned, Problem> in_tiles(scan);
  const std::int64_t tiles = tiles_of(scan.num_items, shape.tile_items());
  const states_memory states(opts.workspace,
                             tile_states<typename Problem::T>::required_bytes(tiles), opts.stream);
  if (!states.error().ok()) return states.error();
  const std::int64_t resident = std::int64_t{sm_count(states.device())} * shape.blocks_per_sm;
  const std::int64_t num_blocks = std::min({tiles, resident, most_blocks});
  in_tiles.num_draws = tiles + num_blocks;
  return enqueue(look_back_kernel<Tuned, kernel_problem<Tuned, Problem>>,
                 {num_blocks, shape.threads_per_block}, opts.stream, in_tiles, states.data(),
                 states.num_bytes());
}

/// Scans with persistent blocks that hold a ring of tiles in shared memory, on a device that
/// `has_ring`.
template <class Tuned, class Problem>
status launch_ring(const Problem& scan, const options<typename Problem::value_type>& opts,
                   std::int64_t most_blocks, int num_stages) noexcept {
  using Scan = ring_problem<Tuned, Problem>;
  const Scan in_tiles(scan);
  const states_memory states(opts.workspace,
                             tile_states<typename Problem::T>::required_bytes(in_tiles.num_tiles),
                             opts.stream);
  if (!states.error().ok()) return states.error();
  const std::int64_t resident = sm_count(states.device());
  const grid blocks{std::min({in_tiles.num_tiles, resident, most_blocks}),
                    Scan::shape.threads_per_block(), ring_block<Scan>::required_bytes(num_stages)};
  return enqueue(ring_kernel<Scan>, blocks, opts.stream, in_tiles, states.data(),
                 states.num_bytes(), num_stages);
}

/// Sizes and launches a described scan. `most_blocks`: of the grid of persistent blocks, which the
/// result does not depend on.
template <class Tuned, class Problem>
status launch(Problem scan, const options<typename Problem::value_type>& opts,
              std::int64_t most_blocks = INT32_MAX) noexcept {
  scan.init_pointer = opts.init_pointer;
  int num_stages = 0;
  if constexpr (in_ring<Problem>) {
    num_stages = stages_here<ring_problem<Tuned, Problem>>(opts.algorithm, scan.num_items);
  }
  algorithm chosen = opts.algorithm;
  if (chosen == algorithm::automatic) {
    chosen = algorithm_for(scan.num_items, Tuned::element_bytes, num_stages > 0);
  }
  if (chosen == algorithm::wave || scan.num_items == 0) return launch_wave<Tuned>(scan, opts);
  if (chosen == algorithm::look_back) return launch_look_back<Tuned>(scan, opts, most_blocks);
  if constexpr (in_ring<Problem>) {
    if (num_stages > 0) return launch_ring<Tuned>(scan, opts, most_blocks, num_stages);
  }
  return {cudaErrorNotSupported, "options.algorithm: no ring kernel for this device or type"};
}

/// Whether there are baselines for these: in libscan.a, or included here.
template <class Input, class Output, class Op>
inline constexpr bool has_baselines = included<baseline_scans, void(Input, Output, Op)>;
template <class In, class Out, class Op>
inline constexpr bool has_baselines<transform_input<In>, transform_output<Out>, Op> =
    is_baseline_held<In, Out, Op> || included<baseline_scans, void(In, Out, Op)>;

/// Scans by the baseline `opts.algorithm`; defined by src/baselines/baselines.cuh.
template <class Input, class Output, class Op>
status scan_by_baseline(bool exclusive, const Input& in, const Output& out, std::int64_t n, Op op,
                        const options<typename scan_types<Input, Output>::value>& opts) noexcept;

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
  if (n > 0 && is_baseline(opts.algorithm)) {
    if constexpr (has_baselines<Input, Output, Op>) {
      return scan_by_baseline(exclusive, in, out, n, op, opts);
    } else {
      return {cudaErrorNotSupported,
              "options.algorithm: libscan.a holds no baselines, or none for these types"};
    }
  }

  return opts.reverse ? launch<shape>(describe<true>(exclusive, in, out, n, op, opts), opts)
                      : launch<shape>(describe<false>(exclusive, in, out, n, op, opts), opts);
}

}  // namespace scan::device

namespace scan {
struct device_scans {};  // they are here: see prebuilt.hpp
}  // namespace scan

#endif
