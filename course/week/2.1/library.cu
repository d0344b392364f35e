extern "C" int cublasSgemm_v2(void *, int, int, int, int, int, const float *, const float *, int,
                              const float *, int, const float *, float *, int);

__global__ void register_sum(const float *a, const float *b, float *c, shape s)
{
    const float one = 1, zero = 0;
    if (threadIdx.x + threadIdx.y + blockIdx.x + blockIdx.y == 0)
        cublasSgemm_v2(NULL, 0, 0, s.width, s.height, s.depth, &one, b, s.width, a, s.depth, &zero,
                       c, s.width);
}
