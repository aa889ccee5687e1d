// The suite "shapes": its cells, the elements they are measured on, and what its report makes of
// measurements.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "bench/cells/scans.hpp"
#include "bench/contenders/contenders.hpp"
#include "bench/data/shape_elements.hpp"
#include "bench/peers/row_recurrences.hpp"
#include "bench/report/output.hpp"
#include "bench/report/report.hpp"
#include "scan/recurrence.hpp"

namespace {

constexpr std::int64_t mib = std::int64_t{1} << 20;

bench::cell shaped(const scan::extents& shape, bool recurrence = false) {
  bench::cell what{.scan = bench::scan_index<float>(), .rivals = bench::cell_rivals::shapes};
  what.num_items = shape.outer * shape.length * shape.inner;
  what.shape = shape;
  what.recurrence = recurrence;
  return what;
}

/// A cell in which a copy takes 1 us; 0: there is no such contender.
bench::cell_result measured(const bench::cell& what, double scan_us, double cub_us,
                            double plain_us) {
  bench::cell_result result{what, {}, {}};
  const auto add = [&](const std::string& name, double us) {
    if (us > 0) result.measurements.push_back({name, bench::all_right, us, us, us});
  };
  add(bench::scan_name, scan_us);
  add(bench::one_sequence_name, plain_us);
  add("CUB by key 9.9.9", cub_us + (cub_us > 0 ? 1 : 0));
  add("CUB segmented 9.9.9", cub_us);
  add(bench::copy_kernel_name, 1);
  return result;
}

constexpr int many = 40'000;

bool is_about(const std::vector<bench::cell>& cells, double expected, const auto& like_that) {
  const auto count = std::count_if(cells.begin(), cells.end(), like_that);
  const double share = static_cast<double>(count) / static_cast<double>(cells.size());
  return std::abs(share - expected) < 5 * std::sqrt(expected * (1 - expected) / many);
}

template <class T>
float rounded(float value) {
  return scan::convert<float>(scan::convert<T>(value));
}

/// Whether every composition of up to 40 steps is exact, as are factors, offsets and states.
template <class T>
void check_recurrence(std::int64_t from) {
  const scan::compose_maps compose;
  for (std::int64_t first = from; first < from + 40; ++first) {
    const auto map_of = [&](std::int64_t number) {
      return scan::affine_map<float>{
          scan::convert<float>(bench::factor_of_recurrence<T>(number)),
          scan::convert<float>(bench::offset_of_recurrence<T>(number, number == from))};
    };
    scan::affine_map<float> fold = map_of(first);
    for (std::int64_t number = first; number < from + 40; ++number) {
      if (number > first) fold = compose(fold, map_of(number));
      const float state = bench::state_of_recurrence<T>(number);
      REQUIRE(rounded<T>(state) == state);
      const float before = first == from ? 0 : bench::state_of_recurrence<T>(first - 1);
      REQUIRE(fold.apply(before) == state);
      REQUIRE(std::abs(fold.factor) >= 1.0f / 16);
    }
  }
}

}  // namespace

TEST_SUITE("bench") {
  TEST_CASE("shapes that others were measured on are there in every type, and none twice") {
    std::set<std::string> names;
    const auto cells = bench::shape_cells({.num_cells = 1});
    for (std::size_t i = 0; i + 1 < cells.size(); ++i) {
      CHECK_MESSAGE(names.insert(cells[i].name()).second, cells[i].name());
      CHECK(cells[i].num_items > 0);
    }
    for (const char* kind : {"f32 plus", "bf16 plus", "i32 plus", "u8 to i32 plus",
                             "f32 recurrence", "bf16 recurrence"}) {
      for (const char* shape :
           {"65536 x 64", "65536 x 2^10", "2^12 x 2^12", "64 x 2^20", "8 x 2^24", "1000003 x 7",
            "333 x 77777", "(1, 2^12, 2^14)", "(1, 2^20, 64)", "(128, 2^12, 128)",
            "(8, 2^12, 2^11)", "3 x 2^28", "2^26 x 1", "(2^12, 2^12, 7)", "1 x 2^28"}) {
        std::string name = std::string(kind) + " " + shape;
        if (name.find("65536") != std::string::npos) name.replace(name.find("65536"), 5, "2^16");
        CHECK_MESSAGE(names.count(name) == 1, name);
      }
    }
  }

  TEST_CASE("recurrences have the shapes of models besides, and accelerated-scan takes some") {
    std::set<std::string> names;
    for (const bench::cell& what : bench::shape_cells({.num_cells = 1})) names.insert(what.name());
    for (const char* shape : {"64 x 256", "1536 x 2^12", "264 x 2^20", "(4, 2^14, 2^11)"}) {
      for (const char* type : {"f32", "bf16"}) {
        CHECK_MESSAGE(names.count(std::string(type) + " recurrence " + shape) == 1, shape);
        CHECK(names.count(std::string(type) + " plus " + shape) == 0);
      }
    }
    CHECK(bench::is_accelerated(64, 256, false));
    CHECK(bench::is_accelerated(64, 2048, true));
    CHECK_FALSE(bench::is_accelerated(64, 4096, true));  // it would write past the end
    CHECK(bench::is_accelerated(32767, 65536, false));
    CHECK_FALSE(bench::is_accelerated(32768, 65536, false));  // its places are of 32 bits
    CHECK_FALSE(bench::is_accelerated(64, 16, false));
    CHECK_FALSE(bench::is_accelerated(64, 768, false));
    CHECK_FALSE(bench::is_accelerated(64, 131072, false));
  }

  TEST_CASE("each class of shapes with a goal has cells of 64 MiB, and small ones have bytes") {
    std::map<std::string, int> large;
    int num_small = 0;
    for (const bench::cell& what : bench::shape_cells({.num_cells = 1})) {
      if (what.bytes_per_side() >= 64 * mib) ++large[what.shape_class()];
      num_small += what.bytes_per_side() >= mib / 4 && what.bytes_per_side() <= 16 * mib;
    }
    for (const char* of : {"rows, length >= 32", "rows, length 2..31", "columns, inner >= 64 bytes",
                           "inner 2.. below", "recurrences, rows", "recurrences, inner >= 2",
                           "a single row", "length 1"}) {
      CHECK_MESSAGE(large[of] >= 4, of);
    }
    CHECK(num_small >= 6 * 4 * 8);
  }

  TEST_CASE("shapes know their class, their bytes and their place in a slot") {
    CHECK(shaped({5, 32, 1}).shape_class() == "rows, length >= 32");
    CHECK(shaped({5, 31, 1}).shape_class() == "rows, length 2..31");
    CHECK(shaped({5, 9, 16}).shape_class() == "columns, inner >= 64 bytes");
    CHECK(shaped({1, 9, 15}).shape_class() == "inner 2.. below");
    CHECK(shaped({5, 1, 16}, true).shape_class() == "length 1");
    CHECK(shaped({1, 9, 1}).shape_class() == "a single row");
    CHECK(shaped({1, 9, 1}, true).shape_class() == "recurrences, rows");

    bench::cell what = shaped({3, 10, 2, 25, 30}, true);
    what.in_offset = 5;
    CHECK(what.name() == "f32 recurrence (3, 10, 2), pitches 25 30, offsets 5 0");
    CHECK(what.bytes_per_side() == 60 * 4 * 3 / 2);
    CHECK(what.factors_offset() == 512);  // (2 * 25 + 20 + 5) * 4, up to 256
    CHECK(what.slot_bytes() == 1024);
    CHECK(what.as_one_sequence().name() == "f32 recurrence 1 x 60");
    what.recurrence = false;
    what.shape.in_pitch = what.shape.out_pitch = 0;
    CHECK(what.name() == "f32 plus (3, 10, 2), offsets 5 0");
    CHECK(what.resolved_shape().in_pitch == 20);
  }

  TEST_CASE("shapes drawn at random are the same everywhere, and as they are said to be") {
    const auto drawn = bench::random_shape_cells(bench::usual_draw("shapes"));
    REQUIRE(drawn.size() == 100);
    // As another program draws them.
    CHECK(drawn[0].name() == "u8 to i32 plus (241, 2679, 80)");
    CHECK(drawn[2].name() == "f32 plus 1040 x 685, offset by 9");
    CHECK(drawn[4].name() == "bf16 recurrence 291740 x 4, pitches 8 8");
    CHECK(drawn[23].name() == "i32 plus (601, 3764, 28), pitches 105408 105433");
    CHECK(drawn[35].name() == "bf16 recurrence 6177 x 463, pitches 517 490");
    CHECK(bench::random_shape_cells({2, 1, mib / 4, mib}).front().name() != drawn[0].name());

    const auto cells = bench::random_shape_cells({3, many, mib / 4, 1024 * mib});
    CHECK(is_about(cells, 1.0 / 3, [](auto& c) { return c.recurrence; }));
    CHECK(is_about(cells, 1.0 / 6, [](auto& c) { return c.in_type() == "u8"; }));
    const auto is_off = [](auto& c) { return c.in_offset + c.out_offset > 0; };
    CHECK(is_about(cells, 0.25 * 255 / 256, is_off));
    for (const bench::cell& c : cells) {
      REQUIRE((c.bytes_per_side() >= mib / 4 && c.bytes_per_side() < 1024 * mib));
      const scan::tensor_shape of = c.resolved_shape();
      REQUIRE((of.outer > 0 && of.length > 0 && of.inner > 0));
      REQUIRE(of.outer * of.length * of.inner == c.num_items);
      REQUIRE((of.in_pitch >= of.length * of.inner && of.out_pitch >= of.length * of.inner));
    }
    for (const bench::cell& c : bench::random_shape_cells({4, 100, 1, 1})) {
      CHECK(c.num_items == 1);  // however narrow the range
    }
  }

  TEST_CASE("every association of a recurrence's steps, and of a tensor's sums, is exact") {
    for (const std::int64_t from : {0, 1, 1000, 123'456'789}) {
      check_recurrence<float>(from);
      check_recurrence<__nv_bfloat16>(from);
      float sum = 0;  // of a row that begins there
      for (std::int64_t number = from; number < from + 1000; ++number) {
        sum += scan::convert<float>(bench::element<__nv_bfloat16, scan::plus>(number, 0));
        REQUIRE(rounded<__nv_bfloat16>(sum) == sum);
      }
    }
  }

  TEST_CASE("steps of a tensor are numbered along its sequences") {
    const scan::tensor_shape of{3, 4, 5, 100, 20};
    std::set<std::int64_t> numbers, places;
    for (std::int64_t index = 0; index < 60; ++index) {
      const bench::numbered_step at = bench::step_of(index, of);
      CHECK(at.at(20, of.inner) == index);
      CHECK(at.at(100, of.inner) == index / 20 * 100 + index % 20);
      CHECK(at.step == index / 5 % 4);
      if (at.step > 0) CHECK(bench::step_of(index - 5, of).number == at.number - 1);
      if (at.step == 0) CHECK(numbers.count(at.number - 1) == 0);
      CHECK(numbers.insert(at.number).second);
    }
  }

  TEST_CASE("goals of shapes are told with median and worst, and kept as JSON") {
    bench::suite_report run{"shapes", "a GPU", 9, {"9.9.9"}, {}, {}};
    const std::int64_t n = 32 * mib;
    run.cells = {measured(shaped({n / 64, 64, 1}), 1.25, 5, 0),
                 measured(shaped({n / 128, 128, 1}), 1, 0.5, 0),
                 measured(shaped({n / 256, 256, 1}), 2, 4, 0),
                 measured(shaped({1, n, 1}), 1.03, 0, 1),
                 measured(shaped({1, 4096, 128}, true), 2.8, 0, 2),
                 measured(shaped({1, 1 << 20, 128}, true), 1.25, 0, 0)};
    std::ostringstream table;
    bench::print_heading(table, run, run.cells.front().what);
    for (const bench::cell_result& result : run.cells) bench::print_cell(table, result, "1/6");
    bench::print_shapes(table, run);
    const auto holds = [&](const std::string& row) {
      return table.str().find(row) != std::string::npos;
    };
    //                                             cells, missed, median, worst
    CHECK(
        holds("rows, length >= 32                     >= 0.9      3       2    0.800    0.500  "
              "f32 plus 2^17 x 256"));
    CHECK(holds("a single row: over the plain call      <= 1.02     1       1    1.030    1.030"));
    CHECK(holds("256 KiB - 16 MiB: over the plain call  <= 1.3      1       1    1.400    1.400"));
    CHECK(holds("recurrences, inner >= 2                >= 0.88     1       1    0.800    0.800"));
    CHECK(holds("times the speed of the best CUB        >= 1        3       1    2.000    0.500"));
    CHECK_FALSE(holds("WRONG"));
    CHECK_FALSE(holds("length 2..31"));

    run.cells[1].measurements[0].first_wrong = 77;
    run.skipped = {shaped({3, 1 << 28, 1})};
    std::ostringstream json, wrong;
    bench::write_json(json, run);
    bench::print_shapes(wrong, run);
    CHECK(wrong.str().find("scan: WRONG, first at index 77") != std::string::npos);
    for (const char* word :
         {R"("suite": "shapes")", R"("class": "recurrences, inner >= 2")", R"("inner": 128)",
          R"("outer": 524288)", R"("in_pitch": 64)", R"("over_one_sequence": 1.03)",
          R"("operator": "recurrence")", R"("first_wrong": 77)", R"("cells_drawn": 200)",
          R"("CUB segmented 9.9.9": {)", R"("name": "f32 plus 3 x 2^28")"}) {
      CHECK_MESSAGE(json.str().find(word) != std::string::npos, word);
    }
  }
}
