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
 * the last one 0 (yc64); five planes of width x height random bytes: down, across, noise of Y, Cb
 * and Cr. Row-major; x is the column, y the row; no side is over 16384, so an int holds every
 * index. Differences and sums wrap in 16 bits, as in the article. Each rung of the ladder adds one
 * thing:
 *
 *   cpu, cpu_omp          serial; rows spread over the cores
 *   naive                 one pixel a thread, the article's kernel
 *   read_only             pointers that are const and __restrict__: the read-only data cache
 *   packed4               four 16-bit values a pixel, read at once; the conversions are counted
 *   packed4_convert_free  the same on frames that are packed already (--pixels yc64)
 *   shared_tile           the block's pixels and a halo of `range` around them in shared memory
 *
 * Beyond it are pixels4 (pixels4.cu), rolling_tile, early_start and random_in_kernel (rolling.cu).
 * offsets.h tells where neighbours lie, frames.cu has the data, checks.cu the check.
 *
 *   make -C lab6_banding run SIZES=1920x1080 BLOCKS="16 32x8"
 *   build/cuda/banding in.bmp out.bmp 32x8 10 1920 1080 --quantise 6    block, trials, size
 */
#include <stdio.h>
#include <stdlib.h>

#include "banding.h"
#include "pixel.cuh"

/* ---- CPU reference -------------------------------------------------------------------------- */

/* Filters a value; its neighbours are `away` pixels from it, of so many values each. */
static int16_t filter_value(const int16_t *own, const int *away, int values, int limit, int noise)
{
    int count = 1 << settings.mode, sum = count / 2;
    int16_t largest = INT16_MIN;
    for (int k = 0; k < count; k++) {
        int other = own[away[k] * values];
        int16_t difference = (int16_t)abs(*own - other);
        sum += other;
        largest = difference > largest ? difference : largest;
    }
    int16_t average = (int16_t)(sum >> settings.mode);
    bool compare_average = settings.blur_first && settings.mode != 0;
    int16_t compared = compare_average ? (int16_t)abs(*own - average) : largest;
    return (int16_t)((compared < limit ? average : *own) + noise);
}

static void filter_row(const int16_t *in, int16_t *out, const uint8_t *random, filter f, int y)
{
    int plane = f.width * f.height, values = values_per_pixel();
    const int threshold[] = {f.threshold_y, f.threshold_cb, f.threshold_cr};
    const int dither[] = {f.dither_y, f.dither_c, f.dither_c};
    for (int x = 0; x < f.width; x++) {
        int at = y * f.width + x;
        neighbours to = find_neighbours(settings.mode, random, f, f.width, x, y);
        const int away[] = {to.first, -to.first, to.second, -to.second};
        const int16_t *own = in + at * values;
        int16_t *result = out + at * values;
        for (int c = 0; c < 3; c++)
            result[c] = filter_value(own + c, away, values, threshold[c],
                                     random_range(random[(2 + c) * plane + at], dither[c]));
        if (values == 4)
            result[3] = 0;
    }
}

/* ---- the ladder ----------------------------------------------------------------------------- */

/*
 * naive: thread (x, y) makes pixel (x, y) by filter_pixel(), as the article's kernel does. A warp's
 * 32 reads of a neighbour fall into some 30 lines of the cache, in three parts each. Any block.
 *
 *      block                 what thread t reads around its pixel in mode 1
 *      +---------------+        .  .  .  .  .  +  .
 *      | .  .  t  .  . |        .  .  .  t  .  .  .     both are within 31 x 31 pixels;
 *      | .  .  .  .  . |        .  -  .  .  .  .  .     thread t + 1 reads two others
 *      +---------------+
 */
template <int MODE, bool BLUR_FIRST>
__global__ void naive(const yc48 *in, yc48 *out, const uint8_t *random, filter f)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= f.width || y >= f.height)
        return;
    int at = y * f.width + x;
    out[at] = filter_pixel<MODE, BLUR_FIRST>(in + at, f.width, random, f, x, y);
}

/*
 * read_only: against naive, the pointers are const and __restrict__, a promise that no other
 * pointer writes what they read. From compute capability 3.5 on the compiler then reads through the
 * read-only data cache (ld.global.nc), on the article's GTX 1060 the only first-level cache for
 * global memory and worth a factor of two. Since Volta all reads go through the first level. Who
 * makes what has not changed. Any block.
 *
 *      2017    naive       L2 -----------------------> registers
 *              read_only   L2 --> read-only cache ---> registers
 *      today   both        L2 --> first-level cache -> registers
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
    out[at] = filter_pixel<MODE, BLUR_FIRST>(in + at, f.width, random, f, x, y);
}

/*
 * packed4: against read_only, a pixel is a short4, aligned to its 8 bytes: one read instead of
 * three. Two kernels of one pixel a thread convert the frame before and the result after; without
 * them it is packed4_convert_free. Any block.
 *
 *      yc48    | Y Cb Cr | Y Cb Cr | Y Cb Cr | ..        6 bytes: 2 + 2 + 2
 *      short4  | Y  Cb  Cr  0 | Y  Cb  Cr  0 | ..        8 bytes, at a multiple of 8
 */
template <int MODE, bool BLUR_FIRST>
__global__ void packed4(const short4 *__restrict__ in, short4 *__restrict__ out,
                        const uint8_t *__restrict__ random, filter f)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= f.width || y >= f.height)
        return;
    int at = y * f.width + x;
    out[at] = pack(filter_pixel<MODE, BLUR_FIRST>(in + at, f.width, random, f, x, y));
}

/* Packs a frame, a pixel a thread. */
__global__ void pack_frame(const yc48 *__restrict__ in, short4 *__restrict__ out, filter f)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < f.width && y < f.height)
        out[y * f.width + x] = pack(in[y * f.width + x]);
}

/* Unpacks a result, a pixel a thread. */
__global__ void unpack_frame(const short4 *__restrict__ in, yc48 *__restrict__ out, filter f)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < f.width && y < f.height)
        out[y * f.width + x] = read_pixel(in + y * f.width + x);
}

/* [exercise 6.1] */
/*
 * shared_tile: against read_only, the block first copies its pixels and a halo around them into
 * shared memory, packed to short4, row by row and so in order; the scattered reads then hit shared
 * memory, which serves 32 different places in a few cycles. A thread makes TILE_ROWS pixels, so
 * that the halo is shared by more of them. Interlaced the halo is a row wider. Pixels of the tile
 * outside the picture are never read and stay unset. No thread leaves before the barrier. Any block
 * whose tile fits shared memory.
 *
 *           halo  blockDim.x  halo
 *         +------------------------+
 *    halo |                        |
 *         |     +------------+     |
 *         |     | t          |     |  blockDim.y      thread t makes the pixel at its place in each
 *         |     +------------+     |                  of the TILE_ROWS parts
 *         |     | t          |     |  blockDim.y
 *         |     +------------+     |
 *         |           ..           |
 *         +------------------------+
 */
enum { TILE_ROWS = 4 };

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
            out[y * f.width + x] = filter_pixel<MODE, BLUR_FIRST>(
                tile + ty * tile_width + halo + threadIdx.x, tile_width, random, f, x, y);
    }
}
/* [end 6.1] */

/* ---- launchers ------------------------------------------------------------------------------ */

static void run_serial(const problem *p, const launch *l)
{
    for (int y = 0; y < p->height; y++)
        filter_row((int16_t *)l->buffer[FRAME], (int16_t *)l->buffer[OUTPUT],
                   (uint8_t *)l->buffer[RANDOM], filter_of(p), y);
}

static void run_omp(const problem *p, const launch *l)
{
#pragma omp parallel for
    for (int y = 0; y < p->height; y++)
        filter_row((int16_t *)l->buffer[FRAME], (int16_t *)l->buffer[OUTPUT],
                   (uint8_t *)l->buffer[RANDOM], filter_of(p), y);
}

/* Launches l->kernel on frames of either kind; a thread makes ROWS pixels. */
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

/* Launches a variant that is one kernel. */
template <int ROWS, class Pixel>
static void launch_kernel(const problem *p, const launch *l)
{
    launch_filter<ROWS>((const Pixel *)l->buffer[FRAME], (Pixel *)l->buffer[OUTPUT], p, l);
}

/* Returns the room for the packed frame and the packed result. */
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

/* Returns the bytes of shared_tile's tile. */
static size_t tile_bytes(const problem *p, dim3 block)
{
    size_t halo = halo_of(filter_of(p));
    return sizeof(short4) * (block.x + 2 * halo) * (TILE_ROWS * block.y + 2 * halo);
}

/* ---- variants ------------------------------------------------------------------------------- */

static const void *const conversions[] = {(const void *)pack_frame, (const void *)unpack_frame,
                                          NULL};

static const variant variants[] = {
    SERIAL_VARIANT("serial", run_serial),
    OPENMP_VARIANT("rows spread over the cores", run_omp),
    GPU_VARIANT("naive", "one pixel a thread, the article's kernel", launch_kernel<1, yc48>,
                .kernel_for = BY_MODE(naive), .applies = frames_are<YC48>),
    GPU_VARIANT("read_only", "const __restrict__: the read-only data cache", launch_kernel<1, yc48>,
                .kernel_for = BY_MODE(read_only), .applies = frames_are<YC48>),
    GPU_VARIANT("packed4", "four 16-bit values a pixel, conversions counted", launch_packed4,
                .kernel_for = BY_MODE(packed4), .more_kernels = conversions,
                .workspace_bytes = packed_bytes, .applies = frames_are<YC48>,
                .note = "three kernels; the resources of the largest"),
    GPU_VARIANT("packed4_convert_free", "the same on packed frames (--pixels yc64)",
                launch_kernel<1, short4>, .kernel_for = BY_MODE(packed4),
                .applies = frames_are<YC64>),
    GPU_VARIANT("shared_tile", "pixels and their halo in shared memory",
                launch_kernel<TILE_ROWS, yc48>, .kernel_for = BY_MODE(shared_tile),
                .shared_bytes = tile_bytes, .applies = frames_are<YC48>),
    pixels4_variant,
    rolling_tile_variant,
    early_start_variant,
    random_in_kernel_variant,
};

/* ---- settings ------------------------------------------------------------------------------- */

banding_settings settings = {
    .mode = 1,
    .range = 15,
    .threshold_y = 15,
    .threshold_cb = 15,
    .threshold_cr = 15,
    .dither_y = 15,
    .dither_c = 15,
    .quantise = 8,
};

static const char *const random_names[] = {"table", "hash", NULL};
static const char *const pixel_names[] = {"yc48", "yc64", NULL};

static const lab_option options[] = {
    {"--input", OPTION_TEXT, &settings.input, 0, 0,
     "picture, or raw frame FILE.yc48; without one, a gradient with noise"},
    {"--output", OPTION_OUTPUT, &settings.output, 0, 0,
     "where a single run writes the result, a picture or FILE.yc48"},
    {"--before", OPTION_OUTPUT, &settings.before, 0, 0, "where it writes what was filtered"},
    {"--mode", OPTION_INT, &settings.mode, 0, 2, "1, 2 or 4 neighbours: mode 0, 1, 2"},
    {"--range", OPTION_INT, &settings.range, 0, 63, "how far away a neighbour may be, in pixels"},
    {"--threshold-y", OPTION_INT, &settings.threshold_y, 0, 31,
     "what Y may differ by, in 1/1024 or 1/2048"},
    {"--threshold-cb", OPTION_INT, &settings.threshold_cb, 0, 31, "the same for Cb"},
    {"--threshold-cr", OPTION_INT, &settings.threshold_cr, 0, 31, "the same for Cr"},
    {"--dither-y", OPTION_INT, &settings.dither_y, 0, 31, "noise added to Y, in 1/4096"},
    {"--dither-c", OPTION_INT, &settings.dither_c, 0, 31, "the same for Cb and Cr"},
    {"--blur-first", OPTION_INT, &settings.blur_first, 0, 1, "1: compare with the average"},
    {"--interlaced", OPTION_INT, &settings.interlaced, 0, 1, "1: neighbours from the same field"},
    {"--filter-seed", OPTION_INT, &settings.seed, 0, 127, "seed of the random planes"},
    {"--pixels", OPTION_CHOICE, &settings.pixels, 0, 0, "frames of 3 or 4 16-bit values a pixel",
     pixel_names},
    {"--random", OPTION_CHOICE, &settings.random, 0, 0, "random bytes by xorshift128, or by a hash",
     random_names},
    {"--quantise", OPTION_INT, &settings.quantise, 1, 8, "bits a channel that the picture keeps"},
};

static void parameters(char *text, size_t bytes)
{
    const banding_settings *s = &settings;
    snprintf(text, bytes,
             "mode=%d;range=%d;threshold=%d/%d/%d;dither=%d/%d;blur_first=%d;interlaced=%d;"
             "type=%s%s",
             s->mode, s->range, s->threshold_y, s->threshold_cb, s->threshold_cr, s->dither_y,
             s->dither_c, s->blur_first, s->interlaced, pixel_names[s->pixels],
             s->random == HASH ? ";random=hash" : "");
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
    .size_max = 16384,
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
    return lab_main(&banding, argc, argv);
}
