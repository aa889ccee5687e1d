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
#include "tests/support/launch_chosen.hpp"

namespace {

using namespace emulated;

#if EMULATED_ARCH >= 900
// (Before any other of its columns: what the driver has been asked for is kept.)
TEST_CASE("wide columns are refused where no driver describes arrays, and are not once one does") {
  now.device = 2;
  now.describes_arrays = false;
  seen = {};
  const scan::extents shape{1, 700, 64};
  const std::vector<float> items(700 * 64, 1.0f);
  std::vector<float> out(items.size(), -1.0f);
  const scan::status refused = scan::inclusive(items.data(), out.data(), shape, scan::plus{});
  CHECK(refused == cudaErrorNotSupported);
  CHECK(seen.kernels.empty());
  CHECK(out == std::vector<float>(items.size(), -1.0f));
  now.describes_arrays = true;
  REQUIRE(scan::inclusive(items.data(), out.data(), shape, scan::plus{}).ok());
  CHECK(seen.kernels["strip_ring_kernel"] == 1);
  CHECK(out.front() == 1.0f);
  CHECK(out.back() == 700.0f);
  now.device = 0;
}
#endif

TEST_CASE("emulated tensors of float") {
  draw(300, 3,
       {"column_kernel", "held_shares_kernel", "row_kernel", "row_wave_kernel",
        "short_row_tile_kernel", "short_row_walk_kernel"},
       [](std::mt19937_64& random) {
         check_scan<float>(random_case(random, sizeof(float), false), scan::plus{}, random);
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
  draw(8, 1, {"row_kernel"}, [&](std::mt19937_64& random) {
    const auto items = random_vector<float>(shape.outer * shape.length, random);
    std::vector<float> wanted = items;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (i % 9001 != 0) wanted[i] += wanted[i - 1];
    }
    const array<float> in(items, 0, guarded_pages::end::last);
    const guarded_pages out(wanted.size() * sizeof(float), random() % 16, random_end(random));
    const scan::transform_output to{reinterpret_cast<float_bytes*>(out.data()), to_float_bytes{}};
    const float* const from = in.data();
    // (Items that no number becomes are taken, too.)
    const scan::transform_input bytes{reinterpret_cast<const float_bytes*>(from),
                                      from_float_bytes{}};
    REQUIRE(scan::inclusive(bytes, to, shape, scan::plus{}).ok());
    CHECK(std::memcmp(out.data(), wanted.data(), wanted.size() * sizeof(float)) == 0);
    REQUIRE(scan::inclusive(from, to, shape, scan::plus{}).ok());
    CHECK(std::memcmp(out.data(), wanted.data(), wanted.size() * sizeof(float)) == 0);
    CHECK(out.is_intact());
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

#if EMULATED_ARCH >= 900
TEST_CASE("emulated narrow columns in the ring") {
  draw(12, 0, {"column_ring_kernel"}, [](std::mt19937_64& random) {
    check_scan<float>(narrow_columns(random, 4, false), scan::plus{}, random);
    check_scan<std::uint8_t>(narrow_columns(random, 1, false), scan::plus{}, random);
  });
  CHECK(seen.kernels.size() == 1);
}
TEST_CASE("emulated wide columns in the ring") {
  draw(12, 0, {"strip_ring_kernel"}, [](std::mt19937_64& random) {
    check_scan<float>(emulated::wide_columns(random, 4, false), scan::plus{}, random);
    check_scan<std::uint8_t>(emulated::wide_columns(random, 1, false), scan::plus{}, random);
    check_scan<std::int32_t>(emulated::wide_columns(random, 4, false), scan::maximum{}, random);
  });
  CHECK(seen.kernels.size() == 1);
}
// Many tiles of few strips, and panels of many.
TEST_CASE("emulated long and many wide columns in the ring") {
  draw(1, 0, {"strip_ring_kernel"}, [](std::mt19937_64& random) {
    for (const scan::extents& shape : {scan::extents{1, 30011, 64}, scan::extents{1, 257, 33856}}) {
      tests::placed_case c;
      c.shape = shape;
      check_scan<std::int32_t>(c, scan::plus{}, random);
    }
  });
}
// Rows that lie in two to sixteen ways in granules, of slabs that lie in more; strips that share
// columns of narrower items.
TEST_CASE("emulated wide columns whose rows begin anywhere") {
  draw(2, 0, {"strip_ring_kernel"}, [](std::mt19937_64& random) {
    const auto of = [&](const scan::extents& shape) {
      auto c = tests::tensor_variant(shape, random(), false, shape.in_pitch == 0);
      if (shape.in_pitch == 0) tests::place(c, random());
      return c;
    };
    check_scan<float>(of({5, 4100, 66, 4100 * 66 + 1}), scan::plus{}, random);
    check_scan<std::uint16_t>(of({1, 4100, 133}), scan::plus{}, random);
    check_scan<std::uint16_t>(of({5, 4100, 132, 4100 * 132 + 1}), scan::plus{}, random);
    check_scan<std::uint8_t>(of({2, 3100, 131}), scan::plus{}, random);
    check_scan<std::uint8_t>(of({3, 3100, 132, 3100 * 132 + 3}), scan::plus{}, random);
    check_widened(of({2, 1150, 401}), random);
  });
  CHECK(seen.kernels.size() == 1);
}
TEST_CASE("emulated wide columns of what is aligned to bytes") {
  const scan::extents shapes[] = {{2, 700, 64}, {2, 700, 49}, {2, 4200, 65}};
  draw(3, 0, {"strip_ring_kernel"}, [&](std::mt19937_64& random) {
    for (const scan::extents& shape : shapes) {
      const auto items = random_vector<float>(shape.outer * shape.length * shape.inner, random);
      std::vector<float> wanted = items;
      for (std::int64_t i = 0; i < static_cast<std::int64_t>(wanted.size()); ++i) {
        const auto at = static_cast<std::size_t>(i);
        if (i / shape.inner % shape.length != 0) wanted[at] += wanted[at - shape.inner];
      }
      const std::size_t num_bytes = items.size() * sizeof(float);
      const guarded_pages in(num_bytes, 1 + random() % 15, random_end(random)),
          out(num_bytes, random() % 16, random_end(random));
      std::memcpy(in.data(), items.data(), num_bytes);
      const scan::transform_input from{reinterpret_cast<const float_bytes*>(in.data()),
                                       from_float_bytes{}};
      const scan::transform_output to{reinterpret_cast<float_bytes*>(out.data()), to_float_bytes{}};
      REQUIRE(scan::inclusive(from, to, shape, scan::plus{}).ok());
      CHECK(std::memcmp(out.data(), wanted.data(), num_bytes) == 0);
      CHECK((in.is_intact() && out.is_intact()));
    }
  });
  CHECK(seen.kernels.size() == 1);
}
TEST_CASE("emulated columns of bytes to words in the rings") {
  draw(4, 0, {"column_ring_kernel", "strip_ring_kernel"}, [](std::mt19937_64& random) {
    check_widened(narrow_columns(random, 4, false, 3), random);
    check_widened(emulated::wide_columns(random, 1, false), random);
  });
}
#endif

/// Rows of so many vectors at least, and at most twice as many, that may have any order.
template <class T, class Op>
void check_exact_rows(std::int64_t vectors, Op op, std::mt19937_64& random) {
  const std::int64_t least = vectors * 16 / static_cast<std::int64_t>(sizeof(T));
  auto c = tests::tensor_variant({1 + static_cast<std::int64_t>(random() % 5),
                                  least + 1 + static_cast<std::int64_t>(random() % least), 1},
                                 random(), false, true);
  tests::place(c, random());
  check_scan<T>(c, op, random);
}
// Where a thread that holds them as the wave would had several stripes.
TEST_CASE("emulated rows of what is exact, by rounds") {
  draw(24, 1, {"row_round_kernel"}, [](std::mt19937_64& random) {
    check_exact_rows<std::uint32_t>(544, scan::plus{}, random);
    check_exact_rows<std::int64_t>(544, scan::bit_xor{}, random);
    check_exact_rows<std::uint8_t>(544, scan::plus{}, random);
    check_exact_rows<__half>(384, scan::maximum{}, random);
    check_exact_rows<double>(544, scan::minimum{}, random);
  });
  // By several blocks, where there is no ring.
  draw(2, 1, {"row_round_kernel"}, [](std::mt19937_64& random) {
    check_exact_rows<std::uint32_t>(132 * 544, scan::plus{}, random);
  });
}

// Rows that are slices of longer ones, of which it is known on the device alone what precedes them:
// those that may have any order go by rounds, too, unless the call is refused.
TEST_CASE("emulated slices of rows of what is exact") {
  using namespace scan::device;
  now.device = 1;
  for (const bool is_refused : {false, true}) {
    for (const std::int64_t length : {70, 2500, 20001}) {
      constexpr std::int64_t rows = 3;
      std::mt19937_64 random(static_cast<std::uint64_t>(length));
      const auto items = random_vector<std::uint32_t>(rows * length, random);
      const array<std::uint32_t> in(items, 1, array<std::uint32_t>::end::last);
      const array<std::uint32_t> out(std::vector<std::uint32_t>(items.size()), 2,
                                     array<std::uint32_t>::end::last);
      const std::vector<scan::prefix<std::uint32_t>> before{{7, true}, {}, {500, true}};
      const bool refused[] = {is_refused};
      const slice_part part{before.data(), refused, true, false};
      scan::options<std::uint32_t> opts;
      device_limits limits;
      REQUIRE(current_limits(limits, nullptr).ok());
      scan::tensor_shape shape{};
      REQUIRE(scan::resolve({rows, length, 1}, 0, sizeof(std::uint32_t), shape).ok());
      const std::uint32_t* const from = in.data();
      const auto described =
          describe_parts<false>(false, scan::as_input(from), scan::as_output(out.data()), shape,
                                scan::plus{}, opts, &part);
      seen = {};
      REQUIRE(tests::launch_chosen(described, opts, limits, [&](auto& to) {
                return choose_tensor<tuned<4>>(to, described, false, limits, opts.algorithm, &part);
              }).ok());
      CHECK(seen.kernels["row_round_kernel"] == 1);
      std::vector<std::uint32_t> wanted(items.size());
      for (std::size_t i = 0; i < items.size() && !is_refused; ++i) {
        const auto row = i / static_cast<std::size_t>(length);
        const bool begins = i % static_cast<std::size_t>(length) == 0;
        wanted[i] = items[i] + (!begins              ? wanted[i - 1]
                                : before[row].exists ? before[row].value
                                                     : 0);
      }
      CHECK(out.items() == wanted);
    }
  }
}

// Of 12 MiB and more, if every order gives the same, they are the ring's where they fill its tiles,
// and else by rounds.
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
  CHECK(kernel_of(std::uint64_t{}, scan::plus{}, 69, 22401) ==  // less
        "row_round_kernel of a cluster");
  CHECK(kernel_of(0.0, scan::maximum{}, 71, 22401) == "ring_kernel");
  CHECK(kernel_of(0.0, scan::plus{}, 71, 22401) == "held_shares_kernel of a cluster");
  CHECK(kernel_of(std::uint64_t{}, scan::plus{}, 2000, 799) == "row_round_kernel");
  CHECK(kernel_of(std::uint64_t{}, scan::plus{}, 1900, 799) == "held_shares_kernel");
  CHECK(kernel_of(std::uint64_t{}, scan::plus{}, 160, 10501) ==  // four tiles
        "row_round_kernel of a cluster");
  CHECK(kernel_of(std::int32_t{}, scan::minimum{}, 800, 4001) == "row_round_kernel");
  CHECK(kernel_of(0.0f, scan::plus{}, 800, 4001) == "held_shares_kernel");
  CHECK(kernel_of(std::uint32_t{}, scan::plus{}, 5, 7000) ==
        "row_round_kernel");  // few, of several
  using scan::device::is_ring_faster;
  constexpr std::int64_t length = 14784, many = (32 << 20) / (4 * length) + 1;  // 0.75 of two tiles
  CHECK(is_ring_faster(many, length, 4, 9856));
  CHECK(!is_ring_faster(many - 1, length, 4, 9856));
  CHECK(!is_ring_faster(8 * many, 14500, 4, 9856));
  CHECK(!is_ring_faster(8 * many, 9856, 4, 9856));
  using scan::device::is_round_faster;
  CHECK(is_round_faster(8192, 385, 4, false, true, false));
  CHECK(!is_round_faster(8192, 384, 4, false, true, false));
  CHECK(!is_round_faster(8100, 385, 4, false, true, false));
  CHECK(is_round_faster(65536, 129, 4, false, false, false));
  CHECK(!is_round_faster(65536, 128, 4, false, false, false));
  CHECK(is_round_faster(4096, 6144, 4, true, true, false));
  CHECK(!is_round_faster(4096, 6148, 4, true, true, false));
  CHECK(is_round_faster(4096, 6149, 4, false, true, false));
  CHECK(is_round_faster(8192, 4 * 272, 4, true, true, false));
  CHECK(!is_round_faster(8192, 4 * 271, 4, true, true, false));
  CHECK(is_round_faster(5, 7000, 4, true, true, true));
  CHECK(!is_round_faster(5, 4000, 4, true, true, false));
  // Of several tiles to 24 MiB, whole ones of many vectors, too.
  CHECK(is_round_faster(767, 8192, 4, true, true, true));
  CHECK(!is_round_faster(768, 8192, 4, true, true, true));
  CHECK(!is_round_faster(500, 8192, 4, true, true, false));
}

}  // namespace
