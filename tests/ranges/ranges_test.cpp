// Scans of segments that lie anywhere on the device, of what libscan.a holds: random layouts,
// against serial loops; their bits are those of rows; offsets that cannot be; replays; what is
// refused. All of it needs a GPU.
#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include "scan/scan.hpp"
#include "tests/ranges/check_ranges.hpp"
#include "tests/ranges/range_order.hpp"
#include "tests/ranges/range_refusals.hpp"
#include "tests/support/run_tests.hpp"

namespace {

using tests::in_device_memory;
using tests::range_case;

template <class T>
void check(int count, std::int64_t most) {
  for (int i = 0; i < count; ++i) {
    std::mt19937_64 random(static_cast<std::uint64_t>(i) * 77 + 3);
    const range_case c = tests::random_range_case(random, most);
    INFO(c.describe());
    CHECK(tests::check_ranges<T, T>(in_device_memory{}, c, scan::plus{}, random) == "");
  }
}

/// Sums that round.
std::vector<float> rounded(std::int64_t n, std::mt19937_64& random) {
  std::vector<float> items(static_cast<std::size_t>(n));
  for (float& item : items) item = static_cast<float>(random() % 1000003) * 1e-3f - 400;
  return items;
}

}  // namespace

TEST_SUITE("segment ranges") {
  TEST_CASE("sums of integers and floats of 4 and 8 bytes") {
    check<std::int32_t>(300, 3000);
    check<std::int32_t>(60, 200000);
    check<std::uint64_t>(100, 30000);
    check<float>(100, 100000);
    check<double>(100, 100000);
    check<float>(4, 4000000);
  }

  TEST_CASE("sums that round: the order of the formulas, and the same each time") {
    for (int i = 0; i < 60; ++i) {
      std::mt19937_64 random(static_cast<std::uint64_t>(i));
      range_case c = tests::random_range_case(random, 300000);
      c.in_place = false, c.with_total = true;
      tests::range_data<float, float> data(c, random);
      data.items = rounded(c.layout.num_items, random);
      data.inits = rounded(c.num_inits(), random);
      const auto results = tests::run_ranges(in_device_memory{}, c, data, scan::plus{});
      const auto again = tests::run_ranges(in_device_memory{}, c, data, scan::plus{});
      REQUIRE((results.status.ok() && results.is_intact));
      CHECK(tests::same_bytes(results.outputs, again.outputs));
      CHECK(tests::same_bytes(results.totals, again.totals));
      for (int k = 0; k < 6 && c.layout.num_segments() > 0; ++k) {
        const auto s = static_cast<std::size_t>(random() % c.layout.places.size());
        const auto place = c.layout.places[s];
        if (place.length == 0) continue;
        const float* const first = data.items.data() + place.in_begin;
        const auto init = tests::init_of_sequence(c, data.inits, static_cast<std::int64_t>(s));
        const auto wanted =
            tests::segment_sums({first, first + place.length}, c.reverse, c.exclusive, init);
        const float* const there = results.outputs.data() + place.out_begin;
        CHECK(tests::same_bytes(wanted.results, std::vector<float>(there, there + place.length)));
        CHECK(tests::same_bytes(std::vector<float>{*wanted.total}, {results.totals[s]}));
      }
    }
  }

  TEST_CASE("offsets that cannot be do no harm") {
    for (int i = 0; i < 240; ++i) {
      std::mt19937_64 random(static_cast<std::uint64_t>(i) + 1000);
      const range_case c = tests::random_range_case(random, i % 8 == 0 ? 100000 : 3000);
      tests::range_data<std::int32_t, std::int32_t> data(c, random);
      tests::spoil_ranges(i % tests::num_range_garbage, c, data.images, random);
      const auto results = tests::run_ranges(in_device_memory{}, c, data, scan::plus{});
      INFO(c.describe() << ", garbage " << i % tests::num_range_garbage);
      CHECK((results.status.ok() && results.is_intact));
    }
  }

  TEST_CASE("no elements: totals all the same; no segments: nothing") {
    tests::device_array<int> offsets({0, 0, 0}, 0);
    tests::device_array<float> totals({5, 5, 5}, 0), inits({1, 2, 3}, 0);
    scan::options<float> opts;
    opts.total = totals.data(), opts.init_pointer = inits.data();
    const float* const in = nullptr;
    float* const out = nullptr;
    scan::segment_ranges given{offsets.data(), offsets.data(), 0, 0};
    CHECK(scan::inclusive(in, out, given, scan::plus{}, opts).ok());
    CHECK(totals.download() == std::vector<float>{5, 5, 5});
    given.num_segments = 3;
    CHECK(scan::inclusive(in, out, given, scan::plus{}, opts).ok());
    CHECK(totals.download() == std::vector<float>{1, 2, 3});
  }

  TEST_CASE("what does not lie within is an empty segment, and those beside it are right") {
    const std::vector<float> items{1, 2, 3, 4, 5, 6};
    tests::device_array<float> in(items, 0), inits({10, 20, 30, 40}, 0);
    const int n = 6;
    const int wrong[][3] = {{4, 7, 2}, {-1, 1, 2}, {1, 3, 5}, {1, 3, -1}};  // begin, end, place
    for (const auto& each : wrong) {
      tests::device_array<int> begins({0, each[0], 4, each[0]}, 0);
      tests::device_array<int> ends({2, each[1], 6, each[1]}, 0);
      tests::device_array<int> places({4, each[2], 0, each[2]}, 0);
      tests::device_array<float> out(std::vector<float>(6, -1), 0), totals({0, 0, 0, 0}, 0);
      scan::options<float> opts;
      opts.init_pointer = inits.data(), opts.total = totals.data();
      const scan::segment_ranges given{begins.data(), ends.data(), 4, n, places.data(), n};
      REQUIRE(scan::inclusive(static_cast<const float*>(in.data()), out.data(), given, scan::plus{},
                              opts)
                  .ok());
      INFO("segment " << each[0] << " " << each[1] << " to " << each[2]);
      CHECK(out.download() == std::vector<float>{35, 41, -1, -1, 11, 13});
      CHECK(totals.download() == std::vector<float>{13, 20, 41, 40});
    }
  }

  TEST_CASE("a captured call follows the offsets of another replay") {
    const tests::stream stream;
    tests::device_array<std::int32_t> in(std::vector<std::int32_t>(400000, 1), 0),
        out(std::vector<std::int32_t>(400000, 7), 0);
    tests::device_array<int> begins({0, 5}, 0), ends({3, 9}, 0), places({0, 100}, 0);
    scan::options<std::int32_t> opts;
    opts.stream = stream;
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t replay = nullptr;
    tests::cuda_check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    const scan::segment_ranges given{begins.data(), ends.data(), 2, 400000, places.data()};
    REQUIRE(scan::inclusive(in.data(), out.data(), given, scan::plus{}, opts).ok());
    tests::cuda_check(cudaStreamEndCapture(stream, &graph));
    tests::cuda_check(cudaGraphInstantiate(&replay, graph, 0));
    const int others[][2] = {{7, 300000}, {350000, 9}};
    for (const auto& now : others) {
      const int from[] = {0, 0};
      tests::cuda_check(cudaMemcpy(begins.data(), from, sizeof(from), cudaMemcpyHostToDevice));
      tests::cuda_check(cudaMemcpy(ends.data(), now, sizeof(now), cudaMemcpyHostToDevice));
      const int to[] = {0, now[0]};
      tests::cuda_check(cudaMemcpy(places.data(), to, sizeof(to), cudaMemcpyHostToDevice));
      tests::cuda_check(cudaGraphLaunch(replay, stream));
      stream.wait();
      const auto results = out.download();
      CHECK(results[static_cast<std::size_t>(now[0] - 1)] == now[0]);
      CHECK(results[static_cast<std::size_t>(now[0])] == 1);
      CHECK(results[static_cast<std::size_t>(now[0] + now[1] - 1)] == now[1]);
    }
    tests::cuda_check(cudaGraphExecDestroy(replay));
    tests::cuda_check(cudaGraphDestroy(graph));
  }

  TEST_CASE("arguments that cannot be are refused by name") {
    tests::check_range_refusals<scan::options<float>>(
        [](const auto&... given) { return scan::exclusive(given...); });
  }
}

int main(int argc, char** argv) { return tests::run_device_tests(argc, argv); }
