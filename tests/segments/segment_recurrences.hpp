// Recurrences by segments, keys and flags: their data, what is expected, and the call.
#ifndef SCAN_TESTS_SEGMENT_RECURRENCES_HPP
#define SCAN_TESTS_SEGMENT_RECURRENCES_HPP

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "scan/scan.hpp"
#include "tests/segments/segment_case.hpp"

namespace tests {

/// Numbers whose states are exact in whatever order steps are taken: small integers, factors of 1
/// and -1 or, with a reset every few dozen steps, small powers of two whose products are small,
/// too. What must not be seen is infinite or NaN now and then: the states before heads, factors at
/// heads without an init, elements of no segment.
template <class In_, class Out_>
struct recurrence_data {
  using In = In_;
  using Out = Out_;
  using S = scan::state_t<Out>;
  segment_case c;
  bool has_one_factor;
  S factor{};
  std::vector<In> a, b;
  std::vector<S> inits;
  std::vector<Out> before, wanted;  // what h holds before and after
  std::vector<S> totals;

  recurrence_data(const segment_case& of, std::mt19937_64& random)
      : c(of), has_one_factor(random() % 4 == 0) {
    c.exclusive = false;
    if constexpr (!std::is_same_v<In, Out>) c.in_place = false;
    draw_numbers(random);
    if (random() % 2 == 0) poison(random);
    before = drawn<Out>(c.num_items(), random);
    if constexpr (std::is_same_v<In, Out>) {
      if (c.in_place) before = b;
    }
    wanted = before;
    totals.assign(c.with_total ? static_cast<std::size_t>(c.layout->num_segments()) : 0, S(-7));
    recur_serially();
  }

 private:
  template <class T>
  static T other(std::mt19937_64& random) {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    constexpr float all[] = {infinity, -infinity, std::numeric_limits<float>::quiet_NaN()};
    return scan::convert<T>(all[random() % 3]);
  }
  template <class T>
  static std::vector<T> drawn(std::int64_t n, std::mt19937_64& random) {
    std::vector<T> items;
    for (std::int64_t i = 0; i < n; ++i) {
      items.push_back(scan::convert<T>(static_cast<float>(static_cast<int>(random() % 17) - 8)));
    }
    return items;
  }
  /// The element that segment s begins with, in the order of the walk; it has some.
  std::size_t head_of(std::size_t s) const {
    return static_cast<std::size_t>(c.reverse ? c.layout->offsets[s + 1] - 1
                                              : c.layout->offsets[s]);
  }

  void draw_numbers(std::mt19937_64& random) {
    b = drawn<In>(c.num_items(), random);
    inits = drawn<S>(c.num_inits(), random);
    for (S& init : inits) init = init * 251 + S(0.0625);  // which 16 bits do not hold
    const bool with_powers = random() % 2 == 0;
    int exponent = 0;
    for (std::int64_t i = 0; i < c.num_items(); ++i) {
      const std::uint64_t bits = random();
      const int next =
          with_powers ? std::clamp(exponent + static_cast<int>(bits % 3) - 1, -2, 2) : 0;
      const float sign = bits >> 8 & 1 ? 1.f : -1.f;
      const bool resets = with_powers && (bits >> 32) % 25 == 0;
      a.push_back(scan::convert<In>(resets ? sign * 0.f : std::ldexp(sign, next - exponent)));
      // (Behind a factor of -1 the sign of a zero depends on the order.)
      if (resets && !has_one_factor && bits >> 9 & 1)
        b[static_cast<std::size_t>(i)] = scan::convert<In>(-0.f);
      exponent = next;
    }
    if (!has_one_factor) return;
    factor = static_cast<S>(static_cast<int>(random() % 3) - 1);
    std::fill(a.begin(), a.end(), scan::convert<In>(static_cast<float>(factor)));
  }

  void poison(std::mt19937_64& random) {
    const auto& offsets = c.layout->offsets;
    const auto spoil = [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t i = first; i < last; ++i) {
        b[static_cast<std::size_t>(i)] = other<In>(random);
        if (!has_one_factor) a[static_cast<std::size_t>(i)] = other<In>(random);
      }
    };
    spoil(0, c.layout->begin());
    spoil(c.layout->end(), c.num_items());
    for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
      const std::int64_t length = offsets[s + 1] - offsets[s];
      if (c.init == sequence_init::by_pointer && random() % 16 == 0) inits[s] = other<S>(random);
      if (length == 0) continue;
      const std::int64_t place =
          offsets[s] + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(length));
      if (random() % 4 == 0) b[static_cast<std::size_t>(place)] = other<In>(random);
      if (c.init != sequence_init::none) continue;
      if (random() % 8 == 0) b[head_of(s)] = scan::convert<In>(-0.f);
      if (random() % 4 == 0 && !has_one_factor) a[head_of(s)] = other<In>(random);
    }
  }

  void recur_serially() {
    const auto& offsets = c.layout->offsets;
    for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
      const auto init = init_of_sequence(c, inits, static_cast<std::int64_t>(s));
      S state = init.value_or(S(0));
      for (std::int64_t step = 0; step < offsets[s + 1] - offsets[s]; ++step) {
        const auto i =
            static_cast<std::size_t>(c.reverse ? offsets[s + 1] - 1 - step : offsets[s] + step);
        const S offset = scan::convert<S>(b[i]);
        const S of = has_one_factor ? factor : scan::convert<S>(a[i]);
        state = (step == 0 && !init) || of == 0 ? offset : of * state + offset;
        wanted[i] = scan::convert<Out>(state);
      }
      if (c.with_total) totals[s] = state;
    }
  }
};

/// The call; `where` is scan::host, or nothing. Pointers are to what the data has, in its memory;
/// `one_too`: whether one factor is given as such.
template <bool one_too, class Data, class Options, class... Where>
scan::status call_recurrence(const Data& data, const void* heads, const typename Data::In* a,
                             const typename Data::In* b, typename Data::Out* h, Options opts,
                             const typename Data::S* inits, typename Data::S* totals,
                             Where... where) {
  const segment_case& c = data.c;
  opts.reverse = c.reverse;
  if (c.init == sequence_init::by_value) opts.init = data.inits[0];
  if (c.init == sequence_init::by_pointer) opts.init_pointer = inits;
  if (c.with_total) opts.total = totals;
  const auto call = [&](const auto& factors) {
    const auto by_keys = [&](const auto& keys) {
      return scan::recurrence_by_key(where..., keys, factors, b, h, c.num_items(), opts);
    };
    return visit_heads(
        c.heads, heads,
        [&](const auto* offsets) {
          const scan::segments parts{offsets, c.layout->num_segments(),
                                     c.items_unsaid ? scan::unsaid_items : c.num_items()};
          return scan::recurrence(where..., factors, b, h, parts, opts);
        },
        by_keys, [&](const auto* words) { return by_keys(scan::flags{words}); });
  };
  if constexpr (one_too) {
    if (data.has_one_factor) return call(scan::factor{data.factor});
  }
  return call(a);
}

/// The first that differs, or -1; NaNs are all alike.
template <class T>
std::int64_t first_unlike(const std::vector<T>& a, const std::vector<T>& b) {
  if (a.size() != b.size()) return 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double x = scan::convert<double>(a[i]), y = scan::convert<double>(b[i]);
    if (std::isnan(x) && std::isnan(y)) continue;
    if (std::memcmp(&a[i], &b[i], sizeof(T)) != 0) return static_cast<std::int64_t>(i);
  }
  return -1;
}
/// What is wrong with the results, or "".
template <class Data>
std::string judge(const Data& data, const std::vector<typename Data::Out>& h,
                  const std::vector<typename Data::S>& totals) {
  const auto said = [&](const char* what, std::int64_t i, auto is, auto wanted) {
    return std::string(what) + std::to_string(i) + " is " +
           std::to_string(scan::convert<double>(is)) + ", not " +
           std::to_string(scan::convert<double>(wanted));
  };
  if (const std::int64_t i = first_unlike(h, data.wanted); i >= 0) {
    const auto at = static_cast<std::size_t>(i);
    return said("output ", i, h[at], data.wanted[at]);
  }
  if (!data.c.with_total) return "";
  const std::int64_t i = first_unlike(totals, data.totals);
  if (i < 0) return "";
  return said("total ", i, totals[static_cast<std::size_t>(i)],
              data.totals[static_cast<std::size_t>(i)]);
}

}  // namespace tests

#endif
