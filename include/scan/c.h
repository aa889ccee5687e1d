// The library's calls for C and for what calls C: libscan_c.so, built with -Dlibscan_c=enabled.
// What they mean, refuse and promise is said in the headers of C++; here is how to say it in C.
//
//   const float x[] = {1, 2, 3};
//   float sums[3];
//   const scan_operands sum = {.size = sizeof sum, .input = x, .output = sums,
//                              .input_type = SCAN_FLOAT, .output_type = SCAN_FLOAT};
//   const scan_options on_cpu = {.size = sizeof on_cpu, .place = SCAN_HOST};
//   const scan_status status = scan_sequence(&sum, 3, &on_cpu);
//   if (status.code != SCAN_SUCCESS) puts(status.message);
//
// A struct that calls take begins with its size as the caller compiled it: later versions append
// fields, which are 0 for callers that do not know them. (A library that does not know a caller's
// fields, being older than its header, refuses the struct by its size. scan_status has none, and
// stays as it is.) Fields that are 0 say what is usual, where something is. Codes are int32_t with
// fixed numbers. No call throws or ends the process; one that is refused has left the outputs as
// they were. Calls may come from many threads at once.
#ifndef SCAN_C_H
#define SCAN_C_H

#include <stddef.h>
#include <stdint.h>

#include "scan/c_codes.h"

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)  // whatever is the default where it is compiled
#endif

typedef struct scan_status {
  int32_t code;
  int64_t index;        // which entry of the offsets, where the message is about one; else -1
  const char* message;  // one line, never null, which lives as long as the library
} scan_status;

// ---- what calls take ----

/// What is scanned, and where the results go; in place where both are one pointer.
typedef struct scan_operands {
  size_t size;
  const void* input;
  void* output;
  int32_t input_type;   // a scan_type
  int32_t output_type;  // likewise
  int32_t op;           // a scan_operator
  int32_t exclusive;    // whether outputs begin with the init or identity, not the first element
} scan_operands;

/// h[i] = a[i] * h[i-1] + b[i], all of one type: float, double, half or bfloat16; or h of float.
typedef struct scan_recurrence_operands {
  size_t size;
  const void* a;
  const void* b;
  void* h;  // may be b
  int32_t type;
  int32_t reserved;     // 0
  int32_t factors;      // a scan_factors
  int32_t output_type;  // of h; 0: type
} scan_recurrence_operands;

/// The gradient of a recurrence, all of one type (recurrence_gradient.hpp). Of the options `init`,
/// `init_pointer` and `reverse` are the recurrence's; `total`, `complete` and `algorithm` are 0.
typedef struct scan_gradient_operands {
  size_t size;
  const void* a;
  const void* h;
  const void* grad_h;
  void* grad_a;
  void* grad_b;            // may be grad_h
  const void* grad_total;  // one a sequence, of the state's type; or null
  void* grad_init;         // likewise
  int32_t type;
  int32_t reserved;  // 0
} scan_gradient_operands;

/// What is kept, or told apart, by flags (compaction.hpp). The k-th that is kept goes to place k.
typedef struct scan_select_operands {
  size_t size;
  const void* input;
  const void* flags;
  void* output;           // may be the input
  void* rejected;         // scan_partition: the others, in the order of the input; else null
  int32_t flag_kind;      // SCAN_FLAG_BYTES or SCAN_FLAG_BITS
  int32_t element_bytes;  // 1, 2, 4, 8 or 16; of 8 and 16 arrays are aligned to 4
} scan_select_operands;

/// Where flags are set, rising.
typedef struct scan_indices_operands {
  size_t size;
  const void* flags;
  void* output;
  int32_t flag_kind;    // as above
  int32_t output_type;  // an integer of 4 or 8 bytes
} scan_indices_operands;

/// Runs of elements that equal the one before them.
typedef struct scan_runs_operands {
  size_t size;
  const void* input;
  void* output;         // the first of each; may be the input
  void* lengths;        // scan_runs: how long each is; scan_unique: null
  int32_t type;         // of input and output
  int32_t length_type;  // of scan_runs an integer of 4 or 8 bytes; else 0
} scan_runs_operands;

/// Scans along the middle axis of outer x length x inner elements (extents.hpp). None of the three
/// has a default: 0 says that there are no elements. Pitches are in elements; 0 is dense.
typedef struct scan_extents {
  size_t size;
  int64_t outer, length, inner;
  int64_t in_pitch, out_pitch;
} scan_extents;

/// Segment s is elements [offsets[s], offsets[s + 1]) (segments.hpp).
typedef struct scan_segments {
  size_t size;
  const void* offsets;  // num_segments + 1
  int64_t num_segments;
  int64_t num_items;    // elements, or more; with SCAN_HOST it may be -1: offsets[num_segments]
  int32_t offset_type;  // SCAN_INT32, SCAN_INT64, SCAN_UINT32 or SCAN_UINT64
  int32_t reserved;     // 0
} scan_segments;

/// A segment is a run of equal keys, or begins at a flag.
typedef struct scan_keys {
  size_t size;
  const void* keys;  // or flags
  int32_t kind;      // a scan_key_kind
  int32_t reserved;  // 0
} scan_keys;

/// Memory of a device that is kept between calls, for one call in flight at a time (workspace.hpp).
typedef struct scan_workspace scan_workspace;

/// Memory of the device for a call without a workspace, in the order of `stream`, from a multiple
/// of 256 bytes on; null where there is none (memory_resource.hpp). Neither function may throw, nor
/// end its thread: libscan_c.so has a C++ runtime of its own, through which nothing of another's
/// can unwind, and the process would end.
typedef void* (*scan_allocate)(void* context, size_t num_bytes, void* stream);
typedef void (*scan_deallocate)(void* context, void* memory, size_t num_bytes, void* stream);

/// Options of a call (options.hpp); in place of a pointer to them null says that all are 0. What is
/// only for SCAN_DEVICE or only for SCAN_HOST is refused with the other unless it is 0.
typedef struct scan_options {
  size_t size;
  int32_t place;              // a scan_place
  int32_t threads;            // SCAN_HOST: CPU threads, the caller included; 0: one a processor
  int32_t reverse;            // whether to scan from the end
  int32_t complete;           // exclusive scans: whether to write n + 1 outputs
  int32_t algorithm;          // SCAN_DEVICE: a scan_algorithm
  int32_t reserved;           // 0
  void* stream;               // SCAN_DEVICE: a cudaStream_t
  scan_workspace* workspace;  // SCAN_DEVICE
  /// One value in host memory, of the output's type; of a recurrence of its state's, which is
  /// float for half and bfloat16. Read by the call; null: none.
  const void* init;
  /// The same in the memory that the call is about, read when the scan runs: one value, or one a
  /// sequence or segment.
  const void* init_pointer;
  void* total;                 // of the same type and number: where the folds of everything go
  scan_allocate allocate;      // SCAN_DEVICE: what a call without a workspace allocates from,
  scan_deallocate deallocate;  // both or none
  void* allocator_context;     // what both are given
  /// Compactions, for which `reverse`, `complete`, `algorithm`, `init`, `init_pointer` and `total`
  /// are 0, alone. In the memory that the call is about: how many are kept, which it writes; and
  /// how many of the n elements there are, read when it runs (negative: none; more than n: n).
  int64_t* count;          // or null
  const int64_t* known_n;  // or null: n
  /// Elements that each output has room for; what is kept beyond is counted and not written. 0: n.
  int64_t capacity;
} scan_options;

// ---- scans ----

/// Of one sequence of n elements.
scan_status scan_sequence(const scan_operands* operands, int64_t n, const scan_options* options);
/// Of every sequence of a tensor.
scan_status scan_tensor(const scan_operands* operands, const scan_extents* extents,
                        const scan_options* options);
/// Of every segment.
scan_status scan_segmented(const scan_operands* operands, const scan_segments* segments,
                           const scan_options* options);
/// Of every run of equal keys among n elements, or of what begins at each flag.
scan_status scan_by_key(const scan_operands* operands, const scan_keys* keys, int64_t n,
                        const scan_options* options);
/// Of every sequence of a tensor (recurrence.hpp); one sequence has outer = inner = 1.
scan_status scan_recurrence(const scan_recurrence_operands* operands, const scan_extents* extents,
                            const scan_options* options);
scan_status scan_recurrence_gradient(const scan_gradient_operands* operands,
                                     const scan_extents* extents, const scan_options* options);

/// Compactions of n elements. With outputs that are null, no capacity and a count what is kept is
/// counted alone.
scan_status scan_select(const scan_select_operands* operands, int64_t n,
                        const scan_options* options);
scan_status scan_partition(const scan_select_operands* operands, int64_t n,
                           const scan_options* options);
scan_status scan_indices(const scan_indices_operands* operands, int64_t n,
                         const scan_options* options);
scan_status scan_unique(const scan_runs_operands* operands, int64_t n, const scan_options* options);
scan_status scan_runs(const scan_runs_operands* operands, int64_t n, const scan_options* options);

/// Whether offsets are what scan_segmented wants; the status's index is the first that is not.
/// Waits for the stream, of offsets in device memory.
scan_status scan_check_segments(const scan_segments* segments, int32_t place, void* stream);

/// Whether the library holds a call (a scan_kind) with these types and operator: 1 or 0. Of a
/// recurrence the types are those of b and h, of a gradient both are its own, of a compaction those
/// of elements and of positions or lengths (where it has none, any): there `op` says nothing. One
/// that it does not hold is SCAN_NOT_SUPPORTED.
int32_t scan_is_held(int32_t place, int32_t kind, int32_t input_type, int32_t output_type,
                     int32_t op);

// ---- workspaces ----

/// What a workspace is for: any scan of up to max_items elements or, with extents, any scan or
/// recurrence of these or of a smaller outer.
typedef struct scan_workspace_needs {
  size_t size;
  int64_t max_items;            // 0 with extents
  const scan_extents* extents;  // or null
  int32_t max_element_bytes;    // of input, output and init; 0: 8
  int32_t algorithm;            // a classic scan that it is for, too; 0 with extents
} scan_workspace_needs;

/// Makes one on the current device and writes it to *made, or null where the status is no success.
scan_status scan_workspace_create(const scan_workspace_needs* needs, scan_workspace** made);
/// Once all calls that were given it, and graphs that captured one, are through. Null is let pass.
void scan_workspace_destroy(scan_workspace* workspace);
/// Bytes of device memory that it holds.
size_t scan_workspace_bytes(const scan_workspace* workspace);

// ---- what this library is ----

/// The version that is loaded: 200 is 0.2.0; and as a text.
int32_t scan_version(void);
const char* scan_version_string(void);
/// The CUDA runtime in it, as CUDART_VERSION: 13000 is 13.0.
int32_t scan_cuda_runtime_version(void);
/// As in messages: "uint8", "plus"; of what is no code, "unknown". And an element's bytes, or 0.
const char* scan_type_name(int32_t type);
const char* scan_operator_name(int32_t op);
size_t scan_type_bytes(int32_t type);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#endif
