// The suite "segments": its cells, where their segments begin, and what its report makes of
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
#include "bench/data/elements.hpp"
#include "bench/report/output.hpp"
#include "bench/report/report.hpp"

namespace {

using bench::head_words;
using bench::length_law;

constexpr std::int64_t kib = 1024, mib = 1024 * kib;

bench::cell segments_of(std::int64_t num_items, const bench::ragged& segments) {
  return {.scan = bench::scan_index<float>(),
          .num_items = num_items,
          .rivals = bench::cell_rivals::segments,
          .segments = segments};
}

/// A cell in which a copy takes 1 us; 0: there is no such contender.
bench::cell_result measured(const bench::cell& what, double scan_us, double cub_us,
                            double thrust_us) {
  bench::cell_result result{what, {}, {}};
  const auto add = [&](const std::string& name, double us) {
    if (us > 0) result.measurements.push_back({name, bench::all_right, us, us, us});
  };
  add(bench::scan_name, scan_us);
  add("CUB by key 9.9.9", cub_us);
  add("Thrust by key 9.9.9", thrust_us);
  add(bench::copy_kernel_name, 1);
  return result;
}

/// Lengths from where segments begin, which has to be in order and to fill all elements.
std::vector<std::int64_t> lengths_of(const bench::ragged& segments, std::int64_t num_items) {
  const std::vector<std::int32_t> offsets = bench::ragged_offsets(segments, num_items);
  REQUIRE(static_cast<std::int64_t>(offsets.size()) == segments.num_segments + 1);
  REQUIRE((offsets.front() == 0 && offsets.back() == num_items));
  std::vector<std::int64_t> lengths;
  for (std::size_t i = 1; i < offsets.size(); ++i) lengths.push_back(offsets[i] - offsets[i - 1]);
  REQUIRE(*std::min_element(lengths.begin(), lengths.end()) >= 0);
  return lengths;
}

std::int64_t num_empty(const std::vector<std::int64_t>& lengths) {
  return std::count(lengths.begin(), lengths.end(), 0);
}

}  // namespace

TEST_SUITE("bench") {
  TEST_CASE("every distribution of lengths is there, told in every way, and none twice") {
    std::set<std::string> names;
    const auto cells = bench::segment_cells({.num_cells = 1});
    for (std::size_t i = 0; i + 1 < cells.size(); ++i) {
      CHECK_MESSAGE(names.insert(cells[i].name()).second, cells[i].name());
    }
    for (const std::string type : {"f32", "i32", "bf16"}) {
      for (const char* heads : {"int32 offsets", "keys", "flag bytes", "flag bits"}) {
        for (const char* lengths :
             {"length 1", "length 3", "length 1000", "Zipf", "a third empty", "one giant"}) {
          for (int k : {24, 26}) {
            const std::string n = "2^" + std::to_string(k + (type == "bf16"));
            const std::string name = type + " plus " + n + ", " + lengths + ", " + heads;
            CHECK_MESSAGE(names.count(name) == 1, name);
          }
        }
        CHECK(names.count(type + " plus 271435456, one giant, " + heads) == 1);
      }
    }
    CHECK(names.count("f32 plus 2^26, Zipf, int64 offsets") == 1);
    CHECK(names.count("bf16 recurrence 2^27, Zipf, flag bytes") == 1);
    const auto shapes = bench::suite_cells("shapes", {.num_cells = 1});
    CHECK(shapes.size() == bench::shape_cells({.num_cells = 1}).size() + cells.size());
  }

  TEST_CASE("goals of segments have cells: large ones, and small ones with heads counted") {
    std::map<std::string, int> large, small;
    auto cells = bench::segment_cells({.num_cells = 1});
    cells.pop_back();  // the one that is drawn
    for (const bench::cell& what : cells) {
      if (what.bytes_per_side() >= 64 * mib) ++large[what.shape_class()];
      const bool is_small = what.bytes_per_side() >= 64 * kib && what.bytes_per_side() <= 16 * mib;
      if (is_small) ++small[what.shape_class()];
    }
    CHECK(large["segments by offsets"] == 4 * 13);
    CHECK(large["segments by keys"] == 3 * 13);
    CHECK(large["segments by flags"] == 2 * 3 * 13);
    CHECK(small["segments by offsets"] == 4 * 30);
    CHECK(small["segments by keys"] == 3 * 30);
    CHECK(small["segments by flags"] == 2 * 3 * 30);
    CHECK(large["recurrences by segments"] == 2 * 3 * 6 * 2);
    CHECK(small["recurrences by segments"] == 2 * 3 * 6);
  }

  TEST_CASE("segments have the lengths that their law says") {
    CHECK(lengths_of({.num_segments = 4, .length = 3}, 11) ==
          std::vector<std::int64_t>{3, 3, 3, 2});
    CHECK(lengths_of({.law = length_law::one_giant, .num_segments = 5, .length = 3}, 1012) ==
          std::vector<std::int64_t>{3, 3, 1000, 3, 3});

    const bench::ragged zipf{.law = length_law::weighted, .num_segments = 100'000, .quarters = 4};
    std::vector<std::int64_t> lengths = lengths_of(zipf, 1'600'000);
    CHECK(num_empty(lengths) < 100'000 / 3);
    std::sort(lengths.rbegin(), lengths.rend());
    // The k-th longest has about 1/k of the longest ones' length.
    for (const std::size_t k : {100, 1000, 10'000}) {
      const double product = static_cast<double>(lengths[k - 1]) * static_cast<double>(k);
      CHECK(std::abs(std::log2(product / (static_cast<double>(lengths[999]) * 1000))) < 0.5);
    }

    const bench::ragged third{
        .law = length_law::weighted, .num_segments = 100'000, .empty_of_64 = 21};
    lengths = lengths_of(third, 800'000);
    CHECK(std::abs(static_cast<double>(num_empty(lengths)) / 1e5 - 21.0 / 64) < 0.06);
    CHECK(*std::max_element(lengths.begin(), lengths.end()) < 30);

    for (const bench::cell& what : bench::segment_cells({.num_cells = 1})) {
      if (what.segments.num_segments < 1'000'000) lengths_of(what.segments, what.num_items);
    }
    // All weights may be nothing.
    lengths = lengths_of({.law = length_law::weighted, .num_segments = 3, .empty_of_64 = 64}, 9);
    CHECK(lengths == std::vector<std::int64_t>{0, 0, 9});
  }

  TEST_CASE("segments know their bytes and their place in a slot") {
    bench::cell what = segments_of(1000, {.num_segments = 10, .length = 100});
    CHECK(what.name() == "f32 plus 1000, length 100, int32 offsets");
    CHECK(what.bytes_per_side() == (8000 + 44) / 2);
    CHECK(what.heads_offset() == 4096);
    CHECK(what.slot_bytes() == 4096 + 44);
    what.in_offset = 30;
    what.segments.head_shift = 3;
    what.segments.heads = head_words::offsets_64;
    CHECK(what.name() == "f32 plus 1000, length 100, int64 offsets, offsets 30 0");
    CHECK(what.bytes_per_side() == (8000 + 88) / 2);
    CHECK(what.heads_offset() == 4352 + 24);
    const std::map<head_words, std::int64_t> bytes{
        {head_words::keys, 4000}, {head_words::flag_bytes, 1000}, {head_words::flag_bits, 128}};
    for (const auto& [heads, num_bytes] : bytes) {
      what.segments.heads = heads;
      CHECK(what.segments.head_bytes(what.num_items) == num_bytes);
      CHECK(what.shape_class() ==
            (heads == head_words::keys ? "segments by keys" : "segments by flags"));
    }
    what.recurrence = true;  // then the factors, as far off as the rest
    CHECK(what.shape_class() == "recurrences by segments");
    CHECK(what.bytes_per_side() == (12000 + 128) / 2);
    CHECK(what.factors_offset() == 4608);
    CHECK(what.slot_bytes() == 4608 + 4120);
    what.recurrence = false;
    what.in_offset = 0;
    what.out_offset = 2000;
    CHECK(what.slot_bytes() == 12000);
  }

  TEST_CASE("segments drawn at random are the same everywhere, and as they are said to be") {
    const auto drawn = bench::random_segment_cells(bench::usual_draw("segments"));
    REQUIRE(drawn.size() == 100);
    // As another program draws them.
    CHECK(drawn[0].name() == "i32 plus 180086344, 36677 drawn (3, 0, 9), flag bytes");
    CHECK(drawn[1].name() == "i32 plus 8592718, 19 drawn (6, 56, 0), int32 offsets");
    CHECK(drawn[4].name() == "i32 plus 179157028, Zipf, int32 offsets, offsets 0 9");
    std::map<head_words, int> ways;
    int num_off = 0, num_many = 0;
    const auto cells = bench::random_segment_cells({3, 4000, 64 * kib, 1024 * mib});
    for (const bench::cell& what : cells) {
      ++ways[what.segments.heads];
      num_off += what.in_offset + what.out_offset + what.segments.head_shift > 0;
      num_many += what.segments.num_segments > what.num_items / 4;
      REQUIRE(what.bytes_per_side() <= 1100 * mib);
      REQUIRE((what.num_items > 0 && what.segments.num_segments > 0));
      if (what.num_items < 10'000) lengths_of(what.segments, what.num_items);
    }
    for (const auto& [heads, count] : ways) CHECK((count > 700 && count < 900));
    CHECK((num_off > 900 && num_off < 1100));
    CHECK(num_many > 200);
    for (const bench::cell& what : bench::random_segment_cells({4, 100, 1, 1})) {
      CHECK(what.num_items == 1);
    }
  }

  TEST_CASE("sums of any stretch of the elements are exact, wherever a segment begins") {
    for (const std::int64_t from : {0, 1, 1000, 123'456'789}) {
      float sum = 0;
      for (std::int64_t i = from; i < from + 1000; ++i) {
        sum += scan::convert<float>(bench::element<__nv_bfloat16, scan::plus>(i, 0));
        REQUIRE(scan::convert<float>(scan::convert<__nv_bfloat16>(sum)) == sum);
      }
    }
  }

  TEST_CASE("goals of segments are told with median and worst, and kept as JSON") {
    const std::int64_t n = 32 * mib;
    const bench::ragged threes{.num_segments = n / 3 + 1, .length = 3};
    bench::ragged keys{.heads = head_words::keys, .num_segments = n, .length = 1};
    bench::ragged bits = threes;
    bits.heads = head_words::flag_bits;
    bench::suite_report run{"segments", "a GPU", 9, {"9.9.9"}, {}, {}};
    run.cells = {measured(segments_of(n, threes), 1.25, 5, 0),
                 measured(segments_of(n, {.num_segments = n, .length = 1}), 1, 0.5, 0),
                 measured(segments_of(n, keys), 2, 4, 1.5),
                 measured(segments_of(n + 1, keys), 1, 4, 1.5),
                 measured(segments_of(n, bits), 1.25, 4, 0),
                 measured(segments_of(32 * kib, keys), 1, 4, 1.1)};
    std::ostringstream table, json;
    bench::print_heading(table, run, run.cells.front().what);
    for (const bench::cell_result& result : run.cells) bench::print_cell(table, result, "1/6");
    bench::print_shapes(table, run);
    bench::write_json(json, run);
    for (const char* row :
         {//                                        cells, missed, median, worst
          "segments by offsets                    >= 0.85     2       1    1.000    0.800",
          "segments by keys                       >= 0.85     2       1    1.000    0.500",
          "segments by flags                      >= 0.88     1       1    0.800    0.800",
          "segments: fastest lengths over these   <= 1.15     2       1    1.000    1.250  "
          "f32 plus 2^25, length 3, int32 offsets",
          "segments, 64 KiB - 16 MiB: over peers  >= 1.15     1       1    1.100    1.100",
          "times the speed of the best CUB        >= 1        6       1    4.000    0.500"}) {
      CHECK_MESSAGE(table.str().find(row) != std::string::npos, row, "\n", table.str());
    }
    for (const char* word :
         {R"("suite": "segments")", R"("class": "segments by keys")", R"("heads": "flag bits")",
          R"("head_bytes": 4194304)", R"("lengths": "length 3")", R"("segments": 33554432)",
          R"("cells_drawn": 200)", R"("Thrust by key 9.9.9": {)"}) {
      CHECK_MESSAGE(json.str().find(word) != std::string::npos, word);
    }
  }
}
