// The judge of rounding errors, an exact sum, and the sums that the library's are compared with.
#ifndef SCAN_BENCH_ERRORS_SUMS_HPP
#define SCAN_BENCH_ERRORS_SUMS_HPP

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace bench {

/// The largest errors among the outputs of a scan.
struct largest_errors {
  /// |output - exact| / sum |x|, sums running up to the element; what the bound speaks of. For
  /// inputs of one sign the relative error.
  double to_magnitudes = 0;
  /// |output - exact| / max |exact|, the largest exact prefix so far: a relative error that stands
  /// when a prefix passes through zero.
  double to_peak = 0;
};

/// Prefix sums without rounding: fixed point of 128 bits, in units of 2^-43. All inputs are
/// multiples of the unit of at most 2^21 in magnitude, so there is room for 2^62 of them.
class exact_sum {
 public:
  void add(double x) {
    const fixed value = static_cast<fixed>(x * units);
    sum_ += value;
    magnitudes_ += value < 0 ? -value : value;
    high_ = static_cast<double>(sum_);
    low_ = static_cast<double>(sum_ - static_cast<fixed>(high_));
    total_ = static_cast<double>(magnitudes_);
    peak_ = std::max(peak_, std::abs(high_));
  }

  /// Takes note of what someone else has for this sum.
  void judge(double result, largest_errors& largest) const {
    const double error = error_of(result);
    // Products, because divisions take longer and are rarely needed.
    if (error > largest.to_magnitudes * total_) largest.to_magnitudes = error / total_;
    if (error > largest.to_peak * peak_) largest.to_peak = error / peak_;
  }

 private:
  __extension__ typedef __int128 fixed;
  static constexpr double units = 0x1p43;

  /// In units, and itself right to a few parts in 2^53: the first difference is exact unless it is
  /// as large as half the sum, and high_ + low_ is the sum (but for 2^-106 of it).
  double error_of(double result) const {
    const double error = std::abs(result * units - high_ - low_);
    return std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
  }

  fixed sum_ = 0;
  fixed magnitudes_ = 0;
  double high_ = 0, low_ = 0;  // of sum_
  double total_ = 0;           // magnitudes_, rounded
  double peak_ = 0;            // largest |high_|
};

/// Prefix sums as the up-sweep and down-sweep over a binary tree (Blelloch) associate them: whole
/// subtrees are summed pairwise, and a prefix adds the subtrees before it, large ones first.
class tree_sum {
 public:
  /// Takes the next element; returns the sum of all.
  float add(float x) {
    float sum = x;
    for (std::uint64_t i = num_items_++; i % 2 == 1; i /= 2) sum = subtrees_[--depth_].sum + sum;
    const float prefix = depth_ > 0 ? subtrees_[depth_ - 1].prefix + sum : sum;
    subtrees_[depth_++] = {sum, prefix};
    return prefix;
  }

 private:
  struct subtree {
    float sum;
    float prefix;  // of all up to the subtree's last element
  };
  subtree subtrees_[64];  // complete ones, of falling size
  int depth_ = 0;
  std::uint64_t num_items_ = 0;
};

}  // namespace bench

#endif
