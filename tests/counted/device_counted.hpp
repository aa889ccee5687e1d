// The calls of counted.hpp in device memory, as check_counted.hpp makes them.
#ifndef SCAN_TESTS_COUNTED_DEVICE_COUNTED_HPP
#define SCAN_TESTS_COUNTED_DEVICE_COUNTED_HPP

#include <random>

#include "scan/counted.hpp"
#include "scan/segmented.hpp"

namespace tests {

struct counted_on_device {
  template <class... Arguments>
  static scan::status scan(bool exclusive, const Arguments&... arguments) {
    return exclusive ? scan::exclusive(arguments...) : scan::inclusive(arguments...);
  }
  template <class By, class T, class Options>
  static scan::status by_key(bool exclusive, By by, const T* in, T* out, const scan::count& n,
                             const Options& opts) {
    return exclusive ? scan::exclusive_by_key(by, in, out, n, scan::plus{}, opts)
                     : scan::inclusive_by_key(by, in, out, n, scan::plus{}, opts);
  }
  template <class T>
  static scan::options<T> options(std::mt19937_64&) {
    return {};
  }
};

}  // namespace tests

#endif
