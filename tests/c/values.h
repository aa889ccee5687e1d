// Elements of every type that scan/c.h has a code for, and scans of them as loops say it.
#ifndef SCAN_TESTS_C_VALUES_H
#define SCAN_TESTS_C_VALUES_H

#include <scan/c.h>
#include <stdint.h>

enum { num_types = SCAN_BOOL, num_operators = SCAN_BIT_XOR + 1 };

/// An integer, with as many bits as its type has (above them its sign), or a number.
typedef struct value {
  uint64_t bits;
  double number;
} value;

int is_float(int type);
int is_signed(int type);

/// What an array holds at `i`, and what is put there; a float has to have room for all of it.
value load(int type, const void* array, int64_t i);
void store(int type, void* array, int64_t i, value x);
/// As another type: integers are widened by their sign, or cut.
value converted(int from, int to, value x);

/// The operator of two of a type, and what it changes nothing with.
value combined(int type, int op, value earlier, value later);
value identity(int type, int op);

/// Numbers that are drawn one after another; the same in each run.
uint64_t drawn(void);
int64_t drawn_below(int64_t end);
/// `count` elements such that no fold of them with `op` is rounded, whatever its order.
void fill(int type, int op, void* array, int64_t count);
value drawn_value(int type, int op);

/// One sequence: where its elements are in the arrays, and how it is scanned.
typedef struct sequence {
  int input_type, output_type, op;
  int exclusive, reverse, complete;
  const void* input;
  void* output;
  int64_t length, input_begin, output_begin, stride;
  const value* init;  // or null
} sequence;

/// Writes its outputs and returns the fold of everything.
value scanned(const sequence* given);

/// The same of h[i] = a[i] h[i-1] + b[i].
typedef struct steps {
  int type, output_type, reverse;
  const void *a, *b;
  void* h;
  int64_t length, input_begin, output_begin, stride;
  const value* init;
} steps;
value recurred(const steps* given);

#endif
