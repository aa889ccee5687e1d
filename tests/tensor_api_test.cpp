// Bad extents: the right code, a message that names the field, the output untouched. All of this is
// found before any CUDA call, so host memory stands in for device memory and no GPU is needed.
#include <doctest/doctest.h>

#include <climits>
#include <cstdint>
#include <string>

#include "device_memory.hpp"
#include "guarded.hpp"
#include "scan/scan.hpp"

namespace {

using scan::extents;

void check_refused(const scan::status& result, const std::string& named) {
  CHECK_FALSE(result.ok());
  CHECK(result == cudaErrorInvalidValue);
  INFO("message: ", std::string(result.message()));
  CHECK(std::string(result.message()).find(named) != std::string::npos);
}

/// The same bad call on the device and on CPU threads, of scans and of recurrences.
template <class T>
void check_all_refused(const T* in, T* out, const extents& shape, const std::string& named) {
  check_refused(scan::inclusive(in, out, shape), named);
  check_refused(scan::exclusive(in, out, shape, scan::maximum{}), named);
  check_refused(scan::inclusive(scan::host, in, out, shape, scan::minimum{}), named);
  check_refused(scan::exclusive(scan::host, in, out, shape), named);
  static const T factors[200] = {};
  check_refused(scan::recurrence(factors, in, out, shape), named);
  check_refused(scan::recurrence(scan::host, factors, in, out, shape), named);
}

/// A scan that must be refused with the options, on either side.
template <class Options, class HostOptions>
void check_options_refused(const tests::guarded<float>& in, tests::guarded<float>& out,
                           const extents& shape, const Options& opts, const HostOptions& host_opts,
                           const std::string& named) {
  check_refused(scan::exclusive(in.data(), out.data(), shape, scan::plus{}, opts), named);
  check_refused(scan::exclusive(scan::host, in.data(), out.data(), shape, scan::plus{}, host_opts),
                named);
  CHECK(in.untouched());
  CHECK(out.untouched());
}

}  // namespace

TEST_SUITE("tensor api") {
  TEST_CASE("extents that cannot be, by the name of the field") {
    tests::guarded<float> in(200), out(200);
    const auto refused = [&](const extents& shape, const char* named) {
      INFO(named);
      check_all_refused(in.data(), out.data(), shape, named);
    };
    refused({-1, 4, 4, 0, 0}, "extents.outer is negative");
    refused({4, -1, 4, 0, 0}, "extents.length is negative");
    refused({4, 4, -1, 0, 0}, "extents.inner is negative");
    refused({INT64_MIN, 4, 4, 0, 0}, "extents.outer is negative");
    refused({4, 4, 4, -16, 0}, "extents.in_pitch is negative");
    refused({4, 4, 4, 0, -16}, "extents.out_pitch is negative");
    refused({4, 4, 4, 15, 0}, "extents.in_pitch is less");
    refused({4, 4, 4, 0, 15}, "extents.out_pitch is less");
    refused({1, 4, 4, 15, 0}, "extents.in_pitch is less");
    CHECK(in.untouched());
    CHECK(out.untouched());
  }

  TEST_CASE("products over the address space") {
    tests::guarded<float> in(200), out(200);
    const std::int64_t most = (std::int64_t{1} << 57) / 4;
    const auto refused = [&](const extents& shape, const char* named) {
      INFO(named);
      check_all_refused(in.data(), out.data(), shape, named);
    };
    refused({1, most + 1, 1, 0, 0}, "extents.length is too large");
    refused({1, 1, most + 1, 0, 0}, "extents.inner is too large");
    refused({most + 1, 1, 1, 0, 0}, "extents.outer is too large");
    refused({INT64_MAX, 1, 1, 0, 0}, "extents.outer is too large");
    refused({1, INT64_MAX, 1, 0, 0}, "extents.length is too large");
    refused({1, 1, INT64_MAX, 0, 0}, "extents.inner is too large");
    refused({INT64_MAX, INT64_MAX, INT64_MAX, 0, 0}, "is too large");
    // Products that 64 bits wrap to something small.
    refused({std::int64_t{1} << 32, std::int64_t{1} << 32, 1, 0, 0}, "extents.outer is too large");
    refused({1, std::int64_t{1} << 32, std::int64_t{1} << 32, 0, 0}, "extents.length is too large");
    refused({std::int64_t{1} << 32, 1, std::int64_t{1} << 32, 0, 0}, "extents.outer is too large");
    refused({std::int64_t{1} << 22, 1 << 21, 1 << 21, 0, 0}, "extents.outer is too large");
    refused({3, 4, 4, INT64_MAX, 0}, "extents.in_pitch is too large");
    refused({3, 4, 4, 0, INT64_MAX}, "extents.out_pitch is too large");
    refused({3, 4, 4, std::int64_t{1} << 62, 0}, "extents.in_pitch is too large");
    CHECK(in.untouched());
    CHECK(out.untouched());
  }

  TEST_CASE("null pointers, misaligned ones, overlaps") {
    tests::guarded<float> in(200), out(200), both(400);
    const extents shape{3, 4, 5, 25, 30};
    const auto shifted = [](float* p) {
      return reinterpret_cast<float*>(reinterpret_cast<char*>(p) + 1);
    };
    const auto refused = [&](const float* from, float* to, const extents& of, const char* named) {
      check_refused(scan::inclusive(from, to, of), named);
      check_refused(scan::exclusive(scan::host, from, to, of), named);
    };
    refused(nullptr, out.data(), shape, "input pointer is null");
    refused(in.data(), nullptr, shape, "output pointer is null");
    refused(shifted(in.data()), out.data(), shape, "input pointer is not aligned");
    refused(in.data(), shifted(out.data()), shape, "output pointer is not aligned");
    refused(both.data(), both.data() + 1, shape, "overlaps");
    refused(both.data() + 69, both.data(), shape, "overlaps");
    refused(both.data(), both.data() + 69, shape, "overlaps");
    refused(both.data(), both.data(), shape, "in place both have one pitch");
    const extents halves{3, 4, 5, 40, 40};  // parts of each row of a buffer
    refused(both.data(), both.data() + 19, halves, "overlaps");
    refused(both.data() + 21, both.data(), halves, "overlaps");
    CHECK(in.untouched());
    CHECK(out.untouched());
    CHECK(both.untouched());
    const auto accepted = [&](float* from, float* to, const extents& of) {
      CHECK(scan::inclusive(scan::host, from, to, of).ok());
      CHECK(scan::inclusive(from, to, of) != cudaErrorInvalidValue);
      CHECK(both.guards_intact());
    };
    if (tests::gpu_present()) return;  // (to which these are no pointers)
    accepted(both.data(), both.data() + 20, halves);
    accepted(both.data() + 20, both.data(), halves);
    accepted(both.data(), both.data(), halves);
    accepted(both.data(), both.data() + 70, {3, 4, 5, 25, 30});
    // The last slab has no pitch after it.
    accepted(both.data(), both.data() + 300, {3, 4, 5, 140, 30});
  }

  TEST_CASE("factors of a recurrence") {
    tests::guarded<float> a(200), b(200), h(200);
    const extents shape{3, 4, 5, 25, 30};
    const auto refused = [&](const float* factors, const float* from, float* to,
                             const char* named) {
      check_refused(scan::recurrence(factors, from, to, shape), named);
      check_refused(scan::recurrence(scan::host, factors, from, to, shape), named);
    };
    const auto shifted = [](const float* p) {
      return reinterpret_cast<const float*>(reinterpret_cast<const char*>(p) + 2);
    };
    refused(nullptr, b.data(), h.data(), "a, the factors, is null");
    refused(shifted(a.data()), b.data(), h.data(), "a, the factors, is not aligned");
    refused(h.data(), b.data(), h.data(), "overlaps a, the factors");
    refused(h.data() + 20, b.data(), h.data(), "overlaps a, the factors");
    refused(a.data(), nullptr, h.data(), "b is null");
    refused(a.data(), shifted(b.data()), h.data(), "b is not aligned");
    refused(a.data(), h.data() + 20, h.data(), "overlaps b and");
    for (const std::int64_t n : {std::int64_t{-4}, INT64_MAX}) {  // of n elements: no extents
      const char* const named = n < 0 ? "n is negative" : "n is too large";
      check_refused(scan::recurrence(a.data(), b.data(), h.data(), n), named);
      check_refused(scan::recurrence(scan::host, a.data(), b.data(), h.data(), n), named);
    }
    scan::options<float> opts;
    opts.complete = true;
    check_refused(scan::recurrence(a.data(), b.data(), h.data(), shape, opts), "options.complete");
    CHECK(a.untouched());
    CHECK(b.untouched());
    CHECK(h.untouched());
  }

  TEST_CASE("options: what a value a sequence may overlap, and which go together") {
    tests::guarded<float> in(200), out(200);
    const extents shape{3, 4, 5, 25, 30};
    scan::options<float> opts;
    scan::host_options<float> host_opts;
    const auto refused = [&](const char* named) {
      check_options_refused(in, out, shape, opts, host_opts, named);
    };
    float values[15 + 15] = {};
    opts.total = host_opts.total = out.data() + 79;  // the last output
    refused("options.total overlaps the output");
    opts.total = host_opts.total = in.data() - 14;  // its last value is the first input
    refused("options.total overlaps the input");
    opts.total = host_opts.total = values;
    opts.init_pointer = host_opts.init_pointer = values + 14;
    refused("options.init_pointer overlaps options.total");
    opts.total = host_opts.total = nullptr;
    opts.init_pointer = host_opts.init_pointer = out.data() - 14;
    refused("options.init_pointer overlaps the output");
    opts.init_pointer = host_opts.init_pointer = values;
    opts.init = host_opts.init = 1.0f;
    refused("both given");
    opts.init.reset();
    host_opts.init.reset();
    opts.complete = host_opts.complete = true;  // 5 more outputs a slab
    check_options_refused(in, out, {3, 4, 5, 25, 24}, opts, host_opts, "extents.out_pitch");
    check_refused(scan::inclusive(in.data(), out.data(), shape, scan::plus{}, opts),
                  "options.complete");
    check_refused(
        scan::inclusive(scan::host, in.data(), out.data(), shape, scan::plus{}, host_opts),
        "options.complete");
  }

  TEST_CASE("an algorithm is for one sequence") {
    if (!tests::gpu_present()) return;  // which says so first
    tests::guarded<float> in(200), out(200);
    scan::options<float> opts;
    for (const auto which : {scan::algorithm::wave, scan::algorithm::look_back,
                             scan::algorithm::ring, scan::algorithm::blelloch}) {
      opts.algorithm = which;
      const scan::status result =
          scan::inclusive(in.data(), out.data(), extents{3, 4, 5, 0, 0}, scan::plus{}, opts);
      CHECK_FALSE(result.ok());
      CHECK(std::string(result.message()).find("options.algorithm") != std::string::npos);
    }
    CHECK(out.untouched());
  }

  TEST_CASE("a workspace in error is refused whatever the shape") {
    tests::guarded<float> in(200), out(200);
    scan::workspace none(-1);
    scan::options<float> opts;
    opts.workspace = &none;
    for (const extents& shape : {extents{3, 4, 5, 0, 0}, {200, 1, 1, 0, 0}, {1, 200, 1, 0, 0}}) {
      check_refused(scan::inclusive(in.data(), out.data(), shape, scan::plus{}, opts), "max_items");
    }
    CHECK(out.untouched());
  }

  TEST_CASE("a workspace for extents that cannot be, and the bytes for those that can") {
    check_refused(scan::workspace(extents{-1, 4, 5, 0, 0}).error(), "extents.outer");
    check_refused(scan::workspace(extents{1, 4, INT64_MAX, 0, 0}).error(), "extents.inner");
    check_refused(scan::workspace(extents{1, 4, 5, 0, 0}, 65).error(), "max_element_bytes");
    CHECK(scan::workspace::required_bytes(extents{1, -4, 5, 0, 0}, 4) == SIZE_MAX);
    CHECK(scan::workspace::required_bytes(extents{1, 4, 5, 0, 0}, 0) == SIZE_MAX);
    for (const int element_bytes : {1, 2, 4, 8, 12, 16, 64}) {
      for (const std::int64_t length : {1, 33, 1000, 100000}) {
        for (const std::int64_t inner : {1, 2, 7, 33, 1000}) {
          std::size_t last = 0;  // never less for more slabs
          for (std::int64_t outer = 0; outer < std::int64_t{1} << 32; outer = outer * 3 / 2 + 1) {
            const std::size_t bytes =
                scan::workspace::required_bytes(extents{outer, length, inner, 0, 0}, element_bytes);
            CHECK(bytes >= last);
            last = bytes;
          }
        }
      }
    }
  }

  TEST_CASE("no sequences, or none with elements: success, and null pointers are fine") {
    const float* in = nullptr;
    float* out = nullptr;
    for (const extents& shape : {extents{0, 4, 5, 0, 0},
                                 {4, 0, 5, 0, 0},
                                 {4, 5, 0, 0, 0},
                                 {0, 0, 0, 0, 0},
                                 {0, 4, 5, 100, 100}}) {
      CHECK(scan::inclusive(in, out, shape).ok());
      CHECK(scan::exclusive(in, out, shape).ok());
      CHECK(scan::recurrence(in, in, out, shape).ok());
      CHECK(scan::inclusive(scan::host, in, out, shape).ok());
      CHECK(scan::recurrence(scan::host, in, in, out, shape).ok());
    }
    // Totals of sequences without elements, and complete outputs.
    tests::guarded<float> outputs(40), totals(20);
    scan::host_options<float> opts;
    opts.total = totals.data();
    opts.complete = true;
    opts.init = 3.0f;
    CHECK(
        scan::exclusive(scan::host, in, outputs.data(), extents{4, 0, 5, 0, 7}, scan::plus{}, opts)
            .ok());
    CHECK(totals.data()[19] == 3.0f);
    CHECK(outputs.data()[3 * 7 + 4] == 3.0f);
    CHECK(outputs.guards_intact());
    CHECK(totals.guards_intact());
  }

  TEST_CASE("calls are noexcept") {
    const float* in = nullptr;
    float* out = nullptr;
    CHECK(noexcept(scan::inclusive(in, out, extents{})));
    CHECK(noexcept(scan::exclusive(in, out, extents{}, scan::plus{}, {})));
    CHECK(noexcept(scan::inclusive(scan::host, in, out, extents{})));
    CHECK(noexcept(scan::recurrence(in, in, out, 0)));
    CHECK(noexcept(scan::recurrence(scan::host, in, in, out, extents{})));
  }

  TEST_CASE("without a GPU: CUDA's own code, and the output untouched") {
    if (tests::gpu_present()) return;  // the device suites take over
    tests::guarded<float> in(200), out(200);
    for (const extents& shape : {extents{3, 4, 5, 0, 0}, {50, 4, 1, 0, 0}, {1, 200, 1, 0, 0}}) {
      for (const scan::status& result :
           {scan::inclusive(in.data(), out.data(), shape),
            scan::recurrence(in.data(), in.data(), out.data(), shape)}) {
        INFO(std::string(result.message()));
        const bool named = result == cudaErrorNoDevice || result == cudaErrorInsufficientDriver;
        CHECK(named);
      }
    }
    CHECK(out.untouched());
  }
}
