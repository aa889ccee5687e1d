// From the arguments of a segmented call to its kernel: check, describe, choose, enqueue.
#ifndef SCAN_DEVICE_LAUNCH_SEGMENT_LAUNCH_CUH
#define SCAN_DEVICE_LAUNCH_SEGMENT_LAUNCH_CUH

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "scan/call/entries.hpp"
#include "scan/call/validate_segments.hpp"
#include "scan/device/launch/call_memory.hpp"
#include "scan/device/launch/device_limits.hpp"
#include "scan/device/launch/enqueue.hpp"
#include "scan/device/launch/sequence_launch.cuh"
#include "scan/device/plan/segment_plan.hpp"
#include "scan/device/segment/segment_kernel.cuh"
#include "scan/device/segment/segment_ring.cuh"
#include "scan/device/segment/segment_round_kernel.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// A value as a type, which functions of any argument are told by.
template <auto value>
using constant = std::integral_constant<decltype(value), value>;

/// Persistent blocks with a ring of tiles, if the kernel has one here, which `is_there` tells.
template <class Tuned, bool valued = false, class Launch, class Segments>
status choose_segment_ring(Launch& to, const Segments& scan, const device_limits& limits,
                           bool& is_there) {
  using tiled = segment_ring<Tuned, Segments, valued>;
  tiled in_tiles(scan);
  ring_room room;
  const status found = find_room<tiled>(limits, room, in_tiles.heads_bytes());
  is_there = found.ok() && room.num_stages > 0;
  if (!is_there) return found;
  in_tiles.widen_slots(room.num_bytes -
                       ring_block<tiled>::required_bytes(room.num_stages, in_tiles.heads_bytes()));
  choose_ring(to, in_tiles, limits.sm_count, room);
  return {};
}

/// Whether results take the place of elements; through iterators they may.
template <class Segments>
bool is_in_place(const Segments& scan) {
  if constexpr (in_arrays<typename Segments::Values>) {
    return static_cast<const void*>(scan.in.data) == scan.out.data;
  } else {
    return true;
  }
}
/// Whether the kernel of one round writes what is wanted of each segment: totals, which it makes of
/// results and elements, if these are still there and that is the operation of an inclusive scan,
/// bit for bit: of numbers as they are, by operators that no compiler puts together with what comes
/// before. (Of an exclusive scan; but of an inclusive one by the same kernel, so that their bits
/// are the same.)
template <class Segments>
bool has_round_values(const Segments& scan) {
  using Values = typename Segments::Values;
  if (scan.init_pointer != nullptr || scan.num_items == 0) return false;
  if constexpr (gives_totals<Segments>) {
    constexpr bool is_plain = is_own_operator<typename bare<typename Values::op_type>::type> &&
                              std::is_same_v<std::decay_t<decltype(Values::in.function)>, as_is> &&
                              std::is_same_v<typename Values::T, typename Values::out_type>;
    return scan.total == nullptr || (is_plain && !is_in_place(scan));
  } else {
    return scan.total == nullptr;
  }
}

/// Blocks that hold a tile each in registers.
template <auto kernel, class Tiles, class Launch, class Segments>
void choose_segment_tiles(Launch& to, const Segments& scan, segment_plan plan,
                          const device_limits& limits) {
  if (plan.in_cluster && plan.num_tiles > 1 && !record_of<kernel>().is_for_90(limits)) {
    plan.in_cluster = false;  // with tickets and states
    plan.states_bytes = tile_states_bytes(plan.num_tiles, sizeof(typename Segments::T));
  }
  // (Others may have stored results in the place of what is before a tile.)
  const int halo_warps = has_offsets(scan.heads) && !is_in_place(scan) ? plan.halo_warps : 0;
  const int num_threads = plan.threads_per_block + 32 * halo_warps;
  const std::int64_t sample_step = num_segments_of(scan.heads) / (num_threads + 1) + 1;
  // (Empty segments without number have offsets without number.)
  const memory_range heads = place_of(scan.heads).bytes;
  const std::int64_t item_bytes = sizeof(typename Segments::in_type) * scan.num_items;
  const auto head_bytes =
      std::min(static_cast<std::int64_t>(heads.end - heads.begin), 16 * scan.num_items);
  const std::int64_t init_bytes =
      std::min<std::int64_t>(num_segments_of(scan.heads) * sizeof(*scan.init_pointer), item_bytes);
  grid blocks{plan.num_tiles, num_threads};
  if (plan.in_cluster && plan.num_tiles > 1) {
    blocks.cluster_blocks = static_cast<int>(plan.num_tiles);
  }
  to.template set_with_states<kernel>(
      blocks, plan.states_bytes,
      Tiles(scan, plan.tile_items / Tiles::vector_items, halo_warps, sample_step,
            {item_bytes, plan.num_tiles}, {head_bytes, plan.num_tiles},
            {init_bytes, plan.num_tiles}));
}

/// By the kernel that is there for `rounds`, of as many stripes as its plan says.
template <class Tuned, segment_rounds rounds, class Launch, class Segments>
void choose_segment_rounds(Launch& to, const Segments& scan, const device_limits& limits) {
  constexpr int fold_bytes = static_cast<int>(sizeof(typename Segments::T));
  const segment_plan plan =
      plan_segments(scan.num_items, Tuned::element_bytes, fold_bytes, rounds, limits.has_clusters);
  const auto choose = [&](auto stripes) {
    using tuning =
        segment_tuning<Tuned::element_bytes, fold_bytes, decltype(stripes)::value, rounds>;
    using tiles = segment_tiles<tuning, Segments>;
    choose_segment_tiles<segment_round_kernel<tiles>, tiles>(to, scan, plan, limits);
  };
  if constexpr (rounds == segment_rounds::lean) {
    if (plan.stripes == most_round_stripes) return choose(constant<most_round_stripes>{});
  }
  choose(constant<few_round_stripes>{});
}

/// Blocks without a ring, of one tile after another.
template <class Tuned, bool valued, class Launch, class Segments>
void choose_segment_blocks(Launch& to, const Segments& scan, const device_limits& limits) {
  using tiled = segment_cut<Tuned, Segments, valued>;
  const tiled in_tiles(scan);
  const std::int64_t tiles = std::max<std::int64_t>(in_tiles.num_tiles, 1);
  const std::int64_t most_blocks = std::int64_t{limits.sm_count} * tiled::blocks_per_sm;
  to.template set_with_states<segment_kernel<tiled>>(
      {std::min(tiles, most_blocks), tiled::num_threads},
      tile_states<typename tiled::T>::required_bytes(tiles), in_tiles);
}

/// The kernel of a described scan or recurrence on the current device.
template <class Tuned, class Segments>
status choose_segments(launch_for<Segments>& to, const Segments& scan,
                       const device_limits& limits) {
  constexpr int element_bytes = Tuned::element_bytes;
  constexpr int fold_bytes = static_cast<int>(sizeof(typename Segments::T));
  // (What comes through iterators is read one by one.)
  constexpr bool arrays =
      in_arrays<typename Segments::Values> && are_in_array<typename Segments::Heads>;
  constexpr bool has_lean =
      arrays && !Segments::is_recurrence && has_round(element_bytes, fold_bytes);
  constexpr bool has_ring = in_segment_ring<Segments>;
  constexpr std::int64_t most_lean = most_round_items(element_bytes, fold_bytes);
  constexpr std::int64_t most_valued =
      most_valued_items(element_bytes, fold_bytes, Segments::is_recurrence || !has_ring);
  [[maybe_unused]] const bool has_values = scan.init_pointer != nullptr || scan.total != nullptr;
  bool lean = false;
  if constexpr (has_lean) lean = has_round_values(scan);
  if constexpr (has_ring) {
    const std::int64_t most_small = lean ? most_lean : most_valued;
    if (limits.ring_bytes_of_block > 0 && scan.num_items > most_small) {
      bool is_there = false;
      status chosen;
      if (!has_values) {
        chosen = choose_segment_ring<Tuned>(to, scan, limits, is_there);
      } else if constexpr (Segments::has_numbers &&
                           in_segment_ring<decltype(giving_totals(scan))>) {
        chosen = choose_segment_ring<Tuned, true>(to, giving_totals(scan), limits, is_there);
      }
      if (is_there || !chosen.ok()) return chosen;
    }
  }
  const auto choose = [&](auto rounds) {
    choose_segment_rounds<Tuned, decltype(rounds)::value>(to, scan, limits);
    return status{};
  };
  using rounds = segment_rounds;
  if constexpr (has_lean) {
    if (lean && scan.num_items <= most_lean) return choose(constant<rounds::lean>{});
  }
  if (scan.num_items <= most_valued) return choose(constant<rounds::valued>{});
  if constexpr (Segments::has_numbers) {
    if (has_values) {
      choose_segment_blocks<Tuned, true>(to, giving_totals(scan), limits);
      return {};
    }
  }
  choose_segment_blocks<Tuned, false>(to, scan, limits);
  return {};
}

// ---- The call. ----

template <bool reversed, class Input, class Output, class Heads, class Op, class Value>
auto describe_segments(bool exclusive, const Input& in, const Output& out, const Heads& heads,
                       Op op, const options<Value>& opts) {
  auto values = describe<reversed>(exclusive, in, out, heads.num_items, op, opts);
  values.init_pointer = opts.init_pointer;
  return segment_problem<decltype(values), Heads>(values, heads);
}

/// In the checked mode, what check_segments says.
template <class Heads>
status check_offsets_if_asked(const Heads& heads, cudaStream_t stream) noexcept {
  if constexpr (std::is_same_v<Heads, segment_heads>) {
    if (has_offsets(heads) && in_checked_mode() && can_wait_for(stream)) {
      return check_offsets(heads, stream);
    }
  }
  return {};
}

/// The arrays of elements that a segmented call has besides those of its options.
struct segment_arrays {
  memory_range input, factors, output;
};
/// The way of segmented calls whose arguments are valid. describe(std::bool_constant<reversed>{}):
/// the problem.
template <class Tuned, class Heads, class Options, class Describe>
status run_segments(const segment_arrays& arrays, const Heads& heads, const Options& opts,
                    Describe describe) noexcept {
  const bool writes = !writes_nothing(heads);
  const std::int64_t num_values = num_segments_of(heads);
  if (const status checked = check_call(
          opts, {{argument::input, arrays.input},
                 {argument::factors, arrays.factors},
                 {argument::output, arrays.output},
                 {argument_of(heads), writes ? place_of(heads).bytes : memory_range(no_array{}, 0)},
                 {argument::init_pointer, {opts.init_pointer, num_values}},
                 {argument::total, {opts.total, num_values}},
                 {argument::known_count, {heads.counted, 1}}});
      !checked.ok()) {
    return checked;
  }
  if (opts.algorithm != algorithm::automatic) {
    return {cudaErrorNotSupported, "options.algorithm: segments choose for themselves"};
  }
  if (!writes) return {};
  if (const status checked = check_offsets_if_asked(heads, opts.stream); !checked.ok()) {
    return checked;
  }
  if (heads.num_items == 0 && opts.total == nullptr) return {};
  device_limits limits;
  if (const status asked = current_limits(limits, opts.stream); !asked.ok()) return asked;
  launch_for<decltype(describe(std::false_type{}))> to;
  const status chosen = opts.reverse
                            ? choose_segments<Tuned>(to, describe(std::true_type{}), limits)
                            : choose_segments<Tuned>(to, describe(std::false_type{}), limits);
  if (!chosen.ok()) return chosen;
  return in_checked_mode() ? wait_for_call(enqueue(to, opts, limits), opts.stream)
                           : enqueue(to, opts, limits);
}

/// Scans of segments in device memory: `inclusive` and `exclusive` of segmented.hpp.
template <class Input, class Output, class Heads, class Op>
status scan_shape(on_device, bool exclusive, const Input& in, const Output& out, const Heads& heads,
                  Op op, const options<typename scan_types<Input, Output>::value>& opts) noexcept {
  const pending_error the_callers;
  if (const status checked = validate_segments<Op>(exclusive, in, out, heads, opts, false);
      !checked.ok()) {
    return checked;
  }
  const std::int64_t n = writes_nothing(heads) ? 0 : heads.num_items;
  const segment_arrays arrays{{array_of(in.data), n}, {no_array{}, 0}, {array_of(out.data), n}};
  return run_segments<tuned_for<Input, Output>>(arrays, heads, opts, [&](auto reversed) {
    return describe_segments<decltype(reversed)::value>(exclusive, in, out, heads, op, opts);
  });
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
