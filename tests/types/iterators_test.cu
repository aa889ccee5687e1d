// Scans through iterators and functions of the index, on CPU threads and, where there is one, on
// the device. What lies in memory as an array has to be taken for its pointer.
#include <doctest/doctest.h>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>
#include <thrust/iterator/zip_iterator.h>

#include <cstdint>
#include <cuda/std/span>
#include <type_traits>
#include <vector>

#include "scan/scan.cuh"
#include "tests/support/device_memory.hpp"
#if __has_include(<cuda/iterator>)
#include <cuda/iterator>
#endif

namespace {

using int_vector = thrust::device_vector<int>;

// ---- which are arrays ----
static_assert(scan::is_contiguous<int_vector::iterator>);
static_assert(scan::is_contiguous<int_vector::const_iterator>);
static_assert(scan::is_contiguous<thrust::host_vector<int>::iterator>);
static_assert(scan::is_contiguous<thrust::device_ptr<int>>);
static_assert(scan::is_contiguous<thrust::device_ptr<const int>>);
static_assert(scan::is_contiguous<cuda::std::span<const int>>);
static_assert(!scan::is_contiguous<int_vector> && !scan::is_contiguous<std::vector<int>>);
static_assert(!scan::is_contiguous<thrust::reverse_iterator<int_vector::iterator>>);
static_assert(!scan::is_contiguous<thrust::reverse_iterator<thrust::device_ptr<int>>>);
static_assert(!scan::is_contiguous<std::reverse_iterator<int*>>);
static_assert(!scan::is_contiguous<thrust::counting_iterator<int>>);

/// They are pointers from then on: the scan is that of pointers, by its type.
template <class In, class Out>
constexpr bool is_pointer_scan =
    std::is_same_v<decltype(scan::as_input(std::declval<In>())), scan::transform_input<int>>&&
        std::is_same_v<decltype(scan::as_output(std::declval<Out>())), scan::transform_output<int>>;
static_assert(is_pointer_scan<int_vector::const_iterator, int_vector::iterator>);
static_assert(is_pointer_scan<thrust::device_ptr<const int>, thrust::device_ptr<int>>);
static_assert(is_pointer_scan<cuda::std::span<const int>, cuda::std::span<int>>);

// ---- the scans ----

/// Of an element and its place, different for each.
struct mix {
  SCAN_HOST_DEVICE std::int64_t operator()(int x, std::int64_t i) const { return x + 3 * i; }
};
struct mix_both {
  template <class Both>
  SCAN_HOST_DEVICE std::int64_t operator()(const Both& both) const {
    return mix{}(cuda::std::get<0>(both), cuda::std::get<1>(both));
  }
};
struct negate_result {
  SCAN_HOST_DEVICE std::int64_t operator()(std::int64_t x) const { return -x; }
};
/// Does not commute: the later operand counts, unless it is even.
struct last_odd {
  SCAN_HOST_DEVICE std::int64_t operator()(std::int64_t earlier, std::int64_t later) const {
    return later % 2 != 0 ? later : earlier;
  }
};

/// Sizes of one block, a cluster, tickets, and the look-back kernel's tiles.
const std::vector<std::int64_t> sizes{1, 33, 1000, 5000, 40003, 300007};

std::vector<int> some_ints(std::int64_t n) {
  std::vector<int> ints(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < ints.size(); ++i) ints[i] = static_cast<int>(i * i % 1009) - 400;
  return ints;
}

/// What the scan of value(0) .. value(n - 1) writes.
template <class T, class Value, class Op>
std::vector<T> expected_of(std::int64_t n, Value value, Op op, bool exclusive,
                           const scan::options<T>& opts) {
  std::vector<T> out(static_cast<std::size_t>(n));
  T running = *opts.init;
  for (std::int64_t k = 0; k < n; ++k) {
    const std::int64_t i = opts.reverse ? n - 1 - k : k;
    const T next = opts.reverse ? op(value(i), running) : op(running, value(i));
    out[static_cast<std::size_t>(i)] = exclusive ? running : next;
    running = next;
  }
  return out;
}

scan::options<std::int64_t> in_options(bool reverse) {
  scan::options<std::int64_t> opts;
  opts.init = 7;
  opts.reverse = reverse;
  return opts;
}

/// Every direction and kind of a scan from `in` to `out`, whose results `fetch` gets. `value(i)`:
/// what the input has there.
template <class T, class In, class Out, class Value, class Op, class Fetch, class... Where>
void check_through(const In& in, const Out& out, std::int64_t n, Value value, Op op, Fetch fetch,
                   Where... where) {
  for (int turn = 0; turn < 4; ++turn) {
    const bool exclusive = turn % 2 == 1;
    INFO(n, " elements, turn ", turn);
    scan::options<T> opts;
    opts.init = 7;
    opts.reverse = turn >= 2;
    std::conditional_t<sizeof...(Where) == 0, scan::options<T>, scan::host_options<T>> given;
    given.init = opts.init;
    given.reverse = opts.reverse;
    const scan::status done = exclusive ? scan::exclusive(where..., in, out, n, op, given)
                                        : scan::inclusive(where..., in, out, n, op, given);
    INFO(done.message());
    REQUIRE(done.ok());
    CHECK(fetch() == expected_of<T>(n, value, op, exclusive, opts));
  }
}

template <class T>
std::vector<T> fetched(const thrust::device_vector<T>& from) {
  std::vector<T> to(from.size());
  tests::cuda_check(cudaMemcpy(to.data(), thrust::raw_pointer_cast(from.data()),
                               to.size() * sizeof(T), cudaMemcpyDeviceToHost));
  return to;
}

}  // namespace

TEST_SUITE("iterators") {
  TEST_CASE("arrays by their iterators") {
    const std::vector<int> ints = some_ints(5000);
    std::vector<int> sums(ints.size()), same(ints.size());
    REQUIRE(scan::inclusive(scan::host, ints.data(), sums.data(), 5000).ok());
    const thrust::host_vector<int> h_in(ints.begin(), ints.end());
    thrust::host_vector<int> h_out(ints.size());
    REQUIRE(scan::inclusive(scan::host, h_in.begin(), h_out.begin(), 5000).ok());
    CHECK(std::equal(sums.begin(), sums.end(), h_out.begin()));
    REQUIRE(scan::inclusive(scan::host, cuda::std::span<const int>(ints.data(), ints.size()),
                            cuda::std::span<int>(same.data(), same.size()), 5000)
                .ok());
    CHECK(same == sums);
    // (Refused before anyone looks for a device.)
    const cuda::std::span<const int> shorter(ints.data(), 4999);
    CHECK(scan::inclusive(shorter, same.data(), 5000) == cudaErrorInvalidValue);
    CHECK(scan::inclusive(shorter, same.data(), scan::extents{2, 2500, 1}) ==
          cudaErrorInvalidValue);
    CHECK(scan::inclusive_by_key(ints.data(), shorter, same.data(), 5000) == cudaErrorInvalidValue);
    if (!tests::gpu_present()) return;
    int_vector d_in(ints.begin(), ints.end()), d_out(ints.size());
    const auto results = [&] {
      const std::vector<int> now = fetched(d_out);
      thrust::fill(d_out.begin(), d_out.end(), 0);
      return now;
    };
    REQUIRE(scan::inclusive(d_in.cbegin(), d_out.begin(), 5000).ok());
    CHECK(results() == sums);
    REQUIRE(scan::inclusive(d_in.data(), d_out.data(), 5000, cuda::std::plus<>{}).ok());
    CHECK(results() == sums);
    const cuda::std::span<int> view(thrust::raw_pointer_cast(d_out.data()), d_out.size());
    REQUIRE(scan::inclusive(d_in.begin(), view, 5000, thrust::plus<int>{}).ok());
    CHECK(results() == sums);
    // Tensors and keys take them, too.
    REQUIRE(scan::inclusive(d_in.begin(), d_out.begin(), scan::extents{1, 5000, 1}).ok());
    CHECK(results() == sums);
    thrust::device_vector<std::int32_t> keys(ints.size(), 4);
    REQUIRE(
        scan::inclusive_by_key(scan::as_pointer(keys.begin()), d_in.begin(), d_out.begin(), 5000)
            .ok());
    CHECK(results() == sums);
  }

  TEST_CASE("zip of permutation and counting, transformed") {
    for (const std::int64_t n : sizes) {
      const std::vector<int> ints = some_ints(n);
      std::vector<int> places(ints.size());
      for (std::size_t i = 0; i < places.size(); ++i) {
        places[i] = static_cast<int>(i * 7919 % places.size());
      }
      const auto value = [&](std::int64_t i) {
        return mix{}(ints[static_cast<std::size_t>(places[static_cast<std::size_t>(i)])], i);
      };
      const auto through = [&](const auto& from, const auto& order) {
        return thrust::make_transform_iterator(
            thrust::make_zip_iterator(thrust::make_permutation_iterator(from, order),
                                      thrust::counting_iterator<std::int64_t>(0)),
            mix_both{});
      };
      std::vector<std::int64_t> out(ints.size());
      check_through<std::int64_t>(
          through(ints.data(), places.data()), out.data(), n, value, last_odd{},
          [&] { return out; }, scan::host);
      if (!tests::gpu_present()) continue;
      const int_vector d_ints(ints.begin(), ints.end()), d_places(places.begin(), places.end());
      thrust::device_vector<std::int64_t> d_out(ints.size());
      check_through<std::int64_t>(through(d_ints.begin(), d_places.begin()), d_out.begin(), n,
                                  value, last_odd{}, [&] { return fetched(d_out); });
    }
  }

  TEST_CASE("from the last element, to places of a permutation") {
    for (const std::int64_t n : sizes) {
      const std::vector<int> ints = some_ints(n);
      const auto value = [&](std::int64_t i) { return ints[static_cast<std::size_t>(n - 1 - i)]; };
      std::vector<int> places(ints.size());
      for (std::size_t i = 0; i < places.size(); ++i) places[i] = static_cast<int>(n - 1) - int(i);
      const auto in_order = [](std::vector<int> from) {
        std::reverse(from.begin(), from.end());
        return from;
      };
      std::vector<int> out(ints.size());
      check_through<int>(
          std::make_reverse_iterator(ints.data() + n),
          thrust::make_permutation_iterator(out.data(), places.data()), n, value, scan::plus{},
          [&] { return in_order(out); }, scan::host);
      if (!tests::gpu_present()) continue;
      const int_vector d_ints(ints.begin(), ints.end()), d_places(places.begin(), places.end());
      int_vector d_out(ints.size());
      check_through<int>(thrust::make_reverse_iterator(d_ints.end()),
                         thrust::make_permutation_iterator(d_out.begin(), d_places.begin()), n,
                         value, cuda::std::plus<>{}, [&] { return in_order(fetched(d_out)); });
    }
  }

  TEST_CASE("to a function; nowhere, for the total alone") {
    const std::int64_t n = 40003;
    const std::vector<int> ints = some_ints(n);
    const auto value = [&](std::int64_t i) { return std::int64_t{ints[std::size_t(i)]}; };
    const auto negated = [](std::vector<std::int64_t> from) {
      for (std::int64_t& x : from) x = -x;
      return from;
    };
    const std::vector<std::int64_t> wide(ints.begin(), ints.end());
    std::vector<std::int64_t> out(ints.size());
    check_through<std::int64_t>(
        wide.data(), thrust::make_transform_output_iterator(out.data(), negate_result{}), n, value,
        scan::plus{}, [&] { return negated(out); }, scan::host);
    // n + 1 outputs: one more at either end.
    std::vector<std::int64_t> more(ints.size() + 1);
    const auto check_complete = [&](const auto& from, const auto& to, auto options, auto fetch,
                                    auto... where) {
      for (const bool reverse : {false, true}) {
        options.init = 7;
        options.reverse = reverse;
        options.complete = true;
        REQUIRE(scan::exclusive(where..., from,
                                thrust::make_transform_output_iterator(to, negate_result{}), n,
                                scan::plus{}, options)
                    .ok());
        std::vector<std::int64_t> sums =
            expected_of<std::int64_t>(n, value, scan::plus{}, !reverse, in_options(reverse));
        sums.push_back(reverse ? 7 : sums.back() + value(n - 1));
        CHECK(negated(fetch()) == sums);
      }
    };
    check_complete(
        wide.data(), more.data(), scan::host_options<std::int64_t>{}, [&] { return more; },
        scan::host);
    scan::host_options<std::int64_t> opts;
    std::int64_t total = 0, expected = 0;
    for (const int x : ints) expected += x;
    opts.total = &total;
    REQUIRE(scan::inclusive(scan::host, wide.data(), thrust::make_discard_iterator(), n,
                            scan::plus{}, opts)
                .ok());
    CHECK(total == expected);
    if (!tests::gpu_present()) return;
    const thrust::device_vector<std::int64_t> d_in(ints.begin(), ints.end());
    thrust::device_vector<std::int64_t> d_out(ints.size()), d_total(1);
    check_through<std::int64_t>(
        d_in.begin(), thrust::make_transform_output_iterator(d_out.begin(), negate_result{}), n,
        value, scan::plus{}, [&] { return negated(fetched(d_out)); });
    thrust::device_vector<std::int64_t> d_more(more.size());
    check_complete(d_in.begin(), d_more.begin(), scan::options<std::int64_t>{},
                   [&] { return fetched(d_more); });
    scan::options<std::int64_t> d_opts;
    d_opts.total = scan::as_pointer(d_total.data());
    REQUIRE(scan::inclusive(d_in.begin(), thrust::make_discard_iterator(), n, scan::plus{}, d_opts)
                .ok());
    CHECK(fetched(d_total)[0] == expected);
  }

  TEST_CASE("a function of the element and its index, in place, n + 1 outputs") {
    for (const std::int64_t n : sizes) {
      std::vector<std::int64_t> ints(static_cast<std::size_t>(n) + 1);
      for (std::size_t i = 0; i < ints.size(); ++i) ints[i] = static_cast<std::int64_t>(i % 1009);
      const auto indexed = [] __host__ __device__(std::int64_t x, std::int64_t i) {
        return mix{}(static_cast<int>(x), i);
      };
      const auto value = [&](std::int64_t i) { return indexed(ints[std::size_t(i)], i); };
      for (const bool reverse : {false, true}) {
        scan::options<std::int64_t> opts;
        opts.init = 7;
        opts.reverse = reverse;
        std::vector<std::int64_t> expected =
            expected_of<std::int64_t>(n, value, last_odd{}, !reverse, opts);
        expected.push_back(reverse ? 7 : last_odd{}(expected.back(), value(n - 1)));
        scan::host_options<std::int64_t> on_host;
        on_host.init = 7;
        on_host.reverse = reverse;
        opts.complete = on_host.complete = true;
        std::vector<std::int64_t> out = ints;
        REQUIRE(scan::exclusive(scan::host, scan::transform_input{out.data(), indexed}, out.data(),
                                n, last_odd{}, on_host)
                    .ok());
        CHECK(out == expected);
        if (!tests::gpu_present()) continue;
        thrust::device_vector<std::int64_t> d_out(ints.begin(), ints.end());
        std::int64_t* const data = scan::as_pointer(d_out.begin());
        REQUIRE(
            scan::exclusive(scan::transform_input{data, indexed}, data, n, last_odd{}, opts).ok());
        CHECK(fetched(d_out) == expected);
      }
    }
  }

#if __has_include(<cuda/iterator>)
  TEST_CASE("libcu++'s iterators") {
    const std::int64_t n = 40003;
    const std::vector<int> ints = some_ints(2 * n);
    const auto value = [&](std::int64_t i) { return mix{}(ints[std::size_t(2 * i)], i + 5); };
    const auto through = [](const int* from) {
      return cuda::make_transform_iterator(
          cuda::make_zip_iterator(cuda::make_strided_iterator(from, 2),
                                  cuda::make_counting_iterator(std::int64_t{5})),
          mix_both{});
    };
    const auto negated = [](std::vector<std::int64_t> from) {
      for (std::int64_t& x : from) x = -x;
      return from;
    };
    std::vector<std::int64_t> out(static_cast<std::size_t>(n));
    check_through<std::int64_t>(
        through(ints.data()), cuda::make_transform_output_iterator(out.data(), negate_result{}), n,
        value, last_odd{}, [&] { return negated(out); }, scan::host);
    if (!tests::gpu_present()) return;
    const int_vector d_ints(ints.begin(), ints.end());
    thrust::device_vector<std::int64_t> d_out(out.size());
    check_through<std::int64_t>(
        through(scan::as_pointer(d_ints.begin())),
        cuda::make_transform_output_iterator(scan::as_pointer(d_out.begin()), negate_result{}), n,
        value, last_odd{}, [&] { return negated(fetched(d_out)); });
    scan::options<int> opts;
    const int_vector d_places(ints.size(), 1);
    int_vector d_total(1);
    opts.total = scan::as_pointer(d_total.begin());
    REQUIRE(scan::inclusive(cuda::make_permutation_iterator(cuda::make_constant_iterator(3),
                                                            scan::as_pointer(d_places.begin())),
                            cuda::make_discard_iterator(), n, cuda::std::plus<>{}, opts)
                .ok());
    CHECK(fetched(d_total)[0] == 3 * n);
  }
#endif
}
