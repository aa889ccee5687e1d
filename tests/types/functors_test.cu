// Operators as other libraries have them, the type that is computed in, and element types that are
// not numbers of the language: on CPU threads, and on the device where there is one.
#include <cuda_fp8.h>
#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <cuda/functional>
#include <cuda/std/complex>
#include <cuda/std/functional>
#include <cuda/std/tuple>
#include <cuda/std/utility>
#include <functional>
#include <limits>
#include <type_traits>
#include <vector>

#include "scan/scan.cuh"
#include "tests/support/device_memory.hpp"

namespace {

// ---- what is known ----

template <class Op, class T, class In = T>
using known_t = typename scan::pointer_call<In, T, Op>::op_type;
template <class Own, class Op, class T>
constexpr bool is_known = std::is_same_v<known_t<Op, T>, Own>;
/// It is then the scan that libscan.a holds: the same entry, so the same kernels.
template <class Op, class T>
constexpr bool same_entry =
    std::is_same_v<scan::shared_kernel<T, T, known_t<Op, T>>,
                   scan::shared_kernel<T, T, scan::plus>>&& scan::is_prebuilt<T, T, known_t<Op, T>>;

static_assert(same_entry<cuda::std::plus<>, int> && same_entry<cuda::std::plus<int>, int>);
static_assert(same_entry<std::plus<>, std::uint8_t> && same_entry<std::plus<float>, float>);
static_assert(same_entry<std::plus<long long>, long> && same_entry<std::plus<>, long long>);
static_assert(is_known<scan::plus, std::plus<__half>, __half>);
static_assert(is_known<scan::plus, cuda::std::plus<>, __nv_bfloat16>);
static_assert(is_known<scan::maximum, cuda::maximum<>, float>);
static_assert(is_known<scan::minimum, cuda::minimum<int>, int>);
static_assert(is_known<scan::multiplies, cuda::std::multiplies<>, double>);
static_assert(is_known<scan::bit_xor, cuda::std::bit_xor<>, unsigned>);
static_assert(is_known<scan::bit_and, std::bit_and<>, bool>);
static_assert(is_known<scan::bit_or, std::bit_or<char>, char>);
// They say something else.
static_assert(is_known<std::plus<int>, std::plus<int>, double>);
static_assert(is_known<std::plus<short>, std::plus<short>, int>);
static_assert(is_known<cuda::maximum<unsigned>, cuda::maximum<unsigned>, int>);
static_assert(is_known<std::plus<>, std::plus<>, bool>);
static_assert(is_known<std::minus<>, std::minus<>, int>);
// A wish is kept, or is none.
template <class Op, class In, class Out>
using computed_in = typename scan::pointer_call<In, Out, Op>::types::accumulated;
using halves_in_half = scan::accumulating<__half, cuda::std::plus<>>;
static_assert(std::is_same_v<computed_in<halves_in_half, __half, __half>, __half>);
static_assert(std::is_same_v<computed_in<scan::plus, __half, __half>, float>);
static_assert(
    std::is_same_v<scan::pointer_call<__half, __half, halves_in_half>::op_type, scan::plus>);
static_assert(scan::pointer_call<float, float, halves_in_half>::is_wish);
static_assert(!scan::pointer_call<int, int, scan::accumulating<int, scan::plus>>::is_wish);

// ---- elements and operators ----

/// `count` components of `Part`, each summed; integers small enough that sums of floats are exact.
struct sums {
  template <class T>
  SCAN_HOST_DEVICE T operator()(const T& a, const T& b) const {
    return a + b;
  }
  SCAN_HOST_DEVICE float4 operator()(const float4& a, const float4& b) const {
    return {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w};
  }
};
/// Component by component, the largest: of any grouping the same.
struct largest {
  SCAN_HOST_DEVICE __half2 operator()(__half2 a, __half2 b) const { return __hmax2(a, b); }
  SCAN_HOST_DEVICE __nv_bfloat162 operator()(__nv_bfloat162 a, __nv_bfloat162 b) const {
    return __hmax2(a, b);
  }
  SCAN_HOST_DEVICE __nv_fp8_e4m3 operator()(__nv_fp8_e4m3 a, __nv_fp8_e4m3 b) const {
    return static_cast<float>(a) < static_cast<float>(b) ? b : a;
  }
};
using count_and_sum = cuda::std::pair<std::int32_t, float>;
using last_and_more = cuda::std::tuple<std::int32_t, double, count_and_sum>;
struct fold_parts {
  SCAN_HOST_DEVICE last_and_more operator()(const last_and_more& a, const last_and_more& b) const {
    using cuda::std::get;
    const count_and_sum both(get<2>(a).first + get<2>(b).first,
                             get<2>(a).second + get<2>(b).second);
    return {get<0>(b), get<1>(a) + get<1>(b), both};
  }
};
/// Has no value by default.
struct sealed {
  std::int32_t value, more[5];
  SCAN_HOST_DEVICE explicit sealed(std::int32_t value) : value(value), more{1, 2, 3, 4, 5} {}
};
struct add_sealed {
  SCAN_HOST_DEVICE sealed operator()(const sealed& a, const sealed& b) const {
    return sealed(a.value + b.value);
  }
};

template <class T>
bool same(const T& a, const T& b) {
  if constexpr (std::has_unique_object_representations_v<T> || scan::is_narrow_float<T>) {
    return std::memcmp(static_cast<const void*>(&a), static_cast<const void*>(&b), sizeof(T)) == 0;
  } else {
    return a == b;
  }
}
bool same(const float4& a, const float4& b) {
  return a.x == b.x && a.y == b.y && a.z == b.z && a.w == b.w;
}
bool same(__half2 a, __half2 b) { return __hbeq2(a, b); }
bool same(__nv_bfloat162 a, __nv_bfloat162 b) { return __hbeq2(a, b); }
bool same(__nv_fp8_e4m3 a, __nv_fp8_e4m3 b) { return a.__x == b.__x; }

/// Inclusive or exclusive, forward or back.
template <class In, class Out, class Op, class Options, class... Where>
scan::status scan_by(In in, Out out, std::int64_t n, Op op, const Options& opts, Where... where) {
  return opts.reverse ? scan::exclusive(where..., in, out, n, op, opts)
                      : scan::inclusive(where..., in, out, n, op, opts);
}
/// Whether scans are compiled for the device, too. That takes long, and one of several types of a
/// kind is enough; least of those of more than 16 bytes, for which there are few kernels.
enum class places { threads_alone, device_too };

/// Inclusive forward and exclusive backward, on CPU threads and the device, by each kernel in turn.
/// The serial loop applies `serial` to values of type `Acc`; `make(i)` is element i.
template <class Out, class Acc, places where = places::threads_alone, class Make, class Op,
          class Serial>
void check(Make make, Op op, Serial serial) {
  using In = decltype(make(0));
  for (const std::int64_t n : {std::int64_t{1}, std::int64_t{1000}, std::int64_t{80021}}) {
    std::vector<In> in;
    for (std::int64_t i = 0; i < n; ++i) in.push_back(make(static_cast<int>(i % 1009)));
    for (int turn = 0; turn < 6; ++turn) {
      const bool reverse = turn % 2 == 1;
      const Out init(scan::convert<Out>(make(500)));
      std::vector<Out> expected(in.size(), init), out(in.size(), init);
      Acc running = scan::convert<Acc>(init);
      for (std::int64_t k = 0; k < n; ++k) {
        const auto i = static_cast<std::size_t>(reverse ? n - 1 - k : k);
        const Acc item = scan::convert<Acc>(in[i]);
        const Acc next =
            scan::convert<Acc>(reverse ? serial(item, running) : serial(running, item));
        expected[i] = scan::convert<Out>(reverse ? running : next);
        running = next;
      }
      INFO(n, " elements of ", sizeof(In), " bytes, turn ", turn);
      const auto check_out = [&] {
        std::int64_t wrong = 0;
        for (std::size_t i = 0; i < out.size(); ++i) wrong += !same(out[i], expected[i]);
        CHECK(wrong == 0);
      };
      if (turn < 2) {
        scan::host_options<Out> opts;
        opts.init = init;
        opts.reverse = reverse;
        REQUIRE(scan_by(in.data(), out.data(), n, op, opts, scan::host).ok());
        check_out();
      }
      if constexpr (where == places::device_too) {
        if (!tests::gpu_present()) continue;
        const tests::device_memory d_in(in.size() * sizeof(In)), d_out(in.size() * sizeof(Out));
        tests::cuda_check(
            cudaMemcpy(d_in.as<In>(), in.data(), in.size() * sizeof(In), cudaMemcpyHostToDevice));
        scan::options<Out> opts;
        opts.init = init;
        opts.reverse = reverse;
        opts.algorithm = turn < 2   ? scan::algorithm::automatic
                         : turn < 4 ? scan::algorithm::look_back
                                    : scan::algorithm::ring;
        const scan::status done = scan_by(d_in.as<In>(), d_out.as<Out>(), n, op, opts);
        if (done == cudaErrorNotSupported && opts.algorithm == scan::algorithm::ring) continue;
        REQUIRE(done.ok());
        tests::cuda_check(cudaMemcpy(static_cast<void*>(out.data()), d_out.as<Out>(),
                                     out.size() * sizeof(Out), cudaMemcpyDeviceToHost));
        check_out();
      }
    }
  }
}

template <class T, places where = places::threads_alone, class Make, class Op>
void check_same(Make make, Op op) {
  check<T, T, where>(make, op, op);
}

/// Numbers with what follows them, of 24 bytes.
struct noted {
  std::int32_t value, notes[5];
  friend bool operator==(const noted& a, const noted& b) { return std::memcmp(&a, &b, 24) == 0; }
};
__device__ noted later_unless_zero(noted earlier, noted later) {
  return later.value != 0 ? later : earlier;
}
using function = noted (*)(noted, noted);
__device__ const function device_function = later_unless_zero;
/// Not const.
struct counting_later {
  int calls = 0;
  std::int32_t operator()(std::int32_t earlier, std::int32_t later) {
    ++calls;
    return later != 0 ? later : earlier;
  }
};

}  // namespace

TEST_SUITE("functors") {
  TEST_CASE("of other libraries, by the library's own scans") {
    const std::int64_t n = 5003;
    std::vector<std::int32_t> in(n), expected(n), out(n);
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<std::int32_t>(i * i % 1013);
    const auto check_op = [&](auto own, auto others) {
      REQUIRE(scan::exclusive(scan::host, in.data(), expected.data(), n, own).ok());
      REQUIRE(scan::exclusive(scan::host, in.data(), out.data(), n, others).ok());
      CHECK(out == expected);
      if (!tests::gpu_present()) return;
      const tests::device_memory d_in(n * sizeof(int)), d_out(n * sizeof(int));
      out.assign(out.size(), -1);
      tests::cuda_check(
          cudaMemcpy(d_in.as<int>(), in.data(), n * sizeof(int), cudaMemcpyHostToDevice));
      REQUIRE(scan::exclusive(d_in.as<int>(), d_out.as<int>(), n, others).ok());
      tests::cuda_check(
          cudaMemcpy(out.data(), d_out.as<int>(), n * sizeof(int), cudaMemcpyDeviceToHost));
      CHECK(out == expected);
    };
    check_op(scan::plus{}, cuda::std::plus<>{});
    check_op(scan::plus{}, std::plus<std::int32_t>{});
    check_op(scan::maximum{}, cuda::maximum<>{});
    check_op(scan::minimum{}, cuda::minimum<std::int32_t>{});
  }

  TEST_CASE("a lambda of the device, a function's address, a call operator that is not const") {
    check_same<std::int32_t>([](int i) { return i % 7 == 0 ? i : 0; }, counting_later{});
    const std::int64_t n = 5003;
    std::vector<noted> in(n), expected(n), out(n);
    for (int i = 0; i < n; ++i) in[static_cast<std::size_t>(i)] = {i % 7 == 0 ? i : 0, {i, 2, 3}};
    const auto later = [](noted a, noted b) { return b.value != 0 ? b : a; };
    const function host_function = later;
    REQUIRE(scan::inclusive(scan::host, in.data(), expected.data(), n, later).ok());
    REQUIRE(scan::inclusive(scan::host, in.data(), out.data(), n, host_function).ok());
    CHECK(bool(out == expected));
    if (!tests::gpu_present()) return;
    const std::size_t num_bytes = in.size() * sizeof(noted);
    const tests::device_memory data(num_bytes);
    const auto check_op = [&](auto op) {
      tests::cuda_check(cudaMemcpy(data.as<void>(), in.data(), num_bytes, cudaMemcpyHostToDevice));
      REQUIRE(scan::inclusive(data.as<noted>(), data.as<noted>(), n, op).ok());
      tests::cuda_check(cudaMemcpy(out.data(), data.as<void>(), num_bytes, cudaMemcpyDeviceToHost));
      CHECK(bool(out == expected));
    };
    check_op([] __device__(noted a, noted b) { return b.value != 0 ? b : a; });
    function on_device = nullptr;
    tests::cuda_check(cudaMemcpyFromSymbol(&on_device, device_function, sizeof(on_device)));
    check_op(on_device);
  }

  TEST_CASE("computed in another type than the output's") {
    // 30 bits each: no float holds the sum of two.
    const auto wide = [](int i) {
      return static_cast<float>(i % 2 != 0 ? -1 : 1) * (1 << 24) + static_cast<float>(i);
    };
    check<float, double>(wide, scan::accumulate_in<double>(cuda::std::plus<>{}), scan::plus{});
    // An intermediate sum of int32 would wrap, as the one of int16 that is written does not.
    const auto large = [](int i) { return (i % 2 != 0 ? -1 : 1) * 2000000000 + i % 3; };
    struct {
      std::int64_t operator()(std::int64_t a, std::int64_t b) const { return a + b; }
    } add;
    check<std::int16_t, std::int64_t, places::device_too>(
        large, scan::accumulate_in<std::int64_t>(scan::plus{}), add);
    // Of values of half its sums are halves, too: here exact ones.
    const auto unit = [](int i) { return scan::convert<__half>(i % 2 != 0 ? -1.f : 1.f); };
    check<__half, __half>(unit, scan::accumulate_in<__half>(cuda::std::plus<>{}),
                          [](__half a, __half b) { return __hadd(a, b); });
  }

  TEST_CASE("the first NaN stays, also where a maximum is computed in half") {
    const float items[] = {1, 3, std::numeric_limits<float>::quiet_NaN(), 9, 2};
    __half in[5], out[5];
    for (int i = 0; i < 5; ++i) in[i] = scan::convert<__half>(items[i]);
    const auto in_half = scan::accumulate_in<__half>(cuda::maximum<>{});
    REQUIRE(scan::inclusive(scan::host, in, out, 5, in_half).ok());
    CHECK(scan::convert<float>(out[1]) == 3);
    for (int i = 2; i < 5; ++i) CHECK(__hisnan(out[i]));
    // An exclusive scan has its identity there, too.
    REQUIRE(scan::exclusive(scan::host, in, out, 5, in_half).ok());
    CHECK(scan::convert<float>(out[0]) == -std::numeric_limits<float>::infinity());
  }

  TEST_CASE("pairs of 16-bit floats, and floats of 8 bits") {
    check_same<__half2, places::device_too>(
        [](int i) { return __floats2half2_rn(float(i % 50), float(-i)); }, largest{});
    check_same<__nv_bfloat162>(
        [](int i) { return __floats2bfloat162_rn(float(i % 50), float(-i)); }, largest{});
    check_same<__nv_fp8_e4m3>([](int i) { return __nv_fp8_e4m3(float(i % 100) - 50); }, largest{});
  }

  TEST_CASE("complex numbers, vectors, pairs and tuples, integers of 128 bits") {
    using complex = cuda::std::complex<float>;
    check_same<complex, places::device_too>(
        [](int i) { return complex(float(i % 3), float(-i % 5)); }, cuda::std::plus<>{});
    check_same<float4>(
        [](int i) {
          return float4{1, float(i % 2), float(-i % 3), float(i % 5)};
        },
        sums{});
    check_same<last_and_more, places::device_too>(
        [](int i) { return last_and_more(i, i % 7, count_and_sum(1, float(i % 5))); },
        fold_parts{});
    check_same<__int128_t>([](int i) { return (__int128_t{i} << 90) + i; }, cuda::std::plus<>{});
  }

  TEST_CASE("elements without a value by default") {
    check_same<sealed, places::device_too>([](int i) { return sealed(i); }, add_sealed{});
    scan::host_options<std::int32_t> opts;
    std::int32_t total = 0;
    opts.total = &total;
    const std::vector<sealed> in(1000, sealed(3));
    std::vector<std::int32_t> out(in.size());
    const auto value_of = [](const sealed& x) { return x.value; };
    REQUIRE(scan::inclusive(scan::host, scan::transform_input{in.data(), value_of}, out.data(),
                            1000, scan::plus{}, opts)
                .ok());
    CHECK(out.back() == 3000);
    CHECK(total == 3000);
  }
}
