// What calls of tensors promise apart from results: which memory they take, calls of no elements,
// sizes of workspaces. What they refuse: tests/calls/refused_calls.hpp.
#include <doctest/doctest.h>

#include <climits>
#include <cstdint>
#include <string>

#include "scan/scan.hpp"
#include "tests/support/check_refused.hpp"
#include "tests/support/device_memory.hpp"
#include "tests/support/guarded.hpp"

namespace {

using scan::extents;
using tests::check_refused;

}  // namespace

TEST_SUITE("tensor api") {
  TEST_CASE("slabs side by side, parts of rows, and in place: accepted") {
    tests::guarded<float> both(400);
    const extents halves{3, 4, 5, 40, 40};
    const auto accepted = [&](float* from, float* to, const extents& of) {
      CHECK(scan::inclusive(scan::host, from, to, of).ok());
      CHECK(scan::inclusive(from, to, of) != cudaErrorInvalidValue);
      CHECK(both.guards_intact());
    };
    if (tests::gpu_present()) return;  // (to which these are no pointers)
    accepted(both.data(), both.data() + 20, halves);
    accepted(both.data() + 20, both.data(), halves);
    accepted(both.data(), both.data(), halves);
    accepted(both.data(), both.data() + 70, {3, 4, 5, 25, 30});
    // The last slab has no pitch after it.
    accepted(both.data(), both.data() + 300, {3, 4, 5, 140, 30});
  }

  TEST_CASE("an algorithm is for one sequence") {
    if (!tests::gpu_present()) return;  // which says so first
    tests::guarded<float> in(200), out(200);
    scan::options<float> opts;
    for (const auto which :
         {scan::algorithm::wave, scan::algorithm::ring, scan::algorithm::blelloch}) {
      opts.algorithm = which;
      const scan::status result =
          scan::inclusive(in.data(), out.data(), extents{3, 4, 5, 0, 0}, scan::plus{}, opts);
      CHECK_FALSE(result.ok());
      CHECK(std::string(result.message()).find("options.algorithm") != std::string::npos);
    }
    CHECK(out.untouched());
  }

  TEST_CASE("a workspace for extents that cannot be, and the bytes for those that can") {
    check_refused(scan::workspace(extents{-1, 4, 5, 0, 0}).error(), "extents.outer");
    check_refused(scan::workspace(extents{1, 4, INT64_MAX, 0, 0}).error(), "extents.inner");
    check_refused(scan::workspace(extents{1, 4, 5, 0, 0}, 65).error(), "max_element_bytes");
    CHECK(scan::workspace::required_bytes(extents{1, -4, 5, 0, 0}, 4) == SIZE_MAX);
    CHECK(scan::workspace::required_bytes(extents{1, 4, 5, 0, 0}, 0) == SIZE_MAX);
    // (Rows that no int counts, of two columns.)
    for (const std::int64_t length : {66571993088, std::int64_t{1} << 36, 133143986176}) {
      const std::size_t bytes = scan::workspace::required_bytes(extents{1, length, 2, 0, 0}, 4);
      CHECK(bytes > std::size_t{1} << 30);
      CHECK(bytes < std::size_t{1} << 33);
    }
    for (const int element_bytes : {1, 2, 4, 8, 12, 16, 64}) {
      for (const std::int64_t length : {1, 33, 1000, 100000}) {
        for (const std::int64_t inner : {1, 2, 7, 33, 1000}) {
          std::size_t last = 0;  // never less for more slabs
          for (std::int64_t outer = 0; outer < std::int64_t{1} << 32; outer = outer * 3 / 2 + 1) {
            const std::size_t bytes =
                scan::workspace::required_bytes(extents{outer, length, inner, 0, 0}, element_bytes);
            CHECK(bytes >= last);
            last = bytes;
          }
        }
      }
    }
  }

  TEST_CASE("no sequences, or none with elements: success, and null pointers are fine") {
    const float* in = nullptr;
    float* out = nullptr;
    for (const extents& shape : {extents{0, 4, 5, 0, 0},
                                 {4, 0, 5, 0, 0},
                                 {4, 5, 0, 0, 0},
                                 {0, 0, 0, 0, 0},
                                 {0, 4, 5, 100, 100}}) {
      CHECK(scan::inclusive(in, out, shape).ok());
      CHECK(scan::exclusive(in, out, shape).ok());
      CHECK(scan::recurrence(in, in, out, shape).ok());
      CHECK(scan::inclusive(scan::host, in, out, shape).ok());
      CHECK(scan::recurrence(scan::host, in, in, out, shape).ok());
    }
    // Totals of sequences without elements, and complete outputs.
    tests::guarded<float> outputs(40), totals(20);
    scan::host_options<float> opts;
    opts.total = totals.data();
    opts.complete = true;
    opts.init = 3.0f;
    CHECK(
        scan::exclusive(scan::host, in, outputs.data(), extents{4, 0, 5, 0, 7}, scan::plus{}, opts)
            .ok());
    CHECK(totals.data()[19] == 3.0f);
    CHECK(outputs.data()[3 * 7 + 4] == 3.0f);
    CHECK(outputs.guards_intact());
    CHECK(totals.guards_intact());
  }

  TEST_CASE("calls are noexcept") {
    const float* in = nullptr;
    float* out = nullptr;
    CHECK(noexcept(scan::inclusive(in, out, extents{})));
    CHECK(noexcept(scan::exclusive(in, out, extents{}, scan::plus{}, {})));
    CHECK(noexcept(scan::inclusive(scan::host, in, out, extents{})));
    CHECK(noexcept(scan::recurrence(in, in, out, 0)));
    CHECK(noexcept(scan::recurrence(scan::host, in, in, out, extents{})));
  }
}
