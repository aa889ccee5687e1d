#include "bench/cells/cells.hpp"

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "bench/cells/scans.hpp"
#include "bench/report/text.hpp"

namespace bench {
namespace {

/// A row of `scans`, for what needs no types.
struct scan_row {
  const char* in_type;
  const char* out_type;
  const char* op;
  std::int64_t in_bytes, out_bytes;
};

const std::vector<scan_row>& scan_rows() {
  static const std::vector<scan_row> rows = [] {
    const auto row_of = []<class In, class Out, class Op>(scan_of<In, Out, Op>) {
      return scan_row{type_name<In>(), type_name<Out>(), operator_name<Op>(), sizeof(In),
                      sizeof(Out)};
    };
    return std::apply([&](auto... of) { return std::vector<scan_row>{row_of(of)...}; }, scans{});
  }();
  return rows;
}

std::vector<std::string> words(const char* scan_row::*word) {
  std::vector<std::string> all;
  for (const scan_row& row : scan_rows()) {
    if (std::find(all.begin(), all.end(), row.*word) == all.end()) all.push_back(row.*word);
  }
  return all;
}

const std::string recurrence_word = "recurrence";

constexpr std::int64_t two_to(int exponent) { return std::int64_t{1} << exponent; }

/// Copies of `what` with 2^k elements each.
void add(std::vector<cell>& cells, cell what, std::initializer_list<int> exponents) {
  for (const int k : exponents) {
    what.num_items = two_to(k);
    cells.push_back(what);
  }
}

// ---- speed: sums of eight types in every size, a few of each other scan ----

void add_sums(std::vector<cell>& cells, std::size_t scan) {
  const bool latency = scan == scan_index<std::int32_t>();
  for (int k = 8; k <= 31; ++k) {
    const bool host_time = latency && (k == 8 || k == 14 || k == 20);
    cells.push_back({.scan = scan, .num_items = two_to(k), .host_time = host_time});
  }
  for (int k = 8; k <= 28; ++k) {
    cells.push_back({.scan = scan, .num_items = 3 * two_to(k) + 1});
  }
  add(cells, {.scan = scan, .in_offset = 1, .out_offset = 1}, {10, 14, 18, 20, 22, 24, 26, 28});
}

/// Small cells with plain pointers are measured in a stream, too.
std::vector<cell> with_streams(std::vector<cell> cells) {
  constexpr std::int64_t small_bytes = std::int64_t{16} << 10;
  for (cell& c : cells) {
    c.stream_time = !c.in_place && c.out_offset == 0 && c.bytes_per_side() <= small_bytes;
  }
  return cells;
}

std::vector<cell> speed_cells(const random_draw&) {
  std::vector<cell> cells;
  for (const std::size_t scan : places_of<suite_sums>()) add_sums(cells, scan);
  for (const std::size_t scan : places_of<suite_exclusive_sums>()) {
    add(cells, {.scan = scan, .exclusive = true}, {8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30});
  }
  for (const std::size_t scan :
       places_of<equal_types<scan::plus, std::int32_t, std::uint8_t, std::int64_t>>()) {
    add(cells, {.scan = scan, .in_place = true}, {16, 20, 24, 28});
  }
  for (const auto& others : {places_of<suite_widening_sums>(), places_of<suite_extremes>()}) {
    for (const std::size_t scan : others) add(cells, {.scan = scan}, {20, 24, 26, 28});
  }
  add(cells, {.scan = scan_index<affine, affine, compose>()}, {20, 24, 26});
  return with_streams(std::move(cells));
}

std::vector<cell> quick_cells(const random_draw&) {
  std::vector<cell> cells;
  for (const std::size_t scan :
       places_of<equal_types<scan::plus, std::uint8_t, __half, std::int32_t, std::int64_t>>()) {
    add(cells, {.scan = scan}, {10, 16, 20, 22, 24, 26, 28});
  }
  return with_streams(std::move(cells));
}

std::vector<cell> ladder_cells(const random_draw&) {
  cell what{.scan = scan_index<std::int32_t>(), .rivals = cell_rivals::ladder};
  std::vector<cell> cells;
  for (what.num_items = 100; what.num_items <= 1000000000; what.num_items *= 10) {
    cells.push_back(what);
  }
  add(cells, what, {28});  // 1 GiB, for which there are goals
  return cells;
}

std::vector<cell> blocks_cells(const random_draw&) {
  std::vector<cell> cells;
  add(cells, {.scan = scan_index<std::int32_t>(), .rivals = cell_rivals::blocks}, {20, 24, 28, 30});
  return cells;
}

/// Powers of two, and next to each what is not as round: in one go, for they are compared.
std::vector<cell> edges_cells(const random_draw&) {
  constexpr std::int64_t most_bytes = std::int64_t{256} << 20;
  std::vector<cell> cells;
  for (const std::size_t scan : places_of<suite_sums>()) {
    for (int k = 8; k <= 26; ++k) {
      cell what{.scan = scan, .num_items = two_to(k), .rivals = cell_rivals::none};
      if (what.bytes_per_side() > most_bytes) continue;
      cells.push_back(what);
      ++what.num_items;
      cells.push_back(what);
      --what.num_items;
      what.in_offset = 1;
      for (what.out_offset = 1; what.out_offset <= 2; ++what.out_offset) cells.push_back(what);
    }
  }
  return cells;
}

std::vector<cell> chain_cells(const random_draw&) {
  const cell what{.scan = scan_index<std::int32_t>(), .warm = true, .rivals = cell_rivals::chain};
  std::vector<cell> cells;
  add(cells, what, {10, 12, 14, 16, 18});
  return cells;
}

/// As many of segments are drawn as of tensors.
std::vector<cell> shape_and_segment_cells(const random_draw& draw) {
  std::vector<cell> cells = shape_cells(draw);
  const std::vector<cell> more = segment_cells(draw);
  cells.insert(cells.end(), more.begin(), more.end());
  return cells;
}

}  // namespace

std::string cell::in_type() const { return scan_rows()[scan].in_type; }
std::string cell::out_type() const { return scan_rows()[scan].out_type; }
std::string cell::operator_name() const {
  return is_selection() ? picked.op_name() : recurrence ? recurrence_word : scan_rows()[scan].op;
}
std::int64_t cell::in_bytes() const { return scan_rows()[scan].in_bytes; }
std::int64_t cell::out_bytes() const { return scan_rows()[scan].out_bytes; }

std::string cell::types_name() const {
  return in_type() == out_type() ? in_type() : in_type() + " to " + out_type();
}

std::string cell::name() const {
  std::string off = ", offsets " + std::to_string(in_offset) + " " + std::to_string(out_offset);
  if (in_offset == out_offset) {
    off = in_offset == 0   ? ""
          : in_offset == 1 ? ", offset"
                           : ", offset by " + std::to_string(in_offset);
  }
  if (is_selection()) {
    return types_name() + " " + operator_name() + " " + items_text(num_items) + ", " +
           picked.name() + off;
  }
  if (is_ragged()) return types_name() + " " + operator_name() + " " + segments_name() + off;
  if (is_shaped()) return types_name() + " " + operator_name() + " " + shape_name() + off;
  return types_name() + " " + operator_name() + " " + kind_name() + " " + items_text(num_items) +
         (in_place ? ", in place" : "") + off + (warm ? ", warm" : "");
}

bool cell::misaligned() const {
  return (in_offset * in_bytes()) % 16 != 0 || (out_offset * out_bytes()) % 16 != 0;
}

std::int64_t cell::slot_bytes() const {
  if (is_shaped()) return shaped_slot_bytes();
  if (is_ragged()) return ragged_slot_bytes();
  if (is_selection()) return selection_slot_bytes();
  return (num_items + std::max(in_offset, out_offset)) * std::max(in_bytes(), out_bytes());
}

bool cell_filter::takes(const cell& c) const {
  return (type.empty() || type == c.in_type() || type == c.out_type()) &&
         (op.empty() || op == c.operator_name()) && (!exclusive || *exclusive == c.exclusive) &&
         c.bytes_per_side() >= from_bytes && c.bytes_per_side() <= to_bytes &&
         (sizes.empty() || std::find(sizes.begin(), sizes.end(), c.num_items) != sizes.end());
}

const std::vector<suite>& suites() {
  static const std::vector<suite> all{
      {"speed", "minutes", speed_cells},
      {"quick", "seconds", quick_cells},
      {"random", "cells drawn at random", random_cells},
      {"shapes", "rows, columns, tensors, segments", shape_and_segment_cells,
       shapes_program.c_str()},
      {"segments", "of all lengths", segment_cells, shapes_program.c_str()},
      {"select", "compactions drawn at random", select_cells, shapes_program.c_str()},
      {"edges", "2^k + 1 and misaligned beside 2^k", edges_cells},
      {"chain", "calls on the last one's output", chain_cells},
      {"ladder", "the classic scans", ladder_cells},
      {"blocks", "scans inside a block", blocks_cells}};
  return all;
}

std::string program_of(const std::string& name) {
  for (const suite& known : suites()) {
    if (name == known.name) return known.program;
  }
  return suite{}.program;
}

random_draw usual_draw(const std::string& suite) {
  if (suite == segments_suite) {
    return {
        .num_cells = 100, .from_bytes = std::int64_t{64} << 10, .to_bytes = std::int64_t{1} << 30};
  }
  if (suite != shapes_suite && suite != select_suite) return {};
  return {
      .num_cells = 100, .from_bytes = std::int64_t{256} << 10, .to_bytes = std::int64_t{1} << 30};
}

std::vector<cell> suite_cells(const std::string& name, const random_draw& draw) {
  for (const suite& known : suites()) {
    if (name == known.name) return known.cells(draw);
  }
  return {};
}

std::vector<std::string> type_words() { return words(&scan_row::in_type); }
std::vector<std::string> operator_words() {
  std::vector<std::string> all = words(&scan_row::op);
  all.push_back(recurrence_word);
  for (const select_op op : all_select_ops) all.push_back(picks{.op = op}.op_name());
  return all;
}

std::optional<std::size_t> plain_scan(const std::string& type, const std::string& op) {
  for (std::size_t scan = 0; scan < std::tuple_size_v<plain_scans>; ++scan) {
    if (scan_rows()[scan].in_type == type && scan_rows()[scan].op == op) return scan;
  }
  return std::nullopt;
}

}  // namespace bench
