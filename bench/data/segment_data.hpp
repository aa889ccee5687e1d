// Inputs of segments, made and judged on the GPU.
#ifndef SCAN_BENCH_DATA_SEGMENT_DATA_HPP
#define SCAN_BENCH_DATA_SEGMENT_DATA_HPP

#include <cuda_runtime_api.h>

#include <cstdint>

#include "bench/cells/cells.hpp"

namespace bench {

/// Enqueues the writing of a slot of inputs of a cell that `is_ragged`: the elements of one
/// sequence (elements.hpp), and from `heads_offset` on what tells where its segments begin.
/// `offsets`, in device memory: `ragged_offsets`.
cudaError_t fill_segments(const cell& what, const std::int32_t* offsets, void* slot,
                          cudaStream_t stream);

/// Enqueues the writing of an init of each segment, of the output's type, of a recurrence of float;
/// with them results of bfloat16 are still exact.
cudaError_t fill_inits(const cell& what, const std::int32_t* offsets, void* inits,
                       cudaStream_t stream);

/// Where a segment ends that leaves a gap before the next one.
SCAN_HOST_DEVICE inline std::int32_t end_before_gap(std::int32_t begin, std::int32_t end) {
  return begin + static_cast<std::int32_t>((std::int64_t{3} * (end - begin) + 3) / 4);
}

/// What segments have besides their elements.
struct segment_extras {
  const void* inits = nullptr;  // those of fill_inits
  bool have_gaps = false;       // what lies in these is not looked at
};
/// Enqueues the comparison of the whole output in a slot with what it has to be, by induction along
/// each segment, from an input and heads that are made anew. Lowers `*first_wrong`, in device
/// memory, to the index of the first wrong one.
cudaError_t check_segments(const cell& what, const std::int32_t* offsets, const void* slot,
                           unsigned long long* first_wrong, cudaStream_t stream,
                           const segment_extras& extras = {});

/// Enqueues the comparison of the segments' totals, of outputs that are right: each has the bits of
/// its segment's last output, or is 0. Lowers `*first_wrong` to the number of the first wrong one.
cudaError_t check_totals(const cell& what, const std::int32_t* offsets, const void* slot,
                         const void* totals, unsigned long long* first_wrong, cudaStream_t stream);

}  // namespace bench

#endif
