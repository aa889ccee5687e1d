// One scan across several GPUs: each rank of an NCCL communicator holds a slice of one long
// sequence, in the order of ranks.
//
// Link libscan_nccl.a, libscan.a, the CUDA runtime and NCCL; any C++17 compiler will do.
// libscan_nccl.a holds the types and operators that libscan.a holds tensors of. For others compile
// with nvcc and include <scan/nccl.cuh>, which takes the same calls.
#ifndef SCAN_NCCL_HPP
#define SCAN_NCCL_HPP

#include <nccl.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

#include "scan/call_range.hpp"
#include "scan/call_types.hpp"
#include "scan/device/slice_message.hpp"
#include "scan/device/slice_tensor_order.hpp"
#include "scan/scan.hpp"
#include "scan/slice_call.hpp"

namespace scan {

/// A communicator as scans see it, and the memory that they need: made once a communicator, on each
/// rank by a thread of its own, as `scan::across ranks{comm}`.
///
/// One call in flight at a time, as with a workspace. It has to outlive its calls, until they are
/// through on the device, and all graphs that captured one; the communicator has to outlive it.
class across {
 public:
  /// For slices of up to `max_items` elements, where none of an input element, an output element,
  /// an init and what `accumulate_in` asks for has more than `max_element_bytes` bytes; every rank
  /// says the same. The message that a rank sends with every call grows with both: 1 KiB, and of
  /// elements of 4 bytes 4 bytes a 1.1 MiB, of 8 bytes 8.
  ///
  /// All ranks construct theirs at the same time, with the communicator's device current and
  /// outside of group calls and captures: it allocates and speaks to the others, and waits for
  /// them. Never throws: a failure is kept for `error()`, and every call returns it. If one rank
  /// fails, all do. But one that cannot speak to the others (NCCL fails, its device cannot be used,
  /// there are not even some bytes of memory) has them wait until it aborts (`ncclCommAbort`), and
  /// one that has spoken and cannot hear the others fails alone.
  explicit across(ncclComm_t comm, std::int64_t max_items = std::int64_t{1} << 31,
                  int max_element_bytes = 8) noexcept;
  /// For calls with extents whose outer, length (of one rank) and inner are up to `largest`'s, and
  /// for calls without of up to as many elements; its pitches are not looked at. A message is a
  /// value a sequence and batch (`slice_multiple`), and one more a sequence. `with_totals`: calls
  /// with extents may ask for `options.total`, for which every call of these ranks takes a second,
  /// smaller all-gather.
  explicit across(ncclComm_t comm, const extents& largest, int max_element_bytes = 8,
                  bool with_totals = false) noexcept;
  /// Waits for the device, as `cudaFree` does.
  ~across();
  across(const across&) = delete;
  across& operator=(const across&) = delete;

  /// Success, or what has gone wrong since it was last asked: why the constructor failed; what NCCL
  /// has found (`ncclCommGetAsyncError`: a peer that died, say); or why a call that is through on
  /// the device has not written its output, which all ranks are told alike: the error of the first
  /// rank that refused its arguments, or that the ranks were called for different scans. `index()`
  /// is that rank. Does not wait: synchronise the stream first.
  status error() noexcept;

  int rank() const noexcept { return rank_; }
  int num_ranks() const noexcept { return num_ranks_; }
  /// Bytes of device memory held.
  std::size_t num_bytes() const noexcept { return num_bytes_; }

  // ---- for the launch code ----
  /// Why the constructor failed, or success.
  const status& made() const noexcept { return made_; }
  int device() const noexcept { return device_; }
  std::int64_t max_items() const noexcept { return max_items_; }
  int max_element_bytes() const noexcept { return max_element_bytes_; }
  /// Whether every rank's device has what the ring kernel needs.
  bool has_ring() const noexcept { return has_ring_; }
  /// One call at a time holds the lock while it enqueues.
  std::mutex& enqueueing() noexcept { return enqueueing_; }
  /// Tile states.
  scan::workspace* states() noexcept { return states_.get(); }
  device::gathered messages() const noexcept { return {messages_, message_bytes_, num_ranks_}; }
  /// Memory for the folds of shares of warps.
  void* shares() const noexcept { return shares_; }
  /// 256 bytes for what precedes this rank's slice, and room for what precedes those of a tensor.
  void* start() const noexcept { return start_; }
  /// What calls with extents have room for.
  const device::slice_tensor_bytes& room() const noexcept { return room_; }
  const tensor_shape& largest() const noexcept { return largest_; }
  bool with_totals() const noexcept { return with_totals_; }
  /// Memory for the totals of this rank's slices of a tensor.
  void* own_totals() const noexcept {
    return totals_ + room_.totals * static_cast<std::size_t>(rank_);
  }
  /// Where a call's first error goes: the host's memory, as the device sees it.
  device::slice_refusal* refusal() const noexcept { return refusal_; }
  /// Has the ranks' messages gathered, of which this rank's is there; and totals, which nobody
  /// looks at.
  status gather(cudaStream_t stream) noexcept;
  /// The same, one by one.
  status gather_messages(cudaStream_t stream) noexcept;
  status gather_totals(cudaStream_t stream) noexcept;
  /// Copies the totals of the rank that the call ends in, if it was carried out.
  status copy_totals(void* to, std::size_t num_bytes, cudaStream_t stream) noexcept;
  /// Takes part in a call without a scan, so that nobody waits for this rank and all find out;
  /// returns `why`.
  status refuse(const status& why, cudaStream_t stream) noexcept;

 private:
  status construct() noexcept;
  status make_states() noexcept;
  static void load_copies(const device::device_limits& limits) noexcept;
  status allocate() noexcept;
  status agree(const status& here, bool has_ring) noexcept;

  ncclComm_t comm_;
  std::int64_t max_items_;
  int max_element_bytes_;
  int rank_ = 0, num_ranks_ = 1, device_ = -1;
  status made_;
  bool has_ring_ = false;
  unsigned char* messages_ = nullptr;
  std::int64_t message_bytes_ = 0;
  void* shares_ = nullptr;
  std::size_t num_bytes_ = 0;
  void* start_ = nullptr;
  tensor_shape largest_ = {};  // of calls with extents, of which there may be none
  bool with_totals_ = false;
  device::slice_tensor_bytes room_ = {};
  unsigned char* totals_ = nullptr;
  device::slice_refusal* refusal_ = nullptr;
  std::unique_ptr<scan::workspace> states_;
  cudaStream_t aside_ = nullptr;  // for what the caller's streams cannot take
  std::mutex enqueueing_;
};

/// What a code of NCCL says, with `ncclGetLastError`'s text where there is one; success also for
/// `ncclInProgress`. `index()` is the code.
status nccl_status(ncclResult_t code, ncclComm_t comm) noexcept;

namespace device {
template <class In, class Out, class Op>
status scan_prebuilt(across& ranks, std::uint64_t call, bool exclusive, const In* in, Out* out,
                     std::int64_t n, Op op, const options<Out>& opts) noexcept;
template <class Input, class Output, class Op>
status scan_slice(across& ranks, std::uint64_t call, bool exclusive, const Input& in,
                  const Output& out, std::int64_t n, Op op,
                  const options<typename scan_types<Input, Output>::value>& opts) noexcept;

/// The options of a rank that is alone: those of a plain call.
template <class Value>
options<Value> alone(across& ranks, std::int64_t n, const options<Value>& given) noexcept {
  options<Value> opts = given;
  const bool fits = n <= ranks.max_items() && !is_baseline(opts.algorithm);
  if (opts.workspace == nullptr && fits) opts.workspace = ranks.states();
  return opts;
}

/// The same with extents.
template <class In, class Out, class Op>
status scan_prebuilt(across& ranks, std::uint64_t call, bool exclusive, const In* in, Out* out,
                     const extents& local, Op op, const options<Out>& opts) noexcept;
template <class Input, class Output, class Op>
status scan_slice(across& ranks, std::uint64_t call, bool exclusive, const Input& in,
                  const Output& out, const extents& local, Op op,
                  const options<typename scan_types<Input, Output>::value>& opts) noexcept;
template <class Value>
options<Value> alone(across& ranks, const extents& local, options<Value> opts) noexcept {
  const tensor_shape& most = ranks.largest();
  const bool fits =
      local.outer <= most.outer && local.length == most.length && local.inner == most.inner;
  if (opts.workspace == nullptr && fits) opts.workspace = ranks.states();
  return opts;
}

/// `Size`: std::int64_t, or extents.
template <class In, class Out, class Op, class Size>
status scan_pointers(across& ranks, bool exclusive, const In* in, Out* out, const Size& n, Op op,
                     const options<Out>& opts) noexcept {
  using call = pointer_call<In, Out, Op>;
  using op_type = typename call::op_type;
  static_assert(holds_results<Out, op_type>);
  if (!ranks.made().ok()) return ranks.made();
  if constexpr (!call::is_wish && is_slice_prebuilt<In, Out, op_type>) {
    if (ranks.num_ranks() == 1) {
      return scan_pointers(exclusive, in, out, n, op, alone(ranks, n, opts));
    }
  }
  const call_range<In, Out, Op> range(name_of_scan(exclusive), n);
  const std::uint64_t number =
      call_number<typename call::input_type, typename call::output_type, op_type>(exclusive, opts);
  if constexpr (!call::is_wish && is_slice_prebuilt<In, Out, op_type>) {
    using kernel = shared_kernel<In, Out, op_type>;
    using from = typename kernel::in;
    using to = typename kernel::out;
    return scan_prebuilt(ranks, number, exclusive, reinterpret_cast<const from*>(in),
                         reinterpret_cast<to*>(out), n, kernel::shared(call::op(op)),
                         retyped<to>(opts, start_of_bools<Out, op_type>()));
  } else {
    static_assert(included<slice_scans, void(In, Out, Op)>,
                  "libscan_nccl.a holds no kernel for these element types with this operator: "
                  "include <scan/nccl.cuh> and compile with nvcc, or build the library with "
                  "-Dprebuilt=full");
    return scan_slice(ranks, number, exclusive, call::input(as_input(in)),
                      call::output(as_output(out)), n, call::op(op), call::options(opts));
  }
}
}  // namespace device

/// The `inclusive` of scan.hpp of the sequence that the ranks' slices are, in the order of ranks;
/// `d_in` and `d_out` are this rank's slice. `local_n` may differ from rank to rank and be 0.
///
/// Each rank calls it, with the same types, operator and options of the kind (exclusive, reverse,
/// complete, algorithm), in the same order among its other calls of the communicator; a single
/// thread that serves several ranks cannot, nor can group calls. `init` is rank 0's, others' are
/// ignored. `total` is written on each rank that gives one. `complete`: the last rank has local_n
/// + 1 outputs. `algorithm` is automatic, ring or look_back. Of more than one rank `workspace` and
/// `memory_resource` are not looked at.
///
/// Enqueues two kernels, one all-gather and two more kernels, and returns. Of 1 rank it is the
/// plain call. A rank whose arguments are refused returns the error, and the others' `error()` has
/// it once they are through; no rank writes an output then. Errors of CUDA before the all-gather
/// are told like that, too; what fails behind it (a launch) is that rank's alone, whose output is
/// not to be used. Errors that keep a rank from telling leave the others waiting: abort the
/// communicator (`ncclCommAbort`). Of two host threads that call at once the later one is refused,
/// and nobody else is told.
///
/// Results are bit for bit those of one GPU of the same kind with `algorithm::ring` (look_back
/// where a rank has no ring), which `automatic` is from 16.5 MiB on, if all slices but the one
/// that the scan ends in are multiples of a batch of tiles, `slice_multiple()`; for others they
/// depend on the slices too, and on nothing else.
template <class In, class Out, class Op = plus>
[[nodiscard]] status inclusive(across& ranks, const In* d_in, Out* d_out, std::int64_t local_n,
                               Op op = {}, const options<Out>& opts = {}) noexcept {
  return device::scan_pointers(ranks, false, d_in, d_out, local_n, op, opts);
}
/// `exclusive` likewise.
template <class In, class Out, class Op = plus>
[[nodiscard]] status exclusive(across& ranks, const In* d_in, Out* d_out, std::int64_t local_n,
                               Op op = {}, const options<Out>& opts = {}) noexcept {
  return device::scan_pointers(ranks, true, d_in, d_out, local_n, op, opts);
}

/// The `inclusive` of tensors.hpp of the tensor whose sequences are in slices along `length`, in
/// the order of ranks: `local.outer` and `local.inner` are the same on all ranks, `local.length` is
/// this rank's part, which may differ and be 0, and its pitches are its own. (A tensor that is
/// distributed along `outer` needs nothing from the others: the call without ranks does it.)
///
/// As the call without extents, but: `ranks` is made for extents; `init_pointer` and `total` are a
/// value a sequence; `complete` makes local.length + 1 outputs a sequence on the last rank;
/// `algorithm` is automatic; `total` is given on all ranks or on none, and only where `ranks` is
/// made with totals.
///
/// Enqueues two kernels, one all-gather and two more kernels (with totals another all-gather and
/// kernel). Of one sequence it is the call without extents.
///
/// Results of slices of at least a batch of tiles, `slice_multiple(ranks, local)`, are in the order
/// of operations of sequences past the wave (rows) or of tiles of full height (columns); shorter
/// slices are in the order of a plain call of their own, after what precedes them. So, where all
/// slices but the one that the scan ends in are multiples of a batch and that one is at least a
/// batch, or empty (and not `complete`), they are bit for bit those of one GPU of the same kind
/// with the whole tensor, if it takes that order: see "In which order" of include/scan/README.md.
/// Otherwise they depend on the slices, too, and on nothing else.
template <class In, class Out, class Op = plus>
[[nodiscard]] status inclusive(across& ranks, const In* d_in, Out* d_out, const extents& local,
                               Op op = {}, const options<Out>& opts = {}) noexcept {
  return device::scan_pointers(ranks, false, d_in, d_out, local, op, opts);
}
/// `exclusive` likewise.
template <class In, class Out, class Op = plus>
[[nodiscard]] status exclusive(across& ranks, const In* d_in, Out* d_out, const extents& local,
                               Op op = {}, const options<Out>& opts = {}) noexcept {
  return device::scan_pointers(ranks, true, d_in, d_out, local, op, opts);
}

/// Elements of a batch of tiles: slices that are multiples of it have one GPU's bits. It depends on
/// the sizes of the types alone, and of what an operator of `accumulate_in` asks for.
template <class In, class Out, class Op = plus>
std::int64_t slice_multiple(const across& ranks) noexcept {
  using call = pointer_call<In, Out, Op>;
  return device::order_of<typename call::input_type, typename call::output_type>(ranks.has_ring())
      .batch_items();
}
/// The same along `length` of the sequences of a tensor: it depends on `inner`, too.
template <class In, class Out>
std::int64_t slice_multiple(const across& ranks, const extents& local) noexcept {
  if (local.outer == 1 && local.inner == 1) return slice_multiple<In, Out>(ranks);
  return device::slice_batch_items<transform_input<In>, transform_output<Out>>(ranks.has_ring(),
                                                                               local.inner);
}

}  // namespace scan

#endif
