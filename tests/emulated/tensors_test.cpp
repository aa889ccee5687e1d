// Scans of tensors by the library's kernels on the stand-in GPU: random shapes, pitches, places and
// options, compared with serial loops.
#include "tests/emulated/words.hpp"
// (before all that has device code)
#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <scan/scan.cuh>
#include <vector>

#include "tests/emulated/check_tensor.hpp"
#include "tests/emulated/random_rows.hpp"

namespace {

using namespace emulated;

TEST_CASE("emulated tensors of float") {
  draw(300, 3,
       {"column_kernel", "row_kernel", "row_wave_kernel", "short_row_tile_kernel",
        "short_row_walk_kernel"},
       [](std::mt19937_64& random) {
         check_scan<float>(random_case(random, sizeof(float), false), scan::plus{}, random);
       });
}

TEST_CASE("emulated rows of many integers are walked where results lie otherwise") {
  // (On all but the last device they are too few.)
  draw(12, 2, {"row_walk_kernel"}, [](std::mt19937_64& random) {
    check_scan<std::uint32_t>(many_rows(random, sizeof(std::uint32_t), false), scan::plus{},
                              random);
  });
}

/// As large as a float, and anywhere.
struct float_bytes {
  unsigned char of[sizeof(float)];
};
struct to_float_bytes {
  float_bytes operator()(float x) const {
    float_bytes result;
    std::memcpy(&result, &x, sizeof(x));
    return result;
  }
};
struct from_float_bytes {
  float operator()(const float_bytes& bytes) const {
    float result;
    std::memcpy(&result, &bytes, sizeof(result));
    return result;
  }
};

TEST_CASE("emulated rows whose results lie where no item of theirs could") {
  const scan::extents shape{5, 9001, 1};
  draw(8, 1, {"row_kernel", "row_relay_kernel"}, [&](std::mt19937_64& random) {
    const auto items = random_vector<float>(shape.outer * shape.length, random);
    std::vector<float> wanted = items;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (i % 9001 != 0) wanted[i] += wanted[i - 1];
    }
    const array<float> in(items, 0, guarded_pages::end::last);
    for (const auto which : {scan::algorithm::automatic, scan::algorithm::walk}) {
      const guarded_pages out(wanted.size() * sizeof(float), random() % 16, random_end(random));
      scan::options<float> opts;
      opts.algorithm = which;
      const scan::transform_output to{reinterpret_cast<float_bytes*>(out.data()), to_float_bytes{}};
      const float* const from = in.data();
      // (Items that no number becomes are taken, too.)
      const scan::transform_input bytes{reinterpret_cast<const float_bytes*>(from),
                                        from_float_bytes{}};
      REQUIRE(scan::inclusive(bytes, to, shape, scan::plus{}, opts).ok());
      CHECK(std::memcmp(out.data(), wanted.data(), wanted.size() * sizeof(float)) == 0);
      REQUIRE(scan::inclusive(from, to, shape, scan::plus{}, opts).ok());
      CHECK(std::memcmp(out.data(), wanted.data(), wanted.size() * sizeof(float)) == 0);
      CHECK(out.is_intact());
    }
  });
}

#if EMULATED_ARCH >= 900
TEST_CASE("emulated rows in the ring") {
  draw(1, 0, {"ring_kernel"}, [](std::mt19937_64& random) {
    tests::placed_case c;
    c.shape = {2, scan::device::most_wave_items(sizeof(float), true) + 3333, 1};
    c.in_offset = 1;
    c.out_offset = 3;
    check_scan<float>(c, scan::plus{}, random);
  });
}
#endif

// Of 12 MiB and more in rows that fill its tiles they are the ring's, if every order gives the
// same.
TEST_CASE("emulated rows of what is exact, of many bytes") {
  std::mt19937_64 random(7);
  const auto kernel_of = [&](auto element, auto op, std::int64_t outer, std::int64_t length) {
    seen = {}, now.device = 0;
    tests::placed_case c;
    c.shape = {outer, length, 1};
    check_scan<decltype(element)>(c, op, random);
    return seen.kernels.begin()->first;
  };
  CHECK(kernel_of(std::uint64_t{}, scan::plus{}, 71, 22401) == "ring_kernel");
  CHECK(kernel_of(std::uint64_t{}, scan::plus{}, 69, 22401) == "row_kernel");
  CHECK(kernel_of(0.0, scan::maximum{}, 71, 22401) == "ring_kernel");
  CHECK(kernel_of(0.0, scan::plus{}, 71, 22401) == "row_kernel");
  using scan::device::is_ring_faster;
  constexpr std::int64_t length = 14784, many = (32 << 20) / (4 * length) + 1;  // 0.75 of two tiles
  CHECK(is_ring_faster(many, length, 4, 9856));
  CHECK(!is_ring_faster(many - 1, length, 4, 9856));
  CHECK(!is_ring_faster(8 * many, 14500, 4, 9856));
  CHECK(!is_ring_faster(8 * many, 9856, 4, 9856));
}

}  // namespace
