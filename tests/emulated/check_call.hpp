// What the tests on the stand-in GPU share: how a call's arrays lie, and what is compared.
#ifndef SCAN_TESTS_EMULATED_CHECK_CALL_HPP
#define SCAN_TESTS_EMULATED_CHECK_CALL_HPP

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "scan/options.hpp"
#include "scan/status.hpp"
#include "tests/emulated/arrays.hpp"
#include "tests/emulated/engine.hpp"
#include "tests/support/sequence_reference.hpp"

namespace emulated {

inline constexpr tests::sequence_init no_init = tests::sequence_init::none;

/// Runs `check(random)` for so many seeds, on each of the devices `last` and before in turn; then
/// all of `kernels` have been launched, as a test that says so has to see to.
template <class Check>
void draw(int count, int last, const std::vector<std::string>& kernels, Check check) {
  seen = {};
  for (int i = 0; i < count; ++i) {
    now.seed = static_cast<std::uint64_t>(i);
    now.device = i % (last + 1);
    std::mt19937_64 random(now.seed * 77 + 5);
    check(random);
  }
  for (const std::string& each : kernels) CHECK_MESSAGE(seen.kernels[each] > 0, each);
}
/// How many elements of so many bytes a case has at most, of which it may draw any.
inline std::int64_t random_most(std::mt19937_64& random, std::size_t item_bytes) {
  constexpr std::int64_t num_bytes[] = {2400, 24000, 24000, 240000};
  return num_bytes[random() % 4] / static_cast<std::int64_t>(item_bytes);
}

/// One end of its arrays is at a page's.
inline guarded_pages::end random_end(std::mt19937_64& random) {
  return random() % 2 == 0 ? guarded_pages::end::first : guarded_pages::end::last;
}

template <class T>
bool are_same(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

/// The arrays of a call, whose output holds something before it: `items_out`, which in place begin
/// with what is read. `offset`: of elements past a granule.
template <class In, class Out, class Value = Out>
struct call_arrays {
  array<In> in;
  array<Out> out;
  array<Value> totals, inits;

  call_arrays(const std::vector<In>& items_in, std::int64_t in_offset,
              const std::vector<Out>& items_out, std::int64_t out_offset,
              const std::vector<Value>& items_inits, std::int64_t num_totals,
              std::mt19937_64& random)
      : in(items_in, in_offset, random_end(random)),
        out(items_out, out_offset, random_end(random)),
        totals(num_totals, static_cast<std::int64_t>(random() % 4), random_end(random)),
        inits(items_inits, static_cast<std::int64_t>(random() % 4), random_end(random)) {
    in.lock();
    inits.lock();
  }

  scan::options<Value> options(const tests::sequence_case& c,
                               const std::vector<Value>& values) const {
    scan::options<Value> opts;
    opts.reverse = c.reverse;
    opts.complete = c.complete;
    if (c.init == tests::sequence_init::by_value) opts.init = values[0];
    if (c.init == tests::sequence_init::by_pointer) opts.init_pointer = inits.data();
    if (c.with_total) opts.total = totals.data();
    return opts;
  }

  /// After the call, which `wanted` says the results of.
  void check(const scan::status& status, const std::string& what, const std::vector<Out>& wanted,
             const std::vector<Value>& wanted_totals) const {
    INFO(what);
    INFO("seed " << now.seed << ", device " << now.device);
    INFO(std::string(seen.failure));
    REQUIRE_MESSAGE(status.ok(), std::string(status.message()));
    CHECK(are_same(out.items(), wanted));
    if (!wanted_totals.empty()) CHECK(are_same(totals.items(), wanted_totals));
    CHECK((in.is_intact() && out.is_intact() && totals.is_intact() && inits.is_intact()));
  }
};

/// Elements as scans of all kinds take them: of integers anything; of floats small integers, whose
/// sums are exact in every order.
template <class T>
T random_item(std::mt19937_64& random) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(random());
  } else {
    return T(static_cast<float>(static_cast<int>(random() % 17) - 8));
  }
}
template <class T>
std::vector<T> random_vector(std::int64_t n, std::mt19937_64& random) {
  std::vector<T> items(static_cast<std::size_t>(n));
  for (T& each : items) each = random_item<T>(random);
  return items;
}

}  // namespace emulated

#endif
