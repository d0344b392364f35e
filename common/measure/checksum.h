/*
 * checksum.h - a number that any other bit of a piece of memory changes, worked out where the
 * memory is: gigabytes need not be copied to be compared.
 *
 * It is the sum of all 8-byte words, and of the bytes behind the last one, each mixed with its
 * place before. Memory of equal sums is taken for equal: the chance that two others have one is
 * 2^-64.
 */
#ifndef COMMON_CHECKSUM_H
#define COMMON_CHECKSUM_H

#include <cuda_runtime_api.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define ON_BOTH_SIDES __host__ __device__
extern "C" {
#else
#define ON_BOTH_SIDES
#endif

/* A word and its place, mixed: no other word in that place gives the same, nor does a word's
 * neighbour that was exchanged with it (multiplication and shifts as in splitmix's finaliser). */
static inline ON_BOTH_SIDES uint64_t checksum_mixed(uint64_t word, uint64_t place)
{
    uint64_t x = word + place * 0x9E3779B97F4A7C15;
    x = (x ^ x >> 32) * 0xD6E8FEB86659FD93;
    return x ^ x >> 32;
}

/* Returns that sum over device memory aligned to 8 bytes; `sum` are 8 more bytes of it to work in.
 * Waits for the stream. (For host memory: problem_bits().) */
uint64_t checksum_on_device(const void *memory, size_t bytes, uint64_t *sum, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
