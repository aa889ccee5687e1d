// The matrix of what libscan.a scans in tensors: a row for every pair of element types with an
// operator and for every recurrence, each with its data, its serial reference and its calls behind
// one signature, so that a test is a loop over rows; as matrix.hpp of single sequences.
#ifndef SCAN_TESTS_TENSOR_MATRIX_HPP
#define SCAN_TESTS_TENSOR_MATRIX_HPP

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "tests/matrices/sequence_problem.hpp"
#include "tests/matrices/typed_row.hpp"
#include "tests/tensors/tensor_cases.hpp"

namespace tests {

struct tensor_row : typed_row<placed_case> {
  bool recurrence;
  /// Factors of recurrences.
  void (*fill_factors)(void* factors, std::int64_t n, std::mt19937_64& random);
};

const std::vector<tensor_row>& tensor_matrix();

/// Data of one case: buffers between guards, and what they should hold afterwards, bytes between
/// slabs included.
class tensor_problem_data : public sequence_problem {
 public:
  tensor_problem_data(const tensor_row& row, const placed_case& c, std::uint64_t seed);
  /// What is wrong with the buffers after the scan, every byte of them; or "".
  std::string judge() const;

 private:
  std::string wrong_output(const unsigned char* result) const;
  std::int64_t first_stray(const unsigned char* result) const;
  const tensor_row& row_;
  placed_case c_;
};

inline std::string check_tensor_on_host(const tensor_row& row, const placed_case& c,
                                        std::uint64_t seed, int threads) {
  return check_sequences_on_host<tensor_problem_data>(row, c, seed, threads);
}
using tensor_device_checker = sequence_device_checker<tensor_problem_data>;

}  // namespace tests

#endif
