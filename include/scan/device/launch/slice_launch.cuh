// A call across GPUs from its arguments to its kernels: each rank folds its slice, the ranks tell
// each other, and each scans its slice from what the others have told.
//
// What differs by the shape of the call is in slice_sequences.cuh and slice_tensors.cuh.
#ifndef SCAN_DEVICE_LAUNCH_SLICE_LAUNCH_CUH
#define SCAN_DEVICE_LAUNCH_SLICE_LAUNCH_CUH

#include <cstdint>
#include <mutex>
#include <type_traits>

#include "scan/across.hpp"
#include "scan/call/slice_call.hpp"
#include "scan/device/launch/slice_sequences.cuh"
#include "scan/device/launch/slice_tensors.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// A rank's part of a scan across GPUs, of more than one rank: `inclusive` and `exclusive` of
/// nccl.hpp. `Size` is std::int64_t, or extents of more than one sequence. What follows the gather
/// is loaded before the first kernel is enqueued.
template <class Input, class Output, class Op, class Size>
status scan_shape(on_ranks where, bool exclusive, const Input& in, const Output& out,
                  const Size& local, Op op,
                  const options<typename scan_types<Input, Output>::value>& given) noexcept {
  using slices = std::conditional_t<is_tensor<Size>, slices_of_tensor<Input, Output, Op>,
                                    slices_of_sequence<Input, Output, Op>>;
  slice_team& team = team_of(where.ranks);
  const std::unique_lock<std::mutex> lock = team.begin_call();
  if (!lock.owns_lock()) return slice_team::busy();
  const pending_error the_callers;
  slices here(local, team, exclusive, in, out, op, given);
  status done = here.check();
  if (done.ok()) {
    done = given.reverse ? here.template choose<true>(where.call)
                         : here.template choose<false>(where.call);
  }
  if (done.ok() && here.has_fold) done = enqueue(here.fold, here.opts, here.limits);
  if (done.ok()) done = enqueue(here.message, here.opts, here.limits);
  if (!done.ok()) return team.refuse(done, given.stream);
  status sent = team.gather_messages(given.stream);
  if (!is_tensor<Size> && sent.ok()) sent = team.gather_totals(given.stream);  // for the others
  if (!sent.ok()) return sent;

  done = enqueue(here.start, here.opts, here.limits);
  if (done.ok() && here.is_scanned()) {
    if constexpr (is_tensor<Size>) {  // by libscan.a's kernels where it has them
      done = given.reverse
                 ? scan_part<true>(here.exclusive, in, out, here.local, op, here.opts, here.part)
                 : scan_part<false>(here.exclusive, in, out, here.local, op, here.opts, here.part);
    } else {
      done = enqueue(here.scan, here.opts, here.limits);
    }
  }
  // (Who has failed above keeps nobody waiting.)
  if (is_tensor<Size>) sent = team.gather_totals(given.stream);
  if (done.ok()) done = sent;
  return done.ok() && here.has_total ? enqueue(here.total, here.opts, here.limits) : done;
}

template <class Scans>
__global__ void ring_code_probe() {
  await_earlier_kernels();
}
template <class Scans>
bool has_ring_code() noexcept {
  const pending_error the_callers;
  device_limits limits;
  return current_limits(limits).ok() && record_of<ring_code_probe<Scans>>().is_for_90(limits);
}

struct slice_scans {};  // they are here: see slice_call.hpp

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
