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
 * Data: width x height floats, gray 0..255, row-major; x is the column, y the row. No side is over
 * 32768, so an int holds every index.
 *
 *   cpu          equation (1), serial
 *   cpu_omp      the same, rows spread over the cores
 *   naive        one pixel a thread, equation (1) as it stands (table 12 of the report)
 *   fast_exp     one fast exponential a tap, constants hoisted
 *   shared_tile  the block's pixels and a halo of r around them in shared memory
 *
 *   make -C lab3_bilateral                            build just this lab
 *   make -C lab3_bilateral run SIZES=1024x768 BLOCKS="8 16 32x8"
 *   build/cuda/bilateral in.bmp out.bmp 16 3 3 30     as the report: block side, trials, r, sigma
 */
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "die.h"
#include "lab.h"
#include "picture.h"

enum { INPUT, OUTPUT, SCRATCH }; /* buffers, in layout's order */

#define SIGMA_MIN 1e-3 /* -1 / (2 sigma^2) is a float; that of 1e-20 is not */

/* The experiment's settings, from the command line. */
static int radius = 3, passes = 1;
static double sigma = 30, sigma_space = 0, sigma_range = 0;
static const char *input_path, *output_path;

/* One pass of a filter: from one picture to another. */
typedef struct filter {
    int width, height, radius;
    float space, range; /* -1 / (2 sigma^2): what squared distances are multiplied by */
} filter;

/* ---- CPU reference -------------------------------------------------------------------------- */

static float filter_pixel(const float *in, filter f, int x, int y)
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

static void filter_serial(const float *in, float *out, filter f, const launch *)
{
    for (int y = 0; y < f.height; y++)
        for (int x = 0; x < f.width; x++)
            out[y * f.width + x] = filter_pixel(in, f, x, y);
}

static void filter_omp(const float *in, float *out, filter f, const launch *)
{
#pragma omp parallel for schedule(dynamic)
    for (int y = 0; y < f.height; y++)
        for (int x = 0; x < f.width; x++)
            out[y * f.width + x] = filter_pixel(in, f, x, y);
}

/* ---- kernels -------------------------------------------------------------------------------- */

/*
 * naive: thread (x, y) makes pixel (x, y), equation (1) as it stands: two exponentials a tap, each
 * accurate to the last bit or two. Any block. Threads of a warp read neighbouring pixels.
 */
__global__ void naive(const float *in, float *out, filter f)
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
    out[y * f.width + x] = numerator / denominator;
}

/*
 * fast_exp: against naive, the two exponents are added before one __expf, the hardware's fast
 * exponential, and the row's part of the exponent is worked out once a row. __expf is off by
 * 2 + floor(1.173 |x|) units in the last place (CUDA Programming Guide, intrinsic functions):
 * relatively more the smaller the weight is, and the less it counts. Any block.
 */
__global__ void fast_exp(const float *in, float *out, filter f)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= f.width || y >= f.height)
        return;
    float center = in[y * f.width + x], numerator = 0, denominator = 0;
    for (int dy = -f.radius; dy <= f.radius; dy++) {
        bool row_inside = y + dy >= 0 && y + dy < f.height;
        const float *row = in + (y + dy) * f.width;
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
    out[y * f.width + x] = numerator / denominator;
}

/*
 * shared_tile: against fast_exp, the block first copies its pixels and a halo of r on each side
 * into shared memory, so that a pixel is read from global memory about once instead of (2r+1)^2
 * times. Halo pixels outside the image are marked with NaN, which no pixel is, so the loop needs
 * one test of the value instead of four of the position. Any block whose tile of
 * (bx + 2r)(by + 2r) floats fits shared memory; no thread leaves before the barrier.
 */
__global__ void shared_tile(const float *in, float *out, filter f)
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
    out[y * f.width + x] = numerator / denominator;
}

/* ---- launchers ------------------------------------------------------------------------------ */

static size_t tile_bytes(const problem *, dim3 block)
{
    return sizeof(float) * (block.x + 2 * radius) * (block.y + 2 * radius);
}

typedef void (*filter_kernel)(const float *in, float *out, filter f);

static void pass_gpu(const float *d_in, float *d_out, filter f, const launch *l)
{
    filter_kernel kernel = (filter_kernel)l->kernel;
    kernel<<<grid_over(f.width, f.height, l->block), l->block, l->shared_bytes, l->stream>>>(
        d_in, d_out, f);
    CUDA_CHECK(cudaGetLastError());
}

/* Passes go back and forth between the output and the scratch buffer, and end in the output. */
template <auto *PASS>
static void run_passes(const problem *p, const launch *l)
{
    filter f = {p->width, p->height, radius, (float)(-0.5 / (sigma_space * sigma_space)),
                (float)(-0.5 / (sigma_range * sigma_range))};
    const float *in = (const float *)l->buffer[INPUT];
    for (int left = passes - 1; left >= 0; left--) {
        float *out = (float *)l->buffer[left % 2 ? SCRATCH : OUTPUT];
        PASS(in, out, f, l);
        in = out;
    }
}

/* ---- variants and callbacks ----------------------------------------------------------------- */

static const variant variants[] = {
    SERIAL_VARIANT("equation (1), serial", run_passes<filter_serial>),
    OPENMP_VARIANT("equation (1), rows spread over the cores", run_passes<filter_omp>),
    /* rows of seven taps; most on integers asks whether a tap is inside the picture */
    GPU_VARIANT("naive", "one pixel a thread, equation (1) as it stands", run_passes<pass_gpu>,
                .cost = {.loads = 1, .fp32 = 19, .int32 = 12, .special = 2},
                .kernel = (const void *)naive),
    GPU_VARIANT("fast_exp", "one fast exponential a tap, constants hoisted", run_passes<pass_gpu>,
                .cost = {.loads = 1, .fp32 = 9.1, .int32 = 8.9, .special = 1},
                .kernel = (const void *)fast_exp),
    GPU_VARIANT("shared_tile", "pixels and their halo in shared memory", run_passes<pass_gpu>,
                .cost = {.loads = 1, .fp32 = 9.1, .int32 = 6.7, .special = 1},
                .kernel = (const void *)shared_tile, .shared_bytes = tile_bytes),
};

static const lab_option options[] = {
    {"--input", OPTION_TEXT, &input_path, 0, 0, "picture to filter; without one, random pixels"},
    {"--output", OPTION_OUTPUT, &output_path, 0, 0, "where a single run writes the result"},
    {"--radius", OPTION_INT, &radius, 0, 100, "r: the filter covers (2r+1) x (2r+1) pixels"},
    {"--sigma", OPTION_DOUBLE, &sigma, SIGMA_MIN, 1e6, "both sigmas, in pixels and in gray levels"},
    {"--sigma-space", OPTION_DOUBLE, &sigma_space, 0, 1e6, "in pixels; 0 for --sigma's"},
    {"--sigma-range", OPTION_DOUBLE, &sigma_range, 0, 1e6, "in gray levels; 0 for --sigma's"},
    {"--passes", OPTION_INT, &passes, 1, 100, "apply the filter this often"},
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
    picture_load(&photo, input_path);
    picture_check_writable(output_path);
}

static void parameters(char *text, size_t bytes)
{
    snprintf(text, bytes, "radius=%d;sigma_space=%g;sigma_range=%g;passes=%d;type=f32", radius,
             sigma_space, sigma_range, passes);
}

static void layout(problem *p)
{
    size_t bytes = (size_t)p->width * p->height * sizeof(float);
    problem_add_buffer(p, "input", BUFFER_INPUT, bytes);
    problem_add_buffer(p, "output", BUFFER_OUTPUT, bytes);
    if (passes > 1)
        problem_add_buffer(p, "scratch", BUFFER_SCRATCH, bytes);
}

static void fill(const problem *p)
{
    picture_fit_floats(&photo, input_path, p->width, p->height, p->seed,
                       (float *)p->buffer[INPUT].host);
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

/* Calls visit(dx, dy, pixel) for each tap; outside the picture the middle pixel stands in. */
template <class Visit>
static void each_tap(const problem *p, const exact_pixel *in, int px, int py, Visit visit)
{
    for (int y = py - radius; y <= py + radius; y++)
        for (int x = px - radius; x <= px + radius; x++) {
            bool outside = x < 0 || y < 0 || x >= p->width || y >= p->height;
            visit(x - px, y - py, outside ? in[py * p->width + px] : in[y * p->width + x]);
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
static exact_pixel reference_pixel(const problem *p, const exact_pixel *in, int px, int py)
{
    exact_pixel center = in[py * p->width + px];
    double sum = 0, weights = 0, moved = 0, least_weights = 0;
    each_tap(p, in, px, py, [&](int dx, int dy, exact_pixel q) {
        double weight = exact_weight(dx, dy, q.value - center.value);
        sum += weight * q.value;
        weights += weight;
    });
    double value = sum / weights, own = one_pass_bound() * fmax(value, 1);
    if (center.off == 0)
        return {value, own};
    each_tap(p, in, px, py, [&](int dx, int dy, exact_pixel q) {
        double apart = fabs(q.value - center.value), both = q.off + center.off;
        double weight = exact_weight(dx, dy, apart);
        double least = exact_weight(dx, dy, apart + both);
        double most = exact_weight(dx, dy, fmax(apart - both, 0));
        moved += most * q.off + fmax(most - weight, weight - least) * fabs(q.value - value);
        least_weights += least;
    });
    return {value, own + fmin(moved / least_weights, 1)};
}

static void *reference(const problem *p)
{
    const size_t count = (size_t)p->width * p->height;
    exact_pixel *from = (exact_pixel *)allocate(count * sizeof *from);
    exact_pixel *to = (exact_pixel *)allocate(count * sizeof *to);
    for (size_t i = 0; i < count; i++)
        to[i] = {((const float *)p->buffer[INPUT].host)[i], 0};
    for (int pass = 0; pass < passes; pass++) {
        exact_pixel *swap = from;
        from = to;
        to = swap;
#pragma omp parallel for schedule(dynamic)
        for (int y = 0; y < p->height; y++)
            for (int x = 0; x < p->width; x++)
                to[y * p->width + x] = reference_pixel(p, from, x, y);
    }
    free(from);
    return to;
}

/* In units that make one_pass_bound() the tolerance of any number of passes. */
static checked value_at(const void *context, size_t i)
{
    const problem *p = (const problem *)context;
    exact_pixel expected = ((const exact_pixel *)p->reference)[i];
    double value = ((const float *)p->buffer[OUTPUT].host)[i];
    return {value, expected.value, expected.off / one_pass_bound()};
}

static check_result check(const problem *p, const variant *)
{
    return check_all(one_pass_bound(), p->width, (size_t)p->width * p->height, value_at, p);
}

/* A tap: difference, square, two scalings and a sum, exponential, product and two sums. */
static lab_work work(const problem *p)
{
    double pixels = (double)passes * p->width * p->height, side = 2 * radius + 1;
    return {.bytes = pixels * 2 * sizeof(float),
            .flops = pixels * (9 * side * side + 1),
            .steps = pixels * side * side};
}

static void present(const problem *p, const variant *, dim3)
{
    picture_write_floats(output_path, (const float *)p->buffer[OUTPUT].host, p->width, p->height);
}

/* ---- main ----------------------------------------------------------------------------------- */

static const char *const positional[] = {"--input", "--output", "--blocks", "--trials", "--radius",
                                         "--sigma", "WIDTH",    "HEIGHT",   NULL};

static const lab bilateral = {
    .name = "lab3_bilateral",
    .title = "the bilateral filter on gray pictures",
    .sizes_are = SIZE_IMAGE,
    .sweep = {.sizes = "32x24 64x48 128x96 256x192 512x384 1024x768",
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
