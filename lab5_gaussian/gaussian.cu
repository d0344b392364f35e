/*
 * gaussian.cu - the Gaussian filter on pictures of bytes: each pixel becomes a mean of the (2r+1) x
 * (2r+1) pixels around it, whose weights fall with the distance:
 *
 *   g(x, y) = sum over dx, dy in -r..r of w(dx) w(dy) f(x + dx, y + dy)
 *   w(d) = exp(-d^2 / (2 sigma^2)) / sum over e in -r..r of exp(-e^2 / (2 sigma^2))
 *
 * Beyond the picture's edge its outermost pixels are repeated: f(x, y) is f(clamp(x), clamp(y)).
 * Sums are floats, rounded to (int)(sum + 0.5f). Sigma 1 and radius 2, 5 x 5 taps, unless told
 * otherwise. After Fixstars, CUDA speed-up seminar vol. 1 (2022); wide filters are lab 7. Settings,
 * weights, shape, clamp() and the exact result are in common/gaussian.cuh.
 *
 * Data: width x height pixels, row-major; x is the column, y the row. Pixels are (--type)
 *   gray    a byte
 *   rgb24   three bytes, R G B
 *   rgba32  four bytes, R G B A; alpha is copied: a blur of opacity is another filter
 * A picture has no more than 2^30 bytes, so an int holds every index.
 *
 * --passes N filters N times in a row, each pass what the one before it made.
 *
 *   cpu, cpu_omp    all taps, serial and with rows spread over the cores
 *   naive           one pixel a thread; the weights stand in the code
 *   array           weights in an array of the thread's, a loop whose length the compiler
 *                   does not know: local memory
 *   constant        the same loop, weights in constant memory
 *   constant_fixed  weights in constant memory, a loop of known length
 *   shared_tile     the block's pixels and a halo in shared memory
 *   separable       the rows' five taps first, then the columns': 10 taps a pixel, in one kernel
 *   register_rows   the same without shared memory: a thread walks down a strip of its column
 *   flat_bytes      the picture as rows of bytes, eight of them a thread (flat_bytes.cuh)
 *   integer_dp2a    the same without conversions: whole weights, dp2a (integer_dp2a.cuh)
 *   async_rows      the same on sixteen bytes, rows copied ahead to shared memory (async_rows.cuh)
 *   bands, deep_bands  async_rows over several GPUs, a band of rows each (bands.cuh)
 *   npp             NPP's filter with weights of one's own, where the toolkit has it
 *
 *   make -C lab5_gaussian                             build just this lab
 *   make -C lab5_gaussian run SIZES=1024x768 OPTIONS="--type rgb24"
 *   build/cuda/gaussian in.bmp out.bmp 32x8 3 2 1     block, trials, radius, sigma
 */
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "die.h"
#include "gaussian.cuh"
#include "lab.h"
#include "npp.h"
#include "picture.h"
#include "async_rows.cuh"

enum { INPUT, OUTPUT }; /* buffers, in layout's order */
enum { GRAY, RGB24, RGBA32 };
enum { PASSES_MAX = 1000 };

/* The experiment's settings, from the command line. */
gaussian_filter gauss = {.sigma = 1, .given_radius = -1, .reach = 2, .side_max = 4 * SIDE_MAX};
static int type = GRAY;
static int passes = 1;
static const char *input_path, *output_path;

static int channels(void)
{
    static const int of_type[] = {1, 3, 4};
    return of_type[type];
}

/* ---- CPU reference -------------------------------------------------------------------------- */

/* A row with the values beyond its ends, which are those of the ends, as many as the radius. */
static void extend_row(const uint8_t *row, shape s, uint8_t *extended)
{
    int n = channels(), r = s.radius;
    memcpy(extended + r * n, row, (size_t)s.width * n);
    for (int x = 0; x < r; x++) {
        memcpy(extended + x * n, row, n);
        memcpy(extended + (r + s.width + x) * n, row + (s.width - 1) * n, n);
    }
}

/*
 * Tap by tap, each for the whole row: neighbouring sums then need neighbouring bytes and one
 * weight, which is what a processor's vectors are for. `room` holds an extended row and a row of
 * sums.
 */
static void filter_row(const uint8_t *in, uint8_t *out, shape s, int y, void *room)
{
    int side = 2 * s.radius + 1, n = channels(), count = s.width * n;
    float *sums = (float *)room;
    uint8_t *extended = (uint8_t *)(sums + count);
    memset(sums, 0, count * sizeof *sums);
    for (int j = 0; j < side; j++) {
        extend_row(in + (size_t)clamp(y + j - s.radius, s.height) * count, s, extended);
        for (int i = 0; i < side; i++) {
            float weight = gauss.plane[j * side + i];
            const uint8_t *shifted = extended + i * n;
            for (int v = 0; v < count; v++)
                sums[v] += weight * shifted[v];
        }
    }
    for (int v = 0; v < count; v++)
        out[(size_t)y * count + v] = (uint8_t)(int)(sums[v] + 0.5f);
    for (int v = 3; v < count && type == RGBA32; v += 4)
        out[(size_t)y * count + v] = in[(size_t)y * count + v];
}

static void *row_room(shape s)
{
    size_t sums = (size_t)s.width * channels();
    return allocate(sums * sizeof(float) + sums + 2 * s.radius * channels());
}

static void filter_serial(const uint8_t *in, uint8_t *out, shape s)
{
    void *room = row_room(s);
    for (int y = 0; y < s.height; y++)
        filter_row(in, out, s, y, room);
    free(room);
}

static void filter_omp(const uint8_t *in, uint8_t *out, shape s)
{
#pragma omp parallel
    {
        void *room = row_room(s);
#pragma omp for
        for (int y = 0; y < s.height; y++)
            filter_row(in, out, s, y, room);
        free(room);
    }
}

/* ---- kernels -------------------------------------------------------------------------------- */

/*
 * All kernels are templates over the type of a pixel and of a sum of pixels. They are to be read
 * for a gray picture: Pixel is uint8_t and Sum is float. What + and * and `rounded` are for colours
 * stands behind them.
 *
 * Nearly all pixels have all their taps inside the picture and need no clamping, which would cost
 * more than the sum itself: five integer operations a tap. So each kernel's loop stands there
 * twice, and a warp takes the second one only where it touches the edge.
 */
__device__ static bool is_inside(shape s, int x, int y)
{
    return x >= s.radius && x < s.width - s.radius && y >= s.radius && y < s.height - s.radius;
}

/* The pixel (x, y), or beyond the edge the nearest one. */
template <class Pixel>
__device__ static Pixel nearest(const Pixel *in, shape s, int x, int y)
{
    return in[clamp(y, s.height) * s.width + clamp(x, s.width)];
}

/* A sum as a pixel in the place of `middle`. */
__device__ static uint8_t rounded(float sum, uint8_t)
{
    return (uint8_t)(int)(sum + 0.5f);
}

/* The 5 x 5 weights of sigma 1, to nine digits. */
#define WEIGHTS_5X5                                                                                \
    {                                                                                              \
        {0.00296901674f, 0.0133062099f, 0.0219382313f, 0.0133062099f, 0.00296901674f},             \
            {0.0133062099f, 0.0596342954f, 0.0983203313f, 0.0596342954f, 0.0133062099f},           \
            {0.0219382313f, 0.0983203313f, 0.162102822f, 0.0983203313f, 0.0219382313f},            \
            {0.0133062099f, 0.0596342954f, 0.0983203313f, 0.0596342954f, 0.0133062099f},           \
            {0.00296901674f, 0.0133062099f, 0.0219382313f, 0.0133062099f, 0.00296901674f},         \
    }

/*
 * naive: thread (x, y) makes pixel (x, y). The loops' length is known, so they are unrolled and
 * each weight becomes part of an instruction. Threads of a warp read neighbouring pixels. Any
 * block; sigma 1 and radius 2 only.
 */
template <class Pixel, class Sum>
__global__ void naive(const Pixel *in, Pixel *out, shape s)
{
    const float filter[5][5] = WEIGHTS_5X5;
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= s.width || y >= s.height)
        return;
    Sum sum = {};
    if (is_inside(s, x, y)) {
#pragma unroll
        for (int j = 0; j < 5; j++)
#pragma unroll
            for (int i = 0; i < 5; i++)
                sum += filter[j][i] * in[(y + j - 2) * s.width + x + i - 2];
    } else {
#pragma unroll
        for (int j = 0; j < 5; j++)
#pragma unroll
            for (int i = 0; i < 5; i++)
                sum += filter[j][i] * nearest(in, s, x + i - 2, y + j - 2);
    }
    out[y * s.width + x] = rounded(sum, in[y * s.width + x]);
}

/*
 * array: against naive, the loops run to a length that the compiler does not know (and that is
 * always 5). Nothing is unrolled for good, so the weights need an address: each thread writes its
 * own copy of them to local memory, which lies in device memory, and reads one back for each tap.
 * It does not pay; it shows what an index costs that is not known at compile time. Any block; sigma
 * 1 and radius 2 only.
 */
template <class Pixel, class Sum>
__global__ void array(const Pixel *in, Pixel *out, shape s)
{
    const float filter[5][5] = WEIGHTS_5X5;
    int r = s.radius, side = 2 * r + 1;
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= s.width || y >= s.height)
        return;
    Sum sum = {};
    if (is_inside(s, x, y)) {
        for (int j = 0; j < side; j++)
            for (int i = 0; i < side; i++)
                sum += filter[j][i] * in[(y + j - r) * s.width + x + i - r];
    } else {
        for (int j = 0; j < side; j++)
            for (int i = 0; i < side; i++)
                sum += filter[j][i] * nearest(in, s, x + i - r, y + j - r);
    }
    out[y * s.width + x] = rounded(sum, in[y * s.width + x]);
}

/*
 * constant: against array, the weights come from constant memory, whose cache hands one value to
 * all threads of a warp at once. Any block, sigma and radius.
 */
__constant__ float constant_weights[TAPS_MAX * TAPS_MAX]; /* gauss.plane */

template <class Pixel, class Sum>
__global__ void constant(const Pixel *in, Pixel *out, shape s)
{
    int r = s.radius, side = 2 * r + 1;
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= s.width || y >= s.height)
        return;
    Sum sum = {};
    if (is_inside(s, x, y)) {
        for (int j = 0; j < side; j++)
            for (int i = 0; i < side; i++)
                sum += constant_weights[j * side + i] * in[(y + j - r) * s.width + x + i - r];
    } else {
        for (int j = 0; j < side; j++)
            for (int i = 0; i < side; i++)
                sum += constant_weights[j * side + i] * nearest(in, s, x + i - r, y + j - r);
    }
    out[y * s.width + x] = rounded(sum, in[y * s.width + x]);
}

/*
 * constant_fixed: against constant, the loops' length is known again. Unrolled, a multiplication
 * names the place of its weight in constant memory: as good as a weight in the code, for any
 * sigma. Any block; radius 2 only.
 */
template <class Pixel, class Sum>
__global__ void constant_fixed(const Pixel *in, Pixel *out, shape s)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= s.width || y >= s.height)
        return;
    Sum sum = {};
    if (is_inside(s, x, y)) {
#pragma unroll
        for (int j = 0; j < 5; j++)
#pragma unroll
            for (int i = 0; i < 5; i++)
                sum += constant_weights[j * 5 + i] * in[(y + j - 2) * s.width + x + i - 2];
    } else {
#pragma unroll
        for (int j = 0; j < 5; j++)
#pragma unroll
            for (int i = 0; i < 5; i++)
                sum += constant_weights[j * 5 + i] * nearest(in, s, x + i - 2, y + j - 2);
    }
    out[y * s.width + x] = rounded(sum, in[y * s.width + x]);
}

/*
 * shared_tile: against constant_fixed, the block first copies its pixels and a halo of 2 on each
 * side into shared memory, (bx + 4) x (by + 4) pixels: one is read from global memory about once
 * instead of 25 times, and the border is dealt with once, in the copy. Any block; radius 2 only; no
 * thread leaves before the barrier.
 */
template <class Pixel, class Sum>
__global__ void shared_tile(const Pixel *in, Pixel *out, shape s)
{
    extern __shared__ uchar4 shared_words[]; /* for their alignment */
    Pixel *tile = (Pixel *)shared_words;
    int tile_width = blockDim.x + 4, tile_height = blockDim.y + 4;
    int left = blockIdx.x * blockDim.x - 2, top = blockIdx.y * blockDim.y - 2;
    for (int ty = threadIdx.y; ty < tile_height; ty += blockDim.y) {
        const Pixel *row = in + clamp(top + ty, s.height) * s.width;
        for (int tx = threadIdx.x; tx < tile_width; tx += blockDim.x)
            tile[ty * tile_width + tx] = row[clamp(left + tx, s.width)];
    }
    __syncthreads();

    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= s.width || y >= s.height)
        return;
    const Pixel *corner = tile + threadIdx.y * tile_width + threadIdx.x;
    Sum sum = {};
#pragma unroll
    for (int j = 0; j < 5; j++)
#pragma unroll
        for (int i = 0; i < 5; i++)
            sum += constant_weights[j * 5 + i] * corner[j * tile_width + i];
    out[y * s.width + x] = rounded(sum, corner[2 * tile_width + 2]);
}

/*
 * separable: against shared_tile, w(dx) w(dy) is used: the block sums five pixels along each of its
 * rows and the two above and below, straight from global memory, into shared memory, (bx x (by +
 * 4)) sums; then five of these along each column. 10 taps a pixel instead of 25, or a few more for
 * the rows above and below. Any block; radius 2 only; no thread leaves before the barrier.
 */
__constant__ float constant_line[TAPS_MAX]; /* gauss.line */

/* Five pixels around column x of row y; beyond the edge the nearest ones. */
template <class Sum, class Pixel>
__device__ static Sum sum_of_row(const Pixel *in, shape s, int x, int y)
{
    const Pixel *row = in + clamp(y, s.height) * s.width;
    Sum sum = {};
    if (x >= 2 && x < s.width - 2) {
#pragma unroll
        for (int i = 0; i < 5; i++)
            sum += constant_line[i] * row[x + i - 2];
    } else {
#pragma unroll
        for (int i = 0; i < 5; i++)
            sum += constant_line[i] * row[clamp(x + i - 2, s.width)];
    }
    return sum;
}

template <class Pixel, class Sum>
__global__ void separable(const Pixel *in, Pixel *out, shape s)
{
    extern __shared__ float shared_floats[];
    Sum *sums = (Sum *)shared_floats;
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int top = blockIdx.y * blockDim.y - 2;
    for (int ty = threadIdx.y; ty < blockDim.y + 4; ty += blockDim.y)
        sums[ty * blockDim.x + threadIdx.x] = sum_of_row<Sum>(in, s, x, top + ty);
    __syncthreads();

    if (x >= s.width || y >= s.height)
        return;
    Sum sum = {};
#pragma unroll
    for (int j = 0; j < 5; j++)
        sum += constant_line[j] * sums[(threadIdx.y + j) * blockDim.x + threadIdx.x];
    out[y * s.width + x] = rounded(sum, in[y * s.width + x]);
}

/*
 * register_rows: against separable, no shared memory: thread (x, y) walks down column x of strip y
 * and keeps the sums of five rows in registers. With each row that it reads a row of the output is
 * complete. A row's sum is worked out once, but those at a strip's ends twice. Any block; radius 2
 * only.
 */
template <class Pixel, class Sum>
__global__ void register_rows(const Pixel *in, Pixel *out, shape s)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int top = (blockIdx.y * blockDim.y + threadIdx.y) * STRIP;
    if (x >= s.width || top >= s.height)
        return;
    int bottom = min(top + STRIP, s.height);
    Sum sums[5] = {};
    for (int y = top - 4; y < bottom; y += 5) {
#pragma unroll
        for (int u = 0; u < 5; u++) {
            sums[u] = sum_of_row<Sum>(in, s, x, y + u + 2);
            if (y + u < top || y + u >= bottom)
                continue;
            Sum sum = {};
#pragma unroll
            for (int j = 0; j < 5; j++)
                sum += constant_line[j] * sums[(u + 1 + j) % 5];
            out[(y + u) * s.width + x] = rounded(sum, in[(y + u) * s.width + x]);
        }
    }
}

/*
 * async_rows: against integer_dp2a, a warp's rows come by asynchronous copies, and a thread makes
 * sixteen bytes of a row. Warp w of block (x, y) has piece x of the rows of strip y * warps + w.
 * Rows that are no multiple of sixteen bytes are walked as by integer_dp2a, one half of a stretch
 * after the other. Any block of whole warps; radius 2 only.
 */
template <int DISTANCE>
__global__ void async_rows(const uint8_t *in, uint8_t *out, shape s, row_range rows,
                           whole_rule rule)
{
    extern __shared__ uint4 rings[];
    int thread = threadIdx.y * blockDim.x + threadIdx.x, lane = thread % LANES;
    int warp = thread / LANES, warps = blockDim.x * blockDim.y / LANES;
    int stretch = blockIdx.x * LANES + lane;
    int top = rows.first + (blockIdx.y * warps + warp) * STRIP;
    int bottom = min(top + STRIP, rows.end);
    if (top >= rows.end)
        return;
    stretch_place at = place_of<DISTANCE, WIDE>(s, stretch);
    if (at.whole) {
        uint8_t *ring = (uint8_t *)rings + warp * RING;
        walk_pieces<DISTANCE>(in, out, at, top, bottom, rule, ring, lane);
        return;
    }
    for (int i = 0; i < 2; i++) {
        stretch_place half = place_of<DISTANCE, STRETCH>(s, 2 * stretch + i);
        if (half.left < half.row_bytes)
            walk<DISTANCE>(in, out, half, top, bottom, rule);
    }
}

/* ---- the same for colours ------------------------------------------------------------------- */

/*
 * Three sums side by side; a fourth channel, alpha, is left out of them and copied. A product is
 * multiplied out where it is added, one channel after the other: ptxas takes half the registers.
 */
typedef struct colour_tap {
    float weight;
    uchar3 pixel;
} colour_tap;

__device__ static colour_tap operator*(float weight, uchar3 pixel)
{
    return {weight, pixel};
}

__device__ static colour_tap operator*(float weight, uchar4 pixel)
{
    return {weight, make_uchar3(pixel.x, pixel.y, pixel.z)};
}

__device__ static void operator+=(float3 &sum, colour_tap tap)
{
    sum.x += tap.weight * tap.pixel.x;
    sum.y += tap.weight * tap.pixel.y;
    sum.z += tap.weight * tap.pixel.z;
}

/* Three sums times a weight, added to three others. */
typedef struct weighted_sum {
    float weight;
    float3 sum;
} weighted_sum;

__device__ static weighted_sum operator*(float weight, float3 sum)
{
    return {weight, sum};
}

__device__ static void operator+=(float3 &sum, weighted_sum tap)
{
    sum.x += tap.weight * tap.sum.x;
    sum.y += tap.weight * tap.sum.y;
    sum.z += tap.weight * tap.sum.z;
}

__device__ static uchar3 rounded(float3 sum, uchar3 middle)
{
    return make_uchar3(rounded(sum.x, middle.x), rounded(sum.y, middle.y),
                       rounded(sum.z, middle.z));
}

__device__ static uchar4 rounded(float3 sum, uchar4 middle)
{
    return make_uchar4(rounded(sum.x, middle.x), rounded(sum.y, middle.y), rounded(sum.z, middle.z),
                       middle.w);
}

/* A variant's kernel for the current type of pixel. */
template <auto... INSTANCES>
static const void *instance(dim3)
{
    static const void *const all[] = {(const void *)INSTANCES...};
    return all[type];
}

#define FOR_TYPE(kernel)                                                                           \
    instance<kernel<uint8_t, float>, kernel<uchar3, float3>, kernel<uchar4, float3>>

/* The same for kernels that know pixels by the distance of a channel's bytes. */
#define FOR_DISTANCE(rule)                                                                         \
    instance<walk_strips<1, rule>, walk_strips<3, rule>, walk_strips<4, rule>>
#define ASYNC_ROWS instance<async_rows<1>, async_rows<3>, async_rows<4>>

/* ---- the rules' weights --------------------------------------------------------------------- */

/* For the current settings, if they have radius 2. */
static float_rule in_floats;
static whole_rule in_whole_numbers;
static double off_by; /* the distance of the latter's weights */

static void make_rules(void)
{
    if (filter_radius() != 2)
        return;
    in_floats = {{gauss.line[2], gauss.line[1], gauss.line[0]}};
    off_by = nearest_whole_weights(gauss.exact, &in_whole_numbers);
}

/* ---- launchers ------------------------------------------------------------------------------ */

/* Pass after pass; their pictures lie in turn in `between` and in the output, the last one here. */
template <auto *PASS>
static void in_turn(const problem *p, const launch *l, void *between)
{
    void *from = l->buffer[INPUT];
    for (int left = passes; left > 0; left--) {
        void *to = left % 2 ? l->buffer[OUTPUT] : between, *pictures[] = {from, to};
        launch pass = *l;
        pass.buffer = pictures;
        PASS(p, &pass);
        from = to;
    }
}

/* Of a variant on the GPU, which has room for a picture between the passes. */
static size_t picture_between(const problem *p)
{
    return passes > 1 ? p->buffer[OUTPUT].bytes : 0;
}

template <auto *PASS>
static void in_passes(const problem *p, const launch *l)
{
    in_turn<PASS>(p, l, l->workspace);
}

template <auto *PROGRAM>
static void run_once_on_cpu(const problem *p, const launch *l)
{
    PROGRAM((uint8_t *)l->buffer[INPUT], (uint8_t *)l->buffer[OUTPUT], shape_of(p));
}

template <auto *PROGRAM>
static void run_cpu(const problem *p, const launch *l)
{
    void *between = passes > 1 ? allocate(p->buffer[OUTPUT].bytes) : NULL;
    in_turn<run_once_on_cpu<PROGRAM>>(p, l, between);
    free(between);
}

/* A thread makes HIGH pixels of a column. */
template <class Pixel, int HIGH>
static void launch_on(const problem *p, const launch *l)
{
    typedef void (*filter_kernel)(const Pixel *in, Pixel *out, shape s);
    filter_kernel kernel = (filter_kernel)l->kernel;
    dim3 grid = grid_over(p->width, blocks_for(p->height, HIGH), l->block);
    kernel<<<grid, l->block, l->shared_bytes, l->stream>>>((Pixel *)l->buffer[INPUT],
                                                           (Pixel *)l->buffer[OUTPUT], shape_of(p));
    CUDA_CHECK(cudaGetLastError());
}

template <int HIGH = 1>
static void launch_kernel(const problem *p, const launch *l)
{
    static void (*const of_type[])(const problem *, const launch *) = {
        launch_on<uint8_t, HIGH>, launch_on<uchar3, HIGH>, launch_on<uchar4, HIGH>};
    of_type[type](p, l);
}

/* A thread makes a stretch of bytes in each row of a strip. */
template <class Rule, const Rule *RULE>
static void launch_walk(const problem *p, const launch *l)
{
    typedef void (*walk_kernel)(const uint8_t *in, uint8_t *out, shape s, Rule rule);
    walk_kernel kernel = (walk_kernel)l->kernel;
    int stretches = blocks_for(p->width * channels(), STRETCH);
    dim3 grid = grid_over(stretches, blocks_for(p->height, STRIP), l->block);
    kernel<<<grid, l->block, 0, l->stream>>>((uint8_t *)l->buffer[INPUT],
                                             (uint8_t *)l->buffer[OUTPUT], shape_of(p), *RULE);
    CUDA_CHECK(cudaGetLastError());
}

/* A warp makes a piece of each row of a strip. */
static void filter_strips(const launch *l, cudaStream_t stream, const uint8_t *in, uint8_t *out,
                          shape s, row_range rows)
{
    typedef void (*async_kernel)(const uint8_t *in, uint8_t *out, shape s, row_range rows,
                                 whole_rule rule);
    async_kernel kernel = (async_kernel)l->kernel;
    int strips = blocks_for(rows.end - rows.first, STRIP);
    dim3 grid(blocks_for(s.width * channels(), LANES * WIDE),
              blocks_for(strips, l->block.x * l->block.y / LANES));
    kernel<<<grid, l->block, l->shared_bytes, stream>>>(in, out, s, rows, in_whole_numbers);
    CUDA_CHECK(cudaGetLastError());
}

static void launch_async_rows(const problem *p, const launch *l)
{
    filter_strips(l, l->stream, (uint8_t *)l->buffer[INPUT], (uint8_t *)l->buffer[OUTPUT],
                  shape_of(p), {0, p->height});
}

#include "bands.cuh"

/* Fills the constant memory; untimed. */
static void prepare_constants(const problem *, const launch *l)
{
    CUDA_CHECK(cudaMemcpyToSymbolAsync(constant_weights, gauss.plane, sizeof gauss.plane, 0,
                                       cudaMemcpyHostToDevice, l->stream));
    CUDA_CHECK(cudaMemcpyToSymbolAsync(constant_line, gauss.line, sizeof gauss.line, 0,
                                       cudaMemcpyHostToDevice, l->stream));
}

static size_t shared_tile_bytes(const problem *, dim3 block)
{
    return (size_t)channels() * (block.x + 4) * (block.y + 4);
}

static size_t separable_bytes(const problem *, dim3 block)
{
    return (type == GRAY ? sizeof(float) : sizeof(float3)) * block.x * (block.y + 4);
}

static size_t rings_bytes(const problem *, dim3 block)
{
    return (size_t)block.x * block.y / LANES * RING;
}

/* Which settings a variant is written for. */
static const char *refuse_high(const problem *p, dim3 block)
{
    const unsigned most = 65535;
    return blocks_for(p->height, block.y) > most ? "more rows of blocks than a grid has" : NULL;
}

static const char *refuse_all_but_5x5(const problem *p, dim3 block)
{
    return filter_radius() == 2 ? refuse_high(p, block) : "its loops are written for radius 2";
}

static const char *refuse_all_but_sigma_1(const problem *p, dim3 block)
{
    bool fits = filter_radius() == 2 && gauss.sigma == 1;
    return fits ? refuse_high(p, block)
                : "the weights in its code are those of sigma 1 and radius 2";
}

/*
 * Half of what whole weights are off, 20 u, and 5 u of a column's roundings (a sum, the quotient of
 * two weights, two fused multiply-adds, the scale) are less than the 27 u of 255 that check()
 * allows.
 */
static const char *refuse_all_but_whole(const problem *p, dim3 block)
{
    const char *refused = refuse_all_but_5x5(p, block);
    return refused                  ? refused
           : off_by <= 40 * 0x1p-24 ? NULL
                                    : "no whole numbers of 16 bits are near its weights' ratio";
}

static const char *refuse_parts_of_warps(const problem *p, dim3 block)
{
    const char *refused = refuse_all_but_whole(p, block);
    bool whole = block.x * block.y % LANES == 0;
    return refused ? refused : whole ? NULL : "its blocks are of whole warps";
}

/* What cuts fractions off once more with each pass gets too far from the exact result. */
static bool is_one_pass(void)
{
    return passes == 1;
}

#ifdef HAVE_NPP
/* What NPP wants to know about the device and the stream, and the weights where it reads them. */
typedef struct npp_plan {
    NppStreamContext context;
    Npp32f *d_weights; /* (2r+1)^2 */
} npp_plan;

static void *plan_npp(const problem *, const launch *l)
{
    size_t side = 2 * filter_radius() + 1, bytes = side * side * sizeof(float);
    npp_plan plan = {npp_context(l->stream), NULL};
    CUDA_CHECK(cudaMalloc(&plan.d_weights, bytes));
    CUDA_CHECK(cudaMemcpy(plan.d_weights, gauss.plane, bytes, cudaMemcpyHostToDevice));
    npp_plan *kept = (npp_plan *)allocate(sizeof *kept);
    *kept = plan;
    return kept;
}

static void release_npp(void *plan)
{
    CUDA_RELEASE(cudaFree(((npp_plan *)plan)->d_weights));
    free(plan);
}

/*
 * FilterBorder32f takes any weights; FilterGaussBorder has its own, which are not those of sigma 1.
 * Of four channels it filters three and leaves the fourth of the output alone, so the picture is
 * copied there first, for its alpha.
 */
static void launch_npp(const problem *p, const launch *l)
{
    const npp_plan *plan = (const npp_plan *)l->plan;
    const Npp8u *in = (const Npp8u *)l->buffer[INPUT];
    Npp8u *out = (Npp8u *)l->buffer[OUTPUT];
    int radius = filter_radius(), step = p->width * channels();
    NppiSize size = {p->width, p->height}, taps = {2 * radius + 1, 2 * radius + 1};
    NppiPoint origin = {0, 0}, middle = {radius, radius};
    if (type == RGBA32)
        CUDA_CHECK(
            cudaMemcpyAsync(out, in, p->buffer[INPUT].bytes, cudaMemcpyDeviceToDevice, l->stream));
    auto filter = type == GRAY    ? nppiFilterBorder32f_8u_C1R_Ctx
                  : type == RGB24 ? nppiFilterBorder32f_8u_C3R_Ctx
                                  : nppiFilterBorder32f_8u_AC4R_Ctx;
    NPP_CHECK(filter(in, step, size, origin, out, step, size, plan->d_weights, taps, middle,
                     NPP_BORDER_REPLICATE, plan->context));
}
#else
#define plan_npp    NULL
#define release_npp NULL
#define launch_npp  NULL
#endif

/* ---- variants and callbacks ----------------------------------------------------------------- */

static const variant variants[] = {
    SERIAL_VARIANT("all taps, serial", run_cpu<filter_serial>),
    OPENMP_VARIANT("the same, rows spread over the cores", run_cpu<filter_omp>),
    /* the costs: on integers a tap's conversion, and its share of the addresses */
    GPU_VARIANT("naive", "one pixel a thread, the weights in the code", in_passes<launch_kernel<>>,
                .cost = {.loads = 1, .fp32 = 1, .int32 = 1.9}, .kernel_for = FOR_TYPE(naive),
                .workspace_bytes = picture_between, .refuse = refuse_all_but_sigma_1),
    GPU_VARIANT("array", "weights in an array of the thread's, a loop of unknown length",
                in_passes<launch_kernel<>>, .cost = {.loads = 2, .fp32 = 1, .int32 = 3.8},
                .kernel_for = FOR_TYPE(array), .workspace_bytes = picture_between,
                .refuse = refuse_all_but_sigma_1),
    GPU_VARIANT("constant", "weights in constant memory, a loop of unknown length",
                in_passes<launch_kernel<>>, .cost = {.loads = 1, .fp32 = 1, .int32 = 3.8},
                .kernel_for = FOR_TYPE(constant), .workspace_bytes = picture_between,
                .refuse = refuse_high, .prepare = prepare_constants),
    GPU_VARIANT("constant_fixed", "weights in constant memory, 5 x 5 taps",
                in_passes<launch_kernel<>>, .cost = {.loads = 1, .fp32 = 1, .int32 = 1.9},
                .kernel_for = FOR_TYPE(constant_fixed), .workspace_bytes = picture_between,
                .refuse = refuse_all_but_5x5, .prepare = prepare_constants),
    /* with a halo for blocks of 256 threads */
    GPU_VARIANT("shared_tile", "pixels and their halo in shared memory, 5 x 5 taps",
                in_passes<launch_kernel<>>, .cost = {.loads = 1.1, .fp32 = 1, .int32 = 3.2},
                .kernel_for = FOR_TYPE(shared_tile), .shared_bytes = shared_tile_bytes,
                .workspace_bytes = picture_between, .refuse = refuse_all_but_5x5,
                .prepare = prepare_constants),
    GPU_VARIANT("separable", "rows first, then columns, through shared memory: 10 taps a pixel",
                in_passes<launch_kernel<>>, .cost = {.loads = 0.5, .fp32 = 0.54, .int32 = 2.6},
                .kernel_for = FOR_TYPE(separable), .shared_bytes = separable_bytes,
                .workspace_bytes = picture_between, .refuse = refuse_all_but_5x5,
                .prepare = prepare_constants),
    GPU_VARIANT("register_rows", "a thread walks down its column, five rows' sums in registers",
                in_passes<launch_kernel<STRIP>>,
                .cost = {.loads = 0.25, .fp32 = 0.49, .int32 = 0.8},
                .kernel_for = FOR_TYPE(register_rows), .workspace_bytes = picture_between,
                .refuse = refuse_all_but_5x5, .prepare = prepare_constants),
    GPU_VARIANT("flat_bytes", "rows of bytes, eight of them a thread, read as words",
                (in_passes<launch_walk<float_rule, &in_floats>>),
                .cost = {.loads = 0.025, .fp32 = 0.49, .int32 = 0.29},
                .kernel_for = FOR_DISTANCE(float_rule), .workspace_bytes = picture_between,
                .refuse = refuse_all_but_5x5),
    GPU_VARIANT("integer_dp2a", "the same without conversions: whole weights, dp2a",
                (in_passes<launch_walk<whole_rule, &in_whole_numbers>>),
                .cost = {.loads = 0.025, .fp32 = 0.2, .int32 = 0.18},
                .kernel_for = FOR_DISTANCE(whole_rule), .workspace_bytes = picture_between,
                .refuse = refuse_all_but_whole),
    GPU_VARIANT("async_rows", "sixteen bytes a thread, rows copied ahead to shared memory",
                in_passes<launch_async_rows>, .cost = {.loads = 0.02, .fp32 = 0.2, .int32 = 0.17},
                .kernel_for = ASYNC_ROWS, .shared_bytes = rings_bytes,
                .workspace_bytes = picture_between, .refuse = refuse_parts_of_warps),
    BANDS_VARIANT("bands", "async_rows over several GPUs, rows exchanged behind each pass",
                  launch_bands, halo_of_a_pass, .plan_once = plan_bands, .release = release_bands),
    BANDS_VARIANT("deep_bands", "the same, rows exchanged for several passes", launch_deep_bands,
                  halo_of_passes),
    VENDOR_VARIANT("npp", "NPP's FilterBorder32f with our weights", launch_npp, .needs = "NPP",
                   .applies = is_one_pass, .plan_once = plan_npp, .release = release_npp),
};

static const char *const types[] = {"gray", "rgb24", "rgba32", NULL};

static const lab_option options[] = {
    {"--type", OPTION_CHOICE, &type, 0, 0, "of a pixel: gray, rgb24 or rgba32", types},
    {"--sigma", OPTION_DOUBLE, &gauss.sigma, 0.1, 100, "in pixels"},
    {"--radius", OPTION_INT, &gauss.given_radius, 0, RADIUS_MAX,
     "r, of (2r+1) x (2r+1) taps; without it 2 sigma"},
    {"--passes", OPTION_INT, &passes, 1, PASSES_MAX, "filter N times in a row"},
    {"--input", OPTION_TEXT, &input_path, 0, 0, "picture to filter; without one, random pixels"},
    {"--output", OPTION_OUTPUT, &output_path, 0, 0, "where a single run writes the result"},
};

/* The transfers are those of the slides: gray, at their size, one kernel with their block. */
#define TRANSFER(mode) "--transfer " mode " --variants naive --sizes 6720x4480 --blocks 32x32"

static const lab_settings configurations[] = {
    {"--type gray"},
    {"--type rgb24"},
    {"--type rgba32"},
    {TRANSFER("pinned")},
    {TRANSFER("mapped")},
    {TRANSFER("mapped_output")},
    {TRANSFER("unified")},
    {TRANSFER("unified_prefetch")},
    {NULL},
};

/* The same pictures over more and more GPUs, and one a GPU: a small one for the CPU, and a large.
 */
static const lab_settings several_gpus[] = {
    {"--type gray --passes 5 --variants bands,deep_bands --sizes 640x480 --blocks 32x4"},
    {"--type gray --passes 20 --variants bands,deep_bands --sizes 32768x16384 --blocks 32x4"},
    {"--type gray --passes 5 --weak --variants bands,deep_bands --sizes 640x480 --blocks 32x4"},
    {"--type gray --passes 20 --weak --variants bands,deep_bands --sizes 16384x16384 --blocks "
     "32x4"},
    {NULL},
};

static image photo; /* the input picture as its file has it; empty without one */

static void configure(void)
{
    work_out_weights();
    make_rules();
    picture_load(&photo, input_path);
    picture_check_writable(output_path);
}

static void parameters(char *text, size_t bytes)
{
    int used = snprintf(text, bytes, "type=%s;sigma=%g;radius=%d", types[type], gauss.sigma,
                        filter_radius());
    if (passes > 1)
        snprintf(text + used, bytes - used, ";passes=%d", passes);
}

static const char *refuse_picture(int width, int height)
{
    bool fits = (size_t)width * height * channels() <= (size_t)1 << 30;
    return fits ? refuse_size(width, height) : "a picture has 2^30 bytes at most";
}

static size_t values(const problem *p)
{
    return (size_t)p->width * p->height * channels();
}

static void layout(problem *p)
{
    problem_add_buffer(p, "input", BUFFER_INPUT, values(p));
    problem_add_buffer(p, "output", BUFFER_OUTPUT, values(p));
}

static void fill(const problem *p)
{
    picture_fit(&photo, input_path, p->width, p->height, channels(), p->seed,
                (uint8_t *)p->buffer[INPUT].host);
}

/*
 * As in table 1 of the blog post of lab 7 two operations a tap, each of the 2r+1 squared taps, for
 * each channel that is filtered. A load brings one channel's byte, but three of RGBA32, for which
 * the variants' costs are not counted.
 */
static lab_work work(const problem *p)
{
    double pixels = (double)p->width * p->height, side = 2 * filter_radius() + 1;
    double taps = pixels * side * side * (type == RGBA32 ? 3 : channels());
    double steps = passes * taps;
    return {.bytes = passes * 2 * (double)values(p),
            .flops = 2 * steps,
            .steps = type == RGBA32 ? 0 : steps};
}

/* ---- checking ------------------------------------------------------------------------------- */

static bool is_alpha(size_t i)
{
    return type == RGBA32 && i % 4 == 3;
}

/*
 * What a sum may be off. A float sum of n products of a byte and a weight, in any order, is off by
 * less than (n + 2) u 255, u = 2^-24 (0.0004 for 25 taps), and the exact result, kept as a float,
 * by another u 255.
 */
static double error_of_sum(void)
{
    double side = 2 * filter_radius() + 1;
    return (side * side + 3) * 255 * 0x1p-24;
}

/* The least and the greatest byte that an exact result so near to a half may be rounded to. */
static double least_level(double exact)
{
    return floor(exact - error_of_sum() + 0.5);
}

static double greatest_level(double exact)
{
    return floor(exact + error_of_sum() + 0.5);
}

struct least_byte {
    uint8_t level;
    explicit least_byte(double exact) : level((uint8_t)least_level(exact))
    {
    }
};

struct greatest_byte {
    uint8_t level;
    explicit greatest_byte(double exact) : level((uint8_t)greatest_level(exact))
    {
    }
};

/* The exact result of the last pass on what those before it give, where all are rounded one way. */
template <class Byte>
static void exact_passes(const problem *p, float *exact)
{
    const uint8_t *input = (const uint8_t *)p->buffer[INPUT].host, *in = input;
    uint8_t *room[2] = {NULL, NULL};
    for (int pass = 0; pass < passes - 1; pass++) {
        uint8_t *&out = room[pass % 2];
        out = out ? out : (uint8_t *)allocate(values(p));
        filter_exact(in, (Byte *)out, shape_of(p), channels());
        in = out;
    }
    filter_exact(in, exact, shape_of(p), channels());
    for (size_t i = 3; i < values(p) && type == RGBA32; i += 4)
        exact[i] = input[i];
    free(room[0]);
    free(room[1]);
}

/*
 * What check() compares with: the exact result; of several passes two, of the least and of the
 * greatest bytes that the passes before the last one may give. No weight is negative, so whatever
 * lies between them stays there.
 */
static void *reference(const problem *p)
{
    float *exact = (float *)allocate((passes > 1 ? 2 : 1) * values(p) * sizeof *exact);
    exact_passes<least_byte>(p, exact);
    if (passes > 1)
        exact_passes<greatest_byte>(p, exact + values(p));
    return exact;
}

static bool truncated; /* what is checked: NPP cuts fractions off, one level lower is right, too */

/*
 * In levels. What the exact results, rounded, have between them is right. One level beside them is
 * as well where they are near to a half; elsewhere it counts as two.
 */
static checked value_at(const void *context, size_t i)
{
    const problem *p = (const problem *)context;
    const float *least = (const float *)p->reference, *most = least + (passes > 1) * values(p);
    double value = ((const uint8_t *)p->buffer[OUTPUT].host)[i];
    double lowest = floor(least[i] + 0.5), highest = floor(most[i] + 0.5);
    if (lowest <= value && value <= highest)
        return {value, value, 1};
    bool sure = least_level(least[i]) == greatest_level(most[i]);
    bool equal = is_alpha(i) || (sure && !truncated);
    return {value, value < lowest ? lowest : highest, equal ? 0.5 : 1};
}

static check_result check(const problem *p, const variant *v)
{
    truncated = v->kind == VARIANT_VENDOR;
    check_result result = check_all(1, p->width * channels(), values(p), value_at, p);
    snprintf(result.note, sizeof result.note, "%zu of %zu values off by a level (%.2g %%)",
             result.unequal, values(p), 100.0 * result.unequal / values(p));
    return result;
}

/* ---- the result of a single run ------------------------------------------------------------- */

static void present(const problem *p, const variant *, dim3)
{
    picture_write(output_path, (uint8_t *)p->buffer[OUTPUT].host, p->width, p->height, channels());
}

/* ---- main ----------------------------------------------------------------------------------- */

static const char *const positional[] = {"--input", "--output", "--blocks", "--trials", "--radius",
                                         "--sigma", "WIDTH",    "HEIGHT",   NULL};

static const lab gaussian = {
    .name = "lab5_gaussian",
    .title = "the Gaussian filter on gray and colour pictures",
    .sizes_are = SIZE_IMAGE,
    .sweep = {.sizes = "1024x768 6720x4480",
              .sizes_large = "4096x3072",
              .scaling_size = "1600x1200",
              .emulated_max = 1024 * 768,
              .blocks = "32x32 32x8 32x4 16 8 64x4",
              .configurations = configurations,
              .stream = "--stream 100 --variants async_rows --blocks 32x4 --sizes 6720x4480",
              .divided = several_gpus},
    .size_max = 4 * SIDE_MAX,
    .block_dimensions = 2,
    .single = {.positional = positional,
               .required = 2,
               .size = "1024x768",
               .block = "32x8",
               .trials = "3"},
    LAB_OPTIONS(options),
    LAB_VARIANTS(variants),
    .configure = configure,
    .parameters = parameters,
    .refuse_size = refuse_picture,
    .layout = layout,
    .fill = fill,
    .reference = reference,
    .check = check,
    .work = work,
    .present = present,
};

int main(int argc, char **argv)
{
    return lab_main(&gaussian, argc, argv);
}
