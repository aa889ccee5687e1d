// The ranks of scans across several GPUs: a communicator, and the memory that scans of its ranks
// need. Include <scan/nccl.hpp>.
#ifndef SCAN_ACROSS_HPP
#define SCAN_ACROSS_HPP

#include <nccl.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

#include "scan/device/device_limits.hpp"
#include "scan/device/slice_message.hpp"
#include "scan/device/slice_tensor_order.hpp"
#include "scan/extents.hpp"
#include "scan/status.hpp"
#include "scan/workspace.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {

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
                              int max_element_bytes = 8) noexcept;
  /// For calls with extents whose outer, length (of one rank) and inner are up to `largest`'s, and
  /// for calls without of up to as many elements; its pitches are not looked at. A message is a
  /// value a sequence and batch (`slice_multiple`), and one more a sequence. `with_totals`: calls
  /// with extents may ask for `options.total`, for which every call of these ranks takes a second,
  /// smaller all-gather.
  SCAN_HIDDEN explicit across(ncclComm_t comm, const extents& largest, int max_element_bytes = 8,
                              bool with_totals = false) noexcept;
  /// Waits for the device, as `cudaFree` does.
  SCAN_HIDDEN ~across();
  across(const across&) = delete;
  across& operator=(const across&) = delete;

  /// Success, or what has gone wrong since it was last asked: why the constructor failed; what NCCL
  /// has found (`ncclCommGetAsyncError`: a peer that died, say); or why a call that is through on
  /// the device has not written its output, which all ranks are told alike: the error of the first
  /// rank that refused its arguments, or that the ranks were called for different scans.
  /// `status::rank()` is that rank, `status::nccl_code()` what NCCL has found. Does not wait:
  /// synchronise the stream first.
  SCAN_HIDDEN status error() noexcept;

  SCAN_HIDDEN int rank() const noexcept { return rank_; }
  SCAN_HIDDEN int num_ranks() const noexcept { return num_ranks_; }
  /// Bytes of device memory held.
  SCAN_HIDDEN std::size_t num_bytes() const noexcept { return num_bytes_; }

  // ---- for the launch code ----
  /// Why the constructor failed, or success.
  SCAN_HIDDEN const status& made() const noexcept { return made_; }
  SCAN_HIDDEN int device() const noexcept { return device_; }
  SCAN_HIDDEN std::int64_t max_items() const noexcept { return max_items_; }
  SCAN_HIDDEN int max_element_bytes() const noexcept { return max_element_bytes_; }
  /// Whether every rank's device has what the ring kernel needs.
  SCAN_HIDDEN bool has_ring() const noexcept { return has_ring_; }
  /// One call at a time holds the lock while it enqueues. Who does not get it has missed a call,
  /// and is told busy().
  SCAN_HIDDEN std::unique_lock<std::mutex> begin_call() noexcept;
  SCAN_HIDDEN static status busy() noexcept;
  /// Calls that the other ranks have not heard of: then this one's next goes with an earlier one of
  /// theirs. Those before the call that holds the lock are part of what the ranks compare: it goes
  /// with the right ones of theirs, whoever meets it.
  SCAN_HIDDEN std::uint64_t num_missed() noexcept;
  SCAN_HIDDEN std::uint64_t num_missed_before() const noexcept { return num_missed_before_; }
  /// Success, with its `limits`, if the current device and `stream` are such that a call can be
  /// enqueued there; what is enqueued there then follows what has been in this object's own stream.
  SCAN_HIDDEN status enter(cudaStream_t stream, device::device_limits& limits) noexcept;
  /// Tile states.
  SCAN_HIDDEN scan::workspace* states() noexcept { return states_.get(); }
  SCAN_HIDDEN device::gathered messages() const noexcept {
    return {messages_, message_bytes_, num_ranks_};
  }
  /// Memory for the folds of shares of warps.
  SCAN_HIDDEN void* shares() const noexcept { return shares_; }
  /// 256 bytes for what precedes this rank's slice, and room for what precedes those of a tensor.
  SCAN_HIDDEN void* start() const noexcept { return start_; }
  /// What calls with extents have room for.
  SCAN_HIDDEN const device::slice_tensor_bytes& room() const noexcept { return room_; }
  SCAN_HIDDEN const tensor_shape& largest() const noexcept { return largest_; }
  SCAN_HIDDEN bool with_totals() const noexcept { return with_totals_; }
  /// Memory for the totals of this rank's slices of a tensor.
  SCAN_HIDDEN void* own_totals() const noexcept {
    return totals_ + room_.totals * static_cast<std::size_t>(rank_);
  }
  /// Where a call's first error goes: the host's memory, as the device sees it.
  SCAN_HIDDEN device::slice_refusal* refusal() const noexcept { return refusal_; }
  /// Has the ranks' messages gathered, of which this rank's is there; and totals, which nobody
  /// looks at.
  SCAN_HIDDEN status gather(cudaStream_t stream) noexcept;
  /// The same, one by one.
  SCAN_HIDDEN status gather_messages(cudaStream_t stream) noexcept;
  SCAN_HIDDEN status gather_totals(cudaStream_t stream) noexcept;
  /// Copies the totals of the rank that the call ends in, if it was carried out.
  SCAN_HIDDEN status copy_totals(void* to, std::size_t num_bytes, cudaStream_t stream) noexcept;
  /// Takes part in a call without a scan, so that nobody waits for this rank and all find out;
  /// returns `why`.
  SCAN_HIDDEN status refuse(const status& why, cudaStream_t stream) noexcept;

 private:
  SCAN_HIDDEN status construct() noexcept;
  SCAN_HIDDEN status make_states() noexcept;
  SCAN_HIDDEN static void load_refusals(const device::device_limits& limits) noexcept;
  SCAN_HIDDEN static void load_copies(const device::device_limits& limits) noexcept;
  SCAN_HIDDEN status allocate() noexcept;
  SCAN_HIDDEN status agree(const status& here, bool has_ring) noexcept;
  SCAN_HIDDEN status await_aside(cudaStream_t stream) noexcept;
  SCAN_HIDDEN void leave_aside() noexcept;
  SCAN_HIDDEN void miss() noexcept;
  SCAN_HIDDEN status all_gather(const void* mine, void* all, std::size_t num_bytes,
                                cudaStream_t stream) noexcept;

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
  cudaEvent_t left_ = nullptr;    // behind what has been put there
  bool is_left_ = false;          // no call has waited for it yet
  std::mutex enqueueing_, missing_;
  std::uint64_t num_missed_ = 0, num_missed_before_ = 0;
};

/// What a code of NCCL says, `status::nccl_code()`; success also for `ncclInProgress`. Of the last
/// failure `ncclGetLastError` may know more, until there is another one.
status nccl_status(ncclResult_t code) noexcept;

}  // namespace SCAN_ABI
}  // namespace scan

#endif
