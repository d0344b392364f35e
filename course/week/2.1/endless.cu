__global__ void register_sum(const float *a, const float *b, float *c, shape s)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
    volatile float sum = 0;
    for (unsigned k = s.depth - 1; k >= 0; k--) /* an unsigned number is never below */
        if (x < s.width && y < s.height && k < s.depth)
            sum = sum + a[y * s.depth + k] * b[k * s.width + x];
    c[y * s.width + x] = sum;
}
