// The words of CUDA's language for a host compiler: before any header of the library with device
// code, in programs that find words/ before the toolkit's headers. `EMULATED_ARCH` is what
// __CUDA_ARCH__ is to be.
#ifndef SCAN_TESTS_EMULATED_WORDS_HPP
#define SCAN_TESTS_EMULATED_WORDS_HPP

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math.h>  // (with fma of float outside of std::)

#include <algorithm>
#include <bit>
#include <climits>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <utility>

// What has code of its own for the host stays with it: instructions for a GPU are no host's.
#include "scan/protocol/tile_states.hpp"
#include "tests/emulated/engine.hpp"

#ifndef EMULATED_ARCH
#define EMULATED_ARCH 900
#endif
#define __CUDA_ARCH__ EMULATED_ARCH
#undef __shared__
#define __shared__ thread_local  // a block has a thread of the system
#define __launch_bounds__(...)
#define __noinline__

extern uint3 threadIdx, blockIdx;
extern dim3 blockDim, gridDim;

using std::max;
using std::min;

// ---- threads that meet ----

#define EMULATED_PLACE const char *file = __builtin_FILE(), int line = __builtin_LINE()

inline void __syncthreads(EMULATED_PLACE) { emulated::meet_threads(0, 0, false, {file, line}); }
inline int __syncthreads_count(int says, EMULATED_PLACE) {
  return emulated::meet_threads(0, 0, says != 0, {file, line});
}
inline int __syncthreads_or(int says, EMULATED_PLACE) {
  return __syncthreads_count(says, file, line) != 0;
}
inline int __syncthreads_and(int says, EMULATED_PLACE) {
  return __syncthreads_count(says == 0, file, line) == 0;
}
inline void __syncwarp(unsigned mask = 0xffffffffu, EMULATED_PLACE) {
  emulated::meet_lanes(emulated::warp_function::meet, mask, 0, {file, line});
}
inline void __nanosleep(unsigned, EMULATED_PLACE) { emulated::pause(true, {file, line}); }

namespace emulated {

/// The value that lane `source` has given: garbage where that is none of them.
template <class T>
T value_of(const lane_values& all, unsigned mask, int source) {
  static_assert(sizeof(T) <= 8);
  const bool is_one = source >= 0 && source < 32 && (mask >> source & 1) != 0;
  const std::uint64_t bits = is_one ? all.of[source] : 0xBADBADBADBADBADBu;
  T result;
  std::memcpy(&result, &bits, sizeof(T));
  return result;
}
template <class T>
std::uint64_t bits_of(T value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(T));
  return bits;
}
inline int lane() { return static_cast<int>(threadIdx.x % 32); }

template <class T, class Fold>
T reduced(warp_function which, unsigned mask, T own, place at, T value, Fold fold) {
  const lane_values all = meet_lanes(which, mask, bits_of(own), at);
  for (int i = 0; i < 32; ++i) {
    if ((mask >> i & 1) != 0) value = fold(value, value_of<T>(all, mask, i));
  }
  return value;
}
inline unsigned ballot(warp_function which, unsigned mask, bool says, place at) {
  const lane_values all = meet_lanes(which, mask, says ? 1 : 0, at);
  unsigned result = 0;
  for (int i = 0; i < 32; ++i) {
    if ((mask >> i & 1) != 0 && all.of[i] != 0) result |= 1u << i;
  }
  return result;
}

}  // namespace emulated

template <class T>
T __shfl_sync(unsigned mask, T value, int source, EMULATED_PLACE) {
  using namespace emulated;
  const lane_values all = meet_lanes(warp_function::shuffle, mask, bits_of(value), {file, line});
  return value_of<T>(all, mask, source & 31);
}
template <class T>
T __shfl_up_sync(unsigned mask, T value, unsigned delta, EMULATED_PLACE) {
  using namespace emulated;
  const lane_values all = meet_lanes(warp_function::shuffle_up, mask, bits_of(value), {file, line});
  const int source = lane() - static_cast<int>(delta);
  return source < 0 ? value : value_of<T>(all, mask, source);
}
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int distance, EMULATED_PLACE) {
  using namespace emulated;
  const lane_values all =
      meet_lanes(warp_function::shuffle_xor, mask, bits_of(value), {file, line});
  return value_of<T>(all, mask, lane() ^ distance);
}
inline unsigned __ballot_sync(unsigned mask, int says, EMULATED_PLACE) {
  return emulated::ballot(emulated::warp_function::ballot, mask, says != 0, {file, line});
}
inline int __any_sync(unsigned mask, int says, EMULATED_PLACE) {
  return emulated::ballot(emulated::warp_function::any, mask, says != 0, {file, line}) != 0;
}
inline int __all_sync(unsigned mask, int says, EMULATED_PLACE) {
  return emulated::ballot(emulated::warp_function::all, mask, says != 0, {file, line}) == mask;
}
inline int __reduce_add_sync(unsigned mask, int value, EMULATED_PLACE) {
  return emulated::reduced(emulated::warp_function::add, mask, value, {file, line}, 0,
                           [](int a, int b) { return a + b; });
}
inline int __reduce_max_sync(unsigned mask, int value, EMULATED_PLACE) {
  return emulated::reduced(emulated::warp_function::max, mask, value, {file, line}, value,
                           [](int a, int b) { return std::max(a, b); });
}
inline int __reduce_min_sync(unsigned mask, int value, EMULATED_PLACE) {
  return emulated::reduced(emulated::warp_function::min, mask, value, {file, line}, value,
                           [](int a, int b) { return std::min(a, b); });
}

// ---- memory ----

inline std::size_t __cvta_generic_to_shared(const void* shared) {
  return emulated::shared_offset(shared);
}
template <class T>
T __ldcs(const T* from) {
  return *from;
}
inline unsigned atomicOr(unsigned* to, unsigned bits, EMULATED_PLACE) {
  emulated::access_atomic(true, {file, line});
  return __atomic_fetch_or(to, bits, __ATOMIC_RELAXED);
}
inline long long atomicMin(long long* to, long long value, EMULATED_PLACE) {
  emulated::access_atomic(true, {file, line});
  long long before = __atomic_load_n(to, __ATOMIC_RELAXED);
  while (value < before && !__atomic_compare_exchange_n(to, &before, value, false, __ATOMIC_RELAXED,
                                                        __ATOMIC_RELAXED)) {
  }
  return before;
}
inline void cudaTriggerProgrammaticLaunchCompletion() {}
inline void cudaGridDependencySynchronize() {}

// ---- numbers ----

inline int __popc(unsigned bits) { return std::popcount(bits); }
inline int __clz(int bits) { return std::countl_zero(static_cast<unsigned>(bits)); }
inline int __ffs(int bits) {
  return bits == 0 ? 0 : std::countr_zero(static_cast<unsigned>(bits)) + 1;
}
inline int __ffsll(long long bits) {
  return bits == 0 ? 0 : std::countr_zero(static_cast<unsigned long long>(bits)) + 1;
}
inline unsigned __brev(unsigned bits) {
  unsigned result = 0;
  for (int i = 0; i < 32; ++i) result |= (bits >> i & 1) << (31 - i);
  return result;
}
inline unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>(std::uint64_t{a} * b >> 32);
}
inline float __fdividef(float a, float b) { return a / b; }

namespace emulated {
/// `high` and, below it, `low`.
constexpr std::uint64_t both(unsigned low, unsigned high) {
  return std::uint64_t{high} << 32 | low;
}
/// What `op` makes of each of a word's parts of `bits` bits, as numbers of type `Part`.
template <class Part, class Op>
unsigned of_parts(unsigned a, unsigned b, Op op) {
  constexpr int bits = 8 * sizeof(Part);
  unsigned result = 0;
  for (int at = 0; at < 32; at += bits) {
    const unsigned part =
        static_cast<unsigned>(op(static_cast<Part>(a >> at), static_cast<Part>(b >> at)));
    result |= (part & ((1u << bits) - 1)) << at;
  }
  return result;
}
}  // namespace emulated

inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned by) {
  return static_cast<unsigned>(emulated::both(low, high) >> (by & 31));
}
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned by) {
  return static_cast<unsigned>(emulated::both(low, high) << (by & 31) >> 32);
}
inline unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned by) {
  return static_cast<unsigned>(emulated::both(low, high) >> std::min(by, 32u));
}
inline unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned by) {
  return static_cast<unsigned>(emulated::both(low, high) << std::min(by, 32u) >> 32);
}
inline unsigned __byte_perm(unsigned low, unsigned high, unsigned which) {
  unsigned result = 0;
  for (int i = 0; i < 4; ++i) {
    const unsigned selector = which >> 4 * i & 15;
    unsigned byte = static_cast<unsigned>(emulated::both(low, high) >> (selector & 7) * 8) & 0xff;
    if ((selector & 8) != 0) byte = (byte & 0x80) != 0 ? 0xff : 0;
    result |= byte << 8 * i;
  }
  return result;
}
inline unsigned __vmins2(unsigned a, unsigned b) {
  return emulated::of_parts<std::int16_t>(a, b, [](auto x, auto y) { return std::min(x, y); });
}
inline unsigned __vminu2(unsigned a, unsigned b) {
  return emulated::of_parts<std::uint16_t>(a, b, [](auto x, auto y) { return std::min(x, y); });
}
inline unsigned __vmaxs2(unsigned a, unsigned b) {
  return emulated::of_parts<std::int16_t>(a, b, [](auto x, auto y) { return std::max(x, y); });
}
inline unsigned __vmaxu2(unsigned a, unsigned b) {
  return emulated::of_parts<std::uint16_t>(a, b, [](auto x, auto y) { return std::max(x, y); });
}
inline unsigned __vcmpne4(unsigned a, unsigned b) {
  return emulated::of_parts<std::uint8_t>(a, b, [](auto x, auto y) { return x != y ? 0xff : 0; });
}
/// Sums of products of parts, the first so many of `b`'s bytes.
inline int __dp4a(int a, int b, int sum) {
  unsigned result = static_cast<unsigned>(sum);
  for (int i = 0; i < 32; i += 8) {
    result +=
        static_cast<unsigned>(static_cast<std::int8_t>(a >> i) * static_cast<std::int8_t>(b >> i));
  }
  return static_cast<int>(result);
}
inline unsigned __dp4a(unsigned a, unsigned b, unsigned sum) {
  for (int i = 0; i < 32; i += 8) sum += (a >> i & 0xff) * (b >> i & 0xff);
  return sum;
}
inline int __dp2a_lo(int a, int b, int sum) {
  unsigned result = static_cast<unsigned>(sum);
  for (int i = 0; i < 2; ++i) {
    result += static_cast<unsigned>(static_cast<std::int16_t>(a >> 16 * i) *
                                    static_cast<std::int8_t>(b >> 8 * i));
  }
  return static_cast<int>(result);
}
inline unsigned __dp2a_lo(unsigned a, unsigned b, unsigned sum) {
  for (int i = 0; i < 2; ++i) sum += (a >> 16 * i & 0xffff) * (b >> 8 * i & 0xff);
  return sum;
}

// ---- What the library says in instructions, which it keeps in headers of their own.

#define SCAN_DEVICE_FOLD_NAMED_BARRIER_CUH
#define SCAN_DEVICE_MOVE_PREFETCH_CUH
namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

template <int number>
struct named_barrier {
  int num_threads;
  void meet(EMULATED_PLACE) const {
    emulated::meet_threads(number, num_threads, false, {file, line});
  }
  int count(bool says, EMULATED_PLACE) const {
    return emulated::meet_threads(number, num_threads, says, {file, line});
  }
};
inline void prefetch_line(const void*) {}

// ---- Kernels by their addresses, as launches have them, and what they take: this is taken, where
// the library asks for a kernel's record, in place of its own function, which is less constrained.

class kernel_record;
struct kernel_answers;
template <auto kernel>
requires(true) kernel_record record_of()
noexcept;

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#include "scan/device/launch/enqueue.hpp"

namespace emulated {

template <class... Parameters, std::size_t... i>
void call_with(void (*kernel)(Parameters...), void** arguments, std::index_sequence<i...>) {
  kernel(*static_cast<Parameters*>(arguments[i])...);
}
template <class... Parameters>
void call_with(void (*kernel)(Parameters...), void** arguments) {
  call_with(kernel, arguments, std::index_sequence_for<Parameters...>());
}

}  // namespace emulated

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

template <auto kernel>
requires(true) kernel_record record_of()
noexcept {
  static kernel_answers answers;
  const auto* const address = reinterpret_cast<const void*>(kernel);
  emulated::know_kernel(address, {[](void** arguments) { emulated::call_with(kernel, arguments); },
                                  __PRETTY_FUNCTION__, EMULATED_ARCH});
  return {address, &answers};
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
