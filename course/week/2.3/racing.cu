constexpr int ROWS_1D = 8, COLUMNS_1D = 32, DEPTH_1D = 32;
constexpr int HEIGHT_1D = THREADS / COLUMNS_1D * ROWS_1D; /* of the block's tile: 64 */

/* One barrier a slab: who is fast overwrites what others still read. */
__global__ void __launch_bounds__(THREADS)
    register_tile_1d(const float *a, const float *b, float *c, shape s)
{
    __shared__ float tile_of_a[HEIGHT_1D * DEPTH_1D];
    __shared__ float tile_of_b[DEPTH_1D * COLUMNS_1D];
    int t = thread_number(), x = t & 31, y = t >> 5 << 3;
    float r0 = 0, r1 = 0, r2 = 0, r3 = 0, r4 = 0, r5 = 0, r6 = 0, r7 = 0;
    for (int first = 0; first < s.depth; first += DEPTH_1D) {
        for (int i = t; i < HEIGHT_1D * DEPTH_1D; i += THREADS)
            tile_of_a[i] = a_at(a, s, blockIdx.y * HEIGHT_1D + i / DEPTH_1D, first + i % DEPTH_1D);
        for (int i = t; i < DEPTH_1D * COLUMNS_1D; i += THREADS)
            tile_of_b[i] =
                b_at(b, s, first + i / COLUMNS_1D, blockIdx.x * COLUMNS_1D + i % COLUMNS_1D);
        __syncthreads();
        for (int k = 0; k < DEPTH_1D; k++) {
            const float right = tile_of_b[k * COLUMNS_1D + x];
            const float *left = tile_of_a + y * DEPTH_1D + k;
            tile_of_b[k * COLUMNS_1D + x];
            r0 += left[0] * right, r1 += left[DEPTH_1D] * right, r2 += left[2 * DEPTH_1D] * right;
            r3 += left[3 * DEPTH_1D] * right, r4 += left[4 * DEPTH_1D] * right;
            r5 += left[5 * DEPTH_1D] * right, r6 += left[6 * DEPTH_1D] * right;
            r7 += left[7 * DEPTH_1D] * right;
        }
    }
    const float sums[] = {r0, r1, r2, r3, r4, r5, r6, r7};
    for (int i = 0; i < ROWS_1D; i++)
        set_c(c, s, blockIdx.y * HEIGHT_1D + y + i, blockIdx.x * COLUMNS_1D + x, sums[i]);
}
