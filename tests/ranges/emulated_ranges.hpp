// Scans of segments that lie anywhere on the stand-in GPU, compared with serial loops. (After
// words.hpp, and what has the kernels.)
#ifndef SCAN_TESTS_EMULATED_RANGES_HPP
#define SCAN_TESTS_EMULATED_RANGES_HPP

#include <doctest/doctest.h>

#include <cstdint>
#include <random>
#include <type_traits>
#include <vector>

#include "tests/emulated/check_call.hpp"
#include "tests/emulated/operands.hpp"
#include "tests/ranges/range_case.hpp"
#include "tests/ranges/range_garbage.hpp"
#include "tests/support/interval.hpp"
#include "tests/support/launch_chosen.hpp"

namespace SCAN_HIDDEN emulated {

using tests::range_case;

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

/// The call of the case, or its kernel with any number of segments a block.
template <class In, class Out, class Op, class Options>
scan::status call_or_launch(const range_case& c, const offset_arrays& offsets, const In* in,
                            Out* out, Op op, const Options& opts, std::mt19937_64& random) {
  if (random() % 3 == 0) {
    return tests::call_ranges(c, offsets.begins.data(), offsets.ends.data(),
                              offsets.out_begins.data(), in, out, op, opts);
  }
  using namespace scan::device;
  constexpr int segments[] = {3, 20, 60, 100, 200, 256};
  const int each = segments[random() % 6];
  const scan::range_offsets where{c.kind,
                                  offsets.begins.data(),
                                  offsets.ends.data(),
                                  c.layout.has_out_begins ? offsets.out_begins.data() : nullptr,
                                  c.layout.num_segments(),
                                  c.layout.num_items,
                                  c.layout.num_out_items};
  const auto launch = [&](const auto& scan) {
    return tests::launch_chosen(scan, opts, {},
                                [&](auto& to) { choose_ranges(to, scan, where, {}, each); });
  };
  const auto from = scan::as_input(in);
  const auto to = scan::as_output(out);
  return c.reverse ? launch(describe_ranges<true>(c.exclusive, from, to, where, op, opts))
                   : launch(describe_ranges<false>(c.exclusive, from, to, where, op, opts));
}

/// `garbage`: of some kind, or -1: then results are as they should be; else nothing outside is
/// touched.
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
      call_or_launch(c, offsets, from, arrays.out.data(), op, arrays.options(c, inits), random);
  INFO("garbage " << garbage);
  if (garbage >= 0) {
    wanted = arrays.out.items();
    if (c.with_total) totals = arrays.totals.items();
  }
  arrays.check(status, c.describe(), wanted, totals);
}

inline range_case draw_case(std::mt19937_64& random, std::int64_t most) {
  range_case c = tests::random_range_case(random, most);
  while (c.layout.num_segments() == 0) c = tests::random_range_case(random, most);
  return c;
}

/// Counts operands that are no neighbours: of another segment, swapped, or not there at all.
inline int num_strangers = 0;
struct watched {
  template <class T>
  SCAN_HOST_DEVICE T operator()(const T& earlier, const T& later) const {
    if (earlier.end != later.begin) ++num_strangers;
    return tests::concatenate{}(earlier, later);
  }
};
/// Element i is [i, i + 1), and what a segment begins with its neighbour.
inline void check_neighbours(range_case c, std::mt19937_64& random) {
  using interval = tests::interval_of<std::int32_t>;
  c.in_place = false;
  if (c.init != no_init || c.exclusive || c.with_total) c.init = tests::sequence_init::by_pointer;
  std::vector<interval> items, inits(static_cast<std::size_t>(c.num_inits()));
  for (std::int32_t i = 0; i < c.layout.num_items; ++i) items.push_back({i, i + 1});
  for (std::size_t s = 0; s < inits.size() && c.init != no_init; ++s) {
    const auto& place = c.layout.places[s];
    const auto begin = static_cast<std::int32_t>(place.in_begin);
    const auto end = static_cast<std::int32_t>(place.in_begin + place.length);
    inits[s] = c.reverse ? interval{end, end + 1} : interval{begin - 1, begin};
  }
  const std::vector<interval> before(static_cast<std::size_t>(c.layout.num_out_items));
  auto wanted = before;
  std::vector<interval> totals(c.with_total ? c.layout.places.size() : 0);
  tests::scan_ranges_serially(c, items, wanted, inits, c.with_total ? &totals : nullptr,
                              tests::concatenate{});
  const offset_arrays offsets(c, tests::images_of(c, random), random);
  const call_arrays<interval, interval> arrays(items, c.in_offset, before, c.out_offset, inits,
                                               c.layout.num_segments(), random);
  num_strangers = 0;
  const scan::status status =
      call_or_launch(c, offsets, static_cast<const interval*>(arrays.in.data()), arrays.out.data(),
                     watched{}, arrays.options(c, inits), random);
  arrays.check(status, c.describe(), wanted, totals);
  CHECK(num_strangers == 0);
}

}  // namespace emulated

#endif
