/*
 * wmma.cu - nvcuda::wmma: every shape and type against plain loops, and sums that are rounded as by
 * the tensor cores. The kernels are right on a GPU, too; what is rounded is an A100's (see mma.h).
 */
#include <mma.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <stdio.h>
#include <stdlib.h>
#include "../../common/ptx/mma.cuh"
#include "check.h"

using namespace nvcuda;

/* D = A B + C by one warp; A by rows, B by columns, both packed, D as C by rows. */
template <int M, int N, int K, class T, class V, class D>
__global__ void multiply(const V *a, const V *b, const D *c, D *d)
{
    wmma::fragment<wmma::matrix_a, M, N, K, T, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, M, N, K, T, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, M, N, K, D> sum;
    wmma::load_matrix_sync(fa, a, K);
    wmma::load_matrix_sync(fb, b, K);
    wmma::load_matrix_sync(sum, c, N, wmma::mem_row_major);
    wmma::mma_sync(sum, fa, fb, sum);
    wmma::store_matrix_sync(d, sum, N, wmma::mem_row_major);
}

/* The other layouts: A by columns, B by rows, C nowhere, D by columns. */
template <int M, int N, int K, class T>
__global__ void multiply_across(const T *a, const T *b, float *d)
{
    wmma::fragment<wmma::matrix_a, M, N, K, T, wmma::col_major> fa;
    wmma::fragment<wmma::matrix_b, M, N, K, T, wmma::row_major> fb;
    wmma::fragment<wmma::accumulator, M, N, K, float> sum;
    wmma::fill_fragment(sum, 0.5f);
    wmma::load_matrix_sync(fa, a, M);
    wmma::load_matrix_sync(fb, b, N);
    wmma::mma_sync(sum, fa, fb, sum);
    for (int i = 0; i < sum.num_elements; i++)
        sum.x[i] += 1;
    wmma::store_matrix_sync(d, sum, M, wmma::mem_col_major);
}

static double at(int i, int j)
{
    return (i * 7 + j * 3) % 11 - 5; /* whole numbers, so that all sums are exact */
}

template <class V>
static V *filled(int count, double (*value)(int, int))
{
    V *memory;
    CHECK(cudaMallocManaged((void **)&memory, count * sizeof(V)));
    for (int i = 0; i < count; i++)
        memory[i] = V(value(i, 1));
    return memory;
}

template <int M, int N, int K, class T, class V, class D>
static void test_shape(const char *name)
{
    V *a = filled<V>(M * K, [](int i, int j) { return fabs(at(i, j)); });
    V *b = filled<V>(K * N, [](int i, int j) { return fabs(at(i, j + 1)); });
    D *c = filled<D>(M * N, [](int i, int j) { return at(i, j + 2); });
    D *d = filled<D>(M * N, [](int, int) { return 0.0; });
    multiply<M, N, K, T, V, D><<<1, 32>>>(a, b, c, d);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    int wrong = 0;
    for (int i = 0; i < M * N; i++) {
        const int row = i / N, column = i % N;
        double sum = (double)c[i];
        for (int k = 0; k < K; k++)
            sum += (double)a[row * K + k] * (double)b[column * K + k];
        wrong += (double)d[i] != sum;
    }
    RESULT(wrong == 0, name);
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
    CHECK(cudaFree(c));
    CHECK(cudaFree(d));
}

static void test_layouts()
{
    enum { M = 32, N = 8, K = 16 };
    half *a = filled<half>(M * K, at), *b = filled<half>(K * N, at);
    float *d = filled<float>(M * N, at);
    multiply_across<M, N, K, half><<<1, 32>>>(a, b, d);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    int wrong = 0;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            double sum = 1.5;
            for (int k = 0; k < K; k++)
                sum += (double)(float)a[k * M + i] * (double)(float)b[k * N + j];
            wrong += d[j * M + i] != sum;
        }
    RESULT(wrong == 0, "matrices that lie the other way round, and elements that are changed");
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
    CHECK(cudaFree(d));
}

/* D = A B of 16 x 16 by two mma.sync; A by rows, B by columns, P numbers in a register. */
template <int P, class V>
__global__ void multiply_by_registers(const V *a, const V *b, float *d)
{
    const int g = threadIdx.x / 4, t = threadIdx.x % 4, K = 8 * P;
    uint32_t of_a[4], of_b[2];
    for (int r = 0; r < 4; r++)
        of_a[r] = *(const uint32_t *)(a + (g + r % 2 * 8) * K + P * t + r / 2 * 4 * P);
    for (int n = 0; n < 16; n += 8) {
        float sums[4] = {};
        for (int r = 0; r < 2; r++)
            of_b[r] = *(const uint32_t *)(b + (g + n) * K + P * t + r * 4 * P);
        if (P == 1)
            mma_m16n8k8_tf32(sums, of_a, of_b);
        else
            mma_m16n8k16_f16(sums, of_a, of_b);
        for (int r = 0; r < 4; r++)
            d[(g + r / 2 * 8) * 16 + n + 2 * t + r % 2] = sums[r];
    }
}

/* Compares it with wmma, of any numbers, whose sums are rounded: it has the same bits; of TF32 on
 * the CPU alone, since nvcc makes wmma's of two instructions of four k (HMMA.1684), mma.sync's of
 * one of eight (HMMA.1688): they may round at other places, and did on an H200. */
template <int P, class T, class V>
static void test_registers(const char *name)
{
#ifdef CUDA_ON_CPU
    enum { K = 8 * P, EXACT = 1 };
#else
    enum { K = 8 * P, EXACT = P > 1 };
#endif
    const auto any = [](int i, int) {
        const unsigned h = (unsigned)(i + 1) * 0x9E3779B1u;
        return ((double)(h % 4001) - 2000) / 200 * (1 << h / 4001 % 9);
    };
    const auto another = [](int i, int) { return 1.7 / (i % 37 - 18.5); };
    V *a = filled<V>(16 * K, any), *b = filled<V>(16 * K, another);
    float *c = filled<float>(256, [](int, int) { return 0.0; });
    float *d = filled<float>(256, [](int, int) { return 0.0; });
    multiply<16, 16, K, T, V, float><<<1, 32>>>(a, b, c, c);
    multiply_by_registers<P, V><<<1, 32>>>(a, b, d);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    int wrong = 0, rounded = 0;
    for (int i = 0; i < 256; i++) {
        double sum = 0, size = 0;
        for (int k = 0; k < K; k++) {
            const double product = (double)a[i / 16 * K + k] * (double)b[i % 16 * K + k];
            sum += product;
            size += fabs(product);
        }
        wrong += EXACT ? c[i] != d[i] : fabs((double)c[i] - d[i]) > 0x1p-22 * size;
        wrong += fabs(d[i] - sum) > 0x1p-9 * size;
        rounded += d[i] != sum;
    }
    RESULT(wrong == 0 && rounded > 0, name);
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
    CHECK(cudaFree(c));
    CHECK(cudaFree(d));
}

#ifdef CUDA_ON_CPU
/* Returns c and the products of a[k] with b[k], k < 16 (8 of TF32), for element 0. */
template <class T, class V, class D, int K = std::is_same_v<T, half> ? 16 : 8>
static double summed(double c, const double *a, const double *b)
{
    V *ma = filled<V>(16 * K, [](int, int) { return 0.0; });
    V *mb = filled<V>(K * 16, [](int, int) { return 0.0; });
    D *mc = filled<D>(256, [](int, int) { return 0.0; });
    for (int k = 0; k < K; k++) {
        ma[k] = V(a[k]);
        mb[k] = V(b[k]);
    }
    mc[0] = D(c);
    multiply<16, 16, K, T, V, D><<<1, 32>>>(ma, mb, mc, mc);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    double sum = (double)mc[0];
    CHECK(cudaFree(ma));
    CHECK(cudaFree(mb));
    CHECK(cudaFree(mc));
    return sum;
}

/* By hand: a last bit of 1 is 2^-23. */
static void test_rounding()
{
    double half_bit[16] = {0x1p-12, 0x1p-12}, ones[16], quarters[16], across[16] = {0};
    for (int k = 0; k < 16; k++) {
        ones[k] = 0x1p-12;
        quarters[k] = 0x1p-13;
    }
    across[0] = across[8] = 0x1p-12;
    RESULT((summed<half, half, float>(1, half_bit, ones) == 1 + 0x1p-23),
           "two halves of a last bit are one, which FP32's additions lose");
    RESULT((summed<half, half, float>(1, across, ones) == 1),
           "but not where each is with other eight products");
    RESULT((summed<half, half, float>(1, quarters, ones) == 1), "sixteen quarters are nothing");
    RESULT((summed<half, half, float>(-1, half_bit, ones) == -(1 - 0x1p-23)),
           "near 1 from below there are 24 bits");
    double more[16] = {1, 0x1p-12}, one[16] = {0x1p-1, 0x1.8p-12};
    RESULT((summed<half, half, float>(0.5, more, one) == 1),
           "a sum is cut off, three quarters of a last bit, too");
    double large[16] = {1.5, 0x1p-12}, factors[16] = {1.5, 0x1p-12};
    RESULT((summed<half, half, float>(0, large, factors) == 2.25),
           "a product of 2 or more begins where its factors' exponents say");
    double tf[8] = {1 + 0x1p-11, 0, 0, 0, 0x1p-12, 0, 0, 0}, by[8] = {1, 0, 0, 0, 0x1p-12, 0, 0, 0};
    RESULT((summed<wmma::precision::tf32, float, float>(0, tf, by) == 1),
           "TF32 leaves out the lower 13 bits, and takes four products at a time");
    double tiny[16] = {0x1p-24}, up[16] = {0x1p15};
    RESULT((summed<half, half, float>(0, tiny, up) == 0x1p-9), "subnormal numbers count");
    double third[16] = {1, 1}, parts[16] = {1, 0x1p-11};
    RESULT((summed<half, half, half>(0x1p-11, third, parts) == 1 + 0x1p-10),
           "sums of FP16 are rounded to it once, to the nearest");
    double huge[16] = {65504, 65504}, same[16] = {65504, 65504};
    RESULT((isinf(summed<half, half, half>(0, huge, same))), "and may overflow");
}
#endif

int main()
{
    test_shape<16, 16, 16, half, half, float>("FP16, 16 x 16 x 16");
    test_shape<32, 8, 16, half, half, float>("FP16, 32 x 8 x 16");
    test_shape<8, 32, 16, half, half, half>("FP16, 8 x 32 x 16, sums of FP16");
    test_shape<16, 16, 16, __nv_bfloat16, __nv_bfloat16, float>("BF16");
    test_shape<16, 16, 8, wmma::precision::tf32, float, float>("TF32");
    test_shape<16, 16, 16, signed char, signed char, int>("bytes with a sign");
    test_shape<16, 16, 16, unsigned char, unsigned char, int>("bytes without");
    test_layouts();
    test_registers<2, half, half>("mma.sync of FP16 has the bits of wmma");
    test_registers<1, wmma::precision::tf32, float>("mma.sync of TF32 has the bits of wmma");
#ifdef CUDA_ON_CPU
    test_rounding();
#endif
    return 0;
}
