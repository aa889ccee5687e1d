// Gradients of recurrences of every type, with options drawn at random, against loops; and those of
// other types, which are refused. On CPU threads or, linked with device_memory.c, on a GPU.
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

static array a, h, grad_h, grad_a, grad_b, inits, grad_totals, grad_inits;
static array* const arrays[] = {&a,      &h,     &grad_h,      &grad_a,
                                &grad_b, &inits, &grad_totals, &grad_inits};
enum { num_arrays = sizeof arrays / sizeof *arrays };

static double at(int type, const array* from, int64_t i) {
  return load(type, from->before + guard, i).number;
}
static void put(int type, array* to, int64_t i, double number) {
  const value x = {0, number};
  store(type, to->after + guard, i, x);
}

/// What is drawn of a call.
typedef struct drawn_call {
  int type, state_type, is_in_place, is_reverse, init, has_total, wants_init;
  int64_t outer, length, inner, in_pitch, out_pitch;
} drawn_call;

/// Sequence `s`, from its end.
static void walk_back(const drawn_call* c, int64_t s, double one_init) {
  const int64_t in = s / c->inner * c->in_pitch + s % c->inner;
  const int64_t out = s / c->inner * c->out_pitch + s % c->inner;
  double g = c->has_total ? at(c->state_type, &grad_totals, s) : 0;
  for (int64_t k = 0; k < c->length; ++k) {
    const int64_t i = (c->is_reverse ? k : c->length - 1 - k) * c->inner;
    const int64_t before = i + (c->is_reverse ? c->inner : -c->inner);
    const double init = c->init == 0 ? 0 : c->init == 1 ? one_init : at(c->state_type, &inits, s);
    g += at(c->type, &grad_h, in + i);
    put(c->type, &grad_b, out + i, g);
    const double state = k + 1 < c->length ? at(c->type, &h, in + before) : init;
    const int is_first = k + 1 == c->length && c->init == 0;  // which multiplies nothing
    put(c->type, &grad_a, out + i, is_first ? 0 : g * state);
    const double factor = at(c->type, &a, in + i);
    g = factor == 0 ? 0 : g * factor;
  }
  if (c->wants_init) put(c->state_type, &grad_inits, s, g);
}

static void check(int type) {
  drawn_call c = {.type = type, .outer = drawn_below(4), .inner = 1 + drawn_below(4)};
  c.state_type = type == SCAN_HALF || type == SCAN_BFLOAT16 ? SCAN_FLOAT : type;
  c.length = drawn_below(2) ? drawn_below(9) : drawn_below(250);
  c.in_pitch = c.out_pitch = c.length * c.inner;
  c.is_in_place = (int)drawn_below(2), c.is_reverse = (int)drawn_below(2);
  c.init = (int)drawn_below(3), c.has_total = (int)drawn_below(2);
  c.wants_init = (int)drawn_below(2);
  if (!c.is_in_place && drawn_below(2)) c.out_pitch += 3;
  if (!c.is_in_place && drawn_below(2)) c.in_pitch += 5;
  for (int k = 0; k < num_arrays; ++k) memset(arrays[k]->before, 0x5a, array_bytes);
  for (int64_t i = 0; i < most_elements; ++i) {  // factors of -1, 0 and 1: nothing is rounded
    const value factor = {0, drawn_below(16) ? (drawn_below(2) ? 1 : -1) : 0};
    store(type, a.before + guard, i, factor);
  }
  fill(type, SCAN_PLUS, h.before + guard, most_elements);
  fill(type, SCAN_PLUS, grad_h.before + guard, most_elements);
  fill(c.state_type, SCAN_PLUS, inits.before + guard, most_sequences);
  fill(c.state_type, SCAN_PLUS, grad_totals.before + guard, most_sequences);
  if (c.is_in_place) memcpy(grad_b.before, grad_h.before, array_bytes);
  for (int k = 0; k < num_arrays; ++k) memcpy(arrays[k]->after, arrays[k]->before, array_bytes);
  const value one = drawn_value(c.state_type, SCAN_PLUS);
  char one_init[8];
  store(c.state_type, one_init, 0, one);
  for (int64_t s = 0; s < c.outer * c.inner; ++s) walk_back(&c, s, one.number);
  for (int k = 0; k < num_arrays; ++k) {
    arrays[k]->there = (char*)copied_to(arrays[k]->before, array_bytes) + guard;
  }
  const scan_gradient_operands operands = {.size = sizeof operands,
                                           .a = a.there,
                                           .h = h.there,
                                           .grad_h = c.is_in_place ? grad_b.there : grad_h.there,
                                           .grad_a = grad_a.there,
                                           .grad_b = grad_b.there,
                                           .grad_total = c.has_total ? grad_totals.there : NULL,
                                           .grad_init = c.wants_init ? grad_inits.there : NULL,
                                           .type = type};
  const scan_extents extents = {sizeof extents, c.outer,    c.length,
                                c.inner,        c.in_pitch, c.out_pitch};
  const scan_options options = {.size = sizeof options,
                                .place = place,
                                .reverse = c.is_reverse,
                                .init = c.init == 1 ? one_init : NULL,
                                .init_pointer = c.init == 2 ? inits.there : NULL};
  const scan_status status = scan_recurrence_gradient(&operands, &extents, &options);
  for (int k = 0; k < num_arrays; ++k) {
    static char found[sizeof a.after];
    copied_from(arrays[k]->there - guard, found, array_bytes);
    if (status.code == SCAN_SUCCESS && memcmp(found, arrays[k]->after, array_bytes) == 0) continue;
    printf("array %d, %s: %d x %d x %d, in place %d, reverse %d, init %d: status %d, %s\n", k,
           scan_type_name(type), (int)c.outer, (int)c.length, (int)c.inner, c.is_in_place,
           c.is_reverse, c.init, (int)status.code, status.message);
    exit(1);
  }
}

/// What is wrong is named.
static void check_refusals(void) {
  float x[5][4] = {{0}};
  const scan_gradient_operands right = {.size = sizeof right,
                                        .a = x[0],
                                        .h = x[1],
                                        .grad_h = x[2],
                                        .grad_a = x[3],
                                        .grad_b = x[4],
                                        .type = SCAN_FLOAT};
  const scan_extents shape = {sizeof shape, 1, 4, 1, 0, 0};
  const scan_options here = {.size = sizeof here, .place = SCAN_HOST};
  scan_gradient_operands odd[4] = {right, right, right, right};
  odd[0].size = 71, odd[1].reserved = 1, odd[2].type = 99, odd[3].h = NULL;
  scan_options with[3] = {here, here, here};
  with[0].total = x, with[1].complete = 1, with[2].reserved = 1;
  const struct {
    scan_status said;
    const char* message;
  } all[] = {{scan_recurrence_gradient(NULL, &shape, &here), "operands is null"},
             {scan_recurrence_gradient(&right, NULL, &here), "extents is null"},
             {scan_recurrence_gradient(&odd[0], &shape, &here),
              "operands.size is no size of a scan_gradient_operands"},
             {scan_recurrence_gradient(&odd[1], &shape, &here), "operands.reserved is not 0"},
             {scan_recurrence_gradient(&odd[2], &shape, &here), "operands.type is no scan_type"},
             {scan_recurrence_gradient(&odd[3], &shape, &here),
              "recurrence_gradient: h is null but there are elements"},
             {scan_recurrence_gradient(&right, &shape, &with[0]),
              "options.total is not for gradients: see grad_init"},
             {scan_recurrence_gradient(&right, &shape, &with[1]),
              "options.complete is for exclusive scans"},
             {scan_recurrence_gradient(&right, &shape, &with[2]), "options.reserved is not 0"}};
  for (size_t k = 0; k < sizeof all / sizeof *all; ++k) {
    if (all[k].said.code == SCAN_INVALID_VALUE && !strcmp(all[k].said.message, all[k].message)) {
      continue;
    }
    printf("refusal %d says: %s\n", (int)k, all[k].said.message);
    exit(1);
  }
}

int main(void) {
  if (!is_place_here()) return 77;
  check_refusals();
  for (int type = SCAN_INT8; type <= SCAN_BOOL; ++type) {
    if (scan_is_held(place, SCAN_RECURRENCE_GRADIENT, type, type, 0) != is_float(type)) {
      printf("whether there are gradients of %s is not said right\n", scan_type_name(type));
      return 1;
    }
    if (is_float(type)) {
      for (int k = 0; k < variants; ++k) check(type);
      continue;
    }
    const scan_gradient_operands operands = {.size = sizeof operands, .type = type};
    const scan_extents extents = {sizeof extents, 0, 0, 0, 0, 0};
    const scan_options options = {.size = sizeof options, .place = place};
    if (scan_recurrence_gradient(&operands, &extents, &options).code != SCAN_NOT_SUPPORTED) {
      printf("a gradient of %s is not refused\n", scan_type_name(type));
      return 1;
    }
  }
  return 0;
}
