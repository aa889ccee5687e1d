// Every scan that the library holds, by kind, types and operator, with options drawn at random,
// against loops; and every other one, which is refused. On CPU threads or, linked with
// device_memory.c, on a GPU.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "values.h"

enum { guard = 24, most_elements = 4096, most_sequences = 64, variants_each = 24 };

/// Sequence s of a call is `length[s]` elements from `input_begin[s]` of the input on, and so on.
typedef struct shape {
  int kind;
  int64_t num_sequences, stride;
  int64_t length[most_sequences], input_begin[most_sequences], output_begin[most_sequences];
  int64_t n;             // of a sequence or keys
  scan_extents extents;  // of a tensor
  int32_t offset_type;   // of segments
  int64_t offsets[most_sequences + 1];
  int32_t key_kind;
  int begins[most_elements + 1];  // of keys: whether a segment does, at each element
} shape;

typedef struct variant {
  int exclusive, reverse, complete, in_place, total, threads;
  enum { no_init, one_init, init_array } init;
} variant;

/// Arrays with guards on both sides, as they are before a call, and as they are to be.
typedef struct array {
  char before[guard + 8 * most_elements + guard], after[guard + 8 * most_elements + guard];
  char* there;
} array;
static const size_t array_bytes = guard + 8 * most_elements + guard;

static void add_sequence(shape* it, int64_t length, int64_t input_begin, int64_t output_begin) {
  it->length[it->num_sequences] = length;
  it->input_begin[it->num_sequences] = input_begin;
  it->output_begin[it->num_sequences++] = output_begin;
}

static int64_t drawn_length(void) {
  static const int64_t some[] = {0, 1, 2, 3, 15, 16, 17, 255, 1000, 2999};
  return some[drawn_below(sizeof some / sizeof *some)];
}

static void draw_tensor(shape* it, const variant* how) {
  const int64_t outer = drawn_below(5), length = drawn_below(40), inner = drawn_below(6);
  const int extra = how->complete;
  scan_extents extents = {sizeof extents, outer, length, inner, 0, 0};
  int64_t in_pitch = length * inner, out_pitch = (length + extra) * inner;
  if (drawn_below(2)) extents.in_pitch = in_pitch += 3;
  if (how->in_place) extents.out_pitch = out_pitch = in_pitch;
  if (!how->in_place && drawn_below(2)) extents.out_pitch = out_pitch += 5;
  it->extents = extents;
  it->stride = inner;
  for (int64_t o = 0; o < outer; ++o) {
    for (int64_t i = 0; i < inner; ++i) {
      add_sequence(it, length, o * in_pitch + i, o * out_pitch + i);
    }
  }
}

static void draw_segments(shape* it) {
  static const int32_t types[] = {SCAN_INT32, SCAN_INT64, SCAN_UINT32, SCAN_UINT64};
  const int64_t num_segments = drawn_below(most_sequences);
  it->offset_type = types[drawn_below(4)];
  it->offsets[0] = drawn_below(5);
  for (int64_t s = 0; s < num_segments; ++s) {
    const int64_t length = drawn_below(3) ? drawn_below(9) : drawn_below(2) * drawn_below(300);
    const int64_t begin = it->offsets[s];
    it->offsets[s + 1] = begin + length < most_elements - 9 ? begin + length : begin;
    add_sequence(it, it->offsets[s + 1] - begin, begin, begin);
  }
  it->n = it->offsets[num_segments] + drawn_below(9);  // (some in no segment)
}

static void draw_runs(shape* it) {
  int64_t begin = 0;
  it->key_kind = SCAN_KEYS_8_BIT + (int32_t)drawn_below(SCAN_FLAG_BITS);
  const int64_t most = 1 + drawn_below(most_sequences - 1);
  memset(it->begins, 0, sizeof it->begins);
  while (it->num_sequences < most) {
    const int64_t length = 1 + drawn_below(drawn_below(4) ? 9 : 60);
    add_sequence(it, length, begin, begin);
    it->begins[begin] = begin > 0;  // (element 0 begins one whatever is said of it)
    begin += length;
  }
  it->n = begin;
}

static void draw_shape(shape* it, int kind, const variant* how) {
  it->kind = kind;
  it->num_sequences = 0;
  it->stride = 1;
  if (kind == SCAN_SEQUENCE) add_sequence(it, it->n = drawn_length(), 0, 0);
  if (kind == SCAN_TENSOR) draw_tensor(it, how);
  if (kind == SCAN_SEGMENTS) draw_segments(it);
  if (kind == SCAN_KEYS) draw_runs(it);
}

static variant drawn_variant(int kind, int is_same_type) {
  variant how = {0};
  how.exclusive = (int)drawn_below(2);
  how.reverse = (int)drawn_below(2);
  how.complete = how.exclusive && kind <= SCAN_TENSOR && drawn_below(2);
  how.in_place = is_same_type && !how.complete && drawn_below(2);
  how.total = kind != SCAN_KEYS && drawn_below(2);
  how.threads = place == SCAN_HOST ? (int)drawn_below(4) : 0;
  how.init = drawn_below(2) ? no_init : kind != SCAN_KEYS && drawn_below(2) ? init_array : one_init;
  return how;
}

/// The offsets, keys or flags of a shape in the place that is tested.
static void* heads_of(const shape* it) {
  static uint64_t room[most_elements + 1];
  memset(room, 0, sizeof room);
  if (it->kind == SCAN_SEGMENTS) {
    for (int64_t s = 0; s <= it->num_sequences; ++s) {
      const value offset = {(uint64_t)it->offsets[s], 0};
      store(it->offset_type, room, s, offset);
    }
    return copied_to(room, sizeof room);
  }
  static const int types[] = {0, SCAN_UINT8, SCAN_UINT16, SCAN_UINT32, SCAN_UINT64, SCAN_UINT8};
  uint64_t key = drawn();
  for (int64_t i = 0; i < it->n; ++i) {
    if (it->key_kind == SCAN_FLAG_BITS) {
      ((uint32_t*)(void*)room)[i / 32] |= (uint32_t)it->begins[i] << (i % 32);
      continue;
    }
    const value flag = {it->begins[i] ? 1 + drawn() % 255 : 0, 0};
    if (it->begins[i]) key += 1 + drawn() % 100;
    const value of_run = {key, 0};
    store(types[it->key_kind], room, i, it->key_kind == SCAN_FLAG_BYTES ? flag : of_run);
  }
  return copied_to(room, sizeof room);
}

static scan_status call(const shape* it, const scan_operands* operands, const scan_options* options,
                        const void* heads) {
  if (it->kind == SCAN_SEQUENCE) return scan_sequence(operands, it->n, options);
  if (it->kind == SCAN_TENSOR) return scan_tensor(operands, &it->extents, options);
  if (it->kind == SCAN_SEGMENTS) {
    const scan_segments segments = {.size = sizeof segments,
                                    .offsets = heads,
                                    .num_segments = it->num_sequences,
                                    .num_items = it->n,
                                    .offset_type = it->offset_type};
    return scan_segmented(operands, &segments, options);
  }
  const scan_keys keys = {.size = sizeof keys, .keys = heads, .kind = it->key_kind};
  return scan_by_key(operands, &keys, it->n, options);
}

static void fail(const char* what, const shape* it, const scan_operands* operands,
                 const variant* how, scan_status status) {
  printf(
      "%s: kind %d, %s to %s, %s, exclusive %d, reverse %d, complete %d, in place %d, total %d, "
      "init %d, %d sequences: status %d, %s\n",
      what, it->kind, scan_type_name(operands->input_type), scan_type_name(operands->output_type),
      scan_operator_name(operands->op), how->exclusive, how->reverse, how->complete, how->in_place,
      how->total, (int)how->init, (int)it->num_sequences, (int)status.code, status.message);
  exit(1);
}

static void start(array* it, char pattern) {
  memset(it->before, pattern, array_bytes);
  memset(it->after, pattern, array_bytes);
}
static void place_array(array* it) {
  it->there = (char*)copied_to(it->before, array_bytes) + guard;
}
static int is_as_expected(array* it) {
  static char found[sizeof it->after];
  copied_from(it->there - guard, found, array_bytes);
  return memcmp(found, it->after, array_bytes) == 0;
}

/// Fills arrays, and in their `after` what the loops make of them.
static void expect(const shape* it, const scan_operands* operands, const variant* how, value one,
                   array* input, array* output, array* inits, array* totals) {
  const int out = operands->output_type, op = operands->op;
  start(input, 0x5a);
  start(output, 0x5a);
  start(inits, 0x5a);
  start(totals, 0x5a);
  fill(operands->input_type, op, input->before + guard, most_elements);
  memcpy(input->after, input->before, array_bytes);
  if (how->in_place) {
    memcpy(output->before, input->before, array_bytes);
    memcpy(output->after, input->before, array_bytes);
  }
  fill(out, op, inits->before + guard, most_sequences);
  memcpy(inits->after, inits->before, array_bytes);
  for (int64_t s = 0; s < it->num_sequences; ++s) {
    const value own = load(out, inits->before + guard, s);
    const sequence sequence = {.input_type = operands->input_type,
                               .output_type = out,
                               .op = op,
                               .exclusive = how->exclusive,
                               .reverse = how->reverse,
                               .complete = how->complete,
                               .input = input->before + guard,
                               .output = output->after + guard,
                               .length = it->length[s],
                               .input_begin = it->input_begin[s],
                               .output_begin = it->output_begin[s],
                               .stride = it->stride,
                               .init = how->init == no_init    ? NULL
                                       : how->init == one_init ? &one
                                                               : &own};
    const value total = scanned(&sequence);
    if (how->total) store(out, totals->after + guard, s, total);
  }
}

static void check(const shape* it, scan_operands* operands, const variant* how, int is_held) {
  static array input, output, inits, totals;
  const value one = drawn_value(operands->output_type, operands->op);
  char init[8];
  store(operands->output_type, init, 0, one);
  expect(it, operands, how, one, &input, &output, &inits, &totals);
  if (!is_held) {
    memcpy(output.after, output.before, array_bytes);
    memcpy(totals.after, totals.before, array_bytes);
  }
  place_array(&input);
  place_array(&output);
  place_array(&inits);
  place_array(&totals);
  operands->input = how->in_place ? output.there : input.there;
  operands->output = output.there;
  operands->exclusive = how->exclusive;
  const scan_options options = {.size = sizeof options,
                                .place = place,
                                .threads = how->threads,
                                .reverse = how->reverse,
                                .complete = how->complete,
                                .init = how->init == one_init ? init : NULL,
                                .init_pointer = how->init == init_array ? inits.there : NULL,
                                .total = how->total ? totals.there : NULL};
  void* heads = heads_of(it);
  const scan_status status = call(it, operands, &options, heads);
  if (status.code != (is_held ? SCAN_SUCCESS : SCAN_NOT_SUPPORTED) || status.index != -1) {
    fail("status", it, operands, how, status);
  }
  char unused;
  copied_from(heads, &unused, 1);
  if (!is_as_expected(&output)) fail("output", it, operands, how, status);
  if (!is_as_expected(&totals)) fail("totals", it, operands, how, status);
  if (!is_as_expected(&input)) fail("input", it, operands, how, status);
  if (!is_as_expected(&inits)) fail("inits", it, operands, how, status);
}

/// What every build holds, by the README.
static int is_promised(int kind, int in, int out, int op) {
  if (op > SCAN_MAXIMUM || op == SCAN_MULTIPLIES || in == SCAN_BOOL || out == SCAN_BOOL) return 0;
  const size_t from = scan_type_bytes(in), to = scan_type_bytes(out);
  const int is_from_byte = in == SCAN_UINT8 && !is_float(out) && to >= 4;
  if (kind == SCAN_SEQUENCE) {
    if (in == out) return 1;
    if (op != SCAN_PLUS || is_float(in) != is_float(out)) return 0;
    if (is_float(in)) return (from == 2 && out == SCAN_FLOAT) || (from == 4 && to == 8);
    return is_from_byte || (from == 4 && to == 8);
  }
  if (op != SCAN_PLUS) return in == out && (in == SCAN_INT32 || in == SCAN_FLOAT);
  return (in == out && (is_float(in) || from >= 4)) || is_from_byte;
}

int main(void) {
  static shape it;
  int num_held = 0, num_refused = 0, num_checked = 0;
  if (!is_place_here()) return 77;
  for (int code = 0; code < 4 * num_types * num_types * num_operators; ++code) {
    scan_operands operands = {.size = sizeof operands,
                              .input_type = 1 + code % num_types,
                              .output_type = 1 + code / num_types % num_types,
                              .op = code / num_types / num_types % num_operators};
    const int kind = code / num_types / num_types / num_operators;
    const int in = operands.input_type, out = operands.output_type;
    const int is_held = scan_is_held(place, kind, in, out, operands.op);
    if (is_promised(kind, in, out, operands.op) && !is_held) {
      printf("kind %d, %s to %s, %s is promised and not held\n", kind, scan_type_name(in),
             scan_type_name(out), scan_operator_name(operands.op));
      return 1;
    }
    if (!is_held && is_float(in) != is_float(out)) continue;  // (of these one is like the other)
    num_held += is_held;
    num_refused += !is_held;
    for (int k = 0; k < (is_held ? variants_each : 1); ++k, ++num_checked) {
      const variant how = drawn_variant(kind, in == out);
      draw_shape(&it, kind, &how);
      check(&it, &operands, &how, is_held);
    }
  }
  printf("%d kinds of scans held, %d refused, %d calls\n", num_held, num_refused, num_checked);
  return num_held > 100 && num_refused > 100 ? 0 : 1;
}
