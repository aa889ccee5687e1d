// Built where the compiler has OpenMP: the only file that needs it.
#include <cstdint>
#include <type_traits>

#include "bench/cpu_peers.hpp"

namespace bench {
namespace {

/// Sums with the scan directive. Of integers in their unsigned type, whose overflow is defined.
template <class T>
void inclusive_simd(const T* in, T* out, std::int64_t n) {
  T x{};
#pragma omp simd reduction(inscan, + : x)
  for (std::int64_t i = 0; i < n; ++i) {
    x += in[i];
#pragma omp scan inclusive(x)
    out[i] = x;
  }
}
template <class T>
void exclusive_simd(const T* in, T* out, std::int64_t n) {
  T x{};
#pragma omp simd reduction(inscan, + : x)
  for (std::int64_t i = 0; i < n; ++i) {
    out[i] = x;
#pragma omp scan exclusive(x)
    x += in[i];
  }
}
template <class T>
void inclusive_parallel(const T* in, T* out, std::int64_t n, int num_threads) {
  T x{};
#pragma omp parallel for simd reduction(inscan, + : x) num_threads(num_threads)
  for (std::int64_t i = 0; i < n; ++i) {
    x += in[i];
#pragma omp scan inclusive(x)
    out[i] = x;
  }
}
template <class T>
void exclusive_parallel(const T* in, T* out, std::int64_t n, int num_threads) {
  T x{};
#pragma omp parallel for simd reduction(inscan, + : x) num_threads(num_threads)
  for (std::int64_t i = 0; i < n; ++i) {
    out[i] = x;
#pragma omp scan exclusive(x)
    x += in[i];
  }
}

template <class T, bool integer = std::is_integral_v<T>>
struct summed {
  using type = T;
};
template <class T>
struct summed<T, true> {
  using type = std::make_unsigned_t<T>;
};

}  // namespace

bool openmp_works(const problem& what) { return what.op == scan_operator::plus; }

void openmp_simd_scan(const problem& what, const void* in, void* out, std::int64_t num_items) {
  with_type(what.type, [&](auto zero) {
    using T = typename summed<decltype(zero)>::type;
    (what.exclusive ? exclusive_simd<T> : inclusive_simd<T>)(static_cast<const T*>(in),
                                                             static_cast<T*>(out), num_items);
  });
}

void openmp_scan(const problem& what, const void* in, void* out, std::int64_t num_items,
                 int num_threads) {
  with_type(what.type, [&](auto zero) {
    using T = typename summed<decltype(zero)>::type;
    (what.exclusive ? exclusive_parallel<T> : inclusive_parallel<T>)(static_cast<const T*>(in),
                                                                     static_cast<T*>(out),
                                                                     num_items, num_threads);
  });
}

}  // namespace bench
