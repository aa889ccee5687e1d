// CPU threads as tests of several threads want them: eager_workers.cpp, linked before libscan.a or
// in place of src/host/workers.cpp, is the library's pool, but a scan has as many workers as its
// caller wants and it has tiles, however few bytes those are, and the caller waits for a helper to
// come.
#ifndef SCAN_TESTS_EAGER_WORKERS_HPP
#define SCAN_TESTS_EAGER_WORKERS_HPP

#include <cstdint>

namespace tests {

/// Calls so far in which two threads or more worked; before they do, one waits for the other. A
/// test of several threads is one only if this grows.
std::int64_t num_shared_calls();
/// Calls so far that asked for helpers and had none within 20 seconds.
std::int64_t num_deserted_calls();

}  // namespace tests

#endif
