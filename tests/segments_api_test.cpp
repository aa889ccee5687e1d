// Bad segments, keys and flags: the right code, a message that names the argument, for offsets the
// entry, and the output untouched. What is found before any CUDA call needs no GPU: host memory
// stands in for device memory.
#include <doctest/doctest.h>

#include <climits>
#include <cstdint>
#include <string>
#include <vector>

#include "call_checks.hpp"
#include "device_memory.hpp"
#include "guarded.hpp"
#include "run_tests.hpp"
#include "scan/host/host_scan.hpp"
#include "scan/scan.hpp"

namespace {

using scan::segments;

void check_refused(const scan::status& result, const std::string& named, std::int64_t index = -1) {
  CHECK_FALSE(result.ok());
  CHECK(result == cudaErrorInvalidValue);
  INFO("message: ", std::string(result.message()));
  CHECK(std::string(result.message()).find(named) != std::string::npos);
  CHECK(result.index() == index);
}

template <class T>
T* shifted(T* p, int bytes = 1) {
  return reinterpret_cast<T*>(
      const_cast<char*>(reinterpret_cast<const char*>(const_cast<const T*>(p)) + bytes));
}

/// The same bad segments on the device and on CPU threads.
template <class Offset>
void check_all_refused(const float* in, float* out, const segments<Offset>& given,
                       const std::string& named) {
  INFO(named);
  check_refused(scan::inclusive(in, out, given), named);
  check_refused(scan::exclusive(in, out, given, scan::maximum{}), named);
  check_refused(scan::inclusive(scan::host, in, out, given, scan::minimum{}), named);
  check_refused(scan::exclusive(scan::host, in, out, given), named);
}

/// An associative operator without an identity.
struct earliest {
  float operator()(float earlier, float) const { return earlier; }
};

}  // namespace

TEST_SUITE("segments api") {
  const std::vector<std::int64_t> offsets = {0, 3, 3, 50, 100};
  const segments<std::int64_t> good{offsets.data(), 4, 100};

  TEST_CASE("numbers that cannot be, by the name of the field") {
    tests::guarded<float> in(200), out(200);
    const auto refused = [&](std::int64_t num_segments, std::int64_t num_items, const char* named) {
      check_all_refused(in.data(), out.data(), segments{offsets.data(), num_segments, num_items},
                        named);
      const std::vector<std::int32_t> narrow(5);
      check_all_refused(in.data(), out.data(), segments{narrow.data(), num_segments, num_items},
                        named);
    };
    const std::int64_t most = (std::int64_t{1} << 57) / 4;
    refused(-1, 100, "segments.num_segments is negative");
    refused(INT64_MIN, 100, "segments.num_segments is negative");
    refused(most, 100, "segments.num_segments is too large");
    refused(INT64_MAX, 100, "segments.num_segments is too large");
    refused(4, -2, "segments.num_items is negative");
    refused(4, INT64_MIN, "segments.num_items is negative");
    refused(4, most + 1, "segments.num_items is too large");
    refused(4, INT64_MAX, "segments.num_items is too large");
    // Nobody knows in time what the last offset on the device is.
    check_refused(scan::inclusive(in.data(), out.data(), segments{offsets.data(), 4}),
                  "segments.num_items is not given");
    CHECK(in.untouched());
    CHECK(out.untouched());
  }

  TEST_CASE("null pointers, misaligned ones, overlaps") {
    tests::guarded<float> in(200), out(200), both(400);
    tests::guarded<std::int64_t> own(30);
    const auto refused = [&](const float* from, float* to, const char* named) {
      check_all_refused(from, to, good, named);
    };
    refused(nullptr, out.data(), "input pointer is null");
    refused(in.data(), nullptr, "output pointer is null");
    refused(shifted(in.data()), out.data(), "input pointer is not aligned");
    refused(in.data(), shifted(out.data()), "output pointer is not aligned");
    refused(both.data(), both.data() + 1, "overlaps the input");
    refused(both.data() + 99, both.data(), "overlaps the input");
    const std::int64_t* none = nullptr;
    check_all_refused(in.data(), out.data(), segments{none, 4, 100}, "segments.offsets is null");
    check_all_refused(in.data(), out.data(), segments{shifted(offsets.data(), 4), 3, 100},
                      "segments.offsets is not aligned");
    // (What is in `own` is no matter: it must not even be looked at where it would be overwritten.)
    for (std::int64_t i = 0; i < 30; ++i) own.data()[i] = 0;
    auto* const inside = reinterpret_cast<float*>(own.data());
    check_all_refused(in.data(), inside + 10 - 100 + 1, segments{own.data() + 5, 4, 100},
                      "output overlaps segments.offsets");
    check_all_refused(in.data(), inside + 19, segments{own.data() + 5, 4, 2},
                      "output overlaps segments.offsets");
    CHECK(in.untouched());
    CHECK(out.untouched());
    CHECK(both.untouched());
    CHECK(own.guards_intact());
  }

  TEST_CASE("options: values a segment") {
    tests::guarded<float> in(200), out(200);
    tests::guarded<std::int64_t> own(8);
    for (std::int64_t i = 0; i < 8; ++i) own.data()[i] = 0;
    float values[4 + 4] = {};
    scan::options<float> opts;
    scan::host_options<float> host_opts;
    const auto refused = [&](const char* named) {
      const segments given{own.data() + 2, 4, 100};
      check_refused(scan::exclusive(in.data(), out.data(), given, scan::plus{}, opts), named);
      check_refused(
          scan::exclusive(scan::host, in.data(), out.data(), given, scan::plus{}, host_opts),
          named);
      opts = {};
      host_opts = {};
    };
    opts.total = host_opts.total = out.data() + 99;
    refused("options.total overlaps the output");
    opts.total = host_opts.total = in.data() - 3;
    refused("options.total overlaps the input");
    opts.total = host_opts.total = reinterpret_cast<float*>(own.data() + 6);
    refused("options.total overlaps segments.offsets");
    opts.total = host_opts.total = shifted(values);
    refused("options.total is not aligned");
    opts.total = host_opts.total = values;
    opts.init_pointer = host_opts.init_pointer = values + 3;
    refused("options.init_pointer overlaps options.total");
    opts.init_pointer = host_opts.init_pointer = out.data() + 97;
    refused("options.init_pointer overlaps the output");
    opts.init_pointer = host_opts.init_pointer = shifted(values);
    refused("options.init_pointer is not aligned");
    opts.init_pointer = host_opts.init_pointer = values;
    opts.init = host_opts.init = 1.0f;
    refused("both given");
    opts.complete = host_opts.complete = true;
    refused("options.complete");
    host_opts.threads = -1;
    check_refused(scan::exclusive(scan::host, in.data(), out.data(), good, scan::plus{}, host_opts),
                  "options.threads");
    CHECK(in.untouched());
    CHECK(out.untouched());
  }

  TEST_CASE("keys and flags") {
    tests::guarded<float> in(200), out(200);
    tests::guarded<std::int32_t> keys(200);
    tests::guarded<std::uint32_t> bits(7);
    scan::options<float> opts;
    scan::host_options<float> host_opts;
    const auto refused = [&](const std::int32_t* by, float* to, std::int64_t n, const char* named) {
      check_refused(scan::inclusive_by_key(by, in.data(), to, n, scan::plus{}, opts), named);
      check_refused(
          scan::exclusive_by_key(scan::host, by, in.data(), to, n, scan::plus{}, host_opts), named);
    };
    refused(keys.data(), out.data(), -1, "n is negative");
    refused(keys.data(), out.data(), INT64_MAX, "n is too large");
    refused(nullptr, out.data(), 200, "pointer to keys is null");
    refused(shifted(keys.data()), out.data(), 199, "pointer to keys is not aligned");
    refused(keys.data(), reinterpret_cast<float*>(keys.data() + 199), 200, "overlaps the keys");
    refused(keys.data(), nullptr, 200, "output pointer is null");
    const auto flags_refused = [&](auto by, float* to, const char* named) {
      check_refused(scan::exclusive_by_key(by, in.data(), to, 200, scan::plus{}, opts), named);
      check_refused(
          scan::inclusive_by_key(scan::host, by, in.data(), to, 200, scan::plus{}, host_opts),
          named);
    };
    auto* const bytes = reinterpret_cast<const std::uint8_t*>(keys.data());
    flags_refused(scan::flags{bytes}, reinterpret_cast<float*>(keys.data() + 49), "overlaps");
    flags_refused(scan::flags{bits.data()}, reinterpret_cast<float*>(bits.data() + 6), "overlaps");
    flags_refused(scan::flags{shifted(bits.data())}, out.data(), "flags.heads is not aligned");
    flags_refused(scan::flags<bool>{nullptr}, out.data(), "flags.heads is null");
    float value = 0;
    opts.total = host_opts.total = &value;
    refused(keys.data(), out.data(), 200, "options.total");
    flags_refused(scan::flags{bytes}, out.data(), "options.total");
    opts.total = host_opts.total = nullptr;
    opts.init_pointer = host_opts.init_pointer = &value;
    refused(keys.data(), out.data(), 200, "options.init_pointer");
    opts.init_pointer = host_opts.init_pointer = nullptr;
    opts.complete = host_opts.complete = true;
    refused(keys.data(), out.data(), 200, "options.complete");
    CHECK(in.untouched());
    CHECK(out.untouched());
    CHECK(keys.untouched());
    CHECK(bits.untouched());
  }

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

  TEST_CASE("without a GPU: CUDA's own code, and the output untouched") {
    if (tests::gpu_present()) return;  // the device suites take over
    tests::guarded<float> in(100), out(100);
    const std::vector<std::int32_t> keys(100);
    for (const scan::status& result :
         {scan::inclusive(in.data(), out.data(), good),
          scan::exclusive_by_key(keys.data(), in.data(), out.data(), 100),
          scan::check_segments(good)}) {
      INFO(std::string(result.message()));
      const bool named = result == cudaErrorNoDevice || result == cudaErrorInsufficientDriver;
      CHECK(named);
    }
    CHECK(out.untouched());
  }
}
