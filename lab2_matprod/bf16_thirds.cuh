/*
 * bf16_thirds.cuh - numbers in three of BF16, for rows of any range: what the second kernel of
 * tensor_split and of tensor_int8_slices does where their own parts will not do (tensor_thirds.cuh
 * tells of the whole).
 *
 * 64 of k of A's rows are three lines of 128 bytes, one for each third. B's rows stay rows, which
 * wgmma takes as they are: 64 rows of first thirds, 64 of second ones, 64 of last ones.
 */
#ifndef LAB2_BF16_THIRDS_CUH
#define LAB2_BF16_THIRDS_CUH

#include "split_operands.cuh"

#ifdef HAVE_HOPPER
#include <cuda_bf16.h>

struct bf16_thirds {
    enum {
        K_BYTES = 6, /* 64 of k are three lines of 128 bytes */
        WHOLE_K = 64,
        STEP = 3,  /* these three are three stages */
        B_BOX = 64 /* columns of B that a copy takes: 128 bytes */
    };
    static constexpr way WAY = BY_THIRDS;
    static constexpr facts KIND = 0;
    static constexpr bool FILLS = false, TURNS = true;
};

/* Returns the bytes of a row of B's thirds; below those of all of A, and of both. */
__host__ __device__ inline size_t thirds_pitch(shape s)
{
    return (size_t)(s.width + 7) / 8 * 8 * sizeof(__nv_bfloat16);
}

static inline size_t thirds_of_a_bytes(shape s)
{
    return ((size_t)s.height * pitch<bf16_thirds>(s.depth) + 1023) / 1024 * 1024;
}

static inline size_t thirds_bytes(shape s)
{
    return thirds_of_a_bytes(s) + 3 * padded_k<bf16_thirds>(s.depth) * thirds_pitch(s);
}

/*
 * Returns e for numbers that are multiplied by 2^e, so that products of the smallest have all their
 * thirds, of which the last bit is 2^-32 of the product, and sums of 2^15 largest ones are finite.
 */
__device__ inline int thirds_scale(facts known)
{
    return known & IS_LARGE ? 16 : 40;
}

enum { SMALLEST_THIRDS = -47, LARGEST_THIRDS = 55 }; /* powers of 2 that such numbers lie between */

/* Is a number, scaled, too large or too small for that, or none? */
__device__ inline bool is_extreme(float scaled)
{
    const float magnitude = fabsf(scaled);
    return magnitude != 0 &&
           !(magnitude >= power_of_2(SMALLEST_THIRDS) && magnitude < power_of_2(LARGEST_THIRDS));
}

/* Rounds two numbers to BF16 and leaves what that cuts off, which is exact. */
__device__ inline unsigned third_of_2(float *x)
{
    const __nv_bfloat162 third = __floats2bfloat162_rn(x[0], x[1]);
    x[0] -= __low2float(third);
    x[1] -= __high2float(third);
    return *(const unsigned *)&third;
}

/* Splits eight numbers, third by third, `apart` bytes from one to the next. Returns whether one
 * is extreme. */
__device__ inline bool split_into_thirds(float (&x)[8], float scale, uint8_t *to, size_t apart)
{
    bool extreme = false;
#pragma unroll
    for (int i = 0; i < 8; i++) {
        extreme |= is_extreme(x[i] *= scale);
    }
#pragma unroll
    for (int third = 0; third < 3; third++) {
        uint4 eight;
        eight.x = third_of_2(x);
        eight.y = third_of_2(x + 2);
        eight.z = third_of_2(x + 4);
        eight.w = third_of_2(x + 6);
        *(uint4 *)(to + third * apart) = eight;
    }
    return extreme;
}

/*
 * Splits both matrices by all threads of all blocks, eight neighbours of a row each; k beyond the
 * depth is zeros. Everybody calls it.
 */
template <class S>
__device__ inline void split_into_thirds(const float *a, const float *b, const split_matrices &to,
                                         facts known, const S &s)
{
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
    const unsigned depth = padded_k<bf16_thirds>(s.depth), in_row = depth / 8;
    const unsigned in_b_row = (s.width + 7) / 8;
    const bool odd = has_odd_rows(a, s);
    const size_t b_pitch = thirds_pitch(s);
    const float scale = power_of_2(thirds_scale(known));
    bool extreme = false;
    float x[8];
    for (unsigned i = thread; i < s.height * in_row; i += all) {
        const int y = i / in_row, k = i % in_row * 8;
        const float *row = a + (size_t)y * pitch_of(s);
        *(float4 *)x = load_4(row, k, s.depth, odd);
        *(float4 *)(x + 4) = load_4(row, k + 4, s.depth, odd);
        uint8_t *line = to.a + (size_t)y * pitch<bf16_thirds>(s.depth) + k / 64 * 3 * LINE_BYTES;
        extreme |= split_into_thirds(x, scale, line + k % 64 * sizeof(__nv_bfloat16), LINE_BYTES);
    }
    for (unsigned i = thread; i < depth * in_b_row; i += all) {
        const int k = i / in_b_row, n = i % in_b_row * 8, width = k < s.depth ? s.width : 0;
        const float *row = b + (size_t)k * s.width;
        *(float4 *)x = load_4(row, n, width);
        *(float4 *)(x + 4) = load_4(row, n + 4, width);
        uint8_t *line = to.thirds_of_b + (size_t)(k / 64 * 3 * 64 + k % 64) * b_pitch;
        extreme |= split_into_thirds(x, scale, line + n * sizeof(__nv_bfloat16), 64 * b_pitch);
    }
    report(&to.found->now, extreme ? IS_EXTREME : 0);
}

#endif
#endif
