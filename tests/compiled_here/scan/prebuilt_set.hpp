// As of a library that holds no scan: what includes the host scans compiles them all, with its own
// flags (ThreadSanitizer's among them), and links no libscan.a.
#define SCAN_PREBUILT_COMMON 0
#define SCAN_PREBUILT_FULL 0
#define SCAN_PREBUILT_BASELINES 0
