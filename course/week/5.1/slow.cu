__constant__ float constant_line[TAPS_MAX]; /* gauss.line */

/* Each thread makes the five sums that it needs itself: 25 taps again. */
template <class Pixel, class Sum>
__global__ void separable(const Pixel *in, Pixel *out, shape s)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= s.width || y >= s.height)
        return;
    Sum whole = {};
    for (int j = -2; j <= 2; j++) {
        Sum part = {};
        for (int i = -2; i <= 2; i++)
            part += constant_line[2 + i] * nearest(in, s, x + i, y + j);
        whole += constant_line[2 + j] * part;
    }
    out[y * s.width + x] = rounded(whole, nearest(in, s, x, y));
}
