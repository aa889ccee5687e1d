// Compactions by the library's kernels on the stand-in GPU.
#include "tests/emulated/words.hpp"
// (before all that has device code)
#include <doctest/doctest.h>

#include <scan/scan.cuh>

#include "tests/compaction/check_compaction.hpp"
#include "tests/compaction/device_calls.hpp"
#include "tests/emulated/check_call.hpp"

namespace {

struct stand_in : tests::device_calls {
  static constexpr bool takes_functions = true;
  template <class T>
  struct array : emulated::array<T> {
    array(const std::vector<T>& items, std::int64_t offset, std::mt19937_64& random)
        : emulated::array<T>(items, offset, emulated::random_end(random)) {}
  };
  static std::string now() {
    return "seed " + std::to_string(emulated::now.seed) + ", device " +
           std::to_string(emulated::now.device) + std::string(emulated::seen.failure);
  }
};

/// Which of them runs is a question of how many elements there are.
const std::vector<std::string> all_kernels {
  "compaction_kernel", "compaction_cluster_kernel",
#if EMULATED_ARCH >= 900
      "compaction_cluster_kernel of a cluster",
#endif
};

}  // namespace

#if EMULATED_ARCH >= 900
TEST_CASE("emulated compactions in the ring") {
  emulated::draw(12, 0, {"compaction_ring_kernel"}, [](std::mt19937_64& random) {
    emulated::now.device = 2;  // of one multiprocessor, whose block has tile after tile
    const auto least = [](int item_bytes) {
      return std::int64_t{emulated::devices[2].sm_count} * scan::device::most_compaction_threads *
                 scan::device::most_tile_rows(item_bytes) +
             1;
    };
    const auto drawn = [&](int item_bytes) {
      auto c = tests::random_compaction(random, 10);
      const std::int64_t more = static_cast<std::int64_t>(random() % 10) * least(item_bytes) +
                                static_cast<std::int64_t>(random() % 30000) / item_bytes;
      c.n =
          random() % 4 == 0 ? static_cast<std::int64_t>(random() % 3000) : least(item_bytes) + more;
      c.counted = c.n < 3000 || c.counted;
      c.most = c.counted ? least(item_bytes) + more + 77 : c.n;
      c.room = c.room % 2 == 0 || c.in_place ? c.most : c.most / 3;
      return c;
    };
    check_selection<stand_in, std::uint32_t>(drawn(4), false, random);
    check_selection<stand_in, tests::element<16, 4>>(drawn(16), false, random);
    check_selection<stand_in, tests::element<12, 4>>(drawn(12), true, random);
    check_indices<stand_in, std::int64_t>(drawn(1), random);
    check_runs<stand_in, std::uint64_t, std::int32_t>(drawn(8), scan::equal_keys{}, random);
  });
}
#endif

TEST_CASE("emulated compactions") {
  emulated::draw(60, 5, all_kernels, [](std::mt19937_64& random) {
    tests::check_compactions<stand_in>(random, emulated::random_most(random, 2));
  });
  emulated::draw(40, 5, all_kernels, [](std::mt19937_64& random) {
    tests::check_own_compactions<stand_in>(random, emulated::random_most(random, 2));
  });
}

TEST_CASE("tiles that are more than the threads of small blocks") {
  emulated::draw(1, 0, {"compaction_kernel"}, [](std::mt19937_64& random) {
    emulated::now.device = 5;  // of 300 multiprocessors, which would have a tile each
    tests::compaction_case c;
    c.n = c.most = c.room = 70'000;
    check_selection<stand_in, std::uint8_t>(c, true, random);
  });
}
