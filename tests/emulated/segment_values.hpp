// Calls of segments with inits or totals on the stand-in GPU, by a kernel that the test chooses. To
// be included after words.hpp and all of the library.
#ifndef SCAN_TESTS_EMULATED_SEGMENT_VALUES_HPP
#define SCAN_TESTS_EMULATED_SEGMENT_VALUES_HPP

#include <doctest/doctest.h>

#include <random>
#include <vector>

#include "tests/emulated/check_call.hpp"
#include "tests/emulated/operands.hpp"
#include "tests/segments/random_layouts.hpp"
#include "tests/segments/segment_case.hpp"
#include "tests/segments/segment_garbage.hpp"
#include "tests/support/launch_chosen.hpp"

namespace SCAN_HIDDEN emulated {

/// The kernel: that of the ring in few blocks, whatever the number of items, that of blocks without
/// one, or which the library chooses, with a ring or without.
enum class by { ring, blocks, choice, choice_without_ring };

template <class T, bool reversed, class Op = scan::plus, by way = by::ring>
scan::status launch_valued(const tests::segment_case& c, const void* heads, const T* in, T* out,
                           const scan::options<T>& opts) {
  using namespace scan::device;
  using shape = tuned_for<scan::transform_input<T>, scan::transform_output<T>>;
  const auto described = describe_segments<reversed>(
      c.exclusive, scan::as_input(in), scan::as_output(out),
      scan::segment_heads{c.heads, heads, c.by_offsets() ? c.layout->num_segments() : 0,
                          c.num_items()},
      Op{}, opts);
  device_limits limits;
  REQUIRE(current_limits(limits, nullptr).ok());
  limits.sm_count = 3;
  bool is_there = false;
  return tests::launch_chosen(described, opts, limits, [&](auto& to) {
    if (way == by::ring) return choose_segment_ring<shape, true>(to, described, limits, is_there);
    if (way == by::choice_without_ring) limits.ring_bytes_of_block = 0;
    if (way != by::blocks) return choose_segments<shape>(to, described, limits);
    if (opts.total != nullptr || opts.init_pointer != nullptr) {
      choose_segment_blocks<shape, true>(to, giving_totals(described), limits);
    } else {
      choose_segment_blocks<shape, false>(to, described, limits);
    }
    return scan::status{};
  });
}
/// Whether the lean kernel of one round serves it.
inline bool is_for_round(const tests::segment_case& c) {
  return c.with_total && c.init != tests::sequence_init::by_pointer && !c.in_place;
}
inline tests::segment_case valued_case(const tests::segment_layout& layout,
                                       std::mt19937_64& random) {
  tests::segment_case c;
  do {
    c = tests::segment_variant(layout, random(), true);
  } while (!c.by_offsets() || (!c.with_total && c.init != tests::sequence_init::by_pointer));
  tests::place(c, random());
  return c;
}
/// Offsets as they should be, or, of some `garbage`, spoilt: then nothing outside is written.
template <class T, class Op = scan::plus, by way = by::ring>
void check_valued(const tests::segment_case& c, int garbage, std::mt19937_64& random) {
  const auto items = random_operands<T>(c.num_items(), random);
  const auto inits = random_operands<T>(c.num_inits(), random);
  auto heads = tests::heads_of(c, random());
  if (garbage >= 0) tests::spoil_image(c, garbage, heads, random);
  const auto before = c.in_place ? items : random_operands<T>(c.num_items(), random);
  auto wanted = before;
  std::vector<T> totals(c.with_total ? static_cast<std::size_t>(c.layout->num_segments()) : 0);
  tests::scan_segments_serially(c, items.data(), wanted.data(), inits,
                                c.with_total ? totals.data() : nullptr, Op{});
  const array<unsigned char> heads_there(
      heads, c.heads_offset * static_cast<std::int64_t>(tests::traits_of(c.heads).bytes),
      random_end(random));
  heads_there.lock();
  const call_arrays<T, T> arrays(items, c.in_offset, before, c.out_offset, inits,
                                 c.layout->num_segments(), random);
  const auto launch =
      c.reverse ? launch_valued<T, true, Op, way> : launch_valued<T, false, Op, way>;
  const scan::status status =
      launch(c, heads_there.data(), c.in_place ? arrays.out.data() : arrays.in.data(),
             arrays.out.data(), arrays.options(c, inits));
  INFO("garbage " << garbage);
  if (garbage >= 0) {
    wanted = arrays.out.items();
    if (c.with_total) totals = arrays.totals.items();
  }
  arrays.check(status, c.describe(), wanted, totals);
}

/// For the lean kernel, or for one that keeps values.
inline tests::segment_case case_for(bool lean, const tests::segment_layout& layout,
                                    std::mt19937_64& random) {
  auto c = valued_case(layout, random);
  while (is_for_round(c) != lean) c = valued_case(layout, random);
  return c;
}

}  // namespace emulated

#endif
