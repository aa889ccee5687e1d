// What precedes a tile of wide columns in the ring, as a warp finds it that looks back, a lane a
// column. With A(t) the fold of tile t of a column, and batches of 8 tiles:
//
//   B(k) = L(A(8 k) .. A(8 k + 7))
//   P(0) = init, or absent          P(k + 1) = P(k) + B(k)
//   E(t) = P(k) + L(A(8 k) .. A(t - 1)),  k = t / 8
//
// All three are published: A(t) before anybody waits for anything of earlier tiles, B(k) when its
// tiles' are there. Who finds that P(k) is not there yet goes back to an older P and on over B's,
// and so waits for earlier tiles of the column alone, which are held by blocks that run. P is
// always the same fold, whoever found it.
#ifndef SCAN_DEVICE_TENSOR_STRIP_LOOKS_CUH
#define SCAN_DEVICE_TENSOR_STRIP_LOOKS_CUH

#include <cstdint>

#include "scan/device/fold/warp.cuh"
#include "scan/device/plan/strip_plan.hpp"
#include "scan/device/plan/tuning.hpp"
#include "scan/protocol/prefix.hpp"
#include "scan/protocol/tile_states.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// Where the states of a column are: of its tile 0, from a tile's to the next one's, and of how
/// many tiles; after those of tiles come those of batches, and what precedes batches from 1 on. (Of
/// what nothing follows there are none.)
struct strip_states_place {
  std::int64_t first;
  int stride;
  std::int64_t num_tiles;

  __device__ std::int64_t of_tile(std::int64_t tile) const { return first + tile * stride; }
  __device__ std::int64_t of_batch(std::int64_t batch) const {
    return of_tile(num_tiles - 1 + batch);
  }
  __device__ std::int64_t before_batch(std::int64_t batch) const {
    return of_batch(strip_batches(num_tiles) + batch - 1);
  }
};

/// Of one warp; `Op` is the scan's.
template <class T, class Op>
class strip_looks {
 public:
  using states_type = tile_states<T, dense_state_words(static_cast<int>(sizeof(T)))>;

  __device__ explicit strip_looks(Op op) : op_(op) {}

  /// E(tile) of the lane's column; waits until earlier tiles are published. `has_column`: whether
  /// the lane has one. `start`, `own`: return P(0), and A(tile), for which all lanes may wait.
  template <class Start, class Own>
  __device__ prefix<T> before(states_type& states, const strip_states_place& at, bool has_column,
                              std::int64_t tile, Start start, Own own) {
    constexpr int most = strip_batch - 1;
    const std::int64_t batch = tile / strip_batch;
    const auto count = static_cast<int>(tile - batch * strip_batch);
    observation<T> seen[most], passed;
    passed.ready = true;
    bool ready = false;
    for (int attempt = 0; !ready; ++attempt) {
      if (attempt > 3) __nanosleep(warp_look_pause_ns(attempt - 4));
      ready = true;
      if (!has_column) break;
#pragma unroll
      for (int i = 0; i < most; ++i) {
        if (i < count) {
          seen[i] = states.observe(at.of_tile(tile - count + i));
          ready &= seen[i].ready;
        }
      }
      if (batch > 0) passed = states.observe(at.before_batch(batch));
    }
    T folded = seen[0].value;
#pragma unroll
    for (int i = 1; i < most; ++i) {
      if (has_column && i < count) folded = op_(folded, seen[i].value);
    }
    const bool ends_batch = count == most && tile + 1 < at.num_tiles;
    T of_batch;
    if (ends_batch) {
      const T last = own();
      if (has_column) {
        of_batch = op_(folded, last);
        states.publish(at.of_batch(batch), of_batch);
      }
    }
    prefix<T> found{passed.value, batch > 0};
    if (!__all_sync(all_lanes, passed.ready)) {
      found = catch_up(states, at, has_column, batch, start);
    } else if (batch == 0) {
      found = start();
    }
    if (ends_batch && has_column) {
      states.publish(at.before_batch(batch + 1), join(found, {of_batch, true}, op_).value);
    }
    return count > 0 && has_column ? join(found, {folded, true}, op_) : found;
  }

 private:
  /// P(batch), from the latest one that is there.
  template <class Start>
  __device__ prefix<T> catch_up(const states_type& states, const strip_states_place& at,
                                bool has_column, std::int64_t batch, Start start) {
    constexpr int at_once = 4;
    observation<T> near, far;
    near.ready = far.ready = true;
    std::int64_t from = batch - (depth_ > 1 ? depth_ : 1);
    for (; from > 0; from -= 2) {
      if (has_column) {
        near = states.observe(at.before_batch(from));
        far = states.observe(at.before_batch(from > 1 ? from - 1 : from));
      }
      if (__all_sync(all_lanes, near.ready)) break;
      if (from == 1 || !__all_sync(all_lanes, far.ready)) continue;
      near = far;
      --from;
      break;
    }
    from = from > 0 ? from : 0;
    depth_ = static_cast<int>(batch - from - 1);  // (next time, a nearer one is tried first)
    prefix<T> running = from > 0 ? prefix<T>{near.value, true} : start();
    if (!has_column) return running;
    for (std::int64_t first = from; first < batch; first += at_once) {
      observation<T> seen[at_once];
      bool ready = false;
      for (int attempt = 0; !ready; ++attempt) {
        if (attempt > 3) __nanosleep(warp_look_pause_ns(attempt - 4));
        ready = true;
#pragma unroll
        for (int i = 0; i < at_once; ++i) {
          if (first + i < batch) {
            seen[i] = states.observe(at.of_batch(first + i));
            ready &= seen[i].ready;
          }
        }
      }
#pragma unroll
      for (int i = 0; i < at_once; ++i) {
        if (first + i < batch) running = join(running, {seen[i].value, true}, op_);
      }
    }
    return running;
  }

  Op op_;
  int depth_ = 0;  // batches back to the last P that was there
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
