// Segments as they are measured: how many there are is said ahead, how long each is follows.
#ifndef SCAN_BENCH_CELLS_RAGGED_HPP
#define SCAN_BENCH_CELLS_RAGGED_HPP

#include <cstdint>
#include <string>
#include <vector>

namespace bench {

/// What tells where segments begin: CSR offsets, keys of 4 bytes whose runs they are, a flag of a
/// byte or a bit an element.
enum class head_words { offsets_32, offsets_64, keys, flag_bytes, flag_bits };
inline constexpr head_words all_head_words[] = {head_words::offsets_32, head_words::offsets_64,
                                                head_words::keys, head_words::flag_bytes,
                                                head_words::flag_bits};
constexpr bool are_offsets(head_words heads) { return heads <= head_words::offsets_64; }
constexpr bool are_flags(head_words heads) { return heads >= head_words::flag_bytes; }

enum class length_law {
  alike,      // `length` each, the last one what is left
  one_giant,  // in the middle of others of `length`
  weighted    // in proportion to random weights
};

struct ragged {
  head_words heads = head_words::offsets_32;
  length_law law = length_law::alike;
  std::int64_t num_segments = 0;
  std::int64_t length = 0;
  // Weights are u^(-quarters / 4), and of 0 quarters u itself, u random of (0, 1]: 4 is Zipf's law.
  int quarters = 0;
  int empty_of_64 = 0;     // so many of 64 have none
  int log_neighbours = 0;  // 2^log_neighbours beside each other have one weight
  std::uint64_t seed = 0;
  int head_shift = 0;  // words that offsets, keys or flags (of 4 bytes if bits) are off 256 bytes

  /// "length 3", "Zipf", "a third empty", ...
  std::string lengths_name() const;
  /// "int32 offsets", "keys", "flag bits", ...
  const char* heads_name() const;
  /// What goals are told apart by: "offsets", "keys", "flags".
  const char* class_name() const;
  std::int64_t head_word_bytes() const;
  /// Bytes of all that tells where segments of `num_items` begin.
  std::int64_t head_bytes(std::int64_t num_items) const;
};

/// Where the segments of `num_items` begin, and where the last one ends.
std::vector<std::int32_t> ragged_offsets(const ragged& what, std::int64_t num_items);

}  // namespace bench

#endif
