#include <cstdint>

#include "tests/support/device_memory.hpp"

namespace tests {
namespace {

constexpr int threads = 256;
constexpr int most_blocks = 1024;

int blocks_for(std::int64_t n) {
  const std::int64_t blocks = (n + threads - 1) / threads;
  return static_cast<int>(blocks < most_blocks ? blocks : most_blocks);
}

template <class T>
__global__ void fill_kernel(T* data, std::int64_t n, std::uint64_t seed) {
  for (std::int64_t i = blockIdx.x * std::int64_t{threads} + threadIdx.x; i < n;
       i += std::int64_t{gridDim.x} * threads) {
    std::uint64_t x = (static_cast<std::uint64_t>(i) + seed) * 0x9e3779b97f4a7c15ull;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    data[i] = static_cast<T>(x ^ (x >> 27));
  }
}

template <class T>
__global__ void check_kernel(const T* in, const T* out, std::int64_t n, bool exclusive,
                             unsigned long long* num_wrong) {
  for (std::int64_t i = blockIdx.x * std::int64_t{threads} + threadIdx.x; i < n;
       i += std::int64_t{gridDim.x} * threads) {
    const T before = i > 0 ? out[i - 1] : T{0};
    const T added = !exclusive ? in[i] : i > 0 ? in[i - 1] : T{0};
    if (out[i] != static_cast<T>(before + added)) atomicAdd(num_wrong, 1ull);
  }
}

}  // namespace

template <class T>
void fill_random(T* data, std::int64_t n, std::uint64_t seed, cudaStream_t stream) {
  fill_kernel<<<blocks_for(n), threads, 0, stream>>>(data, n, seed);
  cuda_check(cudaGetLastError());
}

template <class T>
void count_wrong_sums(const T* in, const T* out, std::int64_t n, bool exclusive,
                      unsigned long long* num_wrong, cudaStream_t stream) {
  check_kernel<<<blocks_for(n), threads, 0, stream>>>(in, out, n, exclusive, num_wrong);
  cuda_check(cudaGetLastError());
}

#define SCAN_TESTS_INSTANTIATE(T)                                                             \
  template void fill_random(T*, std::int64_t, std::uint64_t, cudaStream_t);                   \
  template void count_wrong_sums(const T*, const T*, std::int64_t, bool, unsigned long long*, \
                                 cudaStream_t);
SCAN_TESTS_INSTANTIATE(std::uint8_t)
SCAN_TESTS_INSTANTIATE(std::uint32_t)
SCAN_TESTS_INSTANTIATE(std::uint64_t)

}  // namespace tests
