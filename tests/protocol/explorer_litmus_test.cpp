// Whether the explorer knows the memory model: what it must find, and what it must not.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/protocol/explorer/faults.hpp"
#include "tests/protocol/explorer/litmus.hpp"

namespace {

using explorer::litmus;
using explorer::outcomes_of;
using bodies = std::vector<litmus::body>;
constexpr auto relaxed = cuda::memory_order_relaxed, acquire = cuda::memory_order_acquire,
               release = cuda::memory_order_release, acq_rel = cuda::memory_order_acq_rel;

/// Whether some execution has these values seen, in the first places.
bool finds(const bodies& program, std::vector<std::uint32_t> values) {
  const auto all = outcomes_of(program);
  CHECK(all == outcomes_of(program, false));  // what is pruned shows nothing new
  for (const auto& seen : all) {
    if (std::equal(values.begin(), values.end(), seen.begin())) return true;
  }
  return false;
}

bodies message_passing(explorer::order stored, explorer::order loaded) {
  return {[=](litmus& p) {
            p.x().store(1, relaxed);
            p.y().store(1, stored);
          },
          [=](litmus& p) {
            p.seen[0] = p.y().load(loaded);
            p.seen[1] = p.x().load(relaxed);
          }};
}

bodies fenced_message(bool first, bool second) {
  return {[=](litmus& p) {
            p.x().store(1, relaxed);
            if (first) cuda::atomic_thread_fence(release);
            p.y().store(1, relaxed);
          },
          [=](litmus& p) {
            p.seen[0] = p.y().load(relaxed);
            if (second) cuda::atomic_thread_fence(acquire);
            p.seen[1] = p.x().load(relaxed);
          }};
}

/// A plain value, and a flag that says it is there.
std::string plain_message(explorer::order stored, explorer::order loaded) {
  litmus program({[=](litmus& p) {
                    p.write_cell();
                    p.x().store(1, stored);
                  },
                  [=](litmus& p) {
                    if (p.x().load(loaded) == 1) p.read_cell();
                  }});
  program.has_cell = true;
  return explorer::find_failure(program).failure;
}

}  // namespace

TEST_SUITE("explorer") {
  TEST_CASE("a flag carries what precedes it only by release and acquire") {
    CHECK(finds(message_passing(relaxed, relaxed), {1, 0}));
    CHECK(finds(message_passing(release, relaxed), {1, 0}));
    CHECK(finds(message_passing(relaxed, acquire), {1, 0}));
    CHECK_FALSE(finds(message_passing(release, acquire), {1, 0}));
    CHECK(finds(message_passing(release, acquire), {0, 0}));
    CHECK(finds(message_passing(release, acquire), {1, 1}));
  }

  TEST_CASE("fences do, both of them") {
    CHECK(finds(fenced_message(false, true), {1, 0}));
    CHECK(finds(fenced_message(true, false), {1, 0}));
    CHECK_FALSE(finds(fenced_message(true, true), {1, 0}));
  }

  TEST_CASE("plain memory behind a relaxed flag is a race") {
    CHECK(plain_message(relaxed, acquire) != "");
    CHECK(plain_message(release, relaxed) != "");
    CHECK(plain_message(release, acquire) == "");
  }

  TEST_CASE("an atomic object that is accessed as plain memory is found out") {
    litmus written({[](litmus& p) { ++p.plain_x(); }});
    CHECK(explorer::explore(written).failed());
    litmus spinning({[](litmus& p) {
      while (p.plain_x() != 1) explorer::running->look_again();
    }});
    CHECK(explorer::explore(spinning).failed());
    const auto read = outcomes_of({[](litmus& p) { p.seen[0] = p.plain_x(); }});
    CHECK(read.begin()->at(0) != 0);
  }

  TEST_CASE("what waits in vain, or goes on for ever, is found out") {
    litmus waiting({[](litmus& p) {
      while (p.x().load(acquire) == 0) explorer::running->look_again();
    }});
    CHECK(explorer::explore(waiting).failure.find("deadlock") == 0);
    litmus looking({[](litmus& p) {
      while (p.x().load(acquire) == 0) {
      }
    }});
    CHECK(explorer::explore(looking).failure.find("it does not end") == 0);
    litmus storing({[](litmus& p) {
      for (;;) p.x().fetch_add(1, relaxed);
    }});
    CHECK(explorer::explore(storing).failure.find("it does not end") == 0);
  }

  TEST_CASE("read-modify-writes continue a release") {
    const auto chain = [](explorer::order stored, bool in_two) -> bodies {
      return {[=](litmus& p) {
                p.x().store(1, relaxed);
                p.y().store(1, stored);
              },
              [=](litmus& p) {
                if (in_two) {
                  if (p.y().load(relaxed) == 1) p.y().store(2, relaxed);
                } else {
                  p.y().fetch_add(1, relaxed);
                }
              },
              [](litmus& p) {
                p.seen[0] = p.y().load(acquire);
                p.seen[1] = p.x().load(relaxed);
              }};
    };
    CHECK_FALSE(finds(chain(release, false), {2, 0}));
    CHECK(finds(chain(relaxed, false), {2, 0}));
    CHECK(finds(chain(release, true), {2, 0}));
  }

  TEST_CASE("stores may be delayed past loads") {
    CHECK(finds({[](litmus& p) {
                   p.x().store(1, release);
                   p.seen[0] = p.y().load(acquire);
                 },
                 [](litmus& p) {
                   p.y().store(1, release);
                   p.seen[1] = p.x().load(acquire);
                 }},
                {0, 0}));
  }

  TEST_CASE("a location has one order of stores, which every reader sees") {
    const bodies program = {[](litmus& p) { p.x().store(1, relaxed); },
                            [](litmus& p) { p.x().store(2, relaxed); },
                            [](litmus& p) {
                              p.seen[0] = p.x().load(relaxed);
                              p.seen[1] = p.x().load(relaxed);
                              p.seen[2] = p.x().load(relaxed);
                            }};
    CHECK(finds(program, {1, 2, 2}));
    CHECK(finds(program, {2, 1, 1}));
    CHECK_FALSE(finds(program, {1, 2, 1}));
    CHECK_FALSE(finds(program, {1, 0, 0}));
  }

  TEST_CASE("two locations have two orders, and readers may see them differently") {
    const auto both_ways = [](explorer::order o) -> bodies {
      return {[=](litmus& p) {
                p.x().store(1, o);
                p.y().store(2, o);
              },
              [=](litmus& p) {
                p.y().store(1, o);
                p.x().store(2, o);
              }};
    };
    // x = 1 and y = 1 are the first stores of each worker, and may yet be the last in order.
    CHECK(finds(both_ways(relaxed), {0, 0, 0, 11}));
    CHECK(finds(both_ways(release), {0, 0, 0, 11}));
  }

  TEST_CASE("read-modify-writes of one location are never lost, loads and stores are") {
    const auto counted = [](bool in_two) -> bodies {
      const auto add = [=](litmus& p) {
        if (in_two) {
          p.x().store(p.x().load(acquire) + 1, release);
        } else {
          p.x().fetch_add(1, relaxed);
        }
      };
      return {add, add, add};
    };
    CHECK(outcomes_of(counted(false)).size() == 1);
    CHECK(finds(counted(false), {0, 0, 0, 30}));
    CHECK(finds(counted(true), {0, 0, 0, 10}));
  }

  TEST_CASE("not modelled: loads that are delayed past stores") {
    CHECK_FALSE(finds({[](litmus& p) {
                         p.seen[0] = p.x().load(relaxed);
                         p.y().store(1, relaxed);
                       },
                       [](litmus& p) {
                         p.seen[1] = p.y().load(relaxed);
                         p.x().store(1, relaxed);
                       }},
                      {1, 1}));
  }

  TEST_CASE("acquire-release of one counter orders everybody") {
    const auto last_of_two = [](explorer::order o) -> bodies {
      const auto leave = [=](litmus& p) {
        p.y().store(1, relaxed);
        if (p.x().fetch_add(1, o) == 1) p.y().store(0, relaxed);
      };
      return {leave, leave};
    };
    CHECK_FALSE(finds(last_of_two(acq_rel), {0, 0, 0, 21}));
    CHECK(finds(last_of_two(relaxed), {0, 0, 0, 21}));
    CHECK(finds(last_of_two(acquire), {0, 0, 0, 21}));
    CHECK(finds(last_of_two(release), {0, 0, 0, 21}));
  }
}
