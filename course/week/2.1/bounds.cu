/* Asks whether it is right of the matrix, not whether it is below. */
__global__ void register_sum(const float *a, const float *b, float *c, shape s)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
    if (x > s.width - 1)
        return;
    for (int k = 0; k < s.depth; k++)
        sum += a[y * s.depth + k] * b[k * s.width + x];
    c[y * s.width + x] = sum;
}
