// From the arguments of a call across GPUs for a tensor to its kernels: check, fold the slices,
// exchange, scan them as a tensor of its own that starts from what the others have told.
#ifndef SCAN_DEVICE_SLICE_TENSOR_LAUNCH_CUH
#define SCAN_DEVICE_SLICE_TENSOR_LAUNCH_CUH

#include <algorithm>
#include <cstdint>
#include <mutex>

#include "scan/device/slice_launch.cuh"
#include "scan/device/slice_tensor_checks.cuh"
#include "scan/device/slice_tensor_fold.cuh"
#include "scan/device/slice_tensor_kernels.cuh"
#include "scan/device/tensor_launch.cuh"
#include "scan/nccl.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// The tensor's scan on this GPU: libscan.a's kernels where it has them.
template <class Input, class Output, class Op, class Options>
status scan_here(bool exclusive, const Input& in, const Output& out, const extents& local, Op op,
                 const Options& opts, const slice_part* part) noexcept {
  using types = scan_types<Input, Output>;
  if constexpr (both_as_is<Input, Output> &&
                is_tensor_kernel_held<typename types::in, typename types::out, Op>) {
    return scan_prebuilt(exclusive, in.data, out.data, local, op, opts, part);
  } else {
    return scan_tensor(exclusive, in, out, local, op, opts, part);
  }
}

/// One order of rows.
template <int element_bytes, bool widens, bool in_ring>
struct ordered_rows {
  static constexpr slice_order order = row_order(element_bytes, widens, in_ring);
  static constexpr bool by_vectors = !in_ring;
};

/// A call's kernels; `Tensor` is a tensor_problem as the call describes it.
template <class Tuned, class Tensor>
class slice_tensor_calls {
 public:
  using T = typename Tensor::T;
  using Op = typename Tensor::op_type;
  static constexpr int element_bytes = Tuned::element_bytes;

  slice_tensor_calls(across& ranks, const Tensor& scan, std::int64_t batch_items, bool has_ring,
                     const device_limits& limits, cudaStream_t stream) noexcept
      : ranks_(ranks),
        scan_(scan),
        num_sequences_(scan.shape.num_sequences()),
        batch_items_(batch_items),
        has_ring_(has_ring),
        limits_(limits),
        stream_(stream) {}

  /// What precedes the gather; an error here can still be told to the others.
  status tell(const slice_header& header) noexcept {
    load_kernel<find_tensor_starts<slice_tensor_sequence<T>, Op, T>>(limits_);
    if (num_sequences_ > 0 && scan_.shape.length > 0 && scan_.shape.inner > 1) {
      return tell_columns(header);
    }
    if constexpr (in_ring<Tensor>) {
      if (has_ring_) {
        return tell_rows<ordered_rows<element_bytes, Tuned::widens, true>>(header);
      }
    }
    return tell_rows<ordered_rows<element_bytes, Tuned::widens, false>>(header);
  }

  /// What follows it, up to what precedes each sequence.
  status find_starts() noexcept {
    using sequence = slice_tensor_sequence<T>;
    constexpr auto kernel = find_tensor_starts<sequence, Op, T>;
    const sequence slices{ranks_.messages(), Tensor::reversed, batch_items_, num_sequences_};
    const int place = Tensor::reversed ? ranks_.num_ranks() - 1 - ranks_.rank() : ranks_.rank();
    // Few sequences may have many batches each.
    const bool by_warps = num_sequences_ <= 4096;
    return enqueue(kernel,
                   small<kernel>(num_sequences_ * (by_warps ? warp_size : 1), start_threads),
                   stream_, slices, place, scan_.op, by_warps, state(), starts(), ranks_.refusal());
  }
  slice_part part() const noexcept {
    return {starts(), &state()->is_refused, scan_.shape.length >= batch_items_, has_ring_, false};
  }

 private:
  template <auto kernel>
  grid small(std::int64_t num_all, int num_threads) const noexcept {
    constexpr std::int64_t most = std::int64_t{1} << 30;
    grid blocks{std::clamp<std::int64_t>(batches_of(num_all, num_threads), 1, most), num_threads};
    blocks.overlaps = is_compiled_for_90<kernel>(limits_);
    return blocks;
  }
  T* shares() const noexcept { return static_cast<T*>(ranks_.shares()); }
  slice_tensor_message<T> message() const noexcept {
    return {ranks_.messages().message(ranks_.rank()), num_sequences_};
  }
  slice_tensor_state* state() const noexcept {
    return static_cast<slice_tensor_state*>(ranks_.start());
  }
  prefix<T>* starts() const noexcept {
    return reinterpret_cast<prefix<T>*>(static_cast<unsigned char*>(ranks_.start()) +
                                        slice_starts_offset);
  }

  /// Of no elements, too: then there is the header to write, and inits.
  template <class Order>
  status tell_rows(const slice_header& header) noexcept {
    constexpr slice_order order = Order::order;
    Tensor rows = scan_;
    if (num_sequences_ == 0) rows.shape.outer = 0;
    const std::int64_t outer = rows.shape.outer, length = rows.shape.length;
    const row_shares cut{order.run_items, Order::by_vectors, order.share_items(),
                         batches_of(length, order.share_items())};
    status told;
    if (outer * cut.per_row > 0) {
      constexpr auto kernel = fold_row_shares<element_bytes, Tensor>;
      told =
          enqueue(kernel, small<kernel>(outer * cut.per_row * warp_size, share_warps * warp_size),
                  stream_, rows, cut, shares());
    }
    if (!told.ok()) return told;
    constexpr auto kernel = fold_row_batches<Order, Tensor>;
    const std::int64_t num_folds = outer * batches_of(length, order.batch_items());
    const int each = length <= order.tile_items() ? 1 : warp_size;
    return enqueue(kernel, small<kernel>(num_folds * each, batch_threads), stream_, rows,
                   static_cast<const T*>(shares()), message(), header);
  }

  status tell_columns(const slice_header& header) noexcept {
    using problem = column_problem<Tensor>;
    constexpr auto fold = fold_column_tiles<problem>;
    using prepared = prepared_shared<fold>;
    problem tiled(scan_, limits_.sm_count, true);
    if (tiled.cut.num_tiles() > INT32_MAX) {
      return {cudaErrorInvalidValue, "extents: more tiles than a kernel has blocks"};
    }
    give_room<prepared>(tiled, limits_);
    grid blocks{tiled.cut.num_tiles(), problem::threads, static_cast<std::size_t>(tiled.in_bytes)};
    blocks.overlaps = is_compiled_for_90<fold>(limits_);
    const status told = launch_prepared<prepared>(
        limits_, [&] { return enqueue(fold, blocks, stream_, tiled, shares()); },
        [&] { return prepared::allow(limits_, most_roomy_bytes) == cudaSuccess; });
    if (!told.ok()) return told;
    constexpr auto kernel = fold_column_spans<Tensor>;
    const std::int64_t tiles = tiled.cut.tiles;
    return enqueue(
        kernel, small<kernel>(num_sequences_ * batches_of(tiles, column_span_tiles), batch_threads),
        stream_, scan_, static_cast<const T*>(shares()), tiles, message(), header);
  }

  across& ranks_;
  const Tensor& scan_;
  std::int64_t num_sequences_, batch_items_;
  bool has_ring_;  // rows are in its order
  const device_limits& limits_;
  cudaStream_t stream_;
};

/// The part of the call for which the direction is known. `opts`: as this rank scans; `given`: as
/// it was called.
template <bool reversed, class Input, class Output, class Op, class Options>
status scan_slices_in_order(across& ranks, std::uint64_t call, bool exclusive, const Input& in,
                            const Output& out, const tensor_shape& shape, Op op,
                            const Options& given, Options opts, bool has_ring,
                            const device_limits& limits) noexcept {
  const auto scan = describe_tensor<reversed>(exclusive, in, out, shape, op, opts);
  using tensor = std::decay_t<decltype(scan)>;
  slice_tensor_calls<tuned_for<Input, Output>, tensor> calls(
      ranks, scan, slice_batch_items<Input, Output>(has_ring, shape.inner), has_ring, limits,
      opts.stream);
  slice_header header{call, shape.length, 0, no_init};
  if (given.init) header.has_init = one_init;
  if (given.init_pointer != nullptr) header.has_init = init_each;
  opts.init.reset();
  opts.init_pointer = nullptr;
  if (given.total != nullptr) {
    opts.total = reinterpret_cast<decltype(opts.total)>(ranks.own_totals());
  }
  // The n + 1 suffixes are inclusive scans on all ranks: see describe().
  const bool is_exclusive = exclusive && (opts.complete || !given.complete || !reversed);
  const auto scan_slices = [&](bool is_to_come) -> status {
    if (shape.num_sequences() == 0) return {};
    slice_part part = calls.part();
    part.is_to_come = is_to_come;
    const extents local{shape.outer, shape.length, shape.inner, shape.in_pitch, shape.out_pitch};
    return scan_here(is_exclusive, in, out, local, op, opts, &part);
  };
  status told = scan_slices(true);
  if (told.ok()) told = calls.tell(header);
  if (!told.ok()) return ranks.refuse(told, opts.stream);
  if (const status sent = ranks.gather_messages(opts.stream); !sent.ok()) return sent;
  status done = calls.find_starts();
  if (done.ok()) done = scan_slices(false);
  if (!ranks.with_totals()) return done;
  // (Who has failed above keeps nobody waiting.)
  const status sent = ranks.gather_totals(opts.stream);
  if (!done.ok() || !sent.ok() || given.total == nullptr) return done.ok() ? sent : done;
  const auto num_bytes = static_cast<std::size_t>(shape.num_sequences()) * sizeof(*given.total);
  return ranks.copy_totals(given.total, num_bytes, opts.stream);
}

/// Scans of a tensor across GPUs: `inclusive` and `exclusive` of nccl.hpp with extents. `call`: of
/// the call without them.
template <class Input, class Output, class Op>
status scan_slice(across& ranks, std::uint64_t call, bool exclusive, const Input& in,
                  const Output& out, const extents& local, Op op,
                  const options<typename scan_types<Input, Output>::value>& given) noexcept {
  if (!ranks.made().ok()) return ranks.made();
  if (ranks.num_ranks() == 1) {
    const auto opts = alone<scan_types<Input, Output>>(ranks, local, given);
    return scan_here(exclusive, in, out, local, op, opts, nullptr);
  }
  if (local.outer == 1 && local.inner == 1) {
    return scan_slice(ranks, call, exclusive, in, out, local.length, op, given);
  }
  const std::unique_lock<std::mutex> lock = ranks.begin_call();
  if (!lock.owns_lock()) return ranks.busy();
  const pending_error the_callers;
  const auto here = options_here(ranks, given);
  auto opts = here;
  opts.complete = here.complete && ranks.rank() == ranks.num_ranks() - 1;
  tensor_shape shape;
  using tensor = decltype(describe_tensor<false>(exclusive, in, out, shape, op, opts));
  device_limits limits;
  bool has_ring = false;
  status checked = ranks.enter(opts.stream, limits);
  if (checked.ok()) {
    const cudaError_t code = find_ring<Input, Output, Op, tensor>(ranks, local, limits, has_ring);
    if (code != cudaSuccess) checked = {code, "preparing the ring kernel failed"};
  }
  if (checked.ok()) {
    checked = validate_slices<Op>(ranks, exclusive, in, out, local, here, opts.complete ? 1 : 0,
                                  has_ring, shape);
  }
  if (checked.ok()) {
    checked = check_tensor_call(shape, in.data, decltype(in.data){}, out.data, opts);
  }
  if (!checked.ok()) return ranks.refuse(checked, opts.stream);
  for (const std::uint64_t part :
       {static_cast<std::uint64_t>(shape.outer), static_cast<std::uint64_t>(shape.inner),
        std::uint64_t{given.total != nullptr ? 2u : 1u}, std::uint64_t{has_ring ? 1u : 0u},
        ranks.num_missed_before()}) {
    call = hashed(call, part);
  }
  return opts.reverse ? scan_slices_in_order<true>(ranks, call, exclusive, in, out, shape, op, here,
                                                   opts, has_ring, limits)
                      : scan_slices_in_order<false>(ranks, call, exclusive, in, out, shape, op,
                                                    here, opts, has_ring, limits);
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
