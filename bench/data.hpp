// What is scanned: synthetic elements or those of a file, in host memory.
#ifndef SCAN_BENCH_DATA_HPP
#define SCAN_BENCH_DATA_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

#include "bench/problem.hpp"

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

struct dataset {
  std::string file;  // where it came from; empty: synthetic
  std::int64_t num_items;
  host_buffer elements;
  /// Sums of any stretch of elements are exact in their type, so every association of the scan has
  /// the same bits.
  bool exact;
  std::int64_t num_bytes_left_out = 0;  // at the file's end, less than an element
};

/// Integers: random over the full range. Floats: random small integers of both signs, with mean
/// zero, whose sums are exact (which is checked). The same for every run.
dataset synthetic_data(element_type type, std::int64_t num_items);

/// The file's bytes as elements; bytes that do not fill an element are left out. Throws
/// `usage_error`.
dataset file_data(const std::string& path, element_type type);

/// Throws `usage_error` when `num_items` elements of input and of output exceed this machine's
/// memory: the system would promise it and end the program later.
void require_host_memory(std::int64_t num_items, element_type type);

}  // namespace bench

#endif
