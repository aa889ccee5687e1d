// The documented association (association.hpp for rows, tensor_association.hpp for columns),
// evaluated on the host, gives the bits that the device gives for each sequence of a tensor.
// Skipped, with exit code 77, where there is no GPU.
#include <doctest/doctest.h>

#include <cstring>
#include <stdexcept>
#include <string>

#include "scan/scan.hpp"
#include "tests/support/device_memory.hpp"
#include "tests/support/interval.hpp"
#include "tests/support/rounded_values.hpp"
#include "tests/support/run_tests.hpp"
#include "tests/tensors/tensor_order.hpp"
#include "tests/tensors/tensor_reference.hpp"

namespace {

using tests::parenthesize;
using tests::skipped;
using tests::tensor_case;

/// The largest error of states against a loop in long double, in units of the bound: of each b(k)
/// a(k+1) .. a(i) at most i - k + chain roundings.
double worst_of_bound(const std::vector<tests::modelled_map<float>>& x,
                      const std::vector<tests::modelled_map<float>>& states, double chain) {
  long double h = 0, magnitude = 0, weighted = 0, worst = 0;  // weighted: by i - k
  for (std::size_t i = 0; i < x.size(); ++i) {
    const long double a = x[i].factor, b = x[i].offset;
    h = a * h + b;
    weighted = std::abs(a) * (weighted + magnitude);
    magnitude = std::abs(a) * magnitude + std::abs(b);
    const long double bound = 0x1p-24L * (weighted + chain * magnitude);
    worst = std::max(worst, std::abs(states[i].offset - h) / bound);
  }
  return static_cast<double>(worst);
}

/// In the orders of a row and of a column; `is_impulse`: only the first b is not 0.
void check_bound(float least, float most, bool is_impulse) {
  CAPTURE(least);
  constexpr std::int64_t length = 300000;
  const auto fractions = tests::random_values<float>(tests::values::uniform, 2 * length);
  std::vector<tests::modelled_map<float>> x;
  for (std::size_t i = 0; i < length; ++i) {
    const float b = is_impulse ? float(i == 0) : 2 * fractions[2 * i] - 1;
    x.push_back({least + (most - least) * fractions[2 * i + 1], b, false});
  }
  const tests::compose_fused op;
  for (const bool has_ring : {false, true}) {
    const auto tiles = tests::rounds_of(length, 4, 2, has_ring);
    const auto row = tests::device_association(x, op, tiles, false, {}, x[0]);
    CHECK(worst_of_bound(x, row.results, 10 * 4 + 18 + length / tiles.tile_items / 32 + 1) < 1);
  }
  const auto cut =
      scan::device::cut_columns(scan::device::column_tuning_for({4, 4, 8, 2}), 1, length, 64);
  const auto column = tests::column_association(x, op, cut, false, {}, x[0]);
  const auto num_spans = static_cast<double>(length / cut.tile_rows / 128 + 1);
  CHECK(worst_of_bound(x, column.results, 2 * cut.group_rows + 30 + num_spans) < 1);
  const int run_rows = scan::device::walk_run_rows(4, 2),
            warps = scan::device::most_column_warps(8);
  const auto walked = tests::column_walk_association(
      x, op, run_rows, 1, warps, false, tests::walked_prefix<tests::modelled_map<float>>({}), x[0]);
  const auto walked_spans = static_cast<double>(length / (run_rows * warps) / 128 + 1);
  CHECK(worst_of_bound(x, walked.results, 2 * run_rows + 48 + walked_spans) < 1);
  const auto tuned = scan::device::column_ring_tuning_for(4, 4, 2);
  const auto ring = scan::device::plan_column_ring(tuned, length, 3);
  const auto in_ring = tests::column_ring_association(x, op, tuned, 3, false, {}, x[0]);
  const auto batches = static_cast<double>(ring.tiles_per_slab / 8 + 1);
  CHECK(worst_of_bound(x, in_ring.results, 2 * ring.run_rows + 5 + tuned.scan_warps + 8 + batches) <
        1);
  const auto in_strips = tests::strip_association(x, op, 4, 2, 64, false, {}, x[0]);
  CHECK(worst_of_bound(x, in_strips.results,
                       2 * 32 + 8 + 8 + static_cast<double>(length / 2048 + 1)) < 1);
}

/// Rows of every kernel; columns in one group, several, several tiles, batches and spans; up to
/// some thousand rows in registers, longer ones elsewhere.
template <class Kind>
void check_kind() {
  std::uint64_t turn = 0;
  for (const scan::extents& shape : std::vector<scan::extents>{
           {300, 3, 1, 0, 0},    {40, 20, 1, 0, 0},     {20, 100, 1, 0, 0},    {9, 129, 1, 0, 0},
           {9, 400, 1, 0, 0},    {5, 1000, 1, 0, 0},    {5, 4000, 1, 0, 0},    {3, 9000, 1, 0, 0},
           {3, 70001, 1, 0, 0},  {2, 300001, 1, 0, 0},  {2, 1100001, 1, 0, 0}, {1, 20, 30, 0, 0},
           {50, 7, 2, 0, 0},     {4, 100, 5, 0, 0},     {3, 529, 7, 0, 0},     {1, 1000, 33, 0, 0},
           {2, 3000, 64, 0, 0},  {1, 40000, 16, 0, 0},  {1, 70000, 3, 0, 0},   {1, 300000, 2, 0, 0},
           {1, 5000, 300, 0, 0}, {1, 200000, 17, 0, 0}, {1, 4097, 128, 0, 0},  {1, 100, 2000, 0, 0},
           {2, 90001, 9, 0, 0},  {1, 40000, 32, 0, 0},  {1, 3000001, 2, 0, 0}, {3, 4000, 64, 0, 0},
           {2, 3000, 80, 0, 0},  {2, 2600, 176, 0, 0},  {3, 4400, 64, 0, 0},   {1, 4200, 41, 0, 0},
           {2, 4300, 176, 0, 0}, {2, 900, 30, 0, 0},    {1, 1472, 16, 0, 0}}) {
    for (int bits = 0; bits < 8; ++bits) {
      const bool small = shape.outer * shape.length * shape.inner < 200000;
      if (!small && ++turn % 4 != 0) continue;
      tensor_case c;
      c.shape = shape;
      c.exclusive = !Kind::recurrence && (bits & 1) != 0;
      c.with_total = Kind::recurrence && (bits & 1) != 0;  // with factors of 0
      c.reverse = (bits & 2) != 0;
      c.init = (bits & 4) != 0 ? tests::sequence_init::by_pointer : tests::sequence_init::none;
      tests::check_order<Kind>(c);
      tests::check_order<Kind>(c, scan::algorithm::walk);
    }
  }
}

}  // namespace

TEST_SUITE("tensor association") {
  TEST_CASE("the model of columns associates as the formula says") {
    const std::vector<std::string> x{"a", "b", "c", "d", "e", "f", "g"};
    scan::device::column_plan cut{};
    cut.tile_rows = 6;
    cut.group_rows = 2;
    const auto scanned =
        tests::column_association<std::string>(x, parenthesize{}, cut, false, {}, "");
    CHECK(scanned.results == std::vector<std::string>{"a", "(ab)", "((ab)c)", "(((ab)c)d)",
                                                      "(((ab)(cd))e)", "((((ab)(cd))e)f)",
                                                      "(((ab)((cd)(ef)))g)"});
  }

  TEST_CASE("the model of columns scans: intervals in order, none twice, none lost") {
    for (const std::int64_t n : {1, 2, 33, 1000, 40007}) {
      std::vector<tests::interval> x;
      for (std::int64_t i = 0; i < n; ++i) x.push_back({i, i + 1});
      for (const int rows : {1, 3, 17, 100}) {
        scan::device::column_plan cut{};
        cut.tile_rows = 5 * rows;
        cut.group_rows = rows;
        const auto scanned = tests::column_association<tests::interval>(
            x, tests::concatenate{}, cut, true, tests::interval{-7, 0}, {});
        for (std::int64_t i = 0; i < n; ++i) {
          REQUIRE(scanned.results[static_cast<std::size_t>(i)] == tests::interval{-7, i});
        }
        REQUIRE(*scanned.total == tests::interval{-7, n});
      }
    }
  }

  TEST_CASE("recurrences in that order are within their bound") {
    for (const bool is_impulse : {false, true}) {
      check_bound(1.00005f, 1.00005f, is_impulse);
      check_bound(0.999f, 1.001f, is_impulse);
    }
    check_bound(0, 1, false);
    check_bound(-1, 1, false);
    check_bound(0.999f, 0.999f, false);
  }

  TEST_CASE("sums on the device give the formulas' bits") {
    if (skipped()) return;
    check_kind<tests::sums<float, float>>();
    check_kind<tests::sums<double, double>>();
    check_kind<tests::sums<__half, __half>>();
  }
  TEST_CASE("recurrences on the device give the formulas' bits") {
    if (skipped()) return;
    check_kind<tests::recurrences<float>>();
    check_kind<tests::recurrences<double>>();
    check_kind<tests::recurrences<__nv_bfloat16>>();
  }
}

int main(int argc, char** argv) { return tests::run_tests(argc, argv); }
