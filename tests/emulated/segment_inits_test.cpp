// Inits of segments that the ring puts into the elements, on the stand-in GPU.
#include "tests/emulated/words.hpp"
// (before all that has device code)
#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <scan/scan.cuh>
#include <vector>

#include "tests/emulated/segment_values.hpp"

namespace {

using namespace emulated;

/// Boundaries that come into shared memory together, of a call with so many.
int boundaries_of_set(const tests::segment_layout& layout) {
  using namespace scan::device;
  using T = std::uint32_t;
  using shape = tuned_for<scan::transform_input<T>, scan::transform_output<T>>;
  T one = 0;
  scan::options<T> opts;
  opts.init_pointer = &one;
  const auto described = describe_segments<false>(
      false, scan::as_input(static_cast<const T*>(&one)), scan::as_output(&one),
      scan::segment_heads{scan::head_kind::offsets_32, &one, layout.num_segments(),
                          layout.num_items},
      scan::plus{}, opts);
  device_limits limits;
  REQUIRE(current_limits(limits, nullptr).ok());
  using tiled = segment_ring<shape, std::decay_t<decltype(described)>, true>;
  tiled in_tiles(described);
  ring_room room;
  REQUIRE(find_room<tiled>(limits, room, in_tiles.heads_bytes()).ok());
  in_tiles.widen_slots(room.num_bytes -
                       ring_block<tiled>::required_bytes(room.num_stages, in_tiles.heads_bytes()));
  return in_tiles.slot_bytes / 4 * in_tiles.mark_warps;
}
TEST_CASE("emulated held inits, of more empty segments at one place than a tile marks") {
  // A set of boundaries ends around the last one of an item, and many more follow.
  draw(10, 0, {"ring_kernel"}, [](std::mt19937_64& random) {
    tests::segment_layout layout;
    for (int again = 0, of_set = 1000; again < 3; ++again) {
      const auto num_empty = static_cast<std::size_t>(of_set - 3) + now.seed % 5;
      std::vector<std::int64_t> lengths(num_empty, 0);
      lengths.push_back(1 + static_cast<std::int64_t>(random() % 3));
      lengths.resize(lengths.size() + 20000, 0);
      lengths.resize(lengths.size() + 60, 3000);
      layout = tests::layout_of_lengths("empty ones", lengths, 0, 0);
      of_set = boundaries_of_set(layout);
    }
    auto c = valued_case(layout, random);
    while (c.init != tests::sequence_init::by_pointer) c = valued_case(layout, random);
    c.heads = scan::head_kind::offsets_32, c.exclusive = c.reverse = false;
    check_valued<std::uint32_t>(c, -1, random);
  });
}

template <class T, class Op>
void check_held_inits(std::mt19937_64& random) {
  // Dense in places, so that a tile's boundaries come in several sets, and long elsewhere.
  const auto below = [&](std::int64_t most) { return static_cast<std::int64_t>(random() % most); };
  std::vector<std::int64_t> lengths;
  for (int part = 0; part < 3; ++part) {
    const std::int64_t num_short = below(6000), longest = 1 + below(4);
    for (std::int64_t i = 0; i < num_short; ++i) lengths.push_back(below(longest + 1));
    if (random() % 2 == 0) lengths.resize(lengths.size() + below(3000), 0);
    lengths.push_back(3 * static_cast<std::int64_t>(lengths.size()));
  }
  const auto layout = tests::layout_of_lengths("dense ones", lengths, 3, 2);
  auto c = valued_case(layout, random);
  while (c.init != tests::sequence_init::by_pointer) c = valued_case(layout, random);
  check_valued<T, Op>(c, -1, random);
}
TEST_CASE("emulated held inits of segments some of which are dense") {
  draw(30, 0, {"ring_kernel"}, check_held_inits<std::uint32_t, scan::plus>);
  draw(10, 0, {"ring_kernel"}, check_held_inits<std::uint8_t, scan::plus>);
  draw(20, 0, {"ring_kernel"}, check_held_inits<float, scan::minimum>);
}

/// Ordered by `key` alone: where it is the highest there is, the highest number equals it, and is
/// another.
struct keyed {
  std::int32_t key, tag;
  friend SCAN_HOST_DEVICE bool operator<(const keyed& a, const keyed& b) { return a.key < b.key; }
};

}  // namespace

template <>
struct std::numeric_limits<keyed> {
  static constexpr bool is_specialized = true, has_infinity = false;
  static constexpr keyed max() { return {INT32_MAX, 0}; }
  static constexpr keyed lowest() { return {INT32_MIN, 0}; }
};

namespace {

TEST_CASE("emulated minima of a type that has limits: a segment begins with its own") {
  draw(8, 0, {"ring_kernel"}, [](std::mt19937_64& random) {
    const std::size_t num_segments = 1000;
    const std::int64_t length = now.seed % 2 == 0 ? 2 : 200;
    const tests::segment_layout layout =
        tests::layout_of_lengths("alike", std::vector<std::int64_t>(num_segments, length), 0, 0);
    auto c = valued_case(layout, random);
    c.heads = scan::head_kind::offsets_32, c.in_place = c.exclusive = c.reverse = false;
    c.init = now.seed % 4 < 2 ? tests::sequence_init::by_pointer : no_init, c.with_total = true;
    const std::vector<keyed> items(static_cast<std::size_t>(c.num_items()), {INT32_MAX, 3});
    const std::vector<keyed> inits(static_cast<std::size_t>(c.num_inits()), {INT32_MAX, 7});
    const auto heads = tests::heads_of(c, random());
    const array<unsigned char> offsets(heads, 0, random_end(random));
    const call_arrays<keyed, keyed> arrays(items, 0, items, 0, inits, c.layout->num_segments(),
                                           random);
    const scan::status status = launch_valued<keyed, false, scan::minimum>(
        c, offsets.data(), arrays.in.data(), arrays.out.data(), arrays.options(c, inits));
    REQUIRE_MESSAGE(status.ok(), std::string(status.message()));
    const std::int32_t tag = c.init == tests::sequence_init::by_pointer ? 7 : 3;
    INFO("seed " << now.seed);
    for (const keyed& each : arrays.out.items()) REQUIRE(each.tag == tag);
    for (const keyed& each : arrays.totals.items()) REQUIRE(each.tag == tag);
  });
}

}  // namespace
