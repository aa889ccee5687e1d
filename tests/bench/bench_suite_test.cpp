// Which cells the suites have, and what their report makes of measurements.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "bench/contenders/contenders.hpp"
#include "bench/report/report.hpp"

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

constexpr int many = 40'000;

/// Of the cells drawn, how many of `many` are like that.
double share_of(const std::vector<bench::cell>& cells, const auto& like_that) {
  return static_cast<double>(std::count_if(cells.begin(), cells.end(), like_that)) /
         static_cast<double>(cells.size());
}

/// Within five standard deviations of many random numbers.
bool is_about(double share, double expected) {
  return std::abs(share - expected) < 5 * std::sqrt(expected * (1 - expected) / many);
}

}  // namespace

TEST_SUITE("bench") {
  TEST_CASE("random cells are the same everywhere for the same seed") {
    std::vector<std::string> names;
    for (const bench::cell& what : bench::suite_cells("random")) names.push_back(what.name());
    REQUIRE(names.size() == 200);
    // As another program draws them.
    CHECK(names[0] == "i32 maximum inclusive 662831112");
    CHECK(names[1] == "f16 maximum inclusive 106420, warm");
    CHECK(names[2] == "f32 maximum inclusive 5386509, warm");
    CHECK(names[4] == "bf16 plus inclusive 8650");
    CHECK(names[6] == "f64 maximum inclusive 4852, offsets 5 15, warm");
    CHECK(names[7] == "i32 plus inclusive 536859925");

    const auto cells_of = [](std::uint64_t seed, std::int64_t from, std::int64_t to) {
      return bench::random_cells({seed, 50, from, to});
    };
    const auto here = cells_of(7, 256, 4096), other = cells_of(8, 256, 4096);
    const auto small = cells_of(7, 100, 101);
    int num_equal = 0;
    for (std::size_t i = 0; i < here.size(); ++i) {
      num_equal += here[i].name() == other[i].name();
      CHECK_MESSAGE(here[i].scan == small[i].scan, "sizes change nothing else");
      CHECK(here[i].warm == small[i].warm);
      CHECK(small[i].num_items == 100 / small[i].in_bytes());
    }
    CHECK(num_equal == 0);
  }

  TEST_CASE("random cells are distributed as they are said to be") {
    const auto cells = bench::random_cells({2, many, 256, std::int64_t{4} << 30});
    CHECK(is_about(share_of(cells, [](auto& c) { return c.warm; }), 0.5));
    CHECK(is_about(share_of(cells, [](auto& c) { return c.in_place; }), 0.125));
    CHECK(is_about(share_of(cells, [](auto& c) { return c.operator_name() == "plus"; }), 0.5));
    const auto is_off = [](auto& c) { return c.in_offset + c.out_offset > 0; };
    CHECK(is_about(share_of(cells, is_off), 0.25));
    for (const char* type : {"u8", "i16", "f16", "bf16", "i32", "f32", "i64", "f64"}) {
      CHECK(is_about(share_of(cells, [&](auto& c) { return c.in_type() == type; }), 0.125));
    }
    // Bytes: as many in each of the 24 powers of two; elements: as many odd as even.
    for (int k = 8; k < 32; ++k) {
      const auto within = [=](auto& c) {
        return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(c.bytes_per_side()))) ==
               k + 1;
      };
      CHECK(is_about(share_of(cells, within), 1.0 / 24));
    }
    CHECK(is_about(share_of(cells, [](auto& c) { return c.num_items % 2 == 1; }), 0.5));
    for (const bench::cell& c : cells) {
      REQUIRE((c.num_items >= 1 && c.bytes_per_side() >= 256));
      REQUIRE(c.bytes_per_side() < std::int64_t{4} << 30);
      REQUIRE((!c.exclusive && c.in_type() == c.out_type()));
      REQUIRE((c.rivals == bench::cell_rivals::peers && !c.stream_time && !c.host_time));
    }
  }

  TEST_CASE("offsets of random cells are independent, but for those in place") {
    std::array<std::array<int, 16>, 16> counts{};
    int num_off = 0;
    for (const bench::cell& c : bench::random_cells({3, many, 256, 4096})) {
      REQUIRE((c.in_offset >= 0 && c.in_offset < 16 && c.out_offset >= 0 && c.out_offset < 16));
      if (c.in_place) {
        REQUIRE(c.in_offset == c.out_offset);
      } else if (c.in_offset + c.out_offset > 0) {
        ++counts[static_cast<std::size_t>(c.in_offset)][static_cast<std::size_t>(c.out_offset)];
        ++num_off;
      }
    }
    double chi_square = 0;  // 254 degrees of freedom: 400 is six standard deviations more
    const double expected = num_off / 255.0;
    for (std::size_t i = 1; i < 256; ++i) {
      const double difference = counts[i / 16][i % 16] - expected;
      chi_square += difference * difference / expected;
    }
    CHECK(chi_square < 400);
  }

  TEST_CASE("edges are what they are compared with, in turns; chains are sums of int32") {
    const auto edges = bench::suite_cells("edges");
    REQUIRE(edges.size() == 4 * (8 * 19 - 2));
    for (std::size_t i = 0; i < edges.size(); i += 4) {
      const bench::cell &even = edges[i], &one_more = edges[i + 1], &off = edges[i + 2];
      CHECK(std::has_single_bit(static_cast<std::uint64_t>(even.num_items)));
      CHECK((even.bytes_per_side() <= 256 << 20 && !even.misaligned()));
      CHECK((one_more.num_items == even.num_items + 1 && !one_more.misaligned()));
      CHECK((off.num_items == even.num_items && off.in_offset == 1 && off.out_offset == 1));
      CHECK((edges[i + 3].in_offset == 1 && edges[i + 3].out_offset == 2));
      for (std::size_t j = i; j < i + 4; ++j) CHECK(edges[j].scan == even.scan);
    }
    const auto chain = bench::suite_cells("chain");
    REQUIRE(chain.size() == 5);
    CHECK(chain.front().bytes_per_side() == 4 << 10);
    CHECK(chain.back().bytes_per_side() == 1 << 20);
  }

  TEST_CASE("offsets are of elements, alignment is of bytes") {
    bench::cell what{.scan = *bench::plain_scan("f64", "plus"), .num_items = 3};
    what.in_offset = 2;
    CHECK_FALSE(what.misaligned());
    what.out_offset = 3;
    what.warm = true;
    CHECK(what.misaligned());
    CHECK(what.slot_bytes() == 6 * 8);
    CHECK(what.name() == "f64 plus inclusive 3, offsets 2 3, warm");
  }

  TEST_CASE("random cells are summed up by size, the worst first") {
    bench::suite_report run{"random", "a GPU", 9, {}, {}, {}};
    for (const double cub_us : {1.9, 1.5, 8.0}) {
      run.cells.push_back(measured({.scan = 0, .num_items = 1 << 20}, 2, cub_us));
    }
    run.cells.push_back(measured({.scan = 0, .num_items = 4095}, 2, 1.96));
    run.cells.push_back({{.scan = 0, .num_items = 5}, {}, "out of memory"});
    std::ostringstream table;
    bench::print_random(table, run);
    const auto holds = [&](const char* row) { return table.str().find(row) != std::string::npos; };
    //    cells, mean, worst, slower than 0.97, share of copy
    CHECK(
        holds("256 B - 4 KiB         1     0.98     0.98      0     0.50  u8 plus inclusive 4095"));
    CHECK(
        holds("256 KiB - 4 MiB       3     1.42     0.75      2     0.50  u8 plus inclusive 2^20"));
    CHECK(holds("all                   4     1.29     0.75      2     0.50"));
    CHECK(holds("1 wrong"));
    CHECK(table.str().find("  0.750 ") < table.str().find("  0.950 "));
    CHECK(holds("FAILED: out of memory"));
  }

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
        const bench::cell what{
            .scan = *scan, .num_items = 3, .exclusive = true, .in_offset = 2, .out_offset = 2};
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
    run.cells = {
        measured({.scan = 0, .num_items = 1 << 20}, 1.25, 5),
        measured({.scan = 0, .num_items = 1 << 21}, 2, 1.9),
        measured({.scan = 0, .num_items = 1 << 24, .exclusive = true}, 1.25, 5),
        measured({.scan = 0, .num_items = 1 << 20, .in_offset = 1, .out_offset = 1}, 100, 200)};
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
