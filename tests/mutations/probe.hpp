// What the probes share: small programs that show a fault seeded into the library
// (../mutations.py). The exit code is 0 where all is right, 1 where it is not; a fault that makes
// somebody wait for ever is for the caller's time limit.
//
// Elements are segments, whose concatenation tells whenever operands are not neighbours, in the
// result and, where that is thrown away, on the side. No sequence begins at 0, or T{} would do for
// an identity.
#ifndef SCAN_TESTS_MUTATIONS_PROBE_HPP
#define SCAN_TESTS_MUTATIONS_PROBE_HPP

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#include "scan/abi.hpp"
#include "scan/extents.hpp"
#include "scan/status.hpp"

namespace probe {

struct segment {
  std::int32_t begin, end;
};
/// Of a size that fills no vector.
struct odd_segment {
  std::int32_t begin, end;
  std::int32_t unused = 0;
};

/// Notes operands that are not neighbours, or empty: swapped, repeated, from outside, or
/// uninitialised.
struct concatenate {
  int* strangers;
  template <class T>
  SCAN_HOST_DEVICE T operator()(const T& earlier, const T& later) const {
    const bool filled = earlier.begin < earlier.end && later.begin < later.end;
    if (filled && earlier.end == later.begin) return {earlier.begin, later.end};
    *strangers = 1;
    return {-1, -2};
  }
};

/// Counts what went wrong, and says what it was.
inline int num_wrong = 0;
inline void expect(bool ok, const char* what, std::int64_t n, int how) {
  if (ok) return;
  if (++num_wrong <= 5) {
    std::printf("wrong: %s, n=%lld, case %d\n", what, static_cast<long long>(n), how);
  }
}
inline int result() {
  if (num_wrong == 0) std::puts("right");
  return num_wrong == 0 ? 0 : 1;
}

/// Memory of the host, as scans of the host path take it.
class host_memory {
 public:
  explicit host_memory(std::size_t num_bytes) : bytes_((num_bytes + 7) / 8) {}
  void* data() const { return const_cast<std::uint64_t*>(bytes_.data()); }
  void write(const void* from, std::size_t n) { std::memcpy(bytes_.data(), from, n); }
  void read(void* to, std::size_t n) const { std::memcpy(to, bytes_.data(), n); }

 private:
  std::vector<std::uint64_t> bytes_;
};

/// An array between guards, in `Memory`, and what should be there.
template <class T, class Memory>
class array {
 public:
  array(std::int64_t n, std::int64_t offset)
      : first_(guard + offset),
        image_(static_cast<std::size_t>(n + first_ + guard) * sizeof(T), 0xCD),
        memory_(image_.size()) {}
  T& operator[](std::int64_t i) { return reinterpret_cast<T*>(image_.data())[first_ + i]; }
  T* data() const { return static_cast<T*>(memory_.data()) + first_; }
  void upload() { memory_.write(image_.data(), image_.size()); }
  /// Whether the same bytes are there, around the elements too.
  bool same() const {
    std::vector<unsigned char> there(image_.size());
    memory_.read(there.data(), there.size());
    return there == image_;
  }
  /// The same of what is around them alone.
  bool guards_same() const {
    std::vector<unsigned char> there(image_.size());
    memory_.read(there.data(), there.size());
    const std::size_t begin = static_cast<std::size_t>(first_) * sizeof(T);
    const std::size_t end = image_.size() - static_cast<std::size_t>(guard) * sizeof(T);
    return std::memcmp(there.data(), image_.data(), begin) == 0 &&
           std::memcmp(there.data() + end, image_.data() + end, image_.size() - end) == 0;
  }

 private:
  static constexpr std::int64_t guard = 64;
  std::int64_t first_;
  std::vector<unsigned char> image_;
  Memory memory_;
};

/// Some ways to call: bits of `how`.
constexpr int exclusive_bit = 1, in_place_bit = 2, misaligned_bit = 4, num_ways = 8;
constexpr int no_init_bit = 8;  // of inclusive scans

/// Scans of the segments [i, i + 1) of every sequence of a tensor, each after an init of its own
/// and with gaps between the slabs: `launch(in, out, shape, inits, totals, op, exclusive)`.
template <class Segment, class Memory, class Launch>
void check_tensor(std::int64_t outer, std::int64_t length, std::int64_t inner, int how,
                  Launch launch) {
  const bool exclusive = how & exclusive_bit, in_place = how & in_place_bit;
  const std::int64_t offset = how & misaligned_bit ? 1 : 0, slab = length * inner;
  const std::int64_t num_sequences = outer * inner;
  const bool has_init = exclusive || !(how & no_init_bit);
  const std::int32_t before = has_init ? 7 : 0;  // of the sequence
  const std::int64_t in_pitch = slab + (in_place ? 5 : 3), out_pitch = slab + 5;
  array<Segment, Memory> in(outer * in_pitch, offset);
  array<Segment, Memory> out(outer * out_pitch, in_place ? offset : 2 * offset + 1);
  array<Segment, Memory> totals(num_sequences, 0), inits(num_sequences, 0);
  array<int, Memory> strangers(1, 0);
  const auto base_of = [&](std::int64_t sequence) {
    return static_cast<std::int32_t>(100 + sequence * (length + 9));
  };
  const auto each = [&](auto visit) {
    for (std::int64_t o = 0; o < outer; ++o) {
      for (std::int64_t i = 0; i < length; ++i) {
        for (std::int64_t k = 0; k < inner; ++k) {
          const std::int64_t at = i * inner + k;
          visit(o * in_pitch + at, o * out_pitch + at, base_of(o * inner + k),
                static_cast<std::int32_t>(i));
        }
      }
    }
  };
  each([&](std::int64_t from, std::int64_t to, std::int32_t base, std::int32_t i) {
    (in_place ? out[to] : in[from]) = {base + i, base + i + 1};
  });
  for (std::int64_t s = 0; s < num_sequences; ++s) inits[s] = {base_of(s) - 7, base_of(s)};
  strangers[0] = 0;
  in.upload(), out.upload(), totals.upload(), inits.upload(), strangers.upload();
  const scan::tensor_shape shape{outer, length, inner, in_pitch, out_pitch};
  const scan::status status = launch(static_cast<const Segment*>(in_place ? out.data() : in.data()),
                                     out.data(), shape, has_init ? inits.data() : nullptr,
                                     totals.data(), concatenate{strangers.data()}, exclusive);
  expect(status.ok(), status.message(), length, how);
  each([&](std::int64_t, std::int64_t to, std::int32_t base, std::int32_t i) {
    out[to] = {base - before, base + (exclusive ? i : i + 1)};
  });
  for (std::int64_t s = 0; s < num_sequences; ++s) {
    totals[s] = {base_of(s) - before, base_of(s) + static_cast<std::int32_t>(length)};
  }
  expect(in.same(), "the input", length, how);
  expect(out.same(), "the output", length, how);
  expect(totals.same(), "the totals", length, how);
  expect(strangers.same(), "what the operator was shown", length, how);
}

}  // namespace probe

#endif
