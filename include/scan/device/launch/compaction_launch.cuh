// From the arguments of a compaction to its kernel.
#ifndef SCAN_DEVICE_LAUNCH_COMPACTION_LAUNCH_CUH
#define SCAN_DEVICE_LAUNCH_COMPACTION_LAUNCH_CUH

#include <algorithm>
#include <cstdint>

#include "scan/call/compaction_call.hpp"
#include "scan/device/compaction/compaction_kernel.cuh"
#include "scan/device/compaction/compaction_ring.cuh"
#include "scan/device/launch/call_memory.hpp"
#include "scan/device/launch/device_limits.hpp"
#include "scan/device/launch/enqueue.hpp"
#include "scan/device/plan/compaction_plan.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// Blocks that share multiprocessors, on every GPU.
template <class Problem>
void choose_compaction_tiles(launch_for<Problem>& to, const Problem& scan,
                             const device_limits& limits) {
  using cut =
      compaction_cut<Problem, compaction_warps, most_tile_rows(Problem::Results::has_lengths)>;
  const compaction_plan plan = plan_compaction(scan.num_items, cut::most_rows, limits.sm_count);
  const std::int64_t at_once = std::int64_t{limits.sm_count} * compaction_blocks_per_sm;
  const std::int64_t num_blocks = std::clamp<std::int64_t>(plan.num_tiles, 1, at_once);
  to.template set_with_states<compaction_kernel<cut>>(
      {num_blocks, compaction_warps * warp_size},
      tile_states<typename cut::T>::required_bytes(std::max<std::int64_t>(plan.num_tiles, 1)),
      cut(scan, plan.num_rows));
}

/// Blocks with a ring of tiles, if the kernel has one here, which `is_there` tells.
template <class Problem>
status choose_compaction_ring(launch_for<Problem>& to, const Problem& scan,
                              const device_limits& limits, bool& is_there) {
  using cut = compaction_ring_cut<Problem>;
  constexpr auto kernel = compaction_ring_kernel<cut>;
  std::size_t room = 0;
  if (const cudaError_t code = record_of<kernel>().allow_ring(limits, room)) {
    return {code, "preparing the ring kernel failed"};
  }
  const int num_stages = compaction_ring_room<cut>::stages_in(room);
  is_there = num_stages >= 2;
  if (!is_there) return {};
  const cut in_tiles(scan, cut::most_rows);
  const std::int64_t num_tiles = std::max<std::int64_t>(in_tiles.num_tiles(), 1);
  to.template set_with_states<kernel>(
      {std::min<std::int64_t>(num_tiles, limits.sm_count), cut::ring_threads(),
       compaction_ring_room<cut>::bytes(num_stages), room},
      tile_states<typename cut::T>::required_bytes(num_tiles), in_tiles, num_stages);
  return {};
}

template <class Problem>
status choose_compaction(launch_for<Problem>& to, const Problem& scan,
                         const device_limits& limits) {
  using cut = compaction_ring_cut<Problem>;
  if (limits.ring_bytes_of_block > 0 &&
      scan.num_items >= std::int64_t{limits.sm_count} * cut::warps * cut::most_rows * warp_size) {
    bool is_there = false;
    const status chosen = choose_compaction_ring(to, scan, limits, is_there);
    if (is_there || !chosen.ok()) return chosen;
  }
  choose_compaction_tiles(to, scan, limits);
  return {};
}

/// The arrays of a call, as the checked mode and a workspace are asked about them.
template <class Problem>
status check_compaction(const Problem& scan, const options<std::int64_t>& memory) noexcept {
  const std::int64_t n = scan.num_items, room = std::min(n, scan.capacity);
  memory_range input(no_array{}, 0), marks(no_array{}, 0), second(no_array{}, 0);
  if constexpr (Problem::has_items) input = {scan.in, n};
  if constexpr (!Problem::Marks::of_items) {
    const auto* const flags = static_cast<const std::uint8_t*>(scan.marks.data);
    marks = {flags, scan.marks.are_bits ? (n / 32 + (n % 32 != 0)) * 4 : n};
  }
  if constexpr (Problem::Results::has_rejected) second = {scan.to.rejected, room};
  if constexpr (Problem::Results::has_lengths) second = {scan.to.lengths, room};
  return check_call(memory, {{argument::input, input},
                             {argument::flags, marks},
                             {argument::output, {scan.to.kept, room}},
                             {argument::output, second},
                             {argument::count, {scan.count, 1}},
                             {argument::known_count, {scan.num_items_pointer, 1}}});
}

/// The calls of compaction.hpp in device memory.
template <class Problem>
status compact(on_device, const Problem& scan, const select_options& opts) noexcept {
  const pending_error the_callers;
  options<std::int64_t> memory;
  memory.stream = opts.stream;
  memory.workspace = opts.workspace;
  memory.memory_resource = opts.memory_resource;
  if (const status checked = check_compaction(scan, memory); !checked.ok()) return checked;
  if (scan.num_items == 0 && scan.count == nullptr) return {};
  device_limits limits;
  if (const status asked = current_limits(limits, opts.stream); !asked.ok()) return asked;
  launch_for<Problem> to;
  if (const status chosen = choose_compaction(to, scan, limits); !chosen.ok()) return chosen;
  return in_checked_mode() ? wait_for_call(enqueue(to, memory, limits), opts.stream)
                           : enqueue(to, memory, limits);
}

}  // namespace device
struct device_compactions {};  // they are here: see compaction_call.hpp
}  // namespace SCAN_ABI
}  // namespace scan

#endif
