// Compactions: which call, how many are kept and in which pattern, all of it drawn.
#include <algorithm>

#include "bench/cells/cells.hpp"
#include "bench/cells/random_numbers.hpp"
#include "bench/cells/scans.hpp"
#include "bench/data/pick_pattern.hpp"
#include "bench/report/text.hpp"

namespace bench {
namespace {

constexpr std::size_t item_types[] = {scan_index<std::uint8_t>(), scan_index<std::int32_t>(),
                                      scan_index<std::int64_t>()};
constexpr int percents[] = {0, 1, 10, 50, 90, 100};

cell with_items(cell what, std::int64_t num_items) {
  what.num_items = std::clamp<std::int64_t>(num_items, 1, INT32_MAX);
  what.picked.num_kept = count_kept(what.picked, what.num_items);
  return what;
}

/// Of about as many bytes per side, flags included.
cell with_bytes(const cell& what, std::int64_t num_bytes) {
  const cell some = with_items(what, std::int64_t{1} << 24);
  const double scale = static_cast<double>(num_bytes) / static_cast<double>(some.bytes_per_side());
  return with_items(what, static_cast<std::int64_t>(static_cast<double>(some.num_items) * scale));
}

/// All is drawn whether it is used or not, so that each cell takes as many numbers.
cell draw_selection(random_numbers& random, const random_draw& draw) {
  cell what{.scan = item_types[random.below(std::size(item_types))],
            .rivals = cell_rivals::selections};
  picks& of = what.picked;
  // One more for select, of which there are two kinds.
  const std::uint32_t op = random.below(std::size(all_select_ops) + 1);
  of.op = all_select_ops[op % std::size(all_select_ops)];
  of.bits = op == std::size(all_select_ops);
  of.percent = percents[random.below(std::size(percents))];
  const int log = 1 + static_cast<int>(random.below(10));
  of.log_run = random.one_in(2) ? log : 0;
  of.seed = random.bits();
  const std::int64_t num_bytes = random.log_uniform(draw.from_bytes, draw.to_bytes);
  const bool off = random.one_in(4);
  int shifts[3];
  for (int& shift : shifts) shift = static_cast<int>(random.below(16));
  if (off) {
    what.in_offset = shifts[0];
    what.out_offset = shifts[1];
    of.flag_shift = shifts[2];
  }
  if (of.op == select_op::indices) what.scan = scan_index<std::int32_t>();  // what it writes
  if (of.op == select_op::sums && what.in_bytes() == 1) what.scan = scan_index<std::int32_t>();
  return with_bytes(what, num_bytes);
}

}  // namespace

std::vector<cell> select_cells(const random_draw& draw) {
  random_numbers random(draw.seed);
  std::vector<cell> cells;
  for (int i = 0; i < draw.num_cells; ++i) cells.push_back(draw_selection(random, draw));
  return cells;
}

const char* picks::op_name() const {
  constexpr const char* names[] = {"select", "partition", "indices", "unique", "runs", "sums"};
  return names[static_cast<int>(op)];
}
const char* picks::flags_name() const {
  return !reads_flags(op) ? "no flags" : bits ? "flag bits" : "flag bytes";
}
std::string picks::class_name() const {
  return op == select_op::select ? std::string("select, ") + flags_name() : op_name();
}
std::string picks::name() const {
  return std::to_string(percent) + " % kept " +
         (log_run == 0 ? "at random" : "in runs of " + std::to_string(1 << log_run)) +
         (bits ? ", flag bits" : "");
}

std::int64_t cell::flags_offset() const {
  const std::int64_t elements =
      picked.op == select_op::indices ? 0 : (num_items + in_offset) * in_bytes();
  return aligned_in_slot(elements) +
         picked.flag_shift * (picked.bits || picked.op == select_op::sums ? 4 : 1);
}

// Room for all elements where CUB puts those that it rejects behind the others, else for those that
// are kept and for as many bytes behind them as are looked at: they are to be left alone.
std::int64_t cell::second_output_offset() const {
  const std::int64_t room = picked.op == select_op::partition ? num_items : picked.num_kept;
  return aligned_in_slot((room + out_offset) * out_bytes() + guard_bytes);
}
std::int64_t cell::count_offset() const {
  const std::int64_t more = picked.op == select_op::partition ? num_items * out_bytes()
                            : has_numbers(picked.op)          ? picked.num_kept * 4
                                                              : 0;
  return second_output_offset() + aligned_in_slot(more + guard_bytes);
}

std::int64_t cell::selection_slot_bytes() const {
  const std::int64_t count_bytes = 8;
  return std::max({flags_offset() + picked.flag_bytes(num_items), count_offset() + count_bytes,
                   bytes_per_side()});
}

std::int64_t cell::selection_bytes() const {
  const std::int64_t read = picked.op == select_op::indices ? 0 : num_items * in_bytes();
  const std::int64_t numbers = has_numbers(picked.op) ? 4 * picked.num_kept : 0;
  const std::int64_t moved = picked.op == select_op::partition ? num_items : picked.num_kept;
  return read + picked.flag_bytes(num_items) + moved * out_bytes() + numbers;
}

}  // namespace bench
