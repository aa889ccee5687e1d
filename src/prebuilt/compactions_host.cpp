// Compactions of libscan.a on CPU threads.
#include "scan/host/compaction.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {

#define SCAN_INSTANTIATE(...) \
  template status host_path::compact(on_host, const __VA_ARGS__&, const host_select_options&);
SCAN_COMPACTIONS_HELD(SCAN_INSTANTIATE)

}  // namespace SCAN_ABI
}  // namespace scan
