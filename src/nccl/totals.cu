// The totals of tensors across GPUs, which all ranks have of the one that the scan ends in.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

#include "scan/device/dependent_launch.cuh"
#include "scan/device/enqueue.cuh"
#include "scan/device/loaded_kernel.cuh"
#include "scan/device/slice_tensor_kernels.cuh"
#include "scan/nccl.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace {

/// A thread a word of the totals that the call is to give.
template <class Word>
__global__ void copy_from_last(const device::slice_tensor_state* state, const Word* totals,
                               std::int64_t rank_words, Word* to, std::int64_t num_words) {
  device::admit_later_kernels();
  device::await_earlier_kernels();
  if (state->is_refused) return;
  const Word* const from = totals + rank_words * state->last_rank;
  for (std::int64_t i = device::thread_of_grid(); i < num_words; i += device::threads_of_grid()) {
    to[i] = from[i];
  }
}

}  // namespace

void across::load_copies(const device::device_limits& limits) noexcept {
  device::load_kernel<copy_from_last<std::uint32_t>>(limits);
  device::load_kernel<copy_from_last<unsigned char>>(limits);
}

status across::copy_totals(void* to, std::size_t num_bytes, cudaStream_t stream) noexcept {
  const auto copy = [&](auto word) {
    using word_type = decltype(word);
    const auto num_words = static_cast<std::int64_t>(num_bytes / sizeof(word));
    const std::int64_t blocks = std::clamp<std::int64_t>(num_words / 256 + 1, 1, 1 << 16);
    return device::enqueue(copy_from_last<word_type>, {blocks, 256}, stream,
                           static_cast<const device::slice_tensor_state*>(start_),
                           reinterpret_cast<const word_type*>(totals_),
                           static_cast<std::int64_t>(room_.totals / sizeof(word)),
                           static_cast<word_type*>(to), num_words);
  };
  const bool in_words = (reinterpret_cast<std::uintptr_t>(to) | num_bytes) % 4 == 0;
  return in_words ? copy(std::uint32_t{}) : copy(static_cast<unsigned char>(0));
}

}  // namespace SCAN_ABI
}  // namespace scan
