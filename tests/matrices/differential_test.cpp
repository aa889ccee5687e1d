// Random scans of random kinds against the serial reference, on the device also those of a random
// baseline of the same data (so baseline and look-back are compared, byte by byte); one in four is
// of a tensor, or a recurrence, one in four of segments, by key or by flags:
//   differential_test [number of scans] [seed] [device|cpu]
// Type, operator, variant, n or extents and pitches, alignment, in place, stream, workspace and
// what it was used for before, threads: all drawn from the seed, which is printed. Without a third
// argument: on the device if there is one. There every type is also scanned at every size around
// which the kernel or its shape changes.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <thread>

#include "tests/matrices/matrix.hpp"
#include "tests/segments/segment_draw.hpp"
#include "tests/support/eager_workers.hpp"
#include "tests/support/plan_switches.hpp"
#include "tests/tensors/tensor_draw.hpp"

namespace {

constexpr std::int64_t small_items = 20000, baseline_items = 2000000;
constexpr std::int64_t large_items = std::int64_t{1} << 24;
constexpr std::int64_t most_bytes = 8 * large_items;  // of an input or output

/// What a random scan is of.
enum class drawn_kind { one_sequence, tensor, segments };
drawn_kind random_kind(std::mt19937_64& random) {
  constexpr drawn_kind kinds[] = {drawn_kind::one_sequence, drawn_kind::one_sequence,
                                  drawn_kind::tensor, drawn_kind::segments};
  return kinds[random() % 4];
}

/// n, small ones as often as large ones.
std::int64_t random_size(std::mt19937_64& random, std::int64_t most) {
  const double exponent = std::uniform_real_distribution<>(0, std::log2(most))(random);
  return static_cast<std::int64_t>(std::exp2(exponent)) - 1;
}

tests::single_case random_case(const tests::matrix_row& row, std::mt19937_64& random,
                               std::int64_t n) {
  const auto coin = [&] { return random() % 2 == 0; };
  const auto offset = [&] { return coin() ? 0 : static_cast<std::int64_t>(random() % 16); };
  using tests::sequence_init;
  tests::single_case c;
  c.n = n;
  c.exclusive = coin();
  c.init = !coin()  ? sequence_init::none
           : coin() ? sequence_init::by_pointer
                    : sequence_init::by_value;
  c.in_place = row.can_be_in_place() && coin();
  c.in_offset = offset();
  c.out_offset = offset();
  c.reverse = coin();
  c.complete = c.exclusive && coin();
  c.with_total = coin();
  return c;
}

/// Of any scan on the device: an argument, for sanitizers, under which large ones take minutes.
std::int64_t most_elements = 2 * large_items;

/// Verified, baselines' too.
std::atomic<std::int64_t> num_elements = 0, num_scans = 0;

class progress {
 public:
  explicit progress(long count) : count_(count) {}
  void one_done() {
    ++num_scans;
    const long done = ++done_;
    if (done % (count_ < 10 ? 1 : count_ / 10) != 0) return;
    std::printf("%ld of %ld done\n", done, count_);
    std::fflush(stdout);  // a hang shows where
  }

 private:
  long count_;
  std::atomic<long> done_ = 0;
};

/// Of these, scans of tensors and of segments.
std::atomic<std::int64_t> num_of_tensors = 0, num_of_segments = 0;

/// What is wrong with a random scan on CPU threads.
std::string check_on_cpu(std::mt19937_64& random, std::int64_t most) {
  const auto& row = tests::matrix()[random() % tests::matrix().size()];
  const tests::single_case c = random_case(row, random, random_size(random, most));
  num_elements += c.n;
  return tests::check_on_host(row, c, random(), static_cast<int>(random() % 5));
}

/// The same of a tensor.
std::string check_tensor_on_cpu(std::mt19937_64& random, std::int64_t most) {
  const auto& row = tests::tensor_matrix()[random() % tests::tensor_matrix().size()];
  if (row.on_host == nullptr) return "";
  const tests::placed_case c = tests::random_tensor_case(row, random, most, most_bytes);
  num_elements += c.num_sequences() * c.shape.length;
  ++num_of_tensors;
  return tests::check_tensor_on_host(row, c, random(), static_cast<int>(random() % 5));
}

/// The same of segments.
std::string check_segments_on_cpu(std::mt19937_64& random, std::int64_t most) {
  const auto& row = tests::segment_matrix()[random() % tests::segment_matrix().size()];
  if (row.on_host == nullptr) return "";
  tests::segment_case c = tests::random_segment_case(row, random, most);
  c.items_unsaid = c.by_offsets() && random() % 2 == 0;
  num_elements += c.num_items();
  ++num_of_segments;
  return tests::check_segments_on_host(row, c, random(), static_cast<int>(random() % 5));
}

std::string check_any_on_cpu(std::mt19937_64& random, std::int64_t most) {
  switch (random_kind(random)) {
    case drawn_kind::tensor:
      return check_tensor_on_cpu(random, most / 4);
    case drawn_kind::segments:
      return check_segments_on_cpu(random, most / 4);
    default:
      return check_on_cpu(random, most);
  }
}

std::string run_on_cpu(long count, unsigned long seed) {
  progress report(count);
  std::mt19937_64 random(seed);
  for (long i = 1; i <= count; ++i) {
    const std::int64_t most = i % 400 == 0 ? large_items : i % 50 == 0 ? 1500000 : small_items;
    const std::string wrong = check_any_on_cpu(random, most);
    if (!wrong.empty()) return "scan " + std::to_string(i) + ": " + wrong;
    report.one_done();
  }
  const auto shared = static_cast<long>(tests::num_shared_calls());
  std::printf("%ld of them by several threads\n", shared);
  const bool came = shared > count / 100 && tests::num_deserted_calls() == 0;
  return came || count < 1000 ? "" : "helpers did not come";
}

/// A row to scan with a size, or with a random one; or a row of tensors or of segments.
struct job {
  const tests::matrix_row* row;
  std::int64_t n = -1;
  const tests::tensor_row* of_tensors = nullptr;
  const tests::segment_row* of_segments = nullptr;
};

/// Every prebuilt row at every switch of its plans, then `count` random ones.
std::vector<job> jobs_on_device(long count, unsigned long seed) {
  std::vector<job> jobs, rows;
  const scan::device::device_limits limits = tests::limits_here();
  for (const auto& row : tests::matrix()) {
    if (!row.prebuilt) continue;
    rows.push_back({&row});
    const std::int64_t most_items = std::min(most_elements, most_bytes / row.widest());
    for (const std::int64_t n : tests::plan_switches(row.widest(), limits, most_items - 1)) {
      for (const std::int64_t near : {n - 1, n, n + 1}) jobs.push_back({&row, near});
    }
  }
  std::mt19937_64 random(seed);
  if (most_elements < 2 * large_items && jobs.size() > static_cast<std::size_t>(count)) {
    std::shuffle(jobs.begin(), jobs.end(), random);  // for sanitizers: some of them
    jobs.resize(static_cast<std::size_t>(count));
  }
  std::printf("%zu combinations of types and operator in this build, %zu scans at switches\n",
              rows.size(), jobs.size());
  std::vector<job> of_tensors, of_segments;
  for (const auto& row : tests::tensor_matrix()) {
    if (row.on_device != nullptr) of_tensors.push_back({nullptr, -1, &row});
  }
  for (const auto& row : tests::segment_matrix()) {
    if (row.on_device != nullptr) of_segments.push_back({nullptr, -1, nullptr, &row});
  }
  for (long i = 0; i < count; ++i) {
    const drawn_kind kind = random_kind(random);
    const std::vector<job>& drawn = kind == drawn_kind::tensor     ? of_tensors
                                    : kind == drawn_kind::segments ? of_segments
                                                                   : rows;
    jobs.push_back(drawn[random() % drawn.size()]);
  }
  return jobs;
}

/// What one thread of the host has on the device.
class device_worker {
 public:
  /// What is wrong with the scan, or the baseline of the same data; or "".
  std::string check(const job& asked, std::mt19937_64& random) {
    if (asked.of_tensors != nullptr) return check_tensor(*asked.of_tensors, random);
    if (asked.of_segments != nullptr) return check_segments(*asked.of_segments, random);
    const tests::matrix_row& row = *asked.row;
    const std::int64_t most = random() % 2 == 0    ? large_items
                              : random() % 50 == 0 ? baseline_items
                                                   : small_items;
    const std::int64_t n =
        asked.n >= 0 ? asked.n : random_size(random, std::min(most, most_elements));
    tests::single_case c = random_case(row, random, n);
    const std::uint64_t seed = random(), turn = random(), baseline_turn = random();
    const std::uint64_t kind = random() % 8;
    c.algorithm = asked.n >= 0 ? scan::algorithm::automatic : tests::algorithm_of_turn(turn);
    const std::string wrong = check(row, c, seed, kind);
    if (!wrong.empty() || !row.with_baselines || n > baseline_items) return wrong;
    c.algorithm = tests::baseline_of_turn(baseline_turn);
    return check(row, c, seed, kind);
  }

 private:
  std::string check_tensor(const tests::tensor_row& row, std::mt19937_64& random) {
    const std::int64_t most = random() % 4 == 0 ? large_items / 4 : small_items;
    const tests::placed_case c =
        tests::random_tensor_case(row, random, std::min(most, most_elements), most_bytes);
    num_elements += c.num_sequences() * c.shape.length;
    ++num_of_tensors;
    const std::uint64_t seed = random(), kind = random();
    if (kind % 2 == 0) return tensor_checker_.check(row, c, seed, stream_, nullptr);
    scan::extents held = c.shape;  // or more slabs than are scanned
    if (kind % 4 == 1) held.outer += held.outer / 2 + 1;
    scan::workspace fresh(held, row.widest());
    return tensor_checker_.check(row, c, seed, stream_, &fresh);
  }

  std::string check_segments(const tests::segment_row& row, std::mt19937_64& random) {
    const std::int64_t most = random() % 4 == 0 ? large_items / 4 : small_items;
    const tests::segment_case c =
        tests::random_segment_case(row, random, std::min(most, most_elements));
    num_elements += c.num_items();
    ++num_of_segments;
    const std::uint64_t seed = random(), kind = random() % 3;
    if (kind == 0) return segment_checker_.check(row, c, seed, stream_, nullptr);
    if (kind == 1) return segment_checker_.check(row, c, seed, stream_, &large_space_);
    scan::workspace fresh(c.num_items(), row.widest());
    return segment_checker_.check(row, c, seed, stream_, &fresh);
  }

  /// With a fresh workspace of just the size, none, or one that has seen other scans.
  std::string check(const tests::matrix_row& row, const tests::single_case& c, std::uint64_t seed,
                    std::uint64_t kind) {
    num_elements += c.n;
    if (kind == 1) return checker_.check(row, c, seed, stream_, nullptr);
    if (kind == 0) {
      scan::workspace fresh(c.n, row.widest(), c.algorithm);
      return checker_.check(row, c, seed, stream_, &fresh);
    }
    const bool any = c.n > baseline_items || (kind % 2 == 0 && !scan::is_baseline(c.algorithm));
    return checker_.check(row, c, seed, stream_, any ? &large_space_ : &space_);
  }

  const tests::stream stream_;
  scan::workspace space_{baseline_items, 8, tests::hungriest(baseline_items, 8)};
  scan::workspace large_space_{2 * large_items, 8};
  tests::device_checker checker_{most_bytes + 4096};
  tests::tensor_device_checker tensor_checker_{most_bytes + 4096};
  tests::segment_device_checker segment_checker_{most_bytes + 4096};
};

/// Jobs `first`, `first + step` and so on, each drawn from a seed of its own.
std::string run_jobs(const std::vector<job>& jobs, std::size_t first, std::size_t step,
                     unsigned long seed, std::atomic<bool>& failed, progress& report) {
  try {
    device_worker worker;
    for (std::size_t i = first; i < jobs.size() && !failed; i += step) {
      std::seed_seq seeds{seed, seed >> 32, static_cast<unsigned long>(i)};
      std::mt19937_64 random(seeds);
      const std::string wrong = worker.check(jobs[i], random);
      if (!wrong.empty()) return "scan " + std::to_string(i + 1) + ": " + wrong;
      report.one_done();
    }
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

/// In several threads, for most of the time goes into making data and comparing them.
std::string run_on_device(long count, unsigned long seed) {
  constexpr std::size_t num_workers = 8;  // always: what workspaces have seen depends on it
  const std::vector<job> jobs = jobs_on_device(count, seed);
  progress report(static_cast<long>(jobs.size()));
  std::atomic<bool> failed = false;
  std::string wrong;
  std::mutex mutex;
  {
    std::vector<std::jthread> workers;
    for (std::size_t first = 0; first < num_workers; ++first) {
      workers.emplace_back([&, first] {
        const std::string mine = run_jobs(jobs, first, num_workers, seed, failed, report);
        if (mine.empty()) return;
        const std::lock_guard<std::mutex> lock(mutex);
        failed = true;
        wrong += wrong.empty() ? mine : "; " + mine;
      });
    }
  }
  return wrong;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string where = argc > 3 ? argv[3] : tests::gpu_present() ? "device" : "cpu";
  const long count = argc > 1 ? std::atol(argv[1]) : where == "device" ? 20000 : 50000;
  const unsigned long seed = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : std::random_device{}();
  if (argc > 4) most_elements = std::atoll(argv[4]);
  if (count <= 0 || most_elements < 2 || (where != "cpu" && where != "device")) {
    std::fprintf(
        stderr, "usage: differential_test [number of scans] [seed] [device|cpu] [most elements]\n");
    return 2;
  }
  std::printf("%ld random scans on the %s, seed %lu\n", count, where.c_str(), seed);
  const std::string wrong = where == "cpu" ? run_on_cpu(count, seed) : run_on_device(count, seed);
  std::printf("%ld of them of tensors, %ld of segments\n", num_of_tensors.load(),
              num_of_segments.load());
  if (!wrong.empty()) {
    std::printf("FAILED, %s (seed %lu)\n", wrong.c_str(), seed);
    return 1;
  }
  std::printf("%ld scans of %ld elements, none wrong\n", num_scans.load(), num_elements.load());
  return 0;
}
