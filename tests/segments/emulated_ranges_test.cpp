// Scans of segments that lie anywhere by the library's kernel on the stand-in GPU, compared with
// serial loops: random lengths, orders, gaps and places of outputs, at random alignments.
#include "tests/emulated/words.hpp"
// (before all that has device code)
#include <doctest/doctest.h>

#include <scan/scan.cuh>

#include "tests/emulated/check_call.hpp"
#include "tests/segments/range_case.hpp"
#include "tests/segments/range_garbage.hpp"
#include "tests/support/launch_chosen.hpp"

namespace {

using namespace emulated;
using tests::range_case;

/// Maps x -> a x + b, modulo 2^32, one after the other: the order matters, and there is no
/// identity.
struct affine {
  std::uint32_t a, b;
};
struct followed_by {
  template <class T>
  SCAN_HOST_DEVICE T operator()(const T& earlier, const T& later) const {
    return {earlier.a * later.a, earlier.b * later.a + later.b};
  }
};
template <class T>
std::vector<T> random_operands(std::int64_t n, std::mt19937_64& random) {
  if constexpr (std::is_same_v<T, affine>) {
    std::vector<affine> maps(static_cast<std::size_t>(n));
    for (affine& each : maps) {
      each = {static_cast<std::uint32_t>(random()) | 1, static_cast<std::uint32_t>(random())};
    }
    return maps;
  } else {
    return random_vector<T>(n, random);
  }
}

/// The arrays of offsets.
struct offset_arrays {
  array<unsigned char> begins, ends, out_begins;
  offset_arrays(const range_case& c, const tests::range_images& images, std::mt19937_64& random)
      : begins(images.begins, shift(c), random_end(random)),
        ends(images.ends, shift(c), random_end(random)),
        out_begins(images.out_begins, shift(c), random_end(random)) {
    for (const auto* each : {&begins, &ends, &out_begins}) each->lock();
  }
  static std::int64_t shift(const range_case& c) {
    return c.offsets_offset * static_cast<std::int64_t>(tests::offset_bytes(c.kind));
  }
};

/// `garbage`: of some kind, or -1: then results are as they should be; else nothing outside is
/// touched. `block_segments`: of a block, or 0: as the library chooses.
template <class In, class Out, class Op>
void check_ranges(const range_case& c, Op op, std::mt19937_64& random, int garbage = -1) {
  const auto items = random_operands<In>(c.layout.num_items, random);
  const auto inits = random_operands<Out>(c.num_inits(), random);
  auto images = tests::images_of(c, random);
  if (garbage >= 0) tests::spoil_ranges(garbage, c, images, random);
  auto before = random_operands<Out>(c.layout.num_out_items, random);
  if constexpr (std::is_same_v<In, Out>) {
    if (c.in_place) before = items;
  }
  auto wanted = before;
  std::vector<Out> totals(c.with_total ? c.layout.places.size() : 0);
  tests::scan_ranges_serially(c, items, wanted, inits, c.with_total ? &totals : nullptr, op);
  const offset_arrays offsets(c, images, random);
  const call_arrays<In, Out> arrays(items, c.in_offset, before, c.out_offset, inits,
                                    c.layout.num_segments(), random);
  const In* from = arrays.in.data();
  if constexpr (std::is_same_v<In, Out>) {
    if (c.in_place) from = arrays.out.data();
  }
  const scan::status status =
      tests::call_ranges(c, offsets.begins.data(), offsets.ends.data(), offsets.out_begins.data(),
                         from, arrays.out.data(), op, arrays.options(c, inits));
  INFO("garbage " << garbage);
  if (garbage >= 0) {
    wanted = arrays.out.items();
    if (c.with_total) totals = arrays.totals.items();
  }
  arrays.check(status, c.describe(), wanted, totals);
}

range_case draw_case(std::mt19937_64& random, std::int64_t most) {
  range_case c = tests::random_range_case(random, most);
  while (c.layout.num_segments() == 0) c = tests::random_range_case(random, most);
  return c;
}

TEST_CASE("emulated segments that lie anywhere, uint32") {
  draw(240, 4, {"range_kernel"}, [](std::mt19937_64& random) {
    check_ranges<std::uint32_t, std::uint32_t>(draw_case(random, random_most(random, 4)),
                                               scan::plus{}, random);
  });
}

TEST_CASE("emulated segments that lie anywhere, elements of 1, 2 and 8 bytes, widening") {
  draw(60, 1, {"range_kernel"}, [](std::mt19937_64& random) {
    check_ranges<std::uint8_t, std::uint8_t>(draw_case(random, random_most(random, 4)),
                                             scan::plus{}, random);
    check_ranges<__nv_bfloat16, __nv_bfloat16>(draw_case(random, random_most(random, 4)),
                                               scan::maximum{}, random);
    check_ranges<double, double>(draw_case(random, random_most(random, 8)), scan::plus{}, random);
    auto c = draw_case(random, random_most(random, 8));
    c.in_place = false;
    check_ranges<std::uint8_t, std::int64_t>(c, scan::plus{}, random);
  });
}

TEST_CASE("emulated segments that lie anywhere, an operator without identity") {
  draw(120, 1, {"range_kernel"}, [](std::mt19937_64& random) {
    auto c = draw_case(random, random_most(random, 8));
    if (c.init == no_init && (c.exclusive || c.with_total)) {
      c.init = tests::sequence_init::by_value;
    }
    check_ranges<affine, affine>(c, followed_by{}, random);
  });
}

TEST_CASE("emulated segments that lie anywhere, by offsets that cannot be") {
  draw(120, 1, {"range_kernel"}, [](std::mt19937_64& random) {
    const auto c = draw_case(random, random_most(random, 4));
    const auto kind = static_cast<int>(now.seed % tests::num_range_garbage);
    check_ranges<std::uint32_t, std::uint32_t>(c, scan::plus{}, random, kind);
  });
}

/// Of sums that round.
std::vector<float> rounded(std::int64_t n, std::mt19937_64& random) {
  std::vector<float> items(static_cast<std::size_t>(n));
  for (float& item : items) item = static_cast<float>(random() % 1000003) * 1e-3f - 400;
  return items;
}

TEST_CASE("emulated segments that lie anywhere have the bits of rows, whatever is beside them") {
  draw(40, 1, {"range_kernel"}, [](std::mt19937_64& random) {
    auto c = draw_case(random, random_most(random, 4));
    c.in_place = false, c.with_total = true;
    if (c.init == tests::sequence_init::by_value) c.init = no_init;
    const auto items = rounded(c.layout.num_items, random);
    const auto inits = rounded(c.num_inits(), random);
    const std::vector<float> before(static_cast<std::size_t>(c.layout.num_out_items), 3);
    const offset_arrays offsets(c, tests::images_of(c, random), random);
    const call_arrays<float, float> arrays(items, c.in_offset, before, c.out_offset, inits,
                                           c.layout.num_segments(), random);
    REQUIRE(tests::call_ranges(c, offsets.begins.data(), offsets.ends.data(),
                               offsets.out_begins.data(), arrays.in.data(), arrays.out.data(),
                               scan::plus{}, arrays.options(c, inits))
                .ok());
    const auto totals = arrays.totals.items();
    const auto results = arrays.out.items();
    for (int i = 0; i < 3; ++i) {
      const auto s = static_cast<std::size_t>(random() % c.layout.places.size());
      const auto& place = c.layout.places[s];
      if (place.length == 0) continue;
      const float* const first = items.data() + place.in_begin;
      const std::vector<float> row(first, first + place.length);
      const call_arrays<float, float> alone(
          row, 0, row, 0, c.init == no_init ? inits : std::vector<float>{inits[s]}, 1, random);
      auto opts = alone.options(c, inits);
      const scan::extents shape{1, place.length, 1};
      opts.algorithm = scan::algorithm::walk;
      const scan::status status =
          c.exclusive
              ? scan::exclusive(alone.in.data(), alone.out.data(), shape, scan::plus{}, opts)
              : scan::inclusive(alone.in.data(), alone.out.data(), shape, scan::plus{}, opts);
      REQUIRE_MESSAGE(status.ok(), status.message());
      const float* const there = results.data() + place.out_begin;
      CHECK(are_same(alone.out.items(), std::vector<float>(there, there + place.length)));
      CHECK(are_same(alone.totals.items(), {totals[s]}));
    }
  });
}

}  // namespace
