// Compares scans of tensors in host memory with the serial reference, guards included.
#ifndef SCAN_TESTS_TENSOR_HOST_CHECK_HPP
#define SCAN_TESTS_TENSOR_HOST_CHECK_HPP

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <vector>

#include "scan/host/host_scan.hpp"
#include "tests/support/guarded.hpp"
#include "tests/support/interval.hpp"
#include "tests/tensors/tensor_reference.hpp"

namespace tests {

template <class Out, class In, class Op>
scan::status run(const tensor_case& c, const In* in, Out* out, const std::vector<Out>& inits,
                 Out* totals, Op op, int threads) {
  scan::host_options<Out> options;
  options.threads = threads;
  options.total = totals;
  options.reverse = c.reverse;
  options.complete = c.complete;
  if (c.init == sequence_init::by_value) options.init = inits[0];
  if (c.init == sequence_init::by_pointer) options.init_pointer = inits.data();
  return c.exclusive ? scan::exclusive(scan::host, in, out, c.shape, op, options)
                     : scan::inclusive(scan::host, in, out, c.shape, op, options);
}

/// Elements of a tensor, and an init a sequence.
template <class T>
struct tensor_data {
  std::vector<T> items, inits;
  tensor_data(const tensor_case& c, std::uint64_t seed)
      : items(random_items<T>(c.num_sequences() * c.shape.length, seed)) {}
};
/// The intervals of a sequence lie side by side, and its init before or, in reverse, behind them.
template <>
struct tensor_data<interval> {
  std::vector<interval> items, inits;
  tensor_data(const tensor_case& c, std::uint64_t) {
    const std::int64_t distance = c.init == sequence_init::by_value ? 0 : 1'000'000;
    for (std::int64_t s = 0; s <= c.num_sequences(); ++s) {
      const std::int64_t at = c.reverse ? s * distance + c.shape.length : s * distance - 1;
      inits.push_back({at, at + 1});
    }
    for (std::int64_t o = 0; o < c.shape.outer; ++o) {
      for (std::int64_t i = 0; i < c.shape.length; ++i) {
        for (std::int64_t k = 0; k < c.shape.inner; ++k) {
          const std::int64_t at = (o * c.shape.inner + k) * distance + i;
          items.push_back({at, at + 1});
        }
      }
    }
  }
};

template <class T>
bool same_image(guarded<T>& a, guarded<T>& b) {
  return std::memcmp(a.image(), b.image(), a.image_bytes()) == 0;
}

/// Puts dense items where a case has them.
template <class T>
void place(const tensor_case& c, const std::vector<T>& items, T* to) {
  const std::int64_t slab = c.shape.length * c.shape.inner;
  for (std::int64_t o = 0; o < c.shape.outer && slab > 0; ++o) {
    std::memcpy(static_cast<void*>(to + o * c.in_pitch()), items.data() + o * slab,
                static_cast<std::size_t>(slab) * sizeof(T));
  }
}

/// Whether the whole output, with all around it, is as the reference says.
template <class In, class Out = In, class Op = scan::plus>
bool check(const tensor_case& c, int threads, Op op = {}, std::int64_t offset = 0) {
  CAPTURE(c.describe());
  tensor_data<In> data(c, 5);
  if constexpr (std::is_integral_v<In> && std::is_same_v<Out, float>) {
    for (In& item : data.items) item = static_cast<In>(item % 9);  // sums of them are exact
  }
  std::vector<Out> inits;
  if constexpr (std::is_same_v<Out, interval>) {
    inits = data.inits;
  } else {
    inits = random_items<Out>(c.num_sequences() + 1, 6);
  }
  const std::int64_t span = c.in_place ? std::max(c.in_span(), c.out_span()) : c.out_span();
  guarded<In> in(c.in_span(), offset);
  guarded<Out> out(span, offset), expected(span, offset);
  guarded<Out> totals(c.num_sequences(), offset), expected_totals(c.num_sequences(), offset);
  place(c, data.items, in.data());
  const In *from = in.data(), *expected_from = in.data();
  if constexpr (sizeof(In) == sizeof(Out)) {
    if (c.in_place) {
      std::memcpy(out.data(), in.data(), static_cast<std::size_t>(c.in_span()) * sizeof(In));
      from = reinterpret_cast<const In*>(out.data());
    }
    if (c.in_place) {
      std::memcpy(expected.data(), in.data(), static_cast<std::size_t>(c.in_span()) * sizeof(In));
    }
  }
  scan_tensor_serially(c, expected_from, expected.data(), inits,
                       c.with_total ? expected_totals.data() : nullptr, op);
  const scan::status done =
      run(c, from, out.data(), inits, c.with_total ? totals.data() : nullptr, op, threads);
  REQUIRE_MESSAGE(done.ok(), done.message());
  const bool right = same_image(out, expected) && same_image(totals, expected_totals);
  CHECK(right);
  CHECK(in.guards_intact());
  return right;
}

}  // namespace tests

#endif
