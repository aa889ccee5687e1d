// Stores past the caches are ordered by a fence alone. Processors rarely show it: any locked
// instruction orders them too, and there is always one on the way. So here they are held back, each
// thread's until that thread fences: of a thread that leaves without, they never arrive.
#include <doctest/doctest.h>

#ifdef __SSE2__
#include <emmintrin.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace tests {

std::atomic<int> num_fenced{0};  // threads that had something to order, each call
struct store {
  __m128i* to;
  __m128i bits;
};
thread_local std::vector<store> held;

inline void hold(__m128i* to, __m128i bits) { held.push_back({to, bits}); }
inline void let_go() {
  num_fenced += !held.empty();
  for (const auto& [to, bits] : held) _mm_store_si128(to, bits);
  held.clear();
}

}  // namespace tests

#define _mm_stream_si128 tests::hold
#define _mm_sfence tests::let_go
#include "scan/host/host_scan.hpp"
#include "tests/support/cases.hpp"
#include "tests/support/guarded.hpp"

namespace {

constexpr std::int64_t uncached_items =
    scan::host_path::cached_bytes / std::int64_t{sizeof(std::int32_t)};

/// Scans until as many threads as wanted had something to order.
template <class Scan>
void check(int num_threads, const std::vector<std::int32_t>& expected, Scan scan_to) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  do {
    std::vector<std::int32_t> out(expected.size(), -1);
    tests::num_fenced = 0;
    REQUIRE(scan_to(out.data()).ok());
    REQUIRE(tests::first_difference(out.data(), expected) == -1);
    REQUIRE(tests::held.empty());
  } while (tests::num_fenced < num_threads && std::chrono::steady_clock::now() < until);
  CHECK(tests::num_fenced >= num_threads);
}

}  // namespace

TEST_SUITE("host") {
  TEST_CASE("who stores past the caches fences before the call ends: one sequence") {
    const std::int64_t n = uncached_items + 4321;
    const auto items = tests::random_items<std::int32_t>(n, 3);
    const auto expected = tests::serial_scan({n, false, false, false, 0, 0}, items, scan::plus{});
    for (const int threads : {1, 4}) {
      CAPTURE(threads);
      check(threads == 1 ? 1 : 2, expected, [&](std::int32_t* out) {
        return scan::inclusive(scan::host, items.data(), out, n, scan::plus{}, {{}, threads});
      });
    }
  }

  TEST_CASE("who stores past the caches fences before the call ends: rows") {
    // Of one tile each: longer ones fence by themselves.
    const std::int64_t length = 5000, rows = uncached_items / length + 1, n = rows * length;
    const auto items = tests::random_items<std::int32_t>(n, 4);
    std::vector<std::int32_t> expected;
    for (std::int64_t row = 0; row < rows; ++row) {
      const auto first = items.begin() + row * length;
      const auto sums = tests::serial_scan({length, false, false, false, 0, 0},
                                           std::vector(first, first + length), scan::plus{});
      expected.insert(expected.end(), sums.begin(), sums.end());
    }
    for (const int threads : {1, 4}) {
      CAPTURE(threads);
      check(threads == 1 ? 1 : 2, expected, [&](std::int32_t* out) {
        return scan::inclusive(scan::host, items.data(), out, scan::extents{rows, length, 1, 0, 0},
                               scan::plus{}, {{}, threads});
      });
    }
  }

  TEST_CASE("who is done before anybody has come fences too") {
    namespace path = scan::host_path;
    const std::int64_t n = uncached_items + 4321;
    const std::vector<std::int32_t> ones(static_cast<std::size_t>(n), 1);
    std::vector<std::int32_t> out(ones.size(), -1);
    const auto described =
        scan::describe<false>(false, scan::as_input(ones.data()), scan::as_output(out.data()), n,
                              scan::plus{}, scan::host_options<std::int32_t>{});
    using problem = std::remove_const_t<decltype(described)>;
    path::job<problem> sequence{described};
    while (path::advance_alone<path::job<problem>>(&sequence)) {
    }
    CHECK(tests::held.empty());
    CHECK(out.back() == static_cast<std::int32_t>(n));

    alignas(16) __m128i target[3];
    const auto part = [&](std::int64_t i) { tests::hold(target + i, _mm_set1_epi32(7)); };
    path::parts_job<decltype(part)> parts{part, 3};
    while (path::advance_alone<path::parts_job<decltype(part)>>(&parts)) {
    }
    CHECK(tests::held.empty());
  }
}
#endif
