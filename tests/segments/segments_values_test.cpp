// Scans of segments whose values or keys the matrix does not have: sums that are rounded at every
// step, and keys of every integer type.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "tests/segments/segment_call.hpp"
#include "tests/support/device_memory.hpp"
#include "tests/support/guarded.hpp"
#include "tests/support/rounded_values.hpp"

namespace {

using tests::segment_case;
using tests::segment_layout;

/// The largest error of sums against a loop in long double, in units of 2000 roundings of what is
/// computed in and one of the output, of the sum of magnitudes that went into each.
template <class T>
double worst_error(const segment_case& c, const T* in, const T* out, const std::vector<T>& inits) {
  const double of_output = std::is_same_v<T, __half> ? 0x1p-11 : sizeof(T) == 2 ? 0x1p-8 : 0;
  const double bound = 2000 * (sizeof(T) == 8 ? 0x1p-53 : 0x1p-24) + of_output;
  double worst = 0;
  for (std::size_t s = 0; s + 1 < c.layout->offsets.size(); ++s) {
    const std::int64_t begin = c.layout->offsets[s], end = c.layout->offsets[s + 1];
    long double sum = scan::convert<double>(inits[s]), magnitude = std::abs(sum);
    for (std::int64_t step = 0; step < end - begin; ++step) {
      const std::int64_t i = c.reverse ? end - 1 - step : begin + step;
      const long double item = scan::convert<double>(in[i]);
      sum += item;
      magnitude += std::abs(item);
      const long double error = std::abs(scan::convert<double>(out[i]) - sum);
      worst = std::max(worst, static_cast<double>(error / magnitude) / bound);
    }
  }
  return worst;
}

/// How many totals are not, bit for bit, the last outputs of the inclusive scan of their segments,
/// or, of empty ones, their inits.
template <class T>
int wrong_totals(const segment_case& c, const T* out, const T* totals, const T* inits) {
  int wrong = 0;
  for (std::size_t s = 0; s + 1 < c.layout->offsets.size(); ++s) {
    const std::int64_t begin = c.layout->offsets[s], end = c.layout->offsets[s + 1];
    const T* const last = begin == end ? inits + s : out + (c.reverse ? begin : end - 1);
    if (std::memcmp(totals + s, last, sizeof(T)) != 0) ++wrong;
  }
  return wrong;
}

/// Sums of numbers that are rounded at every step: the data of an inclusive and an exclusive call.
template <class T>
struct real_sums {
  segment_case c;
  std::vector<T> in, inits, out, totals;

  explicit real_sums(const segment_case& of)
      : c(of),
        in(tests::random_values<T>(tests::values::wide, c.num_items())),
        inits(tests::random_values<T>(tests::values::wide, c.layout->num_segments())) {}

  template <class Options, class... Where>
  void call(bool exclusive, const void* offsets, const T* from, T* to, const T* begins, T* ends,
            Options opts, Where... where) {
    c.exclusive = exclusive;
    opts.init_pointer = begins;
    opts.total = ends;
    opts.reverse = c.reverse;
    REQUIRE(tests::call_segments(c, offsets, from, to, scan::plus{}, opts, where...).ok());
  }
  void call_on_host(bool exclusive) {
    out.assign(in.size(), scan::convert<T>(-7.0f));
    totals.assign(inits.size(), scan::convert<T>(-7.0f));
    scan::host_options<T> opts;
    opts.threads = 3;
    call(exclusive, c.layout->offsets.data(), in.data(), out.data(), inits.data(), totals.data(),
         opts, scan::host);
  }
  void call_on_device(bool exclusive) {
    const tests::device_memory d_in(in.size() * sizeof(T)), d_inits(inits.size() * sizeof(T)),
        d_out(in.size() * sizeof(T)), d_totals(inits.size() * sizeof(T)),
        d_offsets(c.layout->offsets.size() * sizeof(std::int64_t));
    const auto upload = [](const tests::device_memory& to, const auto& from) {
      tests::cuda_check(cudaMemcpy(to.as<void>(), from.data(), from.size() * sizeof(from[0]),
                                   cudaMemcpyHostToDevice));
    };
    upload(d_in, in);
    upload(d_inits, inits);
    upload(d_offsets, c.layout->offsets);
    tests::cuda_check(cudaMemset(d_out.as<void>(), 0xEE, in.size() * sizeof(T)));
    tests::cuda_check(cudaMemset(d_totals.as<void>(), 0xEE, inits.size() * sizeof(T)));
    call(exclusive, d_offsets.as<void>(), d_in.as<const T>(), d_out.as<T>(), d_inits.as<const T>(),
         d_totals.as<T>(), scan::options<T>{});
    const auto fetch = [](std::vector<T>& to, const tests::device_memory& from) {
      tests::cuda_check(
          cudaMemcpy(to.data(), from.as<void>(), to.size() * sizeof(T), cudaMemcpyDeviceToHost));
    };
    fetch(out, d_out);
    fetch(totals, d_totals);
  }

  /// After an inclusive and an exclusive call.
  template <class Call>
  void check(const Call& call_once) {
    call_once(false);
    CHECK(worst_error(c, in.data(), out.data(), inits) < 1);
    CHECK(wrong_totals(c, out.data(), totals.data(), inits.data()) == 0);
    const std::vector<T> expected = totals;
    call_once(true);
    CHECK(std::memcmp(totals.data(), expected.data(), expected.size() * sizeof(T)) == 0);
  }
};

/// On CPU threads and on the device.
template <class T>
void check_real_values(const segment_layout& layout, bool reverse) {
  segment_case c;
  c.layout = std::make_shared<const segment_layout>(layout);
  c.reverse = reverse;
  c.init = tests::sequence_init::by_pointer;
  c.with_total = true;
  INFO(sizeof(T), " bytes, ", c.describe());
  real_sums<T> sums(c);
  sums.check([&](bool exclusive) { sums.call_on_host(exclusive); });
  if (!tests::gpu_present()) return;
  sums.check([&](bool exclusive) { sums.call_on_device(exclusive); });
}

/// Runs of these lengths by keys of type `Key`, made of 0 and 1, or by `scan::flags` of them.
template <class Key>
void check_key_type() {
  const segment_layout runs =
      tests::as_runs(tests::layout_of_lengths("Zipf", tests::zipf_lengths(3000, 300, 9)));
  segment_case c;
  c.layout = std::make_shared<const segment_layout>(runs);
  const auto n = static_cast<std::size_t>(runs.num_items);
  std::vector<unsigned char> keys(n * sizeof(Key)), flags(n);
  for (std::size_t run = 0; run + 1 < runs.offsets.size(); ++run) {
    for (std::int64_t i = runs.offsets[run]; i < runs.offsets[run + 1]; ++i) {
      keys[static_cast<std::size_t>(i) * sizeof(Key)] = run % 2;
      flags[static_cast<std::size_t>(i)] = i == runs.offsets[run];
    }
  }
  const std::vector<std::int32_t> in = tests::random_items<std::int32_t>(runs.num_items, 3);
  std::vector<std::int32_t> expected(n), out(n);
  tests::scan_segments_serially(c, in.data(), expected.data(), {},
                                static_cast<std::int32_t*>(nullptr), scan::plus{});
  const auto call = [&](const auto* heads, const std::int32_t* from, std::int32_t* to,
                        auto... where) {
    REQUIRE(scan::inclusive_by_key(where..., heads, from, to, runs.num_items).ok());
  };
  call(reinterpret_cast<const Key*>(keys.data()), in.data(), out.data(), scan::host);
  CHECK(bool(out == expected));
  const scan::flags by_bools{reinterpret_cast<const bool*>(flags.data())};
  out.assign(n, 0);
  REQUIRE(scan::inclusive_by_key(scan::host, by_bools, in.data(), out.data(), runs.num_items).ok());
  CHECK(bool(out == expected));
  if (!tests::gpu_present()) return;
  const tests::device_memory d_keys(keys.size()), d_items(4 * n);
  tests::cuda_check(
      cudaMemcpy(d_keys.as<void>(), keys.data(), keys.size(), cudaMemcpyHostToDevice));
  tests::cuda_check(cudaMemcpy(d_items.as<void>(), in.data(), 4 * n, cudaMemcpyHostToDevice));
  call(d_keys.as<const Key>(), d_items.as<std::int32_t>(), d_items.as<std::int32_t>());
  tests::cuda_check(cudaMemcpy(out.data(), d_items.as<void>(), 4 * n, cudaMemcpyDeviceToHost));
  CHECK(bool(out == expected));
}
enum class color : short { red, green };

}  // namespace

TEST_SUITE("segments values") {
  TEST_CASE("keys of every type that is an integer, and flags of bool") {
    check_key_type<bool>();
    check_key_type<char>();
    check_key_type<std::int8_t>();
    check_key_type<char16_t>();
    check_key_type<color>();
    check_key_type<std::int32_t>();
    check_key_type<long long>();
    check_key_type<unsigned long>();
  }

  TEST_CASE("real numbers: within 2000 roundings of exact results, totals are last outputs") {
    for (const segment_layout& layout :
         {tests::layout_of_lengths("one", {200003}, 3),
          tests::layout_of_lengths("few", {70000, 33, 0, 20001, 5}),
          tests::layout_of_lengths("Zipf", tests::zipf_lengths(100000, 20000, 3)),
          tests::layout_of_lengths("all of 13", std::vector<std::int64_t>(5000, 13))}) {
      for (const bool reverse : {false, true}) {
        check_real_values<float>(layout, reverse);
        check_real_values<double>(layout, reverse);
        check_real_values<__half>(layout, reverse);
        check_real_values<__nv_bfloat16>(layout, reverse);
      }
    }
  }
}
