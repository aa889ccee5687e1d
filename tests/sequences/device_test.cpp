// Scans in device memory. Skipped, with exit code 77, where there is no GPU.
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <thread>

#include "scan/device/plan/tuning.hpp"
#include "scan/protocol/tile_states.hpp"
#include "scan/scan.hpp"
#include "tests/matrices/matrix.hpp"
#include "tests/support/cases.hpp"
#include "tests/support/device_memory.hpp"
#include "tests/support/guarded.hpp"
#include "tests/support/plan_switches.hpp"
#include "tests/support/run_tests.hpp"

namespace {

using tests::cuda_check;
using tests::device_memory;

template <class T>
constexpr std::int64_t tile_items = scan::device::tuning_for(sizeof(T)).tile_items();

/// Sums of `n` random elements, checked on the device; the number of wrong elements.
template <class T>
unsigned long long wrong_sums(std::int64_t n, scan::workspace* space,
                              scan::algorithm algorithm = scan::algorithm::automatic) {
  const device_memory in(static_cast<std::size_t>(n) * sizeof(T));
  const device_memory out(static_cast<std::size_t>(n) * sizeof(T));
  const device_memory wrong(sizeof(unsigned long long));
  cuda_check(cudaMemset(wrong.as<void>(), 0, sizeof(unsigned long long)));
  tests::fill_random(in.as<T>(), n, 11, nullptr);
  scan::options<T> opts;
  opts.workspace = space;
  opts.algorithm = algorithm;
  REQUIRE(scan::inclusive(in.as<T>(), out.as<T>(), n, scan::plus{}, opts).ok());
  tests::count_wrong_sums(in.as<T>(), out.as<T>(), n, false, wrong.as<unsigned long long>(),
                          nullptr);
  unsigned long long result = 0;
  cuda_check(cudaMemcpy(&result, wrong.as<void>(), sizeof(result), cudaMemcpyDeviceToHost));
  return result;
}

template <class T>
std::vector<T> download(const T* from, std::int64_t n) {
  std::vector<T> items(static_cast<std::size_t>(n));
  cuda_check(cudaMemcpy(items.data(), from, items.size() * sizeof(T), cudaMemcpyDeviceToHost));
  return items;
}

}  // namespace

TEST_SUITE("device") {
  TEST_CASE("the check that runs on the device finds one wrong element") {
    const std::int64_t n = 5000;
    const device_memory in(n * 4), out(n * 4), wrong(8);
    tests::fill_random(in.as<std::uint32_t>(), n, 1, nullptr);
    REQUIRE(scan::inclusive(in.as<std::uint32_t>(), out.as<std::uint32_t>(), n).ok());
    cuda_check(cudaMemset(out.as<char>(4 * 4321), 0x77, 1));
    cuda_check(cudaMemset(wrong.as<void>(), 0, 8));
    tests::count_wrong_sums(in.as<std::uint32_t>(), out.as<std::uint32_t>(), n, false,
                            wrong.as<unsigned long long>(), nullptr);
    CHECK(download(wrong.as<unsigned long long>(), 1)[0] == 2);  // it and its successor
  }

  TEST_CASE("every pair of alignments, of every type") {
    tests::device_checker device(std::size_t{1} << 20);
    scan::workspace space(1 << 20, 8, tests::hungriest(1 << 20, 8));
    std::uint64_t seed = 1;
    for (const tests::matrix_row& row : tests::matrix()) {
      if (!row.prebuilt || row.name.find("plus") == std::string::npos) continue;
      for (std::int64_t i = 0; i < 17; ++i) {
        for (const bool reverse : {false, true}) {
          for (const scan::algorithm algorithm : tests::algorithms_here()) {
            const std::int64_t n =
                tests::first_of_tiles(3, row.widest(), tests::limits_here(), 1 << 20, algorithm) +
                76;
            tests::single_case c;
            c.n = n;
            c.exclusive = (i & 1) != 0;
            c.reverse = reverse;
            c.in_offset = i;
            c.out_offset = (i * 5 + 3) % 17;
            c.algorithm = algorithm;
            REQUIRE(device.check(row, c, ++seed, nullptr, &space) == "");
            c.in_place = row.can_be_in_place();
            REQUIRE(device.check(row, c, ++seed, nullptr, &space) == "");
            if (!row.with_baselines) continue;
            c.algorithm = tests::baseline_of_turn(seed);
            REQUIRE(device.check(row, c, seed, nullptr, &space) == "");
          }
        }
      }
    }
  }

  TEST_CASE("floats: the same bits every time, with every workspace history") {
    const std::int64_t n = 700 * tile_items<float> + 5;
    const device_memory raw(static_cast<std::size_t>(n) * 4), in(static_cast<std::size_t>(n) * 4),
        out(static_cast<std::size_t>(n) * 4);
    tests::fill_random(raw.as<std::uint32_t>(), n, 3, nullptr);
    auto words = download(raw.as<std::uint32_t>(), n);
    std::vector<float> items(words.size());
    for (std::size_t i = 0; i < items.size(); ++i)
      items[i] = static_cast<float>(words[i]) * 0x1p-32f;
    cuda_check(cudaMemcpy(in.as<void>(), items.data(), items.size() * 4, cudaMemcpyHostToDevice));
    std::vector<float> first;
    for (int round = 0; round < 20; ++round) {
      scan::workspace space(n);
      scan::workspace* const use = round % 3 == 0 ? nullptr : &space;
      REQUIRE(scan::inclusive(in.as<float>(), out.as<float>(), n, scan::plus{}, {{}, nullptr, use})
                  .ok());
      const auto result = download(out.as<float>(), n);
      if (round == 0) first = result;
      REQUIRE(tests::first_difference(result.data(), first) == -1);
    }
    double exact = 0, worst = 0;
    for (std::size_t i = 0; i < items.size(); ++i) {
      exact += items[i];
      worst = std::max(worst, std::abs(first[i] - exact) / exact);
    }
    CHECK(worst < 1e-4);
    CHECK(worst > 0);
  }

  TEST_CASE("captured in a graph and replayed, with and without a workspace") {
    const std::int64_t n = 100 * tile_items<std::uint32_t> + 3;
    const device_memory in(static_cast<std::size_t>(n) * 4), out(static_cast<std::size_t>(n) * 4),
        wrong(8);
    cuda_check(cudaMemset(wrong.as<void>(), 0, 8));
    scan::workspace space(n);
    for (scan::workspace* use : {&space, static_cast<scan::workspace*>(nullptr)}) {
      const tests::stream stream;
      cudaGraph_t graph = nullptr;
      cudaGraphExec_t exec = nullptr;
      cuda_check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
      for (int i = 0; i < 3; ++i) {
        REQUIRE(scan::inclusive(in.as<std::uint32_t>(), out.as<std::uint32_t>(), n, scan::plus{},
                                {{}, stream, use})
                    .ok());
      }
      cuda_check(cudaStreamEndCapture(stream, &graph));
      cuda_check(cudaGraphInstantiate(&exec, graph, 0));
      for (int replay = 0; replay < 10; ++replay) {
        tests::fill_random(in.as<std::uint32_t>(), n, static_cast<std::uint64_t>(replay), stream);
        cuda_check(cudaMemsetAsync(out.as<void>(), 0xEE, static_cast<std::size_t>(n) * 4, stream));
        cuda_check(cudaGraphLaunch(exec, stream));
        tests::count_wrong_sums(in.as<std::uint32_t>(), out.as<std::uint32_t>(), n, false,
                                wrong.as<unsigned long long>(), stream);
      }
      stream.wait();
      cuda_check(cudaGraphExecDestroy(exec));
      cuda_check(cudaGraphDestroy(graph));
    }
    CHECK(download(wrong.as<unsigned long long>(), 1)[0] == 0);
  }

  TEST_CASE("chunks chained through total and init_pointer, in a graph, are one scan") {
    const std::int64_t chunk = 3 * tile_items<std::uint32_t> + 11;
    const int num_chunks = 7;
    const std::int64_t n = num_chunks * chunk;
    const device_memory in(static_cast<std::size_t>(n) * 4), out(static_cast<std::size_t>(n) * 4),
        totals(8), wrong(8);
    cuda_check(cudaMemset(wrong.as<void>(), 0, 8));
    scan::workspace space(chunk);
    const tests::stream stream;
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;
    cuda_check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    for (int i = 0; i < num_chunks; ++i) {
      const auto slot = static_cast<std::size_t>(i % 2);
      scan::options<std::uint32_t> options{{}, stream, &space};
      if (i > 0) options.init_pointer = totals.as<std::uint32_t>() + (1 - slot);
      options.total = totals.as<std::uint32_t>() + slot;
      REQUIRE(scan::inclusive(in.as<std::uint32_t>() + i * chunk,
                              out.as<std::uint32_t>() + i * chunk, chunk, scan::plus{}, options)
                  .ok());
    }
    cuda_check(cudaStreamEndCapture(stream, &graph));
    cuda_check(cudaGraphInstantiate(&exec, graph, 0));
    for (std::uint64_t replay = 0; replay < 5; ++replay) {
      tests::fill_random(in.as<std::uint32_t>(), n, replay, stream);
      cuda_check(cudaGraphLaunch(exec, stream));
      tests::count_wrong_sums(in.as<std::uint32_t>(), out.as<std::uint32_t>(), n, false,
                              wrong.as<unsigned long long>(), stream);
    }
    stream.wait();
    CHECK(download(wrong.as<unsigned long long>(), 1)[0] == 0);
    const std::uint32_t last = download(out.as<std::uint32_t>(), n).back();
    CHECK(download(totals.as<std::uint32_t>(), 2)[(num_chunks - 1) % 2] == last);
    cuda_check(cudaGraphExecDestroy(exec));
    cuda_check(cudaGraphDestroy(graph));
  }

  TEST_CASE("epochs start over in the middle of large and small scans") {
    const std::int64_t large = 200 * tile_items<std::uint32_t>,
                       small = tests::state_edges(4, tests::limits_here())[1] + 1000;
    scan::workspace space(large);
    auto* header = static_cast<scan::tile_states_header*>(space.states());
    for (std::uint64_t turn = 0; turn < 4; ++turn) {
      const scan::algorithm algorithm = tests::algorithm_of_turn(turn);
      for (int i = 0; i < 4; ++i) {
        REQUIRE(wrong_sums<std::uint32_t>(large, &space, algorithm) == 0);
      }
      const std::uint64_t completed = scan::tile_states<std::uint32_t>::last_epoch - 3;
      std::uint64_t tickets = completed << 32;
      cuda_check(cudaMemcpy(&header->tickets, &tickets, 8, cudaMemcpyHostToDevice));
      for (int i = 0; i < 12; ++i) {
        REQUIRE(wrong_sums<std::uint32_t>(i % 5 == 4 ? large : small, &space, algorithm) == 0);
      }
      cuda_check(cudaMemcpy(&tickets, &header->tickets, 8, cudaMemcpyDeviceToHost));
      CHECK(tickets == std::uint64_t{12 - 3} << 32);
    }
  }

  TEST_CASE("a pending error of the caller is neither swallowed nor ours") {
    const std::int64_t n = 3 * tile_items<std::uint32_t>;
    scan::workspace space(n);
    const device_memory in(static_cast<std::size_t>(n) * 4), out(static_cast<std::size_t>(n) * 4);
    tests::fill_random(in.as<std::uint32_t>(), n, 1, nullptr);
    // The one API error that memcheck sees in this suite.
    CHECK(cudaMemcpy(nullptr, nullptr, 4, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
    CHECK(
        scan::inclusive(in.as<int>(), out.as<int>(), n, scan::plus{}, {{}, nullptr, &space}).ok());
    CHECK(scan::inclusive(in.as<int>(), out.as<int>(), 5).ok());
    CHECK(cudaGetLastError() == cudaErrorInvalidValue);
    cuda_check(cudaDeviceSynchronize());
  }

  TEST_CASE("an undersized workspace, and a small one for a small scan") {
    const std::int64_t n = 4000 * tile_items<std::uint32_t>;  // (64 KiB are held at least)
    scan::workspace space(n / 100);
    const device_memory in(static_cast<std::size_t>(n) * 4), out(static_cast<std::size_t>(n) * 4);
    tests::fill_random(in.as<std::uint32_t>(), n, 1, nullptr);
    cuda_check(cudaMemset(out.as<void>(), tests::poison_value, static_cast<std::size_t>(n) * 4));
    const scan::status result =
        scan::inclusive(in.as<int>(), out.as<int>(), n, scan::plus{}, {{}, nullptr, &space});
    CHECK(result == cudaErrorInvalidValue);
    CHECK(std::string(result.message()).find("options.workspace is too small") !=
          std::string::npos);
    for (const std::uint8_t byte : download(out.as<std::uint8_t>(), n * 4)) {
      REQUIRE(byte == tests::poison_value);
    }
    scan::workspace none(0);
    CHECK(none.error().ok());
    CHECK(scan::inclusive(in.as<int>(), out.as<int>(), 9, scan::plus{}, {{}, nullptr, &none}).ok());
    cuda_check(cudaDeviceSynchronize());
  }

  TEST_CASE("more than the wave takes is refused, and nothing is touched") {
    const device_memory data(64);
    cuda_check(cudaMemset(data.as<void>(), tests::poison_value, 64));
    scan::options<std::uint8_t> opts{};
    opts.algorithm = scan::algorithm::wave;
    const std::int64_t n = std::int64_t{16} << 30;  // in vectors of 16
    const scan::status result =
        scan::inclusive(data.as<std::uint8_t>(), data.as<std::uint8_t>(), n, scan::plus{}, opts);
    CHECK(result == cudaErrorInvalidValue);
    CHECK(std::string(result.message()).find("options.algorithm") != std::string::npos);
    for (const std::uint8_t byte : download(data.as<std::uint8_t>(), 64)) {
      REQUIRE(byte == tests::poison_value);
    }
  }

  TEST_CASE("host threads, each with its stream and workspace") {
    std::vector<std::jthread> callers;
    std::array<unsigned long long, 6> wrong;
    wrong.fill(1);
    for (std::size_t caller = 0; caller < wrong.size(); ++caller) {
      callers.emplace_back([&wrong, caller] {
        const std::int64_t n = 40 * tile_items<std::uint64_t> + static_cast<std::int64_t>(caller);
        const auto bytes = static_cast<std::size_t>(n) * 8;
        const device_memory in(bytes), out(bytes), count(8);
        const tests::stream stream;
        scan::workspace space(n);
        cuda_check(cudaMemsetAsync(count.as<void>(), 0, 8, stream));
        tests::fill_random(in.as<std::uint64_t>(), n, caller, stream);
        bool ok = true;
        for (int round = 0; round < 50; ++round) {
          ok = ok && scan::exclusive(in.as<std::uint64_t>(), out.as<std::uint64_t>(), n,
                                     scan::plus{}, {{}, stream, round % 2 == 0 ? &space : nullptr})
                         .ok();
          tests::count_wrong_sums(in.as<std::uint64_t>(), out.as<std::uint64_t>(), n, true,
                                  count.as<unsigned long long>(), stream);
        }
        stream.wait();
        if (ok) wrong[caller] = download(count.as<unsigned long long>(), 1)[0];
      });
    }
    callers.clear();
    CHECK(wrong == std::array<unsigned long long, 6>{});
  }

  TEST_CASE("more than 2^32 elements") {
    const std::int64_t n = (std::int64_t{1} << 32) + 17;
    std::size_t free_bytes = 0, total_bytes = 0;
    cuda_check(cudaMemGetInfo(&free_bytes, &total_bytes));
    if (free_bytes < 2 * static_cast<std::size_t>(n) + (std::size_t{1} << 28)) {
      MESSAGE("skipped: needs 8.3 GiB of free device memory");
      return;
    }
    scan::workspace space(n, 1);
    CHECK(wrong_sums<std::uint8_t>(n, &space) == 0);
    CHECK(wrong_sums<std::uint8_t>(n, nullptr) == 0);
    if (free_bytes > 9 * static_cast<std::size_t>(n)) {
      scan::workspace wide(n, 4);
      CHECK(wrong_sums<std::uint32_t>(n, &wide) == 0);
    }
  }
}

int main(int argc, char** argv) { return tests::run_device_tests(argc, argv); }
