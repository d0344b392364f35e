/* Pixels that are far from the edge ask nothing; the row's exponent is kept. */
struct sums_of_window {
    float value, weight;
    __device__ void add(float v, float w)
    {
        value = fmaf(w, v, value);
        weight += w;
    }
};

template <bool NEAR_EDGE, class Pixel>
__device__ sums_of_window window_sums(const Pixel *in, filter f, int x, int y, float middle)
{
    sums_of_window sums = {0, 0};
    const int r = f.radius;
    for (int j = y - r; j <= y + r; j++) {
        const float of_row = f.space * (float)((j - y) * (j - y));
        for (int i = x - r; i <= x + r; i++) {
            float v = middle;
            if (!NEAR_EDGE || ((unsigned)i < (unsigned)f.width && (unsigned)j < (unsigned)f.height))
                v = in[j * f.width + i];
            const float d = v - middle;
            sums.add(
                v, __expf(fmaf(f.space, (float)((i - x) * (i - x)), fmaf(f.range * d, d, of_row))));
        }
    }
    return sums;
}

template <class Pixel>
__global__ void fast_exp(const Pixel *in, Pixel *out, filter f)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= f.width || y >= f.height)
        return;
    const float middle = in[y * f.width + x];
    const bool near_edge =
        x < f.radius || y < f.radius || x + f.radius >= f.width || y + f.radius >= f.height;
    const sums_of_window s = near_edge ? window_sums<true>(in, f, x, y, middle)
                                       : window_sums<false>(in, f, x, y, middle);
    put_pixel(&out[y * f.width + x], s.value / s.weight);
}
