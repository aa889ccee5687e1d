// Folds and scans of one- and two-byte integers, in words of four and two of them.
//
// Where several elements are computed with in one instruction they are two 16-bit fields of a word:
// a pair. Bytes of sums are in the fields' lower halves, so that none carries over into the next
// field; bytes to be compared are in the upper halves, where their sign is the field's.
#ifndef SCAN_DEVICE_FOLD_PACKED_CUH
#define SCAN_DEVICE_FOLD_PACKED_CUH

#include <type_traits>

#include "scan/device/move/vector.cuh"
#include "scan/operands/applied.hpp"
#include "scan/operators.hpp"
#include "scan/protocol/prefix.hpp"
#include "scan/transform.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// The operator without what turns its operands around or masks them.
template <class Op>
struct bare {
  using type = Op;
};
template <class Op>
struct bare<flipped<Op>> : bare<Op> {};
template <class Op, class T>
struct bare<masked<Op, T>> {
  using type = Op;
};

/// What a problem's elements and operator are, as words. Only operators to which neither order nor
/// grouping matters.
template <class Problem>
struct packed {
  using In = typename Problem::in_type;
  using T = typename Problem::T;
  using Op = typename bare<typename Problem::op_type>::type;
  template <class U>
  static constexpr bool integer = std::is_integral_v<U> && !std::is_same_v<U, bool>;
  static constexpr bool sums = std::is_same_v<Op, plus>, least = std::is_same_v<Op, minimum>;
  static constexpr bool compares = least || std::is_same_v<Op, maximum>;
  static constexpr bool is_signed = std::is_signed_v<In>, bytes = sizeof(In) == 1;

  /// Whether elements are folded in words. Sums may be of any integer type: those of a few thousand
  /// elements fit 32 bits.
  static constexpr bool folds = integer<In> && sizeof(In) <= 2 && integer<T> &&
                                std::is_same_v<decltype(Problem::in), transform_input<In>> &&
                                (sums || (compares && std::is_same_v<In, T>));
  /// Whether they are scanned in words.
  static constexpr bool scans =
      folds && std::is_same_v<In, T> && std::is_same_v<decltype(Problem::out), transform_output<T>>;

  /// What masks each element of a word; none of sums does.
  __device__ static unsigned mask_of(const Problem& scan) {
    if constexpr (sums || std::is_same_v<Op, typename Problem::op_type>) {
      return 0;
    } else {
      const auto bits = static_cast<std::make_unsigned_t<T>>(masked_by(scan.op, T{0}));
      return bits * (bytes ? 0x01010101u : 0x00010001u);
    }
  }

  /// A word of elements that leave others as they are, once masked.
  template <class U>
  static constexpr unsigned nothing =
      static_cast<std::make_unsigned_t<U>>(Op::template identity<U>()) *
      (sizeof(U) == 1 ? 0x01010101u : 0x00010001u);

  /// `words` with all but the first `num_valid` elements replaced by what leaves others as they
  /// are: so a part of a vector needs no code of its own.
  template <int num_bytes>
  __device__ static memory_word<num_bytes> first_items(const Problem& scan,
                                                       memory_word<num_bytes> words,
                                                       int num_valid) {
    const unsigned no_element = nothing<In> ^ mask_of(scan);
    constexpr int num_words = num_bytes / 4, item_bits = bytes ? 8 : 16;
#pragma unroll
    for (int i = 0; i < num_words; ++i) {
      const int beyond = max(32 * (i + 1) - item_bits * num_valid, 0);  // bits; may be more than 32
      const unsigned valid =
          Problem::reversed ? __funnelshift_lc(0u, ~0u, beyond) : __funnelshift_rc(~0u, 0u, beyond);
      unsigned& word = words.data[Problem::reversed ? num_words - 1 - i : i];
      word = (word & valid) | (no_element & ~valid);
    }
    return words;
  }

  /// op of both fields.
  __device__ static unsigned pair_op(unsigned a, unsigned b) {
    if constexpr (sums) {
      return a + b;
    } else if constexpr (least) {
      return is_signed ? __vmins2(a, b) : __vminu2(a, b);
    } else {
      return is_signed ? __vmaxs2(a, b) : __vmaxu2(a, b);
    }
  }
  /// Bytes 0 and 2 of a word, and 1 and 3, as pairs, masked: of the split into fields that is the
  /// same instruction, by itself it would be one more. (A mask's bytes are all the same.)
  __device__ static unsigned even_bytes(unsigned word, unsigned mask) {
    return sums ? word & 0x00ff00ffu : (word << 8 ^ mask) & 0xff00ff00u;
  }
  __device__ static unsigned odd_bytes(unsigned word, unsigned mask) {
    return sums ? word >> 8 & 0x00ff00ffu : (word ^ mask) & 0xff00ff00u;
  }
};

/// The fold of the elements of whole words, if packed::folds.
template <class Problem>
class packed_fold {
  using kind = packed<Problem>;

 public:
  __device__ explicit packed_fold(const Problem& scan) : mask_(kind::mask_of(scan)) {}

  template <int num_bytes>
  __device__ void take(const memory_word<num_bytes>& words) {
#pragma unroll
    for (const unsigned word : words.data) {
      if constexpr (kind::sums) {
        folded_ = add(word, folded_);
      } else if constexpr (kind::bytes) {
        folded_ = kind::pair_op(folded_, kind::even_bytes(word, mask_));
        folded_ = kind::pair_op(folded_, kind::odd_bytes(word, mask_));
      } else {
        folded_ = kind::pair_op(folded_, word ^ mask_);
      }
    }
  }

  __device__ typename kind::T result() const {
    using T = typename kind::T;
    if constexpr (kind::sums) {
      return kind::is_signed ? static_cast<T>(static_cast<int>(folded_)) : static_cast<T>(folded_);
    } else {
      return static_cast<T>(kind::pair_op(folded_, folded_ >> 16) >> (kind::bytes ? 8 : 0));
    }
  }

 private:
  /// The sum of a word's elements and of `earlier`.
  __device__ static unsigned add(unsigned word, unsigned earlier) {
    if constexpr (kind::is_signed) {
      const int items = static_cast<int>(word), before = static_cast<int>(earlier);
      return static_cast<unsigned>(kind::bytes ? __dp4a(items, 0x01010101, before)
                                               : __dp2a_lo(items, 0x0101, before));
    } else {
      return kind::bytes ? __dp4a(word, 0x01010101u, earlier) : __dp2a_lo(word, 0x0101u, earlier);
    }
  }
  /// What leaves every element as it is.
  static constexpr unsigned nothing = kind::sums    ? 0u
                                      : kind::least ? (kind::is_signed ? 0x7fff7fffu : 0xffffffffu)
                                                    : (kind::is_signed ? 0x80008000u : 0u);
  unsigned folded_ = nothing;
  unsigned mask_;
};

/// Scans words, if packed::scans.
///
/// `__byte_perm(x, y, s)` makes a word of any four bytes: those of x are numbered 0 to 3, those of
/// y 4 to 7, and digit i of s, from the right, says which becomes byte i. Two words on their way,
/// the lowest byte on the right:
///
///   sums of the bytes 1, 2, 3, 4 after 10          04 03 02 01
///     even_bytes                                   0003 0001
///     odd_bytes                                    0004 0002
///     couples: 1 + 2, 3 + 4                        0007 0003
///     the first couple into the second one         000a 0003    couples << 16 added
///     through_odd: all of it after 10              0014 000d    000a 000a added
///     before_even: what precedes 1 and 3           000d 000a    lower(before_, through_odd)
///     through_even                                 0010 000b    even_bytes added
///     results 11, 13, 16, 20: digits 6240          14 10 0d 0b  bytes 0 and 2 of both, in turn
///     before_ for the next word: digits 4242       0014 0014    byte 2, and the 0 that is y
///
///   maxima of the halves 7, 5 after 6               0005 0007
///     each after 6                                 0006 0007
///     the lower field in both: digits 1010         0007 0007    of what is above
///     through: the results 7, 7                    0007 0007    the maxima of the two words above
///     before: the exclusive ones, 6, 7             0007 0006    lower(before_, through)
///     before_ for the next word: digits 3232       0007 0007    the upper field in both
template <class Problem>
class packed_scan {
  using kind = packed<Problem>;
  using T = typename kind::T;
  using bits = std::make_unsigned_t<T>;
  static constexpr unsigned both = 0x00010001u;  // times a field: a pair of it
  static constexpr T nothing = kind::Op::template identity<T>();

 public:
  /// `before`: the fold of what precedes the first word.
  __device__ packed_scan(const Problem& scan, const prefix<T>& before)
      : mask_(kind::mask_of(scan)) {
    const T value = before.exists ? before.value : nothing;
    before_ = static_cast<bits>(value) * both << (kind::compares && kind::bytes ? 8 : 0);
  }

  /// The results of the elements of `words`, which are in memory's order.
  template <int num_bytes>
  __device__ memory_word<num_bytes> scan(const memory_word<num_bytes>& words, bool exclusive) {
    constexpr int num_words = num_bytes / 4;
    memory_word<num_bytes> results;
#pragma unroll
    for (int i = 0; i < num_words; ++i) {
      const int at = Problem::reversed ? num_words - 1 - i : i;
      const unsigned word = in_scan_order(words.data[at]);
      const unsigned scanned = kind::bytes  ? scan_bytes(word, exclusive)
                               : kind::sums ? add_halves(word, exclusive)
                                            : compare_halves(word ^ mask_, exclusive);
      results.data[at] = in_scan_order(scanned) ^ mask_;
    }
    return results;
  }

  /// The fold of everything so far.
  __device__ T value() const {
    return static_cast<T>(before_ >> (kind::compares && kind::bytes ? 8 : 0));
  }

 private:
  __device__ static unsigned in_scan_order(unsigned word) {
    if (!Problem::reversed) return word;
    return __byte_perm(word, 0, kind::bytes ? 0x0123 : 0x1032);
  }
  /// The lower fields of both.
  __device__ static unsigned lower(unsigned first, unsigned second) {
    return __byte_perm(first, second, 0x5410);
  }

  /// Elements a, b, c, d after p: the pairs (a, c), (b, d) -> (ab, cd) -> (pab, pabcd), which are
  /// the results of b and d, and those of a and c follow from (p, pab).
  __device__ unsigned scan_bytes(unsigned word, bool exclusive) {
    const unsigned even = kind::even_bytes(word, mask_), odd = kind::odd_bytes(word, mask_);
    const unsigned couples = kind::pair_op(even, odd);
    const unsigned first_couple = kind::sums ? couples << 16 : __byte_perm(couples, 0, 0x1010);
    const unsigned through_odd = kind::pair_op(kind::pair_op(couples, first_couple), before_);
    const unsigned before_even = lower(before_, through_odd);
    const unsigned through_even = kind::pair_op(before_even, even);
    before_ = __byte_perm(through_odd, 0, kind::sums ? 0x4242 : 0x3232);
    return __byte_perm(exclusive ? before_even : through_even,
                       exclusive ? through_even : through_odd, kind::sums ? 0x6240 : 0x7351);
  }
  /// One after another: as a pair the first would carry over into the second.
  __device__ unsigned add_halves(unsigned word, bool exclusive) {
    const unsigned before = before_, first = word + before, second = (word >> 16) + first;
    before_ = second;
    return lower(exclusive ? before : first, exclusive ? first : second);
  }
  __device__ unsigned compare_halves(unsigned word, bool exclusive) {
    const unsigned each = kind::pair_op(word, before_);
    const unsigned through = kind::pair_op(each, __byte_perm(each, 0, 0x1010));
    const unsigned before = lower(before_, through);
    before_ = __byte_perm(through, 0, 0x3232);
    return exclusive ? before : through;
  }

  /// The fold so far: in both fields, or, of sums of two-byte elements, in the lower one.
  unsigned before_;
  unsigned mask_;
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
