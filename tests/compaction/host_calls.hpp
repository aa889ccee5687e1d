// The calls of compaction.hpp on CPU threads, as check_compaction.hpp makes them.
#ifndef SCAN_TESTS_COMPACTION_HOST_CALLS_HPP
#define SCAN_TESTS_COMPACTION_HOST_CALLS_HPP

#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "scan/compaction.hpp"
#include "tests/support/guarded.hpp"

namespace tests {

struct on_threads {
  static inline std::string which_case;
  static constexpr bool takes_functions = true;
  template <class T>
  class array {
   public:
    array(const std::vector<T>& items, std::int64_t offset, std::mt19937_64&)
        : n_(items.size()), image_(std::make_shared<guarded<T>>(size(), offset)) {
      std::copy(items.begin(), items.end(), data());
    }
    T* data() const { return image_->data(); }
    std::vector<T> items() const { return {data(), data() + n_}; }
    void lock() const {}  // (what is not to be written is const to who might)
    bool is_intact() const { return image_->guards_intact(); }

   private:
    std::int64_t size() const { return static_cast<std::int64_t>(n_); }
    std::size_t n_;
    std::shared_ptr<guarded<T>> image_;
  };
  template <class... Arguments>
  static scan::status select(const Arguments&... arguments) {
    return scan::select(scan::host, arguments...);
  }
  template <class... Arguments>
  static scan::status partition(const Arguments&... arguments) {
    return scan::partition(scan::host, arguments...);
  }
  template <class... Arguments>
  static scan::status indices(const Arguments&... arguments) {
    return scan::indices(scan::host, arguments...);
  }
  template <class... Arguments>
  static scan::status unique(const Arguments&... arguments) {
    return scan::unique(scan::host, arguments...);
  }
  template <class... Arguments>
  static scan::status runs(const Arguments&... arguments) {
    return scan::runs(scan::host, arguments...);
  }
  template <class... Arguments>
  static scan::status reduce_by_key(const Arguments&... arguments) {
    return scan::reduce_by_key(scan::host, arguments...);
  }
  static scan::host_select_options options(std::int64_t* count, std::int64_t capacity,
                                           std::mt19937_64& random) {
    scan::host_select_options opts;
    opts.count = count;
    opts.capacity = capacity;
    opts.threads = static_cast<int>(random() % 4);
    return opts;
  }
  static std::string now() { return which_case; }
};

}  // namespace tests

#endif
