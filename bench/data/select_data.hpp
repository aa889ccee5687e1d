// Inputs of compactions, made and judged on the GPU.
#ifndef SCAN_BENCH_DATA_SELECT_DATA_HPP
#define SCAN_BENCH_DATA_SELECT_DATA_HPP

#include <cuda_runtime_api.h>

#include <cstdint>

#include "bench/cells/cells.hpp"

namespace bench {

/// Where outputs of a cell that `is_selection` lie: the library's rejected elements in an array of
/// their own, CUB's behind those that are kept, the last one first.
enum class rejected_place { second_output, behind_reversed };

/// Enqueues the writing of a slot of inputs: random elements, or runs of equal ones, and from
/// `flags_offset` on the flags, or the values that are summed.
cudaError_t fill_selection(const cell& what, void* slot, cudaStream_t stream);

/// Enqueues the comparison of the outputs in a slot, which were spoiled before (0xA5), with what
/// they have to be: each element where it belongs, the count, and what lies behind them as it was.
/// Uses up the lengths of runs, and their sums. Lowers `*first_wrong`, in device memory, to the
/// index of the first wrong one: of an input, or in an output.
cudaError_t check_selection(const cell& what, void* slot, rejected_place rejected,
                            unsigned long long* first_wrong, cudaStream_t stream);

}  // namespace bench

#endif
