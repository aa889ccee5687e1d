// Scans of one sequence by the library's kernels on the stand-in GPU: every kernel, random lengths,
// places and options, compared with a serial loop.
#include "tests/emulated/words.hpp"
// (before all that has device code)
#include <doctest/doctest.h>

#include <scan/scan.cuh>

#include "tests/emulated/check_call.hpp"
#include "tests/tensors/random_extents.hpp"

namespace {

using namespace emulated;

/// [begin, end), of 12 bytes, with what shows whether it has ever been one.
struct sealed {
  std::int32_t begin, end, seal;
  static sealed of(std::int32_t begin, std::int32_t end) {
    return {begin, end, begin * 31 ^ end * 17};
  }
  bool is_one() const { return seal == of(begin, end).seal; }
};
/// Of neighbours in this order; others are counted, whether the result is used or not.
struct join_sealed {
  static inline int num_strangers = 0;
  sealed operator()(const sealed& earlier, const sealed& later) const {
    if (!earlier.is_one() || !later.is_one() || earlier.end != later.begin) ++num_strangers;
    return sealed::of(earlier.begin, later.end);
  }
};

struct sequence : tests::sequence_case {
  std::int64_t n, in_offset, out_offset;
  scan::algorithm algorithm;

  std::string describe() const {
    const char* const names[] = {"automatic", "wave", "look_back", "ring"};
    return names[static_cast<int>(algorithm)] +
           std::string(exclusive ? " exclusive " : " inclusive ") + std::to_string(n) +
           describe_options() + " offsets " + std::to_string(in_offset) + ", " +
           std::to_string(out_offset);
  }
};

sequence random_sequence(std::mt19937_64& random, std::size_t item_bytes, bool has_ring) {
  sequence c;
  constexpr scan::algorithm all[] = {scan::algorithm::automatic, scan::algorithm::wave,
                                     scan::algorithm::look_back, scan::algorithm::ring};
  c.algorithm = all[random() % (has_ring && now.here().capability >= 9 ? 4 : 3)];
  // Rings are to be gone round.
  const std::int64_t most = c.algorithm == scan::algorithm::ring && random() % 2 == 0
                                ? 700000 / static_cast<std::int64_t>(item_bytes)
                                : random_most(random, item_bytes);
  c.n = random() % 3 == 0 ? tests::random_extent(random, most)
                          : static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most));
  c.exclusive = random() % 2 == 0;
  c.complete = c.exclusive && random() % 3 == 0;
  c.reverse = random() % 2 == 0;
  c.with_total = random() % 3 == 0;
  c.in_place = !c.complete && random() % 4 == 0;
  c.init = static_cast<tests::sequence_init>(random() % 3);
  c.in_offset = static_cast<std::int64_t>(random() % 3 == 0 ? 0 : random() % 16);
  c.out_offset = static_cast<std::int64_t>(random() % 3 == 0 ? 0 : random() % 16);
  return c;
}

/// The elements of a scan, and an init.
template <class T>
std::pair<std::vector<T>, std::vector<T>> items_of(const sequence& c, std::mt19937_64& random) {
  if constexpr (!std::is_same_v<T, sealed>) {
    return {random_vector<T>(c.n, random), random_vector<T>(1, random)};
  } else {
    const auto n = static_cast<std::int32_t>(c.n);
    std::vector<sealed> items;
    for (std::int32_t i = 0; i < n; ++i) items.push_back(sealed::of(i, i + 1));
    return {items, {c.reverse ? sealed::of(n, n + 9) : sealed::of(-9, 0)}};
  }
}

template <class In, class Out, class Op>
void check_sequence(const sequence& c, Op op, std::mt19937_64& random) {
  using T = scan::accumulator_t<In, Out>;
  const auto [items, inits] = items_of<In>(c, random);
  std::vector<Out> before(static_cast<std::size_t>(c.n + c.complete), Out{});
  std::vector<T> computed;
  for (const In& each : items) computed.push_back(scan::convert<T>(each));
  if constexpr (std::is_same_v<In, Out>) {
    if (c.in_place) before = items;
  }
  std::optional<T> init;
  if (c.init != no_init) init = scan::convert<T>(inits[0]);
  const auto results = tests::scan_sequence<T>(c, computed, init, op);
  std::vector<Out> wanted, totals;
  for (const T& each : results.outputs) wanted.push_back(scan::convert<Out>(each));
  if (c.with_total) totals.push_back(scan::convert<Out>(results.total));

  const call_arrays<In, Out> arrays(items, c.in_offset, before, c.out_offset, inits, 1, random);
  auto opts = arrays.options(c, inits);
  opts.algorithm = c.algorithm;
  const In* from = arrays.in.data();
  if constexpr (std::is_same_v<In, Out>) {
    if (c.in_place) from = arrays.out.data();
  }
  const scan::status status = c.exclusive ? scan::exclusive(from, arrays.out.data(), c.n, op, opts)
                                          : scan::inclusive(from, arrays.out.data(), c.n, op, opts);
  arrays.check(status, c.describe(), wanted, totals);
}

const std::vector<std::string> all_kernels = {"cluster_kernel", "cluster_kernel of a cluster",
                                              "look_back_kernel", "wave_kernel"};

template <class In, class Op>
void check_sequences(int count, bool has_ring, Op op) {
  auto kernels = all_kernels;
  if (has_ring) kernels.push_back("ring_kernel");
  draw(count, 3, kernels, [&](std::mt19937_64& random) {
    sequence c = random_sequence(random, sizeof(In), has_ring);
    const bool begins_with_nothing = c.exclusive && c.init == no_init;
    if (begins_with_nothing && !scan::has_identity<Op, In>) c.init = tests::sequence_init::by_value;
    check_sequence<In, In>(c, op, random);
  });
}

TEST_CASE("emulated sequences of float") { check_sequences<float>(200, true, scan::plus{}); }
TEST_CASE("emulated sequences of 1-byte integers") {
  check_sequences<std::uint8_t>(200, true, scan::plus{});
}
TEST_CASE("emulated sequences of intervals of 12 bytes") {
  join_sealed::num_strangers = 0;
  check_sequences<sealed>(60, false, join_sealed{});
  CHECK(join_sealed::num_strangers == 0);
}

}  // namespace
