// The protocol in every order that C++ memory allows: the library's tile states and look-back, as
// they stand, over atomics of the explorer's. Prints how much there was to explore; of a failure
// the shortest trace.
#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/protocol/explorer/blocks.hpp"
#include "tests/protocol/explorer/checks.hpp"
#include "tests/protocol/explorer/faults.hpp"
#include "tests/protocol/explorer/host_scans.hpp"
#include "tests/protocol/explorer/scans.hpp"

/// In place of the system's: who waits on a CPU thread yields.
extern "C" int sched_yield() noexcept {
  if (explorer::running != nullptr) explorer::running->look_again();
  return 0;
}

namespace {

using explorer::call;
using explorer::check;
using explorer::fault;
using explorer::limits;
using explorer::manner;
using explorer::must_fail;
using explorer::outcome;
using explorer::print;
using explorer::throws;
using one_word = explorer::scans<std::int16_t>;
using two_words = explorer::scans<std::int32_t>;
using four_words = explorer::scans<std::int64_t>;
constexpr std::uint32_t last = one_word::states_type::last_epoch;

/// A fault of orders alone.
fault weaker(std::string_view function, explorer::order orders) {
  fault wrong;
  wrong.function = function;
  wrong.orders = orders;
  return wrong;
}
fault seeing(std::uint64_t (*seen)(std::uint64_t, const void*), std::string_view function) {
  fault wrong;
  wrong.function = function;
  wrong.seen = seen;
  return wrong;
}
std::uint64_t with_current_tag(std::uint64_t word) {
  return std::uint64_t{explorer::current_epoch} << 32 | (word & 0xffffffffu);
}

}  // namespace

TEST_SUITE("explorer") {
  TEST_CASE("one scan, exhaustively: up to three tiles and three workers") {
    for (int tiles = 1; tiles <= 3; ++tiles) {
      for (int workers = 2; workers <= 3; ++workers) {
        const std::string size = std::to_string(tiles) + (tiles > 1 ? " tiles, " : " tile, ") +
                                 std::to_string(workers) + " workers";
        check(size, one_word({{tiles, workers}}));
        check(size + ", two in hand", one_word({{tiles, workers, manner::two_in_hand}}));
        check(size + ", published late", one_word({{tiles, workers, manner::late}}));
        check(size + ", words brought", one_word({{tiles, workers, manner::brought}}));
      }
    }
    check("4 tiles, a worker each", one_word({{4, 4, manner::one_each}}));
    check("3 tiles, 3 workers, two batches at once", explorer::scans<std::int16_t, 2>({{3, 3}}));
  }

  TEST_CASE("what is pruned ends nowhere else") {
    for (const call& one :
         {call{3, 2}, call{2, 3}, call{3, 3, manner::one_each}, call{2, 2, manner::brought}}) {
      one_word program({one});
      const outcome every = explorer::explore(program, {limits::all, 4'000'000, false});
      const outcome pruned = explorer::explore(program);
      print("without pruning: " + std::to_string(one.num_tiles) + " tiles, " +
                std::to_string(one.num_workers) + " workers",
            every);
      CHECK(every.complete);
      CHECK(every.endings == pruned.endings);
      CHECK(every.executions > pruned.executions);
    }
  }

  TEST_CASE("aggregates of several words") {
    check("two words, 3 tiles, 3 workers", two_words({{3, 3}}));
    check("two words, 3 tiles, two in hand", two_words({{3, 2, manner::two_in_hand}}));
    check("four words, 2 tiles, 3 workers", four_words({{2, 3}}));
    check("four words, 3 tiles, 3 workers", four_words({{3, 3}}), {2});
  }

  TEST_CASE("scan after scan through one memory, of changing size") {
    check("3, 1, 2, 3 tiles", one_word({{3, 2}, {1, 3}, {2, 2}, {3, 3}}));
    check("two words: 3, 1, 3 tiles", two_words({{3, 2}, {1, 2}, {3, 2}}));
    check("narrow and many: 5, 2, 5 tiles", one_word({{5, 3}, {2, 4}, {5, 2}}), {2});
  }

  TEST_CASE("the epochs start over") {
    const call wraps{2, 2, manner::in_turn, last - 1};
    check("over, and over again", one_word({wraps, wraps}));
    check("3 tiles; over with 1; 2, 3 tiles",
          one_word({{3, 3}, {1, 3, manner::in_turn, last - 2}, {2, 3}, {3, 3}}));
    check("a worker each", one_word({{3, 3, manner::one_each, last - 1},
                                     {2, 2, manner::one_each},
                                     {3, 3, manner::one_each, last - 1}}));
    check("two in hand",
          one_word({{3, 2, manner::two_in_hand, last - 1}, {3, 2, manner::two_in_hand}}));
    check("two words", two_words({{2, 2, manner::in_turn, last - 1}, {2, 2}}));
    check("5 tiles, 3 workers", one_word({{5, 3, manner::in_turn, last - 1}, {5, 3}}), {2});
  }

  TEST_CASE("blocks of threads that look back together, of which one retires for all") {
    check("2 blocks of 2, over and again", explorer::block_scans<2>({2, 2}, last - 1));
    check("3 blocks of 2", explorer::block_scans<2>({3}, 0));
    check("3 blocks of 2, over and again", explorer::block_scans<2>({3, 3}, last - 1), {2});
    must_fail("threads do not meet between look and retire",
              explorer::block_scans<2, false>({3}, last - 1));
  }

  TEST_CASE("CPU threads") {
    check("host: 3 tiles, 2 threads", explorer::host_scan(3, 2));
    check("host: 3 tiles, 3 threads", explorer::host_scan(3, 3));
    check("host: 3 parts, 3 threads", explorer::host_parts(3, 3));
  }

  TEST_CASE("CPU threads whose operator throws") {
    for (int tile = 0; tile < 3; ++tile) {
      const std::string where = std::to_string(tile) + " of 3";
      check("host: throws when it reduces tile " + where,
            explorer::host_scan(3, 3, throws::in_reduction, tile));
      check("host: throws when it scans tile " + where,
            explorer::host_scan(3, 3, throws::in_scan, tile));
      check("host: throws in part " + where, explorer::host_parts(3, 3, tile));
    }
  }

  TEST_CASE("weaker orders and broken atomicity are found") {
    const call wraps{2, 2, manner::in_turn, last - 1};
    using explorer::order;
    must_fail("retire relaxed", weaker("retire", order::relaxed), one_word({wraps, wraps}));
    must_fail("retire without release", weaker("retire", order::acquire), one_word({wraps, wraps}));
    must_fail("retire without acquire", weaker("retire", order::release), one_word({wraps, wraps}));
    fault in_two;
    in_two.in_two = true;
    in_two.function = "retire";
    must_fail("retire by a load and a store", in_two, one_word({wraps, wraps}));
    in_two.function = "claim";
    must_fail("ticket drawn by a load and a store", in_two, one_word({{2, 2}}));
    must_fail("the same on the host", in_two, explorer::host_scan(2, 2));
    must_fail("the same of parts", in_two, explorer::host_parts(2, 2));
  }

  TEST_CASE("what is left out is missed") {
    fault lost;
    lost.function = "retire";
    lost.lost_bytes = 8;
    must_fail("words not cleared when epochs start over", lost,
              one_word({{3, 2}, {1, 2, manner::in_turn, last - 1}, {3, 2}}));
    lost.lost_bytes = 4;
    must_fail("retired workers are not forgotten", lost,
              one_word({{2, 2, manner::in_turn, last - 1}, {1, 2}}));
    lost.function = "publish";
    lost.lost_bytes = 8;
    must_fail("nothing published", lost, one_word({{2, 2}}));
    lost.function = "begin_epoch";
    must_fail("no new epoch", lost, one_word({{1, 2}, {1, 2}}));
    lost.function = "abandon";
    lost.lost_bytes = 4;
    must_fail("a failed thread tells nobody", lost,
              explorer::host_scan(3, 3, throws::in_reduction, 0));
    must_fail("retires before it has looked", one_word({{2, 2, manner::impatient, last - 1}}));
    if (explorer::writes_past_caches) {
      explorer::no_store_fence = true;
      must_fail("no store fence", explorer::host_scan(2, 2));
      must_fail("no store fence after parts", explorer::host_parts(2, 2));
      explorer::no_store_fence = false;
    }
  }

  TEST_CASE("tags that say too little are found") {
    const auto any = [](std::uint64_t word, const void*) {
      return word >> 32 == 0 ? word : with_current_tag(word);
    };
    const auto two_bits = [](std::uint64_t word, const void*) {
      const bool matches = word >> 32 != 0 && (word >> 32) % 4 == explorer::current_epoch % 4;
      return matches ? with_current_tag(word) : word;
    };
    const auto odd = [](std::uint64_t word, const void* at) {
      return reinterpret_cast<std::uintptr_t>(at) % 16 == 8 ? with_current_tag(word) : word;
    };
    must_fail("epoch not compared", seeing(any, "observe"), one_word({{2, 2}, {2, 2}}));
    must_fail("epoch of two bits", seeing(two_bits, "observe"),
              one_word({{3, 2}, {1, 2}, {1, 2}, {1, 2}, {3, 2}}));
    must_fail("second word's tag not compared", seeing(odd, "load_two"), two_words({{2, 2}}));
  }
}
