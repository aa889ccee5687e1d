// Scans of as many elements as memory says by libscan.a: on a device, where there is one, and what
// is refused. Skipped, with exit code 77, where there is no GPU.
#include <doctest/doctest.h>

#include <memory>
#include <scan/scan.hpp>

#include "tests/counted/check_counted.hpp"
#include "tests/counted/device_counted.hpp"
#include "tests/support/device_image.hpp"
#include "tests/support/run_tests.hpp"

namespace {

std::string which_case;

struct on_gpu : tests::counted_on_device {
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

/// Numbers that are rounded at every step.
std::vector<float> rounded(std::int64_t n) {
  std::mt19937_64 random(7);
  std::vector<float> items(static_cast<std::size_t>(n));
  for (float& each : items) each = static_cast<float>(random() % 1'000'003) * 1e-3f;
  return items;
}

}  // namespace

TEST_CASE("random counts of elements") {
  if (tests::skipped()) return;
  for (std::uint64_t i = 0; i < 200; i += tests::one_in) {
    which_case = "case " + std::to_string(i);
    std::mt19937_64 random(i * 77 + 5);
    const std::int64_t num_bytes = std::min<std::int64_t>(
        i % 40 == 5 ? std::int64_t{48} << 20 : std::int64_t{300} << random() % 14,
        tests::most_elements);
    const auto drawn = [&](std::size_t bytes) {
      return tests::random_counted(random, num_bytes / static_cast<std::int64_t>(bytes),
                                   tests::counted_tile(bytes));
    };
    tests::check_counted<on_gpu, float, float>(drawn(4), scan::plus{}, random);
    tests::check_counted<on_gpu, std::int32_t, std::int32_t>(drawn(4), scan::plus{}, random);
    tests::check_counted<on_gpu, std::uint64_t, std::uint64_t>(drawn(8), scan::plus{}, random);
    tests::check_counted<on_gpu, double, double>(drawn(8), scan::plus{}, random);
    tests::check_counted_runs<on_gpu, float, std::uint8_t>(drawn(4), random);
    tests::check_counted_runs<on_gpu, std::uint64_t, std::int32_t>(drawn(8), random);
  }
}

TEST_CASE("one workspace for counts that change") {
  if (tests::skipped()) return;
  for (std::uint64_t i = 0; i < 5; ++i) {
    std::mt19937_64 random(i);
    tests::check_counted_in_turn<on_gpu>(random);
  }
}

TEST_CASE("bits of a count are those of look_back for as many elements") {
  if (tests::skipped()) return;
  std::mt19937_64 random(3);
  constexpr std::int64_t most = 3'000'000;
  const auto items = rounded(most);
  const on_gpu::array<float> in(items, 0, random), out(items, 0, random), plain(items, 0, random);
  scan::options<float> opts;
  opts.algorithm = scan::algorithm::look_back;
  for (const std::int64_t n : {most, std::int64_t{1'234'567}, std::int64_t{4'000}}) {
    INFO("n " << n);
    const on_gpu::array<std::int64_t> number({n}, 0, random);
    REQUIRE(scan::inclusive(in.data(), out.data(), scan::count{number.data(), most}).ok());
    REQUIRE(scan::inclusive(in.data(), plain.data(), n, scan::plus{}, opts).ok());
    const auto counted = out.items(), known = plain.items();
    CHECK(std::equal(known.begin(), known.begin() + n, counted.begin(),
                     [](float a, float b) { return std::memcmp(&a, &b, sizeof(a)) == 0; }));
  }
}

TEST_CASE("select, scan, scan by flags, select: captured, and replayed with other counts") {
  if (tests::skipped()) return;
  std::mt19937_64 random(1);
  constexpr std::int64_t n = 300'000;
  std::vector<std::int32_t> values(n);
  std::vector<std::uint8_t> kept(n), begins(n);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<std::int32_t>(random() % 1000);
    kept[i] = random() % 3 == 0;
    begins[i] = random() % 50 == 0;
  }
  const on_gpu::array<std::int32_t> in(values, 1, random), some(values, 0, random),
      sums(values, 3, random), of_runs(values, 2, random), last(values, 0, random);
  const on_gpu::array<std::uint8_t> flags(kept, 5, random), heads(begins, 2, random);
  const on_gpu::array<std::int64_t> numbers({0, 0, 0}, 0, random);
  const on_gpu::array<std::int32_t> total({-7}, 0, random);
  std::int64_t* const counts = numbers.data();
  const tests::stream stream;
  scan::workspace ws(n);
  scan::select_options chosen;
  chosen.stream = stream, chosen.workspace = &ws;
  scan::options<std::int32_t> opts;
  opts.stream = stream, opts.workspace = &ws;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t replay = nullptr;
  REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal) == cudaSuccess);
  chosen.count = counts + 1;
  CHECK(scan::select(in.data(), scan::flags{flags.data()}, some.data(), scan::count{counts, n},
                     chosen)
            .ok());
  const scan::count found{counts + 1, n};
  CHECK(scan::inclusive_by_key(scan::flags{heads.data()}, some.data(), of_runs.data(), found,
                               scan::plus{}, opts)
            .ok());
  opts.total = total.data();
  CHECK(scan::exclusive(some.data(), sums.data(), found, scan::plus{}, opts).ok());
  chosen.count = counts + 2;
  CHECK(scan::select(sums.data(), scan::flags{flags.data()}, last.data(), found, chosen).ok());
  REQUIRE(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
  REQUIRE(cudaGraphInstantiate(&replay, graph, 0) == cudaSuccess);
  for (const std::int64_t now : {n, std::int64_t{0}, std::int64_t{1}, std::int64_t{77'777}, n}) {
    INFO("n " << now);
    tests::cuda_check(cudaMemcpy(counts, &now, sizeof(now), cudaMemcpyHostToDevice));
    REQUIRE(cudaGraphLaunch(replay, stream) == cudaSuccess);
    stream.wait();
    std::vector<std::int32_t> wanted, before, in_runs, left;
    for (std::size_t i = 0; i < static_cast<std::size_t>(now); ++i) {
      if (kept[i] != 0) wanted.push_back(values[i]);
    }
    std::int32_t sum = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      before.push_back(sum);
      sum += wanted[i];
      in_runs.push_back(wanted[i] + (i > 0 && begins[i] == 0 ? in_runs.back() : 0));
      if (kept[i] != 0) left.push_back(before.back());
    }
    const auto told = numbers.items();
    CHECK(told[1] == static_cast<std::int64_t>(wanted.size()));
    CHECK(told[2] == static_cast<std::int64_t>(left.size()));
    CHECK(total.items()[0] == sum);
    const auto starts_with = [](const std::vector<std::int32_t>& all, const auto& with) {
      return std::equal(with.begin(), with.end(), all.begin());
    };
    CHECK(starts_with(some.items(), wanted));
    CHECK(starts_with(sums.items(), before));
    CHECK(starts_with(of_runs.items(), in_runs));
    CHECK(starts_with(last.items(), left));
  }
  CHECK(cudaGraphExecDestroy(replay) == cudaSuccess);
  CHECK(cudaGraphDestroy(graph) == cudaSuccess);
}

TEST_CASE("what counts refuse, and that nothing is written then") {
  std::vector<int> x(100, 5), y(100, 6), keys(100, 1);
  std::vector<std::int64_t> wide(100, 50);
  const std::int64_t n = 50;
  const auto refused = [&](const scan::status& said, const std::string& message,
                           cudaError_t code = cudaErrorInvalidValue) {
    CHECK(said == code);
    CHECK(std::string(said.message()) == message);
    CHECK(y == std::vector<int>(100, 6));
  };
  const auto* const odd =
      reinterpret_cast<const std::int64_t*>(reinterpret_cast<const char*>(&n) + 1);
  const int* const in = x.data();
  int* const out = y.data();
  scan::options<int> opts;
  const auto sum = [&](const std::int64_t* number, std::int64_t most) {
    return scan::inclusive(in, out, scan::count{number, most}, scan::plus{}, opts);
  };
  refused(sum(nullptr, 9), "scan::count is null");
  refused(sum(odd, 9), "scan::count is not aligned to its type");
  refused(sum(&n, -1), "n is negative");
  refused(sum(&n, INT64_MAX), "n is too large: n elements exceed the address space");
  refused(scan::inclusive(in, x.data() + 1, scan::count{&n, 9}),
          "the output overlaps the input and is not in place");
  refused(scan::inclusive(wide.data(), wide.data(), scan::count{wide.data() + 3, 9}),
          "scan::count overlaps the output");
  refused(scan::inclusive_by_key(keys.data(), wide.data(), wide.data(),
                                 scan::count{wide.data() + 3, 9}),
          "scan::count overlaps the output");
  scan::options<std::int64_t> there;
  there.total = wide.data() + 50;
  refused(scan::inclusive(wide.data(), wide.data(), scan::count{wide.data() + 50, 9}, scan::plus{},
                          there),
          "scan::count overlaps options.total");
  refused(scan::inclusive_by_key(keys.data(), in, out, scan::count{nullptr, 9}),
          "scan::count is null");
  const std::vector<std::uint8_t> heads(100);
  refused(scan::exclusive_by_key(scan::flags{heads.data()}, in, out, scan::count{odd, 9}),
          "scan::count is not aligned to its type");
  opts.complete = true;
  refused(sum(&n, 9), "options.complete is for exclusive scans");
  opts.complete = false;
  for (const auto other :
       {scan::algorithm::ring, scan::algorithm::wave, scan::algorithm::blelloch}) {
    opts.algorithm = other;
    refused(sum(&n, 9), "options.algorithm: a scan::count of elements is scanned by look_back",
            cudaErrorNotSupported);
  }
}

int main(int argc, char** argv) {
  tests::read_arguments(argc, argv);
  return tests::run_tests(argc, argv);
}
