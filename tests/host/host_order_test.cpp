// What the order of operations on CPU threads shows: bits, overflows, accesses in place.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <random>
#include <thread>

#include "scan/host/host_scan.hpp"
#include "tests/sequences/association.hpp"
#include "tests/sequences/infinities.hpp"
#include "tests/support/cases.hpp"
#include "tests/support/guarded.hpp"

namespace {

/// Counts the threads that come by, and lets them meet: the processor is given away now and then.
std::atomic<int> num_threads_seen{0};
void note_thread() {
  thread_local int num_calls = 0;
  if (num_calls == 0) ++num_threads_seen;
  if (++num_calls % 4096 == 0) std::this_thread::yield();
}

/// Adds pairs of floats, each pair in one integer.
struct add_packed_floats {
  std::uint64_t operator()(std::uint64_t earlier, std::uint64_t later) const {
    note_thread();
    std::array<float, 2> a, b;
    std::memcpy(a.data(), &earlier, sizeof(a));
    std::memcpy(b.data(), &later, sizeof(b));
    for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
    std::memcpy(&earlier, a.data(), sizeof(a));
    return earlier;
  }
};

std::vector<std::uint64_t> packed_floats(std::int64_t n) {
  std::mt19937 random(3);
  std::vector<std::uint64_t> items(static_cast<std::size_t>(n));
  for (std::uint64_t& item : items) {
    const std::array<float, 2> pair{static_cast<float>(random()) * 0x1p-32f,
                                    static_cast<float>(random()) * 0x1p-30f - 2};
    std::memcpy(&item, pair.data(), sizeof(item));
  }
  return items;
}

/// The library does not know it.
struct own_plus {
  template <class T>
  T operator()(const T& earlier, const T& later) const {
    return earlier + later;
  }
  template <class T>
  static constexpr T identity() {
    return -T{0};
  }
};

/// Whether sums on CPU threads are infinite and NaN as the serial loop's.
template <class T, class Op>
bool kinds_are_serial(const std::vector<T>& items, Op op, bool exclusive) {
  const auto n = static_cast<std::int64_t>(items.size());
  std::vector<T> out(items.size());
  bool same = true;
  for (const int threads : {1, 4}) {
    const scan::host_options<T> options{{}, threads};
    REQUIRE((exclusive ? scan::exclusive(scan::host, items.data(), out.data(), n, op, options)
                       : scan::inclusive(scan::host, items.data(), out.data(), n, op, options))
                .ok());
    same &= tests::kinds_are_serial(items, out, exclusive);
  }
  return same;
}

/// Scans integers to floats of the same size, in place, and apart from them.
template <class Op>
void check_in_place(Op op, bool exclusive, bool reverse) {
  const std::int64_t n = 300'001;
  const std::vector<std::int16_t> small = tests::random_items<std::int16_t>(n, 3);
  const std::vector<std::int32_t> items(small.begin(), small.end());
  const std::size_t num_bytes = items.size() * sizeof(float);
  std::vector<float> apart(items.size()), together(items.size());
  const std::unique_ptr<void, decltype(&std::free)> memory(std::malloc(num_bytes), &std::free);
  std::memcpy(memory.get(), items.data(), num_bytes);
  const auto scan = [&](const std::int32_t* in, float* out) {
    const scan::host_options<float> options{1.0f, 4, nullptr, reverse};
    return exclusive ? scan::exclusive(scan::host, in, out, n, op, options)
                     : scan::inclusive(scan::host, in, out, n, op, options);
  };
  REQUIRE(scan(items.data(), apart.data()).ok());
  REQUIRE(scan(static_cast<std::int32_t*>(memory.get()), static_cast<float*>(memory.get())).ok());
  std::memcpy(together.data(), memory.get(), num_bytes);
  CHECK(tests::first_difference(together.data(), apart) == -1);
}

}  // namespace

TEST_SUITE("host") {
  TEST_CASE("a user's operator on integers: the documented order, every time") {
    const std::int64_t n = 40 * (62 * 1024 / 8) + 1234;
    const std::vector<std::uint64_t> items = packed_floats(n);
    for (const bool reverse : {false, true}) {
      std::vector<std::uint64_t> x = items;
      if (reverse) std::reverse(x.begin(), x.end());
      std::vector<std::uint64_t> expected =
          tests::host_association<std::uint64_t>(x, add_packed_floats{}, 8, false, {}, 0).results;
      if (reverse) std::reverse(expected.begin(), expected.end());
      for (int round = 0; round < 40; ++round) {
        std::vector<std::uint64_t> out(items.size());
        REQUIRE(scan::inclusive(scan::host, items.data(), out.data(), n, add_packed_floats{},
                                {{}, round % 10 == 0 ? 1 : 8, nullptr, reverse})
                    .ok());
        REQUIRE(tests::first_difference(out.data(), expected) == -1);
      }
    }
    CHECK(num_threads_seen > 1);
  }

  TEST_CASE("infinities and NaN are the serial loop's where no partial sum can overflow") {
    const float inf = std::numeric_limits<float>::infinity();
    const std::int64_t n = 400'001;  // times the largest: less than the type's largest
    for (const bool exclusive : {false, true}) {
      for (const float infinity : {inf, -inf}) {
        const auto items = tests::with_infinities<float>(n, 8e32f, infinity);
        CHECK(kinds_are_serial(items, scan::plus{}, exclusive));
        CHECK(kinds_are_serial(items, own_plus{}, exclusive));
      }
      const auto items =
          tests::with_infinities<double>(n, 4e302, -std::numeric_limits<double>::infinity());
      CHECK(kinds_are_serial(items, scan::plus{}, exclusive));
    }
  }

  TEST_CASE("where a partial sum overflows, they need not be: NaN and both infinities stay") {
    const float inf = std::numeric_limits<float>::infinity();
    const std::vector<float> items{0, -3e38f, 3e38f, 3e38f, -3e38f};
    std::vector<float> out(items.size());
    REQUIRE(scan::inclusive(scan::host, items.data(), out.data(), 5).ok());
    CHECK(out == std::vector<float>{0, -3e38f, 0, inf, inf});  // serial: 0, -3e38, 0, 3e38, 0

    std::vector<float> large = tests::with_infinities<float>(400'001, 3e38f, inf);
    large[large.size() / 2] = -inf;  // from here on both, whatever has overflown
    out.resize(large.size());
    for (const int threads : {1, 4}) {
      const auto n = static_cast<std::int64_t>(large.size());
      REQUIRE(scan::inclusive(scan::host, large.data(), out.data(), n, scan::plus{}, {{}, threads})
                  .ok());
      CHECK(std::all_of(out.begin() + n / 2, out.end(), [](float x) { return std::isnan(x); }));
    }
  }

  TEST_CASE("a sum is -0.0 exactly where all before it are") {
    std::vector<float> items(100'003, -0.0f), out(items.size());
    const auto n = static_cast<std::int64_t>(items.size());
    items[70'001] = 0;
    items[80'001] = 1e-45f;
    items[80'002] = -1e-45f;
    REQUIRE(scan::inclusive(scan::host, items.data(), out.data(), n).ok());
    for (std::size_t i = 0; i < out.size(); ++i) {
      REQUIRE(std::signbit(out[i]) == (i < 70'001));
      REQUIRE((out[i] == 0) == (i != 80'001));
    }
  }

  TEST_CASE("in place from integers to floats of their size") {
    for (const bool exclusive : {false, true}) {
      for (const bool reverse : {false, true}) {
        check_in_place(scan::plus{}, exclusive, reverse);
        check_in_place(own_plus{}, exclusive, reverse);
        check_in_place(scan::maximum{}, exclusive, reverse);
      }
    }
  }
}
