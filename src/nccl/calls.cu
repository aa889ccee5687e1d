// What every call across ranks does, whatever is scanned: it meets the others', or refuses.
#include <cuda_runtime.h>

#include <chrono>
#include <cstdint>
#include <mutex>
#include <thread>

#include "scan/device/enqueue.cuh"
#include "scan/device/loaded_kernel.cuh"
#include "scan/device/pending_error.hpp"
#include "scan/device/slice_kernels.cuh"
#include "scan/nccl.hpp"
#include "scan/protocol/refusal_note.cuh"
#include "src/nccl/begun.hpp"
#include "src/nccl/on_device.hpp"
#include "src/relaxed_capture.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace {

/// A message of a rank that refuses its arguments.
__global__ void send_refusal(device::slice_header* message, device::slice_header header) {
  *message = header;
}
/// What find_start does besides; a warp.
__global__ void find_refusals(device::gathered all, device::slice_refusal* noted) {
  const device::slice_refusal found = device::find_refusal(all, device::folding_warp{nullptr});
  if (threadIdx.x == 0) device::note_refusal(found, noted);
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

status nccl_status(ncclResult_t code) noexcept {
  if (code == ncclSuccess || code == ncclInProgress) return {};
  const bool is_callers = code == ncclInvalidArgument || code == ncclInvalidUsage;
  return status::of_nccl(is_callers ? cudaErrorInvalidValue : cudaErrorUnknown,
                         ncclGetErrorString(code), code);
}

void across::load_refusals(const device::device_limits& limits) noexcept {
  device::load_kernel<send_refusal>(limits);
  device::load_kernel<find_refusals>(limits);
}

status across::error() noexcept {
  if (!made_.ok()) return made_;
  if (const status failed = nccl_status(state_of(comm_)); !failed.ok()) return failed;
  if (refusal_ == nullptr) return {};
  const device::slice_refusal found = device::take_refusal(refusal_);
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

std::unique_lock<std::mutex> across::begin_call() noexcept {
  const std::lock_guard<std::mutex> counting(missing_);  // (who misses one has not begun before)
  std::unique_lock<std::mutex> call(enqueueing_, std::try_to_lock);
  if (call.owns_lock()) {
    num_missed_before_ = num_missed_;
  } else {
    ++num_missed_;
  }
  return call;
}

status across::busy() noexcept {
  return {
      cudaErrorInvalidValue,
      "this scan::across is in use by another host thread: its calls no longer go with those of "
      "the other ranks, so it has to be made anew"};
}

void across::miss() noexcept {
  const std::lock_guard<std::mutex> lock(missing_);
  ++num_missed_;
}

std::uint64_t across::num_missed() noexcept {
  const std::lock_guard<std::mutex> lock(missing_);
  return num_missed_;
}

status across::enter(cudaStream_t stream, device::device_limits& limits) noexcept {
  if (const status asked = device::current_limits(limits, stream); !asked.ok()) return asked;
  if (limits.device != device_) {
    return {cudaErrorInvalidValue, "the current device is not the communicator's"};
  }
  return is_left_ ? await_aside(stream) : status{};
}

status across::await_aside(cudaStream_t stream) noexcept {
  const relaxed_capture allowed;
  const cudaStream_t named = device::named_stream(stream);
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

void across::leave_aside() noexcept {
  is_left_ = cudaEventRecord(left_, aside_) == cudaSuccess;
  if (!is_left_) static_cast<void>(cudaStreamSynchronize(aside_));
}

status across::gather(cudaStream_t stream) noexcept {
  const status sent = gather_messages(stream);
  return sent.ok() && with_totals_ ? gather_totals(stream) : sent;
}

status across::gather_totals(cudaStream_t stream) noexcept {
  return all_gather(own_totals(), totals_, room_.totals, stream);
}

status across::gather_messages(cudaStream_t stream) noexcept {
  const device::gathered all = messages();
  const auto num_bytes = static_cast<std::size_t>(message_bytes_);
  return all_gather(all.message(rank_), all.memory, num_bytes, stream);
}

status across::all_gather(const void* mine, void* all, std::size_t num_bytes,
                          cudaStream_t stream) noexcept {
  const ncclResult_t code =
      ncclAllGather(mine, all, num_bytes, ncclUint8, comm_, device::named_stream(stream));
  const status sent = begun(code, comm_);
  if (!sent.ok()) miss();
  return sent;
}

status across::refuse(const status& why, cudaStream_t stream) noexcept {
  const device::pending_error the_callers;
  const relaxed_capture allowed;
  const on_device here(device_);
  device::device_limits limits;
  const bool is_aside = !enter(stream, limits).ok();
  if (is_aside) {  // after what is under way elsewhere
    static_cast<void>(cudaDeviceSynchronize());
    stream = aside_;
  }
  const device::gathered all = messages();
  device::slice_header header = {};
  header.refusal = why;
  const status told =
      device::enqueue(send_refusal, {1, 1}, stream,
                      reinterpret_cast<device::slice_header*>(all.message(rank_)), header);
  // A rank that cannot even say so has the others waiting.
  if (!told.ok()) {
    miss();
  } else if (gather(stream).ok()) {
    static_cast<void>(device::enqueue(find_refusals, {1, 32}, stream, all, refusal_));
  }
  if (is_aside) leave_aside();
  return why;
}

}  // namespace SCAN_ABI
}  // namespace scan
