// Compactions by the library's kernels on the stand-in GPU.
#include "tests/emulated/words.hpp"
// (before all that has device code)
#include <doctest/doctest.h>

#include <scan/scan.cuh>

#include "tests/compaction/check_folds.hpp"
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
/// Of several tiles for the one multiprocessor of device 2, of elements of so many bytes.
tests::compaction_case for_ring(int item_bytes, std::mt19937_64& random) {
  namespace device = scan::device;
  const std::int64_t rows =
      std::max(device::most_tile_rows(item_bytes), device::most_folding_rows(item_bytes));
  const std::int64_t least =
      emulated::devices[2].sm_count * device::most_compaction_threads * rows + 1;
  auto c = tests::random_compaction(random, 10);
  const std::int64_t more = static_cast<std::int64_t>(random() % 10) * least +
                            static_cast<std::int64_t>(random() % 30000) / item_bytes;
  c.n = random() % 4 == 0 ? static_cast<std::int64_t>(random() % 3000) : least + more;
  c.counted = c.n < 3000 || c.counted;
  c.most = c.counted ? least + more + 77 : c.n;
  c.room = c.room % 2 == 0 || c.in_place ? c.most : c.most / 3;
  return c;
}

TEST_CASE("emulated compactions in the ring") {
  emulated::draw(12, 0, {"compaction_ring_kernel"}, [](std::mt19937_64& random) {
    emulated::now.device = 2;  // of one multiprocessor, whose block has tile after tile
    const auto drawn = [&](int item_bytes) { return for_ring(item_bytes, random); };
    check_selection<stand_in, std::uint32_t>(drawn(4), false, random);
    check_selection<stand_in, tests::element<16, 4>>(drawn(16), false, random);
    check_selection<stand_in, tests::element<12, 4>>(drawn(12), true, random);
    check_indices<stand_in, std::int64_t>(drawn(1), random);
    check_runs<stand_in, std::uint64_t, std::int32_t>(drawn(8), scan::equal_keys{}, random);
  });
}

TEST_CASE("emulated folds of runs in the ring") {
  emulated::draw(12, 0, {"compaction_ring_kernel"}, [](std::mt19937_64& random) {
    emulated::now.device = 2;
    const scan::equal_keys same;
    const tests::one_after_another next;
    const auto drawn = [&](int item_bytes) { return for_ring(item_bytes, random); };
    check_folds<stand_in, std::uint32_t, float, float>(drawn(8), scan::plus{}, same, random);
    check_folds<stand_in, std::uint64_t, std::uint64_t, std::uint64_t>(drawn(16), scan::plus{},
                                                                       same, random);
    check_folds<stand_in, std::uint16_t, tests::word_affine, tests::word_affine>(drawn(10), next,
                                                                                 same, random);
    check_folds<stand_in, std::uint8_t, std::int32_t, std::int32_t>(drawn(5), scan::maximum{}, same,
                                                                    random);
  });
}
#endif

TEST_CASE("emulated compactions") {
  emulated::draw(40, 5, all_kernels, [](std::mt19937_64& random) {
    tests::check_compactions<stand_in>(random, emulated::random_most(random, 2));
  });
  emulated::draw(25, 5, all_kernels, [](std::mt19937_64& random) {
    tests::check_own_compactions<stand_in>(random, emulated::random_most(random, 2));
  });
}

TEST_CASE("emulated folds of runs") {
  emulated::draw(25, 5, all_kernels, [](std::mt19937_64& random) {
    const std::int64_t most = emulated::random_most(random, 2);
    tests::check_held_folds<stand_in>(random, most);
    tests::check_own_folds<stand_in>(random, most);
  });
}

TEST_CASE("tiles that are more than the threads of small blocks") {
  emulated::draw(1, 0, {"compaction_kernel"}, [](std::mt19937_64& random) {
    emulated::now.device = 5;  // of 300 multiprocessors, which would have a tile each
    tests::compaction_case c;
    c.n = c.most = c.room = 70'000;
    check_selection<stand_in, std::uint8_t>(c, true, random);
    check_folds<stand_in, std::int32_t, tests::affine, tests::affine>(c, tests::one_after_another{},
                                                                      scan::equal_keys{}, random);
  });
}
