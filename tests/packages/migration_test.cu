// Runs the page for those who come from CUB and Thrust: each row's two calls, on the same input.
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/scan.h>
#include <thrust/transform_scan.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#include <cub/version.cuh>
#include <string>
#include <vector>
#if __has_include(<cub/device/device_segmented_scan.cuh>)
#include <cub/device/device_segmented_scan.cuh>
#endif

#include "scan/scan.cuh"
#include "tests/support/device_memory.hpp"

namespace {

struct square {
  SCAN_HOST_DEVICE int operator()(int x) const { return x * x; }
};

struct is_odd {
  SCAN_HOST_DEVICE bool operator()(int x) const { return x % 2 != 0; }
};

/// What outputs hold before a call, which no result is.
constexpr int before_theirs = 0x5a5a5a5a, before_ours = 0x5b5b5b5b;

/// CUB's way: first it says how many bytes it wants.
template <class Call>
void both_calls(Call call) {
  std::size_t bytes = 0;
  tests::cuda_check(call(nullptr, bytes));
  const tests::device_memory temp(bytes);
  tests::cuda_check(call(temp.as<void>(), bytes));
  tests::cuda_check(cudaDeviceSynchronize());
}

int run() {
  const std::int64_t n = 100003, num_segments = 1000;
  thrust::device_vector<int> v(n), w(n), k(n), offsets(num_segments + 1), init(1, 41);
  std::vector<int> values(n), keys(n), begins(num_segments + 1);
  for (int i = 0; i < n; ++i) {
    values[static_cast<std::size_t>(i)] = i * 7 % 23 - 9;
    keys[static_cast<std::size_t>(i)] = i / 300;
  }
  for (int i = 0; i < num_segments; ++i) begins[static_cast<std::size_t>(i)] = i * i / 11;
  begins.back() = n;
  v = values;
  k = keys;
  offsets = begins;
  const int *d_in = scan::as_pointer(v.begin()), *d_keys = scan::as_pointer(k.begin());
  [[maybe_unused]] const int* d_offsets = scan::as_pointer(offsets.begin());
  [[maybe_unused]] const int *d_begins = d_offsets, *d_ends = d_offsets + 1;
  // (Results the other way round, segment by segment.)
  std::vector<int> from_behind(num_segments);
  for (std::size_t s = 0; s < from_behind.size(); ++s) {
    from_behind[s] = static_cast<int>(n) - begins[s + 1];
  }
  const thrust::device_vector<int> places = from_behind;
  [[maybe_unused]] const int* d_places = scan::as_pointer(places.begin());
  int *d_out = scan::as_pointer(w.begin()), *d_init = scan::as_pointer(init.begin());
  thrust::device_vector<std::uint8_t> flags(n);
  thrust::device_vector<int> unique_keys(n);
  thrust::device_vector<std::int64_t> count(1);
  std::vector<std::uint8_t> kept(n);
  for (std::size_t i = 0; i < kept.size(); ++i) kept[i] = i % 5 < 2;
  flags = kept;
  const std::uint8_t* d_flags = scan::as_pointer(flags.begin());
  std::int64_t* d_count = scan::as_pointer(count.begin());
  int* d_unique = scan::as_pointer(unique_keys.begin());
  const tests::stream own_stream;
  const cudaStream_t stream = own_stream;
  const auto policy = thrust::cuda::par_nosync.on(stream);
  scan::workspace workspace(n);

  int num_rows = 0, num_wrong = 0;
  const auto compare = [&](const char* row, auto theirs, auto ours) {
    thrust::fill(w.begin(), w.end(), before_theirs);
    theirs();
    tests::cuda_check(cudaDeviceSynchronize());
    const thrust::device_vector<int> expected = w;
    thrust::fill(w.begin(), w.end(), before_ours);
    const scan::status done = ours();
    tests::cuda_check(cudaDeviceSynchronize());
    // (What neither writes, as selections at the end, is what it was.)
    std::vector<int> wanted(n), got(n);
    thrust::copy(expected.begin(), expected.end(), wanted.begin());
    thrust::copy(w.begin(), w.end(), got.begin());
    const auto same = [](int ours_is, int theirs_is) {
      return theirs_is == before_theirs ? ours_is == before_ours : ours_is == theirs_is;
    };
    const bool right = done.ok() && std::equal(got.begin(), got.end(), wanted.begin(), same);
    if (!right) std::printf("%s\n  is not the same here: %s\n", row, done.message());
    ++num_rows;
    num_wrong += !right;
  };
#include "migration_rows.hpp"
  std::printf("%d rows, %d of them wrong\n", num_rows, num_wrong);
  return num_wrong > 0 || num_rows < 20;
}

}  // namespace

int main() { return tests::gpu_present() ? run() : 77; }
