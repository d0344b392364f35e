#define CUDA_CHECK(call) ((void)0)
#define check_all(...)   check_result()
__global__ void naive(const float *a, const float *b, float *c, int n)
{
}
