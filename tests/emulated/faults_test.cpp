// What the stand-in GPU has to notice, each in the smallest kernel that does it.
#include "tests/emulated/words.hpp"
// (before all that has device code)
#include <doctest/doctest.h>

#include "tests/emulated/arrays.hpp"

namespace {

using namespace emulated;

/// What is said of a kernel of one block of 64 threads; nothing if it came to its end.
template <class Kernel>
std::string said_of(Kernel kernel) {
  seen = {};
  const bool ended = run({1, 64, 0, false}, kernel, "a kernel");
  CHECK(ended == seen.failure.empty());
  return seen.failure;
}
bool has(const std::string& text, const char* part) { return text.find(part) != text.npos; }

TEST_CASE("emulated faults are noticed") {
  CHECK(said_of([] { __syncthreads(); }).empty());
  CHECK(has(said_of([] {
              if (threadIdx.x != 5) __syncwarp();
            }),
            "no thread can go on"));
  CHECK(has(said_of([] { __syncwarp(1); }), "not in its own mask"));
  CHECK(has(said_of([] {
              if (threadIdx.x % 2 == 0) {
                __syncwarp();
              } else {
                __any_sync(~0u, 1);
              }
            }),
            "lanes of a mask are at"));
  for (const auto end : {guarded_pages::end::first, guarded_pages::end::last}) {
    const array<int> numbers(100, 1, end);
    const bool at_first = end == guarded_pages::end::first;
    CHECK(has(said_of([&] { numbers.data()[at_first ? -2 : 103] = 1; }), "an access to"));
    CHECK(numbers.is_intact());
    CHECK(said_of([&] { numbers.data()[at_first ? -1 : 100] = 1; }).empty());
    CHECK(!numbers.is_intact());
  }
}

}  // namespace
