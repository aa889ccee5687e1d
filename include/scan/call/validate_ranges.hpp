// What is checked of calls with segments that lie anywhere.
#ifndef SCAN_CALL_VALIDATE_RANGES_HPP
#define SCAN_CALL_VALIDATE_RANGES_HPP

#include <algorithm>
#include <cstdint>

#include "scan/call/problem.hpp"
#include "scan/call/range_offsets.hpp"
#include "scan/call/room.hpp"
#include "scan/call/validate.hpp"
#include "scan/extents.hpp"
#include "scan/status.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {

/// The bytes of one array of offsets; none, where there is none.
inline memory_range range_of_offsets(const range_offsets& where, const void* offsets) noexcept {
  const std::int64_t bytes = are_wide_offsets(where.kind) ? 8 : 4;
  return {static_cast<const unsigned char*>(offsets),
          offsets != nullptr ? where.num_segments * bytes : 0};
}

/// Numbers and arrays of offsets. `largest`: bytes of the widest element.
inline status validate_offsets(const range_offsets& where, std::int64_t largest) noexcept {
  constexpr std::int64_t address_space = std::int64_t{1} << 57;  // five-level page tables
  const auto refuse = [](const char* message) { return status(cudaErrorInvalidValue, message); };
  if (where.num_segments < 0) return refuse("segment_ranges.num_segments is negative");
  if (where.num_items < 0) return refuse("segment_ranges.num_items is negative");
  if (where.num_out_items < 0) return refuse("segment_ranges.num_out_items is negative");
  if (where.num_segments > address_space / std::max<std::int64_t>(largest, 8)) {
    return refuse("segment_ranges.num_segments is too large: it exceeds the address space");
  }
  if (where.num_items > address_space / largest) {
    return refuse("segment_ranges.num_items is too large: it exceeds the address space");
  }
  if (where.num_out_items > address_space / largest) {
    return refuse("segment_ranges.num_out_items is too large: it exceeds the address space");
  }
  if (where.num_segments == 0) return {};
  const std::uintptr_t alignment = are_wide_offsets(where.kind) ? 8 : 4;
  const auto misaligned = [&](const void* offsets) {
    return reinterpret_cast<std::uintptr_t>(offsets) % alignment != 0;
  };
  if (where.begins == nullptr) {
    return refuse("segment_ranges.begins is null but there are segments");
  }
  if (where.ends == nullptr) return refuse("segment_ranges.ends is null but there are segments");
  if (misaligned(where.begins)) return refuse("segment_ranges.begins is not aligned to its type");
  if (misaligned(where.ends)) return refuse("segment_ranges.ends is not aligned to its type");
  if (misaligned(where.out_begins)) {
    return refuse("segment_ranges.out_begins is not aligned to its type");
  }
  return {};
}

/// Input and output, pointers or no_array; `read` and `written` are their bytes.
template <class From, class To>
status validate_range_arrays(From from, To to, const range_offsets& where, const memory_range& read,
                             const memory_range& written) noexcept {
  const auto refuse = [](const char* message) { return status(cudaErrorInvalidValue, message); };
  if (from == nullptr && where.num_items > 0) return refuse(the_input.null);
  if (to == nullptr && where.num_out_items > 0) {
    return refuse("the output pointer is null but there are outputs to write");
  }
  if (where.num_items > 0 && !element_aligned(from)) return refuse(the_input.misaligned);
  if (where.num_out_items > 0 && !element_aligned(to)) {
    return refuse("the output pointer is not aligned to its element type");
  }
  if (!read.overlaps(written)) return {};
  if (where.out_begins != nullptr) {
    return refuse(
        "the output overlaps the input: with segment_ranges.out_begins there is no in place");
  }
  const bool in_place = read.begin == written.begin && bytes_apart<From> == bytes_apart<To>;
  return in_place ? status{} : refuse(the_input.overlapped);
}

/// What is written, `what` of the messages, and the offsets.
template <class Names>
status validate_beside_offsets(const range_offsets& where, const memory_range& written,
                               const Names& names) noexcept {
  const void* const arrays[] = {where.begins, where.ends, where.out_begins};
  for (int i = 0; i < 3; ++i) {
    if (range_of_offsets(where, arrays[i]).overlaps(written)) {
      return {cudaErrorInvalidValue, names[i]};
    }
  }
  return {};
}
inline constexpr const char* output_overlaps_ranges[] = {
    "the output overlaps segment_ranges.begins", "the output overlaps segment_ranges.ends",
    "the output overlaps segment_ranges.out_begins"};
inline constexpr const char* total_overlaps_ranges[] = {
    "options.total overlaps segment_ranges.begins", "options.total overlaps segment_ranges.ends",
    "options.total overlaps segment_ranges.out_begins"};

/// What both paths check before they describe; of what the offsets are nothing.
template <class Op, class Input, class Output, class Options>
status validate_ranges(bool exclusive, const Input& in, const Output& out,
                       const range_offsets& where, const Options& opts) noexcept {
  using types = scan_types<Input, Output>;
  constexpr std::int64_t largest = std::max(
      {sizeof(typename types::in), sizeof(typename types::out), sizeof(typename types::value)});
  if (const status checked = validate_options(opts); !checked.ok()) return checked;
  if (opts.complete) {
    return {cudaErrorInvalidValue, "options.complete is refused with segment_ranges"};
  }
  if (const status checked = validate_offsets(where, largest); !checked.ok()) return checked;
  if (where.num_segments == 0) return {};
  const auto from = array_of(in.data);
  const auto to = array_of(out.data);
  const memory_range read(from, where.num_items), written(to, where.num_out_items);
  if (const status checked = validate_range_arrays(from, to, where, read, written); !checked.ok()) {
    return checked;
  }
  if (const status checked = validate_beside_offsets(where, written, output_overlaps_ranges);
      !checked.ok()) {
    return checked;
  }
  const memory_range totals(opts.total, opts.total != nullptr ? where.num_segments : 0);
  if (const status checked = validate_beside_offsets(where, totals, total_overlaps_ranges);
      !checked.ok()) {
    return checked;
  }
  if (const status checked = validate_segment_values(opts.init_pointer, opts.total,
                                                     where.num_segments, read, written, the_input);
      !checked.ok()) {
    return checked;
  }
  const bool start_is_seen = (where.num_items > 0 && exclusive) || opts.total != nullptr;
  const bool init_given = opts.init || opts.init_pointer != nullptr;
  if (start_is_seen && !init_given && !has_identity<Op, typename types::accumulated>) {
    return {cudaErrorInvalidValue, "options.init is missing: the operator has no identity"};
  }
  return {};
}

/// Elements that spans need to have.
inline room_needed room_for(const range_offsets& where, bool) noexcept {
  const bool none = where.num_segments <= 0;
  return {none ? 0 : where.num_items, none ? 0 : where.num_out_items,
          "the input span's size is less than segment_ranges.num_items",
          "the output span's size is less than segment_ranges.num_out_items"};
}

}  // namespace SCAN_ABI
}  // namespace scan

#endif
