// What every call across ranks does, whatever is scanned: it meets the others', or refuses.
#include <cuda_runtime.h>

#include <chrono>
#include <cstdint>
#include <mutex>
#include <thread>

#include "scan/across.hpp"
#include "scan/device/launch/device_limits.hpp"
#include "scan/device/launch/enqueue.hpp"
#include "scan/device/slice/slice_kernels.cuh"
#include "scan/device/slice/slice_team.hpp"
#include "scan/protocol/refusal_note.cuh"
#include "src/device/relaxed_capture.hpp"
#include "src/nccl/begun.hpp"
#include "src/nccl/on_device.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {
namespace {

/// A message of a rank that refuses its arguments.
__global__ void send_refusal(slice_header* message, slice_header header) { *message = header; }
/// What find_start does besides; a warp.
__global__ void find_refusals(gathered all, slice_refusal* noted) {
  const slice_refusal found = find_refusal(all, folding_warp{nullptr});
  if (threadIdx.x == 0) note_refusal(found, noted);
}

ncclResult_t state_of(ncclComm_t comm) noexcept {
  ncclResult_t state = ncclSuccess;
  const ncclResult_t code = ncclCommGetAsyncError(comm, &state);
  return code == ncclSuccess ? state : code;
}

}  // namespace

status begun(ncclResult_t code, ncclComm_t comm) noexcept {
  using clock = std::chrono::steady_clock;
  const auto end = clock::now() + std::chrono::minutes(10);
  while (code == ncclInProgress && clock::now() < end) {
    std::this_thread::yield();
    code = state_of(comm);
  }
  if (code != ncclInProgress) return nccl_status(code);
  return status::of_nccl(cudaErrorTimeout,
                         "NCCL has been in progress for ten minutes: a peer may have died", code);
}

void slice_team::load_refusals(const device_limits& limits) noexcept {
  record_of<send_refusal>().load(limits);
  record_of<find_refusals>().load(limits);
}

status slice_team::error() noexcept {
  if (!made_.ok()) return made_;
  if (const status failed = nccl_status(state_of(comm_)); !failed.ok()) return failed;
  if (refusal_ == nullptr) return {};
  const slice_refusal found = take_refusal(refusal_);
  if (found.rank < 0) return {};
  if (found.code != 0) {
    return status::of_rank(
        static_cast<cudaError_t>(found.code),
        "a rank's arguments were refused, so none has written an output; rank() is that rank",
        found.rank);
  }
  return status::of_rank(
      cudaErrorInvalidValue,
      "the ranks were called for different scans (types, operator or options), or one has failed "
      "without telling the others; rank() is the first rank that differs from rank 0",
      found.rank);
}

std::unique_lock<std::mutex> slice_team::begin_call() noexcept {
  const std::lock_guard<std::mutex> counting(missing_);  // (who misses one has not begun before)
  std::unique_lock<std::mutex> call(enqueueing_, std::try_to_lock);
  if (call.owns_lock()) {
    num_missed_before_ = num_missed_;
  } else {
    ++num_missed_;
  }
  return call;
}

status slice_team::busy() noexcept {
  return {
      cudaErrorInvalidValue,
      "this scan::across is in use by another host thread: its calls no longer go with those of "
      "the other ranks, so it has to be made anew"};
}

void slice_team::miss() noexcept {
  const std::lock_guard<std::mutex> lock(missing_);
  ++num_missed_;
}

std::uint64_t slice_team::num_missed() noexcept {
  const std::lock_guard<std::mutex> lock(missing_);
  return num_missed_;
}

status slice_team::enter(cudaStream_t stream, device_limits& limits) noexcept {
  if (const status asked = current_limits(limits, stream); !asked.ok()) return asked;
  if (limits.device != device_) {
    return {cudaErrorInvalidValue, "the current device is not the communicator's"};
  }
  return is_left_ ? await_aside(stream) : status{};
}

status slice_team::await_aside(cudaStream_t stream) noexcept {
  const relaxed_capture allowed;
  const cudaStream_t named = named_stream(stream);
  cudaStreamCaptureStatus capturing = cudaStreamCaptureStatusNone;
  cudaError_t code = cudaStreamIsCapturing(named, &capturing);
  if (code == cudaSuccess) {  // (A graph cannot wait for what was not captured with it.)
    code = capturing == cudaStreamCaptureStatusNone ? cudaStreamWaitEvent(named, left_, 0)
                                                    : cudaEventSynchronize(left_);
  }
  if (code != cudaSuccess) return {code, "waiting for an earlier call's refusal failed"};
  is_left_ = false;
  return {};
}

void slice_team::leave_aside() noexcept {
  is_left_ = cudaEventRecord(left_, aside_) == cudaSuccess;
  if (!is_left_) static_cast<void>(cudaStreamSynchronize(aside_));
}

status slice_team::gather_totals(cudaStream_t stream) noexcept {
  if (!with_totals_) return {};
  return all_gather(own_totals(), totals_, room_.totals, stream);
}

status slice_team::gather_messages(cudaStream_t stream) noexcept {
  const gathered all = messages();
  const auto num_bytes = static_cast<std::size_t>(message_bytes_);
  return all_gather(all.message(rank_), all.memory, num_bytes, stream);
}

status slice_team::all_gather(const void* mine, void* all, std::size_t num_bytes,
                              cudaStream_t stream) noexcept {
  const ncclResult_t code =
      ncclAllGather(mine, all, num_bytes, ncclUint8, comm_, named_stream(stream));
  const status sent = begun(code, comm_);
  if (!sent.ok()) miss();
  return sent;
}

status slice_team::refuse(const status& why, cudaStream_t stream) noexcept {
  const pending_error the_callers;
  const relaxed_capture allowed;
  const on_device here(device_);
  device_limits limits;
  const bool is_aside = !enter(stream, limits).ok();
  if (is_aside) {  // after what is under way elsewhere
    static_cast<void>(cudaDeviceSynchronize());
    stream = aside_;
  }
  slice_header header = {};
  header.refusal = why;
  launch_of<64> message, look;
  message.set_waiting(send_refusal, {1, 1}, reinterpret_cast<slice_header*>(own_message()), header);
  look.set_waiting(find_refusals, {1, 32}, messages(), refusal_);
  // A rank that cannot even say so has the others waiting.
  if (!enqueue(message, memory_source(stream), limits).ok()) {
    miss();
  } else if (gather_messages(stream).ok() && gather_totals(stream).ok()) {
    static_cast<void>(enqueue(look, memory_source(stream), limits));
  }
  if (is_aside) leave_aside();
  return why;
}

}  // namespace device

status nccl_status(ncclResult_t code) noexcept {
  if (code == ncclSuccess || code == ncclInProgress) return {};
  const bool is_callers = code == ncclInvalidArgument || code == ncclInvalidUsage;
  return status::of_nccl(is_callers ? cudaErrorInvalidValue : cudaErrorUnknown,
                         ncclGetErrorString(code), code);
}

}  // namespace SCAN_ABI
}  // namespace scan
