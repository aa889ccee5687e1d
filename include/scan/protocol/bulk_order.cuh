// What orders a thread's writes to shared memory before the copy engine reads them there.
#ifndef SCAN_PROTOCOL_BULK_ORDER_CUH
#define SCAN_PROTOCOL_BULK_ORDER_CUH

#include <cuda/ptx>

#include "scan/abi.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// Before a bulk copy from where the thread has written, or one that completes in a barrier that it
/// has made. Only in code that is compiled for 9.0 and newer.
__device__ inline void publish_to_bulk() {
  // A fence between proxies: pairs with the copy that is started behind it, or behind a barrier
  // with who starts it. Without it the engine, which is another proxy, could read what was there
  // before.
  cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
