// What becomes of calls of NCCL.
#ifndef SCAN_SRC_NCCL_BEGUN_HPP
#define SCAN_SRC_NCCL_BEGUN_HPP

#include <nccl.h>

#include "scan/status.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// What has come of a collective that NCCL has begun with `code`: where the communicator does not
/// block, it may be some time before the stream has it. Where a peer has died it never has: then it
/// is for the caller to abort, after as long as frameworks wait.
status begun(ncclResult_t code, ncclComm_t comm) noexcept;

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
