// The sums whose errors are measured, how far they may be off, and the tables that tell it.
#ifndef SCAN_BENCH_ERRORS_ERRORS_HPP
#define SCAN_BENCH_ERRORS_ERRORS_HPP

#include <array>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "bench/errors/sums.hpp"

namespace bench {

enum class input_kind { uniform, alternating, wide };

inline constexpr std::array pair_names{"float", "half", "bfloat16", "half to float"};
inline constexpr std::array kind_names{"uniform", "alternating", "wide"};

struct error_case {
  std::size_t types;  // place in pair_names
  input_kind input;
  std::int64_t num_items;

  const char* types_name() const { return pair_names[types]; }
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
  std::int64_t chain = 0;    // see device_chain
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

// ---- the error bound of the order in which the library adds ----
//
// A computed sum in which no element passes more than d additions is off by at most gamma(d) times
// the sum of the elements' magnitudes (Higham, "Accuracy and Stability of Numerical Algorithms",
// section 4.2). So all that counts is the longest chain of additions from an input to an output.

/// Half the distance from 1 to the next number of a type with `digits` binary digits.
constexpr double unit_roundoff(int digits) {
  return digits == 0 ? 1 : unit_roundoff(digits - 1) / 2;
}

/// Additions on the longest way from an input to an output of an inclusive sum of `n` elements,
/// accumulated in float; `element_bytes`: 2 or 4, the larger of input and output. They follow the
/// kernels of device/sequence/ and host/blocks.hpp, and have to be changed with these.
std::int64_t device_chain(std::int64_t n, int element_bytes);
std::int64_t host_chain(std::int64_t n);

/// |output - exact sum| / sum |x| is at most this, for additions in float (infinite where there is
/// no bound: chains of 2^24) and outputs rounded to `output_digits` digits.
double error_bound(std::int64_t chain, int output_digits);

// ---- tables ----

struct error_run {
  std::string gpu;  // empty: scanned on CPU threads
  std::uint64_t seed;
  std::vector<error_report> reports;
};

void print_error_heading(std::ostream& to);
/// The reports of one size.
void print_errors(std::ostream& to, const std::vector<error_report>& reports);
/// Everything, sorted by types; brackets hold errors relative to the largest prefix so far.
void print_markdown(std::ostream& to, const error_run& run);

/// Names the errors beyond their bound on stderr; false if there are none.
bool complain(const error_run& run);

}  // namespace bench

#endif
