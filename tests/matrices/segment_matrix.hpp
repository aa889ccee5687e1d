// The matrix of what libscan.a scans in segments: a row for every pair of element types with an
// operator, each with its data, its serial reference and its calls by offsets, keys and flags; as
// tensor_matrix.hpp of tensors.
#ifndef SCAN_TESTS_SEGMENT_MATRIX_HPP
#define SCAN_TESTS_SEGMENT_MATRIX_HPP

#include <string>
#include <vector>

#include "tests/matrices/sequence_problem.hpp"
#include "tests/matrices/typed_row.hpp"
#include "tests/segments/segment_case.hpp"

namespace tests {

using segment_row = typed_row<segment_case>;

const std::vector<segment_row>& segment_matrix();

/// Data of one case: buffers between guards, and what they should hold afterwards, elements of no
/// segment included. `beside` the input is what says where segments begin.
class segment_problem : public sequence_problem {
 public:
  segment_problem(const segment_row& row, const segment_case& c, std::uint64_t seed);
  /// What is wrong with the buffers after the scan, every byte of them; or "".
  std::string judge() const;

 private:
  const segment_row& row_;
  segment_case c_;
};

inline std::string check_segments_on_host(const segment_row& row, const segment_case& c,
                                          std::uint64_t seed, int threads) {
  return check_sequences_on_host<segment_problem>(row, c, seed, threads);
}
using segment_device_checker = sequence_device_checker<segment_problem>;

/// Bytes of the largest buffer of such a case, with what guards add.
inline std::size_t image_bytes(const segment_row& row, const segment_case& c) {
  const std::int64_t most = std::max(c.num_items(), c.layout->num_segments() + 1);
  return static_cast<std::size_t>(most) * std::max<std::size_t>(row.widest(), 8) + 4096;
}

}  // namespace tests

#endif
