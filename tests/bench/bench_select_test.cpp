// The suite "select": its cells, which elements they keep, and what is told of them.
#include <doctest/doctest.h>

#include <cstdint>
#include <map>
#include <sstream>
#include <string>

#include "bench/contenders/contenders.hpp"
#include "bench/data/pick_pattern.hpp"
#include "bench/report/output.hpp"
#include "bench/report/report.hpp"

namespace {

constexpr std::int64_t kib = 1024, mib = 1024 * kib;

using bench::picks;
using bench::select_op;

/// Whether the pattern has this element kept.
bool keeps(const picks& what, std::int64_t item) {
  const std::int64_t stretch = item >> what.log_run;
  const std::int64_t group = stretch / bench::stretches_per_group;
  const std::int64_t num_kept =
      bench::stretches_before(what, group + 1) - bench::stretches_before(what, group);
  return bench::is_kept(what, group, static_cast<int>(stretch % bench::stretches_per_group),
                        num_kept);
}

}  // namespace

TEST_SUITE("bench") {
  TEST_CASE("compactions that are drawn are the same everywhere, and of every kind") {
    const bench::random_draw draw = bench::usual_draw("select");
    REQUIRE((draw.num_cells == 100 && draw.from_bytes == 256 * kib && draw.to_bytes == 1024 * mib));
    std::map<std::string, int> kinds, kept, types;
    const auto cells = bench::suite_cells("select", {3, 3000, draw.from_bytes, draw.to_bytes});
    REQUIRE(cells.size() == 3000);
    REQUIRE(cells[0].name() ==
            bench::select_cells({3, 1, draw.from_bytes, draw.to_bytes})[0].name());
    for (const bench::cell& what : cells) {
      ++kinds[what.shape_class()];
      ++kept[std::to_string(what.picked.percent) + (what.picked.log_run > 0 ? " in runs" : "")];
      ++types[what.types_name()];
      REQUIRE(what.bytes_per_side() <= 1100 * mib);
      REQUIRE(what.slot_bytes() >= what.bytes_per_side());
      REQUIRE(what.count_offset() % 256 == 0);
    }
    CHECK(kinds.size() == 7);
    CHECK(kept.size() == 12);
    CHECK(types.size() == 3);
    for (const auto& [kind, count] : kinds) CHECK_MESSAGE((count > 360 && count < 500), kind);
    for (const auto& [kind, count] : kept) CHECK_MESSAGE((count > 180 && count < 320), kind);
  }

  TEST_CASE("how many are kept is known ahead: about as many as were asked for") {
    for (const int percent : {0, 1, 10, 50, 90, 100}) {
      for (const int log_run : {0, 3, 10}) {
        for (const select_op op : {select_op::select, select_op::unique}) {
          const picks what{.op = op, .percent = percent, .log_run = log_run, .seed = 77};
          std::int64_t count = 0, item = 0, in_a_row = 0, longest = 0;
          for (const std::int64_t n : {1, 1000, 70'001, 3'000'017}) {
            for (; item < n; ++item) {
              const bool kept = keeps(what, item) || (item == 0 && op == select_op::unique);
              count += kept;
              in_a_row = kept ? in_a_row + 1 : 0;
              longest = std::max(longest, in_a_row);
            }
            REQUIRE(bench::count_kept(what, n) == count);
          }
          CHECK(std::abs(static_cast<double>(count) / 3e6 - percent / 100.0) < 0.02);
          if (percent == 50) CHECK((longest > 8 << log_run && longest < 64 << log_run));
        }
      }
    }
  }

  TEST_CASE("bytes are those that are read and written, and results are told by kind") {
    bench::cell what{.scan = bench::scan_index<std::int32_t>(),
                     .num_items = 32 * mib,
                     .rivals = bench::cell_rivals::selections};
    what.picked.num_kept = 16 * mib;
    CHECK(what.bytes_per_side() == (4 + 1 + 2) * 16 * mib);
    CHECK(what.name() == "i32 select 2^25, 50 % kept at random");
    what.picked.op = select_op::partition;
    CHECK(what.bytes_per_side() == (4 + 1 + 4) * 16 * mib);
    what.picked.op = select_op::indices;
    CHECK(what.bytes_per_side() == (1 + 2) * 16 * mib);
    what.picked.op = select_op::unique;
    CHECK(what.bytes_per_side() == (4 + 2) * 16 * mib);
    what.picked.op = select_op::runs;
    CHECK(what.bytes_per_side() == (4 + 4) * 16 * mib);
    what.picked.op = select_op::select;
    what.picked.bits = true;
    CHECK(what.bytes_per_side() == (4 + 2) * 16 * mib + 2 * mib);

    bench::suite_report run{"select", "a GPU", 9, {"9.9.9"}, {}, {}};
    bench::cell_result result{what, {}, {}};
    for (const auto& [name, us] :
         std::map<std::string, double>{{bench::scan_name, 2},
                                       {"CUB 9.9.9", 3},
                                       {bench::copy_kernel_name, 1},
                                       {bench::waiting_scan_name, 10},
                                       {"Thrust 9.9.9, which waits", 25}}) {
      result.measurements.push_back({name, bench::all_right, us, us, us});
    }
    run.cells = {result};
    std::ostringstream table, json;
    bench::print_shapes(table, run);
    bench::write_json(json, run);
    CHECK(table.str().find("select, flag bits") != std::string::npos);
    CHECK(
        table.str().find("times Thrust's speed, both waiting     >= 1        1       0    2.500") !=
        std::string::npos);
    for (const char* told :
         {"\"class\": \"select, flag bits\"", "\"kept\": 16777216", "\"percent\": 50",
          "\"speedup_over_cub\": 1.5", "\"Thrust 9.9.9, which waits\"", "\"scan, which waits\""}) {
      CHECK_MESSAGE(json.str().find(told) != std::string::npos, told);
    }
  }
}
