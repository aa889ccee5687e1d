// What is checked of calls that start anew at heads: segments, keys, flags.
#ifndef SCAN_CALL_VALIDATE_SEGMENTS_HPP
#define SCAN_CALL_VALIDATE_SEGMENTS_HPP

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "scan/call/element_count.hpp"
#include "scan/call/problem.hpp"
#include "scan/call/segment_heads.hpp"
#include "scan/call/tensor_problem.hpp"
#include "scan/call/validate.hpp"
#include "scan/extents.hpp"
#include "scan/segments.hpp"
#include "scan/status.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {

/// Numbers and offsets of segments. `largest`: bytes of the widest element; `in_host_memory`:
/// whether num_items may be left out.
inline status validate_heads(const segment_heads& heads, std::int64_t largest,
                             bool in_host_memory) noexcept {
  constexpr std::int64_t address_space = std::int64_t{1} << 57;  // five-level page tables
  const auto refuse = [](const char* message) { return status(cudaErrorInvalidValue, message); };
  if (!has_offsets(heads)) {
    const bool flagged = are_flags(heads.kind);
    if (heads.num_items > 0 && heads.data == nullptr) {
      return refuse(flagged ? "flags.heads is null but n > 0"
                            : "the pointer to keys is null but n > 0");
    }
    if (heads.num_items > 0 && place_of(heads).bytes.begin % place_of(heads).alignment != 0) {
      return refuse(flagged ? "flags.heads is not aligned to its type"
                            : "the pointer to keys is not aligned to their type");
    }
    return {};
  }
  if (heads.num_segments < 0) return refuse("segments.num_segments is negative");
  if (heads.num_items < unsaid_items) return refuse("segments.num_items is negative");
  if (heads.num_segments > address_space / std::max<std::int64_t>(largest, 8) - 1) {
    return refuse("segments.num_segments is too large: it exceeds the address space");
  }
  if (heads.num_items > address_space / largest) {
    return refuse("segments.num_items is too large: it exceeds the address space");
  }
  if (heads.num_segments == 0) return {};
  if (heads.data == nullptr) return refuse("segments.offsets is null but there are segments");
  if (place_of(heads).bytes.begin % place_of(heads).alignment != 0) {
    return refuse("segments.offsets is not aligned to its type");
  }
  if (heads.num_items == unsaid_items && !in_host_memory) {
    return refuse("segments.num_items is not given: of segments in device memory it has to be");
  }
  return {};
}
template <class Keys, class Equal>
status validate_heads(const keyed_heads<Keys, Equal>& heads, std::int64_t, bool) noexcept {
  if (heads.num_items > 0 && array_of(heads.keys) == nullptr) {
    return {cudaErrorInvalidValue, "the pointer to keys is null but n > 0"};
  }
  if (heads.num_items > 0 && !element_aligned(array_of(heads.keys))) {
    return {cudaErrorInvalidValue, "the pointer to keys is not aligned to their type"};
  }
  return {};
}

/// options.total and options.init_pointer: a value a segment, or null. `read` and `written`: of the
/// input and the output.
template <class Value>
status validate_segment_values(const Value* init, const Value* total, std::int64_t num_segments,
                               const memory_range& read, const memory_range& written,
                               const input_role& role) noexcept {
  const auto refuse = [](const char* message) { return status(cudaErrorInvalidValue, message); };
  const memory_range inits(init, init != nullptr ? num_segments : 0);
  const memory_range totals(total, total != nullptr ? num_segments : 0);
  if (total != nullptr && !element_aligned(total)) {
    return refuse("options.total is not aligned to its type");
  }
  if (totals.overlaps(read)) return refuse(role.overlapped_by_total);
  if (totals.overlaps(written)) return refuse("options.total overlaps the output");
  if (init != nullptr && !element_aligned(init)) {
    return refuse("options.init_pointer is not aligned to its type");
  }
  if (inits.overlaps(written)) return refuse(init_overlaps_output);
  if (inits.overlaps(totals)) return refuse(init_overlaps_total);
  return {};
}

/// What both paths check of everything that starts anew at heads; `Heads` are `segment_heads` or
/// `keyed_heads`. Of what the offsets are nothing is checked here. `largest`: bytes of the widest
/// element; `validate_arrays(n)` says what it has to of inputs and output, n elements each.
template <class From, class To, class Heads, class Options, class Arrays>
status validate_segmented(From from, To to, const Heads& heads, std::int64_t largest,
                          const Options& opts, bool in_host_memory, const input_role& role,
                          const Arrays& validate_arrays) noexcept {
  const auto refuse = [](const char* message) { return status(cudaErrorInvalidValue, message); };
  if (const status checked = validate_options(opts); !checked.ok()) return checked;
  if (opts.complete) return refuse("options.complete is refused with segments, keys and flags");
  const bool numbered = has_offsets(heads);
  if (!numbered && opts.total != nullptr) {
    return refuse(
        "options.total is a value a segment, and of keys and flags nobody knows how many "
        "there are");
  }
  if (!numbered && opts.init_pointer != nullptr) {
    return refuse(
        "options.init_pointer is a value a segment, and of keys and flags nobody knows "
        "how many there are");
  }
  std::int64_t n = heads.num_items;
  if (numbered) {
    if (const status checked = validate_heads(heads, largest, in_host_memory); !checked.ok()) {
      return checked;
    }
    if (num_segments_of(heads) == 0) n = 0;
  }
  if (const status checked = validate_arrays(n); !checked.ok()) return checked;
  if (!numbered) {
    if (const status checked = validate_heads(heads, largest, in_host_memory); !checked.ok()) {
      return checked;
    }
  }
  const memory_range read(from, n), written(to, n);
  if (n > 0 && place_of(heads).bytes.overlaps(written)) {
    return refuse(numbered ? "the output overlaps segments.offsets"
                           : "the output overlaps the keys or flags");
  }
  if (const status checked = validate_counted(heads.counted, written); !checked.ok()) {
    return checked;
  }
  if constexpr (std::is_same_v<Heads, segment_heads>) {
    if (numbered) {
      const memory_range totals(opts.total, opts.total != nullptr ? heads.num_segments : 0);
      if (totals.overlaps(place_of(heads).bytes)) {
        return refuse("options.total overlaps segments.offsets");
      }
      return validate_segment_values(opts.init_pointer, opts.total, heads.num_segments, read,
                                     written, role);
    }
  }
  return {};
}

/// The same of scans.
template <class Op, class Input, class Output, class Heads, class Options>
status validate_segments(bool exclusive, const Input& in, const Output& out, const Heads& heads,
                         const Options& opts, bool in_host_memory) noexcept {
  using types = scan_types<Input, Output>;
  constexpr std::int64_t largest = std::max(
      {sizeof(typename types::in), sizeof(typename types::out), sizeof(typename types::value)});
  const auto from = array_of(in.data);
  const auto to = array_of(out.data);
  const status checked =
      validate_segmented(from, to, heads, largest, opts, in_host_memory, the_input,
                         [&](std::int64_t n) { return validate(from, to, n, 0); });
  if (!checked.ok()) return checked;
  const std::int64_t n = has_offsets(heads) && num_segments_of(heads) == 0 ? 0 : heads.num_items;
  const bool start_is_seen =
      (n > 0 && exclusive) || (opts.total != nullptr && num_segments_of(heads) > 0);
  const bool init_given = opts.init || opts.init_pointer != nullptr;
  if (start_is_seen && !init_given && !has_identity<Op, typename types::accumulated>) {
    return {cudaErrorInvalidValue, "options.init is missing: the operator has no identity"};
  }
  return {};
}

/// The same of recurrences.
template <class Input, class Out, class Heads, class Options>
status validate_segment_recurrence(const Input& in, const Out* out, const Heads& heads,
                                   const Options& opts, bool in_host_memory) noexcept {
  constexpr std::int64_t largest = sizeof(state_t<Out>);
  constexpr bool has_array = std::is_pointer_v<typename Input::Factors>;
  const auto arrays = [&](std::int64_t n) -> status {
    if (const status checked = validate_count(n, largest); !checked.ok()) return checked;
    tensor_shape one;
    if (const status checked = resolve({1, n, 1}, 0, largest, one); !checked.ok()) return checked;
    const status checked = validate_slabs(in.data, out, one, 0, the_offsets);
    if constexpr (has_array) {
      if (checked.ok()) return validate_slabs(in.factors, out, one, 0, the_factors);
    }
    return checked;
  };
  const status checked =
      validate_segmented(in.data, out, heads, largest, opts, in_host_memory, the_offsets, arrays);
  if constexpr (has_array) {
    const memory_range read(in.factors, heads.num_items > 0 ? heads.num_items : 0);
    const memory_range totals(opts.total, opts.total != nullptr ? num_segments_of(heads) : 0);
    if (checked.ok() && totals.overlaps(read)) {
      return {cudaErrorInvalidValue, the_factors.overlapped_by_total};
    }
  }
  return checked;
}

/// Whether there is nothing to write.
template <class Heads>
bool writes_nothing(const Heads& heads) noexcept {
  return has_offsets(heads) ? num_segments_of(heads) == 0 : heads.num_items == 0;
}

}  // namespace SCAN_ABI
}  // namespace scan

#endif
