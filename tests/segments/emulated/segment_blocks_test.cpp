// Segments in blocks without a ring on the stand-in GPU, and what comes there of its own accord:
// through iterators, of wide elements and of odd ones; compared with serial loops.
#include "tests/emulated/words.hpp"
// (before all that has device code)
#include <doctest/doctest.h>

#include <atomic>
#include <iterator>
#include <scan/scan.cuh>

#include "tests/emulated/check_call.hpp"
#include "tests/emulated/segment_values.hpp"
#include "tests/segments/random_layouts.hpp"
#include "tests/support/launch_chosen.hpp"

namespace {

using namespace emulated;

/// By offsets, keys and flags, with values of segments and without.
template <class T, class Op = scan::plus, by way = by::blocks>
void check_variant(std::mt19937_64& random) {
  auto c = tests::segment_variant(tests::random_layout(random, random_most(random, sizeof(T))),
                                  random(), true);
  tests::place(c, random());
  if (!std::is_same_v<Op, scan::plus> && c.init == no_init) c.init = tests::sequence_init::by_value;
  check_valued<T, Op, way>(c, -1, random);
}
TEST_CASE("emulated segments in blocks without a ring") {
  draw(240, 1, {"segment_kernel"}, check_variant<std::uint32_t>);
  draw(60, 1, {"segment_kernel"}, check_variant<std::uint8_t>);
  draw(60, 1, {"segment_kernel"}, check_variant<std::uint64_t>);
  draw(60, 1, {"segment_kernel"}, check_variant<affine, followed_by>);
  draw(60, 1, {"segment_kernel"}, check_variant<wide_affine, followed_by_wide>);
  draw(60, 1, {"segment_kernel"}, check_variant<odd, added>);
  draw(24, 1, {"segment_kernel"}, [](std::mt19937_64& random) {
    std::vector<std::int64_t> lengths;
    for (int place = 0; place < 6; ++place) {
      if (random() % 4 > 0) lengths.resize(lengths.size() + random() % 9000, 0);
      lengths.push_back(static_cast<std::int64_t>(1 + random() % 3000));
    }
    check_valued<std::uint32_t, scan::plus, by::blocks>(
        valued_case(tests::layout_of_lengths("empty ones", lengths, 3, 2), random), -1, random);
  });
}
TEST_CASE("emulated segments of wide and of odd elements, of which there are few") {
  draw(60, 1, {"segment_round_kernel"}, check_variant<wide_affine, followed_by_wide, by::choice>);
  draw(60, 1, {"segment_round_kernel"}, check_variant<odd, added, by::choice>);
}

std::atomic<std::int64_t> times_made;

/// Totals are of values, not of results. `Read` and `Made`: the functions on the way in and out.
template <class In, class Out, class Read, class Made>
void check_made_results(std::mt19937_64& random) {
  using namespace scan::device;
  auto c = valued_case(tests::random_filled_layout(random, 9000), random);
  c.in_place = false;
  const auto items = random_vector<In>(c.num_items(), random);
  const auto inits = random_vector<std::uint32_t>(c.num_inits(), random);
  const auto heads = tests::heads_of(c, random());
  const auto before = random_vector<Out>(c.num_items(), random);
  std::vector<std::uint32_t> read, scanned(items.size()),
      totals(c.with_total ? static_cast<std::size_t>(c.layout->num_segments()) : 0);
  for (const In item : items) read.push_back(Read{}(item));
  tests::scan_segments_serially(c, read.data(), scanned.data(), inits,
                                c.with_total ? totals.data() : nullptr, scan::plus{});
  std::vector<Out> wanted = before;
  for (std::int64_t i = c.layout->offsets.front(); i < c.layout->end(); ++i) {
    wanted[static_cast<std::size_t>(i)] = Made{}(scanned[static_cast<std::size_t>(i)]);
  }
  const array<unsigned char> heads_there(
      heads, c.heads_offset * static_cast<std::int64_t>(tests::traits_of(c.heads).bytes),
      random_end(random));
  const call_arrays<In, Out, std::uint32_t> arrays(items, c.in_offset, before, c.out_offset, inits,
                                                   c.layout->num_segments(), random);
  const auto opts = arrays.options(c, inits);
  device_limits limits;
  REQUIRE(current_limits(limits, nullptr).ok());
  limits.sm_count = 2;
  const auto launch = [&](auto reversed) {
    const scan::transform_input<In, Read> in{arrays.in.data(), Read{}};
    const scan::transform_output<Out, Made> out{arrays.out.data(), Made{}};
    const auto described = describe_segments<decltype(reversed)::value>(
        c.exclusive, in, out,
        scan::segment_heads{c.heads, heads_there.data(), c.layout->num_segments(), c.num_items()},
        scan::plus{}, opts);
    using shape = tuned_for<std::decay_t<decltype(in)>, std::decay_t<decltype(out)>>;
    return tests::launch_chosen(described, opts, limits, [&](auto& to) {
      choose_segment_blocks<shape, true>(to, giving_totals(described), limits);
      return scan::status{};
    });
  };
  times_made = 0;
  const scan::status status = c.reverse ? launch(std::true_type{}) : launch(std::false_type{});
  CHECK(times_made == c.layout->end() - c.layout->offsets.front());  // and of nothing behind these
  arrays.check(status, c.describe(), wanted, totals);
}
template <class Out>
struct squared {
  SCAN_HOST_DEVICE Out operator()(std::uint32_t x) const {
    ++times_made;
    return static_cast<Out>(std::uint64_t{x} * x >> 16);
  }
};
struct folded {
  template <class T>
  SCAN_HOST_DEVICE std::uint32_t operator()(T x) const {
    return static_cast<std::uint32_t>(x ^ x >> (sizeof(T) * 4));
  }
};
TEST_CASE("emulated values of segments with functions on the way out, without a ring") {
  using u16 = std::uint16_t;
  using u32 = std::uint32_t;
  using u64 = std::uint64_t;
  draw(40, 1, {"segment_kernel"}, check_made_results<u32, u16, scan::as_is, squared<u16>>);
  draw(40, 1, {"segment_kernel"}, check_made_results<u32, u64, scan::as_is, squared<u64>>);
  // Values are narrower than elements and results, and cannot be kept in the elements' place.
  draw(40, 1, {"segment_kernel"}, check_made_results<u64, u64, folded, squared<u64>>);
  draw(40, 1, {"segment_kernel"}, check_made_results<u64, u16, folded, squared<u16>>);
}

TEST_CASE("emulated segments by bits of flags that end with a page") {
  for (const std::int64_t n : {1, 2, 31, 32, 128, 1024, 1280, 12800}) {
    for (const bool reverse : {false, true}) {
      draw(2, 1, {"segment_kernel"}, [=](std::mt19937_64& random) {
        const auto layout = tests::layout_of_lengths("one", {n});
        auto c = tests::segment_variant(layout, 0, true);
        for (std::uint64_t k = 1; c.heads != scan::head_kind::flag_bits; ++k) {
          c = tests::segment_variant(layout, k, true);
        }
        c.reverse = reverse, c.heads_offset = 0;
        check_valued<std::uint32_t, scan::plus, by::blocks>(c, -1, random);
      });
    }
  }
}

/// Types of which a fold is wider than what is read and stored have room, too.
struct narrow {
  std::uint32_t of[4];
};
struct widened {
  std::uint32_t of[12];
};
struct widen {
  SCAN_HOST_DEVICE widened operator()(const narrow& x) const { return {x.of[0], x.of[3]}; }
};
struct narrowed {
  SCAN_HOST_DEVICE wide_affine operator()(const widened& x) const { return {x.of[0], x.of[1], 0}; }
};
struct added_widened {
  SCAN_HOST_DEVICE widened operator()(widened a, const widened& b) const {
    for (int i = 0; i < 12; ++i) a.of[i] += b.of[i];
    return a;
  }
};
using widening = decltype(scan::device::describe_segments<false>(
    false, std::declval<scan::transform_input<narrow, widen>>(),
    std::declval<scan::transform_output<wide_affine, narrowed>>(), scan::segment_heads{},
    added_widened{}, scan::options<widened>{}));
using widening_cut = scan::device::segment_cut<scan::device::tuned<48>, widening, false>;
static_assert(sizeof(scan::device::segment_block<widening_cut>::shared) < 46 * 1024);

/// Through iterators nobody knows where elements lie, and functions that take the index are given
/// them one by one, also where results take their place.
TEST_CASE(
    "emulated segments through iterators, and in the place of what functions of indices read") {
  struct plus_index {
    SCAN_HOST_DEVICE std::uint32_t operator()(std::uint32_t x, std::int64_t i) const {
      return x + static_cast<std::uint32_t>(i);
    }
  };
  const auto through = [](auto* at) {
    return std::make_reverse_iterator(std::make_reverse_iterator(at));
  };
  const auto check = [&](std::int64_t most, std::mt19937_64& random) {
    auto layout = tests::random_filled_layout(random, 50000);
    if (most > 50000) {
      layout.offsets.push_back(layout.end() + most);
      layout.num_items = layout.end();
    }
    auto c = valued_case(layout, random);
    c.heads = scan::head_kind::offsets_64, c.exclusive = false, c.in_place = random() % 2 == 0;
    if (c.init == tests::sequence_init::by_value) c.init = no_init;
    auto items = random_vector<std::uint32_t>(c.num_items(), random);
    const auto inits = random_vector<std::uint32_t>(c.num_inits(), random);
    const auto heads = tests::heads_of(c, random());
    const array<unsigned char> offsets(heads, 0, random_end(random));
    const auto before = c.in_place ? items : random_vector<std::uint32_t>(c.num_items(), random);
    const call_arrays<std::uint32_t, std::uint32_t> arrays(items, c.in_offset, before, c.out_offset,
                                                           inits, c.layout->num_segments(), random);
    if (c.in_place) {
      for (std::size_t i = 0; i < items.size(); ++i) {
        items[i] = plus_index{}(items[i], static_cast<std::int64_t>(i));
      }
    }
    auto wanted = before;
    std::vector<std::uint32_t> totals(
        c.with_total ? static_cast<std::size_t>(c.layout->num_segments()) : 0);
    tests::scan_segments_serially(c, items.data(), wanted.data(), inits,
                                  c.with_total ? totals.data() : nullptr, scan::plus{});
    const scan::segments given{reinterpret_cast<const std::int64_t*>(offsets.data()),
                               c.layout->num_segments(), c.num_items()};
    const auto opts = arrays.options(c, inits);
    const scan::status status =
        c.in_place ? scan::inclusive(scan::transform_input{arrays.out.data(), plus_index{}},
                                     arrays.out.data(), given, scan::plus{}, opts)
                   : scan::inclusive(through(arrays.in.data()), through(arrays.out.data()), given,
                                     scan::plus{}, opts);
    arrays.check(status, c.describe(), wanted, totals);
  };
  draw(24, 1, {"segment_round_kernel"}, [&](std::mt19937_64& random) { check(50000, random); });
  draw(4, 1, {"segment_kernel"}, [&](std::mt19937_64& random) {
    check(scan::device::most_valued_items(sizeof(std::uint32_t), 8, true), random);
  });
}

/// Keys through an iterator, too, with an equality that is asked about neighbours alone: a key
/// knows its place.
std::atomic<std::int64_t> strangers;
struct same_high_bits {
  static constexpr std::uint32_t places = 1 << 20;
  SCAN_HOST_DEVICE bool operator()(std::uint32_t earlier, std::uint32_t later) const {
    if (later % places != earlier % places + 1) ++strangers;
    return later / places == earlier / places;
  }
};
TEST_CASE("emulated segments by keys through iterators") {
  const auto check = [](std::int64_t n, std::mt19937_64& random) {
    std::vector<std::uint32_t> keys;
    std::uint32_t high = 0;
    for (std::uint32_t i = 0; i < n; ++i) {
      if (random() % 20 == 0) high = static_cast<std::uint32_t>(random() % 4000);
      keys.push_back(high * same_high_bits::places + i);
    }
    const auto items = random_vector<std::uint32_t>(n, random);
    auto wanted = items;
    const bool reverse = random() % 2 == 0;
    for (std::int64_t k = 1; k < n; ++k) {
      const auto i = static_cast<std::size_t>(reverse ? n - 1 - k : k), j = reverse ? i + 1 : i - 1;
      if (same_high_bits{}(keys[std::min(i, j)], keys[std::max(i, j)])) wanted[i] += wanted[j];
    }
    const array<std::uint32_t> of_keys(keys, static_cast<std::int64_t>(random() % 4),
                                       random_end(random)),
        of_items(items, 1, random_end(random)),
        out(random_vector<std::uint32_t>(n, random), 2, random_end(random));
    of_keys.lock(), of_items.lock();
    const auto by = std::make_reverse_iterator(std::make_reverse_iterator(of_keys.data()));
    scan::options<std::uint32_t> opts;
    opts.reverse = reverse;
    strangers = 0;
    const scan::status status = scan::inclusive_by_key(by, of_items.data(), out.data(), n,
                                                       scan::plus{}, opts, same_high_bits{});
    INFO(n, " items, reversed ", reverse);
    CHECK(status.ok());
    CHECK(out.items() == wanted);
    CHECK(out.is_intact());
    CHECK(strangers == 0);
  };
  draw(20, 1, {"segment_round_kernel"}, [&](std::mt19937_64& random) {
    check(static_cast<std::int64_t>(1 + random() % 9000), random);
  });
  draw(4, 1, {"segment_kernel"}, [&](std::mt19937_64& random) {
    const std::int64_t least = scan::device::most_valued_items(sizeof(std::uint32_t), 8, true);
    check(least + static_cast<std::int64_t>(1 + random() % 9000), random);
  });
}

}  // namespace
