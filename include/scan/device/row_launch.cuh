// From the described scans of a tensor's rows to their kernel.
#ifndef SCAN_DEVICE_ROW_LAUNCH_CUH
#define SCAN_DEVICE_ROW_LAUNCH_CUH

#include "scan/device/enqueue.cuh"
#include "scan/device/prepared.cuh"
#include "scan/device/row_kernel.cuh"
#include "scan/options.hpp"

namespace scan::device {

/// Lets a kernel's blocks have `num_bytes` of dynamic shared memory on the current device; asks
/// once.
template <auto kernel>
cudaError_t allow_shared_bytes(const device_limits& limits, std::size_t num_bytes) noexcept {
  constexpr std::size_t always_allowed = 44 * 1024;  // with some of 48 KiB for what is static
  if (num_bytes <= always_allowed) return cudaSuccess;
  static device_answers<int> answers;
  int done = 0;
  return answers.get(limits.device, done, [&](int&) {
    return ask_apart(limits.device, [&] {
      return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  static_cast<int>(num_bytes));
    });
  });
}

template <int element_bytes, int rows, class Tensor>
status launch_row_groups(const Tensor& scan, const options<typename Tensor::value_type>& opts,
                         const row_plan& plan, const device_limits& limits) noexcept {
  using T = typename Tensor::T;
  using tiled = row_problem<element_bytes, rows, Tensor>;
  using tiles = row_tiles<tiled>;
  grid blocks{plan.num_groups, plan.threads_per_block,
              static_cast<std::size_t>(tiles::required_bytes(plan.threads_per_block))};
  blocks.overlaps = is_compiled_for_90<row_kernel<tiled>>(limits);
  // Large blocks are for devices that have a ring, and so room enough.
  const int most_threads = limits.ring_bytes_of_block > 0 ? tiled::most_threads : row_block_threads;
  if (const cudaError_t code =
          allow_shared_bytes<row_kernel<tiled>>(limits, tiles::required_bytes(most_threads))) {
    return {code, "preparing the row kernel failed"};
  }
  if (plan.groups_per_row == 1) {
    return enqueue(row_kernel<tiled>, blocks, opts.stream, tiled(scan, plan),
                   static_cast<void*>(nullptr), std::size_t{0});
  }
  const call_memory states(opts.workspace,
                           tile_states<T>::required_bytes(plan.num_states(scan.shape.outer)),
                           opts.stream);
  if (!states.error().ok()) return states.error();
  return enqueue(row_kernel<tiled>, blocks, opts.stream, tiled(scan, plan), states.data(),
                 states.num_bytes());
}

/// The same with as many rows a thread as the plan says: `rows`, or more.
template <class Tuned, int rows = 1, class Tensor>
status launch_row_tiles(const Tensor& scan, const options<typename Tensor::value_type>& opts,
                        const row_plan& plan, const device_limits& limits) noexcept {
  constexpr int bytes = Tuned::element_bytes;
  if constexpr (rows > most_wave_rows(bytes) || (Tensor::num_inputs > 1 && rows > 2)) {
    return {cudaErrorUnknown, "row plan: no kernel has so many rows"};
  } else {
    if constexpr (has_wave_rows(bytes, rows) &&
                  (Tensor::num_inputs == 1 || rows == row_cut_of(1, bytes).rows)) {
      if (plan.rows == rows) {
        return launch_row_groups<bytes, rows>(scan, opts, plan, limits);
      }
    }
    return launch_row_tiles<Tuned, 2 * rows>(scan, opts, plan, limits);
  }
}

}  // namespace scan::device

#endif
