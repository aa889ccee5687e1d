#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>

#include "memory.h"

const int place = SCAN_DEVICE;

int is_place_here(void) {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess && count > 0;
}

static void need(cudaError_t e) {
  if (e == cudaSuccess) return;
  printf("CUDA: %s\n", cudaGetErrorString(e));
  exit(1);
}

void* copied_to(const void* from, size_t num_bytes) {
  void* array = NULL;
  need(cudaMalloc(&array, num_bytes + 1));
  need(cudaMemcpy(array, from, num_bytes, cudaMemcpyHostToDevice));
  return array;
}
void copied_from(void* array, void* to, size_t num_bytes) {
  need(cudaMemcpy(to, array, num_bytes, cudaMemcpyDeviceToHost));
  need(cudaFree(array));
}
