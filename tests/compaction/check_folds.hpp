// reduce_by_key of random cases, compared with serial loops: see check_compaction.hpp.
#ifndef SCAN_TESTS_COMPACTION_CHECK_FOLDS_HPP
#define SCAN_TESTS_COMPACTION_CHECK_FOLDS_HPP

#include "tests/compaction/check_compaction.hpp"

namespace tests {

/// x -> a x + b of 32-bit numbers: in another order, or with one left out, another map.
struct affine {
  std::uint32_t a, b;
  bool operator==(const affine& other) const { return a == other.a && b == other.b; }
};
struct one_after_another {
  template <class Map>
  SCAN_HOST_DEVICE Map operator()(const Map& earlier, const Map& later) const {
    Map result;
    result.a = later.a * earlier.a;
    result.b = later.a * earlier.b + later.b;
    return result;
  }
};
/// The same in one word, aligned to its size, which the ring takes.
struct alignas(8) word_affine : affine {};
/// A map of its own, from a number; of even `a` what was before would fade.
inline affine affine_of(std::uint64_t random) {
  return {static_cast<std::uint32_t>(random) | 1, static_cast<std::uint32_t>(random >> 32)};
}

/// Values whose sums are exact in every type: how many, or what, they are does not matter else.
template <class V>
std::vector<V> draw_values(std::size_t n, std::mt19937_64& random) {
  std::vector<V> values(n);
  for (V& each : values) {
    if constexpr (std::is_base_of_v<affine, V>) {
      each = V{affine_of(random())};
    } else if constexpr (std::is_floating_point_v<V>) {
      each = static_cast<V>(static_cast<int>(random() % 9) - 4);
    } else {
      each = static_cast<V>(random());
    }
  }
  return values;
}

template <class Place, class Key, class In, class Out, class Op, class Equal>
void check_folds(compaction_case c, Op op, Equal equal, std::mt19937_64& random) {
  const auto begins = draw_kept(c, random);
  auto keys = draw_items<Key>(static_cast<std::int64_t>(begins.size()), random);
  for (std::size_t i = 1; i < keys.size(); ++i) {
    if (!begins[i]) keys[i] = keys[i - 1];
  }
  const auto values = draw_values<In>(keys.size(), random);
  std::vector<Key> starts;
  std::vector<Out> folds;
  for (std::size_t i = 0; i < static_cast<std::size_t>(c.n); ++i) {
    if (i == 0 || !(keys[i - 1] == keys[i])) {
      starts.push_back(keys[i]);
      folds.push_back(static_cast<Out>(values[i]));
    } else {
      folds.back() = static_cast<Out>(op(folds.back(), static_cast<Out>(values[i])));
    }
  }
  const auto num_runs = static_cast<std::int64_t>(starts.size());
  fit(c, num_runs);
  INFO(c.describe());
  INFO(Place::now() << ", bytes " << sizeof(Key) << " and " << sizeof(In));
  const call_numbers_there<Place> there(c, begins, random);
  const auto before = draw_items<Key>(c.room, random);
  const auto folds_before = draw_values<Out>(static_cast<std::size_t>(c.room), random);
  using keys_array = typename Place::template array<Key>;
  const keys_array in(keys, c.in_offset, random), apart(before, c.out_offset, random);
  const typename Place::template array<In> from(values, static_cast<std::int64_t>(random() % 16),
                                                random);
  const typename Place::template array<Out> to(folds_before,
                                               static_cast<std::int64_t>(random() % 16), random);
  auto wanted = c.in_place ? keys : before;
  auto wanted_folds = folds_before;
  const auto fitting = static_cast<std::ptrdiff_t>(std::min(num_runs, c.room));
  std::copy(starts.begin(), starts.begin() + fitting, wanted.begin());
  std::copy(folds.begin(), folds.begin() + fitting, wanted_folds.begin());
  from.lock();
  const keys_array& out = c.in_place ? in : apart;
  there.check(c,
              Place::reduce_by_key(in.data(), from.data(), out.data(), to.data(), there.number(c),
                                   op, there.options(c, random), equal),
              num_runs);
  CHECK(out.items() == wanted);
  CHECK(to.items() == wanted_folds);
  CHECK(from.items() == values);
  CHECK((in.is_intact() && out.is_intact() && from.is_intact() && to.is_intact()));
}

/// One case of each kind that libscan.a holds, of about `num_bytes` bytes at most.
template <class Place>
void check_held_folds(std::mt19937_64& random, std::int64_t num_bytes) {
  const auto drawn = [&](std::int64_t item_bytes) {
    return random_compaction(random, 1 + num_bytes / item_bytes);
  };
  const scan::equal_keys same;
  check_folds<Place, std::int32_t, std::int32_t, std::int32_t>(drawn(8), scan::plus{}, same,
                                                               random);
  check_folds<Place, std::uint32_t, float, float>(drawn(8), scan::plus{}, same, random);
  check_folds<Place, std::uint64_t, std::uint64_t, std::uint64_t>(drawn(16), scan::plus{}, same,
                                                                  random);
  check_folds<Place, std::int64_t, double, double>(drawn(16), std::plus<>{}, same, random);
}
/// And of others: wider sums, an operator whose order counts, keys that are compared otherwise.
template <class Place>
void check_own_folds(std::mt19937_64& random, std::int64_t num_bytes) {
  const auto drawn = [&](std::int64_t item_bytes) {
    return random_compaction(random, 1 + num_bytes / item_bytes);
  };
  const scan::equal_keys same;
  check_folds<Place, std::uint8_t, std::int8_t, std::int64_t>(drawn(4), scan::plus{}, same, random);
  check_folds<Place, std::uint16_t, std::int32_t, std::int32_t>(drawn(6), scan::maximum{}, same,
                                                                random);
  check_folds<Place, std::int32_t, affine, affine>(drawn(12), one_after_another{}, same, random);
  check_folds<Place, std::int64_t, std::int32_t, std::int64_t>(drawn(20), scan::plus{}, same,
                                                               random);
  check_folds<Place, element<12, 4>, affine, affine>(drawn(20), one_after_another{}, are_equal{},
                                                     random);
}

}  // namespace tests

#endif
