// From the described scans of a tensor's rows to their kernel.
#ifndef SCAN_DEVICE_ROW_LAUNCH_CUH
#define SCAN_DEVICE_ROW_LAUNCH_CUH

#include "scan/device/enqueue.cuh"
#include "scan/device/part_memory.hpp"
#include "scan/device/prepared.cuh"
#include "scan/device/row_kernel.cuh"
#include "scan/device/row_wave.cuh"
#include "scan/options.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// A block a row; of rows that are one tile, of one vector a thread.
template <int element_bytes, class Tensor>
status launch_row_waves(const Tensor& scan, const options<typename Tensor::value_type>& opts,
                        const row_plan& plan, const device_limits& limits) noexcept {
  constexpr auto kernel = row_wave_kernel<row_wave_shape<element_bytes>, Tensor>;
  grid blocks{scan.shape.outer, (plan.tile_vectors + 31) / 32 * 32};
  blocks.overlaps = is_compiled_for_90<kernel>(limits);
  return enqueue(kernel, blocks, opts.stream, scan, plan.tile_vectors);
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
  using prepared = prepared_shared<row_kernel<tiled>>;
  const std::size_t most_bytes = tiles::required_bytes(most_threads);
  if (const cudaError_t code = prepared::allow(limits, most_bytes)) {
    return {code, "preparing the row kernel failed"};
  }
  const auto launch = [&](void* states, std::size_t num_bytes) {
    return launch_prepared<prepared>(
        limits,
        [&] {
          return enqueue(row_kernel<tiled>, blocks, opts.stream, tiled(scan, plan), states,
                         num_bytes);
        },
        [&] { return prepared::allow(limits, most_bytes) == cudaSuccess; });
  };
  if (plan.groups_per_row == 1) return launch(nullptr, 0);
  const std::size_t num_bytes = tile_states<T>::required_bytes(plan.num_states(scan.shape.outer));
  const call_memory states(with_room(scan, opts, num_bytes), num_bytes);
  if (!states.error().ok()) return states.error();
  return launch(states.data(), states.num_bytes());
}

/// The same with as many rows a thread as the plan says: `rows`, or more.
template <class Tuned, int rows = 1, class Tensor>
status launch_row_tiles(const Tensor& scan, const options<typename Tensor::value_type>& opts,
                        const row_plan& plan, const device_limits& limits) noexcept {
  constexpr int bytes = Tuned::element_bytes;
  if constexpr (rows > most_wave_rows(bytes) || (Tensor::num_inputs > 1 && rows > 2)) {
    return {cudaErrorUnknown, "row plan: no kernel has so many rows"};
  } else {
    if constexpr (rows == 1 && Tensor::num_inputs == 1) {
      if (is_row_wave(plan, scan.shape.outer, limits.sm_count)) {
        return launch_row_waves<bytes>(scan, opts, plan, limits);
      }
    }
    if constexpr (has_wave_rows(bytes, rows) &&
                  (Tensor::num_inputs == 1 || rows == row_cut_of(1, bytes).rows)) {
      if (plan.rows == rows) {
        return launch_row_groups<bytes, rows>(scan, opts, plan, limits);
      }
    }
    return launch_row_tiles<Tuned, 2 * rows>(scan, opts, plan, limits);
  }
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
