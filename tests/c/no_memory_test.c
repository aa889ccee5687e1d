// Host memory that is not there: whichever allocation of a call fails, it says so and has thrown
// nothing and written nothing, or it did without.
#include <scan/c.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void* __libc_malloc(size_t num_bytes);

/// The allocation of this number fails, counted from 1 on; 0: none does.
static long failing;
static long num_allocations;

static int fails(void) {
  return __atomic_add_fetch(&num_allocations, 1, __ATOMIC_SEQ_CST) == failing;
}

/// In place of the C library's, for libscan_c.so too.
void* malloc(size_t num_bytes) { return fails() ? NULL : __libc_malloc(num_bytes); }

enum { rows = 3000, columns = 1000, n = rows * columns };
static float x[n], sums[n];
static int32_t lengths[n];
static int64_t offsets[rows + 1];

static int are_untouched(void) {
  const unsigned char* const bytes = (const unsigned char*)sums;
  return bytes[0] == 0x5a && memcmp(bytes, bytes + 1, sizeof sums - 1) == 0;
}

static scan_status call(int kind) {
  const scan_operands operands = {sizeof operands, x, sums, SCAN_FLOAT, SCAN_FLOAT, SCAN_PLUS, 0};
  const scan_options options = {.size = sizeof options, .place = SCAN_HOST, .threads = 8};
  const scan_extents extents = {sizeof extents, rows, columns, 1, 0, 0};
  const scan_segments segments = {sizeof segments, offsets, rows, n, SCAN_INT64, 0};
  const scan_keys keys = {sizeof keys, x, SCAN_FLAG_BYTES, 0};
  const scan_recurrence_operands steps = {sizeof steps, x, x, sums, SCAN_FLOAT, 0, 0, 0};
  const scan_select_operands select = {sizeof select, x, x, sums, NULL, SCAN_FLAG_BYTES, 4};
  const scan_runs_operands runs = {sizeof runs, x, sums, lengths, SCAN_INT32, SCAN_INT32};
  switch (kind) {
    case SCAN_SEQUENCE:
      return scan_sequence(&operands, n, &options);
    case SCAN_TENSOR:
      return scan_tensor(&operands, &extents, &options);
    case SCAN_SEGMENTS:
      return scan_segmented(&operands, &segments, &options);
    case SCAN_KEYS:
      return scan_by_key(&operands, &keys, n, &options);
    case SCAN_SELECT:
      return scan_select(&select, n, &options);
    case SCAN_RUNS:
      return scan_runs(&runs, n, &options);
    default:
      return scan_recurrence(&steps, &extents, &options);
  }
}

int main(void) {
  int num_failures = 0;
  for (int r = 0; r <= rows; ++r) offsets[r] = (int64_t)r * columns;
  for (int kind = SCAN_SEQUENCE; kind <= SCAN_RUNS; ++kind) {
    for (long k = 1; k < 1000; ++k) {
      memset(sums, 0x5a, sizeof sums);
      num_allocations = 0;
      failing = k;
      const scan_status status = call(kind);
      const int was_asked = num_allocations >= k;
      failing = 0;
      if (!was_asked && status.code == SCAN_SUCCESS) break;
      if (status.code == SCAN_SUCCESS) continue;  // (with fewer threads)
      ++num_failures;
      if (status.code != SCAN_OUT_OF_MEMORY || !are_untouched()) {
        printf("kind %d, allocation %ld: %d, %s\n", kind, k, (int)status.code, status.message);
        return 1;
      }
    }
    if (call(kind).code != SCAN_SUCCESS) return 1;
  }
  printf("%d calls had no memory\n", num_failures);
  return num_failures > 0 ? 0 : 1;
}
