// Scans of segments that lie anywhere on CPU threads, of any number of them: against serial loops,
// and what is refused.
#include <doctest/doctest.h>

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "scan/host/host_scan.hpp"
#include "tests/ranges/check_ranges.hpp"
#include "tests/ranges/range_refusals.hpp"
#include "tests/support/check_refused.hpp"

namespace {

using tests::in_host_memory;
using tests::range_case;

/// Maps x -> a x + b, modulo 2^32: the order matters, and there is no identity.
struct affine {
  std::uint32_t a, b;
};
struct followed_by {
  affine operator()(const affine& earlier, const affine& later) const {
    return {earlier.a * later.a, earlier.b * later.a + later.b};
  }
};

template <class In, class Out, class Op>
void check(int count, std::int64_t most, Op op) {
  for (int i = 0; i < count; ++i) {
    std::mt19937_64 random(static_cast<std::uint64_t>(i) * 77 + 3);
    range_case c = tests::random_range_case(random, most);
    c.in_place = c.in_place && std::is_same_v<In, Out>;
    if (!scan::has_identity<Op, Out> && c.init == tests::sequence_init::none) {
      c.exclusive = c.with_total = false;
    }
    INFO(c.describe());
    CHECK(tests::check_ranges<In, Out>(in_host_memory{i % 3 == 0 ? 1 : 5}, c, op, random) == "");
  }
}

}  // namespace

TEST_CASE("integers, floats, widening, on one thread and on five") {
  check<std::int32_t, std::int32_t>(300, 3000, scan::plus{});
  check<std::int32_t, std::int32_t>(20, 1000000, scan::plus{});
  check<float, float>(100, 30000, scan::plus{});
  check<float, float>(12, 700000, scan::plus{});
  check<double, double>(50, 30000, scan::minimum{});
  check<std::uint8_t, std::int64_t>(100, 30000, scan::plus{});
  check<__nv_bfloat16, __nv_bfloat16>(30, 3000, scan::plus{});
}

TEST_CASE("a segment that threads share, among short ones") {
  for (const bool reverse : {false, true}) {
    std::mt19937_64 random(reverse ? 5 : 6);
    range_case c = tests::random_range_case(random, 20000);
    c.layout.places.push_back({0, c.layout.num_out_items, 3000000});
    c.layout.num_items = std::max<std::int64_t>(c.layout.num_items, 3000000);
    c.layout.num_out_items += 3000000;
    c.layout.has_out_begins = true;
    c.in_place = false, c.reverse = reverse, c.with_total = true;
    CHECK(tests::check_ranges<std::int32_t, std::int32_t>(in_host_memory{5}, c, scan::plus{},
                                                          random) == "");
  }
}

TEST_CASE("an operator for which the order matters") {
  for (int i = 0; i < 60; ++i) {
    std::mt19937_64 random(static_cast<std::uint64_t>(i));
    range_case c = tests::random_range_case(random, i % 2 == 0 ? 4000 : 200000);
    c.in_place = false, c.init = tests::sequence_init::by_value, c.with_total = true;
    std::vector<affine> items(static_cast<std::size_t>(c.layout.num_items)),
        out(static_cast<std::size_t>(c.layout.num_out_items)), inits{{3, 4}},
        totals(c.layout.places.size());
    for (affine& item : items) {
      item = {static_cast<std::uint32_t>(random()) | 1, static_cast<std::uint32_t>(random())};
    }
    auto wanted = out, wanted_totals = totals;
    tests::scan_ranges_serially(c, items, wanted, inits, &wanted_totals, followed_by{});
    const auto images = tests::images_of(c, random);
    auto opts = in_host_memory{5}.new_options<affine>();
    opts.init = inits[0], opts.reverse = c.reverse, opts.total = totals.data();
    const affine* const from = items.data();
    REQUIRE(tests::call_ranges(c, images.begins.data(), images.ends.data(),
                               images.out_begins.data(), from, out.data(), followed_by{}, opts,
                               scan::host)
                .ok());
    CHECK(tests::same_bytes(out, wanted));
    CHECK(tests::same_bytes(totals, wanted_totals));
  }
}

TEST_CASE("segments that do not lie within are an error, and nothing is written") {
  for (int i = 0; i < 240; ++i) {
    std::mt19937_64 random(static_cast<std::uint64_t>(i) + 1000);
    const range_case c = tests::random_range_case(random, i % 8 == 0 ? 100000 : 3000);
    tests::range_data<std::int32_t, std::int32_t> data(c, random);
    tests::spoil_ranges(i % tests::num_range_garbage, c, data.images, random);
    const std::int64_t wrong = tests::first_wrong_segment(c, data.images);
    INFO(c.describe() << ", garbage " << i % tests::num_range_garbage);
    const auto results =
        tests::run_ranges(in_host_memory{i % 3 == 0 ? 1 : 5}, c, data, scan::plus{});
    CHECK(results.is_intact);
    CHECK(results.status.ok() == (wrong < 0));
    if (wrong < 0) continue;
    tests::check_refused(results.status, "segment_ranges.", wrong);
    CHECK(tests::same_bytes(results.outputs, data.before));
    CHECK(tests::same_bytes(results.totals, std::vector<std::int32_t>(results.totals.size(), 0)));
  }
}

TEST_CASE("arguments that cannot be are refused by name") {
  tests::check_range_refusals<scan::host_options<float>>(
      [](const auto&... given) { return scan::exclusive(scan::host, given...); });
}

TEST_CASE("spans, iterators and functions; what is missing of a span") {
  const std::vector<int> begins{2, 0, 9}, ends{4, 2, 9};
  const std::vector<float> in{1, 2, 3, 4};
  std::vector<float> out(4), totals(3);
  scan::host_options<float> opts;
  opts.total = totals.data();
  const scan::segment_ranges given{std::span(begins), std::span(ends), 3, 4};
  CHECK(scan::inclusive(scan::host, std::span(in), std::span(out), given, scan::plus{}, opts).ok());
  CHECK(out == std::vector<float>{1, 3, 3, 7});
  CHECK(totals == std::vector<float>{7, 3, -0.f});
  const auto doubled = scan::transform_input{in.data(), [](float x) { return 2 * x; }};
  CHECK(scan::exclusive(scan::host, doubled, out.begin(), given).ok());
  CHECK(out == std::vector<float>{-0.f, 2, -0.f, 6});
  using tests::check_refused;
  check_refused(scan::inclusive(scan::host, std::span(in).first(3), out.data(), given),
                "segment_ranges.num_items");
  check_refused(scan::inclusive(scan::host, in.data(), std::span(out).first(3), given),
                "segment_ranges.num_out_items");
  auto few = given;
  few.begins = std::span(begins).first(2);
  check_refused(scan::inclusive(scan::host, in.data(), out.data(), few), "segment_ranges.begins");
  few = given, few.ends = std::span(ends).first(2);
  check_refused(scan::inclusive(scan::host, in.data(), out.data(), few), "segment_ranges.ends");
  few = given, few.out_begins = std::span(begins).first(2);
  check_refused(scan::inclusive(scan::host, in.data(), out.data(), few),
                "segment_ranges.out_begins");
}

TEST_CASE("what an operator throws reaches the caller") {
  const std::vector<int> begins(5000, 0), ends(5000, 100);
  const std::vector<int> in(100, 1);
  std::vector<int> out(100);
  const auto throws = [](int a, int b) -> int {
    if (a + b > 50) throw std::runtime_error("too much");
    return a + b;
  };
  CHECK_THROWS_AS(static_cast<void>(scan::inclusive(
                      scan::host, in.data(), out.data(),
                      scan::segment_ranges{begins.data(), ends.data(), 5000, 100}, throws)),
                  std::runtime_error);
}
