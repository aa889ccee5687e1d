#include <algorithm>
#include <bit>
#include <mutex>
#include <type_traits>

#include "bench/data/host_data.hpp"
#include "bench/errors/errors.hpp"
#include "bench/measure/gpu_pool.hpp"
#include "scan/scan.hpp"

namespace bench {
namespace {

template <class T>
inline constexpr int digits = std::is_same_v<T, float>    ? 24
                              : std::is_same_v<T, __half> ? 11
                                                          : 8;

/// splitmix64: a good hash of a counter, the same on every machine.
std::uint64_t random_bits(std::uint64_t seed, std::int64_t i) {
  std::uint64_t z =
      seed * 0xd1342543de82ef95u + static_cast<std::uint64_t>(i + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/// Powers of two that inputs are multiplied with.
struct exponents {
  int lowest, highest;  // of the wide range
  int scale;            // of all inputs
};

/// Sums of half end at 65504, so its inputs are scaled by a power of two that keeps the total of
/// any kind below: errors of long sums would not be seen otherwise. What is below the smallest
/// normal number then is rounded to multiples of 2^-24, as an input: the reference sees it too.
template <class T>
exponents exponents_for(std::int64_t num_items) {
  if (!std::is_same_v<T, __half>) return {-20, 20, 0};
  const int log2_items = std::bit_width(static_cast<std::uint64_t>(num_items - 1));
  return {-10, 0, std::min(0, 16 - log2_items)};
}

template <class T>
void fill(const error_case& what, std::uint64_t seed, T* elements) {
  const exponents range = exponents_for<T>(what.num_items);
  const auto num_exponents = static_cast<std::uint64_t>(range.highest - range.lowest + 1);
  for (std::int64_t i = 0; i < what.num_items; ++i) {
    const std::uint64_t bits = random_bits(seed, i);
    const float fraction = static_cast<float>(bits >> 40) * 0x1p-24f;  // in [0, 1)
    float x = std::ldexp(fraction, range.scale);
    if (what.input == input_kind::alternating && i % 2 == 1) x = -x;
    if (what.input == input_kind::wide) {
      const int exponent = range.lowest + static_cast<int>((bits & 0xffffffff) % num_exponents);
      const float digits = 1 + static_cast<float>(bits >> 41) * 0x1p-23f;  // in [1, 2)
      x = std::ldexp(digits, exponent + range.scale);
    }
    elements[i] = scan::convert<T>(x);
  }
}

std::mutex using_gpu;  // one case at a time: device memory is shorter than the host's

template <class In, class Out>
void scan_on_gpu(const host_buffer& in, host_buffer& out, std::int64_t n) {
  const std::lock_guard<std::mutex> lock(using_gpu);
  const device_buffer d_in(in.num_bytes()), d_out(out.num_bytes());
  check_cuda(cudaMemcpy(d_in.data(), in.data(), static_cast<std::size_t>(in.num_bytes()),
                        cudaMemcpyHostToDevice),
             "copying the input to the device");
  // NaNs, so that an output that is not written is seen.
  check_cuda(cudaMemset(d_out.data(), 0xff, static_cast<std::size_t>(out.num_bytes())),
             "overwriting the output");
  require_success(scan::inclusive(reinterpret_cast<const In*>(d_in.data()),
                                  reinterpret_cast<Out*>(d_out.data()), n));
  check_cuda(cudaMemcpy(out.data(), d_out.data(), static_cast<std::size_t>(out.num_bytes()),
                        cudaMemcpyDeviceToHost),
             "copying the output to the host");
}

/// Judges the library's outputs, and the same sums done otherwise.
template <class In, class Out>
void judge(const In* in, const Out* out, error_report& report) {
  const auto as_output = [](float sum) { return scan::convert<double>(scan::convert<Out>(sum)); };
  exact_sum exact;
  tree_sum tree;
  float serial = 0;
  Out in_type = scan::convert<Out>(0.0f);
  for (std::int64_t i = 0; i < report.what.num_items; ++i) {
    const float x = scan::convert<float>(in[i]);
    exact.add(x);
    exact.judge(scan::convert<double>(out[i]), report.scan);
    serial += x;
    exact.judge(as_output(serial), report.serial);
    exact.judge(as_output(tree.add(x)), report.tree);
    if (!report.has_in_type) continue;
    in_type = scan::convert<Out>(scan::convert<float>(in_type) + x);
    exact.judge(scan::convert<double>(in_type), report.in_type);
  }
}

template <class In, class Out>
error_report measure_pair(const error_case& what, std::uint64_t seed, const scan_place& place) {
  const std::int64_t n = what.num_items;
  constexpr int element_bytes = static_cast<int>(std::max(sizeof(In), sizeof(Out)));
  host_buffer in(n * static_cast<std::int64_t>(sizeof(In)));
  host_buffer out(n * static_cast<std::int64_t>(sizeof(Out)));
  In* const from = reinterpret_cast<In*>(in.data());
  Out* const to = reinterpret_cast<Out*>(out.data());
  fill(what, seed, from);
  if (place.on_gpu) {
    scan_on_gpu<In, Out>(in, out, n);
  } else {
    const scan::host_options<Out> options{.init = {}, .threads = place.num_threads};
    require_success(scan::inclusive(scan::host, from, to, n, scan::plus{}, options));
  }
  error_report report{what, {}, {}, {}, {}};
  report.has_in_type = !std::is_same_v<Out, float>;
  report.chain = place.on_gpu ? device_chain(n, element_bytes) : host_chain(n);
  report.bound = error_bound(report.chain, digits<Out>);
  report.output_roundoff = unit_roundoff(digits<Out>);
  judge(from, to, report);
  return report;
}

}  // namespace

std::vector<error_case> all_cases(std::int64_t num_items) {
  std::vector<error_case> cases;
  for (std::size_t types = 0; types < pair_names.size(); ++types) {
    for (std::size_t input = 0; input < kind_names.size(); ++input) {
      cases.push_back({types, static_cast<input_kind>(input), num_items});
    }
  }
  return cases;
}

error_report measure_errors(const error_case& what, std::uint64_t seed, const scan_place& place) {
  constexpr std::array measure{measure_pair<float, float>, measure_pair<__half, __half>,
                               measure_pair<__nv_bfloat16, __nv_bfloat16>,
                               measure_pair<__half, float>};
  static_assert(measure.size() == pair_names.size());
  return measure[what.types](what, seed, place);
}

}  // namespace bench
