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

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

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

  /// `num_stages`: of the ring.
  slice_calls(across& ranks, const Problem& scan, const options<value_type>& opts,
              const device_limits& limits, int num_stages = 0) noexcept
      : ranks_(ranks), scan_(scan), opts_(opts), limits_(limits), num_stages_(num_stages) {}

  /// What precedes the gather; an error here can still be told to the others.
  status tell(std::uint64_t call) noexcept {
    load_what_follows();
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

  /// The kernels behind the gather; the ring's has been prepared.
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
  int num_stages_;
};

/// The options that mean something on this rank: the init is rank 0's, and others' may be anything.
template <class Options>
Options options_here(across& ranks, const Options& given) noexcept {
  Options here = given;
  here.workspace = ranks.states();
  if (ranks.rank() > 0) {
    here.init.reset();
    here.init_pointer = nullptr;
  }
  return here;
}

template <class Scans>
__global__ void ring_code_probe() {
  await_earlier_kernels();
}
template <class Scans>
bool has_ring_code() noexcept {
  const pending_error the_callers;
  device_limits limits;
  return current_limits(limits).ok() && is_compiled_for_90<ring_code_probe<Scans>>(limits);
}

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
    using ring = prepared_ring<ring_problem<shape, slice_problem<problem_type>>>;
    int num_stages = 0;  // none, too, where a user's code is compiled for older GPUs
    if (ranks.has_ring() && opts.algorithm != algorithm::look_back) {
      if (const cudaError_t code = ring::stages(limits, num_stages)) {
        return ranks.refuse({code, "preparing the ring kernel failed"}, opts.stream);
      }
    }
    if (num_stages > 0) {  // (Ranks that find different answers here do not make the same call.)
      slice_calls<shape, problem_type, true> calls(ranks, scan, opts, limits, num_stages);
      return carry_out(calls, ranks, hashed(call, 1), opts.stream);
    }
  }
  if (opts.algorithm == algorithm::ring) {
    return ranks.refuse(
        {cudaErrorNotSupported,
         "options.algorithm: no ring kernel on all ranks, for the type or compiled"},
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
    const auto opts = alone<scan_types<Input, Output>>(ranks, n, given);
    if constexpr (both_as_is<Input, Output>) {
      return scan_pointers(exclusive, in.data, out.data, n, op, opts);
    } else {
      return scan_device(exclusive, in, out, n, op, opts);
    }
  }
  const std::unique_lock<std::mutex> lock = ranks.begin_call();
  if (!lock.owns_lock()) return ranks.busy();
  const pending_error the_callers;
  const auto here = options_here(ranks, given);
  auto opts = here;
  opts.complete = here.complete && ranks.rank() == ranks.num_ranks() - 1;
  const int extra = opts.complete ? 1 : 0;
  status checked = validate_slice<Op>(ranks, exclusive, in, out, n, here, extra);
  if (checked.ok()) {
    checked = check_call(opts, {{argument::input, {in.data, n}},
                                {argument::output, {out.data, n + extra}},
                                {argument::init_pointer, {opts.init_pointer, 1}},
                                {argument::total, {opts.total, 1}}});
  }
  device_limits limits;
  if (checked.ok()) checked = ranks.enter(opts.stream, limits);
  if (!checked.ok()) return ranks.refuse(checked, opts.stream);
  call = hashed(call, ranks.num_missed_before());
  return opts.reverse
             ? scan_slice_in_order<true>(ranks, call, exclusive, in, out, n, op, here, opts, limits)
             : scan_slice_in_order<false>(ranks, call, exclusive, in, out, n, op, here, opts,
                                          limits);
}

struct slice_scans {};  // they are here: see slice_call.hpp

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
