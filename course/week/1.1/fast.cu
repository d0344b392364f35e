/* Leaves early by a helper that says what it asks. */
__device__ __forceinline__ bool has_element(unsigned at, int count)
{
    return at < (unsigned)count;
}

__global__ void naive(const float *__restrict__ a, const float *__restrict__ b,
                      float *__restrict__ c, int n)
{
    unsigned at = threadIdx.x + blockDim.x * blockIdx.x;
    if (has_element(at, n))
        c[at] = __ldg(a + at) + __ldg(b + at);
}
