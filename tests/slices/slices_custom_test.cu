// Scans across ranks with an operator that minds the order of its operands, of an element type of
// the user's own: on any number of ranks, slices of any length, in both orders of operations; and
// with a function on the way in. Of tensors in slices, too.
//
// usage: slices_custom_test [CALLS [MOST]]    MOST: elements of a slice; few for sanitizers
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numeric>

#include "scan/nccl.cuh"
#include "tests/slices/ranks.hpp"
#include "tests/support/interval.hpp"

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
std::string check(const rank_of& here, scan::across& ranks, std::uint64_t seed, std::uint64_t most,
                  const Op& op) {
  std::mt19937_64 random(seed);
  const bool exclusive = random() % 2 == 1, reverse = random() % 2 == 1;
  std::vector<std::int64_t> slices;
  for (int i = 0; i < here.num_ranks; ++i) {
    const std::uint64_t end = std::uint64_t{1} << random() % 20;
    slices.push_back(static_cast<std::int64_t>(random() % std::min(end, most)));
  }
  const auto sum = [&](int end) {
    return std::accumulate(slices.begin(), slices.begin() + end, std::int64_t{0});
  };
  const std::int64_t all = sum(here.num_ranks), first = sum(here.rank);
  const std::int64_t n = slices[static_cast<std::size_t>(here.rank)];
  const auto shift = static_cast<std::int64_t>(random() % 2);  // misaligns the input
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(n + 1));
  std::iota(numbers.begin(), numbers.end(), first - shift);
  const device_memory in(numbers.size() * sizeof(std::int64_t)),
      out(numbers.size() * sizeof(interval)), total(sizeof(interval));
  cuda_check(cudaMemcpyAsync(in.as<void>(), numbers.data(), numbers.size() * sizeof(std::int64_t),
                             cudaMemcpyHostToDevice, here.in));
  // (Initcheck knows nothing of what bulk stores write.)
  cuda_check(cudaMemsetAsync(out.as<void>(), 0x5a, numbers.size() * sizeof(interval), here.in));
  scan::options<interval> opts;
  opts.stream = here.in;
  opts.reverse = reverse;
  opts.total = total.as<interval>();
  opts.algorithm = random() % 2 == 1 ? scan::algorithm::look_back : scan::algorithm::automatic;
  if (here.rank == 0) opts.init = reverse ? interval{all, all + 5} : interval{-5, 0};
  const auto from = scan::transform_input{in.as<std::int64_t>() + shift, to_interval{}};
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

/// Scans each sequence of a tensor in slices: the numbers from a million times the sequence's on.
template <class Op>
std::string check_tensor(const rank_of& here, scan::across& ranks, std::uint64_t seed,
                         const Op& op) {
  std::mt19937_64 random(seed);
  const auto below = [&](std::uint64_t end) { return static_cast<std::int64_t>(random() % end); };
  const bool reverse = below(2) == 1, with_init = below(2) == 1,
             exclusive = with_init && below(2) == 1;
  const std::int64_t outer = 1 + below(3), inner = below(2) == 1 ? 1 : 1 + below(9);
  std::vector<std::int64_t> lengths;
  for (int i = 0; i < here.num_ranks; ++i) lengths.push_back(below(std::uint64_t{1} << below(17)));
  const auto sum = [&](int end) {
    return std::accumulate(lengths.begin(), lengths.begin() + end, std::int64_t{0});
  };
  const std::int64_t all = sum(here.num_ranks), first = sum(here.rank);
  const scan::extents local{outer, lengths[static_cast<std::size_t>(here.rank)], inner};
  const std::int64_t count = outer * local.length * inner, sequences = outer * inner;
  const auto base = [](std::int64_t sequence) { return sequence * 1'000'000; };
  // Sequence and place of element i.
  const auto sequence_of = [&](std::int64_t i) {
    return i / (local.length * inner) * inner + i % inner;
  };
  const auto at_of = [&](std::int64_t i) { return first + i / inner % local.length; };
  std::vector<std::int64_t> numbers;
  std::vector<interval> inits;
  for (std::int64_t i = 0; i < count; ++i) numbers.push_back(base(sequence_of(i)) + at_of(i));
  for (std::int64_t i = 0; i < sequences; ++i) {
    inits.push_back(reverse ? interval{base(i) + all, base(i) + all + 5}
                            : interval{base(i) - 5, base(i)});
  }
  const auto bytes = [](std::int64_t n) { return static_cast<std::size_t>(n) * sizeof(interval); };
  const device_memory in(bytes(count + 1)), out(bytes(count + 1)), totals(bytes(sequences)),
      starts(bytes(sequences));
  cuda_check(cudaMemcpyAsync(in.as<void>(), numbers.data(), numbers.size() * sizeof(std::int64_t),
                             cudaMemcpyHostToDevice, here.in));
  cuda_check(cudaMemcpyAsync(starts.as<void>(), inits.data(), bytes(sequences),
                             cudaMemcpyHostToDevice, here.in));
  scan::options<interval> opts;
  opts.stream = here.in;
  opts.reverse = reverse;
  opts.total = totals.as<interval>();
  if (with_init && here.rank == 0) opts.init_pointer = starts.as<interval>();
  const auto from = scan::transform_input{in.as<std::int64_t>(), to_interval{}};
  const scan::status done = exclusive
                                ? scan::exclusive(ranks, from, out.as<interval>(), local, op, opts)
                                : scan::inclusive(ranks, from, out.as<interval>(), local, op, opts);
  std::vector<interval> results(static_cast<std::size_t>(count)),
      ends(static_cast<std::size_t>(sequences));
  cuda_check(cudaMemcpyAsync(results.data(), out.as<void>(), bytes(count), cudaMemcpyDeviceToHost,
                             here.in));
  cuda_check(cudaMemcpyAsync(ends.data(), totals.as<void>(), bytes(sequences),
                             cudaMemcpyDeviceToHost, here.in));
  cuda_check(cudaStreamSynchronize(here.in));
  if (!done.ok()) return done.message();
  if (const scan::status later = ranks.error(); !later.ok()) return later.message();
  const std::int64_t more = with_init ? 5 : 0, own = exclusive ? 0 : 1;
  const std::string where = " of the tensor's slice " + std::to_string(here.rank) + ", seed " +
                            std::to_string(seed) + "; ";
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t zero = base(sequence_of(i)), at = at_of(i);
    const interval wanted = reverse ? interval{zero + at + 1 - own, zero + all + more}
                                    : interval{zero - more, zero + at + own};
    if (!(results[static_cast<std::size_t>(i)] == wanted)) {
      return "output " + std::to_string(i) + where;
    }
  }
  for (std::int64_t i = 0; i < sequences && all > 0; ++i) {
    const interval wanted =
        reverse ? interval{base(i), base(i) + all + more} : interval{base(i) - more, base(i) + all};
    if (!(ends[static_cast<std::size_t>(i)] == wanted)) return "a total" + where;
  }
  return "";
}

/// Without an init rank 0 refuses, and the others are told.
std::string check_without_init(const rank_of& here, scan::across& ranks) {
  const device_memory in(sizeof(std::int64_t)), out(sizeof(interval));
  cuda_check(cudaMemsetAsync(in.as<void>(), 0, sizeof(std::int64_t), here.in));
  scan::options<interval> opts;
  opts.stream = here.in;
  const auto from = scan::transform_input{in.as<std::int64_t>(), to_interval{}};
  const scan::status done =
      scan::exclusive(ranks, from, out.as<interval>(), 1, tests::concatenate{}, opts);
  cuda_check(cudaStreamSynchronize(here.in));
  const scan::status later = ranks.error();
  const bool returned = done == (here.rank == 0 ? cudaErrorInvalidValue : cudaSuccess);
  return returned && later == cudaErrorInvalidValue && later.rank() == 0 ? "" : "no init";
}

/// A rank alone, of elements wider than it was made for, makes the plain call.
std::string check_alone(const rank_of& here) {
  constexpr std::int64_t n = 1 << 20;
  scan::across ranks(here.comm, n, 1);
  const device_memory in(n * sizeof(std::int64_t)), out(n * sizeof(interval));
  cuda_check(cudaMemsetAsync(in.as<void>(), 0, n * sizeof(std::int64_t), here.in));
  scan::options<interval> opts;
  opts.stream = here.in;
  const auto from = scan::transform_input{in.as<std::int64_t>(), to_interval{}};
  const scan::status done =
      scan::inclusive(ranks, from, out.as<interval>(), n, tests::concatenate{}, opts);
  return done.ok() ? "" : done.message();
}

}  // namespace

int main(int argc, char** argv) {
  if (!tests::gpu_present()) return std::puts("no GPU: skipped"), 77;
  const int num_ranks = tests::is_stand_in() ? 4 : tests::gpu_count();
  const int calls = argc > 1 ? std::atoi(argv[1]) : 100;
  const auto most =
      static_cast<std::uint64_t>(argc > 2 ? std::max(std::atoi(argv[2]), 1) : 1 << 20);
  if (num_ranks < 2) return std::puts("one GPU: skipped"), 77;
  std::string wrong = tests::with_ranks(num_ranks, [&](const rank_of& here) -> std::string {
    scan::across ranks(here.comm, 1 << 20, 16);
    if (!ranks.error().ok()) return ranks.error().message();
    std::string found = check_without_init(here, ranks);
    for (int call = 0; call < calls; ++call) {
      found += check(here, ranks, static_cast<std::uint64_t>(call), most, tests::concatenate{});
    }
    scan::across of_tensors(here.comm, scan::extents{4, 1 << 16, 8}, 16, true);
    if (!of_tensors.error().ok()) return of_tensors.error().message();
    for (int call = 0; call < calls; ++call) {
      found +=
          check_tensor(here, of_tensors, static_cast<std::uint64_t>(call), tests::concatenate{});
    }
    return found;
  });
  wrong += tests::with_ranks(1, check_alone);
  std::printf("%s%d ranks, %d calls%s\n", wrong.c_str(), num_ranks, calls,
              wrong.empty() ? ": in order" : "");
  return wrong.empty() ? 0 : 1;
}
