// In place of the toolkit's: a thread's asynchronous copies.
#ifndef SCAN_TESTS_EMULATED_CUDA_PIPELINE_PRIMITIVES_H
#define SCAN_TESTS_EMULATED_CUDA_PIPELINE_PRIMITIVES_H

#include "tests/emulated/engine.hpp"

inline void __pipeline_memcpy_async(void* to, const void* from, std::size_t num_bytes,
                                    const char* file = __builtin_FILE(),
                                    int line = __builtin_LINE()) {
  emulated::copy_async(to, from, num_bytes, {file, line});
}
inline void __pipeline_commit() { emulated::commit_copies(); }
inline void __pipeline_wait_prior(int pending) { emulated::await_copies(pending); }

#endif
