// What rows of the matrices, of sequences, tensors and segments, have alike: element types, their
// data, their calls and their comparison behind one signature, so that a test is a loop over rows.
#ifndef SCAN_TESTS_TYPED_ROW_HPP
#define SCAN_TESTS_TYPED_ROW_HPP

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>

#include "scan/status.hpp"
#include "scan/workspace.hpp"

namespace tests {

/// Pointers of one call; elements of the row's types, a value a sequence of the others.
struct sequence_arguments {
  const void* in;
  const void* beside;  // the factors of a recurrence; what says where segments begin; or null
  void* out;
  void* totals;       // or null
  const void* inits;  // values of the type of init and total, in the memory that the call wants
};

template <class Case>
struct typed_row {
  std::string name;
  std::size_t in_bytes, out_bytes, value_bytes;  // values: inits and totals

  /// Random elements, whose folds are exact in any order.
  void (*fill)(void* in, std::int64_t n, std::mt19937_64& random);
  void (*fill_values)(void* values, std::int64_t n, std::mt19937_64& random);
  /// Index of the first element or value that differs, -1 for none; NaNs are all alike.
  std::int64_t (*first_difference)(const void* actual, const void* expected, std::int64_t count);
  std::int64_t (*first_value_difference)(const void* actual, const void* expected,
                                         std::int64_t count);

  /// The scans as loops over host memory, out of place; writes outputs and totals.
  void (*reference)(const Case& c, const sequence_arguments& arguments);
  /// Null where libscan.a of this build has none.
  scan::status (*on_host)(const Case& c, const sequence_arguments& arguments, int threads);
  scan::status (*on_device)(const Case& c, const sequence_arguments& arguments,
                            const void* host_inits, cudaStream_t stream, scan::workspace* space);

  bool can_be_in_place() const { return in_bytes == out_bytes; }
  int widest() const {
    return static_cast<int>(std::max(std::max(in_bytes, out_bytes), value_bytes));
  }
};

}  // namespace tests

#endif
