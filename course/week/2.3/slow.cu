constexpr int ROWS_1D = 8, COLUMNS_1D = 32, DEPTH_1D = 32;
constexpr int HEIGHT_1D = THREADS / COLUMNS_1D * ROWS_1D; /* of the block's tile: 64 */

/* Without slabs: each of the eight elements goes through the whole depth, from global memory. */
__global__ void __launch_bounds__(THREADS)
    register_tile_1d(const float *a, const float *b, float *c, shape s)
{
    int x = blockIdx.x * COLUMNS_1D + thread_number() % COLUMNS_1D;
    int y = blockIdx.y * HEIGHT_1D + thread_number() / COLUMNS_1D * ROWS_1D;
    for (int i = 0; i < ROWS_1D; i++, y++) {
        float sum = 0;
        for (int k = 0; k < s.depth; k++)
            sum += a_at(a, s, y, k) * b_at(b, s, k, x);
        set_c(c, s, y, x, sum);
    }
}
