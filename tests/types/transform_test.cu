// Functions applied on the way into a scan and out of it: on CPU threads, and on the device where
// there is one. That they see the elements and nothing else: here, where there is a ring, and of
// larger values in own_test.cu, of results too.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <iterator>

#include "tests/support/watched.hpp"
#include "tests/types/own_sequences.hpp"

namespace {

using namespace tests;

/// `n` floats of both signs and some zeros.
std::vector<float> random_floats(std::int64_t n) {
  return random_items<float>(n, static_cast<std::uint64_t>(n) + 21);
}

/// `n` of them whose size is from 1000 to 2000.
std::vector<float> large_floats(std::int64_t n) {
  std::vector<float> items = random_floats(n);
  for (std::size_t i = 0; i < items.size(); ++i) {
    const float size = 1000 + static_cast<float>(i % 1001);
    items[i] = items[i] > 0 ? size : -size;
  }
  return items;
}
/// Of these; others, zero and the guards among them, are strangers.
struct is_positive {
  shared_count::handle strangers;
  SCAN_HOST_DEVICE bool operator()(float x) const {
    const float size = x < 0 ? -x : x;
    if (!(size >= 1000 && size <= 2000)) strangers.add();
    return x > 0;
  }
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

}  // namespace

TEST_SUITE("transform") {
  TEST_CASE("a baseline that this build does not hold is refused before anything is touched") {
    tests::guarded<float> in(100);
    tests::guarded<std::int64_t> out(100);
    scan::options<std::int64_t> options;
    options.algorithm = scan::algorithm::blelloch;
    shared_count strangers;
    const scan::status result =
        scan::inclusive(scan::transform_input{in.data(), is_positive{strangers.shared()}},
                        out.data(), 100, scan::plus{}, options);
    CHECK(result == cudaErrorNotSupported);
    CHECK(std::string(result.message()).find("options.algorithm") != std::string::npos);
    CHECK(out.untouched());
  }

  TEST_CASE("x > 0 to 64-bit offsets, of each element and of nothing else") {
    shared_count strangers;
    const is_positive watched{strangers.shared()};
    for (const std::int64_t n : custom_sizes(sizeof(std::int64_t))) {
      check_transformed<std::int64_t>(large_floats(n), watched, scan::as_is{},
                                      std::int64_t{1} << 33, scan::plus{});
      REQUIRE(strangers.take() == 0);
    }
    CHECK_FALSE((watched(0) || watched(-999)));
    CHECK(strangers.take() == 2);
    // Stream compaction is what they are for.
    const auto items = large_floats(100003);
    std::vector<std::int64_t> offsets(items.size() + 1);
    scan::host_options<std::int64_t> complete;
    complete.complete = true;
    REQUIRE(scan::exclusive(scan::host, scan::transform_input{items.data(), watched},
                            offsets.data(), 100003, scan::plus{}, complete)
                .ok());
    std::vector<float> kept;
    std::copy_if(items.begin(), items.end(), std::back_inserter(kept), watched);
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

  // (What captures has no assignment, and in C++17 no lambda has one.)
  TEST_CASE("an operator that captures, along rows and columns") {
    const std::int32_t none = -7;
    const auto latest = [none] __host__ __device__(std::int32_t earlier, std::int32_t now) {
      return now == none ? earlier : now;
    };
    for (const scan::extents& shape :
         {scan::extents{7, 33, 1}, scan::extents{3, 5000, 1}, scan::extents{2, 50, 3},
          scan::extents{1, 300, 40}, scan::extents{2, 5000, 70}}) {
      const std::int64_t n = shape.outer * shape.length * shape.inner;
      std::vector<std::int32_t> in, expected, out(static_cast<std::size_t>(n));
      for (std::int64_t i = 0; i < n; ++i) {
        const std::int64_t row = i / shape.inner % shape.length;
        in.push_back(i * 7919 % 5 != 0 ? none : static_cast<std::int32_t>(i));
        expected.push_back(row == 0 || in.back() != none
                               ? in.back()
                               : expected[static_cast<std::size_t>(i - shape.inner)]);
      }
      REQUIRE(scan::inclusive(scan::host, in.data(), out.data(), shape, latest).ok());
      CHECK(out == expected);
      if (!has_device_code()) continue;
      const std::size_t num_bytes = in.size() * sizeof(std::int32_t);
      const device_memory d_in(num_bytes), d_out(num_bytes);
      auto* const items = d_in.as<std::int32_t>();
      auto* const results = d_out.as<std::int32_t>();
      cuda_check(cudaMemcpy(items, in.data(), num_bytes, cudaMemcpyHostToDevice));
      REQUIRE(scan::inclusive(items, results, shape, latest).ok());
      cuda_check(cudaMemcpy(out.data(), results, num_bytes, cudaMemcpyDeviceToHost));
      CHECK(out == expected);
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
