// Walks on the stand-in GPU: random ones against serial loops; and against the formulas of their
// order, bit for bit, rows of parts of a vector to several spans, columns of one run to several
// groups.
#include "tests/emulated/words.hpp"
// (before all that has device code)
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <scan/scan.cuh>
#include <string>
#include <vector>

#include "tests/emulated/check_tensor.hpp"
#include "tests/tensors/tensor_order.hpp"

namespace {

constexpr scan::algorithm walk = scan::algorithm::walk;

/// Every option with every other; of long sequences in turn.
template <class Kind>
void check_walks(const std::vector<scan::extents>& shapes) {
  std::uint64_t turn = 0;
  for (const scan::extents& shape : shapes) {
    for (int bits = 0; bits < 8; ++bits) {
      if (shape.length > 3000 && ++turn % 4 != 0) continue;
      emulated::now.seed = turn + static_cast<std::uint64_t>(bits) * 1000;
      tests::tensor_case c;
      c.shape = shape;
      c.exclusive = !Kind::recurrence && (bits & 1) != 0;
      c.with_total = Kind::recurrence && (bits & 1) != 0;  // with factors of 0
      c.reverse = (bits & 2) != 0;
      c.init = (bits & 4) != 0 ? tests::sequence_init::by_pointer : tests::sequence_init::none;
      tests::check_order<Kind>(c, walk);
    }
  }
}

/// Maps x -> scale x + shift of bytes, marked in what bytes are left; at any address.
template <int num_bytes>
struct marked_map {
  std::uint8_t scale, shift, mark[num_bytes - 2];

  bool is_marked() const {
    return scale % 2 == 1 &&
           std::all_of(mark, mark + num_bytes - 2, [](std::uint8_t each) { return each == 0xa7; });
  }
};
template <int num_bytes>
marked_map<num_bytes> map_of(unsigned bits) {
  marked_map<num_bytes> result{
      static_cast<std::uint8_t>(bits | 1), static_cast<std::uint8_t>(bits >> 8), {}};
  std::fill_n(result.mark, num_bytes - 2, std::uint8_t{0xa7});
  return result;
}
/// Counts operands that are no element and no fold of some.
int num_strange = 0;
struct compose_marked {
  template <class Map>
  Map operator()(const Map& earlier, const Map& later) const {
    num_strange += earlier.is_marked() && later.is_marked() ? 0 : 1;
    Map result = earlier;
    result.scale = static_cast<std::uint8_t>(earlier.scale * later.scale);
    result.shift = static_cast<std::uint8_t>(earlier.shift * later.scale + later.shift);
    return result;
  }
};
/// A byte is computed in many.
struct to_map {
  marked_map<40> operator()(std::uint8_t byte) const { return map_of<40>(byte * 257u); }
};
struct shift_of {
  std::uint8_t operator()(const marked_map<40>& map) const { return map.shift; }
};

template <int num_bytes>
void check_maps(std::mt19937_64& random) {
  using map = marked_map<num_bytes>;
  auto c = emulated::random_case(random, num_bytes, false);
  c.shape.length += c.shape.length == 0 ? 1 : 0;
  c.init = tests::sequence_init::by_pointer;
  tests::place(c, random());
  const auto maps = [&](std::int64_t n) {
    std::vector<map> result(static_cast<std::size_t>(n));
    for (map& each : result) each = map_of<num_bytes>(static_cast<unsigned>(random()));
    return result;
  };
  const auto items = maps(c.in_span()), inits = maps(c.num_inits());
  auto before = maps(c.out_span());
  if (c.in_place) std::copy_n(items.begin(), std::min(items.size(), before.size()), before.begin());
  auto wanted = before;
  std::vector<map> totals(c.with_total ? static_cast<std::size_t>(c.num_sequences()) : 0);
  tests::scan_tensor_serially(c, c.in_place ? wanted.data() : items.data(), wanted.data(), inits,
                              c.with_total ? totals.data() : nullptr, compose_marked{});
  const emulated::call_arrays<map, map> arrays(items, c.in_offset, before, c.out_offset, inits,
                                               c.num_sequences(), random);
  auto opts = arrays.options(c, inits);
  opts.algorithm = walk;
  const map* const in = c.in_place ? arrays.out.data() : arrays.in.data();
  num_strange = 0;
  const scan::status status =
      c.exclusive ? scan::exclusive(in, arrays.out.data(), c.shape, compose_marked{}, opts)
                  : scan::inclusive(in, arrays.out.data(), c.shape, compose_marked{}, opts);
  arrays.check(status, c.describe(), wanted, totals);
  INFO(c.describe());
  CHECK(num_strange == 0);
}

}  // namespace

TEST_CASE("elements of any size at any address, and nothing else reaches the operator") {
  emulated::draw(60, 3, {"column_walk_kernel", "row_walk_kernel"}, check_maps<3>);
  emulated::draw(60, 3, {"column_walk_kernel", "row_walk_kernel"}, check_maps<16>);
}

TEST_CASE("bytes of which a function makes many are walked, too") {
  std::vector<std::uint8_t> bytes(300 * 36), wanted(bytes.size());
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<std::uint8_t>(i * i + i / 7);
    const auto map = to_map{}(bytes[i]);
    wanted[i] =
        i < 36 ? map.shift : static_cast<std::uint8_t>(wanted[i - 36] * map.scale + map.shift);
  }
  const emulated::array<std::uint8_t> x(bytes, 0, emulated::guarded_pages::end::last);
  scan::options<marked_map<40>> opts;
  opts.algorithm = walk;
  REQUIRE(scan::inclusive(scan::transform_input{x.data(), to_map{}},
                          scan::transform_output{x.data(), shift_of{}}, {1, 300, 36},
                          compose_marked{}, opts)
              .ok());
  CHECK(x.items() == wanted);
}

TEST_CASE("random walks") {
  using emulated::draw, emulated::random_case;
  draw(150, 3, {"column_walk_kernel", "row_walk_kernel"}, [](std::mt19937_64& random) {
    emulated::check_scan<float>(random_case(random, sizeof(float), false), scan::plus{}, random,
                                walk);
  });
  draw(150, 3, {"column_walk_kernel", "row_walk_kernel"}, [](std::mt19937_64& random) {
    emulated::check_scan<std::uint8_t>(random_case(random, 1, false), scan::plus{}, random, walk);
  });
  draw(150, 3, {"column_walk_kernel", "row_walk_kernel"}, [](std::mt19937_64& random) {
    emulated::check_recurrence<__nv_bfloat16>(random_case(random, sizeof(float), true), random,
                                              walk);
  });
}

TEST_CASE("rows are walked in the order of the formulas") {
  emulated::seen = {};
  check_walks<tests::sums<float, float>>({{7, 3, 1, 0, 0},
                                          {21, 12, 1, 0, 0},
                                          {3, 128, 1, 0, 0},
                                          {3, 132, 1, 0, 0},
                                          {3, 301, 1, 0, 0},
                                          {2, 1027, 1, 0, 0},
                                          {2, 20001, 1, 0, 0}});
  check_walks<tests::recurrences<__nv_bfloat16>>(
      {{9, 24, 1, 0, 0}, {3, 255, 1, 0, 0}, {2, 2777, 1, 0, 0}, {1, 40001, 1, 0, 0}});
  CHECK(emulated::seen.kernels["short_row_walk_kernel"] > 10);
  // Past a span of 256 tiles.
  check_walks<tests::sums<double, double>>({{1, 140001, 1, 0, 0}});
}

TEST_CASE("columns are walked in the order of the formulas") {
  check_walks<tests::sums<float, float>>({{3, 7, 2, 0, 0},
                                          {2, 100, 5, 0, 0},
                                          {1, 529, 17, 0, 0},
                                          {2, 300, 40, 0, 0},
                                          {1, 3000, 33, 0, 0}});
  check_walks<tests::recurrences<float>>({{2, 50, 31, 0, 0}, {1, 1111, 64, 0, 0}});
  check_walks<tests::sums<__half, __half>>({{2, 300, 66, 0, 0}, {1, 300, 65, 0, 0}});
}

TEST_CASE("what no walk takes is refused") {
  const emulated::array<float> x(std::vector<float>(64), 0, emulated::guarded_pages::end::last);
  scan::options<float> opts;
  opts.algorithm = walk;
  const auto refused = [](const scan::status& said, const char* message) {
    CHECK(said == cudaErrorNotSupported);
    CHECK(std::string(said.message()) == message);
  };
  refused(scan::inclusive(x.data(), x.data(), 64, scan::plus{}, opts),
          "options.algorithm: walk is for tensors and recurrences");
  refused(scan::inclusive(x.data(), x.data(), scan::extents{1, std::int64_t{1} << 30, 1},
                          scan::plus{}, opts),
          "options.algorithm: walk takes fewer than 2^30 steps");
  CHECK(x.items() == std::vector<float>(64));
}
