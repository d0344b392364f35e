/*
 * split_verdict.cuh - what the split finds out about the data, and which way the product goes: how
 * many products of parts there are, or FP32 without tensor cores (tile_in_fp32.cu). Three kernels
 * share it in device memory: the split adds bits, the product reads them, the last one takes the
 * safe way or leaves at once, and clears them.
 */
#ifndef LAB2_SPLIT_VERDICT_CUH
#define LAB2_SPLIT_VERDICT_CUH

#include "panel.cuh"
#include "ptx/hopper.cuh"

#ifdef HAVE_HOPPER

/* Bits of facts.found. */
enum found_bits {
    A_IS_LOW = 1,     /* some number of A has a low part: it is not one of FP16, scaled */
    B_IS_LOW = 2,     /* the same of B */
    IS_UNEVEN = 4,    /* a row of A, a column of B has next to nothing beside its largest numbers */
    OUT_OF_RANGE = 8, /* infinite, NaN, or so small that the scale has no float */
    IS_SHORT = 16,    /* k is */
    IN_FP32 = 32,     /* in verdict.taken: the product was made so */
    FOUND = 31,
    UNFIT = IS_UNEVEN | OUT_OF_RANGE | IS_SHORT
};

/*
 * What is known of the data, in one word so that one atomic operation tells it: found_bits; the
 * lengths of rows of A from bit A_LENGTHS on, and of columns of B. A length is the number of bits
 * from a row's largest number down to the last one that any of its numbers has, at most LONGEST
 * (which may be more); bit n - 1 is set if a share of a row has the length n.
 */
typedef unsigned long long facts;

enum { A_LENGTHS = 8, LONGEST = 28, B_LENGTHS = A_LENGTHS + LONGEST };

__host__ __device__ inline unsigned lengths(facts known, int of)
{
    return (unsigned)(known >> of) & ((1u << LONGEST) - 1);
}

/* In device memory, zeros at first. */
typedef struct verdict {
    facts now;
    unsigned ended; /* blocks of the last kernel that have read it */
    unsigned taken; /* the last run's found_bits */
} verdict;

/* Reads the facts for a whole block, behind griddepcontrol_wait(). Everybody calls it. */
__device__ inline facts read_verdict(const verdict *from)
{
    __shared__ facts now;
    if (threadIdx.x == 0)
        now = *(const volatile facts *)&from->now;
    __syncthreads();
    return now;
}

/* May sums be exact in FP32? An even row of A times an even column of B adds up to more than their
 * largest product, which has as many bits as both together, less one. */
__device__ inline bool may_be_exact(facts known)
{
    const int a = __ffs((int)lengths(known, A_LENGTHS)), b = __ffs((int)lengths(known, B_LENGTHS));
    return a && b && a + b <= 24;
}

/*
 * Returns whether the product is made in FP32: its parts will not do, or its sums may be exact in
 * FP32 and would not be here. `floats`: parts are FP16's, and what is left out are products of two
 * low parts; of integers something is always left out.
 */
__device__ inline bool goes_in_fp32(facts known, bool floats)
{
    const bool cut = !floats || ((known & A_IS_LOW) && (known & B_IS_LOW));
    return (known & UNFIT) || (cut && may_be_exact(known));
}

/*
 * Clears the facts for the next run, once all blocks have read them, and notes what was done;
 * behind the first panel it adds to what is noted. One thread of each block calls it.
 */
__device__ inline void close_verdict(verdict *v, facts known, bool in_fp32, bool adds)
{
    const unsigned taken = (unsigned)(known & FOUND) | (in_fp32 ? IN_FP32 : 0);
    const unsigned last = gridDim.x * gridDim.y - 1;
    if (atomicInc(&v->ended, last) != last)
        return;
    v->taken = taken | (adds ? v->taken : 0);
    v->now = 0;
}

/*
 * Launches the kernel that makes C = A B in FP32, or adds a panel's product, if goes_in_fp32(), and
 * closes the verdict (tile_in_fp32.cu). prepare_fp32() comes first, once.
 */
void prepare_fp32();
void launch_in_fp32(verdict *v, bool floats, const float *a, const float *b, float *c, shape s,
                    cudaStream_t stream);
void launch_in_fp32(verdict *v, bool floats, const float *a, const float *b, float *c, panel s,
                    cudaStream_t stream);

#endif
#endif
