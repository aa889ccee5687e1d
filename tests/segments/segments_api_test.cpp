// Bad offsets: the right code, a message that says how, the entry, and the output untouched;
// operators without an identity; calls of no segments. What else is refused:
// tests/calls/refused_calls.hpp.
#include <doctest/doctest.h>

#include <climits>
#include <cstdint>
#include <string>
#include <vector>

#include "scan/host/host_scan.hpp"
#include "scan/scan.hpp"
#include "tests/support/call_checks.hpp"
#include "tests/support/check_refused.hpp"
#include "tests/support/device_memory.hpp"
#include "tests/support/guarded.hpp"
#include "tests/support/run_tests.hpp"

namespace {

using scan::segments;
using tests::check_refused;

/// An associative operator without an identity.
struct earliest {
  float operator()(float earlier, float) const { return earlier; }
};

}  // namespace

TEST_SUITE("segments api") {
  const std::vector<std::int64_t> offsets = {0, 3, 3, 50, 100};
  const segments<std::int64_t> good{offsets.data(), 4, 100};

  TEST_CASE("an operator without an identity wants an init where the start is seen") {
    tests::guarded<float> in(100), out(100);
    const float* const from = in.data();
    float totals[4];
    scan::host_options<float> opts;
    check_refused(scan::exclusive(scan::host, from, out.data(), good, earliest{}), "options.init");
    opts.total = totals;
    check_refused(scan::inclusive(scan::host, from, out.data(), good, earliest{}, opts),
                  "options.init");
    check_refused(scan::exclusive_by_key(scan::host, from, from, out.data(), 100, earliest{}),
                  "options.init");
    CHECK(out.untouched());
    opts.init = 1.0f;
    CHECK(scan::inclusive(scan::host, from, out.data(), good, earliest{}, opts).ok());
    CHECK(scan::inclusive(scan::host, from, out.data(), good, earliest{}).ok());
  }

  TEST_CASE("offsets that cannot be, by their index, in host memory") {
    const auto refused = [&](const auto& entries, std::int64_t num_items, const char* named,
                             std::int64_t index) {
      INFO(named, " ", index);
      tests::guarded<float> in(100), out(100), total(1 << 20);
      const auto last = static_cast<std::int64_t>(entries.size()) - 1;
      const segments given{entries.data(), last, num_items};
      scan::host_options<float> opts;
      opts.total = total.data();
      for (const bool reverse : {false, true}) {
        opts.reverse = reverse;
        check_refused(scan::inclusive(scan::host, in.data(), out.data(), given, scan::plus{}, opts),
                      named, index);
      }
      check_refused(scan::check_segments(scan::host, given), named, index);
      CHECK(out.untouched());
      CHECK(total.untouched());
    };
    using narrow = std::vector<std::int32_t>;
    using wide = std::vector<std::int64_t>;
    using narrow_unsigned = std::vector<std::uint32_t>;
    using wide_unsigned = std::vector<std::uint64_t>;
    constexpr std::int64_t unsaid = scan::unsaid_items;
    refused(narrow{-1, 3, 3, 50, 100}, 100, "offsets[0] is negative", 0);
    refused(wide{INT64_MIN, 3, 3, 50, 100}, 100, "offsets[0] is negative", 0);
    refused(wide{0, 3, 2, 50, 100}, 100, "less than the entry before", 2);
    refused(narrow{0, 3, 3, 50, 49}, unsaid, "less than the entry before", 4);
    refused(wide{0, 3, 3, 50, 101}, 100, "greater than num_items", 4);
    refused(wide{0, 3, 101, 102, 100}, 100, "greater than num_items", 2);
    refused(wide{0, INT64_MAX, INT64_MIN, 50, 100}, 100, "greater than num_items", 1);
    refused(wide{0, 3, INT64_MIN, 50, 100}, 100, "less than the entry before", 2);
    refused(narrow{0, INT32_MAX, INT32_MIN, 50, 100}, 100, "greater than num_items", 1);
    refused(narrow{0, 3, 3, 50, -7}, unsaid, "less than the entry before", 4);
    refused(narrow_unsigned{0, 3, 2, 50, 100}, 100, "less than the entry before", 2);
    refused(narrow_unsigned{0, 3, 1u << 31, 50, 100}, 100, "greater than num_items", 2);
    refused(narrow_unsigned{0, ~0u, 0, 50, 100}, unsaid, "less than the entry before", 2);
    refused(wide_unsigned{0, 3, 3, 50, ~std::uint64_t{0}}, 100, "greater than num_items", 4);
    refused(wide_unsigned{0, 3, 3, 50, ~std::uint64_t{0}}, unsaid, "greater than num_items", 4);
    // 0 is a number, too.
    refused(narrow{0, 0, 3, 50, 100}, 0, "greater than num_items", 2);
    // Far into many, at the seams of the parts in which threads look at them.
    for (const std::int64_t at : {8191, 8192, 8193, 16383, 16384, 300000}) {
      wide many(1 << 19, 7);
      many[static_cast<std::size_t>(at)] = 6;
      many[400000] = -1;
      refused(many, 100, "less than the entry before", at);
    }
  }

  TEST_CASE("no segments, or none with elements: success, and null pointers are fine") {
    const float* in = nullptr;
    float* out = nullptr;
    const std::int64_t* none = nullptr;
    CHECK(scan::inclusive(in, out, segments{none, 0, 0}).ok());
    CHECK(scan::exclusive(in, out, segments{none, 0, 100}).ok());
    CHECK(scan::inclusive(scan::host, in, out, segments{none, 0, 100}).ok());
    CHECK(scan::check_segments(segments{none, 0}).ok());
    CHECK(scan::check_segments(scan::host, segments{none, 0}).ok());
    CHECK(scan::inclusive_by_key(none, in, out, 0).ok());
    CHECK(scan::inclusive_by_key(scan::host, none, in, out, 0).ok());
    CHECK(scan::exclusive_by_key(scan::flags<bool>{nullptr}, in, out, 0).ok());
    CHECK(scan::exclusive_by_key(scan::host, scan::flags<bool>{nullptr}, in, out, 0).ok());
    // Totals of empty segments, which may lie anywhere.
    const std::vector<std::int32_t> empty(4, 5);
    float inits[3] = {1, 2, 3}, totals[3] = {};
    scan::host_options<float> opts;
    opts.init_pointer = inits;
    opts.total = totals;
    tests::guarded<float> outputs(8);
    CHECK(scan::inclusive(scan::host, outputs.data(), outputs.data(), segments{empty.data(), 3},
                          scan::plus{}, opts)
              .ok());
    CHECK(totals[0] == 1);
    CHECK(totals[2] == 3);
    CHECK(outputs.untouched());
  }

  TEST_CASE("good offsets pass, whether the number of items is said or not") {
    const segments<std::int64_t> unsaid{offsets.data(), 4};
    CHECK(scan::check_segments(scan::host, good).ok());
    CHECK(scan::check_segments(scan::host, unsaid).ok());
    check_refused(scan::check_segments(unsaid), "segments.num_items is not given");
    const std::vector<float> in(100, 1);
    tests::guarded<float> out(100);
    CHECK(scan::inclusive(scan::host, in.data(), out.data(), unsaid).ok());
    CHECK(out.data()[2] == 3);
    CHECK(out.data()[3] == 1);
    CHECK(out.data()[99] == 50);
    CHECK(out.guards_intact());
  }

  TEST_CASE("check_segments in device memory") {
    if (tests::skipped()) return;
    for (const std::int64_t num_segments : {1, 255, 256, 1 << 20}) {
      CAPTURE(num_segments);
      std::vector<std::int64_t> entries(static_cast<std::size_t>(num_segments) + 1);
      for (std::size_t i = 0; i < entries.size(); ++i) entries[i] = static_cast<std::int64_t>(i);
      const tests::device_memory memory(entries.size() * sizeof(std::int64_t));
      const segments<std::int64_t> given{memory.as<std::int64_t>(), num_segments, num_segments};
      const auto check = [&] {
        tests::cuda_check(cudaMemcpy(memory.as<void>(), entries.data(),
                                     entries.size() * sizeof(std::int64_t),
                                     cudaMemcpyHostToDevice));
        return scan::check_segments(given);
      };
      CHECK(check().ok());
      entries.back() = num_segments + 1;
      check_refused(check(), "greater than num_items", num_segments);
      const std::int64_t at = (num_segments + 1) / 2;
      entries[static_cast<std::size_t>(at)] = at - 2;
      check_refused(check(), at == 1 ? "less than the entry before" : "less than", at);
      entries[0] = -1;
      check_refused(check(), "offsets[0] is negative", 0);
      CHECK(tests::none_pending());
    }
    cudaStream_t stream = nullptr;
    tests::cuda_check(cudaStreamCreate(&stream));
    tests::cuda_check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    const tests::guarded<std::int64_t> anywhere(2);
    const scan::status captured = scan::check_segments(segments{anywhere.data(), 1, 1}, stream);
    CHECK(captured == cudaErrorStreamCaptureUnsupported);
    cudaGraph_t graph = nullptr;
    CHECK(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
    tests::cuda_check(cudaGraphDestroy(graph));
    tests::cuda_check(cudaStreamDestroy(stream));
  }

  TEST_CASE("calls are noexcept where nothing of the caller's can throw") {
    const float* in = nullptr;
    float* out = nullptr;
    CHECK(noexcept(scan::inclusive(in, out, good)));
    CHECK(noexcept(scan::exclusive(in, out, good, scan::plus{}, {})));
    CHECK(noexcept(scan::inclusive(scan::host, in, out, good)));
    CHECK(noexcept(scan::inclusive_by_key(in, in, out, 0)));
    CHECK(noexcept(scan::exclusive_by_key(scan::host, in, in, out, 0)));
    CHECK(noexcept(scan::check_segments(good)));
    const auto throws = [](float a, float b) { return a + b; };
    CHECK_FALSE(noexcept(scan::inclusive(scan::host, in, out, good, throws)));
    const auto equal = [](float a, float b) { return a == b; };
    CHECK_FALSE(
        noexcept(scan::exclusive_by_key(scan::host, in, in, out, 0, scan::plus{}, {}, equal)));
  }
}
