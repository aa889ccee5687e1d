// Launch plans, and what is kept of a device: plain numbers, no GPU.
#include <doctest/doctest.h>

#include <thread>
#include <vector>

#include "scan/device/launch/device_limits.hpp"
#include "scan/device/plan/sequence_plan.hpp"

namespace {

using scan::algorithm;
using scan::device::device_limits;
using scan::device::launch_plan;
using scan::device::plan_for;

constexpr algorithm kernels[] = {algorithm::automatic, algorithm::wave, algorithm::look_back,
                                 algorithm::ring};

device_limits hopper() { return {0, 132, 227 * 1024, true}; }

}  // namespace

TEST_SUITE("launch plan") {
  TEST_CASE("tiles cover the items, and a shape has the threads that scan it") {
    for (const int bytes : {1, 2, 4, 8, 16}) {
      for (const std::int64_t n : {1, 100, 8192, 8193, 65536, 65537, 1000003, 40000000}) {
        for (const algorithm wanted : kernels) {
          const launch_plan plan = plan_for(n, bytes, wanted, hopper());
          INFO(n, " of ", bytes, " bytes by ", static_cast<int>(wanted));
          CHECK(plan.kernel != algorithm::automatic);
          CHECK((wanted == algorithm::automatic || plan.kernel == wanted));
          CHECK(plan.num_tiles * plan.tile_items >= n);
          CHECK((plan.num_tiles - 1) * plan.tile_items < n);
          CHECK(plan.tile.tile_items() >= plan.tile_items);
          CHECK(plan.threads_per_block >= plan.tile.threads_per_block);
          CHECK(plan.threads_per_block <= 1024);
          CHECK((plan.states_bytes == 0) == plan.in_cluster);
        }
      }
    }
  }

  TEST_CASE("only the wave asks for a cluster, so look_back needs one free multiprocessor") {
    for (std::int64_t n = 1; n < 100000; n += 37) {
      CHECK_FALSE(plan_for(n, 4, algorithm::look_back, hopper()).in_cluster);
      CHECK_FALSE(plan_for(n, 4, algorithm::ring, hopper()).in_cluster);
    }
    CHECK(plan_for(20000, 4, algorithm::automatic, hopper()).in_cluster);
    CHECK_FALSE(plan_for(20000, 4, algorithm::automatic, device_limits{}).in_cluster);
  }

  TEST_CASE("no ring where the device has none, and none of few elements") {
    const std::int64_t large = 100'000'000;
    CHECK(plan_for(large, 4, algorithm::automatic, hopper()).kernel == algorithm::ring);
    CHECK(plan_for(large, 4, algorithm::automatic, {0, 80, 0, true}).kernel ==
          algorithm::look_back);
    CHECK(plan_for(0, 4, algorithm::ring, hopper()).kernel == algorithm::wave);
  }

  TEST_CASE("no plan has more states than a workspace is sized for, which never shrinks") {
    for (const int bytes : {1, 2, 3, 4, 8, 12, 16, 17, 32, 64}) {
      std::size_t before = 0;
      for (std::int64_t n = 0; n < 50'000'000; n += n < 3000 ? 1 : n / 97 + 1) {
        INFO(n, " of ", bytes, " bytes");
        const std::size_t most = scan::device::most_states_bytes(n, bytes);
        REQUIRE(most >= before);
        before = most;
        for (const algorithm wanted : kernels) {
          for (const device_limits& limits : {hopper(), device_limits{}}) {
            REQUIRE(plan_for(n, bytes, wanted, limits).states_bytes <= most);
          }
        }
      }
    }
  }
}

TEST_SUITE("device answers") {
  TEST_CASE("an answer is kept, a failure is not") {
    scan::device::device_answers<int> answers;
    int times = 0, value = -1;
    const auto fails = [&](int&) {
      ++times;
      return cudaErrorMemoryAllocation;
    };
    const auto answers_seven = [&](int& answer) {
      ++times;
      answer = 7;
      return cudaSuccess;
    };
    for (const int device : {0, 5, 1000}) {  // of the last one nothing is kept
      times = 0;
      CHECK(answers.get(device, value, fails) == cudaErrorMemoryAllocation);
      CHECK(answers.get(device, value, fails) == cudaErrorMemoryAllocation);
      CHECK(times == 2);
      CHECK(answers.get(device, value, answers_seven) == cudaSuccess);
      CHECK(value == 7);
      CHECK(times == 3);
      value = -1;
      CHECK(answers.get(device, value, answers_seven) == cudaSuccess);
      CHECK(value == 7);
      CHECK(times == (device == 1000 ? 4 : 3));
      answers.forget(device);
      CHECK(answers.get(device, value, fails) == cudaErrorMemoryAllocation);
    }
  }

  TEST_CASE("zero is an answer") {
    scan::device::device_answers<int> answers;
    int times = 0, value = -1;
    for (int i = 0; i < 3; ++i) {
      CHECK(answers.get(0, value, [&](int& answer) {
        ++times;
        answer = 0;
        return cudaSuccess;
      }) == cudaSuccess);
      CHECK(value == 0);
    }
    CHECK(times == 1);
  }

  TEST_CASE("threads that ask at once are told the same") {
    scan::device::device_answers<int> answers;
    std::vector<int> told(8, -1);
    {
      std::vector<std::jthread> threads;
      for (int& mine : told) {
        threads.emplace_back([&] {
          static_cast<void>(answers.get(0, mine, [](int& answer) {
            std::this_thread::yield();
            answer = 5;
            return cudaSuccess;
          }));
        });
      }
    }
    CHECK(told == std::vector<int>(8, 5));
  }
}
