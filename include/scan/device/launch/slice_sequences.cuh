// One rank's arguments of a call across GPUs, and the launches that they come to.
#ifndef SCAN_DEVICE_LAUNCH_SLICE_SEQUENCES_CUH
#define SCAN_DEVICE_LAUNCH_SLICE_SEQUENCES_CUH

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "scan/call/problem.hpp"
#include "scan/call/slice_call.hpp"
#include "scan/device/launch/enqueue.hpp"
#include "scan/device/launch/sequence_launch.cuh"
#include "scan/device/plan/slice_plan.hpp"
#include "scan/device/slice/slice_fold.cuh"
#include "scan/device/slice/slice_kernels.cuh"
#include "scan/device/slice/slice_problem.cuh"
#include "scan/device/slice/slice_team.hpp"
#include "scan/options.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// The order that slices are combined in, as kernels are told it.
template <int element_bytes, bool widens, bool in_ring>
struct sequence_order {
  static constexpr slice_order order =
      in_ring ? ring_order(element_bytes, widens) : look_back_order(element_bytes);
};
/// The same of rows of tensors.
template <int element_bytes, bool widens, bool in_ring>
struct ordered_rows {
  static constexpr slice_order order = row_order(element_bytes, widens, in_ring);
  static constexpr bool by_vectors = !in_ring;
};

/// A launch of any of a call's kernels; `Problem` is what it scans.
template <class Problem>
using slice_launch =
    launch_of<(sizeof(Problem) + 63) / 64 * 64 + 512, std::max<std::size_t>(alignof(Problem), 16)>;

/// The grid of a kernel whose blocks share out `num_all` threads' work among as many as there are.
inline grid grid_of(std::int64_t num_all, int num_threads) noexcept {
  constexpr std::int64_t most = std::int64_t{1} << 30;
  return {std::clamp<std::int64_t>(batches_of(num_all, num_threads), 1, most), num_threads};
}

template <class Input, class Output, class Op>
struct slice_arguments {
  using types = scan_types<Input, Output>;
  using T = typename types::accumulated;
  using options_type = options<typename types::value>;

  slice_team& team;
  bool exclusive;
  const Input& in;
  const Output& out;
  Op op;
  options_type given;  // what the call is about
  options_type opts;   // as this rank scans: n + 1 outputs are the last rank's
  device_limits limits = {};

  using described = decltype(describe<false>(exclusive, in, out, 0, op, given));

  /// The init is rank 0's, and others' may be anything; the states are the team's.
  slice_arguments(slice_team& of, bool is_exclusive, const Input& from, const Output& to, Op apply,
                  const options_type& called) noexcept
      : team(of), exclusive(is_exclusive), in(from), out(to), op(apply), given(called) {
    given.workspace = team.states();
    if (team.rank() > 0) {
      given.init.reset();
      given.init_pointer = nullptr;
    }
    opts = given;
    opts.complete = given.complete && team.rank() == team.num_ranks() - 1;
  }
  int num_extra() const noexcept { return opts.complete ? 1 : 0; }
  /// The place of this rank in the scan's order.
  int place() const noexcept {
    return given.reverse ? team.num_ranks() - 1 - team.rank() : team.rank();
  }
  T* shares() const noexcept { return static_cast<T*>(team.shares()); }

  /// As validate_scan() and validate_tensor(), of one rank's arguments: first and last.
  status validate_kind() const noexcept {
    if (const status checked = validate_options(given); !checked.ok()) return checked;
    if (!given.complete || exclusive) return {};
    return {cudaErrorInvalidValue, "options.complete is for exclusive scans"};
  }
  status validate_init() const noexcept {
    const bool init_given = given.init || given.init_pointer != nullptr;
    if (team.rank() > 0 || !exclusive || init_given || has_identity<Op, T>) return {};
    return {cudaErrorInvalidValue, "options.init is missing: the operator has no identity"};
  }
};

// ---- One sequence in slices across GPUs: what a rank's arguments have to be, and its launches.

/// What scan_shape() asks and launches, in this order.
template <class Input, class Output, class Op>
struct slices_of_sequence : slice_arguments<Input, Output, Op> {
  using arguments = slice_arguments<Input, Output, Op>;
  using launch_type = slice_launch<slice_problem<typename arguments::described>>;
  using Tuned = tuned_for<Input, Output>;
  using arguments::exclusive, arguments::in, arguments::out, arguments::op;
  using arguments::given, arguments::opts, arguments::limits, arguments::team;
  using typename arguments::T;

  std::int64_t local_n;
  launch_type fold, message, start, scan, total;
  bool has_fold = false, has_total = false;

  template <class... Arguments>
  slices_of_sequence(std::int64_t n, Arguments&&... others) noexcept
      : arguments(others...), local_n(n) {}
  bool is_scanned() const noexcept { return local_n > 0; }

  /// Whether the arguments are such that this rank can scan.
  status check() noexcept {
    const int extra = this->num_extra();
    status checked = validate(extra);
    if (checked.ok()) {
      checked = check_call(opts, {{argument::input, {in.data, local_n}},
                                  {argument::output, {out.data, local_n + extra}},
                                  {argument::init_pointer, {opts.init_pointer, 1}},
                                  {argument::total, {opts.total, 1}}});
    }
    return checked.ok() ? team.enter(opts.stream, limits) : checked;
  }

  /// Writes the launches down, for `call`, and has the kernels loaded that follow the gather.
  template <bool reversed>
  status choose(std::uint64_t call) noexcept {
    call = hashed(call, team.num_missed_before());
    auto slice = describe<reversed>(exclusive, in, out, local_n, op, opts);
    using problem = decltype(slice);
    slice.init_pointer = opts.init_pointer;
    // The n + 1 suffixes are inclusive scans on all ranks: see describe().
    if (given.complete && reversed) slice.exclusive = false;
    if constexpr (in_ring<problem>) {
      ring_room room;  // none, too, where a user's code is compiled for older GPUs
      if (team.has_ring() && opts.algorithm != algorithm::look_back) {
        using tiled = ring_cut<Tuned, slice_problem<problem>>;
        if (const status found = find_room<tiled>(limits, room); !found.ok()) return found;
      }
      if (room.num_stages > 0) {
        // (Ranks that find different answers here do not make the same call.)
        choose_in_order<true>(slice, hashed(call, 1), room);
        return {};
      }
    }
    if (opts.algorithm == algorithm::ring) {
      return {cudaErrorNotSupported,
              "options.algorithm: no ring kernel on all ranks, for the type or compiled"};
    }
    choose_in_order<false>(slice, call, {});
    return {};
  }

 private:
  status validate(int extra) const noexcept {
    status checked = this->validate_kind();
    if (checked.ok() && opts.algorithm != algorithm::automatic &&
        opts.algorithm != algorithm::ring && opts.algorithm != algorithm::look_back) {
      checked = {cudaErrorNotSupported, "options.algorithm: across GPUs ring and look_back alone"};
    }
    if (checked.ok()) checked = scan::validate(in.data, out.data, local_n, extra);
    if (checked.ok()) checked = validate_total(in.data, out.data, local_n, extra, opts.total);
    if (checked.ok() &&
        (local_n > team.max_items() || Tuned::element_bytes > team.max_element_bytes())) {
      checked = {cudaErrorInvalidValue,
                 "local_n or the elements are more than this scan::across was made for"};
    }
    if (checked.ok()) checked = this->validate_init();
    if (!checked.ok()) return checked;
    return validate_init_pointer(out.data, local_n, extra, opts.init_pointer, opts.total);
  }

  template <bool in_ring_order, class Problem>
  void choose_in_order(const Problem& slice, std::uint64_t call, const ring_room& room) noexcept {
    using ordered = sequence_order<Tuned::element_bytes, Tuned::widens, in_ring_order>;
    constexpr slice_order order = ordered::order;
    if (local_n > 0) choose_fold<in_ring_order>(slice);
    constexpr int block_tiles = message_warps * warp_size;
    const std::int64_t tiles = batches_of(local_n, order.tile_items());
    message.template set<write_message<ordered, Problem>>(
        {batches_of(tiles, block_tiles) + 1, block_tiles}, slice, this->shares(),
        team.own_message(), slice_header{call, local_n, 0, 0});

    using sequence = slice_sequence<T, order.run_items>;
    const sequence slices{team.messages(), Problem::reversed, order.batch_items()};
    auto* const from = static_cast<slice_start<T>*>(team.start());
    constexpr auto find = find_start<sequence, typename Problem::op_type, T>;
    start.template set<find>({1, warp_size}, slices, this->place(), slice.op, from, team.refusal());
    record_of<find>().load(limits);
    choose_total(slices, slice_problem<Problem>(slice, from));
    choose_scan<in_ring_order>(slice_problem<Problem>(slice, from), room);
  }

  template <bool in_ring_order, class Problem>
  void choose_fold(const Problem& slice) noexcept {
    has_fold = true;
    if constexpr (in_ring_order) {
      using tiled = ring_cut<Tuned, Problem>;
      using fold_type = share_fold<tiled>;
      fold.template set<fold_ring_shares<tiled>>(
          {fold_type::num_blocks(local_n), fold_type::warps * warp_size}, tiled(slice),
          this->shares());
    } else {
      using tiled = register_cut<Tuned, Problem>;
      fold.template set<fold_register_shares<Tuned, tiled>>(
          {tiles_of(local_n, tiled::tile_items), Tuned::tile.threads_per_block}, tiled(slice),
          this->shares());
    }
  }

  template <bool in_ring_order, class Slice>
  void choose_scan(Slice slice, const ring_room& room) noexcept {
    slice.total = nullptr;
    if constexpr (in_ring_order) {
      choose_ring(scan, ring_cut<Tuned, Slice>(slice), limits.sm_count, room);
    } else {
      record_of<look_back_kernel<Tuned, register_cut<Tuned, Slice>>>().load(limits);
      choose_look_back<Tuned>(
          scan, slice,
          plan_for(local_n, Tuned::element_bytes, algorithm::look_back, limits, Tuned::widens));
    }
  }

  /// Of what the scan does not write: it has the ends of a slice that is not empty.
  template <class Sequence, class Slice>
  void choose_total(const Sequence& slices, Slice slice) noexcept {
    const bool is_edge = slice.start_output != nullptr || slice.end_output != nullptr;
    has_total = slice.total != nullptr || (local_n == 0 && is_edge);
    if (local_n > 0) slice.start_output = slice.end_output = nullptr;
    constexpr auto write = write_total<Sequence, Slice>;
    total.template set<write>({1, warp_size}, slices, slice);
    record_of<write>().load(limits);
  }
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
