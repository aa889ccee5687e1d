// Compactions on CPU threads, of what libscan.a holds and of what it does not; with several
// threads.
#include <cmath>
#include <cstring>
#include <scan/host/host_scan.hpp>
#include <span>
#include <stdexcept>

#include "scan/device/plan/compaction_plan.hpp"
#include "tests/compaction/check_folds.hpp"
#include "tests/compaction/host_calls.hpp"
#include "tests/support/eager_workers.hpp"

using tests::on_threads;

TEST_CASE("random compactions on CPU threads") {
  const std::int64_t shared_before = tests::num_shared_calls();
  for (int i = 0; i < 60; ++i) {
    on_threads::which_case = "case " + std::to_string(i);
    std::mt19937_64 random(static_cast<std::uint64_t>(i) * 77 + 5);
    const std::int64_t num_bytes = std::int64_t{300} << random() % 12;
    tests::check_compactions<on_threads>(random, num_bytes);
    tests::check_own_compactions<on_threads>(random, num_bytes);
    tests::check_held_folds<on_threads>(random, num_bytes);
    tests::check_own_folds<on_threads>(random, num_bytes);
  }
  CHECK(tests::num_shared_calls() > shared_before + 20);
  CHECK(tests::num_deserted_calls() == 0);
}

TEST_CASE("what a predicate throws reaches the caller") {
  const std::vector<int> items(100'000, 3);
  std::vector<int> out(items.size());
  for (const int threads : {1, 3}) {
    scan::host_select_options opts;
    opts.threads = threads;
    const auto by = [&](const int& item) -> bool {
      if (&item == &items[70'000]) throw std::runtime_error("here");
      return true;
    };
    CHECK_THROWS_WITH(
        static_cast<void>(scan::select(scan::host, items.data(), by, out.data(), 100'000, opts)),
        "here");
  }
}

TEST_CASE("what an operator of reduce_by_key throws reaches the caller") {
  const std::vector<int> keys(100'000, 3);
  std::vector<int> first(keys.size()), sums(keys.size());
  for (const int threads : {1, 3}) {
    scan::host_select_options opts;
    opts.threads = threads;
    const auto op = [](int, int) -> int { throw std::runtime_error("here"); };
    CHECK_THROWS_WITH(
        static_cast<void>(scan::reduce_by_key(scan::host, keys.data(), keys.data(), first.data(),
                                              sums.data(), 100'000, op, opts)),
        "here");
  }
}

TEST_CASE("sums of runs have the same bits whenever other threads come") {
  constexpr std::int64_t n = 1'000'003;
  std::vector<std::uint32_t> keys(n, 1), first(n);
  std::fill(keys.begin() + 700'001, keys.end(), 2);
  std::vector<float> values(n), sums(n);
  std::mt19937 random(5);
  for (float& each : values) each = std::ldexp(static_cast<float>(random()), -31) - 1;
  std::vector<float> wanted;
  const std::int64_t shared_before = tests::num_shared_calls();
  for (const int threads : {1, 5, 5, 5, 5, 2}) {
    scan::host_select_options opts;
    opts.threads = threads;
    REQUIRE(scan::reduce_by_key(scan::host, keys.data(), values.data(), first.data(), sums.data(),
                                n, scan::plus{}, opts)
                .ok());
    if (threads == 1) wanted = sums;
    CHECK(std::memcmp(wanted.data(), sums.data(), 2 * sizeof(float)) == 0);
  }
  CHECK(tests::num_shared_calls() > shared_before + 2);
}

TEST_CASE("plans of folds: clusters, who looks, states in a workspace") {
  namespace device = scan::device;
  for (const int key : {1, 2, 3, 4, 8, 12, 16, 40, 64}) {
    for (const int given : {1, 2, 4, 8, 16, 64}) {
      for (const int value : {given, 4, 8, 12, 64}) {
        if (value != given && value < 4) continue;
        const int bytes = key + given + (value == given ? 0 : value);
        const int fold = device::compaction_fold_bytes_of(value);
        const int rows = device::most_folding_rows(bytes);
        const auto blocks = device::compaction_blocks_for(true, bytes, fold);
        // (A workspace is made for the widest: of an input, an output, and what 16 bits become.)
        const int widest = std::max({key, given, value == 4 ? given : value});
        for (const int sms : {1, 20, 132, 300}) {
          for (const std::int64_t n : {0, 1, 33, 320, 321, 1000, 1025, 1500, 2304, 2561, 4096, 4097,
                                       9000, 20481, 100'000, 5'000'001}) {
            const auto plan = device::plan_compaction(
                n, rows, device::most_cluster_rows(rows, true), sms, sms > 1, blocks);
            INFO(key << " " << given << " " << value << ", " << sms << " sms, n " << n);
            REQUIRE(plan.num_tiles * plan.num_warps * plan.num_rows * 32 >= n);
            REQUIRE(plan.num_warps <= blocks.most_warps);
            if (plan.in_cluster) {
              REQUIRE(plan.num_tiles <= (sms > 1 ? 8 : 1));
              continue;
            }
            REQUIRE((plan.num_tiles <= plan.num_warps * 32 || plan.num_warps == blocks.most_warps));
            std::size_t held = 0;
            for (int b = 1; b <= widest; ++b) {
              held = std::max(held, device::most_compaction_states_bytes(n, b));
            }
            REQUIRE(scan::tile_states_bytes(plan.num_tiles, fold) <= held);
          }
        }
      }
    }
  }
}

TEST_CASE("n that is counted is read when the call runs") {
  std::vector<int> items{1, 2, 3, 4, 5, 6}, out(6, -1);
  const std::vector<std::uint8_t> flags{1, 0, 1, 1, 0, 1};
  std::int64_t n = 4, count = -1;
  scan::host_select_options opts;
  opts.count = &count;
  const auto call = [&] {
    return scan::select(scan::host, items.data(), scan::flags{flags.data()}, out.data(),
                        scan::count{&n, 6}, opts);
  };
  REQUIRE(call().ok());
  CHECK(count == 3);
  CHECK(out == std::vector<int>{1, 3, 4, -1, -1, -1});
  for (const std::int64_t none : {std::int64_t{0}, std::int64_t{-3}}) {
    n = none;
    REQUIRE(call().ok());
    CHECK(count == 0);
  }
  n = 1'000'000;  // more than there may be
  REQUIRE(call().ok());
  CHECK(count == 4);
}

TEST_CASE("what compactions on CPU threads refuse, with nothing written") {
  std::vector<int> x(100, 5), y(100, 6);
  const std::vector<std::uint8_t> flags(100, 1);
  const scan::flags by{flags.data()};
  const auto refused = [&](const scan::status& said, const std::string& message) {
    CHECK(said == cudaErrorInvalidValue);
    CHECK(std::string(said.message()) == message);
    CHECK((x == std::vector<int>(100, 5) && y == std::vector<int>(100, 6)));
  };
  const std::string apart = " overlaps another array of the call, and is not in place";
  const int* const in = x.data();
  refused(scan::select(scan::host, in, by, x.data() + 1, 9), "an output" + apart);
  refused(scan::partition(scan::host, in, by, y.data(), y.data() + 8, 9), "an output" + apart);
  refused(scan::select(scan::host, in, by, static_cast<int*>(nullptr), 9), "an output is null");
  const std::span<const std::uint8_t> few(flags.data(), 8);
  refused(scan::select(scan::host, in, scan::flags{few}, y.data(), 9),
          "the size of the span of flags is less than n");
  refused(scan::unique(scan::host, in, y.data(), -1), "n is negative");
  refused(scan::select(scan::host, in, by, y.data(), 9, {nullptr, -1}),
          "options.capacity is negative");
  refused(scan::reduce_by_key(scan::host, in, in, y.data(), y.data() + 8, 9),
          "the output of keys" + apart);
  refused(scan::reduce_by_key(scan::host, in, y.data(), x.data(), y.data(), 9),
          "the output of values" + apart);
  refused(
      scan::reduce_by_key(scan::host, in, static_cast<const int*>(nullptr), x.data(), y.data(), 9),
      "the array of values is null");
}
