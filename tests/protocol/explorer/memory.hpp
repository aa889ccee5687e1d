// Memory as C++ has it: what an atomic location held stays readable until the reader must know
// better, and a store may take its place before stores that others have already made.
//
// The model is the operational one of views (Kang et al., "A promising semantics for relaxed-memory
// concurrency", POPL 2017) without its promises: every location has a list of messages in
// modification order, every thread a view, the oldest message of each location that it may still
// read. A release store carries its writer's view along, an acquire load takes it over, and so do
// read-modify-writes that follow the store (C++20's release sequences) and fences. What it leaves
// out: values from loads that are delayed past later stores (load buffering), and sequential
// consistency, which is refused.
//
// Plain memory has clocks: who wrote and read a cell last, and whether the accessor knows.
#ifndef SCAN_TESTS_EXPLORER_MEMORY_HPP
#define SCAN_TESTS_EXPLORER_MEMORY_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

namespace explorer {

inline constexpr int most_locations = 96, most_threads = 8;

/// Orders, and what they ask for.
enum class order { relaxed, acquire, release, acq_rel };
constexpr bool acquires(order o) { return o == order::acquire || o == order::acq_rel; }
constexpr bool releases(order o) { return o == order::release || o == order::acq_rel; }

/// What a thread knows: of each location the oldest message that it may read, by its number, and
/// how far each thread's plain accesses are known.
struct view {
  std::array<std::uint8_t, most_locations> seen{};
  std::array<std::uint16_t, most_threads> clock{};
};

struct message {
  std::uint64_t value = 0;
  bool joined_to_last = false;  // of a read-modify-write: nothing comes between it and what it read
  view released{};              // what who acquires it knows
};

/// One atomic object.
struct location {
  std::string name;
  std::uint64_t* value64 = nullptr;  // where it really lies; one of the two
  std::uint32_t* value32 = nullptr;
  std::vector<message> messages{};           // by number
  std::vector<std::uint8_t> order{};         // numbers in modification order
  std::array<std::uint8_t, 256> position{};  // in that order, by number

  std::uint8_t newest() const { return order.back(); }

  /// Takes the value over. Who reads or writes the object itself meanwhile, as plain memory, reads
  /// nonsense and is found out.
  void begin() {
    messages.assign(1, message{value64 != nullptr ? *value64 : *value32, false, {}});
    order.assign(1, 0);
    position[0] = 0;
    put(nonsense);
  }
  bool is_full() const { return messages.size() == 255; }  // numbers have 8 bits
  bool untouched() const {
    return value64 != nullptr ? *value64 == nonsense
                              : *value32 == static_cast<std::uint32_t>(nonsense);
  }
  /// What is left when all threads have ended.
  void end() const { put(messages[newest()].value); }
  /// The number of a new message at `place` of the order.
  std::uint8_t insert(std::size_t place, const message& added) {
    const auto number = static_cast<std::uint8_t>(messages.size());
    messages.push_back(added);
    order.insert(order.begin() + static_cast<std::ptrdiff_t>(place), number);
    for (std::size_t i = place; i < order.size(); ++i)
      position[order[i]] = static_cast<std::uint8_t>(i);
    return number;
  }
  /// Whether a message may come to `place`, behind another.
  bool open(std::size_t place) const {
    return place == order.size() || !messages[order[place]].joined_to_last;
  }

 private:
  static constexpr std::uint64_t nonsense = 0x5a5a5a5a5a5a5a5a;
  void put(std::uint64_t value) const {
    if (value64 != nullptr) *value64 = value;
    if (value32 != nullptr) *value32 = static_cast<std::uint32_t>(value);
  }
};

/// A thread's knowledge, and what its fences have put aside.
struct thread_view {
  view now{};
  view to_acquire{};    // what relaxed loads have read: an acquire fence's
  view to_release{};    // what relaxed stores carry: a release fence's
  bool fenced = false;  // whether these two matter to anything
};

/// A cell of plain memory.
struct plain_cell {
  int writer = -1;
  std::uint16_t written = 0;                       // by the writer's clock
  std::array<std::uint16_t, most_threads> read{};  // by the readers'
  int past_caches_by = -1;  // who wrote it past the caches, with no store fence since
};

/// `Choose`: int(int n), which of n possibilities this execution is about; 0 is the ordinary one.
class memory {
 public:
  std::vector<location> locations;
  std::vector<plain_cell> cells;
  std::array<thread_view, most_threads> threads;

  /// From here on all that has been stored is known to all.
  void begin() {
    for (location& l : locations) l.begin();
    for (plain_cell& c : cells) c = {};
    threads.fill({});
    for (std::size_t t = 0; t < most_threads; ++t) threads[t].now.clock[t] = 1;
  }
  void end() {
    for (const location& l : locations) l.end();
  }
  bool untouched() const {
    return std::all_of(locations.begin(), locations.end(),
                       [](const location& l) { return l.untouched(); });
  }

  // ---- atomic locations ----
  template <class Choose>
  std::uint64_t load(int thread, int at, order o, const Choose& choose) {
    location& l = locations[index(at)];
    const std::size_t newest = l.order.size() - 1, oldest = floor(thread, at);
    const auto age = static_cast<std::size_t>(choose(static_cast<int>(newest - oldest + 1)));
    return read(thread, at, l.order[newest - age], o);
  }

  template <class Choose>
  void store(int thread, int at, std::uint64_t value, order o, const Choose& choose) {
    location& l = locations[index(at)];
    std::vector<std::size_t> places;
    for (std::size_t p = l.order.size(); p > floor(thread, at); --p) {
      if (l.open(p)) places.push_back(p);
    }
    const int chosen = choose(static_cast<int>(places.size()));
    write(thread, at, places[index(chosen)], {value, false, {}}, o);
  }

  /// Stores change(what it read), if `wanted` says so of that. Returns what it read.
  template <class Choose, class Wanted, class Change>
  std::uint64_t read_modify_write(int thread, int at, order o, const Choose& choose,
                                  const Wanted& wanted, const Change& change) {
    location& l = locations[index(at)];
    std::vector<std::size_t> places;  // of what may be read: nobody else has changed it
    for (std::size_t p = l.order.size(); p > floor(thread, at); --p) {
      if (l.open(p) || !wanted(l.messages[l.order[p - 1]].value)) places.push_back(p - 1);
    }
    const std::size_t place = places[index(choose(static_cast<int>(places.size())))];
    const std::uint8_t number = l.order[place];
    const std::uint64_t seen = read(thread, at, number, o);
    if (wanted(seen)) {
      write(thread, at, place + 1, {change(seen), true, l.messages[number].released}, o);
    }
    return seen;
  }

  void fence(int thread, order o) {
    thread_view& mine = threads[index(thread)];
    mine.fenced = true;
    if (acquires(o)) join(mine.now, mine.to_acquire);
    if (releases(o)) mine.to_release = mine.now;
  }

  // ---- plain cells: false, if it is a race ----
  bool write_plain(int thread, int cell, bool past_caches) {
    plain_cell& c = cells[index(cell)];
    const view& now = threads[index(thread)].now;
    bool ordered = c.writer < 0 || now.clock[index(c.writer)] >= c.written;
    for (std::size_t t = 0; t < most_threads; ++t) ordered &= now.clock[t] >= c.read[t];
    c.writer = thread;
    c.written = now.clock[index(thread)];
    c.past_caches_by = past_caches ? thread : -1;
    return ordered;
  }
  bool read_plain(int thread, int cell) {
    plain_cell& c = cells[index(cell)];
    const view& now = threads[index(thread)].now;
    c.read[index(thread)] = now.clock[index(thread)];
    const bool mine = c.writer == thread;
    return mine || c.writer < 0 ||
           (now.clock[index(c.writer)] >= c.written && c.past_caches_by < 0);
  }
  /// A store fence: what the thread has written past the caches is as if it were written now.
  void finish_stores(int thread) {
    for (plain_cell& c : cells) {
      if (c.past_caches_by != thread) continue;
      c.past_caches_by = -1;
      c.written = threads[index(thread)].now.clock[index(thread)];
    }
  }

  /// What each of two has seen the other has then, too.
  void join(view& to, const view& from) const {
    for (std::size_t i = 0; i < locations.size(); ++i) {
      const auto& position = locations[i].position;
      if (position[from.seen[i]] > position[to.seen[i]]) to.seen[i] = from.seen[i];
    }
    for (std::size_t t = 0; t < most_threads; ++t)
      to.clock[t] = std::max(to.clock[t], from.clock[t]);
  }
  /// The place of the oldest message that the thread may read.
  std::size_t floor(int thread, int at) const {
    return locations[index(at)].position[threads[index(thread)].now.seen[index(at)]];
  }
  bool has_newer(int thread, int at) const {
    return floor(thread, at) + 1 < locations[index(at)].order.size();
  }
  void tick(int thread) { ++threads[index(thread)].now.clock[index(thread)]; }

 private:
  static std::size_t index(int i) { return static_cast<std::size_t>(i); }

  std::uint64_t read(int thread, int at, std::uint8_t number, order o) {
    const message& m = locations[index(at)].messages[number];
    thread_view& mine = threads[index(thread)];
    mine.now.seen[index(at)] = number;
    join(acquires(o) ? mine.now : mine.to_acquire, m.released);
    return m.value;
  }
  void write(int thread, int at, std::size_t place, const message& added, order o) {
    thread_view& mine = threads[index(thread)];
    const std::uint8_t number = locations[index(at)].insert(place, added);
    mine.now.seen[index(at)] = number;
    message& m = locations[index(at)].messages[number];
    join(m.released, releases(o) ? mine.now : mine.to_release);
    m.released.seen[index(at)] = number;
    tick(thread);
  }
};

}  // namespace explorer

#endif
