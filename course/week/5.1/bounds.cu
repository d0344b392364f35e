__constant__ float constant_line[TAPS_MAX]; /* gauss.line */

/* Room for the block's rows alone, as far as it is concerned; the edge reads on. */
template <class Pixel, class Sum>
__global__ void separable(const Pixel *in, Pixel *out, shape s)
{
    extern __shared__ float shared_floats[];
    Sum *sums = (Sum *)shared_floats;
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    for (int k = threadIdx.y; k < blockDim.y + 4; k += blockDim.y) {
        const Pixel *row = in + ((int)(blockIdx.y * blockDim.y) + k - 2) * s.width + x - 2;
        sums[k * blockDim.x + threadIdx.x] = {};
        for (int i = 0; i < 5; i++)
            sums[k * blockDim.x + threadIdx.x] += constant_line[i] * row[i];
    }
    __syncthreads();
    Sum sum = {};
    for (int j = 0; j < 5; j++)
        sum += constant_line[j] * sums[(threadIdx.y + j) * blockDim.x + threadIdx.x];
    if (x < s.width && y < s.height)
        out[y * s.width + x] = rounded(sum, in[y * s.width + x]);
}
