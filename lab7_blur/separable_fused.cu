/*
 * separable_fused.cu - against separable (blur.cu), both passes in one kernel, columns first: what
 * lies between them never leaves the multiprocessor, and sums come from registers.
 *
 *        WIDTH + 2 HALO columns, a thread each     A block goes down a strip of WIDTH columns and
 *      +------+------------------------+------+    the halo beside it, ROWS rows a step. A thread
 *      | HALO |         WIDTH          | HALO |    has ROWS + 2 RADIUS pixels of a column in its
 *      +------+------------------------+------+    registers, filters them down the column, and
 *             ROWS rows of sums, in                leaves ROWS sums in shared memory. There each
 *             shared memory, twice                 thread takes OUTPUTS neighbours of a row at a
 *                                                  time and the sums that these need, in fours.
 *
 * Each pixel of a column is loaded once in a strip, and once more for the 2 RADIUS rows before it;
 * those of the next step are on their way while the rows are filtered. Everything that a
 * multiply-add takes is in registers: it costs ROWS loads and ROWS stores for ROWS (2 RADIUS + 1)
 * multiply-adds of a column, (OUTPUTS + 2 HALO) / 4 loads for OUTPUTS (2 RADIUS + 1) of a row.
 */
#include <cuda_runtime.h>

#include "blur.h"

enum {
    FUSED_THREADS = 288,
    FUSED_BLOCKS = 2,                /* on a multiprocessor, of a radius up to 15 */
    FUSED_PITCH = FUSED_THREADS + 4, /* 8 threads that read 16 bytes of 8 rows use all 32 banks */
    FUSED_OUTPUTS = 8                /* of a row, that a thread makes at a time */
};

/* What follows from the radius, which the compiler must know: registers have no index. */
template <int RADIUS>
struct fused_shape {
    enum {
        TAPS = 2 * RADIUS + 1,
        HALO = (RADIUS + 3) / 4 * 4, /* columns on either side, so that fours begin at fours */
        WIDTH = FUSED_THREADS - 2 * HALO,
        ROWS = RADIUS > 15 ? 8 : 16 /* of a step */
    };
};

/* Weights of a line of up to TAPS_MAX taps, zeros outside; as a parameter it is constant memory. */
typedef struct fused_line {
    float weight[TAPS_MAX];
} fused_line;

/* Loads N pixels of a column from row y on. */
template <int N>
__device__ static void load_column(float *pixels, const float *column, int y, shape s)
{
    if (y >= 0 && y + N <= s.height) {
        const float *from = column + y * s.width;
#pragma unroll
        for (int i = 0; i < N; i++)
            pixels[i] = from[i * s.width];
    } else {
#pragma unroll
        for (int i = 0; i < N; i++)
            pixels[i] = column[clamp(y + i, s.height) * s.width];
    }
}

/* Makes OUTPUTS pixels of a row from the sums that begin HALO before them. */
template <int RADIUS>
__device__ static void filter_outputs(float *outputs, const float *sums, const fused_line &line)
{
    const int before = fused_shape<RADIUS>::HALO - RADIUS;
#pragma unroll
    for (int j = 0; j < FUSED_OUTPUTS + 2 * fused_shape<RADIUS>::HALO; j += 4) {
        const float4 four = *(const float4 *)(sums + j);
        const float values[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
        for (int i = 0; i < 4; i++)
#pragma unroll
            for (int o = 0; o < FUSED_OUTPUTS; o++) {
                const int k = j + i - before - o;
                if (k >= 0 && k < fused_shape<RADIUS>::TAPS)
                    outputs[o] += line.weight[k] * values[i];
            }
    }
}

/* Stores them from column x on; as two fours where rows begin at multiples of 16 bytes. */
__device__ static void store_outputs(float *row, const float *outputs, int x, int width)
{
    if (width % 4 == 0 && x + FUSED_OUTPUTS <= width) {
#pragma unroll
        for (int o = 0; o < FUSED_OUTPUTS; o += 4)
            *(float4 *)(row + x + o) =
                make_float4(outputs[o], outputs[o + 1], outputs[o + 2], outputs[o + 3]);
    } else {
#pragma unroll
        for (int o = 0; o < FUSED_OUTPUTS; o++)
            if (x + o < width)
                row[x + o] = outputs[o];
    }
}

/*
 * separable_fused: a block of FUSED_THREADS makes a strip of WIDTH columns, `rows` high. The sums
 * lie in one half of shared memory and then in the other: a thread that writes a half has met, at
 * the barrier between, all that read it.
 */
template <int RADIUS>
__global__ void __launch_bounds__(FUSED_THREADS, RADIUS > 15 ? 1 : FUSED_BLOCKS)
    separable_fused(const float *__restrict__ in, float *__restrict__ out, shape s, int rows,
                    const __grid_constant__ fused_line line)
{
    typedef fused_shape<RADIUS> is;
    __shared__ __align__(16) float sums[2][is::ROWS][FUSED_PITCH];
    int left = blockIdx.x * is::WIDTH, top = blockIdx.y * rows;
    int bottom = min(top + rows, s.height);
    const float *column = in + clamp(left - is::HALO + (int)threadIdx.x, s.width);
    float window[is::ROWS + 2 * RADIUS]; /* from row y - RADIUS on */
#pragma unroll
    for (int i = 0; i < is::ROWS + 2 * RADIUS; i++)
        window[i] = column[clamp(top - RADIUS + i, s.height) * s.width];

    for (int y = top, half = 0; y < bottom; y += is::ROWS, half ^= 1) {
#pragma unroll
        for (int i = 0; i < is::ROWS; i++) {
            float sum = 0;
#pragma unroll
            for (int k = 0; k < is::TAPS; k++)
                sum += line.weight[k] * window[i + k];
            sums[half][i][threadIdx.x] = sum;
        }
#pragma unroll
        for (int i = 0; i < 2 * RADIUS; i++)
            window[i] = window[i + is::ROWS];
        if (y + is::ROWS < bottom)
            load_column<is::ROWS>(window + 2 * RADIUS, column, y + is::ROWS + RADIUS, s);
        __syncthreads();

        for (int i = threadIdx.x; i < is::ROWS * is::WIDTH / FUSED_OUTPUTS; i += FUSED_THREADS) {
            int row = i % is::ROWS, x = i / is::ROWS * FUSED_OUTPUTS;
            float outputs[FUSED_OUTPUTS] = {};
            filter_outputs<RADIUS>(outputs, &sums[half][row][x], line);
            if (y + row < bottom)
                store_outputs(out + (y + row) * s.width, outputs, left + x, s.width);
        }
    }
}

/* ---- launching ------------------------------------------------------------------------------ */

/* Returns the filter's weights in the middle of a line of RADIUS. */
template <int RADIUS>
static fused_line fused_weights(int radius)
{
    fused_line line = {};
    for (int k = 0; k <= 2 * radius; k++)
        line.weight[RADIUS - radius + k] = gauss.line[k];
    return line;
}

/* Launches as many blocks as run at the same time, if there is work for them. */
template <int RADIUS>
static void launch_fused_radius(const problem *p, const launch *l)
{
    typedef fused_shape<RADIUS> is;
    unsigned strips = blocks_for(p->width, is::WIDTH), steps = blocks_for(p->height, is::ROWS);
    unsigned each = steps_per_block(steps, FUSED_BLOCKS * multiprocessors() / strips);
    separable_fused<RADIUS><<<dim3(strips, blocks_for(steps, each)), FUSED_THREADS, 0, l->stream>>>(
        (const float *)l->buffer[INPUT], (float *)l->buffer[OUTPUT], shape_of(p),
        (int)each * is::ROWS, fused_weights<RADIUS>(filter_radius()));
    CUDA_CHECK(cudaGetLastError());
}

static void launch_fused(const problem *p, const launch *l)
{
    if (filter_radius() <= 15)
        launch_fused_radius<15>(p, l);
    else
        launch_fused_radius<RADIUS_MAX>(p, l);
}

static const void *fused_kernel(dim3)
{
    return filter_radius() <= 15 ? (const void *)separable_fused<15>
                                 : (const void *)separable_fused<RADIUS_MAX>;
}

extern const variant separable_fused_variant =
    GPU_VARIANT("separable_fused", "both in one kernel, columns from registers", launch_fused,
                .own_block = FUSED_THREADS, .kernel_for = fused_kernel);
