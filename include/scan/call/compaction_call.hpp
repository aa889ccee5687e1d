// What every compaction checks, and what of them libscan.a holds: by the elements that kernels
// move, which need not be the caller's.
#ifndef SCAN_CALL_COMPACTION_CALL_HPP
#define SCAN_CALL_COMPACTION_CALL_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <type_traits>

#include "scan/call/call_range.hpp"
#include "scan/call/compaction_problem.hpp"
#include "scan/call/element_count.hpp"
#include "scan/call/entries.hpp"
#include "scan/call/shared_kernels.hpp"
#include "scan/call/validate.hpp"
#include "scan/operands/held.hpp"
#include "scan/operators.hpp"
#include "scan/options.hpp"
#include "scan/segments.hpp"
#include "scan/status.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {

// ---- elements as kernels have them ----

/// Eight and sixteen bytes of lesser alignment.
struct two_words {
  std::uint32_t word[2];
};
struct four_words {
  std::uint32_t word[4];
};
/// What is moved of a T whose value is asked for.
template <class T>
using asked_t = std::conditional_t<std::is_trivially_default_constructible_v<T>, T, held<T>>;
/// What is moved for a T: as many bytes, of the same alignment or less; a T where libscan.a has no
/// such element.
template <class T, std::size_t size = sizeof(T),
          bool is_aligned = (alignof(T) >= std::min<std::size_t>(size, 8))>
struct moved_as {
  using type = asked_t<T>;
};
template <class T, bool is_aligned>
struct moved_as<T, 1, is_aligned> {
  using type = std::uint8_t;
};
template <class T>
struct moved_as<T, 2, true> {
  using type = std::uint16_t;
};
template <class T>
struct moved_as<T, 4, true> {
  using type = std::uint32_t;
};
template <class T>
struct moved_as<T, 8, true> {
  using type = std::uint64_t;
};
template <class T>
struct moved_as<T, 8, false> {
  using type = std::conditional_t<alignof(T) == 4, two_words, asked_t<T>>;
};
template <class T, bool is_aligned>
struct moved_as<T, 16, is_aligned> {
  using type = std::conditional_t<alignof(T) % 4 == 0, four_words, asked_t<T>>;
};
template <class T>
using moved_t = typename moved_as<T>::type;
/// Of a T that is compared: bits, where these say as much.
template <class T, class Equal>
using compared_t = std::conditional_t<std::is_same_v<Equal, equal_keys> && are_plain_keys<T>(),
                                      moved_t<T>, asked_t<T>>;

/// What values are taken for, from `In` to `Out`: sums of integers whatever their signs.
template <class In, class Out, class Op>
struct folded_as {
  using kernel =
      shared_kernel<In, Out, Op,
                    std::is_same_v<Op, plus> ? numbers_between<In, Out> : numbers::others>;
  using in = held_t<typename kernel::in>;
  using out = held_t<typename kernel::out>;
  using value = accumulator_t<in, out>;
};

// ---- what libscan.a holds ----

template <class Item>
using selection = compaction<Item, flag_marks, kept_items<Item>>;
template <class Item>
using partitioning = compaction<Item, flag_marks, split_items<Item>>;
template <class Int>
using positions = compaction<no_items, flag_marks, kept_positions<Int>>;
template <class Item>
using first_of_runs = compaction<Item, run_marks<equal_keys>, kept_items<Item>>;
template <class Item, class Int>
using lengths_of_runs = compaction<Item, run_marks<equal_keys>, kept_runs<Item, Int>>;
template <class Item, class Value>
using sums_of_runs = compaction<Item, run_marks<equal_keys>, folded_runs<Item, Value, Value, plus>>;

#if SCAN_PREBUILT_COMMON
#define SCAN_COMPACTIONS_HELD(entry)                                                               \
  entry(selection<std::uint8_t>) entry(selection<std::uint16_t>) entry(selection<std::uint32_t>)   \
      entry(selection<std::uint64_t>) entry(selection<two_words>) entry(selection<four_words>)     \
          entry(partitioning<std::uint8_t>) entry(partitioning<std::uint16_t>)                     \
              entry(partitioning<std::uint32_t>) entry(partitioning<std::uint64_t>)                \
                  entry(partitioning<two_words>) entry(partitioning<four_words>)                   \
                      entry(positions<std::int32_t>) entry(positions<std::int64_t>)                \
                          SCAN_RUNS_HELD(entry, std::uint8_t) SCAN_RUNS_HELD(entry, std::uint16_t) \
                              SCAN_RUNS_HELD(entry, std::uint32_t)                                 \
                                  SCAN_RUNS_HELD(entry, std::uint64_t) entry(first_of_runs<float>) \
                                      entry(first_of_runs<double>)                                 \
                                          SCAN_SUMS_HELD(entry, std::uint32_t)                     \
                                              SCAN_SUMS_HELD(entry, std::uint64_t)
#define SCAN_RUNS_HELD(entry, Item)                                     \
  entry(first_of_runs<Item>) entry(lengths_of_runs<Item, std::int32_t>) \
      entry(lengths_of_runs<Item, std::int64_t>)
#define SCAN_SUMS_HELD(entry, Item)                                                 \
  entry(sums_of_runs<Item, std::uint32_t>) entry(sums_of_runs<Item, std::uint64_t>) \
      entry(sums_of_runs<Item, float>) entry(sums_of_runs<Item, double>)
#else
#define SCAN_COMPACTIONS_HELD(entry)
#endif

/// Whether it holds a compaction.
template <class Problem>
inline constexpr bool is_compaction_held = false;
#define SCAN_HELD_COMPACTION(...) \
  template <>                     \
  inline constexpr bool is_compaction_held<__VA_ARGS__> = true;
SCAN_COMPACTIONS_HELD(SCAN_HELD_COMPACTION)
#undef SCAN_HELD_COMPACTION

using device::on_device;
using host_path::on_host;

struct device_compactions;  // defined by <scan/scan.cuh>
struct host_compactions;    // defined by <scan/host/host_scan.hpp>

namespace device {
/// A compaction whose arguments have been checked, but for what the device knows.
template <class Problem>
status compact(on_device, const Problem& scan, const select_options& opts) noexcept;
#define SCAN_HELD_COMPACTION(...) \
  extern template status compact(on_device, const __VA_ARGS__&, const select_options&) noexcept;
SCAN_COMPACTIONS_HELD(SCAN_HELD_COMPACTION)
#undef SCAN_HELD_COMPACTION
}  // namespace device
namespace host_path {
template <class Problem>
status compact(on_host, const Problem& scan, const host_select_options& opts);
#define SCAN_HELD_COMPACTION(...) \
  extern template status compact(on_host, const __VA_ARGS__&, const host_select_options&);
SCAN_COMPACTIONS_HELD(SCAN_HELD_COMPACTION)
#undef SCAN_HELD_COMPACTION
}  // namespace host_path

// ---- checks ----

/// What is said of an array that is not as it should be.
struct array_messages {
  const char *is_null, *is_misaligned, *overlaps;
  const char* is_short = nullptr;  // of one whose size is known
};
#define SCAN_ARRAY_MESSAGES(name)                                       \
  ::scan::array_messages {                                              \
    name " is null", name " is not aligned to its type",                \
        name " overlaps another array of the call, and is not in place" \
  }
/// An array of a call: `n` elements that it reads, or writes where T is not const.
struct compaction_array {
  array_messages says;
  memory_range bytes;
  bool is_there, is_aligned, is_long_enough, is_written;

  /// `room`: how many elements there are, if that is known.
  template <class T>
  compaction_array(const array_messages& messages, T* data, std::int64_t n,
                   std::int64_t room = INT64_MAX) noexcept
      : says(messages),
        bytes(data, n),
        is_there(data != nullptr || n == 0),
        is_aligned(n == 0 || element_aligned(data)),
        is_long_enough(n <= room),
        is_written(!std::is_const_v<T>) {}
};
using compaction_arrays = std::initializer_list<compaction_array>;

template <class Word>
flag_marks marks_of(const flags<Word>& by) noexcept {
  return {by.heads, !flags<Word>::are_bytes};
}
template <class Word>
compaction_array flags_array(const flags<Word>& by, std::int64_t n) noexcept {
  const Word* const words = by.heads;
  array_messages says = SCAN_ARRAY_MESSAGES("scan::flags");
  says.is_short = flags<Word>::are_bytes
                      ? "the size of the span of flags is less than n"
                      : "the size of the span of flags is less than n / 32, rounded up";
  return {says, words, flags<Word>::are_bytes ? n : n / 32 + (n % 32 != 0), by.heads.room};
}

/// Success, or what is wrong. The first, which is read, and the second may be the same.
inline status validate_arrays(compaction_arrays arrays) noexcept {
  const auto* const input = arrays.begin();
  for (const compaction_array& each : arrays) {
    if (!each.is_there) return {cudaErrorInvalidValue, each.says.is_null};
    if (!each.is_aligned) return {cudaErrorInvalidValue, each.says.is_misaligned};
    if (!each.is_long_enough) return {cudaErrorInvalidValue, each.says.is_short};
  }
  for (const compaction_array& written : arrays) {
    if (!written.is_written) continue;
    for (const compaction_array& other : arrays) {
      if (&written == &other || !written.bytes.overlaps(other.bytes)) continue;
      const bool in_place = &other == input && &written == input + 1 && !input->is_written &&
                            written.bytes.begin == other.bytes.begin;
      if (!in_place) return {cudaErrorInvalidValue, written.says.overlaps};
    }
  }
  return {};
}

/// The arrays of numbers of elements: what says how many there are, and how many are kept.
struct call_numbers {
  compaction_array known, count;

  call_numbers(const element_count& n, std::int64_t* kept) noexcept
      : known(SCAN_ARRAY_MESSAGES("scan::count"), n.pointer(), n.is_counted()),
        count(SCAN_ARRAY_MESSAGES("options.count"), kept, kept != nullptr) {}
};

/// Bytes of a value, where runs have some.
template <class Results>
constexpr std::size_t widest_value() noexcept {
  if constexpr (Results::has_folds) {
    return std::max(sizeof(typename Results::given), sizeof(typename Results::value));
  } else {
    return 0;
  }
}

/// The way of every compaction; `arrays`: all that it reads and writes.
template <class Where, class Item, class Marks, class Results, class Options>
status compact_checked(Where where, const Item* in, const Marks& marks, const Results& to,
                       const element_count& n, const Options& opts, compaction_arrays arrays) {
  using problem = compaction<Item, Marks, Results>;
  constexpr bool on_gpu = std::is_same_v<Where, device::on_device>;
  static_assert(
      !on_gpu || is_compaction_held<problem> || included<device_compactions, void(problem)>,
      "libscan.a holds no compaction of these types, or by this function: include "
      "<scan/scan.cuh> and compile with nvcc");
  static_assert(on_gpu || is_compaction_held<problem> || included<host_compactions, void(problem)>,
                "libscan.a holds no compaction of these types, or by this function: include "
                "<scan/host/host_scan.hpp>");
  if (opts.capacity < 0) return {cudaErrorInvalidValue, "options.capacity is negative"};
  constexpr auto widest = static_cast<std::int64_t>(
      std::max({sizeof(Item), sizeof(typename Results::moved), widest_value<Results>()}));
  if (const status checked = validate_count(n.most(), widest); !checked.ok()) return checked;
  if (const status checked = validate_arrays(arrays); !checked.ok()) return checked;
  return compact(where, problem{in, marks, to, n.most(), n.pointer(), opts.capacity, opts.count},
                 opts);
}

}  // namespace SCAN_ABI
}  // namespace scan

#endif
