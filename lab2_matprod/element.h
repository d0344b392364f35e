/*
 * element.h - an element of lab 2's matrices, and the numbers that kinds of data (data.cu) draw
 * for it: the same for the same seed, whatever draws before it.
 */
#ifndef LAB2_ELEMENT_H
#define LAB2_ELEMENT_H

#include <math.h>
#include <stdint.h>

#include "random.h"

/* An element's place: a row of A or a column of B, and k. */
typedef struct element {
    int line, k, lines, depth;
    bool of_b;
    uint64_t seed, index; /* of the matrix; of the element */
} element;

static inline uint64_t bits_at(const element *s)
{
    return random_bits(s->seed, s->index);
}

/* Draws uniform numbers from -1 to 1 and from 0 to 1, of 24 bits. */
static inline float symmetric(const element *s)
{
    return (float)(bits_at(s) >> 40) * 0x1p-23f - 1;
}

static inline float positive(const element *s)
{
    return (float)(bits_at(s) >> 40) * 0x1p-24f;
}

/* Draws the sum of twelve uniform numbers of 16 bits: variance 1, all of it exact. */
static inline float normal(const element *s)
{
    int sum = 0;
    for (uint64_t draw = 0; draw < 3; draw++)
        for (uint64_t bits = random_bits(s->seed, 3 * s->index + draw), part = 0; part < 4; part++)
            sum += (int)(bits >> 16 * part & 0xFFFF);
    return (float)(sum - 6 * 0xFFFF) * 0x1p-16f;
}

static inline float sign(const element *s)
{
    return bits_at(s) & 1 ? 1 : -1;
}

/* Draws an integer from 0 to below `end`; the bits of sign() are others. */
static inline int integer(const element *s, int end)
{
    return (int)((bits_at(s) >> 16) % (uint64_t)end);
}

/* Draws one number for a whole line, or for a place in all lines. */
static inline uint64_t bits_of(const element *s, int number)
{
    return random_bits(s->seed + 5000, (uint64_t)number);
}

/* Rounds to so many significant bits. */
static inline float rounded(float x, int bits)
{
    int exponent;
    float fraction = frexpf(x, &exponent);
    return ldexpf(rintf(ldexpf(fraction, bits)), exponent - bits);
}

static inline bool is_peak(const element *s)
{
    return (uint64_t)s->k == bits_of(s, s->line) % (uint64_t)s->depth;
}

#endif
