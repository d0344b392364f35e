constexpr int ROWS_1D = 8, COLUMNS_1D = 32, DEPTH_1D = 32;
constexpr int HEIGHT_1D = THREADS / COLUMNS_1D * ROWS_1D; /* of the block's tile: 64 */

/* Half of the block waits for the other half, which waits for it. */
__device__ volatile int arrived;

__global__ void __launch_bounds__(THREADS)
    register_tile_1d(const float *a, const float *b, float *c, shape s)
{
    if (thread_number() < THREADS / 2)
        while (arrived < 1) {
        }
    else
        while (arrived < 2) {
        }
    arrived = arrived + 1;
    set_c(c, s, 0, 0, a[0] * b[0]);
}
