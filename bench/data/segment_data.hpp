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

/// Enqueues the comparison of the whole output in a slot with what it has to be, by induction along
/// each segment, from an input and heads that are made anew. Lowers `*first_wrong`, in device
/// memory, to the index of the first wrong one.
cudaError_t check_segments(const cell& what, const std::int32_t* offsets, const void* slot,
                           unsigned long long* first_wrong, cudaStream_t stream);

/// Enqueues the comparison of the segments' totals, of outputs that are right: each has the bits of
/// its segment's last output, or is 0. Lowers `*first_wrong` to the number of the first wrong one.
cudaError_t check_totals(const cell& what, const std::int32_t* offsets, const void* slot,
                         const void* totals, unsigned long long* first_wrong, cudaStream_t stream);

}  // namespace bench

#endif
