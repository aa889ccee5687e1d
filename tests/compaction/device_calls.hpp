// The calls of compaction.hpp in device memory, as check_compaction.hpp makes them.
#ifndef SCAN_TESTS_COMPACTION_DEVICE_CALLS_HPP
#define SCAN_TESTS_COMPACTION_DEVICE_CALLS_HPP

#include <cstdint>
#include <random>

#include "scan/compaction.hpp"

namespace tests {

struct device_calls {
  template <class... Arguments>
  static scan::status select(const Arguments&... arguments) {
    return scan::select(arguments...);
  }
  template <class... Arguments>
  static scan::status partition(const Arguments&... arguments) {
    return scan::partition(arguments...);
  }
  template <class... Arguments>
  static scan::status indices(const Arguments&... arguments) {
    return scan::indices(arguments...);
  }
  template <class... Arguments>
  static scan::status unique(const Arguments&... arguments) {
    return scan::unique(arguments...);
  }
  template <class... Arguments>
  static scan::status runs(const Arguments&... arguments) {
    return scan::runs(arguments...);
  }
  template <class... Arguments>
  static scan::status reduce_by_key(const Arguments&... arguments) {
    return scan::reduce_by_key(arguments...);
  }
  static scan::select_options options(std::int64_t* count, std::int64_t capacity,
                                      std::mt19937_64&) {
    scan::select_options opts;
    opts.count = count;
    opts.capacity = capacity;
    return opts;
  }
};

}  // namespace tests

#endif
