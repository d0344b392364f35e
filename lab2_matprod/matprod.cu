/*
 * matprod.cu - experiment 2 of the 2012 report: the product of two matrices,
 * C[y][x] = sum over k of A[y][k] * B[k][x].
 *
 * Data: floats, row-major; x is the column, y the row. A is M x K, B is K x N and C is M x N, all
 * of them square in the report; M, N, K <= 32768, so an int holds every index. 2 M N K operations
 * on 4 (M K + K N + M N) bytes.
 *
 *   cpu           three loops, serial
 *   cpu_omp       the same, rows spread over the cores
 *   cpu_panels    panels of B, sums in registers, serial: one thread written well
 *   cpu_omp_panels  the same, panels spread over the cores
 *   cpu_blas      CBLAS sgemm (OpenBLAS), where the build found it
 *   naive         one element a thread, the running sum in global memory (table 7 of the report)
 *   register_sum  the sum in a register
 *   uncoalesced   register_sum with rows and columns exchanged: a warp's lanes lie below each other
 *   shared_tile   tiles of A and B in shared memory, each element read once a block
 *   register_tile_1d, register_tile_2d, vector_loads, double_buffer, warp_tile, slice_k
 *                 many elements a thread, step by step up to the library's speed: sgemm.cuh
 *   replicated_b, ring, tensor_ring  over several GPUs, rows of A and C divided (divided.cuh)
 *   cublas_xt     the vendor's way over several GPUs, from host memory (cublas_xt.cuh)
 *   cublas        cuBLAS sgemm in FP32, where the toolkit has it
 *   tensor_tf32   tensor cores by mma.sync, operands rounded to TF32 (tensor_tf32.cuh)
 *   tensor_tf32_hopper  the same by wgmma, TMA and clusters (tensor_tf32_hopper.cuh, hopper.cuh)
 *   tensor_split  FP32's accuracy from FP16 tensor cores, high and low parts (tensor_split.cuh)
 *   tensor_int8_slices  the same from exact sums of 8-bit integers (tensor_int8_slices.cuh)
 *   cublas_tf32   the same with factors rounded to TF32, on tensor cores: less accurate
 *   cublas_bf16x9 the same with FP32's accuracy from nine products in BF16, where cuBLAS offers it
 *
 *   make -C lab2_matprod                              build just this lab
 *   make -C lab2_matprod run SIZES=1024 BLOCKS="16 32"
 *   build/cuda/matprod 1024 16 3                      as the report: N, block side, trials
 *   build/cuda/matprod --sizes 1024x4096x512          M x N x K
 */
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef HAVE_CBLAS
#include <cblas.h>
#endif
#ifdef HAVE_CUBLAS
#include <cublas_v2.h>
#endif

#include "die.h"
#include "lab.h"
#include "random.h"

enum { A, B, C }; /* buffers, in layout's order */

/* From the command line. */
static int identity; /* B is the identity, so C must be A */

/* What the matrices hold. */
enum { UNIFORM, NORMAL, POSITIVE, PEAKS, SCALED, ROWS_SCALED, OPPOSITE, SPECIAL };
static int data_kind;

/* A is height x depth, B is depth x width, C is height x width. */
typedef struct shape {
    int height, width, depth;
} shape;

static shape shape_of(const problem *p)
{
    return {p->height, p->width, p->depth};
}

#include "tensor_split.cuh"
#include "tensor_int8_slices.cuh"
#include "tensor_tf32.cuh"
#include "tensor_tf32_hopper.cuh"

/* ---- CPU reference -------------------------------------------------------------------------- */

static float dot(const float *a, const float *b, shape s, int x, int y)
{
    float sum = 0;
    for (int k = 0; k < s.depth; k++)
        sum += a[y * s.depth + k] * b[k * s.width + x];
    return sum;
}

static void multiply_serial(const float *a, const float *b, float *c, shape s)
{
    for (int y = 0; y < s.height; y++)
        for (int x = 0; x < s.width; x++)
            c[y * s.width + x] = dot(a, b, s, x, y);
}

static void multiply_omp(const float *a, const float *b, float *c, shape s)
{
#pragma omp parallel for
    for (int y = 0; y < s.height; y++)
        for (int x = 0; x < s.width; x++)
            c[y * s.width + x] = dot(a, b, s, x, y);
}

/*
 * The same, written well. The programs above walk down a column of B for each element: a cache line
 * a step, of which four bytes are used, and where a row's length is a power of two all those lines
 * fall into the same few sets of the caches. Here a panel of B, as wide as a few vectors, is first
 * copied so that its rows lie side by side; then ROWS rows of A go along it, and the ROWS x PANEL
 * sums stay in registers: ROWS numbers of A and PANEL of B serve ROWS x PANEL multiply-adds. (Goto,
 * van de Geijn: Anatomy of high-performance matrix multiplication, ACM Transactions on Mathematical
 * Software 34(3), 2008, whose panels of A are left out here: rows of this length stay in the L2
 * cache.)
 */
#ifdef __AVX512F__
enum { ROWS = 6, PANEL = 32 }; /* sums in 24 of 32 registers */
#else
enum { ROWS = 6, PANEL = 16 }; /* in 12 of 16 with AVX2 */
#endif

/* Columns x to x + PANEL of B; zeros beyond its edge. */
static void copy_panel(const float *b, shape s, int x, float *panel)
{
    int inside = s.width - x < PANEL ? s.width - x : PANEL;
    for (int k = 0; k < s.depth; k++)
        for (int j = 0; j < PANEL; j++)
            panel[k * PANEL + j] = j < inside ? b[k * s.width + x + j] : 0;
}

/* The sums of ROWS rows of A along a panel. */
static void multiply_rows(const float *const row[ROWS], const float *panel, int depth,
                          float sums[ROWS][PANEL])
{
    float sum[ROWS][PANEL] = {};
    for (int k = 0; k < depth; k++)
        for (int i = 0; i < ROWS; i++)
#pragma omp simd
            for (int j = 0; j < PANEL; j++)
                sum[i][j] += row[i][k] * panel[k * PANEL + j];
    memcpy(sums, sum, sizeof sum);
}

/* Columns x to x + PANEL of C. Of rows beyond the last one, which is worked out again, none is
 * kept. */
static void multiply_panel(const float *a, const float *b, float *c, shape s, int x, float *panel)
{
    int columns = s.width - x < PANEL ? s.width - x : PANEL;
    copy_panel(b, s, x, panel);
    for (int y = 0; y < s.height; y += ROWS) {
        const float *row[ROWS];
        float sums[ROWS][PANEL];
        for (int i = 0; i < ROWS; i++)
            row[i] = a + (y + i < s.height ? y + i : s.height - 1) * s.depth;
        multiply_rows(row, panel, s.depth, sums);
        for (int i = 0; i < ROWS && y + i < s.height; i++)
            memcpy(c + (y + i) * s.width + x, sums[i], columns * sizeof(float));
    }
}

enum { LINE = 64 }; /* bytes: no vector of a panel may lie in two lines of the cache */

static void *allocate_panel(shape s)
{
    return allocate((size_t)s.depth * PANEL * sizeof(float) + LINE);
}

static float *panel_in(void *room)
{
    return (float *)(((uintptr_t)room + LINE - 1) / LINE * LINE);
}

static void multiply_panels(const float *a, const float *b, float *c, shape s)
{
    void *room = allocate_panel(s);
    for (int x = 0; x < s.width; x += PANEL)
        multiply_panel(a, b, c, s, x, panel_in(room));
    free(room);
}

static void multiply_panels_omp(const float *a, const float *b, float *c, shape s)
{
#pragma omp parallel
    {
        void *room = allocate_panel(s);
#pragma omp for
        for (int x = 0; x < s.width; x += PANEL)
            multiply_panel(a, b, c, s, x, panel_in(room));
        free(room);
    }
}

/* ---- kernels -------------------------------------------------------------------------------- */

/*
 * naive: thread (x, y) makes C[y][x] and keeps the running sum in C itself, as the report does.
 * A and B might overlap C for all the compiler knows, so each step stores the sum and loads anew.
 * Any block.
 */
__global__ void naive(const float *a, const float *b, float *c, shape s)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= s.width || y >= s.height)
        return;
    c[y * s.width + x] = 0;
    for (int k = 0; k < s.depth; k++)
        c[y * s.width + x] += a[y * s.depth + k] * b[k * s.width + x];
}

/*
 * register_sum: against naive, the sum stays in a register and is stored once: the loop is two
 * loads and one fused multiply-add. Threads of a warp share y: the load of A is a broadcast, the
 * load of B coalesced. Any block.
 */
__global__ void register_sum(const float *a, const float *b, float *c, shape s)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= s.width || y >= s.height)
        return;
    float sum = 0;
    for (int k = 0; k < s.depth; k++)
        sum += a[y * s.depth + k] * b[k * s.width + x];
    c[y * s.width + x] = sum;
}

/*
 * uncoalesced: against register_sum, only who makes what has changed: lanes that lie side by side
 * make elements below each other. Now the load of B is the broadcast, and each lane reads A, and
 * writes C, in a row of its own: 32 lines of memory for an access where 4 would do. Any block.
 */
__global__ void uncoalesced(const float *a, const float *b, float *c, shape s)
{
    int y = blockIdx.x * blockDim.x + threadIdx.x;
    int x = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= s.width || y >= s.height)
        return;
    float sum = 0;
    for (int k = 0; k < s.depth; k++)
        sum += a[y * s.depth + k] * b[k * s.width + x];
    c[y * s.width + x] = sum;
}

/*
 * shared_tile: against register_sum, a block first brings a TILE x TILE piece of A and of B into
 * shared memory, each thread one element of either, and every element is then used TILE times: the
 * traffic from global memory falls by that factor. Two barriers a step: nobody reads a tile before
 * it is whole, and nobody overwrites it before all have read it. Beyond the matrices' edge the
 * tiles hold zeros, so any size works, and no thread leaves before the barriers. Block TILE x TILE.
 */
template <int TILE>
__global__ void shared_tile(const float *a, const float *b, float *c, shape s)
{
    __shared__ float tile_a[TILE][TILE];
    __shared__ float tile_b[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int x = blockIdx.x * TILE + tx;
    int y = blockIdx.y * TILE + ty;
    float sum = 0;
    for (int first = 0; first < s.depth; first += TILE) {
        bool a_inside = y < s.height && first + tx < s.depth;
        bool b_inside = first + ty < s.depth && x < s.width;
        tile_a[ty][tx] = a_inside ? a[y * s.depth + first + tx] : 0;
        tile_b[ty][tx] = b_inside ? b[(first + ty) * s.width + x] : 0;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TILE; k++)
            sum += tile_a[ty][k] * tile_b[k][tx];
        __syncthreads();
    }
    if (x < s.width && y < s.height)
        c[y * s.width + x] = sum;
}

/* The block's dynamic shared memory; only in a .cu does the build for the CPU know how to find it.
 */
static __device__ float4 *dynamic_shared()
{
    extern __shared__ float4 room[];
    return room;
}

#include "sgemm.cuh"

/* ---- launchers ------------------------------------------------------------------------------ */

template <auto *PROGRAM>
static void run_cpu(const problem *p, const launch *l)
{
    PROGRAM((float *)l->buffer[A], (float *)l->buffer[B], (float *)l->buffer[C], shape_of(p));
}

#ifdef HAVE_CBLAS
static void run_cpu_blas(const problem *p, const launch *l)
{
    shape s = shape_of(p);
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, s.height, s.width, s.depth, 1,
                (float *)l->buffer[A], s.depth, (float *)l->buffer[B], s.width, 0,
                (float *)l->buffer[C], s.width);
}
#else
#define run_cpu_blas NULL
#endif

typedef void (*matrix_kernel)(const float *a, const float *b, float *c, shape s);

/* The instance whose tile is the block; NULL where there is none. */
static const void *shared_tile_for(dim3 block)
{
    static const matrix_kernel kernels[] = {shared_tile<2>, shared_tile<4>, shared_tile<8>,
                                            shared_tile<16>, shared_tile<32>};
    for (unsigned i = 0, side = 2; side <= 32; i++, side *= 2)
        if (block.x == side && block.y == side)
            return (const void *)kernels[i];
    return NULL;
}

static const char *refuse_shared_tile(const problem *, dim3 block)
{
    return shared_tile_for(block) ? NULL : "the tile is the block: 2x2, 4x4, 8x8, 16x16 or 32x32";
}

/* The kernels have one shape and differ in what a block of the grid makes. */
static void launch_grid(dim3 grid, const problem *p, const launch *l)
{
    matrix_kernel kernel = (matrix_kernel)l->kernel;
    kernel<<<grid, l->block, l->shared_bytes, l->stream>>>(
        (float *)l->buffer[A], (float *)l->buffer[B], (float *)l->buffer[C], shape_of(p));
    CUDA_CHECK(cudaGetLastError());
}

/* A thread an element. */
static void launch_kernel(const problem *p, const launch *l)
{
    launch_grid(grid_over(p->width, p->height, l->block), p, l);
}

/* The same, x being the row. */
static void launch_exchanged(const problem *p, const launch *l)
{
    launch_grid(grid_over(p->height, p->width, l->block), p, l);
}

/* A block makes a tile. */
template <int ROWS, int COLUMNS>
static void launch_tiles(const problem *p, const launch *l)
{
    launch_grid(grid_over(p->width, p->height, dim3(COLUMNS, ROWS)), p, l);
}

template <tiling T>
static size_t slabs_bytes(const problem *, dim3)
{
    return T.stages * sizeof(slab<T>);
}

static void launch_tensor_tf32(const problem *p, const launch *l)
{
    const dim3 grid(blocks_for(p->width, TF32_SIDE), blocks_for(p->height, TF32_SIDE));
    tensor_tf32<<<grid, l->block, 0, l->stream>>>((float *)l->buffer[A], (float *)l->buffer[B],
                                                  (float *)l->buffer[C], shape_of(p));
    CUDA_CHECK(cudaGetLastError());
}

#ifdef HAVE_RANKS
static void launch_panel(const float *a, const float *b, float *c, panel of, const launch *l)
{
    const dim3 grid = grid_over(of.width, of.height, dim3(large.columns, large.rows));
    panel_tile<<<grid, l->block, l->shared_bytes, l->stream>>>(a, b, c, of);
    CUDA_CHECK(cudaGetLastError());
}
#endif

#include "divided.cuh"

#ifdef HAVE_CUBLAS
static const char *cublas_text(int status)
{
    return cublasGetStatusString((cublasStatus_t)status);
}

#define CUBLAS_CHECK(expression) LIBRARY_CHECK(expression, CUBLAS_STATUS_SUCCESS, cublas_text)

/* A handle with a mode of computing. */
template <int MODE>
static void *plan_cublas(const problem *, const launch *l)
{
    cublasHandle_t handle;
    CUBLAS_CHECK(cublasCreate(&handle));
    CUBLAS_CHECK(cublasSetStream(handle, l->stream));
    CUBLAS_CHECK(cublasSetMathMode(handle, (cublasMath_t)MODE));
    return handle;
}

static void release_cublas(void *plan)
{
    if (!cuda_context_lost())
        CUBLAS_CHECK(cublasDestroy((cublasHandle_t)plan));
}

/*
 * cuBLAS holds matrices column by column: what it sees in our A is A transposed. It is therefore
 * asked for B' A' = (A B)', which lies in memory as our C.
 */
static void launch_cublas(const problem *p, const launch *l)
{
    const float one = 1, zero = 0;
    shape s = shape_of(p);
    CUBLAS_CHECK(cublasSgemm((cublasHandle_t)l->plan, CUBLAS_OP_N, CUBLAS_OP_N, s.width, s.height,
                             s.depth, &one, (float *)l->buffer[B], s.width, (float *)l->buffer[A],
                             s.depth, &zero, (float *)l->buffer[C], s.width));
}

#define CUBLAS_VARIANT(id, idea, mode, ...)                                                        \
    VENDOR_VARIANT(id, idea, launch_cublas, __VA_ARGS__, .plan_once = plan_cublas<mode>,           \
                   .release = release_cublas)
#else
#define CUBLAS_VARIANT(id, idea, mode, ...) VENDOR_VARIANT(id, idea, NULL, __VA_ARGS__)
#endif
#if defined HAVE_CUBLAS && CUBLAS_VERSION >= 120900
#define CUBLAS_BF16X9(id, idea, needed)                                                            \
    CUBLAS_VARIANT(id, idea, CUBLAS_FP32_EMULATED_BF16X9_MATH, .needs = needed)
#else
#define CUBLAS_BF16X9(id, idea, needed) VENDOR_VARIANT(id, idea, NULL, .needs = needed)
#endif

#include "cublas_xt.cuh"

/* ---- variants and callbacks ----------------------------------------------------------------- */

/* Of sgemm.cuh: the words that it loads from shared memory, and the integers of a tile inside. */
#define TILE_VARIANT(id, idea, launcher, program, words, integers, dynamic_bytes)                  \
    GPU_VARIANT(id, idea, launcher, .own_block = THREADS,                                          \
                .cost = {.loads = words, .fp32 = 1, .int32 = integers},                            \
                .kernel = (const void *)program, .shared_bytes = dynamic_bytes)

static const variant variants[] = {
    SERIAL_VARIANT("three loops, serial", run_cpu<multiply_serial>),
    OPENMP_VARIANT("three loops, rows spread over the cores", run_cpu<multiply_omp>),
    CPU_VARIANT("cpu_panels", "panels of B, sums in registers, serial", run_cpu<multiply_panels>,
                .role = ROLE_TUNED),
    CPU_VARIANT("cpu_omp_panels", "the same, panels spread over the cores",
                run_cpu<multiply_panels_omp>),
    CPU_VARIANT("cpu_blas", "CBLAS sgemm", run_cpu_blas, .needs = "CBLAS (libopenblas-dev)",
                .unpinned = true),
    GPU_VARIANT("naive", "one element a thread, running sum in global memory", launch_kernel,
                .cost = {.loads = 2, .fp32 = 1, .int32 = 1.1}, .kernel = (const void *)naive),
    GPU_VARIANT("register_sum", "one element a thread, sum in a register", launch_kernel,
                .cost = {.loads = 2, .fp32 = 1, .int32 = 1.1},
                .kernel = (const void *)register_sum),
    GPU_VARIANT("uncoalesced", "register_sum with x and y exchanged", launch_exchanged,
                .cost = {.loads = 2, .fp32 = 1, .int32 = 1.1}, .kernel = (const void *)uncoalesced),
    /* from shared memory; the 2 / TILE words from global memory are left out */
    GPU_VARIANT("shared_tile", "tiles of A and B in shared memory, tile = block", launch_kernel,
                .cost = {.loads = 2, .fp32 = 1, .int32 = 0.4}, .kernel_for = shared_tile_for,
                .refuse = refuse_shared_tile),
    TILE_VARIANT("register_tile_1d", "8 elements of a column a thread",
                 (launch_tiles<HEIGHT_1D, COLUMNS_1D>), register_tile_1d, 1.17, 0.7, NULL),
    TILE_VARIANT("register_tile_2d", "8 x 8 elements a thread", (launch_tiles<TILE, TILE>),
                 register_tile_2d, 0.27, 0.3, NULL),
    TILE_VARIANT("vector_loads", "the same, numbers moved in fours", (launch_tiles<TILE, TILE>),
                 vector_loads, 0.27, 0.08, NULL),
    TILE_VARIANT("double_buffer", "the next slab copied while this one is multiplied",
                 (launch_tiles<TILE, TILE>), double_buffer, 0.27, 0.06, slabs_bytes<buffered>),
    TILE_VARIANT("warp_tile", "8 x 16 elements a thread, 64 x 64 a warp, four slabs",
                 (launch_tiles<large.rows, large.columns>), warp_tile, 0.2, 0.03,
                 slabs_bytes<large>),
    TILE_VARIANT("slice_k", "small tiles, half of k for each half of the block",
                 (launch_tiles<sliced.rows, sliced.columns>), slice_k, 0.27, 0.05,
                 slabs_bytes<sliced>),
    GPU_VARIANT("tensor_tf32", "TF32, not FP32: mma.sync from registers", launch_tensor_tf32,
                .architecture = "sm_80", .own_block = TF32_THREADS,
                .kernel = (const void *)tensor_tf32),
    GPU_VARIANT("tensor_tf32_hopper", "TF32, not FP32: wgmma from shared memory, TMA, clusters",
                launch_wide, HOPPER_VARIANT, .kernel = HOPPER_KERNEL(tensor_tf32_hopper),
                .shared_bytes = wide_shared_bytes, .workspace_bytes = wide_bytes,
                .refuse = refuse_wide, .plan = plan_wide, .release = release_wide),
    SPLIT_VARIANT("tensor_split", "FP32's accuracy from the FP16 tensor cores: high and low parts",
                  fp16_parts, 256, 2, 1),
    SPLIT_VARIANT("tensor_int8_slices", "FP32's accuracy from 8-bit integers, for even rows",
                  int8_slices, 128, 2, 1),
    CUBLAS_VARIANT("cublas", "cuBLAS sgemm, FP32", CUBLAS_PEDANTIC_MATH, .needs = "cuBLAS"),
    CUBLAS_VARIANT("cublas_tf32", "cuBLAS sgemm, factors rounded to TF32",
                   CUBLAS_TF32_TENSOR_OP_MATH, .needs = "cuBLAS", .architecture = "sm_80"),
    CUBLAS_BF16X9("cublas_bf16x9", "cuBLAS sgemm, FP32 from nine products in BF16", "cuBLAS 12.9"),
    DIVIDED_VARIANT("replicated_b", "over several GPUs: B is gathered to all, then multiplied",
                    launch_replicated_b, .workspace_bytes = whole_b_bytes),
    DIVIDED_VARIANT("ring", "the same, panels of B go round while they are multiplied",
                    launch_ring<multiply_by_warp_tile>, .workspace_bytes = two_panels_bytes,
                    .plan_once = plan_ring, .release = release_ring),
    TENSOR_RING_VARIANT("tensor_ring", "ring, multiplied by tensor_split"),
    XT_VARIANT("cublas_xt", "over several GPUs: cuBLASXt, from host memory and back"),
};

static const char *const data_names[] = {"uniform", "normal",   "positive", "peaks", "scaled",
                                         "rows",    "opposite", "special",  NULL};

static const lab_option options[] = {
    {"--identity", OPTION_INT, &identity, 0, 1, "1: B is the identity matrix, so C must be A"},
    {"--data", OPTION_CHOICE, &data_kind, 0, 0,
     "uniform: -1 to 1; normal; positive: 0 to 1; peaks: uniform, but 2.5 once in each row of A "
     "and column of B; times powers of 2 from 2^-20 to 2^20, scaled: A's rows and B's columns, "
     "rows: all rows, opposite: A's columns, by which B's rows are divided; special: with "
     "infinities and NaN",
     data_names},
};

static void parameters(char *text, size_t bytes)
{
    snprintf(text, bytes, "type=f32%s%s%s", identity ? ";b=identity" : "",
             data_kind ? ";data=" : "", data_kind ? data_names[data_kind] : "");
}

/* Floats in a matrix. */
static size_t count_of(int rows, int columns)
{
    return (size_t)rows * columns;
}

static void layout(problem *p)
{
    shape s = shape_of(p);
    problem_add_buffer(p, "A", BUFFER_INPUT, count_of(s.height, s.depth) * sizeof(float));
    problem_add_buffer(p, "B", BUFFER_INPUT, count_of(s.depth, s.width) * sizeof(float));
    problem_add_buffer(p, "C", BUFFER_OUTPUT, count_of(s.height, s.width) * sizeof(float));
}

/* Twelve uniform numbers of 16 bits, added up: variance 1, all of it exact. */
static void fill_normal(float *values, size_t count, uint64_t seed)
{
#pragma omp parallel for
    for (size_t i = 0; i < count; i++) {
        int sum = 0;
        for (uint64_t draw = 0; draw < 3; draw++)
            for (uint64_t bits = random_bits(seed, 3 * i + draw), part = 0; part < 4; part++)
                sum += (int)(bits >> 16 * part & 0xFFFF);
        values[i] = (float)(sum - 6 * 0xFFFF) * 0x1p-16f;
    }
}

/* Times 2^-20 to 2^20, drawn for each row or for each column; where `sign` is -1 divided by it. */
static void spread(float *values, int rows, int columns, uint64_t seed, bool by_column, int sign)
{
#pragma omp parallel for
    for (int y = 0; y < rows; y++)
        for (int x = 0; x < columns; x++) {
            int exponent = (int)(random_bits(seed, (uint64_t)(by_column ? x : y)) % 41) - 20;
            float *value = values + count_of(y, columns) + x;
            *value = ldexpf(*value, sign * exponent);
        }
}

/* A number that is larger than all others of its row of A or column of B, in a place of its own. */
static void put_peaks(float *a, float *b, shape s, uint64_t seed)
{
    const float peak = 2.5f;
    for (int y = 0; y < s.height; y++)
        a[count_of(y, s.depth) + random_bits(seed, (uint64_t)y) % s.depth] = peak;
    for (int x = 0; x < s.width; x++)
        b[count_of((int)(random_bits(seed + 1, (uint64_t)x) % s.depth), s.width) + x] = peak;
}

static void put_specials(float *a, float *b, shape s)
{
    a[0] = INFINITY;
    a[count_of(s.height / 4, s.depth) + s.depth / 3] = NAN;
    b[count_of(s.depth / 2, s.width) + s.width / 3] = -INFINITY;
    b[count_of(s.depth - 1, s.width) + s.width - 1] = NAN;
}

static void fill(const problem *p)
{
    shape s = shape_of(p);
    size_t a_count = count_of(s.height, s.depth), b_count = count_of(s.depth, s.width);
    float *a = (float *)p->buffer[A].host, *b = (float *)p->buffer[B].host;
    const uint64_t scales = p->seed + 3000;
    if (data_kind == NORMAL) {
        fill_normal(a, a_count, 2 * p->seed);
        fill_normal(b, b_count, 2 * p->seed + 1);
    } else {
        random_fill_float(a, a_count, data_kind == POSITIVE ? 0 : -1, 1, 2 * p->seed);
        random_fill_float(b, b_count, data_kind == POSITIVE ? 0 : -1, 1, 2 * p->seed + 1);
    }
    if (data_kind == SCALED || data_kind == ROWS_SCALED || data_kind == OPPOSITE) {
        spread(a, s.height, s.depth, scales, data_kind == OPPOSITE, 1);
        spread(b, s.depth, s.width, data_kind == OPPOSITE ? scales : scales + 1,
               data_kind == SCALED, data_kind == OPPOSITE ? -1 : 1);
    }
    if (data_kind == PEAKS)
        put_peaks(a, b, s, scales);
    for (size_t i = 0; identity && i < b_count; i++)
        b[i] = i / s.width == i % s.width ? 1 : 0;
    if (data_kind == SPECIAL)
        put_specials(a, b, s);
}

static lab_work work(const problem *p)
{
    double m = p->height, n = p->width, k = shape_of(p).depth;
    return {.bytes = sizeof(float) * (m * k + k * n + m * n),
            .flops = 2 * m * n * k,
            .steps = m * n * k};
}

/* ---- checking ------------------------------------------------------------------------------- */

/*
 * The bound is Higham's (Accuracy and Stability of Numerical Algorithms, 2nd ed., 3.1): for any
 * order of summation, with or without fused multiply-adds, |C - C64| <= K u / (1 - K u) |A||B|
 * elementwise, u = 2^-24. Up to FULL_CHECK multiply-adds every element is compared. Beyond, all of
 * SAMPLED_ROWS rows, and every row of the products C x with PROJECTIONS random sign vectors x
 * (Freivalds, 1977), where one wrong element changes |C x - A (B x)|. Right ones add up to SIGNS
 * times the bound times the norms of A's row and of all of B, or more, once in 10^13 rows.
 */
enum { FULL_CHECK = 512 * 512 * 512, SAMPLED_ROWS = 32, PROJECTIONS = 2, SIGNS = 8 };

/*
 * TF32 keeps 10 bits behind the point. Tensor cores leave the others out, if nobody rounded before:
 * each factor is off by 2^-10 at most, and by as much again of their product's square; they also
 * cut, instead of rounding, in sums: u is 2^-23 there. Such a variant has its type's name in its
 * own.
 */
static bool is_tf32(const variant *v)
{
    return strstr(v->name, "tf32");
}

static bool is_tensor(const variant *v)
{
    return strncmp(v->name, "tensor_", 7) == 0;
}

static int checked_rows(shape s)
{
    bool all = (long long)s.height * s.width * s.depth <= FULL_CHECK || s.height <= SAMPLED_ROWS;
    return all ? s.height : SAMPLED_ROWS;
}

/* Which row is the index-th checked one: all in order, or the first, the last and random ones. */
static int checked_row(const problem *p, int index)
{
    shape s = shape_of(p);
    if (checked_rows(s) == s.height)
        return index;
    if (index < 2)
        return index == 0 ? 0 : s.height - 1;
    return (int)(random_bits(p->seed + 1000, (uint64_t)index) % (uint64_t)s.height);
}

/* The vector x of a projection, random signs. The caller frees it. */
static double *projection_vector(const problem *p, int projection)
{
    double *x = (double *)allocate(p->width * sizeof *x);
    for (int i = 0; i < p->width; i++) {
        uint64_t bits = random_bits(p->seed + 2000 + (uint64_t)projection, (uint64_t)i);
        x[i] = bits >> 63 ? 1 : -1;
    }
    return x;
}

/* What check() compares with, in double precision. All arrays lie behind the struct. */
typedef struct product_reference {
    double *product, *scale;            /* rows of A B and of |A||B|: checked_rows x width */
    double *projected[PROJECTIONS + 1]; /* A (B x), the last one the room for it: height */
} product_reference;

static void multiply_row(const problem *p, int y, double *product, double *scale)
{
    const float *a = (const float *)p->buffer[A].host, *b = (const float *)p->buffer[B].host;
    shape s = shape_of(p);
    for (int x = 0; x < s.width; x++)
        product[x] = scale[x] = 0;
    for (int k = 0; k < s.depth; k++) {
        double left = a[y * s.depth + k];
        const float *row = b + k * s.width;
        for (int x = 0; x < s.width; x++) {
            product[x] += left * row[x];
            scale[x] += fabs(left * row[x]);
        }
    }
}

/* out = matrix vector: rows x columns times columns, in double. */
static void multiply_vector(const float *matrix, int rows, int columns, const double *vector,
                            double *out)
{
#pragma omp parallel for
    for (int y = 0; y < rows; y++) {
        double sum = 0;
        for (int x = 0; x < columns; x++)
            sum += matrix[y * columns + x] * vector[x];
        out[y] = sum;
    }
}

static double norm(const float *values, size_t count)
{
    double squares = 0;
    for (size_t i = 0; i < count; i++)
        squares += (double)values[i] * values[i];
    return sqrt(squares);
}

static void project(const problem *p, product_reference *r)
{
    const float *a = (const float *)p->buffer[A].host, *b = (const float *)p->buffer[B].host;
    shape s = shape_of(p);
    double *bx = (double *)allocate(s.depth * sizeof *bx);
    for (int i = 0; i < PROJECTIONS; i++) {
        double *x = projection_vector(p, i);
        multiply_vector(b, s.depth, s.width, x, bx);
        multiply_vector(a, s.height, s.depth, bx, r->projected[i]);
        free(x);
    }
    free(bx);
    double whole = (double)SIGNS * norm(b, count_of(s.depth, s.width));
    for (int y = 0; y < s.height; y++)
        r->projected[PROJECTIONS][y] = whole * norm(a + count_of(y, s.depth), s.depth);
}

static void *reference(const problem *p)
{
    shape s = shape_of(p);
    size_t rows = (size_t)checked_rows(s), checked = rows * s.width, height = (size_t)s.height;
    size_t doubles = 2 * checked + (PROJECTIONS + 1) * height;
    product_reference *r = (product_reference *)allocate(sizeof *r + doubles * sizeof(double));
    r->product = (double *)(r + 1);
    r->scale = r->product + checked;
    for (int i = 0; i <= PROJECTIONS; i++)
        r->projected[i] = r->scale + checked + i * height;
#pragma omp parallel for
    for (int i = 0; i < (int)rows; i++)
        multiply_row(p, checked_row(p, i), r->product + (size_t)i * s.width,
                     r->scale + (size_t)i * s.width);
    project(p, r);
    return r;
}

static void check_projections(const problem *p, const product_reference *r, check_result *result)
{
    const float *c = (const float *)p->buffer[C].host;
    shape s = shape_of(p);
    double *cx = (double *)allocate(s.height * sizeof *cx);
    for (int i = 0; i < PROJECTIONS; i++) {
        double *x = projection_vector(p, i);
        multiply_vector(c, s.height, s.width, x, cx);
        for (int y = 0; y < s.height; y++)
            if (isfinite(r->projected[i][y])) /* a sum that is not finite tells nothing */
                check_scaled(result, cx[y], r->projected[i][y], r->projected[PROJECTIONS][y],
                             (size_t)y * s.width);
        free(x);
    }
    free(cx);
}

static double tolerance_of(const variant *v, shape s)
{
    bool tf32 = is_tf32(v);
    double ku = (s.depth + 1) * (tf32 ? 0x1p-23 : 0x1p-24); /* one more for the reference's own */
    return ku / (1 - ku) + (tf32 ? 0x1p-9 + 0x1p-20 : 0);
}

/* A value that is not finite must be just what the reference has. */
static void check_value(check_result *result, double value, double expected, double scale,
                        size_t index)
{
    bool same = isnan(expected) ? isnan(value) : isinf(expected) && value == expected;
    check_scaled(result, same ? 0 : value, same ? 0 : expected, scale, index);
}

/* Adds to a note, behind what it has. */
static void add_note(check_result *result, const char *text)
{
    size_t used = strlen(result->note);
    snprintf(result->note + used, sizeof result->note - used, "%s%s", used ? "; " : "", text);
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median of |C - C64| / |A||B| in the checked rows, for notes. */
static void note_median(const problem *p, const product_reference *r, check_result *result)
{
    const float *c = (const float *)p->buffer[C].host;
    shape s = shape_of(p);
    size_t count = 0, all = count_of(checked_rows(s), s.width);
    double *errors = (double *)allocate(all * sizeof *errors);
    char text[64];
    for (size_t i = 0; i < all; i++) {
        double value = c[count_of(checked_row(p, (int)(i / s.width)), s.width) + i % s.width];
        double error = fabs(value - r->product[i]) / r->scale[i];
        if (isfinite(error))
            errors[count++] = error;
    }
    qsort(errors, count, sizeof *errors, compare_doubles);
    snprintf(text, sizeof text, "median error %.2g", count ? errors[count / 2] : 0);
    add_note(result, text);
    free(errors);
}

/* Which way did it go? */
static void note_way(const variant *v, check_result *result)
{
    if (strcmp(v->name, "tensor_split") == 0)
        add_note(result, split_way("as FP16 parts"));
    if (strcmp(v->name, "tensor_int8_slices") == 0)
        add_note(result, split_way("as int8 slices"));
    if (strcmp(v->name, "tensor_ring") == 0) {
        add_note(result, "local product by tensor_split");
        add_note(result, split_way("as FP16 parts"));
    } else if (v->exchanges) {
        add_note(result, "local product by warp_tile");
    }
}

static check_result check(const problem *p, const variant *v)
{
    const float *c = (const float *)p->buffer[C].host;
    const product_reference *r = (const product_reference *)p->reference;
    shape s = shape_of(p);
    int rows = checked_rows(s);
    check_result result = check_start(tolerance_of(v, s), s.width);
    for (int i = 0; i < rows; i++) {
        size_t row = (size_t)checked_row(p, i) * s.width, from = (size_t)i * s.width;
        for (int x = 0; x < s.width; x++)
            check_value(&result, c[row + x], r->product[from + x], r->scale[from + x], row + x);
    }
    if (rows < s.height) {
        check_projections(p, r, &result);
        snprintf(result.note, sizeof result.note, "checked %d rows and %d random products", rows,
                 PROJECTIONS);
    }
    if (v->kind == VARIANT_VENDOR || is_tensor(v))
        note_median(p, r, &result);
    note_way(v, &result);
    return result;
}

/* ---- main ----------------------------------------------------------------------------------- */

static const char *const positional[] = {"--sizes", "--blocks", "--trials", NULL};

/* Beyond the sizes of all variants those that fill a GPU best, and the library. */
static const lab_settings configurations[] = {
    {"--data uniform"},
    {.options = "--sizes 8192 --variants warp_tile,slice_k,tensor_tf32_hopper,tensor_split,"
                "tensor_int8_slices,cublas,cublas_tf32",
     .full = true},
    {.options = "--sizes 16384 --variants warp_tile,tensor_tf32_hopper,tensor_split,"
                "tensor_int8_slices,cublas,cublas_tf32",
     .full = true},
    {NULL},
};

/* One product over more and more GPUs, and one a GPU. */
static const lab_settings several_gpus[] = {
    {"--data uniform --variants replicated_b,ring,tensor_ring,cublas_xt "
     "--sizes 256,4096,32768"},
    {"--data uniform --weak --variants replicated_b,ring,tensor_ring "
     "--sizes 128x256x256,8192x16384x16384"},
    {NULL},
};

static const lab matprod = {
    .name = "lab2_matprod",
    .title = "C = A B for matrices of floats",
    .sizes_are = SIZE_PRODUCT,
    .sweep = {.sizes = "32 64 128 256 512 1000 1040 1024",
              .sizes_large = "2048 4096",
              .scaling_size = "512",
              .emulated_max = 256 * 256,
              .blocks = "1 2 4 8 16 32",
              .configurations = configurations,
              .divided = several_gpus},
    .size_max = 32768,
    .block_dimensions = 2,
    .single = {.positional = positional, .size = "32", .block = "16", .trials = "3"},
    LAB_OPTIONS(options),
    LAB_VARIANTS(variants),
    .parameters = parameters,
    .layout = layout,
    .fill = fill,
    .reference = reference,
    .check = check,
    .work = work,
};

int main(int argc, char **argv)
{
    return lab_main(&matprod, argc, argv);
}
