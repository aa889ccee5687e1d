// What calls in C do with a GPU besides the scans: streams, captures, workspaces, an allocator of
// the caller's, algorithms, offsets that are checked, compactions whose counts stay there.
#include <cuda_runtime_api.h>
#include <scan/c.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { n = 300000 };
static int32_t elements[n], sums[n], found[n];

static void need(int is_right, const char* what) {
  if (is_right) return;
  printf("wrong: %s\n", what);
  exit(1);
}
static void success(scan_status status, const char* what) {
  if (status.code != SCAN_SUCCESS) printf("%d, %s\n", (int)status.code, status.message);
  need(status.code == SCAN_SUCCESS, what);
}

static scan_operands operands = {
    .size = sizeof operands, .input_type = SCAN_INT32, .output_type = SCAN_INT32, .op = SCAN_PLUS};
static int32_t *d_in, *d_out;

static void clear(void) {
  need(cudaMemset(d_out, 0x5a, sizeof found) == cudaSuccess, "cudaMemset");
}
static void expect_sums(const char* what) {
  need(cudaDeviceSynchronize() == cudaSuccess, what);
  need(cudaMemcpy(found, d_out, sizeof found, cudaMemcpyDeviceToHost) == cudaSuccess, what);
  need(memcmp(found, sums, sizeof sums) == 0, what);
  clear();
}

static void streams(cudaStream_t stream) {
  const scan_options options = {.size = sizeof options, .stream = stream};
  success(scan_sequence(&operands, n, &options), "in a stream");
  need(cudaStreamSynchronize(stream) == cudaSuccess, "a stream");
  expect_sums("in a stream");
  success(scan_sequence(&operands, n, NULL), "without options");
  expect_sums("without options");
}

static void captures(cudaStream_t stream, scan_workspace* workspace) {
  const scan_options options = {.size = sizeof options, .stream = stream, .workspace = workspace};
  cudaGraph_t graph;
  cudaGraphExec_t replayed;
  need(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal) == cudaSuccess,
       "a capture");
  success(scan_sequence(&operands, n, &options), "captured");
  need(cudaStreamEndCapture(stream, &graph) == cudaSuccess, "a capture's end");
  need(cudaGraphInstantiate(&replayed, graph, 0) == cudaSuccess, "a graph");
  for (int k = 0; k < 3; ++k) {
    need(cudaGraphLaunch(replayed, stream) == cudaSuccess, "a replay");
    expect_sums("a replay");
  }
  cudaGraphExecDestroy(replayed);
  cudaGraphDestroy(graph);
}

static void workspaces(cudaStream_t stream) {
  const scan_extents extents = {sizeof extents, 1, n, 1, 0, 0};
  const scan_workspace_needs some[] = {
      {.size = sizeof *some, .max_items = n},
      {.size = sizeof *some, .max_items = n, .max_element_bytes = 4, .algorithm = SCAN_BLELLOCH},
      {.size = sizeof *some, .extents = &extents}};
  for (int k = 0; k < 3; ++k) {
    scan_workspace* workspace = NULL;
    success(scan_workspace_create(&some[k], &workspace), "a workspace");
    need(scan_workspace_bytes(workspace) > 0, "a workspace's bytes");
    const scan_options options = {.size = sizeof options, .workspace = workspace};
    for (int call = 0; call < 5; ++call) {
      success(scan_sequence(&operands, n, &options), "with a workspace");
      expect_sums("with a workspace");
    }
    captures(stream, workspace);
    scan_workspace_destroy(workspace);
  }
  scan_workspace* small = NULL;
  const scan_workspace_needs odd = {.size = sizeof odd, .max_items = n, .max_element_bytes = 65};
  need(scan_workspace_create(&odd, &small).code == SCAN_INVALID_VALUE && small == NULL,
       "a workspace for elements of 65 bytes");
}

typedef struct counts_of_allocator {
  int allocated, deallocated;
  size_t num_bytes;
  void* stream;
  int is_empty;
} counts_of_allocator;
static void* allocate(void* context, size_t num_bytes, void* stream) {
  counts_of_allocator* const its = context;
  void* memory = NULL;
  ++its->allocated;
  its->num_bytes = num_bytes;
  its->stream = stream;
  if (its->is_empty) return NULL;
  need(cudaMallocAsync(&memory, num_bytes, stream) == cudaSuccess, "cudaMallocAsync");
  return memory;
}
static void deallocate(void* context, void* memory, size_t num_bytes, void* stream) {
  counts_of_allocator* const its = context;
  ++its->deallocated;
  need(num_bytes == its->num_bytes && stream == its->stream, "what was allocated is given back");
  need(cudaFreeAsync(memory, stream) == cudaSuccess, "cudaFreeAsync");
}

static void allocators(cudaStream_t stream) {
  counts_of_allocator its = {0};
  scan_options options = {.size = sizeof options,
                          .stream = stream,
                          .allocate = allocate,
                          .deallocate = deallocate,
                          .allocator_context = &its};
  success(scan_sequence(&operands, n, &options), "with an allocator");
  expect_sums("with an allocator");
  need(its.allocated == 1 && its.deallocated == 1 && its.stream == (void*)stream, "an allocator");
  its.is_empty = 1;
  need(scan_sequence(&operands, n, &options).code == SCAN_OUT_OF_MEMORY, "an empty allocator");
  need(its.allocated == 2 && its.deallocated == 1, "an empty allocator's calls");
  options.deallocate = NULL;
  need(scan_sequence(&operands, n, &options).code == SCAN_INVALID_VALUE, "half an allocator");
  clear();
}

static void algorithms(void) {
  for (int32_t which = SCAN_AUTOMATIC; which <= SCAN_REDUCE_THEN_SCAN_TWO_PASS; ++which) {
    const scan_options options = {.size = sizeof options, .algorithm = which};
    const scan_status status = scan_sequence(&operands, n, &options);
    if (which > SCAN_WALK && which < SCAN_BIT_LAYERS) {
      need(status.code == SCAN_INVALID_VALUE, "an algorithm that is none");
      continue;
    }
    if (which > SCAN_LOOK_BACK && status.code == SCAN_NOT_SUPPORTED) continue;  // (a GPU, a build)
    success(status, "an algorithm");
    expect_sums("an algorithm");
  }
}

static void offsets(void) {
  const uint32_t right[] = {0, 5, 5, 9}, wrong[] = {0, 5, 4, 9};
  void* d_offsets;
  need(cudaMalloc(&d_offsets, sizeof right) == cudaSuccess, "cudaMalloc");
  const scan_segments segments = {.size = sizeof segments,
                                  .offsets = d_offsets,
                                  .num_segments = 3,
                                  .num_items = 9,
                                  .offset_type = SCAN_UINT32};
  cudaMemcpy(d_offsets, right, sizeof right, cudaMemcpyHostToDevice);
  success(scan_check_segments(&segments, SCAN_DEVICE, NULL), "offsets");
  cudaMemcpy(d_offsets, wrong, sizeof wrong, cudaMemcpyHostToDevice);
  const scan_status status = scan_check_segments(&segments, SCAN_DEVICE, NULL);
  need(status.code == SCAN_INVALID_VALUE && status.index == 2, "offsets that fall");
  cudaFree(d_offsets);
}

/// What flags keep, and every third place of as many.
static void expect_chained(const uint8_t* flags, const int32_t* d_places, const int64_t* d_counts,
                           const char* what) {
  int64_t counts[2], num_kept = 0;
  need(cudaDeviceSynchronize() == cudaSuccess, what);
  cudaMemcpy(found, d_out, sizeof found, cudaMemcpyDeviceToHost);
  cudaMemcpy(counts, d_counts, sizeof counts, cudaMemcpyDeviceToHost);
  for (int32_t i = 0; i < n; ++i) {
    if (flags[i]) need(found[num_kept++] == elements[i], what);
  }
  need(counts[0] == num_kept && counts[1] == (num_kept + 2) / 3, what);
  cudaMemcpy(found, d_places, sizeof found, cudaMemcpyDeviceToHost);
  for (int32_t i = 0; i < counts[1]; ++i) need(found[i] == 3 * i, what);
  clear();
}

/// With an allocator, with a workspace, and in a graph, which follows other flags.
static void compactions(cudaStream_t stream) {
  static uint8_t flags[n];
  static uint32_t thirds[n / 32 + 1];
  void *d_flags, *d_thirds, *d_places, *d_counts;
  for (int32_t i = 0; i < n; i += 3) thirds[i / 32] |= UINT32_C(1) << (i % 32);
  need(cudaMalloc(&d_flags, sizeof flags) == cudaSuccess, "memory");
  need(cudaMalloc(&d_thirds, sizeof thirds) == cudaSuccess, "memory");
  need(cudaMalloc(&d_places, sizeof elements) == cudaSuccess, "memory");
  need(cudaMalloc(&d_counts, 2 * sizeof(int64_t)) == cudaSuccess, "memory");
  cudaMemcpy(d_thirds, thirds, sizeof thirds, cudaMemcpyHostToDevice);
  int64_t* const counts = d_counts;
  const scan_select_operands kept = {sizeof kept, d_in, d_flags, d_out, NULL, SCAN_FLAG_BYTES, 4};
  const scan_indices_operands places = {sizeof places, d_thirds, d_places, SCAN_FLAG_BITS,
                                        SCAN_INT32};
  scan_workspace* workspace = NULL;
  const scan_workspace_needs needs = {.size = sizeof needs, .max_items = n};
  success(scan_workspace_create(&needs, &workspace), "a workspace");
  counts_of_allocator its = {0};
  scan_options first = {.size = sizeof first, .stream = stream, .count = counts};
  scan_options second = {
      .size = sizeof second, .stream = stream, .count = counts + 1, .known_n = counts};
  cudaGraph_t graph;
  cudaGraphExec_t replayed = NULL;
  for (int round = 0; round < 4; ++round) {
    for (int32_t i = 0; i < n; ++i) flags[i] = (uint8_t)(i % (round + 2) == 0);
    cudaMemcpy(d_flags, flags, sizeof flags, cudaMemcpyHostToDevice);
    need(cudaDeviceSynchronize() == cudaSuccess, "flags");
    first.workspace = second.workspace = round == 1 ? workspace : NULL;
    first.allocate = round == 0 ? allocate : NULL;
    first.deallocate = round == 0 ? deallocate : NULL;
    first.allocator_context = &its;
    if (round == 2) cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
    if (round < 3) success(scan_select(&kept, n, &first), "select");
    if (round < 3) success(scan_indices(&places, n, &second), "indices of as many");
    if (round == 2) {
      need(cudaStreamEndCapture(stream, &graph) == cudaSuccess, "a capture of compactions");
      need(cudaGraphInstantiate(&replayed, graph, 0) == cudaSuccess, "a graph of compactions");
    }
    if (round >= 2) need(cudaGraphLaunch(replayed, stream) == cudaSuccess, "a replay");
    expect_chained(flags, d_places, d_counts, round >= 2 ? "a graph of compactions" : "a chain");
  }
  need(its.allocated == 1 && its.deallocated == 1, "an allocator of a compaction");
  cudaGraphExecDestroy(replayed);
  cudaGraphDestroy(graph);
  scan_workspace_destroy(workspace);
}

int main(void) {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) return 77;
  for (int32_t i = 0, sum = 0; i < n; ++i) {
    elements[i] = (int32_t)((uint32_t)i * 2654435761u >> 20) - 2000;
    sums[i] = sum += elements[i];
  }
  void* memory[2];
  for (int k = 0; k < 2; ++k)
    need(cudaMalloc(&memory[k], sizeof elements) == cudaSuccess, "memory");
  operands.input = d_in = memory[0];
  operands.output = d_out = memory[1];
  need(cudaMemcpy(d_in, elements, sizeof elements, cudaMemcpyHostToDevice) == cudaSuccess,
       "a copy");
  clear();
  cudaStream_t stream;
  need(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess, "a stream");
  streams(stream);
  workspaces(stream);
  allocators(stream);
  algorithms();
  offsets();
  compactions(stream);
  need(cudaGetLastError() == cudaSuccess, "an error that is left pending");
  return 0;
}
