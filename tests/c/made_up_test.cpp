// Calls in C on a device that is made up: of every scan that the library holds for the device the
// same kernel is launched as by the call in C++, with the same problem, the same operator and the
// same init.
#include <scan/c.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <scan/scan.hpp>
#include <thread>
#include <tuple>
#include <utility>

#include "tests/faults/faulty_cuda.hpp"

namespace {

/// By their codes, from 1 and from 0 on.
using types =
    std::tuple<std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t,
               std::uint32_t, std::uint64_t, float, double, __half, __nv_bfloat16, bool>;
using operators = std::tuple<scan::plus, scan::multiplies, scan::minimum, scan::maximum,
                             scan::bit_and, scan::bit_or, scan::bit_xor>;
constexpr int num_types = std::tuple_size_v<types>, num_operators = std::tuple_size_v<operators>;
static_assert(num_types == SCAN_BOOL && num_operators == SCAN_BIT_XOR + 1);

/// A launch: the kernel, and the first bytes of its first argument, which is the problem.
struct launched {
  const void* kernel = nullptr;
  cudaStream_t stream = nullptr;
  std::array<unsigned char, 96> problem{};
};

/// What calls find on the stack where they initialise nothing.
[[gnu::noinline]] void leave_behind(int pattern) {
  unsigned char bytes[1 << 16];
  std::memset(bytes, pattern, sizeof bytes);
  asm volatile("" : : "r"(bytes) : "memory");
}

template <class Call>
launched launch_of(Call call, int pattern) {
  launched seen;
  const int before = tests::cuda_calls.num_launches;
  leave_behind(pattern);
  tests::cuda_calls.on_launch = [&] {
    seen.kernel = tests::cuda_calls.kernel;
    std::memcpy(seen.problem.data(), tests::cuda_calls.arguments[0], seen.problem.size());
  };
  call();
  seen.stream = tests::cuda_calls.stream;
  if (tests::cuda_calls.num_launches == before + 1) return seen;
  std::printf("%d launches\n", tests::cuda_calls.num_launches - before);
  return {};
}

/// What a call launches, whatever was on the stack, and wherever that is: the bytes that differ are
/// padding, or what lies behind the problem.
struct launch_pair {
  launched one, two;
  template <class Call>
  explicit launch_pair(Call call) : one(launch_of(call, 0x00)) {
    std::thread([&] { two = launch_of(call, 0xff); }).join();
  }
  bool is_said(std::size_t i) const {
    if (one.problem[i] != two.problem[i]) return false;
    int num_left_behind = 0;  // in four bytes: of an address others may be alike by chance
    for (std::size_t k = i / 4 * 4; k < i / 4 * 4 + 4; ++k) {
      num_left_behind += one.problem[k] != two.problem[k];
    }
    return num_left_behind < 2 && !is_stack(i);
  }
  /// Whether it is of an address of the stack, whose first bytes are those of all of them.
  bool is_stack(std::size_t i) const {
    std::uint64_t word;
    std::memcpy(&word, &one.problem[i / 8 * 8], sizeof word);
    return word >> 40 == 0x7f;
  }
};

bool are_alike(const launch_pair& ours, const launch_pair& in_c) {
  if (ours.one.kernel == nullptr || ours.one.kernel != in_c.one.kernel) return false;
  if (ours.one.stream != in_c.one.stream) return false;
  int num_compared = 0;
  for (std::size_t i = 0; i < ours.one.problem.size(); ++i) {
    if (!ours.is_said(i) || !in_c.is_said(i)) continue;
    if (ours.one.problem[i] != in_c.one.problem[i]) return false;
    ++num_compared;
  }
  return num_compared > 24;  // (two pointers and a number of elements at least)
}

constexpr std::int64_t n = 1000;
void* at(std::uintptr_t megabyte) { return reinterpret_cast<void*>(megabyte << 20); }

/// The shapes: how C and C++ say them.
struct sequences {
  static constexpr int kind = SCAN_SEQUENCE;
  using held_by = std::int64_t;
  static std::int64_t shape() { return n; }
  static scan_status call(const scan_operands& operands, const scan_options& options) {
    return scan_sequence(&operands, n, &options);
  }
};
struct tensors {
  static constexpr int kind = SCAN_TENSOR;
  using held_by = scan::extents;
  static scan::extents shape() { return {3, n, 5}; }
  static scan_status call(const scan_operands& operands, const scan_options& options) {
    const scan_extents extents{sizeof extents, 3, n, 5, 0, 0};
    return scan_tensor(&operands, &extents, &options);
  }
};
struct rows {  // which may go as a sequence
  static constexpr int kind = SCAN_TENSOR;
  using held_by = scan::extents;
  static scan::extents shape() { return {1, n, 1}; }
  static scan_status call(const scan_operands& operands, const scan_options& options) {
    const scan_extents extents{sizeof extents, 1, n, 1, 0, 0};
    return scan_tensor(&operands, &extents, &options);
  }
};
struct ragged {
  static constexpr int kind = SCAN_SEGMENTS;
  using held_by = scan::segment_heads;
  static scan::segments<std::uint32_t> shape() {
    return {static_cast<const std::uint32_t*>(at(3000)), 7, n};
  }
  static scan_status call(const scan_operands& operands, const scan_options& options) {
    const scan_segments segments{sizeof segments, at(3000), 7, n, SCAN_UINT32, 0};
    return scan_segmented(&operands, &segments, &options);
  }
};

int num_checked = 0, num_wrong = 0;

template <class Out>
Out some_init() {
  const unsigned char bytes[8] = {1};
  Out result;
  std::memcpy(&result, bytes, sizeof result);
  return result;
}

/// Some options at a time: those of bit k of `which`.
struct asked {
  int which;
  bool exclusive() const { return (which & 1) != 0; }
  bool init() const { return (which & 2) != 0; }
  bool reverse() const { return (which & 4) != 0; }
  bool more() const { return (which & 8) != 0; }  // total, complete, stream, and so on
  bool complete(int kind) const { return more() && exclusive() && kind <= SCAN_TENSOR; }
};
constexpr int num_asked = 16;

template <class Out>
scan::options<Out> options_of(asked how, int kind, const Out& init) {
  scan::options<Out> opts;
  if (how.init()) opts.init = init;
  opts.reverse = how.reverse();
  opts.complete = how.complete(kind);
  if (!how.more()) return opts;
  opts.stream = static_cast<cudaStream_t>(at(4));
  opts.total = static_cast<Out*>(at(5000));
  if (!how.init()) opts.init_pointer = static_cast<const Out*>(at(6000));
  if (kind == SCAN_SEQUENCE) opts.algorithm = scan::algorithm::look_back;
  return opts;
}
scan_options options_in_c(asked how, int kind, const void* init) {
  scan_options options{};
  options.size = sizeof options;
  if (how.init()) options.init = init;
  options.reverse = how.reverse();
  options.complete = how.complete(kind);
  if (!how.more()) return options;
  options.stream = at(4);
  options.total = at(5000);
  if (!how.init()) options.init_pointer = at(6000);
  if (kind == SCAN_SEQUENCE) options.algorithm = SCAN_LOOK_BACK;
  return options;
}

template <class Call, class CallInC>
void compare(Call call, CallInC call_in_c, int kind, int in, int out, int op, asked how) {
  ++num_checked;
  if (are_alike(launch_pair(call), launch_pair(call_in_c))) return;
  ++num_wrong;
  std::printf("another launch: kind %d, %s to %s, %s, asked for %d\n", kind, scan_type_name(in),
              scan_type_name(out), scan_operator_name(op), how.which);
}

template <class Shape, int in, int out, int op>
void check(asked how) {
  using In = std::tuple_element_t<in - 1, types>;
  using Out = std::tuple_element_t<out - 1, types>;
  using Op = std::tuple_element_t<op, operators>;
  const Out init = some_init<Out>();
  const auto call = [&] {
    const auto opts = options_of(how, Shape::kind, init);
    const In* const from = static_cast<const In*>(at(1000));
    Out* const to = static_cast<Out*>(at(2000));
    const scan::status status = how.exclusive()
                                    ? scan::exclusive(from, to, Shape::shape(), Op{}, opts)
                                    : scan::inclusive(from, to, Shape::shape(), Op{}, opts);
    if (!status.ok()) std::printf("in C++: %s\n", status.message());
  };
  const auto call_in_c = [&] {
    const scan_operands operands{sizeof operands, at(1000), at(2000), in, out, op, how.exclusive()};
    const scan_options options = options_in_c(how, Shape::kind, &init);
    const scan_status status = Shape::call(operands, options);
    if (status.code != SCAN_SUCCESS) std::printf("in C: %s\n", status.message);
  };
  compare(call, call_in_c, Shape::kind, in, out, op, how);
}

template <int type>
void check_recurrence(asked how) {
  using T = std::tuple_element_t<type - 1, types>;
  const auto init = some_init<scan::state_t<T>>();
  const auto call = [&] {
    const auto opts = options_of(how, SCAN_RECURRENCE, init);
    const auto array = [](std::uintptr_t megabyte) { return static_cast<T*>(at(megabyte)); };
    const scan::status status = scan::recurrence<T, T, T>(array(1000), array(1500), array(2000),
                                                          scan::extents{3, n, 5}, opts);
    if (!status.ok()) std::printf("in C++: %s\n", status.message());
  };
  const auto call_in_c = [&] {
    const scan_recurrence_operands operands{
        sizeof operands, at(1000), at(1500), at(2000), type, 0, 0, 0};
    const scan_extents extents{sizeof extents, 3, n, 5, 0, 0};
    const scan_options options = options_in_c(how, SCAN_RECURRENCE, &init);
    const scan_status status = scan_recurrence(&operands, &extents, &options);
    if (status.code != SCAN_SUCCESS) std::printf("in C: %s\n", status.message);
  };
  compare(call, call_in_c, SCAN_RECURRENCE, type, type, 0, how);
}

/// Of compactions what is asked for is bits, a capacity, a number of elements that the device
/// knows, and the rest.
scan::select_options compaction_options_of(asked how) {
  scan::select_options opts;
  if (how.init()) opts.capacity = 77;
  if (how.more()) opts.count = static_cast<std::int64_t*>(at(5000));
  if (how.more()) opts.stream = static_cast<cudaStream_t>(at(4));
  return opts;
}
scan_options compaction_options_in_c(asked how) {
  scan_options options{};
  options.size = sizeof options;
  if (how.init()) options.capacity = 77;
  if (how.reverse()) options.known_n = static_cast<const std::int64_t*>(at(6000));
  if (how.more()) options.count = static_cast<std::int64_t*>(at(5000));
  if (how.more()) options.stream = at(4);
  return options;
}
scan::element_count elements_of(asked how) {
  if (!how.reverse()) return n;
  return scan::count{static_cast<const std::int64_t*>(at(6000)), n};
}

template <class T, class Int>
scan::status compact(int kind, asked how) {
  const scan::select_options opts = compaction_options_of(how);
  const auto* const in = static_cast<const T*>(at(1000));
  auto* const out = static_cast<T*>(at(2000));
  auto* const other = static_cast<T*>(at(3000));
  auto* const places = static_cast<Int*>(at(3000));
  const auto by = [&](const auto& flags) {
    if (kind == SCAN_SELECT) return scan::select(in, flags, out, elements_of(how), opts);
    if (kind == SCAN_PARTITION)
      return scan::partition(in, flags, out, other, elements_of(how), opts);
    return scan::indices(flags, places, elements_of(how), opts);
  };
  if constexpr (sizeof(T) <= 8) {
    if (kind == SCAN_UNIQUE) return scan::unique(in, out, elements_of(how), {}, opts);
    if constexpr (!std::is_floating_point_v<T>) {
      if (kind == SCAN_RUNS) return scan::runs(in, out, places, elements_of(how), {}, opts);
    }
  }
  if (how.exclusive()) return by(scan::flags{static_cast<const std::uint32_t*>(at(1500))});
  return by(scan::flags{static_cast<const std::uint8_t*>(at(1500))});
}
scan_status compact_in_c(int kind, int type, int places, int bytes, asked how) {
  const scan_options options = compaction_options_in_c(how);
  const int flag_kind = how.exclusive() ? SCAN_FLAG_BITS : SCAN_FLAG_BYTES;
  void* const other = kind == SCAN_PARTITION ? at(3000) : nullptr;
  const scan_select_operands select{sizeof select, at(1000),  at(1500), at(2000),
                                    other,         flag_kind, bytes};
  const scan_indices_operands indices{sizeof indices, at(1500), at(3000), flag_kind, places};
  void* const lengths = kind == SCAN_RUNS ? at(3000) : nullptr;
  const scan_runs_operands runs{sizeof runs, at(1000), at(2000),
                                lengths,     type,     kind == SCAN_RUNS ? places : 0};
  if (kind == SCAN_SELECT) return scan_select(&select, n, &options);
  if (kind == SCAN_PARTITION) return scan_partition(&select, n, &options);
  if (kind == SCAN_INDICES) return scan_indices(&indices, n, &options);
  return kind == SCAN_UNIQUE ? scan_unique(&runs, n, &options) : scan_runs(&runs, n, &options);
}

template <class T, class Int>
void check_compactions(int type, int places) {
  for (int kind = SCAN_SELECT; kind <= SCAN_RUNS; ++kind) {
    const bool has_runs = sizeof(T) <= 8 && (kind == SCAN_UNIQUE || !std::is_floating_point_v<T>);
    if (kind >= SCAN_UNIQUE && !has_runs) continue;
    for (int which = 0; which < num_asked; ++which) {
      const auto call = [&] {
        const scan::status status = compact<T, Int>(kind, {which});
        if (!status.ok()) std::printf("in C++: %s\n", status.message());
      };
      const auto call_in_c = [&] {
        const scan_status status = compact_in_c(kind, type, places, sizeof(T), {which});
        if (status.code != SCAN_SUCCESS) std::printf("in C: %s\n", status.message);
      };
      compare(call, call_in_c, kind, type, places, 0, {which});
    }
  }
}

template <class Shape, int call>
void check_if_held() {
  constexpr int in = call / num_operators / num_types + 1;
  constexpr int out = call / num_operators % num_types + 1, op = call % num_operators;
  using In = std::tuple_element_t<in - 1, types>;
  using Out = std::tuple_element_t<out - 1, types>;
  using Op = std::tuple_element_t<op, operators>;
  constexpr bool is_scan = out != SCAN_BOOL || (op != SCAN_PLUS && op != SCAN_MULTIPLIES);
  if constexpr (is_scan && scan::device::on_device::holds<typename Shape::held_by, In, Out, Op>) {
    for (int which = 0; which < num_asked; ++which) check<Shape, in, out, op>({which});
  }
}
template <class Shape, int... calls>
void check_all(std::integer_sequence<int, calls...>) {
  (check_if_held<Shape, calls>(), ...);
}

}  // namespace

int main() {
  using all = std::make_integer_sequence<int, num_types * num_types * num_operators>;
  tests::cuda_calls.is_made_up = true;
  check_all<sequences>(all{});
  check_all<tensors>(all{});
  check_all<rows>(all{});
  check_all<ragged>(all{});
  for (int which = 0; which < num_asked; ++which) {
    check_recurrence<SCAN_FLOAT>({which});
    check_recurrence<SCAN_DOUBLE>({which});
    check_recurrence<SCAN_HALF>({which});
    check_recurrence<SCAN_BFLOAT16>({which});
  }
  struct points {
    float x, y, z, w;
  };
  check_compactions<std::int8_t, std::int32_t>(SCAN_INT8, SCAN_INT32);
  check_compactions<std::uint16_t, std::int64_t>(SCAN_UINT16, SCAN_INT64);
  check_compactions<std::int32_t, std::uint32_t>(SCAN_INT32, SCAN_UINT32);
  check_compactions<std::uint64_t, std::uint64_t>(SCAN_UINT64, SCAN_UINT64);
  check_compactions<float, std::int64_t>(SCAN_FLOAT, SCAN_INT64);
  check_compactions<double, std::int32_t>(SCAN_DOUBLE, SCAN_INT32);
  check_compactions<points, std::int64_t>(0, SCAN_INT64);
  std::printf("%d launches compared, %d wrong\n", num_checked, num_wrong);
  return num_wrong == 0 && num_checked > 2000 ? 0 : 1;
}
