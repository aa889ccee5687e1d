// Of the library that is built, where there is one; programs that a compiler alone makes have none.
#if __has_include_next("scan/version.hpp")
#include_next "scan/version.hpp"
#elif !defined(SCAN_VERSION)
#define SCAN_VERSION_MAJOR 0
#define SCAN_VERSION_MINOR 0
#define SCAN_VERSION_PATCH 0
#define SCAN_VERSION 0
#endif
