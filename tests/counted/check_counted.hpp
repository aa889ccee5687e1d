// Scans of as many elements as memory says, of random cases, called and compared with serial loops:
// whole outputs, what lies beyond the number, and totals. A `Place` says where: on the stand-in
// GPU, on a device, on CPU threads.
//
//   Place::array<T>(items, offset, random)  as of check_compaction.hpp
//   Place::scan, by_key(exclusive, ...)  the calls, in device or host memory
//   Place::options<T>(random), Place::now()  what says which case this is
#ifndef SCAN_TESTS_COUNTED_CHECK_COUNTED_HPP
#define SCAN_TESTS_COUNTED_CHECK_COUNTED_HPP

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "scan/counted.hpp"
#include "scan/device/plan/sequence_plan.hpp"
#include "scan/segmented.hpp"
#include "scan/workspace.hpp"
#include "tests/support/sequence_reference.hpp"

namespace tests {

enum class begun_by { keys, flag_bytes, flag_bits };

struct counted_case : sequence_case {
  std::int64_t number = 0;  // in memory
  std::int64_t most = 0;    // what the call says
  begun_by by = begun_by::keys;
  std::int64_t in_offset = 0, out_offset = 0, by_offset = 0;

  /// Elements that are scanned.
  std::int64_t known() const { return std::clamp<std::int64_t>(number, 0, most); }
  std::string describe() const {
    return std::string(exclusive ? "exclusive, " : "inclusive, ") + std::to_string(number) +
           " of " + std::to_string(most) + describe_options() + ", by " +
           std::to_string(static_cast<int>(by)) + ", offsets " + std::to_string(in_offset) + ", " +
           std::to_string(out_offset) + ", " + std::to_string(by_offset);
  }
};

/// Capacities and numbers around those of whole tiles of `tile_items`, the ends, and what cannot
/// be.
inline counted_case random_counted(std::mt19937_64& random, std::int64_t most_items,
                                   std::int64_t tile_items) {
  const auto below = [&](std::int64_t n) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
  };
  const auto near = [&](std::int64_t most) {
    const std::int64_t whole = (1 + below(4)) * tile_items - 1 + below(3);
    return below(2) == 0 && whole <= most ? whole : below(most + 1);
  };
  counted_case c;
  c.most = below(12) == 0 ? below(3) : near(most_items);
  const std::int64_t numbers[] = {
      0,         1,         c.most - 1,   c.most,       c.most + 5,   -3,
      INT64_MAX, INT64_MIN, near(c.most), near(c.most), near(c.most), near(c.most)};
  c.number = numbers[below(12)];
  c.exclusive = below(2) == 0;
  c.complete = c.exclusive && below(3) == 0;
  c.reverse = below(2) == 0;
  c.with_total = below(2) == 0;
  c.in_place = !c.complete && below(4) == 0;
  c.init = static_cast<sequence_init>(below(3));
  c.by = static_cast<begun_by>(below(3));
  c.in_offset = below(3) == 0 ? 0 : below(16);
  c.out_offset = below(3) == 0 ? 0 : below(16);
  c.by_offset = below(16);
  return c;
}
/// Of the look-back kernel's tiles.
inline std::int64_t counted_tile(std::size_t element_bytes) {
  return scan::device::tuning_for(static_cast<int>(element_bytes)).tile_items();
}

/// Integers are any, floats small integers, whose sums are exact in every order.
template <class T>
std::vector<T> counted_items(std::int64_t n, std::mt19937_64& random) {
  std::vector<T> items(static_cast<std::size_t>(n));
  for (T& each : items) {
    if constexpr (std::is_integral_v<T>) {
      each = static_cast<T>(random());
    } else {
      each = T(static_cast<float>(static_cast<int>(random() % 17) - 8));
    }
  }
  return items;
}
template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

/// A call's arrays but those that say where runs begin.
template <class Place, class In, class Out>
struct counted_arrays {
  typename Place::template array<In> in;
  typename Place::template array<Out> out, init, total;
  typename Place::template array<std::int64_t> number;

  counted_arrays(const counted_case& c, const std::vector<In>& items,
                 const std::vector<Out>& before, Out first, std::mt19937_64& random)
      : in(items, c.in_offset, random),
        out(before, c.out_offset, random),
        init(std::vector<Out>{first}, 1, random),
        total(std::vector<Out>{first}, 2, random),
        number(std::vector<std::int64_t>{c.number}, 1, random) {
    in.lock();
    init.lock();
    number.lock();
  }
  const In* from(const counted_case& c) const {
    if constexpr (std::is_same_v<In, Out>) {
      if (c.in_place) return out.data();
    }
    return in.data();
  }
  auto options(const counted_case& c, Out first, std::mt19937_64& random) const {
    auto opts = Place::template options<Out>(random);
    opts.reverse = c.reverse;
    opts.complete = c.complete;
    if (c.init == sequence_init::by_value) opts.init = first;
    if (c.init == sequence_init::by_pointer) opts.init_pointer = init.data();
    if (c.with_total) opts.total = total.data();
    return opts;
  }
  scan::count count(const counted_case& c) const { return {number.data(), c.most}; }
  void check(const scan::status& status, const std::vector<Out>& wanted,
             const std::vector<Out>& wanted_total) const {
    REQUIRE_MESSAGE(status.ok(), std::string(status.message()));
    CHECK(same_bits(out.items(), wanted));
    CHECK(same_bits(total.items(), wanted_total));
    CHECK((in.is_intact() && out.is_intact() && init.is_intact() && total.is_intact() &&
           number.is_intact()));
  }
};

template <class Place, class In, class Out, class Op>
void check_counted(counted_case c, Op op, std::mt19937_64& random) {
  if (!std::is_same_v<In, Out>) c.in_place = false;
  INFO(c.describe());
  INFO(Place::now() << ", bytes " << sizeof(In) << " to " << sizeof(Out));
  const auto items = counted_items<In>(c.most, random);
  auto wanted = counted_items<Out>(c.most + c.complete, random);
  const Out first = counted_items<Out>(1, random)[0];
  if constexpr (std::is_same_v<In, Out>) {
    if (c.in_place) wanted = items;
  }
  const counted_arrays<Place, In, Out> arrays(c, items, wanted, first, random);
  std::vector<Out> computed, total{first};
  for (std::int64_t i = 0; i < c.known(); ++i) {
    computed.push_back(static_cast<Out>(items[static_cast<std::size_t>(i)]));
  }
  const auto results = scan_sequence<Out>(c, computed, init_of_sequence<Out>(c, {first}, 0), op);
  std::copy(results.outputs.begin(), results.outputs.end(), wanted.begin());
  if (c.with_total) total[0] = results.total;
  arrays.check(Place::scan(c.exclusive, arrays.from(c), arrays.out.data(), arrays.count(c), op,
                           arrays.options(c, first, random)),
               wanted, total);
}

/// Of runs by keys, or by flags; beyond the number there are others.
template <class Place, class T, class Key>
void check_counted_runs(counted_case c, std::mt19937_64& random) {
  c.complete = c.with_total = false;
  if (c.init == sequence_init::by_pointer) c.init = sequence_init::by_value;
  INFO(c.describe());
  INFO(Place::now() << ", bytes " << sizeof(T) << ", of keys " << sizeof(Key));
  const auto items = counted_items<T>(c.most, random);
  const auto before = c.in_place ? items : counted_items<T>(c.most, random);
  auto wanted = before;
  const T first = counted_items<T>(1, random)[0];
  const auto n = static_cast<std::size_t>(c.most);
  std::vector<Key> keys(n);
  std::vector<std::uint8_t> bytes(n);
  std::vector<std::uint32_t> bits(n / 32 + 1);
  std::vector<std::size_t> begins;
  const std::uint64_t often = std::uint64_t{1} << random() % 10;
  for (std::size_t i = 0; i < n; ++i) {
    const bool begin = random() % often == 0;
    keys[i] = static_cast<Key>(i == 0 ? random() : keys[i - 1] + (begin ? 1 : 0));
    bytes[i] = begin ? static_cast<std::uint8_t>(1 + random() % 255) : std::uint8_t{0};
    bits[i / 32] |= std::uint32_t{begin} << i % 32;
    if ((begin || i == 0) && static_cast<std::int64_t>(i) < c.known()) begins.push_back(i);
  }
  for (std::size_t r = 0; r < begins.size(); ++r) {
    const auto begin = static_cast<std::ptrdiff_t>(begins[r]);
    const auto end = static_cast<std::ptrdiff_t>(
        r + 1 < begins.size() ? begins[r + 1] : static_cast<std::size_t>(c.known()));
    const auto run = scan_sequence<T>(
        c, std::vector<T>(items.begin() + begin, items.begin() + end),
        c.init == sequence_init::none ? std::nullopt : std::optional<T>(first), scan::plus{});
    std::copy(run.outputs.begin(), run.outputs.end(), wanted.begin() + begin);
  }
  const counted_arrays<Place, T, T> arrays(c, items, before, first, random);
  const typename Place::template array<Key> keys_there(keys, c.by_offset, random);
  const typename Place::template array<std::uint8_t> bytes_there(bytes, c.by_offset, random);
  const typename Place::template array<std::uint32_t> bits_there(bits, c.by_offset, random);
  keys_there.lock();
  bytes_there.lock();
  bits_there.lock();
  const auto opts = arrays.options(c, first, random);
  const auto call = [&](const auto& by) {
    return Place::by_key(c.exclusive, by, arrays.from(c), arrays.out.data(), arrays.count(c), opts);
  };
  const auto* const key = keys_there.data();
  arrays.check(c.by == begun_by::keys         ? call(key)
               : c.by == begun_by::flag_bytes ? call(scan::flags{bytes_there.data()})
                                              : call(scan::flags{bits_there.data()}),
               wanted, {first});
  CHECK((keys_there.is_intact() && bytes_there.is_intact() && bits_there.is_intact()));
}

/// One workspace for counts that change, as replays of a graph have it: each draws its own tickets.
template <class Place>
void check_counted_in_turn(std::mt19937_64& random) {
  const std::int64_t most = 6 * counted_tile(4) + 5;
  scan::workspace space(most);
  const auto items = counted_items<std::uint32_t>(most, random);
  const typename Place::template array<std::uint32_t> in(items, 0, random);
  for (int turn = 0; turn < 12; ++turn) {
    counted_case c;
    c.most = most;
    c.number = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most + 1));
    INFO(c.describe());
    auto wanted = counted_items<std::uint32_t>(most, random);
    const typename Place::template array<std::uint32_t> out(wanted, 0, random);
    const typename Place::template array<std::int64_t> number({c.number}, 0, random);
    auto opts = Place::template options<std::uint32_t>(random);
    opts.workspace = &space;
    REQUIRE(Place::scan(false, in.data(), out.data(), scan::count{number.data(), most},
                        scan::plus{}, opts)
                .ok());
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(c.number); ++i) {
      wanted[i] = sum += items[i];
    }
    CHECK(same_bits(out.items(), wanted));
  }
}

}  // namespace tests

#endif
