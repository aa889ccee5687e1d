// The judge finds what is wrong, and nothing that it finds wrong is timed.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "bench/cells/scans.hpp"
#include "bench/data/host_data.hpp"
#include "bench/measure/rounds.hpp"

namespace {

template <class T>
std::vector<T> elements_of(const bench::dataset& data) {
  const T* first = reinterpret_cast<const T*>(data.elements.data());
  return {first, first + data.num_items};
}

}  // namespace

TEST_SUITE("bench") {
  TEST_CASE("one wrong element is found, where it is") {
    const bench::cell what{.scan = bench::scan_index<float>(), .num_items = 10'000};
    const bench::dataset data = bench::synthetic_data(what.scan, what.num_items);
    std::vector<float> out = elements_of<float>(data);
    std::partial_sum(out.begin(), out.end(), out.begin());
    CHECK_MESSAGE(bench::first_wrong(what, data, out.data()) == bench::all_right,
                  "a right scan is right");
    for (const std::size_t at : {std::size_t{0}, std::size_t{5'000}, out.size() - 1}) {
      std::vector<float> wrong = out;
      wrong[at] = std::nextafter(wrong[at], 1e9f);
      CHECK_MESSAGE(bench::first_wrong(what, data, wrong.data()) == static_cast<std::int64_t>(at),
                    "an element off by one bit is found, where it is");
    }
  }

  TEST_CASE("a shifted scan is found") {
    const bench::cell what{
        .scan = bench::scan_index<std::int64_t>(), .num_items = 100, .exclusive = true};
    const bench::dataset data = bench::synthetic_data(what.scan, what.num_items);
    std::vector<std::uint64_t> out = elements_of<std::uint64_t>(data);  // which wrap around
    std::partial_sum(out.begin(), out.end(), out.begin());
    CHECK_MESSAGE(bench::first_wrong(what, data, out.data()) == 0, "inclusive is not exclusive");
  }

  TEST_CASE("sums of any floats have a bound") {
    const bench::cell what{.scan = bench::scan_index<float>(), .num_items = 1000};
    bench::dataset data = bench::synthetic_data(what.scan, what.num_items);
    data.exact = false;
    float* in = reinterpret_cast<float*>(data.elements.data());
    for (int i = 0; i < 1000; ++i) in[i] = 0.1f * static_cast<float>(i % 7);
    in[900] = std::numeric_limits<float>::quiet_NaN();
    std::vector<float> out = elements_of<float>(data);
    std::partial_sum(out.begin(), out.end(), out.begin());
    CHECK_MESSAGE(bench::first_wrong(what, data, out.data()) == bench::all_right,
                  "rounding is right");
    std::vector<float> wrong = out;
    wrong[500] += 0.1f;
    CHECK_MESSAGE(bench::first_wrong(what, data, wrong.data()) == 500, "a lost element is wrong");
    wrong = out;
    wrong[901] = 0;
    CHECK_MESSAGE(bench::first_wrong(what, data, wrong.data()) == 901, "a lost NaN is wrong");
  }

  TEST_CASE("what is wrong is reported and not timed") {
    int timed = 0;
    const auto time = [&] { return ++timed, 1.0 * timed; };
    const std::vector<bench::contender> contenders{
        {"wrong", [] { return std::int64_t{3}; }, time},
        {"variants", [] { return bench::all_right; }, [] { return 5.0; }},
        {"variants", [] { return bench::all_right; }, [] { return 4.0; }}};
    const auto results = bench::measure(contenders, 3, [] {});
    CHECK_MESSAGE(timed == 0, "a wrong contender is not timed");
    REQUIRE(results.size() == 2);
    CHECK_MESSAGE(results[0].first_wrong == 3, "it is reported");
    CHECK_MESSAGE(results[1].median_us == 4.0, "the fastest variant is reported");
  }
}
