// A call of any family with all that it is given, so that a test of what calls have in common is a
// loop over families and arguments.
#ifndef SCAN_TESTS_ANY_CALL_HPP
#define SCAN_TESTS_ANY_CALL_HPP

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "scan/scan.hpp"

namespace tests {

/// Families are bits, since what is wrong is so in several.
enum family : unsigned {
  of_sequence = 1,
  of_tensor = 2,
  recurrence_of_sequence = 4,
  recurrence_of_tensor = 8,
  by_offsets = 16,
  by_narrow_offsets = 32,
  by_keys = 64,
  by_bytes = 128,
  by_bits = 256,
};
inline constexpr unsigned of_recurrences = recurrence_of_sequence | recurrence_of_tensor,
                          of_extents = of_tensor | recurrence_of_tensor,
                          of_segments = by_offsets | by_narrow_offsets,
                          by_flags = by_bytes | by_bits, of_runs = by_keys | by_flags, of_any = 511;
inline constexpr family families[] = {of_sequence,
                                      of_tensor,
                                      recurrence_of_sequence,
                                      recurrence_of_tensor,
                                      by_offsets,
                                      by_narrow_offsets,
                                      by_keys,
                                      by_bytes,
                                      by_bits};

/// Elements are floats. Inclusive scans are sums and exclusive ones maxima.
struct any_call {
  family which = of_sequence;
  bool exclusive = false;
  char *in = nullptr, *out = nullptr;
  char* factors = nullptr;  // of recurrences
  char* heads = nullptr;    // offsets of 8 or 4 bytes, keys of 2, flags
  char *init = nullptr, *total = nullptr;
  std::int64_t n = 0;     // but of tensors; segments: num_items
  scan::extents shape{};  // of tensors
  std::int64_t num_segments = 0;
  scan::options<float> opts{};  // the rest of them
  int threads = 0;

  bool is(unsigned some) const { return (which & some) != 0; }
  std::string name() const {
    const char* const names[] = {"sequence", "tensor",         "recurrence", "recurrence of tensor",
                                 "segments", "narrow offsets", "keys",       "flags",
                                 "bits"};
    const auto place = std::find(std::begin(families), std::end(families), which);
    return std::string(exclusive ? "exclusive, " : "") + names[place - std::begin(families)];
  }

  scan::status on_device() const {
    scan::options<float> all = opts;
    all.init_pointer = as<float>(init);
    all.total = as<float>(total);
    return run(as<float>(in), as<float>(out), all);
  }
  scan::status on_host() const {
    return run(as<float>(in), as<float>(out), host_opts(), scan::host);
  }

  /// Of anything but recurrences, from and to what is given. `where`: scan::host, or nothing.
  template <class In, class Out, class Options, class... Where>
  scan::status scanned(In from, Out to, const Options& all, Where... where) const {
    const auto of = [&](const auto& size) {
      return exclusive ? scan::exclusive(where..., from, to, size, scan::maximum{}, all)
                       : scan::inclusive(where..., from, to, size, scan::plus{}, all);
    };
    const auto by = [&](const auto& runs) {
      return exclusive ? scan::exclusive_by_key(where..., runs, from, to, n, scan::maximum{}, all)
                       : scan::inclusive_by_key(where..., runs, from, to, n, scan::plus{}, all);
    };
    switch (which) {
      case of_tensor:
        return of(shape);
      case by_offsets:
        return of(scan::segments{as<std::int64_t>(heads), num_segments, n});
      case by_narrow_offsets:
        return of(scan::segments{as<std::int32_t>(heads), num_segments, n});
      case by_keys:
        return by(as<std::int16_t>(heads));
      case by_bytes:
        return by(scan::flags{as<std::uint8_t>(heads)});
      case by_bits:
        return by(scan::flags{as<std::uint32_t>(heads)});
      default:
        return of(n);
    }
  }
  scan::host_options<float> host_opts() const {
    return {opts.init, threads, as<float>(total), opts.reverse, opts.complete, as<float>(init)};
  }

  /// An array of the call: what messages of the checked mode call it, which it is, its size.
  struct array {
    std::string name;
    char* any_call::*which;
    std::int64_t num_bytes;
    bool is_written = false;
  };
  /// Those that are given.
  std::vector<array> arrays() const {
    std::vector<array> given;
    for (const array& one : all_arrays()) {
      if (this->*one.which != nullptr && one.num_bytes > 0) given.push_back(one);
    }
    return given;
  }
  std::int64_t num_bytes(char* any_call::*which_array) const {
    for (const array& one : all_arrays()) {
      if (one.which == which_array) return one.num_bytes;
    }
    return 0;
  }
  /// Places an array so that its last 4 bytes are at `place`.
  void end_at(char* any_call::*which_array, char* place) {
    this->*which_array = place + 4 - num_bytes(which_array);
  }
  /// The last 4 bytes of an array.
  char* last(char* any_call::*which_array) const {
    return this->*which_array + num_bytes(which_array) - 4;
  }

 private:
  template <class T>
  static T* as(char* place) {
    return reinterpret_cast<T*>(place);
  }
  std::vector<array> all_arrays() const {
    const char* const of_heads = is(of_segments) ? "segments.offsets"
                                 : is(by_keys)   ? "the keys"
                                                 : "flags.heads";
    const std::int64_t read = 4 * span(shape.in_pitch, 0);
    return {{"the input", &any_call::in, read},
            {"the output", &any_call::out, 4 * span(shape.out_pitch, opts.complete), true},
            {"options.init_pointer", &any_call::init, 4 * num_sequences()},
            {"options.total", &any_call::total, 4 * num_sequences(), true},
            {"recurrence: a, the factors,", &any_call::factors, is(of_recurrences) ? read : 0},
            {of_heads, &any_call::heads, heads_bytes()}};
  }
  std::int64_t num_sequences() const {
    if (is(of_extents)) return shape.outer * shape.inner;
    return is(of_segments) ? num_segments : is(of_runs) ? 0 : 1;
  }
  std::int64_t span(std::int64_t pitch, int extra) const {
    if (!is(of_extents)) return n + extra;
    const std::int64_t slab = (shape.length + extra) * shape.inner;
    return (shape.outer - 1) * (pitch > 0 ? pitch : slab) + slab;
  }
  std::int64_t heads_bytes() const {
    if (is(of_segments)) return (num_segments + 1) * (is(by_offsets) ? 8 : 4);
    return is(by_keys) ? 2 * n : is(by_bytes) ? n : is(by_bits) ? (n + 31) / 32 * 4 : 0;
  }
  template <class Options, class... Where>
  scan::status run(float* from, float* to, const Options& all, Where... where) const {
    const auto* const a = as<float>(factors);
    if (is(recurrence_of_sequence)) return scan::recurrence(where..., a, from, to, n, all);
    if (is(recurrence_of_tensor)) return scan::recurrence(where..., a, from, to, shape, all);
    return scanned(static_cast<const float*>(from), to, all, where...);
  }
};

}  // namespace tests

#endif
