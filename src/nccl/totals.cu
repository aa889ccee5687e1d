// The totals of tensors across GPUs, which all ranks have of the one that the scan ends in.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

#include "scan/device/launch/dependent_launch.cuh"
#include "scan/device/launch/enqueue.hpp"
#include "scan/device/slice/slice_team.hpp"
#include "scan/device/slice/slice_tensor_kernels.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {
namespace {

/// A thread a word of the totals that the call is to give.
template <class Word>
__global__ void copy_from_last(const slice_tensor_state* state, const Word* totals,
                               std::int64_t rank_words, Word* to, std::int64_t num_words) {
  admit_later_kernels();
  await_earlier_kernels();
  if (state->is_refused) return;
  const Word* const from = totals + rank_words * state->last_rank;
  for (std::int64_t i = thread_of_grid(); i < num_words; i += threads_of_grid()) {
    to[i] = from[i];
  }
}

}  // namespace

void slice_team::load_copies(const device_limits& limits) noexcept {
  record_of<copy_from_last<std::uint32_t>>().load(limits);
  record_of<copy_from_last<unsigned char>>().load(limits);
}

void slice_team::choose_copy(totals_launch& copy, void* to, std::size_t num_bytes) const noexcept {
  const auto choose = [&](auto word) {
    using word_type = decltype(word);
    const auto num_words = static_cast<std::int64_t>(num_bytes / sizeof(word));
    const std::int64_t blocks = std::clamp<std::int64_t>(num_words / 256 + 1, 1, 1 << 16);
    copy.set_waiting(copy_from_last<word_type>, {blocks, 256},
                     static_cast<const slice_tensor_state*>(start_),
                     reinterpret_cast<const word_type*>(totals_),
                     static_cast<std::int64_t>(room_.totals / sizeof(word)),
                     static_cast<word_type*>(to), num_words);
  };
  const bool in_words = (reinterpret_cast<std::uintptr_t>(to) | num_bytes) % 4 == 0;
  in_words ? choose(std::uint32_t{}) : choose(static_cast<unsigned char>(0));
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan
