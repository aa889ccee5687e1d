// Scans on CPU threads of any element types and operators, compiled where this is included: any
// C++17 compiler will do. (libscan.a holds those of the README's table.)
#ifndef SCAN_HOST_HOST_SCAN_HPP
#define SCAN_HOST_HOST_SCAN_HPP

#include "scan/host/compaction.hpp"
#include "scan/host/segment/range_scan.hpp"
#include "scan/host/segment/segment_recurrences.hpp"
#include "scan/host/segment/segment_scan.hpp"
#include "scan/host/sequence_scan.hpp"
#include "scan/host/tensor/gradients.hpp"
#include "scan/host/tensor/recurrences.hpp"
#include "scan/host/tensor/tensor_scan.hpp"
#include "scan/scan.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {

struct host_scans {};  // they are here: see prebuilt.hpp

}  // namespace SCAN_ABI
}  // namespace scan

#endif
