// Compactions on CPU threads: few cases of few types.
#include <doctest/doctest.h>

#include "scan/host/compaction.hpp"
#include "tests/compaction/check_compaction.hpp"
#include "tests/compaction/host_calls.hpp"

TEST_CASE("cases of any size") {
  for (int i = 0; i < 60; ++i) {
    std::mt19937_64 random(static_cast<std::uint64_t>(i) * 77 + 5);
    const auto drawn = [&] { return tests::random_compaction(random, 300 << random() % 12); };
    tests::check_selection<tests::on_threads, std::uint8_t>(drawn(), i % 2 == 0, random);
    tests::check_runs<tests::on_threads, std::int32_t, std::int64_t>(drawn(), scan::equal_keys{},
                                                                     random);
  }
}

TEST_CASE("a count that is negative, or more than there may be") {
  const std::vector<std::uint8_t> items{1, 2, 3, 4, 5, 6}, flags{1, 0, 1, 1, 0, 1};
  std::vector<std::uint8_t> out(7, 99);
  std::int64_t n = -3, count = -1;
  scan::host_select_options opts;
  opts.count = &count;
  const auto call = [&] {
    return scan::select(scan::host, items.data(), scan::flags{flags.data()}, out.data(),
                        scan::count{&n, 4}, opts);
  };
  CHECK(call().ok());
  CHECK((count == 0 && out == std::vector<std::uint8_t>(7, 99)));
  n = 6;
  CHECK(call().ok());
  CHECK((count == 3 && out == std::vector<std::uint8_t>{1, 3, 4, 99, 99, 99, 99}));
}

TEST_CASE("arrays that overlap are refused") {
  std::vector<std::uint8_t> items(9, 5);
  const std::vector<std::uint8_t> flags(9, 1);
  CHECK(scan::select(scan::host, items.data(), scan::flags{flags.data()}, items.data() + 1, 8) ==
        cudaErrorInvalidValue);
  CHECK(items == std::vector<std::uint8_t>(9, 5));
}
