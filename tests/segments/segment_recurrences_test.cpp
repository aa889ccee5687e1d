// Recurrences by segments, keys and flags that libscan.a holds, on the device:
//   segment_recurrences_test [one layout in so many] [most elements]
// the arguments for sanitizers. Skipped, with exit code 77, where there is no GPU.
#include "tests/segments/segment_recurrences_device.hpp"

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
  return tests::run_device_tests(argc, argv);
}
