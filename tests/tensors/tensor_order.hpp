// Calls for tensors, checked sequence by sequence against the formulas of the order that they are
// documented to have: tensor_association.hpp, and walk_association.hpp. Needs a device, or what
// stands in for one.
#ifndef SCAN_TESTS_TENSOR_ORDER_HPP
#define SCAN_TESTS_TENSOR_ORDER_HPP

#include <doctest/doctest.h>

#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "scan/device/plan/round_plan.hpp"
#include "scan/device/plan/row_plan.hpp"
#include "tests/support/device_memory.hpp"
#include "tests/support/rounded_values.hpp"
#include "tests/tensors/tensor_association.hpp"
#include "tests/tensors/tensor_reference.hpp"
#include "tests/tensors/walk_association.hpp"

namespace tests {

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
template <class Element, class Out = Element>
struct recurrences {
  using in = Element;
  using out = Out;
  using value = scan::state_t<Out>;
  using T = modelled_map<value>;
  static constexpr int held_bytes = 2 * sizeof(value);
  static std::string name() { return "recurrences"; }
  static constexpr bool recurrence = true;
  using op = compose_fused;
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

/// How rows of recurrences of `length` are cut where they are not short, of elements of so many
/// bytes: into tiles of warps whose lanes have a run each.
inline scan::device::launch_plan rounds_of(std::int64_t length, int bytes, int num_inputs,
                                           bool has_ring) {
  const auto rounds = scan::device::plan_rounds(scan::device::vectors_of(length, bytes), bytes,
                                                num_inputs, has_ring);
  scan::device::launch_plan plan{};
  plan.kernel = scan::algorithm::ring;
  plan.tile = {32 * rounds.warps, 1, 1, rounds.run * scan::device::vector_items_for(bytes)};
  plan.tile_items = plan.tile.tile_items();
  plan.batch_tiles = 32;
  return plan;
}
/// Whether the current device has a ring.
inline bool has_ring_here() {
  scan::device::device_limits limits;
  if (!scan::device::current_limits(limits).ok()) throw std::runtime_error("no limits");
  return limits.ring_bytes_of_block > 0;
}

/// The model of a recurrence that reads so many arrays, or of columns that are walked.
template <class Kind, class Op>
associated<typename Kind::T> walked(const tensor_case& c, const std::vector<typename Kind::T>& x,
                                    Op op, const std::optional<typename Kind::T>& init,
                                    int num_inputs = Kind::recurrence ? 2 : 1) {
  using T = typename Kind::T;
  constexpr int bytes =
      static_cast<int>(std::max(sizeof(typename Kind::in), sizeof(typename Kind::out)));
  if (c.shape.inner == 1) {
    if (scan::device::vectors_of(c.shape.length, bytes) <= scan::device::short_row_vectors) {
      return row_walk_association<T>(x, op, scan::device::vector_items_for(bytes), c.exclusive,
                                     init, Kind::identity());
    }
    return device_association<T>(x, op,
                                 rounds_of(c.shape.length, bytes, num_inputs, has_ring_here()),
                                 c.exclusive, init, Kind::identity());
  }
  const auto strips = scan::device::walk_strips_of(c.shape.inner, bytes, 1);
  return column_walk_association<T>(
      x, op, scan::device::walk_run_rows(bytes, Kind::recurrence ? 2 : 1), strips.lane_runs,
      scan::device::most_column_warps(Kind::held_bytes), c.exclusive, walked_prefix<T>(init),
      Kind::identity());
}

/// The model's results of a sequence in scan order.
template <class Kind>
associated<typename Kind::T> modelled(const tensor_case& c, scan::algorithm which,
                                      const std::vector<typename Kind::T>& x,
                                      const std::optional<typename Kind::T>& init) {
  using T = typename Kind::T;
  const typename Kind::op op;
  const auto ordered = [&](const T& a, const T& b) {
    return c.reverse && !Kind::recurrence ? op(b, a) : op(a, b);
  };
  const bool is_row = c.shape.inner == 1;
  constexpr int in = sizeof(typename Kind::in), out = sizeof(typename Kind::out);
  const std::int64_t length = c.shape.length, inner = c.shape.inner;
  const bool walks =
      Kind::recurrence
          ? is_row || scan::device::walks_recurrences(length, inner, sizeof(typename Kind::out))
          : !is_row && scan::device::walks_sums(length, inner, sizeof(typename Kind::in),
                                                sizeof(typename Kind::out), Kind::held_bytes);
  constexpr int run_inputs = Kind::recurrence ? 2 : 1;
  if (which == scan::algorithm::automatic && !is_row && has_ring_here() &&
      scan::device::column_ring_takes(in, out, Kind::held_bytes, run_inputs)) {
    if (scan::device::goes_in_column_ring(length, inner, in, out)) {
      const auto tuned = scan::device::column_ring_tuning_for(in, out, run_inputs);
      return column_ring_association<T>(x, ordered, tuned, inner, c.exclusive, init,
                                        Kind::identity());
    }
    if (scan::device::goes_in_strips(length, inner, in, run_inputs)) {
      return strip_association<T>(x, ordered, in, run_inputs, inner, c.exclusive, init,
                                  Kind::identity());
    }
  }
  if ((which == scan::algorithm::walk && !is_row) || walks) {
    return walked<Kind>(c, x, ordered, init);
  }
  if (is_row) {
    scan::device::device_limits limits;
    if (!scan::device::current_limits(limits).ok()) throw std::runtime_error("no limits");
    const auto plan =
        scan::device::plan_for(c.shape.length, widest<Kind>, scan::algorithm::automatic, limits,
                               sizeof(typename Kind::in) < sizeof(typename Kind::out));
    return device_association<T>(x, ordered, plan, c.exclusive, init, Kind::identity());
  }
  const scan::device::column_sizes sizes{sizeof(typename Kind::in), sizeof(typename Kind::out),
                                         Kind::held_bytes, Kind::recurrence ? 2 : 1};
  const auto cut = scan::device::cut_columns(scan::device::column_tuning_for(sizes), c.shape.outer,
                                             c.shape.length, c.shape.inner);
  return column_association<T>(x, ordered, cut, c.exclusive, init, Kind::identity());
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
void check_order(const tensor_case& c, scan::algorithm which = scan::algorithm::automatic) {
  using value = typename Kind::value;
  INFO(Kind::name(), " of ", sizeof(typename Kind::in), " to ", sizeof(typename Kind::out),
       " bytes, ", c.describe(), which == scan::algorithm::walk ? ", walk" : "");
  auto items = random_values<typename Kind::in>(values::wide, c.in_span());
  auto factors = random_values<typename Kind::in>(values::near_one, c.in_span());
  if (c.with_total) begin_anew_sometimes(items, factors);
  const auto inits = random_values<value>(values::uniform, c.num_sequences());
  const device_memory in(items.size() * sizeof(items[0])), a(factors.size() * sizeof(factors[0])),
      out(static_cast<std::size_t>(c.out_span()) * sizeof(typename Kind::out)),
      totals(inits.size() * sizeof(value)), d_inits(inits.size() * sizeof(value));
  upload(items, in);
  upload(factors, a);
  upload(inits, d_inits);
  scan::options<value> opts;
  opts.algorithm = which;
  opts.reverse = c.reverse;
  opts.total = totals.as<value>();
  if (c.init != sequence_init::none) opts.init_pointer = d_inits.as<value>();
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
    const auto expected = modelled<Kind>(c, which, x, init);
    for (std::int64_t j = 0; j < c.shape.length; ++j) {
      const auto result = Kind::give(expected.results[static_cast<std::size_t>(j)]);
      if (std::memcmp(&result, &results[at(j)], sizeof(result)) != 0) FAIL("step ", j);
    }
    const value total = Kind::as_value(*expected.total);
    REQUIRE(std::memcmp(&total, &ends[static_cast<std::size_t>(s)], sizeof(total)) == 0);
  }
}

}  // namespace tests

#endif
