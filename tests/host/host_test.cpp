// Scans in host memory on CPU threads.
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <thread>

#include "scan/host/host_scan.hpp"
#include "tests/support/cases.hpp"
#include "tests/support/guarded.hpp"
#include "tests/support/host_workers.hpp"
#include "tests/support/interval.hpp"

namespace {

/// Of a large scan.
template <class T, class Op = scan::plus>
constexpr std::int64_t tile_items = scan::host_path::tile_scan_for<scan::problem<
    scan::transform_input<T>, scan::transform_output<T>, Op, false>>::type::tile_items(1 << 30);

template <class T, class Op>
scan::status run(const tests::scan_case& c, const T* in, T* out, Op op, int threads) {
  const scan::host_options<T> options{tests::init_of<T>(c), threads};
  return c.exclusive ? scan::exclusive(scan::host, in, out, c.n, op, options)
                     : scan::inclusive(scan::host, in, out, c.n, op, options);
}

/// Adds, and gives the processor away now and then, so that threads meet in every order.
struct yielding_plus {
  template <class T>
  T operator()(const T& earlier, const T& later) const {
    if ((static_cast<std::uint64_t>(later) & 0xfff) == 0) std::this_thread::yield();
    return scan::plus{}(earlier, later);
  }
  template <class T>
  static constexpr T identity() {
    return T{0};
  }
};

}  // namespace

TEST_SUITE("host") {
  TEST_CASE("operands stay in order, none twice, none lost") {
    const std::int64_t n = 40 * tile_items<tests::interval, tests::concatenate> + 11;
    std::vector<tests::interval> items(static_cast<std::size_t>(n));
    for (std::int64_t i = 0; i < n; ++i) items[static_cast<std::size_t>(i)] = {i, i + 1};
    std::vector<tests::interval> out(items.size());
    REQUIRE(scan::inclusive(scan::host, items.data(), out.data(), n, tests::concatenate{}, {{}, 4})
                .ok());
    std::int64_t wrong = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      wrong += !(out[static_cast<std::size_t>(i)] == tests::interval{0, i + 1});
    }
    CHECK(wrong == 0);
  }

  TEST_CASE("an exclusive scan without identity wants an init") {
    const tests::interval in{3, 4};
    tests::interval out{};
    const auto result = scan::exclusive(scan::host, &in, &out, 1, tests::concatenate{});
    CHECK(result == cudaErrorInvalidValue);
    CHECK(std::string(result.message()).find("init") != std::string::npos);
    CHECK(scan::exclusive(scan::host, &in, &out, 1, tests::concatenate{}, {tests::interval{0, 3}})
              .ok());
    CHECK(out == tests::interval{0, 3});
  }

  TEST_CASE("a float's result does not depend on the number of threads, and is close to exact") {
    const std::int64_t n = 50 * tile_items<float> + 12345;
    std::vector<float> items(static_cast<std::size_t>(n));
    std::uint32_t state = 1;
    for (float& item : items) {
      state = state * 1664525u + 1013904223u;
      item = static_cast<float>(state >> 8) * 0x1p-24f;
    }
    std::vector<float> alone(items.size()), together(items.size());
    REQUIRE(scan::inclusive(scan::host, items.data(), alone.data(), n, scan::plus{}, {{}, 1}).ok());
    for (const int threads : {4, 5, 8}) {
      REQUIRE(tests::host_workers(items.data(), together.data(), n, scan::plus{}, threads) > 1);
      REQUIRE(
          scan::inclusive(scan::host, items.data(), together.data(), n, scan::plus{}, {{}, threads})
              .ok());
      CHECK(tests::first_difference(together.data(), alone) == -1);
    }
    double exact = 0, worst = 0;
    for (std::size_t i = 0; i < items.size(); ++i) {
      exact += items[i];
      worst = std::max(worst, std::abs(alone[i] - exact) / exact);
    }
    CHECK(worst < 1e-3);
    CHECK(worst > 0);  // else the data would prove nothing about order
  }

  TEST_CASE("two threads and three scan together too, what is large") {
#ifdef __SANITIZE_THREAD__
    MESSAGE("skipped: takes too long under ThreadSanitizer");
#else
    const std::int64_t n = (std::int64_t{128} << 20) / std::int64_t{sizeof(float)} + 12345;
    std::vector<float> items(static_cast<std::size_t>(n)), alone(items.size()),
        together(items.size());
    for (std::size_t i = 0; i < items.size(); ++i) items[i] = static_cast<float>(i % 1009) * 0.1f;
    REQUIRE(scan::inclusive(scan::host, items.data(), alone.data(), n, scan::plus{}, {{}, 1}).ok());
    for (const int threads : {2, 3}) {
      REQUIRE(tests::host_workers(items.data(), together.data(), n, scan::plus{}, threads) ==
              threads);
      REQUIRE(
          scan::inclusive(scan::host, items.data(), together.data(), n, scan::plus{}, {{}, threads})
              .ok());
      CHECK(together == alone);
    }
#endif
  }

  TEST_CASE("leading signed zeros and infinities pass as in the serial loop") {
    const float inf = std::numeric_limits<float>::infinity();
    const std::vector<float> items{-0.0f, -0.0f, 1, inf, -inf, 3};
    std::vector<float> out(items.size());
    const tests::scan_case c{6, false, false, false, 0, 0};
    REQUIRE(run(c, items.data(), out.data(), scan::plus{}, 1).ok());
    CHECK(std::signbit(out[0]));
    CHECK(std::signbit(out[1]));
    CHECK(out[3] == inf);
    CHECK(std::isnan(out[4]));
    CHECK(std::isnan(out[5]));
  }

  TEST_CASE("threads that yield at odd moments, again and again") {
    const std::int64_t n = 60 * tile_items<std::int64_t, yielding_plus> + 5;
    const auto items = tests::random_items<std::int64_t>(n, 3);
    const tests::scan_case c{n, true, true, false, 0, 0};
    const auto expected = tests::serial_scan(c, items, scan::plus{});
    for (int round = 0; round < 5; ++round) {
      std::vector<std::int64_t> out(items.size());
      REQUIRE(tests::host_workers(items.data(), out.data(), n, yielding_plus{}, 4 + round) > 1);
      REQUIRE(run(c, items.data(), out.data(), yielding_plus{}, 4 + round).ok());
      REQUIRE(tests::first_difference(out.data(), expected) == -1);
    }
  }

  TEST_CASE("what an operator throws reaches the caller, and nobody waits for ever") {
    struct throwing {
      int operator()(int earlier, int later) const {
        if (later == 13) throw std::runtime_error("thirteen");
        return earlier + later;
      }
    };
    const std::int64_t n = 40 * tile_items<int, throwing>;
    std::vector<int> items(static_cast<std::size_t>(n), 1), out(items.size());
    for (const int threads : {1, 4}) {
      for (const std::int64_t place : {std::int64_t{1}, n / 2, n - 1}) {
        items[static_cast<std::size_t>(place)] = 13;
        CHECK_THROWS_WITH_AS(static_cast<void>(scan::inclusive(scan::host, items.data(), out.data(),
                                                               n, throwing{}, {{}, threads})),
                             "thirteen", std::runtime_error);
        items[static_cast<std::size_t>(place)] = 1;
      }
    }
  }

  TEST_CASE("what a function on the way in throws reaches the caller, and the threads work on") {
    const std::int64_t n = 40 * tile_items<int>;
    std::vector<int> items(static_cast<std::size_t>(n), 1), out(items.size());
    const auto checked = [](int x) {
      if (x == 13) throw std::runtime_error("thirteen");
      return x;
    };
    const auto scan_checked = [&] {
      return scan::inclusive(scan::host, scan::transform_input{items.data(), checked}, out.data(),
                             n, scan::plus{}, {{}, 4});
    };
    for (int round = 0; round < 20; ++round) {
      auto& item = items[static_cast<std::size_t>(round * n / 20)];
      item = 13;
      CHECK_THROWS_WITH_AS(static_cast<void>(scan_checked()), "thirteen", std::runtime_error);
      item = 1;
      CHECK(scan_checked().ok());
      CHECK(out.back() == static_cast<int>(n));
    }
  }

  TEST_CASE("many host threads scan at once, again and again, with the same helpers") {
    const std::int64_t n = 300001;
    const auto items = tests::random_items<int>(n, 9);
    const tests::scan_case c{n, false, false, false, 0, 0};
    const auto expected = tests::serial_scan(c, items, scan::plus{});
    int* const somewhere = nullptr;
    REQUIRE(tests::host_workers(items.data(), somewhere, n, scan::plus{}, 4) > 1);
    std::atomic<int> wrong{0};
    {
      std::vector<std::jthread> callers;
      for (int i = 0; i < 6; ++i) {
        callers.emplace_back([&] {
          for (int round = 0; round < 20; ++round) {
            std::vector<int> out(items.size());
            const bool ok = run(c, items.data(), out.data(), scan::plus{}, 4 + round % 5).ok();
            wrong += !ok || tests::first_difference(out.data(), expected) != -1;
          }
        });
      }
    }
    CHECK(wrong == 0);
  }

  TEST_CASE("helpers come: those awake, those asleep, those about to fall asleep") {
    struct call {
      std::chrono::steady_clock::time_point deadline;
      std::atomic<int> num_workers{0};
      bool in_time() const {
        std::this_thread::yield();
        return std::chrono::steady_clock::now() < deadline;
      }
    };
    for (int round = 0; round < 400; ++round) {
      call asked{std::chrono::steady_clock::now() + std::chrono::seconds(20)};
      scan::host_path::run_workers(
          1 + 1 + round % 5, [](void* context) { return static_cast<call*>(context)->in_time(); },
          [](void* context) {
            call& joined = *static_cast<call*>(context);
            ++joined.num_workers;
            while (joined.num_workers < 2 && joined.in_time()) {
            }
          },
          &asked);
      REQUIRE(asked.num_workers >= 2);  // the caller is one
      REQUIRE(asked.num_workers <= 2 + round % 5);
      // (Some rest long enough for all to fall asleep on a busy machine, too.)
      const int rest_us = round % 80 == 79 ? 50'000 : round % 40 * 10;
      std::this_thread::sleep_for(std::chrono::microseconds(rest_us));
    }
  }

  TEST_CASE("more threads than the machine has") {
    const int threads = 3 * static_cast<int>(std::thread::hardware_concurrency()) + 5;
    const std::int64_t n = 3 * threads * tile_items<std::int64_t> + 1;
    const auto items = tests::random_items<std::int64_t>(n, 5);
    const tests::scan_case c{n, false, false, false, 0, 0};
    std::vector<std::int64_t> out(items.size());
    REQUIRE(run(c, items.data(), out.data(), scan::plus{}, threads).ok());
    CHECK(tests::first_difference(out.data(), tests::serial_scan(c, items, scan::plus{})) == -1);
  }

  TEST_CASE("outputs that go past the caches, at any address") {
    const std::int64_t n = scan::host_path::cached_bytes / std::int64_t{sizeof(int)} + 4321;
    const auto items = tests::random_items<int>(n, 7);
    for (const bool exclusive : {false, true}) {
      const tests::scan_case c{n, exclusive, false, false, 0, 0};
      const auto expected = tests::serial_scan(c, items, scan::plus{});
      for (const std::size_t offset : {0, 1}) {
        std::vector<int> out(items.size() + offset + 1, 77);
        const int threads = exclusive == (offset == 0) ? 1 : 4;
        REQUIRE(run(c, items.data(), out.data() + offset, scan::plus{}, threads).ok());
        CHECK(tests::first_difference(out.data() + offset, expected) == -1);
        CHECK(out.back() == 77);
      }
    }
  }
}
