#include "values.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int is_float(int type) { return type >= SCAN_FLOAT && type <= SCAN_BFLOAT16; }
int is_signed(int type) { return type <= SCAN_INT64; }

static value of_bits(uint64_t bits) {
  const value x = {bits, 0};
  return x;
}
static value of_number(double number) {
  const value x = {0, number};
  return x;
}

static float float_of(uint32_t bits) {
  float result;
  memcpy(&result, &bits, sizeof result);
  return result;
}
static uint32_t bits_of(float x) {
  uint32_t result;
  memcpy(&result, &x, sizeof result);
  return result;
}

/// (No subnormal numbers and no NaN are in these tests.)
static float float_of_half(uint16_t bits) {
  const uint32_t sign = (uint32_t)(bits & 0x8000) << 16;
  const uint32_t exponent = (bits >> 10) & 31, fraction = bits & 1023;
  if (exponent == 0) return float_of(sign);
  if (exponent == 31) return float_of(sign | 0x7f800000);
  return float_of(sign | (exponent + 112) << 23 | fraction << 13);
}
static uint16_t half_of_float(float x) {
  const uint32_t bits = bits_of(x), rest = bits & 0x7fffffff;
  const uint16_t sign = (uint16_t)(bits >> 16 & 0x8000);
  if (rest == 0) return sign;
  if (rest == 0x7f800000) return sign | 0x7c00;
  return (uint16_t)(sign | (((rest >> 23) - 112) << 10) | (rest >> 13 & 1023));
}

value load(int type, const void* array, int64_t i) {
  const char* at = (const char*)array + i * (int64_t)scan_type_bytes(type);
  uint64_t bits = 0;
  memcpy(&bits, at, scan_type_bytes(type));  // (little-endian, as all that CUDA runs on)
  switch (type) {
    case SCAN_FLOAT:
      return of_number(float_of((uint32_t)bits));
    case SCAN_DOUBLE: {
      double number;
      memcpy(&number, at, sizeof number);
      return of_number(number);
    }
    case SCAN_HALF:
      return of_number(float_of_half((uint16_t)bits));
    case SCAN_BFLOAT16:
      return of_number(float_of((uint32_t)bits << 16));
    default: {
      const int unused = 64 - 8 * (int)scan_type_bytes(type);
      if (!is_signed(type)) return of_bits(bits);
      return of_bits((uint64_t)((int64_t)(bits << unused) >> unused));
    }
  }
}

static uint64_t stored_bits(int type, value x) {
  uint64_t bits = 0;
  switch (type) {
    case SCAN_FLOAT:
      return bits_of((float)x.number);
    case SCAN_DOUBLE:
      memcpy(&bits, &x.number, sizeof bits);
      return bits;
    case SCAN_HALF:
      return half_of_float((float)x.number);
    case SCAN_BFLOAT16:
      return bits_of((float)x.number) >> 16;
    default:
      return x.bits;
  }
}

void store(int type, void* array, int64_t i, value x) {
  char* at = (char*)array + i * (int64_t)scan_type_bytes(type);
  const uint64_t bits = stored_bits(type, x);
  memcpy(at, &bits, scan_type_bytes(type));
  if (is_float(type) && load(type, array, i).number != x.number) {
    printf("a test with numbers that %s has no room for: %g\n", scan_type_name(type), x.number);
    exit(1);
  }
}

value converted(int from, int to, value x) {
  if (is_float(from)) return x;
  char room[8];
  if (to == SCAN_BOOL) return of_bits(x.bits != 0);
  store(to, room, 0, x);
  return load(to, room, 0);
}

static int is_less(int type, value a, value b) {
  if (is_float(type)) return a.number < b.number;
  return is_signed(type) ? (int64_t)a.bits < (int64_t)b.bits : a.bits < b.bits;
}

value combined(int type, int op, value a, value b) {
  switch (op) {
    case SCAN_PLUS:
      return is_float(type) ? of_number(a.number + b.number)
                            : converted(type, type, of_bits(a.bits + b.bits));
    case SCAN_MULTIPLIES:
      return is_float(type) ? of_number(a.number * b.number)
                            : converted(type, type, of_bits(a.bits * b.bits));
    case SCAN_MINIMUM:
      return is_less(type, b, a) ? b : a;
    case SCAN_MAXIMUM:
      return is_less(type, a, b) ? b : a;
    case SCAN_BIT_AND:
      return of_bits(a.bits & b.bits);
    case SCAN_BIT_OR:
      return of_bits(a.bits | b.bits);
    default:
      return of_bits(a.bits ^ b.bits);
  }
}

value identity(int type, int op) {
  const uint64_t top_bit = UINT64_C(1) << (8 * scan_type_bytes(type) - 1);
  const uint64_t lowest = is_signed(type) ? ~(top_bit - 1) : 0;
  const uint64_t highest = type == SCAN_BOOL ? 1
                           : is_signed(type) ? top_bit - 1
                                             : top_bit | (top_bit - 1);
  switch (op) {
    case SCAN_PLUS:
      return is_float(type) ? of_number(-0.0) : of_bits(0);
    case SCAN_MULTIPLIES:
      return is_float(type) ? of_number(1) : of_bits(1);
    case SCAN_MINIMUM:
      return is_float(type) ? of_number(INFINITY) : of_bits(highest);
    case SCAN_MAXIMUM:
      return is_float(type) ? of_number(-INFINITY) : of_bits(lowest);
    case SCAN_BIT_AND:
      return converted(type, type, of_bits(~UINT64_C(0)));
    default:
      return of_bits(0);
  }
}

uint64_t drawn(void) {
  static uint64_t state = 20261123;
  uint64_t x = state += UINT64_C(0x9e3779b97f4a7c15);  // splitmix64
  x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
  return x ^ (x >> 31);
}
int64_t drawn_below(int64_t end) { return (int64_t)(drawn() % (uint64_t)end); }

value drawn_value(int type, int op) {
  if (!is_float(type)) return converted(type, type, of_bits(drawn()));
  if (op == SCAN_MULTIPLIES) return of_number(drawn_below(2) ? 1 : -1);
  if (op == SCAN_PLUS) return of_number((double)drawn_below(3) - 1);
  return of_number(((double)drawn_below(511) - 255) / 2);
}

void fill(int type, int op, void* array, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    store(type, array, i, drawn_value(type, op));
  }
}

/// Where the k-th step of a walk is.
static int64_t step(int64_t k, int64_t length, int reverse) { return reverse ? length - 1 - k : k; }

value scanned(const sequence* given) {
  const int type = given->output_type, op = given->op;
  value fold = given->init != NULL ? *given->init : identity(type, op);
  int is_begun = given->init != NULL;
  for (int64_t k = 0; k < given->length; ++k) {
    const int64_t i = step(k, given->length, given->reverse);
    const value next =
        load(given->input_type, given->input, given->input_begin + i * given->stride);
    const value x = converted(given->input_type, type, next);
    const value before = fold;
    fold = is_begun ? combined(type, op, fold, x) : x;
    is_begun = 1;
    // (Of n + 1 outputs walked from the end each is one place later in memory.)
    const int64_t at = i + (given->complete && given->reverse);
    store(type, given->output, given->output_begin + at * given->stride,
          given->exclusive ? before : fold);
  }
  if (given->complete) {
    const int64_t at = given->reverse ? 0 : given->length;
    store(type, given->output, given->output_begin + at * given->stride, fold);
  }
  return fold;
}

value recurred(const steps* given) {
  value state = of_number(0);
  int is_begun = given->init != NULL;
  if (is_begun) state = *given->init;
  for (int64_t k = 0; k < given->length; ++k) {
    const int64_t i = step(k, given->length, given->reverse) * given->stride;
    const double a = load(given->type, given->a, given->input_begin + i).number;
    const double b = load(given->type, given->b, given->input_begin + i).number;
    state.number = is_begun && a != 0 ? a * state.number + b : b;
    is_begun = 1;
    store(given->output_type, given->h, given->output_begin + i, state);
  }
  return state;
}
