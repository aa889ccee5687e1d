// The matrix of what the library scans: a row for every pair of element types with an operator
// (matrix_lists.hpp), each with its data, its serial reference and its calls behind one
// signature, so that a test is a loop over rows.
#ifndef SCAN_TESTS_MATRIX_HPP
#define SCAN_TESTS_MATRIX_HPP

#include <cuda_runtime_api.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "cases.hpp"
#include "device_memory.hpp"
#include "guarded.hpp"
#include "scan/status.hpp"
#include "scan/workspace.hpp"

namespace tests {

/// Pointers of one call; elements of the row's types.
struct scan_arguments {
  const void* in;
  void* out;
  void* total;       // or null
  const void* init;  // a value of the output's type, in the memory that the call wants it in
};

struct matrix_row {
  std::string name;
  std::size_t in_bytes;
  std::size_t out_bytes;
  bool can_be_in_place;
  /// Whether libscan.a of this build has it; the device calls of other rows are null.
  bool prebuilt;
  /// Whether it has the baselines for them too.
  bool with_baselines;

  /// Random elements whose fold is exact in any order.
  void (*fill)(void* in, std::int64_t n, std::mt19937_64& random);
  void (*fill_init)(void* init, std::mt19937_64& random);
  /// The scan as a loop over host memory, out of place; writes c.num_outputs() elements.
  void (*reference)(const scan_case& c, const scan_arguments& arguments);
  scan::status (*on_host)(const scan_case& c, const scan_arguments& arguments, int threads);
  scan::status (*on_device)(const scan_case& c, const scan_arguments& arguments,
                            const void* host_init, cudaStream_t stream, scan::workspace* space);
  /// Index of the first element that differs, -1 for none; NaNs are all alike.
  std::int64_t (*first_difference)(const void* actual, const void* expected, std::int64_t count);
};

const std::vector<matrix_row>& matrix();

/// Data of one case: buffers between guards, and what they should hold afterwards.
class matrix_problem {
 public:
  matrix_problem(const matrix_row& row, const scan_case& c, std::uint64_t seed);
  /// What is wrong with the buffers after the scan, every byte of them; or "".
  std::string judge();

 private:
  static std::int64_t bytes(std::size_t count) { return static_cast<std::int64_t>(count); }
  const matrix_row& row_;
  scan_case c_;

 public:
  guarded<unsigned char> in, out, total;
  alignas(8) unsigned char init[8];

 private:
  std::vector<unsigned char> input_, expected_, expected_total_;
};

/// Runs `c` on CPU threads; what is wrong, or "".
std::string check_on_host(const matrix_row& row, const scan_case& c, std::uint64_t seed,
                          int threads);

/// The same on the device, for images of up to `most_bytes` bytes.
class device_checker {
 public:
  explicit device_checker(std::size_t most_bytes) : in_(most_bytes), out_(most_bytes) {}
  std::string check(const matrix_row& row, const scan_case& c, std::uint64_t seed,
                    cudaStream_t stream, scan::workspace* space);

 private:
  device_memory in_, out_;
  device_memory total_{2048}, init_{64};
};

}  // namespace tests

#endif
