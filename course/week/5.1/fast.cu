__constant__ float constant_line[TAPS_MAX]; /* gauss.line */

/* A row's five taps, with the clamping left out where nothing needs it. */
template <bool CLAMPED, class Sum, class Pixel>
__device__ __forceinline__ Sum five_along(const Pixel *row, int x, int width)
{
    Sum sum = {};
#pragma unroll
    for (int i = 0; i < 5; i++) {
        int at = x + i - 2;
        if (CLAMPED)
            at = at < 0 ? 0 : at < width ? at : width - 1;
        sum += constant_line[i] * row[at];
    }
    return sum;
}

template <class Pixel, class Sum>
__global__ void separable(const Pixel *in, Pixel *out, shape s)
{
    extern __shared__ float shared_floats[];
    Sum *column = (Sum *)shared_floats + threadIdx.x;
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    bool edge = x < 2 || x >= s.width - 2;
    for (int line = threadIdx.y; line < blockDim.y + 4; line += blockDim.y) {
        int from = (int)(blockIdx.y * blockDim.y) + line - 2;
        const Pixel *row = in + min(max(from, 0), s.height - 1) * s.width;
        column[line * blockDim.x] =
            edge ? five_along<true, Sum>(row, x, s.width) : five_along<false, Sum>(row, x, s.width);
    }
    __syncthreads();
    if (x >= s.width || y >= s.height)
        return;
    column += threadIdx.y * blockDim.x;
    Sum sum = {};
#pragma unroll
    for (int j = 0; j < 5; j++, column += blockDim.x)
        sum += constant_line[j] * *column;
    out[y * s.width + x] = rounded(sum, in[y * s.width + x]);
}
