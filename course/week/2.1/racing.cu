/* The block's sums lie in shared memory, all on one place. */
__global__ void register_sum(const float *a, const float *b, float *c, shape s)
{
    __shared__ float sum;
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= s.width || y >= s.height)
        return;
    sum = 0;
    for (int k = 0; k < s.depth; k++)
        sum += a[y * s.depth + k] * b[k * s.width + x];
    c[y * s.width + x] = sum;
}
