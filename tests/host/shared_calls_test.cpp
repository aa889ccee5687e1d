// Scans that are handed over from a caller who works alone to helpers, every time (see
// eager_workers.hpp): where output goes past the caches, and from wherever the caller is.
#include <doctest/doctest.h>

#include <cstring>

#include "scan/host/host_scan.hpp"
#include "tests/support/cases.hpp"
#include "tests/support/eager_workers.hpp"
#include "tests/support/guarded.hpp"
#include "tests/support/host_workers.hpp"
#include "tests/support/interval.hpp"
#include "tests/tensors/tensor_reference.hpp"

namespace {

/// The library does not know it.
struct own_plus {
  double operator()(double earlier, double later) const { return earlier + later; }
  template <class T>
  static constexpr T identity() {
    return -T{0};
  }
};

/// Of doubles: from here on they go past the caches.
constexpr std::int64_t uncached_items = scan::host_path::cached_bytes / 8 + 54321;

template <class Op>
void check_past_caches(Op op, bool reverse, bool in_place, std::int64_t offset) {
  INFO("reverse ", reverse, ", in place ", in_place, ", offset ", offset);
  auto items = tests::random_items<double>(uncached_items, 7);
  tests::guarded<double> out(uncached_items, offset);
  if (in_place) std::memcpy(out.data(), items.data(), items.size() * sizeof(double));
  scan::host_options<double> options;
  options.threads = 4;
  options.reverse = reverse;
  const double* const in = in_place ? out.data() : items.data();
  const std::int64_t shared = tests::num_shared_calls();
  REQUIRE(scan::exclusive(scan::host, in, out.data(), uncached_items, op, options).ok());
  CHECK(tests::num_shared_calls() == shared + 1);
  if (reverse) std::reverse(items.begin(), items.end());
  auto expected = tests::serial_scan<double>(true, {}, items, op);
  if (reverse) std::reverse(expected.begin(), expected.end());
  CHECK(tests::first_difference(out.data(), expected) == -1);
  CHECK(out.guards_intact());
}

}  // namespace

TEST_SUITE("host") {
  TEST_CASE("past the caches, by several threads") {
    check_past_caches(scan::plus{}, false, false, 0);
    check_past_caches(scan::plus{}, true, false, 1);
    check_past_caches(scan::plus{}, false, true, 3);
    check_past_caches(own_plus{}, false, false, 1);
  }

  TEST_CASE("rows past the caches, by several threads") {
    tests::tensor_case c{{}, {uncached_items / 1500, 1500, 1, 0, 1501}};
    const auto items = tests::random_items<double>(c.in_span(), 8);
    std::vector<double> out(static_cast<std::size_t>(c.out_span()), 7), expected = out;
    const std::int64_t shared = tests::num_shared_calls();
    REQUIRE(
        scan::inclusive(scan::host, items.data(), out.data(), c.shape, scan::plus{}, {{}, 4}).ok());
    CHECK(tests::num_shared_calls() == shared + 1);
    tests::scan_tensor_serially<double, double>(c, items.data(), expected.data(), {}, nullptr,
                                                scan::plus{});
    CHECK(tests::first_difference(out.data(), expected) == -1);
  }

  TEST_CASE("two tiles and more, two threads and more: handed over after any of the first tiles") {
    using tests::interval;
    using problem = scan::problem<scan::transform_input<interval>, scan::transform_output<interval>,
                                  tests::concatenate, false>;
    const std::int64_t tile = scan::host_path::tile_scan_for<problem>::type::tile_items(1);
    for (const std::int64_t num_tiles : {2, 3, 4, 7, 40}) {
      const std::int64_t n = num_tiles * tile - 3;
      std::vector<interval> items;
      for (std::int64_t i = 0; i < n; ++i) items.push_back({i, i + 1});
      for (int turn = 0; turn < 24; ++turn) {
        const int threads = 2 + turn % 5;
        std::vector<interval> out(items.size());
        REQUIRE(tests::host_workers(items.data(), out.data(), n, tests::concatenate{}, threads) ==
                std::min<std::int64_t>(threads, num_tiles));
        const std::int64_t shared = tests::num_shared_calls();
        REQUIRE(scan::inclusive(scan::host, items.data(), out.data(), n, tests::concatenate{},
                                {{}, threads})
                    .ok());
        REQUIRE(tests::num_shared_calls() == shared + 1);
        std::int64_t wrong = 0;
        for (std::int64_t i = 0; i < n; ++i) {
          wrong += !(out[static_cast<std::size_t>(i)] == interval{0, i + 1});
        }
        REQUIRE(wrong == 0);
      }
    }
    CHECK(tests::num_deserted_calls() == 0);
  }
}
