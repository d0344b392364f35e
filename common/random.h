/*
 * random.h - deterministic input data: value i of a stream depends on the seed and on i alone. It
 * is the same to the bit with any number of threads, on every machine whose float and double are
 * IEEE 754's and with every compiler that keeps to them (not -ffast-math): integers, and one exact
 * product, so that a sum which is contracted to a multiply-add rounds as it does otherwise.
 *
 * The generator is SplitMix64 used by counter (Steele, Lea, Flood: Fast splittable pseudorandom
 * number generators, OOPSLA 2014).
 */
#ifndef COMMON_RANDOM_H
#define COMMON_RANDOM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* 64 random bits: number `index` of the stream `seed`. */
uint64_t random_bits(uint64_t seed, uint64_t index);

/* Uniform floats in [low, high), 24 random bits each. */
void random_fill_float(float *values, size_t count, float low, float high, uint64_t seed);

/* Uniform bytes 0..255. */
void random_fill_bytes(uint8_t *values, size_t count, uint64_t seed);

#ifdef __cplusplus
}
#endif

#endif
