// The ring kernel of segments in few blocks, so that every stage of a block's ring holds one tile
// after another, whatever says where segments begin, for every distribution of lengths:
//   segment_ring_wrap_test [one case in so many]
// the argument for sanitizers, a test case a type. Skipped, with exit code 77, where there is no
// GPU with a ring.
#include <doctest/doctest.h>

#include "scan/scan.cuh"
#include "tests/segments/segment_case.hpp"
#include "tests/sequences/ring_items.hpp"
#include "tests/support/device_image.hpp"
#include "tests/support/interval.hpp"
#include "tests/support/launch_chosen.hpp"
#include "tests/support/run_tests.hpp"

namespace {

using tests::items_of;
using tests::rounds_of_ring;
using tests::segment_case;
using tests::segment_layout;

/// A case as the ring takes it: without values of a segment's own, and, where the operator has no
/// identity, without outputs that would need one.
segment_case case_of(const segment_layout& layout, std::uint64_t turn, bool has_identity) {
  const std::uint64_t any = turn * 0x9e3779b97f4a7c15ull;
  segment_case c = tests::segment_variant(layout, any >> 24, true);
  tests::place(c, any >> 40);
  c.with_total = false;
  if (c.init != tests::sequence_init::none) c.init = tests::sequence_init::by_value;
  if (!has_identity) c.exclusive = false, c.init = tests::sequence_init::none;
  return c;
}

template <class T, class Op, bool reversed>
struct ring_of {
  using shape = scan::device::tuned_for<scan::transform_input<T>, scan::transform_output<T>>;
  using values = decltype(scan::describe<reversed>(
      false, scan::as_input(static_cast<const T*>(nullptr)),
      scan::as_output(static_cast<T*>(nullptr)), 0, Op{}, scan::options<T>{}));
  using problem = scan::device::segment_problem<values, scan::segment_heads>;
  using tiled = scan::device::segment_ring<shape, problem>;

  static scan::status launch(const segment_case& c, const T* in, T* out, const void* heads,
                             const T* init, scan::device::device_limits limits) {
    scan::options<T> opts;
    if (c.init == tests::sequence_init::by_value) opts.init = *init;
    const std::int64_t num_segments = c.by_offsets() ? c.layout->num_segments() : 0;
    const problem scan(scan::describe<reversed>(c.exclusive, scan::as_input(in),
                                                scan::as_output(out), c.num_items(), Op{}, opts),
                       {c.heads, heads, num_segments, c.num_items()});
    bool is_there = false;
    return tests::launch_chosen(scan, opts, limits, [&](auto& to) {
      return scan::device::choose_segment_ring<shape>(to, scan, limits, is_there);
    });
  }
};

/// One scan in `num_blocks` blocks, every byte of its buffers compared.
template <class T, class Op>
void check(const segment_case& c, std::int64_t num_blocks, std::uint64_t turn) {
  INFO(num_blocks, " blocks ", c.describe());
  const std::vector<T> items = items_of<T>(c.num_items()), inits{items_of<T>(1)};
  tests::guarded<T> in(c.num_items(), c.in_offset);
  tests::guarded<T> out(c.num_items(), c.out_offset), expected(c.num_items(), c.out_offset);
  const auto fill = [&](T* to) {
    std::memcpy(static_cast<void*>(to), items.data(), items.size() * sizeof(T));
  };
  fill(c.in_place ? out.data() : in.data());
  if (c.in_place) fill(expected.data());
  tests::scan_segments_serially<T, T>(c, items.data(), expected.data(), inits, nullptr, Op{});
  const std::vector<unsigned char> image = tests::heads_of(c, turn);
  const auto of_heads = static_cast<std::int64_t>(tests::traits_of(c.heads).bytes);
  tests::guarded<unsigned char> heads(static_cast<std::int64_t>(image.size()),
                                      c.heads_offset * of_heads);
  std::copy(image.begin(), image.end(), heads.data());

  const tests::device_image<T> d_in(in), d_out(out);
  const tests::device_image<unsigned char> d_heads(heads);
  scan::device::device_limits limits = tests::limits_here();
  limits.sm_count = static_cast<int>(num_blocks);
  const T* const from = c.in_place ? d_out.data() : d_in.data();
  const auto launch = c.reverse ? ring_of<T, Op, true>::launch : ring_of<T, Op, false>::launch;
  REQUIRE(launch(c, from, d_out.data(), d_heads.data(), inits.data(), limits).ok());
  d_out.fetch();
  d_in.fetch();
  REQUIRE(std::memcmp(out.image(), expected.image(), out.image_bytes()) == 0);
  REQUIRE(in.guards_intact());
}

template <class T, class Op = scan::plus>
void check_ring() {
  using ring = ring_of<T, Op, false>;
  scan::device::ring_room room;
  REQUIRE(scan::device::find_room<typename ring::tiled>(tests::limits_here(), room).ok());
  REQUIRE(room.num_stages >= 2);  // those are as many as there are without room for heads
  std::uint64_t turn = 0;
  for (const std::int64_t num_blocks : {1, 2, 3}) {
    const std::int64_t n =
        num_blocks * rounds_of_ring * room.num_stages * ring::tiled::tile_items - 5;
    for (const segment_layout& layout : tests::layouts_of(n)) {
      for (int i = 0; i < 4; ++i) {
        if (++turn % tests::one_in != 0) continue;
        check<T, Op>(case_of(layout, turn, scan::has_identity<Op, T>), num_blocks, turn);
      }
    }
  }
}

}  // namespace

TEST_SUITE("ring of segments") {
  TEST_CASE("ring wraps 2-byte elements") { check_ring<__nv_bfloat16>(); }
  TEST_CASE("ring wraps 16-byte elements") { check_ring<tests::interval, tests::concatenate>(); }
}

int main(int argc, char** argv) {
  tests::read_arguments(argc, argv);
  return tests::run_device_tests(argc, argv, tests::gpu_has_ring());
}
