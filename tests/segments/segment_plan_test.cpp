// Launch plans of segmented scans that hold tiles in registers: plain numbers, no GPU.
#include "scan/device/plan/segment_plan.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>

#include "scan/call/segment_heads.hpp"

namespace {

using namespace scan::device;

constexpr int widths[] = {1, 2, 4, 8, 12, 16, 20, 32, 64};

/// Calls `visit` with plans of up to `most` elements, many of them where tiles become more.
template <class Visit>
void for_plans(int bytes, std::int64_t most, Visit visit) {
  const int fold_bytes = segment_fold_bytes(std::max(bytes, 4));
  for (const bool valued : {false, true}) {
    for (const bool has_clusters : {false, true}) {
      for (std::int64_t n = 1; n < most; n += 1 + n / 61) {
        INFO(n, " of ", bytes, " bytes, valued ", valued, ", clusters ", has_clusters);
        visit(n, plan_segments(n, bytes, fold_bytes, valued, has_clusters), valued);
      }
    }
  }
}

}  // namespace

TEST_SUITE("segment plan") {
  TEST_CASE("totals without elements are written by one block, without states") {
    for (const int bytes : widths) {
      const int fold_bytes = segment_fold_bytes(std::max(bytes, 4));
      const segment_plan plan = plan_segments(0, bytes, fold_bytes, true, false);
      CHECK(plan.num_tiles == 1);
      CHECK(plan.in_cluster);
      CHECK(plan.states_bytes == 0);
      CHECK(plan.threads_per_block <= most_segment_threads(bytes, fold_bytes) + 32);
    }
  }

  TEST_CASE("tiles cover the items, and there are threads to hold them") {
    for (const int bytes : widths) {
      const int fold_bytes = segment_fold_bytes(std::max(bytes, 4));
      for_plans(bytes, std::int64_t{1} << 33, [&](auto n, const segment_plan& plan, bool valued) {
        CHECK(plan.num_tiles * plan.tile_items >= n);
        CHECK((plan.num_tiles - 1) * plan.tile_items < n);
        CHECK(plan.in_round == (!valued && n <= most_round_items(bytes, fold_bytes)));
        const int holders = plan.in_round ? plan.threads_per_block : plan.threads_per_block - 32;
        CHECK(holders % 32 == 0);
        CHECK(holders * plan.stripes * vector_items_for(bytes) >= plan.tile_items);
        if (plan.in_round) {
          CHECK(plan.num_tiles <= most_wave_tiles);
          CHECK(holders <= most_round_threads(bytes, fold_bytes, plan.stripes));
          CHECK((plan.stripes == few_round_stripes || plan.stripes == most_round_stripes));
          const int halo = halo_warps_of(plan, bytes);
          CHECK((plan.num_tiles > most_cluster_blocks) == (halo > 0));
          CHECK(holders + 32 * halo <= most_round_block(bytes, fold_bytes, plan.stripes));
        } else {
          CHECK(plan.stripes == 1);
          CHECK(holders <= most_segment_threads(bytes, fold_bytes));
        }
        CHECK((plan.states_bytes == 0) == plan.in_cluster);
        CHECK((!plan.in_cluster || plan.num_tiles <= most_cluster_blocks));
        if (valued) {
          CHECK(plan.tile_items <=
                most_valued_vectors(bytes, fold_bytes) * vector_items_for(bytes));
        }
      });
    }
  }

  TEST_CASE("a workspace for n elements has room for fewer, of narrower ones, too") {
    for (const int bytes : widths) {
      std::size_t most = 0;
      for_plans(bytes, std::int64_t{1} << 33, [&](auto n, const segment_plan& plan, bool) {
        if (n == 1) most = 0;
        most = std::max(most, plan.states_bytes);
        CHECK(most <= most_segment_states_bytes(n, bytes));
      });
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
