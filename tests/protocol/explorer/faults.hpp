// Faults of the library's source, seeded while it runs: the accesses of one function are weaker
// than they stand there, or miss something.
#ifndef SCAN_TESTS_EXPLORER_FAULTS_HPP
#define SCAN_TESTS_EXPLORER_FAULTS_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "tests/protocol/explorer/explore.hpp"

namespace explorer {

struct fault {
  std::string_view function{};    // whose accesses
  std::optional<order> orders{};  // as they are then
  bool in_two = false;            // a read-modify-write is a load and a store
  std::size_t lost_bytes = 0;     // stores of so many are left out
  std::uint64_t (*seen)(std::uint64_t value, const void* object) = nullptr;  // instead of a load's
  int hits = 0;  // accesses that it has struck
};

/// The one that is seeded, if any.
inline fault* seeded = nullptr;

/// The seeded fault, if it strikes accesses in `function`.
inline fault* fault_in(const char* function) {
  if (seeded == nullptr || function != seeded->function) return nullptr;
  ++seeded->hits;
  return seeded;
}

inline std::uint64_t faulty_load(const void* object, order o, const char* function) {
  const fault* const wrong = fault_in(function);
  if (wrong != nullptr) o = wrong->orders.value_or(o);
  const std::uint64_t value = running->load(object, o, function);
  return wrong != nullptr && wrong->seen != nullptr ? wrong->seen(value, object) : value;
}

inline void faulty_store(const void* object, std::uint64_t value, std::size_t num_bytes, order o,
                         const char* function) {
  const fault* const wrong = fault_in(function);
  if (wrong != nullptr && wrong->lost_bytes == num_bytes) return;
  if (wrong != nullptr) o = wrong->orders.value_or(o);
  running->store(object, value, o, function);
}

template <class Wanted, class Change>
std::uint64_t faulty_change(const void* object, order o, const char* function, const Wanted& wanted,
                            const Change& change) {
  const fault* const wrong = fault_in(function);
  if (wrong != nullptr) o = wrong->orders.value_or(o);
  if (wrong == nullptr || !wrong->in_two)
    return running->read_modify_write(object, o, function, wanted, change);
  const std::uint64_t value = running->load(object, o, function);
  if (wanted(value)) running->store(object, change(value), o, function);
  return value;
}

}  // namespace explorer

#endif
