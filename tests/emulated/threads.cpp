// What threads of the stand-in GPU do with others: meetings, atomics, clusters.
#include <algorithm>
#include <bit>
#include <sstream>
#include <utility>

#include "tests/emulated/blocks.hpp"

namespace emulated {
namespace {

const char* name_of(warp_function which) {
  constexpr const char* names[] = {
      "__syncwarp", "__shfl_sync", "__shfl_up_sync",    "__shfl_xor_sync",   "__ballot_sync",
      "__any_sync", "__all_sync",  "__reduce_add_sync", "__reduce_max_sync", "__reduce_min_sync"};
  return names[static_cast<int>(which)];
}

/// A turn of others, after which the thread is as it was.
void let_others(const char* what, place at) {
  running->waits_for = what;
  running->at = at;
  running->stack->pause();
}

}  // namespace

void wait(const char* what, place at) {
  running->can_go_on = false;
  let_others(what, at);
}

void fail_here(const std::string& why, place at) {
  std::ostringstream line;
  line << why << ": " << (at.file == nullptr ? "?" : at.file) << ":" << at.line << ", block "
       << running_block->block_index << ", thread " << running->index;
  running_grid->fail(line.str());
  for (;;) wait("nothing", at);
}

lane_values meet_lanes(warp_function which, unsigned mask, std::uint64_t given, place at) {
  auto& open = running_block->warps[running->index / 32];
  const unsigned bit = 1u << running->index % 32;
  if ((mask & bit) == 0) fail_here("a lane is not in its own mask", at);
  meeting* mine = nullptr;
  for (const auto& each : open) {
    if (each->arrived == each->mask || (each->mask & mask) == 0) continue;
    if (each->mask != mask || each->which != which) {
      fail_here(
          std::string("lanes of a mask are at ") + name_of(which) + " and " + name_of(each->which),
          at);
    }
    mine = each.get();
  }
  if (mine == nullptr) {
    open.push_back(std::make_unique<meeting>());
    mine = open.back().get();
    mine->which = which;
    mine->mask = mask;
  }
  mine->arrived |= bit;
  mine->values.of[running->index % 32] = given;
  if (mine->arrived == mask) {
    mine->readers = std::popcount(mask);
    for (unsigned lane = 0; lane < 32; ++lane) {
      const unsigned other = running->index / 32 * 32 + lane;
      if ((mask >> lane & 1) != 0 && other != running->index) running_block->make_ready(other);
    }
    if (running_grid->one_in(2)) let_others(name_of(which), at);
  } else {
    wait(name_of(which), at);
  }
  const lane_values result = mine->values;
  if (--mine->readers == 0) {
    auto& all = running_block->warps[running->index / 32];
    for (auto& each : all) {
      if (each.get() == mine) {
        std::swap(each, all.back());
        all.pop_back();
        break;
      }
    }
  }
  return result;
}

int meet_threads(int barrier, int num_threads, bool says, place at) {
  barrier_state& here = running_block->barriers[static_cast<std::size_t>(barrier)];
  if (!here.waiting.empty() && here.wanted != num_threads) {
    fail_here("a barrier is told different numbers of threads", at);
  }
  here.wanted = num_threads;
  here.says += says ? 1 : 0;
  const auto all = num_threads != 0 ? static_cast<std::size_t>(num_threads)
                                    : running_block->threads.size() - running_block->num_ended;
  if (here.waiting.size() + 1 == all) {
    here.result = std::exchange(here.says, 0);
    for (const unsigned each : std::exchange(here.waiting, {})) running_block->make_ready(each);
    // (Nobody comes to its end again before all who wait have read.)
    const int result = here.result;
    if (running_grid->one_in(2)) let_others("a barrier", at);
    return result;
  }
  here.waiting.push_back(running->index);
  wait("a barrier", at);
  return here.result;
}

void pause(bool waits, place at) {
  if (running == nullptr) return;
  if (waits && running_grid->one_in(4)) running_block->wants_others = true;
  let_others(waits ? "others, in __nanosleep" : "a turn", at);
}

void access_atomic(bool writes, place at) {
  if (running == nullptr) return;  // a thread of the system
  if (writes) running_grid->idle_steps = 0;
  if (running_grid->one_in(writes ? 2 : 8)) {
    if (running_grid->one_in(8)) running_block->wants_others = true;
    let_others("an atomic", at);
  }
}

// ---- clusters ----

namespace {

/// The running thread's cluster, and the phase that it has arrived in.
grid::cluster& my_cluster(place at) {
  auto& grid = *running_grid;
  if (grid.shape.cluster_blocks == 0) fail_here("a cluster's barrier in a grid without", at);
  return grid.clusters[running_block->block_index / grid.shape.cluster_blocks];
}
int& my_cluster_phase() {
  auto& grid = *running_grid;
  return grid
      .cluster_phase_of[running_block->block_index * grid.shape.num_threads + running->index];
}

}  // namespace

void arrive_at_cluster(place at) {
  auto& grid = *running_grid;
  grid::cluster& all = my_cluster(at);
  int& mine = my_cluster_phase();
  if (mine != all.phase) fail_here("a second arrival at a cluster's barrier", at);
  ++mine;
  const unsigned num_blocks = grid.shape.cluster_blocks;
  if (++all.arrived == num_blocks * grid.shape.num_threads) {
    all.arrived = 0;
    ++all.phase;
    for (const auto& each : grid.slots) {
      if (each->block_index / num_blocks != running_block->block_index / num_blocks) continue;
      for (const thread& waits : each->threads) {
        if (waits.is_at_cluster) each->make_ready(waits.index);
      }
    }
  }
}

void wait_for_cluster(place at) {
  if (my_cluster(at).phase >= my_cluster_phase()) return;
  running->is_at_cluster = true;
  wait("the cluster", at);
  running->is_at_cluster = false;
}

void* of_block(void* own, unsigned rank) {
  const unsigned num_blocks = std::max(running_grid->shape.cluster_blocks, 1u);
  const unsigned index = running_block->block_index / num_blocks * num_blocks + rank;
  for (const auto& each : running_grid->slots) {
    const bool is_there = each->is_live && each->shared != nullptr && !each->has_ended();
    if (each->block_index != index || !is_there) continue;
    return each->shared + (static_cast<unsigned char*>(own) - running_block->shared);
  }
  fail_here("a block of the cluster is not there", {});
}

std::size_t shared_offset(const void* shared) {
  const auto base = reinterpret_cast<std::uintptr_t>(running_block->shared) / 128 * 128;
  return static_cast<std::size_t>(reinterpret_cast<std::uintptr_t>(shared) - base);
}

}  // namespace emulated
