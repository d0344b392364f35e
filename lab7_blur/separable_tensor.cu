/*
 * separable_tensor.cu - against separable_fused, tensor cores multiply (mma.sync, m16n8k16; PTX
 * ISA, "Matrix Fragments for mma.m16n8k16"). A pass is a product with a band matrix: 16 pixels of a
 * filtered column are a band of 16 x 48 weights, w(k - m - 16) in row m and column k, times the 48
 * pixels around them. Of the 48 products of a pixel up to 33 are wanted; the others are with zeros.
 *
 *   columns    D = sum over j = -1, 0, 1 of  A_j X_j     A: the band, X: 16 rows x 16 columns
 *   rows       Y = sum over j = -1, 0, 1 of  D_j B_j     B: the band, D: what the columns gave
 *
 * A lane has of a result D what the next product wants of an operand, so D goes from the one to the
 * other in registers: no shared memory, no barrier, each warp on its own. It makes TENSOR_TILES
 * times 16 rows and goes along them, 16 columns a step; the 16 columns of D that a step gives are
 * multiplied with B_1 for the columns before, with B_0, and with B_-1 for those behind.
 *
 *      left - 16   left   left + 16
 *                +-------+-------+      A step of a warp, at `left`: TENSOR_TILES + 2 blocks X of
 *                |   X   | next  |      16 x 16 pixels are in registers, those of the next step are
 *       +--------+-------+-------+      asked for. They give D for each of the warp's tiles, and D
 *       |   Y    | X D Y | next Y|      its part of Y before it, in its place and behind it. The Y
 *       |   Y    | X D Y | next Y|      before it is whole then, and is stored.
 *       +--------+-------+-------+
 *                |   X   | next  |
 *                +-------+-------+
 *
 * Half precision has 11 bits of FP32's 24. Each number is cut into its upper 11 bits and the next
 * 11, x = high + low, so that high high + high low + low high is off by 2^-20 or so: three
 * products. Weights are 256 times as large, for half precision has no numbers below 2^-24; pixels
 * up to 255 stay below its largest, 65504, after one pass.
 *
 * In whatever order an operand's columns k and another's rows k stand, the product is the same, and
 * so for its columns n. Lane 4 g + t loads columns 2 g and 2 g + 1 of X, as a pair: they are column
 * g of two products. What it then has of D are columns 4 t, 4 t + 2 and 4 t + 1, 4 t + 3; what it
 * has of Y is to be 4 t to 4 t + 3. B_j's rows and columns are sorted accordingly.
 */
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "blur.h"
#include "process/die.h"
#include "ptx/mma.cuh"

enum {
    TENSOR_WARPS = 4,  /* of a block, below each other */
    TENSOR_BLOCKS = 3, /* on a multiprocessor */
    TENSOR_TILES = 2,  /* of 16 rows, that a warp makes */
    TENSOR_RADIUS = 16 /* at most: blocks -1, 0 and 1 of 16 */
};

#define TENSOR_SCALE      256.0f /* of the weights, in either pass */
#define TENSOR_WEIGHT_MIN 0x1p-13

/* Registers of an operand, each two numbers, high and low parts; [j + 1]. */
typedef struct tensor_bands {
    uint32_t columns[3][2][4][32]; /* A_j: [part][register][lane] */
    uint32_t rows[3][2][2][2][32]; /* B_j: [half of the 16 columns][part][register][lane] */
} tensor_bands;

static __device__ tensor_bands bands;

/* Two numbers as pairs of halves. */
typedef struct split_pair {
    uint32_t high, low;
} split_pair;

/* Packs two numbers as halves. */
__host__ __device__ static uint32_t pack_halves(float x, float y)
{
    __half2 both = __floats2half2_rn(x, y);
    uint32_t bits;
    memcpy(&bits, &both, sizeof bits);
    return bits;
}

/* Splits two numbers into the upper 11 bits, cut off, and what is left, rounded. */
__device__ static split_pair split(float x, float y)
{
    float high_x = __uint_as_float(__float_as_uint(x) & 0xFFFFE000);
    float high_y = __uint_as_float(__float_as_uint(y) & 0xFFFFE000);
    return {pack_halves(high_x, high_y), pack_halves(x - high_x, y - high_y)};
}

/* Adds a product of split numbers: d += A B, all but low low. */
__device__ static void multiply_split(float (&d)[4], const uint32_t *a_high, const uint32_t *a_low,
                                      const uint32_t *b_high, const uint32_t *b_low)
{
    mma_m16n8k16_f16(d, a_low, b_high);
    mma_m16n8k16_f16(d, a_high, b_low);
    mma_m16n8k16_f16(d, a_high, b_high);
}

/*
 * Loads two neighbours of a row. A warp wants 64 bytes of each row in a step and the next 64 in the
 * next one: the L2 cache is asked to bring all 128 from memory at once.
 */
__device__ static float2 ld_global_l2_128b(const float *from)
{
#ifdef CUDA_ON_CPU
    return *(const float2 *)from;
#else
    float2 pair;
    asm volatile("ld.global.nc.L2::128B.v2.f32 {%0, %1}, [%2];"
                 : "=f"(pair.x), "=f"(pair.y)
                 : "l"(from));
    return pair;
#endif
}

/* Loads a lane's 8 of 16 x 16 pixels: rows 2t, 2t + 1, 2t + 8, 2t + 9, columns 2g and 2g + 1. */
__device__ static void load_pixels(float2 (&pixels)[4], const float *in, int left, int top, shape s)
{
    const int lane = threadIdx.x % 32, x = left + lane / 4 * 2, y = top + lane % 4 * 2;
    if (left >= 0 && left + 16 <= s.width && top >= 0 && top + 16 <= s.height && s.width % 2 == 0) {
        const float *from = in + y * s.width + x;
#pragma unroll
        for (int i = 0; i < 4; i++)
            pixels[i] = ld_global_l2_128b(from + (i % 2 + i / 2 * 8) * s.width);
    } else {
        const int x0 = clamp(x, s.width), x1 = clamp(x + 1, s.width);
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const float *row = in + clamp(y + i % 2 + i / 2 * 8, s.height) * s.width;
            pixels[i] = make_float2(row[x0], row[x1]);
        }
    }
}

/* Stores a lane's 4 of rows g and g + 8, columns 4 t to 4 t + 3. */
__device__ static void store_pixels(float *out, const float (&y)[2][4], int left, int top, shape s)
{
    const float unscaled = 1 / (TENSOR_SCALE * TENSOR_SCALE);
    const int lane = threadIdx.x % 32, x = left + lane % 4 * 4;
#pragma unroll
    for (int i = 0; i < 4; i += 2) {
        const int row = top + lane / 4 + i * 4;
        const float four[4] = {y[0][i] * unscaled, y[0][i + 1] * unscaled, y[1][i] * unscaled,
                               y[1][i + 1] * unscaled};
        if (row >= s.height)
            continue;
        if (s.width % 4 == 0 && x < s.width)
            *(float4 *)(out + row * s.width + x) = make_float4(four[0], four[1], four[2], four[3]);
        else
#pragma unroll
            for (int j = 0; j < 4; j++)
                if (x + j < s.width)
                    out[row * s.width + x + j] = four[j];
    }
}

/* A lane's part of the bands, as registers. */
typedef struct band_registers {
    uint32_t columns[3][2][4], rows[3][2][2][2];
} band_registers;

/* Loads the lane's part. */
__device__ static void load_bands(band_registers *mine)
{
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int i = 0; i < 24; i++) {
        mine->columns[i / 8][i / 4 % 2][i % 4] = bands.columns[i / 8][i / 4 % 2][i % 4][lane];
        mine->rows[i / 8][i / 4 % 2][i / 2 % 2][i % 2] =
            bands.rows[i / 8][i / 4 % 2][i / 2 % 2][i % 2][lane];
    }
}

/* Makes D of all tiles, from the pixels above, in and below them; then asks for those of the next
 * step. */
__device__ static void multiply_columns(float (&d)[TENSOR_TILES][2][4],
                                        float2 (&pixels)[TENSOR_TILES + 2][4],
                                        const band_registers &band, const float *in, int next_left,
                                        int top, shape s)
{
#pragma unroll
    for (int b = 0; b < TENSOR_TILES + 2; b++) {
        uint32_t high[2][2], low[2][2];
#pragma unroll
        for (int i = 0; i < 2; i++) {
            split_pair even = split(pixels[b][2 * i].x, pixels[b][2 * i + 1].x);
            split_pair odd = split(pixels[b][2 * i].y, pixels[b][2 * i + 1].y);
            high[0][i] = even.high, low[0][i] = even.low;
            high[1][i] = odd.high, low[1][i] = odd.low;
        }
        load_pixels(pixels[b], in, next_left, top + 16 * (b - 1), s);
#pragma unroll
        for (int j = 0; j < 3; j++)
            if (b - j >= 0 && b - j < TENSOR_TILES)
#pragma unroll
                for (int n = 0; n < 2; n++)
                    multiply_split(d[b - j][n], band.columns[j][0], band.columns[j][1], high[n],
                                   low[n]);
    }
}

/* Adds to Y of three blocks of columns what one of D gives: y[0] is of the block before it, y[2] of
 * the one behind. */
__device__ static void multiply_rows(float (&y)[3][2][4], const float (&d)[2][4],
                                     const band_registers &band)
{
    uint32_t high[4], low[4];
#pragma unroll
    for (int i = 0; i < 4; i++) {
        split_pair pair = split(d[i / 2][i % 2 * 2], d[i / 2][i % 2 * 2 + 1]);
        high[i] = pair.high, low[i] = pair.low;
    }
#pragma unroll
    for (int j = 0; j < 3; j++)
#pragma unroll
        for (int n = 0; n < 2; n++)
            multiply_split(y[j][n], high, low, band.rows[2 - j][n][0], band.rows[2 - j][n][1]);
}

/*
 * separable_tensor: a warp makes TENSOR_TILES * 16 rows of `columns` columns, a multiple of 16; a
 * block TENSOR_WARPS such below each other.
 */
__global__ void __launch_bounds__(32 * TENSOR_WARPS, TENSOR_BLOCKS)
    separable_tensor(const float *__restrict__ in, float *__restrict__ out, shape s, int columns)
{
    int warp = threadIdx.x / 32, first = blockIdx.x * columns;
    int top = (blockIdx.y * TENSOR_WARPS + warp) * TENSOR_TILES * 16;
    int behind = min(first + columns, s.width);
    if (top >= s.height)
        return;
    band_registers band;
    load_bands(&band);
    float2 pixels[TENSOR_TILES + 2][4];
#pragma unroll
    for (int b = 0; b < TENSOR_TILES + 2; b++)
        load_pixels(pixels[b], in, first - 16, top + 16 * (b - 1), s);

    float y[TENSOR_TILES][3][2][4] = {}; /* of the block before, this one, the next one */
    for (int left = first - 16; left < behind + 16; left += 16) {
        float d[TENSOR_TILES][2][4] = {};
        multiply_columns(d, pixels, band, in, left + 16, top, s);
#pragma unroll
        for (int tile = 0; tile < TENSOR_TILES; tile++) {
            multiply_rows(y[tile], d[tile], band);
            if (left - 16 >= first)
                store_pixels(out, y[tile][0], left - 16, top + 16 * tile, s);
#pragma unroll
            for (int i = 0; i < 8; i++) {
                y[tile][0][i / 4][i % 4] = y[tile][1][i / 4][i % 4];
                y[tile][1][i / 4][i % 4] = y[tile][2][i / 4][i % 4];
                y[tile][2][i / 4][i % 4] = 0;
            }
        }
    }
}

/* ---- the bands ------------------------------------------------------------------------------ */

/* Splits two weights of the line, at distances `d` and `e`, both parts rounded. */
static split_pair split_weights(const double *line, int radius, int d, int e)
{
    double both[2] = {abs(d) <= radius ? TENSOR_SCALE * line[d + radius] : 0,
                      abs(e) <= radius ? TENSOR_SCALE * line[e + radius] : 0};
    float high[2];
    for (int i = 0; i < 2; i++)
        high[i] = __half2float(__float2half((float)both[i]));
    return {pack_halves(high[0], high[1]),
            pack_halves((float)(both[0] - high[0]), (float)(both[1] - high[1]))};
}

/* Returns each lane's registers; rows and columns are in the order that the top comment tells. */
static tensor_bands bands_for(const double *line, int radius)
{
    tensor_bands all;
    for (int i = 0; i < 3 * 32; i++) {
        int j = i / 32, lane = i % 32, g = lane / 4, t = lane % 4, block = 16 * (j - 1);
        for (int r = 0; r < 4; r++) { /* row g or g + 8, columns k and k + 1 */
            int m = g + r % 2 * 8, k = 2 * t + r / 2 * 8;
            split_pair pair = split_weights(line, radius, block + k - m, block + k + 1 - m);
            all.columns[j][0][r][lane] = pair.high;
            all.columns[j][1][r][lane] = pair.low;
        }
        for (int r = 0; r < 4; r++) { /* rows k and k + 1, which are columns x and x + 2 of D */
            int half = r / 2, x = 4 * t + r % 2, n = g / 2 * 4 + half * 2 + g % 2;
            split_pair pair = split_weights(line, radius, block + x - n, block + x + 2 - n);
            all.rows[j][half][0][r % 2][lane] = pair.high;
            all.rows[j][half][1][r % 2][lane] = pair.low;
        }
    }
    return all;
}

/* ---- how far it may be off ------------------------------------------------------------------ */

/*
 * Returns the error in units of u = 2^-24, relatively, for a line of n taps and pixels that are 0
 * or 1 at least. In a pass the tensor cores add 16 products and a sum at a time and cut off what
 * FP32 has no room for: each of 3 n products that are not 0 and of 9 sums is off by 2 u of the
 * result at most. What two halves leave of a number is 16 u of it at most, of a weight, too, where
 * none is below TENSOR_WEIGHT_MIN; and low low, left out, is 8 u.
 */
static double tensor_roundings(double n)
{
    return 2 * (2 * (3 * n + 9) + 16 + 16 + 8);
}

static const accuracy tensor_accuracy = {.roundings = tensor_roundings};

/* ---- launching ------------------------------------------------------------------------------ */

/* Refuses what the bands, or half precision, have no room for. */
static const char *refuse_tensor(const problem *, dim3)
{
    if (filter_radius() > TENSOR_RADIUS)
        return "its bands are for a radius of 16 or less";
    bool fits = gauss.exact[0] >= TENSOR_WEIGHT_MIN;
    return fits ? NULL : "its outer weights are too small for half precision";
}

/* Works out the bands. */
static void *plan_bands(const problem *, const launch *)
{
    tensor_bands *all = (tensor_bands *)allocate(sizeof *all);
    *all = bands_for(gauss.exact, filter_radius());
    return all;
}

/* Fills the bands, in device memory; untimed. */
static void prepare_bands(const problem *, const launch *l)
{
    CUDA_CHECK(cudaMemcpyToSymbolAsync(bands, l->plan, sizeof bands, 0, cudaMemcpyHostToDevice,
                                       l->stream));
}

/* Launches as many warps as run at the same time, if there is work for them. */
static void launch_tensor(const problem *p, const launch *l)
{
    unsigned rows = blocks_for(p->height, 16 * TENSOR_TILES * TENSOR_WARPS);
    unsigned steps = blocks_for(p->width, 16);
    unsigned each = steps_per_block(steps, TENSOR_BLOCKS * multiprocessors() / rows);
    separable_tensor<<<dim3(blocks_for(steps, each), rows), 32 * TENSOR_WARPS, 0, l->stream>>>(
        (const float *)l->buffer[INPUT], (float *)l->buffer[OUTPUT], shape_of(p), (int)each * 16);
    CUDA_CHECK(cudaGetLastError());
}

extern const variant separable_tensor_variant = GPU_VARIANT(
    "separable_tensor", "products with band matrices on tensor cores", launch_tensor,
    .architecture = "sm_80", .own_block = 32 * TENSOR_WARPS,
    .kernel = (const void *)separable_tensor, .refuse = refuse_tensor, .prepare = prepare_bands,
    .plan_once = plan_bands, .release = free, .own = &tensor_accuracy);
