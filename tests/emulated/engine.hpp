// A stand-in GPU: runs kernels that a host compiler has compiled as they stand, so that they are
// checked where there is no GPU. This is what carries out; words.hpp has the words of CUDA's
// language, words/ its headers, cuda_calls.cpp the runtime's calls.
//
// A thread of a block is a fiber; which of those that can go on does so, and for how long, is drawn
// from a seed. A block has a thread of the system, for its shared memory is what is local to that;
// one of them runs at a time. Threads meet at barriers and warp functions as the mask says, and go
// on in any order; asynchronous copies are carried out at any time between their start and what
// waits for them, and until then what they write is garbage, as shared memory is at first.
//
// Noticed are: results that depend on an order which nothing enforces; lanes that are missing, or
// at another function; a meeting that never comes about, and who waits where; bulk copies off their
// granules, a block that ends before they have read; accesses outside of arrays (arrays.hpp).
// Not modelled: the order of memory accesses (the explorer of tests/protocol does), so neither
// fences nor proxies; banks, registers, time; warps that advance in step, so nothing can rely on
// it.
#ifndef SCAN_TESTS_EMULATED_ENGINE_HPP
#define SCAN_TESTS_EMULATED_ENGINE_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace emulated {

/// A made-up device.
struct device {
  int capability, sm_count;
};
/// Of which the current one is chosen by its number: the library remembers what it has asked.
inline constexpr device devices[] = {{9, 4}, {8, 4}, {9, 1}, {9, 132}, {8, 1}, {8, 300}};
inline constexpr std::size_t shared_bytes_of_block = 227 * 1024;

/// What a test chooses, from the next launch on.
struct settings {
  std::uint64_t seed = 1;
  int device = 0;
  bool describes_arrays = true;  // its driver: see described_array
  int most_resident = 3;  // blocks at once, of which a launch has 1 at least; a cluster has all
  const emulated::device& here() const { return devices[device]; }
};
extern settings now;

/// What happened, over all launches; a test resets it.
struct record {
  int launches = 0;
  std::map<std::string, int> kernels;  // launches of each; " of a cluster" are others
  std::int64_t bulk_loads = 0;
  std::string failure;  // of the first launch that failed
};
extern record seen;

struct launch_shape {
  unsigned num_blocks, num_threads;
  std::size_t shared_bytes;
  unsigned cluster_blocks;  // that follow each other; 0: there are no clusters
};
/// Each thread of each block calls `kernel`. Whether it came to its end; if not, `seen` says why.
bool run(const launch_shape& shape, const std::function<void()>& kernel, const char* name);

/// How a kernel is called of which only the address is known; see words.hpp.
struct known_kernel {
  void (*call)(void** arguments) = nullptr;
  const char* name = "";
  int arch = 0;  // it is compiled for
};
void know_kernel(const void* kernel, known_kernel what);
known_kernel find_kernel(const void* kernel);

// ---- What kernels' threads ask for. `place`: where in the source.

struct place {
  const char* file = nullptr;
  int line = 0;
};
enum class warp_function {
  meet,
  shuffle,
  shuffle_up,
  shuffle_xor,
  ballot,
  any,
  all,
  add,
  max,
  min
};

/// What all lanes of `mask` have given.
struct lane_values {
  std::uint64_t of[32];
};
lane_values meet_lanes(warp_function which, unsigned mask, std::uint64_t given, place at);
/// The number of threads that say so; `num_threads` of them, or 0: all that have not ended.
int meet_threads(int barrier, int num_threads, bool says, place at);
/// Others may go on; `waits`: it makes no sense for this thread to before they have.
void pause(bool waits, place at);
/// Before an access to an atomic, which others' may precede.
void access_atomic(bool writes, place at);
void arrive_at_cluster(place at);
void wait_for_cluster(place at);
/// What is at `own`'s place in the shared memory of another block.
void* of_block(void* own, unsigned rank);
std::size_t shared_offset(const void* shared);

// ---- Barriers of phases and asynchronous copies.

void start_phases(std::uint64_t* barrier, unsigned arrivals);
void arrive_in_phase(std::uint64_t* barrier, place at);
void expect_bytes(std::uint64_t* barrier, unsigned num_bytes);
bool is_past_phase(std::uint64_t* barrier, unsigned parity, place at);
void load_bulk(void* to, const void* from, unsigned num_bytes, std::uint64_t* barrier, place at);
/// Of an array as cuda_calls.cpp describes it where a driver would.
struct described_array {
  const unsigned char* data;
  std::int64_t sizes[3], strides[2];  // in words, then lines and slabs; bytes
  int box[2];                         // words, lines
};
void load_box(void* to, const void* map, const int (&at)[3], std::uint64_t* barrier, place where);
void store_bulk(void* to, const void* from, unsigned num_bytes, place at);
void commit_bulk();
void await_bulk_reads(int pending);

void copy_async(void* to, const void* from, std::size_t num_bytes, place at);
void commit_copies();
void await_copies(int pending);

}  // namespace emulated

#endif
