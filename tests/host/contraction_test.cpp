// Compiled for a processor with fused operations, and by a compiler that may use them wherever it
// likes: then bits tell which code an element went through, vectors or the rest behind them. It has
// to be the same code whatever the number of threads and of other sequences.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#include "scan/host/host_scan.hpp"
#include "tests/support/eager_workers.hpp"

namespace {

int num_wrong = 0;

struct complex {
  float re, im;
};
/// Which of the two products of a sum is rounded is up to the compiler.
struct complex_product {
  complex operator()(const complex& a, const complex& b) const {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }
};
struct norm {
  float operator()(const complex& z) const { return z.re * z.re + z.im * z.im; }
};
struct scaled {
  float operator()(float x) const { return 1.1f * x; }
};

template <class T>
std::vector<T> random_items(std::int64_t n) {
  std::vector<T> items(static_cast<std::size_t>(n));
  std::uint32_t state = 12345;
  auto* const numbers = reinterpret_cast<float*>(items.data());
  for (std::size_t i = 0; i < items.size() * sizeof(T) / sizeof(float); ++i) {
    state = state * 1664525 + 1013904223;
    numbers[i] = 0.5f + static_cast<float>(state >> 8) / (1 << 24);
  }
  return items;
}

/// Scans `outer` slabs of the same elements: each has the bits of a call of its own by one thread.
template <class Out, class In, class Scan>
void check(const char* what, std::int64_t length, std::int64_t inner, const Scan& scan) {
  const std::int64_t slab = length * inner;
  const auto items = random_items<In>(slab);
  std::vector<Out> alone(items.size());
  if (!scan(items.data(), alone.data(), scan::extents{1, length, inner}, 1)) ++num_wrong;
  for (const std::int64_t outer : {1, 2, 7, 18}) {
    std::vector<In> in;
    for (std::int64_t o = 0; o < outer; ++o) in.insert(in.end(), items.begin(), items.end());
    for (const int threads : {1, 2, 3, 5, 8}) {
      std::vector<Out> out(in.size());
      bool same = scan(in.data(), out.data(), scan::extents{outer, length, inner}, threads);
      for (std::int64_t o = 0; o < outer; ++o) {
        same = same &&
               std::memcmp(out.data() + o * slab, alone.data(), alone.size() * sizeof(Out)) == 0;
      }
      if (same) continue;
      ++num_wrong;
      std::printf("%s: other bits: outer %d, length %d, inner %d, %d threads\n", what,
                  static_cast<int>(outer), static_cast<int>(length), static_cast<int>(inner),
                  threads);
    }
  }
}

void check_shape(std::int64_t length, std::int64_t inner) {
  using scan::host;
  check<complex, complex>(
      "complex products", length, inner,
      [](const complex* in, complex* out, const scan::extents& shape, int threads) {
        return scan::inclusive(host, in, out, shape, complex_product{}, {{}, threads}).ok();
      });
  check<float, complex>(
      "sums of norms", length, inner,
      [](const complex* in, float* out, const scan::extents& shape, int threads) {
        const scan::transform_input norms{in, norm{}};
        return scan::inclusive(host, norms, out, shape, scan::plus{}, {{}, threads}).ok();
      });
  check<float, float>(
      "exclusive sums of products", length, inner,
      [](const float* in, float* out, const scan::extents& shape, int threads) {
        const scan::transform_input products{in, scaled{}};
        return scan::exclusive(host, products, out, shape, scan::plus{}, {0.7f, threads}).ok();
      });
  check<float, float>("recurrences", length, inner,
                      [](const float* in, float* out, const scan::extents& shape, int threads) {
                        return scan::recurrence(host, in, in, out, shape, {{}, threads}).ok();
                      });
}

}  // namespace

int main() {
#if defined(__x86_64__)
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return 77;
#endif
  for (const std::int64_t length : {3, 15, 16, 37, 5000, 70000}) check_shape(length, 1);
  for (const std::int64_t inner :
       {2, 3, 4, 5, 6, 7, 8, 9, 13, 31, 33, 64, 65, 71, 100, 130, 1001}) {
    check_shape(9, inner);
  }
  for (const std::int64_t inner : {2, 7, 67}) check_shape(2100, inner);
  if (tests::num_shared_calls() == 0) ++num_wrong;
  std::printf("%d wrong, %d calls shared\n", num_wrong,
              static_cast<int>(tests::num_shared_calls()));
  return num_wrong != 0;
}
