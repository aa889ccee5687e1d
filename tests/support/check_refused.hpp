// What a call that is refused answers.
#ifndef SCAN_TESTS_CHECK_REFUSED_HPP
#define SCAN_TESTS_CHECK_REFUSED_HPP

#include <doctest/doctest.h>

#include <cstdint>
#include <string>

#include "scan/status.hpp"

namespace tests {

/// That what is wrong is an argument, which the words name. `index`: of an entry that is.
inline void check_refused(const scan::status& result, const std::string& words,
                          std::int64_t index = -1) {
  const std::string message = result.message();
  CAPTURE(message);
  CHECK_FALSE(result.ok());
  CHECK(result == cudaErrorInvalidValue);
  CHECK(message.find(words) != std::string::npos);
  CHECK(result.index() == index);
}

}  // namespace tests

#endif
