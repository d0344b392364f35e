/*
 * banding.cu - the banding-reduction filter of Koji Ueno's article (2017), an AviUtl plug-in's: it
 * dissolves the steps that too few levels leave in a sky. For the pixel p at (x, y), with a random
 * offset (across, down) of at most `range` pixels each way, never over the picture's edge:
 *
 *   mode 0  average = p(+)                  the pixel at the offset
 *   mode 1  average = (p(+) + p(-) + 1) >> 1              and its mirror image across p
 *   mode 2  average = (p(+) + p(-) + q(+) + q(-) + 2) >> 2    and a second such pair
 *
 * Each channel, Y, Cb and Cr, takes the average where the largest difference between p and those
 * pixels (blur first: between p and the average) is below its threshold; then noise is added.
 *
 * Data: a frame of width x height pixels of three 16-bit values, interleaved (yc48), or of four,
 * the last one 0 (yc64); five planes of width x height random bytes, made once on the CPU: down,
 * across, noise of Y, Cb and Cr. Row-major; x is the column, y the row. No side is over 16384, so
 * an int holds every index. Differences and sums are kept in 16 bits and wrap, as in the article.
 *
 *   cpu                   serial
 *   cpu_omp               the same, rows spread over the cores
 *   naive                 one pixel a thread, the article's kernel
 *   read_only             pointers that are const and __restrict__: the read-only data cache
 *   packed4               four 16-bit values a pixel, read at once; the conversions are counted
 *   packed4_convert_free  the same on frames that are packed already (--pixels yc64)
 *   shared_tile           the block's pixels and a halo of `range` around them in shared memory
 *   pixels4               four pixels a thread, two 16-bit values a register
 *   rolling_tile          the same down a strip, the next rows on their way
 *   early_start           the same, begun while the kernel before it ends
 *   random_in_kernel      rolling_tile with random bytes by a hash in the kernel (--random hash)
 *
 *   make -C lab6_banding                              build just this lab
 *   make -C lab6_banding run SIZES=1920x1080 BLOCKS="16 32x8"
 *   build/cuda/banding in.bmp out.bmp 32x8 10 1920 1080 --quantise 6 --threshold-y 20
 *                                                     block, trials, width, height
 */
#include <cuda_runtime.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "die.h"
#include "lab.h"
#include "random.h"
#include "frame.h"

enum { FRAME, RANDOM, OUTPUT }; /* buffers, in layout's order */
enum { PLANES = 5, SIDE_MAX = 16384 };

/* The experiment's settings, from the command line. */
static int sample_mode = 1, range = 15, blur_first = 0, interlaced = 0, filter_seed = 0;
static int threshold_y = 15, threshold_cb = 15, threshold_cr = 15, dither_y = 15, dither_c = 15;
static const char *output_path, *before_path;

enum { TABLE, HASH }; /* --random */
static int random_source = TABLE;

/* What every variant works on. */
typedef struct filter {
    int width, height, range;
    int threshold_y, threshold_cb, threshold_cr; /* in the frame's units: shifted for the mode */
    int dither_y, dither_c;
    unsigned key;   /* of the hash that makes random words */
    int field_mask; /* and-ed with rows to go down: 0xfe if interlaced, 0xff if not */
} filter;

/* Random words by a hash of their index: the last step of MurmurHash3 (Appleby), fmix32. */
__host__ __device__ static uint32_t hash_word(uint32_t x)
{
    x = (x ^ x >> 16) * 0x85ebca6b;
    x = (x ^ x >> 13) * 0xc2b2ae35;
    return x ^ x >> 16;
}

static filter filter_of(const problem *p)
{
    int shift = sample_mode != 0 && blur_first ? 1 : 2;
    return {p->width,
            p->height,
            range,
            threshold_y << shift,
            threshold_cb << shift,
            threshold_cr << shift,
            dither_y,
            dither_c,
            0x9e3779b9u * (filter_seed + 1u),
            interlaced ? 0xfe : 0xff};
}

/* A random byte as an offset in -n..n. */
__host__ __device__ static int random_range(int byte, int n)
{
    return ((2 * n + 1) * byte >> 8) - n;
}

/*
 * Rows to go down in one field: -3 becomes -4 where the mask clears the lowest bit, and may so
 * leave the picture by a row. There the original reads whatever lies beside it; here the offset is
 * 0.
 */
__host__ __device__ static int field_rows(int offset, int field_mask, int least)
{
    int down = (signed char)(offset & field_mask); /* char alone is unsigned on some machines */
    return down < least ? 0 : down;
}

/* ---- CPU reference -------------------------------------------------------------------------- */

/* The one, two or four neighbours of (x, y), as distances in pixels; returns how many. */
static int find_neighbours(int neighbour[4], const uint8_t *random, filter f, int x, int y)
{
    int plane = f.width * f.height, at = y * f.width + x;
    int edge_above_below = min(y, f.height - 1 - y);
    int n = min(f.range, min(edge_above_below, min(x, f.width - 1 - x)));
    int a = random_range(random[at], n), b = random_range(random[plane + at], n);
    int least = -(sample_mode == 0 ? y : edge_above_below);
    neighbour[0] = field_rows(a, f.field_mask, least) * f.width + b;
    neighbour[1] = -neighbour[0];
    neighbour[2] = a - field_rows(b, f.field_mask, least) * f.width;
    neighbour[3] = -neighbour[2];
    return 1 << sample_mode;
}

static int16_t filter_channel(const int16_t *own, const int *neighbour, int neighbours, int values,
                              int threshold, int noise)
{
    int sum = neighbours / 2;
    int16_t largest = INT16_MIN, average, difference;
    for (int k = 0; k < neighbours; k++) {
        int other = own[neighbour[k] * values];
        int16_t apart = (int16_t)abs(*own - other);
        sum += other;
        largest = apart > largest ? apart : largest;
    }
    average = (int16_t)(sum >> sample_mode);
    difference = blur_first && sample_mode != 0 ? (int16_t)abs(*own - average) : largest;
    return (int16_t)((difference < threshold ? average : *own) + noise);
}

static void filter_row(const int16_t *in, int16_t *out, const uint8_t *random, filter f, int y)
{
    int plane = f.width * f.height, values = values_per_pixel();
    const int threshold[] = {f.threshold_y, f.threshold_cb, f.threshold_cr};
    const int dither[] = {f.dither_y, f.dither_c, f.dither_c};
    for (int x = 0; x < f.width; x++) {
        int at = y * f.width + x, neighbour[4];
        int count = find_neighbours(neighbour, random, f, x, y);
        const int16_t *own = in + at * values;
        int16_t *result = out + at * values;
        for (int c = 0; c < 3; c++)
            result[c] = filter_channel(own + c, neighbour, count, values, threshold[c],
                                       random_range(random[(2 + c) * plane + at], dither[c]));
        if (values == 4)
            result[3] = 0;
    }
}

static void filter_serial(const int16_t *in, int16_t *out, const uint8_t *random, filter f)
{
    for (int y = 0; y < f.height; y++)
        filter_row(in, out, random, f, y);
}

static void filter_omp(const int16_t *in, int16_t *out, const uint8_t *random, filter f)
{
#pragma omp parallel for
    for (int y = 0; y < f.height; y++)
        filter_row(in, out, random, f, y);
}

/* ---- kernels -------------------------------------------------------------------------------- */

/* What the kernels share comes first. */

__device__ static yc48 pixel_at(const yc48 *p)
{
    return *p;
}

__device__ static yc48 pixel_at(const short4 *p)
{
    short4 packed = *p;
    return {packed.x, packed.y, packed.z};
}

__device__ static short4 pack(yc48 pixel)
{
    return make_short4(pixel.y, pixel.cb, pixel.cr, 0);
}

__device__ static yc48 distance(yc48 a, yc48 b)
{
    return {(short)abs(a.y - b.y), (short)abs(a.cb - b.cb), (short)abs(a.cr - b.cr)};
}

__device__ static yc48 largest(yc48 a, yc48 b)
{
    return {(short)max(a.y, b.y), (short)max(a.cb, b.cb), (short)max(a.cr, b.cr)};
}

__device__ static yc48 average_of(yc48 a, yc48 b)
{
    return {(short)((a.y + b.y + 1) >> 1), (short)((a.cb + b.cb + 1) >> 1),
            (short)((a.cr + b.cr + 1) >> 1)};
}

__device__ static yc48 average_of(yc48 a, yc48 b, yc48 c, yc48 d)
{
    return {(short)((a.y + b.y + c.y + d.y + 2) >> 2),
            (short)((a.cb + b.cb + c.cb + d.cb + 2) >> 2),
            (short)((a.cr + b.cr + c.cr + d.cr + 2) >> 2)};
}

/*
 * What all kernels have in common, the article's kernel from its reads to its result: pixel (x, y),
 * which lies at `own` in a picture with `pitch` pixels a row. The mode is known to the compiler, so
 * that no branch on it is left. The pictures' types differ: yc48, or short4, read 8 bytes at once.
 */
template <int MODE, bool BLUR_FIRST, typename PIXEL>
__device__ static yc48 filtered(const PIXEL *own, int pitch, const uint8_t *random, filter f, int x,
                                int y)
{
    int plane = f.width * f.height;
    int edge = min(y, f.height - y - 1);
    int n = min(min(f.range, edge), min(x, f.width - x - 1));
    int least = MODE == 0 ? -y : -edge;
    random += y * f.width + x;
    int a = random_range(random[0], n), b = random_range(random[plane], n);
    int ref_0 = field_rows(a, f.field_mask, least) * pitch + b;

    yc48 center = pixel_at(own), average, difference;
    if (MODE == 0) {
        average = pixel_at(own + ref_0);
        difference = distance(center, average);
    } else if (MODE == 1) {
        yc48 plus = pixel_at(own + ref_0), minus = pixel_at(own - ref_0);
        average = average_of(plus, minus);
        difference = BLUR_FIRST ? distance(center, average)
                                : largest(distance(center, plus), distance(center, minus));
    } else {
        int ref_1 = a - field_rows(b, f.field_mask, least) * pitch;
        yc48 plus_0 = pixel_at(own + ref_0), minus_0 = pixel_at(own - ref_0);
        yc48 plus_1 = pixel_at(own + ref_1), minus_1 = pixel_at(own - ref_1);
        average = average_of(plus_0, minus_0, plus_1, minus_1);
        difference = BLUR_FIRST
                         ? distance(center, average)
                         : largest(largest(distance(center, plus_0), distance(center, minus_0)),
                                   largest(distance(center, plus_1), distance(center, minus_1)));
    }
    yc48 result;
    result.y = difference.y < f.threshold_y ? average.y : center.y;
    result.cb = difference.cb < f.threshold_cb ? average.cb : center.cb;
    result.cr = difference.cr < f.threshold_cr ? average.cr : center.cr;
    result.y += random_range(random[2 * plane], f.dither_y);
    result.cb += random_range(random[3 * plane], f.dither_c);
    result.cr += random_range(random[4 * plane], f.dither_c);
    return result;
}

/*
 * naive: thread (x, y) makes pixel (x, y), the article's kernel. Its neighbours lie anywhere within
 * `range` rows and columns, so a warp's 32 reads of them fall into some 30 different lines of the
 * cache; and a yc48 pixel is read in three parts. Any block.
 */
template <int MODE, bool BLUR_FIRST>
__global__ void naive(const yc48 *in, yc48 *out, const uint8_t *random, filter f)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= f.width || y >= f.height)
        return;
    int at = y * f.width + x;
    out[at] = filtered<MODE, BLUR_FIRST>(in + at, f.width, random, f, x, y);
}

/*
 * read_only: against naive, the pointers are const and __restrict__, a promise that no other
 * pointer writes what they read. From compute capability 3.5 on the compiler then reads through the
 * read-only data cache (ld.global.nc), on the article's GTX 1060 the only first-level cache for
 * global memory and worth a factor of two. Since Volta all reads go through the first level. Any
 * block.
 */
template <int MODE, bool BLUR_FIRST>
__global__ void read_only(const yc48 *__restrict__ in, yc48 *__restrict__ out,
                          const uint8_t *__restrict__ random, filter f)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= f.width || y >= f.height)
        return;
    int at = y * f.width + x;
    out[at] = filtered<MODE, BLUR_FIRST>(in + at, f.width, random, f, x, y);
}

/*
 * packed4: against read_only, a pixel is a short4, aligned to its 8 bytes: one read instead of
 * three. Two kernels of one pixel a thread convert the frame before and the result after; without
 * them it is packed4_convert_free. Any block.
 */
__global__ void pack_frame(const yc48 *__restrict__ in, short4 *__restrict__ out, filter f)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < f.width && y < f.height)
        out[y * f.width + x] = pack(in[y * f.width + x]);
}

__global__ void unpack_frame(const short4 *__restrict__ in, yc48 *__restrict__ out, filter f)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < f.width && y < f.height)
        out[y * f.width + x] = pixel_at(in + y * f.width + x);
}

template <int MODE, bool BLUR_FIRST>
__global__ void packed4(const short4 *__restrict__ in, short4 *__restrict__ out,
                        const uint8_t *__restrict__ random, filter f)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= f.width || y >= f.height)
        return;
    int at = y * f.width + x;
    out[at] = pack(filtered<MODE, BLUR_FIRST>(in + at, f.width, random, f, x, y));
}

/*
 * shared_tile: against read_only, the block first copies its pixels and a halo around them into
 * shared memory, packed to short4, row by row and so in order; the scattered reads then hit shared
 * memory, which serves 32 different places in a few cycles. A thread makes TILE_ROWS pixels, by
 * rows apart, so that the halo is shared by more of them. Interlaced the halo is a row wider: -15
 * becomes -16. Pixels of the tile outside the picture are never read and stay unset. Any block
 * whose tile of (bx + 2 halo)(TILE_ROWS by + 2 halo) pixels fits shared memory; no thread leaves
 * before the barrier.
 */
enum { TILE_ROWS = 4 };

__host__ __device__ static int halo_of(filter f)
{
    return f.field_mask == 0xff ? f.range : f.range + 1;
}

template <int MODE, bool BLUR_FIRST>
__global__ void shared_tile(const yc48 *__restrict__ in, yc48 *__restrict__ out,
                            const uint8_t *__restrict__ random, filter f)
{
    extern __shared__ short4 tile[];
    int halo = halo_of(f);
    int tile_width = blockDim.x + 2 * halo, tile_height = TILE_ROWS * blockDim.y + 2 * halo;
    int left = blockIdx.x * blockDim.x - halo, top = blockIdx.y * blockDim.y * TILE_ROWS - halo;
    for (int ty = threadIdx.y; ty < tile_height; ty += blockDim.y)
        for (int tx = threadIdx.x; tx < tile_width; tx += blockDim.x) {
            int x = left + tx, y = top + ty;
            if (x >= 0 && x < f.width && y >= 0 && y < f.height)
                tile[ty * tile_width + tx] = pack(in[y * f.width + x]);
        }
    __syncthreads();

    int x = blockIdx.x * blockDim.x + threadIdx.x;
    for (int ty = halo + threadIdx.y; ty < tile_height - halo; ty += blockDim.y) {
        int y = top + ty;
        if (x < f.width && y < f.height)
            out[y * f.width + x] = filtered<MODE, BLUR_FIRST>(
                tile + ty * tile_width + halo + threadIdx.x, tile_width, random, f, x, y);
    }
}

#include "rolling_tile.cuh"

/*
 * pixels4: against shared_tile, a thread makes four pixels side by side: random bytes come by the
 * word, the tile is copied as it lies in the frame, and 16-bit arithmetic is done on two values at
 * once. A block makes GROUP * blockDim.x columns and `rows` rows, thread (x, y) group x of rows y,
 * y + blockDim.y, ... Any block whose tile fits shared memory.
 */
template <int MODE, bool BLUR_FIRST>
__global__ void __launch_bounds__(1024)
    pixels4(const yc48 *__restrict__ in, yc48 *__restrict__ out, const uint8_t *__restrict__ random,
            filter f, int rows)
{
    extern __shared__ __align__(16) char shared[];
    filter_tile<MODE, BLUR_FIRST>(shared, in, out, random, f, rows);
}

/*
 * rolling_tile: against pixels4, a block goes down its columns, blockDim.y rows a step. Shared
 * memory is a ring of rows; while a step's rows are filtered, the next step's rows and random bytes
 * are on their way. Blocks of up to ROLLING_THREADS threads whose ring fits shared memory.
 */
enum { ROLLING_THREADS = 768 };

/* Two on a multiprocessor leave 40 registers a thread, of which mode 2 needs more; before compute
 * capability 8.0 it has 1024 threads. */
constexpr int rolling_blocks(int mode)
{
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ < 800
    return 1;
#else
    return mode == 2 ? 1 : 2;
#endif
}

template <int MODE, bool BLUR_FIRST>
__global__ void __launch_bounds__(ROLLING_THREADS, rolling_blocks(MODE))
    rolling_tile(const yc48 *__restrict__ in, yc48 *__restrict__ out,
                 const uint8_t *__restrict__ random, filter f, int rows)
{
    extern __shared__ __align__(16) char shared[];
    roll<MODE, BLUR_FIRST, 1, false>(shared, in, out, random, f, rows);
}

/*
 * early_start: against rolling_tile, it begins while the kernel before it ends (rolling_tile.cuh);
 * and a thread makes two groups a step, which is EARLY_TALL * blockDim.y rows. Blocks of up to
 * EARLY_THREADS threads.
 */
enum { EARLY_TALL = 2, EARLY_THREADS = 512, EARLY_BLOCKS = 2 }; /* 64 registers */

template <int MODE, bool BLUR_FIRST>
__global__ void __launch_bounds__(EARLY_THREADS, EARLY_BLOCKS)
    early_start(const yc48 *__restrict__ in, yc48 *__restrict__ out,
                const uint8_t *__restrict__ random, filter f, int rows)
{
    extern __shared__ __align__(16) char shared[];
    roll<MODE, BLUR_FIRST, EARLY_TALL, false>(shared, in, out, random, f, rows);
}

/*
 * random_in_kernel: against rolling_tile, the random bytes are made where they are wanted, by a
 * hash of their index: other bytes than the table's (--random hash), and 12 bytes a pixel, not 17.
 */
template <int MODE, bool BLUR_FIRST>
__global__ void __launch_bounds__(ROLLING_THREADS, rolling_blocks(MODE))
    random_in_kernel(const yc48 *__restrict__ in, yc48 *__restrict__ out,
                     const uint8_t *__restrict__ random, filter f, int rows)
{
    extern __shared__ __align__(16) char shared[];
    roll<MODE, BLUR_FIRST, 1, true>(shared, in, out, random, f, rows);
}

/* ---- launchers ------------------------------------------------------------------------------ */

template <auto *PROGRAM>
static void run_cpu(const problem *p, const launch *l)
{
    PROGRAM((int16_t *)l->buffer[FRAME], (int16_t *)l->buffer[OUTPUT], (uint8_t *)l->buffer[RANDOM],
            filter_of(p));
}

/* A thread makes a pixel, of shared_tile TILE_ROWS of them. */
template <int ROWS, class Pixel>
static void launch_filter(const Pixel *d_in, Pixel *d_out, const problem *p, const launch *l)
{
    typedef void (*filter_kernel)(const Pixel *in, Pixel *out, const uint8_t *random, filter f);
    filter_kernel kernel = (filter_kernel)l->kernel;
    filter f = filter_of(p);
    dim3 covered(l->block.x, l->block.y * ROWS);
    kernel<<<grid_over(f.width, f.height, covered), l->block, l->shared_bytes, l->stream>>>(
        d_in, d_out, (const uint8_t *)l->buffer[RANDOM], f);
    CUDA_CHECK(cudaGetLastError());
}

/* For the variants that are one kernel. */
template <int ROWS, class Pixel>
static void launch_kernel(const problem *p, const launch *l)
{
    launch_filter<ROWS>((const Pixel *)l->buffer[FRAME], (Pixel *)l->buffer[OUTPUT], p, l);
}

/* Room for the packed frame and the packed result. */
static size_t packed_bytes(const problem *p)
{
    return 2 * (size_t)p->width * p->height * sizeof(short4);
}

static void launch_packed4(const problem *p, const launch *l)
{
    filter f = filter_of(p);
    dim3 grid = grid_over(f.width, f.height, l->block);
    short4 *packed = (short4 *)l->workspace, *result = packed + f.width * f.height;
    pack_frame<<<grid, l->block, 0, l->stream>>>((yc48 *)l->buffer[FRAME], packed, f);
    CUDA_CHECK(cudaGetLastError());
    launch_filter<1>(packed, result, p, l);
    unpack_frame<<<grid, l->block, 0, l->stream>>>(result, (yc48 *)l->buffer[OUTPUT], f);
    CUDA_CHECK(cudaGetLastError());
}

static size_t tile_bytes(const problem *p, dim3 block)
{
    size_t halo = halo_of(filter_of(p));
    return sizeof(short4) * (block.x + 2 * halo) * (TILE_ROWS * block.y + 2 * halo);
}

static int attribute(cudaDeviceAttr which)
{
    int device, value;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaDeviceGetAttribute(&value, which, device));
    return value;
}

/* Blocks that a multiprocessor has at a time, where registers leave room for so many threads. */
static int resident_blocks(dim3 block, int threads)
{
    return max(1, threads / (int)(block.x * block.y));
}

/*
 * Rows of a block of which `most` would fit: such that the last round of blocks is as full as the
 * others and the halos are few. A block's time is that of its rows and of loading its halo.
 */
static int rows_of_block(const problem *p, dim3 block, int resident, int most, int step)
{
    filter f = filter_of(p);
    int strips = (int)blocks_for(f.width, GROUP * block.x);
    int slots = resident * attribute(cudaDevAttrMultiProcessorCount);
    int best = 1, least = INT_MAX;
    for (int cut = (int)blocks_for(f.height, most); cut <= f.height; cut++) {
        int rows = (int)blocks_for(f.height, cut);
        int rounds = (int)blocks_for(strips * (int)blocks_for(f.height, rows), slots);
        int cost = rounds * (2 * (int)blocks_for(rows, step) * step + 2 * halo_of(f));
        if (cost < least) {
            least = cost;
            best = rows;
        }
    }
    return best;
}

enum { RESERVED = 1024 }; /* bytes of shared memory that a block has beside its own */

static int tile_rows(const problem *p, dim3 block)
{
    filter f = filter_of(p);
    int resident = resident_blocks(block, 1024);
    int bytes = attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor) / resident - RESERVED;
    int fit = bytes / strip_row_bytes(f, block.x) - 2 * halo_of(f);
    return rows_of_block(p, block, resident, max(1, fit), 1);
}

/* Of the kernels that roll down strips, by the groups that a thread makes a step. */
template <int TALL>
static size_t ring_bytes(const problem *p, dim3 block)
{
    filter f = filter_of(p);
    return (size_t)strip_row_bytes(f, block.x) * ring_rows(f, TALL * block.y);
}

/* The blocks of a multiprocessor that its share of the rows is worked out for. */
template <int TALL, int THREADS>
static int resident_strips(const problem *p, dim3 block)
{
    int fit = attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor) /
              (int)(ring_bytes<TALL>(p, block) + RESERVED);
    return max(1, min(resident_blocks(block, THREADS), fit));
}

template <int TALL, int THREADS>
static int strip_rows(const problem *p, dim3 block)
{
    int resident = resident_strips<TALL, THREADS>(p, block);
    return rows_of_block(p, block, resident, p->height, TALL * block.y);
}

/*
 * Takes so much that no more than those blocks fit. Room for one more, where registers leave it,
 * goes to the next kernel's early blocks: they come to lie three on one multiprocessor and one on
 * another, and the three take half as long again (24x16, 1920x1080 on an H200: 16.4 us for 11.5).
 */
template <int TALL, int THREADS>
static size_t early_bytes(const problem *p, dim3 block)
{
    int room = attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor) /
               (resident_strips<TALL, THREADS>(p, block) + 1);
    return max(ring_bytes<TALL>(p, block), (size_t)max(0, room - RESERVED) + 1);
}

static size_t pixels4_bytes(const problem *p, dim3 block)
{
    filter f = filter_of(p);
    return (size_t)strip_row_bytes(f, block.x) * (tile_rows(p, block) + 2 * halo_of(f));
}

typedef void (*strip_kernel)(const yc48 *in, yc48 *out, const uint8_t *random, filter f, int rows);

/*
 * The kernel may begin while the one before it ends, if its code is of compute capability 9.0 and
 * so knows to wait (programmatic dependent launch).
 */
static cudaError_t launch_early(strip_kernel kernel, dim3 grid, const launch *l, filter f, int rows)
{
    const yc48 *d_in = (const yc48 *)l->buffer[FRAME];
    const uint8_t *d_random = (const uint8_t *)l->buffer[RANDOM];
    yc48 *d_out = (yc48 *)l->buffer[OUTPUT];
#ifdef CUDA_ON_CPU
    kernel<<<grid, l->block, l->shared_bytes, l->stream>>>(d_in, d_out, d_random, f, rows);
    return cudaGetLastError();
#else
    cudaFuncAttributes code;
    CUDA_CHECK(cudaFuncGetAttributes(&code, (const void *)kernel));
    cudaLaunchAttribute early = {};
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = grid;
    config.blockDim = l->block;
    config.dynamicSmemBytes = l->shared_bytes;
    config.stream = l->stream;
    config.attrs = &early;
    config.numAttrs = code.ptxVersion >= 90 ? 1 : 0;
    return cudaLaunchKernelEx(&config, kernel, d_in, d_out, d_random, f, rows);
#endif
}

template <auto *ROWS, bool EARLY = false>
static void launch_strips(const problem *p, const launch *l)
{
    strip_kernel kernel = (strip_kernel)l->kernel;
    filter f = filter_of(p);
    int rows = ROWS(p, l->block);
    dim3 grid(blocks_for(f.width, GROUP * l->block.x), blocks_for(f.height, rows));
    if (EARLY) {
        CUDA_CHECK(launch_early(kernel, grid, l, f, rows));
        return;
    }
    kernel<<<grid, l->block, l->shared_bytes, l->stream>>>(
        (const yc48 *)l->buffer[FRAME], (yc48 *)l->buffer[OUTPUT],
        (const uint8_t *)l->buffer[RANDOM], f, rows);
    CUDA_CHECK(cudaGetLastError());
}

static void launch_rolling(const problem *p, const launch *l)
{
    launch_strips<strip_rows<1, ROLLING_THREADS * rolling_blocks(1)>>(p, l);
}

static void launch_rolling_early(const problem *p, const launch *l)
{
    launch_strips<strip_rows<EARLY_TALL, EARLY_THREADS * EARLY_BLOCKS>, true>(p, l);
}

/* A kernel's instance for the mode and blur_first, which in mode 0 makes no difference. */
template <auto... INSTANCES>
static const void *instance(dim3)
{
    static const void *const all[] = {(const void *)INSTANCES...};
    return all[2 * sample_mode + blur_first];
}

#define BY_MODE(kernel)                                                                            \
    instance<kernel<0, false>, kernel<0, false>, kernel<1, false>, kernel<1, true>,                \
             kernel<2, false>, kernel<2, true>>

/* ---- variants ------------------------------------------------------------------------------- */

template <int FRAMES, int SOURCE = TABLE>
static bool frames_are(void)
{
    return pixels == FRAMES && random_source == SOURCE;
}

static const void *const conversions[] = {(const void *)pack_frame, (const void *)unpack_frame,
                                          NULL};

static const variant variants[] = {
    SERIAL_VARIANT("serial", run_cpu<filter_serial>),
    OPENMP_VARIANT("rows spread over the cores", run_cpu<filter_omp>),
    /* a pixel's costs in mode 1: five random bytes and three pixels of three or two words */
    GPU_VARIANT("naive", "one pixel a thread, the article's kernel", launch_kernel<1, yc48>,
                .cost = {.loads = 14, .int32 = 54}, .kernel_for = BY_MODE(naive),
                .applies = frames_are<YC48>),
    GPU_VARIANT("read_only", "const __restrict__: the read-only data cache", launch_kernel<1, yc48>,
                .cost = {.loads = 14, .int32 = 60}, .kernel_for = BY_MODE(read_only),
                .applies = frames_are<YC48>),
    GPU_VARIANT("packed4", "four 16-bit values a pixel, conversions counted", launch_packed4,
                .cost = {.loads = 16, .int32 = 77}, .kernel_for = BY_MODE(packed4),
                .more_kernels = conversions, .workspace_bytes = packed_bytes,
                .applies = frames_are<YC48>, .note = "three kernels; the resources of the largest"),
    GPU_VARIANT("packed4_convert_free", "the same on packed frames (--pixels yc64)",
                launch_kernel<1, short4>, .cost = {.loads = 11, .int32 = 65},
                .kernel_for = BY_MODE(packed4), .applies = frames_are<YC64>),
    /* with its share, for blocks of 32x16, of a tile that is 2.8 times as large as its middle */
    GPU_VARIANT("shared_tile", "pixels and their halo in shared memory",
                launch_kernel<TILE_ROWS, yc48>, .cost = {.loads = 20, .int32 = 95},
                .kernel_for = BY_MODE(shared_tile), .shared_bytes = tile_bytes,
                .applies = frames_are<YC48>),
    /* with their halos at 7680x4320, by the profiler */
    GPU_VARIANT("pixels4", "four pixels a thread, two 16-bit values a register",
                launch_strips<tile_rows>, .cost = {.loads = 10, .int32 = 38},
                .kernel_for = BY_MODE(pixels4), .shared_bytes = pixels4_bytes,
                .applies = frames_are<YC48>),
    GPU_VARIANT("rolling_tile", "down a strip, the next rows on their way", launch_rolling,
                .cost = {.loads = 9, .int32 = 49}, .kernel_for = BY_MODE(rolling_tile),
                .shared_bytes = ring_bytes<1>, .applies = frames_are<YC48>),
    GPU_VARIANT("early_start", "the same, begun while the kernel before it ends",
                launch_rolling_early, .cost = {.loads = 9, .int32 = 49},
                .kernel_for = BY_MODE(early_start),
                .shared_bytes = early_bytes<EARLY_TALL, EARLY_THREADS * EARLY_BLOCKS>,
                .applies = frames_are<YC48>),
    GPU_VARIANT("random_in_kernel", "rolling_tile, random bytes by a hash (--random hash)",
                launch_rolling, .kernel_for = BY_MODE(random_in_kernel),
                .shared_bytes = ring_bytes<1>, .applies = frames_are<YC48, HASH>,
                .note = "other random numbers than the table's"),
};

static const char *const random_names[] = {"table", "hash", NULL};
static const char *const pixel_names[] = {"yc48", "yc64", NULL};

static const lab_option options[] = {
    {"--input", OPTION_TEXT, &input_path, 0, 0,
     "picture, or raw frame FILE.yc48; without one, a gradient with noise"},
    {"--output", OPTION_OUTPUT, &output_path, 0, 0,
     "where a single run writes the result, a picture or FILE.yc48"},
    {"--before", OPTION_OUTPUT, &before_path, 0, 0, "where it writes what was filtered"},
    {"--mode", OPTION_INT, &sample_mode, 0, 2, "1, 2 or 4 neighbours: mode 0, 1, 2"},
    {"--range", OPTION_INT, &range, 0, 63, "how far away a neighbour may be, in pixels"},
    {"--threshold-y", OPTION_INT, &threshold_y, 0, 31, "what Y may differ by, in 1/1024 or 1/2048"},
    {"--threshold-cb", OPTION_INT, &threshold_cb, 0, 31, "the same for Cb"},
    {"--threshold-cr", OPTION_INT, &threshold_cr, 0, 31, "the same for Cr"},
    {"--dither-y", OPTION_INT, &dither_y, 0, 31, "noise added to Y, in 1/4096"},
    {"--dither-c", OPTION_INT, &dither_c, 0, 31, "the same for Cb and Cr"},
    {"--blur-first", OPTION_INT, &blur_first, 0, 1, "1: compare with the average"},
    {"--interlaced", OPTION_INT, &interlaced, 0, 1, "1: neighbours from the same field"},
    {"--filter-seed", OPTION_INT, &filter_seed, 0, 127, "seed of the random planes"},
    {"--pixels", OPTION_CHOICE, &pixels, 0, 0, "frames of 3 or 4 16-bit values a pixel",
     pixel_names},
    {"--random", OPTION_CHOICE, &random_source, 0, 0, "random bytes by xorshift128, or by a hash",
     random_names},
    {"--quantise", OPTION_INT, &quantise, 1, 8, "bits a channel that the picture keeps"},
};

static void parameters(char *text, size_t bytes)
{
    snprintf(text, bytes,
             "mode=%d;range=%d;threshold=%d/%d/%d;dither=%d/%d;blur_first=%d;interlaced=%d;"
             "type=%s%s",
             sample_mode, range, threshold_y, threshold_cb, threshold_cr, dither_y, dither_c,
             blur_first, interlaced, pixel_names[pixels],
             random_source == HASH ? ";random=hash" : "");
}

/* ---- the random planes ---------------------------------------------------------------------- */

/*
 * Marsaglia's xorshift128 (Xorshift RNGs, Journal of Statistical Software 8, 2003). A step gives
 * four bytes, the lowest first, which fill plane after plane without a gap. Each step needs the one
 * before: the CPU makes the planes, once a problem.
 */
static void fill_random(uint8_t *bytes, size_t count, uint32_t seed)
{
    uint32_t x = 123456789 - seed, y = 362436069, z = 521288629, w = 88675123;
    for (size_t i = 0; i < count; i++) {
        if (i % 4 == 0) {
            uint32_t t = x ^ x << 11;
            x = y;
            y = z;
            z = w;
            w = w ^ w >> 19 ^ t ^ t >> 8;
        }
        bytes[i] = (uint8_t)(w >> 8 * (i % 4));
    }
}

/* Or the planes are words of the hash, one after the other, the lowest byte first. */
static void fill_hashed(uint8_t *bytes, size_t count, uint32_t key)
{
    for (size_t i = 0; i < count; i++)
        bytes[i] = (uint8_t)(hash_word(key + (uint32_t)(i / 4)) >> 8 * (i % 4));
}

static void configure(void)
{
    frame_configure();
    for (const char *path : {output_path, before_path})
        if (!is_raw(path))
            picture_check_writable(path);
}

static void layout(problem *p)
{
    size_t count = (size_t)p->width * p->height;
    size_t frame_bytes = count * values_per_pixel() * sizeof(int16_t);
    problem_add_buffer(p, "frame", BUFFER_INPUT, frame_bytes);
    problem_add_buffer(p, "random", BUFFER_RESIDENT, PLANES * count);
    problem_add_buffer(p, "output", BUFFER_OUTPUT, frame_bytes);
}

static void fill(const problem *p)
{
    frame_fill(p->buffer[FRAME].host, p->width, p->height, p->seed);
    uint8_t *bytes = (uint8_t *)p->buffer[RANDOM].host;
    if (random_source == HASH)
        fill_hashed(bytes, p->buffer[RANDOM].bytes, filter_of(p).key);
    else
        fill_random(bytes, p->buffer[RANDOM].bytes, filter_seed);
}

/* ---- the check ------------------------------------------------------------------------------ */

/* What a 16-bit variable makes of a value. */
static int wrapped(int value)
{
    return value - 65536 * (int)floor((value + 32768) / 65536.0);
}

/* A random byte as an offset, in the reference's words: 2n+1 equal shares of the 256 bytes. */
static int share_of(int byte, int n)
{
    return byte * (2 * n + 1) / 256 - n;
}

/*
 * The rows that the reference goes down from row y: the even number at or below the offset where
 * the frame is interlaced, unless a row that would be read for it lies outside.
 */
static int reference_rows(const problem *p, int y, int offset)
{
    int down = interlaced && offset % 2 != 0 ? offset - 1 : offset;
    bool inside = y + down >= 0 && y + down < p->height;
    bool mirror_inside = y - down >= 0 && y - down < p->height;
    return inside && (mirror_inside || sample_mode == 0) ? down : 0;
}

/* One channel of one pixel by columns and rows, written apart from the variants above. */
static int reference_value(const problem *p, int x, int y, int channel)
{
    const uint8_t *random = (const uint8_t *)p->buffer[RANDOM].host;
    int thresholds[] = {threshold_y, threshold_cb, threshold_cr};
    int reach[] = {range, x, y, p->width - 1 - x, p->height - 1 - y}, n = 63;
    int area = p->width * p->height, index = y * p->width + x, total = 0, apart = INT16_MIN;
    for (int i = 0; i < 5; i++)
        n = reach[i] < n ? reach[i] : n;
    int a = share_of(random[index], n), b = share_of(random[area + index], n);
    int a_down = reference_rows(p, y, a), b_down = reference_rows(p, y, b);
    int columns[] = {x + b, x - b, x + a, x - a};
    int rows[] = {y + a_down, y - a_down, y - b_down, y + b_down};
    int samples = sample_mode == 0 ? 1 : 2 * sample_mode;
    int own = frame_pixel(p->buffer[FRAME].host, index)[channel];
    for (int i = 0; i < samples; i++) {
        size_t there = (size_t)rows[i] * p->width + columns[i];
        int value = frame_pixel(p->buffer[FRAME].host, there)[channel];
        int difference = wrapped(abs(own - value));
        total += value;
        apart = difference > apart ? difference : apart;
    }
    int average = (int)floor((double)total / samples + (samples > 1 ? 0.5 : 0));
    bool compare_average = sample_mode > 0 && blur_first;
    if (compare_average)
        apart = wrapped(abs(own - average));
    bool alike = apart < thresholds[channel] * (compare_average ? 2 : 4);
    int noise = share_of(random[(2 + channel) * area + index], channel == 0 ? dither_y : dither_c);
    return wrapped((alike ? average : own) + noise);
}

/* The filtered frame, laid out as the output is. */
static void *reference(const problem *p)
{
    int16_t *result = (int16_t *)allocate(p->buffer[OUTPUT].bytes);
#pragma omp parallel for schedule(dynamic)
    for (int y = 0; y < p->height; y++)
        for (int x = 0; x < p->width; x++) {
            int16_t *pixel = frame_pixel(result, (size_t)y * p->width + x);
            for (int c = 0; c < values_per_pixel(); c++)
                pixel[c] = (int16_t)(c < 3 ? reference_value(p, x, y, c) : 0);
        }
    return result;
}

/* Equality is demanded of every value. */
static checked value_at(const void *context, size_t i)
{
    const problem *p = (const problem *)context;
    const int16_t *value = (const int16_t *)p->buffer[OUTPUT].host;
    return {(double)value[i], (double)((const int16_t *)p->reference)[i], 1};
}

static check_result check(const problem *p, const variant *)
{
    size_t values = p->buffer[OUTPUT].bytes / sizeof(int16_t);
    return check_all(0, p->width * values_per_pixel(), values, value_at, p);
}

/*
 * Integer operations on a pixel, those on addresses left out: 6 for the reach (two differences,
 * four minima), 5 offsets of 4, a mask each for what goes down; and for each channel the average
 * (its additions and a shift), the differences (subtraction and absolute value, and the larger of
 * two), comparison, choice and noise. The variants' costs are those of the default mode.
 */
static lab_work work(const problem *p)
{
    double count = (double)p->width * p->height;
    int samples = 1 << sample_mode;
    int average = sample_mode == 0 ? 0 : samples + 1;
    int difference = blur_first && sample_mode != 0 ? 2 : 3 * samples - 1;
    int masks = sample_mode == 2 ? 2 : 1;
    int random_bytes = random_source == HASH ? 0 : PLANES;
    return {.bytes = count * (2 * values_per_pixel() * sizeof(int16_t) + random_bytes),
            .int_ops = count * (6 + 5 * 4 + masks + 3 * (average + difference + 3)),
            .steps = sample_mode == 1 && !blur_first ? count : 0};
}

/* ---- the result of a single run ------------------------------------------------------------- */

static void present(const problem *p, const variant *, dim3)
{
    frame_write(before_path, p->buffer[FRAME].host, p->width, p->height);
    frame_write(output_path, p->buffer[OUTPUT].host, p->width, p->height);
}

/* ---- main ----------------------------------------------------------------------------------- */

static const char *const positional[] = {"--input", "--output", "--blocks", "--trials",
                                         "WIDTH",   "HEIGHT",   NULL};

static const lab_settings configurations[] = {
    {"--pixels yc48 --random table"},
    {.options = "--pixels yc64", .full = true},
    {.options = "--random hash", .full = true},
    {NULL},
};

static const lab banding = {
    .name = "lab6_banding",
    .title = "the banding-reduction filter on frames of three 16-bit values a pixel",
    .sizes_are = SIZE_IMAGE,
    .sweep = {.sizes = "1920x1080",
              .sizes_large = "3840x2160 7680x4320",
              .scaling_size = "1920x1080",
              .blocks = "16 32 24x16 32x4 32x8 32x16 64x4",
              .configurations = configurations,
              .stream = "--stream 100 --variants rolling_tile --blocks 32x8 "
                        "--sizes 1920x1080,7680x4320"},
    .size_max = SIDE_MAX,
    .block_dimensions = 2,
    .single = {.positional = positional,
               .required = 2,
               .size = "1920x1080",
               .block = "32x8",
               .trials = "10"},
    LAB_OPTIONS(options),
    LAB_VARIANTS(variants),
    .configure = configure,
    .parameters = parameters,
    .refuse_size = frame_refuse_size,
    .layout = layout,
    .fill = fill,
    .reference = reference,
    .check = check,
    .work = work,
    .present = present,
};

int main(int argc, char **argv)
{
    return lab_main(&banding, argc, argv);
}
