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

/// Rows of a warp at most.
template <class Problem>
constexpr int rows_of_tile() {
  constexpr int bytes = compaction_item_bytes<Problem>();
  return Problem::Results::has_folds ? most_folding_rows(bytes) : most_tile_rows(bytes);
}

/// Blocks that hold tiles in registers, or in shared memory where runs are folded, on every GPU.
template <class Problem>
void choose_compaction_tiles(launch_for<Problem>& to, const Problem& scan,
                             const device_limits& limits) {
  using few = compaction_tiles<Problem, most_cluster_rows(rows_of_tile<Problem>(),
                                                          Problem::Results::has_folds)>;
  using many = compaction_tiles<Problem, rows_of_tile<Problem>()>;
  constexpr auto in_cluster = compaction_cluster_kernel<few>;
  const compaction_plan plan =
      plan_compaction(scan.num_items, many::most_rows, few::most_rows, limits.sm_count,
                      record_of<in_cluster>().is_for_90(limits), many::blocks);
  grid blocks{plan.num_tiles, plan.num_warps * warp_size};
  if (plan.in_cluster) {
    if (plan.num_tiles > 1) blocks.cluster_blocks = static_cast<int>(plan.num_tiles);
    to.template set<in_cluster>(blocks, few(scan, plan.num_rows, plan.num_warps));
    return;
  }
  blocks.num_blocks =
      std::min<std::int64_t>(plan.num_tiles, std::int64_t{limits.sm_count} * many::blocks.per_sm);
  to.template set_with_states<compaction_kernel<many>>(
      blocks, tile_states<typename many::tile_fold>::required_bytes(plan.num_tiles),
      many(scan, plan.num_rows, plan.num_warps));
}

/// Blocks with a ring of tiles, if the kernel has one here, which `is_there` tells.
template <class Problem>
status choose_compaction_ring(launch_for<Problem>& to, const Problem& scan,
                              const device_limits& limits, bool& is_there) {
  using cut = compaction_cut<Problem>;
  constexpr auto kernel = compaction_ring_kernel<cut>;
  std::size_t room = 0;
  if (const cudaError_t code = record_of<kernel>().allow_ring(limits, room)) {
    return {code, "preparing the ring kernel failed"};
  }
  const int num_stages = compaction_ring_room<cut>::stages_in(room);
  is_there = num_stages >= 2;
  if (!is_there) return {};
  // (Of fewer elements than all blocks could have in one round, a tile a block.)
  const std::int64_t row_items = std::int64_t{limits.sm_count} * cut::warps * warp_size;
  const auto rows = std::min<std::int64_t>((scan.num_items - 1) / row_items + 1, cut::most_rows);
  const cut in_tiles(scan, static_cast<int>(rows));
  const std::int64_t num_tiles = in_tiles.num_tiles();
  to.template set_with_states<kernel>(
      {std::min<std::int64_t>(num_tiles, limits.sm_count), cut::ring_threads(),
       compaction_ring_room<cut>::bytes(num_stages), room},
      tile_states<typename cut::tile_fold>::required_bytes(num_tiles), in_tiles, num_stages);
  return {};
}

/// The ring where blocks would have more than one tile in registers.
template <class Problem>
status choose_compaction(launch_for<Problem>& to, const Problem& scan,
                         const device_limits& limits) {
  using tiles = compaction_tiles<Problem, rows_of_tile<Problem>()>;
  const std::int64_t most =
      std::int64_t{limits.sm_count} * tiles::blocks.per_sm * tiles::most_threads * tiles::most_rows;
  if (limits.ring_bytes_of_block > 0 && scan.num_items > most) {
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
  const memory_range nothing(no_array{}, 0);
  memory_range input = nothing, keys = nothing, marks = nothing, second = nothing;
  if constexpr (Problem::has_items) input = {scan.in, n};
  if constexpr (!Problem::Marks::of_items) {
    const auto* const flags = static_cast<const std::uint8_t*>(scan.marks.data);
    marks = {flags, scan.marks.are_bits ? (n / 32 + (n % 32 != 0)) * 4 : n};
  }
  if constexpr (Problem::Results::has_rejected) second = {scan.to.rejected, room};
  if constexpr (Problem::Results::has_lengths) second = {scan.to.lengths, room};
  if constexpr (Problem::Results::has_folds) {
    keys = input;
    input = {scan.to.values, n};
    second = {scan.to.folds, room};
  }
  return check_call(memory, {{argument::input, input},
                             {argument::flags, marks},
                             {argument::keys, keys},
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
