/*
 * split_verdict.cuh - what the split finds out about the data, and which way the product goes: how
 * many products of parts there are, or thirds of BF16, which do for numbers of any range, or FP64.
 * Three kernels share it in device memory: the split adds bits; the product reads them, and splits
 * into thirds if its parts will not do; the third (tensor_thirds.cuh) multiplies these, or makes
 * the product in FP64 (fp64_tile.cuh), or leaves at once. The last kernel clears the bits.
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
    IS_SHORT = 16,    /* k is, or too long for the parts' exact sums */
    IS_EXTREME = 32,  /* some number is too large or too small for thirds */
    IS_LARGE = 64,    /* a row of A, a column of B has numbers of 2^15 or more */
    AS_INTEGERS = 128, /* the parts are digits */
    AS_MIXED = 256,    /* the parts are FP16's and bytes; without either they are FP16's */
    AS_ONE_LOW = 512,  /* the same, but one factor has FP16's numbers and no low ones */
    KINDS = AS_INTEGERS | AS_MIXED | AS_ONE_LOW,
    IS_COARSE = 1024, /* in a sample: a row is uneven if a power of two scales it */
    IS_STEEP = 2048,  /* in a sample: a row is uneven for digits */
    FOUND = 4095,
    IN_THIRDS = 4096, /* in verdict.taken: the product was made so */
    IN_FP64 = 8192,   /* the same */
    IN_FP32 = 16384,  /* the same (tensor_split_mma.cu) */
    UNFIT = IS_UNEVEN | OUT_OF_RANGE | IS_SHORT
};

/*
 * What is known of the data, in one word so that one atomic operation tells it: found_bits; the
 * lengths of rows of A from bit A_LENGTHS on, and of columns of B. A length is the number of bits
 * from a row's largest number down to the last one that any of its numbers has, at most LONGEST
 * (which may be more); bit n - 1 is set if a share of a row has the length n.
 */
typedef unsigned long long facts;

enum { A_LENGTHS = 12, LONGEST = 23, B_LENGTHS = A_LENGTHS + LONGEST };

__host__ __device__ inline unsigned lengths(facts known, int of)
{
    return (unsigned)(known >> of) & ((1u << LONGEST) - 1);
}

/* At most: the tiles that blocks share (stream_k.cuh) are fewer than twice as many as they. */
enum { SHARED_TILES = 1024 };

/* In device memory, zeros at first. */
typedef struct verdict {
    facts now;
    facts sampled;                /* of some rows and columns, before the split (tensor_fp32.cu) */
    unsigned ended;               /* blocks of the last kernel that have read it */
    unsigned taken;               /* the last run's found_bits */
    unsigned there[SHARED_TILES]; /* of a product in FP64, the parts of tiles (stream_k.cuh) */
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

/*
 * May sums be exact in FP32? An even row of A times an even column of B adds up to more than their
 * largest product, which has as many bits as both together, less one. Of rows and columns as short
 * as `short_a` and `short_b` it is not asked.
 */
__device__ inline bool may_be_exact(facts known, int short_a = 0, int short_b = 0)
{
    const int a = __ffs((int)(lengths(known, A_LENGTHS) >> short_a)) + short_a;
    const int b = __ffs((int)(lengths(known, B_LENGTHS) >> short_b)) + short_b;
    return a > short_a && b > short_b && a + b <= 24;
}

/* Would parts lose something of such sums? Not where each product has a factor without low parts;
 * and with AS_ONE_LOW FP16 holds 11 bits of the other one, too. */
__device__ inline bool cuts_exact(facts known)
{
    enum { IN_FP16 = 11 };
    const bool a_is_low = known & A_IS_LOW, b_is_low = known & B_IS_LOW;
    if (known & AS_ONE_LOW)
        return may_be_exact(known, a_is_low ? IN_FP16 : 0, b_is_low ? IN_FP16 : 0);
    return ((known & KINDS) || (a_is_low && b_is_low)) && may_be_exact(known);
}

/* How a product is made. */
enum way { BY_FP16, BY_INT8, BY_MIXED, BY_ONE_LOW, BY_THIRDS, BY_FP64, BY_FP32 };

/*
 * Returns the way. Parts will not do for what is UNFIT, nor where sums may be exact in FP32 and
 * would not be here. Of FP16's parts the products of two low ones are left out; of integers and
 * bytes something is always left out, and one factor of bytes has to be FP16's. Thirds take any
 * rows, and are exact where FP32 is, but they do not take any number.
 */
__device__ inline way way_of(facts known)
{
    const facts both = AS_ONE_LOW | A_IS_LOW | B_IS_LOW; /* of which only one may be low */
    if (known & (OUT_OF_RANGE | IS_SHORT | IS_EXTREME))
        return BY_FP64;
    if ((known & IS_UNEVEN) || cuts_exact(known) || (known & both) == both)
        return BY_THIRDS;
    return known & AS_INTEGERS  ? BY_INT8
           : known & AS_MIXED   ? BY_MIXED
           : known & AS_ONE_LOW ? BY_ONE_LOW
                                : BY_FP16;
}

/*
 * Clears the facts for the next run, once all blocks have read them, and notes what was done;
 * behind the first panel it adds to what is noted. One thread of each block calls it.
 */
__device__ inline void close_verdict(verdict *v, facts known, way taken, bool adds)
{
    const unsigned by = taken == BY_THIRDS ? IN_THIRDS
                        : taken == BY_FP64 ? IN_FP64
                        : taken == BY_FP32 ? IN_FP32
                                           : 0;
    const unsigned last = gridDim.x * gridDim.y - 1;
    if (atomicInc(&v->ended, last) != last)
        return;
    v->taken = (unsigned)(known & FOUND) | by | (adds ? v->taken : 0);
    v->now = v->sampled = 0;
}

#endif
#endif
