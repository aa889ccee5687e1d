#include <stdlib.h>
#include <string.h>

#include "memory.h"

const int place = SCAN_HOST;
int is_place_here(void) { return 1; }

void* copied_to(const void* from, size_t num_bytes) {
  void* const array = malloc(num_bytes + 1);
  if (array == NULL) exit(1);
  return memcpy(array, from, num_bytes);
}
void copied_from(void* array, void* to, size_t num_bytes) {
  memcpy(to, array, num_bytes);
  free(array);
}
