/*
 * mma_operands.cuh - the first two kernels of tensor_split_mma: the largest magnitude of each
 * column of B; then the split of both matrices, as split_operands.cuh has it for clusters of
 * blocks, but B's rows stay rows. What is known of the data afterwards stands in the verdict.
 */
#ifndef LAB2_MMA_OPERANDS_CUH
#define LAB2_MMA_OPERANDS_CUH

#include "fp16_parts.cuh"

#ifdef HAVE_HOPPER

enum {
    MMA_THREADS = 256, /* of a block of each kernel */
    WARPS = MMA_THREADS / 32,
    MMA_SIDE = 128,     /* of a block's results */
    MMA_STRIP_PARTS = 8 /* of k: a strip of B is split by so many blocks */
};

/* In the workspace. */
typedef struct mma_operands {
    uint8_t *a;             /* rows as split_numbers() leaves them */
    uint16_t *b;            /* rows of high parts, with as many low ones behind them */
    unsigned *row, *column; /* largest magnitudes, as bits */
    verdict *found;
} mma_operands;

/* Returns the rows or columns of whole tiles. */
__host__ __device__ inline int whole_tiles(int lines)
{
    return (lines + MMA_SIDE - 1) / MMA_SIDE * MMA_SIDE;
}

/* Finds room for the operands from `at` on, and returns its end. */
static inline uint8_t *place_operands(mma_operands *to, uint8_t *at, shape s)
{
    const size_t height = whole_tiles(s.height), width = whole_tiles(s.width);
    to->a = at;
    to->b = (uint16_t *)(to->a + height * pitch<fp16_parts>(s.depth));
    to->row = (unsigned *)(to->b + 2 * width * padded_k<fp16_parts>(s.depth));
    to->column = to->row + height;
    return (uint8_t *)(to->column + width);
}

/* ---- the split ------------------------------------------------------------------------------ */

/* A block's part of B: MMA_SIDE columns, some of k; a thread has four columns and each 8th k. */
typedef struct strip_of_b {
    int column, first, end;
} strip_of_b;

__device__ inline strip_of_b strip_at(int block, shape s)
{
    const int k = padded_k<fp16_parts>(s.depth), each = k / MMA_STRIP_PARTS;
    const int share = max((int)LEAST_STRIP_K, padded_k<fp16_parts>(each));
    const int first = min(k, block % MMA_STRIP_PARTS * share);
    return {block / MMA_STRIP_PARTS * MMA_SIDE, first, min(k, first + share)};
}

/* Splits a row of A by a warp, which reads it twice. */
__device__ inline void split_row_of_a(const float *a, const mma_operands &to, int y, shape s)
{
    const int first = threadIdx.x % 32 * 8, k = y < s.height ? s.depth : 0;
    const float *row = a + (size_t)y * s.depth;
    uint8_t *line = to.a + (size_t)y * pitch<fp16_parts>(s.depth);
    float most = 0;
#pragma unroll 4
    for (int i = first; i < k; i += 8 * 32)
        most = largest(largest(most, load_4(row, i, k)), load_4(row, i + 4, k));
    const unsigned m = redux_max(__float_as_uint(most)); /* bits are in order, too */
    if (first == 0 && y < s.height)
        to.row[y] = m;
    const scaling by = scaling_for<fp16_parts>(m);
    facts known = facts_of_largest(m) | (s.depth < fp16_parts::SHORTEST_K ? IS_SHORT : 0);
    for (int at = first; at - first < k; at += 8 * 32) {
        float x[8];
        seen now = {};
        *(float4 *)x = load_4(row, at, k);
        *(float4 *)(x + 4) = load_4(row, at + 4, k);
        if (at < padded_k<fp16_parts>(k))
            split_numbers<fp16_parts>(of_a(), x, by, line, at, &now);
        const facts uneven = judge_row<fp16_parts>(&now, count_of_row(at, k), top_of(m), s.depth);
        known |= facts_of_row(now, uneven);
    }
    report(&to.found->now, known);
}

/* Reports what the block's threads have seen of a strip's columns. */
__device__ inline void report_strip(const mma_operands &to, const strip_of_b &p,
                                    const seen (&of)[4], shape s)
{
    __shared__ float masses[WARPS][MMA_SIDE], small[WARPS][MMA_SIDE];
    __shared__ unsigned integers[WARPS][MMA_SIDE];
    facts known = 0;
    for (int i = 0; i < 4; i++) {
        masses[threadIdx.x / 32][threadIdx.x % 32 * 4 + i] = of[i].mass;
        small[threadIdx.x / 32][threadIdx.x % 32 * 4 + i] = of[i].second;
        integers[threadIdx.x / 32][threadIdx.x % 32 * 4 + i] = of[i].integers;
        known |= of[i].remainder ? B_IS_LOW : 0;
    }
    __syncthreads();
    if (threadIdx.x < MMA_SIDE) {
        const unsigned m = to.column[p.column + threadIdx.x];
        float mass = 0, count = 0;
        unsigned bits = 0;
        for (int i = 0; i < WARPS; i++) {
            mass += masses[i][threadIdx.x];
            count += small[i][threadIdx.x];
            bits |= integers[i][threadIdx.x];
        }
        known |= facts_of_largest(m) | length_of(bits, B_LENGTHS);
        known |=
            unevenness<fp16_parts>(mass, count, min(p.end, s.depth) - p.first, top_of(m), s.depth);
    }
    report(&to.found->now, known);
}

/* Splits a strip, with zeros in the rows and columns that are B's no more. */
__device__ inline void split_strip_of_b(const float *b, const mma_operands &to, strip_of_b p,
                                        shape s)
{
    const int x = p.column + threadIdx.x % 32 * 4, width = whole_tiles(s.width);
    seen of[4] = {};
    float scale[4];
    for (int i = 0; i < 4; i++)
        scale[i] = scale_for(to.column[x + i]);
#pragma unroll 4
    for (int k = p.first + threadIdx.x / 32; k < p.end; k += WARPS) {
        uint2 high, low;
        const float4 four = load_4(b + (size_t)k * s.width, x, k < s.depth ? s.width : 0);
        const float v[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
        for (int i = 0; i < 4; i++) {
            see_bits<1, 1>(of + i, v + i, scale[i]);
            see_small<1>(of + i, v + i, scale[i]);
        }
        split_2<of_b>(v[0] * scale[0], v[1] * scale[1], k, 0, &high.x, &low.x, of, of + 1);
        split_2<of_b>(v[2] * scale[2], v[3] * scale[3], k, 0, &high.y, &low.y, of + 2, of + 3);
        uint16_t *row = to.b + (size_t)k * 2 * width + x;
        *(uint2 *)row = high;
        *(uint2 *)(row + width) = low;
    }
    report_strip(to, p, of, s);
}

/* ---- the kernels ---------------------------------------------------------------------------- */

/* Finds the largest magnitude of each column of B; bits are in order, too, NaN above all. */
__global__ void __launch_bounds__(MMA_THREADS)
    largest_of_columns(const float *b, unsigned *column, shape s)
{
#if __CUDA_ARCH__ >= 800
    const strip_of_b p = strip_at(blockIdx.x, s);
    const int x = p.column + threadIdx.x % 32 * 4;
    float4 m = make_float4(0, 0, 0, 0);
#pragma unroll 4
    for (int k = p.first + threadIdx.x / 32; k < min(p.end, s.depth); k += WARPS)
        m = largest_of(m, load_4(b + (size_t)k * s.width, x, s.width));
    atomicMax(column + x, __float_as_uint(m.x));
    atomicMax(column + x + 1, __float_as_uint(m.y));
    atomicMax(column + x + 2, __float_as_uint(m.z));
    atomicMax(column + x + 3, __float_as_uint(m.w));
#endif
}

/* Splits both matrices: the first `strips` blocks B, the others eight rows of A each. */
__global__ void __launch_bounds__(MMA_THREADS)
    split_for_mma(const float *a, const float *b, mma_operands to, int strips, shape s)
{
#if __CUDA_ARCH__ >= 800
    const int block = blockIdx.x;
    if (block < strips)
        split_strip_of_b(b, to, strip_at(block, s), s);
    else
        split_row_of_a(a, to, (block - strips) * WARPS + threadIdx.x / 32, s);
#endif
}

#endif
#endif
