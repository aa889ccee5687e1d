// Calls across ranks that go wrong on one of them, and what else is not about results: all ranks
// are told the same, none waits for ever, no output is touched, and the next call is as if nothing
// had been. With the stand-in's ranks, or NCCL's.
//
// usage: slices_calls_test [N]    elements of a slice; few for sanitizers
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <thread>

#include "tests/slices/ranks.hpp"

namespace {

using tests::cuda_check;
using tests::rank_of;

std::int64_t n = 100'000;
constexpr float untouched = -7;

std::size_t count() { return static_cast<std::size_t>(n); }
std::size_t bytes(std::int64_t elements) {
  return static_cast<std::size_t>(elements) * sizeof(float);
}

/// What a rank calls and is asked about.
struct rank_data {
  explicit rank_data(const rank_of& of)
      : here(of), ranks(of.comm, 1 << 20), in(bytes(n)), out(bytes(n + 1)) {
    if (!ranks.error().ok()) fail("the constructor", ranks.error().message());
    const std::vector<float> ones(count(), 1.0f);
    cuda_check(
        cudaMemcpyAsync(in.as<float>(), ones.data(), bytes(n), cudaMemcpyHostToDevice, here.in));
    cuda_check(cudaStreamSynchronize(here.in));
  }
  float* input() { return in.as<float>(); }
  float* output() { return out.as<float>(); }
  scan::options<float> options() const {
    scan::options<float> opts;
    opts.stream = here.in;
    return opts;
  }

  [[noreturn]] void fail(const char* what, const std::string& why) const {
    std::printf("rank %d: %s: %s\n", here.rank, what, why.c_str());
    std::fflush(stdout);
    std::_Exit(1);
  }
  void expect(bool right, const char* what, const std::string& why) const {
    if (!right) fail(what, why);
  }

  std::vector<float> outputs() {
    std::vector<float> all(count());
    cuda_check(cudaMemcpyAsync(all.data(), output(), bytes(n), cudaMemcpyDeviceToHost, here.in));
    cuda_check(cudaStreamSynchronize(here.in));
    return all;
  }
  void fill_output() {
    const std::vector<float> old(count(), untouched);
    cuda_check(cudaMemcpyAsync(output(), old.data(), bytes(n), cudaMemcpyHostToDevice, here.in));
    cuda_check(cudaStreamSynchronize(here.in));
  }
  void expect_scan(const char* what) {
    fill_output();
    const scan::status done = scan::inclusive(ranks, input(), output(), n, scan::plus{}, options());
    expect(done.ok(), what, done.message());
    const std::vector<float> all = outputs();
    expect(ranks.error().ok(), what, "a later error after a right call");
    for (std::int64_t i = 0; i < n; ++i) {
      const auto wanted = static_cast<float>(here.rank * n + i + 1);
      expect(all[static_cast<std::size_t>(i)] == wanted, what, "output " + std::to_string(i));
    }
  }

  const rank_of& here;
  scan::across ranks;
  tests::device_memory in, out;
};

/// A call that rank `guilty` alone gets wrong: `code` is what all are told.
void expect_refusal(rank_data& data, const char* what, int guilty, bool returns_it,
                    cudaError_t code, const std::function<scan::status()>& call) {
  data.fill_output();
  const bool is_guilty = data.here.rank == guilty;
  const scan::status done = is_guilty ? call()
                                      : scan::inclusive(data.ranks, data.input(), data.output(), n,
                                                        scan::plus{}, data.options());
  data.expect(done == (is_guilty && returns_it ? code : cudaSuccess), what,
              std::string("returned ") + done.message());
  cuda_check(cudaDeviceSynchronize());  // (of a stream that cannot be used it is another)
  for (const float value : data.outputs()) data.expect(value == untouched, what, "wrote an output");
  const scan::status later = data.ranks.error();
  data.expect(later == code && later.rank() == guilty, what,
              "told of rank " + std::to_string(later.rank()) + ": " + later.message());
  data.expect(data.ranks.error().ok(), what, "told twice");
  data.expect_scan(what);
  data.here.all.arrive_and_wait();
}

std::string refusals(const rank_of& here) {
  rank_data data(here);
  data.expect_scan("the first call");
  for (int guilty = 0; guilty < here.num_ranks; ++guilty) {
    const auto refused = [&](const char* what, cudaError_t code, const auto& call) {
      expect_refusal(data, what, guilty, true, code, call);
    };
    // (Of calls that differ from rank 0's the first other rank is told, if rank 0 is the one.)
    const auto differs = [&](const char* what, const auto& call) {
      if (guilty > 0) expect_refusal(data, what, guilty, false, cudaErrorInvalidValue, call);
    };
    auto opts = data.options();
    refused("a negative n", cudaErrorInvalidValue, [&] {
      return scan::inclusive(data.ranks, data.input(), data.output(), -1, scan::plus{}, opts);
    });
    refused("more than was said", cudaErrorInvalidValue, [&] {
      return scan::inclusive(data.ranks, data.input(), data.output() + (2 << 20), (1 << 20) + 1,
                             scan::plus{}, opts);
    });
    refused("an output on top of the input", cudaErrorInvalidValue, [&] {
      return scan::inclusive(data.ranks, data.input(), data.input() + 1, n - 1, scan::plus{}, opts);
    });
    refused("no input", cudaErrorInvalidValue, [&] {
      const float* none = nullptr;
      return scan::inclusive(data.ranks, none, data.output(), n, scan::plus{}, opts);
    });
    refused("complete and inclusive", cudaErrorInvalidValue, [&] {
      opts.complete = true;
      return scan::inclusive(data.ranks, data.input(), data.output(), n, scan::plus{}, opts);
    });
    opts = data.options();
    refused("the wave", cudaErrorNotSupported, [&] {
      opts.algorithm = scan::algorithm::wave;
      return scan::inclusive(data.ranks, data.input(), data.output(), n, scan::plus{}, opts);
    });
    opts = data.options();
    if (tests::gpu_count() > 1) {
      const int own = here.rank % tests::gpu_count(), other = (own + 1) % tests::gpu_count();
      refused("another device", cudaErrorInvalidValue, [&] {
        cuda_check(cudaSetDevice(other));
        const scan::status done =
            scan::inclusive(data.ranks, data.input(), data.output(), n, scan::plus{}, opts);
        cuda_check(cudaSetDevice(own));
        return done;
      });
      refused("a stream of another device", cudaErrorInvalidValue, [&] {
        cuda_check(cudaSetDevice(other));
        const tests::stream others;
        cuda_check(cudaSetDevice(own));
        opts.stream = others;
        return scan::inclusive(data.ranks, data.input(), data.output(), n, scan::plus{}, opts);
      });
    }
    opts = data.options();
    differs("another operator", [&] {
      return scan::inclusive(data.ranks, data.input(), data.output(), n, scan::minimum{}, opts);
    });
    differs("another type", [&] {
      auto* const in = reinterpret_cast<const int*>(data.input());
      scan::options<int> of_ints;
      of_ints.stream = here.in;
      return scan::inclusive(data.ranks, in, reinterpret_cast<int*>(data.output()), n, scan::plus{},
                             of_ints);
    });
    differs("exclusive", [&] {
      return scan::exclusive(data.ranks, data.input(), data.output(), n, scan::plus{}, opts);
    });
    differs("reverse", [&] {
      opts.reverse = true;
      return scan::inclusive(data.ranks, data.input(), data.output(), n, scan::plus{}, opts);
    });
  }
  return "";
}

/// Two ranks refuse: all are told of the first.
std::string two_refuse(const rank_of& here) {
  rank_data data(here);
  data.fill_output();
  auto opts = data.options();
  if (here.rank == here.num_ranks - 1) opts.algorithm = scan::algorithm::wave;
  const float* const in = here.rank == 0 ? nullptr : data.input();
  const scan::status done = scan::inclusive(data.ranks, in, data.output(), n, scan::plus{}, opts);
  data.outputs();
  const scan::status later = data.ranks.error();
  data.expect(later == cudaErrorInvalidValue && later.rank() == 0, "two refuse", later.message());
  data.expect(here.rank != here.num_ranks - 1 || done == cudaErrorNotSupported, "two refuse",
              done.message());
  return "";
}

/// Whether all constructors fail if rank 1's is made so, the others' rightly.
bool fails(const rank_of& here, std::int64_t max_items, int max_element_bytes) {
  const bool is_guilty = here.rank == 1;
  scan::across ranks(here.comm, is_guilty ? max_items : 2000, is_guilty ? max_element_bytes : 8);
  float* const none = nullptr;
  const scan::status made = ranks.error(), called = scan::inclusive(ranks, none, none, 0);
  return made == cudaErrorInvalidValue && called == made && made.rank() == (is_guilty ? -1 : 1);
}

std::string constructors(const rank_of& here) {
  std::string wrong;
  if (!fails(here, -1, 8)) wrong += "a negative max_items; ";
  if (!fails(here, (std::int64_t{1} << 40) + 1, 8)) wrong += "too large max_items; ";
  if (!fails(here, 2000, 0)) wrong += "elements of no bytes; ";
  if (!fails(here, 2000, 65)) wrong += "too large elements; ";
  scan::across differ(here.comm, here.rank == 1 ? 1000 : 2000);
  if (differ.error() != cudaErrorInvalidValue) wrong += "that differ; ";
  scan::across too_much(here.comm, here.rank == 1 ? std::int64_t{1} << 39 : 1 << 20, 64);
  if (too_much.error().ok()) wrong += "one without memory; ";
  return wrong.empty() ? "" : "constructors: " + wrong;
}

/// The same functor under another library's name is no other scan.
std::string functors(const rank_of& here) {
  rank_data data(here);
  data.fill_output();
  const scan::status done = here.rank == 1
                                ? scan::inclusive(data.ranks, data.input(), data.output(), n,
                                                  std::plus<>{}, data.options())
                                : scan::inclusive(data.ranks, data.input(), data.output(), n,
                                                  scan::plus{}, data.options());
  data.expect(done.ok(), "std::plus", done.message());
  const std::vector<float> all = data.outputs();
  data.expect(data.ranks.error().ok(), "std::plus", "taken for another scan");
  data.expect(all.back() == static_cast<float>((here.rank + 1) * n), "std::plus", "the last sum");
  return "";
}

/// What `call` enqueues, as a graph; it returns `code`.
cudaGraphExec_t captured(const rank_data& data, cudaError_t code,
                         const std::function<scan::status()>& call) {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t replayed = nullptr;
  cuda_check(cudaStreamBeginCapture(data.here.in, cudaStreamCaptureModeThreadLocal));
  const scan::status done = call();
  data.expect(done == code, "a captured call", done.message());
  cuda_check(cudaStreamEndCapture(data.here.in, &graph));
  cuda_check(cudaGraphInstantiate(&replayed, graph, 0));
  cuda_check(cudaGraphDestroy(graph));
  return replayed;
}

/// Captured once, replayed: NCCL's ranks alone.
std::string graphs(const rank_of& here) {
  if (tests::is_stand_in()) return "";
  rank_data data(here);
  data.expect_scan("before the capture");
  cudaGraphExec_t replayed = captured(data, cudaSuccess, [&] {
    return scan::inclusive(data.ranks, data.input(), data.output(), n, scan::plus{},
                           data.options());
  });
  for (int i = 0; i < 100; ++i) {
    data.fill_output();
    cuda_check(cudaGraphLaunch(replayed, here.in));
    const std::vector<float> all = data.outputs();
    for (std::int64_t k = 0; k < n; ++k) {
      data.expect(all[static_cast<std::size_t>(k)] == static_cast<float>(here.rank * n + k + 1),
                  "a replay", "output " + std::to_string(k));
    }
  }
  data.expect(data.ranks.error().ok(), "a replay", "an error");
  cuda_check(cudaGraphExecDestroy(replayed));

  // Refused while it is captured: each replay tells all ranks.
  const bool is_guilty = here.rank == 1;
  replayed = captured(data, is_guilty ? cudaErrorInvalidValue : cudaSuccess, [&] {
    return scan::inclusive(data.ranks, is_guilty ? nullptr : data.input(), data.output(), n,
                           scan::plus{}, data.options());
  });
  for (int i = 0; i < 3; ++i) {
    data.fill_output();
    cuda_check(cudaGraphLaunch(replayed, here.in));
    const std::vector<float> all = data.outputs();
    data.expect(all == std::vector<float>(count(), untouched), "a refusal", "wrote an output");
    const scan::status told = data.ranks.error();
    data.expect(told == cudaErrorInvalidValue && told.rank() == 1, "a refusal", told.message());
  }
  cuda_check(cudaGraphExecDestroy(replayed));
  data.expect_scan("after a captured refusal");
  return "";
}

/// A rank misses a call that it has made, since one is under way in another host thread: from then
/// on its calls are not the others', whom nobody told, and all are told that.
std::string missed(const rank_of& here) {
  rank_data data(here);
  data.expect_scan("before the missed call");
  if (here.rank == 1) {
    const std::unique_lock<std::mutex> under_way = scan::device::team_of(data.ranks).begin_call();
    std::thread([&] {
      const scan::status busy =
          scan::inclusive(data.ranks, data.input(), data.output(), n, scan::plus{}, data.options());
      data.expect(busy == cudaErrorInvalidValue, "a missed call", busy.message());
    }).join();
  }
  data.fill_output();
  for (int i = 0; i < 2; ++i) {
    const scan::status done =
        scan::inclusive(data.ranks, data.input(), data.output(), n, scan::plus{}, data.options());
    data.expect(done.ok(), "after a missed call", done.message());
    data.expect(data.outputs() == std::vector<float>(count(), untouched), "after a missed call",
                "wrote an output");
    const scan::status told = data.ranks.error();
    data.expect(told == cudaErrorInvalidValue && told.rank() == 1, "after a missed call",
                told.message());
  }
  rank_data anew(here);
  anew.expect_scan("made anew after a missed call");
  return "";
}

/// A call that is refused for its stream tells the others in another one: the next call does not
/// overtake it, although nobody has waited for it.
std::string refused_aside(const rank_of& here) {
  if (tests::gpu_count() < 2) return "";
  rank_data data(here);
  data.expect_scan("before the refusal");
  const int own = here.rank % tests::gpu_count(), other = (own + 1) % tests::gpu_count();
  cuda_check(cudaSetDevice(other));
  const tests::stream others;
  cuda_check(cudaSetDevice(own));
  for (int i = 0; i < 20; ++i) {
    data.fill_output();
    here.all.arrive_and_wait();
    auto opts = data.options();
    if (here.rank == 1) opts.stream = others;
    if (here.rank != 1) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    const scan::status first =
        scan::inclusive(data.ranks, data.input(), data.output(), n, scan::plus{}, opts);
    data.expect(first.ok() == (here.rank != 1), "a refusal aside", first.message());
    if (here.rank != 1) {
      data.expect(data.outputs() == std::vector<float>(count(), untouched), "a refusal aside",
                  "wrote an output");
      const scan::status told = data.ranks.error();
      data.expect(told.rank() == 1, "a refusal aside", told.message());
    }
    const scan::status next =
        scan::inclusive(data.ranks, data.input(), data.output(), n, scan::plus{}, data.options());
    data.expect(next.ok(), "after a refusal aside", next.message());
    const std::vector<float> all = data.outputs();
    static_cast<void>(data.ranks.error());  // (rank 1 has not asked before)
    data.expect(all.back() == static_cast<float>((here.rank + 1) * n), "after a refusal aside",
                "the last sum");
  }
  return "";
}

/// A rank that is alone makes the plain call.
std::string alone(const rank_of& here) {
  rank_data data(here);
  data.expect_scan("a rank alone");
  auto opts = data.options();
  opts.algorithm = scan::algorithm::wave;
  const scan::status done =
      scan::inclusive(data.ranks, data.input(), data.output(), n, scan::plus{}, opts);
  data.expect(done.ok(), "the wave, alone", done.message());
  return "";
}

/// Of no communicator.
std::string without_communicator() {
  scan::across ranks(nullptr);
  float* const none = nullptr;
  const scan::status made = ranks.error(), called = scan::inclusive(ranks, none, none, 0);
  return made == cudaErrorInvalidValue && called == made && cudaPeekAtLastError() == cudaSuccess
             ? ""
             : "no communicator";
}

}  // namespace

int main(int argc, char** argv) {
  if (!tests::gpu_present()) return std::puts("no GPU: skipped"), 77;
  if (argc > 1) n = std::clamp<std::int64_t>(std::atoll(argv[1]), 2, n);
  const int num_ranks = tests::is_stand_in() ? 3 : tests::gpu_count();
  std::string wrong = without_communicator() + tests::with_ranks(1, alone);
  if (num_ranks > 1) {
    wrong += tests::with_ranks(num_ranks, refusals);
    wrong += tests::with_ranks(num_ranks, two_refuse);
    wrong += tests::with_ranks(num_ranks, constructors);
    wrong += tests::with_ranks(num_ranks, functors);
    wrong += tests::with_ranks(num_ranks, missed);
    wrong += tests::with_ranks(num_ranks, refused_aside);
    wrong += tests::with_ranks(num_ranks, graphs);
  }
  std::printf("%s%d ranks%s\n", wrong.c_str(), num_ranks, wrong.empty() ? ": as they should" : "");
  return wrong.empty() ? 0 : 1;
}
