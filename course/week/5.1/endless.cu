__constant__ float constant_line[TAPS_MAX]; /* gauss.line */

/* Threads outside the picture leave; the others wait for them, again and again. */
template <class Pixel, class Sum>
__global__ void separable(const Pixel *in, Pixel *out, shape s)
{
    extern __shared__ float shared_floats[];
    volatile float *waiting = shared_floats;
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    waiting[threadIdx.y * blockDim.x + threadIdx.x] = 1;
    while (waiting[(threadIdx.y * blockDim.x + threadIdx.x + 1) % (blockDim.x * blockDim.y)] > 0) {
    }
    if (x < s.width && y < s.height)
        out[y * s.width + x] = in[y * s.width + x];
}
