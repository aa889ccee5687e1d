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

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)  // whatever is the default where it is compiled
#endif

// ---- codes ----

/// Of elements. (0 is none, so that a type that was not said is refused.)
enum scan_type {
  SCAN_INT8 = 1,
  SCAN_INT16 = 2,
  SCAN_INT32 = 3,
  SCAN_INT64 = 4,
  SCAN_UINT8 = 5,
  SCAN_UINT16 = 6,
  SCAN_UINT32 = 7,
  SCAN_UINT64 = 8,
  SCAN_FLOAT = 9,
  SCAN_DOUBLE = 10,
  SCAN_HALF = 11,      // IEEE's binary16
  SCAN_BFLOAT16 = 12,  // the upper half of a float
  SCAN_BOOL = 13       // a byte that is 0 or 1
};

enum scan_operator {
  SCAN_PLUS = 0,
  SCAN_MULTIPLIES = 1,
  SCAN_MINIMUM = 2,
  SCAN_MAXIMUM = 3,
  SCAN_BIT_AND = 4,  // bitwise ones of integers and bools
  SCAN_BIT_OR = 5,
  SCAN_BIT_XOR = 6
};

/// Where all arrays of a call are, and who scans.
enum scan_place {
  SCAN_DEVICE = 0,  // memory of the current device, which it scans in the order of a stream
  SCAN_HOST = 1     // host memory, which CPU threads scan before the call returns
};

/// How the device goes about it (options.hpp). From SCAN_BIT_LAYERS on: classic scans to compare
/// with, of single sequences, where the build has them.
enum scan_algorithm {
  SCAN_AUTOMATIC = 0,
  SCAN_WAVE = 1,
  SCAN_LOOK_BACK = 2,
  SCAN_RING = 3,
  SCAN_WALK = 4,  // of tensors and recurrences
  SCAN_BIT_LAYERS = 32,
  SCAN_BIT_THREE_KERNEL = 33,
  SCAN_BIT_TWO_KERNEL = 34,
  SCAN_BLELLOCH = 35,
  SCAN_SCAN_THEN_FAN = 36,
  SCAN_REDUCE_THEN_SCAN = 37,
  SCAN_REDUCE_THEN_SCAN_TWO_PASS = 38
};

/// What says where runs begin: keys, equal where their bits are, or flags.
enum scan_key_kind {
  SCAN_KEYS_8_BIT = 1,
  SCAN_KEYS_16_BIT = 2,
  SCAN_KEYS_32_BIT = 3,
  SCAN_KEYS_64_BIT = 4,
  SCAN_FLAG_BYTES = 5,  // element i begins a segment where byte i is not 0
  SCAN_FLAG_BITS = 6    // where bit i % 32 of the uint32_t i / 32 is 1
};

/// A call, for scan_is_held.
enum scan_kind {
  SCAN_SEQUENCE = 0,
  SCAN_TENSOR = 1,
  SCAN_SEGMENTS = 2,
  SCAN_KEYS = 3,
  SCAN_RECURRENCE = 4,
  SCAN_RECURRENCE_GRADIENT = 5
};

/// Of a recurrence: how many factors there are at a.
enum scan_factors {
  SCAN_FACTOR_A_STEP = 0,     // an array like b
  SCAN_ONE_FACTOR = 1,        // one in host memory, of the state's type, which the call reads
  SCAN_FACTOR_A_SEQUENCE = 2  // one a sequence, of the state's type, where the arrays are
};

/// Of a scan_status: a cudaError_t. These are what the library itself says.
enum scan_code {
  SCAN_SUCCESS = 0,
  SCAN_INVALID_VALUE = 1,  // an argument, which the message names
  SCAN_OUT_OF_MEMORY = 2,
  SCAN_INSUFFICIENT_DRIVER = 35,  // no driver, or an old one; SCAN_HOST needs none
  SCAN_NO_DEVICE = 100,
  SCAN_NOT_SUPPORTED = 801,  // of the library as it was built, of the device or of the types
  SCAN_UNKNOWN = 999
};

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

/// Whether offsets are what scan_segmented wants; the status's index is the first that is not.
/// Waits for the stream, of offsets in device memory.
scan_status scan_check_segments(const scan_segments* segments, int32_t place, void* stream);

/// Whether the library holds a call (a scan_kind) with these types and operator: 1 or 0. Of a
/// recurrence the types are those of b and h, of a gradient both are its own, and `op` says
/// nothing. One that it does not hold is SCAN_NOT_SUPPORTED.
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
