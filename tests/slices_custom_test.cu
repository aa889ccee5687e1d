// Scans across ranks with an operator that minds the order of its operands, of an element type of
// the user's own: on any number of ranks, slices of any length, in both orders of operations; and
// with a function on the way in.
#include <cstdio>
#include <cstdlib>
#include <numeric>

#include "interval.hpp"
#include "ranks.hpp"
#include "scan/nccl.cuh"

namespace {

using tests::cuda_check;
using tests::device_memory;
using tests::interval;
using tests::rank_of;

struct to_interval {
  __host__ __device__ interval operator()(const std::int64_t& i) const { return {i, i + 1}; }
};

/// Scans the numbers from 0 on as intervals. Init: what lies before 0, or with `reverse` behind n.
template <class Op>
std::string check(const rank_of& here, scan::across& ranks, std::uint64_t seed, const Op& op) {
  std::mt19937_64 random(seed);
  const bool exclusive = random() % 2 == 1, reverse = random() % 2 == 1;
  std::vector<std::int64_t> slices;
  for (int i = 0; i < here.num_ranks; ++i) {
    slices.push_back(static_cast<std::int64_t>(random() % (std::uint64_t{1} << random() % 20)));
  }
  const auto sum = [&](int end) {
    return std::accumulate(slices.begin(), slices.begin() + end, std::int64_t{0});
  };
  const std::int64_t all = sum(here.num_ranks), first = sum(here.rank);
  const std::int64_t n = slices[static_cast<std::size_t>(here.rank)];
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(n + 1));
  std::iota(numbers.begin(), numbers.end(), first);
  const device_memory in(numbers.size() * sizeof(std::int64_t)),
      out(numbers.size() * sizeof(interval)), total(sizeof(interval));
  cuda_check(cudaMemcpyAsync(in.as<void>(), numbers.data(), numbers.size() * sizeof(std::int64_t),
                             cudaMemcpyHostToDevice, here.in));
  scan::options<interval> opts;
  opts.stream = here.in;
  opts.reverse = reverse;
  opts.total = total.as<interval>();
  opts.algorithm = random() % 2 == 1 ? scan::algorithm::look_back : scan::algorithm::automatic;
  if (here.rank == 0) opts.init = reverse ? interval{all, all + 5} : interval{-5, 0};
  const auto from = scan::transform_input{in.as<std::int64_t>(), to_interval{}};
  const scan::status done = exclusive
                                ? scan::exclusive(ranks, from, out.as<interval>(), n, op, opts)
                                : scan::inclusive(ranks, from, out.as<interval>(), n, op, opts);
  std::vector<interval> results(static_cast<std::size_t>(n));
  interval folded = {};
  cuda_check(cudaMemcpyAsync(results.data(), out.as<void>(), results.size() * sizeof(interval),
                             cudaMemcpyDeviceToHost, here.in));
  cuda_check(cudaMemcpyAsync(&folded, total.as<void>(), sizeof(interval), cudaMemcpyDeviceToHost,
                             here.in));
  cuda_check(cudaStreamSynchronize(here.in));
  if (!done.ok()) return done.message();
  if (const scan::status later = ranks.error(); !later.ok()) return later.message();
  const std::string where =
      " of slice " + std::to_string(here.rank) + ", seed " + std::to_string(seed);
  for (std::int64_t i = 0; i < n; ++i) {
    const std::int64_t at = first + i, own = exclusive ? 0 : 1;
    const interval wanted = reverse ? interval{at + 1 - own, all + 5} : interval{-5, at + own};
    if (!(results[static_cast<std::size_t>(i)] == wanted)) {
      return "output " + std::to_string(i) + where;
    }
  }
  const interval everything = reverse ? interval{0, all + 5} : interval{-5, all};
  return folded == everything ? "" : "the total" + where;
}

/// Without an init rank 0 refuses, and the others are told.
std::string check_without_init(const rank_of& here, scan::across& ranks) {
  const device_memory out(sizeof(interval));
  scan::options<interval> opts;
  opts.stream = here.in;
  const scan::status done =
      scan::exclusive(ranks, out.as<interval>(), out.as<interval>(), 1, tests::concatenate{}, opts);
  cuda_check(cudaStreamSynchronize(here.in));
  const scan::status later = ranks.error();
  const bool returned = done == (here.rank == 0 ? cudaErrorInvalidValue : cudaSuccess);
  return returned && later == cudaErrorInvalidValue && later.index() == 0 ? "" : "no init";
}

}  // namespace

int main(int argc, char** argv) {
  if (!tests::gpu_present()) return std::puts("no GPU: skipped"), 77;
  const int num_ranks = tests::is_stand_in() ? 4 : tests::gpu_count();
  const int calls = argc > 1 ? std::atoi(argv[1]) : 100;
  if (num_ranks < 2) return std::puts("one GPU: skipped"), 77;
  const std::string wrong = tests::with_ranks(num_ranks, [&](const rank_of& here) -> std::string {
    scan::across ranks(here.comm, 1 << 20, 16);
    if (!ranks.error().ok()) return ranks.error().message();
    std::string found = check_without_init(here, ranks);
    for (int call = 0; call < calls; ++call) {
      found += check(here, ranks, static_cast<std::uint64_t>(call), tests::concatenate{});
    }
    return found;
  });
  std::printf("%s%d ranks, %d calls%s\n", wrong.c_str(), num_ranks, calls,
              wrong.empty() ? ": in order" : "");
  return wrong.empty() ? 0 : 1;
}
