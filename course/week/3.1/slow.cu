/* Exponentials of doubles, one for the distance and one for the values. */
template <class Pixel>
__global__ void fast_exp(const Pixel *in, Pixel *out, filter f)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    double sum = 0, weights = 0;
    if (x >= f.width || y >= f.height)
        return;
    double c = (double)(float)in[y * f.width + x];
    for (int k = 0; k < (2 * f.radius + 1) * (2 * f.radius + 1); k++) {
        int dx = k % (2 * f.radius + 1) - f.radius, dy = k / (2 * f.radius + 1) - f.radius;
        double v = c;
        if (x + dx >= 0 && x + dx < f.width && y + dy >= 0 && y + dy < f.height)
            v = (double)(float)in[(y + dy) * f.width + x + dx];
        double w =
            exp((double)f.space * (dx * dx + dy * dy)) * exp((double)f.range * (v - c) * (v - c));
        sum += w * v;
        weights += w;
    }
    put_pixel(&out[y * f.width + x], (float)(sum / weights));
}
