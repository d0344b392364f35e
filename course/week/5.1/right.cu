__constant__ float constant_line[TAPS_MAX]; /* gauss.line */

template <class Pixel, class Sum>
__global__ void separable(const Pixel *in, Pixel *out, shape s)
{
    extern __shared__ float shared_floats[];
    Sum *sums = (Sum *)shared_floats;
    const int x = blockIdx.x * blockDim.x + threadIdx.x, bx = blockDim.x, by = blockDim.y;
    for (int row = threadIdx.y; row < by + 4; row += by) {
        const int y = (int)(blockIdx.y * by) + row - 2;
        Sum along = {};
        for (int i = -2; i <= 2; i++)
            along += constant_line[i + 2] * nearest(in, s, x + i, y);
        sums[row * bx + threadIdx.x] = along;
    }
    __syncthreads();
    const int y = blockIdx.y * by + threadIdx.y;
    if (x < s.width && y < s.height) {
        Sum down = {};
        for (int j = 0; j < 5; j++)
            down += constant_line[j] * sums[(threadIdx.y + j) * bx + threadIdx.x];
        out[y * s.width + x] = rounded(down, in[y * s.width + x]);
    }
}
