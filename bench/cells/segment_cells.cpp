// Segments: distributions of lengths that other libraries find hard, each told in every way, and
// some that nobody chose.
#include <algorithm>

#include "bench/cells/cells.hpp"
#include "bench/cells/random_numbers.hpp"
#include "bench/cells/scans.hpp"
#include "bench/report/text.hpp"

namespace bench {
namespace {

/// A distribution, with as many elements for each segment on average.
struct distribution {
  ragged segments;
  std::int64_t mean;
};

std::vector<distribution> distributions() {
  const auto alike = [](std::int64_t length) {
    return distribution{{.law = length_law::alike, .length = length}, length};
  };
  return {alike(1),
          alike(3),
          alike(1000),
          {{.law = length_law::weighted, .quarters = 4, .seed = 13}, 16},
          {{.law = length_law::weighted, .empty_of_64 = 21, .seed = 13}, 8},
          // as many as 10^6 beside one of 2^28
          {{.law = length_law::one_giant, .length = 3}, 271}};
}

std::vector<cell> kinds_of_segments() {
  std::vector<cell> kinds;
  for (const std::size_t scan : places_of<suite_segment_sums>()) {
    kinds.push_back({.scan = scan, .rivals = cell_rivals::segments});
  }
  return kinds;
}
std::vector<cell> kinds_of_recurrences() {
  std::vector<cell> kinds;
  for (const std::size_t scan : places_of<suite_recurrences>()) {
    kinds.push_back({.scan = scan, .rivals = cell_rivals::segments, .recurrence = true});
  }
  return kinds;
}

cell with_items(cell what, std::int64_t num_items, std::int64_t mean) {
  what.num_items = std::clamp<std::int64_t>(num_items, 1, INT32_MAX);
  const std::int64_t num_segments = what.segments.law == length_law::alike
                                        ? (what.num_items + mean - 1) / mean
                                        : what.num_items / mean;
  what.segments.num_segments = std::max<std::int64_t>(1, num_segments);
  return what;
}

/// Of about as many bytes per side, heads included.
cell with_bytes(const cell& what, std::int64_t num_bytes, std::int64_t mean) {
  const std::int64_t most_items = 2 * num_bytes / (what.in_bytes() + what.out_bytes());
  const cell more = with_items(what, most_items, mean);
  const double scale = static_cast<double>(num_bytes) / static_cast<double>(more.bytes_per_side());
  return with_items(what, static_cast<std::int64_t>(static_cast<double>(more.num_items) * scale),
                    mean);
}

/// The same elements in every way that goals compare, and small ones of as many bytes.
void add_segments(std::vector<cell>& cells, cell what, const distribution& of) {
  const head_words heads = what.segments.heads;
  what.segments = of.segments;
  what.segments.heads = heads;
  for (const std::int64_t num_bytes : {64 * mib, 256 * mib}) {
    cells.push_back(with_items(what, num_bytes / what.in_bytes(), of.mean));
  }
  // The first a little more: what is less than 64 KiB has no goal.
  for (const std::int64_t num_kib : {66, 256, 1024, 4096, 16384}) {
    cells.push_back(with_bytes(what, num_kib * kib, of.mean));
  }
}

cell giant_among_a_million(cell what) {
  constexpr std::int64_t million = 1000000;
  const head_words heads = what.segments.heads;
  what.segments = {
      .heads = heads, .law = length_law::one_giant, .num_segments = million + 1, .length = 3};
  what.num_items = (std::int64_t{1} << 28) + 3 * million;
  return what;
}

/// Of recurrences fewer: large ones and one small one, by what is told in one way of each kind.
void add_recurrences(std::vector<cell>& cells) {
  for (cell what : kinds_of_recurrences()) {
    for (const head_words heads :
         {head_words::offsets_32, head_words::keys, head_words::flag_bytes}) {
      for (const distribution& of : distributions()) {
        what.segments = of.segments;
        what.segments.heads = heads;
        for (const std::int64_t num_bytes : {1 * mib, 64 * mib, 256 * mib}) {
          cells.push_back(with_items(what, num_bytes / what.in_bytes(), of.mean));
        }
      }
    }
  }
}

/// All is drawn whether it is used or not, so that each cell takes as many numbers.
cell draw_segment_cell(random_numbers& random, const random_draw& draw,
                       const std::vector<cell>& kinds) {
  cell what = kinds[random.below(static_cast<std::uint32_t>(kinds.size()))];
  ragged& of = what.segments;
  of.law = length_law::weighted;
  of.heads = all_head_words[random.below(std::size(all_head_words))];
  const std::int64_t num_bytes = random.log_uniform(draw.from_bytes, draw.to_bytes);
  const std::int64_t mean =
      random.log_uniform(1, 2 + 2 * num_bytes / (what.in_bytes() + what.out_bytes()));
  of.quarters = static_cast<int>(random.below(9));
  const int empty = static_cast<int>(random.below(64)), log = static_cast<int>(random.below(11));
  of.empty_of_64 = random.one_in(4) ? empty : 0;
  of.log_neighbours = random.one_in(2) ? log : 0;
  of.seed = random.bits();
  const bool off = random.one_in(4);
  int shifts[3];
  for (int& shift : shifts) shift = static_cast<int>(random.below(16));
  if (off) {
    what.in_offset = shifts[0];
    what.out_offset = shifts[1];
    of.head_shift = shifts[2];
  }
  return with_bytes(what, num_bytes, mean);
}

}  // namespace

std::vector<cell> random_segment_cells(const random_draw& draw) {
  random_numbers random(draw.seed);
  const std::vector<cell> kinds = kinds_of_segments();
  std::vector<cell> cells;
  for (int i = 0; i < draw.num_cells; ++i) cells.push_back(draw_segment_cell(random, draw, kinds));
  return cells;
}

std::vector<cell> segment_cells(const random_draw& draw) {
  std::vector<cell> cells;
  for (cell what : kinds_of_segments()) {
    for (const head_words heads : all_head_words) {
      // Of wider offsets one type: what they cost is their bytes.
      if (heads == head_words::offsets_64 && what.in_type() != "f32") continue;
      what.segments.heads = heads;
      for (const distribution& of : distributions()) add_segments(cells, what, of);
      cells.push_back(giant_among_a_million(what));
    }
  }
  add_recurrences(cells);
  const std::vector<cell> drawn = random_segment_cells(draw);
  cells.insert(cells.end(), drawn.begin(), drawn.end());
  return cells;
}

std::string cell::segments_name() const {
  return items_text(num_items) + ", " + segments.lengths_name() + ", " + segments.heads_name();
}

std::int64_t cell::heads_offset() const {
  return aligned_in_slot((num_items + in_offset) * in_bytes()) +
         segments.head_shift * segments.head_word_bytes();
}

std::int64_t cell::ragged_slot_bytes() const {
  std::int64_t read = heads_offset() + segments.head_bytes(num_items);
  if (recurrence) read = factors_offset() + (num_items + in_offset) * in_bytes();
  return std::max(read, (num_items + out_offset) * out_bytes());
}

}  // namespace bench
