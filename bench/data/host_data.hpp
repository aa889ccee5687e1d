// What is scanned on CPU threads, and what a file holds: elements in host memory, and their judge,
// the scan as a serial loop, against which every output is compared as a whole.
#ifndef SCAN_BENCH_DATA_HOST_DATA_HPP
#define SCAN_BENCH_DATA_HOST_DATA_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

#include "bench/cells/cells.hpp"

namespace bench {

/// The user asked for something that cannot be done; `what()` is one line for them.
struct usage_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Host memory aligned to cache lines, every page of it written once: first use is never timed.
class host_buffer {
 public:
  explicit host_buffer(std::int64_t num_bytes);
  std::byte* data() const { return data_.get(); }
  std::int64_t num_bytes() const { return num_bytes_; }

 private:
  struct release {
    void operator()(std::byte* data) const;
  };
  std::unique_ptr<std::byte, release> data_;
  std::int64_t num_bytes_;
};

/// Elements of one of `plain_scans`.
struct dataset {
  std::string file;  // where it came from; empty: synthetic
  std::int64_t num_items;
  host_buffer elements;
  /// Sums of any stretch of elements are exact in their type, so every association of the scan has
  /// the same bits.
  bool exact;
  bool has_nan = false;
  std::int64_t num_bytes_left_out = 0;  // at the file's end, less than an element
};

/// Those that are made up (elements.hpp).
dataset synthetic_data(std::size_t scan, std::int64_t num_items);

/// The file's bytes as elements; bytes that do not fill an element are left out. Throws
/// `usage_error`.
dataset file_data(const std::string& path, std::size_t scan);

/// Throws `usage_error` when as many bytes of input and of output exceed this machine's memory: the
/// system would promise it and end the program later.
void require_host_memory(std::int64_t num_items, std::int64_t element_bytes);

/// Index of the first wrong element of `output`, the scan of `data` by one of `plain_scans`; or
/// `all_right`.
///
/// Exact data (see dataset), integers included: the bits must be those of the serial loop, but for
/// the sign of a zero that an exclusive scan begins with. Sums of other floats: |error| <= eps *
/// (64 + n / 2^13) * sum |x|, sums running up to the element, against a serial loop in double (long
/// double for f64); where that is NaN the output must be, and beyond the type's range nothing is
/// asked. Their minimum and maximum: equal, and NaN where it is.
std::int64_t first_wrong(const cell& what, const dataset& data, const void* output);

}  // namespace bench

#endif
