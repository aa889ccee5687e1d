// Many sequences in one call: the middle axis of a tensor.
#ifndef SCAN_EXTENTS_HPP
#define SCAN_EXTENTS_HPP

#include <cstdint>

#include "scan/call/validate.hpp"
#include "scan/status.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {

/// Scans along the middle axis of outer x length x inner elements: element (o, i, k) is at
/// `o * pitch + i * inner + k`. Rows of a matrix: inner = 1. Columns: outer = 1. Each of the outer
/// x inner sequences is scanned by itself, and none has results that depend on another.
///
/// Pitches are in elements, from (o, 0, 0) to (o + 1, 0, 0); 0 means dense: length * inner, or for
/// the output of `options.complete` (length + 1) * inner. What lies between is neither read as an
/// operand nor written. Any extent may be 0.
///
/// With extents `options.init_pointer` and `options.total` point to outer x inner values, sequence
/// (o, k) at `o * inner + k`; `options.init` is one value for all; `options.complete` makes each
/// sequence length + 1 outputs.
struct SCAN_SHOWN extents {
  std::int64_t outer = 1;
  std::int64_t length = 0;
  std::int64_t inner = 1;
  std::int64_t in_pitch = 0;
  std::int64_t out_pitch = 0;
};

/// Extents that have been checked, with pitches that are said.
struct SCAN_SHOWN tensor_shape {
  std::int64_t outer = 0, length = 0, inner = 0;
  std::int64_t in_pitch = 0, out_pitch = 0;

  SCAN_HIDDEN std::int64_t num_sequences() const { return outer * inner; }
  /// Elements from the first to the last of one side.
  SCAN_HIDDEN std::int64_t span(std::int64_t pitch, int extra = 0) const {
    const std::int64_t slab = (length + extra) * inner;
    return outer == 0 || slab == 0 ? 0 : (outer - 1) * pitch + slab;
  }
};

/// Success, or `cudaErrorInvalidValue` naming the field. `extra`: outputs a sequence beyond length,
/// 0 or 1; `largest`: bytes of the widest element.
inline status resolve(const extents& given, int extra, std::int64_t largest,
                      tensor_shape& shape) noexcept {
  constexpr std::int64_t address_space = std::int64_t{1} << 57;  // five-level page tables
  const std::int64_t most = address_space / largest;
  const auto refuse = [](const char* message) { return status(cudaErrorInvalidValue, message); };
  if (given.outer < 0) return refuse("extents.outer is negative");
  if (given.length < 0) return refuse("extents.length is negative");
  if (given.inner < 0) return refuse("extents.inner is negative");
  if (given.in_pitch < 0) return refuse("extents.in_pitch is negative");
  if (given.out_pitch < 0) return refuse("extents.out_pitch is negative");
  // (Where there are no elements the other extents may be anything that can be counted.)
  if (given.inner > most) return refuse("extents.inner is too large: it exceeds the address space");
  if (given.inner > 0 && given.length > most / given.inner - extra) {
    return refuse("extents.length is too large: length * inner elements exceed the address space");
  }
  const std::int64_t slab = given.length * given.inner, out_slab = slab + extra * given.inner;
  if (given.in_pitch > 0 && given.in_pitch < slab) {
    return refuse("extents.in_pitch is less than length * inner");
  }
  if (given.out_pitch > 0 && given.out_pitch < out_slab) {
    return refuse("extents.out_pitch is less than a slab of outputs");
  }
  // (Of a single slab the pitch leads nowhere, and may be a number that cannot be counted with.)
  const bool pitched = given.outer > 1;
  shape = {given.outer, given.length, given.inner,
           pitched && given.in_pitch > 0 ? given.in_pitch : slab,
           pitched && given.out_pitch > 0 ? given.out_pitch : out_slab};
  if (given.outer > most / (given.inner > 0 ? given.inner : 1)) {
    return refuse("extents.outer is too large: outer * inner sequences exceed the address space");
  }
  const auto exceeds = [&](std::int64_t pitch, std::int64_t elements) {
    return elements > 0 && given.outer > 1 && pitch > (most - elements) / (given.outer - 1);
  };
  if (exceeds(shape.in_pitch, slab)) {
    return refuse(given.in_pitch > 0
                      ? "extents.in_pitch is too large: outer pitches exceed the address space"
                      : "extents.outer is too large: the tensor exceeds the address space");
  }
  if (exceeds(shape.out_pitch, out_slab)) {
    return refuse(given.out_pitch > 0
                      ? "extents.out_pitch is too large: outer pitches exceed the address space"
                      : "extents.outer is too large: the tensor exceeds the address space");
  }
  return {};
}

/// Where the slabs of one side lie.
struct slabs {
  memory_range all;
  std::int64_t pitch_bytes, slab_bytes;
  std::int64_t count;

  template <class T>
  slabs(const T* data, const tensor_shape& shape, std::int64_t pitch, int extra) noexcept
      : all(data, shape.span(pitch, extra)),
        pitch_bytes(pitch * static_cast<std::int64_t>(sizeof(T))),
        slab_bytes((shape.length + extra) * shape.inner * static_cast<std::int64_t>(sizeof(T))),
        count(shape.outer) {}

  /// Whether a byte is in both. Exact where both have one pitch, as two parts of each row of a
  /// buffer; otherwise of all from the first to the last byte.
  bool overlaps(const slabs& other) const noexcept {
    if (!all.overlaps(other.all)) return false;
    if (count < 2 || pitch_bytes != other.pitch_bytes) return true;
    const auto pitch = static_cast<std::uintptr_t>(pitch_bytes);
    const std::uintptr_t after = all.begin < other.all.begin
                                     ? (other.all.begin - all.begin) % pitch
                                     : (pitch - (all.begin - other.all.begin) % pitch) % pitch;
    return after < static_cast<std::uintptr_t>(slab_bytes) ||
           after + static_cast<std::uintptr_t>(other.slab_bytes) > pitch;
  }
};

/// What messages say of one of the arrays that are read, and whether it may be the output, too.
struct input_role {
  bool in_place;
  const char *null, *misaligned, *overlapped, *overlapped_by_total;
};
inline constexpr input_role the_input{true, "the input pointer is null but there are elements",
                                      "the input pointer is not aligned to its element type",
                                      "the output overlaps the input and is not in place",
                                      "options.total overlaps the input"};

/// The pointers of one input and the output of a tensor.
template <class In, class Out>
status validate_slabs(const In* in, const Out* out, const tensor_shape& shape, int extra,
                      const input_role& role = the_input) noexcept {
  const slabs read(in, shape, shape.in_pitch, 0), written(out, shape, shape.out_pitch, extra);
  if (in == nullptr && read.all.begin != read.all.end) {
    return {cudaErrorInvalidValue, role.null};
  }
  if (out == nullptr && written.all.begin != written.all.end) {
    return {cudaErrorInvalidValue, "the output pointer is null but there are outputs to write"};
  }
  if (read.all.begin != read.all.end && !element_aligned(in)) {
    return {cudaErrorInvalidValue, role.misaligned};
  }
  if (written.all.begin != written.all.end && !element_aligned(out)) {
    return {cudaErrorInvalidValue, "the output pointer is not aligned to its element type"};
  }
  const bool same_place =
      role.in_place && read.all.begin == written.all.begin && sizeof(In) == sizeof(Out);
  const bool same_pitch = shape.outer < 2 || shape.in_pitch == shape.out_pitch;
  if (same_place && same_pitch) return {};
  if (!read.overlaps(written)) return {};
  return {cudaErrorInvalidValue,
          same_place ? "extents: the output overlaps the input: in place both have one pitch"
                     : role.overlapped};
}

/// options.total and options.init_pointer of a tensor: a value a sequence, or null.
template <class In, class Out, class Value>
status validate_values(const In* in, const Out* out, const tensor_shape& shape, int extra,
                       const Value* init, const Value* total,
                       const input_role& role = the_input) noexcept {
  const slabs read(in, shape, shape.in_pitch, 0), written(out, shape, shape.out_pitch, extra);
  const std::int64_t count = shape.num_sequences();
  if (total != nullptr) {
    if (!element_aligned(total)) {
      return {cudaErrorInvalidValue, "options.total is not aligned to its type"};
    }
    const memory_range totals(total, count);
    if (totals.overlaps(read.all)) return {cudaErrorInvalidValue, role.overlapped_by_total};
    if (totals.overlaps(written.all)) {
      return {cudaErrorInvalidValue, "options.total overlaps the output"};
    }
  }
  if (init != nullptr) {
    if (!element_aligned(init)) {
      return {cudaErrorInvalidValue, "options.init_pointer is not aligned to its type"};
    }
    const memory_range inits(init, count);
    if (inits.overlaps(written.all)) return {cudaErrorInvalidValue, init_overlaps_output};
    if (total != nullptr && inits.overlaps(memory_range(total, count))) {
      return {cudaErrorInvalidValue, init_overlaps_total};
    }
  }
  return {};
}

}  // namespace SCAN_ABI
}  // namespace scan

#endif
