// Sequences of a user's own types: which sizes, which ways to call, and their check.
#ifndef SCAN_TESTS_OWN_SEQUENCES_HPP
#define SCAN_TESTS_OWN_SEQUENCES_HPP

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/cases.hpp"
#include "tests/support/device_memory.hpp"
#include "tests/support/host_workers.hpp"
#include "tests/support/plan_switches.hpp"
#include "tests/types/own_scan.hpp"

namespace tests {

/// More tiles of the look-back kernel than a block looks at in one batch, where there is a device,
/// and enough elements for several threads.
inline std::int64_t largest_custom_size(std::size_t element_bytes) {
  const std::int64_t tile = scan::device::tuning_for(static_cast<int>(element_bytes)).tile_items();
  return std::min(300 * tile, std::int64_t{has_device_code() ? 1200000 : 200000}) + 11;
}
/// Sizes around the tiles of every kernel that the device has for scans whose widest element has
/// `element_bytes` bytes; without a device, around those of the look-back kernel.
inline std::vector<std::int64_t> custom_sizes(std::size_t element_bytes) {
  const int bytes = static_cast<int>(element_bytes);
  const scan::device::device_limits limits = limits_here();
  std::vector<std::int64_t> sizes{0, 1, 2, 31, 33, 1000, largest_custom_size(element_bytes)};
  const auto add = [&](const std::vector<std::int64_t>& more) {
    sizes.insert(sizes.end(), more.begin(), more.end());
  };
  if (has_device_code()) {
    add(state_edges(bytes, limits));
    for (const scan::algorithm wanted : algorithms_here()) add(tile_edges(bytes, limits, wanted));
  } else {
    add(tile_edges(bytes, limits, scan::algorithm::look_back));
  }
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

/// The scan of suffixes as a loop, last element to first: out[i] = in[i] op ... op in[n-1].
template <class T, class Op>
std::vector<T> serial_suffix_scan(const std::vector<T>& in, Op op) {
  sequence_case c;
  c.reverse = true;
  return scan_sequence<T>(c, in, std::nullopt, op).outputs;
}

struct own_sequence : sequence_case {
  std::int64_t n = 0;
  std::int64_t in_offset = 0, out_offset = 0;  // elements past a 256-byte boundary
  scan::algorithm algorithm = scan::algorithm::automatic;

  std::string describe() const {
    return (exclusive ? "exclusive" : "inclusive") + std::string(" n=") + std::to_string(n) +
           describe_options() + " algorithm " + std::to_string(static_cast<int>(algorithm)) +
           " offsets " + std::to_string(in_offset) + "," + std::to_string(out_offset);
  }
};

struct own_sequences : own_shape {
  using test_case = own_sequence;

  static std::int64_t out_span(const test_case& c) { return c.n + c.complete; }
  static std::int64_t num_totals(const test_case&) { return 1; }
  /// Whether an output or total is the init or the identity.
  static bool wants_start(const test_case& c) {
    return c.n > 0 ? c.exclusive : c.complete || c.with_total;
  }
  static scan::algorithm algorithm(const test_case& c) { return c.algorithm; }
  template <class Each>
  static void for_each_output(const test_case& c, const Each& each) {
    for (std::int64_t i = 0; i < out_span(c); ++i) each(i);
  }
  template <class T, class Op>
  static void scan_serially(const test_case& c, const T* in, T* out, const std::vector<T>& inits,
                            T* total, Op op) {
    const auto results =
        scan_sequence<T>(c, std::vector<T>(in, in + c.n), init_of_sequence(c, inits, 0), op);
    std::copy(results.outputs.begin(), results.outputs.end(), out);
    if (total != nullptr) *total = results.total;
  }
  static void make_workspace(const test_case& c, int widest, std::optional<scan::workspace>& to) {
    to.emplace(c.n, widest, hungriest(c.n, widest));
  }
  template <class Input, class Output, class Op>
  static int workers(const test_case& c, const Input& in, const Output& out, const Op& op,
                     int threads) {
    return c.n == 0 ? 1 : host_workers(in, out, c.n, op, threads);
  }
  template <class Input, class Output, class Op, class Options, class... Where>
  static scan::status call(const test_case& c, const void*, Input in, Output out, Op op,
                           const Options& opts, Where... where) {
    return c.exclusive ? scan::exclusive(where..., in, out, c.n, op, opts)
                       : scan::inclusive(where..., in, out, c.n, op, opts);
  }
};

/// All ways to call for one size; totals, inits and alignments alternate over the sizes.
inline std::vector<own_sequence> custom_cases(std::int64_t n) {
  std::vector<own_sequence> cases;
  for (int kind = 0; kind < 3; ++kind) {
    for (int bits = 0; bits < 8; ++bits) {
      const std::int64_t turn = n + bits + kind;
      own_sequence c;
      c.n = n;
      c.exclusive = kind > 0;
      c.complete = kind == 2;
      c.reverse = (bits & 1) != 0;
      if ((bits & 2) != 0) {
        c.init = turn / 4 % 2 == 0 ? sequence_init::by_value : sequence_init::by_pointer;
      }
      c.in_place = (bits & 4) != 0;
      c.with_total = turn / 2 % 2 == 0;
      c.in_offset = turn % 2;
      c.out_offset = c.in_place ? c.in_offset : turn % 3;
      c.algorithm = algorithm_of_turn(static_cast<std::uint64_t>(turn / 3 + bits));
      cases.push_back(c);
    }
  }
  return cases;
}

/// Whether there are baselines for these scans: in libscan.a, or where the test includes them.
template <class Input, class Output, class Op>
constexpr bool draws_baselines() {
  using types = scan::scan_types<Input, Output>;
  using in = typename types::in;
  using out = typename types::out;
  if constexpr (scan::is_prebuilt<in, out, Op> && scan::both_as_is<Input, Output>) {
    return is_prebuilt_baseline<in, out, Op>;
  } else {
#ifdef __CUDACC__
    return scan::device::has_baselines<Input, Output, Op>;
#else
    return false;
#endif
  }
}

/// Scans `in` in every way, by one thread, by several and on the device; `init` precedes the
/// elements of forward scans, `end_init` follows those of reverse ones. Returns as own_scan.
template <class Input, class Output, class Op>
std::int64_t check_sequence(const std::vector<typename scan::scan_types<Input, Output>::in>& in,
                            Input input, Output output, Op op,
                            const typename scan::scan_types<Input, Output>::value& init,
                            const typename scan::scan_types<Input, Output>::value& end_init) {
  using scans = own_scan<own_sequences, Input, Output, Op>;
  const auto n = static_cast<std::int64_t>(in.size());
  scans calls(input, output, op);
  const std::int64_t shared = num_shared_calls();
  std::int64_t num_outputs = 0;
  std::uint64_t turn = 0;
  for (own_sequence c : custom_cases(n)) {
    if (c.in_place && sizeof(typename scans::In) != sizeof(typename scans::Out)) continue;
    const std::vector<typename scans::Value> inits{c.reverse ? end_init : init};
    num_outputs += calls.check(c, in, inits, {1, several_threads, on_device});
    if (!draws_baselines<Input, Output, Op>() || !has_device_code()) continue;
    c.algorithm = baseline_of_turn(turn++);
    num_outputs += calls.check(c, in, inits, {on_device});
  }
  if (n >= largest_custom_size(scans::widest)) REQUIRE(num_shared_calls() > shared);
  return num_outputs;
}

/// The scan of `in` with plain pointers.
template <class Out, class In, class Op>
void check(const std::vector<In>& in, const Out& init, const Out& end_init, Op op) {
  check_sequence(in, scan::transform_input<In>{}, scan::transform_output<Out>{}, op, init,
                 end_init);
}
template <class Out, class In, class Op>
void check(const std::vector<In>& in, const Out& init, Op op) {
  check<Out>(in, init, init, op);
}

/// The scan of f(in) that stores g(results) as `Out`; returns how often g was called.
template <class Out, class In, class F, class G, class Value, class Op>
std::int64_t check_transformed(const std::vector<In>& in, F f, G g, const Value& init, Op op,
                               const Value& end_init) {
  return check_sequence(in, scan::transform_input<In, F>{nullptr, f},
                        scan::transform_output<Out, G>{nullptr, g}, op, init, end_init);
}
template <class Out, class In, class F, class G, class Value, class Op>
std::int64_t check_transformed(const std::vector<In>& in, F f, G g, const Value& init, Op op) {
  return check_transformed<Out>(in, f, g, init, op, init);
}

#ifdef __CUDACC__
/// Scans on the device `in` in the memory that begins so many bytes after a multiple of 256, by one
/// kernel after another.
template <class T, class Op>
void check_at(const std::vector<T>& in, Op op, std::size_t in_bytes, std::size_t out_bytes,
              std::uint64_t turn) {
  const std::size_t num_bytes = in.size() * sizeof(T);
  const device_memory d_in(num_bytes + in_bytes), d_out(num_bytes + out_bytes);
  T* const from = d_in.as<T>(in_bytes);
  T* const to = d_out.as<T>(out_bytes);
  cuda_check(cudaMemcpy(from, in.data(), num_bytes, cudaMemcpyHostToDevice));
  scan::options<T> opts;
  opts.algorithm = algorithm_of_turn(turn);
  REQUIRE(scan::inclusive(from, to, static_cast<std::int64_t>(in.size()), op, opts).ok());
  std::vector<T> out(in.size());
  cuda_check(cudaMemcpy(out.data(), to, num_bytes, cudaMemcpyDeviceToHost));
  CHECK(first_difference(out.data(), serial_scan<T>(false, {}, in, op)) == -1);
}
#endif

}  // namespace tests

#endif
