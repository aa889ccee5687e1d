// One scan across several GPUs: each rank of an NCCL communicator holds a slice of one long
// sequence, in the order of ranks.
//
// Link libscan_nccl.a, libscan.a, the CUDA runtime and NCCL; any C++17 compiler will do.
// libscan_nccl.a holds the types and operators that libscan.a holds tensors of. For others compile
// with nvcc and include <scan/nccl.cuh>, which takes the same calls.
#ifndef SCAN_NCCL_HPP
#define SCAN_NCCL_HPP

#include <cstdint>

#include "scan/across.hpp"
#include "scan/call/front_door.hpp"
#include "scan/call/slice_call.hpp"
#include "scan/scan.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {

namespace device {

/// Whether this program's own kernels, beside libscan_nccl.a's, are compiled for GPUs with a ring.
/// Defined with `Scans`.
template <class Scans>
bool has_ring_code() noexcept;
/// Whether slices of such calls are in the ring's order, where the types fit it.
template <class In, class Out, class Op>
bool has_ring_for(const across& ranks) noexcept {
  using call = pointer_call<In, Out, Op>;
  constexpr bool is_held = !call::is_wish && is_slice_prebuilt<In, Out, typename call::op_type>;
  if constexpr (!is_held && included<slice_scans, void(In, Out, Op)>) {
    return team_of(ranks).has_ring() && has_ring_code<slice_scans>();
  } else {
    return team_of(ranks).has_ring();
  }
}
}  // namespace device

/// The `inclusive` of scan.hpp of the sequence that the ranks' slices are, in the order of ranks;
/// `d_in` and `d_out` are this rank's slice. `local_n` may differ from rank to rank and be 0.
///
/// Each rank calls it, with the same types, operator and options of the kind (exclusive, reverse,
/// complete, algorithm), in the same order among its other calls of the communicator; a single
/// thread that serves several ranks cannot, nor can group calls. `init` and `init_pointer` are rank
/// 0's, of either direction; others' are not looked at. `total` is written on each rank that gives
/// one. `complete`: the last rank has local_n
/// + 1 outputs. `algorithm` is automatic, ring or look_back. Of more than one rank `workspace` and
/// `memory_resource` are not looked at.
///
/// Enqueues two kernels, one all-gather and two more kernels, and returns. Of 1 rank it is the
/// plain call. A rank whose arguments are refused returns the error, and the others' `error()` has
/// it once they are through; no rank writes an output then. Errors of CUDA before the all-gather
/// are told like that, too; what fails behind it (a launch) is that rank's alone, whose output is
/// not to be used. Errors that keep a rank from telling leave the others waiting: abort the
/// communicator (`ncclCommAbort`). Of two host threads that call at once the later one is refused,
/// and nobody else is told. A call that is refused for its stream meets the others' in one of
/// `ranks`' own, for which later calls wait; replays of graphs captured before do not.
///
/// A rank that has failed without telling is behind the others (NCCL has calls meet in the order in
/// which each rank makes them), so all later calls are refused on all ranks, as different ones:
/// make another `across` on each. A call that a rank does not make at all nobody can find out: its
/// next one takes its place, and is told apart by types, operator, options and extents alone. What
/// a captured call is compared by is that of its capture.
///
/// Results are bit for bit those of one GPU of the same kind with `algorithm::ring` (look_back
/// where a rank has no ring), which `automatic` is from 16.5 MiB on, if all slices but the one
/// that the scan ends in are multiples of a batch of tiles, `slice_multiple()`; for others they
/// depend on the slices too, and on nothing else.
template <class In, class Out, class Op = plus>
[[nodiscard]] status inclusive(across& ranks, const In* d_in, Out* d_out, std::int64_t local_n,
                               Op op = {}, const options<Out>& opts = {}) noexcept {
  return scan_by(device::on_ranks{ranks}, false, d_in, d_out, local_n, op, opts);
}
/// `exclusive` likewise.
template <class In, class Out, class Op = plus>
[[nodiscard]] status exclusive(across& ranks, const In* d_in, Out* d_out, std::int64_t local_n,
                               Op op = {}, const options<Out>& opts = {}) noexcept {
  return scan_by(device::on_ranks{ranks}, true, d_in, d_out, local_n, op, opts);
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
  return scan_by(device::on_ranks{ranks}, false, d_in, d_out, local, op, opts);
}
/// `exclusive` likewise.
template <class In, class Out, class Op = plus>
[[nodiscard]] status exclusive(across& ranks, const In* d_in, Out* d_out, const extents& local,
                               Op op = {}, const options<Out>& opts = {}) noexcept {
  return scan_by(device::on_ranks{ranks}, true, d_in, d_out, local, op, opts);
}

/// The same with a function applied on the way in, on the way out, or both: include
/// <scan/nccl.cuh>.
template <class In, class Out, class Op = plus, class Types = transformed_types<In, Out, Op>>
[[nodiscard]] status inclusive(across& ranks, const In& d_in, Out d_out, std::int64_t local_n,
                               Op op = {},
                               const options<typename Types::value>& opts = {}) noexcept {
  return scan_by(device::on_ranks{ranks}, false, d_in, d_out, local_n, op, opts);
}
template <class In, class Out, class Op = plus, class Types = transformed_types<In, Out, Op>>
[[nodiscard]] status exclusive(across& ranks, const In& d_in, Out d_out, std::int64_t local_n,
                               Op op = {},
                               const options<typename Types::value>& opts = {}) noexcept {
  return scan_by(device::on_ranks{ranks}, true, d_in, d_out, local_n, op, opts);
}
template <class In, class Out, class Op = plus, class Types = transformed_types<In, Out, Op>>
[[nodiscard]] status inclusive(across& ranks, const In& d_in, Out d_out, const extents& local,
                               Op op = {},
                               const options<typename Types::value>& opts = {}) noexcept {
  return scan_by(device::on_ranks{ranks}, false, d_in, d_out, local, op, opts);
}
template <class In, class Out, class Op = plus, class Types = transformed_types<In, Out, Op>>
[[nodiscard]] status exclusive(across& ranks, const In& d_in, Out d_out, const extents& local,
                               Op op = {},
                               const options<typename Types::value>& opts = {}) noexcept {
  return scan_by(device::on_ranks{ranks}, true, d_in, d_out, local, op, opts);
}

/// Elements of a batch of tiles: slices that are multiples of it have one GPU's bits. It depends on
/// the sizes of the types, and of what an operator of `accumulate_in` asks for, and on whether
/// there is a ring: what libscan_nccl.a does not hold is your own code, `Op` included, which has
/// none where it is compiled for GPUs before 9.0 (ask with the communicator's device current).
template <class In, class Out, class Op = plus>
std::int64_t slice_multiple(const across& ranks) noexcept {
  using call = pointer_call<In, Out, Op>;
  return device::order_of<typename call::input_type, typename call::output_type>(
             device::has_ring_for<In, Out, Op>(ranks))
      .batch_items();
}
/// The same along `length` of the sequences of a tensor: it depends on `inner`, too.
template <class In, class Out, class Op = plus>
std::int64_t slice_multiple(const across& ranks, const extents& local) noexcept {
  if (local.outer == 1 && local.inner == 1) return slice_multiple<In, Out, Op>(ranks);
  using call = pointer_call<In, Out, Op>;
  return device::slice_batch_items<typename call::input_type, typename call::output_type>(
      device::has_ring_for<In, Out, Op>(ranks), local.inner);
}

}  // namespace SCAN_ABI
}  // namespace scan

#endif
