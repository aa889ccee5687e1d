// The one kernel that libscan.a alone has.
#include "tests/emulated/words.hpp"
// (before all that has device code)
#include "src/device/check_segments.cu"
