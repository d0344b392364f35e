/*
 * known.cu - accesses whose cost is known, one kernel each; lens.t says how many, and looks at the
 * rows.
 */
#include "helper.h"

#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdio.h>

enum { SIDE = 32, N = 1 << 14 };

__global__ void coalesced(const float *in, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i];
}

template <int STRIDE>
__global__ void strided(const float *in, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i * STRIDE];
}

__global__ void shifted(const float *in, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i + 1];
}

__global__ void broadcast(const float *in, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[blockIdx.x];
}

__global__ void vector4(const float4 *in, float4 *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 v = in[i];
    out[i] = v;
}

struct particle {
    float x, y, z, mass;
};

__global__ void structures(const particle *in, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i].mass;
}

__global__ void bytes(const unsigned char *in, unsigned char *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i];
}

/* Blocks of SIDE x SIDE; rows of the tile SIDE + PAD floats apart. */
template <int PAD>
__global__ void transpose(const float *in, float *out, int n)
{
    __shared__ float tile[SIDE][SIDE + PAD];
    int x = blockIdx.x * SIDE + threadIdx.x, y = blockIdx.y * SIDE + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = in[y * n + x];
    __syncthreads();
    x = blockIdx.y * SIDE + threadIdx.x;
    y = blockIdx.x * SIDE + threadIdx.y;
    out[y * n + x] = tile[threadIdx.x][threadIdx.y];
}

__global__ void transpose_direct(const float *in, float *out, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    out[x * n + y] = in[y * n + x];
}

/* Doubles and float4 in shared memory: without conflicts 2 and 4 passes. */
__global__ void wide_shared(double *out8, float4 *out16)
{
    extern __shared__ float4 space[];
    double *doubles = (double *)space;
    doubles[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out8[threadIdx.x] = doubles[threadIdx.x];
    __syncthreads();
    float4 v = {1, 2, 3, 4};
    space[threadIdx.x] = v;
    __syncthreads();
    out16[threadIdx.x] = space[threadIdx.x];
    __syncthreads();
    out8[threadIdx.x] = doubles[threadIdx.x * 2];
}

__global__ void count_all(int *counter)
{
    atomicAdd(counter, 1);
}

__global__ void count_each(int *counters)
{
    atomicAdd(&counters[threadIdx.x], 1);
}

__global__ void count_places(const int *place, int *counters)
{
    atomicAdd(&counters[place[threadIdx.x]], 1);
}

__global__ void histogram_shared(int *out)
{
    __shared__ int bins[32];
    bins[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&bins[threadIdx.x % 4], 1);
    __syncthreads();
    out[threadIdx.x] = bins[threadIdx.x];
}

__constant__ float table[64];

__global__ void constants(float *out)
{
    int i = threadIdx.x;
    out[i] = table[5];
    out[i] += table[i % 8];
}

__global__ void local_array(float *out, int k)
{
    float a[64];
    for (int i = 0; i < 64; i++)
        a[i] = i;
    out[threadIdx.x] = a[k];
    out[threadIdx.x] += a[(threadIdx.x * 7 + k) % 64];
}

/* Lane l does l + 1 inner steps, in each of four outer ones; then all meet again. */
__global__ void ragged(const float *in, float *out)
{
    float sum = 0;
    for (int j = 0; j < 4; j++) {
        for (int i = 0; i <= threadIdx.x; i++)
            sum += in[j * 1024 + i * 32 + threadIdx.x];
        sum += in[8192 + j * 32 + threadIdx.x];
    }
    out[threadIdx.x] = sum;
}

/* Lane 0 skips the first step: the others' accesses stay together with its later ones. */
__global__ void skipping(const float *in, float *out)
{
    float sum = 0;
    for (int j = 0; j < 8; j++)
        if (j > 0 || threadIdx.x > 0)
            sum += in[j * 32 + threadIdx.x];
    out[threadIdx.x] = sum;
}

/* In each turn lanes go one of three ways, and meet behind them: g++ puts the ways behind what
 * follows. */
__global__ void parting(const float *in, float *out)
{
    float sum = 0;
    for (int j = 0; j < 8; j++) {
        int way = (threadIdx.x + j) % 3;
        if (way == 0)
            sum += in[j * 32 + threadIdx.x] * 3;
        else if (way == 1)
            sum -= in[1024 + j * 32 + threadIdx.x] + 1;
        out[j * 32 + threadIdx.x] = sum;
    }
}

__global__ void copied(const float *in, float *out)
{
    memcpy(&out[threadIdx.x], &in[threadIdx.x], sizeof *in);
}

/* Four stores of a warp fill the same sectors; with loads they wait between. */
template <bool LOADS>
__global__ void gathered(const float *in, float *out)
{
    int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    for (int k = 0; k < 4; k++)
        out[i + k] = LOADS ? in[i + k] : (float)k;
}

/* Stores out of an array that a GPU may have in registers: to read that is no load. */
__global__ void gathered_array(const float *in, float *out)
{
    float values[4];
    for (int k = 0; k < 4; k++)
        values[k] = in[threadIdx.x + k];
    for (int k = 0; k < 4; k++)
        out[4 * (blockIdx.x * blockDim.x + threadIdx.x) + k] = values[k];
}

/* Every second lane calls a function; then all go on together. */
__global__ void calling(const float *in, float *out)
{
    float v = 0;
    if (threadIdx.x % 2)
        v = helper(in, threadIdx.x);
    out[threadIdx.x] = v;
}

__global__ void shuffled(const float *in, float *out)
{
    float v = in[threadIdx.x];
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_down_sync(0xffffffffu, v, d);
    if (threadIdx.x == 0)
        out[0] = v;
}

/* A launch need not say of what types it is. */
template <typename T>
__global__ void deduced(T *out)
{
    out[threadIdx.x] = 1;
}

/* Structures are copied by pieces of their alignment. */
typedef struct {
    float x, y;
} pair;
struct body {
    float x, y, z, mass, speed[4];
};
struct __align__(16) chunk
{
    float4 part[3];
};

template <typename T>
__global__ void copy(const T *in, T *out)
{
    out[threadIdx.x] = in[threadIdx.x];
}

/* Lanes pop and push at different heights of an array that another variable's declaration has. */
__global__ void stacked(const int *in, int *out)
{
    int top = 0, stack[16], sum = 0;
    for (int i = 0; i < 8; i++)
        if (in[i] + (threadIdx.x + i) % 3 > 0)
            stack[top++ & 15] = i;
    while (top > 0)
        sum += stack[--top & 15];
    out[threadIdx.x] = sum;
}

/* Sums that nvcc keeps in registers, as it unrolls the loops over them. */
__global__ void kept(const float *in, float *out, int n)
{
    float sum[4];
    for (int i = 0; i < 4; i++)
        sum[i] = 0;
    for (int k = 0; k < n; k++)
        for (int i = 0; i < 4; i++)
            sum[i] += in[(k * 4 + i) * 32 + threadIdx.x];
    for (int i = 0; i < 4; i++)
        out[i * 32 + threadIdx.x] = sum[i];
}

__global__ void in_place(float *out)
{
    if (threadIdx.x % 2)
        out[threadIdx.x] *= 2;
}

/* Two of 2 bytes are aligned to 4, as CUDA has them. */
__global__ void halves(const __half *in, __half2 *out)
{
    out[threadIdx.x] = __halves2half2(in[threadIdx.x], in[threadIdx.x + 32]);
}

/* Rows of a sparse matrix, of 0 to 3 numbers; the loop's end is an element of an array. */
__global__ void sparse(const int *row, const float *in, float *out)
{
    float sum = 0;
    for (int j = row[threadIdx.x]; j < row[threadIdx.x + 1]; j++)
        sum += in[j];
    out[threadIdx.x] = sum;
}

int main()
{
    float *in, *out;
    int row[SIDE + 1], *rows;
    for (int i = 0; i <= SIDE; i++)
        row[i] = i / 4 * 6 + i % 4 * (i % 4 - 1) / 2;
    cudaMalloc(&rows, sizeof row);
    cudaMemcpy(rows, row, sizeof row, cudaMemcpyHostToDevice);
    cudaMalloc(&in, 64 * N * sizeof *in);
    cudaMalloc(&out, 4 * N * sizeof *out);
    cudaMemset(in, 0, 64 * N * sizeof *in);
    cudaMemset(out, 0, 4 * N * sizeof *out);
    coalesced<<<N / 256, 256>>>(in, out);
    strided<2><<<N / 256, 256>>>(in, out);
    strided<8><<<N / 256, 256>>>(in, out);
    strided<32><<<N / 256, 256>>>(in, out);
    shifted<<<N / 256, 256>>>(in, out);
    broadcast<<<N / 256, 256>>>(in, out);
    vector4<<<N / 256, 256>>>((float4 *)in, (float4 *)out);
    structures<<<N / 256, 256>>>((particle *)in, out);
    bytes<<<N / 256, 256>>>((unsigned char *)in, (unsigned char *)out);
    dim3 tiles(4, 4), block(SIDE, SIDE);
    transpose<0><<<tiles, block>>>(in, out, 128);
    transpose<1><<<tiles, block>>>(in, out, 128);
    transpose_direct<<<tiles, block>>>(in, out, 128);
    wide_shared<<<1, 32, 32 * sizeof(float4)>>>((double *)out, (float4 *)(out + N));
    count_all<<<4, 64>>>((int *)out);
    count_each<<<4, 64>>>((int *)out);
    count_places<<<1, 32>>>(rows, (int *)out);
    histogram_shared<<<1, 32>>>((int *)out);
    constants<<<1, 32>>>(out);
    local_array<<<1, 32>>>(out, 3);
    ragged<<<1, 32>>>(in, out);
    skipping<<<1, 32>>>(in, out);
    parting<<<1, 32>>>(in, out);
    copied<<<1, 32>>>(in, out);
    calling<<<1, 32>>>(in, out);
    shuffled<<<1, 32>>>(in, out);
    gathered<false><<<4, 64>>>(in, out);
    gathered<true><<<4, 64>>>(in, out);
    gathered_array<<<4, 64>>>(in, out);
    sparse<<<1, 32>>>(rows, in, out);
    deduced<<<1, 32>>>((float *)out);
    deduced<<<1, 32>>>((double *)out);
    stacked<<<1, 32>>>((int *)in, (int *)out);
    halves<<<1, 32>>>((__half *)in, (__half2 *)out);
    in_place<<<1, 32>>>(out);
    kept<<<1, 32>>>(in, out, 10);
    copy<pair><<<1, 32>>>((pair *)in, (pair *)out);
    copy<body><<<1, 32>>>((body *)in, (body *)out);
    copy<chunk><<<1, 32>>>((chunk *)in, (chunk *)out);
    cudaFree(rows);
    cudaFree(in);
    cudaFree(out);
    return 0;
}
