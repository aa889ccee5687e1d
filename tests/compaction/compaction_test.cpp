// Compactions by libscan.a: on a device, where there is one, and what is refused. Skipped, with
// exit code 77, where there is no GPU.
//
//   compaction_test [one case in] [most elements] [seed]
#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <scan/scan.hpp>
#include <span>

#include "tests/compaction/check_folds.hpp"
#include "tests/compaction/device_calls.hpp"
#include "tests/support/device_image.hpp"
#include "tests/support/run_tests.hpp"

namespace {

std::string which_case;
std::uint64_t seed = 0;

struct on_gpu : tests::device_calls {
  static constexpr bool takes_functions = false;
  template <class T>
  class array {
   public:
    array(const std::vector<T>& items, std::int64_t offset, std::mt19937_64&)
        : n_(items.size()),
          image_(std::make_shared<tests::guarded<T>>(static_cast<std::int64_t>(n_), offset)) {
      std::copy(items.begin(), items.end(), image_->data());
      there_ = std::make_shared<tests::device_image<T>>(*image_);
    }
    T* data() const { return there_->data(); }
    std::vector<T> items() const {
      there_->fetch();
      return {image_->data(), image_->data() + n_};
    }
    void lock() const {}
    bool is_intact() const {
      there_->fetch();
      return image_->guards_intact();
    }

   private:
    std::size_t n_;
    std::shared_ptr<tests::guarded<T>> image_;
    std::shared_ptr<tests::device_image<T>> there_;
  };
  static std::string now() { return which_case; }
};

}  // namespace

TEST_CASE("random compactions") {
  if (tests::skipped()) return;
  for (std::uint64_t i = 0; i < 120; i += tests::one_in) {
    which_case = "case " + std::to_string(i) + " of seed " + std::to_string(seed);
    std::mt19937_64 random(i * 77 + 5 + seed * 1'000'003);
    // (Now and then several tiles of the ring for each of its blocks.)
    const std::int64_t num_bytes =
        i % 50 == 5 ? std::int64_t{48} << 20 : std::int64_t{300} << random() % 14;
    tests::check_compactions<on_gpu>(random, std::min(num_bytes, tests::most_elements));
    tests::check_held_folds<on_gpu>(random, std::min(num_bytes, tests::most_elements));
  }
  std::printf("%lld scans of %lld elements verified\n",  // (which the soak counts)
              static_cast<long long>(tests::num_compactions),
              static_cast<long long>(tests::num_compacted));
}

TEST_CASE("one element more or less than rows, tiles, clusters and rounds have") {
  if (tests::skipped()) return;
  std::mt19937_64 random(3);
  // Rows; a block, clusters of 64 and 128 warps, all of their rows; a tile a multiprocessor of an
  // H200 of 8, 16 and 32 warps with two rows each; of 16, beyond which the ring has them.
  for (const std::int64_t edge :
       {32, 1024, 2048, 4096, 8192, 16384, 67584, 135168, 270336, 2162688}) {
    for (const int more : {-1, 0, 1}) {
      which_case = "edge " + std::to_string(edge);
      tests::compaction_case c;
      c.n = c.most = c.room = edge + more;
      c.by = more == 0 ? tests::kept_by::bits : tests::kept_by::bytes;
      c.missing = more == 1 ? 1 : -1;
      c.in_place = more == -1;
      tests::check_selection<on_gpu, std::int32_t>(c, edge % 3 == 0, random);
      tests::check_runs<on_gpu, std::int32_t, std::int32_t>(c, scan::equal_keys{}, random);
      tests::check_folds<on_gpu, std::int32_t, float, float>(c, scan::plus{}, scan::equal_keys{},
                                                             random);
    }
  }
}

TEST_CASE("sums of runs in a workspace, with the same bits each time") {
  if (tests::skipped()) return;
  std::mt19937_64 random(4);
  for (const std::int64_t n : {1'000, 50'000, 3'000'001}) {
    std::vector<std::uint64_t> keys(static_cast<std::size_t>(n));
    std::vector<float> values(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) {
      keys[i] = i / 70'000;
      values[i] = static_cast<float>(static_cast<std::int64_t>(random())) * 1e-18f;
    }
    const std::vector<float> nothing(keys.size(), -1);
    const on_gpu::array<std::uint64_t> in(keys, 0, random), first(keys, 1, random);
    const on_gpu::array<float> from(values, 3, random), to(nothing, 2, random);
    scan::workspace ws(n);
    scan::select_options opts;
    opts.workspace = &ws;
    std::vector<float> wanted;
    for (int turn = 0; turn < 4; ++turn) {
      REQUIRE(scan::reduce_by_key(in.data(), from.data(), first.data(), to.data(), n, scan::plus{},
                                  opts)
                  .ok());
      const std::vector<float> sums = to.items();
      if (turn == 0) wanted = sums;
      CHECK(std::memcmp(sums.data(), wanted.data(), sums.size() * sizeof(float)) == 0);
    }
    double all = 0, found = 0;
    for (const float each : values) all += each;
    for (std::int64_t run = 0; run <= (n - 1) / 70'000; ++run) {
      found += wanted[static_cast<std::size_t>(run)];
    }
    CHECK(std::abs(all - found) < 1e-6 * static_cast<double>(n));
  }
}

TEST_CASE("a captured call is replayed with other counts, and calls chain without the host") {
  if (tests::skipped()) return;
  std::mt19937_64 random(1);
  constexpr std::int64_t n = 300'000;
  const auto kept = tests::draw_kept({n, tests::kept_by::bytes, 50, 3, n, n}, random);
  const auto values = tests::draw_items<std::int32_t>(kept, random);
  const on_gpu::array<std::int32_t> in(values, 1, random), some(values, 0, random),
      first(values, 3, random), lengths(values, 0, random);
  const on_gpu::array<std::uint8_t> flags(tests::flag_bytes(kept, random), 5, random);
  const on_gpu::array<std::int64_t> numbers({0, 0, 0}, 0, random);
  std::int64_t* const counts = numbers.data();
  const tests::stream stream;
  scan::workspace ws(n);
  scan::select_options opts;
  opts.stream = stream, opts.workspace = &ws;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t replay = nullptr;
  REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal) == cudaSuccess);
  opts.count = counts + 1;
  CHECK(
      scan::select(in.data(), scan::flags{flags.data()}, some.data(), scan::count{counts, n}, opts)
          .ok());
  opts.count = counts + 2;
  CHECK(scan::runs(some.data(), first.data(), lengths.data(), scan::count{counts + 1, n},
                   scan::equal_keys{}, opts)
            .ok());
  REQUIRE(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
  REQUIRE(cudaGraphInstantiate(&replay, graph, 0) == cudaSuccess);
  for (const std::int64_t now : {n, std::int64_t{0}, std::int64_t{1}, std::int64_t{77'777}, n}) {
    INFO("n " << now);
    tests::cuda_check(cudaMemcpy(counts, &now, sizeof(now), cudaMemcpyHostToDevice));
    REQUIRE(cudaGraphLaunch(replay, stream) == cudaSuccess);
    stream.wait();
    std::vector<std::int32_t> wanted, starts, long_ones;
    for (std::int64_t i = 0; i < now; ++i) {
      if (kept[static_cast<std::size_t>(i)]) wanted.push_back(values[static_cast<std::size_t>(i)]);
    }
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (i == 0 || wanted[i] != wanted[i - 1]) {
        starts.push_back(wanted[i]);
        long_ones.push_back(0);
      }
      ++long_ones.back();
    }
    const auto told = numbers.items();
    CHECK(told[1] == static_cast<std::int64_t>(wanted.size()));
    CHECK(told[2] == static_cast<std::int64_t>(starts.size()));
    const auto begins = [](const std::vector<std::int32_t>& all, const auto& with) {
      return std::equal(with.begin(), with.end(), all.begin());
    };
    CHECK(begins(some.items(), wanted));
    CHECK(begins(first.items(), starts));
    CHECK(begins(lengths.items(), long_ones));
  }
  CHECK(cudaGraphExecDestroy(replay) == cudaSuccess);
  CHECK(cudaGraphDestroy(graph) == cudaSuccess);
}

TEST_CASE("two streams at once, with a workspace each and with none") {
  if (tests::skipped()) return;
  std::mt19937_64 random(9);
  constexpr std::int64_t n = 5'000'011;  // (many tiles of the ring for each of its blocks)
  constexpr int num_streams = 2, turns = 10;
  std::vector<std::int32_t> values(n);
  std::vector<std::uint8_t> flags(n);
  std::vector<std::int32_t> wanted, places;
  for (std::int64_t i = 0; i < n; ++i) {
    const auto at = static_cast<std::size_t>(i);
    values[at] = static_cast<std::int32_t>(random());
    flags[at] = random() % 3 == 0;
    if (flags[at] != 0) {
      wanted.push_back(values[at]);
      places.push_back(static_cast<std::int32_t>(i));
    }
  }
  const on_gpu::array<std::int32_t> in(values, 0, random);
  const on_gpu::array<std::uint8_t> by(flags, 1, random);
  const std::vector<std::int32_t> nothing(n, -1);
  for (const bool with_workspaces : {true, false}) {
    const tests::stream streams[num_streams];
    scan::workspace workspaces[num_streams] = {scan::workspace(n), scan::workspace(n)};
    std::vector<on_gpu::array<std::int32_t>> some, where;
    std::vector<on_gpu::array<std::int64_t>> counts;
    for (int s = 0; s < num_streams; ++s) {
      some.emplace_back(nothing, s, random);
      where.emplace_back(nothing, 1 - s, random);
      counts.emplace_back(std::vector<std::int64_t>(2, -1), 0, random);
    }
    for (int turn = 0; turn < turns; ++turn) {
      for (int s = 0; s < num_streams; ++s) {
        scan::select_options opts;
        opts.stream = streams[s];
        if (with_workspaces) opts.workspace = &workspaces[s];
        opts.count = counts[static_cast<std::size_t>(s)].data();
        const auto one = static_cast<std::size_t>(s);
        CHECK(scan::select(in.data(), scan::flags{by.data()}, some[one].data(), n, opts).ok());
        ++opts.count;
        CHECK(scan::indices(scan::flags{by.data()}, where[one].data(), n, opts).ok());
      }
    }
    for (int s = 0; s < num_streams; ++s) {
      INFO("stream " << s << ", workspaces " << with_workspaces);
      streams[s].wait();
      const auto one = static_cast<std::size_t>(s);
      const auto begins = [](const std::vector<std::int32_t>& all, const auto& with) {
        return std::equal(with.begin(), with.end(), all.begin()) && all[with.size()] == -1;
      };
      CHECK(begins(some[one].items(), wanted));
      CHECK(begins(where[one].items(), places));
      const auto told = static_cast<std::int64_t>(wanted.size());
      CHECK(counts[one].items() == std::vector<std::int64_t>{told, told});
    }
  }
}

TEST_CASE("more elements than 32 bits count") {
  if (tests::skipped() || tests::most_elements < (std::int64_t{1} << 33)) return;
  constexpr std::int64_t n = (std::int64_t{1} << 32) + 12'345;
  const std::vector<std::int64_t> set = {0, 31, 32, 4'000'000'000, n - 2, n - 1};
  const tests::device_memory words((n + 31) / 32 * 4), places(8 * 8), count(8);
  tests::cuda_check(cudaMemset(words.as<void>(), 0, (n + 31) / 32 * 4));
  for (const std::int64_t each : set) {
    std::uint32_t word = 0;
    for (const std::int64_t i : set) word |= i / 32 == each / 32 ? 1u << i % 32 : 0;
    tests::cuda_check(
        cudaMemcpy(words.as<std::uint32_t>() + each / 32, &word, 4, cudaMemcpyHostToDevice));
  }
  scan::select_options opts;
  opts.count = count.as<std::int64_t>();
  opts.capacity = 8;
  REQUIRE(scan::indices(scan::flags{words.as<const std::uint32_t>()}, places.as<std::int64_t>(), n,
                        opts)
              .ok());
  std::int64_t found[8] = {}, num = -1;
  tests::cuda_check(cudaMemcpy(found, places.as<void>(), sizeof(found), cudaMemcpyDeviceToHost));
  tests::cuda_check(cudaMemcpy(&num, count.as<void>(), sizeof(num), cudaMemcpyDeviceToHost));
  CHECK(num == static_cast<std::int64_t>(set.size()));
  CHECK(std::equal(set.begin(), set.end(), found));
}

TEST_CASE("more runs without room than 31 bits count") {
  if (tests::skipped() || tests::most_elements < (std::int64_t{1} << 33)) return;
  constexpr std::int64_t n = std::int64_t{3} << 30, room = 8, num_bytes = 4096;
  const tests::device_memory keys(n), first(num_bytes), lengths(num_bytes), count(8);
  const std::uint8_t two[] = {1, 2};
  tests::cuda_check(cudaMemcpy(keys.as<void>(), two, 2, cudaMemcpyHostToDevice));
  for (std::int64_t done = 2; done < n; done *= 2) {
    tests::cuda_check(cudaMemcpy(keys.as<char>() + done, keys.as<void>(), std::min(done, n - done),
                                 cudaMemcpyDeviceToDevice));
  }
  for (const auto* each : {&first, &lengths}) {
    tests::cuda_check(cudaMemset(each->as<void>(), 0x55, num_bytes));
  }
  scan::select_options opts;
  opts.count = count.as<std::int64_t>();
  opts.capacity = room;
  REQUIRE(scan::runs(keys.as<const std::uint8_t>(), first.as<std::uint8_t>(),
                     lengths.as<std::int64_t>(), n, {}, opts)
              .ok());
  std::vector<std::uint8_t> found(num_bytes), wanted(num_bytes, 0x55);
  std::vector<std::int64_t> long_runs(num_bytes / 8),
      wanted_runs(num_bytes / 8, 0x5555555555555555);
  std::int64_t num = -1;
  tests::cuda_check(cudaMemcpy(found.data(), first.as<void>(), num_bytes, cudaMemcpyDeviceToHost));
  tests::cuda_check(
      cudaMemcpy(long_runs.data(), lengths.as<void>(), num_bytes, cudaMemcpyDeviceToHost));
  tests::cuda_check(cudaMemcpy(&num, count.as<void>(), sizeof(num), cudaMemcpyDeviceToHost));
  for (std::size_t i = 0; i < room; ++i) wanted[i] = two[i % 2], wanted_runs[i] = 1;
  CHECK(num == n);
  CHECK(found == wanted);
  CHECK(long_runs == wanted_runs);
}

TEST_CASE("what compactions refuse, and that nothing is written then") {
  std::vector<int> x(100, 5), y(100, 6);
  const std::vector<std::uint8_t> f(100, 1);
  std::int64_t n = 50, count = -7;
  const scan::flags by{f.data()};
  const auto refused = [&](const scan::status& said, const std::string& message) {
    CHECK(said == cudaErrorInvalidValue);
    CHECK(std::string(said.message()) == message);
    CHECK(x == std::vector<int>(100, 5));
    CHECK(y == std::vector<int>(100, 6));
    CHECK(count == -7);
  };
  scan::select_options opts;
  opts.count = &count;
  const int* const in = x.data();
  int* const out = y.data();
  int* const odd = reinterpret_cast<int*>(reinterpret_cast<char*>(out) + 1);
  refused(scan::select(in, by, out, -1, opts), "n is negative");
  refused(scan::select(in, by, out, INT64_MAX, opts),
          "n is too large: n elements exceed the address space");
  refused(scan::select(in, by, static_cast<int*>(nullptr), 9, opts), "an output is null");
  refused(scan::select(static_cast<const int*>(nullptr), by, out, 9, opts), "the input is null");
  refused(scan::select(in, scan::flags{static_cast<const std::uint8_t*>(nullptr)}, out, 9, opts),
          "scan::flags is null");
  const std::vector<std::uint32_t> words(2);
  refused(scan::partition(in, scan::flags{std::span<const std::uint8_t>(f.data(), 8)}, out, out + 9,
                          9, opts),
          "the size of the span of flags is less than n");
  refused(scan::indices(scan::flags{std::span<const std::uint32_t>(words)}, out, 65, opts),
          "the size of the span of flags is less than n / 32, rounded up");
  refused(scan::select(in, by, odd, 9, opts), "an output is not aligned to its type");
  const std::string apart = " overlaps another array of the call, and is not in place";
  refused(scan::select(in, by, x.data() + 1, 9, opts), "an output" + apart);
  refused(scan::select(in, by, x.data() - 1, 9, opts), "an output" + apart);
  refused(scan::partition(in, by, out, out + 8, 9, opts), "an output" + apart);
  refused(scan::partition(in, by, out, x.data(), 9, opts), "an output" + apart);
  refused(scan::indices(by, reinterpret_cast<std::int32_t*>(const_cast<std::uint8_t*>(f.data())), 9,
                        opts),
          "the output" + apart);
  refused(scan::runs(in, out, out + 5, 9, {}, opts), "the output" + apart);
  refused(scan::select(in, by, out, scan::count{nullptr, 9}, opts), "scan::count is null");
  refused(scan::select(in, by, out, scan::count{&n, -2}, opts), "n is negative");
  opts.count = reinterpret_cast<std::int64_t*>(out);
  refused(scan::select(in, by, out, 9, opts), "an output" + apart);
  opts.count = &count;
  opts.capacity = -1;
  refused(scan::select(in, by, out, 9, opts), "options.capacity is negative");
  opts.capacity = 9;
  const std::int64_t many = (std::int64_t{1} << 31) + 1;
  refused(scan::indices(by, reinterpret_cast<std::int32_t*>(out), many, opts),
          "n is too large for positions of 4 bytes");
  refused(scan::indices(by, reinterpret_cast<std::uint32_t*>(out), 2 * many, opts),
          "n is too large for positions of 4 bytes");
  refused(scan::runs(in, out, x.data(), many - 1, {}, opts),
          "n is too large for lengths of 4 bytes");
  refused(scan::unique(in, x.data() + 2, 9, {}, opts), "the output" + apart);
  refused(scan::reduce_by_key(in, in, out, out + 8, 9, scan::plus{}, opts),
          "the output of keys" + apart);
}

int main(int argc, char** argv) {
  tests::read_arguments(argc, argv);
  if (argc > 3) seed = static_cast<std::uint64_t>(std::atoll(argv[3]));
  return tests::run_tests(argc, argv);
}
