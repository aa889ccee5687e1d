// A tensor whose sequences are in slices across GPUs: what a rank's arguments have to be, and its
// launches. It is scanned as a tensor of its own that starts from what the others have told.
#ifndef SCAN_DEVICE_LAUNCH_SLICE_TENSORS_CUH
#define SCAN_DEVICE_LAUNCH_SLICE_TENSORS_CUH

#include <cstdint>

#include "scan/call/slice_call.hpp"
#include "scan/device/launch/slice_sequences.cuh"
#include "scan/device/launch/tensor_launch.cuh"
#include "scan/device/slice/slice_problem.cuh"
#include "scan/device/slice/slice_tensor_fold.cuh"
#include "scan/device/slice/slice_tensor_kernels.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

// libscan.a's, where it has them.
#define SCAN_HELD_PART(does, reversed, In, Out, Op)                                       \
  extern template status does<reversed>(bool, const transform_input<In>&,                 \
                                        const transform_output<Out>&, const extents&, Op, \
                                        const options<Out>&, const slice_part&) noexcept;
#define SCAN_HELD_PARTS(In, Out, Op)            \
  SCAN_HELD_PART(load_part, false, In, Out, Op) \
  SCAN_HELD_PART(load_part, true, In, Out, Op)  \
  SCAN_HELD_PART(scan_part, false, In, Out, Op) SCAN_HELD_PART(scan_part, true, In, Out, Op)
SCAN_TENSOR_KERNELS_HELD(SCAN_HELD_PARTS)
#undef SCAN_HELD_PARTS
#undef SCAN_HELD_PART

/// What scan_shape() asks and launches, in this order.
template <class Input, class Output, class Op>
struct slices_of_tensor : slice_arguments<Input, Output, Op> {
  using arguments = slice_arguments<Input, Output, Op>;
  using Tuned = tuned_for<Input, Output>;
  using described = tensor_problem<typename arguments::described>;
  using launch_type = slice_launch<column_cut<described>>;
  using arguments::exclusive, arguments::in, arguments::out, arguments::op;
  using arguments::given, arguments::opts, arguments::limits, arguments::team;
  using typename arguments::T;

  extents local;
  tensor_shape shape = {};
  slice_part part = {};
  bool has_ring = false;  // rows are in its order
  launch_type fold, message, start;
  slice_team::totals_launch total;
  bool has_fold = false, has_total = false;

  template <class... Arguments>
  slices_of_tensor(const extents& size, Arguments&&... others) noexcept
      : arguments(others...), local(size) {}
  bool is_scanned() const noexcept { return shape.num_sequences() > 0; }

  /// Whether the arguments are such that this rank can scan; then `shape` is what `local` means.
  status check() noexcept {
    status checked = team.enter(opts.stream, limits);
    if (checked.ok()) checked = find_ring();
    if (checked.ok()) checked = validate(this->num_extra());
    if (checked.ok()) {
      checked = check_tensor_call(shape, in.data, {in.data, 0}, out.data, opts);
    }
    return checked;
  }

  /// Writes the launches down, for `call` of any extents, and has the kernels loaded that follow
  /// the gather; then `exclusive`, `local`, `opts` and `part` are what the slices are scanned by.
  template <bool reversed>
  status choose(std::uint64_t call) noexcept {
    const auto slices = describe_tensor<reversed>(exclusive, in, out, shape, op, opts);
    slice_header header{number_of(call), shape.length, 0, no_init};
    if (given.init) header.has_init = one_init;
    if (given.init_pointer != nullptr) header.has_init = init_each;
    become_part(reversed);
    if (is_scanned()) {
      const status loaded = load_part<reversed>(exclusive, in, out, local, op, opts, part);
      if (!loaded.ok()) return loaded;
    }
    choose_start<reversed>(slices.op);
    if (is_scanned() && shape.length > 0 && shape.inner > 1) return choose_columns(slices, header);
    if constexpr (in_ring<described>) {
      if (has_ring) return choose_rows<true>(slices, header);
    }
    return choose_rows<false>(slices, header);
  }

 private:
  slice_tensor_state* state() const noexcept {
    return static_cast<slice_tensor_state*>(team.start());
  }
  prefix<T>* starts() const noexcept {
    return reinterpret_cast<prefix<T>*>(static_cast<unsigned char*>(team.start()) +
                                        slice_starts_offset);
  }
  slice_tensor_message<T> own_message() const noexcept {
    return {team.own_message(), shape.num_sequences()};
  }
  std::int64_t batch_items() const noexcept {
    return slice_batch_items<Input, Output>(has_ring, shape.inner);
  }

  /// Whether rows are in the ring's order: libscan.a's kernels as libscan_nccl.a's, and a user's
  /// where they are compiled for it.
  status find_ring() noexcept {
    constexpr bool is_held =
        both_as_is<Input, Output> &&
        is_tensor_kernel_held<typename arguments::types::in, typename arguments::types::out, Op>;
    has_ring = in_ring<described> && team.has_ring() && local.inner == 1;
    if constexpr (in_ring<described> && !is_held) {
      using rows = tensor_problem<sequence_part<typename described::Problem>>;
      ring_room room;
      if (!has_ring) return {};
      const status found = find_room<ring_rows<Tuned, rows>>(limits, room);
      has_ring = room.num_stages > 0;
      return found;
    }
    return {};
  }

  status validate(int extra) noexcept {
    status checked = this->validate_kind();
    if (checked.ok() && opts.algorithm != algorithm::automatic) {
      checked = {cudaErrorNotSupported, "options.algorithm: tensors choose for themselves"};
    }
    if (checked.ok()) checked = resolve(local, extra, arguments::types::widest, shape);
    if (checked.ok()) checked = validate_slabs(in.data, out.data, shape, extra);
    if (checked.ok()) {
      checked = validate_values(in.data, out.data, shape, extra, given.init_pointer, given.total);
    }
    if (checked.ok()) checked = validate_room();
    return checked.ok() ? this->validate_init() : checked;
  }
  status validate_room() const noexcept {
    if (given.total != nullptr && !team.with_totals()) {
      return {cudaErrorInvalidValue,
              "options.total of tensors: this scan::across was made without totals"};
    }
    const slice_tensor_bytes wanted = tensor_bytes_of(
        shape, slice_share_items<Input, Output>(has_ring, shape.inner), batch_items(), sizeof(T),
        sizeof(prefix<T>), given.total != nullptr ? sizeof(*given.total) : 0);
    if (team.room().has_room_for(wanted)) return {};
    return {cudaErrorInvalidValue,
            "extents or elements are more than this scan::across was made for, or it was made "
            "without extents"};
  }

  std::uint64_t number_of(std::uint64_t call) const noexcept {
    for (const std::uint64_t of_shape :
         {static_cast<std::uint64_t>(shape.outer), static_cast<std::uint64_t>(shape.inner),
          std::uint64_t{given.total != nullptr ? 2u : 1u}, std::uint64_t{has_ring ? 1u : 0u},
          team.num_missed_before()}) {
      call = hashed(call, of_shape);
    }
    return call;
  }

  /// Has the arguments be those of a tensor that starts from what precedes it.
  void become_part(bool reversed) noexcept {
    opts.init.reset();
    opts.init_pointer = nullptr;
    has_total = given.total != nullptr;
    if (has_total) {
      opts.total = static_cast<decltype(opts.total)>(team.own_totals());
      team.choose_copy(total, given.total,
                       static_cast<std::size_t>(shape.num_sequences()) * sizeof(*given.total));
    }
    // The n + 1 suffixes are inclusive scans on all ranks: see describe().
    if (reversed && given.complete && !opts.complete) exclusive = false;
    local = {shape.outer, shape.length, shape.inner, shape.in_pitch, shape.out_pitch};
    part = {starts(), &state()->is_refused, shape.length >= batch_items(), has_ring};
  }

  template <bool reversed, class Ordered>
  void choose_start(const Ordered& ordered_op) noexcept {
    using sequence = slice_tensor_sequence<T>;
    constexpr auto find = find_tensor_starts<sequence, Ordered, T>;
    const std::int64_t count = shape.num_sequences();
    const bool by_warps = count <= 4096;  // few sequences may have many batches each
    start.template set<find>(grid_of(count * (by_warps ? warp_size : 1), start_threads),
                             sequence{team.messages(), reversed, batch_items(), count},
                             this->place(), ordered_op, by_warps, state(), starts(),
                             team.refusal());
    record_of<find>().load(limits);
  }

  /// Of no elements, too: then there is the header to write, and inits.
  template <bool in_ring_order, class Tensor>
  status choose_rows(Tensor rows, const slice_header& header) noexcept {
    using ordered = ordered_rows<Tuned::element_bytes, Tuned::widens, in_ring_order>;
    constexpr slice_order order = ordered::order;
    if (!is_scanned()) rows.shape.outer = 0;
    const std::int64_t outer = rows.shape.outer, length = rows.shape.length;
    const row_shares cut{order.run_items, ordered::by_vectors, order.share_items(),
                         batches_of(length, order.share_items())};
    has_fold = outer * cut.per_row > 0;
    if (has_fold) {
      fold.template set<fold_row_shares<Tuned::element_bytes, Tensor>>(
          grid_of(outer * cut.per_row * warp_size, share_warps * warp_size), rows, cut,
          this->shares());
    }
    const std::int64_t num_folds = outer * batches_of(length, order.batch_items());
    const int each = length <= order.tile_items() ? 1 : warp_size;
    message.template set<fold_row_batches<ordered, Tensor>>(
        grid_of(num_folds * each, batch_threads), rows, this->shares(), own_message(), header);
    return {};
  }

  template <class Tensor>
  status choose_columns(const Tensor& columns, const slice_header& header) noexcept {
    using problem = column_cut<decltype(columns.forwards())>;
    constexpr auto kernel = fold_column_tiles<problem>;
    const problem given(columns.forwards(), limits.sm_count, true, Tensor::reversed);
    if (given.cut.num_tiles() > INT32_MAX) {
      return {cudaErrorInvalidValue, "extents: more tiles than a kernel has blocks"};
    }
    const problem tiled = with_room<kernel>(given, limits);
    has_fold = true;
    fold.template set<kernel>(
        {tiled.cut.num_tiles(), problem::threads, static_cast<std::size_t>(tiled.in_bytes),
         tiled.has_room ? most_roomy_bytes : 0},
        tiled, this->shares());
    const std::int64_t tiles = tiled.cut.tiles;
    message.template set<fold_column_spans<Tensor>>(
        grid_of(shape.num_sequences() * batches_of(tiles, column_span_tiles), batch_threads),
        columns, this->shares(), tiles, own_message(), header);
    return {};
  }
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
