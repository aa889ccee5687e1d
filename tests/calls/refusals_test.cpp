// Bad input: the right code, a message that names the argument, nothing written, whichever call it
// is given to. All of this is found before any CUDA call, so host memory stands in for device
// memory and no GPU is needed.
#include <doctest/doctest.h>

#include <string>

// (Before any_call.hpp: here its calls have functions, too.)
#include "scan/host/host_scan.hpp"
#include "tests/calls/refused_calls.hpp"
#include "tests/support/check_refused.hpp"
#include "tests/support/device_memory.hpp"

namespace {

using tests::family;
using tests::good_call;
using tests::refusal;

struct passed_on {
  float operator()(float x) const { return x; }
};

scan::status run(const good_call& call, unsigned way) {
  if (way == tests::on_device) return call.on_device();
  if (way == tests::on_host) return call.on_host();
  const auto* const in = reinterpret_cast<const float*>(call.in);
  auto* const out = reinterpret_cast<float*>(call.out);
  return call.scanned(scan::transform_input{in, passed_on{}},
                      scan::transform_output{out, passed_on{}}, call.host_opts(), scan::host);
}

/// Calls `check(call, way)` for all that there are.
template <class Check>
void for_each_call(unsigned calls, unsigned ways, const Check& check) {
  for (const family which : tests::families) {
    if ((which & calls) == 0) continue;
    const bool recurs = (which & tests::of_recurrences) != 0;
    for (const bool exclusive : {false, true}) {
      if (recurs ? exclusive : !(ways & (exclusive ? tests::exclusively : tests::inclusively))) {
        continue;
      }
      for (const unsigned way : {tests::on_device, tests::on_host, tests::with_functions}) {
        if ((way & ways) == 0 || (recurs && way == tests::with_functions)) continue;
        good_call call(which, exclusive);
        const std::string name = call.name() + (way == tests::on_device ? ""
                                                : way == tests::on_host ? ", host"
                                                                        : ", by functions");
        INFO(name);
        check(call, way);
      }
    }
  }
}

void check_all(const std::vector<refusal>& all) {
  for (const refusal& one : all) {
    INFO(std::string(one.words));
    int num_calls = 0;
    for_each_call(one.calls, one.ways, [&](good_call& call, unsigned way) {
      ++num_calls;
      one.spoil(call);
      call.remember();
      tests::check_refused(run(call, way), one.words);
      CHECK(call.as_before());
    });
    CHECK(num_calls > 0);
  }
}

}  // namespace

TEST_SUITE("api") {
  TEST_CASE("refused: numbers that cannot be") { check_all(tests::refused_numbers()); }
  TEST_CASE("refused: null pointers and misaligned ones") { check_all(tests::refused_places()); }
  TEST_CASE("refused: overlaps") { check_all(tests::refused_overlaps()); }
  TEST_CASE("refused: options") { check_all(tests::refused_options()); }

  TEST_CASE("without the fault they are not refused; without a GPU they have CUDA's own code") {
    const bool has_gpu = tests::gpu_present();
    for_each_call(tests::of_any, tests::in_every_way, [&](good_call& call, unsigned way) {
      std::memset(call.in, 0, 400);
      if (call.is(tests::of_runs)) std::memset(call.heads, 1, 200);
      if (way != tests::on_device) {
        CHECK(std::string(run(call, way).message()) == "success");
      } else if (!has_gpu) {  // (to which these are no pointers)
        call.remember();
        const scan::status result = run(call, way);
        INFO(std::string(result.message()));
        const bool named = result == cudaErrorNoDevice || result == cudaErrorInsufficientDriver;
        CHECK(named);
        CHECK(call.as_before());
      }
    });
  }
}
