/* Weights of the row in shared memory, made by the first threads; nobody waits for them. */
template <class Pixel>
__global__ void fast_exp(const Pixel *in, Pixel *out, filter f)
{
    __shared__ float of_distance[256];
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    int t = threadIdx.y * blockDim.x + threadIdx.x, side = 2 * f.radius + 1;
    if (t == 0)
        for (int k = 0; k < side; k++)
            of_distance[k] = f.space * (float)((k - f.radius) * (k - f.radius));
    if (x >= f.width || y >= f.height)
        return;
    float center = in[y * f.width + x], a = 0, b = 0;
    for (int j = 0; j < side; j++)
        for (int i = 0; i < side; i++) {
            int u = x + i - f.radius, v = y + j - f.radius;
            float value = u >= 0 && u < f.width && v >= 0 && v < f.height
                              ? (float)in[v * f.width + u]
                              : center;
            float w = __expf(of_distance[i] + of_distance[j] +
                             f.range * (value - center) * (value - center));
            a += w * value;
            b += w;
        }
    put_pixel(&out[y * f.width + x], a / b);
}
