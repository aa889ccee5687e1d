// Tile states: how the workers of one scan (thread blocks or CPU threads) hand out tiles and tell
// each other their aggregates. The only file of the library with atomics and memory orders; device
// code and CPU threads run the same lines.
//
// A word holds { epoch : high 32 bits, payload : low 32 bits } and is written at most once per
// epoch, so with E the epoch of the running scan:
//
//   word.epoch == E  <=>  the payload is this scan's aggregate of that tile (or a part of it)
//
// An aggregate of b bytes takes ceil(b / 4) words, each with its own tag: a reader has the value
// when every tag it loaded equals E, whatever order the words arrived in. So value and flag are
// never apart, no fence or acquire is needed to observe, and nothing has to be cleared between two
// scans: retiring the scan makes E + 1 current and thereby every word empty.
#ifndef SCAN_PROTOCOL_TILE_STATES_HPP
#define SCAN_PROTOCOL_TILE_STATES_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <cuda/atomic>

#include "scan/host_device.hpp"

namespace scan {

/// The start of a workspace; all zero when fresh. The tiles' words follow it.
struct alignas(16) tile_states_header {
  std::uint64_t next_tile;  // the ticket: the lowest tile nobody has claimed
  std::uint32_t retired;    // workers that are done with this scan
  std::uint32_t epoch;      // of the last completed scan; 0 for none
  std::uint32_t abandoned;  // 1 once a worker has failed (CPU threads only)
};

/// What one look at a tile showed; `value` means something only if `ready`.
template <class T>
struct observation {
  T value;
  bool ready;
};

template <class T>
class tile_states {
 public:
  static constexpr int words_per_tile = static_cast<int>((sizeof(T) + 3) / 4);
  static constexpr std::uint32_t last_epoch = 0xffffffffu;

  /// Bytes for the states of `num_tiles` tiles.
  static constexpr std::size_t required_bytes(std::int64_t num_tiles) noexcept {
    return sizeof(tile_states_header) +
           sizeof(std::uint64_t) * words_per_tile * static_cast<std::size_t>(num_tiles);
  }

  /// Joins the scan that is starting in `memory`: `num_bytes` bytes, aligned to 16, all zero when
  /// fresh or left by a completed scan of any type. Every worker constructs its own.
  SCAN_HOST_DEVICE tile_states(void* memory, std::size_t num_bytes)
      : header_(static_cast<tile_states_header*>(memory)),
        words_(reinterpret_cast<std::uint64_t*>(header_ + 1)),
        num_words_((num_bytes - sizeof(tile_states_header)) / sizeof(std::uint64_t)) {
    // Relaxed: written by the last worker of the previous scan, which this scan's start (stream
    // order, thread creation) follows; and by this scan's last worker only after our retire().
    epoch_ = word32(header_->epoch).load(cuda::memory_order_relaxed) + 1;
  }

  /// Takes the next tile; the caller stops when the index is not below its number of tiles.
  ///
  /// Tickets, not block indices: a worker that holds a tile has started, so every earlier tile is
  /// held by a running worker or published, and the lowest unpublished tile never waits for anyone.
  SCAN_HOST_DEVICE std::int64_t claim() {
    // Relaxed: pairs with the other workers' claims only to make indices unique, which atomicity
    // alone gives. A plain increment would hand one tile to two workers.
    return static_cast<std::int64_t>(
        word64(header_->next_tile).fetch_add(1, cuda::memory_order_relaxed));
  }

  /// Makes the aggregate of `tile` visible. Once per tile and scan, and before its worker waits.
  SCAN_HOST_DEVICE void publish(std::int64_t tile, const T& aggregate) {
    std::uint32_t payload[words_per_tile] = {};
    memcpy(payload, &aggregate, sizeof(T));
    for (int i = 0; i < words_per_tile; ++i) {
      // Relaxed: pairs with the load in observe(). Flag and value are one word, so there is nothing
      // else to order; a non-atomic store could tear, or be sunk below the worker's own waiting.
      word64(words_[tile * words_per_tile + i])
          .store(std::uint64_t{epoch_} << 32 | payload[i], cuda::memory_order_relaxed);
    }
  }

  /// Looks once at `tile`, without waiting.
  SCAN_HOST_DEVICE observation<T> observe(std::int64_t tile) const {
    std::uint32_t payload[words_per_tile];
    bool ready = true;
    for (int i = 0; i < words_per_tile; ++i) {
      // Relaxed: pairs with the store in publish(); the word carries its own value. A plain load
      // could be hoisted out of the caller's loop and never see the store.
      const std::uint64_t word =
          word64(words_[tile * words_per_tile + i]).load(cuda::memory_order_relaxed);
      ready = ready && static_cast<std::uint32_t>(word >> 32) == epoch_;
      payload[i] = static_cast<std::uint32_t>(word);
    }
    observation<T> seen;
    memcpy(&seen.value, payload, sizeof(T));
    seen.ready = ready;
    return seen;
  }

  /// Leaves the scan; each of its `num_workers` workers calls it once, after its last claim and its
  /// last observation. The last one makes the states ready for the next scan.
  SCAN_HOST_DEVICE void retire(std::uint32_t num_workers) {
    // Acquire-release: pairs with the other workers' retire(). Release orders our claims and looks
    // before it, acquire orders the resets below after everybody's. Were it relaxed, a late claim()
    // could land on the reset ticket and the next scan would miss its first tile.
    if (word32(header_->retired).fetch_add(1, cuda::memory_order_acq_rel) != num_workers - 1) {
      return;
    }
    // Relaxed, all: nobody else is left in this scan, and the next one starts after we end.
    word64(header_->next_tile).store(0, cuda::memory_order_relaxed);
    word32(header_->retired).store(0, cuda::memory_order_relaxed);
    if (epoch_ == last_epoch) clear_words();
    word32(header_->epoch).store(epoch_ == last_epoch ? 0 : epoch_, cuda::memory_order_relaxed);
  }

  /// For a CPU worker that cannot publish a tile it has claimed (its operator threw): tells all who
  /// may wait for that tile.
  void abandon() {
    // Relaxed: pairs with abandoned(), a flag that carries nothing else.
    word32(header_->abandoned).store(1, cuda::memory_order_relaxed);
  }
  bool abandoned() const {
    // Relaxed: see abandon(). A plain load could be hoisted out of the waiting loop.
    return word32(header_->abandoned).load(cuda::memory_order_relaxed) != 0;
  }

 private:
  using word32 = cuda::atomic_ref<std::uint32_t, cuda::thread_scope_device>;
  using word64 = cuda::atomic_ref<std::uint64_t, cuda::thread_scope_device>;

  // Epochs are used up after 2^32 - 1 scans. A word left by a large scan long ago would then look
  // valid to a later one, so the whole workspace starts over, tile words of every past size too.
  SCAN_HOST_DEVICE void clear_words() {
    for (std::size_t i = 0; i < num_words_; ++i) {
      word64(words_[i]).store(0, cuda::memory_order_relaxed);  // as in retire()
    }
  }

  tile_states_header* header_;
  std::uint64_t* words_;
  std::size_t num_words_;
  std::uint32_t epoch_;
};

}  // namespace scan

#endif
