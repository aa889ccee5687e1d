// What ranks share as long as their communicator: memory, and what they have agreed upon.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <new>

#include "scan/across.hpp"
#include "scan/device/launch/dependent_launch.cuh"
#include "scan/device/launch/device_limits.hpp"
#include "scan/device/launch/enqueue.hpp"
#include "scan/device/slice/slice_problem.cuh"
#include "scan/device/slice/slice_team.hpp"
#include "src/device/relaxed_capture.hpp"
#include "src/nccl/begun.hpp"
#include "src/nccl/on_device.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {
namespace {

/// Asked whether this library was compiled for GPUs with a ring.
__global__ void probe() { await_earlier_kernels(); }

/// What the constructors tell each other; no byte is left unset.
struct agreement {
  std::int64_t max_items;
  std::int32_t max_element_bytes;
  std::int32_t error;
  std::int32_t has_ring;
  std::int32_t with_totals;
  std::int64_t outer, length, inner;
};
static_assert(sizeof(agreement) == 48);
constexpr int most_ranks = 1 << 20;

std::size_t rounded_up(std::size_t num_bytes) noexcept { return (num_bytes + 255) / 256 * 256; }

}  // namespace

slice_team::slice_team(ncclComm_t comm, const extents& largest, int max_element_bytes,
                       bool with_totals) noexcept
    : comm_(comm), max_items_(0), max_element_bytes_(max_element_bytes), with_totals_(with_totals) {
  const pending_error the_callers;
  const relaxed_capture allowed;
  const status checked = resolve({largest.outer, largest.length, largest.inner}, 1,
                                 std::clamp(max_element_bytes, 1, 64), largest_);
  max_items_ = checked.ok() ? largest_.span(largest_.in_pitch) : -1;  // which all find out
  made_ = construct();
  if (!checked.ok()) made_ = checked;
}

slice_team::slice_team(ncclComm_t comm, std::int64_t max_items, int max_element_bytes) noexcept
    : comm_(comm), max_items_(max_items), max_element_bytes_(max_element_bytes) {
  const pending_error the_callers;
  const relaxed_capture allowed;
  made_ = construct();
}

status slice_team::construct() noexcept {
  ncclResult_t code = ncclCommCount(comm_, &num_ranks_);
  if (code == ncclSuccess) code = ncclCommUserRank(comm_, &rank_);
  if (code == ncclSuccess) code = ncclCommCuDevice(comm_, &device_);
  if (code != ncclSuccess) return nccl_status(code);
  const on_device here(device_);
  if (here.code() != cudaSuccess) {
    return {here.code(), "scan::across: the communicator's device cannot be used"};
  }
  status made;
  if (const cudaError_t failed = cudaStreamCreateWithFlags(&aside_, cudaStreamNonBlocking)) {
    aside_ = nullptr;  // the others are told in the default stream
    made = {failed, "scan::across: creating a stream failed"};
  } else if (const cudaError_t code = cudaEventCreateWithFlags(&left_, cudaEventDisableTiming)) {
    left_ = nullptr;
    made = {code, "scan::across: creating an event failed"};
  }
  device_limits limits;
  if (made.ok()) made = current_limits(limits);
  if (made.ok()) {
    load_refusals(limits);
    if (with_totals_) load_copies(limits);
    made = allocate();
  }
  const bool has_ring = limits.ring_bytes_of_block > 0 && record_of<probe>().is_for_90(limits);
  return agree(made, has_ring);
}

status slice_team::allocate() noexcept {
  if (max_items_ < 0 || max_items_ > std::int64_t{1} << 40) {
    return {cudaErrorInvalidValue, "scan::across: max_items is negative or more than 2^40"};
  }
  if (max_element_bytes_ < 1 || max_element_bytes_ > 64) {
    return {cudaErrorInvalidValue, "scan::across: max_element_bytes is not in 1..64"};
  }
  if (const status made = make_states(); !made.ok()) return made;
  if (num_ranks_ == 1) return {};

  const slice_bytes folds = most_slice_bytes(max_items_, max_element_bytes_);
  if (largest_.num_sequences() > 0) {
    room_ = most_tensor_bytes(largest_, max_element_bytes_);
    room_.totals = with_totals_ ? rounded_up(room_.totals) : 0;
  }
  const auto of_ranks = [&](std::size_t bytes) {
    return bytes * static_cast<std::size_t>(num_ranks_);
  };
  const std::size_t message_bytes =
      rounded_up(std::max(slice_folds_offset + folds.batches, room_.message));
  const std::size_t messages = of_ranks(message_bytes);
  const std::size_t shares = rounded_up(std::max(folds.shares, room_.shares));
  const std::size_t starts = most_start_bytes + rounded_up(room_.starts);
  const std::size_t num_bytes = messages + shares + starts + of_ranks(room_.totals);
  void* memory = nullptr;
  if (const cudaError_t code = cudaMalloc(&memory, num_bytes)) {
    return {code, "scan::across: cudaMalloc failed"};
  }
  messages_ = static_cast<unsigned char*>(memory);
  shares_ = messages_ + messages;
  start_ = messages_ + messages + shares;
  totals_ = messages_ + messages + shares + starts;
  message_bytes_ = static_cast<std::int64_t>(message_bytes);
  num_bytes_ = num_bytes + states_->num_bytes();
  // What a message has no use for is sent, too. (agree() waits for this.)
  if (const cudaError_t code = cudaMemsetAsync(messages_, 0, messages, aside_)) {
    return {code, "scan::across: clearing the messages failed"};
  }
  void* pinned = nullptr;
  if (const cudaError_t code =
          cudaHostAlloc(&pinned, sizeof(slice_refusal), cudaHostAllocPortable)) {
    return {code, "scan::across: cudaHostAlloc failed"};
  }
  refusal_ = static_cast<slice_refusal*>(pinned);
  *refusal_ = {-1, 0};
  return {};
}

/// For tensors and for single sequences: whichever takes more.
status slice_team::make_states() noexcept {
  const extents most{largest_.outer, largest_.length, largest_.inner};
  const bool of_tensors =
      largest_.num_sequences() > 0 && workspace::held_bytes(most, max_element_bytes_) >
                                          workspace::held_bytes(max_items_, max_element_bytes_);
  states_.reset(of_tensors ? new (std::nothrow) workspace(most, max_element_bytes_)
                           : new (std::nothrow) workspace(max_items_, max_element_bytes_));
  if (states_ == nullptr) return {cudaErrorMemoryAllocation, "scan::across: no memory"};
  return states_->error();
}

status slice_team::agree(const status& here, bool has_ring) noexcept {
  has_ring_ = has_ring;
  if (num_ranks_ == 1) return here;
  if (num_ranks_ > most_ranks) return {cudaErrorInvalidValue, "scan::across: too many ranks"};
  const auto count = static_cast<std::size_t>(num_ranks_);
  const std::unique_ptr<agreement[]> all(new (std::nothrow) agreement[count]);
  agreement* there = nullptr;
  if (all == nullptr) return {cudaErrorMemoryAllocation, "scan::across: no memory"};
  if (const cudaError_t code = cudaMalloc(&there, count * sizeof(agreement))) {
    return here.ok() ? status{code, "scan::across: cudaMalloc failed"} : here;
  }
  const agreement mine{max_items_,       max_element_bytes_,   here,
                       has_ring ? 1 : 0, with_totals_ ? 1 : 0, largest_.outer,
                       largest_.length,  largest_.inner};
  cudaError_t code =
      cudaMemcpyAsync(there + rank_, &mine, sizeof(mine), cudaMemcpyHostToDevice, aside_);
  // (If that failed the others find something else than they have said.)
  const status sent =
      begun(ncclAllGather(there + rank_, there, sizeof(mine), ncclUint8, comm_, aside_), comm_);
  if (code == cudaSuccess && sent.ok()) {
    code = cudaMemcpyAsync(all.get(), there, count * sizeof(agreement), cudaMemcpyDeviceToHost,
                           aside_);
  }
  if (code == cudaSuccess) code = cudaStreamSynchronize(aside_);
  static_cast<void>(cudaFree(there));
  if (!here.ok()) return here;
  if (!sent.ok()) return sent;
  if (code != cudaSuccess) return {code, "scan::across: speaking to the other ranks failed"};
  for (int rank = 0; rank < num_ranks_; ++rank) {
    const agreement& other = all[static_cast<std::size_t>(rank)];
    if (other.error != 0) {
      return status::of_rank(static_cast<cudaError_t>(other.error),
                             "scan::across: making another rank's failed; rank() is that rank",
                             rank);
    }
    if (other.max_items != max_items_ || other.max_element_bytes != max_element_bytes_) {
      return status::of_rank(cudaErrorInvalidValue,
                             "scan::across: ranks differ in max_items or max_element_bytes", rank);
    }
    if (other.outer != largest_.outer || other.length != largest_.length ||
        other.inner != largest_.inner || (other.with_totals != 0) != with_totals_) {
      return status::of_rank(cudaErrorInvalidValue,
                             "scan::across: ranks differ in extents or with_totals", rank);
    }
    has_ring_ = has_ring_ && other.has_ring != 0;
  }
  return {};
}

slice_team::~slice_team() {
  const pending_error the_callers;
  const relaxed_capture allowed;
  if (device_ < 0) return;  // nothing is held
  const on_device here(device_);
  // As in workspace's.
  static_cast<void>(cudaFree(messages_));
  static_cast<void>(cudaFreeHost(refusal_));
  if (left_ != nullptr) static_cast<void>(cudaEventDestroy(left_));
  if (aside_ != nullptr) static_cast<void>(cudaStreamDestroy(aside_));
  states_.reset();
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan
