// Scans of tensors and recurrences in host memory, against the serial reference.
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <random>
#include <stdexcept>
#include <vector>

#include "guarded.hpp"
#include "interval.hpp"
#include "scan/host/host_scan.hpp"
#include "tensor_reference.hpp"

namespace {

using tests::sequence_init;
using tests::tensor_case;

template <class Out, class In, class Op>
scan::status run(const tensor_case& c, const In* in, Out* out, const std::vector<Out>& inits,
                 Out* totals, Op op, int threads) {
  scan::host_options<Out> options;
  options.threads = threads;
  options.total = totals;
  options.reverse = c.reverse;
  options.complete = c.complete;
  if (c.init == sequence_init::by_value) options.init = inits[0];
  if (c.init == sequence_init::by_pointer) options.init_pointer = inits.data();
  return c.exclusive ? scan::exclusive(scan::host, in, out, c.shape, op, options)
                     : scan::inclusive(scan::host, in, out, c.shape, op, options);
}

/// Elements of a tensor, and an init a sequence.
template <class T>
struct tensor_data {
  std::vector<T> items, inits;
  tensor_data(const tensor_case& c, std::uint64_t seed)
      : items(tests::random_items<T>(c.num_sequences() * c.shape.length, seed)) {}
};
/// The intervals of a sequence lie side by side, and its init before or, in reverse, behind them.
template <>
struct tensor_data<tests::interval> {
  std::vector<tests::interval> items, inits;
  tensor_data(const tensor_case& c, std::uint64_t) {
    const std::int64_t distance = c.init == sequence_init::by_value ? 0 : 1'000'000;
    for (std::int64_t s = 0; s <= c.num_sequences(); ++s) {
      const std::int64_t at = c.reverse ? s * distance + c.shape.length : s * distance - 1;
      inits.push_back({at, at + 1});
    }
    for (std::int64_t o = 0; o < c.shape.outer; ++o) {
      for (std::int64_t i = 0; i < c.shape.length; ++i) {
        for (std::int64_t k = 0; k < c.shape.inner; ++k) {
          const std::int64_t at = (o * c.shape.inner + k) * distance + i;
          items.push_back({at, at + 1});
        }
      }
    }
  }
};

template <class T>
bool same_image(tests::guarded<T>& a, tests::guarded<T>& b) {
  return std::memcmp(a.image(), b.image(), a.image_bytes()) == 0;
}

/// Puts dense items where a case has them.
template <class T>
void place(const tensor_case& c, const std::vector<T>& items, T* to) {
  const std::int64_t slab = c.shape.length * c.shape.inner;
  for (std::int64_t o = 0; o < c.shape.outer && slab > 0; ++o) {
    std::memcpy(static_cast<void*>(to + o * c.in_pitch()), items.data() + o * slab,
                static_cast<std::size_t>(slab) * sizeof(T));
  }
}

/// Whether the whole output, with all around it, is as the reference says.
template <class In, class Out = In, class Op = scan::plus>
bool check(const tensor_case& c, int threads, Op op = {}, std::int64_t offset = 0) {
  CAPTURE(c.describe());
  tensor_data<In> data(c, 5);
  if constexpr (std::is_integral_v<In> && std::is_same_v<Out, float>) {
    for (In& item : data.items) item = static_cast<In>(item % 9);  // sums of them are exact
  }
  std::vector<Out> inits;
  if constexpr (std::is_same_v<Out, tests::interval>) {
    inits = data.inits;
  } else {
    inits = tests::random_items<Out>(c.num_sequences() + 1, 6);
  }
  const std::int64_t span = c.in_place ? std::max(c.in_span(), c.out_span()) : c.out_span();
  tests::guarded<In> in(c.in_span(), offset);
  tests::guarded<Out> out(span, offset), expected(span, offset);
  tests::guarded<Out> totals(c.num_sequences(), offset), expected_totals(c.num_sequences(), offset);
  place(c, data.items, in.data());
  const In *from = in.data(), *expected_from = in.data();
  if constexpr (sizeof(In) == sizeof(Out)) {
    if (c.in_place) {
      std::memcpy(out.data(), in.data(), static_cast<std::size_t>(c.in_span()) * sizeof(In));
      from = reinterpret_cast<const In*>(out.data());
    }
    if (c.in_place) {
      std::memcpy(expected.data(), in.data(), static_cast<std::size_t>(c.in_span()) * sizeof(In));
    }
  }
  tests::scan_tensor_serially(c, expected_from, expected.data(), inits,
                              c.with_total ? expected_totals.data() : nullptr, op);
  const scan::status done =
      run(c, from, out.data(), inits, c.with_total ? totals.data() : nullptr, op, threads);
  REQUIRE_MESSAGE(done.ok(), done.message());
  const bool right = same_image(out, expected) && same_image(totals, expected_totals);
  CHECK(right);
  CHECK(in.guards_intact());
  return right;
}

/// Calls `each` with the variants of a shape.
template <class Each>
void for_each_variant(const scan::extents& shape, const Each& each) {
  for (int bits = 0; bits < 96; ++bits) {
    tensor_case c{{}, shape};
    c.exclusive = bits & 1;
    c.reverse = bits & 2;
    c.complete = c.exclusive && (bits & 4);
    c.with_total = bits & 8;
    c.in_place = bits & 16;
    c.init = static_cast<sequence_init>(bits / 32);
    if (c.in_place && shape.outer > 1) {
      c.shape.in_pitch = c.shape.out_pitch = (shape.length + 1) * shape.inner + 1;
    } else if (bits & 4) {
      c.shape.in_pitch = shape.length * shape.inner + 3;
      c.shape.out_pitch = (shape.length + 1) * shape.inner + 5;
    }
    each(c);
  }
}

const scan::extents shapes[] = {
    {1, 0, 1, 0, 0},    {3, 0, 2, 0, 0},  {0, 5, 2, 0, 0},    {2, 5, 0, 0, 0},
    {1, 1, 1, 0, 0},    {5, 1, 1, 0, 0},  {20, 3, 1, 0, 0},   {17, 16, 1, 0, 0},
    {3, 17, 1, 0, 0},   {5, 33, 1, 0, 0}, {2, 70, 1, 0, 0},   {4, 1030, 1, 0, 0},
    {1, 1, 2, 0, 0},    {1, 3, 3, 0, 0},  {4, 30, 2, 0, 0},   {2, 9, 31, 0, 0},
    {1, 5, 1100, 0, 0}, {2, 2, 64, 0, 0}, {1, 2100, 2, 0, 0}, {2, 1025, 5, 0, 0}};

/// Throws when it meets a thirteen.
struct superstitious {
  int operator()(int earlier, int later) const {
    if (later == 13) throw std::runtime_error("thirteen");
    return earlier + later;
  }
};

/// Counts the threads of a call, each once.
std::atomic<int> num_threads_seen{0};
std::atomic<int> call_number{0};
struct counting_plus {
  double operator()(double earlier, double later) const {
    thread_local int last_call = 0;
    if (last_call != call_number) ++num_threads_seen;
    last_call = call_number;
    return earlier + later;
  }
};

}  // namespace

TEST_SUITE("host") {
  TEST_CASE("tensors: every shape in every variant") {
    for (const scan::extents& shape : shapes) {
      for_each_variant(shape, [](const tensor_case& c) {
        check<std::int32_t>(c, 1);
        check<float>(c, 2, scan::plus{}, 1);
        if (c.in_place) return;
        check<std::uint8_t, std::int32_t>(c, 5, scan::plus{}, 3);
        check<__half>(c, 1, scan::plus{}, 1);
        check<__half, float>(c, 1);
      });
    }
  }

  TEST_CASE("tensors: operands stay in order, none twice, none lost") {
    for (const scan::extents& shape : shapes) {
      for_each_variant(shape, [](const tensor_case& c) {
        if (c.init == sequence_init::none && (c.exclusive || c.shape.length == 0)) return;
        check<tests::interval>(c, 3, tests::concatenate{});
      });
    }
  }

  TEST_CASE("tensors: other operators and types") {
    for (const scan::extents& shape : shapes) {
      for_each_variant(shape, [](const tensor_case& c) {
        check<float>(c, 1, scan::minimum{});
        check<std::int64_t>(c, 1, scan::maximum{}, 1);
        check<std::uint16_t>(c, 1, scan::bit_xor{});
        check<std::int32_t, float>(c, 1);  // in place too
        check<double>(c, 1);
      });
    }
  }

  TEST_CASE("tensors: several threads, many rows, few rows, wide and narrow columns") {
    const scan::extents large[] = {{60000, 7, 1, 0, 0},  {3000, 100, 1, 0, 0}, {7, 60001, 1, 0, 0},
                                   {2, 400001, 1, 0, 0}, {1, 1500, 300, 0, 0}, {3, 30000, 5, 0, 0},
                                   {9000, 5, 9, 0, 0},   {1, 2, 250000, 0, 0}};
    for (const scan::extents& shape : large) {
      for (const int threads : {1, 2, 5}) {
        for (const bool in_place : {false, true}) {
          tensor_case c{{}, shape};
          c.in_place = in_place;
          c.exclusive = threads == 2;
          c.reverse = threads == 5;
          c.with_total = true;
          c.init = in_place ? sequence_init::by_pointer : sequence_init::none;
          check<std::int32_t>(c, threads);
          check<float>(c, threads);
          if (!in_place) check<__half, float>(c, threads, scan::maximum{});
        }
      }
    }
  }

  TEST_CASE("tensors: threads do come") {
    std::vector<double> in(2'000'000, 1), out(in.size());
    for (const scan::extents& shape :
         {scan::extents{200'000, 10, 1, 0, 0}, scan::extents{1, 2000, 1000, 0, 0},
          scan::extents{20, 50'000, 2, 0, 0}}) {
      CAPTURE(shape.outer);
      bool several = false;
      // On a machine with other work to do it may take a while.
      const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(30);
      while (!several && std::chrono::steady_clock::now() < until) {
        ++call_number;
        num_threads_seen = 0;
        REQUIRE(scan::inclusive(scan::host, in.data(), out.data(), shape, counting_plus{}, {{}, 4})
                    .ok());
        several = num_threads_seen > 1;
      }
      CHECK(several);
      CHECK(out.back() == static_cast<double>(shape.length));
    }
  }

  TEST_CASE("tensors: what an operator throws reaches the caller, and the threads work on") {
    for (const scan::extents& shape :
         {scan::extents{100'000, 7, 1, 0, 0}, scan::extents{1, 1000, 700, 0, 0}}) {
      std::vector<int> items(700'000, 1), out(items.size());
      for (const int threads : {1, 5}) {
        for (const std::size_t at : {std::size_t{701}, items.size() / 2 + 1, items.size() - 1}) {
          items[at] = 13;
          CHECK_THROWS_WITH_AS(
              static_cast<void>(scan::inclusive(scan::host, items.data(), out.data(), shape,
                                                superstitious{}, {{}, threads})),
              "thirteen", std::runtime_error);
          items[at] = 1;
          CHECK(scan::inclusive(scan::host, items.data(), out.data(), shape, superstitious{},
                                {{}, threads})
                    .ok());
          CHECK(out.back() == shape.length);
        }
      }
    }
    const float* in = nullptr;
    float* out = nullptr;
    static_assert(noexcept(scan::inclusive(scan::host, in, out, scan::extents{})));
    static_assert(!noexcept(
        scan::inclusive(scan::host, in, out, scan::extents{}, [](float a, float) { return a; })));
  }

  TEST_CASE("tensors: functions on the way in and out") {
    const std::vector<int> in{1, -2, 3, 4, -5, 6};
    std::vector<float> out(in.size());
    const auto square = [](int x) { return x * x; };
    const auto half = [](int x) { return static_cast<float>(x) / 2; };
    REQUIRE(scan::inclusive(scan::host, scan::transform_input{in.data(), square},
                            scan::transform_output{out.data(), half}, scan::extents{1, 3, 2, 0, 0})
                .ok());
    CHECK(out == std::vector<float>{0.5f, 2, 5, 10, 17.5f, 28});
    REQUIRE(scan::exclusive(scan::host, scan::transform_input{in.data(), square}, out.data(),
                            scan::extents{2, 3, 1, 0, 0})
                .ok());
    CHECK(out == std::vector<float>{0, 1, 5, 0, 16, 41});
  }
}
