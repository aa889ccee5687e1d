// The documented association (association.hpp), evaluated on the host, gives the bits that CPU
// threads and the device give. That they give them every time: repeat_test.cu.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <string>

#include "scan/scan.cuh"
#include "tests/sequences/association.hpp"
#include "tests/sequences/infinities.hpp"
#include "tests/support/cases.hpp"
#include "tests/support/device_memory.hpp"
#include "tests/support/eager_workers.hpp"
#include "tests/support/host_workers.hpp"
#include "tests/support/interval.hpp"
#include "tests/support/rounded_values.hpp"
#include "tests/support/run_tests.hpp"

namespace {

using scan::device::tuning;
using tests::cuda_check;
using tests::device_memory;
using tests::parenthesize;
using tests::random_values;
using tests::skipped;
using tests::values;
using tests::zeros_and_nans;

struct variant {
  bool exclusive, with_init, reverse;
};
std::vector<variant> all_variants() {
  std::vector<variant> variants;
  for (int bits = 0; bits < 8; ++bits) {
    variants.push_back({(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0});
  }
  return variants;
}

template <class Out>
std::optional<Out> init_of(const variant& v) {
  if (!v.with_init) return std::nullopt;
  return scan::convert<Out>(0.1f);
}

template <class Out>
struct outputs {
  std::vector<Out> out;
  Out total;
};

/// A model on the elements of a call: `model(x, op, init, identity)`.
template <class Out, class In, class Op, class Model>
outputs<Out> expected_outputs(const std::vector<In>& in, const variant& v, Op op, Model model) {
  using T = scan::accumulator_t<In, Out>;
  std::vector<T> x;
  for (const In& item : in) x.push_back(scan::convert<T>(item));
  std::optional<T> init;
  if (v.with_init) init = scan::convert<T>(*init_of<Out>(v));
  if (v.reverse) std::reverse(x.begin(), x.end());
  const auto exchanged = [op](const T& a, const T& b) { return op(b, a); };
  const T identity = Op::template identity<T>();
  const tests::associated<T> scanned =
      v.reverse ? model(x, exchanged, init, identity) : model(x, op, init, identity);
  outputs<Out> expected;
  for (const T& result : scanned.results) expected.out.push_back(scan::convert<Out>(result));
  if (v.reverse) std::reverse(expected.out.begin(), expected.out.end());
  expected.total = scan::convert<Out>(*scanned.total);
  return expected;
}

template <class Out>
void require_same(const variant& v, std::int64_t n, const outputs<Out>& actual,
                  const outputs<Out>& expected) {
  INFO("n=", n, v.exclusive ? " exclusive" : " inclusive", v.with_init ? " init" : "",
       v.reverse ? " reverse" : "");
  REQUIRE(tests::first_difference(actual.out.data(), expected.out) == -1);
  REQUIRE(std::memcmp(&actual.total, &expected.total, sizeof(Out)) == 0);
  if (v.exclusive) return;
  const Out& last = v.reverse ? actual.out.front() : actual.out.back();
  REQUIRE(std::memcmp(&actual.total, &last, sizeof(Out)) == 0);
}

/// Scans on CPU threads against a model, whose tile is `tile` elements up to 8 MiB.
template <class In, class Out, class Op, class Model>
void check_host(Op op, values kind, std::int64_t tile, Model model) {
  for (const std::int64_t n :
       {std::int64_t{1}, std::int64_t{3}, std::int64_t{4}, std::int64_t{127}, std::int64_t{3000},
        tile - 1, tile, tile + 3, 40 * tile + 1234, 300 * tile + 1234}) {
    const std::vector<In> in = random_values<In>(kind, n);
    for (const variant& v : all_variants()) {
      // Beyond 8 MiB, where the model takes its time, one.
      if (n > 300 * tile && !(v.exclusive && v.with_init && v.reverse)) continue;
      const auto expected = expected_outputs<Out>(
          in, v, op, [&](const auto& x, auto ordered, const auto& init, const auto& identity) {
            return model(x, ordered, v.exclusive, init, identity);
          });
      for (const int threads : {1, 4, 8}) {
        outputs<Out> actual{std::vector<Out>(in.size()), {}};
        const int workers = tests::host_workers(in.data(), actual.out.data(), n, op, threads);
        REQUIRE((n < 40 * tile || workers == threads));
        const std::int64_t shared = tests::num_shared_calls();
        const scan::host_options<Out> opts{init_of<Out>(v), threads, &actual.total, v.reverse};
        REQUIRE((v.exclusive
                     ? scan::exclusive(scan::host, in.data(), actual.out.data(), n, op, opts)
                     : scan::inclusive(scan::host, in.data(), actual.out.data(), n, op, opts))
                    .ok());
        REQUIRE(tests::num_shared_calls() == shared + (workers > 1));
        INFO(threads, " threads");
        require_same(v, n, actual, expected);
      }
    }
  }
}

/// The same of sums.
template <class In, class Out>
void check_host_sum(values kind) {
  constexpr std::size_t vector_items = 16 / sizeof(scan::accumulator_t<In, Out>);
  check_host<In, Out>(
      scan::plus{}, kind, 8 * 64 * 4 * vector_items,
      [](const auto& x, auto op, bool exclusive, const auto& init, const auto& identity) {
        return tests::host_sum_association(x, op, vector_items, exclusive, init, identity);
      });
}

template <class T>
void upload(const std::vector<T>& from, T* to) {
  cuda_check(cudaMemcpy(to, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice));
}

/// The plan for a scan on the device at hand.
scan::device::launch_plan plan_of(scan::algorithm algorithm, std::int64_t n, int widest,
                                  bool widens) {
  scan::device::device_limits limits;
  if (!scan::device::current_limits(limits).ok()) throw std::runtime_error("no limits");
  if (!scan::device::ring_takes(widest, widest, widest)) limits.ring_bytes_of_block = 0;
  return scan::device::plan_for(n, widest, algorithm, limits, widens);
}

/// Scans on the device against the model.
template <class In, class Out, class Op>
void check_device(Op op, values kind) {
  constexpr int widest = std::max(sizeof(In), sizeof(Out));
  const std::int64_t tile = scan::device::tuning_for(widest).tile_items();
  const std::int64_t batch = scan::device::tuning_for(widest).threads_per_block * tile;
  // The wave in one block of one row and of two, in a cluster of either, and beyond: all are among
  // them.
  for (const std::int64_t n :
       {std::int64_t{1}, std::int64_t{5}, std::int64_t{127}, tile / 3 + 1, tile - 1, tile, tile + 1,
        3 * tile + 5, 11 * tile + 1, 40 * tile + 77, batch + batch / 2 + 13}) {
    std::vector<In> in;
    if constexpr (std::is_same_v<Op, scan::minimum>) {
      in = zeros_and_nans(n);
    } else {
      in = random_values<In>(kind, n);
    }
    const device_memory d_in(in.size() * sizeof(In)), d_out((in.size() + 1) * sizeof(Out));
    upload(in, d_in.as<In>());
    scan::workspace space(n, static_cast<int>(sizeof(Out)));
    REQUIRE(space.error().ok());
    std::uint64_t turn = 0;
    for (const variant& v : all_variants()) {
      // Of the largest size, whose model takes its time, every second.
      if (n > batch && v.exclusive ^ v.with_init ^ v.reverse) continue;
      const scan::algorithm algorithm =
          tests::algorithm_of_turn(turn++ + static_cast<std::uint64_t>(n));
      const scan::device::launch_plan plan =
          plan_of(algorithm, n, widest, sizeof(In) < sizeof(Out));
      const auto expected = expected_outputs<Out>(
          in, v, op, [&](const auto& x, auto ordered, const auto& init, const auto& identity) {
            return tests::device_association(x, ordered, plan, v.exclusive, init, identity);
          });
      scan::options<Out> opts{init_of<Out>(v)};
      opts.workspace = v.with_init ? &space : nullptr;
      opts.total = d_out.as<Out>() + n;
      opts.reverse = v.reverse;
      opts.algorithm = algorithm;
      REQUIRE((v.exclusive ? scan::exclusive(d_in.as<In>(), d_out.as<Out>(), n, op, opts)
                           : scan::inclusive(d_in.as<In>(), d_out.as<Out>(), n, op, opts))
                  .ok());
      outputs<Out> actual{std::vector<Out>(in.size() + 1), {}};
      cuda_check(cudaMemcpy(actual.out.data(), d_out.as<void>(), actual.out.size() * sizeof(Out),
                            cudaMemcpyDeviceToHost));
      actual.total = actual.out.back();
      actual.out.pop_back();
      require_same(v, n, actual, expected);
    }
  }
}

/// Whether sums on the device are infinite and NaN as the serial loop's.
template <class T>
bool device_kinds_are_serial(const std::vector<T>& items, bool exclusive, scan::algorithm which) {
  const auto n = static_cast<std::int64_t>(items.size());
  const device_memory data(items.size() * sizeof(T));
  upload(items, data.as<T>());
  scan::options<T> opts;
  opts.algorithm = which;
  REQUIRE((exclusive ? scan::exclusive(data.as<T>(), data.as<T>(), n, scan::plus{}, opts)
                     : scan::inclusive(data.as<T>(), data.as<T>(), n, scan::plus{}, opts))
              .ok());
  std::vector<T> results(items.size());
  cuda_check(cudaMemcpy(results.data(), data.as<void>(), results.size() * sizeof(T),
                        cudaMemcpyDeviceToHost));
  return tests::kinds_are_serial(items, results, exclusive);
}

/// The plan of `kernel` with tiles of this shape and batches of 32.
scan::device::launch_plan plan_with(const tuning& shape,
                                    scan::algorithm kernel = scan::algorithm::look_back) {
  scan::device::launch_plan plan{};
  plan.kernel = kernel;
  plan.tile = shape;
  plan.tile_items = shape.tile_items();
  plan.batch_tiles = 32;
  return plan;
}

}  // namespace

TEST_SUITE("association") {
  TEST_CASE("the models associate as the formula says") {
    using strings = std::vector<std::string>;
    const strings x{"a", "b", "c", "d", "e", "f", "g", "h"};
    const auto on_device = [&](const tuning& shape, bool exclusive, auto... kernel) {
      return tests::device_association<std::string>(x, parenthesize{}, plan_with(shape, kernel...),
                                                    exclusive, {}, "");
    };
    // One element per lane.
    CHECK(on_device({32, 1, 1, 1}, false).results ==
          strings{"a", "(ab)", "((ab)c)", "((a(bc))d)", "(((ab)(cd))e)", "((a((bc)(de)))f)",
                  "(((ab)((cd)(ef)))g)", "(((a(bc))((de)(fg)))h)"});
    // Vectors of two.
    CHECK(on_device({32, 1, 1, 2}, true).results ==
          strings{"", "a", "(ab)", "((ab)c)", "((ab)(cd))", "(((ab)(cd))e)", "((ab)((cd)(ef)))",
                  "(((ab)((cd)(ef)))g)"});
    // The wave: runs of two vectors of one.
    CHECK(on_device({32, 1, 2, 1}, false, scan::algorithm::wave).results ==
          strings{"a", "(ab)", "((ab)c)", "(((ab)c)d)", "(((ab)(cd))e)", "((((ab)(cd))e)f)",
                  "(((ab)((cd)(ef)))g)", "((((ab)((cd)(ef)))g)h)"});
    // A sum on the host: two vectors of four.
    const auto vectors = [&](bool exclusive) {
      return tests::host_sum_association<std::string>(x, parenthesize{}, 4, exclusive, "i", "");
    };
    CHECK(vectors(false).results == strings{"(ia)", "(i(ab))", "(i(a(bc)))", "(i((ab)(cd)))",
                                            "(i(((ab)(cd))e))", "(i(((ab)(cd))(ef)))",
                                            "(i(((ab)(cd))(e(fg))))", "(i(((ab)(cd))((ef)(gh))))"});
    CHECK(vectors(true).results[0] == "i");
    CHECK(vectors(true).results[7] == "(i(((ab)(cd))(e(fg))))");
    // A group's third and fourth vector, of one element each.
    CHECK(tests::host_sum_association<std::string>(x, parenthesize{}, 1, false, {}, "").results ==
          strings{"a", "(ab)", "((ab)c)", "((ab)(cd))", "(((ab)(cd))e)", "(((ab)(cd))(ef))",
                  "(((ab)(cd))((ef)g))", "(((ab)(cd))((ef)(gh)))"});
    // A block's fold goes across groups.
    CHECK(*tests::strided_fold(strings{"a", "b", "c", "d", "e", "f", "g"}, 0, 7, 1,
                               parenthesize{}) == "(((ae)(bf))((cg)d))");
    // A tile of eight on the host: four streams of two.
    CHECK(
        tests::host_association<std::string>(x, parenthesize{}, 62 * 128, false, {}, "").results ==
        strings{"a", "(ab)", "((ab)c)", "(((ab)c)d)", "(((ab)(cd))e)", "((((ab)(cd))e)f)",
                "((((ab)(cd))(ef))g)", "(((((ab)(cd))(ef))g)h)"});
  }

  TEST_CASE("the models scan: intervals in order, none twice, none lost") {
    const std::vector<tuning> shapes{
        {32, 1, 1, 1}, {64, 1, 2, 2}, {96, 1, 3, 1}, {1024, 1, 1, 1}, scan::device::tuning_for(16)};
    for (const std::int64_t n : {1, 2, 31, 33, 127, 255, 256, 257, 1023, 16385, 40007}) {
      std::vector<tests::interval> x;
      for (std::int64_t i = 0; i < n; ++i) x.push_back({i, i + 1});
      for (const bool exclusive : {false, true}) {
        INFO("n=", n, exclusive ? " exclusive" : " inclusive");
        const std::optional<tests::interval> init = tests::interval{-7, 0};
        const auto expected = tests::serial_scan(exclusive, init, x, tests::concatenate{});
        const auto check = [&](const tests::associated<tests::interval>& scanned) {
          REQUIRE(scanned.results.size() == x.size());
          REQUIRE(tests::first_difference(scanned.results.data(), expected) == -1);
          REQUIRE(*scanned.total == tests::interval{-7, n});
        };
        for (const tuning& shape : shapes) {
          for (const scan::algorithm kernel : {scan::algorithm::wave, scan::algorithm::look_back}) {
            check(tests::device_association(x, tests::concatenate{}, plan_with(shape, kernel),
                                            exclusive, init, {}));
          }
        }
        for (const std::size_t element_bytes : {16, 4000, 62 * 1024}) {
          check(tests::host_association(x, tests::concatenate{}, element_bytes, exclusive, init,
                                        tests::broken));
        }
      }
    }
  }

  TEST_CASE("the model of sums sums") {
    for (const std::int64_t n : {1, 15, 17, 4095, 4097, 70001}) {
      std::vector<std::int64_t> x;
      for (std::int64_t i = 0; i < n; ++i) x.push_back(i * i - 1000);
      for (const bool exclusive : {false, true}) {
        const std::optional<std::int64_t> init = 42;
        const auto expected = tests::serial_scan(exclusive, init, x, scan::plus{});
        const auto scanned =
            tests::host_sum_association<std::int64_t>(x, scan::plus{}, 2, exclusive, init, 0);
        CHECK(scanned.results == expected);
      }
    }
  }

  TEST_CASE("floats: another order of the same operands shows") {
    const std::int64_t n = 300007;
    const std::vector<float> x = random_values<float>(values::uniform, n);
    std::vector<std::vector<float>> results;
    for (const int bytes : {2, 4, 8}) {
      const tuning shape = scan::device::tuning_for(bytes);
      results.push_back(
          tests::device_association<float>(x, scan::plus{}, plan_with(shape), false, {}, 0)
              .results);
    }
    results.push_back(tests::host_association<float>(x, scan::plus{}, 4, false, {}, 0).results);
    results.push_back(tests::host_sum_association<float>(x, scan::plus{}, 4, false, {}, 0).results);
    results.push_back(tests::serial_scan<float>(false, {}, x, scan::plus{}));
    double exact = 0, worst = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      exact += x[i];
      for (const auto& result : results) {
        worst = std::max(worst, std::abs(result[i] - exact) / exact);
      }
    }
    CHECK(worst < 1e-4);
    for (std::size_t i = 0; i < results.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) CHECK(results[i] != results[j]);
    }
  }

  TEST_CASE("CPU threads, any number of them, give the formula's bits") {
    check_host_sum<float, float>(values::uniform);
    check_host_sum<float, float>(values::wide);
    check_host_sum<double, double>(values::wide);
    check_host_sum<__half, float>(values::uniform);
    check_host_sum<__half, __half>(values::wide);
    const auto streams = [](const auto& x, auto op, bool exclusive, const auto& init,
                            const auto& identity) {
      return tests::host_association(x, op, sizeof(float), exclusive, init, identity);
    };
    check_host<float, float>(scan::multiplies{}, values::near_one, 62 * 256, streams);
  }

  TEST_CASE("infinities and NaN are the serial loop's where no partial sum can overflow") {
    if (skipped()) return;
    for (std::uint64_t turn = 0; turn < 8; ++turn) {
      const scan::algorithm which = tests::algorithm_of_turn(turn / 2);
      const float infinity = std::numeric_limits<float>::infinity() * (turn % 2 == 0 ? 1 : -1);
      for (const std::int64_t n : {1234, 400'001}) {  // times the largest: less than overflows
        const auto floats = tests::with_infinities<float>(n, 8e32f, infinity);
        CHECK(device_kinds_are_serial(floats, turn % 2 == 0, which));
        const auto doubles = tests::with_infinities<double>(n, 4e302, infinity);
        CHECK(device_kinds_are_serial(doubles, turn % 2 == 1, which));
      }
    }
  }

  TEST_CASE("the device gives the formula's bits") {
    if (skipped()) return;
    for (const values kind : {values::uniform, values::wide}) {
      check_device<float, float>(scan::plus{}, kind);
      check_device<double, double>(scan::plus{}, kind);
      check_device<__half, __half>(scan::plus{}, kind);
      check_device<__half, float>(scan::plus{}, kind);
    }
    check_device<float, float>(scan::multiplies{}, values::near_one);
    check_device<float, float>(scan::minimum{}, values::uniform);
  }
}
