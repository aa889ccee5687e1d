// Scans of as many elements as memory says by the library's kernels on the stand-in GPU.
#include "tests/emulated/words.hpp"
// (before all that has device code)
#include <doctest/doctest.h>

#include <iterator>
#include <scan/scan.cuh>

#include "tests/counted/check_counted.hpp"
#include "tests/counted/device_counted.hpp"
#include "tests/emulated/check_call.hpp"

namespace {

struct stand_in : tests::counted_on_device {
  template <class T>
  struct array : emulated::array<T> {
    array(const std::vector<T>& items, std::int64_t offset, std::mt19937_64& random)
        : emulated::array<T>(items, offset, emulated::random_end(random)) {}
  };
  /// Of some cases keys come through iterators, which are read one by one.
  template <class By, class T, class Options>
  static scan::status by_key(bool exclusive, By by, const T* in, T* out, const scan::count& n,
                             const Options& opts) {
    if constexpr (std::is_pointer_v<By>) {
      if (emulated::now.seed % 2 == 0) {
        const auto there = std::make_reverse_iterator(std::make_reverse_iterator(by));
        return counted_on_device::by_key(exclusive, there, in, out, n, opts);
      }
    }
    return counted_on_device::by_key(exclusive, by, in, out, n, opts);
  }
  static std::string now() {
    return "seed " + std::to_string(emulated::now.seed) + ", device " +
           std::to_string(emulated::now.device) + std::string(emulated::seen.failure);
  }
};

/// x -> a x + b modulo 2^32, one after the other: the order matters, and there is no identity. What
/// is no element of the call has been sealed otherwise, and is counted.
struct affine {
  std::uint32_t a, b, seal;
};
constexpr std::uint32_t sealed = 0x5ea1ed;
struct followed_by {
  static inline int num_strangers = 0;
  affine operator()(const affine& earlier, const affine& later) const {
    if (earlier.seal != sealed || later.seal != sealed) ++num_strangers;
    return {earlier.a * later.a, earlier.b * later.a + later.b, sealed};
  }
};

}  // namespace

TEST_CASE("emulated counts of elements") {
  emulated::draw(90, 3, {"look_back_kernel"}, [](std::mt19937_64& random) {
    const auto drawn = [&](std::int64_t bytes) {
      return tests::random_counted(random, emulated::random_most(random, bytes),
                                   tests::counted_tile(bytes));
    };
    switch (emulated::now.seed % 3) {
      case 0:
        return tests::check_counted<stand_in, float, float>(drawn(4), scan::plus{}, random);
      case 1:
        return tests::check_counted<stand_in, std::uint8_t, std::uint64_t>(drawn(8), scan::plus{},
                                                                           random);
      default:
        return tests::check_counted<stand_in, std::uint32_t, std::uint32_t>(drawn(4), scan::plus{},
                                                                            random);
    }
  });
}

TEST_CASE("emulated counts of elements of an operator without identity, which sees no others") {
  followed_by::num_strangers = 0;
  emulated::draw(60, 3, {"look_back_kernel"}, [](std::mt19937_64& random) {
    auto c = tests::random_counted(random, emulated::random_most(random, sizeof(affine)),
                                   tests::counted_tile(sizeof(affine)));
    if (c.init == tests::sequence_init::none && (c.exclusive || c.with_total)) {
      c.init = tests::sequence_init::by_pointer;
    }
    std::vector<affine> items(static_cast<std::size_t>(c.most)), before(items.size() + c.complete);
    for (std::size_t i = 0; i < items.size(); ++i) {
      const bool is_one = static_cast<std::int64_t>(i) < c.known();
      items[i] = {static_cast<std::uint32_t>(random()) | 1, static_cast<std::uint32_t>(random()),
                  is_one ? sealed : 0};
    }
    if (c.in_place) before = items;
    const affine first{3, 5, sealed};
    auto wanted = before;
    const auto results = tests::scan_sequence<affine>(
        c, {items.begin(), items.begin() + static_cast<std::ptrdiff_t>(c.known())},
        tests::init_of_sequence<affine>(c, {first}, 0), followed_by{});
    std::copy(results.outputs.begin(), results.outputs.end(), wanted.begin());
    const tests::counted_arrays<stand_in, affine, affine> arrays(c, items, before, first, random);
    INFO(c.describe());
    INFO(stand_in::now());
    arrays.check(stand_in::scan(c.exclusive, arrays.from(c), arrays.out.data(), arrays.count(c),
                                followed_by{}, arrays.options(c, first, random)),
                 wanted, {c.with_total ? results.total : first});
  });
  CHECK(followed_by::num_strangers == 0);
}

TEST_CASE("emulated counts of elements, one after another in one workspace") {
  emulated::draw(4, 0, {"look_back_kernel"},
                 [](std::mt19937_64& random) { tests::check_counted_in_turn<stand_in>(random); });
}

TEST_CASE("emulated counts of elements by keys and flags") {
  const std::vector<std::string> kernels = {"segment_round_kernel"};
  emulated::draw(90, 3, kernels, [](std::mt19937_64& random) {
    const std::int64_t most = emulated::now.seed % 3 == 0 ? 240000 : 24000;
    tests::check_counted_runs<stand_in, std::uint32_t, std::uint8_t>(
        tests::random_counted(random, most / 4, 544 * 4), random);
    tests::check_counted_runs<stand_in, std::uint32_t, std::uint16_t>(
        tests::random_counted(random, most / 4, 544 * 4), random);
  });
}

#if EMULATED_ARCH >= 900
TEST_CASE("emulated counts of elements by keys and flags in the ring") {
  emulated::draw(4, 0, {"ring_kernel"}, [](std::mt19937_64& random) {
    const std::int64_t least = scan::device::most_round_items(sizeof(std::uint32_t), 8);
    auto c = tests::random_counted(random, 1000, 256);
    c.most = least + 1000;
    c.number =
        emulated::now.seed == 0 ? c.most + 1 : static_cast<std::int64_t>(random() % least) / 3;
    tests::check_counted_runs<stand_in, std::uint32_t, std::uint16_t>(c, random);
  });
}
#endif
