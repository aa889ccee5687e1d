// The compactions of scan/c.h: by bytes of elements and codes of types to what libscan.a holds.
#include <type_traits>

#include "scan/compaction.hpp"
#include "src/c/codes.hpp"
#include "src/c/compaction_types.hpp"
#include "src/c/given.hpp"
#include "src/c/held_calls.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace c_interface {
namespace {

// ---- options ----

select_options select_options_of(on_device, const scan_options& given) noexcept {
  select_options result;
  result.stream = static_cast<cudaStream_t>(given.stream);
  result.workspace = given.workspace != nullptr ? &given.workspace->held : nullptr;
  result.memory_resource = resource_of(given);
  return result;
}
host_select_options select_options_of(on_host, const scan_options& given) noexcept {
  host_select_options result;
  result.threads = given.threads;
  return result;
}

/// What of a call is no array of elements.
template <class Where>
struct rest_of_call {
  element_count n;
  decltype(select_options_of(Where{}, scan_options{})) opts;

  rest_of_call(std::int64_t most, const scan_options& given) noexcept
      : n(given.known_n != nullptr ? element_count(count{given.known_n, most})
                                   : element_count(most)),
        opts(select_options_of(Where{}, given)) {
    opts.count = given.count;
    if (given.capacity != 0) opts.capacity = given.capacity;
  }
};

/// Of outputs that are null, without a capacity, what is kept is counted.
template <class Where, class... Outputs>
rest_of_call<Where> rest_for(std::int64_t n, const scan_options& given,
                             const Outputs*... outputs) noexcept {
  rest_of_call<Where> rest(n, given);
  const bool counts = given.count != nullptr && given.capacity == 0;
  if (counts && ((outputs == nullptr) && ...)) rest.opts.capacity = 0;
  return rest;
}

// ---- flags ----

/// What C++ has types for, or says by other names.
status check_flags(std::int32_t kind, const void* flags, std::int64_t n) noexcept {
  if (kind != SCAN_FLAG_BYTES && kind != SCAN_FLAG_BITS) {
    return refused("operands.flag_kind is neither SCAN_FLAG_BYTES nor SCAN_FLAG_BITS");
  }
  if (n <= 0) return {};
  if (flags == nullptr) return refused("operands.flags is null but n > 0");
  if (kind == SCAN_FLAG_BITS && !element_aligned(static_cast<const std::uint32_t*>(flags))) {
    return refused("operands.flags is not aligned to the uint32_t of SCAN_FLAG_BITS");
  }
  return {};
}
// ---- elements ----

template <class T>
using runs_have_lengths = std::bool_constant<is_compaction_held<lengths_of_runs<T, std::int32_t>>>;

status unheld() noexcept {
  return {cudaErrorNotSupported,
          "operands: this build of the library holds no such compaction (there are unique of "
          "integers, bools, float and double, and runs of integers and bools)"};
}

// ---- calls ----

template <class Where>
status select_at(Where where, const scan_select_operands& given, bool has_rejected, std::int64_t n,
                 const scan_options& opts) {
  return with_elements(given, [&](auto* of) -> status {
    using T = std::remove_pointer_t<decltype(of)>;
    if constexpr (!is_compaction_held<selection<T>>) {
      return unheld();
    } else {
      const auto* const in = static_cast<const T*>(given.input);
      auto* const kept = static_cast<T*>(given.output);
      auto* const rejected = static_cast<T*>(given.rejected);
      return with_flags(given.flag_kind, given.flags, [&](const auto& by) {
        if (has_rejected) {
          const auto rest = rest_for<Where>(n, opts, kept, rejected);
          return select_by<split_items>(where, in, by, rest.n, rest.opts, kept, rejected);
        }
        const auto rest = rest_for<Where>(n, opts, kept);
        return select_by<kept_items>(where, in, by, rest.n, rest.opts, kept);
      });
    }
  });
}

template <class Where>
status indices_at(Where where, const scan_indices_operands& given, std::int64_t n,
                  const scan_options& opts) {
  status said = refused("operands.output_type is no integer of 4 or 8 bytes");
  with_places(given.output_type, [&](auto* of) {
    using Int = std::remove_pointer_t<decltype(of)>;
    if constexpr (!is_compaction_held<positions<Int>>) {
      said = unheld();
    } else {
      auto* const to = static_cast<Int*>(given.output);
      const auto rest = rest_for<Where>(n, opts, to);
      said = with_flags(given.flag_kind, given.flags, [&](const auto& by) {
        return indices_by(where, by, to, rest.n, rest.opts);
      });
    }
  });
  return said;
}

/// `call` of input and output as what is compared.
template <class Call>
status with_runs(const scan_runs_operands& given, Call call) {
  status said = unheld();
  with_compared(given.type, [&](auto* of) {
    using T = std::remove_pointer_t<decltype(of)>;
    said = call(static_cast<const T*>(given.input), static_cast<T*>(given.output));
  });
  return said;
}

template <class Where>
status unique_at(Where where, const scan_runs_operands& given, std::int64_t n,
                 const scan_options& opts) {
  return with_runs(given, [&](const auto* in, auto* first) {
    const auto rest = rest_for<Where>(n, opts, first);
    return runs_by(where, in, first, rest.n, equal_keys{}, rest.opts);
  });
}

template <class Where>
status runs_at(Where where, const scan_runs_operands& given, std::int64_t n,
               const scan_options& opts) {
  return with_runs(given, [&](const auto* in, auto* first) {
    status said = unheld();
    if constexpr (runs_have_lengths<std::remove_pointer_t<decltype(first)>>::value) {
      with_places(given.length_type, [&](auto* of) {
        auto* const lengths = static_cast<decltype(of)>(given.lengths);
        const auto rest = rest_for<Where>(n, opts, first, lengths);
        said = runs_by(where, in, first, rest.n, equal_keys{}, rest.opts, lengths);
      });
    }
    return said;
  });
}

status read_runs(const scan_runs_operands& given, bool has_lengths) noexcept {
  if (!is_type_code(given.type)) return refused("operands.type is no scan_type");
  if (has_lengths) {
    return with_places(given.length_type, [](auto*) {})
               ? status()
               : refused("operands.length_type is no integer of 4 or 8 bytes");
  }
  if (given.lengths != nullptr) return refused("operands.lengths is for scan_runs alone");
  return given.length_type == 0 ? status() : refused("operands.length_type is for scan_runs alone");
}

/// `check(given)` says what is wrong with the operands, `call(where, given, opts)` is the rest.
template <class Operands, class Check, class Call>
scan_status compacted(const Operands* operands, const scan_options* options, Check check,
                      Call call) noexcept {
  return guarded([&]() -> status {
    Operands given{};
    scan_options opts{};
    if (const status checked = read(operands, given); !checked.ok()) return checked;
    if (const status checked = check(given); !checked.ok()) return checked;
    if (const status checked = read_compaction_options(options, opts); !checked.ok()) {
      return checked;
    }
    return opts.place == SCAN_HOST ? call(on_host{}, given, opts) : call(on_device{}, given, opts);
  });
}

scan_status selected(const scan_select_operands* operands, bool has_rejected, std::int64_t n,
                     const scan_options* options) noexcept {
  return compacted(
      operands, options,
      [&](const scan_select_operands& given) {
        if (!has_rejected && given.rejected != nullptr) {
          return refused("operands.rejected is for scan_partition alone");
        }
        return check_flags(given.flag_kind, given.flags, n);
      },
      [&](auto where, const scan_select_operands& given, const scan_options& opts) {
        return select_at(where, given, has_rejected, n, opts);
      });
}

}  // namespace

bool is_compaction_there(std::int32_t kind, std::int32_t in, std::int32_t out) noexcept {
  bool is_there = false;
  switch (kind) {
    case SCAN_SELECT:
    case SCAN_PARTITION:
      return is_type_code(in) && is_compaction_held<selection<std::uint8_t>>;
    case SCAN_INDICES:
      return with_places(out,
                         [&](auto* of) {
                           is_there =
                               is_compaction_held<positions<std::remove_pointer_t<decltype(of)>>>;
                         }) &&
             is_there;
    case SCAN_UNIQUE:
      return with_compared(in, [](auto*) {});
    case SCAN_RUNS:
      return with_compared(in,
                           [&](auto* of) {
                             is_there =
                                 runs_have_lengths<std::remove_pointer_t<decltype(of)>>::value;
                           }) &&
             is_there && with_places(out, [](auto*) {});
    default:
      return false;
  }
}

}  // namespace c_interface
}  // namespace SCAN_ABI
}  // namespace scan

scan_status scan_select(const scan_select_operands* operands, int64_t n,
                        const scan_options* options) {
  return scan::c_interface::selected(operands, false, n, options);
}
scan_status scan_partition(const scan_select_operands* operands, int64_t n,
                           const scan_options* options) {
  return scan::c_interface::selected(operands, true, n, options);
}

scan_status scan_indices(const scan_indices_operands* operands, int64_t n,
                         const scan_options* options) {
  using namespace scan::c_interface;
  return compacted(
      operands, options,
      [&](const scan_indices_operands& given) {
        return check_flags(given.flag_kind, given.flags, n);
      },
      [&](auto where, const scan_indices_operands& given, const scan_options& opts) {
        return indices_at(where, given, n, opts);
      });
}

scan_status scan_unique(const scan_runs_operands* operands, int64_t n,
                        const scan_options* options) {
  using namespace scan::c_interface;
  return compacted(
      operands, options, [](const scan_runs_operands& given) { return read_runs(given, false); },
      [&](auto where, const scan_runs_operands& given, const scan_options& opts) {
        return unique_at(where, given, n, opts);
      });
}
scan_status scan_runs(const scan_runs_operands* operands, int64_t n, const scan_options* options) {
  using namespace scan::c_interface;
  return compacted(
      operands, options, [](const scan_runs_operands& given) { return read_runs(given, true); },
      [&](auto where, const scan_runs_operands& given, const scan_options& opts) {
        return runs_at(where, given, n, opts);
      });
}
