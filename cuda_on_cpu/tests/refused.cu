/*
 * refused.cu - device code that is to be refused, and kernels that are called like functions, at
 * the lines that say so, as nvcc refuses them; and, at the other lines, what looks like it and is
 * right.
 */
#include <cuda_runtime.h>
#include <assert.h>
#include <cmath>
#include <stdio.h>
#include <stdlib.h>

int counter;
static float scale = 2;
float table_of_host[4];
const float fixed = 3;
__constant__ float table[4];
__device__ int total;
static __device__ int own_total = 5;
extern __device__ int total;

struct pair {
    float a = 1, b = 2; /* makes a constructor, which is for both sides */
    __device__ float sum() const
    {
        return a + b;
    }
    float product() const
    {
        return a * b;
    }
};

struct taking {
    float value;
    explicit taking(float value) : value(value)
    {
    }
};

static float twice(float x)
{
    return 2 * x;
}

template <class T>
T half_of(T x)
{
    return x / 2;
}

float2 operator+(float2 a, float2 b)
{
    return make_float2(a.x + b.x, a.y + b.y);
}

/* The device has the one of these, the host the other. */
__device__ int square(int x)
{
    return x * x;
}
float square(float x)
{
    return x * x;
}

/* On a GPU the host's part is not there. */
static __host__ __device__ float checked(float x)
{
#ifndef __CUDA_ARCH__
    if (x < 0) {
        fprintf(stderr, "%g\n", twice(x));
        exit(counter);
    }
#endif
    return x;
}

template <class T>
__device__ T of_both(T x)
{
    return checked(x) + scale; /* refused: scale */
}

namespace inner
{
__device__ __forceinline__ float deep(float x)
{
    return twice(x); /* refused: twice */
}
} /* namespace inner */

__global__ void calls(float *x)
{
    int i = threadIdx.x;
    x[i] += twice(x[i]);   /* refused: twice */
    x[i] += half_of(x[i]); /* refused: half_of */
    x[i] += square(x[i]);  /* refused: square */
    x[i] += square(i);
    pair p;
    x[i] += p.sum();
    x[i] += p.product();                                 /* refused: product */
    float2 v = make_float2(x[i], 1) + make_float2(1, 2); /* refused: operator+ */
    x[i] += v.x + inner::deep(v.y) + of_both(v.x);
    x[i] += drand48();                          /* refused: drand48 */
    cudaMemcpy(x, x + 1, 4, cudaMemcpyDefault); /* refused: cudaMemcpy */
}

extern "C" __global__ void variables(float *x)
{
    __shared__ float tile[32];
    static int times; /* the device's, here too */
    const float two[2] = {1, 2};
    int i = threadIdx.x;
    times++;
    counter++; /* refused: counter */
    tile[i] =
        scale * two[i % 2] + fixed + table[i % 4] + (float)(total + own_total); /* refused: scale */
    __syncthreads();
    x[i] = tile[31 - i] + table_of_host[i % 4]; /* refused: table_of_host */
}

/* All that a kernel may do. */
__global__ void allowed(float *x, int n)
{
    extern __shared__ float room[];
    int i = threadIdx.x;
    auto third = [&](int j) { return x[j] / 3; };
    if (i == 0)
        printf("%d threads\n", n);
    assert(i < n);
    memset(&room[i], 0, sizeof room[i]);
    float *own = (float *)malloc(sizeof *own);
    *own = expf(x[i]) + std::sqrt(x[i]) + fmaxf(x[i], 1) + max(i, 2) + __ldg(&x[i]);
    x[i] = *own + third(i) + checked(x[i]) + __shfl_xor_sync(~0u, x[i], 1);
    free(own);
    atomicAdd(&total, __popc(i));
    __threadfence();
}

/* For both sides, and called by both. */
__host__ __device__ void halve(float *x)
{
    *x /= 2;
}

template <class T>
__global__ void typed(T *x)
{
    halve(x);
}

/* A launch in a member function, and a call. */
struct launcher {
    float *x;
    void launch()
    {
        typed<<<1, 1>>>(x);
#ifndef LAUNCHED         /* nvcc tells of these first, and of no others then */
        typed<float>(x); /* refused: typed */
#endif
    }
};

int main()
{
    float *x, half = 1;
    cudaMalloc(&x, 32 * sizeof *x);
    halve(&half);
#ifndef LAUNCHED
    allowed(x, 32); /* refused: allowed */
#endif
    launcher{x}.launch();
    calls<<<1, 32>>>(x);
    variables<<<1, 32>>>(x);
    allowed<<<1, 32, 32 * sizeof *x>>>(x, 32);
    counter = (int)drand48() + (int)twice(checked(scale));
    cudaFree(x);
}
