// Many scans under way: on host threads, in streams, in graphs, beside others' work. Skipped, with
// exit code 77, where there is no GPU. With CUDA_LAUNCH_BLOCKING=1 too: see meson.build.
//   concurrency_test [replays] [seed]
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "tests/calls/call_kernels.hpp"
#include "tests/calls/known_scans.hpp"

namespace {

using tests::cuda_check;
using tests::known_scan;
using tests::make_known;
using tests::make_known_space;
using tests::num_known_kinds;

/// How often things are repeated; less under a sanitizer.
int num_replays = 200;

bool blocks_at_launch() {
  const char* const value = std::getenv("CUDA_LAUNCH_BLOCKING");
  return value != nullptr && value[0] == '1';
}

/// A call as a graph, captured in `mode`.
cudaGraph_t captured(const known_scan& scan, cudaStream_t stream, scan::workspace* space,
                     cudaStreamCaptureMode mode) {
  cudaGraph_t graph = nullptr;
  cuda_check(cudaStreamBeginCapture(stream, mode));
  const scan::status status = scan.call(stream, space);
  cuda_check(cudaStreamEndCapture(stream, &graph));
  REQUIRE(std::string(status.message()) == "success");
  return graph;
}

cudaGraphExec_t instantiated(cudaGraph_t graph) {
  cudaGraphExec_t exec = nullptr;
  cuda_check(cudaGraphInstantiate(&exec, graph, 0));
  return exec;
}

/// All multiprocessors but one, taken for as long as it lives.
class occupied_device {
 public:
  occupied_device() {
    cuda_check(cudaDeviceGetAttribute(&num_sms_, cudaDevAttrMultiProcessorCount, 0));
    cuda_check(cudaMallocHost(&pinned_, static_cast<std::size_t>(num_sms_) * sizeof(int)));
    volatile int* const flags = static_cast<int*>(pinned_);
    std::fill(flags, flags + num_sms_, 0);
    cuda_check(tests::occupy(num_sms_ - 1, static_cast<int*>(pinned_), stream_));
    const auto stop = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (std::count(flags + 1, flags + num_sms_, 1) < num_sms_ - 1 &&
           std::chrono::steady_clock::now() < stop) {
      std::this_thread::yield();
    }
    is_taken = std::count(flags + 1, flags + num_sms_, 1) == num_sms_ - 1;
  }
  ~occupied_device() {
    *static_cast<volatile int*>(pinned_) = 1;
    static_cast<void>(cudaStreamSynchronize(stream_));
    static_cast<void>(cudaFreeHost(pinned_));
  }
  bool is_taken = false;

 private:
  int num_sms_ = 0;
  void* pinned_ = nullptr;
  tests::stream stream_;
};

/// Whether `stream` comes to its end in that time.
bool ends_within(cudaStream_t stream, std::chrono::seconds time) {
  const auto stop = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < stop) {
    if (cudaStreamQuery(stream) == cudaSuccess) return true;
    static_cast<void>(cudaGetLastError());  // cudaErrorNotReady
    std::this_thread::yield();
  }
  return false;
}

}  // namespace

TEST_SUITE("concurrency") {
  // The first in this process, so that 16 threads use everything for the first time at once.
  TEST_CASE("sixteen host threads, each with its stream and workspace, types and shapes mixed") {
    constexpr int num_callers = 16, rounds = 12;
    std::atomic<int> wrong{0}, right{0};
    std::barrier all_there(num_callers);
    {
      std::vector<std::jthread> callers;
      for (int caller = 0; caller < num_callers; ++caller) {
        callers.emplace_back([&, caller] {
          const tests::stream stream;
          const auto space = make_known_space();
          std::vector<std::unique_ptr<known_scan>> scans;
          for (int i = 0; i < 3; ++i) {
            scans.push_back(make_known(caller + i * 3));
            scans.back()->refill(static_cast<std::uint64_t>(caller * 100 + i), stream);
          }
          all_there.arrive_and_wait();
          for (int round = 0; round < rounds; ++round) {
            const known_scan& scan = *scans[static_cast<std::size_t>(round) % scans.size()];
            const bool ok = scan.call(stream, round % 2 == 0 ? space.get() : nullptr).ok() &&
                            scan.right(stream);
            ++(ok ? right : wrong);
          }
        });
      }
    }
    CHECK(wrong == 0);
    CHECK(right == num_callers * rounds);
  }

  TEST_CASE("eight streams in flight") {
    constexpr int num_streams = 8;
    struct lane {
      tests::stream stream;
      std::unique_ptr<scan::workspace> space = make_known_space();
      std::unique_ptr<known_scan> scan;
    };
    std::vector<lane> lanes(num_streams);
    for (int round = 0; round < 5; ++round) {
      for (int i = 0; i < num_streams; ++i) {
        lane& l = lanes[static_cast<std::size_t>(i)];
        l.scan = make_known(i + round);
        l.scan->refill(static_cast<std::uint64_t>(round * 10 + i), l.stream);
      }
      for (int turn = 0; turn < num_replays / 5; ++turn) {
        for (lane& l : lanes) REQUIRE(l.scan->call(l.stream, l.space.get()).ok());
      }
      for (lane& l : lanes) CHECK(l.scan->right(l.stream));
    }
  }

  TEST_CASE("captured in every mode; replays with other elements, calls between them") {
    const tests::stream stream;
    const auto space = make_known_space();
    const auto between = make_known(9);
    between->refill(1, stream);
    constexpr cudaStreamCaptureMode modes[] = {cudaStreamCaptureModeGlobal,
                                               cudaStreamCaptureModeThreadLocal,
                                               cudaStreamCaptureModeRelaxed};
    for (int kind = 0; kind < num_known_kinds; ++kind) {
      const auto scan = make_known(kind);
      const cudaStreamCaptureMode mode = modes[kind % 3];
      for (scan::workspace* const use : {space.get(), static_cast<scan::workspace*>(nullptr)}) {
        INFO("kind ", kind, std::string(use != nullptr ? " with" : " without"), " a workspace");
        cudaGraph_t graph = captured(*scan, stream, use, mode), clone = nullptr;
        cudaGraphExec_t original = instantiated(graph), cloned = original;
        if (use != nullptr) {  // CUDA clones no graph that allocates
          cuda_check(cudaGraphClone(&clone, graph));
          cloned = instantiated(clone);
        }
        cuda_check(cudaGraphDestroy(graph));  // the clone, and what was made of it, is its own
        const int replays = kind == 0 ? num_replays / 20 : num_replays / 5;
        for (int replay = 0; replay < replays; ++replay) {
          scan->refill(static_cast<std::uint64_t>(replay), stream);
          cuda_check(cudaGraphLaunch(replay % 2 == 0 ? original : cloned, stream));
          if (replay % 3 == 0) REQUIRE(between->call(stream, space.get()).ok());
          REQUIRE(scan->right(stream));
          if (replay % 3 == 0) REQUIRE(between->right(stream));
        }
        cuda_check(cudaGraphExecDestroy(original));
        if (use == nullptr) continue;
        cuda_check(cudaGraphExecDestroy(cloned));
        cuda_check(cudaGraphDestroy(clone));
      }
    }
  }

  TEST_CASE("two hundred replays of one graph, in all three modes, calls between them") {
    const tests::stream stream;
    const auto space = make_known_space();
    const auto scan = make_known(1), between = make_known(4);
    between->refill(7, stream);
    for (const cudaStreamCaptureMode mode :
         {cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal,
          cudaStreamCaptureModeRelaxed}) {
      cudaGraph_t graph = captured(*scan, stream, space.get(), mode);
      cudaGraphExec_t exec = instantiated(graph);
      for (int replay = 0; replay < num_replays; ++replay) {
        scan->refill(static_cast<std::uint64_t>(1000 + replay), stream);
        cuda_check(cudaGraphLaunch(exec, stream));
        REQUIRE(between->call(stream, space.get()).ok());
        REQUIRE(scan->right(stream));
      }
      REQUIRE(between->right(stream));
      cuda_check(cudaGraphExecDestroy(exec));
      cuda_check(cudaGraphDestroy(graph));
    }
  }

  TEST_CASE("one workspace in two streams that events join") {
    const tests::stream streams[2];
    const auto space = make_known_space();
    cudaEvent_t through[2] = {};
    for (cudaEvent_t& event : through) {
      cuda_check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    }
    for (int round = 0; round < 2 * num_known_kinds; ++round) {
      const std::unique_ptr<known_scan> scans[2] = {make_known(round), make_known(3 * round + 1)};
      for (int s = 0; s < 2; ++s) {
        scans[s]->refill(static_cast<std::uint64_t>(round * 2 + s), streams[s]);
      }
      for (int turn = 0; turn < num_replays / 20; ++turn) {
        for (int s = 0; s < 2; ++s) {
          REQUIRE(scans[s]->call(streams[s], space.get()).ok());
          cuda_check(cudaEventRecord(through[s], streams[s]));
          cuda_check(cudaStreamWaitEvent(streams[1 - s], through[s], 0));
        }
      }
      for (int s = 0; s < 2; ++s) CHECK(scans[s]->right(streams[s]));
    }
    for (cudaEvent_t event : through) cuda_check(cudaEventDestroy(event));
  }

  TEST_CASE("one free multiprocessor is enough, for tensors too") {
    if (blocks_at_launch()) return;  // what occupies the others would never let go
    for (int kind = 0; kind < num_known_kinds; ++kind) {
      if (tests::are_clusters(kind)) continue;
      INFO("kind ", kind);
      const tests::stream stream;
      const auto space = make_known_space();
      const auto scan = make_known(kind);
      scan->refill(5, stream);
      // Once before, so that nothing is loaded while the device is occupied.
      REQUIRE(scan->call(stream, space.get()).ok());
      scan->refill(6, stream);
      {
        const occupied_device others;
        CHECK(others.is_taken);
        CHECK(scan->call(stream, space.get()).ok());
        CHECK(ends_within(stream, std::chrono::seconds(10)));
      }
      CHECK(scan->right(stream));
    }
  }

  TEST_CASE("a low-priority stream in a storm of others") {
    int lowest = 0, highest = 0;
    cuda_check(cudaDeviceGetStreamPriorityRange(&lowest, &highest));
    cudaStream_t low = nullptr;
    cuda_check(cudaStreamCreateWithPriority(&low, cudaStreamNonBlocking, lowest));
    std::atomic<bool> over{false};
    std::atomic<int> num_others{0}, num_wrong{0};
    std::vector<std::jthread> storm;
    for (int i = 0; i < 3; ++i) {
      storm.emplace_back([&, i] {
        cudaStream_t high = nullptr;
        cuda_check(cudaStreamCreateWithPriority(&high, cudaStreamNonBlocking, highest));
        const auto space = make_known_space();
        const auto scan = make_known(i * 4);
        scan->refill(static_cast<std::uint64_t>(i), high);
        while (!over) {
          for (int turn = 0; turn < 50; ++turn) {
            num_wrong += !scan->call(high, space.get()).ok();
            ++num_others;
          }
          cuda_check(cudaStreamSynchronize(high));
        }
        num_wrong += !scan->right(high);
        cuda_check(cudaStreamDestroy(high));
      });
    }
    while (num_others < 100) std::this_thread::yield();
    const auto space = make_known_space();
    for (int round = 0; round < 2 * num_known_kinds; ++round) {
      INFO("kind ", round);
      const auto scan = make_known(round);
      scan->refill(static_cast<std::uint64_t>(round), low);
      CHECK(scan->call(low, round % 2 == 0 ? space.get() : nullptr).ok());
      CHECK(ends_within(low, std::chrono::seconds(20)));
      CHECK(scan->right(low));
    }
    over = true;
    storm.clear();
    CHECK(num_wrong == 0);
    cuda_check(cudaStreamDestroy(low));
  }

  // The last in its process, and alone there: see meson.build.
  TEST_CASE("sticky: after an error that stays every call reports it, and none waits") {
    const tests::stream stream;
    auto space = make_known_space();
    std::vector<std::unique_ptr<known_scan>> scans;
    for (int kind = 0; kind < num_known_kinds; ++kind) {
      scans.push_back(make_known(kind));
      scans.back()->refill(1, stream);
      if (kind % 2 == 0) REQUIRE(scans.back()->call(stream, space.get()).ok());
    }
    cuda_check(cudaStreamSynchronize(stream));
    // No address of any array.
    const cudaError_t launched = tests::write_late(reinterpret_cast<int*>(8), 1, 0, stream);
    const cudaError_t stays = cudaStreamSynchronize(stream);
    CHECK((launched == cudaSuccess || launched == stays));  // (of launches that block)
    REQUIRE(stays != cudaSuccess);
    for (const auto& scan : scans) {
      for (scan::workspace* const use : {space.get(), static_cast<scan::workspace*>(nullptr)}) {
        const scan::status status = scan->call(stream, use);
        CHECK(status == stays);
        CHECK(std::string(status.message()) != "success");
      }
    }
    const scan::workspace another(1000);
    CHECK(another.error() == stays);
    space.reset();  // neither throws nor waits
    // Scans in host memory have nothing to do with it.
    const std::vector<int> ones(1000, 1);
    std::vector<int> sums(ones.size());
    CHECK(scan::inclusive(scan::host, ones.data(), sums.data(), 1000).ok());
    CHECK(sums.back() == 1000);
  }
}

int main(int argc, char** argv) {
  if (!tests::gpu_present()) {
    std::puts("skipped: no CUDA device");
    return 77;
  }
  if (argc > 1 && std::atoi(argv[1]) > 0) num_replays = std::atoi(argv[1]);
  if (argc > 2) tests::known_seed = std::strtoull(argv[2], nullptr, 10) << 20;
  const int result = doctest::Context(argc, argv).run();
  std::printf("%lld scans of %lld elements verified\n",
              static_cast<long long>(tests::num_known_scans),
              static_cast<long long>(tests::num_known_elements));
  return result;
}
