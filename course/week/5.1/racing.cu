__constant__ float constant_line[TAPS_MAX]; /* gauss.line */

/* The sums of the block's own rows are there; for those above and below nobody waits. */
template <class Pixel, class Sum>
__global__ void separable(const Pixel *in, Pixel *out, shape s)
{
    extern __shared__ float shared_floats[];
    Sum *room = (Sum *)shared_floats;
    unsigned width = blockDim.x, tx = threadIdx.x, ty = threadIdx.y;
    int x = blockIdx.x * width + tx, top = (int)(blockIdx.y * blockDim.y) - 2;
    for (unsigned k = ty; k < blockDim.y + 4; k += blockDim.y) {
        Sum sum = {};
        for (int i = 0; i < 5; i++)
            sum += constant_line[i] *
                   in[clamp(top + (int)k, s.height) * s.width + clamp(x + i - 2, s.width)];
        room[k * width + tx] = sum;
    }
    __syncwarp();
    if (x >= s.width || top + 2 + (int)ty >= s.height)
        return;
    Sum total = {};
    for (unsigned j = 0; j < 5; j++)
        total += constant_line[j] * room[(ty + j) * width + tx];
    out[(top + 2 + ty) * s.width + x] = rounded(total, in[(top + 2 + ty) * s.width + x]);
}
