// What explore.hpp declares.
#ifndef SCAN_TESTS_EXPLORER_ENGINE_HPP
#define SCAN_TESTS_EXPLORER_ENGINE_HPP

#include <algorithm>
#include <cstdio>
#include <numeric>

#include "tests/protocol/explorer/explore.hpp"

namespace explorer {

// ---- executions ----

inline outcome engine::run() {
  bodies_.reserve(most_threads);
  workers_.reserve(most_threads);
  do {
    ++outcome_.executions;
    if (!execute()) {
      outcome_.failure = failure_;
      failure_.clear();
      tracing_ = true;  // once more, with words
      execute();
      outcome_.trace = trace_;
      return outcome_;
    }
    if (outcome_.executions >= limits_.executions) return outcome_;
  } while (next_path());
  outcome_.complete = true;
  return outcome_;
}

/// The next execution's choices: the last one that has another possibility takes it.
inline bool engine::next_path() {
  while (!path_.empty() && ++path_.back().taken >= path_.back().available) path_.pop_back();
  return !path_.empty();
}

/// One execution; false if it failed.
inline bool engine::execute() {
  next_ = 0;
  left_ = limits_.deviations;
  trace_.clear();
  program_.reset();
  for (phase_ = 0; phase_ < program_.num_phases(); ++phase_) {
    if (!run_phase(phase_)) return failure_.empty();
  }
  outcome_.endings.insert(state());
  return failure_.empty();
}

/// False when the execution ends there: it failed, or goes on as another one did.
inline bool engine::run_phase(int phase) {
  objects_.clear();
  memory_.locations.clear();
  memory_.cells.clear();
  num_workers_ = program_.num_workers(phase);
  if (workers_.size() < index(num_workers_)) workers_.resize(index(num_workers_));
  program_.begin(phase);
  memory_.begin();
  bodies_.clear();
  for (int w = 0; w < num_workers_; ++w) {
    worker& one = workers_[index(w)];
    one.history = program_.alike() ? 1 : mixed(1, index(w) + 1);
    one.looks_anew();
    one.waits = false;
    one.barrier = -1;
    bodies_.emplace_back([this, phase, w] { program_.work(phase, w); });
  }
  for (running_ = 0; running_ < num_workers_; ++running_) {
    workers_[index(running_)].runs.start(bodies_[index(running_)]);
    workers_[index(running_)].runs.resume();  // to its first operation
  }
  running_ = -1;
  int num_steps = 0;
  while (failure_.empty()) {
    if (!memory_.untouched()) {
      fail("an atomic object is written as plain memory");
      break;
    }
    const std::vector<int> able = enabled();
    if (able.empty()) break;
    if (next_ >= path_.size() && !tracing_ && limits_.prunes && !is_new()) return false;
    // Who waits at a barrier hands on to its neighbours.
    const bool goes_on =
        running_ >= 0 && (able.front() == running_ || workers_[index(running_)].barrier >= 0);
    const int number = static_cast<int>(able.size());
    running_ = able[index(choose(number, goes_on ? 1 : number))];
    workers_[index(running_)].waits = false;
    workers_[index(running_)].runs.resume();
    if (++num_steps > 100'000) fail("it does not end");
    if (stutters_) {
      stutters_ = false;
      return false;
    }
  }
  for (int w = 0; w < num_workers_ && failure_.empty(); ++w) {
    if (!workers_[index(w)].runs.done()) {
      running_ = w;
      note("waits", -1, "");
      failure_ = "deadlock: some wait for what nobody will store";
    }
  }
  for (const plain_cell& c : memory_.cells) {
    if (c.past_caches_by >= 0) fail("stores past the caches are not finished at the end");
  }
  if (!failure_.empty()) return false;
  memory_.end();
  program_.end(phase);
  return failure_.empty();
}

/// Who can go on: the one that ran last first.
inline std::vector<int> engine::enabled() const {
  std::vector<int> able;
  for (int i = 0; i < num_workers_; ++i) {
    const int w = running_ < 0 ? i : (running_ + i) % num_workers_;
    const worker& one = workers_[index(w)];
    if (one.runs.done() || one.barrier >= 0) continue;
    if (one.waits && !any_old(one.awaited)) continue;
    able.push_back(w);
  }
  return able;
}

/// One of n possibilities, of which all but the first `free` are deviations.
inline int engine::choose(int n, int free) {
  const int available = left_ > 0 ? n : free;
  outcome_.limited |= available < n;
  if (available == 1) return 0;
  if (next_ == path_.size()) path_.push_back({0, available});
  const int taken = path_[next_++].taken;
  if (taken >= free) --left_;
  return taken;
}

// ---- states ----

inline bool engine::is_new() {
  std::uint64_t now = state();
  // What is a deviation depends on who ran last.
  if (limits_.deviations != limits::all && running_ >= 0)
    now = mixed(now, workers_[index(running_)].history);
  const auto [found, added] = met_.try_emplace(now, left_);
  if (added) {
    ++outcome_.states;
  } else if (found->second >= left_) {
    return false;
  }
  found->second = left_;
  return true;
}

/// Everything that decides what can still happen. Messages that no worker can read any more do not.
inline std::uint64_t engine::state() const {
  std::array<int, most_threads> workers{};
  std::iota(workers.begin(), workers.begin() + num_workers_, 0);
  if (program_.alike() && memory_.cells.empty()) {  // clocks go by numbers
    std::stable_sort(workers.begin(), workers.begin() + num_workers_, [&](int a, int b) {
      return workers_[index(a)].history < workers_[index(b)].history;
    });
  }
  std::uint64_t all = mixed(index(phase_) + 1, index(num_workers_));
  const std::vector<std::size_t> oldest_of = oldest_readable();
  for (int at = 0; at < static_cast<int>(memory_.locations.size()); ++at) {
    const location& l = memory_.locations[index(at)];
    const std::size_t oldest = oldest_of[index(at)];
    for (std::size_t i = oldest; i < l.order.size(); ++i) {
      const message& m = l.messages[l.order[i]];
      all = mixed(all, m.value);
      all = mixed(all, m.joined_to_last);
      all = mixed(all, view_of(m.released, oldest_of));
    }
    for (int i = 0; i < num_workers_; ++i) {
      const int w = workers[index(i)];
      if (!workers_[index(w)].runs.done()) all = mixed(all, memory_.floor(w, at) - oldest);
    }
    all = mixed(all, 0x10c);
  }
  for (int i = 0; i < num_workers_; ++i) {
    const int w = workers[index(i)];
    const worker& one = workers_[index(w)];
    all = mixed(all, one.history);
    all = mixed(all, index(one.runs.done() + 2 * one.waits + 4 * (one.barrier + 1)));
    const thread_view& knows = memory_.threads[index(w)];
    if (knows.fenced) {
      all = mixed(mixed(all, view_of(knows.to_acquire, oldest_of)),
                  view_of(knows.to_release, oldest_of));
    }
    for (int j = 0; j < num_workers_ && !memory_.cells.empty(); ++j) {
      all = mixed(all, knows.now.clock[index(workers[index(j)])]);
    }
  }
  for (const plain_cell& c : memory_.cells) {
    all =
        mixed(mixed(all, index(c.writer + 1)), index(c.written + 0x10000 * (c.past_caches_by + 1)));
    for (const std::uint16_t t : c.read) all = mixed(all, t);
  }
  return all;
}

/// The place of the oldest message of each location that a worker may still read.
inline std::vector<std::size_t> engine::oldest_readable() const {
  std::vector<std::size_t> oldest;
  for (int at = 0; at < static_cast<int>(memory_.locations.size()); ++at) {
    oldest.push_back(memory_.locations[index(at)].order.size() - 1);
    for (int w = 0; w < num_workers_; ++w) {
      if (!workers_[index(w)].runs.done())
        oldest.back() = std::min(oldest.back(), memory_.floor(w, at));
    }
  }
  return oldest;
}

inline std::uint64_t engine::view_of(const view& v, const std::vector<std::size_t>& oldest) const {
  std::uint64_t all = 0;
  for (std::size_t i = 0; i < memory_.locations.size(); ++i) {
    const std::size_t place = memory_.locations[i].position[v.seen[i]];
    all = mixed(all, place - std::min(place, oldest[i]));
  }
  for (const std::uint16_t t : v.clock) all = mixed(all, memory_.cells.empty() ? 0 : t);
  return all;
}

// ---- operations of workers ----

inline int engine::at(const void* object) {
  const auto found = std::find(objects_.begin(), objects_.end(), object);
  if (found == objects_.end()) {
    fail("an atomic access outside of the memory that is shared");
    point();
  }
  return static_cast<int>(found - objects_.begin());
}

/// Of a store: its location, if that can hold one more.
inline int engine::to_change(const void* object) {
  const int l = at(object);
  if (memory_.locations[index(l)].is_full()) {
    fail("it does not end: " + memory_.locations[index(l)].name + " is stored to for ever");
    point();
  }
  return l;
}

inline std::uint64_t engine::load(const void* object, order o, const char* where) {
  point();
  const int l = at(object);
  const std::uint64_t value = memory_.load(running_, l, o, [this](int n) { return choose(n, 1); });
  done(l, value, true);
  note(where, l,
       "reads " + shown(value) + (memory_.has_newer(running_, l) ? ", which is old" : ""));
  return value;
}

inline void engine::store(const void* object, std::uint64_t value, order o, const char* where) {
  point();
  const int l = to_change(object);
  memory_.store(running_, l, value, o, [this](int n) { return choose(n, 1); });
  done(l, value, false);
  note(where, l,
       "= " + shown(value) + (memory_.has_newer(running_, l) ? ", before later ones" : ""));
}

template <class Wanted, class Change>
std::uint64_t engine::read_modify_write(const void* object, order o, const char* where,
                                        const Wanted& wanted, const Change& change) {
  point();
  const int l = to_change(object);
  const std::uint64_t value = memory_.read_modify_write(
      running_, l, o, [this](int n) { return choose(n, 1); }, wanted, change);
  done(l, value, false);
  note(where, l, "was " + shown(value) + (wanted(value) ? ", is " + shown(change(value)) : ""));
  return value;
}

inline void engine::fence(order o) {
  point();
  memory_.fence(running_, o);
  workers_[index(running_)].mix(0xfe);
}

inline void engine::access_cell(int cell, bool writes, bool past_caches) {
  const bool ordered = writes ? memory_.write_plain(running_, cell, past_caches)
                              : memory_.read_plain(running_, cell);
  if (!ordered) fail("data race on plain cell " + std::to_string(cell));
}

/// Keeps what the worker has been told.
inline void engine::done(int at, std::uint64_t value, bool is_load) {
  worker& one = workers_[index(running_)];
  one.mix(mixed(index(at) + (is_load ? 0 : 1000), value));
  if (is_load) {
    const look seen{at, value, memory_.threads[index(running_)].now.seen[index(at)]};
    one.attempt.push_back(seen);
    one.looks.push_back(seen);
  } else {
    one.looks_anew();
  }
}

inline bool engine::any_old(const std::vector<look>& looks) const {
  return std::any_of(looks.begin(), looks.end(), [&](const look& l) {
    return memory_.locations[index(l.at)].newest() != l.number;
  });
}

/// Who looks again and sees the same is as it was before: how often it looked is forgotten. It need
/// not look when it would see the same, that is after two equal looks or when nothing that it has
/// seen is old, until there is something new.
inline void engine::look_again() {
  worker& one = workers_[index(running_)];
  if (one.attempt.empty()) {
    fail("a worker waits without an atomic look");
    point();
  }
  const auto matches = [&](const auto& equal) {
    return std::equal(one.attempt.begin(), one.attempt.end(), one.last_attempt.begin(),
                      one.last_attempt.end(), equal);
  };
  const bool same =
      matches([](const look& a, const look& b) { return a.at == b.at && a.value == b.value; });
  const bool identical =
      matches([](const look& a, const look& b) { return a.at == b.at && a.number == b.number; });
  one.history = same ? one.before_attempt : mixed(one.history, 0x100c);
  one.before_attempt = one.history;
  one.last_attempt = std::move(one.attempt);
  one.attempt.clear();
  one.awaited = identical ? one.last_attempt : one.looks;
  one.waits = !any_old(one.awaited);
  stutters_ = identical && !one.waits;  // goes on as if it had not looked
}

inline void engine::barrier(int group, int size) {
  worker& me = workers_[index(running_)];
  me.mix(0xba);
  me.looks_anew();
  me.barrier = group;
  std::vector<int> arrived;
  for (int w = 0; w < num_workers_; ++w) {
    if (workers_[index(w)].barrier == group) arrived.push_back(w);
  }
  if (static_cast<int>(arrived.size()) < size) {
    point();
    return me.mix(0xbb);  // or it would seem that it has gone nowhere
  }
  view all = memory_.threads[index(running_)].now;
  for (const int w : arrived) memory_.join(all, memory_.threads[index(w)].now);
  for (const int w : arrived) {
    memory_.threads[index(w)].now = all;
    memory_.tick(w);
    workers_[index(w)].barrier = -1;
  }
}

/// A line of the trace: an operation of the worker that runs.
inline void engine::note(const char* where, int at, const std::string& text) {
  if (!tracing_) return;
  trace_ += "  call " + std::to_string(phase_ + 1) + ", worker " + std::to_string(running_) + ": " +
            where + (at < 0 ? "" : ": " + memory_.locations[index(at)].name + " ") + text + "\n";
}

inline std::string engine::shown(std::uint64_t value) const {
  if (!tracing_) return {};
  std::array<char, 40> text{};
  const auto high = static_cast<unsigned>(value >> 32), low = static_cast<unsigned>(value);
  std::snprintf(text.data(), text.size(), "{%#x, %#x}", high, low);
  return text.data();
}

}  // namespace explorer

#endif
