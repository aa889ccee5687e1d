#include <cstring>
#include <limits>
#include <optional>
#include <random>

#include "scan/host/host_scan.hpp"
#include "scan/scan.hpp"
#include "tests/fuzz/fuzzed_call.hpp"
#include "tests/tensors/tensor_reference.hpp"
#include "tests/types/composed_parts.hpp"

namespace tests {
namespace {

/// The library's operators, and one that is not commutative.
template <class In, class Out, class Op_ = scan::plus>
struct plain {
  using in = In;
  using out = Out;
  using value = Out;
  using T = scan::accumulator_t<In, Out>;
  using Op = Op_;
  static const In* input(const In* data) { return data; }
  static Out* output(Out* data) { return data; }
  static T read(const In& item) { return scan::convert<T>(item); }
  static Out write(const T& result) { return scan::convert<Out>(result); }
};

/// With functions on the way in and out.
struct transformed {
  using in = std::uint16_t;
  using out = std::uint32_t;
  using value = std::int64_t;
  using T = std::int64_t;
  using Op = scan::plus;
  struct tripled {
    std::int64_t operator()(std::uint16_t x) const noexcept { return 3 * std::int64_t{x} + 1; }
  };
  struct folded {
    std::uint32_t operator()(std::int64_t x) const noexcept {
      return static_cast<std::uint32_t>(x ^ x >> 32);
    }
  };
  static auto input(const in* data) { return scan::transform_input{data, tripled{}}; }
  static auto output(out* data) { return scan::transform_output{data, folded{}}; }
  static T read(in item) { return tripled{}(item); }
  static out write(T result) { return folded{}(result); }
};

template <class T>
inline constexpr bool is_float =
    std::is_floating_point_v<T> || std::is_same_v<T, __half> || std::is_same_v<T, __nv_bfloat16>;

/// Of any bits, where these cannot make a fold inexact or forget what came before.
template <class T>
T element_of(std::uint64_t bits) {
  if constexpr (is_float<T>) {
    return scan::convert<T>(static_cast<float>(static_cast<int>(bits % 17) - 8));
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(bits);
  } else {
    T element;
    unsigned char image[sizeof(T)];
    for (std::size_t i = 0; i < sizeof(T); ++i) {
      image[i] = static_cast<unsigned char>(bits >> i % 8 * 8);
    }
    image[0] |= 1;  // an even slope divides
    std::memcpy(&element, image, sizeof(T));
    return element;
  }
}

template <class T>
void fill(std::vector<unsigned char>& memory, std::uint64_t seed) {
  for (std::size_t i = 0; i + sizeof(T) <= memory.size(); i += sizeof(T)) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    const T element = element_of<T>(seed >> 20);
    std::memcpy(&memory[i], &element, sizeof(T));
  }
}

template <class T>
T* at(unsigned char* memory, std::int64_t offset) {
  return offset == fuzzed_call::null ? nullptr : reinterpret_cast<T*>(memory + offset);
}
template <class T>
T load(const unsigned char* memory, std::int64_t offset, std::int64_t i) {
  T value;
  std::memcpy(&value, memory + offset + i * std::int64_t{sizeof(T)}, sizeof(T));
  return value;
}
template <class T>
void store(unsigned char* memory, std::int64_t offset, std::int64_t i, const T& value) {
  std::memcpy(memory + offset + i * std::int64_t{sizeof(T)}, &value, sizeof(T));
}

template <class Value>
scan::host_options<Value> options_of(const fuzzed_call& c, unsigned char* memory) {
  scan::host_options<Value> opts;
  if (c.init_by_value) opts.init = element_of<Value>(c.seed);
  opts.threads = c.threads;
  opts.total = at<Value>(memory, c.total);
  opts.reverse = c.reverse;
  opts.complete = c.complete;
  opts.init_pointer = at<const Value>(memory, c.init);
  return opts;
}

/// The same for the reference; a single sequence has no pitches.
tensor_case case_of(const fuzzed_call& c) {
  tensor_case made{{}, c.of_extents ? c.shape : scan::extents{1, c.shape.length, 1, 0, 0}};
  made.exclusive = c.exclusive;
  made.reverse = c.reverse;
  made.complete = c.complete;
  made.with_total = c.total != fuzzed_call::null;
  made.init = c.init_by_value               ? sequence_init::by_value
              : c.init != fuzzed_call::null ? sequence_init::by_pointer
                                            : sequence_init::none;
  return made;
}
/// (Where nothing is, extents may be huge.)
bool writes(const tensor_case& c) {
  return c.num_sequences() > 0 && (c.out_span() > 0 || c.with_total);
}

template <class Value>
std::optional<Value> init_of(const fuzzed_call& c, const unsigned char* memory,
                             std::int64_t sequence) {
  if (c.init_by_value) return element_of<Value>(c.seed);
  if (c.init != fuzzed_call::null) return load<Value>(memory, c.init, sequence);
  return std::nullopt;
}

template <class Kind>
scan::status call_scan(const fuzzed_call& c, unsigned char* memory) {
  const auto in = Kind::input(at<const typename Kind::in>(memory, c.in));
  const auto out = Kind::output(at<typename Kind::out>(memory, c.out));
  const auto opts = options_of<typename Kind::value>(c, memory);
  const typename Kind::Op op{};
  if (c.of_extents) {
    return c.exclusive ? scan::exclusive(scan::host, in, out, c.shape, op, opts)
                       : scan::inclusive(scan::host, in, out, c.shape, op, opts);
  }
  return c.exclusive ? scan::exclusive(scan::host, in, out, c.shape.length, op, opts)
                     : scan::inclusive(scan::host, in, out, c.shape.length, op, opts);
}

template <class Kind>
void scan_serially(const fuzzed_call& c, const unsigned char* before, unsigned char* after) {
  using T = typename Kind::T;
  using value = typename Kind::value;
  const tensor_case described = case_of(c);
  const scan::extents& shape = described.shape;
  if (!writes(described)) return;
  for (std::int64_t o = 0; o < shape.outer; ++o) {
    for (std::int64_t k = 0; k < shape.inner; ++k) {
      const std::int64_t sequence = o * shape.inner + k;
      std::vector<T> items;
      for (std::int64_t i = 0; i < shape.length; ++i) {
        items.push_back(
            Kind::read(load<typename Kind::in>(before, c.in, described.in_index(o, i, k))));
      }
      std::optional<T> init;
      if (const auto given = init_of<value>(c, before, sequence)) init = scan::convert<T>(*given);
      const auto results = scan_sequence<T>(described, items, init, typename Kind::Op{});
      for (std::size_t i = 0; i < results.outputs.size(); ++i) {
        store(after, c.out, described.out_index(o, static_cast<std::int64_t>(i), k),
              Kind::write(results.outputs[i]));
      }
      if (described.with_total) {
        store(after, c.total, sequence, scan::convert<value>(results.total));
      }
    }
  }
}

template <class T>
scan::status call_recurrence(const fuzzed_call& c, unsigned char* memory) {
  const T* const a = at<const T>(memory, c.factors);
  const T* const b = at<const T>(memory, c.in);
  T* const h = at<T>(memory, c.out);
  const auto opts = options_of<scan::state_t<T>>(c, memory);
  return c.of_extents ? scan::recurrence(scan::host, a, b, h, c.shape, opts)
                      : scan::recurrence(scan::host, a, b, h, c.shape.length, opts);
}

template <class T>
void recur_serially(const fuzzed_call& c, const unsigned char* before, unsigned char* after) {
  using state = scan::state_t<T>;
  const tensor_case described = case_of(c);
  const scan::extents& shape = described.shape;
  if (!writes(described)) return;
  for (std::int64_t o = 0; o < shape.outer; ++o) {
    for (std::int64_t k = 0; k < shape.inner; ++k) {
      const std::int64_t sequence = o * shape.inner + k;
      std::optional<state> h = init_of<state>(c, before, sequence);
      for (std::int64_t step = 0; step < shape.length; ++step) {
        const std::int64_t i = c.reverse ? shape.length - 1 - step : step;
        const auto item = [&](std::int64_t from) {
          return scan::convert<state>(load<T>(before, from, described.in_index(o, i, k)));
        };
        const state factor = item(c.factors);
        h = h && factor != 0 ? factor * *h + item(c.in) : item(c.in);
        store(after, c.out, described.out_index(o, i, k), scan::convert<T>(*h));
      }
      if (described.with_total) store(after, c.total, sequence, h ? *h : state(0));
    }
  }
}

template <class T>
bool is_nan(const void* at) {
  if constexpr (is_float<T>) {
    T value;
    std::memcpy(&value, at, sizeof(T));
    const double x = scan::convert<double>(value);
    return x != x;
  } else {
    return false;
  }
}
template <class Out, class Value>
bool both_nan(const void* a, const void* b, bool are_values) {
  return are_values ? is_nan<Value>(a) && is_nan<Value>(b) : is_nan<Out>(a) && is_nan<Out>(b);
}

template <class T>
constexpr fuzzed_kind::type type_of{sizeof(T), alignof(T)};

template <class Kind>
fuzzed_kind kind_of(const char* name) {
  using in = typename Kind::in;
  using out = typename Kind::out;
  using value = typename Kind::value;
  return {name,
          false,
          scan::has_identity<typename Kind::Op, typename Kind::T>,
          type_of<in>,
          type_of<out>,
          type_of<value>,
          fill<in>,
          call_scan<Kind>,
          scan_serially<Kind>,
          both_nan<out, value>};
}
template <class T>
fuzzed_kind recurrence_of(const char* name) {
  using state = scan::state_t<T>;
  return {name,
          true,
          true,
          type_of<T>,
          type_of<T>,
          type_of<state>,
          fill<T>,
          call_recurrence<T>,
          recur_serially<T>,
          both_nan<T, state>};
}

}  // namespace

const std::vector<fuzzed_kind>& fuzzed_kinds() {
  using three_bytes = affine_parts<std::uint8_t, 3>;
  using wide = affine_parts<std::uint64_t, 3>;
  static const std::vector<fuzzed_kind> all = {
      kind_of<plain<std::int32_t, std::int32_t>>("sums of int32"),
      kind_of<plain<float, float>>("sums of float"),
      kind_of<plain<__half, __half>>("sums of half"),
      kind_of<plain<std::uint8_t, std::uint64_t>>("sums of bytes in 64 bits"),
      kind_of<plain<std::int32_t, float, scan::maximum>>("maxima of int32 as float"),
      kind_of<plain<std::int16_t, std::int16_t, scan::minimum>>("minima of int16"),
      kind_of<plain<three_bytes, three_bytes, compose>>("maps of 3 bytes"),
      kind_of<plain<wide, wide, compose>>("maps of 24 bytes"),
      kind_of<transformed>("functions on the way in and out"),
      recurrence_of<float>("recurrences of float"),
      recurrence_of<__half>("recurrences of half")};
  return all;
}

}  // namespace tests
