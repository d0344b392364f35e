constexpr int ROWS_1D = 8, COLUMNS_1D = 32, DEPTH_1D = 32;
constexpr int HEIGHT_1D = THREADS / COLUMNS_1D * ROWS_1D; /* of the block's tile: 64 */

__global__ void __launch_bounds__(THREADS)
    register_tile_1d(const float *a, const float *b, float *c, shape s)
{
    __shared__ float slab_a[HEIGHT_1D][DEPTH];
    float sum[ROWS_1D] = {};
    for (int i = thread_number(); i < HEIGHT_1D * DEPTH; i += THREADS)
        slab_a[i / DEPTH][i % DEPTH] = a_at(a, s, i / DEPTH, i % DEPTH);
    set_c(c, s, 0, 0, sum[0] + b[0]);
}
