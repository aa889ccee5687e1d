// As of a library that holds no scan: what includes the host scans compiles them all, with its own
// flags (ThreadSanitizer's among them). By the names of the library that is built, where there is
// one, which some of these programs link for the rest.
#if __has_include_next("scan/prebuilt_set.hpp")
#include_next "scan/prebuilt_set.hpp"
#undef SCAN_PREBUILT_COMMON
#undef SCAN_PREBUILT_FULL
#undef SCAN_PREBUILT_BASELINES
#else
#define SCAN_ABI compiled_here
#endif
#define SCAN_PREBUILT_COMMON 0
#define SCAN_PREBUILT_FULL 0
#define SCAN_PREBUILT_BASELINES 0
