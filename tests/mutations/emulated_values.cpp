// Segments with values of their own on the stand-in GPU, by the ring in few blocks, in blocks
// without one, and in one round, lean or not.
#include "tests/emulated/words.hpp"
// (before all that has device code)
#include <doctest/doctest.h>

#include "scan/device/launch/segment_launch.cuh"
#include "tests/emulated/check_call.hpp"
#include "tests/segments/random_layouts.hpp"
#include "tests/segments/segment_case.hpp"
#include "tests/support/launch_chosen.hpp"

namespace {

using namespace emulated;

enum class by { ring, lean, valued, blocks };

template <class item, bool reversed, by way>
scan::status launch(const tests::segment_case& c, const void* offsets, const item* in, item* out,
                    const scan::options<item>& opts) {
  using namespace scan::device;
  using shape = tuned_for<scan::transform_input<item>, scan::transform_output<item>>;
  const auto described = describe_segments<reversed>(
      c.exclusive, scan::as_input(in), scan::as_output(out),
      scan::segment_heads{c.heads, offsets, c.layout->num_segments(), c.num_items()}, scan::plus{},
      opts);
  device_limits limits;
  REQUIRE(current_limits(limits, nullptr).ok());
  limits.sm_count = 3;
  bool is_there = false;
  return tests::launch_chosen(described, opts, limits, [&](auto& to) {
    if (way == by::ring) return choose_segment_ring<shape, true>(to, described, limits, is_there);
    if (way != by::blocks) return choose_segments<shape>(to, described, limits);
    choose_segment_blocks<shape, true>(to, giving_totals(described), limits);
    return scan::status{};
  });
}

/// `inits_in_items`: those of an inclusive scan.
template <by way, bool inits_in_items = false, class item = std::uint32_t>
void check(const tests::segment_layout& layout, std::mt19937_64& random) {
  tests::segment_case c;
  const auto is_wanted = [&] {
    const bool has_inits = c.init == tests::sequence_init::by_pointer;
    if (inits_in_items && (!has_inits || c.exclusive)) return false;
    if (way == by::ring) return c.by_offsets() && (c.with_total || has_inits);
    const bool is_lean = !has_inits && !c.in_place;
    return c.by_offsets() && (c.with_total || has_inits) && is_lean == (way == by::lean);
  };
  do {
    c = tests::segment_variant(layout, random(), true);
  } while (!is_wanted());
  tests::place(c, random());
  const auto items = random_vector<item>(c.num_items(), random);
  const auto inits = random_vector<item>(c.num_inits(), random);
  const auto before = c.in_place ? items : random_vector<item>(c.num_items(), random);
  auto wanted = before;
  std::vector<item> totals(c.with_total ? static_cast<std::size_t>(c.layout->num_segments()) : 0);
  tests::scan_segments_serially(c, items.data(), wanted.data(), inits,
                                c.with_total ? totals.data() : nullptr, scan::plus{});
  const array<unsigned char> heads(
      tests::heads_of(c, random()),
      c.heads_offset * static_cast<std::int64_t>(tests::traits_of(c.heads).bytes),
      random_end(random));
  heads.lock();
  const call_arrays<item, item> arrays(items, c.in_offset, before, c.out_offset, inits,
                                       c.layout->num_segments(), random);
  const item* const from = c.in_place ? arrays.out.data() : arrays.in.data();
  const auto opts = arrays.options(c, inits);
  const auto call = c.reverse ? launch<item, true, way> : launch<item, false, way>;
  arrays.check(call(c, heads.data(), from, arrays.out.data(), opts), c.describe(), wanted, totals);
}

}  // namespace

TEST_CASE("segments of any lengths") {
  draw(60, 0, {"ring_kernel"}, [](std::mt19937_64& random) {
    const auto layout = tests::random_filled_layout(random, 30000);
    check<by::ring>(layout, random);
  });
}
TEST_CASE("bytes in segments of any lengths") {  // a vector at a time
  draw(40, 0, {"ring_kernel"}, [](std::mt19937_64& random) {
    const auto layout = tests::random_filled_layout(random, 90000);
    check<by::ring, false, std::uint8_t>(layout, random);
  });
}

TEST_CASE("one round") {
  draw(60, 0, {"segment_round_kernel"}, [](std::mt19937_64& random) {
    const auto layout = tests::random_filled_layout(random, 20000);
    check<by::lean>(layout, random);
  });
}

tests::segment_layout with_many_empty(std::mt19937_64& random) {
  std::vector<std::int64_t> lengths;
  for (int place = 0; place < 6; ++place) {
    if (random() % 4 > 0) lengths.resize(lengths.size() + random() % 9000, 0);
    lengths.push_back(static_cast<std::int64_t>(1 + random() % 9000));
    lengths.resize(lengths.size() + random() % 3, 5);
  }
  if (random() % 3 > 0) lengths.resize(lengths.size() + random() % 5000, 0);
  return tests::layout_of_lengths("empty ones", lengths, 3, 2);
}
TEST_CASE("many empty segments at one place") {
  draw(12, 0, {"ring_kernel"},
       [](std::mt19937_64& random) { check<by::ring>(with_many_empty(random), random); });
}

TEST_CASE("very many segments") {
  draw(20, 0, {"ring_kernel"},
       [](std::mt19937_64& random) { check<by::ring>(tests::layout_of_many(random), random); });
}

TEST_CASE("inits that elements hold") {
  draw(12, 0, {"ring_kernel"}, [](std::mt19937_64& random) {
    std::vector<std::int64_t> lengths;
    const auto add = [&](std::int64_t most) {
      for (int i = 0; i < 40; ++i) lengths.push_back(static_cast<std::int64_t>(random() % most));
    };
    add(3000);
    for (int i = 0; i < 3000; ++i) lengths.push_back(1 + static_cast<std::int64_t>(random() % 3));
    if (random() % 2 == 0) lengths.resize(lengths.size() + 22000 + random() % 6000, 0);
    add(3000);
    check<by::ring, true>(tests::layout_of_lengths("empty ones", lengths, 3, 2), random);
  });
}

TEST_CASE("values in one round") {
  draw(30, 0, {"segment_round_kernel"}, [](std::mt19937_64& random) {
    check<by::valued>(tests::random_filled_layout(random, 20000), random);
  });
  draw(12, 0, {"segment_round_kernel"},
       [](std::mt19937_64& random) { check<by::valued>(with_many_empty(random), random); });
}

TEST_CASE("blocks without a ring") {
  draw(30, 0, {"segment_kernel"}, [](std::mt19937_64& random) {
    check<by::blocks>(tests::random_filled_layout(random, 20000), random);
  });
  draw(12, 0, {"segment_kernel"},
       [](std::mt19937_64& random) { check<by::blocks>(with_many_empty(random), random); });
}
TEST_CASE("blocks without a ring, of many tiles") {
  draw(4, 0, {"segment_kernel"}, [](std::mt19937_64& random) {
    std::vector<std::int64_t> lengths;
    for (std::int64_t n = 0; n < 210000; n += lengths.back()) lengths.push_back(random() % 5);
    check<by::blocks>(tests::layout_of_lengths("short ones", lengths, 3, 2), random);
  });
}
