// The ladder suites' tables, in Markdown, with the figures that others have published.

#include "bench/report/report.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "bench/report/text.hpp"

namespace bench {
namespace {

/// Milliseconds for n = 1e2, 1e3, .. 1e9 of int32.
struct published_row {
  const char* name;
  std::array<double, 8> ms;
};
constexpr std::array<published_row, 9> published_rows{{
    {"CPU loop; published, beside an RTX 3070", {0, 0, 0.01, 0.07, 0.58, 4.56, 40, 406}},
    {"A1 bit_layers; published, RTX 3070", {.02, .02, .03, .05, .14, 1.16, 12.5, 128}},
    {"A2 bit_three_kernel; published, RTX 3070", {.02, .02, .02, .03, .10, .80, 8.2, 79}},
    {"A2 with shared memory; published, RTX 3070", {.02, .02, .02, .03, .09, .67, 6.9, 66}},
    {"A2 unrolled too; published, RTX 3070", {.02, .02, .02, .03, .08, .64, 6.6, 64}},
    {"B blelloch; published, RTX 3070", {.02, .02, .04, .05, .13, .68, 6.1, 54}},
    {"A3 bit_two_kernel; published, RTX 4090", {.19, .19, .19, .19, .22, .39, 2.11, 19.46}},
    {"B blelloch; published, RTX 4090", {.02, .02, .03, .03, .08, .31, 2.23, 19.59}},
    {"CUB; published, RTX 4090", {.03, .03, .03, .04, .04, .07, .87, 8.69}},
}};

std::string text_at(const published_row& row, std::int64_t num_items) {
  std::int64_t n = 100;
  for (const double ms : row.ms) {
    if (n == num_items) return text("%g ms", ms);
    n *= 10;
  }
  return "-";
}

/// A single figure that was published of a contender.
struct published_figure {
  const char* name_start;
  const char* figure;
};
constexpr published_figure ladder_figures[] = {
    {"C1", "72390 us"}, {"C2", "33726 us"}, {"C3", "9948 us"}, {"C4", "7595 us"},
    {"C5", "7516 us"},  {"C6", "3972 us"},  {"C7", "3747 us"}, {"C8", "3442 us"},
    {"D1", "3503 us"},  {"D2", "2467 us"},  {"CUB", "1444 us"}};
constexpr published_figure blocks_figures[] = {{"E0", "824 GB/s, 25.0 %"},
                                               {"E1", "1289 GB/s, 39.1 %"},
                                               {"E2", "1617 GB/s, 49.0 %"},
                                               {"E3", "1976 GB/s, 59.9 %"},
                                               {"E4", "3057 GB/s, 92.6 %"}};

using figures = std::span<const published_figure>;
std::string figure_of(const std::string& name, figures all) {
  for (const published_figure& published : all) {
    if (name.starts_with(published.name_start)) return published.figure;
  }
  return "";
}

/// Names of all contenders of the run, in their order.
std::vector<std::string> names_of(const suite_report& run) {
  std::vector<std::string> names;
  for (const cell_result& result : run.cells) {
    for (const measurement& m : result.measurements) {
      if (std::find(names.begin(), names.end(), m.name) == names.end()) names.push_back(m.name);
    }
  }
  return names;
}

using cell_text = std::function<std::string(const cell_result&, double us)>;

/// A row a contender, a column a cell, and what was published of it.
void print_table(std::ostream& to, const suite_report& run, const char* published, figures all,
                 const cell_text& text_of) {
  std::string rule = "|---|";
  to << "\n| int32 |";
  for (const cell_result& result : run.cells) {
    to << " n = " << items_text(result.what.num_items) << " |";
    rule += "---|";
  }
  to << ' ' << published << " |\n" << rule << "---|\n";
  for (const std::string& name : names_of(run)) {
    to << "| " << name << " |";
    for (const cell_result& result : run.cells) {
      const double us = result.us(name);
      to << ' ' << (us > 0 ? text_of(result, us) : "-") << " |";
    }
    to << ' ' << figure_of(name, all) << " |\n";
  }
}

}  // namespace

void print_ladder(std::ostream& to, const suite_report& run) {
  print_table(to, run, "published, n and GPU not stated", ladder_figures,
              [](const cell_result& result, double us) {
                return time_text(us) + text(", %.2f", cell_result::ratio(result.copy_us(), us));
              });
  for (const published_row& row : published_rows) {
    to << "| " << row.name << " |";
    for (const cell_result& result : run.cells) {
      to << ' ' << text_at(row, result.what.num_items) << " |";
    }
    to << " |\n";
  }
  print_skipped(to, run);
}

void print_blocks(std::ostream& to, const suite_report& run) {
  print_table(to, run, "published, H100, 2^30, share of its peak", blocks_figures,
              [](const cell_result& result, double us) {
                return text("%.0f GB/s, %.2f", result.gb_per_second(us),
                            cell_result::ratio(result.copy_us(), us));
              });
  print_skipped(to, run);
}

}  // namespace bench
