// Which cells the suites have, and what their report makes of measurements.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "bench/measure/report.hpp"
#include "bench/suites/contenders.hpp"

namespace {

bench::measurement timed(const std::string& name, double us) {
  return {name, bench::all_right, us, us, us};
}

/// A cell in which a copy takes 1 us, one CUB `cub_us` and another one more.
bench::cell_result measured(const bench::cell& what, double scan_us, double cub_us) {
  return {
      what,
      {timed(bench::scan_name, scan_us), timed("CUB 9.9.9", cub_us + 1), timed("CUB 1.1.1", cub_us),
       timed(bench::memcpy_name, 3), timed(bench::copy_kernel_name, 1)},
      {}};
}

const bench::target& find(const std::vector<bench::target>& goals, const std::string& start) {
  const auto at = std::find_if(goals.begin(), goals.end(), [&](const bench::target& goal) {
    return goal.name.starts_with(start);
  });
  REQUIRE(at != goals.end());
  return *at;
}

}  // namespace

TEST_SUITE("bench") {
  TEST_CASE("no cell is measured twice, and quick ones are part of the speed suite") {
    std::set<std::string> names;
    for (const bench::cell& what : bench::suite_cells("speed")) {
      CHECK_MESSAGE(names.insert(what.name()).second, what.name());
    }
    CHECK(names.size() > 500);
    for (const bench::cell& what : bench::suite_cells("quick")) {
      CHECK_MESSAGE(names.count(what.name()) == 1, what.name());
    }
  }

  TEST_CASE("a filter takes what has all that it names") {
    const bench::cell_filter only{"i64", "plus", false, {1 << 20}};
    int num_taken = 0;
    for (const bench::cell& what : bench::suite_cells("speed")) {
      if (!only.takes(what)) continue;
      ++num_taken;
      CHECK((what.in_type() == "i64" || what.out_type() == "i64"));
      CHECK((what.num_items == 1 << 20 && !what.exclusive && what.operator_name() == "plus"));
    }
    CHECK(num_taken == 5);  // plain, offset, in place, from u8, from i32
  }

  TEST_CASE("the command line's words lead to one list of scans") {
    int num_found = 0;
    for (const std::string& type : bench::type_words()) {
      for (const std::string& op : bench::operator_words()) {
        const auto scan = bench::plain_scan(type, op);
        if (!scan) continue;
        ++num_found;
        const bench::cell what{.scan = *scan, .num_items = 3, .exclusive = true, .offset = 2};
        CHECK(what.name() == type + " " + op + " exclusive 3, offset by 2");
      }
    }
    CHECK(num_found == 7 * 3);
    CHECK_FALSE_MESSAGE(bench::plain_scan("i16", "plus"), "measured by suites alone");
  }

  TEST_CASE("ratios are of the faster copy and the fastest CUB") {
    const bench::cell_result result = measured({.scan = 0, .num_items = 1 << 20}, 2, 3);
    CHECK(result.share_of_copy() == 0.5);
    CHECK(result.speedup_over_cub() == 1.5);
    CHECK(result.us(bench::stream_scan_name) == 0);
  }

  TEST_CASE("the worst cell decides whether a target is met") {
    bench::suite_report run{"speed", "a GPU", 9, {"1.1.1", "9.9.9"}, {}, {}};
    run.cells = {measured({.scan = 0, .num_items = 1 << 20}, 1.25, 5),
                 measured({.scan = 0, .num_items = 1 << 21}, 2, 1.9),
                 measured({.scan = 0, .num_items = 1 << 24, .exclusive = true}, 1.25, 5),
                 measured({.scan = 0, .num_items = 1 << 20, .offset = 1}, 100, 200)};
    const auto goals = bench::targets_of(run);
    const bench::target& small = find(goals, "sums from 256 KiB");
    CHECK_FALSE(small.met());
    CHECK(small.worst == 0.5);
    CHECK(small.worst_cell == "u8 plus inclusive 2^21");
    CHECK(find(goals, "sums from 16 MiB").met());
    CHECK_MESSAGE(find(goals, "sums from 1 GiB").worst_cell.empty(), "nothing of it was measured");
    CHECK(find(goals, "speed-up over CUB: worst").worst == doctest::Approx(0.95));

    std::ostringstream table;
    bench::print_heading(table, run, run.cells.front().what);
    for (const bench::cell_result& result : run.cells) bench::print_cell(table, result, "1/4");
    bench::print_summary(table, run);
    CHECK(table.str().find("1 of 4 cells are slower than CUB") != std::string::npos);
    CHECK(table.str().find("WRONG") == std::string::npos);
  }

  TEST_CASE("the ladder's table has a row a contender, a column an n, and the published figures") {
    bench::suite_report run{"ladder", "a GPU", 9, {}, {}, {}};
    for (const bench::cell& what : bench::suite_cells("ladder")) {
      run.cells.push_back(measured(what, 2, 3));
      run.cells.back().measurements.push_back(timed("D1 reduce_then_scan", 4));
    }
    CHECK(run.cells.size() == 9);
    std::ostringstream table;
    bench::print_ladder(table, run);
    const std::string row = "| D1 reduce_then_scan | 4.00 us, 0.25 | 4.00 us, 0.25 |";
    CHECK(table.str().find(row) != std::string::npos);
    CHECK(table.str().find("| 3503 us |") != std::string::npos);
    CHECK(table.str().find("| 0.02 ms | 0.02 ms | 0.03 ms |") != std::string::npos);
    CHECK(table.str().find("| 40 ms | 406 ms | - | |") != std::string::npos);  // none for 2^28

    std::ostringstream blocks;
    run.cells = {measured(bench::suite_cells("blocks").front(), 2, 3)};
    run.cells[0].measurements.push_back(timed("E2 double buffer", 4));
    run.cells[0].measurements[0].first_wrong = 3;
    run.cells[0].measurements[0].median_us = 0;
    bench::print_blocks(blocks, run);
    CHECK(blocks.str().find("| E2 double buffer | 2097 GB/s, 0.25 | 1617 GB/s, 49.0 % |") !=
          std::string::npos);
    CHECK(blocks.str().find("| scan | - |") != std::string::npos);
  }

  TEST_CASE("what is wrong is told, and counts") {
    bench::suite_report run{"speed", "a GPU", 9, {}, {}, {}};
    run.cells = {measured({.scan = 0, .num_items = 1 << 20}, 2, 1.9)};
    CHECK(run.all_right());
    run.cells[0].measurements[1].first_wrong = 77;
    CHECK_FALSE(run.all_right());
    std::ostringstream table;
    bench::print_summary(table, run);
    CHECK(table.str().find("CUB 9.9.9: WRONG, first at index 77") != std::string::npos);
    run.cells = {{{.scan = 0, .num_items = 1}, {}, "out of memory"}};
    CHECK_FALSE(run.all_right());
  }
}
