/*
 * halfwords.cuh - arithmetic on pairs: two 16-bit values in a register, filtered at once.
 *
 *      31      16 15       0
 *     +----------+----------+      on compute capability 9.0 __vmaxs2(), __vadd2() and their like
 *     |   Cb     |    Y     |      are one instruction each
 *     +----------+----------+
 */
#ifndef LAB6_HALFWORDS_CUH
#define LAB6_HALFWORDS_CUH

#include <cuda_runtime.h>

/* ---- instructions --------------------------------------------------------------------------- */

/* Picks bytes of b:a by the selector's digits, the lowest first; a digit's bit 3 spreads the sign.
 */
template <unsigned SELECTOR>
__device__ inline unsigned prmt(unsigned a, unsigned b)
{
#ifdef CUDA_ON_CPU
    return __byte_perm(a, b, SELECTOR);
#else
    unsigned bytes; /* __byte_perm() does not pass bit 3 on */
    asm("prmt.b32 %0, %1, %2, %3;" : "=r"(bytes) : "r"(a), "r"(b), "n"(SELECTOR));
    return bytes;
#endif
}

/*
 * Applies any function of three bits to all bits of three words, in one instruction: TABLE has its
 * value for a, b and c, the number abc its place. nvcc would make two of these where one does.
 */
template <unsigned TABLE>
__device__ inline unsigned lop3(unsigned a, unsigned b, unsigned c)
{
    unsigned bits = 0;
#ifdef CUDA_ON_CPU
    for (int i = 0; i < 8; i++)
        if (TABLE >> i & 1)
            bits |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
#else
    asm("lop3.b32 %0, %1, %2, %3, %4;" : "=r"(bits) : "r"(a), "r"(b), "r"(c), "n"(TABLE));
#endif
    return bits;
}

/* What a word of three bits' values is in such a table: a function of these is its table. */
enum { BIT_A = 0xf0, BIT_B = 0xcc, BIT_C = 0xaa };

/* Takes bytes 0 and 2 of a word, in halves. */
__device__ inline unsigned even_bytes(unsigned word)
{
    return word & 0x00ff00ff;
}

/* Takes bytes 1 and 3 of a word, in halves. */
__device__ inline unsigned odd_bytes(unsigned word)
{
    return prmt<0x4341>(word, 0);
}

/* ---- pairs ---------------------------------------------------------------------------------- */

/* Takes |a - b| of values with a sign, kept in 16 bits: it may wrap. */
__device__ inline unsigned abs_diff_s16x2(unsigned a, unsigned b)
{
    return __vsub2(__vmaxs2(a, b), __vmins2(a, b));
}

/*
 * Averages, (a + b + 1) >> 1: what either has, less half of what only one has. Made of the
 * complement, that is a shift and an addition, which are one instruction. It is right of values
 * without a sign; where signs differ, the result's is the other one.
 */
__device__ inline unsigned average_s16x2(unsigned a, unsigned b)
{
    unsigned differ = (a ^ b) & 0xfffefffe, neither = lop3<~(BIT_A | BIT_B) & 0xff>(a, b, 0);
    unsigned complement = (differ >> 1) + neither;
    return lop3<~(BIT_A ^ (BIT_B & BIT_C)) & 0xff>(complement, differ, 0x80008000);
}

/* Averages, (a + b + c + d + 2) >> 2: of values without a sign, as 0x8000 more makes them. */
__device__ inline unsigned average_s16x2(unsigned a, unsigned b, unsigned c, unsigned d)
{
    const unsigned sign = 0x80008000, high = 0xfffcfffc, low = 0x00030003;
    unsigned quarters = (((a ^ sign) & high) >> 2) + (((b ^ sign) & high) >> 2) +
                        (((c ^ sign) & high) >> 2) + (((d ^ sign) & high) >> 2);
    unsigned rest = (a & low) + (b & low) + (c & low) + (d & low) + 0x00020002;
    return (quarters + (rest >> 2 & low)) ^ sign;
}

/* What a pair is compared with and gets added. */
typedef struct pair_limits {
    unsigned limit;  /* 0x8000 less the threshold */
    unsigned dither; /* the noise's middle */
} pair_limits;

/* Packs the limits of two channels. */
__device__ inline pair_limits limits_of(int threshold_0, int dither_0, int threshold_1,
                                        int dither_1)
{
    return {(unsigned)(0x8000 - threshold_0) | (unsigned)(0x8000 - threshold_1) << 16,
            (unsigned)(dither_0 | dither_1 << 16)};
}

/*
 * Filters a pair with its neighbours' and its noise (0 .. 2 dither). A difference below 0 has
 * wrapped and is below any threshold, as -1 is; the highest bit of its sum with the limit says that
 * the threshold is reached.
 */
template <int MODE, bool BLUR_FIRST>
__device__ inline unsigned filter_pair(unsigned own, const unsigned *other, unsigned noise,
                                       pair_limits l)
{
    unsigned average = MODE == 0   ? other[0]
                       : MODE == 1 ? average_s16x2(other[0], other[1])
                                   : average_s16x2(other[0], other[1], other[2], other[3]);
    unsigned difference;
    if (MODE == 0 || BLUR_FIRST) {
        difference = abs_diff_s16x2(own, average);
    } else {
        difference = __vmaxs2(abs_diff_s16x2(own, other[0]), abs_diff_s16x2(own, other[1]));
        if (MODE == 2)
            difference = __vmaxs2(
                difference, __vmaxs2(abs_diff_s16x2(own, other[2]), abs_diff_s16x2(own, other[3])));
    }
    unsigned clamped = __vmaxs2(difference, 0xffffffff);
    unsigned keeps = prmt<0xbb99>(__vadd2(clamped, l.limit), 0);
    unsigned chosen = lop3<(BIT_A & BIT_B) | (~BIT_A & BIT_C)>(keeps, own, average);
    return __vadd2(chosen, __vsub2(noise, l.dither));
}

#endif
