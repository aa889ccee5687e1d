// Runs a small program of several workers in every way that memory.hpp allows: depth first over
// schedules, stores that a load may read, and places that a store may take; each execution from the
// start, on fibers. States that have been met are not explored again.
#ifndef SCAN_TESTS_EXPLORER_EXPLORE_HPP
#define SCAN_TESTS_EXPLORER_EXPLORE_HPP

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tests/protocol/explorer/memory.hpp"
#include "tests/support/fibers.hpp"

namespace explorer {

/// What is explored: phases, one after the other, of workers side by side. Between two phases
/// everything is known to everybody, as between the kernels of a stream.
class program {
 public:
  virtual ~program() = default;
  /// Before an execution: all memory as at first.
  virtual void reset() = 0;
  virtual int num_phases() const { return 1; }
  virtual int num_workers(int phase) const = 0;
  /// Before the workers of a phase: tells the explorer which memory they share.
  virtual void begin(int phase) = 0;
  virtual void work(int phase, int worker) = 0;
  /// After them.
  virtual void end(int /*phase*/) {}
  /// Whether the workers are alike, whatever their numbers.
  virtual bool alike() const { return true; }
};

struct limits {
  static constexpr int all = 1 << 30;
  /// Most deviations of an execution from the ordinary one: a worker is interrupted that could go
  /// on; a load reads what is not the newest; a store lies before one that has been made.
  int deviations = all;
  std::int64_t executions = std::int64_t{1} << 40;
  bool prunes = true;  // leaves out what goes on from a state that has been met
};

struct outcome {
  std::string failure;  // of the first failing execution
  std::string trace;
  std::int64_t executions = 0, states = 0;
  bool complete = false;              // nothing is left out but what the limits forbid
  bool limited = false;               // they have forbidden something
  int deviations = 0;                 // of the failing execution at most
  std::set<std::uint64_t> endings{};  // states in which executions have ended

  bool failed() const { return !failure.empty(); }
};

/// The one that runs; what the workers' atomics speak to.
class engine {
 public:
  engine(program& explored, const limits& given) : program_(explored), limits_(given) {}

  /// All executions within the limits, or up to the first that fails.
  outcome run();

  // ---- for a program, at the beginning of a phase ----
  void share(std::uint64_t& word, std::string name) { add(&word, {std::move(name), &word}); }
  void share(std::uint32_t& word, std::string name) {
    add(&word, {std::move(name), nullptr, &word});
  }
  int share_cell() {
    memory_.cells.emplace_back();
    return static_cast<int>(memory_.cells.size()) - 1;
  }

  // ---- for its workers ----
  std::uint64_t load(const void* object, order o, const char* where);
  void store(const void* object, std::uint64_t value, order o, const char* where);
  template <class Wanted, class Change>
  std::uint64_t read_modify_write(const void* object, order o, const char* where,
                                  const Wanted& wanted, const Change& change);
  void fence(order o);
  void access_cell(int cell, bool writes, bool past_caches);
  void finish_stores() { memory_.finish_stores(running_); }
  /// Whoever waits has looked in vain; until what it looked at changes it would do so again.
  void look_again();
  /// Until `size` workers of the group `group` have come; what they did before is known to all.
  void barrier(int group, int size);
  /// Something outside of the memory that decides what the worker does next.
  void tell(int what) { workers_[index(running_)].mix(static_cast<std::uint64_t>(what) + 55); }
  int worker_running() const { return running_; }
  void fail(const std::string& what) {
    if (failure_.empty()) failure_ = what;
  }

 private:
  struct step {
    int taken, available;
  };
  struct look {
    int at;
    std::uint64_t value;
    std::uint8_t number;
    friend bool operator==(const look& a, const look& b) {
      return a.at == b.at && a.number == b.number;
    }
  };
  struct worker {
    tests::fiber runs;
    std::uint64_t history = 0;  // everything that it has been told: decides what it does next
    std::uint64_t before_attempt = 0;  // the same up to its last look in vain
    std::vector<look> attempt{};       // since then
    std::vector<look> last_attempt{};  // between the last two
    std::vector<look> looks{};         // since its last operation that is not a load
    std::vector<look> awaited{};       // it waits for something newer
    bool waits = false;
    int barrier = -1;

    void mix(std::uint64_t told) { history = mixed(history, told); }
    void looks_anew() {
      attempt.clear();
      last_attempt.clear();
      looks.clear();
    }
  };

  static std::size_t index(int i) { return static_cast<std::size_t>(i); }
  static std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
    a = (a + 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
    a = ((a ^ (a >> 30)) + b) * 0x94d049bb133111ebu;
    return a ^ (a >> 31);
  }

  void add(const void* object, location described) {
    objects_.push_back(object);
    memory_.locations.push_back(std::move(described));
    if (objects_.size() > most_locations) std::abort();
  }
  int at(const void* object);
  int to_change(const void* object);
  int choose(int n, int free);
  void point() { workers_[index(running_)].runs.pause(); }
  void note(const char* where, int at, const std::string& text);
  std::string shown(std::uint64_t value) const;
  void done(int at, std::uint64_t value, bool is_load);
  bool execute();
  bool run_phase(int phase);
  std::vector<int> enabled() const;
  bool any_old(const std::vector<look>& looks) const;
  bool is_new();
  std::uint64_t state() const;
  std::vector<std::size_t> oldest_readable() const;
  std::uint64_t view_of(const view& v, const std::vector<std::size_t>& oldest) const;
  bool next_path();

  program& program_;
  limits limits_;
  outcome outcome_;
  memory memory_;
  std::vector<const void*> objects_;
  std::vector<worker> workers_;
  std::vector<std::function<void()>> bodies_;
  std::vector<step> path_;
  std::size_t next_ = 0;
  int left_ = 0, phase_ = 0, running_ = -1, num_workers_ = 0;
  bool stutters_ = false, tracing_ = false;
  std::string failure_, trace_;
  std::unordered_map<std::uint64_t, int> met_;  // states, and the deviations left when met
};

/// The engine that runs.
inline engine* running = nullptr;

/// All executions within the limits.
inline outcome explore(program& explored, const limits& given = {}) {
  engine runs(explored, given);
  running = &runs;
  outcome found = runs.run();
  running = nullptr;
  return found;
}

/// The failing execution with the fewest deviations, if there is one within the limits.
inline outcome find_failure(program& explored, const limits& given = {}) {
  outcome all;
  for (int deviations = 0;; ++deviations) {
    outcome found = explore(explored, {deviations, given.executions, given.prunes});
    found.executions += all.executions;
    found.states += all.states;
    found.deviations = deviations;
    all = found;
    if (all.failed() || !all.complete || !all.limited || deviations == given.deviations) return all;
  }
}

}  // namespace explorer

#include "tests/protocol/explorer/engine.hpp"

#endif
