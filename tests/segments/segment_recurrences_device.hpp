// Recurrences by segments, keys and flags on the device: every output against a serial loop, with
// guards around all arrays.
#ifndef SCAN_TESTS_SEGMENT_RECURRENCES_DEVICE_HPP
#define SCAN_TESTS_SEGMENT_RECURRENCES_DEVICE_HPP

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "scan/device/plan/segment_plan.hpp"
#include "tests/segments/random_layouts.hpp"
#include "tests/segments/segment_recurrences.hpp"
#include "tests/support/device_array.hpp"
#include "tests/support/device_memory.hpp"
#include "tests/support/run_tests.hpp"

namespace tests {

/// What is wrong with a call by this data, or "". `one_too`: see call_recurrence. Twice: the second
/// time, which has to have the bits of the first, with `space`.
template <bool one_too, class Data>
std::string check_on_device(const Data& data, std::mt19937_64& random, scan::workspace& space) {
  using Out = typename Data::Out;
  using S = typename Data::S;
  const segment_case& c = data.c;
  device_array<unsigned char> heads(
      heads_of(c, random()), c.heads_offset * static_cast<std::int64_t>(traits_of(c.heads).bytes));
  device_array<typename Data::In> a(data.a, c.values_offset + 1), b(data.b, c.in_offset);
  device_array<S> inits(data.inits, 1);
  std::vector<Out> first;
  for (scan::workspace* const use : {static_cast<scan::workspace*>(nullptr), &space}) {
    device_array<S> totals(data.totals, 2);
    device_array<Out> h(data.before, c.out_offset);
    const typename Data::In* from = b.data();
    if constexpr (std::is_same_v<typename Data::In, Out>) {
      if (c.in_place) from = h.data();
    }
    scan::options<S> opts;
    opts.workspace = use;
    const scan::status status = call_recurrence<one_too>(
        data, heads.data(), a.data(), from, h.data(), opts, inits.data(), totals.data());
    if (!status.ok()) return status.message();
    cuda_check(cudaDeviceSynchronize());
    const std::vector<Out> results = h.download();
    const std::string wrong = judge(data, results, totals.download());
    if (!wrong.empty()) return wrong;
    if (!h.guards_intact() || !totals.guards_intact()) return "something beside was written";
    if (use == nullptr) first = results;
    if (!first.empty() && std::memcmp(first.data(), results.data(), first.size() * sizeof(Out))) {
      return "the second call has other bits";
    }
  }
  if (!a.is_as_before() || !b.is_as_before() || !inits.is_as_before() || !heads.is_as_before()) {
    return "an input was written";
  }
  return "";
}

template <class In, class Out, bool one_too>
void check_layout_on_device(const segment_layout& layout, std::mt19937_64& random,
                            scan::workspace& space) {
  if (layout.num_items + layout.num_segments() > most_elements) return;
  auto c = segment_variant(layout, random(), std::is_same_v<In, Out>);
  place(c, random());
  recurrence_data<In, Out> data(c, random);
  if (!one_too && data.has_one_factor) return;
  INFO(data.c.describe(), data.has_one_factor ? ", one factor" : "");
  REQUIRE(check_on_device<one_too>(data, random, space) == "");
}

/// Layouts of all kinds, one in so many; edges of the kernels' runs, chunks and tiles; random ones.
template <class In, class Out, bool one_too>
void check_layouts_on_device() {
  std::mt19937_64 random(9);
  scan::workspace space(std::int64_t{1} << 23, 8);
  std::uint64_t turn = 0;
  const auto check = [&](const segment_layout& layout) {
    if (turn++ % one_in == 0) check_layout_on_device<In, Out, one_too>(layout, random, space);
  };
  for (int again = 0; again < 3; ++again) {
    for (const segment_layout& layout : smallest_layouts()) check(layout);
  }
  for (const std::int64_t n : {40, 2000, 60000, 1000000, 3000000}) {
    for (int again = 0; again < (n > 100000 ? 3 : 8); ++again) {
      for (const segment_layout& layout : layouts_of(n)) check(layout);
    }
  }
  constexpr int bytes = std::max(sizeof(In), sizeof(Out));
  using map = scan::affine_map<scan::state_t<Out>>;
  constexpr int fold_bytes = sizeof(scan::segment_fold<map>);
  constexpr std::int64_t most_valued = scan::device::most_valued_items(bytes, fold_bytes, true);
  using scan::device::segment_ring_tuning_for;
  for (const scan::device::ring_tuning& ring :
       {segment_ring_tuning_for(bytes, 1, true, true).ring,
        segment_ring_tuning_for(bytes, 2, true, true).ring}) {
    constexpr int most = scan::device::many_round_threads;
    for (const std::int64_t unit :
         {ring.run_items(), ring.warp_items(), ring.tile_items(), most * ring.vector_items}) {
      // (From so many items on they go by the ring.)
      const std::int64_t all = most_valued + 3 * unit;
      for (const segment_layout& layout : layouts_of_edges(unit, 7)) check(layout);
      for (const std::int64_t delta : {-1, 0, 1}) {
        check(layout_at_edges(unit, delta, all / unit + 1));
        check(layout_at_edges(unit, delta, all / unit + 1, 2));
      }
    }
  }
  for (int i = 0; i < 200; ++i) check(random_layout(random, i % 4 == 0 ? 4000000 : 100000));
}

}  // namespace tests

#endif
