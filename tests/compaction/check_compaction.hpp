// Compactions of random cases, called and compared with serial loops: whole outputs, what lies
// beyond them, and counts. A `Place` says where: on the stand-in GPU, on a device, on CPU threads.
//
//   Place::array<T>(items, offset, random)  an array of elements, so many past a granule, with ends
//     that are felt; data(), items() as they are now, lock() (nobody writes any more), is_intact()
//   Place::select and the like, of device or host memory; Place::options(count, capacity, random)
//   Place::now()  what says which case this is; Place::takes_functions  of a caller's own, too
#ifndef SCAN_TESTS_COMPACTION_CHECK_COMPACTION_HPP
#define SCAN_TESTS_COMPACTION_CHECK_COMPACTION_HPP

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "scan/compaction.hpp"
#include "tests/compaction/compaction_case.hpp"

namespace tests {

/// Elements of any size and alignment.
template <int num_bytes, int alignment>
struct alignas(alignment) element {
  unsigned char bytes[num_bytes];
  SCAN_HOST_DEVICE bool operator==(const element& other) const {
    for (int i = 0; i < num_bytes; ++i) {
      if (bytes[i] != other.bytes[i]) return false;
    }
    return true;
  }
};
/// Any, of which the first bit says what a predicate does.
template <class T>
std::vector<T> draw_items(const std::vector<bool>& kept, std::mt19937_64& random) {
  std::vector<T> items(kept.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    unsigned char bytes[sizeof(T)];
    for (std::size_t at = 0; at < sizeof(T); at += 8) {
      const std::uint64_t some = random();
      std::memcpy(bytes + at, &some, std::min<std::size_t>(sizeof(T) - at, 8));
    }
    bytes[0] = static_cast<unsigned char>((bytes[0] & 0xfe) | (kept[i] ? 1 : 0));
    std::memcpy(static_cast<void*>(&items[i]), bytes, sizeof(T));
  }
  return items;
}
template <class T>
std::vector<T> draw_items(std::int64_t n, std::mt19937_64& random) {
  return draw_items<T>(std::vector<bool>(static_cast<std::size_t>(n)), random);
}
struct first_bit {
  template <class T>
  SCAN_HOST_DEVICE bool operator()(const T& item) const {
    return (*reinterpret_cast<const unsigned char*>(&item) & 1) != 0;
  }
};
struct are_equal {
  template <class T>
  SCAN_HOST_DEVICE bool operator()(const T& a, const T& b) const {
    return a == b;
  }
};

/// Flags in both forms.
inline std::vector<std::uint8_t> flag_bytes(const std::vector<bool>& kept,
                                            std::mt19937_64& random) {
  std::vector<std::uint8_t> bytes;
  for (const bool each : kept) {
    bytes.push_back(each ? static_cast<std::uint8_t>(1 + random() % 255) : std::uint8_t{0});
  }
  return bytes;
}
inline std::vector<std::uint32_t> flag_bits(const std::vector<bool>& kept,
                                            std::mt19937_64& random) {
  std::vector<std::uint32_t> words((kept.size() + 31) / 32);
  for (std::uint32_t& each : words) each = static_cast<std::uint32_t>(random());
  for (std::size_t i = 0; i < kept.size(); ++i) {
    words[i / 32] = (words[i / 32] & ~(1u << i % 32)) | std::uint32_t{kept[i]} << i % 32;
  }
  return words;
}

/// Calls compared so far, and their elements.
inline std::int64_t num_compactions = 0, num_compacted = 0;

/// A call's n, flags and count.
template <class Place>
struct call_numbers_there {
  static constexpr std::int64_t untouched = -7;
  typename Place::template array<std::uint8_t> bytes;
  typename Place::template array<std::uint32_t> bits;
  typename Place::template array<std::int64_t> n, count;

  call_numbers_there(const compaction_case& c, const std::vector<bool>& kept,
                     std::mt19937_64& random)
      : bytes(flag_bytes(kept, random), c.flags_offset, random),
        bits(flag_bits(kept, random), c.flags_offset, random),
        n(std::vector<std::int64_t>{c.n}, 1, random),
        count(std::vector<std::int64_t>{untouched}, 0, random) {
    bytes.lock();
    bits.lock();
    n.lock();
  }
  scan::element_count number(const compaction_case& c) const {
    if (c.counted) return scan::count{n.data(), c.most};
    return c.n;
  }
  auto options(const compaction_case& c, std::mt19937_64& random) const {
    return Place::options(c.with_count ? count.data() : nullptr, c.room, random);
  }
  void check(const compaction_case& c, const scan::status& status, std::int64_t wanted) const {
    REQUIRE_MESSAGE(status.ok(), std::string(status.message()));
    CHECK(count.items()[0] == (c.with_count ? wanted : untouched));
    CHECK((bytes.is_intact() && bits.is_intact() && n.is_intact() && count.is_intact()));
    ++num_compactions;
    num_compacted += c.n;
  }
};

template <class Place, class T>
void check_selection(compaction_case c, bool splits, std::mt19937_64& random) {
  const auto kept = draw_kept(c, random);
  fit(c, num_kept(c, kept));
  INFO(c.describe());
  INFO(Place::now() << ", bytes " << sizeof(T));
  const auto items = draw_items<T>(kept, random);
  const call_numbers_there<Place> there(c, kept, random);
  using array = typename Place::template array<T>;
  const auto before = draw_items<T>(c.room, random);
  const array in(items, c.in_offset, random), apart(before, c.out_offset, random);
  const array others(before, static_cast<std::int64_t>(random() % 16), random);
  auto wanted = c.in_place ? items : before, wanted_others = before;
  roomy<T> to{wanted, c.room}, to_others{wanted_others, c.room};
  for (std::size_t i = 0; i < static_cast<std::size_t>(c.n); ++i) {
    (kept[i] ? to : to_others).take(items[i]);
  }
  if (!c.in_place) in.lock();
  const array& out = c.in_place ? in : apart;
  const auto opts = there.options(c, random);
  const auto call = [&](const auto& by) {
    return splits
               ? Place::partition(in.data(), by, out.data(), others.data(), there.number(c), opts)
               : Place::select(in.data(), by, out.data(), there.number(c), opts);
  };
  const auto call_by = [&] {
    if constexpr (Place::takes_functions) {
      if (c.by == kept_by::predicate) return call(first_bit{});
    }
    return c.by == kept_by::bits ? call(scan::flags{there.bits.data()})
                                 : call(scan::flags{there.bytes.data()});
  };
  there.check(c, call_by(), to.count);
  CHECK(out.items() == wanted);
  CHECK(others.items() == (splits ? wanted_others : before));
  CHECK((in.is_intact() && out.is_intact() && others.is_intact()));
}

template <class Place, class Int>
void check_indices(compaction_case c, std::mt19937_64& random) {
  if (c.by == kept_by::predicate) c.by = kept_by::bits;
  const auto kept = draw_kept(c, random);
  fit(c, num_kept(c, kept));
  INFO(c.describe());
  INFO(Place::now());
  const call_numbers_there<Place> there(c, kept, random);
  auto wanted = draw_items<Int>(c.room, random);
  const typename Place::template array<Int> out(wanted, c.out_offset, random);
  roomy<Int> to{wanted, c.room};
  for (std::size_t i = 0; i < static_cast<std::size_t>(c.n); ++i) {
    if (kept[i]) to.take(static_cast<Int>(i));
  }
  const auto opts = there.options(c, random);
  const auto call = [&](const auto& by) {
    return Place::indices(by, out.data(), there.number(c), opts);
  };
  there.check(c,
              c.by == kept_by::bytes ? call(scan::flags{there.bytes.data()})
                                     : call(scan::flags{there.bits.data()}),
              to.count);
  CHECK(out.items() == wanted);
  CHECK(out.is_intact());
}

template <class Place, class T, class Int, class Equal>
void check_runs(compaction_case c, Equal equal, std::mt19937_64& random) {
  const auto begins = draw_kept(c, random);
  auto items = draw_items<T>(static_cast<std::int64_t>(begins.size()), random);
  for (std::size_t i = 1; i < items.size(); ++i) {
    if (!begins[i]) items[i] = items[i - 1];
  }
  std::int64_t num_runs = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(c.n); ++i) {
    num_runs += i == 0 || !(items[i - 1] == items[i]) ? 1 : 0;
  }
  fit(c, num_runs);
  INFO(c.describe());
  INFO(Place::now() << ", bytes " << sizeof(T));
  const call_numbers_there<Place> there(c, begins, random);
  using array = typename Place::template array<T>;
  const auto before = draw_items<T>(c.room, random);
  const array in(items, c.in_offset, random), apart(before, c.out_offset, random);
  auto wanted = c.in_place ? items : before;
  const auto lengths_before = draw_items<Int>(c.room, random);
  auto wanted_lengths = lengths_before;
  const typename Place::template array<Int> lengths(
      lengths_before, static_cast<std::int64_t>(random() % 16), random);
  roomy<T> to{wanted, c.room};
  for (std::size_t i = 0; i < static_cast<std::size_t>(c.n); ++i) {
    const bool is_first = i == 0 || !(items[i - 1] == items[i]);
    if (is_first) to.take(items[i]);
    if (to.count > c.room) continue;
    Int& length = wanted_lengths[static_cast<std::size_t>(to.count - 1)];
    length = is_first ? Int{1} : static_cast<Int>(length + 1);
  }
  const array& out = c.in_place ? in : apart;
  const bool with_lengths = random() % 2 == 0;
  const auto opts = there.options(c, random);
  there.check(c,
              with_lengths
                  ? Place::runs(in.data(), out.data(), lengths.data(), there.number(c), equal, opts)
                  : Place::unique(in.data(), out.data(), there.number(c), equal, opts),
              to.count);
  CHECK(out.items() == wanted);
  CHECK(lengths.items() == (with_lengths ? wanted_lengths : lengths_before));
  CHECK((in.is_intact() && out.is_intact() && lengths.is_intact()));
}

/// One case of each kind, of about `num_bytes` bytes at most.
template <class Place>
void check_compactions(std::mt19937_64& random, std::int64_t num_bytes) {
  const auto drawn = [&](std::int64_t item_bytes) {
    return random_compaction(random, 1 + num_bytes / item_bytes);
  };
  const bool splits = random() % 3 == 0;
  check_selection<Place, std::uint8_t>(drawn(1), splits, random);
  check_selection<Place, std::uint16_t>(drawn(2), splits, random);
  check_selection<Place, std::int32_t>(drawn(4), splits, random);
  check_selection<Place, element<8, 8>>(drawn(8), splits, random);
  check_selection<Place, element<16, 4>>(drawn(16), splits, random);
  check_indices<Place, std::int32_t>(drawn(4), random);
  check_indices<Place, std::uint64_t>(drawn(8), random);
  check_runs<Place, std::uint8_t, std::int32_t>(drawn(1), scan::equal_keys{}, random);
  check_runs<Place, std::int32_t, std::int64_t>(drawn(4), scan::equal_keys{}, random);
  check_runs<Place, std::uint64_t, std::uint32_t>(drawn(8), scan::equal_keys{}, random);
}
/// And of elements and functions that libscan.a does not hold.
template <class Place>
void check_own_compactions(std::mt19937_64& random, std::int64_t num_bytes) {
  const auto drawn = [&](std::int64_t item_bytes) {
    return random_compaction(random, 1 + num_bytes / item_bytes);
  };
  const bool splits = random() % 3 == 0;
  check_selection<Place, element<2, 1>>(drawn(2), splits, random);
  check_selection<Place, element<12, 4>>(drawn(12), splits, random);
  check_selection<Place, element<64, 16>>(drawn(64), splits, random);
  check_runs<Place, element<12, 4>, std::uint32_t>(drawn(12), are_equal{}, random);
}

}  // namespace tests

#endif
