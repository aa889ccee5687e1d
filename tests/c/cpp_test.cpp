// scan/c.h in C++17, beside the library itself in one program: both give the same results, hold the
// same scans, and number the same things alike.
#include <scan/c.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <scan/scan.hpp>

namespace {

int num_failed = 0;
void check(bool is_right, const char* what) {
  if (is_right) return;
  ++num_failed;
  std::printf("wrong: %s\n", what);
}

constexpr bool is(scan_code code, cudaError_t e) { return static_cast<int>(code) == e; }
static_assert(is(SCAN_SUCCESS, cudaSuccess) && is(SCAN_INVALID_VALUE, cudaErrorInvalidValue));
static_assert(is(SCAN_OUT_OF_MEMORY, cudaErrorMemoryAllocation));
static_assert(is(SCAN_INSUFFICIENT_DRIVER, cudaErrorInsufficientDriver));
static_assert(is(SCAN_NO_DEVICE, cudaErrorNoDevice) && is(SCAN_UNKNOWN, cudaErrorUnknown));
static_assert(is(SCAN_NOT_SUPPORTED, cudaErrorNotSupported));
static_assert(SCAN_BIT_LAYERS == static_cast<int>(scan::algorithm::bit_layers));

/// Whether C and C++ agree on what is held.
template <class In, class Out, class Op>
void same_held(int in, int out, int op) {
  using scan::extents;
  using scan::segment_heads;
  using scan::device::on_device;
  using scan::host_path::on_host;
  const bool held[2][4] = {
      {on_device::holds<std::int64_t, In, Out, Op>, on_device::holds<extents, In, Out, Op>,
       on_device::holds<segment_heads, In, Out, Op>, on_device::holds<segment_heads, In, Out, Op>},
      {on_host::holds<std::int64_t, In, Out, Op>, on_host::holds<extents, In, Out, Op>,
       on_host::holds<segment_heads, In, Out, Op>, on_host::holds<segment_heads, In, Out, Op>}};
  for (int place = SCAN_DEVICE; place <= SCAN_HOST; ++place) {
    for (int kind = SCAN_SEQUENCE; kind <= SCAN_KEYS; ++kind) {
      const bool said = scan_is_held(place, kind, in, out, op) == 1;
      if (said == held[place][kind]) continue;
      std::printf("place %d, kind %d, %d to %d, operator %d\n", place, kind, in, out, op);
      check(false, "what is held");
    }
  }
}
template <class In, class Out>
void same_held(int in, int out) {
  if (out != SCAN_BOOL) {
    same_held<In, Out, scan::plus>(in, out, SCAN_PLUS);
    same_held<In, Out, scan::multiplies>(in, out, SCAN_MULTIPLIES);
  }
  same_held<In, Out, scan::minimum>(in, out, SCAN_MINIMUM);
  same_held<In, Out, scan::maximum>(in, out, SCAN_MAXIMUM);
  same_held<In, Out, scan::bit_and>(in, out, SCAN_BIT_AND);
  same_held<In, Out, scan::bit_or>(in, out, SCAN_BIT_OR);
  same_held<In, Out, scan::bit_xor>(in, out, SCAN_BIT_XOR);
}

/// Sums that are rounded: the order of additions has to be the same one.
void same_bits() {
  constexpr int n = 100'000;
  static float x[n], ours[n], theirs[n];
  std::uint32_t state = 1;
  for (float& element : x) {
    state = state * 1664525u + 1013904223u;
    element = static_cast<float>(state >> 8) * 1e-7f - .5f;
  }
  const float init = .1f;
  float total = 0, their_total = 0;
  scan_operands operands{};
  operands.size = sizeof operands;
  operands.input = x;
  operands.output = ours;
  operands.input_type = operands.output_type = SCAN_FLOAT;
  operands.exclusive = 1;
  scan_options given{};
  given.size = sizeof given;
  given.place = SCAN_HOST;
  given.init = &init;
  given.total = &total;
  given.reverse = 1;
  check(scan_sequence(&operands, n, &given).code == SCAN_SUCCESS, "a call");
  scan::host_options<float> opts;
  opts.init = init;
  opts.total = &their_total;
  opts.reverse = true;
  const scan::status status = scan::exclusive(scan::host, x, theirs, n, scan::plus{}, opts);
  check(status.ok(), "a call in C++");
  check(std::memcmp(ours, theirs, sizeof ours) == 0, "the same bits");
  check(std::memcmp(&total, &their_total, sizeof total) == 0, "the same total");
}

}  // namespace

int main() {
  same_held<std::int8_t, std::int8_t>(SCAN_INT8, SCAN_INT8);
  same_held<std::int16_t, std::int16_t>(SCAN_INT16, SCAN_INT16);
  same_held<std::int32_t, std::int32_t>(SCAN_INT32, SCAN_INT32);
  same_held<std::int64_t, std::int64_t>(SCAN_INT64, SCAN_INT64);
  same_held<std::uint8_t, std::uint8_t>(SCAN_UINT8, SCAN_UINT8);
  same_held<std::uint16_t, std::uint16_t>(SCAN_UINT16, SCAN_UINT16);
  same_held<std::uint32_t, std::uint32_t>(SCAN_UINT32, SCAN_UINT32);
  same_held<std::uint64_t, std::uint64_t>(SCAN_UINT64, SCAN_UINT64);
  same_held<std::uint8_t, std::uint32_t>(SCAN_UINT8, SCAN_UINT32);
  same_held<std::uint8_t, std::int64_t>(SCAN_UINT8, SCAN_INT64);
  same_held<std::int8_t, std::int32_t>(SCAN_INT8, SCAN_INT32);
  same_held<std::int32_t, std::uint64_t>(SCAN_INT32, SCAN_UINT64);
  same_held<float, float>(SCAN_FLOAT, SCAN_FLOAT);
  same_held<double, double>(SCAN_DOUBLE, SCAN_DOUBLE);
  same_held<float, double>(SCAN_FLOAT, SCAN_DOUBLE);
  same_held<double, float>(SCAN_DOUBLE, SCAN_FLOAT);
  same_held<__half, __half>(SCAN_HALF, SCAN_HALF);
  same_held<__half, float>(SCAN_HALF, SCAN_FLOAT);
  same_held<__nv_bfloat16, __nv_bfloat16>(SCAN_BFLOAT16, SCAN_BFLOAT16);
  same_held<__half, __nv_bfloat16>(SCAN_HALF, SCAN_BFLOAT16);
  same_held<bool, bool>(SCAN_BOOL, SCAN_BOOL);
  same_held<bool, std::int64_t>(SCAN_BOOL, SCAN_INT64);
  same_held<std::uint8_t, bool>(SCAN_UINT8, SCAN_BOOL);
  same_bits();
  return num_failed == 0 ? 0 : 1;
}
