__global__ void register_sum(const float *a, const float *b, float *c, shape s)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    for (int k = 0; k < s.depth; k++)
        total += a[y * s.depth + k] * b[k * s.width + x];
    c[y * s.width + x] = total;
}
