// Checks scans of segments of any types, operator, functions and keys against serial loops, on CPU
// threads and, where there is one, on the device.
#ifndef SCAN_TESTS_SEGMENT_SCAN_HPP
#define SCAN_TESTS_SEGMENT_SCAN_HPP

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "device_image.hpp"
#include "scan/host/host_scan.hpp"
#include "scan/scan.cuh"
#include "segment_call.hpp"

namespace tests {

/// Where segments begin as libscan.a has it: offsets, plain keys, flags.
struct plain_heads {
  static constexpr bool own_keys = false;
  static std::size_t bytes(const segment_case& c) { return traits_of(c.heads).bytes; }
  static std::vector<unsigned char> image(const segment_case& c, std::uint64_t seed) {
    return heads_of(c, seed);
  }
  template <class Input, class Output, class Op, class Options, class... Where>
  static scan::status call(const segment_case& c, const void* heads, Input in, Output out, Op op,
                           const Options& opts, Where... where) {
    return call_segments(c, heads, in, out, op, opts, where...);
  }
};

/// By keys of the type that `Maker` makes, `Maker::of(segment, i)`, with `equal`.
template <class Maker, class Equal = scan::equal_keys>
struct key_heads {
  static inline Equal equal{};
  using key = decltype(Maker::of(0, 0));
  static constexpr bool own_keys = true;
  static std::size_t bytes(const segment_case&) { return sizeof(key); }
  static std::vector<unsigned char> image(const segment_case& c, std::uint64_t) {
    std::vector<key> keys;
    for (std::int64_t s = 0; s < c.layout->num_segments(); ++s) {
      const auto at = static_cast<std::size_t>(s);
      for (std::int64_t i = c.layout->offsets[at]; i < c.layout->offsets[at + 1]; ++i) {
        keys.push_back(Maker::of(s, i));
      }
    }
    const auto* const first = reinterpret_cast<const unsigned char*>(keys.data());
    return {first, first + keys.size() * sizeof(key)};
  }
  template <class Input, class Output, class Op, class Options, class... Where>
  static scan::status call(const segment_case& c, const void* heads, Input in, Output out, Op op,
                           const Options& opts, Where... where) {
    const key* const keys = static_cast<const key*>(heads);
    return c.exclusive
               ? scan::exclusive_by_key(where..., keys, in, out, c.num_items(), op, opts, equal)
               : scan::inclusive_by_key(where..., keys, in, out, c.num_items(), op, opts, equal);
  }
};

/// `Input` and `Output` are transform_input and transform_output, whose pointers are filled in per
/// call.
template <class Heads, class Input, class Output, class Op>
class segment_scan {
 public:
  using types = scan::scan_types<Input, Output>;
  using In = typename types::in;
  using Out = typename types::out;
  using Value = typename types::value;

  segment_scan(Input input, Output output, Op op) : input_(input), output_(output), op_(op) {}

  /// One call on the device, where there is one, and else on CPU threads; or on these now and then.
  void check(const segment_case& c, const std::vector<In>& items, const std::vector<Value>& inits) {
    const bool on_device = gpu_present();
    if (!on_device || turn_ % 8 == 0) check(c, items, inits, static_cast<int>(1 + turn_ % 3));
    if (on_device) check(c, items, inits, 0);
    ++turn_;
  }

 private:
  /// `threads`: 0 for the device.
  void check(const segment_case& c, const std::vector<In>& items, const std::vector<Value>& inits,
             int threads) {
    INFO(c.describe(), " threads ", threads);
    // (Whether all are empty the device does not know, unless it is told so.)
    const bool refused = !scan::has_identity<Op, Value> && c.init == sequence_init::none &&
                         ((c.exclusive && c.num_items() > 0) || c.with_total) &&
                         c.layout->num_segments() > 0;
    guarded<In> in(c.num_items(), c.in_offset);
    guarded<Out> out(c.num_items(), c.out_offset), expected(c.num_items(), c.out_offset);
    guarded<Value> totals(c.layout->num_segments()), expected_totals(c.layout->num_segments());
    copy(items, c.in_place ? reinterpret_cast<In*>(out.data()) : in.data());
    if (c.in_place) copy(items, reinterpret_cast<In*>(expected.data()));
    const std::vector<unsigned char> image = Heads::image(c, turn_);
    const auto of_heads = static_cast<std::int64_t>(Heads::bytes(c));
    guarded<unsigned char> heads(static_cast<std::int64_t>(image.size()),
                                 c.heads_offset * of_heads);
    std::copy(image.begin(), image.end(), heads.data());
    if (!refused) expect(c, items, inits, expected.data(), expected_totals.data());

    const scan::status status = threads == 0
                                    ? call_on_device(c, in, out, totals, heads, inits)
                                    : call_on_host(c, in, out, totals, heads, inits, threads);
    const std::string message(status.message());
    INFO(message);
    if (refused) {
      REQUIRE(message.find("options.init is missing") != std::string::npos);
    } else {
      REQUIRE(status.ok());
    }
    REQUIRE(same(out, expected));
    if (c.with_total && !refused) {
      REQUIRE(same(totals, expected_totals));
    } else {
      REQUIRE(totals.untouched());
    }
    REQUIRE(in.guards_intact());
    REQUIRE((c.in_place || items.empty() ||
             std::memcmp(in.data(), items.data(), items.size() * sizeof(In)) == 0));
    REQUIRE(heads.guards_intact());
    REQUIRE(std::equal(image.begin(), image.end(), heads.data()));
  }

  static void copy(const std::vector<In>& items, In* to) {
    if (!items.empty()) {
      std::memcpy(static_cast<void*>(to), items.data(), items.size() * sizeof(In));
    }
  }
  /// Every byte of the images, guards and what is in no segment included.
  template <class T>
  static bool same(guarded<T>& actual, guarded<T>& expected) {
    return std::memcmp(actual.image(), expected.image(), actual.image_bytes()) == 0;
  }

  void expect(const segment_case& c, const std::vector<In>& items, const std::vector<Value>& inits,
              Out* out, Value* totals) const {
    std::vector<Value> values, results(items.size());
    for (const In& item : items) values.push_back(scan::convert<Value>(input_.function(item)));
    scan_segments_serially(c, values.data(), results.data(), inits, totals, op_);
    for (std::int64_t i = c.layout->begin(); i < c.layout->end(); ++i) {
      out[i] = scan::convert<Out>(output_.function(results[static_cast<std::size_t>(i)]));
    }
  }

  scan::status call_on_host(const segment_case& c, guarded<In>& in, guarded<Out>& out,
                            guarded<Value>& totals, const guarded<unsigned char>& heads,
                            const std::vector<Value>& inits, int threads) {
    scan::host_options<Value> opts;
    opts.threads = threads;
    set(c, inits, inits.data(), totals.data(), opts);
    return call(c, heads.data(), c.in_place ? reinterpret_cast<In*>(out.data()) : in.data(),
                out.data(), opts, scan::host);
  }

  scan::status call_on_device(const segment_case& c, guarded<In>& in, guarded<Out>& out,
                              guarded<Value>& totals, guarded<unsigned char>& heads,
                              const std::vector<Value>& inits) {
    const device_image<In> d_in(in);
    const device_image<Out> d_out(out);
    const device_image<Value> d_totals(totals);
    const device_image<unsigned char> d_heads(heads);
    guarded<Value> values(static_cast<std::int64_t>(inits.size()));
    std::copy(inits.begin(), inits.end(), values.data());
    const device_image<Value> d_inits(values);
    scan::options<Value> opts;
    set(c, inits, d_inits.data(), d_totals.data(), opts);
    constexpr auto widest = static_cast<int>(std::max({sizeof(In), sizeof(Out), sizeof(Value)}));
    scan::workspace space(turn_ % 2 == 0 ? c.num_items() : 0, widest);
    if (turn_ % 2 == 0) opts.workspace = &space;
    const scan::status status =
        call(c, d_heads.data(), c.in_place ? reinterpret_cast<In*>(d_out.data()) : d_in.data(),
             d_out.data(), opts);
    cuda_check(cudaDeviceSynchronize());  // before the workspace goes
    d_in.fetch();
    d_out.fetch();
    d_totals.fetch();
    d_heads.fetch();
    return status;
  }

  template <class Options>
  static void set(const segment_case& c, const std::vector<Value>& inits, const Value* at,
                  Value* totals, Options& opts) {
    if (c.init == sequence_init::by_value) opts.init = inits[0];
    if (c.init == sequence_init::by_pointer) opts.init_pointer = at;
    if (c.with_total) opts.total = totals;
    opts.reverse = c.reverse;
  }
  template <class Options, class... Where>
  scan::status call(const segment_case& c, const void* heads, const In* in, Out* out,
                    const Options& opts, Where... where) {
    return Heads::call(c, heads, pointed<decltype(input_.function)>(input_, in),
                       pointed<decltype(output_.function)>(output_, out), op_, opts, where...);
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

  Input input_;
  Output output_;
  Op op_;
  std::uint64_t turn_ = 0;
};

/// The scan with plain pointers.
template <class Heads, class T, class Op>
segment_scan<Heads, scan::transform_input<T>, scan::transform_output<T>, Op> plain_scan(Op op) {
  return {{}, {}, op};
}

}  // namespace tests

#endif
