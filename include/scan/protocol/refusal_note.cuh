// A call across GPUs that was not carried out, as kernels tell the host: in its memory, which it
// may look at while they run.
#ifndef SCAN_PROTOCOL_REFUSAL_NOTE_CUH
#define SCAN_PROTOCOL_REFUSAL_NOTE_CUH

#include <cstdint>
#include <cuda/atomic>

#include "scan/abi.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

using noted_rank = cuda::atomic_ref<std::int32_t, cuda::thread_scope_system>;

/// The first refusal (a slice_refusal: rank and code) stays until it has been taken. A lane of one
/// kernel at a time.
template <class Refusal>
__device__ void note_refusal(const Refusal& found, Refusal* noted) {
  if (found.rank < 0) return;
  const noted_rank rank(noted->rank);
  // Acquire, with take_refusal's release: the code that is written over here has been read there.
  if (rank.load(cuda::memory_order_acquire) >= 0) return;
  noted->code = found.code;
  // Release, with take_refusal's acquire: who sees the rank sees its code, not the one before.
  rank.store(found.rank, cuda::memory_order_release);
}

/// What has been noted, which then is no more; a rank of -1: nothing. One thread of the host.
template <class Refusal>
Refusal take_refusal(Refusal* noted) {
  const noted_rank rank(noted->rank);
  Refusal found{rank.load(cuda::memory_order_acquire), 0};
  if (found.rank < 0) return found;
  found.code = noted->code;
  rank.store(-1, cuda::memory_order_release);
  return found;
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
