#include "bench/suite_cells.hpp"

#include <algorithm>
#include <initializer_list>

#include "bench/suite_scans.hpp"

namespace bench {
namespace {

template <class T>
T ask(const cell& c, const auto& question) {
  T answer{};
  with_scan<suite_scans>(c.scan, [&](auto scan) { answer = question(scan); });
  return answer;
}

constexpr std::int64_t two_to(int exponent) { return std::int64_t{1} << exponent; }

template <class In, class Out = In, class Op = scan::plus>
constexpr std::size_t scan_index() {
  constexpr std::size_t index = index_of<suite_scans, scan_of<In, Out, Op>>();
  static_assert(index < std::tuple_size_v<suite_scans>);
  return index;
}

void add_sums(std::vector<cell>& cells, std::size_t scan) {
  const bool latency = scan == scan_index<std::int32_t>();
  for (int k = 8; k <= 31; ++k) {
    const bool host_time = latency && (k == 8 || k == 14 || k == 20);
    cells.push_back({.scan = scan, .num_items = two_to(k), .host_time = host_time});
  }
  for (int k = 8; k <= 28; k += 2) {
    cells.push_back({.scan = scan, .num_items = 3 * two_to(k) + 1});
  }
  for (const int k : {10, 14, 18, 20, 22, 24, 26, 28}) {
    cells.push_back({.scan = scan, .num_items = two_to(k), .offset = true});
  }
  for (int k = 8; k <= 30; k += 2) {
    cells.push_back({.scan = scan, .num_items = two_to(k), .exclusive = true});
  }
}

void add(std::vector<cell>& cells, std::size_t scan, std::initializer_list<int> exponents,
         bool in_place = false) {
  for (const int k : exponents) {
    cells.push_back({.scan = scan, .num_items = two_to(k), .in_place = in_place});
  }
}

std::vector<cell> speed_cells() {
  std::vector<cell> cells;
  for (std::size_t scan = 0; scan < std::tuple_size_v<equal_sums>; ++scan) add_sums(cells, scan);
  for (const std::size_t scan :
       {scan_index<std::int32_t>(), scan_index<std::uint8_t>(), scan_index<std::int64_t>()}) {
    add(cells, scan, {16, 20, 24, 28}, true);
  }
  constexpr std::size_t custom = scan_index<affine, affine, compose>();
  for (std::size_t i = 0; i < std::tuple_size_v<other_scans>; ++i) {
    const std::size_t scan = std::tuple_size_v<equal_sums> + i;
    if (scan != custom) add(cells, scan, {20, 24, 26, 28});
  }
  add(cells, custom, {20, 24, 26});
  return cells;
}

std::vector<cell> quick_cells() {
  std::vector<cell> cells;
  for (const std::size_t scan : {scan_index<std::uint8_t>(), scan_index<__half>(),
                                 scan_index<std::int32_t>(), scan_index<std::int64_t>()}) {
    add(cells, scan, {10, 16, 20, 22, 24, 26, 28});
  }
  return cells;
}

std::vector<cell> ladder_cells() {
  std::vector<cell> cells;
  const auto add = [&](std::int64_t n) {
    cells.push_back(
        {.scan = scan_index<std::int32_t>(), .num_items = n, .rivals = cell_rivals::ladder});
  };
  for (std::int64_t n = 100; n <= 1000000000; n *= 10) add(n);
  add(two_to(28));  // 1 GiB, for which there are goals
  return cells;
}

std::vector<cell> blocks_cells() {
  std::vector<cell> cells;
  for (const int k : {20, 24, 28, 30}) {
    cells.push_back({.scan = scan_index<std::int32_t>(),
                     .num_items = two_to(k),
                     .rivals = cell_rivals::blocks});
  }
  return cells;
}

}  // namespace

std::string cell::in_type() const {
  return ask<std::string>(*this,
                          [](auto scan) { return type_name<typename decltype(scan)::In>(); });
}
std::string cell::out_type() const {
  return ask<std::string>(*this,
                          [](auto scan) { return type_name<typename decltype(scan)::Out>(); });
}
std::string cell::operator_name() const {
  return ask<std::string>(
      *this, [](auto scan) { return bench::operator_name<typename decltype(scan)::Op>(); });
}
std::string cell::types_name() const {
  return in_type() == out_type() ? in_type() : in_type() + " to " + out_type();
}
std::int64_t cell::in_bytes() const {
  return ask<std::int64_t>(*this, [](auto scan) { return sizeof(typename decltype(scan)::In); });
}
std::int64_t cell::out_bytes() const {
  return ask<std::int64_t>(*this, [](auto scan) { return sizeof(typename decltype(scan)::Out); });
}

std::int64_t cell::slot_bytes() const {
  return (num_items + (offset ? 1 : 0)) * std::max(in_bytes(), out_bytes());
}

bool cell_filter::takes(const cell& c) const {
  return (type.empty() || type == c.in_type() || type == c.out_type()) &&
         (op.empty() || op == c.operator_name()) && (!exclusive || *exclusive == c.exclusive) &&
         (sizes.empty() || std::find(sizes.begin(), sizes.end(), c.num_items) != sizes.end());
}

std::vector<cell> suite_cells(const std::string& suite) {
  if (suite == "ladder") return ladder_cells();
  if (suite == "blocks") return blocks_cells();
  return suite == "quick" ? quick_cells() : speed_cells();
}

}  // namespace bench
