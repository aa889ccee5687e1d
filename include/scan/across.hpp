// The ranks of scans across several GPUs: a communicator, and the memory that scans of its ranks
// need. Include <scan/nccl.hpp>.
#ifndef SCAN_ACROSS_HPP
#define SCAN_ACROSS_HPP

#include <nccl.h>

#include <cstddef>
#include <cstdint>

#include "scan/device/slice/slice_team.hpp"
#include "scan/extents.hpp"
#include "scan/status.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {

class across;
namespace device {
slice_team& team_of(across& ranks) noexcept;
const slice_team& team_of(const across& ranks) noexcept;
}  // namespace device

/// A communicator as scans see it, and the memory that they need: made once a communicator, on each
/// rank by a thread of its own, as `scan::across ranks{comm}`.
///
/// One call in flight at a time, as with a workspace. It has to outlive its calls, until they are
/// through on the device, and all graphs that captured one. The communicator has to outlive it,
/// unless it is aborted: after a peer has died its calls wait for ever, and so does the destructor,
/// until `ncclCommAbort` ends what is under way. Behind that only the destructor may follow.
class SCAN_SHOWN across {
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
  SCAN_HIDDEN explicit across(ncclComm_t comm, std::int64_t max_items = std::int64_t{1} << 31,
                              int max_element_bytes = 8) noexcept
      : team_(comm, max_items, max_element_bytes) {}
  /// For calls with extents whose outer, length (of one rank) and inner are up to `largest`'s, and
  /// for calls without of up to as many elements; its pitches are not looked at. A message is a
  /// value a sequence and batch (`slice_multiple`), and one more a sequence. `with_totals`: calls
  /// with extents may ask for `options.total`, for which every call of these ranks takes a second,
  /// smaller all-gather.
  SCAN_HIDDEN explicit across(ncclComm_t comm, const extents& largest, int max_element_bytes = 8,
                              bool with_totals = false) noexcept
      : team_(comm, largest, max_element_bytes, with_totals) {}
  /// Waits for the device, as `cudaFree` does.
  SCAN_HIDDEN ~across() = default;
  across(const across&) = delete;
  across& operator=(const across&) = delete;

  /// Success, or what has gone wrong since it was last asked: why the constructor failed; what NCCL
  /// has found (`ncclCommGetAsyncError`: a peer that died, say); or why a call that is through on
  /// the device has not written its output, which all ranks are told alike: the error of the first
  /// rank that refused its arguments, or that the ranks were called for different scans.
  /// `status::rank()` is that rank, `status::nccl_code()` what NCCL has found. Does not wait:
  /// synchronise the stream first.
  SCAN_HIDDEN status error() noexcept { return team_.error(); }

  SCAN_HIDDEN int rank() const noexcept { return team_.rank(); }
  SCAN_HIDDEN int num_ranks() const noexcept { return team_.num_ranks(); }
  /// Bytes of device memory held.
  SCAN_HIDDEN std::size_t num_bytes() const noexcept { return team_.num_bytes(); }

 private:
  friend device::slice_team& device::team_of(across& ranks) noexcept;
  friend const device::slice_team& device::team_of(const across& ranks) noexcept;
  device::slice_team team_;
};

/// Of `ranks`: for those who launch its calls.
inline device::slice_team& device::team_of(across& ranks) noexcept { return ranks.team_; }
inline const device::slice_team& device::team_of(const across& ranks) noexcept {
  return ranks.team_;
}

/// What a code of NCCL says, `status::nccl_code()`; success also for `ncclInProgress`. Of the last
/// failure `ncclGetLastError` may know more, until there is another one.
status nccl_status(ncclResult_t code) noexcept;

}  // namespace SCAN_ABI
}  // namespace scan

#endif
