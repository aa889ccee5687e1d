// Tile states: how the workers of one scan (thread blocks or CPU threads) hand out tiles and tell
// each other their aggregates. Device code and CPU threads run the same lines. (tests/style_test.py
// lists the few other files that have atomics.)
//
// A word holds { epoch : high 32 bits, payload : low 32 bits } and is written at most once per
// epoch (bring() writes the tag of none), so with E the epoch of the running scan:
//
//   word.epoch == E  <=>  the payload is this scan's aggregate of that tile (or a part of it)
//
// An aggregate of b bytes takes ceil(b / 4) words, each with its own tag: a reader has the value
// when every tag it loaded equals E, whatever order the words arrived in. So value and flag are
// never apart, no fence or acquire is needed to observe, and nothing has to be cleared between two
// scans: who draws the scan's last ticket makes E + 1 current and thereby every word empty.
#ifndef SCAN_PROTOCOL_TILE_STATES_HPP
#define SCAN_PROTOCOL_TILE_STATES_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <cuda/atomic>

#include "scan/abi.hpp"
#include "scan/protocol/state_sizes.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {

/// A tile handed out, and the epoch of the scan that it is in.
struct ticket {
  std::int64_t tile;
  std::uint32_t epoch;
};

/// What one look at a tile showed; `value` means something only if `ready`.
template <class T>
struct observation {
  T value;
  bool ready;
};

/// `tile_stride_`: from a state's first word to the next state's.
template <class T, int tile_stride_ = tile_state_words(static_cast<int>(sizeof(T)))>
class tile_states {
 public:
  static constexpr int words_per_tile = static_cast<int>((sizeof(T) + 3) / 4);
  static constexpr int tile_stride = tile_stride_;
  static constexpr std::uint32_t last_epoch = 0xffffffffu;

  /// Bytes for the states of `num_tiles` tiles.
  static constexpr std::size_t required_bytes(std::int64_t num_tiles) noexcept {
    return tile_states_bytes(num_tiles, static_cast<int>(sizeof(T)));
  }

  /// States in `memory`: `num_bytes` bytes, aligned to 16, all zero when fresh or left by a
  /// completed scan of any type. Every thread of a worker constructs its own and, before it
  /// publishes or observes, enters.
  SCAN_HOST_DEVICE tile_states(void* memory, std::size_t num_bytes)
      : header_(static_cast<tile_states_header*>(memory)),
        words_(reinterpret_cast<std::uint64_t*>(header_ + 1)),
        num_words_((num_bytes - sizeof(tile_states_header)) / sizeof(std::uint64_t)) {}

  /// Enters the scan of epoch `epoch`, which the worker has from a ticket.
  SCAN_HOST_DEVICE void enter(std::uint32_t epoch) { epoch_ = epoch; }

  /// Draws the next tile. A worker stops when the tile is not below the number of tiles, so a scan
  /// draws `num_draws` tickets, one a tile and one more a worker. (Fewer than 2^32: a tile is more
  /// than a KiB.)
  ///
  /// Tickets, not block indices: a worker that holds a tile has started, so every earlier tile is
  /// held by a running worker or published, and who holds the lowest unpublished tile waits for
  /// nobody but those who have published.
  SCAN_HOST_DEVICE ticket claim(std::int64_t num_draws) {
    // Relaxed: pairs with the other workers' claims only to make indices unique, which atomicity
    // alone gives. A plain increment would hand one tile to two workers. The epoch comes with it:
    // read on its own it could be the one that the last draw has raised.
    const std::uint64_t drawn = word64(header_->tickets).fetch_add(1, cuda::memory_order_relaxed);
    const ticket mine{static_cast<std::int64_t>(drawn & 0xffffffffu),
                      static_cast<std::uint32_t>(drawn >> 32) + 1};
    if (mine.tile == num_draws - 1 && mine.epoch != last_epoch) begin_epoch(mine.epoch);
    return mine;
  }

  /// Empties the words of `tile`, which the worker has claimed and not published, by the first
  /// lanes of a warp, `lane` each; on the device. They are empty already: this is to have them in
  /// the L2. publish() writes a part of a sector, and the first who looked would wait for memory to
  /// deliver the rest, behind whatever else it has been asked for.
  SCAN_HOST_DEVICE void bring(std::int64_t tile, int lane) {
    // Relaxed, and ordered before publish() by the barrier between them: or else it could undo it.
    if (2 * lane < tile_stride) store_two(words_ + tile * tile_stride + 2 * lane, 0, 0);
  }

  /// Makes the aggregate of `tile` visible. Once per tile and scan, and before its worker waits.
  SCAN_HOST_DEVICE void publish(std::int64_t tile, const T& aggregate) {
    std::uint32_t payload[std::size_t{words_per_tile}] = {};
    memcpy(payload, &aggregate, sizeof(T));
    std::uint64_t* const words = words_ + tile * tile_stride;
    for (int i = 0; i < words_per_tile; i += 2) {
      if (i + 1 < words_per_tile) {
        store_two(words + i, tagged(payload[i]), tagged(payload[i + 1]));
      } else {
        // Relaxed: pairs with the load in observe(). Flag and value are one word, so there is
        // nothing else to order; a non-atomic store could tear, or be sunk below the worker's own
        // waiting.
        word64(words[i]).store(tagged(payload[i]), cuda::memory_order_relaxed);
      }
    }
  }

  /// Of elements that are overwritten once their tile's aggregate is out, which is relaxed. By who
  /// publishes, before it does and behind a barrier with all who have read: or else the aggregate
  /// could be out before their loads are over. By who has looked, before a barrier with all who
  /// store: or else these could be early. On the device.
  SCAN_HOST_DEVICE static void order_elements() {
    // Acquire and release: the two sides' fences pair by the aggregate that one side publishes
    // behind its own and the other observes before it. Were it one of these alone, what is before
    // it or what is after it could pass.
    cuda::atomic_thread_fence(cuda::memory_order_acq_rel, cuda::thread_scope_device);
  }

  /// Looks once at `tile`, without waiting.
  SCAN_HOST_DEVICE observation<T> observe(std::int64_t tile) const {
    constexpr int even_words = (words_per_tile + 1) / 2 * 2;
    std::uint64_t seen_words[std::size_t{even_words}];
    for (int i = 0; i < words_per_tile; i += 2) {
      std::uint64_t* const words = words_ + tile * tile_stride + i;
      if (i + 1 < words_per_tile) {
        load_two(words, seen_words[i], seen_words[i + 1]);
      } else {
        // Relaxed: pairs with the store in publish(); the word carries its own value. A plain load
        // could be hoisted out of the caller's loop and never see the store.
        seen_words[i] = word64(words[0]).load(cuda::memory_order_relaxed);
      }
    }
    std::uint32_t payload[std::size_t{words_per_tile}];
    bool ready = true;
    for (int i = 0; i < words_per_tile; ++i) {
      ready &= static_cast<std::uint32_t>(seen_words[i] >> 32) == epoch_;
      payload[i] = static_cast<std::uint32_t>(seen_words[i]);
    }
    observation<T> seen;
    memcpy(static_cast<void*>(&seen.value), payload, sizeof(T));
    seen.ready = ready;
    return seen;
  }

  /// Leaves the scan; each of its `num_workers` workers calls it once, after its last claim and its
  /// last observation. Does nothing but in a scan of the last epoch, which makes the whole memory
  /// fresh: tags start over, and a word left by a large scan long ago would look valid again.
  SCAN_HOST_DEVICE void retire(std::uint32_t num_workers) {
    if (epoch_ != last_epoch) return;
    // Acquire-release: pairs with the other workers' retire(). Release orders our publications and
    // looks before it, acquire orders the stores below after everybody's. Were it relaxed, a word
    // could be cleared under a worker that still waits for it, for ever; or be cleared before it is
    // published, and look valid at this epoch's next turn.
    if (word32(header_->retired).fetch_add(1, cuda::memory_order_acq_rel) != num_workers - 1) {
      return;
    }
    // Relaxed: nobody else is left in this scan, and the next one starts after we end.
    word32(header_->retired).store(0, cuda::memory_order_relaxed);
    for (std::size_t i = 0; i < num_words_; ++i) {
      word64(words_[i]).store(0, cuda::memory_order_relaxed);
    }
    begin_epoch(0);
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

  SCAN_HOST_DEVICE std::uint64_t tagged(std::uint32_t payload) const {
    return std::uint64_t{epoch_} << 32 | payload;
  }

  // Two neighbouring words, the first at a multiple of 16 bytes: on the device in one instruction,
  // which atomic_ref does not know. (It halves what a look at 8-byte aggregates asks of memory.)
  // Relaxed, and as in publish() and observe() otherwise: each word is atomic by itself and has a
  // tag of its own, so it does not matter which of the two arrives first.
  SCAN_HOST_DEVICE static void store_two(std::uint64_t* words, std::uint64_t first,
                                         std::uint64_t second) {
#ifdef __CUDA_ARCH__
    asm volatile("st.relaxed.gpu.v2.u64 [%0], {%1, %2};" ::"l"(words), "l"(first), "l"(second)
                 : "memory");
#else
    word64(words[0]).store(first, cuda::memory_order_relaxed);
    word64(words[1]).store(second, cuda::memory_order_relaxed);
#endif
  }
  SCAN_HOST_DEVICE static void load_two(std::uint64_t* words, std::uint64_t& first,
                                        std::uint64_t& second) {
#ifdef __CUDA_ARCH__
    asm volatile("ld.relaxed.gpu.v2.u64 {%0, %1}, [%2];"
                 : "=l"(first), "=l"(second)
                 : "l"(words)
                 : "memory");
#else
    first = word64(words[0]).load(cuda::memory_order_relaxed);
    second = word64(words[1]).load(cuda::memory_order_relaxed);
#endif
  }

  SCAN_HOST_DEVICE void begin_epoch(std::uint32_t completed) {
    // Relaxed: every ticket of this scan has been drawn, so no claim of this scan follows, and the
    // next scan's follow our end (stream order, thread creation).
    word64(header_->tickets).store(std::uint64_t{completed} << 32, cuda::memory_order_relaxed);
  }

  tile_states_header* header_;
  std::uint64_t* words_;
  std::size_t num_words_;
  std::uint32_t epoch_ = 0;
};

}  // namespace SCAN_ABI
}  // namespace scan

#endif
