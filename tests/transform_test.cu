// Functions applied on the way into a scan and out of it: on CPU threads, and on the device where
// there is one. The guards around every input are sentinels: functions count what they should
// never have been given.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <random>

#include "custom_check.hpp"
#include "watched.hpp"

namespace {

using namespace tests;

/// `n` floats of both signs and some zeros.
std::vector<float> random_floats(std::int64_t n) {
  return random_items<float>(n, static_cast<std::uint64_t>(n) + 21);
}

struct is_positive {
  SCAN_HOST_DEVICE bool operator()(float x) const { return x > 0; }
};

/// Squares numbers of [1000, 2000]; others, zero and the guards among them, are strangers.
struct watched_square {
  shared_count::handle strangers;
  SCAN_HOST_DEVICE std::int64_t operator()(std::int16_t x) const {
    if (x < 1000 || x > 2000) strangers.add();
    return std::int64_t{x} * x;
  }
};
/// Counts its calls, and results that no sum of such squares can have.
struct watched_result {
  shared_count::handle calls, strangers;
  std::int64_t most;
  SCAN_HOST_DEVICE std::int64_t operator()(std::int64_t sum) const {
    calls.add();
    if (sum < 0 || sum > most) strangers.add();
    return -sum;
  }
};

struct scale_to_half {
  float factor;
  SCAN_HOST_DEVICE __half operator()(float sum) const { return __float2half_rn(factor * sum); }
};

/// 12 bytes, of which a scan wants four.
struct particle {
  float position;
  std::int32_t charge;
  std::int32_t mass;
};
struct field {
  bool want_mass;
  SCAN_HOST_DEVICE std::int32_t operator()(const particle& p) const {
    return want_mass ? p.mass : p.charge;
  }
};

struct widen {
  SCAN_HOST_DEVICE __int128_t operator()(std::uint8_t x) const { return __int128_t{x} << 80; }
};
struct fold_to_byte {
  SCAN_HOST_DEVICE std::uint8_t operator()(__int128_t sum) const {
    return static_cast<std::uint8_t>(sum >> 80 ^ sum >> 90);
  }
};

/// Makes neighbours of consecutive numbers, and strangers of all else.
struct to_interval {
  SCAN_HOST_DEVICE interval operator()(std::int32_t i) const { return {i, i + 1}; }
};
struct length {
  SCAN_HOST_DEVICE std::int32_t operator()(const interval& i) const {
    return static_cast<std::int32_t>(i.end - i.begin);
  }
};

}  // namespace

TEST_SUITE("transform") {
  TEST_CASE("a baseline that this build does not hold is refused before anything is touched") {
    tests::guarded<float> in(100);
    tests::guarded<std::int64_t> out(100);
    scan::options<std::int64_t> options;
    options.algorithm = scan::algorithm::blelloch;
    const scan::status result = scan::inclusive(scan::transform_input{in.data(), is_positive{}},
                                                out.data(), 100, scan::plus{}, options);
    CHECK(result == cudaErrorNotSupported);
    CHECK(std::string(result.message()).find("options.algorithm") != std::string::npos);
    CHECK(out.untouched());
  }

  TEST_CASE("x > 0 to 64-bit offsets") {
    for (const std::int64_t n : custom_sizes(sizeof(std::int64_t))) {
      check_transformed<std::int64_t>(random_floats(n), is_positive{}, scan::as_is{},
                                      std::int64_t{1} << 33, scan::plus{});
    }
    // Stream compaction is what they are for.
    const auto items = random_floats(100003);
    std::vector<std::int64_t> offsets(items.size() + 1);
    scan::host_options<std::int64_t> complete;
    complete.complete = true;
    REQUIRE(scan::exclusive(scan::host, scan::transform_input{items.data(), is_positive{}},
                            offsets.data(), 100003, scan::plus{}, complete)
                .ok());
    std::vector<float> kept;
    std::copy_if(items.begin(), items.end(), std::back_inserter(kept), is_positive{});
    std::vector<float> compacted(static_cast<std::size_t>(offsets.back()));
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (items[i] > 0) compacted[static_cast<std::size_t>(offsets[i])] = items[i];
    }
    CHECK(compacted == kept);
  }

  TEST_CASE("in place, to another type of the same size, by a lambda") {
    const int bound = 3;
    for (const std::int64_t n : custom_sizes(sizeof(float))) {
      check_transformed<std::int32_t>(
          random_floats(n), [bound] __host__ __device__(float x) { return x < bound ? 2 : -1; },
          scan::as_is{}, 1000, scan::plus{});
    }
  }

  TEST_CASE("functions see each element of [0, n) and nothing else, results once") {
    shared_count strangers, calls;
    std::mt19937 random(22);
    for (const std::int64_t n : custom_sizes(sizeof(std::int64_t))) {
      std::vector<std::int16_t> items(static_cast<std::size_t>(n));
      for (std::int16_t& item : items) item = static_cast<std::int16_t>(1000 + random() % 1001);
      const std::int64_t outputs = check_transformed<std::int64_t>(
          items, watched_square{strangers.shared()},
          watched_result{calls.shared(), strangers.shared(), 4000000 * (n + 1)},
          std::int64_t{4000000}, scan::plus{});
      REQUIRE(strangers.take() == 0);
      REQUIRE(calls.take() == outputs);
    }
    const watched_square square{strangers.shared()};
    CHECK(square(999) + square(2001) > 0);
    CHECK(strangers.take() == 2);
  }

  TEST_CASE("the operator sees functions of elements only, in order") {
    shared_count strangers;
    for (const std::int64_t n : custom_sizes(sizeof(interval))) {
      std::vector<std::int32_t> items(static_cast<std::size_t>(n));
      for (std::int64_t i = 0; i < n; ++i) {
        items[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(i);
      }
      check_transformed<std::int32_t>(items, to_interval{}, length{}, interval{-7, 0},
                                      watched_concatenate{strangers.shared()}, interval{n, n + 7});
      REQUIRE(strangers.take() == 0);
    }
  }

  TEST_CASE("sums of float, scaled and stored as half") {
    for (const std::int64_t n : custom_sizes(sizeof(float))) {
      check_transformed<__half>(random_floats(n), scan::as_is{}, scale_to_half{0.125f}, -3.0f,
                                scan::plus{});
    }
  }

  TEST_CASE("a field of a structure") {
    for (const std::int64_t n : custom_sizes(sizeof(particle))) {
      const auto charges = random_items<std::int32_t>(n, 23),
                 masses = random_items<std::int32_t>(n, 24);
      std::vector<particle> particles;
      for (std::size_t i = 0; i < charges.size(); ++i) {
        particles.push_back({1.5f, charges[i], masses[i]});
      }
      for (const bool want_mass : {false, true}) {
        check_transformed<std::int64_t>(particles, field{want_mass}, scan::as_is{}, std::int64_t{7},
                                        scan::plus{});
      }
    }
  }

  TEST_CASE("single bytes in and out of 16-byte sums") {
    for (const std::int64_t n : custom_sizes(sizeof(__int128_t))) {
      check_transformed<std::uint8_t>(random_items<std::uint8_t>(n, 25), widen{}, fold_to_byte{},
                                      __int128_t{5} << 85, scan::plus{});
    }
  }

  TEST_CASE("on CPU threads functions are given elements where they lie") {
    const std::int64_t n = 300007;
    const auto items = random_floats(n);
    std::vector<double> out(items.size());
    for (const bool reverse : {false, true}) {
      for (const int threads : {1, 4}) {
        std::atomic<std::int64_t> outside{0}, calls{0};
        const auto watched = [&](const float& x) {
          outside += &x < items.data() || &x >= items.data() + n;
          ++calls;
          return static_cast<double>(x) * x;
        };
        const scan::transform_input input{items.data(), watched};
        const std::int64_t shared = num_shared_calls();
        scan::host_options<double> opts;
        opts.threads = threads;
        opts.reverse = reverse;
        REQUIRE(scan::inclusive(scan::host, input, out.data(), n, scan::plus{}, opts).ok());
        CHECK(num_shared_calls() == shared + (threads > 1));
        CHECK(outside == 0);
        CHECK(calls >= n);
      }
    }
  }
}
