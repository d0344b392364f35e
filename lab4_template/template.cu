/*
 * template.cu - experiment 4 of the 2012 report: where in an image is a template? The sum of
 * squared differences (SSD) at every position where the template lies inside the image,
 *
 *   R(x, y) = sum over i, j of (I(x+i, y+j) - T(i, j))^2      (equation 2 of the report)
 *
 * is 0 where it fits exactly; the position of the smallest R is the answer. `--measure` has others
 * in its place (measures.cuh), and `--top k` finds the best positions, too (matches.cuh).
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
 *   integer_dp4a         four bytes an instruction, 32 positions a thread (integer_dp4a.cuh)
 *   sad_words            --measure sad: four bytes an instruction, 32 positions a thread
 *   tensor_int8          tensor cores, mma.sync (tensor_int8.cuh); compute capability 8.0
 *   tensor_int8_hopper   tensor cores, wgmma (tensor_int8_hopper.cuh); 9.0 alone
 *   divided              the best of them over several GPUs (divided.cuh)
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

enum { IMAGE, TEMPLATE, MAP, MATCHES, KEYS }; /* buffers, in layout's order */
enum {
    ABREAST = 8, /* positions of a thread of register_tile */
    TEMPLATE_SIDE_MAX = 512,
    CONSTANT_BYTES = 64 * 1024,             /* of constant memory, on every card */
    PIXELS_OF_32_BITS = UINT32_MAX / 65025, /* a template whose sums fit 32 bits has no more */
};

/* The shapes that every variant works on. */
typedef struct shapes {
    int image_width, image_height, template_width, template_height;
    int map_width, map_height;
} shapes;

#include "measures.cuh"

/* The experiment's settings, from the command line. */
static int template_width = 64, template_height = 64, measure = SSD, top;
static const char *image_path, *template_path;
static const char *dat_path, *map_path, *match_path, *gray_path;

static shapes shapes_of(const problem *p)
{
    return {p->width,
            p->height,
            template_width,
            template_height,
            p->width - template_width + 1,
            p->height - template_height + 1};
}

/* Do sums of squared differences take 64 bits? */
static bool is_wide(void)
{
    return template_width * template_height > PIXELS_OF_32_BITS;
}

/* Are the map's values floats? Else they are whole numbers. */
static bool is_normalised(void)
{
    return measure == NCC || measure == ZNCC;
}

static size_t value_bytes(void)
{
    return measure == SSD && is_wide() ? sizeof(uint64_t) : sizeof(uint32_t);
}

static double get_value(const void *map, size_t i)
{
    if (is_normalised())
        return ((const float *)map)[i];
    return value_bytes() == sizeof(uint64_t) ? (double)((const uint64_t *)map)[i]
                                             : ((const uint32_t *)map)[i];
}

/* NPP's map has floats, whatever the measure. */
static double get_npp_value(const void *map, size_t i)
{
    return ((const float *)map)[i];
}

typedef double (*value_reader)(const void *map, size_t i);

static void put_value(void *map, size_t i, uint64_t value)
{
    if (value_bytes() == sizeof(uint64_t))
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

static uint64_t sad_at(const uint8_t *image, const uint8_t *templ, shapes s, int x, int y)
{
    uint64_t sum = 0;
    for (int j = 0; j < s.template_height; j++)
        for (int i = 0; i < s.template_width; i++)
            sum += abs(image[(y + j) * s.image_width + x + i] - templ[j * s.template_width + i]);
    return sum;
}

static sums_of_both sums_at(const uint8_t *image, const uint8_t *templ, shapes s, int x, int y)
{
    sums_of_both all = {0, 0, 0, 0, 0};
    for (int j = 0; j < s.template_height; j++)
        for (int i = 0; i < s.template_width; i++) {
            uint64_t pixel = image[(y + j) * s.image_width + x + i];
            uint64_t other = templ[j * s.template_width + i];
            all.image += pixel;
            all.image_squares += pixel * pixel;
            all.templ += other;
            all.template_squares += other * other;
            all.products += pixel * other;
        }
    return all;
}

static double correlation_at(const uint8_t *image, const uint8_t *templ, shapes s, int x, int y)
{
    sums_of_both all = sums_at(image, templ, s, x, y);
    int64_t pixels = s.template_width * s.template_height;
    return value_of(measure == NCC ? fraction_of<NCC>(all, pixels)
                                   : fraction_of<ZNCC>(all, pixels));
}

static void match_at(const uint8_t *image, const uint8_t *templ, void *map, shapes s, int x, int y)
{
    size_t place = (size_t)y * s.map_width + x;
    if (is_normalised())
        ((float *)map)[place] = (float)correlation_at(image, templ, s, x, y);
    else if (measure == SAD)
        put_value(map, place, sad_at(image, templ, s, x, y));
    else
        put_value(map, place, ssd_at(image, templ, s, x, y));
}

static void match_serial(const uint8_t *image, const uint8_t *templ, void *map, shapes s)
{
    for (int y = 0; y < s.map_height; y++)
        for (int x = 0; x < s.map_width; x++)
            match_at(image, templ, map, s, x, y);
}

static void match_omp(const uint8_t *image, const uint8_t *templ, void *map, shapes s)
{
#pragma omp parallel for schedule(dynamic)
    for (int y = 0; y < s.map_height; y++)
        for (int x = 0; x < s.map_width; x++)
            match_at(image, templ, map, s, x, y);
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

/* ---- kernels of the expanded square, and of absolute differences ------------------------------
 */

#include "box_sums.cuh"
#include "normalise.cuh"
#include "integer_dp4a.cuh"

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
    int left = WORD * blockIdx.x * blockDim.x, top = HIGH * blockIdx.y * blockDim.y;
    copy_words(shared_words, tile, pitch, image, templ, s, part);
    __syncthreads();

    uint32_t sums[HIGH][WORD] = {{0}};
    correlate_words(sums, tile + HIGH * threadIdx.y * pitch + threadIdx.x, pitch, shared_words,
                    words, steps_of(part));
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

#include "sad_words.cuh"

/* Adds the piece's sums to the map, or puts them there, if it is the first. Blocks: integer_dp4a's.
 */
__global__ void sad_words(const uint8_t *image, const uint8_t *templ, uint32_t *map, shapes s,
                          piece part)
{
    extern __shared__ uint32_t shared_words[];
    uint32_t *tile = shared_words + PIECE_STEPS * PIECE_WORDS;
    int words = (part.width + WORD - 1) / WORD, pitch = dp4a_pitch(blockDim.x);
    int left = WORD * blockIdx.x * blockDim.x, top = HIGH * blockIdx.y * blockDim.y;
    copy_words(shared_words, tile, pitch, image, templ, s, part);
    __syncthreads();

    uint32_t sums[HIGH][WORD] = {{0}};
    tile += HIGH * threadIdx.y * pitch + threadIdx.x;
    for (int m = 0; m < words; m++) {
        int bytes = min(WORD, part.width - WORD * m);
        uint32_t recent[HIGH] = {0}, mask = 0xFFFFFFFF >> 8 * (WORD - bytes);
        for (int r = 0; r < part.height + HIGH - 1; r += HIGH)
            if (r > 0 && r + HIGH <= part.height)
                add_high_rows<true>(sums, recent, tile, pitch, shared_words, m, r, part.height,
                                    mask);
            else
                add_high_rows<false>(sums, recent, tile, pitch, shared_words, m, r, part.height,
                                     mask);
    }
    int x = left + WORD * threadIdx.x, y = top + HIGH * threadIdx.y;
    bool first = part.left == 0 && part.top == 0;
#pragma unroll
    for (int k = 0; k < HIGH; k++)
#pragma unroll
        for (int i = 0; i < WORD; i++) {
            int place = place_of(x + i, y + k, s);
            if (place >= 0)
                map[place] = sums[k][i] + (first ? 0 : map[place]);
        }
}

#include "tensor_int8.cuh"
#include "matches.cuh"

/* ---- launchers ------------------------------------------------------------------------------ */

template <auto *PROGRAM>
static void run_cpu(const problem *p, const launch *l)
{
    PROGRAM((uint8_t *)l->buffer[IMAGE], (uint8_t *)l->buffer[TEMPLATE], l->buffer[MAP],
            shapes_of(p));
    if (top > 0)
        find_matches(l->buffer[MAP], (uint32_t *)l->buffer[MATCHES], shapes_of(p));
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

static const char *refuse_all_but_ssd(const problem *, dim3)
{
    return measure == SSD ? NULL : "needs --measure ssd";
}

static const char *refuse_wide(const problem *p, dim3 block)
{
    const char *reason = refuse_all_but_ssd(p, block);
    return !reason && is_wide() ? "its sums have 32 bits" : reason;
}

/* Of those that expand the square. */
static const char *refuse_sad(const problem *, dim3)
{
    return measure == SAD ? "needs --measure ssd, ncc or zncc" : NULL;
}

static const char *refuse_all_but_sad(const problem *, dim3)
{
    return measure == SAD ? NULL : "needs --measure sad";
}

static const char *refuse_large_constant(const problem *p, dim3 block)
{
    if (template_width * template_height > CONSTANT_BYTES)
        return "the template is larger than constant memory, 64 KiB";
    return refuse_wide(p, block);
}

/* naive's kernel for the measure, all with the same arguments but the map's type. */
static const void *naive_kernel(dim3)
{
    switch (measure) {
    case SAD:
        return (const void *)naive_sad;
    case NCC:
        return (const void *)naive_correlation<NCC>;
    case ZNCC:
        return (const void *)naive_correlation<ZNCC>;
    default:
        return is_wide() ? (const void *)naive<uint64_t> : (const void *)naive<uint32_t>;
    }
}

template <typename value>
static void launch_naive_of(const problem *p, const launch *l)
{
    void (*kernel)(const uint8_t *, const uint8_t *, value *, shapes) =
        (void (*)(const uint8_t *, const uint8_t *, value *, shapes))l->kernel;
    shapes s = shapes_of(p);
    kernel<<<grid_over(s.map_width, s.map_height, l->block), l->block, 0, l->stream>>>(
        (uint8_t *)l->buffer[IMAGE], (uint8_t *)l->buffer[TEMPLATE], (value *)l->buffer[MAP], s);
    CUDA_CHECK(cudaGetLastError());
}

static void launch_naive(const problem *p, const launch *l)
{
    if (is_normalised())
        launch_naive_of<float>(p, l);
    else if (value_bytes() == sizeof(uint64_t))
        launch_naive_of<uint64_t>(p, l);
    else
        launch_naive_of<uint32_t>(p, l);
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

/*
 * The workspace of the expanded variants begins with the template's sums and with the windows of
 * rows, which starts at a multiple of 256; the measures in floats want more (normalise.cuh).
 */
typedef struct box_workspace {
    uint64_t *of_template;    /* sum T^2, and for zncc sum T */
    uint32_t *square_windows; /* a row of the map's width for each of the image's */
    uint32_t *windows;        /* the same of sum I, for zncc */
    uint64_t *ssd;            /* R, where the map has no room for it */
    size_t bytes;             /* of all, a multiple of 256 */
} box_workspace;

enum { OF_TEMPLATE_BYTES = 256 };

static box_workspace boxes_in(const problem *p, void *workspace)
{
    shapes s = shapes_of(p);
    char *room = (char *)workspace;
    size_t windows = workspace_part((size_t)s.map_width * s.image_height * sizeof(uint32_t));
    size_t map = workspace_part((size_t)s.map_width * s.map_height * sizeof(uint64_t));
    size_t second = OF_TEMPLATE_BYTES + windows, third = second + (measure == ZNCC ? windows : 0);
    return {(uint64_t *)room, (uint32_t *)(room + OF_TEMPLATE_BYTES), (uint32_t *)(room + second),
            (uint64_t *)(room + third), third + (is_normalised() && is_wide() ? map : 0)};
}

static size_t box_bytes(const problem *p)
{
    return boxes_in(p, NULL).bytes;
}

/* Where R goes, as uint32_t or uint64_t: the map, unless this has other values of fewer bits. */
template <typename value>
static value *ssd_of(const problem *p, const launch *l)
{
    bool elsewhere = is_normalised() && sizeof(value) == sizeof(uint64_t);
    return elsewhere ? (value *)boxes_in(p, l->workspace).ssd : (value *)l->buffer[MAP];
}

/* Windows of the image's rows and a sum over the template, of pixels to the power of 1 or 2. */
template <int POWER>
static void launch_row_sums(const problem *p, const launch *l, uint32_t *windows, uint64_t *sum)
{
    shapes s = shapes_of(p);
    dim3 scans(blocks_for(s.map_width, SCAN_SPAN - s.template_width + 1), s.image_height);
    template_sum<POWER><<<1, SQUARE_THREADS, 0, l->stream>>>(
        (uint8_t *)l->buffer[TEMPLATE], s.template_width * s.template_height, sum);
    CUDA_CHECK(cudaGetLastError());
    row_windows<POWER>
        <<<scans, SCAN_THREADS, 0, l->stream>>>((uint8_t *)l->buffer[IMAGE], windows, s);
    CUDA_CHECK(cudaGetLastError());
}

static dim3 slide_grid(shapes s)
{
    return dim3(blocks_for(s.map_width, SLIDE_THREADS), blocks_for(s.map_height, SLIDE_ROWS));
}

/* The map of R gets sum I^2 + sum T^2. */
template <typename value>
static void launch_box_sums(const problem *p, const launch *l)
{
    shapes s = shapes_of(p);
    box_workspace boxes = boxes_in(p, l->workspace);
    launch_row_sums<2>(p, l, boxes.square_windows, boxes.of_template);
    column_windows<value><<<slide_grid(s), SLIDE_THREADS, 0, l->stream>>>(
        boxes.square_windows, boxes.of_template, ssd_of<value>(p, l), s);
    CUDA_CHECK(cudaGetLastError());
}

static const void *const box_kernels[] = {
    (const void *)row_windows<2>, (const void *)column_windows<uint32_t>,
    (const void *)column_windows<uint64_t>, (const void *)template_sum<2>, NULL};

/* The map gets the measure. After the products; for R of 64 bits it has room of its own. */
template <int MEASURE, typename value>
static void launch_normalise_of(const problem *p, const launch *l)
{
    box_workspace boxes = boxes_in(p, l->workspace);
    shapes s = shapes_of(p);
    if (MEASURE == ZNCC)
        launch_row_sums<1>(p, l, boxes.windows, boxes.of_template + 1);
    normalise<MEASURE, value><<<slide_grid(s), SLIDE_THREADS, 0, l->stream>>>(
        boxes.square_windows, boxes.windows, boxes.of_template, ssd_of<value>(p, l),
        (float *)l->buffer[MAP], s);
    CUDA_CHECK(cudaGetLastError());
}

template <typename value>
static void launch_normalise(const problem *p, const launch *l)
{
    if (measure == NCC)
        launch_normalise_of<NCC, value>(p, l);
    else if (measure == ZNCC)
        launch_normalise_of<ZNCC, value>(p, l);
}

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
            (uint8_t *)l->buffer[IMAGE], (uint8_t *)l->buffer[TEMPLATE], ssd_of<value>(p, l), s,
            piece_at(i));
        CUDA_CHECK(cudaGetLastError());
    }
    launch_normalise<value>(p, l);
}

static void launch_dp4a(const problem *p, const launch *l)
{
    is_wide() ? run_dp4a<uint64_t>(p, l) : run_dp4a<uint32_t>(p, l);
}

static void launch_sad_words(const problem *p, const launch *l)
{
    shapes s = shapes_of(p);
    dim3 grid = grid_over(s.map_width, s.map_height, dim3(WORD * l->block.x, HIGH * l->block.y));
    for (int i = 0; i < pieces(); i++) {
        sad_words<<<grid, l->block, l->shared_bytes, l->stream>>>(
            (uint8_t *)l->buffer[IMAGE], (uint8_t *)l->buffer[TEMPLATE], (uint32_t *)l->buffer[MAP],
            s, piece_at(i));
        CUDA_CHECK(cudaGetLastError());
    }
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

/* A copy of the image, if its own rows lie elsewhere. */
static size_t padded_bytes(const problem *p)
{
    return workspace_part(is_padded(p) ? (size_t)pitch_of(p) * p->height : 0);
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
        tensor_int8<value><<<grid, l->block, 0, l->stream>>>(image, fragments, ssd_of<value>(p, l),
                                                             s, part, pitch_of(p));
        CUDA_CHECK(cudaGetLastError());
    }
    launch_normalise<value>(p, l);
}

static void launch_tensor_int8(const problem *p, const launch *l)
{
    is_wide() ? run_tensor_int8<uint64_t>(p, l) : run_tensor_int8<uint32_t>(p, l);
}

static const void *tensor_kernel(dim3)
{
    return is_wide() ? (const void *)tensor_int8<uint64_t> : (const void *)tensor_int8<uint32_t>;
}

static const void *const tensor_kernels[] = {(const void *)row_windows<2>,
                                             (const void *)column_windows<uint32_t>,
                                             (const void *)template_sum<2>,
                                             (const void *)column_windows<uint64_t>,
                                             (const void *)pad_rows,
                                             (const void *)template_fragments,
                                             NULL};

#ifdef CUDA_ON_CPU
#define HOPPER_LAUNCHER NULL
#define HOPPER_FIELDS   .kernel = NULL
#else
#include "tensor_int8_hopper.cuh"
#endif

static dim3 tiles_of(shapes s)
{
    return dim3(blocks_for(s.map_width, MATCH_THREADS), blocks_for(s.map_height, MATCH_ROWS));
}

static size_t tile_keys(shapes s)
{
    dim3 tiles = tiles_of(s);
    return (size_t)tiles.x * tiles.y;
}

/* What is searched: rows of the whole map from `first` on. */
typedef struct search {
    int first;
    uint32_t *places; /* `top` of them, in the whole map */
    /* Makes of this GPU's least key that of all, in the workspace. NULL: it searches alone. */
    void (*agree)(uint64_t *key, const launch *l);
} search;

template <typename value>
static void launch_matches_of(const problem *p, const launch *l, search of)
{
    shapes s = shapes_of(p);
    uint64_t *keys = (uint64_t *)l->buffer[KEYS], *least = (uint64_t *)l->workspace;
    const int tiles = (int)tile_keys(s);
    for (int found = 0; found < top; found++) {
        best_of_tiles<value><<<tiles_of(s), MATCH_THREADS, 0, l->stream>>>(
            (const value *)l->buffer[MAP], keys, of.places, found, of.first, s);
        CUDA_CHECK(cudaGetLastError());
        if (of.agree) {
            least_key<<<1, CHOICE_THREADS, 0, l->stream>>>(keys, tiles, least);
            CUDA_CHECK(cudaGetLastError());
            of.agree(least, l);
        }
        best_of_all<<<1, CHOICE_THREADS, 0, l->stream>>>(of.agree ? least : keys,
                                                         of.agree ? 1 : tiles, of.places + found);
        CUDA_CHECK(cudaGetLastError());
    }
}

/* The search, where it is asked for. */
static void launch_matches(const problem *p, const launch *l, search of)
{
    if (is_normalised())
        launch_matches_of<float>(p, l, of);
    else if (value_bytes() == sizeof(uint64_t))
        launch_matches_of<uint64_t>(p, l, of);
    else
        launch_matches_of<uint32_t>(p, l, of);
}

/* A variant's launcher, and then the search. */
template <void (*MAKE_MAP)(const problem *, const launch *)>
static void with_matches(const problem *p, const launch *l)
{
    MAKE_MAP(p, l);
    launch_matches(p, l, {0, (uint32_t *)l->buffer[MATCHES], NULL});
}

#include "divided.cuh"
#include "vendor.cuh"

/* ---- variants and callbacks ----------------------------------------------------------------- */

static const variant variants[] = {
    SERIAL_VARIANT("serial", run_cpu<match_serial>),
    OPENMP_VARIANT("rows of the map spread over the cores", run_cpu<match_omp>),
    /* a tap: the image's byte and the template's; difference, product with sum, addresses */
    GPU_VARIANT("naive", "one position a thread", with_matches<launch_naive>,
                .cost = {.loads = 2, .int32 = 1.7}, .kernel_for = naive_kernel),
    GPU_VARIANT("global_sum", "the running sum in global memory, as the report's kernel has it",
                with_matches<launch_kernel<1>>, .cost = {.loads = 2, .int32 = 1.6},
                .kernel = (const void *)global_sum, .refuse = refuse_wide, .slow = true),
    GPU_VARIANT("constant_template", "the template in constant memory",
                with_matches<launch_kernel<1>>, .cost = {.loads = 1, .int32 = 1.5},
                .kernel = (const void *)constant_template, .refuse = refuse_large_constant,
                .prepare = prepare_constant_template,
                .note = "filling the constant memory is not timed"),
    GPU_VARIANT("shared_template", "the template in shared memory", with_matches<launch_kernel<1>>,
                .cost = {.loads = 2, .int32 = 1.5}, .kernel = (const void *)shared_template,
                .shared_bytes = template_bytes, .refuse = refuse_wide),
    GPU_VARIANT("shared_both", "template and image tile in shared memory",
                with_matches<launch_kernel<1>>, .cost = {.loads = 2, .int32 = 1.5},
                .kernel = (const void *)shared_both, .shared_bytes = both_bytes,
                .refuse = refuse_wide),
    GPU_VARIANT("register_tile", "eight positions a thread, pixels in registers",
                with_matches<launch_kernel<ABREAST>>, .cost = {.loads = 0.25, .int32 = 1.4},
                .kernel = (const void *)register_tile, .shared_bytes = register_tile_bytes,
                .refuse = refuse_wide),
    GPU_VARIANT("integer_dp4a", "the square expanded, products of bytes four at a time",
                with_matches<launch_dp4a>, .cost = {.loads = 0.03, .int32 = 0.29},
                .kernel_for = dp4a_kernel, .more_kernels = box_kernels, .shared_bytes = dp4a_bytes,
                .workspace_bytes = box_bytes, .refuse = refuse_sad),
    GPU_VARIANT("sad_words", "absolute differences of bytes four at a time",
                with_matches<launch_sad_words>, .kernel = (const void *)sad_words,
                .shared_bytes = dp4a_bytes, .refuse = refuse_all_but_sad),
    GPU_VARIANT("tensor_int8", "products by tensor cores, mma.sync",
                with_matches<launch_tensor_int8>, .architecture = "sm_80",
                .own_block = 32 * TENSOR_WARPS, .cost = {.loads = 0.01, .int32 = 0.03},
                .kernel_for = tensor_kernel, .more_kernels = tensor_kernels,
                .workspace_bytes = tensor_bytes, .refuse = refuse_sad),
    GPU_VARIANT("tensor_int8_hopper", "products by tensor cores, wgmma, and all else in one kernel",
                HOPPER_LAUNCHER, .needs = "the tensor cores of a GPU", .architecture = "sm_90a",
                .own_block = 2 * 128, HOPPER_FIELDS),
    GPU_VARIANT("divided", "over several GPUs, some rows of the map each", launch_divided,
                .needs = "MPI and NCCL", .architecture = "sm_80", .own_block = 2 * 128,
                .workspace_bytes = divided_bytes, .refuse = refuse_sad, .part = part_of_map,
                .exchanges = true),
    VENDOR_VARIANT("fft", "products of spectra by cuFFT, in FP32", FFT_LAUNCHER, .needs = "cuFFT",
                   FFT_FIELDS),
    VENDOR_VARIANT("npp", "NPP's SqrDistanceValid_Norm", NPP_LAUNCHER, .needs = "NPP", NPP_FIELDS,
                   .note = "normalised: R / sqrt(sum I^2 sum T^2), in FP32"),
};

/*
 * Beside the report's R the other measures, and other templates, to see where which variant is the
 * fastest: of large pictures, by kernels for a GPU and, in a build that has it, cuFFT. Without a
 * GPU nothing is left of them, or it would work out what to compare with, for minutes.
 */
#define SQUARE(side) "--template-width " #side " --template-height " #side " "
#define MEASURE(name, variants)                                                                    \
    {                                                                                              \
        .options =                                                                                 \
            "--measure " name " --sizes 4096x3072 --blocks 16,32x8 --variants naive," variants,    \
        .full = true                                                                               \
    }
#define SIDE(side)                                                                                 \
    {                                                                                              \
        .options = SQUARE(side) "--sizes 2048x1536 --blocks 16 "                                   \
                                "--variants integer_dp4a,tensor_int8,tensor_int8_hopper" AND_FFT,  \
        .full = true                                                                               \
    }

static const lab_settings configurations[] = {
    {"--measure ssd"},
    MEASURE("sad", "sad_words"),
    MEASURE("ncc", "tensor_int8,tensor_int8_hopper"),
    MEASURE("zncc", "tensor_int8,tensor_int8_hopper"),
    SIDE(8),
    SIDE(16),
    SIDE(32),
    SIDE(128),
    SIDE(256),
    SIDE(512),
    {NULL},
};

/* One map over more and more GPUs, and one a GPU. */
static const lab_settings several_gpus[] = {
    {SQUARE(64) "--measure ssd --top 1 --variants divided --sizes 256x192,4096x3072,8192x6144"},
    {SQUARE(64) "--measure ssd --top 1 --weak --variants divided --sizes 256x192,4096x3072"},
    {NULL},
};

static const lab_option options[] = {
    {"--input", OPTION_TEXT, &image_path, 0, 0, "image to search; without one, random pixels"},
    {"--template", OPTION_TEXT, &template_path, 0, 0,
     "what to look for; without one, a piece of the image"},
    {"--template-width", OPTION_INT, &template_width, 1, TEMPLATE_SIDE_MAX, "w, in pixels"},
    {"--template-height", OPTION_INT, &template_height, 1, TEMPLATE_SIDE_MAX, "h, in pixels"},
    {"--measure", OPTION_CHOICE, &measure, 0, 0,
     "ssd, sad: sums of squared or absolute differences, the least is the best; ncc, zncc: the "
     "correlation of the pixels, or of what they differ from their means, the largest is the best; "
     "0 where the window or the template is black (ncc) or of one gray (zncc)",
     measure_names},
    {"--top", OPTION_INT, &top, 0, TOP_MAX,
     "find the so many best positions, too, as a part of the run: any two of them half a template "
     "apart in x or in y; 0: the map alone"},
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
    int used = snprintf(text, bytes, "template=%dx%d;measure=%s;type=u8", template_width,
                        template_height, measure_names[measure]);
    if (top > 0)
        snprintf(text + used, bytes - used, ";top=%d", top);
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
    if (top == 0)
        return;
    problem_add_buffer(p, "matches", BUFFER_OUTPUT, top * sizeof(uint32_t));
    problem_add_buffer(p, "keys", BUFFER_SCRATCH, tile_keys(s) * sizeof(uint64_t));
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

#include "reference.cuh"

/*
 * A tap: difference, product or absolute value, sum; of ncc and zncc product and sum alone, for the
 * sums over windows need not be made tap by tap. The kernels' costs are those of R.
 */
static lab_work work(const problem *p)
{
    shapes s = shapes_of(p);
    double positions = (double)s.map_width * s.map_height;
    double taps = (double)template_width * template_height;
    return {.bytes = (double)p->width * p->height + taps + value_bytes() * positions,
            .int_ops = (is_normalised() ? 2 : 3) * positions * taps,
            .steps = measure == SSD ? positions * taps : 0};
}

#include "result.cuh"

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
              .emulated_max = 256 * 192,
              .blocks = "1 2 4 8 16 32",
              .configurations = configurations,
              .divided = several_gpus},
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
