// Every recurrence that the library holds, with options drawn at random, against loops; and those
// of other types, which are refused. On CPU threads or, linked with device_memory.c, on a GPU.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "values.h"

enum { guard = 24, most_elements = 4096, most_sequences = 16, variants = 200 };

typedef struct array {
  char before[guard + 8 * most_elements + guard], after[guard + 8 * most_elements + guard];
  char* there;
} array;
static const size_t array_bytes = guard + 8 * most_elements + guard;

static array a, b, h, inits, totals, each;
static array* const arrays[] = {&a, &b, &h, &inits, &totals, &each};
enum { num_arrays = sizeof arrays / sizeof *arrays };

/// Factors of -1, 0 and 1 and offsets of -1, 0 and 1: no state is rounded.
static void fill_all(int type, int state_type) {
  for (int k = 0; k < num_arrays; ++k) memset(arrays[k]->before, 0x5a, array_bytes);
  for (int64_t i = 0; i < most_elements; ++i) {
    const value factor = {0, drawn_below(16) ? (drawn_below(2) ? 1 : -1) : 0};
    store(type, a.before + guard, i, factor);
  }
  fill(type, SCAN_PLUS, b.before + guard, most_elements);
  fill(state_type, SCAN_PLUS, inits.before + guard, most_sequences);
}

/// Makes the factors of all steps of each sequence one, of all sequences too unless `is_each`.
static void share_factors(int type, int state_type, const scan_extents* shape, int64_t pitch,
                          int is_each) {
  value factor = {0, 0};
  for (int64_t s = 0; s < shape->outer * shape->inner; ++s) {
    if (s == 0 || is_each) factor.number = (double)drawn_below(3) - 1;
    store(state_type, each.before + guard, s, factor);
    for (int64_t i = 0; i < shape->length; ++i) {
      const int64_t at = s / shape->inner * pitch + i * shape->inner + s % shape->inner;
      store(type, a.before + guard, at, factor);
    }
  }
}

static void check(int type) {
  const int state_type = type == SCAN_HALF || type == SCAN_BFLOAT16 ? SCAN_FLOAT : type;
  const int64_t outer = drawn_below(4), inner = 1 + drawn_below(4);
  const int64_t length = drawn_below(2) ? drawn_below(9) : drawn_below(250);
  scan_extents extents = {sizeof extents, outer, length, inner, 0, 0};
  int64_t in_pitch = length * inner, out_pitch = in_pitch;
  const int output_type = drawn_below(2) ? state_type : type, factors = (int)drawn_below(3);
  const int is_in_place = output_type == type && drawn_below(2), is_reverse = (int)drawn_below(2);
  const int is_total = (int)drawn_below(2), init = (int)drawn_below(3);
  if (!is_in_place && drawn_below(2)) extents.out_pitch = out_pitch += 3;
  if (!is_in_place && drawn_below(2)) extents.in_pitch = in_pitch += 5;
  fill_all(type, state_type);
  if (factors != SCAN_FACTOR_A_STEP) {
    share_factors(type, state_type, &extents, in_pitch, factors == SCAN_FACTOR_A_SEQUENCE);
  }
  if (is_in_place) memcpy(h.before, b.before, array_bytes);
  for (int k = 0; k < num_arrays; ++k) memcpy(arrays[k]->after, arrays[k]->before, array_bytes);
  const value one = drawn_value(state_type, SCAN_PLUS);
  char one_init[8];
  store(state_type, one_init, 0, one);
  for (int64_t s = 0; s < outer * inner; ++s) {
    const value own = load(state_type, inits.before + guard, s);
    const steps steps = {.type = type,
                         .output_type = output_type,
                         .reverse = is_reverse,
                         .a = a.before + guard,
                         .b = b.before + guard,
                         .h = h.after + guard,
                         .length = length,
                         .input_begin = s / inner * in_pitch + s % inner,
                         .output_begin = s / inner * out_pitch + s % inner,
                         .stride = inner,
                         .init = init == 0   ? NULL
                                 : init == 1 ? &one
                                             : &own};
    const value last = recurred(&steps);
    if (is_total) store(state_type, totals.after + guard, s, last);
  }
  for (int k = 0; k < num_arrays; ++k) {
    arrays[k]->there = (char*)copied_to(arrays[k]->before, array_bytes) + guard;
  }
  const scan_recurrence_operands operands = {.size = sizeof operands,
                                             .a = factors == SCAN_FACTOR_A_STEP ? a.there
                                                  : factors == SCAN_ONE_FACTOR ? each.before + guard
                                                                               : each.there,
                                             .b = is_in_place ? h.there : b.there,
                                             .h = h.there,
                                             .type = type,
                                             .factors = factors,
                                             .output_type = output_type};
  const scan_options options = {.size = sizeof options,
                                .place = place,
                                .reverse = is_reverse,
                                .init = init == 1 ? one_init : NULL,
                                .init_pointer = init == 2 ? inits.there : NULL,
                                .total = is_total ? totals.there : NULL};
  const scan_status status = scan_recurrence(&operands, &extents, &options);
  for (int k = 0; k < num_arrays; ++k) {
    static char found[sizeof a.after];
    copied_from(arrays[k]->there - guard, found, array_bytes);
    if (status.code == SCAN_SUCCESS && memcmp(found, arrays[k]->after, array_bytes) == 0) continue;
    printf(
        "array %d, %s, factors %d: %d x %d x %d, in place %d, reverse %d, total %d, init %d: "
        "status "
        "%d, %s\n",
        k, scan_type_name(type), factors, (int)outer, (int)length, (int)inner, is_in_place,
        is_reverse, is_total, init, (int)status.code, status.message);
    exit(1);
  }
}

int main(void) {
  if (!is_place_here()) return 77;
  for (int type = SCAN_INT8; type <= SCAN_BOOL; ++type) {
    if (scan_is_held(place, SCAN_RECURRENCE, type, type, 0) != is_float(type)) {
      printf("whether there are recurrences of %s is not said right\n", scan_type_name(type));
      return 1;
    }
    if (is_float(type)) {
      for (int k = 0; k < variants; ++k) check(type);
      continue;
    }
    const scan_recurrence_operands operands = {.size = sizeof operands, .type = type};
    const scan_extents extents = {sizeof extents, 0, 0, 0, 0, 0};
    const scan_options options = {.size = sizeof options, .place = place};
    if (scan_recurrence(&operands, &extents, &options).code != SCAN_NOT_SUPPORTED) {
      printf("a recurrence of %s is not refused\n", scan_type_name(type));
      return 1;
    }
  }
  return 0;
}
