/*
 * gaussian.cu - the Gaussian filter on pictures of bytes: each pixel becomes a mean of the (2r+1) x
 * (2r+1) pixels around it, whose weights fall with the distance:
 *
 *   g(x, y) = sum over dx, dy in -r..r of w(dx) w(dy) f(x + dx, y + dy)
 *   w(d) = exp(-d^2 / (2 sigma^2)) / sum over e in -r..r of exp(-e^2 / (2 sigma^2))
 *
 * Beyond the picture's edge its outermost pixels are repeated: f(x, y) is f(clamp(x), clamp(y)).
 * Sums are floats, rounded to (int)(sum + 0.5f). Sigma is 1 and r is 2, 5 x 5 taps, unless told
 * otherwise; --passes N filters N times. After Fixstars, CUDA speed-up seminar vol. 1 (2022).
 *
 * Data: width x height pixels, row-major, 2^30 bytes at most; x is the column, y the row. A pixel
 * is a byte (--type gray), three (rgb24) or four (rgba32: alpha is copied). The ladder:
 *
 *   cpu, cpu_omp    all taps, serial; rows spread over the cores
 *   naive           one pixel a thread; the weights stand in the code
 *   array           weights in an array of the thread's, a loop of unknown length: local memory
 *   constant        the same loop, weights in constant memory
 *   constant_fixed  weights in constant memory, a loop of known length
 *   shared_tile     the block's pixels and a halo in shared memory
 *   separable       the rows' five taps first, then the columns': 10 taps a pixel
 *   register_rows   the same without shared memory: a thread walks down a strip of its column
 *
 * The summit is about rows of bytes, no longer about pixels: flat_bytes, integer_dp2a and
 * async_rows have files of their names. bands and deep_bands are in several_gpus.cu, npp in
 * vendor.cu, data and checks in checks.cu.
 *
 *   make -C lab5_gaussian run SIZES=1024x768 OPTIONS="--type rgb24"
 *   build/cuda/gaussian in.bmp out.bmp 32x8 3 2 1     block, trials, radius, sigma
 */
#include <stdlib.h>

#include "gaussian.h"
#include "filter_row.h"
#include "lab.h"
#include "pixel_sums.cuh"

/* ---- CPU reference -------------------------------------------------------------------------- */

static void filter_serial(const uint8_t *in, uint8_t *out, shape s)
{
    void *room = allocate_row_room(s);
    for (int y = 0; y < s.height; y++)
        filter_row(in, out, s, y, room);
    free(room);
}

static void filter_omp(const uint8_t *in, uint8_t *out, shape s)
{
#pragma omp parallel
    {
        void *room = allocate_row_room(s);
#pragma omp for
        for (int y = 0; y < s.height; y++)
            filter_row(in, out, s, y, room);
        free(room);
    }
}

/* ---- 25 taps, one pixel a thread ------------------------------------------------------------ */

/* The 5 x 5 weights of sigma 1, to nine digits. */
#define WEIGHTS_5X5                                                                                \
    {                                                                                              \
        {0.00296901674f, 0.0133062099f, 0.0219382313f, 0.0133062099f, 0.00296901674f},             \
            {0.0133062099f, 0.0596342954f, 0.0983203313f, 0.0596342954f, 0.0133062099f},           \
            {0.0219382313f, 0.0983203313f, 0.162102822f, 0.0983203313f, 0.0219382313f},            \
            {0.0133062099f, 0.0596342954f, 0.0983203313f, 0.0596342954f, 0.0133062099f},           \
            {0.00296901674f, 0.0133062099f, 0.0219382313f, 0.0133062099f, 0.00296901674f},         \
    }

/*
 * naive: thread (x, y) makes pixel (x, y). Read it, and all below, for gray: Pixel is a byte, Sum a
 * float. The loops' length is known, so they are unrolled and each weight is part of an
 * instruction. Any block; sigma 1 and radius 2 only.
 *
 *      a block's pixels        what thread t reads
 *      +-----------+           . . . . .
 *      |           |           . . . . .     20 of the 25 its neighbour in the warp reads, too:
 *      |     t     | by        . . t . .     a warp's load is of pixels side by side, and most
 *      |           |           . . . . .     come from the L1 cache
 *      +-----------+           . . . . .
 *           bx
 */
template <class Pixel, class Sum>
__global__ void naive(const Pixel *in, Pixel *out, shape s)
{
    const float filter[5][5] = WEIGHTS_5X5;
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= s.width || y >= s.height)
        return;
    Sum sum = {};
    if (is_inside(s, x, y)) {
#pragma unroll
        for (int j = 0; j < 5; j++)
#pragma unroll
            for (int i = 0; i < 5; i++)
                sum += filter[j][i] * in[(y + j - 2) * s.width + x + i - 2];
    } else {
#pragma unroll
        for (int j = 0; j < 5; j++)
#pragma unroll
            for (int i = 0; i < 5; i++)
                sum += filter[j][i] * nearest(in, s, x + i - 2, y + j - 2);
    }
    out[y * s.width + x] = rounded(sum, in[y * s.width + x]);
}

/*
 * array: against naive, the loops run to a length that the compiler does not know (and that is
 * always 5). Nothing is unrolled for good, so the weights need an address: each thread writes its
 * own copy of them to local memory, which lies in device memory, and reads one back for each tap.
 * It does not pay; it shows what an index costs that is not known at compile time. Any block; sigma
 * 1 and radius 2 only. Block and thread take what they take in naive; the weights of
 *
 *      naive   are in 25 instructions
 *      array   are in local memory:  | 25 of thread 0 | 25 of thread 1 | 25 of thread 2 | ..
 */
template <class Pixel, class Sum>
__global__ void array(const Pixel *in, Pixel *out, shape s)
{
    const float filter[5][5] = WEIGHTS_5X5;
    int r = s.radius, side = 2 * r + 1;
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= s.width || y >= s.height)
        return;
    Sum sum = {};
    if (is_inside(s, x, y)) {
        for (int j = 0; j < side; j++)
            for (int i = 0; i < side; i++)
                sum += filter[j][i] * in[(y + j - r) * s.width + x + i - r];
    } else {
        for (int j = 0; j < side; j++)
            for (int i = 0; i < side; i++)
                sum += filter[j][i] * nearest(in, s, x + i - r, y + j - r);
    }
    out[y * s.width + x] = rounded(sum, in[y * s.width + x]);
}

/*
 * constant: against array, the weights come from constant memory, whose cache hands one value to
 * all threads of a warp at once. Any block, sigma and radius. Block and thread as in naive.
 *
 *      constant memory:  | w(-2)w(-2) | w(-1)w(-2) | w(0)w(-2) | ..
 *                                           |
 *      a warp's threads:  0 1 2 3  ..  31   all of them need this one for the same tap
 */
__constant__ float constant_weights[TAPS_MAX * TAPS_MAX]; /* gauss.plane */

template <class Pixel, class Sum>
__global__ void constant(const Pixel *in, Pixel *out, shape s)
{
    int r = s.radius, side = 2 * r + 1;
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= s.width || y >= s.height)
        return;
    Sum sum = {};
    if (is_inside(s, x, y)) {
        for (int j = 0; j < side; j++)
            for (int i = 0; i < side; i++)
                sum += constant_weights[j * side + i] * in[(y + j - r) * s.width + x + i - r];
    } else {
        for (int j = 0; j < side; j++)
            for (int i = 0; i < side; i++)
                sum += constant_weights[j * side + i] * nearest(in, s, x + i - r, y + j - r);
    }
    out[y * s.width + x] = rounded(sum, in[y * s.width + x]);
}

/*
 * constant_fixed: against constant, the loops' length is known again. Unrolled, a multiplication
 * names the place of its weight in constant memory: as good as a weight in the code, for any
 * sigma. Any block; radius 2 only. Block and thread as in naive; a tap takes
 *
 *      constant         two addresses, two loads, a conversion, a multiply-add, a step of the loop
 *      constant_fixed   a load, a conversion, a multiply-add
 */
template <class Pixel, class Sum>
__global__ void constant_fixed(const Pixel *in, Pixel *out, shape s)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= s.width || y >= s.height)
        return;
    Sum sum = {};
    if (is_inside(s, x, y)) {
#pragma unroll
        for (int j = 0; j < 5; j++)
#pragma unroll
            for (int i = 0; i < 5; i++)
                sum += constant_weights[j * 5 + i] * in[(y + j - 2) * s.width + x + i - 2];
    } else {
#pragma unroll
        for (int j = 0; j < 5; j++)
#pragma unroll
            for (int i = 0; i < 5; i++)
                sum += constant_weights[j * 5 + i] * nearest(in, s, x + i - 2, y + j - 2);
    }
    out[y * s.width + x] = rounded(sum, in[y * s.width + x]);
}

/*
 * shared_tile: against constant_fixed, the block first copies its pixels and a halo of 2 on each
 * side into shared memory: one is read from global memory about once instead of 25 times, and the
 * border is dealt with once, in the copy. Any block; radius 2 only; no thread leaves before the
 * barrier.
 *
 *           bx + 4
 *      +-------------+      the tile: thread (tx, ty) copies what lies at (tx, ty), and bx further
 *      |  +-------+  |      to the right and by further down, where that is still in the tile;
 *      |  |bx x by|  | by   then it makes the pixel at (tx + 2, ty + 2) from those at (tx, ty) to
 *      |  +-------+  | + 4  (tx + 4, ty + 4)
 *      +-------------+
 */
template <class Pixel, class Sum>
__global__ void shared_tile(const Pixel *in, Pixel *out, shape s)
{
    extern __shared__ uchar4 shared_words[]; /* for their alignment */
    Pixel *tile = (Pixel *)shared_words;
    int tile_width = blockDim.x + 4, tile_height = blockDim.y + 4;
    int left = blockIdx.x * blockDim.x - 2, top = blockIdx.y * blockDim.y - 2;
    for (int ty = threadIdx.y; ty < tile_height; ty += blockDim.y) {
        const Pixel *row = in + clamp(top + ty, s.height) * s.width;
        for (int tx = threadIdx.x; tx < tile_width; tx += blockDim.x)
            tile[ty * tile_width + tx] = row[clamp(left + tx, s.width)];
    }
    __syncthreads();

    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= s.width || y >= s.height)
        return;
    const Pixel *corner = tile + threadIdx.y * tile_width + threadIdx.x;
    Sum sum = {};
#pragma unroll
    for (int j = 0; j < 5; j++)
#pragma unroll
        for (int i = 0; i < 5; i++)
            sum += constant_weights[j * 5 + i] * corner[j * tile_width + i];
    out[y * s.width + x] = rounded(sum, corner[2 * tile_width + 2]);
}

/* ---- rows first, then columns: 10 taps ------------------------------------------------------ */

/* [exercise 5.1] */
__constant__ float constant_line[TAPS_MAX]; /* gauss.line */

/* Sums five pixels around column x of row y; beyond the edge the nearest ones. */
template <class Sum, class Pixel>
__device__ inline Sum sum_of_row(const Pixel *in, shape s, int x, int y)
{
    const Pixel *row = in + clamp(y, s.height) * s.width;
    Sum sum = {};
    if (x >= 2 && x < s.width - 2) {
#pragma unroll
        for (int i = 0; i < 5; i++)
            sum += constant_line[i] * row[x + i - 2];
    } else {
#pragma unroll
        for (int i = 0; i < 5; i++)
            sum += constant_line[i] * row[clamp(x + i - 2, s.width)];
    }
    return sum;
}

/*
 * separable: against shared_tile, w(dx) w(dy) is used: the block sums five pixels along each of its
 * rows and the two above and below, straight from global memory, into shared memory; then five of
 * these along each column. 10 taps a pixel instead of 25, or a few more for the rows above and
 * below. Any block; radius 2 only; no thread leaves before the barrier.
 *
 *      +-bx sums-+
 *      |    s    | 2      each sum is of five pixels of a row:  . . s . .
 *      |    s    |
 *      |    p    | by     thread (x, y) makes some of them; then its pixel p from the one that
 *      |    s    |        lies there, two above it and two below
 *      |    s    | 2
 *      +---------+
 */
template <class Pixel, class Sum>
__global__ void separable(const Pixel *in, Pixel *out, shape s)
{
    extern __shared__ float shared_floats[];
    Sum *sums = (Sum *)shared_floats;
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int top = blockIdx.y * blockDim.y - 2;
    for (int ty = threadIdx.y; ty < blockDim.y + 4; ty += blockDim.y)
        sums[ty * blockDim.x + threadIdx.x] = sum_of_row<Sum>(in, s, x, top + ty);
    __syncthreads();

    if (x >= s.width || y >= s.height)
        return;
    Sum sum = {};
#pragma unroll
    for (int j = 0; j < 5; j++)
        sum += constant_line[j] * sums[(threadIdx.y + j) * blockDim.x + threadIdx.x];
    out[y * s.width + x] = rounded(sum, in[y * s.width + x]);
}
/* [end 5.1] */

/* [exercise 5.2] */
/*
 * register_rows: against separable, no shared memory: thread (x, y) walks down column x of strip y
 * and keeps the sums of five rows in registers. With each row that it reads a row of the output is
 * complete. A row's sum is worked out once, but those at a strip's ends twice. Any block; radius 2
 * only.
 *
 *      row read     its sum in
 *      top - 2      sums[0]
 *      top - 1      sums[1]        a block has bx columns of by strips, 16 rows each;
 *      top          sums[2]        a thread reads 20 rows of its column
 *      top + 1      sums[3]
 *      top + 2      sums[4]        now pixel (x, top) is made,
 *      top + 3      sums[0]        now pixel (x, top + 1), ..
 */
template <class Pixel, class Sum>
__global__ void register_rows(const Pixel *in, Pixel *out, shape s)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int top = (blockIdx.y * blockDim.y + threadIdx.y) * STRIP;
    if (x >= s.width || top >= s.height)
        return;
    int bottom = min(top + STRIP, s.height);
    Sum sums[5] = {};
    for (int y = top - 4; y < bottom; y += 5) {
#pragma unroll
        for (int u = 0; u < 5; u++) {
            sums[u] = sum_of_row<Sum>(in, s, x, y + u + 2);
            if (y + u < top || y + u >= bottom)
                continue;
            Sum sum = {};
#pragma unroll
            for (int j = 0; j < 5; j++)
                sum += constant_line[j] * sums[(u + 1 + j) % 5];
            out[(y + u) * s.width + x] = rounded(sum, in[(y + u) * s.width + x]);
        }
    }
}
/* [end 5.2] */

/* ---- launchers ------------------------------------------------------------------------------ */

template <auto *PROGRAM>
static void run_pass_on_cpu(const problem *p, const launch *l)
{
    PROGRAM((uint8_t *)l->buffer[INPUT], (uint8_t *)l->buffer[OUTPUT], shape_of(p));
}

template <auto *PROGRAM>
static void run_cpu(const problem *p, const launch *l)
{
    void *between = passes > 1 ? allocate(p->buffer[OUTPUT].bytes) : NULL;
    run_in_turn<run_pass_on_cpu<PROGRAM>>(p, l, between);
    free(between);
}

/* Launches a kernel whose threads make HIGH pixels of a column. */
template <class Pixel, int HIGH>
static void launch_on(const problem *p, const launch *l)
{
    typedef void (*filter_kernel)(const Pixel *in, Pixel *out, shape s);
    filter_kernel kernel = (filter_kernel)l->kernel;
    dim3 grid = grid_over(p->width, blocks_for(p->height, HIGH), l->block);
    kernel<<<grid, l->block, l->shared_bytes, l->stream>>>((Pixel *)l->buffer[INPUT],
                                                           (Pixel *)l->buffer[OUTPUT], shape_of(p));
    CUDA_CHECK(cudaGetLastError());
}

template <int HIGH = 1>
static void launch_kernel(const problem *p, const launch *l)
{
    static void (*const of_type[])(const problem *, const launch *) = {
        launch_on<uint8_t, HIGH>, launch_on<uchar3, HIGH>, launch_on<uchar4, HIGH>};
    of_type[pixel_type](p, l);
}

/* Fills the constant memory; untimed. */
static void prepare_constants(const problem *, const launch *l)
{
    CUDA_CHECK(cudaMemcpyToSymbolAsync(constant_weights, gauss.plane, sizeof gauss.plane, 0,
                                       cudaMemcpyHostToDevice, l->stream));
    CUDA_CHECK(cudaMemcpyToSymbolAsync(constant_line, gauss.line, sizeof gauss.line, 0,
                                       cudaMemcpyHostToDevice, l->stream));
}

static size_t shared_tile_bytes(const problem *, dim3 block)
{
    return (size_t)channels() * (block.x + 4) * (block.y + 4);
}

static size_t separable_bytes(const problem *, dim3 block)
{
    return (pixel_type == GRAY ? sizeof(float) : sizeof(float3)) * block.x * (block.y + 4);
}

static const char *refuse_all_but_sigma_1(const problem *p, dim3 block)
{
    bool fits = filter_radius() == 2 && gauss.sigma == 1;
    return fits ? refuse_high(p, block)
                : "the weights in its code are those of sigma 1 and radius 2";
}

/* ---- variants ------------------------------------------------------------------------------- */

static const variant variants[] = {
    SERIAL_VARIANT("all taps, serial", run_cpu<filter_serial>),
    OPENMP_VARIANT("the same, rows spread over the cores", run_cpu<filter_omp>),
    GPU_VARIANT("naive", "one pixel a thread, the weights in the code",
                run_in_passes<launch_kernel<>>, .kernel_for = FOR_TYPE(naive),
                .workspace_bytes = picture_between, .refuse = refuse_all_but_sigma_1),
    GPU_VARIANT("array", "weights in an array of the thread's, a loop of unknown length",
                run_in_passes<launch_kernel<>>, .kernel_for = FOR_TYPE(array),
                .workspace_bytes = picture_between, .refuse = refuse_all_but_sigma_1),
    GPU_VARIANT("constant", "weights in constant memory, a loop of unknown length",
                run_in_passes<launch_kernel<>>, .kernel_for = FOR_TYPE(constant),
                .workspace_bytes = picture_between, .refuse = refuse_high,
                .prepare = prepare_constants),
    GPU_VARIANT("constant_fixed", "weights in constant memory, 5 x 5 taps",
                run_in_passes<launch_kernel<>>, .kernel_for = FOR_TYPE(constant_fixed),
                .workspace_bytes = picture_between, .refuse = refuse_all_but_5x5,
                .prepare = prepare_constants),
    GPU_VARIANT("shared_tile", "pixels and their halo in shared memory, 5 x 5 taps",
                run_in_passes<launch_kernel<>>, .kernel_for = FOR_TYPE(shared_tile),
                .shared_bytes = shared_tile_bytes, .workspace_bytes = picture_between,
                .refuse = refuse_all_but_5x5, .prepare = prepare_constants),
    GPU_VARIANT("separable", "rows first, then columns, through shared memory: 10 taps a pixel",
                run_in_passes<launch_kernel<>>, .kernel_for = FOR_TYPE(separable),
                .shared_bytes = separable_bytes, .workspace_bytes = picture_between,
                .refuse = refuse_all_but_5x5, .prepare = prepare_constants),
    GPU_VARIANT("register_rows", "a thread walks down its column, five rows' sums in registers",
                run_in_passes<launch_kernel<STRIP>>, .kernel_for = FOR_TYPE(register_rows),
                .workspace_bytes = picture_between, .refuse = refuse_all_but_5x5,
                .prepare = prepare_constants),
    flat_bytes_variant,
    integer_dp2a_variant,
    async_rows_variant,
    bands_variant,
    deep_bands_variant,
    npp_variant,
};

/* ---- main ----------------------------------------------------------------------------------- */

/* The transfers are those of the slides: gray, at their size, one kernel with their block. */
#define TRANSFER(mode) "--transfer " mode " --variants naive --sizes 6720x4480 --blocks 32x32"

static const lab_settings configurations[] = {
    {"--type gray"},
    {"--type rgb24"},
    {"--type rgba32"},
    {TRANSFER("pinned")},
    {TRANSFER("mapped")},
    {TRANSFER("mapped_output")},
    {TRANSFER("unified")},
    {TRANSFER("unified_prefetch")},
    {NULL},
};

static const char *const positional[] = {"--input", "--output", "--blocks", "--trials", "--radius",
                                         "--sigma", "WIDTH",    "HEIGHT",   NULL};

static const lab gaussian = {
    .name = "lab5_gaussian",
    .title = "the Gaussian filter on gray and colour pictures",
    .sizes_are = SIZE_IMAGE,
    .sweep = {.sizes = "1024x768 6720x4480",
              .sizes_large = "4096x3072",
              .scaling_size = "1600x1200",
              .emulated_max = 1024 * 768,
              .blocks = "32x32 32x8 32x4 16 8 64x4",
              .configurations = configurations,
              .stream = "--stream 100 --variants async_rows --blocks 32x4 --sizes 6720x4480",
              .divided = several_gpus},
    .size_max = 4 * SIDE_MAX,
    .block_dimensions = 2,
    .single = {positional, 2, "1024x768", "32x8", "3"},
    LAB_OPTIONS(options),
    LAB_VARIANTS(variants),
    .configure = configure,
    .parameters = parameters,
    .refuse_size = refuse_picture,
    .layout = layout,
    .fill = fill,
    .reference = reference,
    .check = check,
    .work = work,
    .present = present,
};

int main(int argc, char **argv)
{
    return lab_main(&gaussian, argc, argv);
}
