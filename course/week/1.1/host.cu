/* Lets the serial loop do it. */
__global__ void naive(const float *a, const float *b, float *c, int n)
{
    if (blockIdx.x + threadIdx.x == 0)
        add_serial(a, b, c, n);
}
