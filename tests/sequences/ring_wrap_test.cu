// The ring kernel in few blocks, so that every stage of a block's ring holds one tile after
// another, for every size of element. A test case a type, for racecheck: --test-case="ring wraps,
// ...". Skipped, with exit code 77, where there is no GPU with a ring.
#include <doctest/doctest.h>

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "scan/scan.cuh"
#include "tests/sequences/ring_items.hpp"
#include "tests/support/device_memory.hpp"
#include "tests/support/guarded.hpp"
#include "tests/support/interval.hpp"
#include "tests/support/launch_chosen.hpp"
#include "tests/support/run_tests.hpp"

namespace {

using tests::cuda_check;
using tests::items_of;
using tests::rounds_of_ring;

/// The scan as a loop.
template <class In, class Out, class Op>
std::vector<Out> serial(const std::vector<In>& in, Op op, bool reversed) {
  using T = scan::accumulator_t<In, Out>;
  std::vector<Out> out(in.size());
  std::optional<T> running;
  for (std::size_t step = 0; step < in.size(); ++step) {
    const std::size_t i = reversed ? in.size() - 1 - step : step;
    const T item = scan::convert<T>(in[i]);
    running = !running ? item : reversed ? op(item, *running) : op(*running, item);
    out[i] = scan::convert<Out>(*running);
  }
  return out;
}

/// Where a scan reads and writes, in elements past a 256-byte boundary.
struct placement {
  std::int64_t in_offset;
  std::int64_t out_offset;
  bool in_place;
};

template <class T>
void upload(const tests::device_memory& to, tests::guarded<T>& from) {
  cuda_check(cudaMemcpy(to.as<void>(), from.image(), from.image_bytes(), cudaMemcpyHostToDevice));
}

/// The ring kernel's plan and launch, for scans of In to Out, `reversed` or not.
template <class In, class Out, class Op, bool reversed>
struct ring_scan {
  using shape = scan::device::tuned_for<scan::transform_input<In>, scan::transform_output<Out>>;
  using problem = decltype(scan::describe<reversed>(
      false, scan::as_input(static_cast<const In*>(nullptr)),
      scan::as_output(static_cast<Out*>(nullptr)), 0, Op{}, scan::options<Out>{}));
  static_assert(scan::device::in_ring<problem>);

  scan::device::device_limits limits;
  scan::device::ring_room room;

  ring_scan() {
    REQUIRE(scan::device::current_limits(limits).ok());
    REQUIRE(scan::device::find_room<scan::device::ring_cut<shape, problem>>(limits, room).ok());
    REQUIRE(room.num_stages >= 2);
  }

  scan::device::launch_plan plan(std::int64_t n) const {
    return scan::device::plan_for(n, shape::element_bytes, scan::algorithm::ring, limits,
                                  shape::widens);
  }
  /// As few elements as every stage of `num_blocks` blocks needs to be used again and again; the
  /// last tile is not full.
  std::int64_t items_for(std::int64_t num_blocks) const {
    return num_blocks * rounds_of_ring * room.num_stages * shape::ring.tile_items() - 5;
  }

  void launch(const In* in, Out* out, std::int64_t n, std::int64_t num_blocks) const {
    const scan::options<Out> opts;
    const scan::device::launch_plan few = plan(n);
    REQUIRE(few.kernel == scan::algorithm::ring);
    REQUIRE(few.num_tiles >= num_blocks * rounds_of_ring * room.num_stages);
    const scan::device::ring_cut<shape, problem> tiled(
        scan::describe<reversed>(false, scan::as_input(in), scan::as_output(out), n, Op{}, opts));
    REQUIRE(tests::launch_chosen(tiled, opts, limits, [&](auto& to) {
              scan::device::choose_ring(to, tiled, num_blocks, room);
            }).ok());
  }
};

/// One scan in `num_blocks` blocks, every byte of its buffers compared.
template <class In, class Out, class Op, bool reversed>
void check(const ring_scan<In, Out, Op, reversed>& ring, std::int64_t num_blocks,
           const placement& where) {
  const std::int64_t n = ring.items_for(num_blocks);
  const std::string how =
      std::string(where.in_place ? " in place" : "") + (reversed ? " reverse" : "");
  INFO(num_blocks, " blocks, ", ring.room.num_stages, " stages, n=", n, " offsets ",
       where.in_offset, ",", where.out_offset, how);
  const std::vector<In> items = items_of<In>(n);
  tests::guarded<In> in(n, where.in_offset);
  tests::guarded<Out> out(n, where.out_offset);
  std::memcpy(static_cast<void*>(in.data()), items.data(), items.size() * sizeof(In));
  const tests::device_memory on_device(in.image_bytes()), result(out.image_bytes());
  upload(on_device, in);
  upload(result, out);
  const In* const from = on_device.as<In>(in.begin());
  Out* const to = where.in_place ? on_device.as<Out>(in.begin()) : result.as<Out>(out.begin());
  ring.launch(from, to, n, num_blocks);
  cuda_check(
      cudaMemcpy(in.image(), on_device.as<void>(), in.image_bytes(), cudaMemcpyDeviceToHost));
  cuda_check(cudaMemcpy(out.image(), result.as<void>(), out.image_bytes(), cudaMemcpyDeviceToHost));

  const std::vector<Out> expected = serial<In, Out>(items, Op{}, reversed);
  const void* const written =
      where.in_place ? static_cast<const void*>(in.data()) : static_cast<const void*>(out.data());
  REQUIRE(std::memcmp(written, expected.data(), expected.size() * sizeof(Out)) == 0);
  REQUIRE(in.guards_intact());
  REQUIRE(out.guards_intact());
  if (where.in_place) {
    REQUIRE(out.untouched());
  } else {
    REQUIRE(std::memcmp(in.data(), items.data(), items.size() * sizeof(In)) == 0);
  }
}

template <class In, class Out, class Op, bool reversed>
void check_direction() {
  const ring_scan<In, Out, Op, reversed> ring;
  for (const std::int64_t num_blocks : {1, 2, 3}) {
    check(ring, num_blocks, {0, 0, false});
    check(ring, num_blocks, {3, 1, false});
    check(ring, num_blocks, {0, 5, false});
    if constexpr (sizeof(In) == sizeof(Out)) check(ring, num_blocks, {num_blocks - 1, 0, true});
  }
}

template <class In, class Out = In, class Op = scan::plus>
void check_ring() {
  check_direction<In, Out, Op, false>();
  check_direction<In, Out, Op, true>();
}

}  // namespace

TEST_SUITE("ring") {
  TEST_CASE("ring wraps 1-byte elements") { check_ring<std::uint8_t>(); }
  TEST_CASE("ring wraps 2-byte elements") { check_ring<__half>(); }
  TEST_CASE("ring wraps 4-byte elements") { check_ring<std::uint32_t>(); }
  TEST_CASE("ring wraps 8-byte elements") { check_ring<std::uint64_t>(); }
  TEST_CASE("ring wraps 16-byte elements") {
    check_ring<tests::interval, tests::interval, tests::concatenate>();
  }
  TEST_CASE("ring wraps 1 byte to 8") { check_ring<std::uint8_t, std::int64_t>(); }
  TEST_CASE("ring wraps half to float") { check_ring<__half, float>(); }
  TEST_CASE("ring wraps float sums") { check_ring<float>(); }
  TEST_CASE("ring wraps double sums") { check_ring<double>(); }
  TEST_CASE("ring wraps bfloat16 sums") { check_ring<__nv_bfloat16>(); }
  TEST_CASE("ring wraps float maxima") { check_ring<float, float, scan::maximum>(); }
  TEST_CASE("ring wraps minima of signed bytes") {
    check_ring<std::int8_t, std::int8_t, scan::minimum>();
  }
  TEST_CASE("ring wraps 2-byte minima") { check_ring<std::int16_t, std::int16_t, scan::minimum>(); }
  TEST_CASE("ring wraps 1 byte to 4") { check_ring<std::uint8_t, std::int32_t>(); }
  TEST_CASE("ring wraps 4 bytes to 8") { check_ring<std::int32_t, std::int64_t>(); }
  TEST_CASE("ring wraps float to double") { check_ring<float, double>(); }
  TEST_CASE("ring wraps bfloat16 to float") { check_ring<__nv_bfloat16, float>(); }
  // In place too.
  TEST_CASE("ring wraps integers to floats") { check_ring<std::int32_t, float, scan::maximum>(); }
}

int main(int argc, char** argv) {
  return tests::run_device_tests(argc, argv, tests::gpu_has_ring());
}
