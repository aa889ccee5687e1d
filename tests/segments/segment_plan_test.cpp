// Launch plans of segmented scans that hold tiles in registers: plain numbers, no GPU.
#include "scan/device/plan/segment_plan.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>

#include "scan/call/recurrence_maps.hpp"
#include "scan/call/segment_heads.hpp"

namespace {

using namespace scan::device;

constexpr int widths[] = {1, 2, 4, 8, 12, 16, 20, 32, 64};

/// Calls `visit` with plans, many of them where tiles become more.
template <class Visit>
void for_plans(int bytes, int fold_bytes, Visit visit) {
  for (const auto rounds : {segment_rounds::lean, segment_rounds::valued}) {
    const std::int64_t end =
        1 + (rounds == segment_rounds::lean ? most_round_items(bytes, fold_bytes)
                                            : most_valued_items(bytes, fold_bytes, false));
    for (const bool has_clusters : {false, true}) {
      for (std::int64_t n = 1; n < end; n += 1 + n / 61) {
        INFO(n, " of ", bytes, " bytes, for ", static_cast<int>(rounds), ", clusters ",
             has_clusters);
        visit(n, plan_segments(n, bytes, fold_bytes, rounds, has_clusters), rounds);
      }
    }
  }
}

}  // namespace

TEST_SUITE("segment plan") {
  TEST_CASE("totals without elements are written by one block, without states") {
    for (const int bytes : widths) {
      const int fold_bytes = segment_fold_bytes(std::max(bytes, 4));
      const segment_plan plan = plan_segments(0, bytes, fold_bytes, segment_rounds::valued, false);
      CHECK(plan.num_tiles == 1);
      CHECK(plan.in_cluster);
      CHECK(plan.states_bytes == 0);
      CHECK(plan.threads_per_block <= most_valued_block(bytes, fold_bytes));
    }
  }

  TEST_CASE("tiles cover the items, and there are threads to hold them") {
    // (Of sums, and of recurrences, whose folds are two states.)
    const auto check = [](int bytes, int fold_bytes) {
      for_plans(bytes, fold_bytes, [&](auto n, const segment_plan& plan, auto rounds) {
        const bool lean = rounds == segment_rounds::lean;
        CHECK(plan.num_tiles * plan.tile_items >= n);
        CHECK((plan.num_tiles - 1) * plan.tile_items < n);
        const int holders = plan.threads_per_block;
        CHECK(holders % 32 == 0);
        CHECK(holders * plan.stripes * vector_items_for(bytes) >= plan.tile_items);
        const bool has_halo = has_round(bytes, fold_bytes) &&
                              plan.num_tiles > most_cluster_blocks &&
                              (lean || plan.num_tiles <= most_wave_tiles);
        CHECK(has_halo == (plan.halo_warps > 0));
        if (lean) {
          CHECK(plan.num_tiles <= most_round_tiles);
          CHECK((plan.stripes == few_round_stripes || plan.stripes == most_round_stripes));
          CHECK(holders + 32 * plan.halo_warps <=
                most_round_block(bytes, fold_bytes, plan.stripes));
        } else {
          CHECK(plan.stripes == few_round_stripes);
          CHECK(plan.num_tiles <= most_valued_tiles(false));
          CHECK(holders + 32 * plan.halo_warps <= most_valued_block(bytes, fold_bytes));
        }
        CHECK((plan.states_bytes == 0) == plan.in_cluster);
        CHECK((!plan.in_cluster || plan.num_tiles <= most_cluster_blocks));
      });
    };
    for (const int bytes : widths) {
      const int value_bytes = std::max(bytes, 4);
      check(bytes, segment_fold_bytes(value_bytes));
      if (bytes <= 8) check(bytes, 2 * value_bytes + value_bytes);
      if (bytes == 2 || bytes == 4) check(bytes, 2 * value_bytes + 4);
    }
  }

  TEST_CASE("a workspace for n elements has room for fewer, of narrower ones, too") {
    for (const int bytes : widths) {
      std::size_t most = 0;
      const int fold_bytes = segment_fold_bytes(std::max(bytes, 4));
      for_plans(bytes, fold_bytes, [&](auto n, const auto& plan, auto) {
        if (n == 1) most = 0;
        most = std::max(most, plan.states_bytes);
        CHECK(most <= most_segment_states_bytes(n, bytes));
      });
    }
    // In blocks without a ring, whose tiles differ by what is read, kept and stored.
    for (int in = 1; in <= 64; ++in) {
      for (int kept = 1; kept <= 64; kept += 1 + in % 3) {
        for (const int stored : {kept, 1, 7, in, 64}) {
          for (const int value : {1, kept, 33, 64}) {
            const int bytes = std::max({in, kept, stored, value});
            const int items =
                segment_block_tuning_for({in, kept, stored, value}, false).tile_items();
            INFO(in, " to ", kept, " to ", stored, " by ", value);
            for (const std::int64_t n : {1, 1000, 100000000}) {
              CHECK(scan::tile_states_bytes(tiles_of(n, items), segment_fold_bytes(value)) <=
                    most_segment_states_bytes(n, bytes));
            }
          }
        }
      }
    }
  }

  TEST_CASE("... and for recurrences, in tiles of either kernel") {
    for (const int bytes : {2, 4, 8}) {
      const int fold_bytes =
          static_cast<int>(bytes == 8 ? sizeof(scan::segment_fold<scan::affine_map<double>>)
                                      : sizeof(scan::segment_fold<scan::affine_map<float>>));
      for_plans(bytes, fold_bytes, [&](auto n, const auto& plan, auto rounds) {
        if (rounds != segment_rounds::lean && n <= most_valued_items(bytes, fold_bytes, true)) {
          CHECK(plan.states_bytes <= most_segment_states_bytes(n, bytes));
        }
        for (const int num_inputs : {1, 2}) {
          const int tile_items =
              segment_ring_tuning_for(bytes, num_inputs, true, true).ring.tile_items();
          CHECK(scan::tile_states_bytes(tiles_of(n, tile_items), fold_bytes) <=
                most_segment_states_bytes(n, bytes));
          const int state = std::max(bytes, 4);
          for (const block_bytes& each : {block_bytes{bytes, bytes, bytes, 2 * state},
                                          {bytes, state, bytes, 2 * state},
                                          {bytes, state, state, 2 * state}}) {
            const int items = segment_block_tuning_for(each, true).tile_items();
            CHECK(scan::tile_states_bytes(tiles_of(n, items), fold_bytes) <=
                  most_segment_states_bytes(n, bytes));
          }
        }
      });
    }
  }

  TEST_CASE("tiles of blocks without a ring fit 48 KiB, in vectors that fill words") {
    const auto check = [](const block_bytes& bytes, bool is_recurrence) {
      INFO(bytes.in, " to ", bytes.kept, " to ", bytes.stored, " bytes by ", bytes.fold);
      const ring_tuning tile = segment_block_tuning_for(bytes, is_recurrence);
      for (const int each : {bytes.in, bytes.kept, bytes.stored}) {
        const int vector = tile.vector_items * each;
        CHECK((vector <= 2 || vector % 4 == 0));
      }
      // Items of each array, results besides, and a fold a thread; bits, samples, barriers.
      const int of_item = bytes.in * (is_recurrence ? 2 : 1) +
                          (bytes.one_slot() ? 0 : std::max(bytes.kept, bytes.stored));
      const int threads = tile.scan_warps * 32, items = tile.tile_items();
      CHECK(items * of_item + threads * bytes.fold + items / 8 + 6500 < 48 * 1024);
      CHECK(tile.vectors_per_thread % 2 == 1);
      CHECK(segment_blocks_per_sm(bytes) * threads <= 1024);
    };
    for (int in = 1; in <= 64; ++in) {
      for (int kept = 1; kept <= 64; ++kept) {
        for (const int stored : {kept, 1, 4, 5, in, 64}) {
          for (const int value : {1, kept, 33, 64}) check({in, kept, stored, value}, false);
        }
      }
    }
    for (const int bytes : {2, 4, 8}) {
      const int state = std::max(bytes, 4);
      check({bytes, bytes, bytes, 2 * state}, true);
      check({bytes, state, bytes, 2 * state}, true);
      check({bytes, state, state, 2 * state}, true);
    }
  }

  TEST_CASE("where one round with values ends") {  // (as include/scan/README.md says)
    for (const int bytes : {2, 4, 8}) {
      const int fold_bytes = segment_fold_bytes(std::max(bytes, 4));
      CHECK(most_valued_items(bytes, fold_bytes, false) * bytes == 396 * 320 * 16);
      CHECK(most_valued_items(bytes, fold_bytes, true) * bytes == 264 * 320 * 16);
      const auto map_bytes =
          static_cast<int>(bytes == 8 ? sizeof(scan::segment_fold<scan::affine_map<double>>)
                                      : sizeof(scan::segment_fold<scan::affine_map<float>>));
      CHECK(most_valued_items(bytes, map_bytes, true) * bytes == 264 * 320 * 16);
    }
  }

  TEST_CASE("what a fold of a value takes") {
    struct alignas(16) wide {
      char bytes[16];
    };
    struct odd {
      char bytes[5];
    };
    CHECK(segment_fold_bytes(1) >= static_cast<int>(sizeof(scan::segment_fold<char>)));
    CHECK(segment_fold_bytes(4) == static_cast<int>(sizeof(scan::segment_fold<float>)));
    CHECK(segment_fold_bytes(5) >= static_cast<int>(sizeof(scan::segment_fold<odd>)));
    CHECK(segment_fold_bytes(8) == static_cast<int>(sizeof(scan::segment_fold<double>)));
    CHECK(segment_fold_bytes(16) == static_cast<int>(sizeof(scan::segment_fold<wide>)));
  }
}
