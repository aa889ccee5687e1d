// Memory of the place that a program tests: host_memory.c or device_memory.c.
#ifndef SCAN_TESTS_C_MEMORY_H
#define SCAN_TESTS_C_MEMORY_H

#include <scan/c.h>
#include <stddef.h>

/// A scan_place, and what messages call it.
extern const int place;
/// Whether there is such a place on this machine.
int is_place_here(void);

/// An array there with the same bytes as `from`, which a call may read and write.
void* copied_to(const void* from, size_t num_bytes);
/// What it holds once all calls are through; frees it.
void copied_from(void* array, void* to, size_t num_bytes);

#endif
