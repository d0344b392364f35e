/*
 * heavy.cu - a launch whose blocks do so much that the lens leaves most of its sample out. All
 * lanes work in the first block and in those within the grid, 50 of 81; at its edges one.
 */
#include <cuda_runtime.h>

__global__ void heavy(const float *in, float *out)
{
    const int x = blockIdx.x, y = blockIdx.y;
    const bool is_within = x % (gridDim.x - 1) > 0 && y % (gridDim.y - 1) > 0;
    if (!is_within && x + y > 0 && threadIdx.x > 0)
        return;
    float sum = 0;
    for (int i = 0; i < 7000; i++)
        sum += in[threadIdx.x];
    out[threadIdx.x] = sum;
}

int main()
{
    float *in, *out;
    cudaMalloc(&in, 32 * sizeof(float));
    cudaMalloc(&out, 32 * sizeof(float));
    heavy<<<dim3(9, 9), 32>>>(in, out);
    cudaFree(in);
    cudaFree(out);
    return 0;
}
