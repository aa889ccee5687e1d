// Scans of segments by the library's kernels on the stand-in GPU: random lengths, by offsets, keys
// and flags, at random places, compared with serial loops.
#include "tests/emulated/words.hpp"
// (before all that has device code)
#include <doctest/doctest.h>

#include <scan/scan.cuh>

#include "tests/emulated/check_call.hpp"
#include "tests/segments/random_layouts.hpp"
#include "tests/segments/segment_call.hpp"

namespace {

using namespace emulated;

template <class T, class Op>
void check_segments(const tests::segment_case& c, Op op, std::mt19937_64& random) {
  const auto items = random_vector<T>(c.num_items(), random);
  const auto inits = random_vector<T>(c.num_inits(), random);
  const auto heads = tests::heads_of(c, random());
  const auto before = c.in_place ? items : random_vector<T>(c.num_items(), random);
  auto wanted = before;
  std::vector<T> totals(c.with_total ? static_cast<std::size_t>(c.layout->num_segments()) : 0);
  tests::scan_segments_serially(c, items.data(), wanted.data(), inits,
                                c.with_total ? totals.data() : nullptr, op);
  const array<unsigned char> heads_there(
      heads, c.heads_offset * static_cast<std::int64_t>(tests::traits_of(c.heads).bytes),
      random_end(random));
  heads_there.lock();
  const call_arrays<T, T> arrays(items, c.in_offset, before, c.out_offset, inits,
                                 c.layout->num_segments(), random);
  const scan::status status =
      tests::call_segments(c, heads_there.data(), c.in_place ? arrays.out.data() : arrays.in.data(),
                           arrays.out.data(), op, arrays.options(c, inits));
  arrays.check(status, c.describe(), wanted, totals);
  CHECK(heads_there.is_intact());
}

TEST_CASE("emulated segments of uint32") {
  const std::vector<std::string> kernels = {"segment_kernel", "segment_kernel of a cluster",
                                            "segment_round_kernel",
                                            "segment_round_kernel of a cluster"};
  draw(300, 3, kernels, [](std::mt19937_64& random) {
    auto c = tests::segment_variant(tests::random_layout(random, random_most(random, 4)), random(),
                                    true);
    tests::place(c, random());
    check_segments<std::uint32_t>(c, scan::plus{}, random);
  });
}

TEST_CASE("emulated segments in the ring") {
  draw(4, 0, {"ring_kernel"}, [](std::mt19937_64& random) {
    const std::int64_t least = scan::device::most_round_items(sizeof(std::uint32_t), 8);
    tests::segment_layout layout = tests::random_layout(random, 6000);
    const std::int64_t giant = least + 100 - layout.num_items / 2;
    layout.offsets.push_back(layout.end() + giant);
    for (int i = 0; i < 3000; ++i) {
      layout.offsets.push_back(layout.end() + static_cast<std::int64_t>(random() % 60));
    }
    layout.num_items = layout.end() + 5;
    auto c = tests::segment_variant(layout, random(), true);
    tests::place(c, random());
    check_segments<std::uint32_t>(c, scan::plus{}, random);
  });
}

}  // namespace
