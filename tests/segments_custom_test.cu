// Types, operators, keys and functions of the user's own on segments, through <scan/scan.cuh>, on
// CPU threads and on the device: the interval monoid within each segment, which never meets
// another's, nor the identity, elements of 12, 24 and 64 bytes with an operator that is not
// commutative, keys of any type with an equality, which sees neighbours alone.
//   segments_custom_test [one case in so many] [most elements]
// What needs a GPU is left out, with exit code 77, where there is none.
#include <doctest/doctest.h>

#include <vector>

#include "composed_parts.hpp"
#include "eager_workers.hpp"
#include "run_tests.hpp"
#include "segment_scan.hpp"
#include "watched.hpp"

namespace {

using tests::interval;
using tests::key_heads;
using tests::most_elements;
using tests::one_in;
using tests::plain_heads;
using tests::plain_scan;
using tests::random_elements;
using tests::segment_case;
using tests::segment_layout;
using tests::sequence_init;

/// Layouts of every kind, of a few elements and of many.
std::vector<segment_layout> layouts() {
  std::vector<segment_layout> all = tests::smallest_layouts();
  const auto add = [&](const std::vector<segment_layout>& more) {
    for (const segment_layout& one : more) {
      if (one.num_items <= most_elements) all.push_back(one);
    }
  };
  add(tests::layouts_of(3000));
  add(tests::layouts_of(tests::gpu_present() ? 150000 : 40000));
  for (const std::int64_t unit : {32, 224, 512, 4096}) add(tests::layouts_of_edges(unit, 4));
  return all;
}

/// Calls `each` with cases of every layout, a few of its variants in turn.
template <class Heads, class Each>
void for_each_case(bool can_be_in_place, const Each& each) {
  std::uint64_t turn = 0;
  for (const segment_layout& layout : layouts()) {
    for (int i = 0; i < (layout.num_items < 10000 ? 6 : 2); ++i) {
      if (++turn % one_in != 0) continue;
      const std::uint64_t any = turn * 0x9e3779b97f4a7c15ull;
      segment_case c = tests::segment_variant(layout, any >> 24, can_be_in_place);
      if (Heads::own_keys) {
        c.heads = scan::head_kind::keys_64;
        c.layout = std::make_shared<const segment_layout>(tests::as_runs(layout));
        c.with_total = false;
        if (c.init == sequence_init::by_pointer) c.init = sequence_init::by_value;
      }
      tests::place(c, any >> 30);
      each(c);
    }
  }
}

template <class Heads, class T, class Op>
void check_elements(Op op) {
  auto calls = plain_scan<Heads, T>(op);
  for_each_case<Heads>(true, [&](const segment_case& c) {
    calls.check(c, random_elements<T>(c.num_items()), random_elements<T>(c.num_inits()));
  });
}

/// Intervals side by side within a segment. Where all have one init those begin, or in reverse end,
/// at 0, and else far from each other's; what is in no segment is nobody's neighbour.
std::vector<interval> intervals(const segment_case& c) {
  std::vector<interval> items(static_cast<std::size_t>(c.num_items()), interval{-50, -60});
  const std::int64_t distance = c.num_items() + 100;
  for (std::size_t s = 0; s + 1 < c.layout->offsets.size(); ++s) {
    const std::int64_t begin = c.layout->offsets[s], end = c.layout->offsets[s + 1];
    std::int64_t at = static_cast<std::int64_t>(s) * distance;
    if (c.init == sequence_init::by_value) at = c.reverse ? begin - end : 0;
    for (std::int64_t i = begin; i < end; ++i, ++at) {
      items[static_cast<std::size_t>(i)] = {at, at + 1};
    }
  }
  return items;
}
/// What is before the first of each segment, or after its last.
std::vector<interval> inits_of_intervals(const segment_case& c) {
  std::vector<interval> inits;
  for (std::int64_t s = 0; s < c.num_inits(); ++s) {
    const auto at = static_cast<std::size_t>(s);
    const bool one = c.init == sequence_init::by_value || c.layout->num_segments() == 0;
    const std::int64_t begin = one ? 0 : s * (c.num_items() + 100);
    const std::int64_t end = one ? 0 : begin + c.layout->offsets[at + 1] - c.layout->offsets[at];
    inits.push_back(c.reverse ? interval{end, end + 40} : interval{begin - 40, begin});
  }
  return inits;
}

/// Keys that rise in memory, by little within a run and by more between runs.
struct rising_keys {
  static constexpr std::uint32_t step = 10, jump = 100;
  static std::uint32_t of(std::int64_t segment, std::int64_t i) {
    return static_cast<std::uint32_t>(i * step + segment * (jump - step));
  }
};
/// Of 32 bytes, and never without a value.
struct wide_key {
  std::uint64_t part[4];
  explicit wide_key(std::uint32_t height) : part{7, 8, height, 9} {}
};
struct wide_keys {
  static wide_key of(std::int64_t segment, std::int64_t i) {
    return wide_key(rising_keys::of(segment, i));
  }
};
SCAN_HOST_DEVICE inline std::uint32_t height(std::uint32_t key) { return key; }
SCAN_HOST_DEVICE inline std::uint32_t height(const wide_key& key) {
  return static_cast<std::uint32_t>(key.part[2]);
}
/// Whether a key is little above the one before it in memory. Counts the pairs that are no
/// neighbours: swapped, a key and itself, or bits that are no keys of the call. (Not const: workers
/// copy it.)
struct little_above {
  tests::shared_count::handle strangers;
  template <class Key>
  SCAN_HOST_DEVICE bool operator()(const Key& earlier, const Key& later) {
    const std::uint32_t step = height(later) - height(earlier);
    if (step != rising_keys::step && step != rising_keys::jump) strangers.add();
    return step < 50;
  }
};

template <class Heads, class T, class Op>
void check_neighbours(Op op) {
  tests::shared_count strangers;
  Heads::equal = {strangers.shared()};
  check_elements<Heads, T>(op);
  CHECK(strangers.take() == 0);
}

/// Zeros of both signs, which are alike.
struct float_keys {
  static float of(std::int64_t segment, std::int64_t i) {
    return segment % 2 == 0 ? (i % 2 == 0 ? 0.0f : -0.0f) : 1.5f;
  }
};

/// What is no pointer to those who take it.
template <class T>
struct elsewhere {
  using value_type = std::remove_const_t<T>;
  using difference_type = std::ptrdiff_t;
  T* at;
  SCAN_HOST_DEVICE elsewhere operator+(std::ptrdiff_t i) const { return {at + i}; }
  SCAN_HOST_DEVICE T& operator*() const { return *at; }
};
struct heads_of_iterators : plain_heads {
  template <class In, class Out, class Op, class Options, class... Where>
  static scan::status call(const segment_case& c, const void* heads, const In* in, Out* out, Op op,
                           const Options& opts, Where... where) {
    return call_segments(c, heads, elsewhere<const In>{in}, elsewhere<Out>{out}, op, opts,
                         where...);
  }
};

template <class Maker, class Equal>
struct keys_of_iterators : key_heads<Maker, Equal> {
  using key_heads<Maker, Equal>::equal;
  template <class In, class Out, class Op, class Options, class... Where>
  static scan::status call(const segment_case& c, const void* heads, const In* in, Out* out, Op op,
                           const Options& opts, Where... where) {
    using key = typename key_heads<Maker, Equal>::key;
    const elsewhere<const key> keys{static_cast<const key*>(heads)};
    return c.exclusive
               ? scan::exclusive_by_key(where..., keys, in, out, c.num_items(), op, opts, equal)
               : scan::inclusive_by_key(where..., keys, in, out, c.num_items(), op, opts, equal);
  }
};

/// With an identity, which is nobody's neighbour.
struct concatenate_with_identity : tests::watched_concatenate {
  template <class T>
  static constexpr T identity() {
    return {-70, -80};
  }
};

struct low_bits {
  SCAN_HOST_DEVICE std::uint32_t operator()(const std::uint8_t& x) const { return x % 50u; }
};
struct as_signed_difference {
  SCAN_HOST_DEVICE std::int16_t operator()(const std::uint32_t& x) const {
    return static_cast<std::int16_t>(1000 - static_cast<int>(x % 2000u));
  }
};

}  // namespace

TEST_SUITE("segments custom") {
  TEST_CASE("intervals: every segment in order, none twice, none lost, no stranger ever seen") {
    tests::shared_count strangers;
    auto calls = plain_scan<plain_heads, interval>(concatenate_with_identity{strangers.shared()});
    for_each_case<plain_heads>(true, [&](const segment_case& c) {
      calls.check(c, intervals(c), inits_of_intervals(c));
      INFO(c.describe());
      REQUIRE(strangers.take() == 0);
    });
    if (one_in == 1) CHECK(tests::num_shared_calls() > 0);
    CHECK(tests::num_deserted_calls() == 0);
  }

  TEST_CASE("a stranger is seen: intervals of two segments taken for one") {
    tests::shared_count strangers;
    const tests::watched_concatenate op{strangers.shared()};
    segment_case c;
    c.layout = std::make_shared<const segment_layout>(tests::layout_of_lengths("two", {5, 5}));
    const std::vector<interval> items = intervals(c);
    std::vector<interval> results(items.size());
    c.layout = std::make_shared<const segment_layout>(tests::layout_of_lengths("one", {10}));
    tests::scan_segments_serially(c, items.data(), results.data(), {},
                                  static_cast<interval*>(nullptr), op);
    CHECK(strangers.take() > 0);
    CHECK_FALSE(results[4] == tests::broken);
    CHECK(results[5] == tests::broken);
  }

  TEST_CASE("elements of 12, 24 and 64 bytes, an operator that is not commutative") {
    check_elements<plain_heads, tests::affine_parts<std::uint32_t, 3>>(tests::compose{});
    check_elements<plain_heads, tests::affine_parts<std::uint64_t, 3>>(tests::compose{});
    check_elements<plain_heads, tests::affine_parts<std::uint64_t, 8>>(tests::compose{});
  }

  TEST_CASE("keys of float") { check_elements<key_heads<float_keys>, std::int32_t>(scan::plus{}); }

  // Elements of 4 bytes are scanned in one round, of 16 by the ring, of 24 by the general kernel.
  TEST_CASE("an equality of one's own is asked about neighbours, in memory's order") {
    using rising = key_heads<rising_keys, little_above>;
    check_neighbours<rising, std::int32_t>(scan::plus{});
    check_neighbours<rising, tests::affine_parts<std::uint64_t, 2>>(tests::compose{});
    check_neighbours<rising, tests::affine_parts<std::uint64_t, 3>>(tests::compose{});
    using wide = key_heads<wide_keys, little_above>;
    check_neighbours<wide, tests::affine_parts<std::uint64_t, 2>>(tests::compose{});
  }

  TEST_CASE("through iterators that are not over arrays") {
    check_elements<heads_of_iterators, std::int32_t>(scan::plus{});
    check_neighbours<keys_of_iterators<wide_keys, little_above>, std::int32_t>(scan::plus{});
  }

  TEST_CASE("functions on the way in and out") {
    tests::segment_scan<plain_heads, scan::transform_input<std::uint8_t, low_bits>,
                        scan::transform_output<std::int16_t, as_signed_difference>, scan::plus>
        calls({}, {}, {});
    for_each_case<plain_heads>(false, [&](const segment_case& c) {
      calls.check(c, tests::random_items<std::uint8_t>(c.num_items(), 3),
                  tests::random_items<std::uint32_t>(c.num_inits(), 4));
    });
  }
}

int main(int argc, char** argv) {
  tests::read_arguments(argc, argv, 400000);
  return tests::run_tests(argc, argv);
}
