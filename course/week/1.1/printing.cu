__global__ void naive(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (long line = 0; line < 1000000000L; line++)
        printf("thread %d of %d is at work, line %ld\n", i, n, line);
    if (i < n)
        c[i] = a[i] + b[i];
}
