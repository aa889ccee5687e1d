// How blocks and their threads take turns.
#include "tests/emulated/engine.hpp"

#include <cuda_runtime.h>
#include <link.h>
#include <sched.h>
#include <signal.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <sstream>
#include <thread>

#include "scan/abi.hpp"
#include "tests/emulated/arrays.hpp"
#include "tests/emulated/blocks.hpp"

uint3 threadIdx, blockIdx;
dim3 blockDim, gridDim;

// Dynamic shared memory, by the names that kernels give it.
namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {
inline constexpr std::size_t most_dynamic_bytes = 232 * 1024;
extern thread_local unsigned char stages[], arrays[], tile_memory[];
alignas(128) thread_local unsigned char stages[most_dynamic_bytes], arrays[most_dynamic_bytes],
    tile_memory[most_dynamic_bytes];
}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

namespace emulated {

settings now;
record seen;
grid* running_grid;
block* running_block;
thread* running;

namespace {

std::map<const void*, known_kernel>& kernels() {
  static std::map<const void*, known_kernel> all;
  return all;
}

/// The calling thread's memory for what is `thread_local` in this program: all blocks' shared
/// memory.
struct local_memory {
  unsigned char* begin = nullptr;
  std::size_t num_bytes = 0;
};
local_memory find_local_memory() {
  local_memory found;
  dl_iterate_phdr(
      [](dl_phdr_info* program, std::size_t, void* into) {
        auto& to = *static_cast<local_memory*>(into);
        for (int i = 0; i < program->dlpi_phnum; ++i) {
          if (program->dlpi_phdr[i].p_type != PT_TLS) continue;
          to = {static_cast<unsigned char*>(program->dlpi_tls_data), program->dlpi_phdr[i].p_memsz};
        }
        return 1;  // the program itself is the first
      },
      &found);
  return found;
}

/// Stacks, kept from launch to launch.
std::vector<std::unique_ptr<tests::fiber>> all_stacks;
std::vector<tests::fiber*> free_stacks;

tests::fiber* take_stack() {
  if (free_stacks.empty()) {
    all_stacks.push_back(std::make_unique<tests::fiber>());
    return all_stacks.back().get();
  }
  auto* const taken = free_stacks.back();
  free_stacks.pop_back();
  return taken;
}

/// Of what record_of says of itself: `... [with auto kernel = scan::...::name<...`.
std::string short_name(std::string long_name) {
  const char before[] = "kernel = ";
  if (const auto at = long_name.find(before); at != long_name.npos) {
    long_name.erase(0, at + sizeof(before) - 1);
  }
  long_name.erase(std::min(long_name.find('<'), long_name.size()));
  const auto at = long_name.rfind(':');
  return at == long_name.npos ? long_name : long_name.substr(at + 1);
}

/// An access to what is nobody's, by a kernel's thread, which stops there. (So by its own stack:
/// what it was about is lost with it.)
void stop_at_fault(int, siginfo_t* about, void*) {
  if (running == nullptr) {
    signal(SIGSEGV, SIG_DFL);  // not a kernel's: it comes again
    return;
  }
  fail_here("an access to " + place_of(about->si_addr), {});
}

/// Faults are the kernels' while it lives.
class fault_handler {
 public:
  fault_handler() {
    struct sigaction mine {};
    mine.sa_sigaction = stop_at_fault;
    mine.sa_flags = SA_SIGINFO | SA_NODEFER;
    sigaction(SIGSEGV, &mine, &before_);
  }
  ~fault_handler() { sigaction(SIGSEGV, &before_, nullptr); }

 private:
  struct sigaction before_ {};
};

constexpr std::uint64_t most_idle_steps = 4'000'000;

}  // namespace

void know_kernel(const void* kernel, known_kernel what) { kernels()[kernel] = what; }
known_kernel find_kernel(const void* kernel) {
  const auto found = kernels().find(kernel);
  return found == kernels().end() ? known_kernel{} : found->second;
}

void copy::read() {
  if (is_read) return;
  bytes.assign(static_cast<const unsigned char*>(from),
               static_cast<const unsigned char*>(from) + num_bytes);
  is_read = true;
}
void copy::write() const { std::memcpy(to, is_read ? bytes.data() : from, num_bytes); }

// ---- the grid ----

void grid::fail(std::string why) {
  if (!failed) failure = std::move(why);
  failed = true;
}

void grid::give_way(block& from) {
  std::vector<block*> others;
  for (const auto& slot : slots) {
    if (slot.get() != &from && slot->is_live && (failed || slot->has_work())) {
      others.push_back(slot.get());
    }
  }
  if (others.empty()) {
    if (from.is_live && !from.has_work() && !failed) {
      std::string all = "no thread can go on:";
      for (const auto& slot : slots) {
        if (slot->is_live) all += slot->describe();
      }
      fail(std::move(all));
    }
    if (!from.is_live) {
      // Those that are left wait for each other, or there are none.
      for (const auto& slot : slots) {
        if (slot->is_live) {
          slot->turn.release();
          return;
        }
      }
      done.release();
    }
    return;
  }
  block& next = *others[random() % others.size()];
  next.turn.release();
  if (from.is_live) {
    from.turn.acquire();
    running_block = &from;
  }
}

// ---- blocks ----

void block::make_ready(unsigned index) {
  if (threads[index].can_go_on) return;  // it has not had its turn since
  threads[index].can_go_on = true;
  ready_.push_back(index);
}

void block::begin(unsigned index) {
  const auto num_threads = running_grid->shape.num_threads;
  block_index = index;
  num_ended = 0;
  const auto memory = find_local_memory();
  shared = memory.begin;
  std::memset(memory.begin, garbage, memory.num_bytes);
  barriers = {};
  threads.assign(num_threads, {});
  warps.clear();
  warps.resize((num_threads + 31) / 32);
  ready_.clear();
  while (stacks_.size() < num_threads) stacks_.push_back(take_stack());
  for (unsigned i = 0; i < num_threads; ++i) {
    threads[i].index = i;
    threads[i].stack = stacks_[i];
    threads[i].stack->start(*running_grid->kernel);
    ready_.push_back(i);
  }
}

void block::end() {
  for (thread& each : threads) {
    for (const copy& one : each.copies) one.write();
    for (copy& one : each.stores) {
      if (!one.is_read) running_grid->fail("a block has ended before its bulk copies have read");
      one.write();
    }
  }
  if (!loads.empty()) running_grid->fail("a block has ended before its bulk copies have come");
  namespace device = scan::device;
  for (unsigned char* array : {device::stages, device::arrays, device::tile_memory}) {
    const std::size_t used = running_grid->shape.shared_bytes;
    const std::size_t until = std::min(used + 4096, device::most_dynamic_bytes);
    if (std::any_of(array + used, array + until, [](unsigned char b) { return b != garbage; })) {
      running_grid->fail("a block has written past its shared memory");
    }
  }
}

/// Something of what is on its way arrives, or is read.
void block::move_something() {
  auto& grid = *running_grid;
  if (!loads.empty()) {
    std::swap(loads.front(), loads[grid.random() % loads.size()]);
    const copy one = std::move(loads.front());
    loads.pop_front();
    one.write();
    expect_bytes(one.barrier, 0u - static_cast<unsigned>(one.num_bytes));
    return;
  }
}

void block::go_on(unsigned index) {
  running = &threads[index];
  threadIdx = {index, 0, 0};
  blockIdx = {block_index, 0, 0};
  running->stack->resume();
  if (running->stack->done()) {
    running->ended = true;
    ++num_ended;
    running_grid->idle_steps = 0;
    // Who waits for all that have not ended may be complete.
    barrier_state& all = barriers[0];
    if (all.wanted == 0 && !all.waiting.empty() &&
        all.waiting.size() + num_ended == threads.size()) {
      all.result = all.says;
      all.says = 0;
      for (const unsigned each : std::exchange(all.waiting, {})) make_ready(each);
    }
  } else if (running->can_go_on) {
    ready_.push_back(index);
  }
  running = nullptr;
}

void block::work() {
  auto& grid = *running_grid;
  turn.acquire();
  running_block = this;
  has_begun = true;
  while (!grid.failed && !grid.to_come.empty()) {
    const unsigned index = grid.to_come.back();
    grid.to_come.pop_back();
    begin(index);
    // A warp that is held up while others can go on, and one that goes on whenever it can, perhaps
    // none; now and then others, after as many steps as a warp takes from barrier to barrier.
    unsigned held_up = 0, hurried = 0;
    const auto some_warp = [&] {
      return static_cast<unsigned>(grid.random() % (2 * warps.size()));
    };
    while (!grid.failed && num_ended < threads.size()) {
      if (!has_work() || wants_others || grid.one_in(512)) {
        wants_others = false;
        grid.give_way(*this);
        continue;
      }
      if (ready_.empty() || (!loads.empty() && grid.one_in(64))) {
        move_something();
        continue;
      }
      if (++grid.idle_steps > most_idle_steps) {
        std::string all = "threads go on without an end:";
        for (const auto& slot : grid.slots) {
          if (slot->is_live) all += slot->describe();
        }
        grid.fail(std::move(all));
        break;
      }
      if (grid.one_in(1024)) {
        held_up = some_warp();
        hurried = some_warp();
      }
      std::size_t at = grid.random() % ready_.size();
      for (int again = 0; again < 3 && ready_[at] / 32 == held_up; ++again) {
        at = grid.random() % ready_.size();
      }
      if (hurried < warps.size()) {
        for (std::size_t i = 0; i < ready_.size(); ++i) {
          if (ready_[i] / 32 == hurried) at = i;
        }
      }
      std::swap(ready_[at], ready_.back());
      const unsigned next = ready_.back();
      ready_.pop_back();
      go_on(next);
    }
    if (!grid.failed) end();
  }
  is_live = false;
  free_stacks.insert(free_stacks.end(), stacks_.begin(), stacks_.end());
  stacks_.clear();
  grid.give_way(*this);
}

std::string block::describe() const {
  std::map<std::string, int> who;
  for (const thread& each : threads) {
    std::ostringstream line;
    if (each.ended) {
      line << "have ended";
    } else {
      line << (each.can_go_on ? "at " : "wait for ") << each.waits_for << ", "
           << (each.at.file == nullptr ? "" : each.at.file) << ":" << each.at.line;
    }
    ++who[line.str()];
  }
  std::ostringstream all;
  all << "\n  block " << block_index << ":";
  for (const auto& [what, count] : who) all << "\n    " << count << " threads " << what;
  return all.str();
}

bool run(const launch_shape& shape, const std::function<void()>& kernel, const char* name) {
  grid here{};
  here.shape = shape;
  here.kernel = &kernel;
  here.random.seed(now.seed * 1000003 + static_cast<unsigned>(seen.launches));
  ++seen.launches;
  ++seen.kernels[short_name(name) + (shape.cluster_blocks > 0 ? " of a cluster" : "")];
  // The blocks of a cluster come one after another: so that those which wait for one that has no
  // place yet wait for blocks that have.
  const unsigned together = std::max(shape.cluster_blocks, 1u);
  std::vector<unsigned> first_blocks;
  for (unsigned i = 0; i < shape.num_blocks; i += together) first_blocks.push_back(i);
  std::shuffle(first_blocks.begin(), first_blocks.end(), here.random);
  for (const unsigned first : first_blocks) {
    for (unsigned i = 0; i < together; ++i) here.to_come.push_back(first + i);
    std::shuffle(here.to_come.end() - together, here.to_come.end(), here.random);
  }
  const unsigned most =
      together + static_cast<unsigned>(here.random() % static_cast<unsigned>(now.most_resident));
  const unsigned resident = std::min(shape.num_blocks, most);
  here.clusters.resize(shape.num_blocks / together);
  here.cluster_phase_of.assign(std::size_t{shape.num_blocks} * shape.num_threads, 0);
  for (unsigned i = 0; i < resident; ++i) here.slots.push_back(std::make_unique<block>());
  running_grid = &here;
  gridDim = dim3(shape.num_blocks);
  blockDim = dim3(shape.num_threads);

  const fault_handler handler;
  // All on one processor: one of them runs at a time, and the next is there at once.
  cpu_set_t before, one;
  sched_getaffinity(0, sizeof(before), &before);
  CPU_ZERO(&one);
  CPU_SET(static_cast<unsigned>(sched_getcpu()), &one);
  sched_setaffinity(0, sizeof(one), &one);
  std::vector<std::thread> workers;
  for (const auto& slot : here.slots) workers.emplace_back([&slot] { slot->work(); });
  // (A slot that has not had a turn yet begins with one.)
  here.slots.front()->turn.release();
  here.done.acquire();
  for (std::thread& each : workers) each.join();
  sched_setaffinity(0, sizeof(before), &before);
  running_grid = nullptr;
  if (here.failed && seen.failure.empty()) seen.failure = here.failure + "\n  in " + name;
  return !here.failed;
}

}  // namespace emulated
