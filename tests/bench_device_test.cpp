// The judge of the suites' data on the GPU finds what is wrong, and where.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "bench/suites/device_data.hpp"
#include "bench/suites/scans.hpp"
#include "tests/device_memory.hpp"

namespace {

constexpr std::int64_t num_items = 100'003;

template <class Scan>
std::vector<typename Scan::In> input_of(std::size_t index) {
  std::vector<typename Scan::In> in(num_items);
  const std::size_t num_bytes = in.size() * sizeof(in[0]);
  const tests::device_memory d_in(num_bytes);
  tests::cuda_check(bench::fill_input(index, d_in.as<void>(), num_items, nullptr));
  tests::cuda_check(cudaMemcpy(in.data(), d_in.as<void>(), num_bytes, cudaMemcpyDeviceToHost));
  return in;
}

/// The scan as a serial loop.
template <class Scan>
std::vector<typename Scan::Out> scan_of_input(std::size_t index, bool exclusive) {
  using Acc = typename Scan::Acc;
  using Op = typename Scan::Op;
  std::vector<typename Scan::Out> out;
  Acc sum{};
  if constexpr (scan::has_identity<Op, Acc>) sum = Op::template identity<Acc>();
  for (const typename Scan::In& element : input_of<Scan>(index)) {
    const Acc before = sum;
    const bool first = out.empty() && !exclusive;
    sum = first ? scan::convert<Acc>(element) : Op{}(before, scan::convert<Acc>(element));
    out.push_back(scan::convert<typename Scan::Out>(exclusive ? before : sum));
  }
  return out;
}

/// What the judge says: the index of the first wrong element, -1 if there is none.
std::int64_t judge(const auto& check) {
  const tests::device_memory found(sizeof(unsigned long long));
  tests::cuda_check(cudaMemset(found.as<void>(), 0xff, sizeof(unsigned long long)));
  tests::cuda_check(check(found.as<unsigned long long>()));
  std::int64_t index = 0;
  tests::cuda_check(cudaMemcpy(&index, found.as<void>(), sizeof(index), cudaMemcpyDeviceToHost));
  return index;
}

template <class T>
std::int64_t first_wrong(std::size_t index, const std::vector<T>& out, bool exclusive) {
  const tests::device_memory d_out(out.size() * sizeof(T));
  tests::cuda_check(
      cudaMemcpy(d_out.as<void>(), out.data(), out.size() * sizeof(T), cudaMemcpyHostToDevice));
  return judge([&](unsigned long long* found) {
    return bench::check_output(index, d_out.as<void>(), num_items, exclusive, found, nullptr);
  });
}

/// Changes a bit that matters in every type: not the sign of a zero.
template <class T>
void corrupt(T& element) {
  reinterpret_cast<unsigned char*>(&element)[sizeof(T) - 1] ^= 0x04;
}

template <class Scan>
void check_judge(std::size_t index, bool exclusive) {
  const auto right = scan_of_input<Scan>(index, exclusive);
  CHECK_MESSAGE(first_wrong(index, right, exclusive) == -1, "a right scan is right");
  for (const std::size_t at : {std::size_t{0}, right.size() / 2, right.size() - 1}) {
    auto wrong = right;
    corrupt(wrong[at]);
    CHECK_MESSAGE(first_wrong(index, wrong, exclusive) == static_cast<std::int64_t>(at),
                  "a wrong element is found, where it is");
  }
  CHECK_MESSAGE(first_wrong(index, std::vector(right.size(), right[0]), exclusive) > 0,
                "outputs are not constant");
}

}  // namespace

TEST_SUITE("bench") {
  TEST_CASE("a scan of the suites' data is judged, element by element") {
    for (std::size_t index = 0; index < std::tuple_size_v<bench::scans>; ++index) {
      bench::with_scan<bench::scans>(index, [&](auto of) {
        using Scan = decltype(of);
        CAPTURE(index);
        check_judge<Scan>(index, false);
        if constexpr (scan::has_identity<typename Scan::Op, typename Scan::Acc>) {
          check_judge<Scan>(index, true);
        }
      });
    }
  }

  TEST_CASE("a copy is judged, byte by byte") {
    for (const std::int64_t num_bytes : {1, 16, 100'003}) {
      const tests::device_memory in(num_bytes), out(num_bytes);
      const auto wrong = [&] {
        return judge([&](unsigned long long* found) {
          return bench::check_copy(in.as<void>(), out.as<void>(), num_bytes, found, nullptr);
        });
      };
      tests::cuda_check(cudaMemset(in.as<void>(), 1, num_bytes));
      tests::cuda_check(cudaMemset(out.as<void>(), 1, num_bytes));
      CHECK(wrong() == -1);
      for (const std::int64_t at : {num_bytes - 1, num_bytes / 2}) {
        tests::cuda_check(cudaMemset(out.as<char>() + at, 2, 1));
        CHECK(wrong() == at);
      }
    }
  }
}

int main(int argc, char** argv) {
  if (!tests::gpu_present()) {
    std::puts("skipped: no CUDA device");
    return 77;
  }
  return doctest::Context(argc, argv).run();
}
