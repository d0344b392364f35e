/*
 * data.h - a problem's memory: host buffers, and sets of device buffers to rotate through.
 */
#ifndef COMMON_DATA_H
#define COMMON_DATA_H

#include "lab.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Lays a problem out, allocates and fills its host memory and works out its reference. */
problem problem_create(const lab *definition, int width, int height, uint64_t seed);
void problem_free(problem *p);

/* Bytes of all buffers of a problem of this size; allocates nothing. */
double problem_bytes(const lab *definition, int width, int height);

/* The host buffers as a launch's buffer list. */
void problem_host_buffers(const problem *p, void *pointers[LAB_MAX_BUFFERS]);

/* Fills the outputs' host memory with 0xFF bytes: NaN as float, 255 as a pixel. */
void problem_poison_host(const problem *p);

/*
 * Copies of a problem's buffers in device memory. Timing that steps from set to set finds none of
 * its data in the L2 cache, as long as all sets together are larger than the cache.
 */
typedef struct device_sets {
    unsigned char *memory; /* sets * set_bytes, set after set */
    size_t set_bytes, offset[LAB_MAX_BUFFERS];
    int count, next;
    unsigned char *flush; /* two halves to copy between where the sets are too small; or NULL */
    size_t flush_bytes;   /* of one half */
} device_sets;

/*
 * Allocates the sets and copies the inputs into each. `cold_bytes` is what the inputs of all sets
 * must exceed together (three times the L2 cache), 0 for a single set. Small problems get at most
 * SETS_MAX sets and a flush buffer instead. Returns 0, or -1 if the device has no room.
 */
enum { SETS_MAX = 64 };
int device_sets_create(device_sets *sets, const problem *p, size_t cold_bytes);
void device_sets_free(device_sets *sets);

/* The buffers of one set (index modulo count) as a launch's buffer list. */
void device_sets_buffers(const device_sets *sets, const problem *p, int index,
                         void *pointers[LAB_MAX_BUFFERS]);

/* Poisons the outputs of set 0 with 0xFF bytes. */
void device_sets_poison(const device_sets *sets, const problem *p, cudaStream_t stream);

/* Copies what the lab filled from pageable host memory into set 0, and the outputs back. */
void device_sets_copy_in(const device_sets *sets, const problem *p, cudaStream_t stream);
void device_sets_copy_out(const device_sets *sets, const problem *p, cudaStream_t stream);

/*
 * Pushes the sets out of the L2 cache where rotating does not (flush is not NULL). What the flush
 * leaves dirty in the cache is written back while the next kernel runs; the sets are small then,
 * and so is that traffic.
 */
void device_sets_flush(const device_sets *sets, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
