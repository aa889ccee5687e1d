// What `scan_bench --gpus N` becomes: one sum over the GPUs of this machine, a thread and a rank
// for each, by size of a rank's slice. Nothing is timed before every output has been compared with
// one GPU's scan of the whole: to the bit, where slices are multiples of a batch of tiles. A single
// rank is measured beside the plain call, which it makes.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <thread>

#include "bench/command_line.hpp"
#include "bench/data/device_data.hpp"
#include "bench/gpus/rank.hpp"
#include "bench/gpus/rows.hpp"
#include "bench/peers/gpu_peers.hpp"
#include "bench/report/output.hpp"
#include "scan/nccl.hpp"

namespace bench {
namespace {

using scan::status;

void check(const status& done) {
  if (!done.ok()) throw std::runtime_error(done.message());
}
using bench::check;

constexpr std::int64_t period = 1 << 20;

/// What the ranks are measured with: repeats after `period` elements, whose sums are rounded.
std::vector<float> make_period() {
  std::mt19937 random(2016);
  std::vector<float> items(static_cast<std::size_t>(period));
  for (float& item : items) item = static_cast<float>(random()) * 0x1p-32f - 0.25f;
  return items;
}

/// Elements [first, first + n) of the sequence.
void fill(float* to, std::int64_t first, std::int64_t n, cudaStream_t stream) {
  static const std::vector<float> items = make_period();
  std::vector<float> turned(items.begin() + first % period, items.end());
  turned.insert(turned.end(), items.begin(), items.begin() + first % period);
  const auto bytes = [](std::int64_t count) { return static_cast<std::size_t>(count) * 4; };
  std::int64_t done = std::min(n, period);
  check(cudaMemcpyAsync(to, turned.data(), bytes(done), cudaMemcpyHostToDevice, stream));
  for (; done < n; done *= 2) {
    check(cudaMemcpyAsync(to + done, to, bytes(std::min(done, n - done)), cudaMemcpyDeviceToDevice,
                          stream));
  }
  check(cudaStreamSynchronize(stream));
}

/// Throws where an output is not one GPU's. Rank 0 has that. Whether all have been compared to the
/// bit.
bool verify(const gpu_rank& here, scan::across& ranks, std::int64_t n, float* in, float* out,
            float*& whole) {
  const std::int64_t all = n * here.team.num_ranks;
  fill(in, n * here.rank, n, here.stream);
  scan::options<float> opts;
  opts.stream = here.stream;
  check(scan::inclusive(ranks, in, out, n, scan::plus{}, opts));
  if (here.rank == 0) {
    check(cudaMalloc(&whole, static_cast<std::size_t>(all) * sizeof(float)));
    fill(whole, 0, all, here.stream);
    if (here.team.num_ranks > 1) {
      opts.algorithm = scan::device::team_of(ranks).has_ring() ? scan::algorithm::ring
                                                               : scan::algorithm::look_back;
    }
    check(scan::inclusive(whole, whole, all, scan::plus{}, opts));
  }
  check(cudaStreamSynchronize(here.stream));
  check(ranks.error());
  here.meet();
  // In a piece of the input's memory, which is made anew.
  check(cudaMemcpyAsync(in, whole + n * here.rank, static_cast<std::size_t>(n) * sizeof(float),
                        cudaMemcpyDefault, here.stream));
  const bool to_the_bit =
      here.team.num_ranks == 1 || n % scan::slice_multiple<float, float>(ranks) == 0;
  const gpu_memory wrong(sizeof(unsigned long long));
  unsigned long long first_wrong = ~0ull;
  check(cudaMemcpyAsync(wrong.as<void>(), &first_wrong, sizeof(first_wrong), cudaMemcpyHostToDevice,
                        here.stream));
  if (to_the_bit) {
    check(check_copy(in, out, n * 4, wrong.as<unsigned long long>(), here.stream));
    check(cudaStreamSynchronize(here.stream));
    check(cudaMemcpy(&first_wrong, wrong.as<void>(), sizeof(first_wrong), cudaMemcpyDeviceToHost));
    if (first_wrong != ~0ull) throw std::runtime_error("not one GPU's bits");
  } else {
    std::vector<float> wanted(static_cast<std::size_t>(n)), actual(wanted);
    check(cudaStreamSynchronize(here.stream));
    check(cudaMemcpy(wanted.data(), in, wanted.size() * 4, cudaMemcpyDeviceToHost));
    check(cudaMemcpy(actual.data(), out, actual.size() * 4, cudaMemcpyDeviceToHost));
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (!(std::abs(wanted[i] - actual[i]) <= 1e-4f * (1 + std::abs(wanted[i])))) {
        throw std::runtime_error("not one GPU's sums");
      }
    }
  }
  here.meet();
  if (here.rank == 0) check(cudaFree(whole));
  fill(in, n * here.rank, n, here.stream);
  return to_the_bit;
}

/// Of each round the quotient.
double median_quotient(const round_times& a, const round_times& b) {
  round_times quotients;
  for (std::size_t i = 0; i < a.size(); ++i) quotients.push_back(a[i] / b[i]);
  return median(quotients);
}

void measure(const gpu_rank& here, scan::across& ranks, scan::workspace& space, float* in,
             float* out, std::int64_t room, gpus_row& measured) {
  const std::int64_t n = measured.n;
  // Calls go round slots of more memory than the L2 has, as many as there is room for.
  const std::int64_t step = (n + 63) / 64 * 64;
  const std::int64_t slots = std::clamp((std::int64_t{256} << 20) / (8 * step), std::int64_t{1},
                                        std::min(room / step, std::int64_t{64}));
  const auto calls = static_cast<int>(
      std::max(slots, std::clamp((std::int64_t{1} << 30) / n, std::int64_t{1}, std::int64_t{20})));
  for (std::int64_t i = 1; i < slots; ++i) {
    check(cudaMemcpyAsync(in + i * step, in, static_cast<std::size_t>(n) * 4,
                          cudaMemcpyDeviceToDevice, here.stream));
  }
  scan::options<float> opts;
  opts.stream = here.stream;
  const auto slot = [&](int i) { return i % slots * step; };
  const auto across = [&](int i) {
    check(scan::inclusive(ranks, in + slot(i), out + slot(i), n, scan::plus{}, opts));
  };
  auto with_space = opts;
  with_space.workspace = &space;
  const auto plain = [&](int i) {
    check(scan::inclusive(in + slot(i), out + slot(i), n, scan::plus{}, with_space));
  };
  const auto copy = [&](int i) {
    check(cudaMemcpyAsync(out + slot(i), in + slot(i), static_cast<std::size_t>(n) * 4,
                          cudaMemcpyDeviceToDevice, here.stream));
  };
  const auto kernel_copy = [&](int i) {
    check(copy_with_kernel(in + slot(i), out + slot(i), n * 4, here.stream));
  };
  const auto gather = [&](int) {
    check(scan::device::team_of(ranks).gather_messages(here.stream));
  };
  const bool alone = here.team.num_ranks == 1;
  std::vector<timed_calls> contenders{
      {calls, across}, {calls, plain}, {calls, copy}, {calls, kernel_copy}};
  if (alone) {
    contenders.insert(contenders.end(), {{calls, across, false}, {calls, plain, false}});
  } else {
    contenders.push_back({20, gather});
  }
  const std::vector<round_times> times = here.time_us(contenders);
  measured.across_us = median(times[0]);
  measured.plain_us = median(times[1]);
  measured.copy_us = std::min(median(times[2]), median(times[3]));
  if (alone) {
    measured.over_plain = median_quotient(times[0], times[1]);
    measured.across_in_stream_us = median(times[4]);
    measured.plain_in_stream_us = median(times[5]);
    measured.over_plain_in_stream = median_quotient(times[4], times[5]);
  } else {
    measured.gather_us = median(times[4]);
  }
  check(ranks.error());
}

void run_rank(const settings& chosen, const gpu_rank& here, std::vector<gpus_row>& rows,
              std::ostream& table) {
  std::vector<std::int64_t> sizes = chosen.sizes;
  for (int bits = 10; chosen.sizes.empty() && bits <= 31; ++bits) {
    sizes.push_back(std::int64_t{1} << bits);
  }
  const std::int64_t most = *std::max_element(sizes.begin(), sizes.end());
  const std::int64_t room = std::max(most + 64, std::int64_t{32} << 20);
  const gpu_memory in(static_cast<std::size_t>(room) * 4), out(static_cast<std::size_t>(room) * 4);
  scan::workspace space(most, 4);
  static float* whole = nullptr;  // of rank 0, read by all
  for (std::int64_t n : sizes) {
    // Made for this size: the message is as long as it has to be.
    scan::across ranks(here.comm, n, 4);
    check(ranks.error());
    const std::int64_t batch = scan::slice_multiple<float, float>(ranks);
    const bool alone = here.team.num_ranks == 1;
    if (!alone && n > batch) n = n / batch * batch;
    gpus_row measured{n, verify(here, ranks, n, in.as<float>(), out.as<float>(), whole)};
    measure(here, ranks, space, in.as<float>(), out.as<float>(), room, measured);
    if (here.rank != 0) continue;
    write_line(table, alone, measured);
    rows.push_back(measured);
  }
}

int run(const settings& chosen) {
  int num_gpus = 0;
  if (cudaGetDeviceCount(&num_gpus) != cudaSuccess) num_gpus = 0;
  if (chosen.num_gpus > num_gpus) {
    throw usage_error("--gpus: there are " + std::to_string(num_gpus) + " here");
  }
  std::ofstream file;
  if (!chosen.json.empty() && chosen.json != "-") file.open(chosen.json);
  std::ostream& table = chosen.json == "-" ? std::cerr : std::cout;
  write_heading(table, chosen.num_gpus == 1);
  gpu_team team(chosen.num_gpus);
  ncclUniqueId id;
  check(ncclGetUniqueId(&id));
  std::vector<gpus_row> rows;
  std::vector<std::thread> threads;
  for (int rank = 0; rank < chosen.num_gpus; ++rank) {
    threads.emplace_back([&, rank] {
      // A rank that fails has the others waiting: the process ends.
      const int code = exit_code("scan_bench", [&] {
        check(cudaSetDevice(rank));
        gpu_rank here{rank, nullptr, nullptr, team};
        check(ncclCommInitRank(&here.comm, chosen.num_gpus, id, rank));
        check(cudaStreamCreateWithFlags(&here.stream, cudaStreamNonBlocking));
        run_rank(chosen, here, rows, table);
        check(cudaStreamDestroy(here.stream));
        check(ncclCommDestroy(here.comm));
        return 0;
      });
      if (code != 0) std::_Exit(code);
    });
  }
  for (std::thread& thread : threads) thread.join();
  if (!chosen.json.empty())
    write_rows(chosen.json == "-" ? std::cout : file, chosen.num_gpus, rows);
  return 0;
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  return bench::exit_code("scan_bench", [&] {
    const auto chosen = bench::parse_command_line(argc, argv);
    if (!chosen) return 0;
    if (chosen->num_gpus == 0) throw bench::usage_error("this program is --gpus: call scan_bench");
    return bench::run(*chosen);
  });
}
