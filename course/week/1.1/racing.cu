/* Each thread makes its neighbour's element as well, to be on the safe side. */
__global__ void naive(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = i; k <= i + 1; k++)
        if (k < n)
            c[k] = a[k] + b[k];
}
