/*
 * template.cu - experiment 4 of the 2012 report: where in an image is a template? The sum of
 * squared differences (SSD) at every position where the template lies inside the image,
 *
 *   R(x, y) = sum over i, j of (I(x+i, y+j) - T(i, j))^2      (equation 2 of the report)
 *
 * is 0 where it fits exactly; the position of the smallest R is the answer. `--measure` has others
 * in its place (measures.cuh), and `--top k` finds the best positions, too (matches.cu).
 *
 * Data: image of W x H and template of w x h bytes, row-major; x and i are columns, y and j rows. A
 * map of (W-w+1) x (H-h+1) sums, exact: of 32 bits, or of 64 where w h 255^2 may be 2^32 or more.
 * No side is over 32768, so an int holds every index. Here is the ladder:
 *
 *   cpu, cpu_omp       four loops, serial; rows of the map spread over the cores
 *   naive              one position a thread
 *   global_sum         the running sum in global memory (table 16 of the report)
 *   constant_template  the template in constant memory
 *   shared_template    the template in shared memory (section 5.2 of the report proposes it)
 *   shared_both        template and the block's tile of the image in shared memory
 *   register_tile      eight positions a thread: what is loaded serves all of them
 *
 * What goes beyond it has files of its own and expands the square, sum I^2 - 2 sum I T + sum T^2:
 * box_sums.cu, integer_dp4a.cu, tensor_int8.cu, tensor_int8_hopper.cu. Then there are sad_words.cu,
 * several_gpus.cu (divided), vendor.cu (fft, npp), checks.cu and result.cu (what a run writes).
 *
 *   build/cuda/template image.bmp template.bmp 16 3   as the report: block side, trials
 */
#include "template.h"
#include "lab.h"
#include "matches.h"
#include "pictures/image.h" /* IMAGE_MAX_SIDE */

/* ---- CPU reference -------------------------------------------------------------------------- */

/* Adds up R at (x, y). A row of the template, at most 512 pixels, has a sum of 32 bits. */
static uint64_t ssd_at(const uint8_t *image, const uint8_t *templ, shapes s, int x, int y)
{
    uint64_t sum = 0;
    for (int j = 0; j < s.template_height; j++) {
        const uint8_t *row = image + (y + j) * s.image_width + x;
        uint32_t row_sum = 0;
        for (int i = 0; i < s.template_width; i++) {
            int difference = row[i] - templ[j * s.template_width + i];
            row_sum += difference * difference;
        }
        sum += row_sum;
    }
    return sum;
}

static void match_at(const uint8_t *image, const uint8_t *templ, void *map, shapes s, int x, int y)
{
    if (measure != SSD)
        match_by_measure(image, templ, map, s, x, y);
    else if (is_wide())
        ((uint64_t *)map)[y * s.map_width + x] = ssd_at(image, templ, s, x, y);
    else
        ((uint32_t *)map)[y * s.map_width + x] = (uint32_t)ssd_at(image, templ, s, x, y);
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

/* ---- one position a thread ------------------------------------------------------------------- */

/*
 * naive: thread (x, y) makes R(x, y). All threads of a warp read the same template byte, a
 * broadcast, and neighbouring image bytes. `value` is the map's, uint32_t or uint64_t; the rungs
 * after it know 32 bits alone. Any block.
 *
 *     image  +---------------+    template  +-----+    map  +-----+   a tap: two bytes, their
 *            |  x,y +-----+  |              | i,j |         | x,y |   difference, its square, a
 *            |      | w,h |  |              +-----+         +-----+   sum in a register
 *            +------+-----+--+
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
 * shows what a register is worth. Any block.
 *
 *     naive         load I and T,     add;          load I and T,     add;          ..
 *     global_sum    load I, T and R,  add, store R; load I, T and R,  add, store R; ..
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

/* [exercise 4.1] */
/*
 * constant_template: against naive, the template comes from constant memory, whose cache
 * hands one value to all threads of a warp at once: it leaves the load units to the image. Any
 * block; templates up to 64 KiB.
 *
 *     constant cache      T(i, j)  one byte
 *                         | | | |
 *     warp                0 1 2 3 .. 31
 *                         | | | |
 *     L1          I(x+i, y+j) and its 31 neighbours
 */
enum { CONSTANT_BYTES = 64 * 1024 }; /* on every card */
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
/* [end 4.1] */

/* ---- tiles in shared memory ----------------------------------------------------------------- */

/* Copies bytes to shared memory by all threads of the block; the caller puts the barrier. */
__device__ inline void copy_to_shared(uint8_t *to, const uint8_t *from, int count)
{
    int thread = threadIdx.y * blockDim.x + threadIdx.x, threads = blockDim.x * blockDim.y;
    for (int i = thread; i < count; i += threads)
        to[i] = from[i];
}

/*
 * shared_template: against naive, the block copies the template to shared memory first, as
 * section 5.2 of the report proposes. Any block; no thread leaves before the barrier.
 *
 *     shared memory   | template, w h bytes |     read by all threads of the block, w h times each
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
 * Copies the width x height pixels of the image from (left, top) on, `pitch` bytes a row in shared
 * memory. Bytes past the image's edge are 0 and belong to positions that no thread makes.
 */
__device__ inline void copy_tile(uint8_t *tile, int pitch, int width, int height,
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
 *
 *         bx      w-1
 *      +-------+-------+        the tile: read from global memory once, and then, for each of
 *   by | block |       |        the block's bx * by positions, w * h of its pixels
 *      +-------+       |
 *  h-1 |               |        shared memory   | template | tile |
 *      +---------------+
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

/* ---- several positions a thread -------------------------------------------------------------- */

enum { ABREAST = 8 }; /* positions of a thread of register_tile */

/* Returns the bytes of a row of its tile: an odd number of words, so two rows share no bank. */
__host__ __device__ inline int register_tile_pitch(int block_x, int template_width)
{
    int words = (ABREAST * block_x + template_width + 2) / 4;
    return 4 * (words | 1);
}

/* [exercise 4.2] */
/*
 * register_tile: against shared_both, thread (x, y) makes the 8 positions from (8x, y) on. For a
 * pixel of the template it holds the 8 pixels of the image that go with it in registers, and the
 * next pixel of the template goes with 7 of these and a new one: two loads serve 8 taps. Any block
 * whose tile fits shared memory.
 *
 *     pixels    I0 I1 I2 I3 I4 I5 I6 I7          in registers, with T(i, j)
 *                / / / / / / /
 *     pixels    I1 I2 I3 I4 I5 I6 I7 I8 <- new    with T(i+1, j): one byte of either a step
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
/* [end 4.2] */

/* ---- launchers ------------------------------------------------------------------------------ */

template <auto *PROGRAM>
static void run_cpu(const problem *p, const launch *l)
{
    PROGRAM((uint8_t *)l->buffer[IMAGE], (uint8_t *)l->buffer[TEMPLATE], l->buffer[MAP],
            shapes_of(p));
    if (top_count > 0)
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

static const char *refuse_wide(const problem *p, dim3 block)
{
    const char *reason = refuse_all_but_ssd(p, block);
    return !reason && is_wide() ? "its sums have 32 bits" : reason;
}

static const char *refuse_large_constant(const problem *p, dim3 block)
{
    if (template_width * template_height > CONSTANT_BYTES)
        return "the template is larger than constant memory, 64 KiB";
    return refuse_wide(p, block);
}

/* Returns naive's kernel for the measure, all with the same arguments but the map's type. */
static const void *naive_kernel(dim3)
{
    return measure != SSD ? naive_by_measure()
           : is_wide()    ? (const void *)naive<uint64_t>
                          : (const void *)naive<uint32_t>;
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

/* Launches a kernel of sums of 32 bits, POSITIONS side by side a thread. */
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

/* ---- variants ------------------------------------------------------------------------------- */

static const variant variants[] = {
    SERIAL_VARIANT("serial", run_cpu<match_serial>),
    OPENMP_VARIANT("rows of the map spread over the cores", run_cpu<match_omp>),
    GPU_VARIANT("naive", "one position a thread", with_matches<launch_naive>,
                .kernel_for = naive_kernel),
    GPU_VARIANT("global_sum", "the running sum in global memory, as the report's kernel has it",
                with_matches<launch_kernel<1>>, .kernel = (const void *)global_sum,
                .refuse = refuse_wide, .slow = true),
    GPU_VARIANT("constant_template", "the template in constant memory",
                with_matches<launch_kernel<1>>, .kernel = (const void *)constant_template,
                .refuse = refuse_large_constant, .prepare = prepare_constant_template,
                .note = "filling the constant memory is not timed"),
    GPU_VARIANT("shared_template", "the template in shared memory", with_matches<launch_kernel<1>>,
                .kernel = (const void *)shared_template, .shared_bytes = template_bytes,
                .refuse = refuse_wide),
    GPU_VARIANT("shared_both", "template and image tile in shared memory",
                with_matches<launch_kernel<1>>, .kernel = (const void *)shared_both,
                .shared_bytes = both_bytes, .refuse = refuse_wide),
    GPU_VARIANT("register_tile", "eight positions a thread, pixels in registers",
                with_matches<launch_kernel<ABREAST>>, .kernel = (const void *)register_tile,
                .shared_bytes = register_tile_bytes, .refuse = refuse_wide),
    integer_dp4a_variant,
    sad_words_variant,
    tensor_int8_variant,
    tensor_int8_hopper_variant,
    divided_variant,
    fft_variant,
    npp_variant,
};

/* ---- the lab -------------------------------------------------------------------------------- */

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
    LAB_OPTIONS(data_options),
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
