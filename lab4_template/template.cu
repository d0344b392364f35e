/*
 * template.cu - experiment 4 of the 2012 report: where in an image is a template? The sum of
 * squared differences at every position where the template lies inside the image,
 *
 *   R(x, y) = sum over i, j of (I(x+i, y+j) - T(i, j))^2      (equation 2 of the report)
 *
 * is 0 where it fits exactly; the position of the smallest R is the answer.
 *
 * Data: image of W x H and template of w x h bytes; a map of (W-w+1) x (H-h+1) 32-bit sums, exact:
 * w h 255^2 must stay below 2^32. No side is over 32768, so an int holds every index. Row-major; x
 * and i are columns, y and j rows.
 *
 *   cpu                serial
 *   cpu_omp            the same, rows of the map spread over the cores
 *   naive              one position a thread
 *   global_sum         the running sum in global memory (table 16 of the report)
 *   constant_template  the template in constant memory
 *   shared_template    the template in shared memory (section 5.2 of the report proposes it)
 *   shared_both        template and the block's piece of the image in shared memory
 *
 *   make -C lab4_template                             build just this lab
 *   make -C lab4_template run SIZES=1024x768 BLOCKS="16 32x8"
 *   build/cuda/template image.bmp template.bmp 16 3   as the report: block side, trials
 */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "die.h"
#include "file.h"
#include "lab.h"
#include "picture.h"

enum { IMAGE, TEMPLATE, MAP }; /* buffers, in layout's order */
enum { TEMPLATE_SIDE_MAX = 256 };

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

/* ---- CPU reference -------------------------------------------------------------------------- */

static uint32_t ssd_at(const uint8_t *image, const uint8_t *templ, shapes s, int x, int y)
{
    uint32_t sum = 0;
    for (int j = 0; j < s.template_height; j++)
        for (int i = 0; i < s.template_width; i++) {
            int difference =
                image[(y + j) * s.image_width + x + i] - templ[j * s.template_width + i];
            sum += difference * difference;
        }
    return sum;
}

static void match_serial(const uint8_t *image, const uint8_t *templ, uint32_t *map, shapes s)
{
    for (int y = 0; y < s.map_height; y++)
        for (int x = 0; x < s.map_width; x++)
            map[y * s.map_width + x] = ssd_at(image, templ, s, x, y);
}

static void match_omp(const uint8_t *image, const uint8_t *templ, uint32_t *map, shapes s)
{
#pragma omp parallel for schedule(dynamic)
    for (int y = 0; y < s.map_height; y++)
        for (int x = 0; x < s.map_width; x++)
            map[y * s.map_width + x] = ssd_at(image, templ, s, x, y);
}

/* ---- kernels -------------------------------------------------------------------------------- */

/*
 * naive: thread (x, y) makes R(x, y). All threads of a warp read the same template byte, a
 * broadcast, and neighbouring image bytes. Any block.
 */
__global__ void naive(const uint8_t *image, const uint8_t *templ, uint32_t *map, shapes s)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= s.map_width || y >= s.map_height)
        return;
    uint32_t sum = 0;
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
__constant__ uint8_t constant_pixels[TEMPLATE_SIDE_MAX * TEMPLATE_SIDE_MAX];

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
 * shared_both: against shared_template, the (bx+w-1) x (by+h-1) image bytes that the block's
 * positions touch are in shared memory too, behind the template. Bytes past the image's edge are
 * 0 and belong to positions that no thread makes. Any block whose tile fits shared memory.
 */
__global__ void shared_both(const uint8_t *image, const uint8_t *templ, uint32_t *map, shapes s)
{
    extern __shared__ uint8_t shared_pixels[];
    uint8_t *tile = shared_pixels + s.template_width * s.template_height;
    int tile_width = blockDim.x + s.template_width - 1;
    int tile_height = blockDim.y + s.template_height - 1;
    int left = blockIdx.x * blockDim.x, top = blockIdx.y * blockDim.y;
    copy_to_shared(shared_pixels, templ, s.template_width * s.template_height);
    for (int ty = threadIdx.y; ty < tile_height; ty += blockDim.y)
        for (int tx = threadIdx.x; tx < tile_width; tx += blockDim.x) {
            bool inside = left + tx < s.image_width && top + ty < s.image_height;
            tile[ty * tile_width + tx] = inside ? image[(top + ty) * s.image_width + left + tx] : 0;
        }
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

/* ---- launchers ------------------------------------------------------------------------------ */

template <auto *PROGRAM>
static void run_cpu(const problem *p, const launch *l)
{
    PROGRAM((uint8_t *)l->buffer[IMAGE], (uint8_t *)l->buffer[TEMPLATE], (uint32_t *)l->buffer[MAP],
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

typedef void (*match_kernel)(const uint8_t *image, const uint8_t *templ, uint32_t *map, shapes s);

/* Every kernel has the same shape: a thread a position. */
static void launch_kernel(const problem *p, const launch *l)
{
    shapes s = shapes_of(p);
    match_kernel kernel = (match_kernel)l->kernel;
    kernel<<<grid_over(s.map_width, s.map_height, l->block), l->block, l->shared_bytes,
             l->stream>>>((uint8_t *)l->buffer[IMAGE], (uint8_t *)l->buffer[TEMPLATE],
                          (uint32_t *)l->buffer[MAP], s);
    CUDA_CHECK(cudaGetLastError());
}

/* Fills the constant memory; untimed. */
static void prepare_constant_template(const problem *p, const launch *l)
{
    CUDA_CHECK(cudaMemcpyToSymbolAsync(constant_pixels, l->buffer[TEMPLATE],
                                       p->buffer[TEMPLATE].bytes, 0, cudaMemcpyDeviceToDevice,
                                       l->stream));
}

/* ---- variants and callbacks ----------------------------------------------------------------- */

static const variant variants[] = {
    SERIAL_VARIANT("serial", run_cpu<match_serial>),
    OPENMP_VARIANT("rows of the map spread over the cores", run_cpu<match_omp>),
    /* a tap: the image's byte and the template's; difference, product with sum, addresses */
    GPU_VARIANT("naive", "one position a thread", launch_kernel, .cost = {.loads = 2, .int32 = 1.7},
                .kernel = (const void *)naive),
    GPU_VARIANT("global_sum", "the running sum in global memory, as the report's kernel has it",
                launch_kernel, .cost = {.loads = 2, .int32 = 1.6},
                .kernel = (const void *)global_sum, .slow = true),
    GPU_VARIANT("constant_template", "the template in constant memory", launch_kernel,
                .cost = {.loads = 1, .int32 = 1.5}, .kernel = (const void *)constant_template,
                .prepare = prepare_constant_template,
                .note = "filling the constant memory is not timed"),
    GPU_VARIANT("shared_template", "the template in shared memory", launch_kernel,
                .cost = {.loads = 2, .int32 = 1.5}, .kernel = (const void *)shared_template,
                .shared_bytes = template_bytes),
    GPU_VARIANT("shared_both", "template and image tile in shared memory", launch_kernel,
                .cost = {.loads = 2, .int32 = 1.5}, .kernel = (const void *)shared_both,
                .shared_bytes = both_bytes),
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
    problem_add_buffer(p, "map", BUFFER_OUTPUT,
                       (size_t)s.map_width * s.map_height * sizeof(uint32_t));
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

/*
 * The map once more, summed in another order and with other loops than the variants': a row of
 * sums takes one template pixel at a time, so that the compiler can keep many sums in a register.
 */
static void *reference(const problem *p)
{
    shapes s = shapes_of(p);
    const uint8_t *image = (const uint8_t *)p->buffer[IMAGE].host;
    const uint8_t *templ = (const uint8_t *)p->buffer[TEMPLATE].host;
    uint32_t *map = (uint32_t *)allocate((size_t)s.map_width * s.map_height * sizeof(uint32_t));
#pragma omp parallel for schedule(dynamic)
    for (int y = 0; y < s.map_height; y++) {
        uint32_t *sums = map + (size_t)y * s.map_width;
        memset(sums, 0, (size_t)s.map_width * sizeof *sums);
        for (int j = 0; j < s.template_height; j++)
            for (int i = 0; i < s.template_width; i++) {
                const uint8_t *row = image + (y + j) * s.image_width + i;
                int pixel = templ[j * s.template_width + i];
                for (int x = 0; x < s.map_width; x++)
                    sums[x] += (row[x] - pixel) * (row[x] - pixel);
            }
    }
    return map;
}

/* Integer sums below 2^32 (255^2 * 256 * 256 is): equality is demanded. */
static checked value_at(const void *context, size_t i)
{
    const problem *p = (const problem *)context;
    const uint32_t *map = (const uint32_t *)p->buffer[MAP].host;
    return {(double)map[i], (double)((const uint32_t *)p->reference)[i], 1};
}

static check_result check(const problem *p, const variant *)
{
    shapes s = shapes_of(p);
    return check_all(0, s.map_width, (size_t)s.map_width * s.map_height, value_at, p);
}

/* A tap: difference, product, sum. */
static lab_work work(const problem *p)
{
    shapes s = shapes_of(p);
    double positions = (double)s.map_width * s.map_height;
    double taps = (double)template_width * template_height;
    return {.bytes = (double)p->width * p->height + taps + sizeof(uint32_t) * positions,
            .int_ops = 3 * positions * taps,
            .steps = positions * taps};
}

/* ---- the result of a single run ------------------------------------------------------------- */

/* The map as the report's program wrote it: one value a line, in raster order. */
static void write_dat(const uint32_t *map, size_t count)
{
    file_draft file = file_create(dat_path);
    for (size_t i = 0; i < count; i++)
        fprintf(file.stream, "%u.000000\n", map[i]);
    file_commit(&file);
}

static void write_match(int x, int y)
{
    file_draft file = file_create(match_path);
    fprintf(file.stream, "%d %d %d %d\n", x, y, template_width, template_height);
    file_commit(&file);
}

/* The map as a picture: the smallest sum black, the largest white. */
static void write_map_picture(const uint32_t *map, shapes s, uint32_t smallest, uint32_t largest)
{
    size_t count = (size_t)s.map_width * s.map_height;
    double scale = largest > smallest ? 255.0 / (largest - smallest) : 0;
    uint8_t *pixels = (uint8_t *)allocate(count);
    for (size_t i = 0; i < count; i++)
        pixels[i] = (uint8_t)(scale * (map[i] - smallest) + 0.5);
    picture_write(map_path, pixels, s.map_width, s.map_height, 1);
    free(pixels);
}

static void present(const problem *p, const variant *v, dim3)
{
    shapes s = shapes_of(p);
    const uint32_t *map = (const uint32_t *)p->buffer[MAP].host;
    size_t count = (size_t)s.map_width * s.map_height, best = 0, worst = 0;
    for (size_t i = 1; i < count; i++) {
        if (map[i] < map[best])
            best = i;
        if (map[i] > map[worst])
            worst = i;
    }
    int x = (int)(best % s.map_width), y = (int)(best / s.map_width);
    printf("min(R_SSD): (%d,%d)  R = %u  by %s\n", x, y, map[best], v->name);
    if (dat_path)
        write_dat(map, count);
    if (map_path)
        write_map_picture(map, s, map[best], map[worst]);
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
