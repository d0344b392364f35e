__global__ void naive(const float *a, const float *b, float *c, int n)
{
    const int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i >= n)
        return;
    c[i] = a[i] + b[i];
}
