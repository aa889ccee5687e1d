// A recurrence by segments on the stand-in GPU, by a call or by the ring in few blocks, at random
// places, compared with serial loops.
#ifndef SCAN_TESTS_SEGMENTS_EMULATED_RECURRENCE_HPP
#define SCAN_TESTS_SEGMENTS_EMULATED_RECURRENCE_HPP

#include "tests/emulated/words.hpp"
// (before all that has device code)
#include <doctest/doctest.h>

#include <scan/scan.cuh>

#include "tests/emulated/check_call.hpp"
#include "tests/segments/random_layouts.hpp"
#include "tests/segments/segment_garbage.hpp"
#include "tests/segments/segment_recurrences.hpp"
#include "tests/support/launch_chosen.hpp"

namespace SCAN_HIDDEN emulated {

/// In place of the call: the ring kernel in few blocks, whatever the number of items.
template <bool valued, bool reversed, class Input, class Out, class S>
scan::status launch_ring(const Input& in, Out* out, const scan::segment_heads& heads,
                         const scan::options<S>& opts) {
  using namespace scan::device;
  const auto given = describe_segment_recurrence<reversed>(in, out, heads, opts);
  const auto described = [&] {
    if constexpr (valued) return giving_totals(given);
    if constexpr (!valued) return given;
  }();
  device_limits limits;
  REQUIRE(current_limits(limits, nullptr).ok());
  limits.sm_count = 3;
  bool is_there = false;
  return tests::launch_chosen(described, opts, limits, [&](auto& to) {
    return choose_segment_ring<tuned<std::max(sizeof(*in.data), sizeof(Out))>, valued>(
        to, described, limits, is_there);
  });
}
template <class Data>
scan::status call_ring(const Data& data, const void* heads, const typename Data::In* a,
                       const typename Data::In* b, typename Data::Out* h,
                       const typename Data::S* inits, typename Data::S* totals) {
  using S = typename Data::S;
  const tests::segment_case& c = data.c;
  scan::options<S> opts;
  if (c.init == tests::sequence_init::by_value) opts.init = data.inits[0];
  if (c.init == tests::sequence_init::by_pointer) opts.init_pointer = inits;
  if (c.with_total) opts.total = totals;
  const scan::segment_heads where{c.heads, heads, c.by_offsets() ? c.layout->num_segments() : 0,
                                  c.num_items()};
  const auto launch = [&](const auto& in) {
    if (opts.total == nullptr && opts.init_pointer == nullptr) {
      return c.reverse ? launch_ring<false, true>(in, h, where, opts)
                       : launch_ring<false, false>(in, h, where, opts);
    }
    return c.reverse ? launch_ring<true, true>(in, h, where, opts)
                     : launch_ring<true, false>(in, h, where, opts);
  };
  using In = typename Data::In;
  if (!data.has_one_factor) return launch(scan::recurrence_input<In>{b, a});
  return launch(scan::recurrence_input<In, scan::one_factor<S>>{b, {data.factor, nullptr}});
}

/// Offsets as they should be, or, of some `garbage`, spoilt: then nothing outside is written.
template <class In, class Out, bool in_ring = false>
void check(const tests::segment_case& drawn, std::mt19937_64& random, int garbage = -1) {
  using S = scan::state_t<Out>;
  const tests::recurrence_data<In, Out> data(drawn, random);
  const tests::segment_case& c = data.c;
  auto image = tests::heads_of(c, random());
  if (garbage >= 0) tests::spoil_image(c, garbage, image, random);
  const array<unsigned char> heads(
      image, c.heads_offset * static_cast<std::int64_t>(tests::traits_of(c.heads).bytes),
      random_end(random));
  const array<In> a(data.a, static_cast<std::int64_t>(random() % 4), random_end(random)),
      b(data.b, c.in_offset, random_end(random));
  const array<Out> h(data.before, c.out_offset, random_end(random));
  const array<S> inits(data.inits, 1, random_end(random)),
      totals(static_cast<std::int64_t>(data.totals.size()), 1, random_end(random));
  heads.lock(), a.lock(), b.lock(), inits.lock();
  const In* from = b.data();
  if constexpr (std::is_same_v<In, Out>) {
    if (c.in_place) from = h.data();
  }
  scan::status status;
  if constexpr (in_ring) {
    status = call_ring(data, heads.data(), a.data(), from, h.data(), inits.data(), totals.data());
  } else {
    status = tests::call_recurrence<true>(data, heads.data(), a.data(), from, h.data(),
                                          scan::options<S>{}, inits.data(), totals.data());
  }
  INFO(c.describe(), data.has_one_factor ? ", one factor" : "", ", garbage ", garbage);
  INFO("seed " << now.seed << ", device " << now.device);
  INFO(std::string(seen.failure));
  REQUIRE_MESSAGE(status.ok(), std::string(status.message()));
  if (garbage < 0) CHECK(tests::judge(data, h.items(), totals.items()) == "");
  CHECK((heads.is_intact() && a.is_intact() && b.is_intact() && h.is_intact()));
  CHECK((inits.is_intact() && totals.is_intact()));
}

template <class In, class Out>
tests::segment_case placed_variant(const tests::segment_layout& layout, std::mt19937_64& random) {
  auto c = tests::segment_variant(layout, random(), std::is_same_v<In, Out>);
  tests::place(c, random());
  return c;
}

}  // namespace emulated

#endif
