// Scans of tensors in host memory by several threads: apart, for ThreadSanitizer.
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <vector>

#include "tests/tensors/tensor_host_check.hpp"

namespace {

using tests::check;
using tests::sequence_init;
using tests::tensor_case;

/// Throws when it meets a thirteen.
struct superstitious {
  int operator()(int earlier, int later) const {
    if (later == 13) throw std::runtime_error("thirteen");
    return earlier + later;
  }
};

/// Counts the threads of a call, each once.
std::atomic<int> num_threads_seen{0};
std::atomic<int> call_number{0};
struct counting_plus {
  double operator()(double earlier, double later) const {
    thread_local int last_call = 0;
    if (last_call != call_number) ++num_threads_seen;
    last_call = call_number;
    return earlier + later;
  }
};

}  // namespace

TEST_SUITE("host") {
  TEST_CASE("tensors: several threads, many rows, few rows, wide and narrow columns") {
    const scan::extents large[] = {{60000, 7, 1, 0, 0},  {3000, 100, 1, 0, 0}, {7, 60001, 1, 0, 0},
                                   {2, 400001, 1, 0, 0}, {1, 1500, 300, 0, 0}, {3, 30000, 5, 0, 0},
                                   {9000, 5, 9, 0, 0},   {1, 2, 250000, 0, 0}};
    for (const scan::extents& shape : large) {
      for (const int threads : {1, 2, 5}) {
        for (const bool in_place : {false, true}) {
          tensor_case c{{}, shape};
          c.in_place = in_place;
          c.exclusive = threads == 2;
          c.reverse = threads == 5;
          c.with_total = true;
          c.init = in_place ? sequence_init::by_pointer : sequence_init::none;
          check<std::int32_t>(c, threads);
          check<float>(c, threads);
          if (!in_place) check<__half, float>(c, threads, scan::maximum{});
        }
      }
    }
  }

  TEST_CASE("tensors: threads do come") {
    std::vector<double> in(2'000'000, 1), out(in.size());
    for (const scan::extents& shape :
         {scan::extents{200'000, 10, 1, 0, 0}, scan::extents{1, 2000, 1000, 0, 0},
          scan::extents{20, 50'000, 2, 0, 0}}) {
      CAPTURE(shape.outer);
      bool several = false;
      // On a machine with other work to do it may take a while.
      const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(30);
      while (!several && std::chrono::steady_clock::now() < until) {
        ++call_number;
        num_threads_seen = 0;
        REQUIRE(scan::inclusive(scan::host, in.data(), out.data(), shape, counting_plus{}, {{}, 4})
                    .ok());
        several = num_threads_seen > 1;
      }
      CHECK(several);
      CHECK(out.back() == static_cast<double>(shape.length));
    }
  }

  TEST_CASE("tensors: what an operator throws reaches the caller, and the threads work on") {
    for (const scan::extents& shape :
         {scan::extents{100'000, 7, 1, 0, 0}, scan::extents{1, 1000, 700, 0, 0}}) {
      std::vector<int> items(700'000, 1), out(items.size());
      for (const int threads : {1, 5}) {
        for (const std::size_t at : {std::size_t{701}, items.size() / 2 + 1, items.size() - 1}) {
          items[at] = 13;
          CHECK_THROWS_WITH_AS(
              static_cast<void>(scan::inclusive(scan::host, items.data(), out.data(), shape,
                                                superstitious{}, {{}, threads})),
              "thirteen", std::runtime_error);
          items[at] = 1;
          CHECK(scan::inclusive(scan::host, items.data(), out.data(), shape, superstitious{},
                                {{}, threads})
                    .ok());
          CHECK(out.back() == shape.length);
        }
      }
    }
    const float* in = nullptr;
    float* out = nullptr;
    static_assert(noexcept(scan::inclusive(scan::host, in, out, scan::extents{})));
    static_assert(!noexcept(
        scan::inclusive(scan::host, in, out, scan::extents{}, [](float a, float) { return a; })));
  }
}
