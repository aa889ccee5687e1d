// The matrix of what the library scans: a row for every pair of element types with an operator
// (matrix_lists.hpp), each with its data, its serial reference and its calls behind one
// signature, so that a test is a loop over rows.
#ifndef SCAN_TESTS_MATRIX_HPP
#define SCAN_TESTS_MATRIX_HPP

#include <cstdint>
#include <string>
#include <vector>

#include "scan/options.hpp"
#include "tests/matrices/sequence_problem.hpp"
#include "tests/matrices/typed_row.hpp"
#include "tests/support/sequence_reference.hpp"

namespace tests {

/// One way to scan one sequence.
struct single_case : sequence_case {
  std::int64_t n = 0;
  std::int64_t in_offset = 0;   // elements past a 256-byte boundary
  std::int64_t out_offset = 0;  // ignored in place
  scan::algorithm algorithm = scan::algorithm::automatic;

  std::int64_t num_outputs() const { return n + complete; }
  static std::int64_t num_inits() { return 1; }
  std::string describe() const {
    return (exclusive ? "exclusive n=" : "inclusive n=") + std::to_string(n) + describe_options() +
           " algorithm " + std::to_string(static_cast<int>(algorithm)) + " offsets " +
           std::to_string(in_offset) + "," + std::to_string(in_place ? in_offset : out_offset);
  }
};

struct matrix_row : typed_row<single_case> {
  /// Whether libscan.a of this build has it; the device calls of other rows are null.
  bool prebuilt;
  /// Whether it has the baselines for them too.
  bool with_baselines;
};

const std::vector<matrix_row>& matrix();

/// Data of one case: buffers between guards, and what they should hold afterwards.
class single_problem : public sequence_problem {
 public:
  single_problem(const matrix_row& row, const single_case& c, std::uint64_t seed);
  /// What is wrong with the buffers after the scan, every byte of them; or "".
  std::string judge() const;

 private:
  const matrix_row& row_;
  single_case c_;
};

inline std::string check_on_host(const matrix_row& row, const single_case& c, std::uint64_t seed,
                                 int threads) {
  return check_sequences_on_host<single_problem>(row, c, seed, threads);
}

/// For images of up to `most_bytes` bytes.
class device_checker : public sequence_device_checker<single_problem> {
 public:
  explicit device_checker(std::size_t most_bytes) : sequence_device_checker(most_bytes, 4096) {}
};

}  // namespace tests

#endif
