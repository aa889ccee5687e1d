// Scans of segments by the library's kernels on the stand-in GPU: random lengths, by offsets, keys
// and flags, at random places, compared with serial loops.
#include "tests/emulated/words.hpp"
// (before all that has device code)
#include <doctest/doctest.h>

#include <scan/scan.cuh>

#include "tests/emulated/check_call.hpp"
#include "tests/emulated/segment_values.hpp"
#include "tests/segments/random_layouts.hpp"
#include "tests/segments/segment_call.hpp"
#include "tests/segments/segment_garbage.hpp"
#include "tests/support/launch_chosen.hpp"

namespace {

using namespace emulated;

template <class T, class Op>
void check_segments(const tests::segment_case& c, Op op, std::mt19937_64& random) {
  const auto items = random_vector<T>(c.num_items(), random);
  const auto inits = random_vector<T>(c.num_inits(), random);
  const auto heads = tests::heads_of(c, random());
  const auto before = c.in_place ? items : random_vector<T>(c.num_items(), random);
  auto wanted = before;
  std::vector<T> totals(c.with_total ? static_cast<std::size_t>(c.layout->num_segments()) : 0);
  tests::scan_segments_serially(c, items.data(), wanted.data(), inits,
                                c.with_total ? totals.data() : nullptr, op);
  const array<unsigned char> heads_there(
      heads, c.heads_offset * static_cast<std::int64_t>(tests::traits_of(c.heads).bytes),
      random_end(random));
  heads_there.lock();
  const call_arrays<T, T> arrays(items, c.in_offset, before, c.out_offset, inits,
                                 c.layout->num_segments(), random);
  const scan::status status =
      tests::call_segments(c, heads_there.data(), c.in_place ? arrays.out.data() : arrays.in.data(),
                           arrays.out.data(), op, arrays.options(c, inits));
  arrays.check(status, c.describe(), wanted, totals);
  CHECK(heads_there.is_intact());
}

TEST_CASE("emulated values of segments in the ring") {
  draw(160, 0, {"ring_kernel"}, [](std::mt19937_64& random) {
    const auto layout = tests::random_filled_layout(random, 60000);
    check_valued<std::uint32_t>(valued_case(layout, random), -1, random);
  });
  draw(40, 0, {"ring_kernel"}, [](std::mt19937_64& random) {
    const auto layouts = tests::layouts_of(40000);
    check_valued<__nv_bfloat16>(valued_case(layouts[random() % layouts.size()], random), -1,
                                random);
  });
}

TEST_CASE("emulated values of segments in the ring, many of them empty at one place") {
  draw(24, 0, {"ring_kernel"}, [](std::mt19937_64& random) {
    std::vector<std::int64_t> lengths;
    for (int place = 0; place < 6; ++place) {
      if (random() % 4 > 0) lengths.resize(lengths.size() + random() % 9000, 0);
      lengths.push_back(static_cast<std::int64_t>(1 + random() % 9000));
      lengths.resize(lengths.size() + random() % 3, 5);
    }
    if (random() % 3 > 0) lengths.resize(lengths.size() + random() % 5000, 0);
    check_valued<std::uint32_t>(
        valued_case(tests::layout_of_lengths("empty ones", lengths, 3, 2), random), -1, random);
  });
}

TEST_CASE("emulated values of segments in the ring, of which there are many") {
  draw(20, 0, {"ring_kernel"}, [](std::mt19937_64& random) {
    check_valued<std::uint32_t>(valued_case(tests::layout_of_many(random), random), -1, random);
  });
}

TEST_CASE("emulated values of segments in the ring, an operator without identity") {
  draw(60, 0, {"ring_kernel"}, [](std::mt19937_64& random) {
    const auto layout = tests::random_filled_layout(random, 20000);
    auto c = valued_case(layout, random);
    if (c.init == no_init) c.init = tests::sequence_init::by_value;
    check_valued<affine, followed_by>(c, -1, random);
  });
}

TEST_CASE("emulated totals of segments in one round") {
  draw(160, 2, {"segment_round_kernel", "segment_round_kernel of a cluster"},
       [](std::mt19937_64& random) {
         const auto layout = tests::random_filled_layout(random, 40000);
         check_valued<std::uint32_t, scan::plus, by::choice>(case_for(true, layout, random), -1,
                                                             random);
       });
  // Of offsets that cannot be.
  draw(60, 1, {"segment_round_kernel"}, [](std::mt19937_64& random) {
    const auto layout = tests::random_filled_layout(random, 30000);
    const auto kind = static_cast<int>(now.seed % tests::num_garbage_kinds);
    check_valued<std::uint32_t, scan::plus, by::choice>(case_for(true, layout, random), kind,
                                                        random);
  });
}

TEST_CASE("emulated values of more than one round") {
  // (Of 132 * 768 elements it takes one round yet.)
  const auto layout_of = [](std::int64_t num_items, std::mt19937_64& random) {
    std::vector<std::int64_t> lengths;
    const auto longest = random() % 3 == 0 ? 9000 : 5;
    for (std::int64_t n = 0; n < num_items; n += lengths.back()) {
      lengths.push_back(static_cast<std::int64_t>(random() % longest));
    }
    return tests::layout_of_lengths("drawn ones", lengths, 3, 2);
  };
  draw(8, 0, {"segment_kernel"}, [&](std::mt19937_64& random) {
    const auto layout = layout_of(103000 + random() % 9000, random);
    const int kind = now.seed < 3 ? static_cast<int>(random() % tests::num_garbage_kinds) : -1;
    check_valued<std::uint64_t, scan::plus, by::blocks>(case_for(false, layout, random), kind,
                                                        random);
  });
  // Totals alone, or values, of more than a kernel of one round takes.
  draw(1, 0, {"segment_kernel"}, [&](std::mt19937_64& random) {
    const auto layout = layout_of(scan::device::most_round_items(8, 16) + 1000, random);
    check_valued<std::uint64_t, scan::plus, by::choice_without_ring>(case_for(true, layout, random),
                                                                     -1, random);
  });
  draw(1, 0, {"segment_kernel"}, [&](std::mt19937_64& random) {
    const auto layout = layout_of(scan::device::most_valued_items(8, 16, false) + 1000, random);
    check_valued<std::uint64_t, scan::plus, by::choice_without_ring>(
        case_for(false, layout, random), -1, random);
  });
  draw(24, 1, {"segment_kernel"}, [](std::mt19937_64& random) {
    const auto layout = tests::random_filled_layout(random, 20000);
    check_valued<std::uint32_t, scan::plus, by::blocks>(valued_case(layout, random), -1, random);
  });
}

TEST_CASE("emulated values of segments in one round") {
  draw(80, 2, {"segment_round_kernel", "segment_round_kernel of a cluster"},
       [](std::mt19937_64& random) {
         const auto layout = tests::random_filled_layout(random, 40000);
         check_valued<std::uint32_t, scan::plus, by::choice>(case_for(false, layout, random), -1,
                                                             random);
       });
  // Of more tiles than one wave, which look back without a halo; and of an operator that tells
  // operands that are no neighbours'.
  draw(3, 0, {"segment_round_kernel"}, [](std::mt19937_64& random) {
    std::vector<std::int64_t> lengths;
    const std::int64_t least = scan::device::most_valued_items(8, 16, false) * 2 / 3;
    const auto longest = now.seed == 0 ? 5 : 40000;
    for (std::int64_t n = 0; n < least; n += lengths.back()) {
      lengths.push_back(static_cast<std::int64_t>(random() % longest));
    }
    const auto layout = tests::layout_of_lengths("drawn ones", lengths, 3, 2);
    check_valued<std::uint64_t, scan::plus, by::choice>(case_for(false, layout, random), -1,
                                                        random);
  });
  draw(30, 0, {"segment_round_kernel", "segment_round_kernel of a cluster"},
       [](std::mt19937_64& random) {
         const auto layout = tests::random_filled_layout(random, 20000);
         auto c = case_for(false, layout, random);
         if (c.init == no_init) c.init = tests::sequence_init::by_value;
         check_valued<affine, followed_by, by::choice>(c, -1, random);
       });
}

template <by way, bool lean = false>
void check_last_outputs(std::mt19937_64& random) {
  auto c = valued_case(tests::layout_of_lengths("Zipf", tests::zipf_lengths(40000, 9000, now.seed)),
                       random);
  c.with_total = true, c.in_place = false;
  if (lean || c.init == tests::sequence_init::by_value) c.init = no_init;
  if (way == by::choice && !lean) c.init = tests::sequence_init::by_pointer;
  std::vector<float> items(static_cast<std::size_t>(c.num_items())), inits;
  for (float& item : items) item = static_cast<float>(random() % 1000003) * 1e-3f - 400;
  for (std::int64_t s = 0; s < c.num_inits(); ++s) inits.push_back(items[s] / 3);
  const auto heads = tests::heads_of(c, random());
  std::vector<float> totals[2];
  for (const bool exclusive : {false, true}) {
    c.exclusive = exclusive;
    const array<unsigned char> heads_there(heads, 0, random_end(random));
    const call_arrays<float, float> arrays(items, c.in_offset, items, c.out_offset, inits,
                                           c.layout->num_segments(), random);
    const auto launch = c.reverse ? launch_valued<float, true, scan::plus, way>
                                  : launch_valued<float, false, scan::plus, way>;
    REQUIRE(
        launch(c, heads_there.data(), arrays.in.data(), arrays.out.data(), arrays.options(c, inits))
            .ok());
    totals[exclusive] = arrays.totals.items();
    if (exclusive) continue;
    const std::vector<float> results = arrays.out.items();
    std::vector<float> last;
    for (std::size_t s = 0; s + 1 < c.layout->offsets.size(); ++s) {
      const std::int64_t begin = c.layout->offsets[s], end = c.layout->offsets[s + 1];
      last.push_back(results[static_cast<std::size_t>(c.reverse ? begin : end - 1)]);
    }
    CHECK(are_same(totals[0], last));
  }
  CHECK(are_same(totals[0], totals[1]));
}
TEST_CASE("emulated totals of segments are last outputs, bit for bit") {
  draw(12, 0, {"ring_kernel"}, check_last_outputs<by::ring>);
  draw(12, 0, {"segment_round_kernel"}, check_last_outputs<by::choice, true>);
  draw(12, 0, {"segment_round_kernel"}, check_last_outputs<by::choice>);
}

TEST_CASE("emulated values of segments by offsets that cannot be") {
  const auto check_garbage = [](auto way) {
    return [](std::mt19937_64& random) {
      const auto layout = tests::random_filled_layout(random, 30000);
      const auto kind = static_cast<int>(now.seed % tests::num_garbage_kinds);
      check_valued<std::uint32_t, scan::plus, decltype(way)::value>(case_for(false, layout, random),
                                                                    kind, random);
    };
  };
  draw(40, 1, {"segment_round_kernel"}, check_garbage(std::integral_constant<by, by::choice>{}));
  draw(20, 1, {"segment_kernel"}, check_garbage(std::integral_constant<by, by::blocks>{}));
  draw(60, 0, {"ring_kernel"}, [](std::mt19937_64& random) {
    const auto layout = tests::random_filled_layout(random, 30000);
    const auto kind = static_cast<int>(now.seed % tests::num_garbage_kinds);
    check_valued<std::uint32_t>(valued_case(layout, random), kind, random);
  });
}

TEST_CASE("emulated segments of uint32") {
  const std::vector<std::string> kernels = {"segment_round_kernel",
                                            "segment_round_kernel of a cluster"};
  draw(300, 3, kernels, [](std::mt19937_64& random) {
    auto c = tests::segment_variant(tests::random_layout(random, random_most(random, 4)), random(),
                                    true);
    tests::place(c, random());
    check_segments<std::uint32_t>(c, scan::plus{}, random);
  });
}

TEST_CASE("emulated segments in the ring") {
  draw(4, 0, {"ring_kernel"}, [](std::mt19937_64& random) {
    const std::int64_t least = scan::device::most_round_items(sizeof(std::uint32_t), 8);
    tests::segment_layout layout = tests::random_layout(random, 6000);
    const std::int64_t giant = least + 100 - layout.num_items / 2;
    layout.offsets.push_back(layout.end() + giant);
    for (int i = 0; i < 3000; ++i) {
      layout.offsets.push_back(layout.end() + static_cast<std::int64_t>(random() % 60));
    }
    layout.num_items = layout.end() + 5;
    auto c = tests::segment_variant(layout, random(), true);
    tests::place(c, random());
    check_segments<std::uint32_t>(c, scan::plus{}, random);
  });
}

}  // namespace
