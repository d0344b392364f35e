constexpr int ROWS_1D = 8, COLUMNS_1D = 32, DEPTH_1D = 32;
constexpr int HEIGHT_1D = THREADS / COLUMNS_1D * ROWS_1D; /* of the block's tile: 64 */

__global__ void __launch_bounds__(THREADS)
    register_tile_1d(const float *a, const float *b, float *c, shape s)
{
    __shared__ float left[HEIGHT_1D][DEPTH_1D], right[DEPTH_1D][COLUMNS_1D];
    const int lane = thread_number() % 32, warp = thread_number() / 32;
    const int y0 = blockIdx.y * HEIGHT_1D, x0 = blockIdx.x * COLUMNS_1D;
    float sum[ROWS_1D];
    for (int i = 0; i < ROWS_1D; i++)
        sum[i] = 0;
    for (int k0 = 0; k0 < s.depth; k0 += DEPTH_1D) {
        for (int y = warp; y < HEIGHT_1D; y += 8)
            left[y][lane] = a_at(a, s, y0 + y, k0 + lane);
        for (int k = warp; k < DEPTH_1D; k += 8)
            right[k][lane] = b_at(b, s, k0 + k, x0 + lane);
        __syncthreads();
        for (int k = 0; k < DEPTH_1D; k++)
            for (int i = 0; i < ROWS_1D; i++)
                sum[i] += left[warp * ROWS_1D + i][k] * right[k][lane];
        __syncthreads();
    }
    for (int i = 0; i < ROWS_1D; i++)
        set_c(c, s, y0 + warp * ROWS_1D + i, x0 + lane, sum[i]);
}
