/* Of the installed copy, by a compiler for C: the example of scan/c.h. */
#include <scan/c.h>
#include <stdio.h>
#include <string.h>

int main(void) {
  const float x[] = {1, 2, 3}, expected[] = {1, 3, 6};
  float sums[3];
  const scan_operands sum = {.size = sizeof sum,
                             .input = x,
                             .output = sums,
                             .input_type = SCAN_FLOAT,
                             .output_type = SCAN_FLOAT};
  const scan_options on_cpu = {.size = sizeof on_cpu, .place = SCAN_HOST};
  const scan_status status = scan_sequence(&sum, 3, &on_cpu);
  if (status.code != SCAN_SUCCESS) puts(status.message);
  return status.code == SCAN_SUCCESS && memcmp(sums, expected, sizeof sums) == 0 ? 0 : 1;
}
