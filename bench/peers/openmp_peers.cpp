// Built where the compiler has OpenMP: the only file that needs it.
#include <cstdint>
#include <type_traits>

#include "bench/peers/cpu_peers.hpp"
#include "bench/suites/scans.hpp"

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

/// Calls `scan(in, out)` with the pointers as what is summed.
void with_sum(const cell& what, const void* in, void* out, const auto& scan) {
  with_scan<plain_scans>(what.scan, [&]<class T, class Op>(scan_of<T, T, Op>) {
    if constexpr (std::is_same_v<Op, scan::plus>) {
      using summed = typename std::conditional_t<std::is_integral_v<T>, std::make_unsigned<T>,
                                                 std::type_identity<T>>::type;
      scan(static_cast<const summed*>(in), static_cast<summed*>(out));
    }
  });
}

}  // namespace

void openmp_simd_sum(const cell& what, const void* in, void* out) {
  with_sum(what, in, out, [&](const auto* from, auto* to) {
    what.exclusive ? exclusive_simd(from, to, what.num_items)
                   : inclusive_simd(from, to, what.num_items);
  });
}

void openmp_sum(const cell& what, const void* in, void* out, int num_threads) {
  with_sum(what, in, out, [&](const auto* from, auto* to) {
    what.exclusive ? exclusive_parallel(from, to, what.num_items, num_threads)
                   : inclusive_parallel(from, to, what.num_items, num_threads);
  });
}

}  // namespace bench
