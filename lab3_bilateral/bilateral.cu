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
 *   table8         of bytes: weights from a table of differences, both sums in one register
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
#include "random.h"
#include "symmetric.cuh"
#include "table8.cuh"

enum { INPUT, OUTPUT, SCRATCH }; /* buffers, in layout's order */
enum { F32, U8, RGB24 };

#define SIGMA_MIN 1e-3 /* -1 / (2 sigma^2) is a float; that of 1e-20 is not */

/* The experiment's settings, from the command line. */
static int radius = 3, passes = 1, type = F32, border = MIDDLE, not_finite = 0;
static double sigma = 30, sigma_space = 0, sigma_range = 0;
static const char *input_path, *output_path;

/* ---- CPU reference -------------------------------------------------------------------------- */

/* Equation (1) as it stands, for pixel (x, y): two exponentials a tap. */
template <int BORDER, class Pixel>
__host__ __device__ static auto filter_pixel(const Pixel *in, filter f, int x, int y)
{
    auto center = value_of(in[y * f.width + x]), numerator = decltype(center){};
    float denominator = 0;
    for (int dy = -f.radius; dy <= f.radius; dy++)
        for (int dx = -f.radius; dx <= f.radius; dx++) {
            auto value = tap<BORDER>(in, f, x + dx, y + dy, center);
            float weight = expf(f.space * (float)(dx * dx + dy * dy)) *
                           expf(range_exponent(f.range, value, center));
            add_weighted(&numerator, weight, value);
            denominator += weight;
        }
    return quotient(numerator, denominator);
}

template <class Pixel>
static auto filter_pixel_on_cpu(const Pixel *in, filter f, int x, int y)
{
    return border == REPLICATE ? filter_pixel<REPLICATE>(in, f, x, y)
           : border == REFLECT ? filter_pixel<REFLECT>(in, f, x, y)
                               : filter_pixel<MIDDLE>(in, f, x, y);
}

template <class Pixel>
static void filter_serial(const Pixel *in, Pixel *out, filter f, const launch *)
{
    for (int y = 0; y < f.height; y++)
        for (int x = 0; x < f.width; x++)
            put_pixel(&out[y * f.width + x], filter_pixel_on_cpu(in, f, x, y));
}

template <class Pixel>
static void filter_omp(const Pixel *in, Pixel *out, filter f, const launch *)
{
#pragma omp parallel for schedule(dynamic)
    for (int y = 0; y < f.height; y++)
        for (int x = 0; x < f.width; x++)
            put_pixel(&out[y * f.width + x], filter_pixel_on_cpu(in, f, x, y));
}

/* ---- kernels -------------------------------------------------------------------------------- */

/*
 * naive: thread (x, y) makes pixel (x, y), equation (1) as it stands: two exponentials a tap, each
 * accurate to the last bit or two. Any block. Threads of a warp read neighbouring pixels.
 */
template <int BORDER, class Pixel>
__global__ void naive(const Pixel *in, Pixel *out, filter f)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < f.width && y < f.height)
        put_pixel(&out[y * f.width + x], filter_pixel<BORDER>(in, f, x, y));
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
 * times. Halo pixels outside the image are marked with NaN, which no pixel is (not_nan), so the
 * loop needs one test of the value instead of four of the position. Any block whose tile of (bx +
 * 2r)(by + 2r) floats fits shared memory; no thread leaves before the barrier.
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
            tile[ty * tile_width + tx] = inside ? not_nan(in[y * f.width + x]) : NAN;
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
__global__ void __launch_bounds__(SYMMETRIC_THREADS, blocks_of(R))
    symmetric(const Pixel *in, Pixel *out, shares s, const __grid_constant__ scaled_filter<R> f)
{
    int thread = threadIdx.y * blockDim.x + threadIdx.x, lane = thread % 32;
    pixel_word<float, COLUMNS> *memory = NULL;
    if constexpr (IN_SHARED<R>) {
        extern __shared__ float4 open_memory[];
        memory = (pixel_word<float, COLUMNS> *)open_memory + thread / 32 * R * WORDS + lane;
    }
    share mine = share_of(s, (blockIdx.x * blockDim.x * blockDim.y + thread) / 32);
    if (mine.top < f.height)
        walk_strip(place_of<false, R, COLUMNS>(in, out, mine.strip, lane, f), mine.top, mine.rows,
                   memory, f);
}

/*
 * The same for small pictures of an even width, of radius 3 at most: two columns a lane make more
 * warps, and those of a block are one below the other and hand sums up.
 */
template <class Pixel, int R>
__global__ void __launch_bounds__(SYMMETRIC_THREADS, 3)
    symmetric_stack(const Pixel *in, Pixel *out, stacks s,
                    const __grid_constant__ scaled_filter<R> f)
{
    extern __shared__ float4 open_memory[];
    int thread = threadIdx.y * blockDim.x + threadIdx.x, lane = thread % 32;
    int warp = thread / 32, warps = blockDim.x * blockDim.y / 32;
    bool last = warp + 1 == warps;
    int top = blockIdx.y * s.block + warp * s.rows, rows = s.rows - last;
    pixel_word<float, 2> *word = (pixel_word<float, 2> *)open_memory + warp * R * HANDED + lane;
    walk_stack(place_of<true, R, 2>(in, out, blockIdx.x, lane, f), top, rows,
               {word, warp > 0, !last}, f);
}

/*
 * table8: against symmetric, the weights of bytes' differences come from a table, and both sums of
 * a pixel are halves in one register (table8.cuh). Blocks of whole warps; one has a
 * multiprocessor's shared memory for itself, so the larger the better.
 */
template <class Byte, int R>
__global__ void __launch_bounds__(TABLE_THREADS, 1)
    table8(const Byte *in, Byte *out, shares s, const __grid_constant__ table_filter<R> f)
{
    extern __shared__ __half2 table[];
    fill_table(table, f.scaled.scale);
    __syncthreads();

    int thread = threadIdx.y * blockDim.x + threadIdx.x, lane = thread % 32;
    const char *column = (const char *)(table + 32 * TABLE_OUTSIDE + lane);
    share mine = share_of(s, (blockIdx.x * blockDim.x * blockDim.y + thread) / 32);
    if (mine.top < f.scaled.height)
        walk_table(column, place_of<false, R, COLUMNS>(in, out, mine.strip, lane, f.scaled),
                   mine.top, mine.rows, f);
}

/* ---- launchers ------------------------------------------------------------------------------ */

/*
 * KERNEL of this type of pixel for each radius that its loops are unrolled for. The code, and the
 * time to compile it, grow with the radius, for some with its square. A build that checks accesses
 * or races takes the longest: it has one radius of each kind.
 */
#ifndef CHECK_BUILD
#define TO_RADIUS_4(KERNEL, PIXEL)                                                                 \
    KERNEL<PIXEL, 1>, KERNEL<PIXEL, 2>, KERNEL<PIXEL, 3>, KERNEL<PIXEL, 4>
#define TO_RADIUS_8(KERNEL, PIXEL)                                                                 \
    TO_RADIUS_4(KERNEL, PIXEL), KERNEL<PIXEL, 5>, KERNEL<PIXEL, 6>, KERNEL<PIXEL, 7>,              \
        KERNEL<PIXEL, 8>
#define TO_RADIUS_16(KERNEL, PIXEL)                                                                \
    TO_RADIUS_8(KERNEL, PIXEL), KERNEL<PIXEL, 9>, KERNEL<PIXEL, 10>, KERNEL<PIXEL, 11>,            \
        KERNEL<PIXEL, 12>, KERNEL<PIXEL, 13>, KERNEL<PIXEL, 14>, KERNEL<PIXEL, 15>,                \
        KERNEL<PIXEL, 16>
#else
#define TO_RADIUS_4(KERNEL, PIXEL) KERNEL<PIXEL, 1>, nullptr, KERNEL<PIXEL, 3>, nullptr
#define TO_RADIUS_8(KERNEL, PIXEL)                                                                 \
    TO_RADIUS_4(KERNEL, PIXEL), nullptr, nullptr, nullptr, KERNEL<PIXEL, 8>
#define TO_RADIUS_16(KERNEL, PIXEL)                                                                \
    TO_RADIUS_8(KERNEL, PIXEL), nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,     \
        nullptr
#endif

/* Why there is no kernel of this radius; NULL where there is. */
static const char *refuse_radius(int most)
{
#ifdef CHECK_BUILD
    if (radius != 1 && radius != 3 && radius != 8)
        return "of its radii a build with checks has 1, 3 and 8";
#endif
    return radius >= 1 && radius <= most ? NULL
           : most == 4                   ? "its loops are unrolled for radii 1 to 4"
           : most == 8                   ? "its loops are unrolled for radii 1 to 8"
                                         : "its loops are unrolled for radii 1 to 16";
}

/* A variant's kernel for the current type of pixel, and for the current border or radius. */
template <auto... INSTANCES>
static const void *of_type_and_border(dim3)
{
    static const void *const all[] = {(const void *)INSTANCES...};
    return all[type * BORDERS + border];
}

template <auto... INSTANCES>
static const void *of_type(dim3)
{
    static const void *const all[] = {(const void *)INSTANCES...};
    return all[type == U8];
}

template <int MOST, auto... INSTANCES>
static const void *of_radius(dim3)
{
    static const void *const all[] = {(const void *)INSTANCES...};
    int first = type == U8 && sizeof all > MOST * sizeof all[0] ? MOST : 0;
    return all[first + min(max(radius, 1), MOST) - 1];
}

#define OF_BORDERS(KERNEL, PIXEL)                                                                  \
    KERNEL<MIDDLE, PIXEL>, KERNEL<REPLICATE, PIXEL>, KERNEL<REFLECT, PIXEL>

#define FOR_TYPE_AND_BORDER(KERNEL)                                                                \
    of_type_and_border<OF_BORDERS(KERNEL, float), OF_BORDERS(KERNEL, uint8_t),                     \
                       OF_BORDERS(KERNEL, rgb24)>
#define FOR_TYPE(KERNEL)     of_type<KERNEL<float>, KERNEL<uint8_t>>
#define FOR_RADIUS_8(KERNEL) of_radius<8, TO_RADIUS_8(KERNEL, float), TO_RADIUS_8(KERNEL, uint8_t)>
#define FOR_RADIUS_16(KERNEL)                                                                      \
    of_radius<16, TO_RADIUS_16(KERNEL, float), TO_RADIUS_16(KERNEL, uint8_t)>

static const char *refuse_colour(const problem *, dim3)
{
    return type == RGB24 ? "it filters gray pictures" : NULL;
}

static const char *refuse_colour_and_border(const problem *p, dim3 block)
{
    return border != MIDDLE ? "beyond the edge it has the report's rule alone"
                            : refuse_colour(p, block);
}

static const char *refuse_to_radius_8(const problem *p, dim3 block)
{
    const char *refused = refuse_radius(8);
    return refused ? refused : refuse_colour_and_border(p, block);
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
    const char *refused = refuse_radius(16);
    return refused                  ? refused
           : block.x * block.y % 32 ? "its warps are whole: blocks of a multiple of 32 threads"
           : block.x * block.y > SYMMETRIC_THREADS ? "its registers leave room for 256 threads"
                                                   : refuse_colour_and_border(p, block);
}

/* Of a small radius the open rows are in registers. */
static size_t symmetric_bytes(const problem *, dim3 block)
{
    size_t ring = sizeof(pixel_word<float, COLUMNS>) * WORDS * radius;
    return radius > IN_REGISTERS ? block.x * block.y / 32 * ring : 0;
}

template <class Pixel, int R>
static void launch_stacks(const Pixel *d_in, Pixel *d_out, filter f, const launch *l)
{
    int warps = l->block.x * l->block.y / 32;
    size_t handed = sizeof(pixel_word<float, 2>) * HANDED * R * warps;
    stacks s = stacks_for(strips_of<R, 2>(f.width), f.height, R, warps, multiprocessors());
    dim3 blocks(strips_of<R, 2>(f.width), blocks_for(f.height, s.block));
    symmetric_stack<Pixel, R>
        <<<blocks, l->block, handed, l->stream>>>(d_in, d_out, s, scale_filter<R>(f));
    CUDA_CHECK(cudaGetLastError());
}

template <class Pixel, int R>
static void pass_symmetric_of(const Pixel *d_in, Pixel *d_out, filter f, const launch *l)
{
    if constexpr (R <= 3)
        if (f.width % 2 == 0 && f.width * f.height < 16384 * multiprocessors())
            return launch_stacks<Pixel, R>(d_in, d_out, f, l);
    shares s = shares_for(strips_of<R, COLUMNS>(f.width), f.height, R, multiprocessors(),
                          R <= 3 || IN_SHARED<R>);
    int threads = l->block.x * l->block.y, blocks = blocks_for(32 * warps_of(s, f.height), threads);
    symmetric<Pixel, R>
        <<<blocks, l->block, l->shared_bytes, l->stream>>>(d_in, d_out, s, scale_filter<R>(f));
    CUDA_CHECK(cudaGetLastError());
}

static size_t table_bytes(const problem *, dim3)
{
    return TABLE_ENTRIES * TABLE_LEVEL;
}

static const char *refuse_table8(const problem *p, dim3 block)
{
    const char *refused = refuse_radius(4);
    return type != U8 ? "needs --type u8" : refused ? refused : refuse_colour_and_border(p, block);
}

template <class Byte, int R>
static void pass_table8_of(const Byte *d_in, Byte *d_out, filter f, const launch *l)
{
    table_filter<R> t = {scale_filter<R>(f)};
    for (int squared = 0; squared <= 2 * R * R; squared++) {
        float weight = exp2f(t.scaled.exponent[squared]);
        t.both[squared] = __floats2half2_rn(weight, weight);
        t.opposite[squared] = __floats2half2_rn(weight, -weight);
    }
    shares s = shares_for_table(strips_of<R, COLUMNS>(f.width), f.height, multiprocessors());
    int blocks = blocks_for(32 * warps_of(s, f.height), l->block.x);
    table8<Byte, R><<<blocks, l->block, l->shared_bytes, l->stream>>>(d_in, d_out, s, t);
    CUDA_CHECK(cudaGetLastError());
}

template <class Pixel>
using filter_pass = void (*)(const Pixel *in, Pixel *out, filter f, const launch *l);

template <class Pixel>
static void pass_exp2_scaled(const Pixel *d_in, Pixel *d_out, filter f, const launch *l)
{
    static const filter_pass<Pixel> all[] = {TO_RADIUS_8(pass_exp2_scaled_of, Pixel)};
    all[radius - 1](d_in, d_out, f, l);
}

template <class Pixel>
static void pass_symmetric(const Pixel *d_in, Pixel *d_out, filter f, const launch *l)
{
    static const filter_pass<Pixel> all[] = {TO_RADIUS_16(pass_symmetric_of, Pixel)};
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

/* The same of a variant that serves colours and borders, too. */
template <auto *FLOATS, auto *BYTES, auto *COLOURS>
static void run_any_passes(const problem *p, const launch *l)
{
    if (type == RGB24)
        repeat<rgb24>(COLOURS, p, l);
    else
        run_passes<FLOATS, BYTES>(p, l);
}

#define RUN(PASS)          run_passes<PASS<float>, PASS<uint8_t>>
#define RUN_ANY(PASS)      run_any_passes<PASS<float>, PASS<uint8_t>, PASS<rgb24>>
#define RUN_A_THREAD(ROWS) run_passes<pass_gpu<float, ROWS>, pass_gpu<uint8_t, ROWS>>
#define RUN_A_PIXEL        run_any_passes<pass_gpu<float, 1>, pass_gpu<uint8_t, 1>, pass_gpu<rgb24, 1>>

static void pass_table8(const uint8_t *d_in, uint8_t *d_out, filter f, const launch *l)
{
    static const filter_pass<uint8_t> all[] = {TO_RADIUS_4(pass_table8_of, uint8_t)};
    all[radius - 1](d_in, d_out, f, l);
}

static void launch_table8(const problem *p, const launch *l)
{
    repeat<uint8_t>(pass_table8, p, l);
}

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

static const char *refuse_npp(const problem *p, dim3 block)
{
    if (not_finite)
        return "it is not asked what it makes of pixels that are no numbers";
    if (passes > 1 && border != REPLICATE)
        return "its other rule for the border spreads with each pass";
    if (passes > 1 && type == U8)
        return "it rounds to bytes after each pass in a way of its own";
    return refuse_colour(p, block);
}

/* ---- variants and callbacks ----------------------------------------------------------------- */

static const variant variants[] = {
    SERIAL_VARIANT("equation (1), serial", RUN_ANY(filter_serial)),
    OPENMP_VARIANT("equation (1), rows spread over the cores", RUN_ANY(filter_omp)),
    /* rows of seven taps; most on integers asks whether a tap is inside the picture */
    GPU_VARIANT("naive", "one pixel a thread, equation (1) as it stands", RUN_A_PIXEL,
                .cost = {.loads = 1, .fp32 = 19, .int32 = 12, .special = 2},
                .kernel_for = FOR_TYPE_AND_BORDER(naive)),
    GPU_VARIANT("fast_exp", "one fast exponential a tap, constants hoisted", RUN_A_THREAD(1),
                .cost = {.loads = 1, .fp32 = 9.1, .int32 = 8.9, .special = 1},
                .kernel_for = FOR_TYPE(fast_exp), .refuse = refuse_colour_and_border),
    GPU_VARIANT("shared_tile", "pixels and their halo in shared memory", RUN_A_THREAD(1),
                .cost = {.loads = 1, .fp32 = 9.1, .int32 = 6.7, .special = 1},
                .kernel_for = FOR_TYPE(shared_tile), .shared_bytes = tile_bytes,
                .refuse = refuse_colour_and_border),
    /* these three of radius 3, with halos for blocks of 16x16 */
    GPU_VARIANT("register_rows", "four outputs a thread, a radius that the compiler knows",
                RUN_A_THREAD(ROWS),
                .cost = {.loads = 0.39, .fp32 = 8.6, .int32 = 3.7, .special = 1},
                .kernel_for = FOR_RADIUS_8(register_rows), .shared_bytes = rows_tile_bytes,
                .refuse = refuse_to_radius_8),
    GPU_VARIANT("exp2_scaled", "powers of 2 of scaled pixels, the border out of the loop",
                RUN(pass_exp2_scaled),
                .cost = {.loads = 0.39, .fp32 = 4.3, .int32 = 0.45, .special = 1},
                .kernel_for = FOR_RADIUS_8(exp2_scaled), .shared_bytes = rows_tile_bytes,
                .refuse = refuse_to_radius_8),
    GPU_VARIANT("symmetric", "each weight for both of its pixels, sums in registers",
                RUN(pass_symmetric),
                .cost = {.loads = 0.02, .fp32 = 3.2, .int32 = 0.4, .special = 0.54},
                .kernel_for = FOR_RADIUS_16(symmetric), .shared_bytes = symmetric_bytes,
                .refuse = refuse_symmetric),
    GPU_VARIANT("table8", "weights from a table of the differences of bytes, sums in halves",
                launch_table8, .own_block = TABLE_THREADS,
                .cost = {.loads = 0.5, .fp32 = 1.2, .int32 = 0.8},
                .kernel_for = of_radius<4, TO_RADIUS_4(table8, uint8_t)>,
                .shared_bytes = table_bytes, .refuse = refuse_table8),
    VENDOR_VARIANT("npp", "NPP's FilterBilateralGaussBorder", launch_npp, .needs = "NPP",
                   .refuse = refuse_npp, .plan_once = plan_npp_context, .release = free,
                   .singly = true,
                   .note = "takes the nearest pixel for a tap outside the picture; timed singly"),
};

static const char *const types[] = {"f32", "u8", "rgb24", NULL};
static const char *const borders[] = {"middle", "replicate", "reflect", NULL};

static const lab_option options[] = {
    {"--type", OPTION_CHOICE, &type, 0, 0, "of a pixel: f32, u8 or rgb24", types},
    {"--border", OPTION_CHOICE, &border, 0, 0,
     "outside the picture: the window's middle, the nearest pixel or the mirror image", borders},
    {"--input", OPTION_TEXT, &input_path, 0, 0, "picture to filter; without one, random pixels"},
    {"--output", OPTION_OUTPUT, &output_path, 0, 0, "where a single run writes the result"},
    {"--radius", OPTION_INT, &radius, 0, 100, "r: the filter covers (2r+1) x (2r+1) pixels"},
    {"--sigma", OPTION_DOUBLE, &sigma, SIGMA_MIN, 1e6, "both sigmas, in pixels and in gray levels"},
    {"--sigma-space", OPTION_DOUBLE, &sigma_space, 0, 1e6, "in pixels; 0 for --sigma's"},
    {"--sigma-range", OPTION_DOUBLE, &sigma_range, 0, 1e6, "in gray levels; 0 for --sigma's"},
    {"--passes", OPTION_INT, &passes, 1, 100, "apply the filter this often"},
    {"--not-finite", OPTION_INT, &not_finite, 0, 1000000,
     "so many pixels of f32 are no numbers or infinite"},
};

/*
 * Beside the report's filter a wider one, and bytes: of a large picture, by the faster kernels. No
 * others, or a machine without a GPU would work out what to compare with, for minutes.
 */
#define ALSO(setting, variants)                                                                    \
    {                                                                                              \
        .options = setting " --variants exp2_scaled,symmetric" variants                            \
                           " --sizes 8192x6144 --blocks 16,16x8",                                  \
        .full = true                                                                               \
    }

static const lab_settings configurations[] = {
    {"--type f32 --radius 3"},
    ALSO("--radius 7", ""),
    ALSO("--type u8", ",table8"),
    {NULL},
};

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
    if (not_finite && type != F32)
        die_bad_input("--not-finite %d: bytes are finite; with --type f32", not_finite);
    picture_load(&photo, input_path);
    picture_check_writable(output_path);
}

static void parameters(char *text, size_t bytes)
{
    int length = snprintf(text, bytes, "radius=%d;sigma_space=%g;sigma_range=%g;passes=%d;type=%s",
                          radius, sigma_space, sigma_range, passes, types[type]);
    if (border != MIDDLE)
        length += snprintf(text + length, bytes - length, ";border=%s", borders[border]);
    if (not_finite)
        snprintf(text + length, bytes - length, ";not_finite=%d", not_finite);
}

static int channels(void)
{
    return type == RGB24 ? 3 : 1;
}

static size_t pixel_bytes(void)
{
    return type == F32 ? sizeof(float) : channels();
}

static void layout(problem *p)
{
    size_t bytes = (size_t)p->width * p->height * pixel_bytes();
    problem_add_buffer(p, "input", BUFFER_INPUT, bytes);
    problem_add_buffer(p, "output", BUFFER_OUTPUT, bytes);
    if (passes > 1)
        problem_add_buffer(p, "scratch", BUFFER_SCRATCH, bytes);
}

/* Puts numbers that are none into a picture, three kinds in turn; one and two of them are all. */
static void spoil(const problem *p, float *values)
{
    static const float kinds[] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < not_finite; i++)
        values[random_bits(p->seed + 1, i) % ((size_t)p->width * p->height)] =
            kinds[(i + not_finite - 1) % 3];
}

static void fill(const problem *p)
{
    void *pixels = p->buffer[INPUT].host;
    if (type == F32) {
        picture_fit_floats(&photo, input_path, p->width, p->height, p->seed, (float *)pixels);
        spoil(p, (float *)pixels);
    } else {
        picture_fit(&photo, input_path, p->width, p->height, channels(), p->seed,
                    (uint8_t *)pixels);
    }
}

/* ---- checking ------------------------------------------------------------------------------- */

/* A value in double precision, and how far a variant's may be from it; and those of a pixel. */
typedef struct exact_value {
    double value, off;
} exact_value;

template <int CHANNELS>
struct exact_pixel {
    exact_value channel[CHANNELS];
};

/* Of the taps (dx, dy) away whose pixels are so far apart. */
static double exact_weight(int dx, int dy, double distance)
{
    return exp(-((double)dx * dx + (double)dy * dy) / (2 * sigma_space * sigma_space) -
               distance * distance / (2 * sigma_range * sigma_range));
}

static double value_in(const lab_buffer *b, size_t i)
{
    return type == F32 ? ((const float *)b->host)[i] : ((const uint8_t *)b->host)[i];
}

/* What a pass filters: what the pass before has made, or the input. */
template <int CHANNELS>
static exact_pixel<CHANNELS> pixel_before(const problem *p, const exact_pixel<CHANNELS> *before,
                                          int x, int y)
{
    size_t i = (size_t)y * p->width + x;
    if (before)
        return before[i];
    exact_pixel<CHANNELS> pixel = {};
    for (int c = 0; c < CHANNELS; c++)
        pixel.channel[c].value = value_in(&p->buffer[INPUT], i * CHANNELS + c);
    return pixel;
}

/* How far two pixels are apart, and by how much that may be wrong. */
template <int CHANNELS>
static exact_value distance(const exact_pixel<CHANNELS> &a, const exact_pixel<CHANNELS> &b)
{
    if (CHANNELS == 1)
        return {fabs(a.channel[0].value - b.channel[0].value), a.channel[0].off + b.channel[0].off};
    exact_value squared = {};
    for (int c = 0; c < CHANNELS; c++) {
        double apart = a.channel[c].value - b.channel[c].value;
        double both = a.channel[c].off + b.channel[c].off;
        squared.value += apart * apart;
        squared.off += both * both;
    }
    return {sqrt(squared.value), sqrt(squared.off)};
}

/* The row or column that stands in for i; -1 for the middle one. Mirrored step by step. */
static int stands_in(int rule, int i, int n)
{
    if (rule == REPLICATE)
        return min(max(i, 0), n - 1);
    while (rule == REFLECT && (i < 0 || i >= n))
        i = i < 0 ? -1 - i : 2 * n - 1 - i;
    return i < 0 || i >= n ? -1 : i;
}

/* Calls visit(dx, dy, pixel) for each tap. */
template <int CHANNELS, class Visit>
static void each_tap(const problem *p, const exact_pixel<CHANNELS> *before, int px, int py,
                     int rule, Visit visit)
{
    for (int dy = -radius; dy <= radius; dy++)
        for (int dx = -radius; dx <= radius; dx++) {
            int x = stands_in(rule, px + dx, p->width), y = stands_in(rule, py + dy, p->height);
            bool middle = x < 0 || y < 0;
            visit(dx, dy, pixel_before(p, before, middle ? px : x, middle ? py : y));
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
template <int CHANNELS>
static exact_pixel<CHANNELS> reference_pixel(const problem *p, const exact_pixel<CHANNELS> *before,
                                             int px, int py, int rule)
{
    exact_pixel<CHANNELS> center = pixel_before(p, before, px, py), result = {};
    double weights = 0, moved[CHANNELS] = {}, least_weights = 0;
    each_tap(p, before, px, py, rule, [&](int dx, int dy, const exact_pixel<CHANNELS> &q) {
        double weight = exact_weight(dx, dy, distance(q, center).value);
        for (int c = 0; c < CHANNELS; c++)
            result.channel[c].value += weight * q.channel[c].value;
        weights += weight;
    });
    for (exact_value &c : result.channel) {
        c.value /= weights;
        c.off = one_pass_bound() * fmax(c.value, 1);
    }
    if (!before)
        return result;
    each_tap(p, before, px, py, rule, [&](int dx, int dy, const exact_pixel<CHANNELS> &q) {
        exact_value apart = distance(q, center);
        double weight = exact_weight(dx, dy, apart.value);
        double least = exact_weight(dx, dy, apart.value + apart.off);
        double most = exact_weight(dx, dy, fmax(apart.value - apart.off, 0));
        for (int c = 0; c < CHANNELS; c++)
            moved[c] +=
                most * q.channel[c].off + fmax(most - weight, weight - least) *
                                              fabs(q.channel[c].value - result.channel[c].value);
        least_weights += least;
    });
    for (int c = 0; c < CHANNELS; c++)
        result.channel[c].off += fmin(moved[c] / least_weights, 1);
    return result;
}

/* As a picture holds it: of a byte the nearest one, and how many levels from it are right, too. */
template <int CHANNELS>
static exact_pixel<CHANNELS> stored(exact_pixel<CHANNELS> exact)
{
    if (type == F32)
        return exact;
    for (exact_value &c : exact.channel) {
        double nearest = floor(c.value + 0.5);
        c = {nearest, floor(c.off + 0.5 + fabs(c.value - nearest))};
    }
    return exact;
}

template <int CHANNELS>
static void *reference_of(const problem *p)
{
    typedef exact_pixel<CHANNELS> pixel;
    const size_t count = (size_t)p->width * p->height;
    pixel *before = NULL, *after = NULL;
    for (int pass = 0; pass < passes; pass++) {
        pixel *free_one = pass < 2 ? (pixel *)allocate(count * sizeof *after) : before;
        before = after;
        after = free_one;
#pragma omp parallel for schedule(dynamic)
        for (int y = 0; y < p->height; y++)
            for (int x = 0; x < p->width; x++)
                after[y * p->width + x] = stored(reference_pixel(p, before, x, y, border));
    }
    free(before);
    return after;
}

static void *reference(const problem *p)
{
    return type == RGB24 ? reference_of<3>(p) : reference_of<1>(p);
}

static const variant *checked_variant;

/* Of NPP's rule for the border, too, by which only pixels near the edge differ. */
static exact_value expected_at(const problem *p, size_t i)
{
    if (checked_variant->kind != VARIANT_VENDOR || border == REPLICATE)
        return ((const exact_value *)p->reference)[i];
    int x = (int)(i % p->width), y = (int)(i / p->width);
    bool edge = x < radius || y < radius || x >= p->width - radius || y >= p->height - radius;
    return edge ? stored(reference_pixel<1>(p, NULL, x, y, REPLICATE)).channel[0]
                : ((const exact_value *)p->reference)[i];
}

/*
 * In units that make one_pass_bound() the tolerance of any number of passes. Where a tap is no
 * number or infinite, equation (1) gives none, and nothing else is right.
 */
static checked value_at(const void *context, size_t i)
{
    const problem *p = (const problem *)context;
    exact_value expected = expected_at(p, i);
    double value = value_in(&p->buffer[OUTPUT], i);
    if (isnan(expected.value))
        return {isnan(value) ? 0.0 : NAN, 0, 1};
    return {value, expected.value, expected.off / one_pass_bound()};
}

/*
 * In levels. Where the nearest byte is demanded, one level off counts as two. NPP cuts fractions
 * off, and table8 rounds them: of these one level is right.
 */
static checked byte_at(const void *context, size_t i)
{
    const problem *p = (const problem *)context;
    exact_value expected = expected_at(p, i);
    bool by_level =
        checked_variant->kind == VARIANT_VENDOR || checked_variant->run == launch_table8;
    return {value_in(&p->buffer[OUTPUT], i), expected.value,
            fmax(expected.off, by_level ? 1 : 0.5)};
}

static check_result check(const problem *p, const variant *v)
{
    checked_variant = v;
    int row = p->width * channels();
    size_t values = (size_t)row * p->height;
    if (type == F32)
        return check_all(one_pass_bound(), row, values, value_at, p);
    check_result result = check_all(1, row, values, byte_at, p);
    snprintf(result.note, sizeof result.note, "%zu of %zu %s off by a level (%.2g %%)",
             result.unequal, values, type == RGB24 ? "values" : "pixels",
             100.0 * result.unequal / values);
    return result;
}

/*
 * A tap: difference, square, two scalings and a sum, exponential, product and two sums. Variants'
 * costs are of gray pictures and the report's rule for the border.
 */
static lab_work work(const problem *p)
{
    double pixels = (double)passes * p->width * p->height, side = 2 * radius + 1;
    double taps = pixels * side * side;
    bool costs_hold = type != RGB24 && border == MIDDLE;
    return {.bytes = pixels * 2 * (double)pixel_bytes(),
            .flops = taps * (4 + 5 * channels()) + pixels * channels(),
            .steps = costs_hold ? taps : 0};
}

static void present(const problem *p, const variant *, dim3)
{
    const void *pixels = p->buffer[OUTPUT].host;
    if (type == F32)
        picture_write_floats(output_path, (const float *)pixels, p->width, p->height);
    else
        picture_write(output_path, (const uint8_t *)pixels, p->width, p->height, channels());
}

/* ---- main ----------------------------------------------------------------------------------- */

static const char *const positional[] = {"--input", "--output", "--blocks", "--trials", "--radius",
                                         "--sigma", "WIDTH",    "HEIGHT",   NULL};

static const lab bilateral = {
    .name = "lab3_bilateral",
    .title = "the bilateral filter",
    .sizes_are = SIZE_IMAGE,
    .sweep = {.sizes = "32x24 64x48 128x96 256x192 512x384 1024x768",
              .sizes_large = "2048x1536 4096x3072 8192x6144",
              .scaling_size = "512x384",
              .emulated_max = 512 * 384,
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
