/*
 * gaussian.cu - the Gaussian filter: each pixel becomes a mean of the (2r+1) x (2r+1) pixels around
 * it, whose weights fall with the distance:
 *
 *   g(x, y) = sum over dx, dy in -r..r of w(dx) w(dy) f(x + dx, y + dy)
 *   w(d) = exp(-d^2 / (2 sigma^2)) / sum over e in -r..r of exp(-e^2 / (2 sigma^2))
 *
 * Beyond the picture's edge its outermost pixels are repeated: f(x, y) is f(clamp(x), clamp(y)).
 *
 * Data: width x height pixels, row-major; x is the column, y the row. Pixels are (--type)
 *   gray    a byte                     sigma 1, radius 2: 5 x 5 taps, sums in float, rounded to
 *   rgb24   three bytes, R G B         (int)(sum + 0.5f)
 *   rgba32  four bytes, R G B A; alpha is copied: a blur of opacity is another filter
 *   f32     a float, gray 0..255       sigma 5, radius 15: 31 x 31 taps
 * No side is over 16384, so an int holds every index.
 *
 *   cpu, cpu_omp    bytes: all taps; floats: along the rows, then along the columns
 *
 * of bytes, after Fixstars, CUDA speed-up seminar vol. 1 (2022):
 *   naive           one pixel a thread; the weights stand in the code
 *   array           weights in an array of the thread's, a loop whose length the compiler
 *                   does not know: local memory
 *   constant        the same loop, weights in constant memory
 *   constant_fixed  weights in constant memory, a loop of known length
 *   shared_tile     the block's pixels and a halo in shared memory
 *   npp             NPP's filter with weights of one's own, where the toolkit has it
 *
 * of floats, after the OpenCL blog post on Gaussian blurs (which algorithm?):
 *   copy            no filter: one float read, one written, the yardstick
 *   conv2d          (2r+1)^2 taps a pixel
 *   separable       2r+1 taps along the row, then 2r+1 along the column
 *   recursive       four passes, forward and backward in either direction, whose cost does not
 *                   depend on sigma; about a Gaussian (Young and van Vliet, Recursive
 *                   implementation of the Gaussian filter, Signal Processing 44, 1995)
 *
 *   make -C lab5_gaussian                             build just this lab
 *   make -C lab5_gaussian run SIZES=1024x768 OPTIONS="--type f32"
 *   build/cuda/gaussian in.bmp out.bmp 32x8 3 2 1     block, trials, radius, sigma
 */
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef HAVE_NPP
#include <nppi_filtering_functions.h>
#endif

#include "die.h"
#include "lab.h"
#include "picture.h"
#include "random.h"
#include "algorithms.cuh"

enum { INPUT, OUTPUT, SCRATCH }; /* buffers, in layout's order */
enum { GRAY, RGB24, RGBA32, F32 };
enum { RADIUS_MAX = 50, TAPS_MAX = 2 * RADIUS_MAX + 1, SIDE_MAX = 16384 };

/* The experiment's settings, from the command line; sigma 0 and radius -1 stand for the type's. */
static int type = GRAY, given_radius = -1;
static double given_sigma = 0;
static const char *input_path, *output_path;

static double filter_sigma(void)
{
    return given_sigma > 0 ? given_sigma : type == F32 ? 5 : 1;
}

/* Without a radius, bytes are filtered to two sigma, floats to three. */
static int filter_radius(void)
{
    int radius = (int)ceil((type == F32 ? 3 : 2) * filter_sigma());
    return given_radius >= 0 ? given_radius : radius < RADIUS_MAX ? radius : RADIUS_MAX;
}

static int channels(void)
{
    static const int of_type[] = {1, 3, 4, 1};
    return of_type[type];
}

/* The weights for the current settings; configure() works them out. */
static double exact_weights[TAPS_MAX];     /* w(-r) .. w(r) */
static float line_weights[TAPS_MAX];       /* the same, rounded */
static float weights[TAPS_MAX * TAPS_MAX]; /* w(dx) w(dy), row by row of 2r+1 */

/* The shape of the work. */
typedef struct shape {
    int width, height, radius;
} shape;

static shape shape_of(const problem *p)
{
    shape s = {p->width, p->height, filter_radius()};
    return s;
}

/* An index beyond the ends of 0..length-1 becomes that of the end. */
__host__ __device__ static int clamp(int i, int length)
{
    return i < 0 ? 0 : i < length ? i : length - 1;
}

/* ---- CPU reference -------------------------------------------------------------------------- */

static void filter_bytes(const uint8_t *in, uint8_t *out, shape s, int y)
{
    int side = 2 * s.radius + 1, n = channels();
    for (int x = 0; x < s.width; x++) {
        bool inside = x >= s.radius && x < s.width - s.radius;
        for (int c = 0; c < n; c++) {
            float sum = 0;
            for (int j = 0; j < side && c < 3; j++) {
                const uint8_t *row = in + clamp(y + j - s.radius, s.height) * s.width * n + c;
                for (int i = 0; i < side; i++) {
                    int from = x + i - s.radius;
                    sum += weights[j * side + i] * row[(inside ? from : clamp(from, s.width)) * n];
                }
            }
            int at = (y * s.width + x) * n + c;
            out[at] = c < 3 ? (uint8_t)(int)(sum + 0.5f) : in[at];
        }
    }
}

static void filter_row(const float *in, float *out, shape s, int y)
{
    const float *row = in + y * s.width;
    for (int x = 0; x < s.width; x++) {
        float sum = 0;
        for (int k = 0; k <= 2 * s.radius; k++)
            sum += line_weights[k] * row[clamp(x + k - s.radius, s.width)];
        out[y * s.width + x] = sum;
    }
}

/* Row y of the columns' filter, one tap at a time, since rows are what lies together in memory. */
static void filter_columns_row(const float *in, float *out, shape s, int y)
{
    float *sums = out + y * s.width;
    memset(sums, 0, s.width * sizeof *sums);
    for (int k = 0; k <= 2 * s.radius; k++) {
        const float *row = in + clamp(y + k - s.radius, s.height) * s.width;
        for (int x = 0; x < s.width; x++)
            sums[x] += line_weights[k] * row[x];
    }
}

static void filter_bytes_serial(const uint8_t *in, uint8_t *out, shape s)
{
    for (int y = 0; y < s.height; y++)
        filter_bytes(in, out, s, y);
}

static void filter_floats_serial(const float *in, float *out, float *between, shape s)
{
    for (int y = 0; y < s.height; y++)
        filter_row(in, between, s, y);
    for (int y = 0; y < s.height; y++)
        filter_columns_row(between, out, s, y);
}

static void filter_bytes_omp(const uint8_t *in, uint8_t *out, shape s)
{
#pragma omp parallel for
    for (int y = 0; y < s.height; y++)
        filter_bytes(in, out, s, y);
}

static void filter_floats_omp(const float *in, float *out, float *between, shape s)
{
#pragma omp parallel for
    for (int y = 0; y < s.height; y++)
        filter_row(in, between, s, y);
#pragma omp parallel for
    for (int y = 0; y < s.height; y++)
        filter_columns_row(between, out, s, y);
}

/* ---- kernels that take all taps ------------------------------------------------------------- */

/*
 * These kernels are templates over the type of a pixel, uint8_t, uchar3, uchar4 or float, and of a
 * sum of pixels, float or float3. What differs between types is how a tap is added and how the sum
 * becomes a pixel; `middle` is the pixel that it replaces, for its alpha.
 */
__device__ static void add_tap(float *sum, float weight, float pixel)
{
    *sum += weight * pixel;
}

__device__ static void add_tap(float3 *sum, float weight, uchar3 pixel)
{
    sum->x += weight * pixel.x;
    sum->y += weight * pixel.y;
    sum->z += weight * pixel.z;
}

__device__ static void add_tap(float3 *sum, float weight, uchar4 pixel)
{
    add_tap(sum, weight, make_uchar3(pixel.x, pixel.y, pixel.z));
}

__device__ static float pixel_of(float sum, float)
{
    return sum;
}

__device__ static uint8_t pixel_of(float sum, uint8_t)
{
    return (uint8_t)(int)(sum + 0.5f);
}

__device__ static uchar3 pixel_of(float3 sum, uchar3)
{
    uint8_t byte = 0;
    return make_uchar3(pixel_of(sum.x, byte), pixel_of(sum.y, byte), pixel_of(sum.z, byte));
}

__device__ static uchar4 pixel_of(float3 sum, uchar4 middle)
{
    uchar3 colour = pixel_of(sum, make_uchar3(0, 0, 0));
    return make_uchar4(colour.x, colour.y, colour.z, middle.w);
}

/*
 * Nearly all pixels have all their taps inside the picture and need no clamping, which would cost
 * more than the sum itself: five integer operations a tap. So each kernel's sum exists twice, and a
 * warp takes the other one where it touches the edge.
 */
enum where { INSIDE, AT_EDGE };

__device__ static bool is_inside(shape s, int x, int y)
{
    return x >= s.radius && x < s.width - s.radius && y >= s.radius && y < s.height - s.radius;
}

template <where WHERE, class Pixel>
__device__ static Pixel pixel_at(const Pixel *in, shape s, int x, int y)
{
    if (WHERE == AT_EDGE) {
        x = clamp(x, s.width);
        y = clamp(y, s.height);
    }
    return in[y * s.width + x];
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
template <where WHERE, class Sum, class Pixel>
__device__ static Sum naive_sum(const Pixel *in, shape s, int x, int y)
{
    const float filter[5][5] = WEIGHTS_5X5;
    Sum sum = {};
#pragma unroll
    for (int j = 0; j < 5; j++)
#pragma unroll
        for (int i = 0; i < 5; i++)
            add_tap(&sum, filter[j][i], pixel_at<WHERE>(in, s, x + i - 2, y + j - 2));
    return sum;
}

template <class Pixel, class Sum>
__global__ void naive(const Pixel *in, Pixel *out, shape s)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= s.width || y >= s.height)
        return;
    Sum sum = is_inside(s, x, y) ? naive_sum<INSIDE, Sum>(in, s, x, y)
                                 : naive_sum<AT_EDGE, Sum>(in, s, x, y);
    out[y * s.width + x] = pixel_of(sum, in[y * s.width + x]);
}

/*
 * array: against naive, the loops run to a length that the compiler does not know (and that is
 * always 5). Nothing is unrolled for good, so the weights need an address: each thread writes its
 * own copy of them to local memory, which lies in device memory, and reads one back for each tap.
 * It does not pay; it shows what an index costs that is not known at compile time. Any block; sigma
 * 1 and radius 2 only.
 */
template <where WHERE, class Sum, class Pixel>
__device__ static Sum array_sum(const Pixel *in, shape s, int x, int y)
{
    const float filter[5][5] = WEIGHTS_5X5;
    Sum sum = {};
    for (int j = 0; j <= 2 * s.radius; j++)
        for (int i = 0; i <= 2 * s.radius; i++)
            add_tap(&sum, filter[j][i], pixel_at<WHERE>(in, s, x + i - s.radius, y + j - s.radius));
    return sum;
}

template <class Pixel, class Sum>
__global__ void array(const Pixel *in, Pixel *out, shape s)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= s.width || y >= s.height)
        return;
    Sum sum = is_inside(s, x, y) ? array_sum<INSIDE, Sum>(in, s, x, y)
                                 : array_sum<AT_EDGE, Sum>(in, s, x, y);
    out[y * s.width + x] = pixel_of(sum, in[y * s.width + x]);
}

/*
 * constant: against array, the weights come from constant memory, whose cache hands one value to
 * all threads of a warp at once. Any block, sigma and radius. For floats it is called conv2d.
 */
__constant__ float constant_weights[TAPS_MAX * TAPS_MAX]; /* as `weights` */

template <where WHERE, class Sum, class Pixel>
__device__ static Sum constant_sum(const Pixel *in, shape s, int x, int y)
{
    int side = 2 * s.radius + 1;
    Sum sum = {};
    for (int j = 0; j < side; j++)
        for (int i = 0; i < side; i++)
            add_tap(&sum, constant_weights[j * side + i],
                    pixel_at<WHERE>(in, s, x + i - s.radius, y + j - s.radius));
    return sum;
}

template <class Pixel, class Sum>
__global__ void constant(const Pixel *in, Pixel *out, shape s)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= s.width || y >= s.height)
        return;
    Sum sum = is_inside(s, x, y) ? constant_sum<INSIDE, Sum>(in, s, x, y)
                                 : constant_sum<AT_EDGE, Sum>(in, s, x, y);
    out[y * s.width + x] = pixel_of(sum, in[y * s.width + x]);
}

/*
 * constant_fixed: against constant, the loops' length is known again. Unrolled, a multiplication
 * names the place of its weight in constant memory: as good as a weight in the code, for any
 * sigma. Any block; radius 2 only.
 */
template <where WHERE, class Sum, class Pixel>
__device__ static Sum constant_fixed_sum(const Pixel *in, shape s, int x, int y)
{
    Sum sum = {};
#pragma unroll
    for (int j = 0; j < 5; j++)
#pragma unroll
        for (int i = 0; i < 5; i++)
            add_tap(&sum, constant_weights[j * 5 + i],
                    pixel_at<WHERE>(in, s, x + i - 2, y + j - 2));
    return sum;
}

template <class Pixel, class Sum>
__global__ void constant_fixed(const Pixel *in, Pixel *out, shape s)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= s.width || y >= s.height)
        return;
    Sum sum = is_inside(s, x, y) ? constant_fixed_sum<INSIDE, Sum>(in, s, x, y)
                                 : constant_fixed_sum<AT_EDGE, Sum>(in, s, x, y);
    out[y * s.width + x] = pixel_of(sum, in[y * s.width + x]);
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
            add_tap(&sum, constant_weights[j * 5 + i], corner[j * tile_width + i]);
    out[y * s.width + x] = pixel_of(sum, corner[2 * tile_width + 2]);
}

/* ---- kernels for floats --------------------------------------------------------------------- */

/* conv2d is constant<float, float>, above. */

/*
 * copy: thread (x, y) copies pixel (x, y). Whatever an algorithm reads and writes, it cannot be
 * faster than this rate allows. Any block.
 */
__global__ void copy(const float *in, float *out, shape s)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < s.width && y < s.height)
        out[y * s.width + x] = in[y * s.width + x];
}

/*
 * separable: against conv2d, w(dx) w(dy) is a product, so the sum over a row of taps can be worked
 * out once and used by 2r+1 pixels: filter_along_rows, then filter_along_columns of what that made,
 * 2 (2r+1) taps instead of (2r+1)^2. Thread (x, y) makes pixel (x, y) of either. The block's pixels
 * and a halo of r at both ends, (bx + 2r) x by or bx x (by + 2r), are in shared memory. Threads of
 * a warp read, and write, neighbouring pixels in both. Any block whose tiles fit 48 KiB; no thread
 * leaves before the barrier.
 */
__constant__ float constant_line[TAPS_MAX]; /* as `line_weights` */

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
 * recursive: filter_lines (algorithms.cuh) filters the columns; transpose makes columns of the rows
 * for it, and rows again of what comes out. The block brings bx x by
 * pixels into shared memory and its threads, counted through, write them as by x bx: what they read
 * and what they write lies together. The tile's rows are one longer than bx, so that a column of
 * 32 lies in 32 different banks. Any block; no thread leaves before the barrier.
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

/* ---- launchers ------------------------------------------------------------------------------ */

static dim3 grid_over(const problem *p, dim3 block)
{
    return dim3(blocks_for(p->width, block.x), blocks_for(p->height, block.y));
}

static void run_cpu(const problem *p, const launch *l)
{
    if (type == F32)
        filter_floats_serial((float *)l->buffer[INPUT], (float *)l->buffer[OUTPUT],
                             (float *)l->buffer[SCRATCH], shape_of(p));
    else
        filter_bytes_serial((uint8_t *)l->buffer[INPUT], (uint8_t *)l->buffer[OUTPUT], shape_of(p));
}

static void run_cpu_omp(const problem *p, const launch *l)
{
    if (type == F32)
        filter_floats_omp((float *)l->buffer[INPUT], (float *)l->buffer[OUTPUT],
                          (float *)l->buffer[SCRATCH], shape_of(p));
    else
        filter_bytes_omp((uint8_t *)l->buffer[INPUT], (uint8_t *)l->buffer[OUTPUT], shape_of(p));
}

/* One kernel for each type of pixel. */
typedef struct byte_kernels {
    void (*gray)(const uint8_t *in, uint8_t *out, shape s);
    void (*rgb24)(const uchar3 *in, uchar3 *out, shape s);
    void (*rgba32)(const uchar4 *in, uchar4 *out, shape s);
} byte_kernels;

static const byte_kernels naive_kernels = {naive<uint8_t, float>, naive<uchar3, float3>,
                                           naive<uchar4, float3>};
static const byte_kernels array_kernels = {array<uint8_t, float>, array<uchar3, float3>,
                                           array<uchar4, float3>};
static const byte_kernels constant_kernels = {constant<uint8_t, float>, constant<uchar3, float3>,
                                              constant<uchar4, float3>};
static const byte_kernels constant_fixed_kernels = {
    constant_fixed<uint8_t, float>, constant_fixed<uchar3, float3>, constant_fixed<uchar4, float3>};
static const byte_kernels shared_tile_kernels = {
    shared_tile<uint8_t, float>, shared_tile<uchar3, float3>, shared_tile<uchar4, float3>};

static const void *kernel_of(const byte_kernels *k)
{
    return type == GRAY    ? (const void *)k->gray
           : type == RGB24 ? (const void *)k->rgb24
                           : (const void *)k->rgba32;
}

static void launch_bytes(const byte_kernels *k, const problem *p, const launch *l,
                         size_t shared_bytes)
{
    dim3 grid = grid_over(p, l->block);
    shape s = shape_of(p);
    if (type == GRAY)
        k->gray<<<grid, l->block, shared_bytes, l->stream>>>((uint8_t *)l->buffer[INPUT],
                                                             (uint8_t *)l->buffer[OUTPUT], s);
    else if (type == RGB24)
        k->rgb24<<<grid, l->block, shared_bytes, l->stream>>>((uchar3 *)l->buffer[INPUT],
                                                              (uchar3 *)l->buffer[OUTPUT], s);
    else
        k->rgba32<<<grid, l->block, shared_bytes, l->stream>>>((uchar4 *)l->buffer[INPUT],
                                                               (uchar4 *)l->buffer[OUTPUT], s);
    CUDA_CHECK(cudaGetLastError());
}

static const void *naive_kernel(dim3)
{
    return kernel_of(&naive_kernels);
}

static void launch_naive(const problem *p, const launch *l)
{
    launch_bytes(&naive_kernels, p, l, 0);
}

static const void *array_kernel(dim3)
{
    return kernel_of(&array_kernels);
}

static void launch_array(const problem *p, const launch *l)
{
    launch_bytes(&array_kernels, p, l, 0);
}

/* Fills the constant memory; untimed. */
static void prepare_constants(const problem *, const launch *)
{
    CUDA_CHECK(cudaMemcpyToSymbol(constant_weights, weights, sizeof weights));
    CUDA_CHECK(cudaMemcpyToSymbol(constant_line, line_weights, sizeof line_weights));
}

static const void *constant_kernel(dim3)
{
    return kernel_of(&constant_kernels);
}

static void launch_constant(const problem *p, const launch *l)
{
    launch_bytes(&constant_kernels, p, l, 0);
}

static const void *constant_fixed_kernel(dim3)
{
    return kernel_of(&constant_fixed_kernels);
}

static void launch_constant_fixed(const problem *p, const launch *l)
{
    launch_bytes(&constant_fixed_kernels, p, l, 0);
}

static const void *shared_tile_kernel(dim3)
{
    return kernel_of(&shared_tile_kernels);
}

static size_t shared_tile_bytes(const problem *, dim3 block)
{
    return (size_t)channels() * (block.x + 4) * (block.y + 4);
}

static void launch_shared_tile(const problem *p, const launch *l)
{
    launch_bytes(&shared_tile_kernels, p, l, shared_tile_bytes(p, l->block));
}

/* Which settings a variant of bytes is written for. */
static const char *refuse_all_but_5x5(const problem *, dim3)
{
    return filter_radius() == 2 ? NULL : "its loops are written for radius 2";
}

static const char *refuse_all_but_sigma_1(const problem *, dim3)
{
    bool fits = filter_radius() == 2 && filter_sigma() == 1;
    return fits ? NULL : "the weights in its code are those of sigma 1 and radius 2";
}

#ifdef HAVE_NPP
#define NPP_CHECK(expression)                                                                      \
    do {                                                                                           \
        NppStatus status_ = (expression);                                                          \
        if (status_ != NPP_SUCCESS) {                                                              \
            fprintf(stderr, "%s:%d: %s: NPP status %d\n", __FILE__, __LINE__, #expression,         \
                    (int)status_);                                                                 \
            exit(EXIT_CUDA_ERROR);                                                                 \
        }                                                                                          \
    } while (0)

/* What NPP wants to know about the device and the stream. */
static NppStreamContext npp_context(cudaStream_t stream)
{
    static NppStreamContext context;
    if (context.nMultiProcessorCount == 0) {
        struct cudaDeviceProp device;
        CUDA_CHECK(cudaGetDevice(&context.nCudaDeviceId));
        CUDA_CHECK(cudaGetDeviceProperties(&device, context.nCudaDeviceId));
        context.nMultiProcessorCount = device.multiProcessorCount;
        context.nMaxThreadsPerMultiProcessor = device.maxThreadsPerMultiProcessor;
        context.nMaxThreadsPerBlock = device.maxThreadsPerBlock;
        context.nSharedMemPerBlock = device.sharedMemPerBlock;
        context.nCudaDevAttrComputeCapabilityMajor = device.major;
        context.nCudaDevAttrComputeCapabilityMinor = device.minor;
    }
    if (context.hStream != stream) { /* asked once: a stream that is captured does not answer */
        context.hStream = stream;
        CUDA_CHECK(cudaStreamGetFlags(stream, &context.nStreamFlags));
    }
    return context;
}

/* The weights as NPP reads them: (2r+1)^2 floats of device memory. */
static size_t npp_weight_bytes(const problem *)
{
    return sizeof(float) * (2 * filter_radius() + 1) * (2 * filter_radius() + 1);
}

static void prepare_npp(const problem *p, const launch *l)
{
    CUDA_CHECK(cudaMemcpy(l->workspace, weights, npp_weight_bytes(p), cudaMemcpyHostToDevice));
}

/*
 * FilterBorder32f takes any weights; FilterGaussBorder has its own, which are not those of sigma 1.
 * Of four channels it filters three and leaves the fourth of the output alone, so the picture is
 * copied there first, for its alpha.
 */
static void launch_npp(const problem *p, const launch *l)
{
    const Npp8u *in = (const Npp8u *)l->buffer[INPUT];
    Npp8u *out = (Npp8u *)l->buffer[OUTPUT];
    const Npp32f *filter = (const Npp32f *)l->workspace;
    int radius = filter_radius(), step = p->width * channels();
    NppiSize size = {p->width, p->height}, taps = {2 * radius + 1, 2 * radius + 1};
    NppiPoint origin = {0, 0}, middle = {radius, radius};
    NppStreamContext context = npp_context(l->stream);
    if (type == GRAY) {
        NPP_CHECK(nppiFilterBorder32f_8u_C1R_Ctx(in, step, size, origin, out, step, size, filter,
                                                 taps, middle, NPP_BORDER_REPLICATE, context));
    } else if (type == RGB24) {
        NPP_CHECK(nppiFilterBorder32f_8u_C3R_Ctx(in, step, size, origin, out, step, size, filter,
                                                 taps, middle, NPP_BORDER_REPLICATE, context));
    } else {
        CUDA_CHECK(
            cudaMemcpyAsync(out, in, p->buffer[INPUT].bytes, cudaMemcpyDeviceToDevice, l->stream));
        NPP_CHECK(nppiFilterBorder32f_8u_AC4R_Ctx(in, step, size, origin, out, step, size, filter,
                                                  taps, middle, NPP_BORDER_REPLICATE, context));
    }
}
#else
#define npp_weight_bytes NULL
#define prepare_npp      NULL
#define launch_npp       NULL
#endif

static void launch_copy(const problem *p, const launch *l)
{
    copy<<<grid_over(p, l->block), l->block, 0, l->stream>>>(
        (float *)l->buffer[INPUT], (float *)l->buffer[OUTPUT], shape_of(p));
    CUDA_CHECK(cudaGetLastError());
}

static void launch_conv2d(const problem *p, const launch *l)
{
    constant<float, float><<<grid_over(p, l->block), l->block, 0, l->stream>>>(
        (float *)l->buffer[INPUT], (float *)l->buffer[OUTPUT], shape_of(p));
    CUDA_CHECK(cudaGetLastError());
}

static size_t row_tile_bytes(dim3 block)
{
    return sizeof(float) * (block.x + 2 * filter_radius()) * block.y;
}

static size_t column_tile_bytes(const problem *, dim3 block)
{
    return sizeof(float) * block.x * (block.y + 2 * filter_radius());
}

static const char *refuse_separable(const problem *p, dim3 block)
{
    static char text[96];
    size_t rows = row_tile_bytes(block), columns = column_tile_bytes(p, block);
    size_t more = rows > columns ? rows : columns;
    if (more <= 48 * 1024)
        return NULL;
    snprintf(text, sizeof text, "%zu bytes of shared memory are more than its 48 KiB", more);
    return text;
}

static void launch_separable(const problem *p, const launch *l)
{
    float *between = (float *)l->buffer[SCRATCH];
    dim3 grid = grid_over(p, l->block);
    filter_along_rows<<<grid, l->block, row_tile_bytes(l->block), l->stream>>>(
        (float *)l->buffer[INPUT], between, shape_of(p));
    CUDA_CHECK(cudaGetLastError());
    filter_along_columns<<<grid, l->block, column_tile_bytes(p, l->block), l->stream>>>(
        between, (float *)l->buffer[OUTPUT], shape_of(p));
    CUDA_CHECK(cudaGetLastError());
}

static recursion recursive_filter; /* for the current sigma, by configure() */

static size_t turning_tile_bytes(const problem *, dim3 block)
{
    return sizeof(float) * (block.x + 1) * block.y;
}

static void launch_transpose(const float *d_in, float *d_out, int width, int height,
                             const launch *l)
{
    dim3 grid(blocks_for(width, l->block.x), blocks_for(height, l->block.y));
    transpose<<<grid, l->block, turning_tile_bytes(NULL, l->block), l->stream>>>(d_in, d_out, width,
                                                                                 height);
    CUDA_CHECK(cudaGetLastError());
}

static void launch_lines(float *d_picture, int width, int height, const launch *l)
{
    unsigned most = LINES_MAX, threads = l->block.x < most ? l->block.x : most;
    filter_lines<<<blocks_for(width, threads), threads, 0, l->stream>>>(d_picture, width, height,
                                                                        recursive_filter);
    CUDA_CHECK(cudaGetLastError());
}

/* The rows, as columns of the transposed picture, then the columns. */
static void launch_recursive(const problem *p, const launch *l)
{
    float *turned = (float *)l->buffer[SCRATCH], *out = (float *)l->buffer[OUTPUT];
    launch_transpose((const float *)l->buffer[INPUT], turned, p->width, p->height, l);
    launch_lines(turned, p->height, p->width, l);
    launch_transpose(turned, out, p->height, p->width, l);
    launch_lines(out, p->width, p->height, l);
}

static const char *refuse_recursive(const problem *, dim3)
{
    return filter_sigma() >= RECURSIVE_SIGMA_MIN
               ? NULL
               : "its coefficients are for a sigma of 0.5 or more";
}

/* ---- variants and callbacks ----------------------------------------------------------------- */

static bool pixels_are_bytes(void)
{
    return type != F32;
}

static bool pixels_are_floats(void)
{
    return type == F32;
}

static const variant variants[] = {
    {.name = "cpu",
     .kind = VARIANT_CPU,
     .summary = "bytes: all taps; floats: rows, then columns; serial",
     .serial = true,
     .run = run_cpu},
    {.name = "cpu_omp",
     .kind = VARIANT_CPU,
     .summary = "the same, rows spread over the cores",
     .scales = true,
     .run = run_cpu_omp},
    {.name = "naive",
     .kind = VARIANT_GPU,
     .summary = "bytes: one pixel a thread, the weights in the code",
     .run = launch_naive,
     .kernel_for = naive_kernel,
     .applies = pixels_are_bytes,
     .refuse = refuse_all_but_sigma_1,
     .large = true},
    {.name = "array",
     .kind = VARIANT_GPU,
     .summary = "bytes: weights in an array of the thread's, a loop of unknown length",
     .run = launch_array,
     .kernel_for = array_kernel,
     .applies = pixels_are_bytes,
     .refuse = refuse_all_but_sigma_1,
     .large = true},
    {.name = "constant",
     .kind = VARIANT_GPU,
     .summary = "bytes: weights in constant memory, a loop of unknown length",
     .run = launch_constant,
     .kernel_for = constant_kernel,
     .applies = pixels_are_bytes,
     .prepare = prepare_constants,
     .large = true},
    {.name = "constant_fixed",
     .kind = VARIANT_GPU,
     .summary = "bytes: weights in constant memory, 5 x 5 taps",
     .run = launch_constant_fixed,
     .kernel_for = constant_fixed_kernel,
     .applies = pixels_are_bytes,
     .refuse = refuse_all_but_5x5,
     .prepare = prepare_constants,
     .large = true},
    {.name = "shared_tile",
     .kind = VARIANT_GPU,
     .summary = "bytes: pixels and their halo in shared memory, 5 x 5 taps",
     .run = launch_shared_tile,
     .kernel_for = shared_tile_kernel,
     .shared_bytes = shared_tile_bytes,
     .applies = pixels_are_bytes,
     .refuse = refuse_all_but_5x5,
     .prepare = prepare_constants,
     .large = true},
    {.name = "npp",
     .kind = VARIANT_VENDOR,
     .summary = "bytes: NPP's FilterBorder32f with our weights",
     .run = launch_npp,
     .needs = "NPP",
     .workspace_bytes = npp_weight_bytes,
     .applies = pixels_are_bytes,
     .prepare = prepare_npp,
     .large = true},
    {.name = "copy",
     .kind = VARIANT_GPU,
     .summary = "floats: no filter, one read and one write a pixel",
     .run = launch_copy,
     .kernel = (const void *)copy,
     .applies = pixels_are_floats,
     .large = true},
    {.name = "conv2d",
     .kind = VARIANT_GPU,
     .summary = "floats: all (2r+1)^2 taps",
     .run = launch_conv2d,
     .kernel = (const void *)constant<float, float>,
     .applies = pixels_are_floats,
     .prepare = prepare_constants,
     .large = true},
    {.name = "separable",
     .kind = VARIANT_GPU,
     .summary = "floats: rows, then columns, from tiles in shared memory",
     .run = launch_separable,
     .kernel = (const void *)filter_along_columns,
     .shared_bytes = column_tile_bytes,
     .applies = pixels_are_floats,
     .refuse = refuse_separable,
     .prepare = prepare_constants,
     .large = true,
     .note = "two kernels; registers and shared memory are those of the second"},
    {.name = "recursive",
     .kind = VARIANT_GPU,
     .summary = "floats: Young and van Vliet's recursion, forward and backward, rows and columns",
     .run = launch_recursive,
     .kernel = (const void *)transpose, /* the one that gets the whole block */
     .shared_bytes = turning_tile_bytes,
     .applies = pixels_are_floats,
     .refuse = refuse_recursive,
     .large = true},
};

static const char *const types[] = {"gray", "rgb24", "rgba32", "f32", NULL};

static const lab_option options[] = {
    {"--type", OPTION_CHOICE, &type, 0, 0, "of a pixel: gray, rgb24, rgba32 or f32", types},
    {"--sigma", OPTION_DOUBLE, &given_sigma, 0.1, 100, "in pixels; without it 1, of floats 5"},
    {"--radius", OPTION_INT, &given_radius, 0, RADIUS_MAX,
     "r, of (2r+1) x (2r+1) taps; without it 2 sigma, of floats 3 sigma"},
    {"--input", OPTION_TEXT, &input_path, 0, 0, "picture to filter; without one, random pixels"},
    {"--output", OPTION_TEXT, &output_path, 0, 0, "where a single run writes the result"},
};

/* The transfers are those of the slides: gray, at their size, one kernel with their block. */
#define TRANSFER(mode)                                                                             \
    "--type gray --transfer " mode " --variants naive --sizes 6720x4480 --blocks 32x32"

static const char *const configurations[] = {"--type gray",
                                             "--type rgb24",
                                             "--type rgba32",
                                             "--type f32",
                                             TRANSFER("pinned"),
                                             TRANSFER("mapped"),
                                             TRANSFER("mapped_output"),
                                             TRANSFER("unified"),
                                             TRANSFER("unified_prefetch"),
                                             NULL};

static image photo; /* the input picture as its file has it; empty without one */

static void work_out_weights(void)
{
    int radius = filter_radius(), side = 2 * radius + 1;
    double sigma = filter_sigma(), sum = 0;
    for (int k = 0; k < side; k++) {
        exact_weights[k] = exp(-(k - radius) * (k - radius) / (2 * sigma * sigma));
        sum += exact_weights[k];
    }
    for (int k = 0; k < side; k++) {
        exact_weights[k] /= sum;
        line_weights[k] = (float)exact_weights[k];
    }
    for (int j = 0; j < side; j++)
        for (int i = 0; i < side; i++)
            weights[j * side + i] = (float)(exact_weights[j] * exact_weights[i]);
}

static void configure(bool single_run)
{
    work_out_weights();
    recursive_filter = recursion_for(filter_sigma());
    if (input_path && !photo.pixels)
        photo = picture_read(input_path);
    if (single_run && output_path)
        picture_check_writable(output_path);
}

static void parameters(char *text, size_t bytes)
{
    snprintf(text, bytes, "type=%s;sigma=%g;radius=%d", types[type], filter_sigma(),
             filter_radius());
}

static const char *refuse_size(int width, int height)
{
    static char text[128];
    int side = 2 * filter_radius() + 1;
    if (width >= side && height >= side)
        return NULL;
    snprintf(text, sizeof text, "the filter covers %dx%d pixels; legal are %dx%d to %dx%d", side,
             side, side, side, SIDE_MAX, SIDE_MAX);
    return text;
}

static size_t values(const problem *p)
{
    return (size_t)p->width * p->height * channels();
}

static void layout(problem *p)
{
    size_t bytes = values(p) * (type == F32 ? sizeof(float) : 1);
    problem_add_buffer(p, "input", BUFFER_INPUT, bytes);
    problem_add_buffer(p, "output", BUFFER_OUTPUT, bytes);
    if (type == F32)
        problem_add_buffer(p, "scratch", BUFFER_SCRATCH, bytes);
}

static void fill(const problem *p)
{
    size_t count = values(p);
    uint8_t *bytes = (uint8_t *)(type == F32 ? allocate(count) : p->buffer[INPUT].host);
    if (photo.pixels)
        picture_fit(&photo, input_path, p->width, p->height, channels(), bytes);
    else
        random_fill_bytes(bytes, count, p->seed);
    if (type == F32) {
        for (size_t i = 0; i < count; i++)
            ((float *)p->buffer[INPUT].host)[i] = bytes[i];
        free(bytes);
    }
}

/*
 * Bytes: as in table 1 of the blog post two operations a tap, each of the 2r+1 squared taps, for
 * each channel that is filtered. Floats: those of the separable filter, the fewest of an exact one.
 */
static void work(const problem *p, double *bytes, double *flops)
{
    double pixels = (double)p->width * p->height, side = 2 * filter_radius() + 1;
    int filtered_channels = type == RGBA32 ? 3 : channels();
    *bytes = 2 * (double)values(p) * (type == F32 ? sizeof(float) : 1);
    *flops = pixels * (type == F32 ? 4 * side : 2 * side * side * filtered_channels);
}

/* ---- checking ------------------------------------------------------------------------------- */

/*
 * What check() compares with. For bytes the exact result, rounded; for floats the exact result, and
 * what the recursive filter would give in double precision, worked out when it is first asked for.
 */
typedef struct gaussian_reference {
    uint8_t *bytes;
    double *floats, *recursive;
    bool recursive_known;
} gaussian_reference;

static double input_value(const problem *p, size_t i)
{
    return type == F32 ? ((const float *)p->buffer[INPUT].host)[i]
                       : ((const uint8_t *)p->buffer[INPUT].host)[i];
}

/* Row y of the result in double precision; `sums` is room for a row. */
static void exact_row(const problem *p, int y, double *sums, double *row)
{
    int n = channels(), radius = filter_radius();
    for (int i = 0; i < p->width * n; i++)
        sums[i] = 0;
    for (int k = -radius; k <= radius; k++) {
        size_t start = (size_t)clamp(y + k, p->height) * p->width * n;
        for (int i = 0; i < p->width * n; i++)
            sums[i] += exact_weights[k + radius] * input_value(p, start + i);
    }
    for (int x = 0; x < p->width; x++)
        for (int c = 0; c < n; c++) {
            double sum = 0;
            for (int k = -radius; k <= radius; k++)
                sum += exact_weights[k + radius] * sums[clamp(x + k, p->width) * n + c];
            row[x * n + c] = sum;
        }
}

static void keep_row(const gaussian_reference *r, const problem *p, int y, const double *row)
{
    int n = channels();
    size_t start = (size_t)y * p->width * n;
    for (int i = 0; i < p->width * n; i++) {
        if (type == F32)
            r->floats[start + i] = row[i];
        else if (i % n == 3)
            r->bytes[start + i] = ((const uint8_t *)p->buffer[INPUT].host)[start + i];
        else
            r->bytes[start + i] = (uint8_t)(int)(row[i] + 0.5);
    }
}

static void *reference(const problem *p)
{
    size_t count = values(p), row_bytes = (size_t)p->width * channels() * sizeof(double);
    size_t bytes = type == F32 ? 2 * count * sizeof(double) : count;
    gaussian_reference *r = (gaussian_reference *)allocate(sizeof *r + bytes);
    r->bytes = (uint8_t *)(r + 1);
    r->floats = (double *)(r + 1);
    r->recursive = r->floats + count;
    r->recursive_known = false;
#pragma omp parallel
    {
        double *sums = (double *)allocate(row_bytes), *row = (double *)allocate(row_bytes);
#pragma omp for
        for (int y = 0; y < p->height; y++) {
            exact_row(p, y, sums, row);
            keep_row(r, p, y, row);
        }
        free(sums);
        free(row);
    }
    return r;
}

static void know_recursive(const problem *p, gaussian_reference *r)
{
    int longer = p->width > p->height ? p->width : p->height;
    double sigma = filter_sigma();
    if (r->recursive_known)
        return;
    r->recursive_known = true;
    for (size_t i = 0; i < values(p); i++)
        r->recursive[i] = input_value(p, i);
#pragma omp parallel
    {
        double *w = (double *)allocate((longer + settling_length(sigma)) * sizeof *w);
#pragma omp for
        for (int y = 0; y < p->height; y++)
            recursive_line(r->recursive + (size_t)y * p->width, p->width, 1, w, sigma);
#pragma omp for
        for (int x = 0; x < p->width; x++)
            recursive_line(r->recursive + x, p->height, p->width, w, sigma);
        free(w);
    }
}

/* In levels. Alpha must be equal: one level off counts as two. */
static double byte_error(const void *context, size_t i)
{
    const problem *p = (const problem *)context;
    const gaussian_reference *r = (const gaussian_reference *)p->reference;
    double error = fabs((double)((const uint8_t *)p->buffer[OUTPUT].host)[i] - r->bytes[i]);
    return channels() == 4 && i % 4 == 3 ? 2 * error : error;
}

static double copy_error(const void *context, size_t i)
{
    const problem *p = (const problem *)context;
    return fabs(((const float *)p->buffer[OUTPUT].host)[i] - input_value(p, i));
}

/* Relative: nothing cancels in a sum of products that are not negative. */
static double float_error(const void *context, size_t i)
{
    const problem *p = (const problem *)context;
    double expected = ((const gaussian_reference *)p->reference)->floats[i];
    /* weights so small that float has no room for them may be lost */
    return fabs(((const float *)p->buffer[OUTPUT].host)[i] - expected) / fmax(expected, 1e-30);
}

static double recursive_error(const void *context, size_t i)
{
    const problem *p = (const problem *)context;
    const gaussian_reference *r = (const gaussian_reference *)p->reference;
    return fabs(((const float *)p->buffer[OUTPUT].host)[i] - r->recursive[i]);
}

static double difference_from_gaussian(const void *context, size_t i)
{
    const problem *p = (const problem *)context;
    const gaussian_reference *r = (const gaussian_reference *)p->reference;
    return fabs(((const float *)p->buffer[OUTPUT].host)[i] - r->floats[i]);
}

/*
 * A float sum of 25 products of a byte and a weight is off by less than 27 u 255 = 0.0004 levels,
 * and then rounded: it differs from the exact result, rounded, by a level at most, and only where
 * that is as near to a half.
 */
static check_result check_bytes(const problem *p)
{
    check_result result = check_all(1, p->width * channels(), values(p), byte_error, p);
    size_t off = 0;
#pragma omp parallel for reduction(+ : off)
    for (size_t i = 0; i < values(p); i++)
        off += byte_error(p, i) > 0;
    snprintf(result.note, sizeof result.note, "%zu of %zu values off by a level (%.2g %%)", off,
             values(p), 100.0 * off / values(p));
    return result;
}

/* Its own formula within the bound, and the Gaussian within the other one. */
static check_result check_recursive(const problem *p)
{
    know_recursive(p, (gaussian_reference *)p->reference);
    check_result result =
        check_all(recursion_bound(255, filter_sigma()), p->width, values(p), recursive_error, p);
    double bound =
        gaussian_bound(exact_weights, filter_radius(), filter_sigma()) + result.tolerance;
    check_result difference = check_all(bound, p->width, values(p), difference_from_gaussian, p);
    if (result.wrong == 0) {
        result.wrong = difference.wrong;
        result.first_wrong = difference.first_wrong;
    }
    snprintf(result.note, sizeof result.note,
             "up to %.3g levels from the Gaussian of %d taps a line (at most %.3g)",
             difference.max_error, 2 * filter_radius() + 1, bound);
    return result;
}

/*
 * A sum of n products, in any order, with or without fused multiply-adds, is off by n u relatively,
 * and its weights by another u: 2 (n + 1) u for two lines of n taps, (n^2 + 2) u for all n^2 at
 * once, u = 2^-24.
 */
static check_result check(const problem *p, const variant *v)
{
    double n = 2 * filter_radius() + 1;
    if (type != F32)
        return check_bytes(p);
    if (v->run == launch_recursive)
        return check_recursive(p);
    if (v->run == launch_copy)
        return check_all(0, p->width, values(p), copy_error, p);
    double roundings = v->run == launch_conv2d ? n * n + 2 : 2 * (n + 1);
    return check_all(1.001 * roundings * 0x1p-24, p->width, values(p), float_error, p);
}

/* ---- the result of a single run ------------------------------------------------------------- */

static void present(const problem *p, const variant *v, dim3)
{
    static bool written;
    if (!output_path || (written && v->run == launch_copy))
        return; /* a copy of the input is not to replace the filtered picture */
    uint8_t *pixels = (uint8_t *)allocate(values(p));
    for (size_t i = 0; i < values(p); i++)
        pixels[i] =
            type == F32
                ? (uint8_t)lrintf(fminf(fmaxf(((float *)p->buffer[OUTPUT].host)[i], 0), 255))
                : ((uint8_t *)p->buffer[OUTPUT].host)[i];
    picture_write(output_path, pixels, p->width, p->height, channels());
    free(pixels);
    written = true;
}

/* ---- main ----------------------------------------------------------------------------------- */

static const char *const positional[] = {"--input", "--output", "--blocks", "--trials", "--radius",
                                         "--sigma", "WIDTH",    "HEIGHT",   NULL};

static const lab gaussian = {
    .name = "lab5_gaussian",
    .title = "the Gaussian filter on gray, colour and float pictures",
    .sizes_are = SIZE_IMAGE,
    .sweep = {.sizes = "1024x768 6720x4480",
              .sizes_large = "4096x3072",
              .scaling_size = "1600x1200",
              .emulated_max = 1024 * 768,
              .blocks = "32x32 32x8 16 8 64x4",
              .configurations = configurations},
    .size_min = 1,
    .size_max = SIDE_MAX,
    .block_dimensions = 2,
    .single = {.positional = positional,
               .required = 2,
               .size = "1024x768",
               .block = "32x8",
               .trials = "3"},
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .variants = variants,
    .n_variants = sizeof variants / sizeof variants[0],
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
    return lab_main(&gaussian, argc, argv);
}
