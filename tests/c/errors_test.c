// What calls refuse, each message of the C interface's own once and some of the library's; that
// outputs are left as they were; and what the library says of itself. Without a GPU, and with one.
#include <scan/c.h>
#include <stdio.h>
#include <string.h>

#include <scan/version.hpp>

static int num_failed, num_checked;

static void check(int is_right, const char* what) {
  ++num_checked;
  if (is_right) return;
  ++num_failed;
  printf("wrong: %s\n", what);
}

/// One call of each kind that is right, to be spoiled.
typedef struct calls {
  scan_operands operands;
  scan_recurrence_operands steps;
  scan_extents extents;
  scan_segments segments;
  scan_keys keys;
  scan_options options;
  int64_t n;
} calls;

static const int input[] = {3, 1, 4, 1};
static int output[5];
static const float a[] = {1, 2, 3, 4}, b[] = {1, 1, 1, 1};
static float h[4];
static const int32_t offsets[] = {0, 2, 4};
static const uint8_t key_bytes[] = {1, 1, 2, 2};
static const int init = 7;

static calls good(void) {
  const calls result = {
      {sizeof(scan_operands), input, output, SCAN_INT32, SCAN_INT32, SCAN_PLUS, 0},
      {sizeof(scan_recurrence_operands), a, b, h, SCAN_FLOAT, 0, 0, 0},
      {sizeof(scan_extents), 1, 4, 1, 0, 0},
      {sizeof(scan_segments), offsets, 2, 4, SCAN_INT32, 0},
      {sizeof(scan_keys), key_bytes, SCAN_KEYS_8_BIT, 0},
      {.size = sizeof(scan_options), .place = SCAN_HOST},
      4};
  return result;
}

static scan_status made(const calls* it, int kind) {
  switch (kind) {
    case SCAN_SEQUENCE:
      return scan_sequence(&it->operands, it->n, &it->options);
    case SCAN_TENSOR:
      return scan_tensor(&it->operands, &it->extents, &it->options);
    case SCAN_SEGMENTS:
      return scan_segmented(&it->operands, &it->segments, &it->options);
    case SCAN_KEYS:
      return scan_by_key(&it->operands, &it->keys, it->n, &it->options);
    default:
      return scan_recurrence(&it->steps, &it->extents, &it->options);
  }
}

static void says(scan_status status, int code, const char* message) {
  check(status.code == code, message);
  check(status.index == -1, message);
  if (strcmp(status.message, message) != 0) {
    printf("it says: %s\n", status.message);
    check(0, message);
  }
}

static void refuses(const calls* it, int kind, int code, const char* message) {
  memset(output, 0x5a, sizeof output);
  memset(h, 0x5a, sizeof h);
  says(made(it, kind), code, message);
  for (int i = 0; i < 5; ++i) check(output[i] == 0x5a5a5a5a, message);
  for (int i = 0; i < 4; ++i) check(memcmp(&h[i], &output[0], sizeof h[i]) == 0, message);
}

/// Of one kind, or of all but recurrences, which have operands of their own.
#define REFUSED(kind, field, wrong, code, message) \
  do {                                             \
    calls spoiled = good();                        \
    spoiled.field = wrong;                         \
    refuses(&spoiled, kind, code, message);        \
  } while (0)
#define ALL_REFUSED(field, wrong, code, message)            \
  do {                                                      \
    for (int k = SCAN_SEQUENCE; k < SCAN_RECURRENCE; ++k) { \
      REFUSED(k, field, wrong, code, message);              \
    }                                                       \
  } while (0)

static void good_calls(void) {
  const calls right = good();
  for (int kind = SCAN_SEQUENCE; kind <= SCAN_RECURRENCE; ++kind) {
    says(made(&right, kind), SCAN_SUCCESS, "success");
  }
  check(memcmp(output, (const int[]){3, 4, 4, 5}, 4 * sizeof *output) == 0, "sums of runs");
  check(memcmp(h, (const float[]){1, 3, 10, 41}, sizeof h) == 0, "a recurrence");
}

static void structs(void) {
  const int invalid = SCAN_INVALID_VALUE;
  const calls right = good();
  const scan_options* const on_cpu = &right.options;
  says(scan_sequence(NULL, 4, on_cpu), invalid, "operands is null");
  says(scan_recurrence(NULL, &right.extents, on_cpu), invalid, "operands is null");
  says(scan_tensor(&right.operands, NULL, on_cpu), invalid, "extents is null");
  says(scan_recurrence(&right.steps, NULL, on_cpu), invalid, "extents is null");
  says(scan_segmented(&right.operands, NULL, on_cpu), invalid, "segments is null");
  says(scan_by_key(&right.operands, NULL, 4, on_cpu), invalid, "keys is null");
  const size_t wrong[] = {0, 1, sizeof(void*), 1000, (size_t)-1};
  for (int k = 0; k < 5; ++k) {
    const size_t size = wrong[k];
    ALL_REFUSED(operands.size, size, invalid, "operands.size is no size of a scan_operands");
    REFUSED(SCAN_RECURRENCE, steps.size, size, invalid,
            "operands.size is no size of a scan_recurrence_operands");
    REFUSED(SCAN_TENSOR, extents.size, size, invalid, "extents.size is no size of a scan_extents");
    REFUSED(SCAN_SEGMENTS, segments.size, size, invalid,
            "segments.size is no size of a scan_segments");
    REFUSED(SCAN_KEYS, keys.size, size, invalid, "keys.size is no size of a scan_keys");
    ALL_REFUSED(options.size, size, invalid, "options.size is no size of a scan_options");
  }
  REFUSED(SCAN_RECURRENCE, steps.reserved, 1, invalid, "operands.reserved is not 0");
  REFUSED(SCAN_SEGMENTS, segments.reserved, 1, invalid, "segments.reserved is not 0");
  REFUSED(SCAN_KEYS, keys.reserved, 1, invalid, "keys.reserved is not 0");
  ALL_REFUSED(options.reserved, 1, invalid, "options.reserved is not 0");
}

static void codes(void) {
  const int invalid = SCAN_INVALID_VALUE, unheld = SCAN_NOT_SUPPORTED;
  const int32_t none[] = {0, -1, SCAN_BOOL + 1, INT32_MAX, INT32_MIN};
  for (int k = 0; k < 5; ++k) {
    const int32_t code = none[k];
    ALL_REFUSED(operands.input_type, code, invalid, "operands.input_type is no scan_type");
    ALL_REFUSED(operands.output_type, code, invalid, "operands.output_type is no scan_type");
    if (code != 0) ALL_REFUSED(operands.op, code, invalid, "operands.op is no scan_operator");
    if (code != 0) ALL_REFUSED(options.place, code, invalid, "options.place is no scan_place");
    REFUSED(SCAN_RECURRENCE, steps.type, code, invalid, "operands.type is no scan_type");
    REFUSED(SCAN_SEGMENTS, segments.offset_type, code, invalid,
            "segments.offset_type is no scan_type");
    REFUSED(SCAN_KEYS, keys.kind, code, invalid, "keys.kind is no scan_key_kind");
    for (int kind = SCAN_SEQUENCE; kind <= SCAN_RUNS; ++kind) {  // (some do not look at both)
      const int in = kind == SCAN_INDICES ? SCAN_INT32 : code;
      check(!scan_is_held(SCAN_HOST, kind, in, code, SCAN_PLUS), "is_held, both");
      const int has_output = kind < SCAN_SELECT || kind == SCAN_INDICES || kind == SCAN_RUNS;
      check(kind == SCAN_INDICES || !scan_is_held(SCAN_HOST, kind, code, SCAN_INT32, SCAN_PLUS),
            "is_held, input");
      check(!has_output || !scan_is_held(SCAN_HOST, kind, SCAN_INT32, code, SCAN_PLUS),
            "is_held, output");
      check(code == 0 || !scan_is_held(code, kind, SCAN_INT32, SCAN_INT32, 0), "is_held, place");
    }
    check(code == 0 || !scan_is_held(0, code, SCAN_FLOAT, SCAN_FLOAT, 0), "is_held, kind");
    check(code == 0 || !scan_is_held(0, 0, SCAN_FLOAT, SCAN_FLOAT, code), "is_held, operator");
  }
  REFUSED(SCAN_SEGMENTS, segments.offset_type, SCAN_INT16, invalid,
          "segments.offset_type is no integer of 4 or 8 bytes");
  REFUSED(
      SCAN_RECURRENCE, steps.type, SCAN_INT32, unheld,
      "operands: this build of the library holds no recurrence of this type (there are those of "
      "floats of 2, 4 and 8 bytes)");
  const char* const places[] = {"the device", "CPU threads"};
  const char* const kinds[] = {"one sequence", "tensors", "segments", "segments"};
  for (int place = SCAN_DEVICE; place <= SCAN_HOST; ++place) {
    for (int kind = SCAN_SEQUENCE; kind < SCAN_RECURRENCE; ++kind) {
      calls it = good();
      it.options.place = place;
      it.operands.input_type = SCAN_INT64;  // (narrowed)
      char message[200];
      snprintf(
          message, sizeof message,
          "operands: this build of the library holds no scan of %s on %s with this input_type, "
          "output_type and op",
          kinds[kind], places[place]);
      refuses(&it, kind, unheld, message);
      it.operands.output_type = SCAN_BOOL;
      refuses(
          &it, kind, unheld,
          "operands: a sum or a product of bools is no bool: give the scan a wider output_type, "
          "or another op");
    }
  }
}

static void* allocates(void* context, size_t num_bytes, void* stream) {
  (void)num_bytes, (void)stream;
  return context;
}
static void deallocates(void* context, void* memory, size_t num_bytes, void* stream) {
  (void)context, (void)memory, (void)num_bytes, (void)stream;
}

static void other_place(void) {
  const int invalid = SCAN_INVALID_VALUE;
  int something = 0;
  const char* const allocator =
      "options.allocate, deallocate and allocator_context are for SCAN_DEVICE alone";
  ALL_REFUSED(options.stream, &something, invalid, "options.stream is for SCAN_DEVICE alone");
  ALL_REFUSED(options.workspace, (scan_workspace*)(void*)&something, invalid,
              "options.workspace is for SCAN_DEVICE alone");
  ALL_REFUSED(options.algorithm, SCAN_RING, invalid, "options.algorithm is for SCAN_DEVICE alone");
  ALL_REFUSED(options.allocate, allocates, invalid, allocator);
  ALL_REFUSED(options.deallocate, deallocates, invalid, allocator);
  ALL_REFUSED(options.allocator_context, &something, invalid, allocator);
  int64_t count = 0;
  for (int kind = SCAN_SEQUENCE; kind <= SCAN_RECURRENCE; ++kind) {
    REFUSED(kind, options.count, &count, invalid, "options.count is for compactions");
    REFUSED(kind, options.known_n, &count, invalid, "options.known_n is for compactions");
    REFUSED(kind, options.capacity, 1, invalid, "options.capacity is for compactions");
    calls it = good();
    it.options.place = SCAN_DEVICE;
    it.options.threads = 1;
    refuses(&it, kind, invalid, "options.threads is for SCAN_HOST alone");
    it.options.threads = 0;
    it.options.algorithm = 11;
    refuses(&it, kind, invalid, "options.algorithm is no scan_algorithm");
    it.options.algorithm = SCAN_AUTOMATIC;
    it.options.allocate = allocates;
    refuses(&it, kind, invalid, "options.allocate and deallocate: one is given, the other is not");
  }
}

/// That what the library itself checks comes through, by the name that C has for it.
static void the_library_s(void) {
  const int invalid = SCAN_INVALID_VALUE;
  REFUSED(SCAN_SEQUENCE, n, -1, invalid, "n is negative");
  REFUSED(SCAN_KEYS, n, -1, invalid, "n is negative");
  ALL_REFUSED(options.threads, -1, invalid, "options.threads is negative");
  REFUSED(SCAN_SEQUENCE, operands.input, NULL, invalid, "the input pointer is null but n > 0");
  REFUSED(SCAN_TENSOR, extents.inner, -1, invalid, "extents.inner is negative");
  REFUSED(SCAN_SEGMENTS, segments.num_segments, -1, invalid, "segments.num_segments is negative");
  REFUSED(SCAN_KEYS, keys.keys, NULL, invalid, "the pointer to keys is null but n > 0");
  calls by_flags = good();
  by_flags.keys.kind = SCAN_FLAG_BITS;
  by_flags.keys.keys = key_bytes + ((uintptr_t)key_bytes % 2 == 0);
  refuses(&by_flags, SCAN_KEYS, invalid,
          "keys.keys is not aligned to the uint32_t of SCAN_FLAG_BITS");
  by_flags.keys.keys = NULL;
  refuses(&by_flags, SCAN_KEYS, invalid, "keys.keys is null but n > 0");
  REFUSED(SCAN_KEYS, options.complete, 1, invalid,
          "options.complete is refused with segments, keys and flags");
  REFUSED(SCAN_SEQUENCE, options.complete, 1, invalid, "options.complete is for exclusive scans");
  calls it = good();
  it.options.init = it.options.init_pointer = &init;
  for (int kind = SCAN_SEQUENCE; kind < SCAN_KEYS; ++kind) {
    refuses(&it, kind, invalid, "options.init and options.init_pointer are both given");
  }
  const int32_t falling[] = {0, 3, 2};
  it = good();
  it.segments.offsets = falling;
  const scan_status of_call = made(&it, SCAN_SEGMENTS);
  check(of_call.code == invalid && of_call.index == 2, "offsets that fall, in a call");
  const scan_status asked = scan_check_segments(&it.segments, SCAN_HOST, NULL);
  check(asked.code == invalid && asked.index == 2, "offsets that fall");
  it = good();
  says(scan_check_segments(&it.segments, SCAN_HOST, NULL), SCAN_SUCCESS, "success");
  says(scan_check_segments(NULL, SCAN_HOST, NULL), invalid, "segments is null");
  says(scan_check_segments(&it.segments, 2, NULL), invalid, "place is no scan_place");
  says(scan_check_segments(&it.segments, SCAN_HOST, &it), invalid,
       "stream is for SCAN_DEVICE alone");
  it.segments.num_items = -1;
  says(made(&it, SCAN_SEGMENTS), SCAN_SUCCESS, "success");
  says(scan_check_segments(&it.segments, SCAN_DEVICE, NULL), invalid,
       "segments.num_items is not given: of segments in device memory it has to be");
}

static void workspaces(void) {
  const int invalid = SCAN_INVALID_VALUE;
  scan_extents extents = {sizeof extents, 2, 100, 3, 0, 0};
  scan_workspace_needs needs = {.size = sizeof needs, .max_items = 1000};
  scan_workspace* made = (scan_workspace*)(void*)&needs;
  says(scan_workspace_create(&needs, NULL), invalid, "made is null");
  says(scan_workspace_create(NULL, &made), invalid, "needs is null");
  check(made == NULL, "a workspace that could not be made");
  needs.size = 1;
  says(scan_workspace_create(&needs, &made), invalid,
       "needs.size is no size of a scan_workspace_needs");
  needs.size = sizeof needs;
  needs.extents = &extents;
  says(scan_workspace_create(&needs, &made), invalid,
       "needs.max_items and needs.extents are both given");
  needs.max_items = 0;
  needs.algorithm = SCAN_BLELLOCH;
  says(scan_workspace_create(&needs, &made), invalid,
       "needs.algorithm is for one sequence: it is refused with needs.extents");
  needs.algorithm = 11;
  says(scan_workspace_create(&needs, &made), invalid, "needs.algorithm is no scan_algorithm");
  needs.algorithm = SCAN_AUTOMATIC;
  extents.size = 1;
  says(scan_workspace_create(&needs, &made), invalid, "extents.size is no size of a scan_extents");
  needs.extents = NULL;
  needs.max_items = -1;
  check(scan_workspace_create(&needs, &made).code != SCAN_SUCCESS && made == NULL, "-1 elements");
  scan_workspace_destroy(NULL);
  check(scan_workspace_bytes(NULL) == 0, "bytes of no workspace");
}

/// A call without options is one on the device, which there may not be.
static void device(void) {
  const calls it = good();
  const scan_operands* const operands = &it.operands;
  says(scan_sequence(operands, 0, NULL), SCAN_SUCCESS, "success");
  scan_workspace* workspace = NULL;
  const scan_workspace_needs needs = {.size = sizeof needs, .max_items = 1 << 20};
  const scan_status status = scan_workspace_create(&needs, &workspace);
  const int is_here = status.code == SCAN_SUCCESS;
  check(is_here == (workspace != NULL), "a workspace");
  check(!is_here || scan_workspace_bytes(workspace) > 0, "its bytes");
  scan_workspace_destroy(workspace);
  if (is_here) return;
  check(status.code == SCAN_NO_DEVICE || status.code == SCAN_INSUFFICIENT_DRIVER, "no device");
  const scan_status said[] = {scan_sequence(operands, 4, NULL),
                              scan_tensor(operands, &it.extents, NULL),
                              scan_segmented(operands, &it.segments, NULL),
                              scan_by_key(operands, &it.keys, 4, NULL),
                              scan_recurrence(&it.steps, &it.extents, NULL),
                              scan_check_segments(&it.segments, SCAN_DEVICE, NULL)};
  for (int k = 0; k < 6; ++k) {
    printf("without a device: %d, %s\n", (int)said[k].code, said[k].message);
    check(said[k].code == status.code && strlen(said[k].message) > 10, "a call without a device");
  }
}

static void about(void) {
  char version[40];
  snprintf(version, sizeof version, "%d.%d.%d", SCAN_VERSION_MAJOR, SCAN_VERSION_MINOR,
           SCAN_VERSION_PATCH);
  check(scan_version() == SCAN_VERSION, "the version");
  check(strcmp(scan_version_string(), version) == 0, "the version as a text");
  check(scan_cuda_runtime_version() >= 12090, "the version of the CUDA runtime");
  check(strcmp(scan_type_name(SCAN_INT8), "int8") == 0, "int8");
  check(strcmp(scan_type_name(SCAN_UINT64), "uint64") == 0, "uint64");
  check(strcmp(scan_type_name(SCAN_BFLOAT16), "bfloat16") == 0, "bfloat16");
  check(strcmp(scan_type_name(SCAN_BOOL), "bool") == 0, "bool");
  check(strcmp(scan_type_name(0), "unknown") == 0, "no type");
  check(strcmp(scan_type_name(SCAN_BOOL + 1), "unknown") == 0, "no type");
  check(strcmp(scan_operator_name(SCAN_PLUS), "plus") == 0, "plus");
  check(strcmp(scan_operator_name(SCAN_BIT_XOR), "bit_xor") == 0, "bit_xor");
  check(strcmp(scan_operator_name(-1), "unknown") == 0, "no operator");
  check(strcmp(scan_operator_name(SCAN_BIT_XOR + 1), "unknown") == 0, "no operator");
  const size_t bytes[] = {0, 1, 2, 4, 8, 1, 2, 4, 8, 4, 8, 2, 2, 1, 0};
  for (int type = 0; type < 15; ++type) check(scan_type_bytes(type) == bytes[type], "bytes");
}

int main(void) {
  good_calls();
  structs();
  codes();
  other_place();
  the_library_s();
  workspaces();
  device();
  about();
  printf("%d checked, %d wrong\n", num_checked, num_failed);
  return num_failed == 0 && num_checked > 1000 ? 0 : 1;
}
