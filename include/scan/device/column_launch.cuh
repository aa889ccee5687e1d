// Launches scans along an axis that is not the last.
#ifndef SCAN_DEVICE_COLUMN_LAUNCH_CUH
#define SCAN_DEVICE_COLUMN_LAUNCH_CUH

#include <cstdint>

#include "scan/device/call_memory.hpp"
#include "scan/device/column_kernel.cuh"
#include "scan/device/device_limits.hpp"
#include "scan/device/enqueue.cuh"
#include "scan/device/part_memory.hpp"
#include "scan/device/prepared.cuh"
#include "scan/options.hpp"
#include "scan/status.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// Whether misaligned lines are better copied by granules, which takes room. Words of 4 bytes are
/// as good for short lines, and whole tiles that are one long line begin and end in few granules.
template <class Problem>
constexpr bool gains_by_room(const Problem& tiled) noexcept {
  if (tiled.cut.strips == 1) return tiled.cut.groups == 1;
  return std::min(Problem::sizes.in, Problem::sizes.out) < 4 ||
         tiled.cut.width * Problem::sizes.in > 128;
}

/// Gives lines room where that pays; with it a tile may take more than CUDA grants unasked, which
/// `Prepared` is asked for.
inline constexpr std::size_t most_roomy_bytes = 80 * 1024;
template <class Prepared, class Problem>
void give_room(Problem& tiled, const device_limits& limits) noexcept {
  Problem roomy = tiled;
  if (gains_by_room(tiled) && limits.ring_bytes_of_block > 0 && roomy.make_room() &&
      roomy.shared_bytes() <= most_roomy_bytes &&
      Prepared::allow(limits, most_roomy_bytes) == cudaSuccess) {
    tiled = roomy;
  }
}

/// Scans the sequences of a tensor whose arguments have been checked and whose extents are
/// positive, inner 2 or more; a tile a block. `scan` is a tensor_problem. `is_long`: as sequences
/// of any greater length.
template <class Tensor>
status launch_columns(const Tensor& scan, const options<typename Tensor::value_type>& opts,
                      const device_limits& limits, bool is_long = false) noexcept {
  using problem = column_problem<Tensor>;
  using prepared = prepared_shared<column_kernel<problem>>;
  problem tiled(scan, limits.sm_count, is_long);
  if (tiled.cut.num_tiles() > INT32_MAX) {
    return {cudaErrorInvalidValue, "extents: more tiles than a kernel has blocks"};
  }
  give_room<prepared>(tiled, limits);
  grid blocks{tiled.cut.num_tiles(), problem::threads, tiled.shared_bytes()};
  blocks.overlaps = is_compiled_for_90<column_kernel<problem>>(limits);
  const auto launch = [&](void* states, std::size_t num_bytes) {
    return launch_prepared<prepared>(
        limits,
        [&] {
          return enqueue(column_kernel<problem>, blocks, opts.stream, tiled, states, num_bytes);
        },
        [&] { return prepared::allow(limits, most_roomy_bytes) == cudaSuccess; });
  };
  const std::size_t states_bytes = tiled.cut.states_bytes(problem::sizes.value);
  if (states_bytes == 0) return launch(nullptr, 0);
  const call_memory states(with_room(scan, opts, states_bytes), states_bytes);
  if (!states.error().ok()) return states.error();
  return launch(states.data(), states.num_bytes());
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
