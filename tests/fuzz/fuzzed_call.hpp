// One call of the host API in every detail, read from bytes: what a fuzzer mutates.
#ifndef SCAN_TESTS_FUZZED_CALL_HPP
#define SCAN_TESTS_FUZZED_CALL_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "scan/extents.hpp"
#include "scan/status.hpp"

namespace tests {

/// All its pointers lead into one piece of memory, so that they meet, or not, as they come.
struct fuzzed_call {
  static constexpr std::int64_t null = INT64_MIN;

  std::size_t kind = 0;     // of fuzzed_kinds()
  bool of_extents = false;  // else of n = shape.length elements
  scan::extents shape;
  bool exclusive = false, reverse = false, complete = false;
  bool init_by_value = false;
  int threads = 1;
  std::uint64_t seed = 0;         // of the memory's contents
  std::int64_t memory_bytes = 0;  // and its size
  /// Bytes from its begin, or null.
  std::int64_t in = 0, factors = null, out = 0, total = null, init = null;

  std::int64_t extra() const { return complete ? 1 : 0; }
  std::string describe() const;
};

/// A pair of types with an operator, or a recurrence.
struct fuzzed_kind {
  struct type {
    std::int64_t bytes, alignment;
  };
  const char* name;
  bool recurrence;
  bool has_identity;
  type in, out, value;  // value: of init and total

  /// Fills with elements of the input's type, whose folds are exact in any order.
  void (*fill)(std::vector<unsigned char>& memory, std::uint64_t seed);
  scan::status (*call)(const fuzzed_call& c, unsigned char* memory);
  /// The same as loops, which read from `before` and write to `after`.
  void (*reference)(const fuzzed_call& c, const unsigned char* before, unsigned char* after);
  /// Whether two outputs, or two values, are both NaN.
  bool (*both_nan)(const void* a, const void* b, bool are_values);
};
const std::vector<fuzzed_kind>& fuzzed_kinds();

/// Any bytes are a call, most of them one that is right.
fuzzed_call read_call(const unsigned char* bytes, std::size_t num_bytes);

/// What the documents say of the call.
enum class verdict { accepted, refused, either, out_of_reach };
/// `either`: what is refused although no two bytes meet, since nobody looks that closely.
/// `out_of_reach`: right, and larger than the memory.
verdict verdict_of(const fuzzed_call& c);

/// Calls; what is wrong, every byte of memory compared, or "". With `spoil` one byte that the call
/// has left, the last it may write or any, is changed before they are compared.
std::string check(const fuzzed_call& c, bool spoil = false);

}  // namespace tests

#endif
