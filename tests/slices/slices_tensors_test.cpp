// Tensors whose sequences are in slices on several ranks, against one GPU's scan of the whole:
// every output, bit for bit where that is promised; and calls that go wrong on one rank. With the
// stand-in's ranks, or NCCL's.
//
// usage: slices_tensors_test [CALLS [RANKS [SEED]]]
#include <cstdio>
#include <cstdlib>

#include "tests/slices/tensor_slices.hpp"

namespace {

using tests::cuda_check;
using tests::rank_of;
using tests::tensor_case;

[[noreturn]] void fail(const std::string& why) {  // (the others would wait for this rank)
  std::printf("%s\n", why.c_str());
  std::fflush(stdout);
  std::_Exit(1);
}

/// What all ranks' communicators are made for: `with_totals` or not.
const scan::extents largest{4096, 1 << 13, 4};

/// Around the ends of tiles and batches, rows and columns; and `calls` random ones.
template <class In, class Out, class Op>
void check_row(const rank_of& here, scan::across& plain, scan::across& with_totals,
               const char* name, int calls, std::uint64_t seed) {
  static std::vector<Out> expected;
  tests::tensor_row<In, Out, Op> row(here, expected);
  std::mt19937_64 random(seed);
  int bits = 0;
  const auto check = [&](const tensor_case& c) {
    // (Without totals it is a matter of taste.)
    scan::across& ranks = c.with_total || random() % 2 == 0 ? with_totals : plain;
    const std::string wrong = row.check(ranks, c);
    bits += row.is_promised(ranks, c) ? 1 : 0;
    if (!wrong.empty()) fail(std::string(name) + ": " + wrong);
  };
  for (const std::int64_t inner : {1, 3, 70}) {
    for (int variant = 0; variant < (calls < 20 ? 1 : 4); ++variant) {
      check(tests::draw_batches<In, Out>(random, here.num_ranks, inner, with_totals));
    }
  }
  for (int call = 0; call < calls; ++call) check(tests::draw_tensor(random, here.num_ranks));
  if (here.rank == 0) std::printf("%s: %d with one GPU's bits\n", name, bits), std::fflush(stdout);
}

/// A call that rank `guilty` alone gets wrong, or for something else.
class refusals {
 public:
  refusals(const rank_of& here, scan::across& plain, scan::across& with_totals)
      : here_(here), plain_(plain), totals_(with_totals), in_(room), out_(room), total_(room) {
    cuda_check(cudaMemsetAsync(in_.as<void>(), 0, room, here.in));
  }

  void run() {
    const scan::extents right{3, 500, 2};
    for (int guilty = 0; guilty < here_.num_ranks; ++guilty) {
      guilty_ = guilty;
      expect("a pitch that is too small", true, plain_, right, {3, 500, 2, 999});
      expect("more than was said", true, totals_, right, {1 << 22, 1, 3});
      expect("a total, made without", true, plain_, right, right, false, true);
      // (Of calls that differ from rank 0's the first other rank is told, if rank 0 is the one.)
      if (guilty == 0) continue;
      expect("another outer", false, totals_, right, {4, 500, 2});
      expect("another inner", false, totals_, right, {3, 500, 1});
      expect("one sequence", false, totals_, right, {1, 500, 1});
      expect("a total of one alone", false, totals_, right, right, false, true);
      expect("a total of all others", false, totals_, right, right, true, false);
      expect("no sequences", false, plain_, right, {0, 500, 2});
    }
  }

 private:
  static constexpr std::size_t room = 1 << 16;

  scan::status call(scan::across& ranks, const scan::extents& local, bool with_total) {
    scan::options<float> opts;
    opts.stream = here_.in;
    if (with_total) opts.total = total_.as<float>();
    return scan::inclusive(ranks, in_.as<float>(), out_.as<float>(), local, scan::plus{}, opts);
  }
  void expect(const char* what, bool is_refused, scan::across& ranks, const scan::extents& right,
              const scan::extents& wrong, bool total = false, bool wrong_total = false) {
    const auto find = [&](const std::string& found) {
      fail("rank " + std::to_string(here_.rank) + ": " + what + ": " + found);
    };
    for (const tests::device_memory* memory : {&out_, &total_}) {
      cuda_check(cudaMemsetAsync(memory->as<void>(), 0x5a, room, here_.in));
    }
    const bool is_guilty = here_.rank == guilty_;
    const scan::status done =
        call(ranks, is_guilty ? wrong : right, is_guilty ? wrong_total : total);
    cuda_check(cudaStreamSynchronize(here_.in));
    const bool returned = is_guilty && is_refused;
    if (done != (returned ? cudaErrorInvalidValue : cudaSuccess)) find(done.message());
    const scan::status later = ranks.error();
    if (later != cudaErrorInvalidValue || later.rank() != guilty_) find(later.message());
    std::vector<unsigned char> bytes(room);
    for (const tests::device_memory* memory : {&out_, &total_}) {
      cuda_check(cudaMemcpyAsync(bytes.data(), memory->as<void>(), room, cudaMemcpyDeviceToHost,
                                 here_.in));
      cuda_check(cudaStreamSynchronize(here_.in));
      for (const unsigned char byte : bytes) {
        if (byte != 0x5a) find("wrote an output");
      }
    }
    const scan::status again = call(ranks, right, false);  // as if nothing had been
    cuda_check(cudaStreamSynchronize(here_.in));
    if (!again.ok() || !ranks.error().ok()) find("the next call");
    here_.all.arrive_and_wait();
  }

  const rank_of& here_;
  scan::across &plain_, &totals_;
  tests::device_memory in_, out_, total_;
  int guilty_ = 0;
};

/// Captured once, replayed, with totals: NCCL's ranks alone.
void check_replays(const rank_of& here, scan::across& ranks) {
  if (tests::is_stand_in()) return;
  const scan::extents local{3, 1000 + 500 * here.rank, 2};
  const auto count = static_cast<std::size_t>(local.outer * local.length * local.inner);
  const std::vector<float> ones(count, 1.0f);
  const tests::device_memory in(count * sizeof(float)), out(count * sizeof(float)),
      total(6 * sizeof(float));
  cuda_check(cudaMemcpyAsync(in.as<float>(), ones.data(), count * sizeof(float),
                             cudaMemcpyHostToDevice, here.in));
  scan::options<float> opts;
  opts.stream = here.in;
  opts.total = total.as<float>();
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t replayed = nullptr;
  cuda_check(cudaStreamBeginCapture(here.in, cudaStreamCaptureModeThreadLocal));
  const scan::status done =
      scan::inclusive(ranks, in.as<float>(), out.as<float>(), local, scan::plus{}, opts);
  cuda_check(cudaStreamEndCapture(here.in, &graph));
  if (!done.ok()) fail(std::string("captured: ") + done.message());
  cuda_check(cudaGraphInstantiate(&replayed, graph, 0));
  const std::int64_t earlier = 1000 * here.rank + 250 * here.rank * (here.rank - 1);
  const std::int64_t all = 1000 * here.num_ranks + 250 * here.num_ranks * (here.num_ranks - 1);
  for (int i = 0; i < 20; ++i) {
    cuda_check(cudaMemsetAsync(out.as<void>(), 0x5a, count * sizeof(float), here.in));
    cuda_check(cudaMemsetAsync(total.as<void>(), 0x5a, 6 * sizeof(float), here.in));
    cuda_check(cudaGraphLaunch(replayed, here.in));
    std::vector<float> outputs(count), totals(6);
    cuda_check(cudaMemcpyAsync(outputs.data(), out.as<float>(), count * sizeof(float),
                               cudaMemcpyDeviceToHost, here.in));
    cuda_check(cudaMemcpyAsync(totals.data(), total.as<float>(), 6 * sizeof(float),
                               cudaMemcpyDeviceToHost, here.in));
    cuda_check(cudaStreamSynchronize(here.in));
    for (std::size_t k = 0; k < count; ++k) {
      const auto step = static_cast<std::int64_t>(k) / local.inner % local.length;
      if (outputs[k] != static_cast<float>(earlier + step + 1)) fail("a replay's outputs");
    }
    if (totals != std::vector<float>(6, static_cast<float>(all))) fail("a replay's totals");
  }
  if (!ranks.error().ok()) fail("an error of a replay");
  cuda_check(cudaGraphExecDestroy(replayed));
  cuda_check(cudaGraphDestroy(graph));
}

}  // namespace

int main(int argc, char** argv) {
  if (!tests::gpu_present()) return std::puts("no GPU: skipped"), 77;
  const auto argument = [&](int i, int otherwise) {
    return argc > i ? std::atoi(argv[i]) : otherwise;
  };
  const int calls = argument(1, 200), gpus = tests::gpu_count();
  const int num_ranks = tests::is_stand_in() ? argument(2, 3) : argument(2, gpus);
  const auto seed = static_cast<std::uint64_t>(argument(3, 1));
  if (num_ranks < 2 || (!tests::is_stand_in() && gpus < num_ranks)) {
    return std::puts("too few GPUs: skipped"), 77;
  }
  const std::string wrong = tests::with_ranks(num_ranks, [&](const rank_of& here) -> std::string {
    scan::across plain(here.comm, largest), with_totals(here.comm, largest, 8, true);
    for (scan::across* ranks : {&plain, &with_totals}) {
      if (!ranks->error().ok()) fail(ranks->error().message());
    }
    using scan::plus;
    const int each = calls / 5 + 1;
    refusals(here, plain, with_totals).run();
    check_replays(here, with_totals);
    check_row<float, float, plus>(here, plain, with_totals, "float plus", each, seed);
    check_row<std::int32_t, std::int32_t, scan::minimum>(here, plain, with_totals, "int32 minimum",
                                                         each, seed);
    check_row<std::uint64_t, std::uint64_t, plus>(here, plain, with_totals, "uint64 plus", each,
                                                  seed);
    check_row<__half, __half, plus>(here, plain, with_totals, "half plus", each, seed);
    check_row<std::uint8_t, std::uint32_t, plus>(here, plain, with_totals, "uint8 to uint32 plus",
                                                 each, seed);
    return "";
  });
  if (!wrong.empty()) return std::printf("%s\n", wrong.c_str()), 1;
  std::printf("%d ranks, %d random calls a row: as one GPU\n", num_ranks, calls / 5 + 1);
}
