/*
 * matprod.cu - experiment 2 of the 2012 report: the product of two square matrices,
 * C[y][x] = sum over k of A[y][k] * B[k][x].
 *
 * Data: N x N floats, row-major; x is the column, y the row; N <= 32768, so an int holds every
 * index. 2 N^3 operations on 12 N^2 bytes.
 *
 *   cpu           three loops, serial
 *   cpu_omp       the same, rows spread over the cores
 *   cpu_blas      CBLAS sgemm (OpenBLAS), where the build found it
 *   naive         one element a thread, the running sum in global memory (table 7 of the report)
 *   register_sum  the sum in a register
 *   shared_tile   tiles of A and B in shared memory, each element read once a block
 *   cublas        cuBLAS sgemm in FP32, where the toolkit has it
 *
 *   make -C lab2_matprod                              build just this lab
 *   make -C lab2_matprod run SIZES=1024 BLOCKS="16 32"
 *   build/cuda/matprod 1024 16 3                      as the report: N, block side, trials
 *
 * The check's bound is Higham's (Accuracy and Stability of Numerical Algorithms, 2nd ed., 3.1): for
 * any order of summation, with or without fused multiply-adds, |C - C64| <= n u / (1 - n u) |A||B|
 * elementwise, u = 2^-24. The random product test is Freivalds' (1977).
 */
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
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

static int identity; /* from the command line: B is the identity, so C must be A */

/* ---- CPU reference -------------------------------------------------------------------------- */

static float dot(const float *a, const float *b, int n, int x, int y)
{
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[y * n + k] * b[k * n + x];
    return sum;
}

static void multiply_serial(const float *a, const float *b, float *c, int n)
{
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++)
            c[y * n + x] = dot(a, b, n, x, y);
}

static void multiply_omp(const float *a, const float *b, float *c, int n)
{
#pragma omp parallel for
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++)
            c[y * n + x] = dot(a, b, n, x, y);
}

/* ---- kernels -------------------------------------------------------------------------------- */

/*
 * naive: thread (x, y) makes C[y][x] and keeps the running sum in C itself, as the report does.
 * A and B might overlap C for all the compiler knows, so each step stores the sum and loads anew.
 * Any block.
 */
__global__ void naive(const float *a, const float *b, float *c, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= n)
        return;
    c[y * n + x] = 0;
    for (int k = 0; k < n; k++)
        c[y * n + x] += a[y * n + k] * b[k * n + x];
}

/*
 * register_sum: against naive, the sum stays in a register and is stored once: the loop is two
 * loads and one fused multiply-add. Threads of a warp share y: the load of A is a broadcast, the
 * load of B coalesced. Any block.
 */
__global__ void register_sum(const float *a, const float *b, float *c, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= n)
        return;
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[y * n + k] * b[k * n + x];
    c[y * n + x] = sum;
}

/*
 * shared_tile: against register_sum, a block first brings a TILE x TILE piece of A and of B into
 * shared memory, each thread one element of either, and every element is then used TILE times: the
 * traffic from global memory falls by that factor. Two barriers a step: nobody reads a tile before
 * it is whole, and nobody overwrites it before all have read it. Beyond the matrices' edge the
 * tiles hold zeros, so any N works, and no thread leaves before the barriers. Block TILE x TILE.
 */
template <int TILE>
__global__ void shared_tile(const float *a, const float *b, float *c, int n)
{
    __shared__ float tile_a[TILE][TILE];
    __shared__ float tile_b[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int x = blockIdx.x * TILE + tx;
    int y = blockIdx.y * TILE + ty;
    float sum = 0;
    for (int first = 0; first < n; first += TILE) {
        bool a_inside = y < n && first + tx < n, b_inside = first + ty < n && x < n;
        tile_a[ty][tx] = a_inside ? a[y * n + first + tx] : 0;
        tile_b[ty][tx] = b_inside ? b[(first + ty) * n + x] : 0;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TILE; k++)
            sum += tile_a[ty][k] * tile_b[k][tx];
        __syncthreads();
    }
    if (x < n && y < n)
        c[y * n + x] = sum;
}

/* ---- launchers ------------------------------------------------------------------------------ */

static dim3 grid_over(const problem *p, dim3 block)
{
    return dim3(blocks_for(p->width, block.x), blocks_for(p->height, block.y));
}

static void run_cpu(const problem *p, const launch *l)
{
    multiply_serial((float *)l->buffer[A], (float *)l->buffer[B], (float *)l->buffer[C], p->width);
}

static void run_cpu_omp(const problem *p, const launch *l)
{
    multiply_omp((float *)l->buffer[A], (float *)l->buffer[B], (float *)l->buffer[C], p->width);
}

#ifdef HAVE_CBLAS
static void run_cpu_blas(const problem *p, const launch *l)
{
    int n = p->width;
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, (float *)l->buffer[A], n,
                (float *)l->buffer[B], n, 0, (float *)l->buffer[C], n);
}
#else
#define run_cpu_blas NULL
#endif

typedef void (*matrix_kernel)(const float *a, const float *b, float *c, int n);

/* The instance whose tile is the block; NULL where there is none. */
static matrix_kernel shared_tile_for(dim3 block)
{
    if (block.x != block.y)
        return NULL;
    switch (block.x) {
    case 2:
        return shared_tile<2>;
    case 4:
        return shared_tile<4>;
    case 8:
        return shared_tile<8>;
    case 16:
        return shared_tile<16>;
    case 32:
        return shared_tile<32>;
    default:
        return NULL;
    }
}

static const void *shared_tile_kernel(dim3 block)
{
    return (const void *)shared_tile_for(block);
}

static const char *refuse_shared_tile(const problem *, dim3 block)
{
    return shared_tile_for(block) ? NULL : "the tile is the block: 2x2, 4x4, 8x8, 16x16 or 32x32";
}

/* Every kernel has the same shape: a thread an element. */
static void launch_kernel(const problem *p, const launch *l)
{
    matrix_kernel kernel = (matrix_kernel)l->kernel;
    kernel<<<grid_over(p, l->block), l->block, 0, l->stream>>>(
        (float *)l->buffer[A], (float *)l->buffer[B], (float *)l->buffer[C], p->width);
    CUDA_CHECK(cudaGetLastError());
}

#ifdef HAVE_CUBLAS
#define CUBLAS_CHECK(expression)                                                                   \
    do {                                                                                           \
        cublasStatus_t status_ = (expression);                                                     \
        if (status_ != CUBLAS_STATUS_SUCCESS) {                                                    \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #expression,                    \
                    cublasGetStatusString(status_));                                               \
            exit(EXIT_CUDA_ERROR);                                                                 \
        }                                                                                          \
    } while (0)

/*
 * cuBLAS holds matrices column by column: what it sees in our A is A transposed. It is therefore
 * asked for B' A' = (A B)', which lies in memory as our C. The default math mode computes in FP32.
 */
static void launch_cublas(const problem *p, const launch *l)
{
    static cublasHandle_t handle;
    const float one = 1, zero = 0;
    int n = p->width;
    if (!handle)
        CUBLAS_CHECK(cublasCreate(&handle));
    CUBLAS_CHECK(cublasSetStream(handle, l->stream));
    CUBLAS_CHECK(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, (float *)l->buffer[B],
                             n, (float *)l->buffer[A], n, &zero, (float *)l->buffer[C], n));
}
#else
#define launch_cublas NULL
#endif

/* ---- variants and callbacks ----------------------------------------------------------------- */

static const variant variants[] = {
    {.name = "cpu",
     .kind = VARIANT_CPU,
     .summary = "three loops, serial",
     .serial = true,
     .run = run_cpu},
    {.name = "cpu_omp",
     .kind = VARIANT_CPU,
     .summary = "three loops, rows spread over the cores",
     .scales = true,
     .run = run_cpu_omp},
    {.name = "cpu_blas",
     .kind = VARIANT_CPU,
     .summary = "CBLAS sgemm",
     .run = run_cpu_blas,
     .needs = "CBLAS (libopenblas-dev)"},
    {.name = "naive",
     .kind = VARIANT_GPU,
     .summary = "one element a thread, running sum in global memory",
     .run = launch_kernel,
     .kernel = (const void *)naive,
     .large = true},
    {.name = "register_sum",
     .kind = VARIANT_GPU,
     .summary = "one element a thread, sum in a register",
     .run = launch_kernel,
     .kernel = (const void *)register_sum,
     .large = true},
    {.name = "shared_tile",
     .kind = VARIANT_GPU,
     .summary = "tiles of A and B in shared memory, tile = block",
     .run = launch_kernel,
     .kernel_for = shared_tile_kernel,
     .refuse = refuse_shared_tile,
     .large = true},
    {.name = "cublas",
     .kind = VARIANT_VENDOR,
     .summary = "cuBLAS sgemm, FP32",
     .run = launch_cublas,
     .needs = "cuBLAS",
     .large = true},
};

static const lab_option options[] = {
    {"--identity", OPTION_INT, &identity, 0, 1, "1: B is the identity matrix, so C must be A"},
};

static void parameters(char *text, size_t bytes)
{
    snprintf(text, bytes, identity ? "type=f32;b=identity" : "type=f32");
}

static void layout(problem *p)
{
    size_t bytes = (size_t)p->width * p->height * sizeof(float);
    problem_add_buffer(p, "A", BUFFER_INPUT, bytes);
    problem_add_buffer(p, "B", BUFFER_INPUT, bytes);
    problem_add_buffer(p, "C", BUFFER_OUTPUT, bytes);
}

static void fill(const problem *p)
{
    size_t count = (size_t)p->width * p->height;
    random_fill_float((float *)p->buffer[A].host, count, -1, 1, 2 * p->seed);
    random_fill_float((float *)p->buffer[B].host, count, -1, 1, 2 * p->seed + 1);
    for (size_t i = 0; identity && i < count; i++)
        ((float *)p->buffer[B].host)[i] = i % (p->width + 1) == 0 ? 1 : 0;
}

static void work(const problem *p, double *bytes, double *flops)
{
    double n = p->width;
    *bytes = 3 * sizeof(float) * n * n;
    *flops = 2 * n * n * n;
}

/* ---- checking ------------------------------------------------------------------------------- */

/*
 * Up to FULL_CHECK every element is compared. Beyond, all elements of SAMPLED_ROWS rows, and every
 * row of the products C x with PROJECTIONS random sign vectors x: |C x - A (B x)| is at most the
 * sum of the row's elementwise bounds, whatever the signs, and one wrong element changes it.
 */
enum { FULL_CHECK = 512, SAMPLED_ROWS = 32, PROJECTIONS = 2 };

static int checked_rows(int n)
{
    return n <= FULL_CHECK ? n : SAMPLED_ROWS;
}

/* Which row is the index-th checked one: all in order, or the first, the last and random ones. */
static int checked_row(const problem *p, int index)
{
    int n = p->width;
    if (n <= FULL_CHECK)
        return index;
    if (index < 2)
        return index == 0 ? 0 : n - 1;
    return (int)(random_bits(p->seed + 1000, (uint64_t)index) % (uint64_t)n);
}

static double random_sign(const problem *p, int projection, int x)
{
    return random_bits(p->seed + 2000 + (uint64_t)projection, (uint64_t)x) >> 63 ? 1 : -1;
}

/* What check() compares with, in double precision. All arrays lie behind the struct. */
typedef struct product_reference {
    double *product, *scale;        /* rows of A B and of |A||B|: checked_rows(n) x n */
    double *projected[PROJECTIONS]; /* A (B x): n */
    double *projected_scale;        /* |A| (|B| 1): n */
} product_reference;

static void multiply_row(const problem *p, int y, double *product, double *scale)
{
    const float *a = (const float *)p->buffer[A].host, *b = (const float *)p->buffer[B].host;
    int n = p->width;
    for (int x = 0; x < n; x++)
        product[x] = scale[x] = 0;
    for (int k = 0; k < n; k++) {
        double left = a[y * n + k];
        const float *row = b + k * n;
        for (int x = 0; x < n; x++) {
            product[x] += left * row[x];
            scale[x] += fabs(left * row[x]);
        }
    }
}

/* out = matrix vector, or |matrix| vector: n x n times n, in double. */
static void multiply_vector(const float *matrix, const double *vector, double *out, int n,
                            bool absolute)
{
#pragma omp parallel for
    for (int y = 0; y < n; y++) {
        double sum = 0;
        for (int x = 0; x < n; x++) {
            double element = matrix[y * n + x];
            sum += (absolute ? fabs(element) : element) * vector[x];
        }
        out[y] = sum;
    }
}

static void project(const problem *p, product_reference *r)
{
    const float *a = (const float *)p->buffer[A].host, *b = (const float *)p->buffer[B].host;
    int n = p->width;
    double *x = (double *)allocate(n * sizeof *x), *bx = (double *)allocate(n * sizeof *bx);
    for (int i = 0; i < PROJECTIONS; i++) {
        for (int k = 0; k < n; k++)
            x[k] = random_sign(p, i, k);
        multiply_vector(b, x, bx, n, false);
        multiply_vector(a, bx, r->projected[i], n, false);
    }
    for (int k = 0; k < n; k++)
        x[k] = 1;
    multiply_vector(b, x, bx, n, true);
    multiply_vector(a, bx, r->projected_scale, n, true);
    free(x);
    free(bx);
}

static void *reference(const problem *p)
{
    size_t n = (size_t)p->width, rows = (size_t)checked_rows(p->width);
    size_t doubles = 2 * rows * n + (PROJECTIONS + 1) * n;
    product_reference *r = (product_reference *)allocate(sizeof *r + doubles * sizeof(double));
    r->product = (double *)(r + 1);
    r->scale = r->product + rows * n;
    r->projected_scale = r->scale + rows * n;
    for (int i = 0; i < PROJECTIONS; i++)
        r->projected[i] = r->projected_scale + (1 + i) * n;
#pragma omp parallel for
    for (int i = 0; i < (int)rows; i++)
        multiply_row(p, checked_row(p, i), r->product + i * n, r->scale + i * n);
    project(p, r);
    return r;
}

static void check_projections(const problem *p, const product_reference *r, check_result *result)
{
    const float *c = (const float *)p->buffer[C].host;
    int n = p->width;
    double *x = (double *)allocate(n * sizeof *x), *cx = (double *)allocate(n * sizeof *cx);
    for (int i = 0; i < PROJECTIONS; i++) {
        for (int k = 0; k < n; k++)
            x[k] = random_sign(p, i, k);
        multiply_vector(c, x, cx, n, false);
        for (int y = 0; y < n; y++)
            check_scaled(result, cx[y], r->projected[i][y], r->projected_scale[y], (size_t)y * n);
    }
    free(x);
    free(cx);
}

static check_result check(const problem *p, const variant *)
{
    const float *c = (const float *)p->buffer[C].host;
    const product_reference *r = (const product_reference *)p->reference;
    int n = p->width, rows = checked_rows(n);
    double nu = (n + 1) * 0x1p-24; /* one more than n: room for the reference's own rounding */
    check_result result = check_start(nu / (1 - nu), n);
    for (int i = 0; i < rows; i++) {
        size_t row = (size_t)checked_row(p, i) * n;
        for (int x = 0; x < n; x++)
            check_scaled(&result, c[row + x], r->product[(size_t)i * n + x],
                         r->scale[(size_t)i * n + x], row + x);
    }
    if (rows < n) {
        check_projections(p, r, &result);
        snprintf(result.note, sizeof result.note, "checked %d rows and %d random products", rows,
                 PROJECTIONS);
    }
    return result;
}

/* ---- main ----------------------------------------------------------------------------------- */

static const char *const positional[] = {"--sizes", "--blocks", "--trials", NULL};

static const lab matprod = {
    .name = "lab2_matprod",
    .title = "C = A B for N x N matrices of floats",
    .sizes_are = SIZE_SQUARE,
    .sweep = {.sizes = "32 64 128 256 512 1024",
              .sizes_large = "2048 4096",
              .scaling_size = "512",
              .blocks = "1 2 4 8 16 32"},
    .size_min = 1,
    .size_max = 32768,
    .block_dimensions = 2,
    .single = {.positional = positional, .size = "32", .block = "16", .trials = "3"},
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .variants = variants,
    .n_variants = sizeof variants / sizeof variants[0],
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
