__constant__ float constant_line[TAPS_MAX]; /* gauss.line */

/* Works in place: the sums along rows go back into the picture. */
template <class Pixel, class Sum>
__global__ void separable(const Pixel *in, Pixel *out, shape s)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    Pixel *picture = (Pixel *)in;
    if (x >= s.width || y >= s.height)
        return;
    Sum sum = {};
    for (int i = 0; i < 5; i++)
        sum += constant_line[i] * nearest(in, s, x + i - 2, y);
    out[y * s.width + x] = rounded(sum, in[y * s.width + x]);
    picture[y * s.width + x] = out[y * s.width + x];
}
