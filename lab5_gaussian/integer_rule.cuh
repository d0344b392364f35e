/*
 * integer_rule.cuh - five taps along a row and along a column without a conversion, for
 * integer_dp2a and async_rows.
 *
 * Along a row: integer weights A, B, C, B, A, whose sum S times 255 is below 2^24, and bytes as
 * they are. __dp2a_lo and __dp2a_hi multiply two bytes by two 16-bit weights and add: three of them
 * are the five taps, exactly.
 *
 * Along a column: the bits of a whole number n < 2^24 are, read as a float, n 2^-149: floats below
 * 2^-125 are whole numbers (the denormal ones, and one exponent more), and a GPU computes with them
 * at full speed. So the row's sum is a float as it is. Rows that are as far away share a weight and
 * are added first; the last product is scaled so that it lies among these floats, too: it is
 * rounded to the nearest whole number, and its bits are the output's byte.
 *
 * 16 bits are not enough for a weight by itself: 25 taps have to be within 0.0004 of a level. But
 * only the ratio of A, B and C counts. find_fixed_point_weights() goes through all S for the one
 * for which all three are close at once.
 */
#ifndef LAB5_INTEGER_RULE_CUH
#define LAB5_INTEGER_RULE_CUH

#include <cuda_runtime.h>
#include <stdint.h>

#include "lab.h"

/*
 * Returns sum + a byte times the lower half of `weights` + the byte DISTANCE further times its
 * upper half. Bytes are selected for two such sums at once: those from k and from k + 1 on, where k
 * is even.
 */
template <int DISTANCE, int N>
__device__ inline uint32_t add_two(const uint32_t (&word)[N], int k, uint32_t weights, uint32_t sum)
{
    int even = k & ~1;
    unsigned select = 0x1111 * (even % 4) + 0x1010 * DISTANCE + 0x1100;
    uint32_t bytes = __byte_perm(word[even / 4], word[even / 4 + 1], select);
    return k == even ? __dp2a_lo(weights, bytes, sum) : __dp2a_hi(weights, bytes, sum);
}

struct integer_rule {
    uint32_t before, own, after; /* along a row, two a word: A and B, C and 0, B and A */
    float next, last;            /* along a column: w(1) / w(0) and w(2) / w(0) */
    float scale;                 /* w(0) / S */

    template <int DISTANCE, int N>
    __device__ float along_row(const uint32_t (&word)[N], int k) const
    {
        uint32_t sum = add_two<DISTANCE>(word, k - 2 * DISTANCE, before, 0);
        sum = add_two<DISTANCE>(word, k, own, sum);
        sum = add_two<DISTANCE>(word, k + DISTANCE, after, sum);
        return __uint_as_float(sum);
    }

    __device__ uint32_t along_column(float a, float b, float c, float d, float e) const
    {
        float sum = fmaf(last, a + e, fmaf(next, b + d, c));
        return __float_as_uint(scale * sum);
    }
};

extern integer_rule fixed_point_weights; /* of the current settings; integer_dp2a.cu */

/* Refuses settings that these weights are too far from; integer_dp2a.cu. */
const char *refuse_unfit_weights(const problem *p, dim3 block);

#endif
