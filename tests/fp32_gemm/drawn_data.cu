/*
 * drawn_data.cu - fp32_gemm() on data that is drawn against its promise: the bits of numbers, their
 * exponents, signs and zeros, each by one of some ways, and for one product in four large numbers
 * of A that meet zeros of B; or lab 2's tensor_fp32 on products of so many tiles that it samples
 * the data, most of them even enough for bytes, and half of them with a factor of FP16's numbers.
 * All elements are compared with a product in FP64, and so are cuBLAS's in FP32. usage: drawn_data
 * [COUNT [SEED [large]]]. Tells each product whose largest error is beyond 4 u and cuBLAS's,
 * or its median beyond u and cuBLAS's, with what was drawn, and how many there were of each way;
 * the status is 1 if a largest error is beyond FAR times as much. Errors are by |A||B|, in u =
 * 2^-24.
 */
#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <map>
#include <string>
#include <thrust/execution_policy.h>
#include <thrust/sort.h>

#include "drawing.cuh"
#include "fp32_gemm.h"
#include "matprod.h"

enum { FAR = 4, MOST_OPERAND = 1 << 26, MOST_RESULTS = 1 << 25 };

extern const variant tensor_fp32_variant;

/* ---- what a matrix holds -------------------------------------------------------------------- */

enum { BITS = 12, EXPONENTS = 12, SIGNS = 6, ZEROS = 8 };

/* Ways, by number (below); the range of exponents, a period, a probability in 100, two numbers. */
typedef struct recipe {
    int bits, exponents, signs, zeros, range, period, percent, base;
    unsigned seed, one, other;
} recipe;

/* Runs of k at which A is multiplied by 2^-smaller, of every `apart`; B is zero at the others in
 * every `columns`-th column. */
typedef struct mismatch {
    int run, apart, smaller, columns; /* no run: none */
    unsigned seed;
} mismatch;

/* An element's place: a row of A or a column of B, and k. */
typedef struct spot {
    int line, lines, k, depth;
    bool of_b;
} spot;

/* Returns bits at random (MurmurHash3's end). */
__device__ static unsigned mixed(unsigned i, unsigned seed)
{
    unsigned z = i * 0x9E3779B1u + seed * 0x7FEB352Du;
    z = (z ^ z >> 16) * 0x85EBCA6Bu;
    z = (z ^ z >> 13) * 0xC2B2AE35u;
    return z ^ z >> 16;
}

/* Returns a number of [1, 2), or below: ties of FP16's rounding, all ones, few bits, one value. */
__device__ static float number_of(const recipe &r, const spot &s, unsigned z)
{
    unsigned f = z >> 9;
    switch (r.bits) {
    case 1:
        f = (z >> 22 << 13) | 0x0FFF;
        break;
    case 2:
        f = (z >> 22 << 13) | 0x1000;
        break;
    case 3:
        f = (z >> 11 << 2) | 2;
        break;
    case 4:
        f = r.one >> 9;
        break;
    case 5:
        f = (z & 1 ? r.one : r.other) >> 9;
        break;
    case 6:
        f = 0x7FFFFF ^ z >> 28;
        break;
    case 7:
        f = (z >> 25 << 16) | 1;
        break;
    case 8:
        f = mixed(s.line, r.seed + 3) >> 9;
        break;
    case 9:
        f = mixed(s.k, r.seed + 4) >> 9;
        break;
    case 10:
        return fabsf((float)(int)z * 0x1p-31f);
    case 11:
        return 1.0f / (1 + z % 100);
    }
    return __uint_as_float(0x3F800000u | f);
}

/* Returns an exponent, 0 or less. */
__device__ static int exponent_of(const recipe &r, const spot &s, unsigned z)
{
    switch (r.exponents) {
    case 1:
        return -(int)(z % (r.range + 1));
    case 2:
        return -(int)((int64_t)s.k * r.range / s.depth);
    case 3:
        return -(int)(mixed(s.line, r.seed + 3) % (r.range + 1));
    case 4:
        return -(int)(mixed(s.k >> r.period % 9, r.seed + 5) % (r.range + 1));
    case 5:
        return z % (unsigned)r.period == 0 ? 0 : -r.range;
    case 6:
        return s.k % r.period == 0 ? 0 : -r.range;
    case 7:
        return s.k < s.depth / (1 + r.period % 7) ? 0 : -r.range;
    case 8:
        return -(s.k % r.period * r.range / r.period);
    case 9:
        return s.k == (int)(mixed(s.line, r.seed + 3) % s.depth) ? 0 : -r.range;
    case 10:
        return z % (unsigned)r.period == 0 ? -r.range : 0;
    case 11:
        return -min(r.range, __clz(z | 1));
    }
    return 0;
}

__device__ static bool is_negative(const recipe &r, const spot &s, unsigned z)
{
    switch (r.signs) {
    case 1:
        return z & 1;
    case 2:
        return (s.k + s.line) & 1;
    case 3:
        return s.k >= s.depth / 2;
    case 4:
        return mixed(s.line, r.seed + 3) >> 7 & 1;
    case 5:
        return (z & 15) == 0;
    }
    return false;
}

__device__ static bool is_zero(const recipe &r, const spot &s, unsigned z)
{
    const int there = (int)((int64_t)s.line * s.depth / s.lines);
    switch (r.zeros) {
    case 1:
        return z % 100 < (unsigned)r.percent;
    case 2:
        return s.k % r.period != r.period / 2;
    case 3:
        return s.k > there;
    case 4:
        return abs(s.k - there) > 4 * r.period;
    case 5:
        return mixed(s.k / 32, r.seed + 7) & 3;
    case 6:
        return mixed(s.k / 64 * 4096 + s.line, r.seed + 7) & 1;
    case 7:
        return s.k >= 64 * r.period;
    }
    return false;
}

/* Fills A, or B, row by row. */
__global__ void fill(float *to, spot size, recipe r, mismatch apart)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= (size_t)size.lines * size.depth)
        return;
    spot s = size;
    s.line = (int)(size.of_b ? i % size.lines : i / size.depth);
    s.k = (int)(size.of_b ? i / size.lines : i % size.depth);
    const unsigned z = (unsigned)i;
    int e = r.base + exponent_of(r, s, mixed(z, r.seed + 1));
    bool zero = is_zero(r, s, mixed(z, r.seed + 2) >> 8);
    if (apart.run) {
        const bool small = mixed(s.k / apart.run, apart.seed) % apart.apart == 0;
        e -= small && !size.of_b ? apart.smaller : 0;
        zero |= size.of_b && !small && mixed(s.line, apart.seed + 1) % apart.columns == 0;
    }
    const float x = ldexpf(number_of(r, s, mixed(z, r.seed)), e);
    to[i] = zero ? 0 : is_negative(r, s, mixed(z, r.seed + 2)) ? -x : x;
}

static int one_of(const int *values, int count)
{
    return values[draw(count)];
}
#define ONE_OF(...)                                                                                \
    [] {                                                                                           \
        static const int values[] = {__VA_ARGS__};                                                 \
        return one_of(values, sizeof values / sizeof *values);                                     \
    }()

static recipe draw_recipe()
{
    recipe r = {};
    r.bits = (int)draw(BITS);
    r.exponents = draw(3) ? (int)draw(EXPONENTS) : 0;
    r.signs = (int)draw(SIGNS);
    r.zeros = draw(2) ? 0 : (int)draw(ZEROS);
    r.range = ONE_OF(0, 1, 2, 3, 5, 8, 10, 11, 12, 13, 16, 20, 24, 32, 40, 55);
    r.period = ONE_OF(2, 3, 4, 5, 8, 16, 31, 32, 64, 100, 128, 256, 500, 1000);
    r.percent = (int)draw(100);
    r.base = r.range > 24 ? 0 : (int)draw(31) - 15;
    r.seed = draw(1u << 31), r.one = draw(1u << 31), r.other = draw(1u << 31);
    return r;
}

/* Draws one of numbers that are near enough to each other for bytes, mostly. */
static recipe draw_even_recipe()
{
    recipe r = draw_recipe();
    if (draw(2))
        r.bits = ONE_OF(0, 10, 10, 4, 5, 8, 9);
    r.exponents = draw(3) ? 0 : r.exponents;
    r.range = ONE_OF(0, 1, 1, 2, 3);
    r.zeros = draw(3) ? 0 : 1;
    r.percent = (int)draw(25);
    r.base = (int)draw(21) - 10;
    return r;
}

/* Rounds numbers to FP16's 11 bits or BF16's 8; `last` is the least bit that is left. */
__global__ void round_all(float *x, size_t count, unsigned last)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        x[i] = __uint_as_float((__float_as_uint(x[i]) + last / 2) & ~(last - 1));
}

static mismatch draw_mismatch()
{
    mismatch m = {};
    if (draw(4))
        return m;
    m.run = ONE_OF(1, 1, 8, 32, 64, 256);
    m.apart = ONE_OF(2, 2, 3, 4, 8, 16);
    m.smaller = ONE_OF(2, 4, 8, 12, 16, 18, 20, 24, 30, 40, 55);
    m.columns = ONE_OF(1, 2, 8, 64);
    m.seed = draw(1u << 31);
    return m;
}

/* ---- errors --------------------------------------------------------------------------------- */

__global__ void widen(double *to, double *magnitude, const float *x, size_t count)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        to[i] = x[i];
        magnitude[i] = fabs((double)x[i]);
    }
}

/* Writes errors; what is lost of a sum that is not 0, or is no number, is as large as can be. */
__global__ void compare(float *error, const float *c, const double *exact, const double *scale,
                        size_t count)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    const double off = fabs((double)c[i] - exact[i]);
    error[i] = off == 0 ? 0 : off <= scale[i] ? (float)(off / scale[i] * 0x1p24) : 1e30f;
}

typedef struct errors {
    float most, median;
} errors;

static errors errors_of(float *room, const float *c, const double *exact, const double *scale,
                        size_t count)
{
    errors e;
    compare<<<blocks(count), 256>>>(room, c, exact, scale, count);
    thrust::sort(thrust::device, room, room + count);
    CHECK(cudaMemcpy(&e.most, room + count - 1, sizeof e.most, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(&e.median, room + count / 2, sizeof e.median, cudaMemcpyDeviceToHost));
    return e;
}

/* ---- products ------------------------------------------------------------------------------- */

typedef struct rooms {
    float *a, *b, *c, *theirs, *error;
    double *wide_a, *wide_b, *magnitude_a, *magnitude_b, *exact, *scale;
} rooms;

template <class T>
static void make_room(T **at, size_t count)
{
    CHECK(cudaMalloc(at, count * sizeof(T)));
}

static rooms make_rooms()
{
    rooms r;
    for (float **at : {&r.a, &r.b})
        make_room(at, MOST_OPERAND);
    for (float **at : {&r.c, &r.theirs, &r.error})
        make_room(at, MOST_RESULTS);
    for (double **at : {&r.wide_a, &r.wide_b, &r.magnitude_a, &r.magnitude_b})
        make_room(at, MOST_OPERAND);
    for (double **at : {&r.exact, &r.scale})
        make_room(at, MOST_RESULTS);
    return r;
}

/* Draws sizes, of operands that are half as large as there is room for: a seed's products stay what
 * they were. */
static fp32_gemm_product draw_sizes()
{
    const size_t most = MOST_OPERAND / 2;
    fp32_gemm_product p = {};
    do {
        p.m = draw_size(64, 2560);
        p.n = draw_size(64, 2560);
        p.k = draw_size(128, 16384);
        if (draw(2))
            p.m = (p.m + 31) / 32 * 32, p.n = (p.n + 31) / 32 * 32, p.k = (p.k + 31) / 32 * 32;
    } while ((double)p.m * p.n * p.k > 6e9 || (size_t)p.m * p.k > most || (size_t)p.n * p.k > most);
    return p;
}

/* Draws some of 500 to 1200 tiles of 128 x 128. */
static fp32_gemm_product draw_large_sizes()
{
    fp32_gemm_product p = {};
    p.m = draw_size(2048, 6144);
    const int rows = (p.m + 127) / 128, columns = (500 + (int)draw(700)) / rows + 1;
    p.n = draw(2) ? 128 * columns : 128 * columns - (int)draw(128);
    do
        p.k = draw(3) ? 3072 + (int)draw(2000) : 3072 + (int)draw(8000);
    while ((size_t)p.m * p.k > MOST_OPERAND || (size_t)p.n * p.k > MOST_OPERAND);
    if (draw(2))
        p.m = (p.m + 31) / 32 * 32, p.k = p.k / 128 * 128;
    return p;
}

/* Makes a product in FP32 or FP64 by cuBLAS, of rows: it is that of transposes. */
template <class number, class gemm>
static void by_cublas(cublasHandle_t handle, gemm *multiply, const fp32_gemm_product &p,
                      const number *a, const number *b, number *c)
{
    const number one = 1, zero = 0;
    CHECK(multiply(handle, CUBLAS_OP_N, CUBLAS_OP_N, p.n, p.m, p.k, &one, b, p.n, a, p.k, &zero, c,
                   p.n));
}

static void by_fp32_gemm(fp32_gemm_product p, const rooms &r)
{
    p.alpha = 1;
    p.a = r.a, p.lda = p.k, p.b = r.b, p.ldb = p.n, p.c = r.c, p.ldc = p.n;
    const size_t bytes = fp32_gemm_workspace(&p);
    void *workspace;
    CHECK(cudaMalloc(&workspace, bytes + 1));
    CHECK(cudaMemset(r.c, 0xFF, (size_t)p.m * p.n * sizeof(float)));
    CHECK(fp32_gemm(&p, workspace, bytes, NULL));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(workspace));
}

static const char *last_way = "";

static void by_tensor_fp32(fp32_gemm_product s, const rooms &r)
{
    const variant *v = &tensor_fp32_variant;
    problem p = {};
    p.width = s.n, p.height = s.m, p.depth = s.k;
    void *const buffer[] = {r.a, r.b, r.c};
    launch l = {};
    l.block = dim3(v->own_block);
    l.buffer = buffer;
    l.kernel = v->kernel_for(l.block);
    l.shared_bytes = v->shared_bytes(&p, l.block);
    const size_t bytes = v->workspace_bytes(&p);
    CHECK(cudaMalloc(&l.workspace, bytes + 1));
    CHECK(cudaMemset(l.workspace, 0xFF, bytes));
    CHECK(cudaMemset(r.c, 0xFF, (size_t)s.m * s.n * sizeof(float)));
    l.plan = v->plan_once(&p, &l);
    v->run(&p, &l);
    CHECK(cudaDeviceSynchronize());
    last_way = ((const accuracy *)v->own)->way();
    v->release(l.plan);
    CHECK(cudaFree(l.workspace));
}

static void tell(const char *of, const recipe &r)
{
    printf("; %s: bits %d, exponents %d to -%d, signs %d, zeros %d (%d %%), period %d", of, r.bits,
           r.exponents, r.range, r.signs, r.zeros, r.percent, r.period);
}

/* Draws a product and returns its errors, of what the promise allows. */
static errors try_product(cublasHandle_t handle, const rooms &r, int seed, bool large)
{
    recipe (*const draw_one)() = large ? draw_even_recipe : draw_recipe;
    const fp32_gemm_product p = large ? draw_large_sizes() : draw_sizes();
    const recipe a = draw_one();
    recipe b = draw(2) ? a : draw_one();
    b.seed += draw(8) ? 1000 : 0;
    const mismatch apart = draw_mismatch();
    const size_t in_a = (size_t)p.m * p.k, in_b = (size_t)p.n * p.k, in_c = (size_t)p.m * p.n;
    fill<<<blocks(in_a), 256>>>(r.a, {0, p.m, 0, p.k, false}, a, apart);
    fill<<<blocks(in_b), 256>>>(r.b, {0, p.n, 0, p.k, true}, b, apart);
    const unsigned rounded = large ? draw(4) : 0, last = draw(3) ? 1u << 13 : 1u << 16;
    if (rounded & 1)
        round_all<<<blocks(in_a), 256>>>(r.a, in_a, last);
    else if (rounded)
        round_all<<<blocks(in_b), 256>>>(r.b, in_b, last);
    widen<<<blocks(in_a), 256>>>(r.wide_a, r.magnitude_a, r.a, in_a);
    widen<<<blocks(in_b), 256>>>(r.wide_b, r.magnitude_b, r.b, in_b);
    by_cublas(handle, cublasDgemm, p, r.wide_a, r.wide_b, r.exact);
    by_cublas(handle, cublasDgemm, p, r.magnitude_a, r.magnitude_b, r.scale);
    by_cublas(handle, cublasSgemm, p, r.a, r.b, r.theirs);
    (large ? by_tensor_fp32 : by_fp32_gemm)(p, r);
    const errors theirs = errors_of(r.error, r.theirs, r.exact, r.scale, in_c);
    const errors mine = errors_of(r.error, r.c, r.exact, r.scale, in_c);
    const errors times = {mine.most / fmaxf(4, theirs.most), mine.median / fmaxf(1, theirs.median)};
    if (times.most > 1 || times.median > 1) {
        printf("%d: %d x %d, k %d: largest %.3g (cuBLAS %.3g), median %.3g (%.3g)", seed, p.m, p.n,
               p.k, mine.most, theirs.most, mine.median, theirs.median);
        tell("A", a);
        tell("B", b);
        if (large)
            printf("; %s, %s", rounded ? rounded & 1 ? "A rounded" : "B rounded" : "none rounded",
                   last_way);
        if (apart.run)
            printf("; A 2^-%d in runs of %d, 1 of %d; B zero beside them in 1 of %d columns",
                   apart.smaller, apart.run, apart.apart, apart.columns);
        printf("\n");
    }
    return times;
}

int main(int argc, char **argv)
{
    const int count = argc > 1 ? atoi(argv[1]) : 1000, first = argc > 2 ? atoi(argv[2]) : 1;
    const bool large = argc > 3 && strcmp(argv[3], "large") == 0;
    std::map<std::string, int> ways;
    const rooms r = make_rooms();
    cublasHandle_t handle;
    CHECK(cublasCreate(&handle));
    int largest = 0, medians = 0;
    errors worst = {};
    for (int seed = first; seed < first + count; seed++) {
        state = (uint64_t)seed << 32;
        const errors times = try_product(handle, r, seed, large);
        ways[last_way]++;
        largest += times.most > 1;
        medians += times.median > 1;
        worst = {fmaxf(worst.most, times.most), fmaxf(worst.median, times.median)};
    }
    printf("of %d products the largest error is beyond the promise in %d (%.3g times at most), the "
           "median in %d (%.3g)\n",
           count, largest, worst.most, medians, worst.median);
    for (const auto &[way, products] : ways)
        if (large)
            printf("%7d %s\n", products, way.c_str());
    return worst.most > (float)FAR;
}
