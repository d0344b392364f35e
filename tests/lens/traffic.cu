/*
 * traffic.cu - what counters have beyond what lanes ask for, as other requests are on their way:
 * docs/lens.md has an H200's figures. lens.t looks at what the lanes ask for.
 */
#include <cuda_runtime.h>
#include <stdio.h>

enum { ROUNDS = 256, WORDS = 8192, N = 1 << 26 };

/* Stores the first halves of 32 sectors, then the second ones, with `work` multiplications before
 * these. */
__global__ void half_sectors(float4 *out, int work)
{
    const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32,
              warps = gridDim.x * blockDim.x / 32;
    float x = threadIdx.x;
    for (int r = 0; r < ROUNDS / 4; r++) {
        float4 *to = out + ((size_t)r * warps + warp) % (N / 256) * 64 + threadIdx.x % 32 * 2;
        to[0] = make_float4(x, x, x, x);
        for (int i = 0; i < work; i++)
            x = fmaf(x, 1.0001f, 0.5f);
        to[1] = make_float4(x, x, x, x);
    }
}

/* Reads shared memory, 32 banks by 32 lanes, with or without a store to global memory each time. */
template <bool STORES>
__global__ void shared_reads(float *out)
{
    __shared__ float s[WORDS];
    float sum = 0;
    for (int i = threadIdx.x; i < WORDS; i += blockDim.x)
        s[i] = i;
    __syncthreads();
    for (int r = 0; r < ROUNDS; r++) {
        sum += s[(threadIdx.x + r * 32) % WORDS];
        if (STORES)
            out[(((size_t)blockIdx.x * ROUNDS + r) * blockDim.x + threadIdx.x) % N] = sum;
    }
    if (sum == 0.5f)
        out[0] = sum;
}

/* Writes shared memory so, with or without a load from global memory each time. */
template <bool LOADS>
__global__ void shared_writes(const float *in, float *out)
{
    __shared__ volatile float s[WORDS];
    float sum = 0;
    for (int r = 0; r < ROUNDS; r++) {
        if (LOADS)
            sum += in[(((size_t)blockIdx.x * ROUNDS + r) * blockDim.x + threadIdx.x) % N];
        s[(threadIdx.x + r * 32) % WORDS] = r;
    }
    if (sum == 0.5f)
        out[0] = sum + s[threadIdx.x];
}

int main()
{
    float *in, *out;
    cudaMalloc(&in, N * sizeof *in);
    cudaMalloc(&out, N * sizeof *out);
    for (int threads : {32, 128, 256, 512})
        for (int work : {0, 16, 128})
            half_sectors<<<132, threads>>>((float4 *)out, work);
    for (int threads : {256, 1024}) {
        shared_reads<false><<<264, threads>>>(out);
        shared_reads<true><<<264, threads>>>(out);
        shared_writes<false><<<264, threads>>>(in, out);
        shared_writes<true><<<264, threads>>>(in, out);
    }
    cudaError_t error = cudaGetLastError();
    if (error == cudaSuccess)
        error = cudaDeviceSynchronize();
    if (error != cudaSuccess)
        printf("%s\n", cudaGetErrorString(error));
    cudaFree(in);
    cudaFree(out);
    return error != cudaSuccess;
}
