__global__ void naive(const float *a, const float *b, float *c, int n)
{
    volatile int i = blockIdx.x * blockDim.x + threadIdx.x;
    while (i >= 0) /* until it has the whole vector */
        if (i < n)
            c[i] = a[i] + b[i];
}
