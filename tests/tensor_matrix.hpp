// The matrix of what libscan.a scans in tensors: a row for every pair of element types with an
// operator and for every recurrence, each with its data, its serial reference and its calls behind
// one signature, so that a test is a loop over rows; as matrix.hpp of single sequences.
#ifndef SCAN_TESTS_TENSOR_MATRIX_HPP
#define SCAN_TESTS_TENSOR_MATRIX_HPP

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "device_memory.hpp"
#include "guarded.hpp"
#include "scan/status.hpp"
#include "scan/workspace.hpp"
#include "tensor_cases.hpp"

namespace tests {

/// Pointers of one call; elements of the row's types, a value a sequence of the others.
struct tensor_arguments {
  const void* in;       // of a recurrence b
  const void* factors;  // and a; else null
  void* out;
  void* totals;       // or null
  const void* inits;  // values of the type of init and total, in the memory that the call wants
};

struct tensor_row {
  std::string name;
  bool recurrence;
  std::size_t in_bytes, out_bytes, value_bytes;

  /// Random elements, whose folds are exact in any order. Factors only of recurrences.
  void (*fill)(void* in, std::int64_t n, std::mt19937_64& random);
  void (*fill_factors)(void* factors, std::int64_t n, std::mt19937_64& random);
  void (*fill_values)(void* values, std::int64_t n, std::mt19937_64& random);
  /// The scans as loops over host memory, out of place; writes outputs and totals.
  void (*reference)(const placed_case& c, const tensor_arguments& arguments);
  /// Null where libscan.a of this build has none.
  scan::status (*on_host)(const placed_case& c, const tensor_arguments& arguments, int threads);
  scan::status (*on_device)(const placed_case& c, const tensor_arguments& arguments,
                            const void* host_inits, cudaStream_t stream, scan::workspace* space);
  /// Index of the first element or value that differs, -1 for none; NaNs are all alike.
  std::int64_t (*first_difference)(const void* actual, const void* expected, std::int64_t count);
  std::int64_t (*first_value_difference)(const void* actual, const void* expected,
                                         std::int64_t count);

  bool can_be_in_place() const { return in_bytes == out_bytes; }
  int widest() const {
    return static_cast<int>(std::max(std::max(in_bytes, out_bytes), value_bytes));
  }
};

const std::vector<tensor_row>& tensor_matrix();

/// Data of one case: buffers between guards, and what they should hold afterwards, bytes between
/// slabs included.
class tensor_problem_data {
 public:
  tensor_problem_data(const tensor_row& row, const placed_case& c, std::uint64_t seed);
  /// What is wrong with the buffers after the scan, every byte of them; or "".
  std::string judge();

 private:
  std::string wrong_output(const unsigned char* result) const;
  std::int64_t first_stray(const unsigned char* result) const;
  const tensor_row& row_;
  placed_case c_;
  static std::int64_t bytes(std::size_t count) { return static_cast<std::int64_t>(count); }

 public:
  guarded<unsigned char> in, factors, out, totals, inits;

 private:
  std::vector<unsigned char> input_, factors_before_, out_before_, expected_, expected_totals_,
      inits_before_;
};

/// Scans `c` on CPU threads; what is wrong, or "".
std::string check_tensor_on_host(const tensor_row& row, const placed_case& c, std::uint64_t seed,
                                 int threads);

/// The same on the device, for images of up to `most_bytes` bytes.
class tensor_device_checker {
 public:
  explicit tensor_device_checker(std::size_t most_bytes)
      : in_(most_bytes),
        factors_(most_bytes),
        out_(most_bytes),
        totals_(most_bytes),
        inits_(most_bytes) {}
  std::string check(const tensor_row& row, const placed_case& c, std::uint64_t seed,
                    cudaStream_t stream, scan::workspace* space);

 private:
  device_memory in_, factors_, out_, totals_, inits_;
};

}  // namespace tests

#endif
