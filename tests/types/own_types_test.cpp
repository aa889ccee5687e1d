// Scans in host memory with types and operators of the user's own: which start needs an init, what
// becomes of what operators return, which calls are noexcept.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <cuda/functional>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "scan/host/host_scan.hpp"
#include "tests/support/eager_workers.hpp"
#include "tests/support/host_workers.hpp"

namespace {

__extension__ typedef __int128 wide;

/// 2 x 2 matrices modulo 2^32; {1} is not the one that changes nothing.
struct matrix {
  std::uint32_t a, b, c, d;
  friend matrix operator*(const matrix& x, const matrix& y) {
    return {x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c,
            x.c * y.b + x.d * y.d};
  }
  friend bool operator==(const matrix& x, const matrix& y) {
    return x.a == y.a && x.b == y.b && x.c == y.c && x.d == y.d;
  }
};

/// Made from no number.
struct letters {
  unsigned set = 0;
  letters() = default;
  explicit letters(const char* text) {
    for (; *text != 0; ++text) set |= 1u << (*text - 'a');
  }
  letters operator+(const letters& other) const {
    letters both;
    both.set = set | other.set;
    return both;
  }
};

/// A sum whose call operator is not const.
struct counting_sum {
  int calls = 0;
  std::int64_t operator()(std::int64_t a, std::int64_t b) {
    ++calls;
    return a + b;
  }
};

/// A map x -> a x + b modulo 2^32, of which none is the default.
struct map {
  std::uint32_t a, b;
  map(std::uint32_t factor, std::uint32_t offset) : a(factor), b(offset) {}
  explicit map(std::uint8_t factor) : map(factor, 3u) {}
  friend bool operator==(const map& x, const map& y) { return x.a == y.a && x.b == y.b; }
};
struct after {
  map operator()(const map& earlier, const map& later) const {
    return {earlier.a * later.a, later.a * earlier.b + later.b};
  }
};

/// Scans of a tensor of maps, from maps and from numbers that make them, by `threads`.
template <class In>
void check_maps(const std::vector<In>& in, const scan::extents& shape, int threads) {
  const map init(5, 7);
  std::vector<map> expected(in.size(), init), out = expected;
  std::vector<map> totals(static_cast<std::size_t>(shape.outer * shape.inner), init), sums = totals;
  for (std::size_t i = 0; i < in.size(); ++i) {
    const auto at = static_cast<std::int64_t>(i), inner = shape.inner;
    const auto s = static_cast<std::size_t>(at / (shape.length * inner) * inner + at % inner);
    expected[i] = totals[s];
    totals[s] = after{}(totals[s], map(in[i]));
  }
  scan::host_options<map> options;
  options.init = init;
  options.total = sums.data();
  options.threads = threads;
  REQUIRE(scan::exclusive(scan::host, in.data(), out.data(), shape, after{}, options).ok());
  CHECK(bool(out == expected));
  CHECK(bool(sums == totals));
}

template <class T>
std::vector<T> counted(std::size_t n) {
  std::vector<T> items(n);
  for (std::size_t i = 0; i < n; ++i) items[i] = static_cast<T>(i % 7 + 1);
  return items;
}

/// Scans by `op` what a loop scans by `same`, in both directions, alone and, where there are many
/// elements, with others.
template <class T, class Op, class Same>
void check_inclusive(std::size_t n, Op op, Same same) {
  const std::vector<T> in = counted<T>(n);
  T* const somewhere = nullptr;
  const int workers =
      tests::host_workers(in.data(), somewhere, static_cast<std::int64_t>(n), op, 4);
  REQUIRE((workers > 1) == (n > 1000));
  for (const bool reverse : {false, true}) {
    std::vector<T> expected = in, out(n);
    for (std::size_t i = 1; i < n; ++i) {
      const std::size_t at = reverse ? n - 1 - i : i, before = reverse ? at + 1 : at - 1;
      expected[at] =
          static_cast<T>(reverse ? same(in[at], expected[before]) : same(expected[before], in[at]));
    }
    for (const int threads : {1, 4}) {
      scan::host_options<T> options;
      options.threads = threads;
      options.reverse = reverse;
      const std::int64_t shared = tests::num_shared_calls();
      REQUIRE(scan::inclusive(scan::host, in.data(), out.data(), static_cast<std::int64_t>(n), op,
                              options)
                  .ok());
      REQUIRE(tests::num_shared_calls() == shared + (threads > 1 && workers > 1));
      CHECK(bool(out == expected));
    }
  }
}

// ---- what may throw, where a scan meets it ----
struct throwing_from {
  int value;
  operator float() const { throw std::runtime_error("conversion"); }
};
struct throwing_to {
  int value = 0;
  throwing_to() = default;
  throwing_to(int) { throw std::runtime_error("construction"); }
};
struct throwing_start {
  int value;
  throwing_start() noexcept(false) : value(0) {}
};
struct throwing_element {
  float value;
  throwing_element() noexcept(false) : value(0) {}
  operator float() const noexcept { return value; }
};
struct throwing_sum {
  friend throwing_sum operator+(const throwing_sum& a, const throwing_sum&) { return a; }
};
struct nothrow_left {
  template <class T>
  T operator()(const T& a, const T&) const noexcept {
    return a;
  }
};
struct throwing_copy : nothrow_left {
  throwing_copy() = default;
  throwing_copy(const throwing_copy& other) : nothrow_left(other) {}
};

template <class In, class Out, class Op = nothrow_left>
constexpr bool is_noexcept() {
  return noexcept(scan::exclusive(scan::host, std::declval<const In*>(), std::declval<Out*>(), 1,
                                  std::declval<Op&>(), scan::host_options<Out>{}));
}

}  // namespace

TEST_SUITE("own types") {
  TEST_CASE("a product of matrices starts with an init, or not at all") {
    const matrix fibonacci{0, 1, 1, 1}, in[] = {fibonacci, fibonacci, fibonacci, fibonacci};
    matrix out[4] = {};
    const scan::status refused = scan::exclusive(scan::host, in, out, 4, scan::multiplies{});
    CHECK(refused == cudaErrorInvalidValue);
    CHECK(std::string(refused.message()).find("options.init is missing") != std::string::npos);
    CHECK(out[0] == matrix{});
    REQUIRE(scan::exclusive(scan::host, in, out, 4, scan::multiplies{}, {matrix{1, 0, 0, 1}}).ok());
    CHECK(out[3] == matrix{1, 2, 2, 3});
    REQUIRE(scan::inclusive(scan::host, in, out, 4, scan::multiplies{}).ok());
    CHECK(out[3] == matrix{2, 3, 3, 5});
  }

  TEST_CASE("a type that no number makes is added") {
    const letters in[] = {letters("a"), letters("c"), letters("b")};
    letters out[3];
    REQUIRE(scan::inclusive(scan::host, in, out, 3, scan::plus{}).ok());
    CHECK(out[2].set == 7);
    CHECK_FALSE(scan::exclusive(scan::host, in, out, 3, scan::plus{}).ok());
  }

  TEST_CASE("tensors of a type without a default constructor") {
    for (const scan::extents& shape :
         {scan::extents{30, 20, 1}, scan::extents{2, 90000, 1}, scan::extents{1, 600, 1},
          scan::extents{3, 1100, 5}, scan::extents{1, 2000, 130}}) {
      const std::vector<std::uint8_t> factors =
          counted<std::uint8_t>(static_cast<std::size_t>(shape.outer * shape.length * shape.inner));
      const std::vector<map> maps(factors.begin(), factors.end());
      for (const int threads : {1, 4}) {
        CAPTURE(shape.length);
        check_maps(maps, shape, threads);
        check_maps(factors, shape, threads);
      }
    }
  }

  TEST_CASE("what an operator returns is converted") {
    const auto add = [](auto a, auto b) { return a + b; };  // an int of two signed chars
    check_inclusive<std::int8_t>(1000, add, add);
    check_inclusive<std::uint16_t>(600000, add, add);
    check_inclusive<wide>(1000, std::plus<>{}, add);
    check_inclusive<wide>(100000, scan::plus{}, add);
    check_inclusive<float>(
        1000, [](float a, float b) { return double{a} < double{b} ? b : a; },
        [](float a, float b) { return a < b ? b : a; });
  }

  TEST_CASE("an operator whose call operator is not const") {
    check_inclusive<std::int64_t>(100, counting_sum{}, counting_sum{});
    check_inclusive<std::int64_t>(400000, counting_sum{}, counting_sum{});
  }

  TEST_CASE("an operator on __half computes in float where it may, else in __half") {
    const auto half = [](float value) { return scan::convert<__half>(value); };
    const __half in[] = {half(1024), half(1), half(1), half(1)};
    __half out[4];
    const auto sum_of_floats = [](auto a, auto b) { return a + b; };
    REQUIRE(scan::inclusive(scan::host, in, out, 4, sum_of_floats).ok());
    CHECK(scan::convert<float>(out[3]) == 1027);
    const auto largest = [](__half a, __half b) {
      return scan::convert<float>(a) < scan::convert<float>(b) ? b : a;
    };
    REQUIRE(scan::inclusive(scan::host, in, out, 4, largest).ok());
    CHECK(scan::convert<float>(out[3]) == 1024);
  }

  TEST_CASE("bools are compared and combined to bools") {
    const bool in[] = {true, false, true};
    bool out[3];
    const auto written = [&](int i) { return *reinterpret_cast<unsigned char*>(out + i); };
    REQUIRE(scan::inclusive(scan::host, in, out, 3, scan::minimum{}).ok());
    CHECK((written(0) == 1 && written(1) == 0 && written(2) == 0));
    REQUIRE(scan::exclusive(scan::host, in, out, 3, scan::minimum{}).ok());
    CHECK((written(0) == 1 && written(1) == 1 && written(2) == 0));
    REQUIRE(scan::exclusive(scan::host, in, out, 3, scan::maximum{}).ok());
    CHECK((written(0) == 0 && written(1) == 1 && written(2) == 1));
    REQUIRE(scan::exclusive(scan::host, in, out, 3, scan::bit_and{}).ok());
    CHECK((written(0) == 1 && written(1) == 1 && written(2) == 0));
    REQUIRE(scan::inclusive(scan::host, in, out, 3, scan::bit_xor{}).ok());
    CHECK((written(0) == 1 && written(1) == 1 && written(2) == 0));
    REQUIRE(scan::inclusive(scan::host, in, out, 3, scan::bit_or{}).ok());
    CHECK((written(0) == 1 && written(1) == 1 && written(2) == 1));
  }

  TEST_CASE("other integers are true or false to a scan to bools") {
    const std::uint8_t in[] = {0, 2, 4, 1};
    bool out[4] = {true, false, false, false};
    const auto written = [&](int i) { return *reinterpret_cast<unsigned char*>(out + i); };
    REQUIRE(scan::inclusive(scan::host, in, out, 4, scan::maximum{}).ok());
    CHECK((written(0) == 0 && written(1) == 1 && written(2) == 1 && written(3) == 1));
    REQUIRE(scan::inclusive(scan::host, in + 1, out, 3, scan::bit_and{}).ok());
    CHECK((written(0) == 1 && written(1) == 1 && written(2) == 1));
    const std::int64_t wider[] = {256, 0, 1};
    REQUIRE(scan::inclusive(scan::host, wider, out, 3, scan::minimum{}).ok());
    CHECK((written(0) == 1 && written(1) == 0 && written(2) == 0));
  }

  TEST_CASE("libcu++'s functors are ours whatever else is included") {
    // (Nothing of the library tells the compiler of <cuda/functional>.)
    static_assert(std::is_same_v<scan::known_functor<cuda::maximum<float>>::own, scan::maximum>);
    static_assert(std::is_same_v<scan::known_functor<cuda::std::plus<>>::own, scan::plus>);
    static_assert(std::is_void_v<scan::known_functor<cuda::std::minus<>>::own>);
    static_assert(std::is_void_v<scan::known_functor<std::vector<int>>::own>);
    static_assert(scan::is_named("cuda::std::__4::plus<int>", "cuda::std::plus"));
    static_assert(!scan::is_named("mine::cuda::std::plus<int>", "cuda::std::plus"));
    static_assert(!scan::is_named("cuda::std::plus_one<int>", "cuda::std::plus"));
    static_assert(!scan::is_named("_mine::cuda::std::plus<int>", "cuda::std::plus"));
    static_assert(!scan::is_named("cuda::std::__mine<a::plus<int> >", "cuda::std::plus"));
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const float in[] = {1, nan, 3, 2};
    float out[4];
    REQUIRE(scan::inclusive(scan::host, in, out, 4, cuda::maximum<float>{}).ok());
    CHECK((out[0] == 1 && std::isnan(out[1]) && std::isnan(out[2]) && std::isnan(out[3])));
  }

  TEST_CASE("a call is noexcept where nothing on the way can throw") {
    CHECK(is_noexcept<int, int>());
    CHECK(is_noexcept<__half, __half, scan::plus>());
    CHECK(is_noexcept<matrix, matrix>());
    CHECK_FALSE(is_noexcept<int, int, std::function<int(int, int)>>());
    CHECK_FALSE(is_noexcept<throwing_from, float>());
    CHECK_FALSE(is_noexcept<int, throwing_to>());
    CHECK_FALSE(is_noexcept<throwing_start, throwing_start>());
    CHECK_FALSE(is_noexcept<throwing_element, float>());  // as large as the output
    CHECK_FALSE(is_noexcept<throwing_sum, throwing_sum, scan::plus>());
    CHECK_FALSE(is_noexcept<int, int, throwing_copy>());
    const int* const in = nullptr;
    int* const out = nullptr;
    const auto throwing = [](int) -> int { throw std::runtime_error("function"); };
    const auto calm = [](int value) noexcept { return value; };
    CHECK(noexcept(scan::inclusive(scan::host, scan::transform_input{in, calm}, out, 1)));
    CHECK_FALSE(noexcept(scan::inclusive(scan::host, scan::transform_input{in, throwing}, out, 1)));
    CHECK_FALSE(
        noexcept(scan::inclusive(scan::host, in, scan::transform_output{out, throwing}, 1)));
  }

  TEST_CASE("what a conversion throws reaches the caller") {
    const throwing_from in[] = {{1}, {2}};
    float out[2];
    CHECK_THROWS_WITH(static_cast<void>(scan::inclusive(scan::host, in, out, 2, nothrow_left{})),
                      "conversion");
  }
}
