// Inputs of tensors and recurrences, made and judged on the GPU.
#ifndef SCAN_BENCH_DATA_SHAPE_DATA_HPP
#define SCAN_BENCH_DATA_SHAPE_DATA_HPP

#include <cuda_runtime_api.h>

#include "bench/cells/cells.hpp"

namespace bench {

/// Enqueues the writing of a slot of inputs of a cell that `is_shaped`: elements at the cell's
/// offset and pitch, and of a recurrence as many factors from `factors_offset` on. Between the rows
/// nothing is written.
cudaError_t fill_tensor(const cell& what, void* slot, cudaStream_t stream);

/// Enqueues the comparison of the whole output in a slot, every element with what it has to be: a
/// sum by induction along its sequence from an input that is made anew, a state by itself. Lowers
/// `*first_wrong`, in device memory, to the index of the first wrong one in the dense tensor.
cudaError_t check_tensor(const cell& what, const void* slot, unsigned long long* first_wrong,
                         cudaStream_t stream);

}  // namespace bench

#endif
