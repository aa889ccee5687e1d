// What is asked about a tensor's call across GPUs before anything is enqueued: which order its rows
// are in, and what one rank's arguments have to be.
#ifndef SCAN_DEVICE_SLICE_TENSOR_CHECKS_CUH
#define SCAN_DEVICE_SLICE_TENSOR_CHECKS_CUH

#include <cstdint>
#include <type_traits>

#include "scan/device/tensor_launch.cuh"
#include "scan/nccl.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// Whether rows are in the ring's order: libscan.a's kernels as libscan_nccl.a's, and a user's
/// where they are compiled for it. `Tensor`: as the call describes it.
template <class Input, class Output, class Op, class Tensor>
cudaError_t find_ring(const across& ranks, const extents& local, const device_limits& limits,
                      bool& has_ring) noexcept {
  using types = scan_types<Input, Output>;
  has_ring = in_ring<Tensor> && ranks.has_ring() && local.inner == 1;
  if constexpr (in_ring<Tensor> &&
                !(both_as_is<Input, Output> &&
                  is_tensor_kernel_held<typename types::in, typename types::out, Op>)) {
    using rows = tensor_problem<sequence_part<typename Tensor::Problem>>;
    if (!has_ring) return cudaSuccess;
    int num_stages = 0;
    const cudaError_t code =
        prepared_ring<ring_rows<tuned_for<Input, Output>, rows>>::stages(limits, num_stages);
    has_ring = num_stages > 0;
    return code;
  }
  return cudaSuccess;
}

/// As validate_tensor(), of one rank's arguments; then `shape` is what `local` means.
template <class Op, class Input, class Output, class Options>
status validate_slices(const across& ranks, bool exclusive, const Input& in, const Output& out,
                       const extents& local, const Options& opts, int extra, bool has_ring,
                       tensor_shape& shape) noexcept {
  using types = scan_types<Input, Output>;
  using T = typename types::accumulated;
  if (const status checked = validate_options(opts); !checked.ok()) return checked;
  if (opts.complete && !exclusive) {
    return {cudaErrorInvalidValue, "options.complete is for exclusive scans"};
  }
  if (opts.algorithm != algorithm::automatic) {
    return {cudaErrorNotSupported, "options.algorithm: tensors choose for themselves"};
  }
  if (const status checked = resolve(local, extra, types::widest, shape); !checked.ok()) {
    return checked;
  }
  if (const status checked = validate_slabs(in.data, out.data, shape, extra); !checked.ok()) {
    return checked;
  }
  if (const status checked =
          validate_values(in.data, out.data, shape, extra, opts.init_pointer, opts.total);
      !checked.ok()) {
    return checked;
  }
  if (opts.total != nullptr && !ranks.with_totals()) {
    return {cudaErrorInvalidValue,
            "options.total of tensors: this scan::across was made without totals"};
  }
  const slice_tensor_bytes wanted =
      tensor_bytes_of(shape, slice_share_items<Input, Output>(has_ring, shape.inner),
                      slice_batch_items<Input, Output>(has_ring, shape.inner), sizeof(T),
                      sizeof(prefix<T>), opts.total != nullptr ? sizeof(*opts.total) : 0);
  if (!ranks.room().has_room_for(wanted)) {
    return {cudaErrorInvalidValue,
            "extents or elements are more than this scan::across was made for, or it was made "
            "without extents"};
  }
  const bool init_given = opts.init || opts.init_pointer != nullptr;
  if (ranks.rank() == 0 && exclusive && !init_given && !has_identity<Op, T>) {
    return {cudaErrorInvalidValue, "options.init is missing: the operator has no identity"};
  }
  return {};
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
