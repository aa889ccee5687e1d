// Walks on the stand-in GPU: random ones against serial loops; and against the formulas of their
// order, bit for bit, short rows, and columns of one run to several groups.
#include "tests/emulated/words.hpp"
// (before all that has device code)
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
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

/// Rows of up to 32 vectors and a few more, of any pitch, at any address.
tests::placed_case short_rows(std::mt19937_64& random, std::size_t item_bytes, bool recurrence) {
  const auto below = [&](std::uint64_t n) { return static_cast<std::int64_t>(random() % n); };
  const std::uint64_t most = 33 * std::max<std::size_t>(16 / item_bytes, 1);
  scan::extents shape{1 + below(random() % 2 == 0 ? 9 : 500),
                      1 + below(random() % 2 == 0 ? 40 : most), 1};
  auto c = tests::tensor_variant(shape, random(), recurrence, true);
  tests::place(c, random());
  return c;
}

/// What sums of shorts are computed in, where that is much.
struct spacious {
  std::int32_t sum = 0, room[15] = {};
  spacious() = default;
  spacious(std::int16_t item) : sum(item) {}
  explicit operator std::int16_t() const { return static_cast<std::int16_t>(sum); }
};
struct add_spacious {
  spacious operator()(const spacious& a, const spacious& b) const {
    spacious result = a;
    result.sum += b.sum;
    return result;
  }
};

template <int num_bytes>
void check_maps(const tests::placed_case& c, std::mt19937_64& random) {
  using map = marked_map<num_bytes>;
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
template <int num_bytes>
void check_random_maps(std::mt19937_64& random) {
  auto c = random() % 2 == 0 ? emulated::random_case(random, num_bytes, false)
                             : short_rows(random, num_bytes, false);
  c.shape.length += c.shape.length == 0 ? 1 : 0;
  c.init = tests::sequence_init::by_pointer;
  tests::place(c, random());
  check_maps<num_bytes>(c, random);
}

}  // namespace

TEST_CASE("elements of any size at any address, and nothing else reaches the operator") {
  emulated::draw(60, 3, {"column_walk_kernel"}, check_random_maps<3>);
  emulated::draw(60, 3, {"column_walk_kernel"}, check_random_maps<16>);
  // Of two lines a lane, of which the second may not be there.
  emulated::draw(16, 0, {"column_wave_kernel"}, [](std::mt19937_64& random) {
    const auto length = static_cast<std::int64_t>(200 + random() % 700),
               inner = static_cast<std::int64_t>(33 + random() % 96);
    auto c = tests::tensor_variant({1 + static_cast<std::int64_t>(random() % 3), length, inner},
                                   random(), false, true);
    c.init = tests::sequence_init::by_pointer;
    tests::place(c, random());
    check_maps<4>(c, random);
  });
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

TEST_CASE("a lane has short rows whose folds are wide") {
  for (const std::int64_t length : {71, 130, 255}) {
    std::vector<std::int16_t> items(static_cast<std::size_t>(90 * length)), wanted(items.size());
    for (std::size_t i = 0; i < items.size(); ++i) {
      items[i] = static_cast<std::int16_t>(i * 7 % 31);
      wanted[i] = static_cast<std::int16_t>(
          items[i] + (i % static_cast<std::size_t>(length) == 0 ? 0 : wanted[i - 1]));
    }
    const emulated::array<std::int16_t> x(items, 0, emulated::guarded_pages::end::last);
    scan::options<std::int16_t> opts;
    opts.algorithm = walk;
    REQUIRE(scan::inclusive(x.data(), x.data(), scan::extents{90, length, 1},
                            scan::accumulate_in<spacious>(add_spacious{}), opts)
                .ok());
    CHECK(x.items() == wanted);
  }
}

TEST_CASE("random walks along short rows") {
  using emulated::draw;
  const std::vector<std::string> both{"short_row_walk_kernel", "short_row_tile_kernel"};
  draw(250, 3, both, [](std::mt19937_64& random) {
    emulated::check_scan<float>(short_rows(random, sizeof(float), false), scan::plus{}, random,
                                walk);
  });
  draw(150, 3, both, [](std::mt19937_64& random) {
    emulated::check_scan<std::uint8_t>(short_rows(random, 1, false), scan::plus{}, random, walk);
  });
  draw(150, 3, both, [](std::mt19937_64& random) {
    emulated::check_scan<std::int64_t>(short_rows(random, 8, false), scan::plus{}, random, walk);
  });
  draw(250, 3, both, [](std::mt19937_64& random) {
    emulated::check_recurrence<__nv_bfloat16>(short_rows(random, 2, true), random, walk);
  });
}

/// A short row goes to the wave, to a warp or to a lane, or to a warp's one step or several, by how
/// many there are beside it.
template <class T, class Scan>
void check_first_rows(std::mt19937_64& random, const Scan& scan_rows) {
  constexpr std::int64_t vector = 16 / sizeof(T), few = 3, most = 400;
  std::uniform_real_distribution<float> number(-1, 1);  // whose sums are rounded
  for (const std::int64_t vectors : {1, 3, 5, 7, 9, 12, 17, 25, 31}) {
    for (const std::int64_t length : {vectors * vector, vectors * vector + 1}) {
      std::vector<T> items(2 * most * length);
      for (T& item : items) item = static_cast<T>(number(random));
      std::vector<T> first(few * length);
      scan_rows(items.data(), first.data(), scan::extents{few, length, 1});
      for (const std::int64_t rows : {std::int64_t{40}, most}) {
        std::vector<T> all(rows * length);
        scan_rows(items.data(), all.data(), scan::extents{rows, length, 1});
        INFO(rows, " rows of ", length);
        CHECK(std::memcmp(first.data(), all.data(), first.size() * sizeof(T)) == 0);
      }
    }
  }
}

/// Of which every order gives another number.
struct fading {
  double operator()(double a, double b) const { return .5 * a + b; }
};

TEST_CASE("the bits of a short row do not depend on how many there are") {
  std::mt19937_64 random(1);
  emulated::seen = {}, emulated::now.device = 0;  // of four multiprocessors
  const auto sum = [](const auto* in, auto* out, const scan::extents& shape) {
    REQUIRE(scan::inclusive(in, out, shape).ok());
  };
  check_first_rows<float>(random, sum);
  check_first_rows<__nv_bfloat16>(random, sum);
  for (const char* kernel : {"row_wave_kernel", "short_row_tile_kernel", "short_row_walk_kernel"}) {
    INFO(kernel);
    CHECK(emulated::seen.kernels[kernel] > 10);
  }
  const auto recur = [](const auto* in, auto* out, const scan::extents& shape) {
    REQUIRE(scan::recurrence(in + 400 * shape.length, in, out, shape).ok());
  };
  check_first_rows<double>(random, recur);
  check_first_rows<__nv_bfloat16>(random, recur);
  check_first_rows<float>(random, [](const auto* in, auto* out, const scan::extents& shape) {
    REQUIRE(scan::inclusive(in, out, shape, scan::accumulate_in<double>(fading{})).ok());
  });
  using scan::device::is_lanes_row, scan::device::is_short_row_wave;
  CHECK(is_lanes_row(400, 17, false, 4));
  CHECK(!is_lanes_row(40, 17, false, 4));
  CHECK(is_lanes_row(40, 12, false, 4));
  CHECK(!is_lanes_row(40, 12, true, 4));
  CHECK(!is_lanes_row(3, 7, true, 4));
  CHECK(is_lanes_row(3, 6, true, 4));
  CHECK(is_short_row_wave(16, 2, 4, false, 4));
  CHECK(!is_short_row_wave(17, 2, 4, false, 4));
  CHECK(!is_short_row_wave(3, 1, 4, false, 4));
  CHECK(!is_short_row_wave(3, 4, 2, false, 4));
  CHECK(is_short_row_wave(32, 1, 2, true, 4));
}

TEST_CASE("random walks") {
  using emulated::draw, emulated::random_case;
  draw(90, 3, {"column_walk_kernel"}, [](std::mt19937_64& random) {
    emulated::check_scan<float>(random_case(random, sizeof(float), false), scan::plus{}, random,
                                walk);
  });
  draw(90, 3, {"column_walk_kernel"}, [](std::mt19937_64& random) {
    emulated::check_scan<std::uint8_t>(random_case(random, 1, false), scan::plus{}, random, walk);
  });
  draw(90, 3, {"column_walk_kernel"}, [](std::mt19937_64& random) {
    emulated::check_recurrence<__nv_bfloat16>(random_case(random, sizeof(float), true), random,
                                              walk);
  });
}

TEST_CASE("short rows are walked in the order of the formulas") {
  emulated::seen = {};
  std::vector<scan::extents> short_ones{{7, 3, 1, 0, 0}, {21, 12, 1, 0, 0}};
  for (std::int64_t length = 1; length <= 130; length += 2 + length % 7 % 4) {
    short_ones.push_back({20 + length % 23, length, 1});
  }
  check_walks<tests::sums<float, float>>(short_ones);
  check_walks<tests::sums<std::uint8_t, std::int32_t>>(short_ones);
  check_walks<tests::sums<__nv_bfloat16, __nv_bfloat16>>(short_ones);
  check_walks<tests::recurrences<double>>(short_ones);
  check_walks<tests::recurrences<__half>>(short_ones);
  check_walks<tests::recurrences<__nv_bfloat16>>({{9, 24, 1, 0, 0}, {3, 127, 1, 0, 0}});
  CHECK(emulated::seen.kernels["short_row_walk_kernel"] > 10);
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

TEST_CASE("columns of many strips and of few have the order of the formulas") {
  emulated::seen = {};
  // A block a strip, of several tiles, and past a span of them; a block a tile, of several batches
  // and past two spans.
  tests::tensor_case past_a_span;
  past_a_span.shape = {93, 16600, 17, 0, 0};
  tests::check_order<tests::sums<double, double>>(past_a_span, walk);
  check_walks<tests::recurrences<float>>({{100, 300, 20, 0, 0}});
  CHECK(emulated::seen.kernels["column_wave_kernel"] == 0);
  check_walks<tests::recurrences<float>>({{3, 5000, 40, 0, 0}});
  check_walks<tests::recurrences<double>>({{1, 33001, 17, 0, 0}});
  check_walks<tests::sums<__nv_bfloat16, __nv_bfloat16>>({{2, 5000, 40, 0, 0}});
  // (Of two lines a lane: the second of some lanes only, of none, of all.)
  check_walks<tests::sums<float, float>>(
      {{2, 1500, 77, 0, 0}, {1, 700, 33, 0, 0}, {1, 700, 64, 0, 0}});
  CHECK(emulated::seen.kernels["column_walk_kernel"] > 3);
  CHECK(emulated::seen.kernels["column_wave_kernel"] > 3);
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
  refused(scan::inclusive(x.data(), x.data(), scan::extents{1, std::int64_t{1} << 30, 2},
                          scan::plus{}, opts),
          "options.algorithm: walk takes columns of less than 2^30 steps");
  // (Where there is a ring it takes rows of any length.)
  emulated::now.device = 1;
  for (const int bits : {44, 45, 48, 50}) {
    const scan::extents endless{1, std::int64_t{1} << bits};
    for (const scan::status& said :
         {scan::recurrence(scan::factor{0.5f}, x.data(), x.data(), endless),
          scan::recurrence_gradient(x.data(), x.data(), x.data(), x.data(), x.data(), endless)}) {
      CHECK(said == cudaErrorInvalidValue);
    }
    CHECK(scan::workspace::required_bytes(endless, 4) > 0);
  }
  const scan::status said =
      scan::recurrence(scan::factor{0.5f}, x.data(), x.data(), {1, std::int64_t{1} << 44});
  CHECK(std::string(said.message()) == "extents: more rows or tiles than a kernel has blocks");
  emulated::now.device = 0;
  CHECK(x.items() == std::vector<float>(64));
}
