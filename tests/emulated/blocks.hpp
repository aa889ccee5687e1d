// The threads and blocks of the stand-in GPU, for the sources that carry out what engine.hpp says.
#ifndef SCAN_TESTS_EMULATED_BLOCKS_HPP
#define SCAN_TESTS_EMULATED_BLOCKS_HPP

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <random>
#include <semaphore>
#include <string>
#include <vector>

#include "tests/emulated/engine.hpp"
#include "tests/support/fibers.hpp"

namespace emulated {

inline constexpr unsigned char garbage = 0xBD;

/// Bytes on their way. Those to shared memory are read when they are written; those from there are
/// `read` before they are, into `bytes`.
struct copy {
  void* to;
  const void* from;
  std::size_t num_bytes;
  std::uint64_t* barrier = nullptr;
  int group = 0;
  bool is_read = false;
  std::vector<unsigned char> bytes = {};
  void read();
  void write() const;
};

/// Lanes that meet.
struct meeting {
  warp_function which;
  unsigned mask, arrived = 0;
  int readers = 0;
  lane_values values;
};

struct thread {
  tests::fiber* stack = nullptr;
  unsigned index = 0;
  bool ended = false, can_go_on = true, is_at_cluster = false;
  const char* waits_for = "its start";
  place at;
  const std::uint64_t* phase_awaited = nullptr;
  int copy_groups = 0, bulk_groups = 0;  // closed so far
  std::vector<copy> copies, stores;
};

struct barrier_state {
  int wanted = 0, says = 0, result = 0;
  std::vector<unsigned> waiting;
};

/// A block, or the place on the device where one after another is.
class block {
 public:
  /// By a thread of the system of its own, until there are no more blocks.
  void work();
  std::binary_semaphore turn{0};
  bool is_live = true;  // or through with all blocks
  bool has_begun = false;
  bool has_ended() const { return num_ended == threads.size(); }
  bool has_work() const { return !has_begun || !ready_.empty() || !loads.empty(); }
  std::string describe() const;
  void make_ready(unsigned index);

  std::array<barrier_state, 16> barriers;
  std::vector<thread> threads;
  std::vector<std::vector<std::unique_ptr<meeting>>> warps;
  unsigned block_index = 0, num_ended = 0;
  std::deque<copy> loads;           // bulk copies to shared memory
  unsigned char* shared = nullptr;  // where its memory begins
  bool wants_others = false;

 private:
  void begin(unsigned index);
  void end();
  void go_on(unsigned index);
  void move_something();

  std::vector<unsigned> ready_;
  std::vector<tests::fiber*> stacks_;
};

/// The launch under way.
struct grid {
  launch_shape shape;
  const std::function<void()>* kernel;
  std::vector<std::unique_ptr<block>> slots;
  std::vector<unsigned> to_come;  // blocks, the next last
  bool failed = false;
  std::string failure;
  std::uint64_t idle_steps = 0;  // since something changed for others
  struct cluster {
    unsigned arrived = 0;
    int phase = 0;
  };
  std::vector<cluster> clusters;
  std::vector<int> cluster_phase_of;  // that each thread has arrived in
  std::mt19937_64 random;
  std::binary_semaphore done{0};

  bool one_in(unsigned n) { return random() % n == 0; }
  /// From `from`, which gets the turn back later, to another.
  void give_way(block& from);
  void fail(std::string why);
};
extern grid* running_grid;
extern block* running_block;
extern thread* running;

/// Until somebody makes the calling thread ready.
void wait(const char* what, place at);
[[noreturn]] void fail_here(const std::string& why, place at);

}  // namespace emulated

#endif
