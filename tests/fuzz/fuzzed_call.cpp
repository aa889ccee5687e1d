#include "tests/fuzz/fuzzed_call.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>

#include "tests/fuzz/fuzzed_places.hpp"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SCAN_TESTS_POISONS
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(SCAN_TESTS_POISONS)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(address, num_bytes) (void)(address)
#define ASAN_UNPOISON_MEMORY_REGION(address, num_bytes) (void)(address)
#endif

namespace tests {
namespace {

constexpr std::int64_t null = fuzzed_call::null;
constexpr std::int64_t address_space = std::int64_t{1} << 57;

/// Numbers and choices from bytes; 0 when there are no more.
class byte_reader {
 public:
  byte_reader(const unsigned char* bytes, std::size_t num_bytes)
      : bytes_(bytes), left_(num_bytes) {}
  unsigned byte() { return left_ == 0 ? 0 : (--left_, *bytes_++); }
  std::int64_t below(std::int64_t bound) {
    const std::int64_t high = byte(), number = high * 256 + byte();
    return bound < 1 ? 0 : number % bound;
  }
  bool one_in(unsigned many) { return byte() % many == many - 1; }

 private:
  const unsigned char* bytes_;
  std::size_t left_;
};

/// A number of up to `most` >= 1: small ones as often as large ones.
std::int64_t extent(byte_reader& from, std::int64_t most) {
  int bits = 1;
  while (bits < 16 && most >> bits != 0) ++bits;
  const unsigned drawn = from.byte();
  if (drawn % 8 == 7) return most;
  const std::int64_t range = std::int64_t{1} << (1 + drawn % static_cast<unsigned>(bits));
  return std::clamp<std::int64_t>(from.below(range), 1, most);
}

void read_shape(byte_reader& from, fuzzed_call& c, std::int64_t most_items) {
  scan::extents& shape = c.shape;
  if (!c.of_extents) {
    shape.length = extent(from, most_items);
  } else {
    if (from.byte() % 2 == 0) shape.inner = extent(from, most_items);
    shape.length = extent(from, most_items / shape.inner);
    shape.outer = extent(from, most_items / shape.inner / shape.length);
  }
  if (from.one_in(32)) {
    std::int64_t* const fields[] = {&shape.length, &shape.outer, &shape.inner};
    *fields[from.byte() % 3] = 0;
  }
  if (!c.of_extents) return;
  const auto gap = [&] { return from.byte() % 4 == 0 ? 1 + from.byte() % 20 : 0; };
  const std::int64_t in_slab = shape.length * shape.inner;
  const std::int64_t out_slab = in_slab + c.extra() * shape.inner;
  if (const int more = gap(); more > 0) shape.in_pitch = in_slab + more;
  if (const int more = gap(); more > 0) shape.out_pitch = out_slab + more;
  if (from.byte() % 4 == 0) shape.in_pitch = shape.out_pitch = out_slab + gap();
}

/// What no extent may be, or only where nothing is.
void spoil_shape(byte_reader& from, fuzzed_call& c) {
  constexpr std::int64_t numbers[] = {-1,
                                      INT64_MIN,
                                      INT64_MAX,
                                      address_space,
                                      address_space / 4 + 1,
                                      std::int64_t{1} << 62,
                                      std::int64_t{1} << 32,
                                      INT64_MAX / 4,
                                      1};
  std::int64_t* const fields[] = {&c.shape.length, &c.shape.outer, &c.shape.inner,
                                  &c.shape.in_pitch, &c.shape.out_pitch};
  *fields[from.byte() % 5] = numbers[from.byte() % std::size(numbers)];
}

}  // namespace

std::string fuzzed_call::describe() const {
  const auto place = [](std::int64_t offset) {
    return offset == null ? std::string("null") : std::to_string(offset);
  };
  return fuzzed_kinds()[kind].name + std::string(exclusive ? ", exclusive (" : ", inclusive (") +
         (of_extents ? std::to_string(shape.outer) + ", " : "") + std::to_string(shape.length) +
         (of_extents ? ", " + std::to_string(shape.inner) + ") pitches " +
                           std::to_string(shape.in_pitch) + ", " + std::to_string(shape.out_pitch)
                     : ")") +
         (reverse ? " reverse" : "") + (complete ? " complete" : "") +
         (init_by_value ? " init" : "") + " threads " + std::to_string(threads) + " of " +
         std::to_string(memory_bytes) + " bytes: in " + place(in) + " factors " + place(factors) +
         " out " + place(out) + " total " + place(total) + " init " + place(init);
}

fuzzed_call read_call(const unsigned char* bytes, std::size_t num_bytes) {
  byte_reader from(bytes, num_bytes);
  fuzzed_call c;
  c.kind = from.byte() % fuzzed_kinds().size();
  const fuzzed_kind& kind = fuzzed_kinds()[c.kind];
  const unsigned flags = from.byte();
  c.of_extents = (flags & 1) != 0;
  c.exclusive = !kind.recurrence && (flags & 2) != 0;
  c.reverse = (flags & 4) != 0;
  c.complete = c.exclusive && (flags & 8) != 0;
  c.init_by_value = (flags & 16) != 0;
  const bool in_place = (flags & 32) != 0, with_total = (flags & 64) != 0;
  const bool init_by_pointer = (flags & 128) != 0 && !c.init_by_value;
  constexpr int numbers_of_threads[] = {1, 2, 3, 5, 0, 1, 2, 4};
  c.threads = numbers_of_threads[from.byte() % 8];
  c.seed = static_cast<std::uint64_t>(from.below(1 << 16)) * 0x9e3779b97f4a7c15u;
  // (Tiles of one sequence have 62 KiB, parts of many 64.)
  constexpr std::int64_t sizes[] = {1 << 9,  1 << 11, 1 << 13, 1 << 13,
                                    1 << 11, 1 << 13, 1 << 15, 1 << 18};
  c.memory_bytes = sizes[from.byte() % 8];
  const std::int64_t item_bytes = kind.in.bytes * (kind.recurrence ? 2 : 1) + kind.out.bytes +
                                  (c.of_extents ? 2 * kind.value.bytes : 0);
  read_shape(from, c, c.memory_bytes * 3 / 4 / item_bytes);

  // One after another, each at the next address that it may have or some elements further.
  std::int64_t next = 0;
  const auto place = [&](const fuzzed_kind::type& type, const placed& of) {
    const std::int64_t begin = (next + type.alignment - 1) / type.alignment * type.alignment +
                               from.byte() % 8 * type.bytes;
    next = begin + static_cast<std::int64_t>(of.end() - of.begin);
    return begin;
  };
  c.in = c.out = c.total = c.init = 0;
  if (kind.recurrence) c.factors = 0;
  const call_places sizes_of(c, kind);
  c.in = place(kind.in, sizes_of.in);
  c.out = place(kind.out, sizes_of.out);
  if (in_place && kind.in.bytes == kind.out.bytes) c.out = c.in = std::max(c.in, c.out);
  if (kind.recurrence) c.factors = place(kind.in, sizes_of.factors);
  c.total = with_total ? place(kind.value, sizes_of.total) : null;
  c.init = init_by_pointer ? place(kind.value, sizes_of.init) : null;

  std::int64_t* const pointers[] = {&c.in, &c.out, &c.factors, &c.total, &c.init};
  while (from.one_in(8)) {
    std::int64_t& pointer = *pointers[from.byte() % 5];
    switch (from.byte() % 8) {
      case 0:
        pointer = null;
        break;
      case 1:
        if (pointer != null) ++pointer;
        break;
      case 2:
        spoil_shape(from, c);
        break;
      case 3:
        c.threads = -1;
        break;
      case 4:
        c.init_by_value = !c.init_by_value;
        break;
      case 5:
        c.complete = !c.complete;
        break;
      case 6:
        pointer = *pointers[from.byte() % 5];
        break;
      default:
        pointer = from.below(c.memory_bytes) / 8 * 8;
        break;
    }
    if (!kind.recurrence) c.factors = null;
  }
  return c;
}

std::string check(const fuzzed_call& c, bool spoil) {
  const fuzzed_kind& kind = fuzzed_kinds()[c.kind];
  const verdict wanted = verdict_of(c);
  if (wanted == verdict::out_of_reach) return "";
  const auto num_bytes = static_cast<std::size_t>(c.memory_bytes);
  std::vector<unsigned char> before(num_bytes);
  kind.fill(before, c.seed);
  struct aligned_delete {
    void operator()(unsigned char* bytes) const { operator delete[](bytes, std::align_val_t{64}); }
  };
  const std::unique_ptr<unsigned char[], aligned_delete> memory(
      static_cast<unsigned char*>(operator new[](num_bytes, std::align_val_t{64})));
  std::memcpy(memory.get(), before.data(), num_bytes);

  // What the call has no business with it may not even read.
  const call_places at(c, kind);
  ASAN_POISON_MEMORY_REGION(memory.get(), num_bytes);
  if (wanted != verdict::refused) {
    for (const placed& place : {at.in, at.factors, at.out, at.total, at.init}) {
      if (place.empty()) continue;
      ASAN_UNPOISON_MEMORY_REGION(memory.get() + place.begin,
                                  static_cast<std::size_t>(place.end() - place.begin));
    }
  }
  const scan::status status = kind.call(c, memory.get());
  ASAN_UNPOISON_MEMORY_REGION(memory.get(), num_bytes);
  if (spoil) {
    const bool has_outputs = wanted != verdict::refused && !at.out.empty();
    memory[has_outputs ? static_cast<std::size_t>(at.out.end() - 1) : num_bytes / 2] ^= 0x40;
  }

  if (status.ok() && wanted == verdict::refused) return c.describe() + ": accepted";
  if (!status.ok() && wanted == verdict::accepted) return c.describe() + ": " + status.message();
  if (!status.ok()) {
    if (cudaError_t(status) != cudaErrorInvalidValue || std::strlen(status.message()) < 8) {
      return c.describe() + ": refused as what it is not";
    }
    return std::memcmp(memory.get(), before.data(), num_bytes) == 0
               ? ""
               : c.describe() + ": refused, and memory was written";
  }
  std::vector<unsigned char> expected = before;
  kind.reference(c, before.data(), expected.data());
  if (std::memcmp(memory.get(), expected.data(), num_bytes) == 0) return "";
  for (std::size_t i = 0; i < num_bytes; ++i) {
    if (memory[i] == expected[i]) continue;
    const auto both_nan = [&](const placed& place, std::int64_t bytes, bool are_values) {
      const std::int64_t from = static_cast<std::int64_t>(i) - place.begin;
      if (place.empty() || from < 0 || static_cast<std::int64_t>(i) >= place.end()) return false;
      const std::int64_t item = place.begin + from / bytes * bytes;  // (pitches: whole elements)
      return kind.both_nan(memory.get() + item, expected.data() + item, are_values);
    };
    if (both_nan(at.out, kind.out.bytes, false) || both_nan(at.total, kind.value.bytes, true)) {
      continue;
    }
    return c.describe() + ": byte " + std::to_string(i) + " is wrong";
  }
  return "";
}

}  // namespace tests
