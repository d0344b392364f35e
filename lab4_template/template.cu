/*
 * template.cu - experiment 4 of the 2012 report: where in an image is a template? The sum of
 * squared differences at every position where the template lies inside the image,
 *
 *   R(x, y) = sum over i, j of (I(x+i, y+j) - T(i, j))^2      (equation 2 of the report)
 *
 * is 0 where it fits exactly; the position of the smallest R is the answer.
 *
 * Data: image of W x H and template of w x h bytes; a map of (W-w+1) x (H-h+1) sums, exact: of 32
 * bits, or of 64 where w h 255^2 may be 2^32 or more. No side is over 32768, so an int holds every
 * index. Row-major; x and i are columns, y and j rows.
 *
 *   cpu                serial
 *   cpu_omp            the same, rows of the map spread over the cores
 *   naive              one position a thread
 *   global_sum         the running sum in global memory (table 16 of the report)
 *   constant_template  the template in constant memory
 *   shared_template    the template in shared memory (section 5.2 of the report proposes it)
 *   shared_both        template and the block's piece of the image in shared memory
 *   register_tile      eight positions a thread: what is loaded serves all of them
 *
 * The others expand the square, sum I^2 - 2 sum I T + sum T^2: the first and the last sum are cheap
 * (box_sums.cuh), and the products are made four or more at a time:
 *
 *   integer_dp4a         four bytes an instruction, 32 positions a thread
 *   tensor_int8          tensor cores, mma.sync (tensor_int8.cuh); compute capability 8.0
 *   tensor_int8_hopper   tensor cores, wgmma (tensor_int8_hopper.cuh); 9.0 alone
 *   fft                  products of spectra by cuFFT, in FP32: not exact
 *   npp                  NPP's SqrDistanceValid_Norm, R over the root of both sums of squares
 *
 *   make -C lab4_template                             build just this lab
 *   make -C lab4_template run SIZES=1024x768 BLOCKS="16 32x8"
 *   build/cuda/template image.bmp template.bmp 16 3   as the report: block side, trials
 */
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "die.h"
#include "file.h"
#include "lab.h"
#include "picture.h"

enum { IMAGE, TEMPLATE, MAP }; /* buffers, in layout's order */
enum {
    ABREAST = 8, /* positions of a thread of register_tile */
    TEMPLATE_SIDE_MAX = 512,
    CONSTANT_BYTES = 64 * 1024,             /* of constant memory, on every card */
    PIXELS_OF_32_BITS = UINT32_MAX / 65025, /* a template whose sums fit 32 bits has no more */
};

/* The experiment's settings, from the command line. */
static int template_width = 64, template_height = 64;
static const char *image_path, *template_path;
static const char *dat_path, *map_path, *match_path, *gray_path;

/* The shapes that every variant works on. */
typedef struct shapes {
    int image_width, image_height, template_width, template_height;
    int map_width, map_height;
} shapes;

static shapes shapes_of(const problem *p)
{
    return {p->width,
            p->height,
            template_width,
            template_height,
            p->width - template_width + 1,
            p->height - template_height + 1};
}

/* Has the map sums of 64 bits? */
static bool is_wide(void)
{
    return template_width * template_height > PIXELS_OF_32_BITS;
}

static size_t value_bytes(void)
{
    return is_wide() ? sizeof(uint64_t) : sizeof(uint32_t);
}

static uint64_t get_value(const void *map, size_t i)
{
    return is_wide() ? ((const uint64_t *)map)[i] : ((const uint32_t *)map)[i];
}

static void put_value(void *map, size_t i, uint64_t value)
{
    if (is_wide())
        ((uint64_t *)map)[i] = value;
    else
        ((uint32_t *)map)[i] = (uint32_t)value;
}

/* ---- CPU reference -------------------------------------------------------------------------- */

/* A row of the template, at most 512 pixels, has a sum of 32 bits. */
static uint64_t ssd_at(const uint8_t *image, const uint8_t *templ, shapes s, int x, int y)
{
    uint64_t sum = 0;
    for (int j = 0; j < s.template_height; j++) {
        uint32_t row_sum = 0;
        for (int i = 0; i < s.template_width; i++) {
            int difference =
                image[(y + j) * s.image_width + x + i] - templ[j * s.template_width + i];
            row_sum += difference * difference;
        }
        sum += row_sum;
    }
    return sum;
}

static void match_serial(const uint8_t *image, const uint8_t *templ, void *map, shapes s)
{
    for (int y = 0; y < s.map_height; y++)
        for (int x = 0; x < s.map_width; x++)
            put_value(map, (size_t)y * s.map_width + x, ssd_at(image, templ, s, x, y));
}

static void match_omp(const uint8_t *image, const uint8_t *templ, void *map, shapes s)
{
#pragma omp parallel for schedule(dynamic)
    for (int y = 0; y < s.map_height; y++)
        for (int x = 0; x < s.map_width; x++)
            put_value(map, (size_t)y * s.map_width + x, ssd_at(image, templ, s, x, y));
}

/* ---- kernels -------------------------------------------------------------------------------- */

/*
 * naive: thread (x, y) makes R(x, y). All threads of a warp read the same template byte, a
 * broadcast, and neighbouring image bytes. Any block. `value` is what the map has, uint32_t or
 * uint64_t; those after it know 32 bits alone, until the square is expanded.
 */
template <typename value>
__global__ void naive(const uint8_t *image, const uint8_t *templ, value *map, shapes s)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= s.map_width || y >= s.map_height)
        return;
    value sum = 0;
    for (int j = 0; j < s.template_height; j++) {
        const uint8_t *row = image + (y + j) * s.image_width + x;
        for (int i = 0; i < s.template_width; i++) {
            int difference = row[i] - templ[j * s.template_width + i];
            sum += difference * difference;
        }
    }
    map[y * s.map_width + x] = sum;
}

/*
 * global_sum: against naive, the running sum lives in the map, as the report's kernel has it
 * (table 16). Bytes may overlap anything for all the compiler knows, so every tap stores its sum
 * before the next one reads, and no two taps' reads are under way at a time. It does not pay; it
 * shows what a register is worth.
 */
__global__ void global_sum(const uint8_t *image, const uint8_t *templ, uint32_t *map, shapes s)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= s.map_width || y >= s.map_height)
        return;
    map[y * s.map_width + x] = 0;
    for (int j = 0; j < s.template_height; j++) {
        const uint8_t *row = image + (y + j) * s.image_width + x;
        for (int i = 0; i < s.template_width; i++) {
            int difference = row[i] - templ[j * s.template_width + i];
            map[y * s.map_width + x] += difference * difference;
        }
    }
}

/*
 * constant_template: against naive, the template comes from constant memory, whose cache
 * hands one value to all threads of a warp at once: it leaves the load units to the image. Any
 * block; templates up to 64 KiB.
 */
__constant__ uint8_t constant_pixels[CONSTANT_BYTES];

__global__ void constant_template(const uint8_t *image, const uint8_t *, uint32_t *map, shapes s)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= s.map_width || y >= s.map_height)
        return;
    uint32_t sum = 0;
    for (int j = 0; j < s.template_height; j++) {
        const uint8_t *row = image + (y + j) * s.image_width + x;
        for (int i = 0; i < s.template_width; i++) {
            int difference = row[i] - constant_pixels[j * s.template_width + i];
            sum += difference * difference;
        }
    }
    map[y * s.map_width + x] = sum;
}

/* All threads of the block copy `count` bytes to shared memory; the caller puts the barrier. */
__device__ static void copy_to_shared(uint8_t *to, const uint8_t *from, int count)
{
    int thread = threadIdx.y * blockDim.x + threadIdx.x, threads = blockDim.x * blockDim.y;
    for (int i = thread; i < count; i += threads)
        to[i] = from[i];
}

/*
 * shared_template: against naive, the block copies the template to shared memory first, as
 * section 5.2 of the report proposes. Any block; no thread leaves before the barrier.
 */
__global__ void shared_template(const uint8_t *image, const uint8_t *templ, uint32_t *map, shapes s)
{
    extern __shared__ uint8_t shared_pixels[];
    copy_to_shared(shared_pixels, templ, s.template_width * s.template_height);
    __syncthreads();

    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= s.map_width || y >= s.map_height)
        return;
    uint32_t sum = 0;
    for (int j = 0; j < s.template_height; j++) {
        const uint8_t *row = image + (y + j) * s.image_width + x;
        for (int i = 0; i < s.template_width; i++) {
            int difference = row[i] - shared_pixels[j * s.template_width + i];
            sum += difference * difference;
        }
    }
    map[y * s.map_width + x] = sum;
}

/*
 * They also copy the width x height pixels of the image from (left, top) on, `pitch` bytes a row in
 * shared memory. Bytes past the image's edge are 0 and belong to positions that no thread makes.
 */
__device__ static void copy_tile(uint8_t *tile, int pitch, int width, int height,
                                 const uint8_t *image, int left, int top, shapes s)
{
    for (int ty = threadIdx.y; ty < height; ty += blockDim.y)
        for (int tx = threadIdx.x; tx < width; tx += blockDim.x) {
            bool inside = left + tx < s.image_width && top + ty < s.image_height;
            tile[ty * pitch + tx] = inside ? image[(top + ty) * s.image_width + left + tx] : 0;
        }
}

/*
 * shared_both: against shared_template, the (bx+w-1) x (by+h-1) image bytes that the block's
 * positions touch are in shared memory too, behind the template. Any block whose tile fits it.
 */
__global__ void shared_both(const uint8_t *image, const uint8_t *templ, uint32_t *map, shapes s)
{
    extern __shared__ uint8_t shared_pixels[];
    uint8_t *tile = shared_pixels + s.template_width * s.template_height;
    int tile_width = blockDim.x + s.template_width - 1;
    int tile_height = blockDim.y + s.template_height - 1;
    int left = blockIdx.x * blockDim.x, top = blockIdx.y * blockDim.y;
    copy_to_shared(shared_pixels, templ, s.template_width * s.template_height);
    copy_tile(tile, tile_width, tile_width, tile_height, image, left, top, s);
    __syncthreads();

    int x = left + threadIdx.x, y = top + threadIdx.y;
    if (x >= s.map_width || y >= s.map_height)
        return;
    uint32_t sum = 0;
    for (int j = 0; j < s.template_height; j++) {
        const uint8_t *row = tile + (threadIdx.y + j) * tile_width + threadIdx.x;
        for (int i = 0; i < s.template_width; i++) {
            int difference = row[i] - shared_pixels[j * s.template_width + i];
            sum += difference * difference;
        }
    }
    map[y * s.map_width + x] = sum;
}

/* Bytes of a row of register_tile's tile: an odd number of words, so that two rows share no bank.
 */
__host__ __device__ static int register_tile_pitch(int block_x, int template_width)
{
    int words = (ABREAST * block_x + template_width + 2) / 4;
    return 4 * (words | 1);
}

/*
 * register_tile: against shared_both, thread (x, y) makes the 8 positions from (8x, y) on. For a
 * pixel of the template it holds the 8 pixels of the image that go with it in registers, and the
 * next pixel of the template goes with 7 of these and a new one: two loads serve 8 taps. Any block
 * whose tile fits shared memory.
 */
__global__ void register_tile(const uint8_t *image, const uint8_t *templ, uint32_t *map, shapes s)
{
    extern __shared__ uint8_t shared_pixels[];
    int left = ABREAST * blockIdx.x * blockDim.x, top = blockIdx.y * blockDim.y;
    int pitch = register_tile_pitch(blockDim.x, s.template_width);
    uint8_t *tile = shared_pixels + s.template_width * s.template_height;
    copy_to_shared(shared_pixels, templ, s.template_width * s.template_height);
    copy_tile(tile, pitch, ABREAST * blockDim.x + s.template_width - 1,
              blockDim.y + s.template_height - 1, image, left, top, s);
    __syncthreads();

    uint32_t sums[ABREAST] = {0};
    for (int j = 0; j < s.template_height; j++) {
        const uint8_t *row = tile + (threadIdx.y + j) * pitch + ABREAST * threadIdx.x;
        int pixels[ABREAST];
        for (int k = 0; k < ABREAST - 1; k++)
            pixels[k + 1] = row[k];
#pragma unroll 8
        for (int i = 0; i < s.template_width; i++) {
            int pixel = shared_pixels[j * s.template_width + i];
            for (int k = 0; k < ABREAST - 1; k++)
                pixels[k] = pixels[k + 1];
            pixels[ABREAST - 1] = row[i + ABREAST - 1];
            for (int k = 0; k < ABREAST; k++)
                sums[k] += (pixels[k] - pixel) * (pixels[k] - pixel);
        }
    }
    int x = left + ABREAST * threadIdx.x, y = top + threadIdx.y;
    for (int k = 0; k < ABREAST; k++)
        if (x + k < s.map_width && y < s.map_height)
            map[y * s.map_width + x + k] = sums[k];
}

/* ---- kernels of the expanded square --------------------------------------------------------- */

#include "box_sums.cuh"

/*
 * The kernels of the products take the template in pieces, since tiles and sums are made for such a
 * size; a piece's sums fit 32 bits. Each subtracts twice its piece's from the map.
 */
enum { PIECE_SIDE = 64 };
typedef struct piece {
    int left, top, width, height;
} piece;

/* Pixels x to x+3 of row y as the bytes of a word, 0 outside [0, width) x [0, height). */
__device__ static uint32_t four_pixels(const uint8_t *pixels, int pitch, int x, int y, int width,
                                       int height)
{
    uint32_t word = 0;
    for (int i = 0; i < 4; i++)
        if (x + i < width && y < height)
            word |= (uint32_t)pixels[y * pitch + x + i] << 8 * i;
    return word;
}

/* The same of the template, 0 outside the piece, whose corner is (0, 0). */
__device__ static uint32_t four_of_piece(const uint8_t *templ, shapes s, piece part, int x, int y)
{
    return four_pixels(templ + part.top * s.template_width + part.left, s.template_width, x, y,
                       part.width, part.height);
}

/*
 * Takes twice the sums from places of the map, -1 for none. All are loaded before one is stored:
 * for all the compiler knows a store may change what a later load reads, so that it would wait.
 */
template <int COUNT, typename value>
__device__ static void subtract_twice(value *map, const int (&places)[COUNT], const uint32_t *sums)
{
    value before[COUNT];
#pragma unroll
    for (int i = 0; i < COUNT; i++)
        before[i] = places[i] >= 0 ? map[places[i]] : 0;
#pragma unroll
    for (int i = 0; i < COUNT; i++)
        if (places[i] >= 0)
            map[places[i]] = before[i] - 2 * sums[i];
}

/* Where (x, y) lies in the map; -1 if it is outside. */
__device__ static int place_of(int x, int y, shapes s)
{
    return x < s.map_width && y < s.map_height ? y * s.map_width + x : -1;
}

/* integer_dp4a's thread makes 4 positions by 8, which lie in 4-byte words side by side. */
enum {
    WORD = 4,
    HIGH = 8,
    PIECE_WORDS = PIECE_SIDE / WORD,
    PIECE_STEPS = PIECE_SIDE + HIGH /* rows of the image that it walks over, at most */
};

/* Words of a row of its tile: narrow blocks' rows of 8 or of 16 threads must not share banks. */
__host__ __device__ static int dp4a_pitch(int block_x)
{
    return block_x + PIECE_WORDS + (block_x <= 8 ? 1 : 2);
}

/*
 * sums[k][i] += what the template's rows have in common with the image's, k rows and i pixels from
 * the thread's first position on: for each word of the template's rows, down the rows of the image.
 * A word of the image is shifted to 4 places, where it meets 8 words of the template, one of them
 * new: 3 loads and 3 shifts serve 32 instructions of 4 taps.
 */
__device__ static void correlate_words(uint32_t (&sums)[HIGH][WORD], const uint32_t *tile,
                                       int pitch, const uint32_t *templ, int words, int steps)
{
    for (int m = 0; m < words; m++) {
        uint32_t recent[HIGH] = {0}; /* the template's last rows: row r in place r % HIGH */
        for (int r = 0; r < steps; r += HIGH) {
#pragma unroll
            for (int u = 0; u < HIGH; u++) {
                const uint32_t *row = tile + (r + u) * pitch + m;
                uint32_t low = row[0], high = row[1];
                recent[u] = templ[(r + u) * PIECE_WORDS + m];
#pragma unroll
                for (int i = 0; i < WORD; i++) {
                    uint32_t pixels = __funnelshift_r(low, high, 8 * i);
#pragma unroll
                    for (int k = 0; k < HIGH; k++)
                        sums[k][i] = __dp4a(pixels, recent[(u - k + HIGH) % HIGH], sums[k][i]);
                }
            }
        }
    }
}

/*
 * integer_dp4a: against register_tile, it makes products only, four at a time: __dp4a multiplies
 * the bytes of two words and adds up. Of the image, words at any byte are wanted; of the template,
 * only whole words (0 behind its end). Any block whose tile fits shared memory.
 */
template <typename value>
__global__ void integer_dp4a(const uint8_t *image, const uint8_t *templ, value *map, shapes s,
                             piece part)
{
    extern __shared__ uint32_t shared_words[];
    uint32_t *tile = shared_words + PIECE_STEPS * PIECE_WORDS;
    int words = (part.width + WORD - 1) / WORD, pitch = dp4a_pitch(blockDim.x);
    int steps = (part.height + HIGH - 1 + HIGH - 1) / HIGH * HIGH;
    int left = WORD * blockIdx.x * blockDim.x, top = HIGH * blockIdx.y * blockDim.y;
    for (int ty = threadIdx.y; ty < steps; ty += blockDim.y)
        for (int tx = threadIdx.x; tx < words; tx += blockDim.x)
            shared_words[ty * PIECE_WORDS + tx] = four_of_piece(templ, s, part, WORD * tx, ty);
    for (int ty = threadIdx.y; ty < HIGH * ((int)blockDim.y - 1) + steps; ty += blockDim.y)
        for (int tx = threadIdx.x; tx < (int)blockDim.x + words; tx += blockDim.x)
            tile[ty * pitch + tx] = four_pixels(image, s.image_width, left + part.left + WORD * tx,
                                                top + part.top + ty, s.image_width, s.image_height);
    __syncthreads();

    uint32_t sums[HIGH][WORD] = {{0}};
    correlate_words(sums, tile + HIGH * threadIdx.y * pitch + threadIdx.x, pitch, shared_words,
                    words, steps);
    int x = left + WORD * threadIdx.x, y = top + HIGH * threadIdx.y;
#pragma unroll
    for (int k = 0; k < HIGH; k++) {
        int places[WORD];
#pragma unroll
        for (int i = 0; i < WORD; i++)
            places[i] = place_of(x + i, y + k, s);
        subtract_twice(map, places, sums[k]);
    }
}

/* The image with rows of `pitch` bytes, a multiple of 4, zeros behind their end: a thread a word.
 */
__global__ void pad_rows(const uint8_t *image, uint8_t *padded, int pitch, shapes s)
{
    int x = WORD * (blockIdx.x * blockDim.x + threadIdx.x), y = blockIdx.y;
    if (x < pitch)
        *(uint32_t *)(padded + (size_t)y * pitch + x) =
            four_pixels(image, s.image_width, x, y, s.image_width, s.image_height);
}

#include "tensor_int8.cuh"
#ifndef CUDA_ON_CPU
#include "tensor_int8_hopper.cuh"
#endif

/* ---- launchers ------------------------------------------------------------------------------ */

template <auto *PROGRAM>
static void run_cpu(const problem *p, const launch *l)
{
    PROGRAM((uint8_t *)l->buffer[IMAGE], (uint8_t *)l->buffer[TEMPLATE], l->buffer[MAP],
            shapes_of(p));
}

static size_t template_bytes(const problem *, dim3)
{
    return (size_t)template_width * template_height;
}

static size_t both_bytes(const problem *p, dim3 block)
{
    return template_bytes(p, block) +
           (size_t)(block.x + template_width - 1) * (block.y + template_height - 1);
}

static size_t register_tile_bytes(const problem *p, dim3 block)
{
    return template_bytes(p, block) +
           (size_t)register_tile_pitch(block.x, template_width) * (block.y + template_height - 1);
}

static const char *refuse_wide(const problem *, dim3)
{
    return is_wide() ? "its sums have 32 bits" : NULL;
}

static const char *refuse_large_constant(const problem *p, dim3 block)
{
    if (template_width * template_height > CONSTANT_BYTES)
        return "the template is larger than constant memory, 64 KiB";
    return refuse_wide(p, block);
}

static const void *naive_kernel(dim3)
{
    return is_wide() ? (const void *)naive<uint64_t> : (const void *)naive<uint32_t>;
}

static void launch_naive(const problem *p, const launch *l)
{
    shapes s = shapes_of(p);
    dim3 grid = grid_over(s.map_width, s.map_height, l->block);
    const uint8_t *image = (uint8_t *)l->buffer[IMAGE], *templ = (uint8_t *)l->buffer[TEMPLATE];
    if (is_wide())
        naive<uint64_t>
            <<<grid, l->block, 0, l->stream>>>(image, templ, (uint64_t *)l->buffer[MAP], s);
    else
        naive<uint32_t>
            <<<grid, l->block, 0, l->stream>>>(image, templ, (uint32_t *)l->buffer[MAP], s);
    CUDA_CHECK(cudaGetLastError());
}

typedef void (*match_kernel)(const uint8_t *image, const uint8_t *templ, uint32_t *map, shapes s);

/* Kernels of sums of 32 bits, POSITIONS side by side a thread. */
template <int POSITIONS>
static void launch_kernel(const problem *p, const launch *l)
{
    shapes s = shapes_of(p);
    match_kernel kernel = (match_kernel)l->kernel;
    dim3 grid = grid_over(s.map_width, s.map_height, dim3(POSITIONS * l->block.x, l->block.y));
    kernel<<<grid, l->block, l->shared_bytes, l->stream>>>(
        (uint8_t *)l->buffer[IMAGE], (uint8_t *)l->buffer[TEMPLATE], (uint32_t *)l->buffer[MAP], s);
    CUDA_CHECK(cudaGetLastError());
}

/* Fills the constant memory; untimed. */
static void prepare_constant_template(const problem *p, const launch *l)
{
    CUDA_CHECK(cudaMemcpyToSymbolAsync(constant_pixels, l->buffer[TEMPLATE],
                                       p->buffer[TEMPLATE].bytes, 0, cudaMemcpyDeviceToDevice,
                                       l->stream));
}

/* What the sums of squares want of the workspace; it starts at a multiple of 256. */
typedef struct box_workspace {
    uint64_t *squares; /* sum T^2 */
    uint32_t *windows; /* a row of the map's width for each of the image's */
} box_workspace;

enum { SQUARES_BYTES = 256 };

static box_workspace boxes_in(void *workspace)
{
    return {(uint64_t *)workspace, (uint32_t *)((char *)workspace + SQUARES_BYTES)};
}

/* Up to a multiple of 256, for what comes behind them. */
static size_t box_bytes(const problem *p)
{
    shapes s = shapes_of(p);
    size_t windows = (size_t)s.map_width * s.image_height * sizeof(uint32_t);
    return SQUARES_BYTES + (windows + 255) / 256 * 256;
}

/* The map gets sum I^2 + sum T^2. */
template <typename value>
static void launch_box_sums(const problem *p, const launch *l)
{
    shapes s = shapes_of(p);
    box_workspace boxes = boxes_in(l->workspace);
    dim3 scans(blocks_for(s.map_width, SCAN_SPAN - s.template_width + 1), s.image_height);
    dim3 slides(blocks_for(s.map_width, SLIDE_THREADS), blocks_for(s.map_height, SLIDE_ROWS));
    template_squares<<<1, SQUARE_THREADS, 0, l->stream>>>(
        (uint8_t *)l->buffer[TEMPLATE], s.template_width * s.template_height, boxes.squares);
    CUDA_CHECK(cudaGetLastError());
    row_windows<<<scans, SCAN_THREADS, 0, l->stream>>>((uint8_t *)l->buffer[IMAGE], boxes.windows,
                                                       s);
    CUDA_CHECK(cudaGetLastError());
    column_windows<value><<<slides, SLIDE_THREADS, 0, l->stream>>>(boxes.windows, boxes.squares,
                                                                   (value *)l->buffer[MAP], s);
    CUDA_CHECK(cudaGetLastError());
}

static const void *const box_kernels[] = {
    (const void *)row_windows, (const void *)column_windows<uint32_t>,
    (const void *)column_windows<uint64_t>, (const void *)template_squares, NULL};

static int pieces_of(int side)
{
    return blocks_for(side, PIECE_SIDE);
}

/* The template's pieces in their order, from the upper left one on. */
static piece piece_at(int index)
{
    int left = index % pieces_of(template_width) * PIECE_SIDE;
    int top = index / pieces_of(template_width) * PIECE_SIDE;
    int width = template_width - left, height = template_height - top;
    return {left, top, width < PIECE_SIDE ? width : PIECE_SIDE,
            height < PIECE_SIDE ? height : PIECE_SIDE};
}

static int pieces(void)
{
    return pieces_of(template_width) * pieces_of(template_height);
}

static size_t dp4a_bytes(const problem *, dim3 block)
{
    size_t tile = (size_t)dp4a_pitch(block.x) * (HIGH * (block.y - 1) + PIECE_STEPS);
    return (PIECE_STEPS * PIECE_WORDS + tile) * sizeof(uint32_t);
}

static const void *dp4a_kernel(dim3)
{
    return is_wide() ? (const void *)integer_dp4a<uint64_t> : (const void *)integer_dp4a<uint32_t>;
}

template <typename value>
static void run_dp4a(const problem *p, const launch *l)
{
    shapes s = shapes_of(p);
    dim3 grid = grid_over(s.map_width, s.map_height, dim3(WORD * l->block.x, HIGH * l->block.y));
    launch_box_sums<value>(p, l);
    for (int i = 0; i < pieces(); i++) {
        integer_dp4a<value><<<grid, l->block, l->shared_bytes, l->stream>>>(
            (uint8_t *)l->buffer[IMAGE], (uint8_t *)l->buffer[TEMPLATE], (value *)l->buffer[MAP], s,
            piece_at(i));
        CUDA_CHECK(cudaGetLastError());
    }
}

static void launch_dp4a(const problem *p, const launch *l)
{
    is_wide() ? run_dp4a<uint64_t>(p, l) : run_dp4a<uint32_t>(p, l);
}

/* Rows of the image that the tensor cores' kernels can read: at multiples of 16 bytes. */
enum { ROW_ALIGNMENT = 16, PAD_THREADS = 128, PAD_PIXELS = PAD_THREADS * 4 };

static int pitch_of(const problem *p)
{
    return (p->width + ROW_ALIGNMENT - 1) / ROW_ALIGNMENT * ROW_ALIGNMENT;
}

static bool is_padded(const problem *p)
{
    return pitch_of(p) != p->width;
}

/* A copy of the image, if its own rows lie elsewhere, up to a multiple of 256. */
static size_t padded_bytes(const problem *p)
{
    size_t bytes = is_padded(p) ? (size_t)pitch_of(p) * p->height : 0;
    return (bytes + 255) / 256 * 256;
}

/* The image with such rows: itself, or a copy in `room`, made now. */
static const uint8_t *aligned_image(const problem *p, const launch *l, void *room)
{
    const uint8_t *image = (uint8_t *)l->buffer[IMAGE];
    int pitch = pitch_of(p);
    if (!is_padded(p))
        return image;
    dim3 grid(blocks_for(pitch, PAD_PIXELS), p->height);
    pad_rows<<<grid, PAD_THREADS, 0, l->stream>>>(image, (uint8_t *)room, pitch, shapes_of(p));
    CUDA_CHECK(cudaGetLastError());
    return (uint8_t *)room;
}

/* The workspace: sums of squares, a copy of the image, a piece's fragments. */
static size_t tensor_bytes(const problem *p)
{
    return box_bytes(p) + padded_bytes(p) + sizeof(uint2) * FRAGMENTS * PIECE_SIDE;
}

template <typename value>
static void run_tensor_int8(const problem *p, const launch *l)
{
    shapes s = shapes_of(p);
    char *room = (char *)l->workspace + box_bytes(p);
    uint2 *fragments = (uint2 *)(room + padded_bytes(p));
    dim3 grid(blocks_for(s.map_width, TENSOR_STRIP),
              blocks_for(s.map_height, TENSOR_WARPS * TENSOR_ROWS));
    const uint8_t *image = aligned_image(p, l, room);
    launch_box_sums<value>(p, l);
    for (int i = 0; i < pieces(); i++) {
        piece part = piece_at(i);
        template_fragments<<<part.height, FRAGMENTS, 0, l->stream>>>((uint8_t *)l->buffer[TEMPLATE],
                                                                     fragments, s, part);
        CUDA_CHECK(cudaGetLastError());
        tensor_int8<value><<<grid, l->block, 0, l->stream>>>(
            image, fragments, (value *)l->buffer[MAP], s, part, pitch_of(p));
        CUDA_CHECK(cudaGetLastError());
    }
}

static void launch_tensor_int8(const problem *p, const launch *l)
{
    is_wide() ? run_tensor_int8<uint64_t>(p, l) : run_tensor_int8<uint32_t>(p, l);
}

static const void *tensor_kernel(dim3)
{
    return is_wide() ? (const void *)tensor_int8<uint64_t> : (const void *)tensor_int8<uint32_t>;
}

static const void *const tensor_kernels[] = {(const void *)row_windows,
                                             (const void *)column_windows<uint32_t>,
                                             (const void *)template_squares,
                                             (const void *)column_windows<uint64_t>,
                                             (const void *)pad_rows,
                                             (const void *)template_fragments,
                                             NULL};

#ifndef CUDA_ON_CPU
/* Does the kernel make the sums of squares, too? */
static bool is_fused(void)
{
    return template_width == PIECE_SIDE && template_height == PIECE_SIDE;
}

static size_t hopper_workspace(const problem *p)
{
    return padded_bytes(p) + (is_fused() ? 0 : box_bytes(p));
}

static int multiprocessors(void)
{
    int device, count;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device));
    return count;
}

/* Products of a piece: where the map's tiles are no more than multiprocessors, one each. */
template <bool FUSED, typename value>
static void launch_piece(const launch *l, hopper_job job)
{
    int strips = blocks_for(job.s.map_width, STRIP), processors = multiprocessors();
    int tiles = blocks_for(job.s.map_height, TILE_ROWS);
    bool small = strips * tiles <= processors;
    auto kernel = small ? hopper_tile<FUSED, value> : hopper_march<FUSED, value>;
    int bytes = hopper_bytes(small ? TILE_ROWS : MARCH_ROWS);
    int blocks = processors / strips > 0 ? processors / strips : 1, step = GROUPS * MARCH_ROWS;
    int rows = blocks_for(blocks_for(job.s.map_height, blocks), step) * step;
    job.rows_of_block = small ? (int)TILE_ROWS : rows;
    CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    kernel<<<dim3(strips, blocks_for(job.s.map_height, job.rows_of_block)), l->block, bytes,
             l->stream>>>((value *)l->buffer[MAP], job);
    CUDA_CHECK(cudaGetLastError());
}

template <typename value>
static void launch_all_pieces(const problem *p, const launch *l, hopper_job job)
{
    launch_box_sums<value>(p, l);
    for (int i = 0; i < pieces(); i++) {
        job.part = piece_at(i);
        launch_piece<false, value>(l, job);
    }
}

static void launch_hopper(const problem *p, const launch *l)
{
    char *room = (char *)l->workspace + (is_fused() ? 0 : box_bytes(p));
    const uint8_t *image = aligned_image(p, l, room);
    hopper_job job = {image, (uint8_t *)l->buffer[TEMPLATE], pitch_of(p), shapes_of(p), piece_at(0),
                      0};
    if (is_fused())
        launch_piece<true, uint32_t>(l, job);
    else if (is_wide())
        launch_all_pieces<uint64_t>(p, l, job);
    else
        launch_all_pieces<uint32_t>(p, l, job);
}

/* A kernel without a body has no shared memory. */
static const char *refuse_hopper(const problem *, dim3)
{
    cudaFuncAttributes figures;
    if (cudaFuncGetAttributes(&figures, hopper_march<true, uint32_t>) == cudaSuccess)
        return figures.sharedSizeBytes ? NULL : "needs code for sm_90a: make ARCH=sm_90a";
    (void)cudaGetLastError(); /* handled here: there is no GPU, or no code for this one */
    return NULL;
}

static size_t hopper_shared_bytes(const problem *, dim3)
{
    return hopper_bytes(MARCH_ROWS);
}

#define HOPPER_FIELDS                                                                              \
    .kernel = (const void *)hopper_march<true, uint32_t>, .shared_bytes = hopper_shared_bytes,     \
    .workspace_bytes = hopper_workspace, .refuse = refuse_hopper
#else
#define launch_hopper NULL
#define HOPPER_FIELDS .kernel = NULL
#endif

#include "vendor.cuh"

/* ---- variants and callbacks ----------------------------------------------------------------- */

static const variant variants[] = {
    SERIAL_VARIANT("serial", run_cpu<match_serial>),
    OPENMP_VARIANT("rows of the map spread over the cores", run_cpu<match_omp>),
    /* a tap: the image's byte and the template's; difference, product with sum, addresses */
    GPU_VARIANT("naive", "one position a thread", launch_naive, .cost = {.loads = 2, .int32 = 1.7},
                .kernel_for = naive_kernel),
    GPU_VARIANT("global_sum", "the running sum in global memory, as the report's kernel has it",
                launch_kernel<1>, .cost = {.loads = 2, .int32 = 1.6},
                .kernel = (const void *)global_sum, .refuse = refuse_wide, .slow = true),
    GPU_VARIANT("constant_template", "the template in constant memory", launch_kernel<1>,
                .cost = {.loads = 1, .int32 = 1.5}, .kernel = (const void *)constant_template,
                .refuse = refuse_large_constant, .prepare = prepare_constant_template,
                .note = "filling the constant memory is not timed"),
    GPU_VARIANT("shared_template", "the template in shared memory", launch_kernel<1>,
                .cost = {.loads = 2, .int32 = 1.5}, .kernel = (const void *)shared_template,
                .shared_bytes = template_bytes, .refuse = refuse_wide),
    GPU_VARIANT("shared_both", "template and image tile in shared memory", launch_kernel<1>,
                .cost = {.loads = 2, .int32 = 1.5}, .kernel = (const void *)shared_both,
                .shared_bytes = both_bytes, .refuse = refuse_wide),
    GPU_VARIANT("register_tile", "eight positions a thread, pixels in registers",
                launch_kernel<ABREAST>, .cost = {.loads = 0.25, .int32 = 1.4},
                .kernel = (const void *)register_tile, .shared_bytes = register_tile_bytes,
                .refuse = refuse_wide),
    GPU_VARIANT("integer_dp4a", "the square expanded, products of bytes four at a time",
                launch_dp4a, .cost = {.loads = 0.03, .int32 = 0.29}, .kernel_for = dp4a_kernel,
                .more_kernels = box_kernels, .shared_bytes = dp4a_bytes,
                .workspace_bytes = box_bytes),
    GPU_VARIANT("tensor_int8", "products by tensor cores, mma.sync", launch_tensor_int8,
                .compute_capability = TENSOR_CAPABILITY, .own_block = 32 * TENSOR_WARPS,
                .cost = {.loads = 0.01, .int32 = 0.03}, .kernel_for = tensor_kernel,
                .more_kernels = tensor_kernels, .workspace_bytes = tensor_bytes),
    GPU_VARIANT("tensor_int8_hopper", "products by tensor cores, wgmma, and all else in one kernel",
                launch_hopper, .needs = "the tensor cores of a GPU", .compute_capability = 90,
                .no_later = true, .own_block = 2 * 128, HOPPER_FIELDS),
    VENDOR_VARIANT("fft", "products of spectra by cuFFT, in FP32", launch_fft, .needs = "cuFFT",
                   FFT_FIELDS),
    VENDOR_VARIANT("npp", "NPP's SqrDistanceValid_Norm", launch_npp, .needs = "NPP", NPP_FIELDS,
                   .note = "normalised: R / sqrt(sum I^2 sum T^2), in FP32"),
};

static const lab_option options[] = {
    {"--input", OPTION_TEXT, &image_path, 0, 0, "image to search; without one, random pixels"},
    {"--template", OPTION_TEXT, &template_path, 0, 0,
     "what to look for; without one, a piece of the image"},
    {"--template-width", OPTION_INT, &template_width, 1, TEMPLATE_SIDE_MAX, "w, in pixels"},
    {"--template-height", OPTION_INT, &template_height, 1, TEMPLATE_SIDE_MAX, "h, in pixels"},
    {"--dat", OPTION_OUTPUT, &dat_path, 0, 0, "where a single run writes the map, a value a line"},
    {"--map", OPTION_OUTPUT, &map_path, 0, 0, "where a single run writes the map as a picture"},
    {"--match", OPTION_OUTPUT, &match_path, 0, 0, "where a single run writes the match, 'x y w h'"},
    {"--gray", OPTION_OUTPUT, &gray_path, 0, 0, "where a single run writes the image in gray"},
};

static image photo, pattern; /* the input pictures; empty without them */

static void configure(void)
{
    if (template_path && !image_path)
        die_bad_input("--template needs --input, the image to search");
    picture_load(&photo, image_path);
    picture_load(&pattern, template_path);
    picture_check_writable(map_path);
    picture_check_writable(gray_path);
}

static void parameters(char *text, size_t bytes)
{
    snprintf(text, bytes, "template=%dx%d;measure=ssd;type=u8", template_width, template_height);
}

static const char *refuse_size(int width, int height)
{
    static char text[96];
    if (width >= template_width && height >= template_height)
        return NULL;
    snprintf(text, sizeof text, "the %dx%d template is larger than the image", template_width,
             template_height);
    return text;
}

static void layout(problem *p)
{
    shapes s = shapes_of(p);
    problem_add_buffer(p, "image", BUFFER_INPUT, (size_t)p->width * p->height);
    problem_add_buffer(p, "template", BUFFER_INPUT, (size_t)template_width * template_height);
    problem_add_buffer(p, "map", BUFFER_OUTPUT, (size_t)s.map_width * s.map_height * value_bytes());
}

/* Without a template of its own, the image's middle is what is looked for. */
static void cut_template(const problem *p)
{
    const uint8_t *image = (const uint8_t *)p->buffer[IMAGE].host;
    uint8_t *templ = (uint8_t *)p->buffer[TEMPLATE].host;
    int left = (p->width - template_width) / 2, top = (p->height - template_height) / 2;
    for (int j = 0; j < template_height; j++)
        memcpy(templ + j * template_width, image + (size_t)(top + j) * p->width + left,
               (size_t)template_width);
}

static void fill(const problem *p)
{
    picture_fit(&photo, image_path, p->width, p->height, 1, p->seed,
                (uint8_t *)p->buffer[IMAGE].host);
    if (pattern.pixels)
        picture_fit(&pattern, template_path, template_width, template_height, 1, p->seed,
                    (uint8_t *)p->buffer[TEMPLATE].host);
    else
        cut_template(p);
}

/* What the map should be, and what bounds the errors of those in FP32. */
typedef struct match_reference {
    uint64_t *ssd;            /* a value for each position */
    uint64_t *squares_before; /* (W+1) x (H+1): sum I^2 of what is left of and above each corner */
    double template_sum, template_squares;
} match_reference;

/*
 * The map once more, summed in another order and with other loops than the variants': a row of
 * sums takes one template pixel at a time, so that the compiler can keep many sums in a register.
 * Sums of 32 bits over a row of the template go to those of 64.
 */
static void sum_row(const problem *p, int y, uint32_t *sums, uint64_t *totals)
{
    shapes s = shapes_of(p);
    const uint8_t *image = (const uint8_t *)p->buffer[IMAGE].host;
    const uint8_t *templ = (const uint8_t *)p->buffer[TEMPLATE].host;
    memset(totals, 0, (size_t)s.map_width * sizeof *totals);
    for (int j = 0; j < s.template_height; j++) {
        memset(sums, 0, (size_t)s.map_width * sizeof *sums);
        for (int i = 0; i < s.template_width; i++) {
            const uint8_t *row = image + (y + j) * s.image_width + i;
            int pixel = templ[j * s.template_width + i];
            for (int x = 0; x < s.map_width; x++)
                sums[x] += (row[x] - pixel) * (row[x] - pixel);
        }
        for (int x = 0; x < s.map_width; x++)
            totals[x] += sums[x];
    }
}

static void sum_squares(const problem *p, match_reference *r)
{
    const uint8_t *image = (const uint8_t *)p->buffer[IMAGE].host;
    const uint8_t *templ = (const uint8_t *)p->buffer[TEMPLATE].host;
    size_t row = (size_t)p->width + 1;
    memset(r->squares_before, 0, row * sizeof *r->squares_before);
    for (int y = 0; y < p->height; y++) {
        uint64_t sum = 0, *above = r->squares_before + y * row, *before = above + row;
        before[0] = 0;
        for (int x = 0; x < p->width; x++) {
            int pixel = image[(size_t)y * p->width + x];
            sum += pixel * pixel;
            before[x + 1] = above[x + 1] + sum;
        }
    }
    for (int i = 0; i < template_width * template_height; i++) {
        r->template_sum += templ[i];
        r->template_squares += templ[i] * templ[i];
    }
}

static void *reference(const problem *p)
{
    shapes s = shapes_of(p);
    size_t count = (size_t)s.map_width * s.map_height;
    size_t corners = ((size_t)p->width + 1) * ((size_t)p->height + 1);
    match_reference *r =
        (match_reference *)allocate(sizeof *r + (count + corners) * sizeof(uint64_t));
    *r = {(uint64_t *)(r + 1), (uint64_t *)(r + 1) + count, 0, 0};
    sum_squares(p, r);
#pragma omp parallel
    {
        uint32_t *sums = (uint32_t *)allocate((size_t)s.map_width * sizeof *sums);
#pragma omp for schedule(dynamic)
        for (int y = 0; y < s.map_height; y++)
            sum_row(p, y, sums, r->ssd + (size_t)y * s.map_width);
        free(sums);
    }
    return r;
}

static bool is_npp(const variant *v)
{
    return strcmp(v->name, "npp") == 0;
}

static bool is_fft(const variant *v)
{
    return strcmp(v->name, "fft") == 0;
}

/* Whole numbers below 2^53. */
static checked value_at(const void *context, size_t i)
{
    const problem *p = (const problem *)context;
    double value = (double)get_value(p->buffer[MAP].host, i);
    return {value, (double)((const match_reference *)p->reference)->ssd[i], 1};
}

/* NPP's, which says nothing of black on black. Its error is one of a sum of squares, divided. */
static checked npp_value_at(const void *context, size_t i)
{
    const problem *p = (const problem *)context;
    const match_reference *r = (const match_reference *)p->reference;
    shapes s = shapes_of(p);
    size_t row = (size_t)p->width + 1;
    const uint64_t *corner = r->squares_before + i / s.map_width * row + i % s.map_width;
    const uint64_t *below = corner + template_height * row;
    double image = (double)(below[template_width] - below[0] - corner[template_width] + corner[0]);
    double root = sqrt(image * r->template_squares),
           value = ((const float *)p->buffer[MAP].host)[i];
    if (root == 0)
        return {0, 0, 1};
    return {value, (double)r->ssd[i] / root, (image + r->template_squares) / root};
}

/*
 * A transform of N numbers in FP32 is off by at most 6 u log2 N of its 2-norm, u = 2^-24 (Higham,
 * Accuracy and Stability of Numerical Algorithms, section 24.1). Here are three, each as large as
 * sqrt(sum I^2) sum T at most; of the correlation R has twice, rounded to a whole number.
 */
static double fft_bound(const problem *p)
{
    const match_reference *r = (const match_reference *)p->reference;
    double squares = (double)r->squares_before[((size_t)p->width + 1) * (p->height + 1) - 1];
    double transform = 6 * 0x1p-24 * (log2(p->width) + log2(p->height) + 1);
    return 2 * (3 * transform * sqrt(squares) * r->template_sum + 1);
}

/* Equality is demanded of all that is in integers. */
static check_result check(const problem *p, const variant *v)
{
    shapes s = shapes_of(p);
    size_t count = (size_t)s.map_width * s.map_height;
    double taps = (double)template_width * template_height;
    if (is_npp(v)) /* three sums of so many terms in FP32 */
        return check_all(3 * (taps + 2) * 0x1p-24, s.map_width, count, npp_value_at, p);
    return check_all(is_fft(v) ? fft_bound(p) : 0, s.map_width, count, value_at, p);
}

/* A tap: difference, product, sum. */
static lab_work work(const problem *p)
{
    shapes s = shapes_of(p);
    double positions = (double)s.map_width * s.map_height;
    double taps = (double)template_width * template_height;
    return {.bytes = (double)p->width * p->height + taps + value_bytes() * positions,
            .int_ops = 3 * positions * taps,
            .steps = positions * taps};
}

/* ---- the result of a single run ------------------------------------------------------------- */

/* A value of the map, which NPP writes as floats. */
static double shown_value(const void *map, size_t i, const variant *v)
{
    return is_npp(v) ? (double)((const float *)map)[i] : (double)get_value(map, i);
}

/* The map as the report's program wrote it: one value a line, in raster order. */
static void write_dat(const void *map, size_t count, const variant *v)
{
    file_draft file = file_create(dat_path);
    for (size_t i = 0; i < count; i++)
        fprintf(file.stream, "%.6f\n", shown_value(map, i, v));
    file_commit(&file);
}

static void write_match(int x, int y)
{
    file_draft file = file_create(match_path);
    fprintf(file.stream, "%d %d %d %d\n", x, y, template_width, template_height);
    file_commit(&file);
}

/* The map as a picture: the smallest sum black, the largest white. */
static void write_map_picture(const void *map, shapes s, const variant *v, double smallest,
                              double largest)
{
    size_t count = (size_t)s.map_width * s.map_height;
    double scale = largest > smallest ? 255.0 / (largest - smallest) : 0;
    uint8_t *pixels = (uint8_t *)allocate(count);
    for (size_t i = 0; i < count; i++)
        pixels[i] = (uint8_t)(scale * (shown_value(map, i, v) - smallest) + 0.5);
    picture_write(map_path, pixels, s.map_width, s.map_height, 1);
    free(pixels);
}

static void present(const problem *p, const variant *v, dim3)
{
    shapes s = shapes_of(p);
    const void *map = p->buffer[MAP].host;
    size_t count = (size_t)s.map_width * s.map_height, best = 0;
    double smallest = shown_value(map, 0, v), largest = smallest;
    for (size_t i = 1; i < count; i++) {
        double value = shown_value(map, i, v);
        if (value < smallest)
            best = i;
        smallest = fmin(smallest, value);
        largest = fmax(largest, value);
    }
    int x = (int)(best % s.map_width), y = (int)(best / s.map_width);
    printf("min(R_SSD): (%d,%d)  R = %.15g  by %s\n", x, y, smallest, v->name);
    if (dat_path)
        write_dat(map, count, v);
    if (map_path)
        write_map_picture(map, s, v, smallest, largest);
    if (match_path)
        write_match(x, y);
    if (gray_path)
        picture_write(gray_path, (const uint8_t *)p->buffer[IMAGE].host, p->width, p->height, 1);
}

/* ---- main ----------------------------------------------------------------------------------- */

static const char *const positional[] = {
    "--input", "--template",       "--blocks",          "--trials", "WIDTH",
    "HEIGHT",  "--template-width", "--template-height", NULL};

static const lab template_matching = {
    .name = "lab4_template",
    .title = "template matching by the sum of squared differences",
    .sizes_are = SIZE_IMAGE,
    .sweep = {.sizes = "128x96 256x192 512x384 1024x768",
              .sizes_large = "2048x1536 4096x3072",
              .scaling_size = "512x384",
              .blocks = "1 2 4 8 16 32"},
    .size_max = IMAGE_MAX_SIDE,
    .block_dimensions = 2,
    .single =
        {.positional = positional, .required = 2, .size = "1024x768", .block = "16", .trials = "1"},
    LAB_OPTIONS(options),
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
    return lab_main(&template_matching, argc, argv);
}
