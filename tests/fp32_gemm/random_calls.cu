/*
 * random_calls.cu - fp32_gemm() against cuBLAS: calls drawn by a seed, of any order, transposition,
 * sizes, gaps, odd starts, alpha and beta. Each element is compared with the product in FP64: its
 * error may be 4 u of |alpha||A||B| + |beta C|, u = 2^-24, or the greatest that cuBLAS in FP32 has
 * there, and 2 u for alpha and beta. Before that come what it refuses, small products, and
 * a graph. usage: random_calls [COUNT [SEED]]; TAP on stdout, a comment at the end counts the ways.
 */
#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "drawing.cuh"
#include "fp32_gemm.h"

/* A matrix in memory of its own: lines of `length` floats, `lead` apart, from `start` on. */
typedef struct stored {
    float *memory, *start;
    int lines, length, lead;
    size_t floats; /* of the memory */
    int kind;      /* of data */
} stored;

enum { KINDS = 7 }; /* of data; kind 0: evenly from -1 to 1 */

__global__ void fill(float *to, size_t count, unsigned seed, int kind)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    unsigned z = (unsigned)i * 0x9E3779B1u + seed; /* mixed as by MurmurHash3's end */
    z = (z ^ z >> 16) * 0x85EBCA6Bu;
    z = (z ^ z >> 13) * 0xC2B2AE35u;
    z ^= z >> 16;
    float x = (float)(int)z * 0x1p-31f; /* [-1, 1) */
    if (kind == 1)
        x = x * x * x * 100; /* uneven */
    if (kind == 2)
        x = z % 3 ? fmaxf(x, 0) : 0; /* two thirds zeros */
    if (kind == 3)
        x = fabsf(x);
    if (kind == 4)
        x = 1 + x / 1000;
    if (kind == 5)
        x = expf(2 * x);
    if (kind == 6)
        x = z % 10 ? 0 : fabsf(x);
    to[i] = x;
}

/*
 * Lets large numbers of A meet zeros of B, as no row or column tells by itself: at every other run
 * of k A is multiplied by `small`, and at the others B is zero in each fourth column. `along`: k is
 * the number of an element's line, else its place in that.
 */
__global__ void unmatch(float *start, int lines, int length, int lead, bool along, bool of_b,
                        int run, float small)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    const int line = (int)(i / length), place = (int)(i % length);
    const int k = along ? line : place, column = along ? place : line;
    if (line >= lines)
        return;
    if (!of_b && k / run % 2)
        start[(size_t)line * lead + place] *= small;
    if (of_b && k / run % 2 == 0 && column % 4 == 0)
        start[(size_t)line * lead + place] = 0;
}

/* Makes doubles of floats, or of their magnitudes. */
__global__ void widen(const float *from, double *to, size_t count, bool absolute)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        to[i] = absolute ? fabs((double)from[i]) : from[i];
}

static stored store(int lines, int length)
{
    stored s = {
        NULL, NULL, lines, length, length + (draw(2) ? (int)draw(38) : 0), 0, (int)draw(KINDS)};
    size_t offset = draw(4) ? 0 : draw(4);
    s.floats = offset + (size_t)lines * s.lead + 8;
    CHECK(cudaMalloc(&s.memory, s.floats * sizeof(float)));
    s.start = s.memory + offset;
    fill<<<blocks(s.floats), 256>>>(s.memory, s.floats, draw(1u << 31), s.kind);
    return s;
}

static stored copy_of(const stored *s)
{
    stored c = *s;
    CHECK(cudaMalloc(&c.memory, s->floats * sizeof(float)));
    CHECK(cudaMemcpy(c.memory, s->memory, s->floats * sizeof(float), cudaMemcpyDeviceToDevice));
    c.start = c.memory + (s->start - s->memory);
    return c;
}

/* The greatest errors in u, as a float's bits, and how many floats between C's lines changed. */
typedef struct findings {
    unsigned mine, theirs, gaps;
} findings;

/* What all of a call's elements are compared with: C before, cuBLAS's, P = op(A) op(B) in FP64 and
 * the same of magnitudes. */
typedef struct yardstick {
    const float *before, *theirs;
    const double *product, *magnitude;
} yardstick;

__device__ static void note(unsigned *greatest, double error)
{
    atomicMax(greatest, error <= 1e30 ? __float_as_uint((float)error) : 0x7F800000u);
}

__global__ void compare(const float *c, yardstick y, size_t offset, size_t count, int length,
                        int lead, int lines, double alpha, double beta, findings *found)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x, at = i - offset;
    if (i >= count)
        return;
    bool inside = i >= offset && at / lead < (size_t)lines && at % lead < (size_t)length;
    if (!inside && __float_as_uint(c[i]) != __float_as_uint(y.before[i]))
        atomicAdd(&found->gaps, 1);
    if (!inside)
        return;
    size_t packed = at / lead * length + at % lead;
    double added = beta == 0 ? 0 : beta * y.before[i];
    double expected = alpha * y.product[packed] + added;
    double unit = 0x1p-24 * (fabs(alpha) * y.magnitude[packed] + fabs(added)) + 1e-300;
    note(&found->mine, fabs(c[i] - expected) / unit);
    note(&found->theirs, fabs(y.theirs[i] - expected) / unit);
}

static cublasHandle_t cublas;

/* Asks cuBLAS for a product like p, in FP32 or FP64; a row-major one is that of transposes. */
template <class number, class gemm>
static void by_cublas(gemm *multiply, const fp32_gemm_product *p, const number *a, const number *b,
                      number *c, int ldc, number alpha, number beta)
{
    cublasOperation_t a_is = p->transpose_a ? CUBLAS_OP_T : CUBLAS_OP_N;
    cublasOperation_t b_is = p->transpose_b ? CUBLAS_OP_T : CUBLAS_OP_N;
    if (p->column_major)
        CHECK(multiply(cublas, a_is, b_is, p->m, p->n, p->k, &alpha, a, p->lda, b, p->ldb, &beta, c,
                       ldc));
    else
        CHECK(multiply(cublas, b_is, a_is, p->n, p->m, p->k, &alpha, b, p->ldb, a, p->lda, &beta, c,
                       ldc));
}

/* Returns op(A) op(B) without gaps in FP64, of the numbers or of their magnitudes. */
static double *wide_product(const fp32_gemm_product *p, const stored *a, const stored *b,
                            const stored *c, bool absolute)
{
    double *wide_a, *wide_b, *product;
    CHECK(cudaMalloc(&wide_a, a->floats * sizeof(double)));
    CHECK(cudaMalloc(&wide_b, b->floats * sizeof(double)));
    CHECK(cudaMalloc(&product, (size_t)c->lines * c->length * sizeof(double)));
    widen<<<blocks(a->floats), 256>>>(a->memory, wide_a, a->floats, absolute);
    widen<<<blocks(b->floats), 256>>>(b->memory, wide_b, b->floats, absolute);
    by_cublas<double>(cublasDgemm, p, wide_a + (a->start - a->memory),
                      wide_b + (b->start - b->memory), product, c->length, 1, 0);
    CHECK(cudaFree(wide_a));
    CHECK(cudaFree(wide_b));
    return product;
}

static stored operand(bool column_major, bool transposed, int rows, int columns)
{
    return column_major != transposed ? store(columns, rows) : store(rows, columns);
}

/* Calls fp32_gemm() with a workspace that is just large enough. */
static fp32_gemm_status call(const fp32_gemm_product *p, cudaStream_t stream)
{
    size_t bytes = fp32_gemm_workspace(p);
    void *workspace = NULL;
    if (bytes)
        CHECK(cudaMalloc(&workspace, bytes));
    if (bytes)
        CHECK(cudaMemset(workspace, 0xFF, bytes));
    fp32_gemm_status status = fp32_gemm(p, workspace, bytes, stream);
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaFree(workspace));
    return status;
}

static int number, failures;

static void ok(bool passed, const char *what)
{
    failures += !passed;
    printf("%sok %d - %s\n", passed ? "" : "not ", ++number, what);
}

/* Draws a product, small or not, with memory for it; C is NaN where it is not to be read. */
static fp32_gemm_product draw_product(bool small, stored *a, stored *b, stored *c)
{
    static const float alphas[] = {1, 1, -1, 0.37f}, betas[] = {0, 0, 1, -0.61f};
    fp32_gemm_product p = {};
    p.column_major = draw(2);
    p.transpose_a = draw(2);
    p.transpose_b = draw(2);
    p.m = small ? draw_size(1, 600) : draw_size(600, 4096);
    p.n = small ? draw_size(1, 600) : draw_size(600, 4096);
    p.k = small ? draw_size(1, 1500) : draw_size(300, 12000);
    p.alpha = alphas[draw(4)];
    p.beta = betas[draw(4)];
    *a = operand(p.column_major, p.transpose_a, p.m, p.k);
    *b = operand(p.column_major, p.transpose_b, p.k, p.n);
    *c = operand(p.column_major, false, p.m, p.n);
    if (draw(4) == 0) {
        const int run = 1 << draw(9);
        const float by = ldexpf(1, -(int)draw(50));
        unmatch<<<blocks((size_t)p.m * p.k), 256>>>(a->start, a->lines, a->length, a->lead,
                                                    p.column_major != p.transpose_a, false, run,
                                                    by);
        unmatch<<<blocks((size_t)p.n * p.k), 256>>>(b->start, b->lines, b->length, b->lead,
                                                    p.column_major == p.transpose_b, true, run, 0);
    }
    if (p.beta == 0)
        CHECK(cudaMemset(c->memory, 0xFF, c->floats * sizeof(float)));
    p.a = a->start, p.lda = a->lead, p.b = b->start, p.ldb = b->lead;
    p.c = c->start, p.ldc = c->lead;
    return p;
}

static float from_bits(unsigned bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Makes a call both ways. Returns whether all of it is right; `taken`: whether the library would
 * not leave it to cuBLAS. */
static bool try_call(findings *found, bool small, bool *taken)
{
    stored a, b, c;
    fp32_gemm_product p = draw_product(small, &a, &b, &c);
    stored before = copy_of(&c), theirs = copy_of(&c);
    double *product = wide_product(&p, &a, &b, &c, false);
    double *magnitude = wide_product(&p, &a, &b, &c, true);
    *taken = !fp32_gemm_declines(&p);
    by_cublas<float>(cublasSgemm, &p, p.a, p.b, theirs.start, p.ldc, p.alpha, p.beta);
    bool done = call(&p, cudaStreamPerThread) == FP32_GEMM_OK;
    CHECK(cudaMemset(found, 0, sizeof *found));
    compare<<<blocks(c.floats), 256>>>(c.memory, {before.memory, theirs.memory, product, magnitude},
                                       (size_t)(c.start - c.memory), c.floats, c.length, c.lead,
                                       c.lines, p.alpha, p.beta, found);
    findings f;
    CHECK(cudaMemcpy(&f, found, sizeof f, cudaMemcpyDeviceToHost));
    float mine = from_bits(f.mine), cublas_has = from_bits(f.theirs);
    bool right = done && mine <= fmaxf(4, cublas_has) + 2 && !f.gaps;
    if (!right)
        printf("# %s %c%c %dx%dx%d, data %d %d, lead %d %d %d, alpha %g, beta %g: %g u, cuBLAS %g, "
               "%u gaps\n",
               p.column_major ? "columns" : "rows", p.transpose_a ? 'T' : 'N',
               p.transpose_b ? 'T' : 'N', p.m, p.n, p.k, a.kind, b.kind, p.lda, p.ldb, p.ldc,
               p.alpha, p.beta, mine, cublas_has, f.gaps);
    for (void *memory :
         {(void *)a.memory, (void *)b.memory, (void *)c.memory, (void *)before.memory,
          (void *)theirs.memory, (void *)product, (void *)magnitude})
        CHECK(cudaFree(memory));
    return right;
}

/* ---- what is no product, and what is one though little is to be done ------------------------- */

/* Is there a device to ask? */
static bool has_device()
{
    int devices;
    return cudaGetDeviceCount(&devices) == cudaSuccess;
}

static void try_without_device()
{
    float x;
    fp32_gemm_product p = {};
    p.m = p.n = p.k = p.lda = p.ldb = p.ldc = 1024;
    p.alpha = 1, p.a = p.b = p.c = &x;
    ok(fp32_gemm_workspace(&p) == 0, "without a device no workspace is asked for");
    ok(fp32_gemm(&p, &x, 0, 0) == FP32_GEMM_WRONG_DEVICE, "and a product is refused");
    ok(fp32_gemm_declines(&p) != NULL, "and left to others");
}

static void try_edges()
{
    enum { N = 256, WORDS = N * N };
    float *a, *b, *c, first;
    CHECK(cudaMalloc(&a, WORDS * sizeof *a));
    CHECK(cudaMalloc(&b, WORDS * sizeof *b));
    CHECK(cudaMalloc(&c, WORDS * sizeof *c));
    fill<<<blocks(WORDS), 256>>>(a, WORDS, 1, 0);
    fill<<<blocks(WORDS), 256>>>(b, WORDS, 2, 0);
    fill<<<blocks(WORDS), 256>>>(c, WORDS, 3, 0);
    fp32_gemm_product good = {};
    good.m = good.n = good.k = good.lda = good.ldb = good.ldc = N;
    good.alpha = 1, good.a = a, good.b = b, good.c = c;
    fp32_gemm_product p = good;
    p.lda = N - 1;
    ok(call(&p, 0) == FP32_GEMM_BAD_PRODUCT, "rows that overlap are refused");
    p = good, p.m = -1;
    ok(call(&p, 0) == FP32_GEMM_BAD_PRODUCT, "a negative size is refused");
    p = good, p.k = 32769, p.lda = 32769;
    ok(call(&p, 0) == FP32_GEMM_BAD_PRODUCT, "a size beyond 32768 is refused");
    p = good, p.a = NULL;
    ok(call(&p, 0) == FP32_GEMM_BAD_PRODUCT, "no A is refused");
    ok(fp32_gemm_workspace(&good) == 0, "a small product without copies needs no workspace");
    p = good, p.transpose_a = true;
    size_t bytes = fp32_gemm_workspace(&p);
    ok(bytes && fp32_gemm(&p, a, bytes - 1, 0) == FP32_GEMM_NO_WORKSPACE,
       "a small workspace is refused");
    ok(fp32_gemm(&p, (char *)a + 4, bytes, 0) == FP32_GEMM_NO_WORKSPACE,
       "one that starts anywhere is refused");
    p = good, p.m = 0, p.c = NULL;
    ok(call(&p, 0) == FP32_GEMM_OK, "a product without rows is one");
    p = good, p.alpha = 0, p.a = p.b = NULL, p.beta = 0;
    ok(call(&p, 0) == FP32_GEMM_OK, "alpha 0 reads neither A nor B");
    CHECK(cudaMemcpy(&first, c, sizeof first, cudaMemcpyDeviceToHost));
    ok(first == 0, "and makes C beta C");
    p = good, p.m = p.n = 1, p.k = 3;
    float values[3] = {1, 2, 3};
    CHECK(cudaMemcpy(a, values, sizeof values, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy2D(b, N * sizeof *b, values, sizeof *b, sizeof *b, 3, cudaMemcpyHostToDevice));
    ok(call(&p, 0) == FP32_GEMM_OK, "one element");
    CHECK(cudaMemcpy(&first, c, sizeof first, cudaMemcpyDeviceToHost));
    ok(first == 14, "is right");
}

/* A product of n x n in a graph, which is launched twice over other data. */
static void try_graph(int n)
{
    enum { MOST = 1024 * 1024 };
    const int words = n * n;
    float *a, *b, *c, *expected, one = 1, zero = 0;
    void *workspace;
    for (float **memory : {&a, &b, &c, &expected})
        CHECK(cudaMalloc(memory, words * sizeof(float)));
    fp32_gemm_product p = {};
    p.m = p.n = p.k = p.lda = p.ldb = p.ldc = n;
    p.alpha = 1, p.a = a, p.b = b, p.c = c, p.column_major = true;
    size_t bytes = fp32_gemm_workspace(&p);
    CHECK(cudaMalloc(&workspace, bytes));
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t launchable;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    ok(fp32_gemm(&p, workspace, bytes, stream) == FP32_GEMM_OK, "a product is captured");
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&launchable, graph, 0));
    bool right = true;
    for (unsigned run = 0; run < 2; run++) {
        fill<<<blocks(words), 256>>>(a, words, run, 0);
        fill<<<blocks(words), 256>>>(b, words, run + 7, 0);
        CHECK(cudaDeviceSynchronize());
        CHECK(cudaGraphLaunch(launchable, stream));
        CHECK(cudaStreamSynchronize(stream));
        CHECK(cublasSgemm(cublas, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a, n, b, n, &zero,
                          expected, n));
        static float mine[MOST], theirs[MOST];
        CHECK(cudaMemcpy(mine, c, words * sizeof *mine, cudaMemcpyDeviceToHost));
        CHECK(cudaMemcpy(theirs, expected, words * sizeof *theirs, cudaMemcpyDeviceToHost));
        for (int i = 0; i < words; i++)
            right = right && fabsf(mine[i] - theirs[i]) <= 12 * 0x1p-24f * (float)n;
    }
    ok(right, "and right each time that it is launched");
}

int main(int argc, char **argv)
{
    enum { SMALL_EACH = 4 };
    int count = argc > 1 ? atoi(argv[1]) : 500, right = 0, large = 0, taken[2] = {};
    findings *found;
    if (!has_device()) {
        try_without_device();
        printf("1..%d\n", number);
        return failures > 0;
    }
    state = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
    CHECK(cublasCreate(&cublas));
    CHECK(cudaMalloc(&found, sizeof *found));
    try_edges();
    for (int n : {1024, 256})
        try_graph(n);
    for (int i = 0; i < count; i++) {
        const bool small = i % SMALL_EACH == SMALL_EACH - 1;
        bool took = false;
        right += try_call(found, small, &took);
        taken[small] += took;
        large += !small;
    }
    ok(right == count, "random calls err no more than cuBLAS or 4 u, and nothing beside C changed");
    ok(taken[0] >= 0.8 * large, "four of five of the large ones are not left to cuBLAS");
    printf("# %d of %d right, %d large and %d small ones by tensor cores\n1..%d\n", right, count,
           taken[0], taken[1], number);
    return failures > 0;
}
