// Types, operators and functions of the user's own on tensors, through <scan/scan.cuh> on the
// device: the interval monoid within each sequence, which never meets another's, and elements of 8,
// 12 and 32 bytes with an operator that is not commutative.
//   tensor_custom_test [one case in so many] [most elements]
// Skipped, with exit code 77, where there is no GPU.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "composed_parts.hpp"
#include "device_image.hpp"
#include "device_memory.hpp"
#include "guarded.hpp"
#include "run_tests.hpp"
#include "scan/scan.cuh"
#include "tensor_cases.hpp"
#include "watched.hpp"

namespace {

using tests::cuda_check;
using tests::device_image;
using tests::interval;
using tests::most_elements;
using tests::one_in;
using tests::placed_case;
using tests::random_elements;
using tests::sequence_init;

/// Rows, short and long, columns and what is narrow: shapes of every way to cut a tensor.
std::vector<scan::extents> shapes() {
  std::vector<scan::extents> some;
  for (const scan::extents& shape : std::vector<scan::extents>{
           {1000, 1, 1, 0, 0},  {300, 3, 1, 0, 0},    {700, 7, 1, 0, 0},    {70, 33, 1, 0, 0},
           {90, 67, 1, 0, 0},   {5, 100, 1, 0, 0},    {3, 1000, 1, 0, 0},   {2, 20000, 1, 0, 0},
           {3, 70001, 1, 0, 0}, {1, 300011, 1, 0, 0}, {1, 100, 64, 0, 0},   {1, 3000, 100, 0, 0},
           {2, 513, 33, 0, 0},  {1, 7, 1000, 0, 0},   {1, 20000, 20, 0, 0}, {30, 40, 50, 0, 0},
           {1, 1000, 2, 0, 0},  {3, 529, 7, 0, 0},    {2, 5000, 3, 0, 0},   {1, 40000, 5, 0, 0},
           {40, 33, 4, 0, 0},   {200, 2, 6, 0, 0},    {1, 1, 9000, 0, 0},   {2, 0, 3, 0, 0}}) {
    if (shape.outer * shape.length * shape.inner <= most_elements) some.push_back(shape);
  }
  return some;
}

/// Calls on tensors: `Input` and `Output` are transform_input and transform_output, whose pointers
/// are filled in per call.
template <class Input, class Output, class Op>
class tensor_scan {
 public:
  using types = scan::scan_types<Input, Output>;
  using In = typename types::in;
  using Out = typename types::out;
  using Value = typename types::value;

  tensor_scan(Input input, Output output, Op op) : input_(input), output_(output), op_(op) {}

  /// One call, on `items` from the first to the last and an init a sequence.
  void check(const placed_case& c, const std::vector<In>& items, const std::vector<Value>& inits) {
    INFO(c.describe());
    tests::guarded<In> in(c.in_place ? c.out_span() : c.in_span(), c.in_offset);
    tests::guarded<Out> out(c.out_span(), c.out_offset), expected(c.out_span(), c.out_offset);
    tests::guarded<Value> totals(c.num_sequences()), expected_totals(c.num_sequences());
    copy(items, c.in_place ? reinterpret_cast<In*>(out.data()) : in.data());
    if (c.in_place) copy(items, reinterpret_cast<In*>(expected.data()));
    const bool start_is_seen = c.shape.length > 0 ? c.exclusive : c.complete || c.with_total;
    const bool refused =
        !has_identity && start_is_seen && c.init == sequence_init::none && c.num_sequences() > 0;
    if (!refused) expect(c, items, inits, expected.data(), expected_totals.data());

    const device_image<In> d_in(in);
    const device_image<Out> d_out(out);
    const device_image<Value> d_totals(totals);
    const tests::device_memory d_inits((inits.size() + 1) * sizeof(Value));
    if (!inits.empty()) {
      cuda_check(cudaMemcpy(d_inits.as<void>(), inits.data(), inits.size() * sizeof(Value),
                            cudaMemcpyHostToDevice));
    }
    const scan::status status =
        call(c, c.in_place ? reinterpret_cast<In*>(d_out.data()) : d_in.data(), d_out.data(),
             d_totals.data(), inits, d_inits.template as<Value>());
    const std::string message(status.message());
    INFO(message);
    if (refused) {
      REQUIRE(message.find("options.init is missing") != std::string::npos);
    } else {
      REQUIRE(status.ok());
    }
    d_out.fetch();
    d_in.fetch();
    d_totals.fetch();
    REQUIRE(first_difference(out, expected) == -1);
    if (c.with_total && !refused) {
      REQUIRE(first_difference(totals, expected_totals) == -1);
    } else {
      REQUIRE(totals.untouched());
    }
    REQUIRE(in.guards_intact());
    if (!c.in_place && !items.empty()) {
      REQUIRE(std::memcmp(in.data(), items.data(), items.size() * sizeof(In)) == 0);
    }
  }

 private:
  static constexpr bool has_identity = scan::has_identity<Op, Value>;

  static void copy(const std::vector<In>& items, In* to) {
    if (!items.empty()) {
      std::memcpy(static_cast<void*>(to), items.data(), items.size() * sizeof(In));
    }
  }

  /// Writes what the call should into `out` and `totals`.
  void expect(const placed_case& c, const std::vector<In>& items, const std::vector<Value>& inits,
              Out* out, Value* totals) const {
    std::vector<Value> values, results(static_cast<std::size_t>(c.out_span()));
    for (const In& item : items) values.push_back(scan::convert<Value>(input_.function(item)));
    tests::scan_tensor_serially(c, values.data(), results.data(), inits, totals, op_);
    for (std::int64_t o = 0; o < c.shape.outer; ++o) {
      for (std::int64_t i = 0; i < c.num_outputs() * c.shape.inner; ++i) {
        const std::int64_t at = o * c.out_pitch() + i;
        out[at] = scan::convert<Out>(output_.function(results[static_cast<std::size_t>(at)]));
      }
    }
  }

  scan::status call(const placed_case& c, const In* in, Out* out, Value* totals,
                    const std::vector<Value>& inits, const Value* d_inits) {
    scan::options<Value> opts;
    if (c.init == sequence_init::by_value && !inits.empty()) opts.init = inits[0];
    if (c.init == sequence_init::by_pointer) opts.init_pointer = d_inits;
    if (c.with_total) opts.total = totals;
    opts.reverse = c.reverse;
    opts.complete = c.complete;
    constexpr auto widest = static_cast<int>(std::max({sizeof(In), sizeof(Out), sizeof(Value)}));
    std::optional<scan::workspace> space;
    if (turn_++ % 2 == 0) opts.workspace = &space.emplace(c.shape, widest);
    const auto from = pointed<decltype(input_.function)>(input_, in);
    const auto to = pointed<decltype(output_.function)>(output_, out);
    const scan::status status = c.exclusive ? scan::exclusive(from, to, c.shape, op_, opts)
                                            : scan::inclusive(from, to, c.shape, op_, opts);
    cuda_check(cudaDeviceSynchronize());  // before the workspace goes
    return status;
  }

  /// `side` at `data`; without a function a pointer, as most people pass it.
  template <class Function, class Side, class T>
  static auto pointed(Side side, T* data) {
    if constexpr (std::is_same_v<Function, scan::as_is>) {
      return data;
    } else {
      return Side{data, side.function};
    }
  }

  /// The first byte of the images in which they differ, guards and what is between slabs included.
  template <class T>
  static std::int64_t first_difference(tests::guarded<T>& actual, tests::guarded<T>& expected) {
    for (std::size_t i = 0; i < actual.image_bytes(); ++i) {
      if (actual.image()[i] != expected.image()[i]) return static_cast<std::int64_t>(i);
    }
    return -1;
  }

  Input input_;
  Output output_;
  Op op_;
  std::uint64_t turn_ = 0;
};

/// The scan with plain pointers.
template <class T, class Op>
tensor_scan<scan::transform_input<T>, scan::transform_output<T>, Op> plain_scan(Op op) {
  return {{}, {}, op};
}

/// Calls `each` with cases of every shape: all variants of small ones, a part of the others.
template <class Each>
void for_each_case(bool can_be_in_place, const Each& each) {
  std::uint64_t turn = 0;
  for (const scan::extents& shape : shapes()) {
    const std::int64_t elements = shape.outer * shape.length * shape.inner;
    const std::uint64_t step = elements < 10000 ? 1 : elements < 100000 ? 5 : 11;
    for (std::uint64_t v = turn % step; v < tests::num_tensor_variants; v += step) {
      if (++turn % one_in != 0) continue;
      placed_case c = tests::tensor_variant(shape, v, false, can_be_in_place);
      tests::place(c, turn * 11);
      each(c);
    }
  }
}

template <class T>
void check_elements() {
  auto calls = plain_scan<T>(tests::compose{});
  for_each_case(true, [&](const placed_case& c) {
    calls.check(c, random_elements<T>(c.in_place ? c.out_span() : c.in_span()),
                random_elements<T>(c.num_inits()));
  });
}

/// Composes affine maps whose slope is the low half of a number and whose offset the high one: an
/// operator on plain numbers that is not commutative.
struct compose_halves {
  template <class Number>
  SCAN_HOST_DEVICE Number operator()(const Number& earlier, const Number& later) const {
    constexpr int bits = static_cast<int>(sizeof(Number)) * 4;
    constexpr Number low = static_cast<Number>((Number{1} << bits) - 1);
    const Number slope = later & low;
    return ((slope * (earlier >> bits) + (later >> bits)) << bits) |
           (slope * (earlier & low) & low);
  }
};
template <class Number>
void check_halves() {
  auto calls = plain_scan<Number>(compose_halves{});
  for_each_case(true, [&](const placed_case& c) {
    calls.check(c, random_elements<Number>(c.in_place ? c.out_span() : c.in_span()),
                random_elements<Number>(c.num_inits()));
  });
}

/// Intervals side by side within a sequence, far from those of the others where inits are; and
/// between slabs what is nobody's neighbour.
std::vector<interval> intervals(const placed_case& c) {
  const std::int64_t distance = c.init == sequence_init::by_value ? 0 : c.shape.length + 100;
  std::vector<interval> items(static_cast<std::size_t>(c.in_place ? c.out_span() : c.in_span()),
                              interval{-50, -60});
  for (std::int64_t o = 0; o < c.shape.outer; ++o) {
    for (std::int64_t i = 0; i < c.shape.length; ++i) {
      for (std::int64_t k = 0; k < c.shape.inner; ++k) {
        const std::int64_t begin = (o * c.shape.inner + k) * distance + i;
        items[static_cast<std::size_t>(c.in_index(o, i, k))] = {begin, begin + 1};
      }
    }
  }
  return items;
}
/// What is before the first of each sequence, or after its last.
std::vector<interval> inits_of_intervals(const placed_case& c) {
  std::vector<interval> inits;
  for (std::int64_t s = 0; s < c.num_inits(); ++s) {
    const std::int64_t begin = s * (c.shape.length + 100), end = begin + c.shape.length;
    inits.push_back(c.reverse ? interval{end, end + 40} : interval{begin - 40, begin});
  }
  return inits;
}

struct low_bits {
  SCAN_HOST_DEVICE std::uint32_t operator()(const std::uint8_t& x) const { return x % 50u; }
};
struct as_signed_difference {
  SCAN_HOST_DEVICE std::int16_t operator()(const std::uint32_t& x) const {
    return static_cast<std::int16_t>(1000 - static_cast<int>(x % 2000u));
  }
};

}  // namespace

TEST_SUITE("tensor custom") {
  TEST_CASE("intervals: every sequence in order, none twice, none lost, no stranger ever seen") {
    tests::shared_count strangers;
    auto calls = plain_scan<interval>(tests::watched_concatenate{strangers.shared()});
    for_each_case(true, [&](const placed_case& c) {
      calls.check(c, intervals(c), inits_of_intervals(c));
      INFO(c.describe());
      REQUIRE(strangers.take() == 0);
    });
  }

  TEST_CASE("a stranger is seen: intervals of which two are exchanged") {
    tests::shared_count strangers;
    const tests::watched_concatenate op{strangers.shared()};
    placed_case c;
    c.shape = {2, 50, 3, 0, 0};
    std::vector<interval> items = intervals(c);
    std::swap(items[30], items[33]);
    std::vector<interval> results(items.size());
    tests::scan_tensor_serially(c, items.data(), results.data(), {},
                                static_cast<interval*>(nullptr), op);
    CHECK(strangers.take() > 0);
    CHECK(results[147] == tests::broken);
    CHECK_FALSE(results[148] == tests::broken);
  }

  TEST_CASE("elements of 8, 12 and 32 bytes, an operator that is not commutative") {
    check_elements<tests::affine_parts<std::uint32_t, 2>>();
    check_elements<tests::affine_parts<std::uint32_t, 3>>();
    check_elements<tests::affine_parts<std::uint64_t, 4>>();
  }

  TEST_CASE("numbers, an operator that is not commutative") {
    check_halves<std::uint32_t>();
    check_halves<std::uint64_t>();
  }

  TEST_CASE("functions on the way in and out") {
    tensor_scan calls(scan::transform_input<std::uint8_t, low_bits>{},
                      scan::transform_output<std::int16_t, as_signed_difference>{}, scan::plus{});
    for_each_case(false, [&](const placed_case& c) {
      calls.check(c, tests::random_items<std::uint8_t>(c.in_span(), 3),
                  tests::random_items<std::uint32_t>(c.num_inits(), 4));
    });
  }
}

int main(int argc, char** argv) {
  tests::read_arguments(argc, argv, 400000);
  return tests::run_device_tests(argc, argv);
}
