// Sequences side by side (inner >= 2): a thread walks down a strip of neighbouring columns of one
// slab, a row of the strip at a time, in vector code.
//
// With tiles of 1024 rows, P(0) = init or absent, and L one after another:
//
//   r(i) = L(x(f) .. x(i)), x(f) the first of i's tile    P(t + 1) = P(t) op r(last of tile t)
//   inclusive(i) = P(t) op r(i)                           exclusive(i) = P(t) op r(i - 1), or P(t)
//
// So an error of rounding grows with 1024 + n / 1024 additions instead of n, and a sequence's bits
// depend on nothing beside it.
#ifndef SCAN_HOST_TENSOR_STRIPS_HPP
#define SCAN_HOST_TENSOR_STRIPS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "scan/host/tile_place.hpp"
#include "scan/host/workers.hpp"
#include "scan/protocol/prefix.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace host_path {

/// Columns of a strip at most: three rows of its operands stay in the L1.
template <class T>
inline constexpr std::size_t most_columns = 4096 / sizeof(T);
inline constexpr std::int64_t strip_tile_rows = 1024;

/// Up to so many columns beside each other are walked down by twos to fours.
inline constexpr int most_narrow = 8;

/// Strips begin at multiples of so many columns, and have as many where the slab has: at least
/// vectors of 64 bytes of what is read, and 256 bytes of what is written. So whether an element is
/// in a vector, or in what vector code leaves over behind the last, and with that what a compiler
/// fuses, depends on inner alone: not on where strips are cut, which threads and slabs decide.
template <class Tensor>
constexpr int least_columns() {
  constexpr std::size_t wanted =
      std::max(64 / sizeof(typename Tensor::in_type), 256 / sizeof(typename Tensor::out_type));
  std::size_t columns = 16;
  while (2 * columns <= wanted && 4 * columns <= most_columns<typename Tensor::T>) columns *= 2;
  return static_cast<int>(columns);
}

/// A strip: `num_columns` sequences of slab `outer` from `first` on.
struct strip {
  std::int64_t outer, first;
  int num_columns;
};

/// How sequences become parts: several strips a slab, or several slabs a part.
struct strip_parts {
  std::int64_t outer, inner;
  std::int64_t columns;  // of a strip; the slab's last one has what is left, too
  std::int64_t num_strips;
  std::int64_t slabs = 1;  // of a part
  int num_workers = 1;

  /// `item_bytes`: read and written per element.
  template <class Tensor>
  strip_parts(const Tensor& scan, int threads, std::int64_t item_bytes) noexcept
      : outer(scan.shape.outer), inner(scan.shape.inner) {
    constexpr std::int64_t least = least_columns<Tensor>();
    constexpr std::int64_t most = most_columns<typename Tensor::T> / least * least - least;
    const std::int64_t slab_bytes = scan.num_items * inner * item_bytes;
    const std::int64_t most_strips = std::max<std::int64_t>(inner / least, 1);
    slabs = std::clamp<std::int64_t>(part_bytes / slab_bytes, 1, outer);
    const std::int64_t most_parts = ((outer - 1) / slabs + 1) * most_strips;
    num_workers = worker_count(threads, most_parts, outer * slab_bytes, true);
    // Strips narrow enough that everybody has several, and wide enough that memory is read by
    // more than a line.
    const std::int64_t fair = num_workers == 1 ? most : outer * inner / (4 * num_workers);
    columns = std::clamp(fair / least * least, least, most);
    num_strips = (most_strips * least - 1) / columns + 1;
    if (num_strips > 1) slabs = 1;
  }

  std::int64_t num_parts() const { return ((outer - 1) / slabs + 1) * num_strips; }
  /// Calls `walk` with the strips of a part.
  template <class Walk>
  void for_each(std::int64_t part, const Walk& walk) const {
    const std::int64_t s = part % num_strips, first = s * columns, o = part / num_strips * slabs;
    const int num_columns = static_cast<int>(s < num_strips - 1 ? columns : inner - first);
    for (std::int64_t i = o; i < std::min(o + slabs, outer); ++i) {
      walk(strip{i, first, num_columns});
    }
  }
};

/// The row of a strip that is being walked, and how far the next one is.
template <class Tensor>
struct strip_place {
  using in_type = typename Tensor::in_type;
  const in_type* x;
  typename Tensor::out_type* y;
  std::int64_t step;

  strip_place(const Tensor& scan, const strip& s) : strip_place(scan, s, scan.in.data) {}
  /// In another array that is read.
  strip_place(const Tensor& scan, const strip& s, const in_type* in)
      : x(in + s.outer * scan.shape.in_pitch + s.first),
        y(scan.out.data + s.outer * scan.shape.out_pitch + s.first),
        step(scan.shape.inner) {
    if constexpr (Tensor::reversed) {
      x += (scan.num_items - 1) * step;
      y += (scan.num_items - 1) * step;
      step = -step;
    }
  }
  void next_row() {
    x += step;
    y += step;
  }
};

/// Asks for the row after the one at `row`, where rows do not follow each other: processors foresee
/// what is next in memory, and no more. (Inlined by force: g++ takes a function that only fetches
/// for one without effects, and leaves its calls out.)
template <bool is_written, class U>
[[gnu::always_inline]] inline void fetch_row_after(const U* row, std::int64_t step,
                                                   int num_columns) {
  if (step == num_columns) return;
  constexpr int line = std::max<int>(1, 64 / sizeof(U));
  for (int k = 0; k < num_columns; k += line) {
    __builtin_prefetch(std::addressof(row[step + k]), is_written ? 1 : 0);
  }
}

/// Item k of a row: `fold`, after what precedes the tile where that exists.
template <bool preceded, class Tensor, class Out, class T>
void give_fold(const Tensor& scan, Out* y, int k, const T* before, const T& fold) {
  if constexpr (preceded) {
    give_item(scan, y, k, scan.op(before[k], fold));
  } else {
    give_item(scan, y, k, fold);
  }
}

/// The first row of a tile, which becomes its folds.
template <bool exclusive, bool preceded, class Tensor, class T>
void scan_first_row(const Tensor& scan, const strip_place<Tensor>& at, int num_columns,
                    const T* __restrict before, T* __restrict folds) {
  const T first_output = scan.first_output;
  for (int k = 0; k < num_columns; ++k) folds[k] = take_item(scan, at.x, k);
  for (int k = 0; k < num_columns; ++k) {
    if constexpr (exclusive) {
      give_item(scan, at.y, k, preceded ? before[k] : first_output);
    } else {
      give_fold<preceded>(scan, at.y, k, before, folds[k]);
    }
  }
}

/// Another, with the folds up to it. Takes all before it gives any, in loops of their own: in place
/// they would not become vector code together.
template <bool exclusive, bool preceded, class Tensor, class T>
void scan_next_row(const Tensor& scan, const strip_place<Tensor>& at, int num_columns,
                   const T* __restrict before, const T* __restrict folds, T* __restrict next) {
  for (int k = 0; k < num_columns; ++k) next[k] = scan.op(folds[k], take_item(scan, at.x, k));
  for (int k = 0; k < num_columns; ++k) {
    give_fold<preceded>(scan, at.y, k, before, exclusive ? folds[k] : next[k]);
  }
}

/// From what precedes a tile to what precedes the next.
template <bool preceded, class Tensor, class T>
void join_folds(const Tensor& scan, int num_columns, T* __restrict before,
                const T* __restrict folds) {
  for (int k = 0; k < num_columns; ++k) {
    if constexpr (preceded) {
      before[k] = scan.op(before[k], folds[k]);
    } else {
      before[k] = folds[k];
    }
  }
}

/// Scans a tile of `num_rows` rows. `preceded`: whether `before` exists.
template <bool exclusive, bool preceded, class Tensor, class T = typename Tensor::T>
void scan_wide_tile(const Tensor& scan, strip_place<Tensor> at, std::int64_t num_rows,
                    int num_columns, T* before) {
  T two_rows[2][most_columns<T>];
  T *folds = two_rows[0], *next = two_rows[1];
  scan_first_row<exclusive, preceded>(scan, at, num_columns, before, folds);
  for (std::int64_t i = 1; i < num_rows; ++i) {
    at.next_row();
    if (i + 1 < num_rows) {
      fetch_row_after<false>(at.x, at.step, num_columns);
      fetch_row_after<true>(at.y, at.step, num_columns);
    }
    scan_next_row<exclusive, preceded>(scan, at, num_columns, before, folds, next);
    std::swap(folds, next);
  }
  join_folds<preceded>(scan, num_columns, before, folds);
}

/// The same of a few columns, whose folds stay in registers.
template <bool exclusive, bool preceded, int columns, class Tensor, class T = typename Tensor::T>
void scan_narrow_tile(const Tensor& scan, strip_place<Tensor> at, std::int64_t num_rows,
                      T* before) {
  T folds[std::size_t{columns}], items[std::size_t{columns}];
  scan_first_row<exclusive, preceded>(scan, at, columns, before, folds);
  for (std::int64_t i = 1; i < num_rows; ++i) {
    at.next_row();
    for (int k = 0; k < columns; ++k) items[k] = take_item(scan, at.x, k);
    for (int k = 0; k < columns; ++k) {
      const T next = scan.op(folds[k], items[k]);
      give_fold<preceded>(scan, at.y, k, before, exclusive ? folds[k] : next);
      folds[k] = next;
    }
  }
  join_folds<preceded>(scan, columns, before, folds);
}

/// A tile of any number of columns: few go by twos to fours, while the tile stays in the caches.
template <bool exclusive, bool preceded, class Tensor, class T = typename Tensor::T>
void scan_tile_of_strip(const Tensor& scan, strip_place<Tensor> at, std::int64_t num_rows,
                        int num_columns, T* before) {
  if (scan.shape.inner > most_narrow) {
    return scan_wide_tile<exclusive, preceded>(scan, at, num_rows, num_columns, before);
  }
  for (int left = num_columns; left > 0;) {
    const int columns = left == 5 ? 3 : std::min(left, 4);
    const auto scan_tile = columns == 2   ? scan_narrow_tile<exclusive, preceded, 2, Tensor>
                           : columns == 3 ? scan_narrow_tile<exclusive, preceded, 3, Tensor>
                                          : scan_narrow_tile<exclusive, preceded, 4, Tensor>;
    scan_tile(scan, at, num_rows, before);
    at.x += columns;
    at.y += columns;
    before += columns;
    left -= columns;
  }
}

template <bool exclusive, class Tensor>
void scan_strip(const Tensor& scan, const strip& s) {
  typename Tensor::T before[most_columns<typename Tensor::T>];
  bool preceded = false;
  for (int k = 0; k < s.num_columns; ++k) {
    const auto sequence = scan.sequence(s.outer, s.first + k);
    const prefix<typename Tensor::T> start = sequence.start();
    preceded = start.exists;
    if (preceded) before[k] = start.value;
    sequence.write_start(start);
  }
  strip_place<Tensor> at(scan, s);
  for (std::int64_t row = 0; row < scan.num_items; row += strip_tile_rows, preceded = true) {
    const std::int64_t num_rows = std::min(strip_tile_rows, scan.num_items - row);
    const auto scan_tile = preceded ? scan_tile_of_strip<exclusive, true, Tensor>
                                    : scan_tile_of_strip<exclusive, false, Tensor>;
    scan_tile(scan, at, num_rows, s.num_columns, before);
    at.x += num_rows * at.step;
    at.y += num_rows * at.step;
  }
  if (scan.total == nullptr && scan.end_output == nullptr) return;
  for (int k = 0; k < s.num_columns; ++k) {
    scan.sequence(s.outer, s.first + k).write_end({before[k], true});
  }
}

/// Of sequences of no items.
template <class Tensor>
void write_ends(const Tensor& scan) {
  for (std::int64_t o = 0; o < scan.shape.outer; ++o) {
    for (std::int64_t k = 0; k < scan.shape.inner; ++k) {
      // (There may be neither elements nor outputs, and no pointers to them.)
      const std::int64_t output = scan.out.data == nullptr ? 0 : o * scan.shape.out_pitch + k;
      const typename Tensor::Problem& first = scan;
      auto sequence = first;
      sequence.move_to(0, output, o * scan.shape.inner + k);
      const auto start = sequence.start();
      sequence.write_start(start);
      sequence.write_end(start);
    }
  }
}

/// Scans of a tensor's columns.
template <class Tensor>
void scan_strips(const Tensor& scan, int threads) {
  const strip_parts parts(scan, threads,
                          sizeof(typename Tensor::in_type) + sizeof(typename Tensor::out_type));
  run_parts(parts.num_parts(), parts.num_workers, [&](std::int64_t part) {
    parts.for_each(part, [&](const strip& s) {
      scan.exclusive ? scan_strip<true>(scan, s) : scan_strip<false>(scan, s);
    });
  });
}

}  // namespace host_path
}  // namespace SCAN_ABI
}  // namespace scan

#endif
