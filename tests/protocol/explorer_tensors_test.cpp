// The look-backs of columns and rows in every order that C++ memory allows, by more blocks than run
// at a time: who waits never keeps out those it waits for.
#include <doctest/doctest.h>

#include <cstdint>

#include "tests/protocol/explorer/checks.hpp"
#include "tests/protocol/explorer/tensors.hpp"

namespace {

using explorer::check;
using explorer::column_ring_scans;
using explorer::column_scans;
using explorer::fault;
using explorer::must_fail;
using explorer::row_scans;
using explorer::strip_scans;
constexpr std::uint32_t last = 0xffffffffu;

fault losing_publications() {
  fault lost;
  lost.function = "publish";
  lost.lost_bytes = 8;
  return lost;
}

}  // namespace

TEST_SUITE("explorer") {
  TEST_CASE("columns: tiles, batches and spans publish, in few slots") {
    check("columns: 3 tiles, 3 slots", column_scans({{1, 3}}, 3));
    check("columns: 5 tiles, 2 slots", column_scans({{1, 5}}, 2), {3});
    check("columns: 2 strips of 10 tiles, 1 slot", column_scans({{2, 10}}, 1));
    check("columns: 10 tiles, 3 slots", column_scans({{1, 10}}, 3), {2});
    check("columns: 2 strips of 9 tiles, 3 slots", column_scans({{2, 9}}, 3), {1});
    check("columns: 9 tiles, the epochs start over, 2 strips of 5",
          column_scans({{1, 9}, {2, 5}}, 3, last - 1), {1});
    must_fail("columns: nothing published", losing_publications(), column_scans({{1, 3}}, 2));
  }

  // Of 2 batches of 2 tiles that are looked at at once.
  TEST_CASE("narrow columns in the ring: blocks that pass batches") {
    check("narrow columns: 3 tiles, 2 blocks", column_ring_scans({{1, 3}}, 2), {3});
    check("narrow columns: 9 tiles, 1 block", column_ring_scans({{1, 9}}, 1));
    check("narrow columns: 9 tiles, 2 blocks", column_ring_scans({{1, 9}}, 2), {2});
    check("narrow columns: 2 slabs of 5 tiles, 2 blocks", column_ring_scans({{2, 5}}, 2), {2});
    check("narrow columns: 7 tiles, 3 blocks", column_ring_scans({{1, 7}}, 3), {1});
    check("narrow columns: 7 tiles, the epochs start over, 2 of 3",
          column_ring_scans({{1, 7}, {2, 3}}, 2, last - 1), {1});
    check("narrow columns: 9 tiles, of which a block finds 8", column_ring_scans({{1, 9}}, 2, 0, 8),
          {1});
    must_fail("narrow columns: nothing published", losing_publications(),
              column_ring_scans({{1, 3}}, 2));
  }

  // Batches of 2 tiles.
  TEST_CASE("wide columns in the ring: tiles, batches, and what precedes these, are published") {
    check("wide columns: 3 tiles, 2 blocks", strip_scans({{1, 3}}, 2), {3});
    check("wide columns: 9 tiles, 1 block", strip_scans({{1, 9}}, 1));
    check("wide columns: 7 tiles, 2 blocks", strip_scans({{1, 7}}, 2), {2});
    check("wide columns: 2 strips of 5 tiles, 2 blocks", strip_scans({{2, 5}}, 2), {2});
    check("wide columns: 7 tiles, 3 blocks", strip_scans({{1, 7}}, 3), {1});
    check("wide columns: 7 tiles, the epochs start over, 2 strips of 3",
          strip_scans({{1, 7}, {2, 3}}, 2, last - 1), {1});
    check("wide columns: 9 tiles, of which a block finds 8", strip_scans({{1, 9}}, 2, 0, 8), {1});
    must_fail("wide columns: nothing published", losing_publications(), strip_scans({{1, 3}}, 2));
  }

  TEST_CASE("rows: tiles and batches publish, in few slots") {
    check("rows: 2 of 2 tiles, 2 slots", row_scans({{2, 2}}, 2), {3});
    check("rows: 6 tiles, 2 slots", row_scans({{1, 6}}, 2), {2});
    check("rows: 2 of 4 tiles in groups of 2, 2 slots", row_scans({{2, 4, 2}}, 2), {2});
    check("rows: 9 tiles, 3 slots", row_scans({{1, 9}}, 3), {1});
    check("rows: 6 tiles, the epochs start over, 2 of 3", row_scans({{1, 6}, {2, 3}}, 3, last - 1),
          {1});
    must_fail("rows: nothing published", losing_publications(), row_scans({{1, 2}}, 2));
  }
}
