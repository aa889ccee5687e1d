// Every compaction that the library holds, by kind, bytes or types and flags, with options drawn at
// random, against loops; and those of other types, which are refused. On CPU threads or, linked
// with device_memory.c, on a GPU.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "values.h"

enum { guard = 32, most_elements = 9000, most_bytes = 16, variants_each = 30 };

/// One with guards on both sides, as it is before a call and as it is to be.
typedef struct array {
  char before[guard + most_bytes * most_elements + guard];
  char after[guard + most_bytes * most_elements + guard];
  char* there;
} array;
static const size_t array_bytes = guard + most_bytes * most_elements + guard;

static array input, flags, output, second, numbers;  // second: what is rejected, or lengths
static array* const arrays[] = {&input, &flags, &output, &second, &numbers};
enum { num_arrays = sizeof arrays / sizeof *arrays };

/// What is drawn of a call of one kind.
typedef struct drawn_call {
  int kind, type, place_type, flag_kind, element_bytes;
  int64_t n, num_items;  // num_items: of these n how many there are
  int64_t capacity, room;
  int is_in_place, has_count, has_known_n, counts_alone;
  int64_t input_offset, output_offset;  // in bytes
  int threads;
} drawn_call;

static int moves_elements(int kind) { return kind == SCAN_SELECT || kind == SCAN_PARTITION; }
static int is_by_flags(int kind) { return kind <= SCAN_INDICES; }
static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

static void draw_call(drawn_call* c) {
  static const int64_t some[] = {0, 1, 31, 32, 33, 300, 1024, 4097, most_elements};
  c->n = drawn_below(3) ? some[drawn_below(9)] : drawn_below(most_elements);
  c->has_known_n = drawn_below(3) == 0;
  int64_t known = drawn_below(8) ? drawn_below(c->n + 20) : -1;
  c->num_items = !c->has_known_n ? c->n : known < 0 ? 0 : least(known, c->n);
  memset(numbers.before, 0x5a, array_bytes);
  if (c->has_known_n) memcpy(numbers.before + guard, &known, sizeof known);
  c->capacity = drawn_below(2) ? 0 : drawn_below(4) ? 1 + drawn_below(c->n + 9) : INT64_MAX;
  c->has_count = drawn_below(8) != 0;
  c->counts_alone = c->has_count && drawn_below(8) == 0;
  if (c->counts_alone) c->capacity = 0;
  c->room = c->counts_alone ? 0 : c->capacity == 0 ? c->n : least(c->capacity, c->n);
  c->is_in_place = !c->counts_alone && c->kind != SCAN_INDICES && drawn_below(3) == 0;
  const int aligned = moves_elements(c->kind) && c->element_bytes >= 8 ? 4 : c->element_bytes;
  c->input_offset = drawn_below(3) * aligned % 16;
  c->output_offset = c->is_in_place ? c->input_offset : drawn_below(3) * aligned % 16;
  c->threads = place == SCAN_HOST ? (int)drawn_below(4) : 0;
}

/// Elements whose equals stand together at times; floats with zeros of both signs and NaN.
static void draw_elements(const drawn_call* c) {
  static const double numbers_of[] = {0.0, -0.0, 1.5, NAN};
  const int64_t run = drawn_below(2) ? 1 : 1 + drawn_below(50);
  char element[most_bytes] = {0};
  for (int64_t i = 0; i < c->n; ++i) {
    if (i == 0 || drawn_below(run) == 0) {
      const uint64_t bits = moves_elements(c->kind)
                                ? drawn()
                                : drawn() % 3 << (c->type % 2 * 8 * (c->element_bytes - 1));
      const double number = numbers_of[bits % 4];
      const float narrow = (float)number;
      memcpy(element, &bits, sizeof bits);
      memcpy(element + 8, &i, sizeof i);
      if (!moves_elements(c->kind) && c->type == SCAN_BOOL) element[0] = (char)(bits != 0);
      if (!moves_elements(c->kind) && c->type == SCAN_FLOAT)
        memcpy(element, &narrow, sizeof narrow);
      if (!moves_elements(c->kind) && c->type == SCAN_DOUBLE)
        memcpy(element, &number, sizeof number);
    }
    memcpy(input.before + guard + c->input_offset + i * c->element_bytes, element,
           (size_t)c->element_bytes);
  }
}

static int kept[most_elements];

static int are_equal(const drawn_call* c, const char* a, const char* b) {
  float x, y;
  double u, v;
  if (c->type == SCAN_FLOAT) return memcpy(&x, a, 4), memcpy(&y, b, 4), x == y;
  if (c->type == SCAN_DOUBLE) return memcpy(&u, a, 8), memcpy(&v, b, 8), u == v;
  return memcmp(a, b, (size_t)c->element_bytes) == 0;
}

/// Which are kept; by flags, these are made, more than there are elements.
static void draw_kept(const drawn_call* c) {
  static const int percents[] = {0, 1, 30, 90, 100};
  const int percent = percents[drawn_below(5)];
  const char* const elements = input.before + guard + c->input_offset;
  for (int64_t i = 0; i < c->n; ++i) {
    if (is_by_flags(c->kind)) {
      kept[i] = drawn_below(100) < percent;
      char* const byte = flags.before + guard + (c->flag_kind == SCAN_FLAG_BYTES ? i : i / 8);
      const int bit = 1 << (i % 8);
      if (c->flag_kind == SCAN_FLAG_BYTES) *byte = (char)(kept[i] ? 1 + drawn_below(255) : 0);
      if (c->flag_kind == SCAN_FLAG_BITS) *byte = (char)((*byte & ~bit) | (kept[i] ? bit : 0));
    } else {
      const char* const element = elements + i * c->element_bytes;
      kept[i] = i == 0 || !are_equal(c, element - c->element_bytes, element);
    }
  }
}

static void put(array* to, int64_t offset, int64_t bytes, int64_t at, const void* from) {
  memcpy(to->after + guard + offset + at * bytes, from, (size_t)bytes);
}

/// What loops make of it.
static void expect(const drawn_call* c) {
  const int64_t place_bytes = (int64_t)scan_type_bytes(c->place_type);
  int64_t count = 0, num_rejected = 0, begin = 0;
  array* const to = c->is_in_place ? &input : &output;
  for (int64_t i = 0; i < c->num_items; ++i) {
    const char* const element = input.before + guard + c->input_offset + i * c->element_bytes;
    if (!kept[i]) {
      if (c->kind == SCAN_PARTITION && num_rejected < c->room) {
        put(&second, c->output_offset, c->element_bytes, num_rejected, element);
      }
      ++num_rejected;
      continue;
    }
    begin = i;
    if (count++ >= c->room) continue;
    if (c->kind == SCAN_INDICES) put(to, 0, place_bytes, count - 1, &i);
    if (c->kind != SCAN_INDICES) put(to, c->output_offset, c->element_bytes, count - 1, element);
    if (c->kind != SCAN_RUNS) continue;
    int64_t end = begin + 1;
    while (end < c->num_items && !kept[end]) ++end;
    const int64_t length = end - begin;
    put(&second, 0, place_bytes, count - 1, &length);
  }
  if (c->has_count) put(&numbers, 0, 8, 1, &count);
}

static scan_status call(const drawn_call* c, const scan_options* options) {
  void* const in = input.there + c->input_offset;
  void* const out = c->counts_alone ? NULL : c->is_in_place ? in : output.there + c->output_offset;
  void* const other = c->counts_alone ? NULL : second.there;
  const scan_select_operands select = {
      .size = sizeof select,
      .input = in,
      .flags = flags.there,
      .output = out,
      .rejected = other == NULL || c->kind == SCAN_SELECT ? NULL : second.there + c->output_offset,
      .flag_kind = c->flag_kind,
      .element_bytes = c->element_bytes};
  const scan_indices_operands indices = {.size = sizeof indices,
                                         .flags = flags.there,
                                         .output = c->counts_alone ? NULL : output.there,
                                         .flag_kind = c->flag_kind,
                                         .output_type = c->place_type};
  const scan_runs_operands runs = {.size = sizeof runs,
                                   .input = in,
                                   .output = out,
                                   .lengths = c->kind == SCAN_RUNS ? other : NULL,
                                   .type = c->type,
                                   .length_type = c->kind == SCAN_RUNS ? c->place_type : 0};
  if (c->kind == SCAN_SELECT) return scan_select(&select, c->n, options);
  if (c->kind == SCAN_PARTITION) return scan_partition(&select, c->n, options);
  if (c->kind == SCAN_INDICES) return scan_indices(&indices, c->n, options);
  return c->kind == SCAN_UNIQUE ? scan_unique(&runs, c->n, options)
                                : scan_runs(&runs, c->n, options);
}

static void fail(const char* what, int which, const drawn_call* c, scan_status status) {
  printf(
      "%s %d: kind %d, type %d, places %d, flags %d, %d bytes, n %d of %d, capacity %lld, in place "
      "%d, count %d, alone %d, offsets %d, %d, threads %d: status %d, %s\n",
      what, which, c->kind, c->type, c->place_type, c->flag_kind, c->element_bytes,
      (int)c->num_items, (int)c->n, (long long)c->capacity, c->is_in_place, c->has_count,
      c->counts_alone, (int)c->input_offset, (int)c->output_offset, c->threads, (int)status.code,
      status.message);
  exit(1);
}

static void check(drawn_call c, int is_held) {
  draw_call(&c);
  for (int k = 0; k < num_arrays - 1; ++k) memset(arrays[k]->before, 0x5a, array_bytes);
  draw_elements(&c);
  draw_kept(&c);
  for (int k = 0; k < num_arrays; ++k) memcpy(arrays[k]->after, arrays[k]->before, array_bytes);
  if (is_held) expect(&c);
  for (int k = 0; k < num_arrays; ++k) {
    arrays[k]->there = (char*)copied_to(arrays[k]->before, array_bytes) + guard;
  }
  int64_t* const known_n = (int64_t*)(void*)numbers.there;
  const scan_options options = {.size = sizeof options,
                                .place = place,
                                .threads = c.threads,
                                .count = c.has_count ? known_n + 1 : NULL,
                                .known_n = c.has_known_n ? known_n : NULL,
                                .capacity = c.capacity};
  const scan_status status = call(&c, &options);
  if (status.code != (is_held ? SCAN_SUCCESS : SCAN_NOT_SUPPORTED)) fail("status", 0, &c, status);
  for (int k = 0; k < num_arrays; ++k) {
    static char found[sizeof input.after];
    copied_from(arrays[k]->there - guard, found, array_bytes);
    if (memcmp(found, arrays[k]->after, array_bytes) != 0) fail("array", k, &c, status);
  }
}

/// What every build holds, by the README.
static int is_promised(int kind, int type, int place_type) {
  const int is_place = !is_float(place_type) && scan_type_bytes(place_type) >= 4;
  switch (kind) {
    case SCAN_SELECT:
    case SCAN_PARTITION:
      return 1;
    case SCAN_INDICES:
      return is_place;
    case SCAN_UNIQUE:
      return !is_float(type) || type == SCAN_FLOAT || type == SCAN_DOUBLE;
    default:
      return !is_float(type) && is_place;
  }
}

/// What is wrong is named, and nothing is written.
static void check_refusals(void) {
  int32_t in[4] = {7, 7, 8, 8}, out[4] = {0}, others[4] = {0};
  const uint8_t bytes[4] = {1, 0, 1, 1};
  int64_t count = -1, known = 4;
  const scan_select_operands right = {sizeof right, in, bytes, out, others, SCAN_FLAG_BYTES, 4};
  const scan_indices_operands at = {sizeof at, bytes, out, SCAN_FLAG_BYTES, SCAN_INT32};
  const scan_runs_operands of = {sizeof of, in, out, others, SCAN_INT32, SCAN_INT32};
  const scan_options here = {
      .size = sizeof here, .place = SCAN_HOST, .count = &count, .known_n = &known};
  scan_select_operands s[11];
  for (int k = 0; k < 11; ++k) s[k] = right;
  s[0].size = 40, s[1].flag_kind = SCAN_KEYS_8_BIT, s[2].element_bytes = 3, s[3].input = NULL;
  s[4].flags = NULL, s[5].output = NULL, s[6].rejected = in, s[7].output = in + 1;
  s[8].flag_kind = SCAN_FLAG_BITS, s[8].flags = bytes + ((uintptr_t)bytes % 4 == 0);
  s[9].rejected = NULL, s[10].input = (const char*)in + 2;
  scan_indices_operands i[3] = {at, at, at};
  i[0].size = 40, i[1].output_type = SCAN_INT16, i[2].output_type = SCAN_FLOAT;
  scan_runs_operands r[6] = {of, of, of, of, of, of};
  r[0].size = 48, r[1].type = 0, r[2].length_type = SCAN_INT8, r[3].type = SCAN_HALF;
  r[4].type = SCAN_FLOAT, r[5].lengths = NULL;
  scan_options o[10];
  for (int k = 0; k < 10; ++k) o[k] = here;
  o[0].size = 97, o[1].reverse = 1, o[2].complete = 1, o[3].place = SCAN_DEVICE;
  o[3].algorithm = SCAN_RING, o[4].init = in, o[5].init_pointer = in, o[6].total = others;
  o[7].known_n = (const int64_t*)(const void*)((const char*)&known + 1), o[8].capacity = -1;
  o[9].threads = -1;
  const char* const no_place = "operands.output_type is no integer of 4 or 8 bytes";
  const char* const unheld =
      "operands: this build of the library holds no such compaction (there are unique of integers, "
      "bools, float and double, and runs of integers and bools)";
  const struct {
    scan_status said;
    const char* message;
  } all[] = {
      {scan_select(NULL, 4, &here), "operands is null"},
      {scan_indices(NULL, 4, &here), "operands is null"},
      {scan_unique(NULL, 4, &here), "operands is null"},
      {scan_partition(&s[0], 4, &here), "operands.size is no size of a scan_select_operands"},
      {scan_indices(&i[0], 4, &here), "operands.size is no size of a scan_indices_operands"},
      {scan_runs(&r[0], 4, &here), "operands.size is no size of a scan_runs_operands"},
      {scan_partition(&s[1], 4, &here),
       "operands.flag_kind is neither SCAN_FLAG_BYTES nor SCAN_FLAG_BITS"},
      {scan_partition(&s[2], 4, &here), "operands.element_bytes is not 1, 2, 4, 8 or 16"},
      {scan_partition(&s[3], 4, &here), "the input is null"},
      {scan_partition(&s[4], 4, &here), "operands.flags is null but n > 0"},
      {scan_partition(&s[5], 4, &here), "an output is null"},
      {scan_partition(&s[6], 4, &here),
       "an output overlaps another array of the call, and is not in place"},
      {scan_partition(&s[7], 4, &here),
       "an output overlaps another array of the call, and is not in place"},
      {scan_partition(&s[8], 4, &here),
       "operands.flags is not aligned to the uint32_t of SCAN_FLAG_BITS"},
      {scan_partition(&s[9], 4, &here), "an output is null"},
      {scan_partition(&s[10], 4, &here), "the input is not aligned to its type"},
      {scan_select(&right, 4, &here), "operands.rejected is for scan_partition alone"},
      {scan_select(&s[9], -1, &here), "n is negative"},
      {scan_indices(&i[1], 4, &here), no_place},
      {scan_indices(&i[2], 4, &here), no_place},
      {scan_indices(&at, (INT64_C(1) << 31) + 1, &here), "n is too large for positions of 4 bytes"},
      {scan_runs(&r[1], 4, &here), "operands.type is no scan_type"},
      {scan_runs(&r[2], 4, &here), "operands.length_type is no integer of 4 or 8 bytes"},
      {scan_runs(&r[3], 4, &here), unheld},
      {scan_runs(&r[4], 4, &here), unheld},
      {scan_runs(&r[5], 4, &here), "the lengths is null"},
      {scan_unique(&of, 4, &here), "operands.lengths is for scan_runs alone"},
      {scan_unique(&r[5], 4, &here), "operands.length_type is for scan_runs alone"},
      {scan_runs(&of, 4, &o[0]), "options.size is no size of a scan_options"},
      {scan_runs(&of, 4, &o[1]), "options.reverse is not for compactions"},
      {scan_runs(&of, 4, &o[2]), "options.complete is not for compactions"},
      {scan_runs(&of, 4, &o[3]), "options.algorithm is not for compactions"},
      {scan_runs(&of, 4, &o[4]), "options.init is not for compactions"},
      {scan_runs(&of, 4, &o[5]), "options.init_pointer is not for compactions"},
      {scan_runs(&of, 4, &o[6]), "options.total is not for compactions: see count"},
      {scan_runs(&of, 4, &o[7]), "options.known_n is not aligned to its type"},
      {scan_runs(&of, 4, &o[8]), "options.capacity is negative"},
      {scan_runs(&of, 4, &o[9]), "options.threads is negative"}};
  for (size_t k = 0; k < sizeof all / sizeof *all; ++k) {
    const int code = all[k].message == unheld ? SCAN_NOT_SUPPORTED : SCAN_INVALID_VALUE;
    if (all[k].said.code == code && strcmp(all[k].said.message, all[k].message) == 0) continue;
    printf("refusal %d says: %d, %s\n", (int)k, (int)all[k].said.code, all[k].said.message);
    exit(1);
  }
  for (int k = 0; k < 4; ++k) {
    if (out[k] != 0 || others[k] != 0 || in[k] != 7 + k / 2 || count != -1) exit(1);
  }
  // (A caller that was compiled before compactions has shorter options.)
  const scan_options older = {.size = 96, .place = SCAN_HOST, .count = &count, .capacity = 1};
  if (scan_partition(&right, 4, &older).code != SCAN_SUCCESS || count != -1 || out[2] != 8) exit(1);
}

int main(void) {
  int num_checked = 0;
  if (!is_place_here()) return 77;
  check_refusals();
  for (int kind = SCAN_SELECT; kind <= SCAN_RUNS; ++kind) {
    for (int type = SCAN_INT8; type <= SCAN_BOOL; ++type) {
      for (int places = SCAN_INT8; places <= SCAN_BOOL; ++places) {
        const int is_held = is_promised(kind, type, places);
        if (scan_is_held(place, kind, type, places, 0) != is_held) {
          printf("whether kind %d of %s and %s is held is not said right\n", kind,
                 scan_type_name(type), scan_type_name(places));
          return 1;
        }
        const int is_new = kind == SCAN_INDICES  ? type == SCAN_INT8
                           : kind == SCAN_UNIQUE ? places == SCAN_INT8
                                                 : kind == SCAN_RUNS;
        if (!is_new || (!is_held && kind != SCAN_UNIQUE)) continue;  // (refusals: errors_test.c)
        for (int k = 0; k < (is_held ? variants_each : 1); ++k, ++num_checked) {
          const drawn_call c = {.kind = kind,
                                .type = type,
                                .place_type = places,
                                .flag_kind = SCAN_FLAG_BYTES + k % 2,
                                .element_bytes = (int)scan_type_bytes(type)};
          check(c, is_held);
        }
      }
    }
    for (int bytes = 1; bytes <= most_bytes && moves_elements(kind); bytes *= 2) {
      for (int k = 0; k < 4 * variants_each; ++k, ++num_checked) {
        const drawn_call c = {.kind = kind,
                              .place_type = SCAN_INT64,
                              .flag_kind = SCAN_FLAG_BYTES + k % 2,
                              .element_bytes = bytes};
        check(c, 1);
      }
    }
  }
  printf("%d calls\n", num_checked);
  return num_checked > 2000 ? 0 : 1;
}
