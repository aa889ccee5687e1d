// Compactions on CPU threads, of what libscan.a holds and of what it does not; with several
// threads.
#include <scan/host/host_scan.hpp>
#include <span>
#include <stdexcept>

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
