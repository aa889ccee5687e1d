// What the numbers of scan/c.h stand for, which includes this. They stay as they are.
#ifndef SCAN_C_CODES_H
#define SCAN_C_CODES_H

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

/// What says where runs begin: keys, equal where their bits are, or flags. Of compactions flags
/// alone, which say what is kept.
enum scan_key_kind {
  SCAN_KEYS_8_BIT = 1,
  SCAN_KEYS_16_BIT = 2,
  SCAN_KEYS_32_BIT = 3,
  SCAN_KEYS_64_BIT = 4,
  SCAN_FLAG_BYTES = 5,  // element i begins a segment, or is kept, where byte i is not 0
  SCAN_FLAG_BITS = 6    // where bit i % 32 of the uint32_t i / 32 is 1
};

/// A call, for scan_is_held.
enum scan_kind {
  SCAN_SEQUENCE = 0,
  SCAN_TENSOR = 1,
  SCAN_SEGMENTS = 2,
  SCAN_KEYS = 3,
  SCAN_RECURRENCE = 4,
  SCAN_RECURRENCE_GRADIENT = 5,
  SCAN_SELECT = 6,
  SCAN_PARTITION = 7,
  SCAN_INDICES = 8,
  SCAN_UNIQUE = 9,
  SCAN_RUNS = 10
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

#endif
