// Scans across GPUs as where a call goes: what has to be the same on all ranks, as a number that
// they compare, and what libscan_nccl.a holds.
#ifndef SCAN_CALL_SLICE_CALL_HPP
#define SCAN_CALL_SLICE_CALL_HPP

#include <cstdint>
#include <type_traits>

#include "scan/across.hpp"
#include "scan/call/entries.hpp"
#include "scan/call/prebuilt.hpp"
#include "scan/device/plan/slice_plan.hpp"
#include "scan/device/slice/slice_team.hpp"
#include "scan/extents.hpp"
#include "scan/options.hpp"
#include "scan/status.hpp"
#include "scan/transform.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {

/// Whether libscan_nccl.a holds these scans: what libscan.a holds of tensors.
template <class In, class Out, class Op>
inline constexpr bool is_slice_prebuilt = is_tensor_prebuilt<In, Out, Op>;

namespace device {

/// `number`, `fnv_basis` at first, and what follows it: FNV-1a by bytes.
inline constexpr std::uint64_t fnv_basis = 0xcbf29ce484222325u;
constexpr std::uint64_t hashed(std::uint64_t number, std::uint64_t next) noexcept {
  for (int i = 0; i < 8; ++i) number = (number ^ (next >> 8 * i & 0xff)) * 0x100000001b3u;
  return number;
}
/// A type by its name, which is the same in all processes that run what one compiler has built.
template <class T>
constexpr std::uint64_t named() noexcept {
  std::uint64_t number = fnv_basis;
  for (const char* name = __PRETTY_FUNCTION__; *name != 0; ++name) {
    number = hashed(number, static_cast<unsigned char>(*name));
  }
  return number;
}
/// Numbers by kind and size, whatever they are called: `long` and `long long` are the same.
template <class T>
constexpr std::uint64_t type_number() noexcept {
  constexpr std::uint64_t size = sizeof(T);
  if constexpr (std::is_same_v<T, bool>) return 0x100;
  if constexpr (is_integer<T>) return (T(-1) < T(0) ? 0x200 : 0x300) + size;
  if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) return 0x400 + size;
  if constexpr (std::is_same_v<T, __half>) return 0x500;
  if constexpr (std::is_same_v<T, __nv_bfloat16>) return 0x600;
  return named<T>();
}
template <class Op>
constexpr std::uint64_t operator_number() noexcept {
  if constexpr (std::is_same_v<Op, plus>) return 1;
  if constexpr (std::is_same_v<Op, multiplies>) return 2;
  if constexpr (std::is_same_v<Op, minimum>) return 3;
  if constexpr (std::is_same_v<Op, maximum>) return 4;
  if constexpr (std::is_same_v<Op, bit_and>) return 5;
  if constexpr (std::is_same_v<Op, bit_or>) return 6;
  if constexpr (std::is_same_v<Op, bit_xor>) return 7;
  return named<Op>();
}
template <class Function>
constexpr std::uint64_t function_number() noexcept {
  if constexpr (std::is_same_v<Function, as_is>) return 1;
  return named<Function>();
}

/// Of the types, operator and options of a call.
template <class Input, class Output, class Op, class Value>
std::uint64_t call_number(bool exclusive, const options<Value>& opts) noexcept {
  std::uint64_t number = fnv_basis;
  for (const std::uint64_t part :
       {type_number<typename Input::element>(), type_number<typename Output::element>(),
        type_number<typename scan_types<Input, Output>::accumulated>(), operator_number<Op>(),
        function_number<decltype(Input::function)>(),
        function_number<decltype(Output::function)>()}) {
    number = hashed(number, part);
  }
  const unsigned of_options = (exclusive ? 1u : 0u) | (opts.reverse ? 2u : 0u) |
                              (opts.complete ? 4u : 0u) |
                              static_cast<unsigned>(opts.algorithm) << 3;
  return hashed(number, of_options);
}

/// The order that slices of these types are combined in.
template <class Input, class Output>
constexpr slice_order order_of(bool in_ring_order) noexcept {
  using types = scan_types<Input, Output>;
  constexpr int widest = types::widest;
  constexpr bool widens = sizeof(typename types::in) < sizeof(typename types::out);
  constexpr bool takes = ring_takes(sizeof(typename types::in), sizeof(typename types::out),
                                    sizeof(typename types::accumulated));
  return in_ring_order && takes ? ring_order(widest, widens) : look_back_order(widest);
}

/// The same of rows of a tensor, and for `inner` from 2 on of its columns: how many elements of a
/// sequence are a warp's share, or a tile, and how many are sent as one fold.
template <class Input, class Output>
constexpr slice_order row_order_of(bool in_ring_order) noexcept {
  using types = scan_types<Input, Output>;
  constexpr bool takes = ring_takes(sizeof(typename types::in), sizeof(typename types::out),
                                    sizeof(typename types::accumulated));
  return row_order(types::widest, sizeof(typename types::in) < sizeof(typename types::out),
                   in_ring_order && takes);
}
template <class Input, class Output>
constexpr column_sizes sizes_of() noexcept {
  using types = scan_types<Input, Output>;
  return {static_cast<int>(sizeof(typename types::in)),
          static_cast<int>(sizeof(typename types::out)),
          static_cast<int>(sizeof(typename types::accumulated)), 1};
}
template <class Input, class Output>
constexpr std::int64_t slice_share_items(bool in_ring_order, std::int64_t inner) noexcept {
  return inner < 2 ? row_order_of<Input, Output>(in_ring_order).share_items()
                   : column_tile_rows(sizes_of<Input, Output>(), inner);
}
template <class Input, class Output>
constexpr std::int64_t slice_batch_items(bool in_ring_order, std::int64_t inner) noexcept {
  return inner < 2 ? row_order_of<Input, Output>(in_ring_order).batch_items()
                   : slice_share_items<Input, Output>(in_ring_order, inner) * column_span_tiles;
}

/// To all ranks of a communicator, of which this is one.
struct on_ranks {
  static constexpr bool is_of_ranks = true;
  template <class In, class Out, class Op>
  using known = shared_kernel<In, Out, Op>;
  template <class Shape, class In, class Out, class Op>
  static constexpr bool holds = is_slice_prebuilt<In, Out, Op>;

  across& ranks;
  std::uint64_t call = 0;  // what the ranks were called for, as a number that they compare

  const status& made() const noexcept { return team_of(ranks).made(); }
  bool is_alone() const noexcept { return ranks.num_ranks() == 1; }
  /// The options of a rank that is alone: those of a plain call, with the memory that there is,
  /// where it was made for as much. `Types`: the scan_types.
  template <class Types, class Size, class Value>
  options<Value> alone(const Size& size, options<Value> opts) const noexcept {
    const bool fits = has_room_for(size) && Types::widest <= team_of(ranks).max_element_bytes() &&
                      !is_baseline(opts.algorithm);
    if (opts.workspace == nullptr && fits) opts.workspace = team_of(ranks).states();
    return opts;
  }
  template <class Call, class Value>
  void number(bool exclusive, const options<Value>& opts) noexcept {
    call =
        call_number<typename Call::input_type, typename Call::output_type, typename Call::op_type>(
            exclusive, opts);
  }

 private:
  bool has_room_for(std::int64_t n) const noexcept { return n <= team_of(ranks).max_items(); }
  bool has_room_for(const extents& local) const noexcept {
    const tensor_shape& most = team_of(ranks).largest();
    return local.outer <= most.outer && local.length == most.length && local.inner == most.inner;
  }
};
template <class Types, class Options>
bool is_one_sequence(on_ranks, const void*, const extents& local, const Options&) noexcept {
  return local.outer == 1 && local.inner == 1;
}

/// A rank's part of a scan, of more than one rank: `Size` is std::int64_t or extents.
template <class Input, class Output, class Op, class Size>
status scan_shape(on_ranks where, bool exclusive, const Input& in, const Output& out,
                  const Size& local, Op op,
                  const options<typename scan_types<Input, Output>::value>& opts) noexcept;

#define SCAN_HELD(In, Out, Size, Op)                                               \
  extern template status scan_shape(on_ranks, bool, const transform_input<In>&,    \
                                    const transform_output<Out>&, const Size&, Op, \
                                    const options<Out>&) noexcept;
#define SCAN_HELD_SLICES(In, Out, Op) \
  SCAN_HELD(In, Out, std::int64_t, Op) SCAN_HELD(In, Out, extents, Op)
SCAN_TENSOR_KERNELS_HELD(SCAN_HELD_SLICES)
#undef SCAN_HELD
#undef SCAN_HELD_SLICES

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
