// Whether all executions of a program are right, or one is wrong as it should be. Prints how many
// there were.
#ifndef SCAN_TESTS_EXPLORER_CHECKS_HPP
#define SCAN_TESTS_EXPLORER_CHECKS_HPP

#include <doctest/doctest.h>

#include <cstdint>
#include <cstdio>
#include <string>

#include "tests/protocol/explorer/explore.hpp"
#include "tests/protocol/explorer/faults.hpp"

namespace explorer {

/// Of all tests.
struct totals {
  std::int64_t executions = 0, states = 0, must_fail = 0;
  ~totals() {
    std::printf("explorer: %lld executions, %lld states, %lld programs that must fail\n",
                static_cast<long long>(executions), static_cast<long long>(states),
                static_cast<long long>(must_fail));
  }
};
inline totals all;

inline void print(const std::string& name, const outcome& found) {
  all.executions += found.executions;
  all.states += found.states;
  std::printf("explorer: %-62s %8lld executions, %7lld states%s\n", name.c_str(),
              static_cast<long long>(found.executions), static_cast<long long>(found.states),
              found.limited ? ", bounded" : "");
}

/// All executions within `given` are right, and there are many.
template <class Program>
void check(const std::string& name, Program&& program, const limits& given = {}) {
  INFO(name);
  outcome found = explore(program, given);
  if (found.failed()) found = find_failure(program, given);
  print(name, found);
  CHECK_MESSAGE(found.failure == "", "\n", found.trace);
  CHECK(found.complete);
  CHECK(found.states > 3);
  CHECK(!found.endings.empty());
}

/// Some execution is wrong.
template <class Program>
void must_fail(const std::string& name, Program&& program) {
  INFO(name);
  const outcome found = find_failure(program, {});
  std::printf("explorer: must fail: %-51s %8lld executions: %s\n", name.c_str(),
              static_cast<long long>(found.executions), found.failure.c_str());
  ++all.must_fail;
  CHECK(found.failed());
  CHECK(found.trace.find("call 1, worker 0") != std::string::npos);
}

/// Some execution is wrong with the fault, which strikes, and none without.
template <class Program>
void must_fail(const std::string& name, fault wrong, Program&& program) {
  REQUIRE(explore(program).failure == "");
  seeded = &wrong;
  must_fail(name, program);
  seeded = nullptr;
  CHECK(wrong.hits > 0);
}

}  // namespace explorer

#endif
