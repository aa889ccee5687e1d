// The baselines, which are not installed, with types and operators of the user's own, beside the
// library's kernels: operands in their order, and each one once. Few types: the baselines take long
// to compile.
#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "src/baselines/baselines.cuh"
#include "tests/support/watched.hpp"
#include "tests/types/own_sequences.hpp"

namespace {

using tests::check;
using tests::custom_sizes;
using tests::interval;
using tests::watched_concatenate;

std::vector<interval> neighbours(std::int64_t n) {
  std::vector<interval> items;
  for (std::int64_t i = 0; i < n; ++i) items.push_back({i, i + 1});
  return items;
}

}  // namespace

TEST_SUITE("own baselines") {
  TEST_CASE("intervals: operands in order, none twice, none lost, nothing from outside") {
    tests::shared_count strangers;
    auto sizes = custom_sizes(sizeof(interval));
    sizes.push_back(1200007);  // more tiles than a block looks at in one go
    for (const std::int64_t n : sizes) {
      check(neighbours(n), interval{-7, 0}, interval{n, n + 7},
            watched_concatenate{strangers.shared()});
      REQUIRE(strangers.take() == 0);
    }
    std::vector<interval> holed = neighbours(5000);
    ++holed[4321].begin;
    check(holed, interval{-7, 0}, interval{5000, 5007}, watched_concatenate{strangers.shared()});
    CHECK(strangers.take() > 0);
  }

  // What -Dprebuilt=full is made of, by every kernel and every baseline: minima that are maxima.
  // (From a type to a type between which libscan.a holds none.)
  TEST_CASE("operands that are masked are masked once, whatever passes them on") {
    if (!tests::gpu_present()) return;
    const auto n = std::int64_t{300007};
    const auto in = tests::random_items<std::int16_t>(n, 6);
    const auto in_bytes = in.size() * sizeof(std::int16_t);
    const auto bytes = in.size() * sizeof(std::int32_t);
    const std::int32_t init = 12345;
    const scan::least<std::int32_t> greatest{~0u};
    const tests::device_memory from(in_bytes), to(bytes + 4), init_there(4), total(4);
    tests::cuda_check(cudaMemcpy(from.as<void>(), in.data(), in_bytes, cudaMemcpyHostToDevice));
    tests::cuda_check(cudaMemcpy(init_there.as<void>(), &init, 4, cudaMemcpyHostToDevice));
    for (std::uint64_t turn = 0; turn < 64; ++turn) {
      scan::options<std::int32_t> opts;
      opts.algorithm =
          turn % 2 == 0 ? tests::algorithm_of_turn(turn / 2) : tests::baseline_of_turn(turn / 2);
      opts.total = total.as<std::int32_t>();
      const bool exclusive = turn / 2 % 3 == 0, with_init = turn / 2 % 5 < 2;
      if (with_init) opts.init_pointer = init_there.as<std::int32_t>();
      if (turn / 2 % 5 == 2) opts.init = init;
      const std::int16_t* const input = from.as<std::int16_t>();
      REQUIRE((exclusive ? scan::exclusive(input, to.as<std::int32_t>(), n, greatest, opts)
                         : scan::inclusive(input, to.as<std::int32_t>(), n, greatest, opts))
                  .ok());
      std::vector<std::int32_t> out(in.size());
      std::int32_t all = 0;
      tests::cuda_check(cudaMemcpy(out.data(), to.as<void>(), bytes, cudaMemcpyDeviceToHost));
      tests::cuda_check(cudaMemcpy(&all, total.as<void>(), 4, cudaMemcpyDeviceToHost));
      std::optional<std::int32_t> start;
      if (with_init || opts.init) start = init;
      if (exclusive && !start) start = std::numeric_limits<std::int32_t>::min();
      const auto expected = tests::serial_scan<std::int32_t>(exclusive, start, in, scan::maximum{});
      CHECK(tests::first_difference(out.data(), expected) == -1);
      CHECK(all ==
            std::max<std::int32_t>(start.value_or(in[0]), *std::max_element(in.begin(), in.end())));
    }
  }
}
