/*
 * blur.cu - which algorithm for a wide Gaussian filter? Each pixel becomes a mean of the (2r+1) x
 * (2r+1) pixels around it, whose weights fall with the distance:
 *
 *   g(x, y) = sum over dx, dy in -r..r of w(dx) w(dy) f(x + dx, y + dy)
 *   w(d) = exp(-d^2 / (2 sigma^2)) / sum over e in -r..r of exp(-e^2 / (2 sigma^2))
 *
 * Beyond the picture's edge its outermost pixels are repeated: f(x, y) is f(clamp(x), clamp(y)).
 * Sigma 5 and radius 15, 31 x 31 taps, unless told otherwise. After the OpenCL blog post on
 * Gaussian blurs; lab 5 filters bytes, with few taps. Settings, weights, shape, clamp() and the
 * exact result are in common/gaussian.cuh.
 *
 * Data: width x height pixels, row-major, a float each, gray 0..255; x is the column, y the row. No
 * side is over 16384, so an int holds every index.
 *
 *   cpu, cpu_omp    2r+1 taps along the rows, then 2r+1 along the columns
 *   copy            no filter: one float read, one written, the yardstick
 *   conv2d          (2r+1)^2 taps a pixel
 *   separable       2r+1 taps along the row, then 2r+1 along the column
 *   separable_fused     both in one kernel, columns from registers
 *   separable_tensor    products with band matrices, on tensor cores
 *   recursive       four passes, forward and backward in either direction, whose cost does not
 *                   depend on sigma; about a Gaussian (Young and van Vliet, Recursive
 *                   implementation of the Gaussian filter, Signal Processing 44, 1995)
 *   recursive_chunks    the same, a thread for each 64 pixels of a line
 *
 *   make -C lab7_blur                                 build just this lab
 *   make -C lab7_blur run SIZES=1024x768 OPTIONS="--sigma 8"
 *   build/cuda/blur in.bmp out.bmp 32x8 3 15 5        block, trials, radius, sigma
 */
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "die.h"
#include "gaussian.cuh"
#include "lab.h"
#include "picture.h"
#include "algorithms.cuh"
#include "recursive_chunks.cuh"
#include "separable_fused.cuh"
#include "separable_tensor.cuh"

enum { INPUT, OUTPUT, SCRATCH }; /* buffers, in layout's order */

/* The experiment's settings, from the command line. */
gaussian_filter gauss = {.sigma = 5, .given_radius = -1, .reach = 3, .side_max = SIDE_MAX};
static const char *input_path, *output_path;

/* Of sigma and the radius; configure() works them out. */
static recursion recursive_filter;
static chunk_maps recursive_maps;
static tensor_bands tensor_weights;

/* ---- CPU reference -------------------------------------------------------------------------- */

/* Adds a tap of the rows' filter to a whole row: beyond an end counts what stands at the end. */
static void add_tap(float *sums, const float *row, float weight, int shift, int width)
{
    int first = shift < 0 ? min(-shift, width) : 0;
    int last = shift > 0 ? max(width - shift, 0) : width;
    for (int x = 0; x < first; x++)
        sums[x] += weight * row[0];
    for (int x = first; x < last; x++)
        sums[x] += weight * row[x + shift];
    for (int x = last; x < width; x++)
        sums[x] += weight * row[width - 1];
}

/*
 * Both filters go tap by tap through a whole row: neighbouring sums then need neighbouring values
 * and one weight, which is what a processor's vectors are for.
 */
static void filter_row(const float *in, float *out, shape s, int y)
{
    float *sums = out + y * s.width;
    memset(sums, 0, s.width * sizeof *sums);
    for (int k = 0; k <= 2 * s.radius; k++)
        add_tap(sums, in + y * s.width, gauss.line[k], k - s.radius, s.width);
}

static void filter_columns_row(const float *in, float *out, shape s, int y)
{
    float *sums = out + y * s.width;
    memset(sums, 0, s.width * sizeof *sums);
    for (int k = 0; k <= 2 * s.radius; k++)
        add_tap(sums, in + clamp(y + k - s.radius, s.height) * s.width, gauss.line[k], 0, s.width);
}

static void filter_serial(const float *in, float *out, float *between, shape s)
{
    for (int y = 0; y < s.height; y++)
        filter_row(in, between, s, y);
    for (int y = 0; y < s.height; y++)
        filter_columns_row(between, out, s, y);
}

static void filter_omp(const float *in, float *out, float *between, shape s)
{
#pragma omp parallel for
    for (int y = 0; y < s.height; y++)
        filter_row(in, between, s, y);
#pragma omp parallel for
    for (int y = 0; y < s.height; y++)
        filter_columns_row(between, out, s, y);
}

/* ---- kernels -------------------------------------------------------------------------------- */

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
 * conv2d: thread (x, y) adds all taps of pixel (x, y), with weights from constant memory. Nearly
 * all pixels have all their taps inside the picture and need no clamping, which would cost more
 * than the sum itself: five integer operations a tap. A warp takes the second loop only where it
 * touches the edge. Any block.
 */
__constant__ float constant_weights[TAPS_MAX * TAPS_MAX]; /* gauss.plane */

__global__ void conv2d(const float *in, float *out, shape s)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= s.width || y >= s.height)
        return;
    int r = s.radius, side = 2 * r + 1;
    float sum = 0;
    if (x >= r && x < s.width - r && y >= r && y < s.height - r) {
        for (int j = 0; j < side; j++)
            for (int i = 0; i < side; i++)
                sum += constant_weights[j * side + i] * in[(y + j - r) * s.width + x + i - r];
    } else {
        for (int j = 0; j < side; j++)
            for (int i = 0; i < side; i++)
                sum += constant_weights[j * side + i] *
                       in[clamp(y + j - r, s.height) * s.width + clamp(x + i - r, s.width)];
    }
    out[y * s.width + x] = sum;
}

/*
 * separable: against conv2d, w(dx) w(dy) is a product, so the sum over a row of taps can be worked
 * out once and used by 2r+1 pixels: filter_along_rows, then filter_along_columns of what that made,
 * 2 (2r+1) taps instead of (2r+1)^2. Thread (x, y) makes pixel (x, y) of either. The block's pixels
 * and a halo of r at both ends, (bx + 2r) x by or bx x (by + 2r), are in shared memory. Threads of
 * a warp read, and write, neighbouring pixels in both. Any block whose tiles fit 48 KiB; no thread
 * leaves before the barrier.
 */
__constant__ float constant_line[TAPS_MAX]; /* gauss.line */

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
 * for it, and rows again of what comes out. The block brings bx x by pixels into shared memory and
 * its threads, counted through, write them as by x bx: what they read and what they write lies
 * together. The tile's rows are one longer than bx, so that a column of 32 lies in 32 different
 * banks. Any block; no thread leaves before the barrier.
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

template <auto *PROGRAM>
static void run_cpu(const problem *p, const launch *l)
{
    PROGRAM((float *)l->buffer[INPUT], (float *)l->buffer[OUTPUT], (float *)l->buffer[SCRATCH],
            shape_of(p));
}

/* Fills the constant memory; untimed. */
static void prepare_constants(const problem *, const launch *l)
{
    CUDA_CHECK(cudaMemcpyToSymbolAsync(constant_weights, gauss.plane, sizeof gauss.plane, 0,
                                       cudaMemcpyHostToDevice, l->stream));
    CUDA_CHECK(cudaMemcpyToSymbolAsync(constant_line, gauss.line, sizeof gauss.line, 0,
                                       cudaMemcpyHostToDevice, l->stream));
}

/* One pass over a picture, a thread a pixel. */
typedef void (*pass)(const float *in, float *out, shape s);

static void launch_pass(pass kernel, const float *d_in, float *d_out, size_t shared_bytes,
                        const problem *p, const launch *l)
{
    kernel<<<grid_over(p->width, p->height, l->block), l->block, shared_bytes, l->stream>>>(
        d_in, d_out, shape_of(p));
    CUDA_CHECK(cudaGetLastError());
}

/* For the variants that are one pass. */
static void launch_kernel(const problem *p, const launch *l)
{
    launch_pass((pass)l->kernel, (float *)l->buffer[INPUT], (float *)l->buffer[OUTPUT], 0, p, l);
}

/* The block's pixels with a halo at both ends of the side that is filtered. */
static size_t tile_bytes(unsigned side, unsigned other_side)
{
    return sizeof(float) * (side + 2 * filter_radius()) * other_side;
}

/* Of the two kernels the one that needs more. */
static size_t separable_bytes(const problem *, dim3 block)
{
    size_t rows = tile_bytes(block.x, block.y), columns = tile_bytes(block.y, block.x);
    return rows > columns ? rows : columns;
}

static const char *refuse_separable(const problem *p, dim3 block)
{
    static char text[96];
    size_t bytes = separable_bytes(p, block);
    if (bytes <= 48 * 1024)
        return NULL;
    snprintf(text, sizeof text, "%zu bytes of shared memory are more than its 48 KiB", bytes);
    return text;
}

static void launch_separable(const problem *p, const launch *l)
{
    float *between = (float *)l->buffer[SCRATCH];
    launch_pass(filter_along_rows, (float *)l->buffer[INPUT], between,
                tile_bytes(l->block.x, l->block.y), p, l);
    launch_pass(filter_along_columns, between, (float *)l->buffer[OUTPUT],
                tile_bytes(l->block.y, l->block.x), p, l);
}

/* The filter's weights in the middle of a line of RADIUS. */
template <int RADIUS>
static fused_line fused_weights(int radius)
{
    fused_line line = {};
    for (int k = 0; k <= 2 * radius; k++)
        line.weight[RADIUS - radius + k] = gauss.line[k];
    return line;
}

/* So many of `steps` a piece that there are about `pieces`; two at least. */
static unsigned steps_each(unsigned steps, unsigned pieces)
{
    unsigned each = pieces > 0 ? blocks_for(steps, pieces) : steps;
    return each > 2 ? each : 2;
}

/* As many blocks as run at the same time, if there is work for them. */
template <int RADIUS>
static void launch_fused_radius(const problem *p, const launch *l)
{
    typedef fused_shape<RADIUS> is;
    unsigned strips = blocks_for(p->width, is::WIDTH), steps = blocks_for(p->height, is::ROWS);
    unsigned each = steps_each(steps, FUSED_BLOCKS * multiprocessors() / strips);
    separable_fused<RADIUS><<<dim3(strips, blocks_for(steps, each)), FUSED_THREADS, 0, l->stream>>>(
        (const float *)l->buffer[INPUT], (float *)l->buffer[OUTPUT], shape_of(p),
        (int)each * is::ROWS, fused_weights<RADIUS>(filter_radius()));
    CUDA_CHECK(cudaGetLastError());
}

static void launch_fused(const problem *p, const launch *l)
{
    if (filter_radius() <= 15)
        launch_fused_radius<15>(p, l);
    else
        launch_fused_radius<RADIUS_MAX>(p, l);
}

static const void *fused_kernel(dim3)
{
    return filter_radius() <= 15 ? (const void *)separable_fused<15>
                                 : (const void *)separable_fused<RADIUS_MAX>;
}

/* Fills the bands, in device memory; untimed. */
static void prepare_bands(const problem *, const launch *l)
{
    CUDA_CHECK(cudaMemcpyToSymbolAsync(bands, &tensor_weights, sizeof bands, 0,
                                       cudaMemcpyHostToDevice, l->stream));
}

/* As many warps as run at the same time, if there is work for them. */
static void launch_tensor(const problem *p, const launch *l)
{
    unsigned rows = blocks_for(p->height, 16 * TENSOR_TILES * TENSOR_WARPS);
    unsigned steps = blocks_for(p->width, 16);
    unsigned each = steps_each(steps, TENSOR_BLOCKS * multiprocessors() / rows);
    separable_tensor<<<dim3(blocks_for(steps, each), rows), 32 * TENSOR_WARPS, 0, l->stream>>>(
        (const float *)l->buffer[INPUT], (float *)l->buffer[OUTPUT], shape_of(p), (int)each * 16);
    CUDA_CHECK(cudaGetLastError());
}

static const char *refuse_tensor(const problem *, dim3)
{
    if (filter_radius() > TENSOR_RADIUS)
        return "its bands are for a radius of 16 or less";
    bool fits = gauss.exact[0] >= TENSOR_WEIGHT_MIN;
    return fits ? NULL : "its outer weights are too small for half precision";
}

static size_t turning_tile_bytes(const problem *, dim3 block)
{
    return sizeof(float) * (block.x + 1) * block.y;
}

static void launch_transpose(const float *d_in, float *d_out, int width, int height,
                             const launch *l)
{
    transpose<<<grid_over(width, height, l->block), l->block, l->shared_bytes, l->stream>>>(
        d_in, d_out, width, height);
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

/* Both sums of each chunk of a row, and of a column. */
static size_t chunks_bytes(const problem *p)
{
    return 6 * sizeof(float) *
           ((size_t)chunks_of(p->width) * p->height + (size_t)chunks_of(p->height) * p->width);
}

/* The lines' first pixels are `line_step` apart; the last one is `last_at` behind the first. */
static void launch_carries(float *carries, const float *d_pixels, int lines, int line_step,
                           int last_at, int chunks, const launch *l)
{
    dim3 block(CARRY_LINES, blocks_for(chunks, GROUP));
    carry_states<<<blocks_for(lines, CARRY_LINES), block, 0, l->stream>>>(
        carries, d_pixels, lines, line_step, last_at, chunks, recursive_maps);
    CUDA_CHECK(cudaGetLastError());
}

static void launch_chunks(const problem *p, const launch *l)
{
    const float *in = (const float *)l->buffer[INPUT];
    float *out = (float *)l->buffer[OUTPUT], *of_rows = (float *)l->workspace;
    int w = p->width, h = p->height, across = chunks_of(w), down = chunks_of(h);
    float *of_columns = of_rows + 6 * across * h;
    dim3 tiles(blocks_for(across, TILES), down), columns(blocks_for(w, COLUMN_THREADS), down);
    sum_rows<<<tiles, TILES * CHUNK, 0, l->stream>>>(in, of_rows, w, h, recursive_maps);
    CUDA_CHECK(cudaGetLastError());
    launch_carries(of_rows, in, h, w, w - 1, across, l);
    filter_rows<<<tiles, TILES * CHUNK, 0, l->stream>>>(in, out, of_rows, of_columns, w, h,
                                                        recursive_maps);
    CUDA_CHECK(cudaGetLastError());
    launch_carries(of_columns, out, w, 1, (h - 1) * w, down, l);
    filter_columns<<<columns, COLUMN_THREADS, 0, l->stream>>>(out, of_columns, w, h,
                                                              recursive_filter);
    CUDA_CHECK(cudaGetLastError());
}

static const char *refuse_recursive(const problem *, dim3)
{
    bool fits = gauss.sigma >= RECURSIVE_SIGMA_MIN;
    return fits ? NULL : "its coefficients are for a sigma of 0.5 or more";
}

/* ---- variants and callbacks ----------------------------------------------------------------- */

static const void *const rows_too[] = {(const void *)filter_along_rows, NULL};
static const void *const chunk_kernels[] = {(const void *)sum_rows, (const void *)carry_states,
                                            (const void *)filter_columns, NULL};

static const variant variants[] = {
    SERIAL_VARIANT("rows, then columns; serial", run_cpu<filter_serial>),
    OPENMP_VARIANT("the same, rows spread over the cores", run_cpu<filter_omp>),
    GPU_VARIANT("copy", "no filter, one read and one write a pixel", launch_kernel,
                .role = ROLE_YARDSTICK, .kernel = (const void *)copy),
    /* a step is one of the 62 taps of `separable`; here 961 taps of {1, 1, 0.9} */
    GPU_VARIANT("conv2d", "all (2r+1)^2 taps", launch_kernel,
                .cost = {.loads = 15.5, .fp32 = 15.5, .int32 = 14}, .kernel = (const void *)conv2d,
                .prepare = prepare_constants),
    /* with halos for blocks of 32x8 */
    GPU_VARIANT("separable", "rows, then columns, from tiles in shared memory", launch_separable,
                .cost = {.loads = 1.1, .fp32 = 1, .int32 = 1.9},
                .kernel = (const void *)filter_along_columns, .more_kernels = rows_too,
                .shared_bytes = separable_bytes, .refuse = refuse_separable,
                .prepare = prepare_constants,
                .note = "two kernels; registers and shared memory are the more of either"),
    GPU_VARIANT("separable_fused", "both in one kernel, columns from registers", launch_fused,
                .own_block = FUSED_THREADS, .cost = {.loads = 0.1, .fp32 = 1.06, .int32 = 0.25},
                .kernel_for = fused_kernel),
    GPU_VARIANT("separable_tensor", "products with band matrices on tensor cores", launch_tensor,
                .architecture = "sm_80", .own_block = 32 * TENSOR_WARPS,
                .cost = {.loads = 0.04, .fp32 = 0.07, .int32 = 0.3},
                .kernel = (const void *)separable_tensor, .refuse = refuse_tensor,
                .prepare = prepare_bands),
    /* of its kernels transpose is the one that gets the whole block; a pixel is loaded 8 times */
    GPU_VARIANT(
        "recursive", "Young and van Vliet's recursion, forward and backward, rows and columns",
        launch_recursive, .cost = {.loads = 0.13, .fp32 = 0.32, .int32 = 0.8, .special = 0.03},
        .kernel = (const void *)transpose, .shared_bytes = turning_tile_bytes,
        .refuse = refuse_recursive),
    GPU_VARIANT("recursive_chunks", "the same, a thread for each 64 pixels of a line",
                launch_chunks, .own_block = TILES * CHUNK,
                .cost = {.loads = 0.12, .fp32 = 0.52, .int32 = 0.6},
                .kernel = (const void *)filter_rows, .more_kernels = chunk_kernels,
                .workspace_bytes = chunks_bytes, .refuse = refuse_recursive),
};

static const lab_option options[] = {
    {"--sigma", OPTION_DOUBLE, &gauss.sigma, 0.1, 100, "in pixels"},
    {"--radius", OPTION_INT, &gauss.given_radius, 0, RADIUS_MAX,
     "r, of (2r+1) x (2r+1) taps; without it 3 sigma"},
    {"--input", OPTION_TEXT, &input_path, 0, 0, "picture to filter; without one, random pixels"},
    {"--output", OPTION_OUTPUT, &output_path, 0, 0, "where a single run writes the result"},
};

static image photo; /* the input picture as its file has it; empty without one */

static void configure(void)
{
    work_out_weights();
    recursive_filter = recursion_for(gauss.sigma);
    recursive_maps = chunk_maps_for(gauss.sigma);
    tensor_weights = bands_for(gauss.exact, filter_radius());
    picture_load(&photo, input_path);
    picture_check_writable(output_path);
}

static void parameters(char *text, size_t bytes)
{
    snprintf(text, bytes, "type=f32;sigma=%g;radius=%d", gauss.sigma, filter_radius());
}

static size_t pixels_of(const problem *p)
{
    return (size_t)p->width * p->height;
}

static void layout(problem *p)
{
    size_t bytes = pixels_of(p) * sizeof(float);
    problem_add_buffer(p, "input", BUFFER_INPUT, bytes);
    problem_add_buffer(p, "output", BUFFER_OUTPUT, bytes);
    problem_add_buffer(p, "scratch", BUFFER_SCRATCH, bytes);
}

static void fill(const problem *p)
{
    picture_fit_floats(&photo, input_path, p->width, p->height, p->seed,
                       (float *)p->buffer[INPUT].host);
}

/*
 * The operations are those of the separable filter, the fewest of an exact one. The variants' costs
 * are those of radius 15.
 */
static lab_work work(const problem *p)
{
    double pixels = (double)pixels_of(p), taps = 2 * pixels * (2 * filter_radius() + 1);
    return {.bytes = 2 * pixels * sizeof(float),
            .flops = 2 * taps,
            .steps = filter_radius() == 15 ? taps : 0};
}

/* ---- checking ------------------------------------------------------------------------------- */

/*
 * What check() compares with, a value a pixel: the exact result, and what the recursive filter
 * would give in double precision, worked out when it is first asked for. Both lie behind the
 * struct.
 */
typedef struct blur_reference {
    double *exact, *recursive;
    bool recursive_known;
} blur_reference;

static void *reference(const problem *p)
{
    size_t count = pixels_of(p);
    blur_reference *r = (blur_reference *)allocate(sizeof *r + 2 * count * sizeof(double));
    r->exact = (double *)(r + 1);
    r->recursive = r->exact + count;
    r->recursive_known = false;
    filter_exact((const float *)p->buffer[INPUT].host, r->exact, shape_of(p), 1);
    return r;
}

static void know_recursive(const problem *p, blur_reference *r)
{
    int longer = p->width > p->height ? p->width : p->height;
    if (r->recursive_known)
        return;
    r->recursive_known = true;
    for (size_t i = 0; i < pixels_of(p); i++)
        r->recursive[i] = ((const float *)p->buffer[INPUT].host)[i];
#pragma omp parallel
    {
        double *w = (double *)allocate((longer + settling_length(gauss.sigma)) * sizeof *w);
#pragma omp for
        for (int y = 0; y < p->height; y++)
            recursive_line(r->recursive + (size_t)y * p->width, p->width, 1, w, gauss.sigma);
#pragma omp for
        for (int x = 0; x < p->width; x++)
            recursive_line(r->recursive + x, p->height, p->width, w, gauss.sigma);
        free(w);
    }
}

static checked against_input(const void *context, size_t i)
{
    const problem *p = (const problem *)context;
    return {((const float *)p->buffer[OUTPUT].host)[i], ((const float *)p->buffer[INPUT].host)[i],
            1};
}

typedef struct comparison {
    const float *output;
    const double *expected;
    bool relative; /* or in levels */
} comparison;

static checked value_at(const void *context, size_t i)
{
    const comparison *c = (const comparison *)context;
    /* weights so small that float has no room for them may be lost */
    return {c->output[i], c->expected[i], c->relative ? fmax(c->expected[i], 1e-30) : 1};
}

static check_result compare(const problem *p, const double *expected, bool relative,
                            double tolerance)
{
    comparison c = {(const float *)p->buffer[OUTPUT].host, expected, relative};
    return check_all(tolerance, p->width, pixels_of(p), value_at, &c);
}

/* Its own formula within the bound, and the Gaussian within the other one. */
static check_result check_recursive(const problem *p, bool in_chunks)
{
    blur_reference *r = (blur_reference *)p->reference;
    know_recursive(p, r);
    double of_carries[2] = {0, 0};
    if (in_chunks)
        carries_bound(of_carries, gauss.sigma);
    double own_bound = recursion_bound(255, gauss.sigma, of_carries);
    check_result result = compare(p, r->recursive, false, own_bound);
    double bound = gaussian_bound(gauss.exact, filter_radius(), gauss.sigma) + result.tolerance;
    check_result difference = compare(p, r->exact, false, bound);
    if (!result.wrong && difference.wrong)
        return difference;
    snprintf(result.note, sizeof result.note,
             "up to %.3g levels from the Gaussian of %d taps a line (at most %.3g)",
             difference.max_error, 2 * filter_radius() + 1, bound);
    return result;
}

/*
 * A sum of n products, in any order, with or without fused multiply-adds, is off by n u relatively
 * (nothing cancels where no product is negative), and its weights by another u: 2 (n + 1) u for two
 * lines of n taps, (n^2 + 2) u for all n^2 at once, u = 2^-24. Of tensor cores separable_tensor.cuh
 * tells.
 */
static check_result check(const problem *p, const variant *v)
{
    double n = 2 * filter_radius() + 1;
    if (v->run == launch_recursive || v->run == launch_chunks)
        return check_recursive(p, v->run == launch_chunks);
    if (v->role == ROLE_YARDSTICK)
        return check_all(0, p->width, pixels_of(p), against_input, p);
    double roundings = v->kernel == (const void *)conv2d             ? n * n + 2
                       : v->kernel == (const void *)separable_tensor ? tensor_roundings(n)
                                                                     : 2 * (n + 1);
    const double *exact = ((const blur_reference *)p->reference)->exact;
    return compare(p, exact, true, 1.001 * roundings * 0x1p-24);
}

/* ---- the result of a single run ------------------------------------------------------------- */

static void present(const problem *p, const variant *v, dim3)
{
    static bool written;
    if (written && v->role == ROLE_YARDSTICK)
        return; /* a copy of the input is not to replace the filtered picture */
    picture_write_floats(output_path, (const float *)p->buffer[OUTPUT].host, p->width, p->height);
    written = true;
}

/* ---- main ----------------------------------------------------------------------------------- */

static const char *const positional[] = {"--input", "--output", "--blocks", "--trials", "--radius",
                                         "--sigma", "WIDTH",    "HEIGHT",   NULL};

/* The recursive filters' cost does not depend on sigma, that of the others does. */
static const lab_settings configurations[] = {
    {"--sigma 5"},
    {"--sigma 20 --sizes 4096x3072 --blocks 32x8 --variants "
     "separable,separable_fused,recursive,recursive_chunks"},
    {NULL},
};

static const lab blur = {
    .name = "lab7_blur",
    .title = "algorithms for a wide Gaussian filter on pictures of floats",
    .sizes_are = SIZE_IMAGE,
    .sweep = {.sizes = "1024x768 6720x4480",
              .sizes_large = "4096x3072",
              .emulated_max = 1024 * 768,
              .blocks = "32x32 32x8 16 8 64x4",
              .configurations = configurations},
    .size_max = SIDE_MAX,
    .block_dimensions = 2,
    .single = {.positional = positional,
               .required = 2,
               .size = "1024x768",
               .block = "32x8",
               .trials = "3"},
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
    return lab_main(&blur, argc, argv);
}
