// What tests of calls share: errors that are pending, a scan whose result is known, and graphs.
#ifndef SCAN_TESTS_CALL_CHECKS_HPP
#define SCAN_TESTS_CALL_CHECKS_HPP

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include "scan/scan.hpp"
#include "tests/support/device_memory.hpp"

namespace tests {

/// (Without a driver every call fails, and cudaPeekAtLastError says so for ever.)
inline bool none_pending() { return !gpu_present() || cudaPeekAtLastError() == cudaSuccess; }

/// Leaves this error pending.
inline constexpr cudaError_t the_callers = cudaErrorInvalidDevice;
inline void leave_pending() { REQUIRE(cudaSetDevice(-1) == the_callers); }

/// Sums of ones, in `stream`; the check is apart, for it synchronises.
class ones {
 public:
  explicit ones(std::int64_t n) : n_(n), in_(bytes()), out_(bytes()) {
    const std::vector<int> items(static_cast<std::size_t>(n), 1);
    cuda_check(cudaMemcpy(in_.as<void>(), items.data(), bytes(), cudaMemcpyHostToDevice));
    cuda_check(cudaMemset(out_.as<void>(), 0, bytes()));
    cuda_check(cudaDeviceSynchronize());
  }
  scan::status scan(scan::algorithm which, cudaStream_t stream,
                    scan::workspace* space = nullptr) const {
    scan::options<int> opts;
    opts.stream = stream;
    opts.workspace = space;
    opts.algorithm = which;
    return scan::inclusive(in(), out(), n_, scan::plus{}, opts);
  }
  /// Whether they are multiples of `value`.
  bool right(int value = 1) const {
    std::vector<int> sums(static_cast<std::size_t>(n_));
    cuda_check(cudaMemcpy(sums.data(), out(), bytes(), cudaMemcpyDeviceToHost));
    for (std::size_t i = 0; i < sums.size(); ++i) {
      if (sums[i] != static_cast<int>(i + 1) * value) return false;
    }
    return true;
  }
  int* in() const { return in_.as<int>(); }
  int* out() const { return out_.as<int>(); }

 private:
  std::size_t bytes() const { return static_cast<std::size_t>(n_) * sizeof(int); }
  std::int64_t n_;
  device_memory in_, out_;
};

/// A graph of what `enqueue` puts into the stream.
class graph {
 public:
  template <class Enqueue>
  graph(cudaStream_t stream, Enqueue enqueue) {
    cuda_check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    const scan::status status = enqueue();
    cudaGraph_t captured = nullptr;
    cuda_check(cudaStreamEndCapture(stream, &captured));
    INFO(std::string(status.message()));
    REQUIRE(status.ok());
    cuda_check(cudaGraphInstantiate(&executable_, captured, 0));
    cuda_check(cudaGraphDestroy(captured));
  }
  ~graph() { static_cast<void>(cudaGraphExecDestroy(executable_)); }
  graph(const graph&) = delete;
  graph& operator=(const graph&) = delete;
  void replay(cudaStream_t stream) const { cuda_check(cudaGraphLaunch(executable_, stream)); }

 private:
  cudaGraphExec_t executable_ = nullptr;
};

}  // namespace tests

#endif
