// The sums whose errors are measured: element types, kinds of input, and one measurement.
#ifndef SCAN_BENCH_ERROR_CASES_HPP
#define SCAN_BENCH_ERROR_CASES_HPP

#include <array>
#include <cstdint>
#include <vector>

#include "bench/error_sums.hpp"

namespace bench {

enum class element_pair { f32, f16, bf16, f16_f32 };
enum class input_kind { uniform, alternating, wide };

// In the order of the enumerators.
inline constexpr std::array pair_names{"float", "half", "bfloat16", "half to float"};
inline constexpr std::array kind_names{"uniform", "alternating", "wide"};

struct error_case {
  element_pair types;
  input_kind input;
  std::int64_t num_items;

  const char* types_name() const { return pair_names[static_cast<std::size_t>(types)]; }
  const char* input_name() const { return kind_names[static_cast<std::size_t>(input)]; }
};

/// Every pair of types with every kind of input.
std::vector<error_case> all_cases(std::int64_t num_items);

/// Outputs of all are in the case's output type, rounded to it once where sums are in float.
struct error_report {
  error_case what;
  largest_errors scan;       // this library
  largest_errors serial;     // one element after another, in float
  largest_errors tree;       // tree_sum
  largest_errors in_type;    // one element after another, each sum rounded to the 16-bit type
  bool has_in_type = false;  // whether the output type is one
  std::int64_t chain = 0;    // see error_bound.hpp
  double bound = 0;
  double output_roundoff = 0;  // unit roundoff of the output type

  /// The negation holds for a NaN too.
  bool within_bound() const { return scan.to_magnitudes <= bound; }
};

/// Where the library scans.
struct scan_place {
  bool on_gpu = false;
  int num_threads = 1;  // of the CPU
};

/// Makes the input, scans it and judges all outputs. Safe from several threads, of which one at a
/// time uses the GPU. Throws `std::runtime_error` when the scan fails.
error_report measure_errors(const error_case& what, std::uint64_t seed, const scan_place& place);

}  // namespace bench

#endif
