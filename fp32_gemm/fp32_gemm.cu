/*
 * fp32_gemm.cu - the function of fp32_gemm.h. Whatever order and transposition are asked for, the
 * product becomes one of row-major matrices without gaps, which is what tensor_split takes, and
 * tensor_fp64's small tiles where they take less time:
 *
 *   column-major     C' = op(B)' op(A)' row-major: A and B change places, m and n likewise
 *   transposed       A or B is transposed into the workspace
 *   gaps, odd start  it is copied there
 *   alpha, beta, C   the product goes to the workspace where it is to be scaled or added, or where
 *                    C has gaps; a kernel makes C of it
 */
#include "fp32_gemm.h"

#include <setjmp.h>

#include "fp16_parts.cuh"
#include "fp64_small.cuh"

enum { LARGEST_SIDE = 32768, PART_ALIGN = 256 };

/* A matrix as it lies in memory: rows of floats, `lead` apart; transposed before it is used. */
typedef struct view {
    const float *start;
    int rows, columns; /* as it is used */
    int lead;
    bool transposed;
} view;

/* The product of row-major matrices that p stands for: C is a.rows x b.columns. */
typedef struct task {
    view a, b;
    float *c;
    int lead_of_c;
    float alpha, beta;
    shape s;
} task;

static task task_of(const fp32_gemm_product *p)
{
    const view a = {p->a, p->m, p->k, p->lda, p->transpose_a};
    const view b = {p->b, p->k, p->n, p->ldb, p->transpose_b};
    if (!p->column_major)
        return {a, b, p->c, p->ldc, p->alpha, p->beta, {p->m, p->n, p->k}};
    return {{b.start, p->n, p->k, b.lead, b.transposed},
            {a.start, p->k, p->m, a.lead, a.transposed},
            p->c,
            p->ldc,
            p->alpha,
            p->beta,
            {p->n, p->m, p->k}};
}

/* ---- what is asked for ---------------------------------------------------------------------- */

static bool is_view(const view *v)
{
    const int length = v->transposed ? v->rows : v->columns;
    return v->start && v->lead >= (length > 1 ? length : 1);
}

static bool is_side(int side)
{
    return side >= 0 && side <= LARGEST_SIDE;
}

static bool is_empty(const task *t)
{
    return t->s.height == 0 || t->s.width == 0;
}

static bool multiplies(const task *t)
{
    return t->alpha != 0 && t->s.depth > 0;
}

static bool is_product(const task *t)
{
    if (!is_side(t->s.height) || !is_side(t->s.width) || !is_side(t->s.depth))
        return false;
    if (is_empty(t))
        return true;
    return t->c && t->lead_of_c >= t->s.width &&
           (!multiplies(t) || (is_view(&t->a) && is_view(&t->b)));
}

static bool is_aligned(const void *p, size_t to)
{
    return (uintptr_t)p % to == 0;
}

static bool is_packed(const view *v)
{
    return !v->transposed && v->lead == v->columns && is_aligned(v->start, sizeof(float4));
}

/* Can the product's kernels write C itself? */
static bool goes_to_c(const task *t)
{
    return t->alpha == 1 && t->beta == 0 && t->lead_of_c == t->s.width &&
           is_aligned(t->c, sizeof(float4));
}

static bool is_hopper()
{
    int device, major = 0, minor = 0;
    if (cudaGetDevice(&device) != cudaSuccess)
        return false;
    cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
    cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device);
    return major == 9 && minor == 0;
}

/* ---- the workspace -------------------------------------------------------------------------- */

/* Its parts, one behind the other: what the kernels need, and copies where there are any. */
typedef struct room {
    size_t split, found, a, b, c, end; /* where they begin */
} room;

static size_t behind(size_t start, size_t bytes)
{
    return (start + bytes + PART_ALIGN - 1) / PART_ALIGN * PART_ALIGN;
}

static size_t bytes_of(int rows, int columns)
{
    return count_of(rows, columns) * sizeof(float);
}

/* The device is one that is_hopper(): how many parts of tiles there are is the card's. */
static room room_for(const task *t)
{
    room r = {};
    if (is_empty(t) || !multiplies(t))
        return r;
    r.found = behind(0, is_quick_small(t->s) ? 0 : split_bytes<fp16_parts>(t->s));
    r.a = behind(r.found, is_quick_small(t->s) ? 0 : sizeof(verdict));
    r.b = behind(r.a, is_packed(&t->a) ? 0 : bytes_of(t->a.rows, t->a.columns));
    r.c = behind(r.b, is_packed(&t->b) ? 0 : bytes_of(t->b.rows, t->b.columns));
    r.end = behind(r.c, goes_to_c(t) ? 0 : bytes_of(t->s.height, t->s.width));
    return r;
}

extern "C" size_t fp32_gemm_workspace(const fp32_gemm_product *p)
{
    const task t = task_of(p);
    return is_product(&t) && is_hopper() ? room_for(&t).end : 0;
}

/* ---- kernels -------------------------------------------------------------------------------- */

enum { TILE = 32, TILE_LINES = 8 }; /* blocks of TILE x TILE_LINES threads */

/* Writes rows x columns without gaps, from columns rows of `lead` floats: by tiles, so that both
 * sides are read and written in whole lines. */
__global__ void transpose(const float *from, int lead, float *to, int rows, int columns)
{
    __shared__ float tile[TILE][TILE + 1];
    const int row = blockIdx.y * TILE, column = blockIdx.x * TILE;
    for (int i = threadIdx.y; i < TILE; i += TILE_LINES)
        if (row + threadIdx.x < rows && column + i < columns)
            tile[i][threadIdx.x] = from[(size_t)(column + i) * lead + row + threadIdx.x];
    __syncthreads();
    for (int i = threadIdx.y; i < TILE; i += TILE_LINES)
        if (row + i < rows && column + threadIdx.x < columns)
            to[(size_t)(row + i) * columns + column + threadIdx.x] = tile[threadIdx.x][i];
}

/* Makes C = alpha product + beta C; without a product beta C. */
__global__ void scale_and_add(const float *product, float *c, int lead, shape s, float alpha,
                              float beta)
{
    const int x = blockIdx.x * TILE + threadIdx.x;
    for (int i = threadIdx.y; i < TILE; i += TILE_LINES) {
        const int y = blockIdx.y * TILE + i;
        if (x >= s.width || y >= s.height)
            return;
        float *to = c + (size_t)y * lead + x;
        const float sum = product ? alpha * product[(size_t)y * s.width + x] : 0;
        *to = beta == 0 ? sum : fmaf(beta, *to, sum);
    }
}

static dim3 tiles_over(int rows, int columns)
{
    return grid_over(columns, rows, dim3(TILE, TILE));
}

/* ---- errors --------------------------------------------------------------------------------- */

/* This thread's call of fp32_gemm(), to which a CUDA_CHECK that fails goes back. */
static thread_local jmp_buf failed;

const char *cuda_check_text(int error)
{
    return cudaGetErrorString((cudaError_t)error);
}

void library_check_fail(const char *, const char *, const char *, int)
{
    (void)cudaGetLastError();
    longjmp(failed, 1);
}

/* ---- the product ---------------------------------------------------------------------------- */

/* Returns the matrix packed: itself, or a copy at `copy`. */
static const float *packed(const view *v, float *copy, cudaStream_t stream)
{
    if (is_packed(v))
        return v->start;
    const size_t row = v->columns * sizeof(float), lead = v->lead * sizeof(float);
    if (v->transposed) {
        transpose<<<tiles_over(v->rows, v->columns), dim3(TILE, TILE_LINES), 0, stream>>>(
            v->start, v->lead, copy, v->rows, v->columns);
        CUDA_CHECK(cudaGetLastError());
    } else
        CUDA_CHECK(cudaMemcpy2DAsync(copy, row, v->start, lead, row, v->rows,
                                     cudaMemcpyDeviceToDevice, stream));
    return copy;
}

/* Multiplies packed matrices. */
static void multiply_packed(const task *t, const room &r, const float *a, const float *b, float *c,
                            char *workspace, cudaStream_t stream)
{
    if (is_quick_small(t->s))
        return multiply_small(a, b, c, t->s, stream);
    verdict *found = (verdict *)(workspace + r.found);
    CUDA_CHECK(cudaMemsetAsync(found, 0, sizeof *found, stream));
    split_plan plan = split_plan_of<fp16_parts>(t->s, workspace + r.split, found);
    multiply_split<fp16_parts>(&plan, a, b, c, t->s, stream);
}

static void multiply(const task *t, char *workspace, cudaStream_t stream)
{
    const room r = room_for(t);
    float *product = goes_to_c(t) ? t->c : (float *)(workspace + r.c);
    if (multiplies(t)) {
        const float *a = packed(&t->a, (float *)(workspace + r.a), stream);
        const float *b = packed(&t->b, (float *)(workspace + r.b), stream);
        multiply_packed(t, r, a, b, product, workspace, stream);
    } else
        product = NULL;
    if (product == t->c)
        return;
    scale_and_add<<<tiles_over(t->s.height, t->s.width), dim3(TILE, TILE_LINES), 0, stream>>>(
        product, t->c, t->lead_of_c, t->s, t->alpha, t->beta);
    CUDA_CHECK(cudaGetLastError());
}

extern "C" fp32_gemm_status fp32_gemm(const fp32_gemm_product *p, void *workspace, size_t bytes,
                                      cudaStream_t stream)
{
    const task t = task_of(p);
    if (!is_product(&t))
        return FP32_GEMM_BAD_PRODUCT;
    if (is_empty(&t))
        return FP32_GEMM_OK;
    if (!is_hopper())
        return FP32_GEMM_WRONG_DEVICE;
    const size_t needed = room_for(&t).end;
    if (needed && (!workspace || bytes < needed || !is_aligned(workspace, PART_ALIGN)))
        return FP32_GEMM_NO_WORKSPACE;
    if (setjmp(failed))
        return FP32_GEMM_CUDA_ERROR;
    multiply(&t, (char *)workspace, stream);
    return FP32_GEMM_OK;
}

extern "C" const char *fp32_gemm_text(fp32_gemm_status status)
{
    static const char *const texts[] = {
        "no error", "a size, a leading dimension or a pointer is none",
        "the workspace is too small", "the device is not of compute capability 9.0",
        "a call of CUDA failed"};
    return texts[status];
}

/* ---- which is faster ------------------------------------------------------------------------ */

static double in_tiles(int side)
{
    return (side + TILE_ROWS - 1) / TILE_ROWS * TILE_ROWS;
}

/*
 * Estimate by rates that an H100 and an H200 gave from N = 128 to 8192 (lab 2's rows). Three
 * kernels take 16 us beside the multiply-adds of whole tiles at 210 TFLOP/s. Small tiles in FP64
 * take 2 us beside 0.82 a slab, and a copy before or behind them 3. cuBLAS takes 7 us beside its
 * own multiply-adds at 45 TFLOP/s; of still smaller products 5, but these take 3 here. A copy reads
 * and writes at 2.5 TB/s.
 */
static double seconds_of_ours(const task *t)
{
    const room r = room_for(t);
    const double copies = 2 * (double)(r.end - r.a) / 2.5e12;
    const int kernels = !is_packed(&t->a) + !is_packed(&t->b) + !goes_to_c(t);
    if (is_quick_small(t->s))
        return 2e-6 + 0.82e-6 * small_slabs(t->s) + 3e-6 * kernels + copies;
    return 16e-6 + copies + 2 * in_tiles(t->s.height) * in_tiles(t->s.width) * t->s.depth / 210e12;
}

static double seconds_of_cublas(const task *t)
{
    return 7e-6 + 2.0 * t->s.height * t->s.width * t->s.depth / 45e12;
}

extern "C" const char *fp32_gemm_declines(const fp32_gemm_product *p)
{
    const task t = task_of(p);
    if (!is_product(&t) || is_empty(&t) || !multiplies(&t))
        return "there is nothing to multiply";
    if (!is_hopper())
        return "the device is not of compute capability 9.0";
    if (t.s.depth < fp16_parts::SHORTEST_K && !is_quick_small(t.s))
        return "k is short";
    return seconds_of_ours(&t) < seconds_of_cublas(&t) ? NULL : "it is small";
}
