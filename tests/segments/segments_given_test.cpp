// What segments, keys and flags may be given as, and that there may be no elements.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "scan/host/host_scan.hpp"
#include "scan/scan.hpp"
#include "tests/support/call_checks.hpp"
#include "tests/support/check_refused.hpp"
#include "tests/support/device_memory.hpp"
#include "tests/support/run_tests.hpp"

namespace {

using scan::segments;
using tests::check_refused;

constexpr std::uint32_t parts_of_two[] = {0, 2, 4};
constexpr int keys_of_two[] = {7, 7, 8, 8};

enum class halves : int {};
bool operator==(halves a, halves b) { return static_cast<int>(a) / 2 == static_cast<int>(b) / 2; }
static_assert(scan::has_own_equality<halves> && !scan::has_own_equality<std::byte>);

}  // namespace

TEST_SUITE("segments api") {
  TEST_CASE("no elements: totals all the same") {
    const std::vector<std::int32_t> zeros(1001);
    const segments<std::int32_t> none{zeros.data(), 1000, 0};
    const float* in = nullptr;
    float* out = nullptr;
    CHECK(scan::inclusive(in, out, none).ok());
    CHECK(scan::inclusive(scan::host, in, out, none).ok());
    std::vector<float> totals(1000, 9);
    scan::host_options<float> opts;
    opts.total = totals.data();
    CHECK(scan::exclusive(scan::host, in, out, none, scan::maximum{}, opts).ok());
    CHECK(totals == std::vector<float>(1000, -std::numeric_limits<float>::infinity()));
    if (tests::skipped()) return;
    const tests::device_memory offsets(zeros.size() * 4), values(totals.size() * 4);
    tests::cuda_check(cudaMemset(offsets.as<void>(), 0, zeros.size() * 4));
    CHECK(scan::check_segments(segments{offsets.as<std::int32_t>(), 1000, 0}).ok());
    scan::options<float> device_opts;
    device_opts.total = values.as<float>();
    for (const float init : {3.0f, 4.0f}) {
      device_opts.init = init;
      device_opts.reverse = !device_opts.reverse;
      CHECK(scan::inclusive(in, out, segments{offsets.as<std::int32_t>(), 1000, 0}, scan::plus{},
                            device_opts)
                .ok());
      tests::cuda_check(
          cudaMemcpy(totals.data(), values.as<void>(), totals.size() * 4, cudaMemcpyDefault));
      CHECK(totals == std::vector<float>(1000, init));
    }
  }

  TEST_CASE("check_segments without a device says so") {
    if (tests::gpu_present()) return;
    const std::vector<std::int32_t> offsets{0, 3};
    const scan::status status = scan::check_segments(segments{offsets.data(), 1, 3});
    CHECK((status == cudaErrorNoDevice || status == cudaErrorInsufficientDriver));
    CHECK(std::string(status.message()) == "there is no usable CUDA device");
  }

  TEST_CASE("spans and iterators over arrays; flags of any bytes") {
    const std::vector<float> in{1, 1, 1, 1};
    std::vector<float> out(4);
    const std::vector<float> runs{1, 2, 1, 2};
    const auto check = [&](const scan::status& status) {
      CHECK(status.ok());
      CHECK(out == runs);
      out.assign(4, 0);
    };
    const std::span<const std::uint32_t> parts{parts_of_two, 3};
    check(scan::inclusive(scan::host, std::span<const float>{in.data(), 4}, out.data(),
                          segments{parts, 2}));
    check(scan::inclusive_by_key(scan::host, std::span<const int>{keys_of_two, 4}, in.data(),
                                 std::span<float>{out.data(), 4}, 4));
    const char flags[4] = {0, 0, -128, 0};
    check(scan::inclusive_by_key(scan::host, scan::flags{flags}, in.data(), out.data(), 4));
    const std::byte bytes[4] = {{}, {}, std::byte{64}, {}};
    const std::span<const std::byte> of_bytes{bytes, 4};
    check(scan::inclusive_by_key(scan::host, scan::flags{of_bytes}, in.data(), out.data(), 4));
    // An enumeration's own equality, of what libscan.a would compare by bits.
    const halves two[4] = {halves{4}, halves{5}, halves{6}, halves{7}};
    check(scan::inclusive_by_key(scan::host, two, in.data(), out.data(), 4));
  }

  TEST_CASE("spans of offsets, keys and flags that are shorter than the call needs") {
    const std::vector<float> in(40, 1);
    std::vector<float> out(40, 9);
    const std::vector<int> zeros(41);
    const auto refused = [&](const auto& by, const char* named) {
      const std::span<const float> from(in);
      check_refused(scan::inclusive_by_key(scan::host, by, from, out.data(), 40), named);
    };
    const std::span short_keys = std::span(zeros).first(39);
    refused(short_keys, "the span of keys");
    check_refused(scan::exclusive_by_key(short_keys, in.data(), out.data(), 40),
                  "the span of keys");
    refused(std::span(in).first(39), "the span of keys");
    const std::vector<std::uint32_t> bits(2);
    refused(scan::flags{std::span(bits).first(1)}, "the span flags.heads");
    const std::vector<std::byte> bytes(40);
    refused(scan::flags{std::span(bytes).first(39)}, "the span flags.heads");
    const segments short_one{std::span(zeros).first(40), 40, 40};
    check_refused(scan::inclusive(scan::host, in.data(), out.data(), short_one),
                  "segments.offsets");
    check_refused(scan::inclusive(in.data(), out.data(), short_one), "segments.offsets");
    check_refused(scan::check_segments(scan::host, short_one), "segments.offsets");
    check_refused(scan::check_segments(short_one), "segments.offsets");
    // The last offset says how long the spans have to be, however large it is.
    constexpr std::uint32_t large[] = {0, 3000000000};
    check_refused(scan::inclusive(scan::host, std::span(in), out.data(), segments{large, 1}),
                  "the input span");
    CHECK(out == std::vector<float>(40, 9));
    CHECK(scan::check_segments(scan::host, segments{std::span(zeros), 40, 40}).ok());
    CHECK(
        scan::inclusive_by_key(scan::host, scan::flags{std::span(bits)}, in.data(), out.data(), 40)
            .ok());
    CHECK(out[39] == 40);
  }
}
