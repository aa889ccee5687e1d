// Recurrences of tensors by the library's kernels on the stand-in GPU: random shapes, pitches,
// places and options, compared with serial loops.
#include "tests/emulated/words.hpp"
// (before all that has device code)
#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <scan/scan.cuh>
#include <string>
#include <vector>

#include "tests/emulated/check_tensor.hpp"
#include "tests/emulated/random_rows.hpp"
#include "tests/support/launch_chosen.hpp"
#include "tests/support/rounded_values.hpp"
#include "tests/tensors/tensor_order.hpp"

namespace {

using namespace emulated;

/// Who has rows of several tiles that a cluster has, where there are clusters.
constexpr const char* rounds_of_few_tiles =
    EMULATED_ARCH >= 900 ? "row_round_kernel of a cluster" : "row_round_kernel";

TEST_CASE("emulated recurrences of bfloat16") {
  draw(200, 3, {"column_kernel", "row_round_kernel", "short_row_tile_kernel"},
       [](std::mt19937_64& random) {
         check_recurrence<__nv_bfloat16>(random_case(random, sizeof(float), true), random);
       });
}

// Of one warp, and several a block.
TEST_CASE("emulated recurrences of many rows") {
  draw(40, 2, {"held_row_kernel"}, [](std::mt19937_64& random) {
    check_recurrence<float>(many_rows(random, sizeof(float), true), random);
    check_recurrence<__nv_bfloat16>(many_rows(random, 2, true), random);
  });
}

// One tile of up to all warps, and several; of whole vectors, and not.
TEST_CASE("emulated recurrences of long rows") {
  const auto check = [](auto element, std::mt19937_64& random) {
    using T = decltype(element);
    const auto up_to = [&](std::uint64_t n) { return 1 + static_cast<std::int64_t>(random() % n); };
    constexpr std::int64_t chunk = 32 * 5 * 16 / sizeof(T);
    const std::int64_t length = (now.seed % 2 == 0 ? up_to(17) : up_to(40)) * chunk;
    const scan::extents shape{up_to(4), std::max(length - up_to(2 * chunk), up_to(chunk)), 1};
    auto c = tests::tensor_variant(shape, random(), true, true);
    tests::place(c, random());
    check_recurrence<T>(c, random);
  };
  const std::vector<std::string> kernels{rounds_of_few_tiles};
  draw(24, 0, kernels, [&](std::mt19937_64& random) { check(0.0, random); });
  draw(16, 3, kernels, [&](std::mt19937_64& random) { check(0.0f, random); });
  draw(16, 0, kernels, [&](std::mt19937_64& random) { check(__nv_bfloat16{}, random); });
}

#if EMULATED_ARCH >= 900
// Of a tile that is not whole, a batch of tiles and another, of two slabs.
template <class Kind>
void check_narrow(const std::vector<scan::extents>& shapes) {
  for (const scan::extents& shape : shapes) {
    for (const bool reverse : {false, true}) {
      tests::tensor_case c;
      c.shape = shape, c.reverse = reverse, c.with_total = true;
      if (reverse) c.init = tests::sequence_init::by_pointer;
      tests::check_order<Kind>(c);
    }
  }
}
TEST_CASE("emulated recurrences of narrow columns in the ring have the order of the formulas") {
  seen = {}, now.device = 0;
  check_narrow<tests::recurrences<float>>({{2, 90001, 3}, {1, 132000, 2}, {1, 8195, 32}});
  check_narrow<tests::recurrences<__nv_bfloat16>>({{1, 31000, 17}, {1, 33000, 16}});
  check_narrow<tests::recurrences<__half, float>>({{1, 30000, 9}});
  CHECK(seen.kernels["column_ring_kernel"] == 12);
  CHECK(seen.kernels.size() == 1);
}
TEST_CASE("emulated recurrences of wide columns in the ring have the order of the formulas") {
  seen = {}, now.device = 0;
  check_narrow<tests::recurrences<float>>(
      {{2, 4100, 64}, {1, 2800, 96}, {2, 7001, 40}, {1, 4100, 66}, {2, 1300, 61}});
  check_narrow<tests::recurrences<__nv_bfloat16>>(
      {{1, 4100, 64}, {1, 2500, 176}, {1, 4100, 131}, {1, 4200, 101}, {1, 1200, 57}});
  check_narrow<tests::recurrences<__half, float>>({{1, 2600, 56}});
  CHECK(seen.kernels["strip_ring_kernel"] == 22);
  CHECK(seen.kernels.size() == 1);
}
#else
TEST_CASE("emulated narrow columns by code for GPUs without the ring") {
  draw(2, 0, {"column_kernel"}, [](std::mt19937_64& random) {
    check_recurrence<float>(narrow_columns(random, sizeof(float), true), random);
  });
}
#endif

template <class Kind>
void check_orders(const std::vector<std::int64_t>& lengths) {
  std::uint64_t turn = 0;
  for (const std::int64_t length : lengths) {
    for (const bool has_init : {false, true}) {
      tests::tensor_case c;
      const auto pitch = length + static_cast<std::int64_t>(turn % 3);
      c.shape = {1 + static_cast<std::int64_t>(turn % 3), length, 1, pitch, pitch};
      c.reverse = ++turn % 2 == 0, c.with_total = true;
      if (has_init) c.init = tests::sequence_init::by_pointer;
      tests::check_order<Kind>(c);
    }
  }
}
// On either side of what the plan knows: chunks, a tile, several, a batch of them and another.
// (The last one of more tiles than are looked at one batch at a time; device 2 has no clusters of
// more than 8 blocks.)
TEST_CASE("emulated recurrences of rows have the order of the formulas") {
  seen = {};
  for (const int device : {0, 1}) {  // with a ring, and without
    now.device = device;
    check_orders<tests::recurrences<float>>({129, 256, 257, 384, 385, 640, 641, 768, 769, 1028,
                                             2049, 5120, 5121, 10240, 10241, 12800, 12801});
    check_orders<tests::recurrences<double>>(
        {65, 128, 129, 192, 193, 321, 3199, 3200, 3201, 103000});
    check_orders<tests::recurrences<__nv_bfloat16>>(
        {129, 512, 513, 768, 769, 1281, 1537, 10240, 10241, 20480, 20481, 25601});
    check_orders<tests::recurrences<__half, float>>({129, 257, 1025, 10240, 10241, 25001});
  }
  CHECK(seen.kernels["held_row_kernel"] > 110);
  CHECK(seen.kernels[rounds_of_few_tiles] > 12);
  seen = {};
  now.device = 2;
  check_orders<tests::recurrences<float>>({57601});
  check_orders<tests::recurrences<__nv_bfloat16>>({115210});
  now.device = 0;
  check_orders<tests::recurrences<float>>({431001});
  CHECK(seen.kernels["row_round_kernel"] == 6);
  // ... or is asked not to wait for room.
  seen = {};
  tests::tensor_case c;
  c.shape = {2, 25601, 1};
  tests::check_order<tests::recurrences<float>>(c, scan::algorithm::look_back);
  CHECK((seen.kernels["row_round_kernel"] == 1 && seen.kernels.size() == 1));
}

// (Which say themselves what an order is held against above.)
TEST_CASE("rows are cut into as few warps as have them, of up to 16 one tile") {
  using namespace scan::device;
  const auto is_cut = [](std::int64_t length, int bytes, int inputs, bool has_ring, int run,
                         int warps, std::int64_t tiles) {
    const round_plan plan = plan_rounds(vectors_of(length, bytes), bytes, inputs, has_ring);
    return plan.run == run && plan.warps == warps && plan.tiles_per_row == tiles;
  };
  CHECK(is_cut(129, 4, 2, true, 2, 1, 1));
  CHECK(is_cut(256, 4, 2, true, 2, 1, 1));
  CHECK(is_cut(257, 4, 2, true, 3, 1, 1));
  CHECK(is_cut(385, 4, 1, true, 5, 1, 1));
  CHECK(is_cut(641, 4, 2, true, 3, 2, 1));
  CHECK(is_cut(769, 4, 2, true, 5, 2, 1));
  CHECK(is_cut(10240, 4, 2, true, 5, 16, 1));
  CHECK(is_cut(10241, 4, 2, true, 5, 10, 2));
  CHECK(is_cut(12801, 4, 2, true, 5, 10, 3));
  CHECK(is_cut(20480, 2, 2, true, 5, 16, 1));
  CHECK(is_cut(3200, 8, 2, true, 5, 10, 1));
  CHECK(is_cut(3201, 8, 2, true, 5, 10, 2));
  CHECK(is_cut(5120, 4, 2, false, 5, 8, 1));
  CHECK(is_cut(5121, 4, 2, false, 5, 5, 2));
  CHECK(is_cut(256, 4, 3, true, 2, 1, 1));
  CHECK(is_cut(257, 4, 3, true, 3, 1, 1));
  CHECK(is_cut(512, 4, 3, true, 2, 2, 1));
  CHECK(is_cut(6144, 4, 3, true, 3, 16, 1));
  CHECK(is_cut(6145, 4, 3, true, 3, 6, 3));
  CHECK(is_cut(12673, 4, 3, true, 3, 7, 5));
  CHECK(is_cut(3073, 4, 3, false, 3, 5, 2));
  // By clusters to 24 MiB, of more than eight blocks to 8; narrow elements not where a block or two
  // are a multiprocessor's.
  const auto is_faster = [](std::int64_t tiles, std::int64_t rows, std::int64_t mebibytes,
                            int bytes) {
    return are_clusters_faster({5, 10, tiles}, rows, mebibytes << 20, bytes, 132);
  };
  CHECK((is_faster(2, 9, 23, 4) && !is_faster(2, 9, 24, 4) && !is_faster(1, 9, 1, 4)));
  CHECK((is_faster(8, 9, 23, 4) && is_faster(9, 9, 7, 4) && !is_faster(9, 9, 8, 4)));
  CHECK((is_faster(16, 9, 7, 4) && !is_faster(17, 9, 7, 4)));
  CHECK((is_faster(3, 33, 1, 2) && !is_faster(4, 25, 1, 2) && is_faster(4, 25, 1, 4)));
  CHECK((!is_faster(8, 33, 1, 2) && is_faster(5, 53, 1, 2)));
  CHECK(round_block_rows({5, 1, 1}, 16 * 132, 132) == 4);
  CHECK(round_block_rows({5, 1, 1}, 16 * 132 - 1, 132) == 1);
  CHECK(round_block_rows({5, 2, 1}, 8 * 132, 132) == 2);
  CHECK(round_block_rows({5, 5, 1}, 8 * 132, 132) == 1);
  CHECK(round_block_rows({5, 2, 2}, 8 * 132, 132) == 1);
  CHECK(are_rows_held({5, 12, 1}, 1 << 20, 132));
  CHECK(are_rows_held({5, 13, 1}, 132, 132));
  CHECK(!are_rows_held({5, 13, 1}, 133, 132));
  CHECK(!are_rows_held({5, 5, 2}, 1, 132));
  constexpr std::int64_t bytes = 24 << 20;
  CHECK(is_ring_faster_for_long({5, 10, 2}, bytes / 2, 4, true));
  CHECK(!is_ring_faster_for_long({5, 10, 2}, bytes / 2 - 1, 4, true));
  CHECK(is_ring_faster_for_long({5, 10, 2}, bytes, 2, true));
  CHECK(!is_ring_faster_for_long({5, 10, 2}, bytes - 1, 2, true));
  CHECK(!is_ring_faster_for_long({5, 16, 1}, 8 * bytes, 4, true));
  CHECK(is_ring_faster_for_long({5, 10, 6}, bytes, 4, false));
  CHECK(!is_ring_faster_for_long({5, 10, 5}, 8 * bytes, 4, false));
  CHECK(!is_ring_faster_for_long({5, 10, 6}, bytes - 1, 4, false));
  CHECK(is_ring_faster_for_long({5, 10, 3}, bytes / 2, 8, false));
  CHECK(!is_ring_faster_for_long({5, 10, 13}, bytes, 2, false));
}

// A workspace whose epochs run out is cleared by the last of a call's blocks.
TEST_CASE("emulated recurrences of long rows in the last epochs") {
  constexpr std::int64_t length = 30011, rows = 3;
  now.device = 0;
  const array<float> a(tests::random_values<float>(tests::values::near_one, rows * length), 1,
                       array<float>::end::last),
      b(tests::random_values<float>(tests::values::wide, rows * length), 3,
        array<float>::end::last),
      wanted(rows * length, 2, array<float>::end::last),
      h(rows * length, 2, array<float>::end::last);
  REQUIRE(scan::recurrence(a.data(), b.data(), wanted.data(), scan::extents{rows, length, 1}).ok());
  scan::workspace space(scan::extents{5, length, 1}, sizeof(float));
  static_cast<scan::tile_states_header*>(space.states())->tickets = std::uint64_t{0xfffffffc} << 32;
  for (std::uint64_t call = 0; call < 9; ++call) {
    now.seed = call;
    scan::options<float> opts;
    opts.workspace = &space;
    const auto outer = static_cast<std::int64_t>(1 + call % rows);
    REQUIRE(
        scan::recurrence(a.data(), b.data(), h.data(), scan::extents{outer, length, 1}, opts).ok());
    const auto same = static_cast<std::ptrdiff_t>(outer * length);
    const std::vector<float> results = h.items(), right = wanted.items();
    CHECK(are_same(std::vector<float>(results.begin(), results.begin() + same),
                   std::vector<float>(right.begin(), right.begin() + same)));
  }
}

// The same, where the factor before the first item, which nobody asks for, is NaN or infinite, and
// behind zeros whatever there may be.
TEST_CASE("emulated recurrences of long rows begin anew") {
  now.device = 0;
  check_resets<double>(
      {{2, 101, 1, 0, 0}, {2, 183, 1, 0, 0}, {2, 1201, 1, 0, 0}, {2, 9077, 1, 0, 0}});
}

// Rows are whose they are for their number and the number of bytes alone. `choose` launches them by
// the first of two carriers, or the second.
template <bool reversed, class T, class Choose>
void check_carriers(const scan::extents& shape, bool has_init, std::mt19937_64& random,
                    Choose choose) {
  using namespace scan::device;
  using S = scan::state_t<T>;
  const std::int64_t n = shape.outer * shape.length;
  auto factors = tests::random_values<T>(tests::values::near_one, n);
  const auto items = tests::random_values<T>(tests::values::wide, n);
  for (std::int64_t i = 0; i < n; i += 1 + static_cast<std::int64_t>(random() % 997)) {
    factors[static_cast<std::size_t>(i)] = T(0.0f);
  }
  factors[reversed ? static_cast<std::size_t>(shape.length) - 1 : 0] =
      scan::convert<T>(std::numeric_limits<float>::quiet_NaN());
  const auto inits = tests::random_values<S>(tests::values::uniform, shape.outer);
  const array<T> a(factors, 0, random_end(random)), b(items, 1, random_end(random));
  const array<S> d_inits(inits, 0, random_end(random));
  const array<T> out[2] = {array<T>(items, 3, random_end(random)),
                           array<T>(items, 3, random_end(random))};
  const array<S> totals[2] = {array<S>(inits, 0, random_end(random)),
                              array<S>(inits, 0, random_end(random))};
  scan::tensor_shape resolved{};
  REQUIRE(scan::resolve(shape, 0, sizeof(T), resolved).ok());
  device_limits limits;
  REQUIRE(current_limits(limits, nullptr).ok());
  limits.sm_count = 3;
  for (const bool second : {false, true}) {
    scan::options<S> opts;
    opts.total = totals[second].data();
    if (has_init) opts.init_pointer = d_inits.data();
    const auto described = describe_recurrence<reversed>(
        scan::recurrence_input<T>{b.data(), a.data()}, out[second].data(), resolved, opts);
    REQUIRE(tests::launch_chosen(described, opts, limits, [&](auto& to) {
              return choose(to, described, limits, second);
            }).ok());
  }
  CHECK(are_same(out[0].items(), out[1].items()));
  CHECK(are_same(totals[0].items(), totals[1].items()));
}
/// By rounds, or who else takes rows so long.
template <bool is_held>
constexpr auto rounds_or =
    [](auto& to, const auto& scan, const scan::device::device_limits& limits, bool second) {
      using namespace scan::device;
      constexpr int bytes = sizeof(typename std::decay_t<decltype(scan)>::in_type);
      const auto plan = plan_rounds(vectors_of(scan.shape.length, bytes), bytes, 2, true);
      REQUIRE((plan.run == 5 && (plan.tiles_per_row == 1) == is_held));
      if (!second) return choose_row_rounds<5, true>(to, scan, plan, limits);
      if constexpr (is_held) return choose_row_rounds<5, false>(to, scan, plan, limits);
      bool chosen = false;
      return choose_ring_rows(to, scan, limits, chosen);
    };
TEST_CASE("emulated recurrences of long rows have the same bits in the ring") {
  if (EMULATED_ARCH < 900) return;
  draw(6, 0, {"ring_kernel", "row_round_kernel"}, [](std::mt19937_64& random) {
    const auto below = [&](std::int64_t n) { return static_cast<std::int64_t>(random() % n); };
    const scan::extents shape{1 + below(3), 20500 + below(60000), 1};
    check_carriers<false, double>(shape, below(2) == 0, random, rounds_or<false>);
    check_carriers<true, __nv_bfloat16>(shape, below(2) == 0, random, rounds_or<false>);
    check_carriers<true, float>(shape, below(2) == 0, random, rounds_or<false>);
  });
}
TEST_CASE("emulated recurrences of rows of a tile have the same bits in registers") {
  if (EMULATED_ARCH < 900) return;
  draw(6, 0, {"held_row_kernel", "row_round_kernel"}, [](std::mt19937_64& random) {
    const auto below = [&](std::int64_t n) { return static_cast<std::int64_t>(random() % n); };
    // (From a lane's fourth vector on; whole granules now and then.)
    const auto length = [&](std::int64_t most) {
      const std::int64_t any = most / 2 + 1 + below(most / 2);
      return below(3) == 0 ? any / 8 * 8 : any;
    };
    check_carriers<false, double>({1 + below(3), length(3200), 1}, below(2) == 0, random,
                                  rounds_or<true>);
    check_carriers<true, __nv_bfloat16>({1 + below(3), length(20480), 1}, below(2) == 0, random,
                                        rounds_or<true>);
    check_carriers<true, float>({1 + below(3), length(10240), 1}, below(2) == 0, random,
                                rounds_or<true>);
  });
}

}  // namespace
