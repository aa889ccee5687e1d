// Scans of ragged segments, by key and by flags: every distribution of lengths by rows of the
// matrix, sources and variants in turn, on the device and, of those of few elements, on CPU
// threads, against the serial reference, guards and elements of no segment included:
//   segments_test [one case in so many] [most elements] [fewest, of layouts]
// the arguments for sanitizers. What needs a GPU is left out, with exit code 77, where there is
// none.
#include <doctest/doctest.h>

#include <cstdlib>

#include "tests/matrices/segment_matrix.hpp"
#include "tests/segments/segment_edges.hpp"
#include "tests/support/eager_workers.hpp"
#include "tests/support/in_threads.hpp"
#include "tests/support/run_tests.hpp"

namespace {

using tests::most_elements;
using tests::one_in;
using tests::segment_case;
using tests::segment_layout;
using tests::segment_row;
using tests::skipped;

std::int64_t fewest_elements = 0;

struct job {
  const segment_row* row;
  segment_case c;
};

/// A number of any size that goes with `turn`.
std::uint64_t scrambled(std::uint64_t turn) { return turn * 0x9e3779b97f4a7c15ull >> 24; }

job job_of(const segment_row& row, const segment_layout& layout, std::uint64_t turn) {
  job made{&row, tests::segment_variant(layout, scrambled(2 * turn), row.can_be_in_place())};
  tests::place(made.c, scrambled(2 * turn + 1));
  return made;
}

/// Cases of `layout` by rows and variants in turn: many of few elements, a few of many.
void add_jobs(const segment_layout& layout, std::uint64_t& turn, std::vector<job>& jobs) {
  const auto& rows = tests::segment_matrix();
  const std::int64_t size = layout.num_items + layout.num_segments();
  if (size > most_elements || size < fewest_elements) return;
  const auto count = std::clamp<std::int64_t>(800000 / (size + 1), 2, 2 * std::ssize(rows));
  for (std::int64_t i = 0; i < count; ++i, ++turn) {
    jobs.push_back(job_of(rows[turn % rows.size()], layout, turn));
  }
}

/// Of layouts of about `sizes` elements, and the smallest.
std::vector<job> jobs_of(std::initializer_list<std::int64_t> sizes) {
  std::vector<job> jobs;
  std::uint64_t turn = 0;
  for (const segment_layout& layout : tests::smallest_layouts()) add_jobs(layout, turn, jobs);
  for (const std::int64_t n : sizes) {
    for (const segment_layout& layout : tests::layouts_of(n)) add_jobs(layout, turn, jobs);
  }
  return jobs;
}

/// Runs all jobs on the device; what is wrong with the first few that fail, or "".
std::string run(const std::vector<job>& jobs) {
  constexpr std::size_t num_threads = 8;
  std::size_t most_bytes = 0;
  for (const job& some : jobs) {
    most_bytes = std::max(most_bytes, tests::image_bytes(*some.row, some.c));
  }
  return tests::in_threads(num_threads, [&](std::size_t first, tests::findings& found) {
    const tests::stream stream;
    scan::workspace space(tests::roomy_items, 16);
    tests::segment_device_checker checker(most_bytes);
    for (std::size_t i = first; i < jobs.size() && !found.enough(); i += num_threads) {
      if (i / num_threads % one_in != 0 || jobs[i].row->on_device == nullptr) continue;
      const job& next = jobs[i];
      const auto check = [&](scan::workspace* use) {
        found.add(checker.check(*next.row, next.c, i + 1, stream, use));
      };
      // With a workspace that has seen other calls, one for just this call, or none.
      if (const std::size_t kind = i / num_threads % 4; kind == 1) {
        scan::workspace just(next.c.num_items(), next.row->widest());
        check(&just);
      } else {
        check(kind == 0 ? nullptr : &space);
      }
    }
  });
}

/// Runs one job in so many on CPU threads.
void run_on_host(const std::vector<job>& jobs, std::size_t step) {
  for (std::size_t i = 0; i < jobs.size(); i += step * one_in) {
    if (jobs[i].row->on_host == nullptr) continue;
    segment_case c = jobs[i].c;
    c.items_unsaid = c.by_offsets() && i / step % 3 == 0;
    REQUIRE(tests::check_segments_on_host(*jobs[i].row, c, i + 1, static_cast<int>(i / step % 5)) ==
            "");
  }
}

const segment_row& row_named(const std::string& name) {
  for (const segment_row& row : tests::segment_matrix()) {
    if (row.name == name) return row;
  }
  throw std::runtime_error("no row " + name);
}

/// Where segments begin by what heads say, read as the documents say.
std::vector<std::int64_t> begins_of(const segment_case& c,
                                    const std::vector<unsigned char>& heads) {
  std::vector<std::int64_t> begins;
  const auto add = [&](std::int64_t i, bool head) {
    if (head || i == 0) begins.push_back(i);
  };
  const auto for_items = [&](auto is_head) {
    for (std::int64_t i = 0; i < c.num_items(); ++i) add(i, is_head(i));
  };
  tests::visit_heads(
      c.heads, heads.data(),
      [&](const auto* offsets) { begins.assign(offsets, offsets + c.num_heads() - 1); },
      [&](const auto* keys) { for_items([&](auto i) { return i > 0 && keys[i] != keys[i - 1]; }); },
      [&](const auto* words) {
        constexpr int bits = sizeof(*words) == 1 ? 1 : 32;
        for_items([&](auto i) {
          return bits == 1 ? words[i] != 0 : (words[i / bits] >> i % bits & 1u) != 0;
        });
      });
  return begins;
}

}  // namespace

TEST_SUITE("segments") {
  TEST_CASE("a wrong output, a wrong total, a write between segments and outside are found") {
    const segment_row& row = row_named("plus std::int32_t to std::int32_t");
    segment_case c;
    c.layout =
        std::make_shared<const segment_layout>(tests::layout_of_lengths("few", {3, 0, 4, 1}, 2, 3));
    c.with_total = true;
    c.out_offset = 1;
    const auto judged = [&](auto spoil) {
      tests::segment_problem data(row, c, 1);
      row.reference(c, {data.in.data(), data.beside.data(), data.out.data(), data.totals.data(),
                        data.inits.data()});
      spoil(data);
      return data.judge();
    };
    CHECK(judged([](auto&) {}) == "");
    CHECK(judged([](auto& d) { d.out.data()[4 * 6] ^= 1; }) == "output 6 is wrong, 1 of segment 2");
    CHECK(judged([](auto& d) { d.totals.data()[4 * 3] ^= 1; }) == "total 3 is wrong");
    CHECK(judged([](auto& d) { d.out.data()[4 * 1 + 3] ^= 1; }) ==
          "output 1, of no segment, was written");
    CHECK(judged([](auto& d) { d.out.data()[4 * 10] ^= 1; }) ==
          "output 10, of no segment, was written");
    CHECK(judged([](auto& d) { d.out.data()[4 * 13] ^= 1; }).find("outside") != std::string::npos);
    CHECK(judged([](auto& d) { d.in.data()[4 * 10] ^= 1; }) == "the input was written");
    CHECK(judged([](auto& d) { d.beside.data()[8] ^= 1; }).find("beside") != std::string::npos);
    CHECK(judged([](auto& d) { d.inits.data()[0] ^= 1; }) == "the inits were written");
  }

  TEST_CASE("offsets, keys and flags say where the segments are") {
    for (const job& some : jobs_of({500})) {
      const segment_case& c = some.c;
      INFO(c.describe());
      std::vector<std::int64_t> begins = c.layout->offsets;
      if (!begins.empty()) begins.pop_back();
      if (!c.by_offsets() && c.num_items() == 0) begins.clear();
      REQUIRE(begins_of(c, tests::heads_of(c, 1)) == begins);
    }
  }

  TEST_CASE("every layout by rows of the matrix and variants in turn") {
    if (skipped()) return;
    const std::vector<job> jobs = jobs_of({40, 2000, 60000, 1000000, 3000000});
    MESSAGE("cases: ", jobs.size());
    REQUIRE(run(jobs) == "");
  }

  TEST_CASE("every layout on CPU threads") {
    const std::vector<job> jobs = jobs_of({40, 2000, 60000});
    run_on_host(jobs, 1);
    run_on_host(jobs_of({300000}), 3);
    if (one_in == 1) CHECK(tests::num_shared_calls() > std::ssize(jobs) / 100);
    CHECK(tests::num_deserted_calls() == 0);
  }

  TEST_CASE("segments that begin and end around every edge") {
    if (skipped()) return;
    std::vector<job> jobs;
    std::uint64_t turn = 0;
    for (const segment_row& row : tests::segment_matrix()) {
      for (const tests::edge& unit : tests::device_edges(row.widest())) {
        for (const segment_layout& layout : tests::layouts_of_edges(unit.size, unit.count)) {
          if (layout.num_items > most_elements) continue;
          jobs.push_back(job_of(row, layout, ++turn));
        }
      }
    }
    MESSAGE("cases: ", jobs.size());
    REQUIRE(run(jobs) == "");
  }

  TEST_CASE("numbers of elements at which the plan changes, cut around the edges of its tiles") {
    if (skipped()) return;
    std::vector<job> jobs;
    std::uint64_t turn = 0;
    const bool has_clusters = tests::limits_here().has_clusters;
    using kinds = scan::device::segment_rounds;
    for (const segment_row& row : tests::segment_matrix()) {
      const int folded = row.widest() <= 4 ? 8 : 16;  // a value and a flag
      for (const auto rounds : {kinds::lean, kinds::valued}) {
        const bool lean = rounds == kinds::lean;
        if (lean && !scan::device::has_round(row.widest(), folded)) continue;
        for (const std::int64_t n : tests::segment_plan_switches(
                 row.widest(), folded, rounds, has_clusters,
                 std::min<std::int64_t>(most_elements, 4200000 / row.widest()))) {
          ++turn;
          job made = job_of(
              row, tests::layout_of_plan(n, row.widest(), folded, rounds, has_clusters, turn),
              turn);
          if (!lean && made.c.by_offsets()) {
            made.c.init = tests::sequence_init::by_pointer;
            made.c.with_total = true;
          }
          jobs.push_back(made);
        }
      }
    }
    MESSAGE("cases: ", jobs.size());
    REQUIRE(run(jobs) == "");
  }

  TEST_CASE("segments that begin and end around every edge of CPU threads") {
    std::vector<job> jobs;
    std::uint64_t turn = 0;
    for (const segment_row& row : tests::segment_matrix()) {
      for (const tests::edge& unit : tests::host_edges(row.widest())) {
        for (const segment_layout& layout : tests::layouts_of_edges(unit.size, unit.count)) {
          for (int i = 0; i < 3; ++i) jobs.push_back(job_of(row, layout, ++turn));
        }
      }
    }
    run_on_host(jobs, 1);
  }

  TEST_CASE("longer than all tiles of a grid, alone and among others") {
    if (skipped()) return;
    std::vector<job> jobs;
    std::uint64_t turn = 0;
    const std::int64_t longest = 12'000'000;
    for (const segment_layout& layout :
         {tests::layout_of_lengths("long", {longest + 77}, 1, 2),
          tests::layout_of_lengths("long amid short", {5, 0, longest, 9000, 1, 40000}, 3),
          tests::layout_of_lengths("two long", {longest / 2 + 1, longest / 2})}) {
      if (layout.num_items > most_elements) continue;
      for (const segment_row& row : tests::segment_matrix()) {
        jobs.push_back(job_of(row, layout, turn++));
      }
    }
    REQUIRE(run(jobs) == "");
  }
}

int main(int argc, char** argv) {
  tests::read_arguments(argc, argv);
  if (argc > 3) fewest_elements = std::atoll(argv[3]);
  return tests::run_tests(argc, argv);
}
