/*
 * bilateral.cu - experiment 3 of the 2012 report: the bilateral filter, which smooths noise and
 * keeps edges. Each output pixel is a weighted mean over the (2r+1) x (2r+1) pixels q around p:
 *
 *   g(p) = sum f(q) s(p,q) / sum s(p,q)
 *   s(p,q) = exp(-|p-q|^2 / (2 sigma_space^2)) exp(-(f(p)-f(q))^2 / (2 sigma_range^2))
 *
 * (equation 1 of the report; Tomasi and Manduchi, Bilateral filtering for gray and color images,
 * ICCV 1998). Where q lies outside the image, f(p) itself stands in for f(q), as in the report.
 *
 * Data: width x height pixels, gray 0..255, row-major, floats or bytes (--type); x is the column, y
 * the row. No side is over 32768, so an int holds every index. Bytes are filtered as floats, and
 * the result is rounded.
 *
 *   cpu            equation (1), serial
 *   cpu_omp        the same, rows spread over the cores
 *   naive          one pixel a thread, equation (1) as it stands (table 12 of the report)
 *   fast_exp       one fast exponential a tap, constants hoisted
 *   shared_tile    the block's pixels and a halo of r around them in shared memory
 *   register_rows  four outputs a thread, and a radius that the compiler knows
 *   exp2_scaled    powers of two of scaled pixels; scales and border are out of the loop
 *   symmetric      each weight is used for both of its pixels, sums in registers
 *   npp            NPP's bilateral filter, where the toolkit has it
 *
 *   make -C lab3_bilateral                            build just this lab
 *   make -C lab3_bilateral run SIZES=1024x768 BLOCKS="8 16 32x8"
 *   build/cuda/bilateral in.bmp out.bmp 16 3 3 30     as the report: block side, trials, r, sigma
 */
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "die.h"
#include "lab.h"
#include "npp.h"
#include "picture.h"
#include "symmetric.cuh"

enum { INPUT, OUTPUT, SCRATCH }; /* buffers, in layout's order */
enum { F32, U8 };

#define SIGMA_MIN 1e-3 /* -1 / (2 sigma^2) is a float; that of 1e-20 is not */

/* The experiment's settings, from the command line. */
static int radius = 3, passes = 1, type = F32;
static double sigma = 30, sigma_space = 0, sigma_range = 0;
static const char *input_path, *output_path;

/* ---- CPU reference -------------------------------------------------------------------------- */

template <class Pixel>
static float filter_pixel(const Pixel *in, filter f, int x, int y)
{
    float center = in[y * f.width + x], numerator = 0, denominator = 0;
    for (int dy = -f.radius; dy <= f.radius; dy++)
        for (int dx = -f.radius; dx <= f.radius; dx++) {
            bool inside = x + dx >= 0 && x + dx < f.width && y + dy >= 0 && y + dy < f.height;
            float value = inside ? in[(y + dy) * f.width + x + dx] : center;
            float difference = value - center;
            float weight = expf(f.space * (float)(dx * dx + dy * dy)) *
                           expf(f.range * difference * difference);
            numerator += weight * value;
            denominator += weight;
        }
    return numerator / denominator;
}

template <class Pixel>
static void filter_serial(const Pixel *in, Pixel *out, filter f, const launch *)
{
    for (int y = 0; y < f.height; y++)
        for (int x = 0; x < f.width; x++)
            put_pixel(&out[y * f.width + x], filter_pixel(in, f, x, y));
}

template <class Pixel>
static void filter_omp(const Pixel *in, Pixel *out, filter f, const launch *)
{
#pragma omp parallel for schedule(dynamic)
    for (int y = 0; y < f.height; y++)
        for (int x = 0; x < f.width; x++)
            put_pixel(&out[y * f.width + x], filter_pixel(in, f, x, y));
}

/* ---- kernels -------------------------------------------------------------------------------- */

/*
 * naive: thread (x, y) makes pixel (x, y), equation (1) as it stands: two exponentials a tap, each
 * accurate to the last bit or two. Any block. Threads of a warp read neighbouring pixels.
 */
template <class Pixel>
__global__ void naive(const Pixel *in, Pixel *out, filter f)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= f.width || y >= f.height)
        return;
    float center = in[y * f.width + x], numerator = 0, denominator = 0;
    for (int dy = -f.radius; dy <= f.radius; dy++)
        for (int dx = -f.radius; dx <= f.radius; dx++) {
            bool inside = x + dx >= 0 && x + dx < f.width && y + dy >= 0 && y + dy < f.height;
            float value = inside ? in[(y + dy) * f.width + x + dx] : center;
            float difference = value - center;
            float weight = expf(f.space * (float)(dx * dx + dy * dy)) *
                           expf(f.range * difference * difference);
            numerator += weight * value;
            denominator += weight;
        }
    put_pixel(&out[y * f.width + x], numerator / denominator);
}

/*
 * fast_exp: against naive, the two exponents are added before one __expf, the hardware's fast
 * exponential, and the row's part of the exponent is worked out once a row. __expf is off by
 * 2 + floor(1.173 |x|) units in the last place (CUDA Programming Guide, intrinsic functions):
 * relatively more the smaller the weight is, and the less it counts. Any block.
 */
template <class Pixel>
__global__ void fast_exp(const Pixel *in, Pixel *out, filter f)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= f.width || y >= f.height)
        return;
    float center = in[y * f.width + x], numerator = 0, denominator = 0;
    for (int dy = -f.radius; dy <= f.radius; dy++) {
        bool row_inside = y + dy >= 0 && y + dy < f.height;
        const Pixel *row = in + (y + dy) * f.width;
        float row_exponent = f.space * (float)(dy * dy);
        for (int dx = -f.radius; dx <= f.radius; dx++) {
            bool inside = row_inside && x + dx >= 0 && x + dx < f.width;
            float value = inside ? row[x + dx] : center;
            float difference = value - center;
            float weight = __expf(row_exponent + f.space * (float)(dx * dx) +
                                  f.range * difference * difference);
            numerator += weight * value;
            denominator += weight;
        }
    }
    put_pixel(&out[y * f.width + x], numerator / denominator);
}

/*
 * shared_tile: against fast_exp, the block first copies its pixels and a halo of r on each side
 * into shared memory, so that a pixel is read from global memory about once instead of (2r+1)^2
 * times. Halo pixels outside the image are marked with NaN, which no pixel is, so the loop needs
 * one test of the value instead of four of the position. Any block whose tile of
 * (bx + 2r)(by + 2r) floats fits shared memory; no thread leaves before the barrier.
 */
template <class Pixel>
__global__ void shared_tile(const Pixel *in, Pixel *out, filter f)
{
    extern __shared__ float tile[];
    int tile_width = blockDim.x + 2 * f.radius, tile_height = blockDim.y + 2 * f.radius;
    int left = blockIdx.x * blockDim.x - f.radius, top = blockIdx.y * blockDim.y - f.radius;
    for (int ty = threadIdx.y; ty < tile_height; ty += blockDim.y)
        for (int tx = threadIdx.x; tx < tile_width; tx += blockDim.x) {
            int x = left + tx, y = top + ty;
            bool inside = x >= 0 && x < f.width && y >= 0 && y < f.height;
            tile[ty * tile_width + tx] = inside ? in[y * f.width + x] : NAN;
        }
    __syncthreads();

    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= f.width || y >= f.height)
        return;
    const float *middle = tile + (threadIdx.y + f.radius) * tile_width + threadIdx.x + f.radius;
    float center = *middle, numerator = 0, denominator = 0;
    for (int dy = -f.radius; dy <= f.radius; dy++) {
        const float *row = middle + dy * tile_width;
        float row_exponent = f.space * (float)(dy * dy);
        for (int dx = -f.radius; dx <= f.radius; dx++) {
            float value = isnan(row[dx]) ? center : row[dx];
            float difference = value - center;
            float weight = __expf(row_exponent + f.space * (float)(dx * dx) +
                                  f.range * difference * difference);
            numerator += weight * value;
            denominator += weight;
        }
    }
    put_pixel(&out[y * f.width + x], numerator / denominator);
}

/*
 * register_rows: against shared_tile, a thread makes ROWS outputs, one below the other, and reads a
 * value from shared memory once for all of them; and the radius is the compiler's, so that the 2R+1
 * taps of a row are unrolled and their values stay in registers. A block of bx x by threads makes
 * bx columns of ROWS by rows. A thread goes down through the ROWS + 2R rows that its outputs need:
 *
 *   row 0      is in the window of output 0
 *   row 1                                 0 1
 *   row 3                                 0 1 2 3
 *   row 2R                                0 1 2 3
 *   row 2R+1                                1 2 3
 *   row 2R+3                                    3
 *
 * Any block whose tile of (bx + 2R)(ROWS by + 2R)
 * floats fits shared memory; no thread leaves before the barrier.
 */
template <class Pixel, int R>
__global__ void register_rows(const Pixel *in, Pixel *out, filter f)
{
    extern __shared__ float tile[];
    fill_tile<R>(tile, in, f.width, f.height, 1, NAN);
    __syncthreads();

    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int top = (blockIdx.y * blockDim.y + threadIdx.y) * ROWS;
    if (x >= f.width || top >= f.height)
        return;
    int tile_width = blockDim.x + 2 * R;
    const float *corner = tile + threadIdx.y * ROWS * tile_width + threadIdx.x;
    float center[ROWS], numerator[ROWS] = {}, denominator[ROWS] = {};
#pragma unroll
    for (int o = 0; o < ROWS; o++)
        center[o] = corner[(o + R) * tile_width + R];
    for (int row = 0; row < ROWS + 2 * R; row++) {
        float value[2 * R + 1];
#pragma unroll
        for (int i = 0; i <= 2 * R; i++)
            value[i] = corner[row * tile_width + i];
#pragma unroll
        for (int o = 0; o < ROWS; o++) {
            int dy = row - o - R;
            if (dy < -R || dy > R)
                continue;
            float row_exponent = f.space * (float)(dy * dy);
#pragma unroll
            for (int i = 0; i <= 2 * R; i++) {
                float tap = isnan(value[i]) ? center[o] : value[i];
                float difference = tap - center[o];
                float weight = __expf(row_exponent + f.space * (float)((i - R) * (i - R)) +
                                      f.range * difference * difference);
                numerator[o] += weight * tap;
                denominator[o] += weight;
            }
        }
    }
#pragma unroll
    for (int o = 0; o < ROWS; o++)
        if (top + o < f.height)
            put_pixel(&out[(top + o) * f.width + x], numerator[o] / denominator[o]);
}

/*
 * exp2_scaled: against register_rows, a tap is a difference, a fused multiply-add for its exponent,
 * the exponential itself, and one more of either for the sums: scales and border are out of the
 * loop (scaled_filter), and the row's part of the weight is multiplied with the row's sums. Any
 * block, as register_rows.
 */
template <class Pixel, int R>
__global__ void exp2_scaled(const Pixel *in, Pixel *out, const __grid_constant__ scaled_filter<R> f)
{
    extern __shared__ float tile[];
    fill_tile<R>(tile, in, f.width, f.height, f.scale, OUTSIDE);
    __syncthreads();

    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int top = (blockIdx.y * blockDim.y + threadIdx.y) * ROWS;
    if (x >= f.width || top >= f.height)
        return;
    int tile_width = blockDim.x + 2 * R;
    const float *corner = tile + threadIdx.y * ROWS * tile_width + threadIdx.x;
    float center[ROWS], numerator[ROWS] = {}, denominator[ROWS] = {};
#pragma unroll
    for (int o = 0; o < ROWS; o++)
        center[o] = corner[(o + R) * tile_width + R];
    for (int row = 0; row < ROWS + 2 * R; row++) {
        float value[2 * R + 1];
#pragma unroll
        for (int i = 0; i <= 2 * R; i++)
            value[i] = corner[row * tile_width + i];
#pragma unroll
        for (int o = 0; o < ROWS; o++) {
            int dy = row - o - R;
            if (dy < -R || dy > R)
                continue;
            float row_numerator = 0, row_denominator = 0;
#pragma unroll
            for (int i = 0; i <= 2 * R; i++) {
                float difference = value[i] - center[o];
                float weight =
                    power_of_two(f.exponent[(i - R) * (i - R)] - difference * difference);
                row_numerator += weight * value[i];
                row_denominator += weight;
            }
            numerator[o] += f.line[abs(dy)] * row_numerator;
            denominator[o] += f.line[abs(dy)] * row_denominator;
        }
    }
    bool edge_columns = x < R || x >= f.width - R;
#pragma unroll
    for (int o = 0; o < ROWS; o++) {
        int y = top + o;
        if (y >= f.height)
            return;
        if (edge_columns || y < R || y >= f.height - R)
            add_outside(f, x, y, center[o], &numerator[o], &denominator[o]);
        put_pixel(&out[y * f.width + x], numerator[o] * reciprocal(denominator[o]) * f.unscale);
    }
}

/*
 * symmetric: against exp2_scaled, each weight is used for both of its pixels: half the
 * exponentials, and two sums more for each (symmetric.cuh). Blocks of whole warps, up to
 * SYMMETRIC_THREADS; the warps have nothing to do with each other.
 */
template <class Pixel, int R>
__global__ void __launch_bounds__(SYMMETRIC_THREADS, R <= 3 ? 2 : 1)
    symmetric(const Pixel *in, Pixel *out, int rows, const __grid_constant__ scaled_filter<R> f)
{
    int threads = blockDim.x * blockDim.y, thread = threadIdx.y * blockDim.x + threadIdx.x;
    int warp = (blockIdx.x * threads + thread) / 32;
    int strips = (f.width + STRIP<R> - 1) / STRIP<R>, top = warp / strips * rows;
    if (top < f.height)
        walk_strip(place_of(in, out, warp % strips, f), top, rows, f);
}

/* ---- launchers ------------------------------------------------------------------------------ */

/*
 * KERNEL of this type of pixel for each radius that its loops are unrolled for. The code, and the
 * time to compile it, grow with the square of the radius: up to 16 it would be a minute.
 */
#define OF_RADII(KERNEL, PIXEL)                                                                    \
    KERNEL<PIXEL, 1>, KERNEL<PIXEL, 2>, KERNEL<PIXEL, 3>, KERNEL<PIXEL, 4>, KERNEL<PIXEL, 5>,      \
        KERNEL<PIXEL, 6>, KERNEL<PIXEL, 7>, KERNEL<PIXEL, 8>

static int unrolled_radius(void)
{
    return radius < 1 ? 1 : radius > UNROLLED_RADIUS_MAX ? UNROLLED_RADIUS_MAX : radius;
}

/* A variant's kernel for the current type of pixel, and for the current radius. */
template <auto... INSTANCES>
static const void *of_type(dim3)
{
    static const void *const all[] = {(const void *)INSTANCES...};
    return all[type];
}

template <auto... INSTANCES>
static const void *of_radius(dim3)
{
    static const void *const all[] = {(const void *)INSTANCES...};
    return all[type * UNROLLED_RADIUS_MAX + unrolled_radius() - 1];
}

#define FOR_TYPE(KERNEL)   of_type<KERNEL<float>, KERNEL<uint8_t>>
#define FOR_RADIUS(KERNEL) of_radius<OF_RADII(KERNEL, float), OF_RADII(KERNEL, uint8_t)>

static const char *refuse_radius(const problem *, dim3)
{
    bool unrolled = radius >= 1 && radius <= UNROLLED_RADIUS_MAX;
    return unrolled ? NULL : "its loops are unrolled for radii 1 to 8";
}

static size_t tile_bytes(const problem *, dim3 block)
{
    return sizeof(float) * (block.x + 2 * radius) * (block.y + 2 * radius);
}

static size_t rows_tile_bytes(const problem *, dim3 block)
{
    return sizeof(float) * (block.x + 2 * radius) * (ROWS * block.y + 2 * radius);
}

/* A block makes bx columns of `rows` by rows. */
static dim3 grid_of(filter f, int rows, dim3 block)
{
    return grid_over(f.width, blocks_for(f.height, rows), block);
}

/* The kernels that take the filter as it is; a thread makes ROWS_A_THREAD pixels. */
template <class Pixel, int ROWS_A_THREAD>
static void pass_gpu(const Pixel *d_in, Pixel *d_out, filter f, const launch *l)
{
    typedef void (*filter_kernel)(const Pixel *in, Pixel *out, filter f);
    filter_kernel kernel = (filter_kernel)l->kernel;
    kernel<<<grid_of(f, ROWS_A_THREAD, l->block), l->block, l->shared_bytes, l->stream>>>(d_in,
                                                                                          d_out, f);
    CUDA_CHECK(cudaGetLastError());
}

template <int R>
static scaled_filter<R> scale_filter(filter f)
{
    const double log2_e = 1.4426950408889634;
    double space = -0.5 * log2_e / (sigma_space * sigma_space);
    double scale = sqrt(0.5 * log2_e) / sigma_range, beyond = 0;
    scaled_filter<R> scaled = {f.width, f.height, (float)scale, (float)(1 / scale)};
    for (int d = 0; d <= 2 * R * R; d++)
        scaled.exponent[d] = (float)(space * d);
    for (int d = R; d >= 0; d--) {
        scaled.line[d] = (float)exp2(space * d * d);
        if (d > 0)
            scaled.beyond[d] = (float)(beyond += exp2(space * d * d));
    }
    scaled.whole = (float)(1 + 2 * beyond);
    return scaled;
}

template <class Pixel, int R>
static void pass_exp2_scaled_of(const Pixel *d_in, Pixel *d_out, filter f, const launch *l)
{
    exp2_scaled<Pixel, R><<<grid_of(f, ROWS, l->block), l->block, l->shared_bytes, l->stream>>>(
        d_in, d_out, scale_filter<R>(f));
    CUDA_CHECK(cudaGetLastError());
}

static const char *refuse_symmetric(const problem *p, dim3 block)
{
    const char *refused = refuse_radius(p, block);
    return refused                  ? refused
           : block.x * block.y % 32 ? "its warps are whole: blocks of a multiple of 32 threads"
           : block.x * block.y > SYMMETRIC_THREADS ? "its registers leave room for 256 threads"
                                                   : NULL;
}

template <class Pixel, int R>
static void pass_symmetric_of(const Pixel *d_in, Pixel *d_out, filter f, const launch *l)
{
    int threads = l->block.x * l->block.y, device, multiprocessors;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    int rows = rows_for(f.width, f.height, R, multiprocessors);
    int warps = blocks_for(f.width, STRIP<R>) * blocks_for(f.height, rows);
    symmetric<Pixel, R><<<blocks_for(32 * warps, threads), l->block, 0, l->stream>>>(
        d_in, d_out, rows, scale_filter<R>(f));
    CUDA_CHECK(cudaGetLastError());
}

template <class Pixel>
using filter_pass = void (*)(const Pixel *in, Pixel *out, filter f, const launch *l);

template <class Pixel>
static void pass_exp2_scaled(const Pixel *d_in, Pixel *d_out, filter f, const launch *l)
{
    static const filter_pass<Pixel> all[] = {OF_RADII(pass_exp2_scaled_of, Pixel)};
    all[radius - 1](d_in, d_out, f, l);
}

template <class Pixel>
static void pass_symmetric(const Pixel *d_in, Pixel *d_out, filter f, const launch *l)
{
    static const filter_pass<Pixel> all[] = {OF_RADII(pass_symmetric_of, Pixel)};
    all[radius - 1](d_in, d_out, f, l);
}

/* Passes go back and forth between the output and the scratch buffer, and end in the output. */
template <class Pixel>
static void repeat(filter_pass<Pixel> pass, const problem *p, const launch *l)
{
    filter f = {p->width, p->height, radius, (float)(-0.5 / (sigma_space * sigma_space)),
                (float)(-0.5 / (sigma_range * sigma_range))};
    const Pixel *in = (const Pixel *)l->buffer[INPUT];
    for (int left = passes - 1; left >= 0; left--) {
        Pixel *out = (Pixel *)l->buffer[left % 2 ? SCRATCH : OUTPUT];
        pass(in, out, f, l);
        in = out;
    }
}

template <auto *FLOATS, auto *BYTES>
static void run_passes(const problem *p, const launch *l)
{
    if (type == U8)
        repeat<uint8_t>(BYTES, p, l);
    else
        repeat<float>(FLOATS, p, l);
}

#define RUN(PASS)          run_passes<PASS<float>, PASS<uint8_t>>
#define RUN_A_THREAD(ROWS) run_passes<pass_gpu<float, ROWS>, pass_gpu<uint8_t, ROWS>>

#ifdef HAVE_NPP
/* NPP takes the squares of the sigmas. Where a tap is outside it takes the nearest pixel. */
template <class Pixel>
static void pass_npp(const Pixel *d_in, Pixel *d_out, filter f, const launch *l)
{
    const NppStreamContext *context = (const NppStreamContext *)l->plan;
    NppiSize size = {f.width, f.height};
    NppiPoint origin = {0, 0};
    int step = f.width * (int)sizeof(Pixel);
    float range = (float)(sigma_range * sigma_range), space = (float)(sigma_space * sigma_space);
    if constexpr (sizeof(Pixel) == 1)
        NPP_CHECK(nppiFilterBilateralGaussBorder_8u_C1R_Ctx(d_in, step, size, origin, d_out, step,
                                                            size, f.radius, 1, range, space,
                                                            NPP_BORDER_REPLICATE, *context));
    else
        NPP_CHECK(nppiFilterBilateralGaussBorder_32f_C1R_Ctx(d_in, step, size, origin, d_out, step,
                                                             size, f.radius, 1, range, space,
                                                             NPP_BORDER_REPLICATE, *context));
}

static void launch_npp(const problem *p, const launch *l)
{
    RUN(pass_npp)(p, l);
}
#else
#define plan_npp_context NULL
#define launch_npp       NULL
#endif

static const char *refuse_npp(const problem *, dim3)
{
    return passes == 1 ? NULL : "its other rule for the border spreads with each pass";
}

/* ---- variants and callbacks ----------------------------------------------------------------- */

static const variant variants[] = {
    SERIAL_VARIANT("equation (1), serial", RUN(filter_serial)),
    OPENMP_VARIANT("equation (1), rows spread over the cores", RUN(filter_omp)),
    /* rows of seven taps; most on integers asks whether a tap is inside the picture */
    GPU_VARIANT("naive", "one pixel a thread, equation (1) as it stands", RUN_A_THREAD(1),
                .cost = {.loads = 1, .fp32 = 19, .int32 = 12, .special = 2},
                .kernel_for = FOR_TYPE(naive)),
    GPU_VARIANT("fast_exp", "one fast exponential a tap, constants hoisted", RUN_A_THREAD(1),
                .cost = {.loads = 1, .fp32 = 9.1, .int32 = 8.9, .special = 1},
                .kernel_for = FOR_TYPE(fast_exp)),
    GPU_VARIANT("shared_tile", "pixels and their halo in shared memory", RUN_A_THREAD(1),
                .cost = {.loads = 1, .fp32 = 9.1, .int32 = 6.7, .special = 1},
                .kernel_for = FOR_TYPE(shared_tile), .shared_bytes = tile_bytes),
    /* these three of radius 3, with halos for blocks of 16x16 */
    GPU_VARIANT("register_rows", "four outputs a thread, a radius that the compiler knows",
                RUN_A_THREAD(ROWS),
                .cost = {.loads = 0.39, .fp32 = 8.6, .int32 = 3.7, .special = 1},
                .kernel_for = FOR_RADIUS(register_rows), .shared_bytes = rows_tile_bytes,
                .refuse = refuse_radius),
    GPU_VARIANT("exp2_scaled", "powers of 2 of scaled pixels, the border out of the loop",
                RUN(pass_exp2_scaled),
                .cost = {.loads = 0.39, .fp32 = 4.3, .int32 = 0.45, .special = 1},
                .kernel_for = FOR_RADIUS(exp2_scaled), .shared_bytes = rows_tile_bytes,
                .refuse = refuse_radius),
    GPU_VARIANT("symmetric", "each weight for both of its pixels, sums in registers",
                RUN(pass_symmetric),
                .cost = {.loads = 0.02, .fp32 = 3.2, .int32 = 0.4, .special = 0.54},
                .kernel_for = FOR_RADIUS(symmetric), .refuse = refuse_symmetric),
    VENDOR_VARIANT("npp", "NPP's FilterBilateralGaussBorder", launch_npp, .needs = "NPP",
                   .refuse = refuse_npp, .plan = plan_npp_context, .release = free, .singly = true,
                   .note = "takes the nearest pixel for a tap outside the picture; timed singly"),
};

static const char *const types[] = {"f32", "u8", NULL};

static const lab_option options[] = {
    {"--type", OPTION_CHOICE, &type, 0, 0, "of a pixel: f32 or u8", types},
    {"--input", OPTION_TEXT, &input_path, 0, 0, "picture to filter; without one, random pixels"},
    {"--output", OPTION_OUTPUT, &output_path, 0, 0, "where a single run writes the result"},
    {"--radius", OPTION_INT, &radius, 0, 100, "r: the filter covers (2r+1) x (2r+1) pixels"},
    {"--sigma", OPTION_DOUBLE, &sigma, SIGMA_MIN, 1e6, "both sigmas, in pixels and in gray levels"},
    {"--sigma-space", OPTION_DOUBLE, &sigma_space, 0, 1e6, "in pixels; 0 for --sigma's"},
    {"--sigma-range", OPTION_DOUBLE, &sigma_range, 0, 1e6, "in gray levels; 0 for --sigma's"},
    {"--passes", OPTION_INT, &passes, 1, 100, "apply the filter this often"},
};

/*
 * Beside the report's filter a wider one, and bytes: of a large picture, by the faster kernels. No
 * others, or a machine without a GPU would work out what to compare with, for minutes.
 */
#define ALSO(setting) setting " --variants exp2_scaled,symmetric --sizes 8192x6144 --blocks 16,16x8"

static const char *const configurations[] = {"--type f32 --radius 3", ALSO("--type f32 --radius 7"),
                                             ALSO("--type u8 --radius 3"), NULL};

static image photo; /* the input picture, empty without one */

static void settle_sigma(const char *option, double *own)
{
    if (*own == 0)
        *own = sigma;
    if (*own < SIGMA_MIN)
        die_bad_input("%s: %g is neither 0 nor %g or more", option, *own, SIGMA_MIN);
}

static void configure(void)
{
    settle_sigma("--sigma-space", &sigma_space);
    settle_sigma("--sigma-range", &sigma_range);
    picture_load(&photo, input_path);
    picture_check_writable(output_path);
}

static void parameters(char *text, size_t bytes)
{
    snprintf(text, bytes, "radius=%d;sigma_space=%g;sigma_range=%g;passes=%d;type=%s", radius,
             sigma_space, sigma_range, passes, types[type]);
}

static size_t pixel_bytes(void)
{
    return type == U8 ? 1 : sizeof(float);
}

static void layout(problem *p)
{
    size_t bytes = (size_t)p->width * p->height * pixel_bytes();
    problem_add_buffer(p, "input", BUFFER_INPUT, bytes);
    problem_add_buffer(p, "output", BUFFER_OUTPUT, bytes);
    if (passes > 1)
        problem_add_buffer(p, "scratch", BUFFER_SCRATCH, bytes);
}

static void fill(const problem *p)
{
    void *pixels = p->buffer[INPUT].host;
    if (type == U8)
        picture_fit(&photo, input_path, p->width, p->height, 1, p->seed, (uint8_t *)pixels);
    else
        picture_fit_floats(&photo, input_path, p->width, p->height, p->seed, (float *)pixels);
}

/* ---- checking ------------------------------------------------------------------------------- */

/* A pixel in double precision, and how far a variant's may be from it. */
typedef struct exact_pixel {
    double value, off;
} exact_pixel;

/* Of the taps (dx, dy) away whose pixels differ by so much. */
static double exact_weight(int dx, int dy, double difference)
{
    return exp(-((double)dx * dx + (double)dy * dy) / (2 * sigma_space * sigma_space)) *
           exp(-difference * difference / (2 * sigma_range * sigma_range));
}

static double pixel_at(const lab_buffer *b, size_t i)
{
    return type == U8 ? ((const uint8_t *)b->host)[i] : ((const float *)b->host)[i];
}

/* What a pass filters: what the pass before has made, or the input. */
static exact_pixel pixel_before(const problem *p, const exact_pixel *before, int x, int y)
{
    size_t i = (size_t)y * p->width + x;
    return before ? before[i] : exact_pixel{pixel_at(&p->buffer[INPUT], i), 0};
}

/*
 * Calls visit(dx, dy, pixel) for each tap. Where one is outside the picture the middle pixel stands
 * in, or, if the picture's edge is repeated, the nearest.
 */
template <class Visit>
static void each_tap(const problem *p, const exact_pixel *before, int px, int py, bool repeated,
                     Visit visit)
{
    for (int y = py - radius; y <= py + radius; y++)
        for (int x = px - radius; x <= px + radius; x++) {
            int near_x = min(max(x, 0), p->width - 1), near_y = min(max(y, 0), p->height - 1);
            bool middle = !repeated && (x != near_x || y != near_y);
            visit(x - px, y - py,
                  pixel_before(p, before, middle ? px : near_x, middle ? py : near_y));
        }
}

/*
 * What one pass rounds off at most, relatively, but absolutely below one gray level. Of n taps each
 * sum rounds n times, u = 2^-24; a weight exp(-t) is off by (8.4 t + 9) u; t is in the mean at most
 * ln(255 n) in the numerator and ln n in the denominator. docs/tolerances.md has the proof.
 */
static double one_pass_bound(void)
{
    double side = 2 * radius + 1, n = side * side;
    return 1.01 * 0x1p-24 * (8.4 * log(255 * n * n) + 2 * n + 18);
}

/*
 * One pixel of equation (1) in double precision, written apart from the variants above; and how far
 * it is off where the pixels before it are (docs/tolerances.md): two come nearer or go further
 * apart by both of theirs, so a weight lies between `least` and `most`. More than one level is not
 * allowed.
 */
static exact_pixel reference_pixel(const problem *p, const exact_pixel *before, int px, int py,
                                   bool repeated)
{
    exact_pixel center = pixel_before(p, before, px, py);
    double sum = 0, weights = 0, moved = 0, least_weights = 0;
    each_tap(p, before, px, py, repeated, [&](int dx, int dy, exact_pixel q) {
        double weight = exact_weight(dx, dy, q.value - center.value);
        sum += weight * q.value;
        weights += weight;
    });
    double value = sum / weights, own = one_pass_bound() * fmax(value, 1);
    if (!before)
        return {value, own};
    each_tap(p, before, px, py, repeated, [&](int dx, int dy, exact_pixel q) {
        double apart = fabs(q.value - center.value), both = q.off + center.off;
        double weight = exact_weight(dx, dy, apart);
        double least = exact_weight(dx, dy, apart + both);
        double most = exact_weight(dx, dy, fmax(apart - both, 0));
        moved += most * q.off + fmax(most - weight, weight - least) * fabs(q.value - value);
        least_weights += least;
    });
    return {value, own + fmin(moved / least_weights, 1)};
}

/* As a picture holds it: of a byte the nearest one, and how many levels from it are right, too. */
static exact_pixel stored(exact_pixel exact)
{
    double nearest = floor(exact.value + 0.5);
    if (type == F32)
        return exact;
    return {nearest, floor(exact.off + 0.5 + fabs(exact.value - nearest))};
}

static void *reference(const problem *p)
{
    const size_t count = (size_t)p->width * p->height;
    exact_pixel *before = NULL, *after = NULL;
    for (int pass = 0; pass < passes; pass++) {
        exact_pixel *free_one = pass < 2 ? (exact_pixel *)allocate(count * sizeof *after) : before;
        before = after;
        after = free_one;
#pragma omp parallel for schedule(dynamic)
        for (int y = 0; y < p->height; y++)
            for (int x = 0; x < p->width; x++)
                after[y * p->width + x] = stored(reference_pixel(p, before, x, y, false));
    }
    free(before);
    return after;
}

static bool by_npp; /* what is checked */

/* Of NPP's rule for the border, too, by which only pixels near the edge differ. */
static exact_pixel expected_at(const problem *p, size_t i)
{
    int x = (int)(i % p->width), y = (int)(i / p->width);
    bool edge = x < radius || y < radius || x >= p->width - radius || y >= p->height - radius;
    return by_npp && edge ? stored(reference_pixel(p, NULL, x, y, true))
                          : ((const exact_pixel *)p->reference)[i];
}

/* In units that make one_pass_bound() the tolerance of any number of passes. */
static checked value_at(const void *context, size_t i)
{
    const problem *p = (const problem *)context;
    exact_pixel expected = expected_at(p, i);
    return {pixel_at(&p->buffer[OUTPUT], i), expected.value, expected.off / one_pass_bound()};
}

/*
 * In levels. Where the nearest byte is demanded, one level off counts as two. NPP cuts fractions
 * off: of it one level is right.
 */
static checked byte_at(const void *context, size_t i)
{
    const problem *p = (const problem *)context;
    exact_pixel expected = expected_at(p, i);
    return {pixel_at(&p->buffer[OUTPUT], i), expected.value, fmax(expected.off, by_npp ? 1 : 0.5)};
}

static check_result check(const problem *p, const variant *v)
{
    by_npp = v->kind == VARIANT_VENDOR;
    size_t pixels = (size_t)p->width * p->height;
    if (type == F32)
        return check_all(one_pass_bound(), p->width, pixels, value_at, p);
    check_result result = check_all(1, p->width, pixels, byte_at, p);
    snprintf(result.note, sizeof result.note, "%zu of %zu pixels off by a level (%.2g %%)",
             result.unequal, pixels, 100.0 * result.unequal / pixels);
    return result;
}

/* A tap: difference, square, two scalings and a sum, exponential, product and two sums. */
static lab_work work(const problem *p)
{
    double pixels = (double)passes * p->width * p->height, side = 2 * radius + 1;
    return {.bytes = pixels * 2 * (double)pixel_bytes(),
            .flops = pixels * (9 * side * side + 1),
            .steps = pixels * side * side};
}

static void present(const problem *p, const variant *, dim3)
{
    const void *pixels = p->buffer[OUTPUT].host;
    if (type == U8)
        picture_write(output_path, (const uint8_t *)pixels, p->width, p->height, 1);
    else
        picture_write_floats(output_path, (const float *)pixels, p->width, p->height);
}

/* ---- main ----------------------------------------------------------------------------------- */

static const char *const positional[] = {"--input", "--output", "--blocks", "--trials", "--radius",
                                         "--sigma", "WIDTH",    "HEIGHT",   NULL};

static const lab bilateral = {
    .name = "lab3_bilateral",
    .title = "the bilateral filter on gray pictures",
    .sizes_are = SIZE_IMAGE,
    .sweep = {.sizes = "32x24 64x48 128x96 256x192 512x384 1024x768",
              .sizes_large = "2048x1536 4096x3072 8192x6144",
              .scaling_size = "512x384",
              .emulated_max = 1024 * 768,
              .blocks = "1 2 4 8 16 32",
              .configurations = configurations},
    .size_max = IMAGE_MAX_SIDE,
    .block_dimensions = 2,
    .single =
        {.positional = positional, .required = 2, .size = "1024x768", .block = "16", .trials = "1"},
    LAB_OPTIONS(options),
    LAB_VARIANTS(variants),
    .configure = configure,
    .parameters = parameters,
    .layout = layout,
    .fill = fill,
    .reference = reference,
    .check = check,
    .work = work,
    .present = present,
};

int main(int argc, char **argv)
{
    return lab_main(&bilateral, argc, argv);
}
