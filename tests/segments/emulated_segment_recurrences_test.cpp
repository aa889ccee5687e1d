// Recurrences by segments, keys and flags on the stand-in GPU: random lengths at random places,
// compared with serial loops, and offsets that cannot be.
#include "tests/emulated/words.hpp"
// (before all that has device code)
#include <doctest/doctest.h>

#include <scan/scan.cuh>

#include "tests/emulated/check_call.hpp"
#include "tests/segments/random_layouts.hpp"
#include "tests/segments/segment_garbage.hpp"
#include "tests/segments/segment_recurrences.hpp"
#include "tests/support/launch_chosen.hpp"

namespace {

using namespace emulated;

/// In place of the call: the ring kernel in few blocks, whatever the number of items.
template <bool valued, bool reversed, class Input, class Out, class S>
scan::status launch_ring(const Input& in, Out* out, const scan::segment_heads& heads,
                         const scan::options<S>& opts) {
  using namespace scan::device;
  const auto described = describe_segment_recurrence<reversed>(in, out, heads, opts);
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
    constexpr bool takes_values = std::is_same_v<typename Data::Out, S>;
    if (opts.total == nullptr && opts.init_pointer == nullptr) {
      return c.reverse ? launch_ring<false, true>(in, h, where, opts)
                       : launch_ring<false, false>(in, h, where, opts);
    }
    if constexpr (takes_values) {
      return c.reverse ? launch_ring<true, true>(in, h, where, opts)
                       : launch_ring<true, false>(in, h, where, opts);
    }
    return scan::status();
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
  if (garbage >= 0) {
    tests::visit_heads(
        c.heads, image.data(),
        [&](auto* offsets) {
          using offset = std::decay_t<decltype(*offsets)>;
          tests::spoil(static_cast<tests::garbage>(garbage), const_cast<offset*>(offsets),
                       c.layout->num_segments() + 1, c.num_items(), random);
        },
        [](const auto*) {}, [](const auto*) {});
  }
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

/// (Clusters are there from 9.0 on.)
const std::vector<std::string> kernels =
    EMULATED_ARCH >= 900 ? std::vector<std::string>{"segment_kernel", "segment_kernel of a cluster"}
                         : std::vector<std::string>{"segment_kernel"};

template <class In, class Out>
void draw_types(int count) {
  draw(count, 3, kernels, [](std::mt19937_64& random) {
    const auto layout = tests::random_layout(random, random_most(random, sizeof(Out)));
    auto c = tests::segment_variant(layout, random(), std::is_same_v<In, Out>);
    tests::place(c, random());
    check<In, Out>(c, random);
  });
}

}  // namespace

TEST_CASE("emulated recurrences by segments") {
  draw_types<float, float>(200);
  draw_types<__nv_bfloat16, __nv_bfloat16>(120);
  draw_types<double, double>(60);
  draw_types<__half, float>(60);
}

TEST_CASE("emulated recurrences by segments that begin around edges of vectors and tiles") {
  draw(60, 3, {}, [](std::mt19937_64& random) {
    const std::int64_t units[] = {4, 8, 128, 256, 1024, 2048};
    const std::int64_t unit = units[random() % 6];
    const auto layouts = tests::layouts_of_edges(unit, unit > 1000 ? 3 : 6);
    auto c = tests::segment_variant(layouts[random() % layouts.size()], random(), true);
    tests::place(c, random());
    if (random() % 2 == 0) {
      check<float, float>(c, random);
    } else {
      check<__nv_bfloat16, __nv_bfloat16>(c, random);
    }
  });
}

#if EMULATED_ARCH >= 900
/// A variant of the layout that the ring takes: of 16 bits without values.
template <class In, class Out>
tests::segment_case ring_variant(const tests::segment_layout& layout, std::mt19937_64& random) {
  auto c = tests::segment_variant(layout, random(), std::is_same_v<In, Out>);
  tests::place(c, random());
  if (!std::is_same_v<Out, scan::state_t<Out>>) {
    c.with_total = false;
    if (c.init == tests::sequence_init::by_pointer) c.init = tests::sequence_init::none;
  }
  return c;
}

template <class In, class Out>
void draw_in_ring(int count, std::int64_t least_items = 1, std::int64_t most_items = 40000) {
  draw(count, 0, {"ring_kernel"}, [=](std::mt19937_64& random) {
    const auto layouts = tests::layouts_of(20000);
    auto layout = random() % 3 == 0 ? layouts[random() % layouts.size()]
                                    : tests::random_layout(random, most_items);
    while (layout.num_items < least_items || layout.num_segments() == 0) {
      layout = tests::random_layout(random, most_items);
    }
    check<In, Out, true>(ring_variant<In, Out>(layout, random), random);
  });
}

TEST_CASE("emulated recurrences by segments in the ring") {
  draw_in_ring<float, float>(150);
  draw_in_ring<__nv_bfloat16, __nv_bfloat16>(60);
  draw_in_ring<double, double>(40);
  draw_in_ring<__half, float>(40);
  // Where three blocks go round their stages, of which there are up to six.
  draw_in_ring<float, float>(6, 3 * 7 * 5760, 300000);
  draw_in_ring<__nv_bfloat16, __nv_bfloat16>(6, 3 * 7 * 9216, 500000);
}

/// Around edges of the runs, chunks and tiles that the ring has of an array of factors, or of one.
template <class In, class Out>
void draw_at_edges(int num_draws) {
  draw(num_draws, 0, {"ring_kernel"}, [](std::mt19937_64& random) {
    constexpr int bytes = std::max(sizeof(In), sizeof(Out));
    const int inputs = 1 + static_cast<int>(random() % 2);
    const auto ring = scan::device::segment_ring_tuning_for(bytes, inputs, true).ring;
    const std::int64_t units[] = {ring.run_items(), ring.warp_items(), ring.tile_items()};
    const std::int64_t unit = units[random() % 3];
    const auto layouts = tests::layouts_of_edges(unit, unit > 1000 ? 3 : 12);
    check<In, Out, true>(ring_variant<In, Out>(layouts[random() % layouts.size()], random), random);
  });
}
TEST_CASE("emulated recurrences by segments around edges of the ring's runs, chunks and tiles") {
  draw_at_edges<float, float>(60);
  draw_at_edges<__nv_bfloat16, __nv_bfloat16>(30);
  draw_at_edges<double, double>(20);
}

TEST_CASE("emulated recurrences of so many items that the ring takes them") {
  draw(3, 0, {"ring_kernel"}, [](std::mt19937_64& random) {
    const std::int64_t least = scan::device::most_valued_items(sizeof(float));
    std::vector<std::int64_t> lengths{least + static_cast<std::int64_t>(random() % 9)};
    for (int i = 0; i < 300; ++i) lengths.push_back(static_cast<std::int64_t>(random() % 60));
    auto c =
        tests::segment_variant(tests::layout_of_lengths("giant", lengths, 3, 2), random(), true);
    tests::place(c, random());
    check<float, float>(c, random);
  });
}
#endif

TEST_CASE("emulated recurrences by offsets that cannot be") {
  draw(60, 3, {}, [](std::mt19937_64& random) {
    const auto layout = tests::random_filled_layout(random, 6000);
    tests::segment_case c;
    do {
      c = tests::segment_variant(layout, random(), true);
    } while (!c.by_offsets());
    const auto garbage = static_cast<int>(now.seed % tests::num_garbage_kinds);
#if EMULATED_ARCH >= 900
    if (now.device == 0) return check<float, float, true>(c, random, garbage);
#endif
    check<float, float>(c, random, garbage);
  });
}

TEST_CASE("emulated recurrences of a count of elements") {
  draw(40, 3, {}, [](std::mt19937_64& random) {
    const std::int64_t most = tests::random_extent(random, 9000),
                       n = static_cast<std::int64_t>(random() %
                                                     static_cast<std::uint64_t>(most + 1));
    const tests::segment_case c =
        tests::segment_variant(tests::layout_of_lengths("counted", {n}), 6, false);  // by flags
    REQUIRE(c.heads == scan::head_kind::flag_bytes);
    const tests::recurrence_data<float, float> data(c, random);
    auto a = data.a, b = data.b, before = data.before;
    for (auto* items : {&a, &b, &before}) items->resize(static_cast<std::size_t>(most), 3.f);
    auto wanted = data.wanted;
    wanted.resize(before.size(), 3.f);
    const array<float> of_a(a, 0, random_end(random)), of_b(b, 1, random_end(random)),
        h(before, 2, random_end(random));
    const array<bool> heads(most, 0, random_end(random));
    std::fill_n(heads.data(), most, false);
    const array<std::int64_t> count(std::vector<std::int64_t>{n}, 0, random_end(random));
    const scan::status status =
        scan::recurrence_by_key(scan::flags{heads.data()}, of_a.data(), of_b.data(), h.data(),
                                scan::count{count.data(), most});
    REQUIRE_MESSAGE(status.ok(), std::string(status.message()));
    if (!data.has_one_factor) CHECK(tests::first_unlike(h.items(), wanted) == -1);
  });
}
