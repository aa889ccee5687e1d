// The launches of rows of sums that are held in registers.
#ifndef SCAN_DEVICE_LAUNCH_HELD_CHOICE_CUH
#define SCAN_DEVICE_LAUNCH_HELD_CHOICE_CUH

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "scan/device/launch/device_limits.hpp"
#include "scan/device/launch/enqueue.hpp"
#include "scan/device/launch/round_choice.cuh"
#include "scan/device/tensor/held_shares.cuh"
#include "scan/status.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

template <class T>
inline constexpr bool is_plain_number = is_number<T> || is_narrow_float<T>;
/// Whether kernels take a tensor's types that hold shares in registers: numbers as they lie there,
/// of which vectors are words. By the library's operators alone, which may see what lies behind a
/// row's items; and cut as rows are, whose elements may have wider values.
template <int element_bytes, class Tensor>
constexpr bool in_held_shares() {
  if constexpr (in_arrays<Tensor>) {
    using in_type = typename Tensor::in_type;
    return is_own_operator<typename bare<typename Tensor::op_type>::type> &&
           is_plain_number<typename Tensor::T> && is_plain_number<in_type> &&
           is_plain_number<typename Tensor::out_type> &&
           std::is_same_v<std::decay_t<decltype(Tensor::in.function)>, as_is> &&
           std::is_same_v<std::decay_t<decltype(Tensor::out.function)>, as_is> &&
           walked_bytes<Tensor> == element_bytes &&
           sizeof(in_type) * vector_items_for(element_bytes) >= 4;
  } else {
    return false;
  }
}
template <class Tensor>
rows_lie how_rows_lie(const Tensor& scan) noexcept {
  if (rows_are_whole(scan)) return rows_lie::whole;
  return rows_are_alike(scan) ? rows_lie::alike : rows_lie::anywhere;
}
/// Warps of their blocks at most.
inline int most_held_warps(int element_bytes, const device_limits& limits) noexcept {
  return limits.ring_bytes_of_block > 0 ? most_round_warps(element_bytes) : tile_warps;
}
/// The launch of rows in registers, of which a block has `rows`, or a part of one.
template <class Cut, class Launch, class Tensor>
status set_held_shares(Launch& to, const Tensor& scan, const held_shares_plan& held, int rows) {
  const std::int64_t num_blocks = tiles_of(scan.shape.outer, rows) * held.blocks;
  if (num_blocks > INT32_MAX) {
    return {cudaErrorInvalidValue, "extents: more rows than a kernel has blocks"};
  }
  const int warps = rows * held.warps();
  const bool in_cluster = Cut::blocks == row_blocks::cluster;
  const std::int64_t num_states = Cut::looks_back ? scan.shape.outer * held.tiles : 0;
  to.template set_with_states<held_shares_kernel<Cut>>(
      {num_blocks, warps * warp_size, warps * Cut::warp_bytes, Cut::most_warps * Cut::warp_bytes,
       in_cluster ? held.blocks : 0},
      num_states > 0 ? tile_states<typename Tensor::T>::required_bytes(num_states) : 0,
      Cut(scan, held, rows));
  return {};
}
/// Allows the kernel what its largest blocks take. (Without the ring they are smaller.)
template <class Cut>
status allow_held_shares(const device_limits& limits) noexcept {
  if (limits.ring_bytes_of_block == 0) return {};
  const cudaError_t code =
      record_of<held_shares_kernel<Cut>>().allow(limits, Cut::most_warps * Cut::warp_bytes);
  return code == cudaSuccess ? status{} : status{code, "preparing the row kernel failed"};
}
/// In registers, if that is faster, which `chosen` becomes: a block a row, or some.
template <class Cut, bool widens, class Launch, class Tensor>
status choose_held_shares(Launch& to, const Tensor& scan, const held_shares_plan& held,
                          const device_limits& limits, bool& chosen) {
  const std::int64_t num_rows = scan.shape.outer;
  chosen = are_shares_held(held, num_rows, scan.shape.length, Cut::element_bytes, widens,
                           how_rows_lie(scan));
  if (!chosen) return {};
  if (const status allowed = allow_held_shares<Cut>(limits); !allowed.ok()) return allowed;
  return set_held_shares<Cut>(
      to, scan, held,
      round_block_rows({held_share_vectors, held.warps(), 1}, num_rows, limits.sm_count));
}
/// The same of a cluster a row.
template <class Cut, class Launch, class Tensor>
status choose_cluster_shares(Launch& to, const Tensor& scan, held_shares_plan held, bool is_large,
                             const device_limits& limits, bool& chosen) {
  const kernel_record record = record_of<held_shares_kernel<Cut>>();
  constexpr int most_warps = Cut::most_warps;
  if (!limits.waits_for_room || !record.is_for_90(limits)) return {};
  if (const status allowed = allow_held_shares<Cut>(limits); !allowed.ok()) return allowed;
  const auto is_wide = [&] {
    if (!spread(held, some_spread_warps, most_warps, most_wide_cluster_blocks)) return false;
    const int at_once = record.allow_wide_clusters(
        limits, {held.blocks, held.warps() * warp_size, held.warps() * Cut::warp_bytes,
                 most_warps * Cut::warp_bytes, held.blocks});
    // (Of large ones a second round would take as long as the first, however few are left.)
    return at_once > 0 && (held.warps() <= some_spread_warps || scan.shape.outer <= at_once);
  };
  chosen = spread(held, least_spread_warps, some_spread_warps, most_cluster_blocks) ||
           (!is_large &&
            (is_wide() || spread(held, least_spread_warps, most_warps, most_cluster_blocks)));
  return chosen ? set_held_shares<Cut>(to, scan, held, 1) : status{};
}
/// The same of several blocks a row. (Of narrow elements that may have any order, which go by
/// rounds in small calls, none.)
template <class Tensor, int stripes, bool widens, class Launch>
status choose_spread_shares(Launch& to, const Tensor& scan, const row_plan& plan,
                            held_shares_plan held, const device_limits& limits, bool& chosen) {
  constexpr int bytes = walked_bytes<Tensor>;
  constexpr bool may_look = !in_rounds<Tensor> && !widens;
  const std::int64_t num_bytes = scan.shape.outer * scan.shape.length * bytes;
  const rows_lie lie = how_rows_lie(scan);
  const bool is_large = num_bytes >= most_clustered_bytes;
  const bool looks = may_look && are_looks_held(held, num_bytes, bytes, lie);
  if (limits.ring_bytes_of_block == 0) return {};
  if constexpr (!in_rounds<Tensor> || bytes > 4) {
    using cluster = held_shares_cut<Tensor, stripes, row_blocks::cluster>;
    if (!(is_large && looks) && are_rows_spread(plan, num_bytes, bytes, widens, lie)) {
      const status found = choose_cluster_shares<cluster>(to, scan, held, is_large, limits, chosen);
      if (chosen || !found.ok()) return found;
    }
  }
  if constexpr (may_look) {
    using looking = held_shares_cut<Tensor, stripes, row_blocks::look_back>;
    static_assert(most_looking_warps <= looking::most_warps);
    chosen = looks;
    if (!chosen) return {};
    spread_to_look_back(held);
    if (const status allowed = allow_held_shares<looking>(limits); !allowed.ok()) return allowed;
    return set_held_shares<looking>(to, scan, held, 1);
  }
  return {};
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
