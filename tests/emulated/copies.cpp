// Barriers of phases and asynchronous copies of the stand-in GPU.
#include <algorithm>
#include <cstring>
#include <sstream>

#include "tests/emulated/blocks.hpp"

namespace emulated {
namespace {

/// What a barrier's word holds. Bytes come before they are expected, too.
struct phases {
  std::uint64_t phase : 1, wanted : 12, missing : 12;
  std::int64_t bytes : 39;
};
static_assert(sizeof(phases) == 8);

phases read(const std::uint64_t* barrier) {
  phases held;
  std::memcpy(&held, barrier, sizeof(held));
  return held;
}
void write(std::uint64_t* barrier, phases held) {
  if (held.missing == 0 && held.bytes == 0) {
    held.phase ^= 1;
    held.missing = held.wanted;
    running_grid->idle_steps = 0;
    for (const thread& each : running_block->threads) {
      if (each.phase_awaited == barrier) running_block->make_ready(each.index);
    }
  }
  std::memcpy(barrier, &held, sizeof(held));
}

void check_granules(const void* to, const void* from, unsigned num_bytes, place at) {
  const auto bits = reinterpret_cast<std::uintptr_t>(to) | reinterpret_cast<std::uintptr_t>(from);
  if ((bits | num_bytes) % 16 != 0 || num_bytes == 0) fail_here("a bulk copy off granules", at);
}

}  // namespace

void start_phases(std::uint64_t* barrier, unsigned arrivals) {
  phases held{};
  held.wanted = held.missing = arrivals;
  std::memcpy(barrier, &held, sizeof(held));
}
void arrive_in_phase(std::uint64_t* barrier, place at) {
  phases held = read(barrier);
  if (held.missing == 0 || held.missing > held.wanted) fail_here("an arrival too many", at);
  --held.missing;
  write(barrier, held);
}
void expect_bytes(std::uint64_t* barrier, unsigned num_bytes) {
  phases held = read(barrier);
  held.bytes += static_cast<std::int32_t>(num_bytes);
  write(barrier, held);
}
bool is_past_phase(std::uint64_t* barrier, unsigned parity, place at) {
  if (read(barrier).phase != (parity & 1)) return true;
  running->phase_awaited = barrier;
  wait("a phase", at);
  running->phase_awaited = nullptr;
  return read(barrier).phase != (parity & 1);
}

void load_bulk(void* to, const void* from, unsigned num_bytes, std::uint64_t* barrier, place at) {
  check_granules(to, from, num_bytes, at);
  ++seen.bulk_loads;
  std::memset(to, garbage, num_bytes);
  running_block->loads.push_back({to, from, num_bytes, barrier});
}
void load_box(void* to, const void* map, const int (&at)[3], std::uint64_t* barrier, place where) {
  alignas(16) static const unsigned char zeros[512] = {};
  if (reinterpret_cast<std::uintptr_t>(to) % 128 != 0) fail_here("a box off 128 bytes", where);
  described_array from;
  std::memcpy(&from, map, sizeof from);
  constexpr std::int64_t word = 4;
  auto* line = static_cast<unsigned char*>(to);
  const std::int64_t inside =
      std::max<std::int64_t>(std::min<std::int64_t>(from.sizes[0] - at[0], from.box[0]), 0);
  const std::int64_t outside = from.box[0] - inside;
  for (int row = at[1]; row < at[1] + from.box[1]; ++row, line += from.box[0] * word) {
    const bool is_there = row >= 0 && row < from.sizes[1] && at[2] >= 0 && at[2] < from.sizes[2];
    const std::int64_t taken = is_there ? inside : 0;
    const unsigned char* const source =
        from.data + at[2] * from.strides[1] + row * from.strides[0] + at[0] * word;
    if (taken > 0) load_bulk(line, source, static_cast<unsigned>(taken * word), barrier, where);
    const std::int64_t rest = is_there ? outside : from.box[0];
    if (rest > 0) {
      load_bulk(line + taken * word, zeros, static_cast<unsigned>(rest * word), barrier, where);
    }
  }
}
void store_bulk(void* to, const void* from, unsigned num_bytes, place at) {
  check_granules(to, from, num_bytes, at);
  running->stores.push_back({to, from, num_bytes, nullptr, running->bulk_groups});
}
void commit_bulk() { ++running->bulk_groups; }
void await_bulk_reads(int pending) {
  pause(false, {});
  auto& all = running->stores;
  for (copy& each : all) {
    if (each.group < running->bulk_groups - pending) each.read();
  }
  // Some of what has been read arrives now, the rest at the block's end.
  const auto arrives = [&](const copy& each) {
    if (!each.is_read || running_grid->one_in(4)) return false;
    each.write();
    return true;
  };
  all.erase(std::remove_if(all.begin(), all.end(), arrives), all.end());
}

void copy_async(void* to, const void* from, std::size_t num_bytes, place at) {
  const auto bits = reinterpret_cast<std::uintptr_t>(to) | reinterpret_cast<std::uintptr_t>(from);
  if ((num_bytes != 4 && num_bytes != 8 && num_bytes != 16) || bits % num_bytes != 0) {
    fail_here("an asynchronous copy of an odd size, or misaligned", at);
  }
  if (running_grid->one_in(4)) {
    std::memcpy(to, from, num_bytes);
    return;
  }
  std::memset(to, garbage, num_bytes);
  running->copies.push_back({to, from, num_bytes, nullptr, running->copy_groups});
}
void commit_copies() { ++running->copy_groups; }
void await_copies(int pending) {
  auto& all = running->copies;
  const auto is_due = [&](const copy& each) {
    if (each.group >= running->copy_groups - pending) return false;
    each.write();
    return true;
  };
  all.erase(std::remove_if(all.begin(), all.end(), is_due), all.end());
}

}  // namespace emulated
