constexpr int ROWS_1D = 8, COLUMNS_1D = 32, DEPTH_1D = 32;
constexpr int HEIGHT_1D = THREADS / COLUMNS_1D * ROWS_1D; /* of the block's tile: 64 */

/* Reads without a question, since the sizes of the lecture are multiples of 64. */
__global__ void __launch_bounds__(THREADS)
    register_tile_1d(const float *a, const float *b, float *c, shape s)
{
    __shared__ float pa[HEIGHT_1D][DEPTH_1D], pb[DEPTH_1D][COLUMNS_1D];
    int tx = thread_number() % 32, ty = thread_number() / 32;
    const float *block_a = a + blockIdx.y * HEIGHT_1D * s.depth,
                *block_b = b + blockIdx.x * COLUMNS_1D;
    float sum[ROWS_1D] = {0};
    for (int k0 = 0; k0 < s.depth;
         k0 += DEPTH_1D, block_a += DEPTH_1D, block_b += DEPTH_1D * s.width) {
        for (int i = 0; i < ROWS_1D; i++)
            pa[ty + 8 * i][tx] = block_a[(ty + 8 * i) * s.depth + tx];
        for (int i = 0; i < DEPTH_1D / 8; i++)
            pb[ty + 8 * i][tx] = block_b[(ty + 8 * i) * s.width + tx];
        __syncthreads();
        for (int k = 0; k < DEPTH_1D; k++)
            for (int i = 0; i < ROWS_1D; i++)
                sum[i] = fmaf(pa[ty * ROWS_1D + i][k], pb[k][tx], sum[i]);
        __syncthreads();
    }
    for (int i = 0; i < ROWS_1D; i++)
        c[(blockIdx.y * HEIGHT_1D + ty * ROWS_1D + i) * s.width + blockIdx.x * COLUMNS_1D + tx] =
            sum[i];
}
