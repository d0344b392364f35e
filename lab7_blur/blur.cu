/*
 * blur.cu - which algorithm for a wide Gaussian filter? Each pixel becomes a mean of the (2r+1) x
 * (2r+1) pixels around it, whose weights fall with the distance:
 *
 *   g(x, y) = sum over dx, dy in -r..r of w(dx) w(dy) f(x + dx, y + dy)
 *   w(d) = exp(-d^2 / (2 sigma^2)) / sum over e in -r..r of exp(-e^2 / (2 sigma^2))
 *
 * f(x, y) is f(clamp(x), clamp(y)): the picture's edge is repeated. Sigma 5 and r 15, 31 x 31 taps,
 * unless told otherwise. After the OpenCL blog post on Gaussian blurs; lab 5 filters bytes. Pixels
 * are floats, row-major, gray 0..255; no side is over 16384, so an int holds every index.
 *
 *   cpu, cpu_omp      2r+1 taps along the rows, then 2r+1 along the columns
 *   copy              no filter: one float read, one written, the yardstick
 *   conv2d            (2r+1)^2 taps a pixel
 *   separable         2r+1 taps along the row, then 2r+1 along the column
 *   separable_fused   both in one kernel, columns from registers (separable_fused.cu)
 *   separable_tensor  products with band matrices, on tensor cores (separable_tensor.cu)
 *   recursive         four passes whose cost does not depend on sigma; about a Gaussian
 *   recursive_chunks  the same, a thread for each 64 pixels of a line (recursive_chunks.cu)
 *
 *   build/cuda/blur in.bmp out.bmp 32x8 3 15 5        block, trials, radius, sigma
 */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "blur.h"
#include "recursive_step.cuh"
#include "young_van_vliet.h"

/* ---- CPU reference -------------------------------------------------------------------------- */

/* Adds a tap to a row of sums, `shift` pixels aside; beyond an end counts what stands there. It is
 * a loop over the row, not over taps, for a processor's vectors: neighbours need one weight. */
static inline void add_tap(float *sums, const float *row, float weight, int shift, int width)
{
    int first = shift < 0 ? min(-shift, width) : 0;
    int last = shift > 0 ? max(width - shift, 0) : width;
    for (int x = 0; x < first; x++)
        sums[x] += weight * row[0];
    for (int x = first; x < last; x++)
        sums[x] += weight * row[x + shift];
    for (int x = last; x < width; x++)
        sums[x] += weight * row[width - 1];
}

/* Filters row y along itself or, if `down`, along the columns. */
static void filter_row(const float *in, float *out, shape s, int y, bool down)
{
    float *sums = out + y * s.width;
    memset(sums, 0, s.width * sizeof *sums);
    for (int d = -s.radius; d <= s.radius; d++) {
        const float *row = in + (down ? clamp(y + d, s.height) : y) * s.width;
        add_tap(sums, row, gauss.line[d + s.radius], down ? 0 : d, s.width);
    }
}

static void filter_serial(const float *in, float *out, float *between, shape s)
{
    for (int y = 0; y < s.height; y++)
        filter_row(in, between, s, y, false);
    for (int y = 0; y < s.height; y++)
        filter_row(between, out, s, y, true);
}

static void filter_omp(const float *in, float *out, float *between, shape s)
{
#pragma omp parallel for
    for (int y = 0; y < s.height; y++)
        filter_row(in, between, s, y, false);
#pragma omp parallel for
    for (int y = 0; y < s.height; y++)
        filter_row(between, out, s, y, true);
}

/* ---- the ladder ----------------------------------------------------------------------------- */

/* copy: thread (x, y) copies pixel (x, y): no algorithm is faster than this rate. Any block. */
__global__ void copy(const float *in, float *out, shape s)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < s.width && y < s.height)
        out[y * s.width + x] = in[y * s.width + x];
}

/* [exercise 7.1] */
/*
 * conv2d: against copy, thread (x, y) adds all taps of pixel (x, y), with weights from constant
 * memory: all threads of a warp want the same one. Nearly all pixels have all their taps inside the
 * picture and need no clamping, which would cost more than the sum itself: five integer operations
 * a tap. A warp takes the second loop only where it touches the edge. Any block.
 *
 *      +----------------------+
 *      | second loop, clamped | r           +-------+
 *      |   +--------------+   |             |   r   |
 *      | r | first loop   | r |             | r o r |  2r+1 x 2r+1 pixels read
 *      |   +--------------+   |             |   r   |  for one that is made
 *      |                      | r           +-------+
 *      +----------------------+
 */
static __constant__ float constant_weights[TAPS_MAX * TAPS_MAX]; /* gauss.plane */

__global__ void conv2d(const float *in, float *out, shape s)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= s.width || y >= s.height)
        return;
    int r = s.radius, side = 2 * r + 1;
    float sum = 0;
    if (x >= r && x < s.width - r && y >= r && y < s.height - r) {
        for (int j = 0; j < side; j++)
            for (int i = 0; i < side; i++)
                sum += constant_weights[j * side + i] * in[(y + j - r) * s.width + x + i - r];
    } else {
        for (int j = 0; j < side; j++)
            for (int i = 0; i < side; i++)
                sum += constant_weights[j * side + i] *
                       in[clamp(y + j - r, s.height) * s.width + clamp(x + i - r, s.width)];
    }
    out[y * s.width + x] = sum;
}
/* [end 7.1] */

/*
 * separable: against conv2d, w(dx) w(dy) is a product, so the sum over a row of taps can be worked
 * out once and used by 2r+1 pixels: filter_along_rows, then filter_along_columns of what that made,
 * 2 (2r+1) taps instead of (2r+1)^2. Thread (x, y) makes pixel (x, y) of either. The block's pixels
 * and a halo of r at both ends are a tile in shared memory. Threads of a warp read, and write,
 * neighbouring pixels in both. Any block whose tiles fit 48 KiB; no thread leaves before the
 * barrier.
 *
 *      filter_along_rows              filter_along_columns
 *                                           +-------+
 *                                         r | halo  |
 *       r       bx       r                  +-------+
 *     +----+-----------+----+               |       |
 *     |halo|           |halo| by         by |       |
 *     +----+-----------+----+               +-------+
 *                                         r | halo  |
 *                                           +-------+
 *                                               bx
 */
static __constant__ float constant_line[TAPS_MAX]; /* gauss.line */

__global__ void filter_along_rows(const float *in, float *out, shape s)
{
    extern __shared__ float tile[];
    int tile_width = blockDim.x + 2 * s.radius;
    int left = blockIdx.x * blockDim.x - s.radius;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    const float *row = in + clamp(y, s.height) * s.width;
    float *tile_row = tile + threadIdx.y * tile_width;
    for (int tx = threadIdx.x; tx < tile_width; tx += blockDim.x)
        tile_row[tx] = row[clamp(left + tx, s.width)];
    __syncthreads();

    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= s.width || y >= s.height)
        return;
    float sum = 0;
    for (int k = 0; k <= 2 * s.radius; k++)
        sum += constant_line[k] * tile_row[threadIdx.x + k];
    out[y * s.width + x] = sum;
}

__global__ void filter_along_columns(const float *in, float *out, shape s)
{
    extern __shared__ float tile[];
    int tile_height = blockDim.y + 2 * s.radius;
    int top = blockIdx.y * blockDim.y - s.radius;
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    const float *column = in + clamp(x, s.width);
    for (int ty = threadIdx.y; ty < tile_height; ty += blockDim.y)
        tile[ty * blockDim.x + threadIdx.x] = column[clamp(top + ty, s.height) * s.width];
    __syncthreads();

    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= s.width || y >= s.height)
        return;
    float sum = 0;
    for (int k = 0; k <= 2 * s.radius; k++)
        sum += constant_line[k] * tile[(threadIdx.y + k) * blockDim.x + threadIdx.x];
    out[y * s.width + x] = sum;
}

/*
 * recursive: against separable, a pixel is made of the input and of the three results before it in
 * its line, forward and then backward (recursive_step.cuh): 4 products a pixel and pass, whatever
 * sigma is. But a line's steps wait for each other, so a thread has a whole line. filter_lines goes
 * along columns; transpose makes columns of the rows for it, and rows again of what comes out:
 *
 *     picture    transpose    filter_lines    transpose    filter_lines
 *      a b c        a d         | ^  | ^        A B C       | ^  | ^  | ^    a thread a column,
 *      d e f        b e         | |  | |        D E F       v |  v |  v |    down and up again
 *                   c f         v |  v |
 */

/*
 * transpose: the block brings bx x by pixels into shared memory and its threads, counted through,
 * write them as by x bx: what they read and what they write lies together. The tile's rows are one
 * longer than bx, so that a column of 32 lies in 32 different banks. Any block; no thread leaves
 * before the barrier.
 */
__global__ void transpose(const float *in, float *out, int width, int height)
{
    extern __shared__ float tile[];
    int tile_width = blockDim.x + 1;
    int left = blockIdx.x * blockDim.x, top = blockIdx.y * blockDim.y;
    if (left + threadIdx.x < width && top + threadIdx.y < height)
        tile[threadIdx.y * tile_width + threadIdx.x] =
            in[(top + threadIdx.y) * width + left + threadIdx.x];
    __syncthreads();

    int thread = threadIdx.y * blockDim.x + threadIdx.x;
    int tx = thread / blockDim.y, ty = thread % blockDim.y;
    if (left + tx < width && top + ty < height)
        out[(left + tx) * height + top + ty] = tile[ty * tile_width + tx];
}

/*
 * Filters a line in one direction, in place, from pixel `at` on in steps of `stride`. The steps
 * wait for each other, but the loads need not: BATCH pixels at a time are asked for together.
 */
enum { BATCH = 32 };

__device__ static line_state filter_line(float *pixels, int at, int stride, int length,
                                         line_state state, recursion r)
{
    float batch[BATCH];
    for (; length >= BATCH; length -= BATCH) {
#pragma unroll
        for (int i = 0; i < BATCH; i++)
            batch[i] = pixels[at + i * stride];
#pragma unroll
        for (int i = 0; i < BATCH; i++) {
            step(&state, batch[i], r);
            pixels[at + i * stride] = state.value;
        }
        at += BATCH * stride;
    }
    for (; length > 0; length--, at += stride) {
        step(&state, pixels[at], r);
        pixels[at] = state.value;
    }
    return state;
}

/*
 * filter_lines: thread x filters column x of the picture in place, forward and backward; threads of
 * a warp go down neighbouring columns, so what they touch lies together. There are only as many
 * threads as columns: small blocks spread over more multiprocessors. One row of threads a block, up
 * to LINES_MAX, so that the batch stays in registers.
 */
enum { LINES_MAX = 256 };

__global__ void __launch_bounds__(LINES_MAX)
    filter_lines(float *picture, int width, int height, recursion r)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= width)
        return;
    int end = (height - 1) * width + x;
    float last = picture[end];
    line_state start = {picture[x], 0, 0};
    line_state forward = filter_line(picture, x, width, height, start, r);

    float a = forward.value - last, b = forward.change, c = forward.change_before;
    line_state backward = {last + (r.turn[0][0] * a + r.turn[0][1] * b + r.turn[0][2] * c),
                           r.turn[1][0] * a + r.turn[1][1] * b + r.turn[1][2] * c,
                           r.turn[2][0] * a + r.turn[2][1] * b + r.turn[2][2] * c};
    filter_line(picture, end, -width, height, backward, r);
}

/* ---- launchers ------------------------------------------------------------------------------ */

template <auto *PROGRAM>
static void run_cpu(const problem *p, const launch *l)
{
    PROGRAM((float *)l->buffer[INPUT], (float *)l->buffer[OUTPUT], (float *)l->buffer[SCRATCH],
            shape_of(p));
}

/* Fills the constant memory; untimed. */
static void prepare_constants(const problem *, const launch *l)
{
    CUDA_CHECK(cudaMemcpyToSymbolAsync(constant_weights, gauss.plane, sizeof gauss.plane, 0,
                                       cudaMemcpyHostToDevice, l->stream));
    CUDA_CHECK(cudaMemcpyToSymbolAsync(constant_line, gauss.line, sizeof gauss.line, 0,
                                       cudaMemcpyHostToDevice, l->stream));
}

/* Kernels that go over a picture once, a thread a pixel. */
typedef void (*pass)(const float *in, float *out, shape s);

static void launch_pass(pass kernel, const float *d_in, float *d_out, size_t shared_bytes,
                        const problem *p, const launch *l)
{
    kernel<<<grid_over(p->width, p->height, l->block), l->block, shared_bytes, l->stream>>>(
        d_in, d_out, shape_of(p));
    CUDA_CHECK(cudaGetLastError());
}

/* Launches a variant that is one pass. */
static void launch_kernel(const problem *p, const launch *l)
{
    launch_pass((pass)l->kernel, (float *)l->buffer[INPUT], (float *)l->buffer[OUTPUT], 0, p, l);
}

/* Returns the room for the block's pixels with a halo at both ends of the side that is filtered. */
static size_t tile_bytes(unsigned side, unsigned other_side)
{
    return sizeof(float) * (side + 2 * filter_radius()) * other_side;
}

/* Returns what the kernel that needs more needs. */
static size_t separable_bytes(const problem *, dim3 block)
{
    size_t rows = tile_bytes(block.x, block.y), columns = tile_bytes(block.y, block.x);
    return rows > columns ? rows : columns;
}

static const char *refuse_separable(const problem *p, dim3 block)
{
    static char text[96];
    size_t bytes = separable_bytes(p, block);
    if (bytes <= 48 * 1024)
        return NULL;
    snprintf(text, sizeof text, "%zu bytes of shared memory are more than its 48 KiB", bytes);
    return text;
}

static void launch_separable(const problem *p, const launch *l)
{
    float *between = (float *)l->buffer[SCRATCH];
    launch_pass(filter_along_rows, (float *)l->buffer[INPUT], between,
                tile_bytes(l->block.x, l->block.y), p, l);
    launch_pass(filter_along_columns, between, (float *)l->buffer[OUTPUT],
                tile_bytes(l->block.y, l->block.x), p, l);
}

static size_t turning_tile_bytes(const problem *, dim3 block)
{
    return sizeof(float) * (block.x + 1) * block.y;
}

static void launch_transpose(const float *d_in, float *d_out, int width, int height,
                             const launch *l)
{
    transpose<<<grid_over(width, height, l->block), l->block, l->shared_bytes, l->stream>>>(
        d_in, d_out, width, height);
    CUDA_CHECK(cudaGetLastError());
}

/* Works out the coefficients. */
static void *plan_recursion(const problem *, const launch *)
{
    recursion *r = (recursion *)allocate(sizeof *r);
    *r = recursion_for(gauss.sigma);
    return r;
}

static void launch_lines(float *d_picture, int width, int height, const launch *l)
{
    unsigned most = LINES_MAX, threads = l->block.x < most ? l->block.x : most;
    filter_lines<<<blocks_for(width, threads), threads, 0, l->stream>>>(
        d_picture, width, height, *(const recursion *)l->plan);
    CUDA_CHECK(cudaGetLastError());
}

/* Filters the rows, as columns of the transposed picture, then the columns. */
static void launch_recursive(const problem *p, const launch *l)
{
    float *turned = (float *)l->buffer[SCRATCH], *out = (float *)l->buffer[OUTPUT];
    launch_transpose((const float *)l->buffer[INPUT], turned, p->width, p->height, l);
    launch_lines(turned, p->height, p->width, l);
    launch_transpose(turned, out, p->height, p->width, l);
    launch_lines(out, p->width, p->height, l);
}

/* ---- variants ------------------------------------------------------------------------------- */

static const void *const rows_too[] = {(const void *)filter_along_rows, NULL};

static const variant variants[] = {
    SERIAL_VARIANT("rows, then columns; serial", run_cpu<filter_serial>),
    OPENMP_VARIANT("the same, rows spread over the cores", run_cpu<filter_omp>),
    GPU_VARIANT("copy", "no filter, one read and one write a pixel", launch_kernel,
                .role = ROLE_YARDSTICK, .kernel = (const void *)copy),
    GPU_VARIANT("conv2d", "all (2r+1)^2 taps", launch_kernel, .kernel = (const void *)conv2d,
                .prepare = prepare_constants, .own = &plane_accuracy),
    GPU_VARIANT("separable", "rows, then columns, from tiles in shared memory", launch_separable,
                .kernel = (const void *)filter_along_columns, .more_kernels = rows_too,
                .shared_bytes = separable_bytes, .refuse = refuse_separable,
                .prepare = prepare_constants,
                .note = "two kernels; registers and shared memory are the more of either"),
    separable_fused_variant,
    separable_tensor_variant,
    /* its kernel that gets the whole block is transpose */
    GPU_VARIANT("recursive",
                "Young and van Vliet's recursion, forward and backward, rows and columns",
                launch_recursive, .kernel = (const void *)transpose,
                .shared_bytes = turning_tile_bytes, .refuse = refuse_recursive,
                .plan_once = plan_recursion, .release = free, .own = &recursive_accuracy),
    recursive_chunks_variant,
};

/* ---- main ----------------------------------------------------------------------------------- */

static const char *const positional[] = {"--input", "--output", "--blocks", "--trials", "--radius",
                                         "--sigma", "WIDTH",    "HEIGHT",   NULL};

/* The recursive filters' cost does not depend on sigma, that of the others does. */
static const lab_settings configurations[] = {
    {"--sigma 5"},
    {"--sigma 20 --sizes 4096x3072 --blocks 32x8 --variants "
     "separable,separable_fused,recursive,recursive_chunks"},
    {NULL},
};

static const lab blur = {
    .name = "lab7_blur",
    .title = "algorithms for a wide Gaussian filter on pictures of floats",
    .sizes_are = SIZE_IMAGE,
    .sweep = {.sizes = "1024x768 6720x4480",
              .sizes_large = "4096x3072",
              .emulated_max = 1024 * 768,
              .blocks = "32x32 32x8 16 8 64x4",
              .configurations = configurations},
    .size_max = SIDE_MAX,
    .block_dimensions = 2,
    .single = {.positional = positional,
               .required = 2,
               .size = "1024x768",
               .block = "32x8",
               .trials = "3"},
    LAB_OPTIONS(blur_options),
    LAB_VARIANTS(variants),
    .configure = configure,
    .parameters = parameters,
    .refuse_size = refuse_size,
    .layout = layout,
    .fill = fill,
    .reference = reference,
    .check = check,
    .work = work,
    .present = present,
};

int main(int argc, char **argv)
{
    return lab_main(&blur, argc, argv);
}
