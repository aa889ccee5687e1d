// The ranks of a `scan::across` as its calls see them: what they share as long as their
// communicator, and what every call does, whatever is scanned.
#ifndef SCAN_DEVICE_SLICE_SLICE_TEAM_HPP
#define SCAN_DEVICE_SLICE_SLICE_TEAM_HPP

#include <nccl.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

#include "scan/device/launch/device_limits.hpp"
#include "scan/device/launch/enqueue.hpp"
#include "scan/device/plan/slice_plan.hpp"
#include "scan/device/slice/slice_message.hpp"
#include "scan/extents.hpp"
#include "scan/status.hpp"
#include "scan/workspace.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// All but the constructors is for one call at a time, which begin_call() lets in.
class SCAN_SHOWN slice_team {
 public:
  /// Those of `scan::across`, which says what they mean.
  SCAN_HIDDEN slice_team(ncclComm_t comm, std::int64_t max_items, int max_element_bytes) noexcept;
  SCAN_HIDDEN slice_team(ncclComm_t comm, const extents& largest, int max_element_bytes,
                         bool with_totals) noexcept;
  SCAN_HIDDEN ~slice_team();
  slice_team(const slice_team&) = delete;
  slice_team& operator=(const slice_team&) = delete;

  /// Why the constructor failed, or success; and across::error().
  SCAN_HIDDEN const status& made() const noexcept { return made_; }
  SCAN_HIDDEN status error() noexcept;

  // ---- what the ranks have agreed upon, and what they have ----
  SCAN_HIDDEN int rank() const noexcept { return rank_; }
  SCAN_HIDDEN int num_ranks() const noexcept { return num_ranks_; }
  SCAN_HIDDEN std::int64_t max_items() const noexcept { return max_items_; }
  SCAN_HIDDEN int max_element_bytes() const noexcept { return max_element_bytes_; }
  /// The shape that calls with extents have room for, and their memory.
  SCAN_HIDDEN const tensor_shape& largest() const noexcept { return largest_; }
  SCAN_HIDDEN const slice_tensor_bytes& room() const noexcept { return room_; }
  SCAN_HIDDEN bool with_totals() const noexcept { return with_totals_; }
  /// Whether every rank's device has what the ring kernel needs.
  SCAN_HIDDEN bool has_ring() const noexcept { return has_ring_; }
  SCAN_HIDDEN std::size_t num_bytes() const noexcept { return num_bytes_; }
  /// Tile states.
  SCAN_HIDDEN workspace* states() const noexcept { return states_.get(); }
  SCAN_HIDDEN gathered messages() const noexcept { return {messages_, message_bytes_, num_ranks_}; }
  SCAN_HIDDEN unsigned char* own_message() const noexcept { return messages().message(rank_); }
  /// Memory for the folds of shares of warps.
  SCAN_HIDDEN void* shares() const noexcept { return shares_; }
  /// 256 bytes for what precedes this rank's slice, and room for what precedes those of a tensor.
  SCAN_HIDDEN void* start() const noexcept { return start_; }
  /// Memory for the totals of this rank's slices of a tensor.
  SCAN_HIDDEN void* own_totals() const noexcept {
    return totals_ + room_.totals * static_cast<std::size_t>(rank_);
  }
  /// Where a call's first error goes: the host's memory, as the device sees it.
  SCAN_HIDDEN slice_refusal* refusal() const noexcept { return refusal_; }

  // ---- what a call does, in this order ----
  /// One call at a time holds the lock while it enqueues. Who does not get it has missed a call,
  /// and is told busy().
  SCAN_HIDDEN std::unique_lock<std::mutex> begin_call() noexcept;
  SCAN_HIDDEN static status busy() noexcept;
  /// Success, with its `limits`, if the current device and `stream` are such that a call can be
  /// enqueued there; what is enqueued there then follows what has been in this object's own stream.
  SCAN_HIDDEN status enter(cudaStream_t stream, device_limits& limits) noexcept;
  /// Calls that the other ranks have not heard of: then this one's next goes with an earlier one of
  /// theirs. Those before the call that holds the lock are part of what the ranks compare: it goes
  /// with the right ones of theirs, whoever meets it.
  SCAN_HIDDEN std::uint64_t num_missed() noexcept;
  SCAN_HIDDEN std::uint64_t num_missed_before() const noexcept { return num_missed_before_; }
  /// Takes part in a call without a scan, so that nobody waits for this rank and all find out;
  /// returns `why`.
  SCAN_HIDDEN status refuse(const status& why, cudaStream_t stream) noexcept;
  /// Has the ranks' messages gathered, of which this rank's is there.
  SCAN_HIDDEN status gather_messages(cudaStream_t stream) noexcept;
  /// The same of totals, where the ranks have any. Each call does it once, if only for the others.
  SCAN_HIDDEN status gather_totals(cudaStream_t stream) noexcept;
  /// Has `copy` be the launch that copies the totals of the rank that the call ends in, if it is
  /// carried out.
  using totals_launch = launch_of<128>;
  SCAN_HIDDEN void choose_copy(totals_launch& copy, void* to, std::size_t num_bytes) const noexcept;

 private:
  SCAN_HIDDEN status construct() noexcept;
  SCAN_HIDDEN status make_states() noexcept;
  SCAN_HIDDEN static void load_refusals(const device_limits& limits) noexcept;
  SCAN_HIDDEN static void load_copies(const device_limits& limits) noexcept;
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
  slice_tensor_bytes room_ = {};
  unsigned char* totals_ = nullptr;
  slice_refusal* refusal_ = nullptr;
  std::unique_ptr<workspace> states_;
  cudaStream_t aside_ = nullptr;  // for what the caller's streams cannot take
  cudaEvent_t left_ = nullptr;    // behind what has been put there
  bool is_left_ = false;          // no call has waited for it yet
  std::mutex enqueueing_, missing_;
  std::uint64_t num_missed_ = 0, num_missed_before_ = 0;
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
