// The recurrences of accelerated-scan (PyPI), a block a row: its `warp.cuh`, which the build is
// told where to find, on stand-ins for PyTorch's tensors.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "accelerated_scan/warp.cuh"
#include "bench/peers/row_recurrences.hpp"

namespace bench {

cudaError_t accelerated_scan(const row_recurrence& rows, cudaStream_t stream) {
  at::cuda::chosen_stream = {stream};
  const auto tensor = [&](const void* data) {
    const at::ScalarType type =
        rows.are_bfloat16 ? at::ScalarType::BFloat16 : at::ScalarType::Float;
    return at::Tensor{const_cast<void*>(data), type, {rows.num_rows, 1, rows.length}};
  };
  warpscan_forward(tensor(rows.factors), tensor(rows.offsets), tensor(rows.states), false);
  return cudaGetLastError();
}

}  // namespace bench
