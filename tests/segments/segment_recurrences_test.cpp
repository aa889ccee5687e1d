// Recurrences by segments, keys and flags that libscan.a holds, on the device and on CPU threads:
//   segment_recurrences_test [one layout in so many] [most elements]
// the arguments for sanitizers. What needs a GPU is left out, with exit code 77, where there is
// none.
#include "tests/segments/segment_recurrences_device.hpp"

namespace {

/// Those that libscan.a holds for CPU threads.
template <class In, class Out>
void check_on_host(std::mt19937_64& random) {
  for (const tests::segment_layout& layout : tests::layouts_of(3000)) {
    auto c = tests::segment_variant(layout, random(), false);
    const tests::recurrence_data<In, Out> data(c, random);
    INFO(data.c.describe());
    const std::vector<unsigned char> heads = tests::heads_of(data.c, random());
    std::vector<Out> h = data.before;
    auto totals = data.totals;
    REQUIRE(tests::call_recurrence<true>(data, heads.data(), data.a.data(), data.b.data(), h.data(),
                                         scan::host_options<scan::state_t<Out>>{},
                                         data.inits.data(), totals.data(), scan::host)
                .ok());
    REQUIRE(tests::judge(data, h, totals) == "");
  }
}

}  // namespace

TEST_SUITE("host") {
  TEST_CASE("recurrences by segments in libscan.a, on CPU threads") {
    std::mt19937_64 random(8);
    check_on_host<float, float>(random);
    check_on_host<double, double>(random);
    check_on_host<__half, __half>(random);
    check_on_host<__nv_bfloat16, __nv_bfloat16>(random);
    check_on_host<__half, float>(random);
    check_on_host<__nv_bfloat16, float>(random);
  }
}

TEST_SUITE("device") {
  TEST_CASE("recurrences by segments of float") {
    if (tests::skipped()) return;
    tests::check_layouts_on_device<float, float, false>();
  }

  TEST_CASE("recurrences by segments of bfloat16") {
    if (tests::skipped()) return;
    tests::check_layouts_on_device<__nv_bfloat16, __nv_bfloat16, false>();
  }

  TEST_CASE("a captured recurrence follows the offsets, the inits and a count of another replay") {
    if (tests::skipped()) return;
    const tests::stream stream;
    const tests::device_array<float> a(std::vector<float>(400000, 1.f), 0),
        b(std::vector<float>(400000, 1.f), 1);
    tests::device_array<float> h(std::vector<float>(400000, 7.f), 2), inits({1, 2, 3}, 0),
        totals({0, 0, 0}, 0);
    const tests::device_array<int> offsets({0, 100000, 100000, 400000}, 0);
    scan::options<float> opts;
    opts.stream = stream, opts.init_pointer = inits.data(), opts.total = totals.data();
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t replay = nullptr;
    tests::cuda_check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    REQUIRE(scan::recurrence(a.data(), b.data(), h.data(),
                             scan::segments{offsets.data(), 3, 400000}, opts)
                .ok());
    tests::cuda_check(cudaStreamEndCapture(stream, &graph));
    tests::cuda_check(cudaGraphInstantiate(&replay, graph, 0));
    const int others[][4] = {
        {0, 100000, 100000, 400000}, {0, 0, 5, 300000}, {7, 8, 390000, 390000}};
    for (const auto& now : others) {
      tests::cuda_check(cudaMemcpy(offsets.data(), now, sizeof(now), cudaMemcpyHostToDevice));
      tests::cuda_check(cudaGraphLaunch(replay, stream));
      stream.wait();
      const std::vector<float> ends = totals.download();
      for (int s = 0; s < 3; ++s) {
        CHECK(ends[static_cast<std::size_t>(s)] == static_cast<float>(s + 1 + now[s + 1] - now[s]));
      }
    }
    tests::cuda_check(cudaGraphExecDestroy(replay));
    tests::cuda_check(cudaGraphDestroy(graph));
  }

  TEST_CASE("what cannot be is refused, and nothing is written") {
    if (tests::skipped()) return;
    const tests::device_array<float> a({1, 2}, 0), b({3, 4}, 0);
    tests::device_array<float> h({5, 6}, 0);
    const tests::device_array<int> offsets({0, 2}, 0);
    scan::options<float> opts;
    const auto refused = [&](int num_items, const char* message) {
      const scan::status said = scan::recurrence(
          a.data(), b.data(), h.data(), scan::segments{offsets.data(), 1, num_items}, opts);
      CHECK(!said.ok());
      CHECK(std::string(said.message()) == message);
    };
    refused(-1, "segments.num_items is not given: of segments in device memory it has to be");
    opts.total = a.data();
    refused(2, "options.total overlaps a, the factors");
    opts = {}, opts.complete = true;
    refused(2, "options.complete is refused with segments, keys and flags");
    opts = {}, opts.algorithm = scan::algorithm::walk;
    refused(2, "options.algorithm: segments choose for themselves");
    CHECK(h.is_as_before());
  }
}

int main(int argc, char** argv) {
  tests::read_arguments(argc, argv);
  return tests::run_tests(argc, argv);
}
