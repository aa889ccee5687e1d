// In place of the toolkit's: a cluster, and its blocks' shared memory.
#ifndef SCAN_TESTS_EMULATED_COOPERATIVE_GROUPS_H
#define SCAN_TESTS_EMULATED_COOPERATIVE_GROUPS_H

#include "tests/emulated/engine.hpp"

namespace cooperative_groups {

struct cluster_group {
  template <class T>
  T* map_shared_rank(T* own, unsigned rank) const {
    return static_cast<T*>(emulated::of_block(own, rank));
  }
};
inline cluster_group this_cluster() { return {}; }

}  // namespace cooperative_groups

#endif
