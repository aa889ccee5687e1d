// Spans, iterators over arrays, and arrays as inputs and outputs: which are taken for pointers, and
// that a span which is shorter than the call needs is refused with the output untouched.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <cuda/std/iterator>
#include <cuda/std/span>
#include <span>
#include <string>
#include <vector>

#include "scan/host/host_scan.hpp"
#include "tests/support/check_refused.hpp"
#include "tests/support/guarded.hpp"

namespace {

/// As cuda::buffer's: a template of a type and of properties, which there have to be.
struct on_host {};
template <class T, class... Properties>
class buffer_iterator {
  static_assert(sizeof...(Properties) > 0, "an iterator of nowhere");

 public:
  using iterator_concept = cuda::std::contiguous_iterator_tag;
  using iterator_category = std::random_access_iterator_tag;
  using value_type = std::remove_const_t<T>;
  using difference_type = std::ptrdiff_t;
  using pointer = T*;
  using reference = T&;
  explicit buffer_iterator(T* at) : at_(at) {}
  T& operator*() const { return *at_; }
  T* operator->() const { return at_; }
  buffer_iterator operator+(std::ptrdiff_t i) const { return buffer_iterator(at_ + i); }

 private:
  T* at_;
};
static_assert(scan::is_contiguous<buffer_iterator<int, on_host>>);
static_assert(scan::is_contiguous<std::vector<int>::iterator>);

/// Every other element: no array, though it tells a pointer and a size.
struct every_other {
  struct iterator {
    using value_type = int;
    using difference_type = std::ptrdiff_t;
    int* at;
    int& operator*() const { return *at; }
    iterator operator+(std::ptrdiff_t i) const { return {at + 2 * i}; }
  };
  int* first;
  std::size_t count;
  int* data() const { return first; }
  std::size_t size() const { return count; }
  iterator begin() const { return {first}; }
};
struct with_strides {  // likewise, without an iterator
  int* first;
  std::size_t count, stride;
  int* data() const { return first; }
  std::size_t size() const { return count; }
};
static_assert(!scan::is_contiguous<every_other> && !scan::is_contiguous<with_strides>);
static_assert(scan::is_span<std::span<int>> && scan::is_span<cuda::std::span<const int>>);
static_assert(scan::is_span<std::span<int, 4>> && !scan::is_span<std::vector<int>>);

struct doubled {
  int operator()(int x) const { return 2 * x; }
};

using tests::check_refused;

const int ones[12] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};

}  // namespace

TEST_SUITE("spans") {
  TEST_CASE("iterators of a template of more than the type; arrays beside a function") {
    int out[4] = {};
    REQUIRE(scan::inclusive(scan::host, buffer_iterator<const int, on_host>(ones),
                            buffer_iterator<int, on_host>(out), 4)
                .ok());
    CHECK((out[0] == 1 && out[3] == 4));
    REQUIRE(scan::inclusive(scan::host, scan::transform_input{ones, doubled{}}, out, 4).ok());
    CHECK((out[0] == 2 && out[3] == 8));
    REQUIRE(scan::exclusive(scan::host, scan::transform_input{ones, doubled{}}, out,
                            scan::extents{2, 2, 1})
                .ok());
    CHECK((out[1] == 2 && out[2] == 0));
    REQUIRE(scan::inclusive(scan::host, ones, scan::transform_output{out, doubled{}}, 4).ok());
    CHECK(out[3] == 8);
  }

  TEST_CASE("a span shorter than n") {
    tests::guarded<int> out(8);
    const std::span<const int> in(ones, 8);
    const std::span<int> to(out.data(), 8);
    const auto refused = [&](auto from, auto into, std::int64_t n, const char* named) {
      check_refused(scan::inclusive(scan::host, from, into, n), named);
      check_refused(scan::exclusive(scan::host, from, into, n, scan::maximum{}), named);
    };
    refused(in, to, 9, "the input span's size is less than n");
    refused(in.first(7), to, 8, "the input span's size is less than n");
    refused(ones, to, 9, "the output span's size is less than n");
    refused(scan::transform_input{ones, doubled{}}, to, 9, "the output span's");
    refused(std::span<const int, 4>(ones, 4), out.data(), 8, "the input span's");
    refused(cuda::std::span<const int>(ones, 3), out.data(), 8, "the input span's");
    refused(in, to, -1, "n is negative");
    refused(in, to, INT64_MAX, "the input span's");
    scan::host_options<int> complete;
    complete.complete = true;
    check_refused(scan::exclusive(scan::host, in, to, 8, scan::plus{}, complete),
                  "less than n + 1");
    check_refused(scan::exclusive(scan::host, in.first(0), to.first(0), 0, scan::plus{}, complete),
                  "less than n + 1");
    CHECK(out.untouched());
    CHECK(scan::exclusive(scan::host, in.first(7), to, 7, scan::plus{}, complete).ok());
    CHECK(out.data()[7] == 7);
    CHECK(scan::inclusive(scan::host, in, to, 8).ok());
    CHECK(scan::inclusive(scan::host, in.first(0), to.first(0), 0).ok());
    CHECK(out.guards_intact());
  }

  TEST_CASE("a span shorter than extents or segments") {
    tests::guarded<int> out(12);
    const std::span<const int> in(ones, 12);
    const std::span<int> to(out.data(), 12);
    const auto refused = [&](const scan::extents& shape, const char* named) {
      check_refused(scan::inclusive(scan::host, in, to, shape), named);
    };
    refused({13, 1, 1}, "the input span's size is less than the extents need");
    refused({2, 3, 2, 7, 0}, "the input span's");
    refused({2, 3, 2, 0, 7}, "the output span's size is less than the extents need");
    refused({2, -3, 2, 0, 7}, "extents.length is negative");
    scan::host_options<int> complete;
    complete.complete = true;
    const scan::extents all{2, 3, 2, 0, 0};
    check_refused(scan::exclusive(scan::host, in, to, all, scan::plus{}, complete),
                  "the output span's");
    const int offsets[] = {0, 3, 3, 12};
    check_refused(scan::inclusive(scan::host, in.first(11), to, scan::segments{offsets, 3, 12}),
                  "the input span's size is less than segments.num_items");
    check_refused(scan::inclusive(scan::host, in, to.first(11), scan::segments{offsets, 3}),
                  "the output span's");
    check_refused(scan::inclusive_by_key(scan::host, ones, in.first(11), to, 12),
                  "the input span's size is less than n");
    check_refused(scan::inclusive_by_key(scan::host, in.first(11), in, to, 12), "span of keys");
    CHECK(out.untouched());
    CHECK(scan::inclusive(scan::host, in, to, all).ok());
    CHECK(scan::inclusive(scan::host, in, to, {2, 2, 2, 8, 8}).ok());
    CHECK(scan::inclusive(scan::host, in, to, scan::segments{offsets, 3}).ok());
    CHECK(scan::inclusive_by_key(scan::host, in, in, to, 12).ok());
    CHECK(out.data()[11] == 12);
    CHECK(out.guards_intact());
  }

  TEST_CASE("recurrences of spans, iterators and arrays") {
    const std::vector<float> a(4, .5f), b{4, 2, 1, 1};
    std::vector<float> h(4);
    const std::span<const float> factors(a), offsets(b);
    const std::span<float> to(h);
    REQUIRE(scan::recurrence(scan::host, a.begin(), b.begin(), h.begin(), 4).ok());
    CHECK(h == std::vector<float>{4, 4, 3, 2.5f});
    float states[4] = {};
    const scan::extents rows{2, 2, 1, 0, 0};
    REQUIRE(scan::recurrence(scan::host, a.data(), offsets, states, rows).ok());
    CHECK((states[1] == 4 && states[2] == 1 && states[3] == 1.5f));
    check_refused(scan::recurrence(scan::host, factors.first(3), offsets, to, 4), "the span a");
    check_refused(scan::recurrence(scan::host, factors, offsets.first(3), to, 4), "the span b");
    check_refused(scan::recurrence(scan::host, factors, offsets, to.first(3), 4), "output span");
    check_refused(scan::recurrence(factors, offsets, to, scan::extents{5, 1, 1}), "the span b");
    check_refused(scan::recurrence(factors.first(3), offsets, to, 4), "the span a");
    CHECK(h == std::vector<float>{4, 4, 3, 2.5f});
  }
}
