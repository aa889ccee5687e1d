// The NVTX ranges of calls, as a tool sees them that NVTX has loaded (nvtx_tool.cpp, the first
// argument). No GPU is needed: a call that finds none, or is refused, is a call.
#include <dlfcn.h>
#include <doctest/doctest.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "scan/call/call_range.hpp"
#include "scan/scan.hpp"

namespace {

using take_ranges_function = const char*();
take_ranges_function* take_ranges = nullptr;

/// What the compiler calls a type, which is not the same everywhere: `long`, `long int`.
template <class T>
std::string name() {
  return std::string(scan::type_name<T>());
}

template <class Call>
void check_range(const std::string& expected, std::int64_t payload, Call call) {
  static_cast<void>(take_ranges());
  static_cast<void>(call());
  CHECK(std::string(take_ranges()) ==
        "open " + expected + " payload " + std::to_string(payload) + "\nclose\n");
}

struct halved {
  float operator()(float x) const { return x / 2; }
};

}  // namespace

TEST_SUITE("nvtx") {
  TEST_CASE("types have the names that they are written with") {
    CHECK(name<int>() == "int");
    CHECK(name<float>() == "float");
    CHECK(name<unsigned char>() == "unsigned char");
    CHECK(name<__half>() == "__half");
    CHECK((name<scan::plus>() == "scan::plus" || name<scan::plus>() == "plus"));  // (in here)
    CHECK(name<int*>().find("int") == 0);
    const std::string with_function = name<scan::transform_input<float, halved>>();
    CHECK(with_function.find("transform_input<float, ") != std::string::npos);
    CHECK(with_function.find("halved") != std::string::npos);
    const auto lambda = [](int a, int b) { return a + b; };
    CHECK(name<decltype(lambda)>().find("lambda") != std::string::npos);
    CHECK(name<std::vector<int>>().find("std::vector<int") == 0);
  }

  TEST_CASE("a call is one range, of its name, types and size") {
    std::vector<int> in(64), out(65);
    std::vector<float> a(64), h(64);
    std::vector<std::uint8_t> mask(64);
    std::vector<std::int64_t> counts(64), offsets(9);
    std::vector<short> keys(64);
    // (Memory that no device reads: where there is one, these are all refused.)
    scan::options<int> refused;
    refused.init = 1;
    refused.init_pointer = in.data();
    const std::string plus = name<scan::plus>();
    const auto both = [&](auto... rest) {
      return [&, rest...] {
        return scan::inclusive(in.data(), out.data(), rest..., scan::plus{}, refused);
      };
    };
    check_range("inclusive<int, int, " + plus + "> n=64", 64, both(std::int64_t{64}));
    check_range("inclusive<int, int, " + plus + "> 2 x 8 x 4", 64, both(scan::extents{2, 8, 4}));
    check_range("inclusive<int, int, " + plus + "> n=64", 64, both(scan::extents{1, 64, 1}));
    check_range("inclusive<int, int, " + plus + "> n=64, 8 segments", 64,
                both(scan::segments{offsets.data(), 8, 64}));
    check_range("inclusive<int, int, " + plus + "> n=-1", -1, both(std::int64_t{-1}));
    // The operator of the call, not that of the kernel which serves it.
    check_range("exclusive<int, int, " + name<scan::maximum>() + "> n=64", 64, [&] {
      return scan::exclusive(in.data(), out.data(), 64, scan::maximum{}, refused);
    });
    check_range("inclusive<unsigned char, " + name<std::int64_t>() + ", " + plus + "> n=0", 0,
                [&] { return scan::inclusive(mask.data(), counts.data(), 0); });
    check_range("exclusive_by_key<int, int, " + plus + "> n=64", 64, [&] {
      return scan::exclusive_by_key(keys.data(), in.data(), out.data(), 64, scan::plus{}, refused);
    });
    check_range("inclusive_by_key<int, int, " + plus + "> n=64", 64, [&] {
      return scan::inclusive_by_key(scan::flags{mask.data()}, in.data(), out.data(), 64,
                                    scan::plus{}, refused);
    });
    scan::options<float> refused_too;
    refused_too.complete = true;
    check_range("recurrence<float> n=64", 64,
                [&] { return scan::recurrence(a.data(), a.data(), h.data(), 64, refused_too); });
    check_range("recurrence<float> 4 x 8 x 2", 64, [&] {
      return scan::recurrence(a.data(), a.data(), h.data(), scan::extents{4, 8, 2}, refused_too);
    });
    const scan::flags kept{mask.data()};
    scan::select_options none;
    none.capacity = -1;
    check_range("select<int> n=64", 64,
                [&] { return scan::select(in.data(), kept, out.data(), 64, none); });
    check_range("partition<int> n=64", 64, [&] {
      return scan::partition(in.data(), kept, out.data(), out.data() + 1, 64, none);
    });
    check_range("indices<int> n=64", 64, [&] { return scan::indices(kept, out.data(), 64, none); });
    check_range("unique<int> n=64", 64,
                [&] { return scan::unique(in.data(), out.data(), 64, {}, none); });
    check_range("runs<int, " + name<std::int64_t>() + "> n=64", 64, [&] {
      return scan::runs(in.data(), out.data(), counts.data(), scan::count{counts.data(), 64}, {},
                        none);
    });
  }

  TEST_CASE(
      "the range of a call that another one makes is inside the other's; threads have their own") {
    using range = scan::device::call_range<int>;
    {
      const range outer("outer", 1);
      const range inner("inner", 2);
    }
    CHECK(std::string(take_ranges()) ==
          "open outer<int> n=1 payload 1\nopen inner<int> n=2 payload 2\nclose\nclose\n");
    check_range("outer<int> n=1", 1, [] {
      std::thread([] { const range outer("outer", 1); }).join();
      return 0;
    });
    check_range("of threads<int> n=0", 0, [] {
      const range outer("of threads", 0);
      return 0;
    });
  }

  TEST_CASE("a name that is too long is cut") {
    const std::string very_long(1000, 'x');
    static_cast<void>(take_ranges());
    { const scan::device::call_range<int> range(very_long.c_str(), 3); }
    const std::string seen = take_ranges();
    CHECK(seen.size() < 600);
    CHECK(seen.substr(0, 105) == "open " + std::string(100, 'x'));
    CHECK(seen.find(" payload 3\nclose\n") != std::string::npos);
  }

  TEST_CASE("calls on CPU threads have none") {
    const int in[3] = {1, 2, 3};
    int out[3];
    static_cast<void>(take_ranges());
    CHECK(scan::inclusive(scan::host, in, out, 3).ok());
    CHECK(std::string(take_ranges()).empty());
  }
}

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  setenv("NVTX_INJECTION64_PATH", argv[1], 1);  // before the first call
  void* const tool = dlopen(argv[1], RTLD_NOW);
  if (tool == nullptr) return std::puts(dlerror()), 2;
  take_ranges = reinterpret_cast<take_ranges_function*>(dlsym(tool, "take_ranges"));
  if (take_ranges == nullptr) return std::puts(dlerror()), 2;
  return doctest::Context(argc - 1, argv + 1).run();
}
