// Host scans of many kinds, for headers_test.py to compile after all public headers: of each
// template an instance. Most are scans that libscan.a does not hold, which are compiled here.
#include <cstdint>
#include <cuda/functional>
#include <functional>
#if __cplusplus >= 202002L
#include <span>
#endif
#include <vector>

#include "scan/host/host_scan.hpp"
#include "scan/host/tensor/recurrences.hpp"
#include "scan/scan.hpp"

/// The version is the one that the name of the build begins with (abi.hpp): v0_2_0_..
#define NAME_OF(macro) TEXT_OF(macro)
#define TEXT_OF(text) #text
constexpr const char* after_number(const char* at, char before, int number) {
  if (at == nullptr || *at++ != before) return nullptr;
  int read = 0;
  for (; *at >= '0' && *at <= '9'; ++at) read = read * 10 + (*at - '0');
  return read == number ? at : nullptr;
}
constexpr const char* build = NAME_OF(SCAN_ABI);
static_assert(*after_number(after_number(after_number(build, 'v', SCAN_VERSION_MAJOR), '_',
                                         SCAN_VERSION_MINOR),
                            '_', SCAN_VERSION_PATCH) == '_');
static_assert(SCAN_VERSION ==
              SCAN_VERSION_MAJOR * 10000 + SCAN_VERSION_MINOR * 100 + SCAN_VERSION_PATCH);
static_assert(after_number(build, 'v', SCAN_VERSION_MAJOR + 1) == nullptr);

/// Seen by other modules, as what it has of the library's has to be: compilers warn otherwise.
struct holds_all {
  scan::status status;
  scan::options<int> options;
  scan::host_options<float> host_options;
  scan::workspace workspace{std::int64_t{1}};
  scan::extents extents;
  scan::segments<int> segments;
  scan::flags<bool> flags;
  scan::plus plus;
  scan::multiplies multiplies;
  scan::minimum minimum;
  scan::maximum maximum;
  scan::bit_and bit_and;
  scan::bit_or bit_or;
  scan::bit_xor bit_xor;
  scan::flipped<scan::plus> flipped;
  scan::host_t host;
  scan::stream_ref stream;
  scan::memory_resource memory_resource;
  scan::algorithm algorithm;
  scan::transform_input<int, scan::plus> input;
  scan::transform_output<int> output;
  scan::as_is as_is;
  decltype(scan::accumulate_in<double>(scan::plus{})) accumulating;
#ifdef SCAN_NCCL_HPP
  scan::across* ranks;
#endif
};

namespace {

__extension__ typedef __int128 signed_wide;
__extension__ typedef unsigned __int128 unsigned_wide;

/// Can neither be made from 0 nor compared; `plus` adds it.
struct pair_of_sums {
  float x, y;
  friend pair_of_sums operator+(const pair_of_sums& a, const pair_of_sums& b) {
    return {a.x + b.x, a.y + b.y};
  }
};
struct from_text {
  char first = 'a';
  from_text() = default;
  explicit from_text(const char* text) : first(text[0]) {}
  from_text operator+(const from_text&) const { return *this; }
  from_text operator*(const from_text&) const { return *this; }
};

/// Its call operator is not const.
struct counting_sum {
  int calls = 0;
  int operator()(int a, int b) {
    ++calls;
    return a + b;
  }
};

/// An allocator and a stream of the caller's, by the names that others go by.
struct no_memory {
  void* allocate(cudaStream_t, std::size_t, std::size_t) { return nullptr; }
  void deallocate(cudaStream_t, void*, std::size_t, std::size_t) {}
};
struct no_memory_async {
  void* allocate_async(std::size_t, std::size_t, cudaStream_t) { return nullptr; }
  void deallocate_async(void*, std::size_t, std::size_t, cudaStream_t) {}
};
struct some_stream {
  cudaStream_t get() const { return nullptr; }
};
bool refers() {
  no_memory none;
  no_memory_async none_either;
  scan::options<int> options;
  options.stream = some_stream{};
  options.memory_resource = none;
  options.memory_resource = none_either;
  return options.stream == nullptr && options.memory_resource.is_whole();
}

struct halved {
  template <class T>
  T operator()(const T& value) const {
    return static_cast<T>(value / 2);
  }
};

/// Both scans, both directions, all options.
template <class In, class Out, class Op>
bool scan_all(In in, Out out, Op op) {
  using value = typename scan::transformed_types<In, Out, Op>::value;
  scan::host_options<value> options;
  options.init = value{};
  options.reverse = options.complete = true;
  const scan::extents shape{1, 1, 2, 0, 0};
  return scan::inclusive(scan::host, in, out, 2, op).ok() &&
         scan::inclusive(scan::host, in, out, shape, op).ok() &&
         scan::exclusive(scan::host, in, out, 2, op, options).ok();
}
template <class In, class Out = In, class Op>
bool scan_pointers(Op op) {
  const In in[2] = {};
  Out out[3] = {};
  scan::host_options<Out> options;
  options.init = Out{};
  options.reverse = options.complete = true;
  const scan::extents shape{1, 1, 2, 0, 0};
  return scan::inclusive(scan::host, in, out, 2, op).ok() &&
         scan::inclusive(scan::host, in, out, shape, op).ok() &&
         scan::exclusive(scan::host, in, out, 2, op, options).ok();
}
/// libscan.a holds no scans with a function: these are compiled here, in lanes where others are.
template <class In, class Out = In, class Op>
bool scan_halved(Op op) {
  const In in[2] = {};
  Out out[3] = {};
  return scan_all(scan::transform_input{in, halved{}}, out, op) &&
         scan_all(in, scan::transform_output{out, halved{}}, op);
}

/// By offsets, keys, flags, begins and ends; keys of the user's own.
struct two_keys {
  int first, second;
  friend bool operator==(const two_keys& a, const two_keys& b) {
    return a.first == b.first && a.second == b.second;
  }
};
template <class In, class Out, class Op>
bool scan_ragged(In in, Out out, Op op) {
  const std::int32_t narrow[3] = {0, 1, 2};
  const std::int64_t wide[3] = {0, 1, 2};
  const std::uint8_t bytes[2] = {};
  const std::uint32_t bits[1] = {};
  const two_keys keys[2] = {};
  const auto near = [](int a, int b) { return b - a < 2; };
  return scan::inclusive(scan::host, in, out, scan::segments{narrow, 2}, op).ok() &&
         scan::exclusive(scan::host, in, out, scan::segments<std::int64_t>{wide, 2, 2}, op).ok() &&
         scan::inclusive_by_key(scan::host, wide, in, out, 2, op).ok() &&
         scan::exclusive_by_key(scan::host, keys, in, out, 2, op).ok() &&
         scan::inclusive_by_key(scan::host, narrow, in, out, 2, op, {}, near).ok() &&
         scan::inclusive_by_key(scan::host, scan::flags{bytes}, in, out, 2, op).ok() &&
         scan::exclusive_by_key(scan::host, scan::flags{bits}, in, out, 2, op).ok() &&
         scan::inclusive(scan::host, in, out, scan::segment_ranges{narrow, narrow + 1, 2, 2}, op)
             .ok() &&
         scan::exclusive(scan::host, in, out, scan::segment_ranges{wide, wide + 1, 1, 2, wide}, op)
             .ok();
}

/// Through iterators, by functions of the index, with others' functors, in another type, of
/// elements without a value by default.
struct no_default {
  int value;
  explicit no_default(int given) : value(given) {}
  friend no_default operator+(const no_default& a, const no_default& b) {
    return no_default(a.value + b.value);
  }
};
int sum_of(int a, int b) { return a + b; }
bool scan_through() {
  std::vector<int> in(2), out(3);
  std::vector<no_default> single(2, no_default(1));
  scan::host_options<no_default> options;
  options.init = no_default(0);
  const auto indexed = [](int x, std::int64_t i) { return x + static_cast<int>(i); };
  return scan::inclusive(scan::host, in.begin(), out.begin(), 2, std::plus<>{}).ok() &&
         scan::exclusive(scan::host, in.rbegin(), out.rbegin(), 2, cuda::std::plus<int>{}).ok() &&
         scan::inclusive(scan::host, scan::transform_input{in.data(), indexed}, out.rbegin(), 2,
                         sum_of)
             .ok() &&
         scan_halved<float>(scan::accumulate_in<double>(cuda::maximum<>{})) &&
         scan::exclusive(scan::host, single.data(), single.data(), 2, std::plus<>{}, options).ok();
}

}  // namespace

int main() {
  bool fine =
      scan_pointers<signed_wide>(std::plus<>{}) && scan_pointers<signed_wide>(scan::plus{}) &&
      scan_pointers<unsigned_wide>(scan::multiplies{}) &&
      scan_pointers<std::int8_t, signed_wide>(scan::minimum{}) &&
      scan_pointers<unsigned_wide>(scan::maximum{}) && scan_pointers<signed_wide>(scan::bit_and{});
  fine &= scan_pointers<std::int8_t>([](std::int8_t a, std::int8_t b) { return a + b; }) &&
          scan_pointers<std::uint16_t>([](auto a, auto b) { return a * b; }) &&
          scan_pointers<float>([](float a, float b) { return double{a} * double{b}; }) &&
          scan_pointers<int>(counting_sum{});
  fine &= scan_pointers<__half>([](__half a, __half b) { return a < b ? b : a; }) &&
          scan_pointers<__nv_bfloat16, float>([](float a, float b) { return a * b; });
  fine &= scan_pointers<pair_of_sums>(scan::plus{}) && scan_pointers<from_text>(scan::multiplies{});
  fine &= scan_pointers<bool>(scan::minimum{}) && scan_pointers<bool>(scan::bit_xor{});
  fine &= scan_halved<std::int8_t>(scan::plus{}) && scan_halved<std::int16_t>(scan::minimum{}) &&
          scan_halved<std::uint8_t, std::int64_t>(scan::plus{}) &&
          scan_halved<std::uint32_t>(scan::bit_or{}) && scan_halved<float>(scan::plus{}) &&
          scan_halved<float, double>(scan::maximum{}) && scan_halved<std::int64_t>(scan::maximum{});
  const float states[2] = {};
  float h[2];
  fine &=
      scan::recurrence(scan::host, states, states, h, 2).ok() &&
      scan::host_path::recur(scan::host_path::on_host{},
                             scan::recurrence_input<float>{states, states}, h, {1, 1, 2, 0, 0}, {})
          .ok();
  float of_a[2], of_b[2];
  fine &= scan::recurrence(scan::host, scan::factor{0.5}, states, h, 2).ok() &&
          scan::recurrence(scan::host, scan::factor_each{states}, states, h, {1, 1, 2}).ok() &&
          scan::recurrence_gradient(scan::host, states, h, states, of_a, of_b, 2).ok() &&
          scan::host_path::recur_back(scan::host_path::on_host{},
                                      scan::gradient_input<float>{{states, states}, h, {}, nullptr},
                                      {of_a, of_b}, {1, 1, 2, 0, 0}, {})
              .ok();
#if __cplusplus >= 202002L
  const std::span<const float> b(states);
  fine &= scan::recurrence(scan::host, states, b, h, 2).ok() &&
          scan::recurrence(b.begin(), b, std::span<float>(h), scan::extents{1, 2, 1, 0, 0}).ok();
  fine &= scan::recurrence_gradient(scan::host, b, b, b, of_a, std::span<float>(of_b), 2).ok();
#endif
  fine &= scan_through();
  const int in[2] = {};
  int out[2] = {};
  fine &= scan::inclusive(in, out, 2, scan::plus{}, {{}, nullptr, nullptr}).ok();
  const __half halves[2] = {};
  __half sums[2];
  fine &= scan_ragged(in, out, scan::plus{}) && scan_ragged(halves, sums, scan::maximum{}) &&
          scan_ragged(scan::transform_input{in, halved{}}, out, scan::bit_or{}) &&
          scan_ragged(states, h, scan::multiplies{});
  const std::int64_t offsets[3] = {0, 1, 2};
  fine &= scan::check_segments(scan::host, scan::segments{offsets, 2, 2}).ok() &&
          scan::check_segments(scan::segments{offsets, 2, 2}).index() == -1 &&
          scan::inclusive(in, out, scan::segments{offsets, 2, 2}).ok() &&
          scan::inclusive(in, out, scan::segment_ranges{offsets, offsets + 1, 2, 2}).ok() &&
          scan::exclusive_by_key(offsets, in, out, 2).ok();
  fine &= scan::recurrence(scan::host, states, states, h, scan::segments{offsets, 2, 2}).ok() &&
          scan::recurrence(scan::host, scan::factor{0.5f}, states, h, scan::segments{offsets, 2})
              .ok() &&
          scan::recurrence_by_key(scan::host, offsets, states, states, h, 2).ok() &&
          scan::recurrence_by_key(offsets, states, states, h, 2).ok();
#if __cplusplus >= 202002L
  fine &= scan::exclusive(in, out, 2, scan::minimum{}, {.init = 3, .stream = nullptr}).ok() &&
          scan::inclusive(scan::host, in, out, 2, scan::plus{}, {.threads = 1}).ok();
#endif
  const std::uint8_t flags[2] = {};
  const std::uint32_t bits[1] = {};
  int others[2];
  std::int64_t places[2];
  fine &= scan::select(in, scan::flags{flags}, out, 2).ok() &&
          scan::partition(scan::host, states, scan::flags{bits}, of_a, of_b, 2).ok() &&
          scan::indices(scan::flags{flags}, others, scan::count{offsets, 2}).ok() &&
          scan::indices(scan::host, scan::flags{bits}, places, 2).ok() &&
          scan::unique(in, out, 2).ok() && scan::unique(scan::host, states, h, 2).ok() &&
          scan::runs(scan::host, in, out, others, 2).ok() && scan::runs(in, out, places, 2).ok() &&
          scan::select(
              scan::host, in, [](int i) { return i > 0; }, out, 2)
              .ok();
  fine &= refers();
  return fine ? 0 : 1;
}
