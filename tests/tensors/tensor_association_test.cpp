// The documented association (association.hpp for rows, tensor_association.hpp for columns),
// evaluated on the host, gives the bits that the device gives for each sequence of a tensor.
// Skipped, with exit code 77, where there is no GPU.
#include "tests/tensors/tensor_association.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <stdexcept>
#include <string>

#include "scan/scan.hpp"
#include "tests/support/device_memory.hpp"
#include "tests/support/interval.hpp"
#include "tests/support/rounded_values.hpp"
#include "tests/support/run_tests.hpp"
#include "tests/tensors/tensor_reference.hpp"

namespace {

using tests::cuda_check;
using tests::device_memory;
using tests::parenthesize;
using tests::skipped;
using tests::tensor_case;

template <class T>
using state_of = std::conditional_t<scan::is_narrow_float<T>, float, T>;

/// Sums of `T`: what the model computes with, and the call.
template <class In, class Out>
struct sums {
  using in = In;
  using out = Out;
  using value = Out;
  using T = state_of<Out>;
  static constexpr int held_bytes = sizeof(T);  // of what columns hold of an item
  static std::string name() { return "sums"; }
  static constexpr bool recurrence = false;
  using op = scan::plus;
  static T take(const In&, const In& item) { return scan::convert<T>(item); }
  static Out give(const T& result) { return scan::convert<Out>(result); }
  static T as_operand(const value& init) { return scan::convert<T>(init); }
  static T identity() { return scan::plus::identity<T>(); }
  static value as_value(const T& result) { return scan::convert<value>(result); }
  static scan::status call(const tensor_case& c, const In*, const In* in, Out* out,
                           const scan::options<value>& opts) {
    return c.exclusive ? scan::exclusive(in, out, c.shape, scan::plus{}, opts)
                       : scan::inclusive(in, out, c.shape, scan::plus{}, opts);
  }
};

/// Recurrences of `Element`.
template <class Element>
struct recurrences {
  using in = Element;
  using out = Element;
  using value = scan::state_t<Element>;
  using T = tests::modelled_map<value>;
  static constexpr int held_bytes = 2 * sizeof(value);
  static std::string name() { return "recurrences"; }
  static constexpr bool recurrence = true;
  using op = tests::compose_fused;
  static T take(const in& factor, const in& item) {
    const auto a = scan::convert<value>(factor);
    return {a, scan::convert<value>(item), a == 0};
  }
  static out give(const T& result) { return scan::convert<out>(result.offset); }
  static T as_operand(const value& init) { return {value(0), init, false}; }
  static T identity() { return {}; }  // that nobody asks for
  static value as_value(const T& result) { return result.offset; }
  static scan::status call(const tensor_case& c, const in* a, const in* b, out* h,
                           const scan::options<value>& opts) {
    return scan::recurrence(a, b, h, c.shape, opts);
  }
};

/// Bytes that decide over the plan of rows: of the widest of input, output and value.
template <class Kind>
constexpr int widest = static_cast<int>(std::max(
    {sizeof(typename Kind::in), sizeof(typename Kind::out), sizeof(typename Kind::value)}));

/// The model's results of a sequence in scan order.
template <class Kind>
tests::associated<typename Kind::T> modelled(const tensor_case& c,
                                             const std::vector<typename Kind::T>& x,
                                             const std::optional<typename Kind::T>& init) {
  using T = typename Kind::T;
  const typename Kind::op op;
  const auto ordered = [&](const T& a, const T& b) {
    return c.reverse && !Kind::recurrence ? op(b, a) : op(a, b);
  };
  if (c.shape.inner == 1) {
    scan::device::device_limits limits;
    if (!scan::device::current_limits(limits).ok()) throw std::runtime_error("no limits");
    auto plan =
        scan::device::plan_for(c.shape.length, widest<Kind>, scan::algorithm::automatic, limits,
                               sizeof(typename Kind::in) < sizeof(typename Kind::out));
    if (Kind::recurrence) tests::cut_recurrence(plan, c.shape.length, widest<Kind>);
    return tests::device_association<T>(x, ordered, plan, c.exclusive, init, Kind::identity());
  }
  const scan::device::column_sizes sizes{sizeof(typename Kind::in), sizeof(typename Kind::out),
                                         Kind::held_bytes, Kind::recurrence ? 2 : 1};
  const auto cut = scan::device::cut_columns(scan::device::column_tuning_for(sizes), c.shape.outer,
                                             c.shape.length, c.shape.inner);
  return tests::column_association<T>(x, ordered, cut, c.exclusive, init, Kind::identity());
}

template <class T>
std::vector<T> download(const device_memory& from, std::int64_t count) {
  std::vector<T> items(static_cast<std::size_t>(count));
  cuda_check(
      cudaMemcpy(items.data(), from.as<void>(), items.size() * sizeof(T), cudaMemcpyDeviceToHost));
  return items;
}
template <class T>
void upload(const std::vector<T>& from, const device_memory& to) {
  cuda_check(
      cudaMemcpy(to.as<void>(), from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice));
}

/// Makes some factors 0, of either sign, and some of the offsets there -0.
template <class T>
void begin_anew_sometimes(std::vector<T>& items, std::vector<T>& factors) {
  for (std::size_t i = 5; i < factors.size(); i += 1 + i * 7 % 151) {
    factors[i] = scan::convert<T>(i % 2 == 0 ? 0.0f : -0.0f);
    if (i % 3 == 0) items[i] = scan::convert<T>(-0.0f);
  }
}

/// Every sequence of one call against the model; of many sequences some.
template <class Kind>
void check_call(const tensor_case& c) {
  using value = typename Kind::value;
  INFO(Kind::name(), " of ", sizeof(typename Kind::in), " to ", sizeof(typename Kind::out),
       " bytes, ", c.describe());
  auto items = tests::random_values<typename Kind::in>(tests::values::wide, c.in_span());
  auto factors = tests::random_values<typename Kind::in>(tests::values::near_one, c.in_span());
  if (c.with_total) begin_anew_sometimes(items, factors);
  const auto inits = tests::random_values<value>(tests::values::uniform, c.num_sequences());
  const device_memory in(items.size() * sizeof(items[0])), a(factors.size() * sizeof(factors[0])),
      out(static_cast<std::size_t>(c.out_span()) * sizeof(typename Kind::out)),
      totals(inits.size() * sizeof(value)), d_inits(inits.size() * sizeof(value));
  upload(items, in);
  upload(factors, a);
  upload(inits, d_inits);
  scan::options<value> opts;
  opts.reverse = c.reverse;
  opts.total = totals.as<value>();
  if (c.init != tests::sequence_init::none) opts.init_pointer = d_inits.as<value>();
  REQUIRE(Kind::call(c, a.as<typename Kind::in>(), in.as<typename Kind::in>(),
                     out.as<typename Kind::out>(), opts)
              .ok());
  const auto results = download<typename Kind::out>(out, c.out_span());
  const auto ends = download<value>(totals, c.num_sequences());
  const std::int64_t step = 1 + c.num_sequences() / 20;
  for (std::int64_t s = 0; s < c.num_sequences(); s += step) {
    INFO("sequence ", s);
    std::vector<typename Kind::T> x;
    const auto at = [&](std::int64_t j) {
      const std::int64_t i = c.reverse ? c.shape.length - 1 - j : j;
      return static_cast<std::size_t>(c.in_index(s / c.shape.inner, i, s % c.shape.inner));
    };
    for (std::int64_t j = 0; j < c.shape.length; ++j) {
      x.push_back(Kind::take(factors[at(j)], items[at(j)]));
    }
    std::optional<typename Kind::T> init;
    if (opts.init_pointer != nullptr) init = Kind::as_operand(inits[static_cast<std::size_t>(s)]);
    const auto expected = modelled<Kind>(c, x, init);
    for (std::int64_t j = 0; j < c.shape.length; ++j) {
      const auto result = Kind::give(expected.results[static_cast<std::size_t>(j)]);
      if (std::memcmp(&result, &results[at(j)], sizeof(result)) != 0) FAIL("step ", j);
    }
    const value total = Kind::as_value(*expected.total);
    REQUIRE(std::memcmp(&total, &ends[static_cast<std::size_t>(s)], sizeof(total)) == 0);
  }
}

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
  auto plan = scan::device::plan_for(length, 4, scan::algorithm::automatic, {}, false);
  tests::cut_recurrence(plan, length, 4);
  const tests::compose_fused op;
  const auto row = tests::device_association(x, op, plan, false, {}, x[0]);
  const int lanes = plan.tile_items / plan.tile.warp_items() + 1;
  CHECK(worst_of_bound(x, row.results,
                       2 * plan.tile.vector_items + 2 * plan.tile.stripes + std::log2(lanes) + 12) <
        1);
  const auto cut =
      scan::device::cut_columns(scan::device::column_tuning_for({4, 4, 8, 2}), 1, length, 64);
  const auto column = tests::column_association(x, op, cut, false, {}, x[0]);
  const auto num_spans = static_cast<double>(length / cut.tile_rows / 128 + 1);
  CHECK(worst_of_bound(x, column.results, 2 * cut.group_rows + 30 + num_spans) < 1);
}

/// Rows of every kernel; columns in one group, several, several tiles, batches and spans.
template <class Kind>
void check_kind() {
  std::uint64_t turn = 0;
  for (const scan::extents& shape : std::vector<scan::extents>{
           {300, 3, 1, 0, 0},     {40, 20, 1, 0, 0},     {20, 100, 1, 0, 0},
           {9, 129, 1, 0, 0},     {9, 400, 1, 0, 0},     {5, 1000, 1, 0, 0},
           {5, 4000, 1, 0, 0},    {3, 9000, 1, 0, 0},    {3, 70001, 1, 0, 0},
           {2, 300001, 1, 0, 0},  {2, 1100001, 1, 0, 0}, {1, 20, 30, 0, 0},
           {50, 7, 2, 0, 0},      {4, 100, 5, 0, 0},     {3, 529, 7, 0, 0},
           {1, 1000, 33, 0, 0},   {2, 3000, 64, 0, 0},   {1, 40000, 16, 0, 0},
           {1, 70000, 3, 0, 0},   {1, 300000, 2, 0, 0},  {1, 5000, 300, 0, 0},
           {1, 200000, 17, 0, 0}, {1, 4097, 128, 0, 0},  {1, 100, 2000, 0, 0}}) {
    for (int bits = 0; bits < 8; ++bits) {
      const bool small = shape.outer * shape.length * shape.inner < 200000;
      if (!small && ++turn % 4 != 0) continue;
      tensor_case c;
      c.shape = shape;
      c.exclusive = !Kind::recurrence && (bits & 1) != 0;
      c.with_total = Kind::recurrence && (bits & 1) != 0;  // with factors of 0
      c.reverse = (bits & 2) != 0;
      c.init = (bits & 4) != 0 ? tests::sequence_init::by_pointer : tests::sequence_init::none;
      check_call<Kind>(c);
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
    check_kind<sums<float, float>>();
    check_kind<sums<double, double>>();
    check_kind<sums<__half, __half>>();
  }
  TEST_CASE("recurrences on the device give the formulas' bits") {
    if (skipped()) return;
    check_kind<recurrences<float>>();
    check_kind<recurrences<double>>();
    check_kind<recurrences<__nv_bfloat16>>();
  }
}

int main(int argc, char** argv) { return tests::run_tests(argc, argv); }
