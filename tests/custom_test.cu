// Types and operators of the user's own through <scan/scan.cuh>, on the device where there is one
// and on CPU threads: not commutative, without identity, of odd sizes, widening.
#include <doctest/doctest.h>

#include <optional>
#include <random>
#include <vector>

#include "cases.hpp"
#include "device_memory.hpp"
#include "interval.hpp"
#include "scan/scan.cuh"

namespace {

using tests::concatenate;
using tests::interval;

/// 2 x 2 matrices modulo a prime: 16 bytes, associative, not commutative.
struct matrix {
  std::uint32_t a, b, c, d;
};
struct multiply {
  static constexpr std::uint64_t prime = 65521;
  SCAN_HOST_DEVICE matrix operator()(const matrix& x, const matrix& y) const {
    const auto dot = [](std::uint64_t p, std::uint64_t q, std::uint64_t r, std::uint64_t s) {
      return static_cast<std::uint32_t>((p * q + r * s) % prime);
    };
    return {dot(x.a, y.a, x.b, y.c), dot(x.a, y.b, x.b, y.d), dot(x.c, y.a, x.d, y.c),
            dot(x.c, y.b, x.d, y.d)};
  }
};

/// The largest value so far and where it was first: 12 bytes, which no vector divides.
struct best {
  float value;
  std::uint32_t index, seen;
};
struct better {
  SCAN_HOST_DEVICE best operator()(const best& earlier, const best& later) const {
    const best& chosen = later.value > earlier.value ? later : earlier;
    return {chosen.value, chosen.index, earlier.seen + later.seen};
  }
};

/// 64 bytes, the most there is.
struct wide {
  std::uint64_t part[8];
};
struct add_parts {
  SCAN_HOST_DEVICE wide operator()(const wide& earlier, const wide& later) const {
    wide sum;
    for (int i = 0; i < 8; ++i) sum.part[i] = earlier.part[i] + later.part[i];
    return sum;
  }
};

/// Runs inclusive and exclusive scans of `in` on threads, and on the device if there is one.
template <class In, class Out, class Op>
void check(const std::vector<In>& in, const Out& init, Op op) {
  const auto n = static_cast<std::int64_t>(in.size());
  for (const bool exclusive : {false, true}) {
    INFO("n=", n, exclusive ? " exclusive" : " inclusive");
    const std::optional<Out> start = exclusive ? std::optional<Out>(init) : std::nullopt;
    const std::vector<Out> expected = tests::serial_scan(exclusive, start, in, op);
    std::vector<Out> out(in.size());
    const scan::host_options<Out> on_host{start, 3};
    REQUIRE((exclusive ? scan::exclusive(scan::host, in.data(), out.data(), n, op, on_host)
                       : scan::inclusive(scan::host, in.data(), out.data(), n, op, on_host))
                .ok());
    REQUIRE(tests::first_difference(out.data(), expected) == -1);
    if (!tests::gpu_present()) continue;

    const tests::device_memory d_in(in.size() * sizeof(In)), d_out(in.size() * sizeof(Out));
    tests::cuda_check(
        cudaMemcpy(d_in.as<void>(), in.data(), in.size() * sizeof(In), cudaMemcpyHostToDevice));
    tests::cuda_check(cudaMemset(d_out.as<void>(), 0xEE, out.size() * sizeof(Out)));
    scan::workspace space(n, sizeof(Out));
    REQUIRE(space.error().ok());
    const scan::options<Out> on_device{start, nullptr, &space};
    REQUIRE((exclusive ? scan::exclusive(d_in.as<In>(), d_out.as<Out>(), n, op, on_device)
                       : scan::inclusive(d_in.as<In>(), d_out.as<Out>(), n, op, on_device))
                .ok());
    tests::cuda_check(
        cudaMemcpy(out.data(), d_out.as<void>(), out.size() * sizeof(Out), cudaMemcpyDeviceToHost));
    REQUIRE(tests::first_difference(out.data(), expected) == -1);
  }
}

const std::vector<std::int64_t> sizes{1, 2, 31, 33, 1000, 2047, 2048, 2049, 4097, 70001, 1200007};

}  // namespace

TEST_SUITE("custom") {
  TEST_CASE("intervals: operands in order, none twice, none lost, nothing from outside") {
    for (const std::int64_t n : sizes) {
      std::vector<interval> in;
      for (std::int64_t i = 0; i < n; ++i) in.push_back({i, i + 1});
      check(in, interval{-7, 0}, concatenate{});
    }
  }

  TEST_CASE("matrices modulo a prime") {
    std::mt19937 random(1);
    for (const std::int64_t n : sizes) {
      std::vector<matrix> in(static_cast<std::size_t>(n));
      const auto entry = [&] { return static_cast<std::uint32_t>(random() % multiply::prime); };
      for (matrix& m : in) m = {entry(), entry(), entry(), entry()};
      check(in, matrix{1, 2, 3, 5}, multiply{});
    }
  }

  TEST_CASE("running maximum with its index, 12 bytes") {
    std::mt19937 random(2);
    for (const std::int64_t n : sizes) {
      std::vector<best> in;
      for (std::int64_t i = 0; i < n; ++i) {
        in.push_back({static_cast<float>(random() % 100000), static_cast<std::uint32_t>(i), 1});
      }
      check(in, best{-1, 0, 0}, better{});
    }
  }

  TEST_CASE("64-byte elements") {
    std::mt19937_64 random(3);
    for (const std::int64_t n : {1, 511, 513, 30001}) {
      std::vector<wide> in(static_cast<std::size_t>(n));
      for (wide& w : in) {
        for (std::uint64_t& part : w.part) part = random();
      }
      check(in, wide{{1, 2, 3, 4, 5, 6, 7, 8}}, add_parts{});
    }
  }

  TEST_CASE("bytes to 64-bit offsets in one pass") {
    std::mt19937 random(4);
    for (const std::int64_t n : sizes) {
      std::vector<std::uint8_t> in(static_cast<std::size_t>(n));
      for (std::uint8_t& item : in) item = static_cast<std::uint8_t>(random());
      check(in, std::int64_t{1} << 40, scan::plus{});
    }
  }

  TEST_CASE("an operator of the host alone, a lambda, on CPU threads") {
    const std::int64_t n = 1000003;
    std::vector<int> in(static_cast<std::size_t>(n), 3), out(in.size());
    const auto modulo = [](int earlier, int later) { return (earlier + later) % 1000; };
    REQUIRE(scan::inclusive(scan::host, in.data(), out.data(), n, modulo, {{}, 3}).ok());
    std::int64_t wrong = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      wrong +=
          out[static_cast<std::size_t>(i)] != static_cast<int>(i == 0 ? 3 : 3 * (i + 1) % 1000);
    }
    CHECK(wrong == 0);
  }

  TEST_CASE("an exclusive scan without identity and init is refused") {
    interval in{0, 1}, out{};
    CHECK(scan::exclusive(&in, &out, 1, concatenate{}) == cudaErrorInvalidValue);
  }
}
