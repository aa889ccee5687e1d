// The scans of scan/c.h: structs become what libscan.a's functions take.
#include "scan/call/call_range.hpp"
#include "src/c/codes.hpp"
#include "src/c/given.hpp"
#include "src/c/heads.hpp"
#include "src/c/held_calls.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace c_interface {
namespace {

using device::on_device;
using host_path::on_host;

/// What profilers show of a call on the device, by the caller's types.
class shown_scan {
 public:
  template <class Shape>
  shown_scan(const scan_operands& given, const Shape& shape) noexcept
      : is_open_(device::is_profiled()) {
    if (!is_open_) return;
    const std::string_view types[] = {name_of_type(given.input_type),
                                      name_of_type(given.output_type), name_of_operator(given.op)};
    device::open_range(device::name_of_scan(given.exclusive != 0), types, 3, shape);
  }
  ~shown_scan() {
    if (is_open_) device::close_range();
  }
  shown_scan(const shown_scan&) = delete;
  shown_scan& operator=(const shown_scan&) = delete;

 private:
  const bool is_open_;
};

status read_operands(const scan_operands* given, scan_operands& mine) noexcept {
  if (const status checked = read(given, mine); !checked.ok()) return checked;
  if (!is_type_code(mine.input_type)) return refused("operands.input_type is no scan_type");
  if (!is_type_code(mine.output_type)) return refused("operands.output_type is no scan_type");
  if (!is_operator_code(mine.op)) return refused("operands.op is no scan_operator");
  return {};
}

template <class Where, class Shape>
status refuse_unheld(const scan_operands& given) noexcept {
  const auto refuse = [](const char* message) { return status(cudaErrorNotSupported, message); };
  if (given.output_type == SCAN_BOOL && (given.op == SCAN_PLUS || given.op == SCAN_MULTIPLIES)) {
    return refuse(
        "operands: a sum or a product of bools is no bool: give the scan a wider output_type, or "
        "another op");
  }
  constexpr bool is_here = std::is_same_v<Where, on_host>;
  if constexpr (is_sequence<Shape>) {
    return refuse(is_here ? "operands: this build of the library holds no scan of one sequence on "
                            "CPU threads with this input_type, output_type and op"
                          : "operands: this build of the library holds no scan of one sequence on "
                            "the device with this input_type, output_type and op");
  } else if constexpr (is_tensor<Shape>) {
    return refuse(is_here ? "operands: this build of the library holds no scan of tensors on CPU "
                            "threads with this input_type, output_type and op"
                          : "operands: this build of the library holds no scan of tensors on the "
                            "device with this input_type, output_type and op");
  } else {
    return refuse(is_here ? "operands: this build of the library holds no scan of segments on CPU "
                            "threads with this input_type, output_type and op"
                          : "operands: this build of the library holds no scan of segments on the "
                            "device with this input_type, output_type and op");
  }
}

template <class Where, class Shape>
status scan_at(const scan_operands& given, const Shape& shape, const scan_options& opts) {
  const auto* held = find_held<Where, Shape>(given.input_type, given.output_type, given.op);
  if (held == nullptr) return refuse_unheld<Where, Shape>(given);
  return (*held)({given.exclusive != 0, given.input, given.output, opts}, shape);
}

/// `read_shape(shape)` reads what the call says of it besides.
template <class Shape, class ReadShape>
scan_status scan_given(const scan_operands* operands, const scan_options* options,
                       ReadShape read_shape) noexcept {
  return guarded([&]() -> status {
    scan_operands given{};
    scan_options opts{};
    Shape shape{};
    if (const status checked = read_operands(operands, given); !checked.ok()) return checked;
    if (const status checked = read_shape(shape); !checked.ok()) return checked;
    if (const status checked = read_options(options, opts); !checked.ok()) return checked;
    if (opts.place == SCAN_HOST) return scan_at<on_host>(given, shape, opts);
    const shown_scan range(given, shape);
    return scan_at<on_device>(given, shape, opts);
  });
}

status read_extents(const scan_extents* given, extents& shape) noexcept {
  scan_extents mine{};
  if (const status checked = read(given, mine); !checked.ok()) return checked;
  shape = extents_of(mine);
  return {};
}

status read_steps(const scan_recurrence_operands* given, scan_recurrence_operands& mine) noexcept {
  if (const status checked = read(given, mine); !checked.ok()) return checked;
  if (mine.reserved != 0) return refused("operands.reserved is not 0");
  if (!is_type_code(mine.type)) return refused("operands.type is no scan_type");
  if (mine.output_type == 0) mine.output_type = mine.type;
  if (!is_type_code(mine.output_type)) return refused("operands.output_type is no scan_type");
  if (mine.factors < SCAN_FACTOR_A_STEP || mine.factors > SCAN_FACTOR_A_SEQUENCE) {
    return refused("operands.factors is no scan_factors");
  }
  return {};
}

status read_gradient(const scan_gradient_operands* given, scan_gradient_operands& mine,
                     const scan_options& opts) noexcept {
  if (const status checked = read(given, mine); !checked.ok()) return checked;
  if (mine.reserved != 0) return refused("operands.reserved is not 0");
  if (!is_type_code(mine.type)) return refused("operands.type is no scan_type");
  if (opts.total != nullptr) return refused("options.total is not for gradients: see grad_init");
  if (opts.complete != 0) return refused("options.complete is for exclusive scans");
  if (opts.algorithm != SCAN_AUTOMATIC) return refused("options.algorithm is not for gradients");
  return {};
}

template <class Where>
status recur_at(const scan_recurrence_operands& given, const extents& shape,
                const scan_options& opts) {
  recurrence_function* const held = find_recurrence<Where>(given.type, given.output_type);
  if (held != nullptr) return held(given, shape, opts);
  return {cudaErrorNotSupported,
          "operands: this build of the library holds no recurrence of this type (there are those "
          "of floats of 2, 4 and 8 bytes)"};
}

template <class Where>
status differentiate_at(const scan_gradient_operands& given, const extents& shape,
                        const scan_options& opts) {
  gradient_function* const held = find_gradient<Where>(given.type);
  if (held != nullptr) return held(given, shape, opts);
  return {cudaErrorNotSupported,
          "operands: this build of the library holds no gradient of a recurrence of this type "
          "(there are those of floats of 2, 4 and 8 bytes)"};
}

bool is_held(std::int32_t place, std::int32_t kind, std::int32_t in, std::int32_t out,
             std::int32_t op) noexcept {
  const auto is_there = [&](auto where) {
    using Where = decltype(where);
    switch (kind) {
      case SCAN_SEQUENCE:
        return find_held<Where, std::int64_t>(in, out, op) != nullptr;
      case SCAN_TENSOR:
        return find_held<Where, extents>(in, out, op) != nullptr;
      case SCAN_SEGMENTS:
      case SCAN_KEYS:
        return find_held<Where, segment_heads>(in, out, op) != nullptr;
      case SCAN_RECURRENCE:
        return find_recurrence<Where>(in, out) != nullptr;
      case SCAN_RECURRENCE_GRADIENT:
        return in == out && find_gradient<Where>(in) != nullptr;
      default:
        return is_compaction_there(kind, in, out);
    }
  };
  return is_place_code(place) && (place == SCAN_HOST ? is_there(on_host{}) : is_there(on_device{}));
}

}  // namespace
}  // namespace c_interface
}  // namespace SCAN_ABI
}  // namespace scan

scan_status scan_sequence(const scan_operands* operands, int64_t n, const scan_options* options) {
  using namespace scan::c_interface;
  return scan_given<std::int64_t>(operands, options, [&](std::int64_t& shape) {
    shape = n;
    return scan::status();
  });
}

scan_status scan_tensor(const scan_operands* operands, const scan_extents* extents,
                        const scan_options* options) {
  using namespace scan::c_interface;
  return scan_given<scan::extents>(
      operands, options, [&](scan::extents& shape) { return read_extents(extents, shape); });
}

scan_status scan_segmented(const scan_operands* operands, const scan_segments* segments,
                           const scan_options* options) {
  using namespace scan::c_interface;
  return scan_given<scan::segment_heads>(operands, options, [&](scan::segment_heads& shape) {
    return read_segments(segments, shape);
  });
}

scan_status scan_by_key(const scan_operands* operands, const scan_keys* keys, int64_t n,
                        const scan_options* options) {
  using namespace scan::c_interface;
  return scan_given<scan::segment_heads>(
      operands, options, [&](scan::segment_heads& shape) { return read_keys(keys, n, shape); });
}

scan_status scan_recurrence(const scan_recurrence_operands* operands, const scan_extents* extents,
                            const scan_options* options) {
  using namespace scan::c_interface;
  return guarded([&]() -> scan::status {
    scan_recurrence_operands given{};
    scan_options opts{};
    scan::extents shape;
    if (const auto checked = read_steps(operands, given); !checked.ok()) return checked;
    if (const auto checked = read_extents(extents, shape); !checked.ok()) return checked;
    if (const auto checked = read_options(options, opts); !checked.ok()) return checked;
    if (opts.place == SCAN_HOST) return recur_at<scan::host_path::on_host>(given, shape, opts);
    return recur_at<scan::device::on_device>(given, shape, opts);
  });
}

scan_status scan_recurrence_gradient(const scan_gradient_operands* operands,
                                     const scan_extents* extents, const scan_options* options) {
  using namespace scan::c_interface;
  return guarded([&]() -> scan::status {
    scan_gradient_operands given{};
    scan_options opts{};
    scan::extents shape;
    if (const auto checked = read_options(options, opts); !checked.ok()) return checked;
    if (const auto checked = read_gradient(operands, given, opts); !checked.ok()) return checked;
    if (const auto checked = read_extents(extents, shape); !checked.ok()) return checked;
    if (opts.place == SCAN_HOST) {
      return differentiate_at<scan::host_path::on_host>(given, shape, opts);
    }
    return differentiate_at<scan::device::on_device>(given, shape, opts);
  });
}

int32_t scan_is_held(int32_t place, int32_t kind, int32_t input_type, int32_t output_type,
                     int32_t op) {
  using namespace scan::c_interface;
  return is_held(place, kind, input_type, output_type, op) ? 1 : 0;
}
