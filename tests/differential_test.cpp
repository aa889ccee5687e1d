// Random scans of random kinds against the serial reference, on the device also those of a random
// baseline of the same data (so baseline and look-back are compared, byte by byte):
//   differential_test [number of scans] [seed] [device|cpu]
// Type, operator, variant, n, alignment, in place, stream, workspace and what it was used for
// before, threads: all drawn from the seed, which is printed. Without a third argument: on the
// device if there is one.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "matrix.hpp"

namespace {

/// n, small ones as often as large ones.
std::int64_t random_size(std::mt19937_64& random, double most) {
  const double exponent = std::uniform_real_distribution<>(0, std::log2(most))(random);
  return static_cast<std::int64_t>(std::exp2(exponent)) - 1;
}

tests::scan_case random_case(const tests::matrix_row& row, std::mt19937_64& random, double most) {
  const auto coin = [&] { return random() % 2 == 0; };
  const auto offset = [&] { return coin() ? 0 : static_cast<std::int64_t>(random() % 33); };
  tests::scan_case c{random_size(random, most),     coin(),   coin(),
                     row.can_be_in_place && coin(), offset(), offset()};
  c.reverse = coin();
  c.complete = c.exclusive && coin();
  c.with_total = coin();
  c.init_by_pointer = coin();
  return c;
}

class progress {
 public:
  explicit progress(long count) : count_(count) {}
  void operator()(long done) const {
    if (done % (count_ < 10 ? 1 : count_ / 10) != 0) return;
    std::printf("%ld of %ld done\n", done, count_);
    std::fflush(stdout);  // a hang shows where
  }

 private:
  long count_;
};

std::string run_on_cpu(long count, std::mt19937_64& random) {
  const progress report(count);
  for (long i = 1; i <= count; ++i) {
    const auto& row = tests::matrix()[random() % tests::matrix().size()];
    const tests::scan_case c = random_case(row, random, i % 50 == 0 ? 1500000 : 20000);
    const std::string wrong =
        tests::check_on_host(row, c, random(), static_cast<int>(random() % 5));
    if (!wrong.empty()) return "scan " + std::to_string(i) + ": " + wrong;
    report(i);
  }
  return "";
}

std::string run_on_device(long count, std::mt19937_64& random) {
  constexpr int num_streams = 3;
  constexpr std::int64_t most_items = 2000000;
  std::vector<tests::matrix_row> rows;
  for (const auto& row : tests::matrix()) {
    if (row.prebuilt) rows.push_back(row);
  }
  std::printf("%zu combinations of types and operator in this build\n", rows.size());
  const tests::stream streams[num_streams];
  std::unique_ptr<scan::workspace> spaces[num_streams];
  for (auto& space : spaces) {
    space = std::make_unique<scan::workspace>(most_items, 8, tests::hungriest(most_items, 8));
  }
  tests::device_checker device(std::size_t{most_items} * 8 + 4096);
  const progress report(count);
  for (long i = 1; i <= count; ++i) {
    const auto& row = rows[random() % rows.size()];
    tests::scan_case c = random_case(row, random, i % 50 == 0 ? most_items : 20000);
    const std::size_t turn = random() % num_streams;
    // a fresh one of just the size, none, or the stream's own
    const int kind = static_cast<int>(random() % 8);
    const std::uint64_t seed = random();
    for (const scan::algorithm which :
         {tests::algorithm_of_turn(random()), tests::baseline_of_turn(random())}) {
      if (scan::is_baseline(which) && !row.with_baselines) continue;
      std::unique_ptr<scan::workspace> fresh;
      if (kind == 0)
        fresh = std::make_unique<scan::workspace>(
            c.n, static_cast<int>(row.in_bytes > row.out_bytes ? row.in_bytes : row.out_bytes),
            which);
      scan::workspace* const space = kind == 0   ? fresh.get()
                                     : kind == 1 ? nullptr
                                                 : spaces[turn].get();
      c.algorithm = which;
      const std::string wrong = device.check(row, c, seed, streams[turn], space);
      if (!wrong.empty()) return "scan " + std::to_string(i) + ": " + wrong;
    }
    report(i);
  }
  return "";
}

}  // namespace

int main(int argc, char** argv) {
  const long count = argc > 1 ? std::atol(argv[1]) : 200000;
  const unsigned long seed = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : std::random_device{}();
  const std::string where = argc > 3 ? argv[3] : tests::gpu_present() ? "device" : "cpu";
  if (count <= 0 || (where != "cpu" && where != "device")) {
    std::fprintf(stderr, "usage: differential_test [number of scans] [seed] [device|cpu]\n");
    return 2;
  }
  std::printf("%ld random scans on the %s, seed %lu\n", count, where.c_str(), seed);
  std::mt19937_64 random(seed);
  const std::string wrong =
      where == "cpu" ? run_on_cpu(count, random) : run_on_device(count, random);
  if (!wrong.empty()) {
    std::printf("FAILED, %s (seed %lu)\n", wrong.c_str(), seed);
    return 1;
  }
  std::printf("%ld scans, none wrong\n", count);
  return 0;
}
