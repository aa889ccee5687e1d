// Compactions on the stand-in GPU, by each of their kernels: few cases of few types.
#include "tests/emulated/words.hpp"
// (before all that has device code)
#include <doctest/doctest.h>

#include "scan/device/launch/compaction_launch.cuh"
#include "tests/compaction/check_folds.hpp"
#include "tests/compaction/device_calls.hpp"
#include "tests/emulated/check_call.hpp"

namespace {

struct stand_in : tests::device_calls {
  static constexpr bool takes_functions = false;
  template <class T>
  struct array : emulated::array<T> {
    array(const std::vector<T>& items, std::int64_t offset, std::mt19937_64& random)
        : emulated::array<T>(items, offset, emulated::random_end(random)) {}
  };
  static std::string now() { return "seed " + std::to_string(emulated::now.seed); }
};

void check(std::mt19937_64& random, std::int64_t least, std::int64_t most) {
  const auto drawn = [&](std::int64_t bytes) {
    auto c = tests::random_compaction(random, most / bytes);
    c.counted = c.counted || c.n == 0;
    if (c.n == 0 && c.most == 0) c.most = most / bytes;
    if (c.n > 0) c.n += least / bytes;
    c.most += least / bytes;
    c.room = c.room % 2 == 0 || c.in_place ? c.most : c.most / 3;
    return c;
  };
  switch (emulated::now.seed % 3) {
    case 0:
      return tests::check_selection<stand_in, std::uint8_t>(drawn(2), random() % 4 != 0, random);
    case 1:
      return tests::check_indices<stand_in, std::int64_t>(drawn(8), random);
    default:
      return tests::check_runs<stand_in, std::uint8_t, std::int32_t>(drawn(2), scan::equal_keys{},
                                                                     random);
  }
}

}  // namespace

void check_sums(std::mt19937_64& random, std::int64_t least, std::int64_t most) {
  auto c = tests::random_compaction(random, most);
  if (c.n > 0) c.n += least;
  c.counted = c.counted || c.n == 0;
  c.most += least + 1;
  c.missing = -1;
  c.room = c.in_place ? c.most : c.most / (1 + static_cast<std::int64_t>(random() % 2));
  if (emulated::now.seed % 2 == 0) {
    return tests::check_folds<stand_in, std::uint32_t, std::int32_t, std::int32_t>(
        c, scan::plus{}, scan::equal_keys{}, random);
  }
  tests::check_folds<stand_in, std::uint16_t, tests::affine, tests::affine>(
      c, tests::one_after_another{}, scan::equal_keys{}, random);
}

TEST_CASE("folds of tiles of blocks") {
  emulated::draw(24, 0, {"compaction_kernel"}, [](std::mt19937_64& random) {
    emulated::now.device = 1;
    check_sums(random, 0, 9000);
  });
}

TEST_CASE("folds in the ring") {
  emulated::draw(8, 0, {"compaction_ring_kernel"}, [](std::mt19937_64& random) {
    emulated::now.device = 2;
    check_sums(random, 9000, 9000);
  });
}

TEST_CASE("a cluster") {
  emulated::draw(60, 0, {"compaction_cluster_kernel", "compaction_cluster_kernel of a cluster"},
                 [](std::mt19937_64& random) {
                   emulated::now.device = random() % 2 == 0 ? 0 : 3;
                   check(random, 0, 24000);
                 });
}

TEST_CASE("tiles of blocks") {
  emulated::draw(72, 0, {"compaction_kernel"}, [](std::mt19937_64& random) {
    emulated::now.device = 1;  // without clusters and ring; of four multiprocessors
    // At times more tiles than blocks.
    check(random, emulated::now.seed % 6 == 5 ? 140000 : 0, 24000);
  });
}

TEST_CASE("the ring") {
  emulated::draw(9, 0, {"compaction_ring_kernel"}, [](std::mt19937_64& random) {
    emulated::now.device = 2;  // of one multiprocessor, whose block has tile after tile
    check(random, 8 * 17000, 14 * 128 * 32 * 4);
  });
}
