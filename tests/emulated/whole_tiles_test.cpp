// Tiles of the ring that come as one copy, and those that cannot: arrays that begin and end on
// granules or off them, either way round, rows among others, two inputs; on the stand-in GPU, by
// the ring in few blocks.
#include "tests/emulated/words.hpp"
// (before all that has device code)
#include <doctest/doctest.h>

#include <scan/device/launch/tensor_launch.cuh>

#include "tests/emulated/check_call.hpp"
#include "tests/support/launch_chosen.hpp"

namespace {

using namespace emulated;
using scan::tensor_shape;

struct rows_case {
  tensor_shape shape;
  std::int64_t in_offset, out_offset;
  bool reverse;

  std::string describe() const {
    return std::to_string(shape.outer) + " rows of " + std::to_string(shape.length) + ", pitches " +
           std::to_string(shape.in_pitch) + ", " + std::to_string(shape.out_pitch) + ", offsets " +
           std::to_string(in_offset) + ", " + std::to_string(out_offset) +
           (reverse ? ", reversed" : "");
  }
  /// Whether all chunks begin where granules do, of elements of so many bytes.
  bool is_packed(std::int64_t bytes) const {
    std::int64_t off = in_offset;
    if (shape.outer > 1) off |= shape.in_pitch;
    if (reverse) off |= shape.length;
    return off * bytes % 16 == 0;
  }
};
/// Tiles that are whole and one that need not be; on granules, or off them in one respect.
rows_case random_rows(std::int64_t outer, std::int64_t tile_items, std::int64_t granule_items,
                      std::mt19937_64& random) {
  const auto up_to = [&](std::int64_t most) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most + 1));
  };
  rows_case c;
  c.reverse = random() % 2 == 0;
  std::int64_t length = up_to(2) * tile_items + up_to(1) * up_to(tile_items);
  if (random() % 3 > 0) length = length / granule_items * granule_items;
  c.shape = {outer, std::max<std::int64_t>(length, 1), 1};
  const auto pitch = [&] {
    const std::int64_t apart = (c.shape.length + granule_items - 1) / granule_items * granule_items;
    return random() % 4 > 0 ? apart : apart + up_to(granule_items);
  };
  c.shape.in_pitch = pitch();
  c.shape.out_pitch = pitch();
  c.in_offset = random() % 4 > 0 ? 0 : up_to(granule_items);
  c.out_offset = random() % 2 * up_to(granule_items);
  return c;
}

/// Launches `tiled`, and holds how many copies brought the items against how many they have to be.
template <class Tiled, class Scan, class Options>
scan::status launch(const Scan& described, const Options& opts, const Tiled& tiled,
                    const tensor_shape& shape, bool packed) {
  scan::device::device_limits limits;
  REQUIRE(scan::device::current_limits(limits, nullptr).ok());
  scan::device::ring_room room;
  REQUIRE(scan::device::find_room<Tiled>(limits, room).ok());
  REQUIRE(room.num_stages > 1);
  constexpr std::int64_t chunks = Tiled::ring.scan_warps;
  const std::int64_t outer = shape.outer, whole = shape.length / Tiled::tile_items;
  const std::int64_t rest = shape.length % Tiled::tile_items;
  const std::int64_t parts = (rest + Tiled::warp_items - 1) / Tiled::warp_items;
  const auto before = seen.bulk_loads;
  const scan::status status = tests::launch_chosen(
      described, opts, limits, [&](auto& to) { scan::device::choose_ring(to, tiled, 2, room); });
  const auto copies = seen.bulk_loads - before;
  if (packed) {
    CHECK(copies <= Tiled::num_inputs * outer * (whole + parts));
  } else {
    CHECK(copies >= Tiled::num_inputs * outer * whole * chunks);
  }
  return status;
}

template <class In, class Out, bool reversed>
scan::status scan_rows(const rows_case& c, const In* in, Out* out) {
  using namespace scan::device;
  const scan::options<Out> opts;
  using tuning = tuned_for<scan::transform_input<In>, scan::transform_output<Out>>;
  const auto from = scan::as_input(in);
  const auto to = scan::as_output(out);
  if (c.shape.outer == 1) {
    const auto sequence =
        scan::describe<reversed>(false, from, to, c.shape.length, scan::plus{}, opts);
    return launch(sequence, opts, ring_cut<tuning, std::decay_t<decltype(sequence)>>(sequence),
                  c.shape, c.is_packed(sizeof(In)));
  }
  const auto rows = scan::describe_tensor<reversed>(false, from, to, c.shape, scan::plus{}, opts);
  return launch(rows, opts, ring_rows<tuning, std::decay_t<decltype(rows)>>(rows), c.shape,
                c.is_packed(sizeof(In)));
}
template <bool reversed>
scan::status recur_rows(const rows_case& c, const float* a, const float* b, float* h, bool packed) {
  using namespace scan::device;
  const scan::options<float> opts;
  const auto described = scan::describe_recurrence<reversed>(
      scan::recurrence_input<float, const float*>{b, a}, h, c.shape, opts);
  using tensor = std::decay_t<decltype(described)>;
  return launch(described, opts, ring_rows<tuned_for_recurrences<tensor>, tensor>(described),
                c.shape, packed);
}

/// Element `i` in scan order of a row.
std::size_t place_of(const rows_case& c, std::int64_t row, std::int64_t i, std::int64_t pitch) {
  return static_cast<std::size_t>(row * pitch + (c.reverse ? c.shape.length - 1 - i : i));
}

/// One sequence, or three.
template <class In, class Out>
void check_sums(std::int64_t outer, std::mt19937_64& random) {
  using tuning = scan::device::tuned_for<scan::transform_input<In>, scan::transform_output<Out>>;
  const rows_case c = random_rows(outer, tuning::ring.tile_items(), 16 / sizeof(In), random);
  const auto items = random_vector<In>(outer * c.shape.in_pitch, random);
  const auto before = random_vector<Out>(outer * c.shape.out_pitch, random);
  auto wanted = before;
  for (std::int64_t row = 0; row < outer; ++row) {
    Out sum{};
    for (std::int64_t i = 0; i < c.shape.length; ++i) {
      sum = static_cast<Out>(sum + items[place_of(c, row, i, c.shape.in_pitch)]);
      wanted[place_of(c, row, i, c.shape.out_pitch)] = sum;
    }
  }
  const call_arrays<In, Out> arrays(items, c.in_offset, before, c.out_offset, {}, 0, random);
  const auto scan_them = c.reverse ? scan_rows<In, Out, true> : scan_rows<In, Out, false>;
  arrays.check(scan_them(c, arrays.in.data(), arrays.out.data()), c.describe(), wanted, {});
}

TEST_CASE("whole tiles of sequences") {
  draw(60, 0, {"ring_kernel"},
       [](std::mt19937_64& random) { check_sums<float, float>(1, random); });
}
TEST_CASE("whole tiles of doubles") {
  draw(20, 0, {"ring_kernel"},
       [](std::mt19937_64& random) { check_sums<double, double>(1, random); });
}
TEST_CASE("whole tiles of bytes, summed to words") {
  draw(20, 0, {"ring_kernel"},
       [](std::mt19937_64& random) { check_sums<std::uint8_t, std::uint32_t>(1, random); });
}
TEST_CASE("whole tiles of rows") {
  draw(40, 0, {"ring_kernel"},
       [](std::mt19937_64& random) { check_sums<float, float>(3, random); });
}
TEST_CASE("whole tiles of recurrences") {
  draw(30, 0, {"ring_kernel"}, [](std::mt19937_64& random) {
    constexpr auto tile = scan::device::recurrence_ring_tuning_for(sizeof(float)).tile_items();
    const rows_case c = random_rows(2, tile, 4, random);
    const std::int64_t b_offset = random() % 3 == 0 ? 1 : 0;
    const auto b = random_vector<float>(2 * c.shape.in_pitch, random);
    auto a = b;
    for (float& each : a) each = static_cast<float>(static_cast<int>(random() % 3) - 1);
    const auto before = random_vector<float>(2 * c.shape.out_pitch, random);
    auto wanted = before;
    for (std::int64_t row = 0; row < 2; ++row) {
      float h = 0;
      for (std::int64_t i = 0; i < c.shape.length; ++i) {
        const std::size_t from = place_of(c, row, i, c.shape.in_pitch);
        wanted[place_of(c, row, i, c.shape.out_pitch)] = h = a[from] * h + b[from];
      }
    }
    const call_arrays<float, float> arrays(a, c.in_offset, before, c.out_offset, {}, 0, random);
    const array<float> offsets(b, b_offset, random_end(random));
    offsets.lock();
    const auto recur = c.reverse ? recur_rows<true> : recur_rows<false>;
    arrays.check(recur(c, arrays.in.data(), offsets.data(), arrays.out.data(),
                       c.is_packed(sizeof(float)) && b_offset == 0),
                 c.describe() + ", b at " + std::to_string(b_offset), wanted, {});
  });
}

}  // namespace
