__constant__ float constant_line[TAPS_MAX]; /* gauss.line */

template <class Pixel, class Sum>
__global__ void separable(const Pixel *in, Pixel *out, shape s)
{
    __shared__ Sum sums[blockDim.y + 4][blockDim.x];
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    sums[threadIdx.y][threadIdx.x] = constant_line[0] * in[x];
    __syncthreads();
    out[x] = rounded(sums[threadIdx.y + 1][threadIdx.x], in[x]);
}
