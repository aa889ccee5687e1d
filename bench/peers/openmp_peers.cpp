// Built where the compiler has OpenMP: the only file that needs it.
#include <cstdint>
#include <type_traits>

#include "bench/cells/scans.hpp"
#include "bench/peers/cpu_peers.hpp"

namespace bench {
namespace {

/// Sums with the scan directive. Of integers in their unsigned type, whose overflow is defined.
template <class T>
void inclusive_simd(const T* in, T* out, std::int64_t n, int) {
  T x{};
#pragma omp simd reduction(inscan, + : x)
  for (std::int64_t i = 0; i < n; ++i) {
    x += in[i];
#pragma omp scan inclusive(x)
    out[i] = x;
  }
}
template <class T>
void exclusive_simd(const T* in, T* out, std::int64_t n, int) {
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

}  // namespace

std::vector<cpu_peer> openmp_peers(const cell& what, int num_threads) {
  std::vector<cpu_peer> peers;
  with_scan<plain_scans>(what.scan, [&]<class T, class Op>(scan_of<T, T, Op>) {
    if constexpr (std::is_same_v<Op, scan::plus>) {
      using summed = typename std::conditional_t<std::is_integral_v<T>, std::make_unsigned<T>,
                                                 std::type_identity<T>>::type;
      const auto add = [&](const char* name, auto scan) {
        const auto run = [=, n = what.num_items](const summed* in, summed* out) {
          scan(in, out, n, num_threads);
        };
        peers.push_back({name, on_elements<summed>(run)});
      };
      add("omp simd scan", what.exclusive ? exclusive_simd<summed> : inclusive_simd<summed>);
      add("omp parallel scan",
          what.exclusive ? exclusive_parallel<summed> : inclusive_parallel<summed>);
    }
  });
  return peers;
}

}  // namespace bench
