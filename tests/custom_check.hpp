// Checks scans of any types, operator and functions against serial loops: every way to call them,
// on CPU threads and, where there is one, on the device.
#ifndef SCAN_TESTS_CUSTOM_CHECK_HPP
#define SCAN_TESTS_CUSTOM_CHECK_HPP

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "cases.hpp"
#include "device_image.hpp"
#include "device_memory.hpp"
#include "eager_workers.hpp"
#include "guarded.hpp"
#include "host_workers.hpp"
#include "plan_switches.hpp"
#include "scan/scan.cuh"

namespace tests {

/// More tiles of the look-back kernel than a block looks at in one batch, and enough elements for
/// several threads.
inline std::int64_t largest_custom_size(std::size_t element_bytes) {
  const std::int64_t tile = scan::device::tuning_for(static_cast<int>(element_bytes)).tile_items();
  return std::min(300 * tile, std::int64_t{1200000}) + 11;
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
  if (gpu_present()) {
    add(state_edges(bytes, limits));
    for (const scan::algorithm wanted : algorithms_here()) add(tile_edges(bytes, limits, wanted));
  } else {
    add(tile_edges(bytes, limits, scan::algorithm::look_back));
  }
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

/// The scan of suffixes as a loop, last element to first: out[i] = in[i] op ... op in[n-1] (op
/// init). Exclusive without init takes an identity.
template <class T, class Op>
std::vector<T> serial_suffix_scan(bool exclusive, std::optional<T> init, const std::vector<T>& in,
                                  Op op) {
  std::vector<T> out(in.size());
  if constexpr (scan::has_identity<Op, T>) {
    if (exclusive && !init && !in.empty()) out.back() = Op::template identity<T>();
  }
  std::optional<T> running = init;
  for (std::size_t i = in.size(); i-- > 0;) {
    if (exclusive && running) out[i] = *running;
    running = running ? op(in[i], *running) : in[i];
    if (!exclusive) out[i] = *running;
  }
  return out;
}

/// All ways to call for one size; totals and alignments alternate over the sizes.
inline std::vector<scan_case> custom_cases(std::int64_t n) {
  std::vector<scan_case> cases;
  for (int kind = 0; kind < 3; ++kind) {
    for (int bits = 0; bits < 8; ++bits) {
      const std::int64_t turn = n + bits + kind;
      scan_case c{n, kind > 0, (bits & 2) != 0, (bits & 4) != 0, turn % 2, turn % 3};
      c.reverse = (bits & 1) != 0;
      c.complete = kind == 2;
      c.with_total = turn / 2 % 2 == 0;
      c.algorithm = algorithm_of_turn(static_cast<std::uint64_t>(turn / 3 + bits));
      cases.push_back(c);
    }
  }
  return cases;
}

/// One scan: `Input` and `Output` are transform_input and transform_output, whose pointers are
/// filled in per call.
template <class Input, class Output, class Op>
class custom_scan {
 public:
  using types = scan::scan_types<Input, Output>;
  using In = typename types::in;
  using Out = typename types::out;
  using Value = typename types::value;

  /// `init` precedes the elements of forward scans, `end_init` follows those of reverse ones.
  custom_scan(const std::vector<In>& in, Input input, Output output, const Value& init,
              const Value& end_init, Op op)
      : in_(in),
        input_(input),
        output_(output),
        init_(init),
        end_init_(end_init),
        op_(op),
        space_(gpu_present() ? size() : 0, widest, hungriest(size(), widest)) {
    for (const In& item : in) items_.push_back(scan::convert<Value>(input.function(item)));
  }

  /// Every way to call; returns how many outputs were written in all.
  std::int64_t check() const {
    if (size() >= largest_custom_size(widest)) REQUIRE(workers_of(several) > 1);
    std::int64_t num_outputs = 0;
    for (const scan_case& c : custom_cases(size())) {
      if (c.in_place && sizeof(In) != sizeof(Out)) continue;
      if (!start(c) && (size() > 0 ? c.exclusive : c.complete || c.with_total))
        continue;  // refused
      const auto [results, total] = expected_of(c);
      std::vector<Out> expected;
      for (const Value& result : results) {
        expected.push_back(scan::convert<Out>(output_.function(result)));
      }
      num_outputs += static_cast<std::int64_t>(expected.size());  // by the line above
      for (const int threads : {1, several, on_device}) {
        if (threads == on_device && !gpu_present()) continue;
        INFO(c.describe(), " threads=", threads, " (0: the device)");
        check_call(c, threads, expected, total);
        num_outputs += static_cast<std::int64_t>(expected.size());
        if (threads != on_device || !draws_baselines) continue;
        scan_case classic = c;
        classic.algorithm = baseline_of_turn(turn_++);
        INFO("baseline: ", classic.describe());
        check_call(classic, threads, expected, total);
        num_outputs += static_cast<std::int64_t>(expected.size());
      }
    }
    return num_outputs;
  }

 private:
  static constexpr int on_device = 0, several = 4;  // threads
  static constexpr int widest =
      static_cast<int>(std::max({sizeof(In), sizeof(Out), sizeof(Value)}));
  /// Of scans that libscan.a holds its own; of others where the test includes them.
  static constexpr bool is_held = scan::is_prebuilt<In, Out, Op> &&
                                  std::is_same_v<Input, scan::transform_input<In>> &&
                                  std::is_same_v<Output, scan::transform_output<Out>>;
  static constexpr bool draws_baselines =
      is_held ? is_prebuilt_baseline<In, Out, Op> : scan::device::has_baselines<Input, Output, Op>;

  std::int64_t size() const { return static_cast<std::int64_t>(in_.size()); }
  int workers_of(int threads) const {
    if (size() == 0) return 1;
    return host_workers(pointed<decltype(input_.function)>(input_, in_.data()),
                        pointed<decltype(output_.function)>(output_, static_cast<Out*>(nullptr)),
                        size(), op_, threads);
  }

  std::optional<Value> init(const scan_case& c) const {
    if (!c.with_init) return std::nullopt;
    return c.reverse ? end_init_ : init_;
  }
  /// The fold of no elements, if there is one.
  std::optional<Value> start(const scan_case& c) const {
    if (c.with_init) return init(c);
    if constexpr (scan::has_identity<Op, Value>) return Op::template identity<Value>();
    return std::nullopt;
  }
  std::vector<Value> serial(const scan_case& c, bool exclusive) const {
    return c.reverse ? serial_suffix_scan<Value>(exclusive, init(c), items_, op_)
                     : serial_scan<Value>(exclusive, init(c), items_, op_);
  }
  /// What is to be in the output before its function, and in the total.
  std::pair<std::vector<Value>, std::optional<Value>> expected_of(const scan_case& c) const {
    std::vector<Value> results = serial(c, false);
    std::optional<Value> total = start(c);
    if (!results.empty()) total = c.reverse ? results.front() : results.back();
    if (c.complete && c.reverse) {  // all suffixes, and the empty one
      results.push_back(*start(c));
    } else if (c.exclusive) {
      results = serial(c, true);
      if (c.complete) results.push_back(*total);
    }
    return {results, total};
  }

  void check_call(const scan_case& c, int threads, const std::vector<Out>& expected,
                  const std::optional<Value>& expected_total) const {
    guarded<In> in(size(), c.in_offset);
    guarded<Out> out(size() + c.complete, c.out_offset);
    guarded<Value> total(1);
    void* const from = c.in_place ? static_cast<void*>(out.data()) : in.data();
    if (!in_.empty()) std::memcpy(from, in_.data(), in_.size() * sizeof(In));
    if (threads == on_device) {
      call_on_device(c, in, out, total);
    } else {
      scan::host_options<Value> opts;
      opts.threads = threads;
      const std::int64_t shared = num_shared_calls();
      call(c, static_cast<In*>(from), out.data(), total.data(), opts, scan::host);
      REQUIRE(num_shared_calls() == shared + (workers_of(threads) > 1));
    }
    REQUIRE(first_difference(out.data(), expected) == -1);
    REQUIRE(out.guards_intact());
    REQUIRE(in.guards_intact());
    if (!c.in_place) REQUIRE(first_difference(in.data(), in_) == -1);
    REQUIRE(total.guards_intact());
    if (c.with_total) {
      REQUIRE(first_difference(total.data(), std::vector<Value>{*expected_total}) == -1);
    } else {
      REQUIRE(total.untouched());
    }
  }

  void call_on_device(const scan_case& c, guarded<In>& in, guarded<Out>& out,
                      guarded<Value>& total) const {
    const device_image<In> d_in(in);
    const device_image<Out> d_out(out);
    const device_image<Value> d_total(total);
    REQUIRE(space_.error().ok());
    scan::options<Value> opts;
    if (c.out_offset != 0) opts.workspace = &space_;
    if (c.algorithm != scan::algorithm::ring ||
        scan::device::ring_takes(sizeof(In), sizeof(Out), sizeof(Value))) {
      opts.algorithm = c.algorithm;
    }
    call(c, c.in_place ? reinterpret_cast<In*>(d_out.data()) : d_in.data(), d_out.data(),
         d_total.data(), opts);
    d_in.fetch();
    d_out.fetch();
    d_total.fetch();
  }

  /// `where` is scan::host, or nothing.
  template <class Options, class... Where>
  void call(const scan_case& c, const In* in, Out* out, Value* total, Options& opts,
            Where... where) const {
    opts.init = init(c);
    opts.reverse = c.reverse;
    opts.complete = c.complete;
    if (c.with_total) opts.total = total;
    const auto from = pointed<decltype(input_.function)>(input_, in);
    const auto to = pointed<decltype(output_.function)>(output_, out);
    const scan::status status = c.exclusive
                                    ? scan::exclusive(where..., from, to, size(), op_, opts)
                                    : scan::inclusive(where..., from, to, size(), op_, opts);
    INFO(std::string(status.message()));
    REQUIRE(status.ok());
  }

  /// `side` at `data`; without a function a pointer, as most people pass it.
  template <class Function, class Side, class T>
  static auto pointed(Side side, T* data) {
    if constexpr (std::is_same_v<Function, scan::as_is>) {
      return data;
    } else {
      return Side{data, side.function};
    }
  }

  const std::vector<In>& in_;
  Input input_;
  Output output_;
  Value init_, end_init_;
  Op op_;
  std::vector<Value> items_;  // as the operator sees them
  mutable scan::workspace space_;
  mutable std::uint64_t turn_ = 0;  // of the baselines
};

/// Checks the scan of `in` with plain pointers.
template <class In, class Out, class Op>
void check(const std::vector<In>& in, const Out& init, const Out& end_init, Op op) {
  custom_scan(in, scan::transform_input<In>{}, scan::transform_output<Out>{}, init, end_init, op)
      .check();
}
template <class In, class Out, class Op>
void check(const std::vector<In>& in, const Out& init, Op op) {
  check(in, init, init, op);
}

/// Checks the scan of f(in) that stores g(results) as `Out`; returns how often g was called.
template <class Out, class In, class F, class G, class Value, class Op>
std::int64_t check_transformed(const std::vector<In>& in, F f, G g, const Value& init, Op op,
                               const Value& end_init) {
  return custom_scan(in, scan::transform_input<In, F>{nullptr, f},
                     scan::transform_output<Out, G>{nullptr, g}, init, end_init, op)
      .check();
}
template <class Out, class In, class F, class G, class Value, class Op>
std::int64_t check_transformed(const std::vector<In>& in, F f, G g, const Value& init, Op op) {
  return check_transformed<Out>(in, f, g, init, op, init);
}

}  // namespace tests

#endif
