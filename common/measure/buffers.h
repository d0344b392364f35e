/*
 * buffers.h - a problem's memory: host buffers, and sets of device buffers to rotate through.
 *
 * Each buffer is an allocation of its own with a guard zone on either side, whose bytes must be the
 * same after a run. In programs built with AddressSanitizer, and where EXACT_BUFFERS is set in the
 * environment (for compute-sanitizer), there are no zones: the allocation ends where the buffer
 * does, so that the tool sees who oversteps it.
 */
#ifndef COMMON_BUFFERS_H
#define COMMON_BUFFERS_H

#include "lab.h"
#include "rows/result.h"

/* ---- host ----------------------------------------------------------------------------------- */

/* A problem of this size with its buffers' names and bytes; allocates nothing. */
problem problem_lay_out(const lab *definition, extent size, uint64_t seed);

/* Lays a problem out, allocates and fills its host memory and works out its reference. */
problem problem_create(const lab *definition, extent size, uint64_t seed);

void problem_free(problem *p);

/*
 * What of the problem a rank's device holds where the variant divides it: the same with its
 * buffers' own parts, in the problem's host memory.
 */
problem problem_part(const problem *p, const variant *v, int rank, int count);

/* Brings the outputs' parts of all ranks, in their host memory, to rank 0's. */
void problem_gather(const problem *p, const variant *v);

/* Bytes of all buffers of a problem of this size; allocates nothing. */
double problem_bytes(const lab *definition, extent size);

/* The host buffers as a launch's buffer list. */
void problem_host_buffers(const problem *p, void *pointers[LAB_MAX_BUFFERS]);

/* Outputs are poisoned with such bytes from now on; 0xFF, as it is at first: NaN as float, 255 as a
 * pixel. */
void poison_with(unsigned char value);

/* Fills memory with these bytes. */
void host_poison(void *memory, size_t bytes);

/* Fills the outputs' host memory with them. */
void problem_poison_host(const problem *p);

/* A number that any other bit in the filled buffers' host memory changes, or in the outputs'. */
uint64_t problem_bits(const problem *p, bool filled);

/*
 * Are the guard zones of the host buffers whole, and the inputs as they were filled? If not, the
 * reason says which buffer is not, and zones and inputs are mended.
 */
bool problem_is_whole(const lab *definition, const problem *p, char reason[RESULT_TEXT]);

/* ---- device memory -------------------------------------------------------------------------- */

/* Memory between guard zones; {0} is none. */
typedef struct device_memory {
    unsigned char *base; /* the zone before it */
    size_t bytes;        /* of the memory itself */
    unsigned char zone_value;
} device_memory;

/* Returns false where the device has no room; other errors are CUDA_CHECK's. */
bool device_memory_create(device_memory *memory, size_t bytes);
void device_memory_free(device_memory *memory);

/* What a kernel gets; NULL where there is none. */
void *device_memory_start(const device_memory *memory);

/* Writes both guard zones, the second one behind the first `bytes` of the memory. */
void device_memory_guard(const device_memory *memory, size_t bytes, cudaStream_t stream);

/* Are they as written? If not, the reason says on which side of `name`, and at which byte. */
bool device_memory_is_whole(const device_memory *memory, size_t bytes, const char *name,
                            cudaStream_t stream, char reason[RESULT_TEXT]);

/* ---- sets of device buffers ------------------------------------------------------------------ */

enum { SETS_MAX = 64 };

/*
 * Copies of a problem's buffers in device memory. Timing that steps from set to set finds none of
 * its data in the L2 cache, as long as all sets together are larger than the cache.
 */
typedef struct device_sets {
    const problem *problem;
    device_memory memory[SETS_MAX][LAB_MAX_BUFFERS];
    int count, next;
    device_memory sum;   /* to add set 0 up in */
    device_memory flush; /* two halves to copy between, where the sets are too small */
} device_sets;

/*
 * Allocates the sets and copies the inputs into each. `cold_bytes` is what all inputs must exceed
 * together, 0 for a single set; where SETS_MAX sets are too few there is a flush buffer. Returns
 * false if the device has no room.
 */
bool device_sets_create(device_sets *sets, const problem *p, size_t cold_bytes);
void device_sets_free(device_sets *sets);

/* The buffers of one set (index modulo count) as a launch's buffer list. */
void device_sets_buffers(const device_sets *sets, int index, void *pointers[LAB_MAX_BUFFERS]);

/* Poisons the outputs and the scratch buffers of set 0. */
void device_sets_poison(const device_sets *sets, cudaStream_t stream);

/* Copies the outputs of a set into their host memory. */
void device_sets_copy_out(const device_sets *sets, int set, cudaStream_t stream);

/*
 * Are the guard zones of set 0 whole, and its inputs what the host has? Of an input of more than
 * 1 MiB pieces are looked at. If not, the reason says which buffer is not, and zones and inputs are
 * mended.
 */
bool device_sets_are_whole(const device_sets *sets, cudaStream_t stream, char reason[RESULT_TEXT]);

/* The number that problem_bits() gives for the same outputs in host memory, of a set's, which stay
 * where they are. */
uint64_t device_sets_bits(const device_sets *sets, int set, cudaStream_t stream);

/*
 * Pushes the sets out of the L2 cache where rotating does not, and there is a flush. What the flush
 * leaves dirty in the cache is written back while the next kernel runs; the sets are small then,
 * and so is that traffic.
 */
void device_sets_flush(const device_sets *sets, cudaStream_t stream);

#endif
