__global__ void register_sum(const float *a, const float *b, float *c, shape s)
{
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column < s.width && row < s.height) {
        float dot = 0.0f;
        for (int k = 0; k != s.depth; ++k)
            dot += a[row * s.depth + k] * b[k * s.width + column];
        c[row * s.width + column] = dot;
    }
}
