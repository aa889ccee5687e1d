// How large tile states are: for who plans a scan and has no business with their words. (So a
// caller's code does not compile what atomics take.)
#ifndef SCAN_PROTOCOL_STATE_SIZES_HPP
#define SCAN_PROTOCOL_STATE_SIZES_HPP

#include <cstddef>
#include <cstdint>

#include "scan/abi.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {

/// The start of a workspace; all zero when fresh. The tiles' words follow it.
struct alignas(16) tile_states_header {
  std::uint64_t tickets;  // { epoch - 1 : high 32 bits, tickets drawn in this scan : low 32 bits }
  std::uint32_t retired;  // workers that are done, in a scan of the last epoch
  std::uint32_t abandoned;  // 1 once a worker has failed (CPU threads only)
  std::uint64_t unused[2];  // so that the words begin a sector
};

/// Words of a tile's state, of an aggregate of `value_bytes` bytes. Tiles share no 32-byte sector,
/// or a store would hold up those who wait for the neighbours.
constexpr int tile_state_words(int value_bytes) noexcept {
  return ((value_bytes + 3) / 4 + 3) / 4 * 4;
}

/// Bytes for the states of `num_tiles` tiles.
constexpr std::size_t tile_states_bytes(std::int64_t num_tiles, int value_bytes) noexcept {
  return sizeof(tile_states_header) + sizeof(std::uint64_t) *
                                          static_cast<std::size_t>(tile_state_words(value_bytes)) *
                                          static_cast<std::size_t>(num_tiles);
}

/// Words of a state where many are written and read together, as those of a tile's columns: without
/// gaps, but two words that travel as one lie at a multiple of their size.
SCAN_HOST_DEVICE constexpr int dense_state_words(int value_bytes) noexcept {
  const int words = (value_bytes + 3) / 4;
  return words == 1 ? 1 : (words + 1) / 2 * 2;
}

}  // namespace SCAN_ABI
}  // namespace scan

#endif
