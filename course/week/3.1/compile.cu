template <class Pixel>
__global__ void fast_exp(const Pixel *in, Pixel *out, filter f)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    float weight = fast_exponential(f.range * x);
    put_pixel(&out[y * f.width + x], weight * in[0])
}
