// Calls on tensors as parts of programs: capture in graphs and replay, workspaces that have served
// others, errors of the caller's that are pending. Skipped, with exit code 77, where there is no
// GPU.
#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "scan/scan.hpp"
#include "tests/support/call_checks.hpp"
#include "tests/support/guarded.hpp"
#include "tests/support/run_tests.hpp"
#include "tests/tensors/tensor_reference.hpp"

namespace {

using scan::extents;
using tests::cuda_check;
using tests::device_memory;
using tests::graph;

/// Of a tensor here.
constexpr std::int64_t most_elements = 9'000'000;

/// Shapes of every way to cut a tensor.
const std::vector<extents>& shapes() {
  static const std::vector<extents> all = {
      {1, 1000, 1, 0, 0},    {5, 3, 1, 0, 0},       {3000, 100, 1, 0, 0}, {40, 20001, 1, 21000, 0},
      {3, 300001, 1, 0, 0},  {2, 4400001, 1, 0, 0}, {1, 20000, 3, 0, 0},  {50, 500, 7, 0, 3501},
      {1, 100000, 32, 0, 0}, {3, 1000, 1000, 0, 0}, {1, 7, 70001, 0, 0},  {200, 9, 100, 0, 0}};
  return all;
}

/// A sum or a recurrence of float with small integers, in device memory.
class walk {
 public:
  walk(const extents& shape, bool recurrence) : recurrence_(recurrence) {
    c_.shape = shape;
    c_.with_total = true;
    factors_of_host_ = tests::random_items<float>(c_.in_span(), 3);
    for (float& factor : factors_of_host_) factor = factor < 0 ? -1.0f : 1.0f;
    upload(factors_, factors_of_host_);
  }

  /// Other elements, whose results are then expected; outputs are cleared.
  void refill(std::uint64_t seed) {
    const std::vector<float> items = tests::random_items<float>(c_.in_span(), seed);
    upload(in_, items);
    cuda_check(cudaMemset(out_.as<void>(), 0xEE, bytes(c_.out_span())));
    cuda_check(cudaMemset(totals_.as<void>(), 0xEE, bytes(c_.num_sequences())));
    cuda_check(cudaDeviceSynchronize());
    expected_.assign(static_cast<std::size_t>(c_.out_span()), 0);
    std::memset(expected_.data(), 0xEE, bytes(c_.out_span()));
    expected_totals_.assign(static_cast<std::size_t>(c_.num_sequences()), 0);
    if (recurrence_) {
      tests::recur_serially(c_, factors_of_host_.data(), items.data(), expected_.data(), {},
                            expected_totals_.data());
    } else {
      tests::scan_tensor_serially(c_, items.data(), expected_.data(), {}, expected_totals_.data(),
                                  scan::plus{});
    }
  }
  scan::status call(cudaStream_t stream, scan::workspace* space) const {
    scan::options<float> opts;
    opts.stream = stream;
    opts.workspace = space;
    opts.total = totals_.as<float>();
    return recurrence_
               ? scan::recurrence(factors_.as<float>(), in_.as<float>(), out_.as<float>(), c_.shape,
                                  opts)
               : scan::inclusive(in_.as<float>(), out_.as<float>(), c_.shape, scan::plus{}, opts);
  }
  bool right() const { return same(out_, expected_) && same(totals_, expected_totals_); }
  /// Neither outputs nor totals have been written.
  bool untouched() const {
    const std::vector<float> image(expected_.size(), untouched_float());
    const std::vector<float> totals(expected_totals_.size(), untouched_float());
    return same(out_, image) && same(totals_, totals);
  }
  std::string describe() const { return (recurrence_ ? "recurrence " : "sum ") + c_.describe(); }
  std::int64_t num_elements() const { return c_.shape.outer * c_.shape.length * c_.shape.inner; }

 private:
  static float untouched_float() {
    float value = 0;
    std::memset(&value, 0xEE, sizeof(value));
    return value;
  }
  static std::size_t bytes(std::int64_t count) {
    return static_cast<std::size_t>(count) * sizeof(float);
  }
  static void upload(const device_memory& to, const std::vector<float>& from) {
    cuda_check(cudaMemcpy(to.as<void>(), from.data(), from.size() * sizeof(float),
                          cudaMemcpyHostToDevice));
  }
  static bool same(const device_memory& actual, const std::vector<float>& expected) {
    std::vector<float> items(expected.size());
    cuda_check(cudaMemcpy(items.data(), actual.as<void>(), items.size() * sizeof(float),
                          cudaMemcpyDeviceToHost));
    return std::memcmp(items.data(), expected.data(), items.size() * sizeof(float)) == 0;
  }

  bool recurrence_;
  tests::tensor_case c_;
  device_memory in_{bytes(most_elements)}, factors_{bytes(most_elements)},
      out_{bytes(most_elements)}, totals_{bytes(most_elements)};
  std::vector<float> factors_of_host_, expected_, expected_totals_;
};

}  // namespace

TEST_SUITE("tensor calls") {
  TEST_CASE("captured in a graph and replayed with other data, with a workspace and without") {
    const tests::stream stream;
    scan::workspace space(tests::roomy_items, 16);
    REQUIRE(space.error().ok());
    for (const extents& shape : shapes()) {
      for (const bool recurrence : {false, true}) {
        walk some(shape, recurrence);
        INFO(some.describe());
        for (scan::workspace* use : {&space, static_cast<scan::workspace*>(nullptr)}) {
          const graph captured(stream, [&] { return some.call(stream, use); });
          for (std::uint64_t replay = 1; replay <= 2; ++replay) {
            some.refill(replay);
            captured.replay(stream);
            stream.wait();
            CHECK(some.right());
          }
        }
      }
    }
  }

  TEST_CASE("one workspace for calls of every shape, one after another, beside single sequences") {
    const tests::stream stream;
    scan::workspace space(tests::roomy_items, 16);
    const tests::ones single(3'000'000);
    for (const extents& shape : shapes()) {
      walk sum(shape, false), recurrence(shape, true);
      INFO(sum.describe());
      sum.refill(5);
      recurrence.refill(6);
      CHECK(sum.call(stream, &space).ok());
      CHECK(single.scan(scan::algorithm::look_back, stream, &space).ok());
      CHECK(recurrence.call(stream, &space).ok());
      CHECK(single.scan(scan::algorithm::automatic, stream, &space).ok());
      stream.wait();
      CHECK(sum.right());
      CHECK(recurrence.right());
      CHECK(single.right());
    }
  }

  TEST_CASE(
      "a workspace for the extents is large enough; one that is not leaves the output alone") {
    const tests::stream stream;
    scan::workspace small(100);
    for (const extents& shape : shapes()) {
      for (const bool recurrence : {false, true}) {
        walk some(shape, recurrence);
        INFO(some.describe());
        scan::workspace just(shape, 4), for_more({2 * shape.outer, shape.length, shape.inner}, 8);
        for (scan::workspace* space : {&just, &for_more, &small}) {
          some.refill(7);
          const scan::status status = some.call(stream, space);
          stream.wait();
          if (status.ok()) {
            CHECK(some.right());
          } else {
            CHECK(space == &small);
            CHECK(status == cudaErrorInvalidValue);
            CHECK(std::string(status.message()).find("too small") != std::string::npos);
            CHECK(some.untouched());
          }
        }
      }
    }
  }

  TEST_CASE("the caller's pending error survives, and none is left where none was") {
    for (const extents& shape : shapes()) {
      for (const bool recurrence : {false, true}) {
        walk some(shape, recurrence);
        INFO(some.describe());
        some.refill(9);
        CHECK(some.call(nullptr, nullptr).ok());
        CHECK(cudaPeekAtLastError() == cudaSuccess);
        tests::leave_pending();
        CHECK(some.call(nullptr, nullptr).ok());
        CHECK(cudaGetLastError() == tests::the_callers);
        CHECK(some.right());
      }
    }
  }
}

int main(int argc, char** argv) { return tests::run_device_tests(argc, argv); }
