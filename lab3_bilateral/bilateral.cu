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
 * the row; an int holds every index. Bytes are filtered as floats, and the result is rounded. Each
 * rung of the ladder changes one thing:
 *
 *   cpu, cpu_omp   equation (1), serial; rows spread over the cores
 *   naive          one pixel a thread, equation (1) as it stands (table 12 of the report)
 *   fast_exp       one fast exponential a tap, constants hoisted
 *   shared_tile    the block's pixels and a halo of r around them in shared memory
 *   register_rows  four outputs a thread, and a radius that the compiler knows
 *
 * Beyond it are exp2_scaled, symmetric and table8, in files of their names, and NPP's filter in
 * vendor.cu. pixels.cuh has taps of every kind of pixel and border, checks.cu pictures and checks.
 *
 *   make -C lab3_bilateral run SIZES=1024x768 BLOCKS="8 16 32x8"
 *   build/cuda/bilateral in.bmp out.bmp 16 3 3 30     as the report: block side, trials, r, sigma
 */
#include "bilateral.h"
#include "pictures/image.h"
#include "pixels.cuh"
#include "radii.h"
#include "tile.cuh"

/* ---- CPU reference -------------------------------------------------------------------------- */

/* Works out equation (1) as it stands, for pixel (x, y): two exponentials a tap. */
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
    return settings.border == REPLICATE ? filter_pixel<REPLICATE>(in, f, x, y)
           : settings.border == REFLECT ? filter_pixel<REFLECT>(in, f, x, y)
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

/* ---- the ladder ----------------------------------------------------------------------------- */

/*
 * naive: thread (x, y) makes pixel (x, y), equation (1) as it stands: two exponentials a tap, each
 * accurate to the last bit or two. Any block.
 *
 *     +---------+      a block makes as many pixels as it has threads; thread t reads its window
 * (.) |   . . . |      from global memory, beyond the block's edge, too; threads of a warp read |
 * . t . |      neighbouring pixels
 *     +---. . .-+
 */
template <int BORDER, class Pixel>
__global__ void naive(const Pixel *in, Pixel *out, filter f)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < f.width && y < f.height)
        put_pixel(&out[y * f.width + x], filter_pixel<BORDER>(in, f, x, y));
}

/* [exercise 3.1] */
/*
 * fast_exp: against naive, the two exponents are added before one __expf, the hardware's fast
 * exponential, and the row's part of the exponent is worked out once a row. __expf is off by
 * 2 + floor(1.173 |x|) units in the last place (CUDA Programming Guide, intrinsic functions):
 * relatively more the smaller the weight is, and the less it counts. Block and thread take what
 * they do in naive; any block.
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
/* [end 3.1] */

/* [exercise 3.2] */
/*
 * shared_tile: against fast_exp, the block first copies its pixels and a halo of r on each side
 * into shared memory, so that a pixel is read from global memory about once instead of (2r+1)^2
 * times. Halo pixels outside the image are marked with NaN, which no pixel is (not_nan), so the
 * loop needs one test of the value instead of four of the position. Any block whose tile of (bx +
 * 2r)(by + 2r) floats fits shared memory; no thread leaves before the barrier.
 *
 *      r     bx      r
 *     +--+---------+--+
 *     |               | r     the tile: thread (tx, ty) copies columns tx, tx + bx, .. of rows ty,
 *     +  +---------+  +       ty + by, .. and then makes pixel (tx, ty) of the middle, whose window
 *     |  |  . . .  |  |       (.) is all in the tile
 *     |  |  . t .  |  | by
 *     |  |  . . .  |  |
 *     +  +---------+  +
 *     |               | r
 *     +--+---------+--+
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
/* [end 3.2] */

/*
 * register_rows: against shared_tile, a thread makes ROWS outputs, one below the other, and reads a
 * value from shared memory once for all of them; and the radius is the compiler's, so that the 2R+1
 * taps of a row are unrolled and their values stay in registers. A block of bx x by threads makes
 * bx columns of ROWS by rows (tile.cuh draws its tile). A thread goes down through the ROWS + 2R
 * rows that its outputs need:
 *
 *   row 0      is in the window of output 0
 *   row 1                                 0 1
 *   row 3                                 0 1 2 3
 *   row 2R                                0 1 2 3
 *   row 2R+1                                1 2 3
 *   row 2R+3                                    3
 *
 * Any block whose tile of (bx + 2R)(ROWS by + 2R) floats fits shared memory; no thread leaves
 * before the barrier.
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

/* ---- launchers ------------------------------------------------------------------------------ */

/* Launches l->kernel for a pass; a thread makes ROWS_A_THREAD pixels. */
template <class Pixel, int ROWS_A_THREAD>
static void pass_gpu(const Pixel *d_in, Pixel *d_out, filter f, const launch *l)
{
    typedef void (*filter_kernel)(const Pixel *in, Pixel *out, filter f);
    filter_kernel kernel = (filter_kernel)l->kernel;
    dim3 grid = grid_of(f, ROWS_A_THREAD, l->block);
    kernel<<<grid, l->block, l->shared_bytes, l->stream>>>(d_in, d_out, f);
    CUDA_CHECK(cudaGetLastError());
}

/* Filters colours, too: the run() of a variant that serves them. */
template <auto *FLOATS, auto *BYTES, auto *COLOURS>
static void run_any_passes(const problem *p, const launch *l)
{
    if (settings.type == RGB24)
        repeat<rgb24>(COLOURS, p, l);
    else
        run_passes<FLOATS, BYTES>(p, l);
}

/* Picks a kernel for the current type of pixel and border, or for the type alone. */
template <auto... INSTANCES>
static const void *of_type_and_border(dim3)
{
    static const void *const all[] = {(const void *)INSTANCES...};
    return all[settings.type * BORDERS + settings.border];
}

template <auto... INSTANCES>
static const void *of_type(dim3)
{
    static const void *const all[] = {(const void *)INSTANCES...};
    return all[settings.type == U8];
}

/* Returns the bytes of shared_tile's tile. */
static size_t tile_bytes(const problem *, dim3 block)
{
    const int halo = 2 * settings.radius;
    return sizeof(float) * (block.x + halo) * (block.y + halo);
}

/* ---- variants ------------------------------------------------------------------------------- */

/* Name the run() of a CPU program, of a kernel for all pixels, and of one of N rows a thread. */
#define RUN_ANY(PASS) run_any_passes<PASS<float>, PASS<uint8_t>, PASS<rgb24>>
#define RUN_A_PIXEL   run_any_passes<pass_gpu<float, 1>, pass_gpu<uint8_t, 1>, pass_gpu<rgb24, 1>>
#define RUN_ROWS(N)   run_passes<pass_gpu<float, N>, pass_gpu<uint8_t, N>>

/* Pick the kernel, by of_type_and_border() and of_type(). */
#define OF_BORDERS(KERNEL, PIXEL)                                                                  \
    KERNEL<MIDDLE, PIXEL>, KERNEL<REPLICATE, PIXEL>, KERNEL<REFLECT, PIXEL>
#define FOR_TYPE_AND_BORDER(KERNEL)                                                                \
    of_type_and_border<OF_BORDERS(KERNEL, float), OF_BORDERS(KERNEL, uint8_t),                     \
                       OF_BORDERS(KERNEL, rgb24)>
#define FOR_TYPE(KERNEL) of_type<KERNEL<float>, KERNEL<uint8_t>>

static const variant variants[] = {
    SERIAL_VARIANT("equation (1), serial", RUN_ANY(filter_serial)),
    OPENMP_VARIANT("equation (1), rows spread over the cores", RUN_ANY(filter_omp)),
    GPU_VARIANT("naive", "one pixel a thread, equation (1) as it stands", RUN_A_PIXEL,
                .kernel_for = FOR_TYPE_AND_BORDER(naive)),
    GPU_VARIANT("fast_exp", "one fast exponential a tap, constants hoisted", RUN_ROWS(1),
                .kernel_for = FOR_TYPE(fast_exp), .refuse = refuse_colour_and_border),
    GPU_VARIANT("shared_tile", "pixels and their halo in shared memory", RUN_ROWS(1),
                .kernel_for = FOR_TYPE(shared_tile), .shared_bytes = tile_bytes,
                .refuse = refuse_colour_and_border),
    GPU_VARIANT("register_rows", "four outputs a thread, a radius that the compiler knows",
                RUN_ROWS(ROWS), .kernel_for = FOR_RADII(register_rows, 1, 8),
                .shared_bytes = rows_tile_bytes, .refuse = refuse_to_radius_8),
    exp2_scaled_variant,
    symmetric_variant,
    table8_variant,
    npp_variant,
};

/* ---- the lab -------------------------------------------------------------------------------- */

static const char *const positional[] = {"--input", "--output", "--blocks", "--trials", "--radius",
                                         "--sigma", "WIDTH",    "HEIGHT",   NULL};

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
