// From the arguments of a call across GPUs to its kernels: check, fold the slice, exchange, scan.
#ifndef SCAN_DEVICE_SLICE_LAUNCH_CUH
#define SCAN_DEVICE_SLICE_LAUNCH_CUH

#include <algorithm>
#include <cstdint>
#include <mutex>

#include "scan/device/checked_call.hpp"
#include "scan/device/launch.cuh"
#include "scan/device/loaded_kernel.cuh"
#include "scan/device/slice_fold.cuh"
#include "scan/device/slice_kernels.cuh"
#include "scan/device/slice_order.hpp"
#include "scan/device/slice_problem.cuh"
#include "scan/nccl.hpp"

namespace scan::device {

/// A call's kernels with one order of its slices: the ring's, or the look-back kernel's.
template <class Tuned, class Problem, bool in_ring_order>
class slice_calls {
 public:
  using T = typename Problem::T;
  using Op = typename Problem::op_type;
  using value_type = typename Problem::value_type;
  static constexpr slice_order order = in_ring_order
                                           ? ring_order(Tuned::element_bytes, Tuned::widens)
                                           : look_back_order(Tuned::element_bytes);

  slice_calls(across& ranks, const Problem& scan, const options<value_type>& opts,
              const device_limits& limits) noexcept
      : ranks_(ranks), scan_(scan), opts_(opts), limits_(limits) {}

  /// What precedes the gather; an error here can still be told to the others.
  status tell(std::uint64_t call) noexcept {
    load_what_follows();
    if (in_ring_order) {
      if (const cudaError_t code =
              prepared_ring<ring_problem<Tuned, slice_of>>::stages(limits_, num_stages_)) {
        return {code, "preparing the ring kernel failed"};
      }
      if (num_stages_ == 0) {
        return {cudaErrorNotSupported,
                "this kernel was compiled for older GPUs than the others: no ring"};
      }
    }
    if (scan_.num_items > 0) {
      if (const status folded = fold_shares(); !folded.ok()) return folded;
    }
    const auto write = write_message<slice_calls, Problem>;
    constexpr int block_tiles = message_warps * warp_size;
    const std::int64_t tiles = batches_of(scan_.num_items, order.tile_items());
    return enqueue(write,
                   small<write_message<slice_calls, Problem>>(batches_of(tiles, block_tiles) + 1,
                                                              message_warps * warp_size),
                   opts_.stream, scan_, static_cast<const T*>(ranks_.shares()),
                   ranks_.messages().message(ranks_.rank()),
                   slice_header{call, scan_.num_items, 0, 0});
  }

  /// What follows it.
  status finish() noexcept {
    const sequence slices{ranks_.messages(), Problem::reversed, order.batch_items()};
    auto* const start = static_cast<slice_start<T>*>(ranks_.start());
    const int place = Problem::reversed ? ranks_.num_ranks() - 1 - ranks_.rank() : ranks_.rank();
    status done =
        enqueue(find_start<sequence, Op, T>, small<find_start<sequence, Op, T>>(1, warp_size),
                opts_.stream, slices, place, scan_.op, start, ranks_.refusal());
    slice_of slice(scan_, start);
    slice.total = nullptr;
    if (done.ok() && scan_.num_items > 0) done = scan_slice_of(slice);
    const bool is_edge = scan_.start_output != nullptr || scan_.end_output != nullptr;
    if (scan_.num_items > 0) slice.start_output = slice.end_output = nullptr;
    slice.total = scan_.total;
    if (done.ok() && (slice.total != nullptr || (scan_.num_items == 0 && is_edge))) {
      done = enqueue(write_total<sequence, slice_of>,
                     small<write_total<sequence, slice_of>>(1, warp_size), opts_.stream, slices,
                     slice);
    }
    return done;
  }

 private:
  using slice_of = slice_problem<Problem>;
  using sequence = slice_sequence<T, order.run_items>;

  /// The kernels behind the gather; the ring's is prepared in any case.
  void load_what_follows() const noexcept {
    load_kernel<find_start<sequence, Op, T>>(limits_);
    load_kernel<write_total<sequence, slice_of>>(limits_);
    if constexpr (!in_ring_order) {
      load_kernel<look_back_kernel<Tuned, register_problem<Tuned, slice_of>>>(limits_);
    }
  }

  template <auto kernel>
  grid small(std::int64_t num_blocks, int num_threads) const noexcept {
    grid blocks{num_blocks, num_threads};
    blocks.overlaps = is_compiled_for_90<kernel>(limits_);
    return blocks;
  }

  status fold_shares() noexcept {
    T* const folds = static_cast<T*>(ranks_.shares());
    if constexpr (in_ring_order) {
      using tiled = ring_problem<Tuned, Problem>;
      using fold = share_fold<tiled>;
      return enqueue(fold_ring_shares<tiled>,
                     small<fold_ring_shares<tiled>>(fold::num_blocks(scan_.num_items),
                                                    fold::warps * warp_size),
                     opts_.stream, tiled(scan_), folds);
    } else {
      using tiled = register_problem<Tuned, Problem>;
      const tiled in_tiles(scan_);
      return enqueue(
          fold_register_shares<Tuned, tiled>,
          small<fold_register_shares<Tuned, tiled>>(tiles_of(scan_.num_items, tiled::tile_items),
                                                    Tuned::shape.threads_per_block),
          opts_.stream, in_tiles, folds);
    }
  }

  status scan_slice_of(const slice_of& slice) noexcept {
    if constexpr (in_ring_order) {
      return launch_ring(ring_problem<Tuned, slice_of>(slice), opts_, limits_.sm_count, limits_,
                         num_stages_);
    } else {
      const launch_plan plan = plan_for(slice.num_items, Tuned::element_bytes, algorithm::look_back,
                                        limits_, Tuned::widens);
      return launch_look_back<Tuned>(slice, opts_, plan, limits_);
    }
  }

  across& ranks_;
  const Problem& scan_;
  const options<value_type>& opts_;
  const device_limits& limits_;
  int num_stages_ = 0;
};

/// Enqueues one order's kernels and the gather between them.
template <class Calls>
status carry_out(Calls calls, across& ranks, std::uint64_t call, cudaStream_t stream) noexcept {
  if (const status told = calls.tell(call); !told.ok()) return ranks.refuse(told, stream);
  if (const status sent = ranks.gather(stream); !sent.ok()) return sent;
  return calls.finish();
}

/// As validate_scan(), of one rank's arguments.
template <class Op, class Input, class Output, class Options>
status validate_slice(const across& ranks, bool exclusive, const Input& in, const Output& out,
                      std::int64_t n, const Options& opts, int extra) noexcept {
  using T = typename scan_types<Input, Output>::accumulated;
  if (const status checked = validate_options(opts); !checked.ok()) return checked;
  if (opts.complete && !exclusive) {
    return {cudaErrorInvalidValue, "options.complete is for exclusive scans"};
  }
  if (opts.algorithm != algorithm::automatic && opts.algorithm != algorithm::ring &&
      opts.algorithm != algorithm::look_back) {
    return {cudaErrorNotSupported, "options.algorithm: across GPUs ring and look_back alone"};
  }
  if (const status checked = validate(in.data, out.data, n, extra); !checked.ok()) return checked;
  if (const status checked = validate_total(in.data, out.data, n, extra, opts.total);
      !checked.ok()) {
    return checked;
  }
  constexpr int widest = tuned_for<Input, Output>::element_bytes;
  if (n > ranks.max_items() || widest > ranks.max_element_bytes()) {
    return {cudaErrorInvalidValue,
            "local_n or the elements are more than this scan::across was made for"};
  }
  const bool init_given = opts.init || opts.init_pointer != nullptr;
  if (ranks.rank() == 0 && exclusive && !init_given && !has_identity<Op, T>) {
    return {cudaErrorInvalidValue, "options.init is missing: the operator has no identity"};
  }
  return validate_init_pointer(out.data, n, extra, opts.init_pointer, opts.total);
}

/// The part of the call for which the direction is known.
template <bool reversed, class Input, class Output, class Op, class Options>
status scan_slice_in_order(across& ranks, std::uint64_t call, bool exclusive, const Input& in,
                           const Output& out, std::int64_t n, Op op, const Options& given,
                           const Options& opts, const device_limits& limits) noexcept {
  using shape = tuned_for<Input, Output>;
  auto scan = describe<reversed>(exclusive, in, out, n, op, opts);
  using problem_type = decltype(scan);
  scan.init_pointer = opts.init_pointer;
  // The n + 1 suffixes are inclusive scans on all ranks: see describe().
  if (given.complete && reversed) scan.exclusive = false;
  if constexpr (in_ring<problem_type>) {
    if (ranks.has_ring() && opts.algorithm != algorithm::look_back) {
      return carry_out(slice_calls<shape, problem_type, true>(ranks, scan, opts, limits), ranks,
                       call, opts.stream);
    }
  }
  if (opts.algorithm == algorithm::ring) {
    return ranks.refuse(
        {cudaErrorNotSupported, "options.algorithm: no ring kernel on all ranks, or for the type"},
        opts.stream);
  }
  return carry_out(slice_calls<shape, problem_type, false>(ranks, scan, opts, limits), ranks, call,
                   opts.stream);
}

/// A scan across GPUs: `inclusive` and `exclusive` of nccl.hpp.
template <class Input, class Output, class Op>
status scan_slice(across& ranks, std::uint64_t call, bool exclusive, const Input& in,
                  const Output& out, std::int64_t n, Op op,
                  const options<typename scan_types<Input, Output>::value>& given) noexcept {
  if (!ranks.made().ok()) return ranks.made();
  if (ranks.num_ranks() == 1) {  // (by libscan.a's kernels where it has them)
    if constexpr (both_as_is<Input, Output>) {
      return scan_pointers(exclusive, in.data, out.data, n, op, alone(ranks, n, given));
    } else {
      return scan_device(exclusive, in, out, n, op, alone(ranks, n, given));
    }
  }
  const std::unique_lock<std::mutex> lock(ranks.enqueueing(), std::try_to_lock);
  if (!lock.owns_lock()) {
    return {cudaErrorInvalidValue, "this scan::across is in use by another host thread"};
  }
  const pending_error the_callers;
  auto opts = given;
  opts.workspace = ranks.states();
  opts.complete = given.complete && ranks.rank() == ranks.num_ranks() - 1;
  const int extra = opts.complete ? 1 : 0;
  status checked = validate_slice<Op>(ranks, exclusive, in, out, n, given, extra);
  if (checked.ok()) {
    checked = check_call(opts, {{argument::input, {in.data, n}},
                                {argument::output, {out.data, n + extra}},
                                {argument::init_pointer, {opts.init_pointer, 1}},
                                {argument::total, {opts.total, 1}}});
  }
  device_limits limits;
  if (checked.ok()) checked = current_limits(limits, opts.stream);
  if (checked.ok() && limits.device != ranks.device()) {
    checked = {cudaErrorInvalidValue, "the current device is not the communicator's"};
  }
  if (!checked.ok()) return ranks.refuse(checked, opts.stream);
  return opts.reverse ? scan_slice_in_order<true>(ranks, call, exclusive, in, out, n, op, given,
                                                  opts, limits)
                      : scan_slice_in_order<false>(ranks, call, exclusive, in, out, n, op, given,
                                                   opts, limits);
}

struct slice_scans {};  // they are here: see slice_call.hpp

}  // namespace scan::device

#endif
