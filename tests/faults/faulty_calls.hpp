// Calls of every kind for tests of what goes wrong, on the device or on a made-up one
// (faulty_cuda.hpp), whose outputs nobody looks at.
#ifndef SCAN_TESTS_FAULTY_CALLS_HPP
#define SCAN_TESTS_FAULTY_CALLS_HPP

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "scan/scan.hpp"
#include "tests/faults/faulty_cuda.hpp"

namespace tests {

inline void cuda_check(cudaError_t code) { REQUIRE(code == cudaSuccess); }

/// Ones and their sums, on the device if there is one, and offsets of segments of `length` of them.
class data {
 public:
  explicit data(std::int64_t n, std::int64_t length = 0) : n_(n) {
    if (cuda_calls.is_made_up) return;
    const std::vector<std::int32_t> ones(static_cast<std::size_t>(n), 1);
    std::vector<std::int32_t> offsets{0};
    while (length > 0 && offsets.back() < n) {
      offsets.push_back(offsets.back() + static_cast<std::int32_t>(length));
    }
    const std::size_t offsets_bytes = offsets.size() * sizeof(std::int32_t);
    cuda_check(cudaMalloc(&memory_, 2 * bytes() + offsets_bytes));
    cuda_check(cudaMemcpy(memory_, ones.data(), bytes(), cudaMemcpyHostToDevice));
    cuda_check(cudaMemcpy(at(2 * n), offsets.data(), offsets_bytes, cudaMemcpyHostToDevice));
    clear();
  }
  ~data() {
    if (memory_ != nullptr) static_cast<void>(cudaFree(memory_));
  }
  data(const data&) = delete;
  data& operator=(const data&) = delete;

  void clear() {
    if (cuda_calls.is_made_up) return;
    cuda_check(cudaMemset(out(), 0, bytes()));
    cuda_check(cudaDeviceSynchronize());
  }
  const std::int32_t* in() const { return at(0); }
  std::int32_t* out() const { return at(n_); }
  const std::int32_t* offsets() const { return at(2 * n_); }
  std::int64_t size() const { return n_; }
  /// Whether the outputs are those of the ones of this shape, or untouched.
  bool right(const scan::extents& shape) const {
    return all_are([&](std::int64_t i) { return i / shape.inner % shape.length + 1; });
  }
  bool untouched() const {
    return all_are([](std::int64_t) { return 0; });
  }

 private:
  std::int32_t* at(std::int64_t i) const {
    auto* const begin = static_cast<std::int32_t*>(memory_);
    return begin == nullptr ? reinterpret_cast<std::int32_t*>(std::uintptr_t{1} << 40) + i
                            : begin + i;
  }
  std::size_t bytes() const { return static_cast<std::size_t>(n_) * sizeof(std::int32_t); }
  template <class Expected>
  bool all_are(Expected expected) const {
    if (cuda_calls.is_made_up) return true;
    std::vector<std::int32_t> there(static_cast<std::size_t>(n_));
    cuda_check(cudaMemcpy(there.data(), out(), bytes(), cudaMemcpyDeviceToHost));
    for (std::int64_t i = 0; i < n_; ++i) {
      if (there[static_cast<std::size_t>(i)] != expected(i)) return false;
    }
    return true;
  }

  std::int64_t n_;
  void* memory_ = nullptr;
};

/// One that is not null, of the current device; of the made-up nobody looks into it. Whether there
/// is one: called before there are tests, so nothing may be asserted here.
inline cudaStream_t some_stream = nullptr;
inline bool make_some_stream() {
  if (!cuda_calls.is_made_up) return cudaStreamCreate(&some_stream) == cudaSuccess;
  some_stream = reinterpret_cast<cudaStream_t>(std::uintptr_t{1} << 20);
  return true;
}

struct call {
  std::string name;
  scan::extents shape;
  scan::algorithm which = scan::algorithm::automatic;
  bool in_stream = false;
  bool is_ragged = false;  // the rows are segments

  std::int64_t size() const { return shape.outer * shape.length * shape.inner; }
  scan::status operator()(const data& items, scan::workspace* space,
                          const scan::memory_resource& from = {}) const {
    scan::options<std::int32_t> opts;
    opts.memory_resource = from;
    opts.workspace = space;
    opts.algorithm = which;
    if (in_stream) opts.stream = some_stream;
    if (is_ragged) {
      const scan::segments segments{items.offsets(), shape.outer, size()};
      return scan::inclusive(items.in(), items.out(), segments, scan::plus{}, opts);
    }
    const bool one = shape.outer == 1 && shape.inner == 1;
    return one ? scan::inclusive(items.in(), items.out(), shape.length, scan::plus{}, opts)
               : scan::inclusive(items.in(), items.out(), shape, scan::plus{}, opts);
  }
};
/// One for each way that a call may go.
inline const std::vector<call>& calls() {
  static const std::vector<call> all = {
      {"one block", {1, 1000, 1, 0, 0}},
      {"cluster", {1, 10000, 1, 0, 0}},
      {"wave", {1, 400000, 1, 0, 0}},
      {"look_back", {1, 400000, 1, 0, 0}, scan::algorithm::look_back},
      {"ring", {1, 5000000, 1, 0, 0}},
      {"short rows", {3000, 20, 1, 0, 0}},
      {"rows", {5, 200000, 1, 0, 0}},
      {"columns", {2, 30000, 3, 0, 0}},
      {"wave, in a stream", {1, 400000, 1, 0, 0}, scan::algorithm::automatic, true},
      {"rows, in a stream", {5, 200000, 1, 0, 0}, scan::algorithm::automatic, true},
      {"segments, wave", {300, 1000, 1, 0, 0}, scan::algorithm::automatic, false, true},
      {"segments, ring", {30, 100000, 1, 0, 0}, scan::algorithm::automatic, true, true},
      {"rows in clusters", {5, 30000, 1, 0, 0}},
      {"rows in wide clusters", {2, 100000, 1, 0, 0}}};
  return all;
}

}  // namespace tests

#endif
