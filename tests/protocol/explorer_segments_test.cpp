// The look-back of scans that start anew in every order that C++ memory allows: wherever segments
// begin, whoever is late.
#include <doctest/doctest.h>

#include <cstdint>
#include <string>

#include "tests/protocol/explorer/checks.hpp"
#include "tests/protocol/explorer/segments.hpp"

namespace {

using explorer::call;
using explorer::check;
using explorer::fault;
using explorer::headed_folds;
using explorer::manner;
using explorer::must_fail;
using explorer::segment_scans;
constexpr std::uint32_t last = segment_scans<>::states_type::last_epoch;

/// Where segments begin, the first tile on the left: "|--|".
std::string drawn(unsigned heads, int num_tiles) {
  std::string tiles;
  for (int i = 0; i < num_tiles; ++i) tiles += (heads >> i & 1) != 0 ? '|' : '-';
  return tiles;
}

fault seeing(std::uint64_t (*seen)(std::uint64_t, const void*)) {
  fault wrong;
  wrong.function = "load_two";
  wrong.seen = seen;
  return wrong;
}
bool is_second(const void* word) { return reinterpret_cast<std::uintptr_t>(word) % 16 == 8; }

}  // namespace

TEST_SUITE("explorer") {
  TEST_CASE("segments, exhaustively: up to three tiles and three workers, begun in any of them") {
    for (int tiles = 1; tiles <= 3; ++tiles) {
      for (unsigned heads = 0; heads < 1u << tiles; ++heads) {
        const std::string where = "segments " + drawn(heads, tiles);
        check(where + ", 2 workers", segment_scans<>({{tiles, 2}}, {heads}));
        check(where + ", 3 workers", segment_scans<>({{tiles, 3}}, {heads}));
        check(where + ", two in hand", segment_scans<>({{tiles, 2, manner::two_in_hand}}, {heads}));
        if (heads & 1) {
          check(where + ", nothing before", segment_scans<>({{tiles, 2}}, {heads, false}));
        }
        check(where + ", a worker each",
              segment_scans<>({{tiles, tiles, manner::one_each}}, {heads}));
        check(where + ", two batches at once", segment_scans<2>({{tiles, 2}}, {heads}));
      }
    }
  }

  TEST_CASE("segments of more tiles than are looked at from the last head on, whoever is late") {
    for (const unsigned heads : {0u, 4u, 10u}) {
      const std::string where = "segments " + drawn(heads, 5) + ", a worker each";
      check(where, segment_scans<>({{5, 5, manner::one_each}}, {heads}), {2});
      check(where + ", two batches at once", segment_scans<2>({{5, 5, manner::one_each}}, {heads}),
            {2});
      check(where + ", four batches at once", segment_scans<4>({{5, 5, manner::one_each}}, {heads}),
            {2});
    }
    check("segments ||||, then ----, four batches at once",
          segment_scans<4>({{4, 4, manner::one_each}, {4, 4, manner::one_each}}, {15, true, 0}),
          {1});
  }

  TEST_CASE("segments of more tiles, of scan after scan, of epochs that start over") {
    for (const unsigned heads : {0u, 4u, 10u, 16u, 31u}) {
      const std::string where = "segments " + drawn(heads, 5);
      check(where + ", 3 workers", segment_scans<>({{5, 3}}, {heads}), {2});
      check(where + ", two batches at once", segment_scans<2>({{5, 3}}, {heads}), {2});
      check(where + ", over and again",
            segment_scans<>({{3, 2, manner::in_turn, last - 1}, {2, 2}}, {heads}), {3});
    }
  }

  TEST_CASE("segments: flags lost, and looks that are too short, are found") {
    for (const unsigned heads : {1u, 2u}) {
      must_fail("where a segment begins is lost on the way",
                seeing([](std::uint64_t word, const void* at) {
                  return is_second(at) ? word & ~std::uint64_t{0xffffffff} : word;
                }),
                segment_scans<>({{3, 2}}, {heads}));
    }
    must_fail("begins everywhere, says who looks", seeing([](std::uint64_t word, const void* at) {
                return is_second(at) && word >> 32 != 0 ? word | 1 : word;
              }),
              segment_scans<>({{3, 2}}, {0}));
    must_fail("the flag's tag not compared", seeing([](std::uint64_t word, const void* at) {
                const std::uint64_t tag = std::uint64_t{explorer::current_epoch} << 32;
                return is_second(at) ? tag | (word & 0xffffffffu) : word;
              }),
              segment_scans<>({{2, 2}}, {1}));
    must_fail("segments: retires before it has looked",
              segment_scans<>({{2, 2, manner::impatient, last - 1}}, {0}));
  }
}
