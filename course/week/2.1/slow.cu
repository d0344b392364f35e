/* The sum is a double, in local memory, and each product is added twice and taken away once. */
__global__ void register_sum(const float *a, const float *b, float *c, shape s)
{
    int place[2] = {(int)(blockIdx.x * blockDim.x + threadIdx.x),
                    (int)(blockIdx.y * blockDim.y + threadIdx.y)};
    if (place[0] >= s.width || place[1] >= s.height)
        return;
    volatile double sum = 0;
    for (int k = 0; k < s.depth; k++) {
        double product = (double)a[place[1] * s.depth + k] * b[k * s.width + place[0]];
        sum = sum + product;
        sum = sum + product;
        sum = sum - product;
    }
    c[place[1] * s.width + place[0]] = (float)sum;
}
