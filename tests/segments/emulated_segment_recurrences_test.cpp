// Recurrences by segments, keys and flags on the stand-in GPU: random lengths at random places,
// compared with serial loops, and offsets that cannot be.
#include "tests/segments/emulated_recurrence.hpp"
// (before all that has device code)

namespace {

using namespace emulated;

/// (Clusters are there from 9.0 on.)
const std::vector<std::string> kernels =
    EMULATED_ARCH >= 900
        ? std::vector<std::string>{"segment_round_kernel", "segment_round_kernel of a cluster"}
        : std::vector<std::string>{"segment_round_kernel"};

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
template <class In, class Out>
void draw_in_ring(int count, std::int64_t least_items = 1, std::int64_t most_items = 40000) {
  draw(count, 0, {"ring_kernel"}, [=](std::mt19937_64& random) {
    const auto layouts = tests::layouts_of(20000);
    auto layout = random() % 3 == 0 ? layouts[random() % layouts.size()]
                                    : tests::random_layout(random, most_items);
    while (layout.num_items < least_items || layout.num_segments() == 0) {
      layout = tests::random_layout(random, most_items);
    }
    check<In, Out, true>(placed_variant<In, Out>(layout, random), random);
  });
}

TEST_CASE("emulated recurrences by segments in the ring") {
  draw_in_ring<float, float>(150);
  draw_in_ring<__nv_bfloat16, __nv_bfloat16>(80);
  draw_in_ring<double, double>(40);
  draw_in_ring<__half, float>(40);
  draw_in_ring<__half, __half>(40);
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
    const auto ring = scan::device::segment_ring_tuning_for(bytes, inputs, true, true).ring;
    const std::int64_t units[] = {ring.run_items(), ring.warp_items(), ring.tile_items()};
    const std::int64_t unit = units[random() % 3];
    const auto layouts = tests::layouts_of_edges(unit, unit > 1000 ? 3 : 12);
    check<In, Out, true>(placed_variant<In, Out>(layouts[random() % layouts.size()], random),
                         random);
  });
}
TEST_CASE("emulated recurrences by segments around edges of the ring's runs, chunks and tiles") {
  draw_at_edges<float, float>(60);
  draw_at_edges<__nv_bfloat16, __nv_bfloat16>(30);
  draw_at_edges<double, double>(20);
}
#endif

/// So many items, in 264ths of what one round takes, and a few.
template <class In, class Out>
void draw_large(int num_draws, const std::string& kernel, int tiles) {
  draw(num_draws, 0, {kernel}, [=](std::mt19937_64& random) {
    constexpr int bytes = std::max(sizeof(In), sizeof(Out));
    constexpr int fold_bytes = sizeof(scan::segment_fold<scan::affine_map<scan::state_t<Out>>>);
    const std::int64_t least =
        scan::device::most_valued_items(bytes, fold_bytes, true) / 264 * tiles;
    std::vector<std::int64_t> lengths{least + static_cast<std::int64_t>(random() % 9)};
    for (int i = 0; i < 300; ++i) lengths.push_back(static_cast<std::int64_t>(random() % 60));
    auto c = tests::segment_variant(tests::layout_of_lengths("giant", lengths, 3, 2), random(),
                                    std::is_same_v<In, Out>);
    tests::place(c, random());
    check<In, Out>(c, random);
  });
}
TEST_CASE("emulated recurrences of more items than one round takes") {
  const std::string kernel = EMULATED_ARCH >= 900 ? "ring_kernel" : "segment_kernel";
  draw_large<float, float>(3, kernel, 264);
  draw_large<__nv_bfloat16, __nv_bfloat16>(4, kernel, 264);
}
TEST_CASE("emulated recurrences of more tiles than a wave, in one round") {
  draw_large<float, float>(2, "segment_round_kernel", 150);
  draw_large<__nv_bfloat16, __nv_bfloat16>(2, "segment_round_kernel", 230);
}

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
