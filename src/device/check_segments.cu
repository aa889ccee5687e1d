// Whether offsets are what scan::segments says they have to be: in device memory.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

#include "scan/device/launch/call_memory.hpp"
#include "scan/device/launch/device_limits.hpp"
#include "scan/device/launch/enqueue.hpp"
#include "scan/segmented.hpp"
#include "src/device/wrong_offset.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {
namespace {

constexpr int block_threads = 256;
constexpr std::int64_t most_blocks = 512;

/// An entry and what is wrong with it: of two, the less is what comes first.
__host__ __device__ std::int64_t finding(std::int64_t index, wrong_offset what) {
  return index * 8 + static_cast<int>(what);
}
constexpr std::int64_t no_finding = INT64_MAX;

/// Each block's first finding among the entries that are its own.
template <class Offset>
__global__ void find_wrong_offsets(const Offset* offsets, std::int64_t num_segments,
                                   std::int64_t num_items, std::int64_t* findings) {
  __shared__ std::int64_t of_warps[block_threads / 32];
  std::int64_t first = no_finding;
  const std::int64_t step = std::int64_t{gridDim.x} * block_threads;
  std::int64_t i = std::int64_t{blockIdx.x} * block_threads + threadIdx.x;
  for (; i <= num_segments && first == no_finding; i += step) {
    const wrong_offset what =
        what_is_wrong(i > 0 ? offsets[i - 1] : Offset{0}, offsets[i], i, num_items);
    if (what != wrong_offset::nothing) first = finding(i, what);
  }
  for (int distance = 16; distance > 0; distance /= 2) {
    first = min(first, __shfl_xor_sync(0xffffffffu, first, distance));
  }
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = first;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (const std::int64_t other : of_warps) first = min(first, other);
  findings[blockIdx.x] = first;
}

/// Waits for the first finding.
template <class Offset>
status find(const Offset* offsets, const segment_heads& heads, cudaStream_t stream,
            std::int64_t& first) noexcept {
  const std::int64_t blocks = std::min(most_blocks, heads.num_segments / block_threads + 1);
  const auto num_bytes = static_cast<std::size_t>(blocks) * sizeof(std::int64_t);
  const call_memory memory(memory_source(stream), num_bytes, memory_use::scratch);
  if (!memory.error().ok()) return memory.error();
  auto* const found = static_cast<std::int64_t*>(memory.data());
  const status launched =
      enqueue_waiting(find_wrong_offsets<Offset>, {blocks, block_threads}, stream, offsets,
                      heads.num_segments, heads.num_items, found);
  if (!launched.ok()) return launched;
  std::int64_t findings[most_blocks];
  cudaError_t code =
      cudaMemcpyAsync(findings, found, num_bytes, cudaMemcpyDeviceToHost, named_stream(stream));
  if (code == cudaSuccess) code = cudaStreamSynchronize(named_stream(stream));
  if (code != cudaSuccess) return {code, "check_segments: reading what has been found failed"};
  first = *std::min_element(findings, findings + blocks);
  return {};
}

}  // namespace

status check_offsets(const segment_heads& heads, cudaStream_t stream) noexcept {
  const pending_error the_callers;
  if (heads.num_segments == 0) return {};
  device_limits limits;
  if (const status asked = current_limits(limits); !asked.ok()) return asked;
  cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
  if (const cudaError_t code = cudaStreamIsCapturing(named_stream(stream), &capture)) {
    return {code, "check_segments: the stream cannot be waited for"};
  }
  if (capture != cudaStreamCaptureStatusNone) {
    return {cudaErrorStreamCaptureUnsupported,
            "check_segments waits, which a stream that is being captured cannot"};
  }
  std::int64_t first = no_finding;
  const status done =
      with_offsets(heads, [&](const auto* offsets) { return find(offsets, heads, stream, first); });
  if (!done.ok() || first == no_finding) return done;
  return status_of(static_cast<wrong_offset>(first % 8), first / 8);
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan
