constexpr int ROWS_1D = 8, COLUMNS_1D = 32, DEPTH_1D = 32;
constexpr int HEIGHT_1D = THREADS / COLUMNS_1D * ROWS_1D; /* of the block's tile: 64 */

/* A slab of A on its side, so that a thread's eight numbers are two float4. */
struct slabs_1d {
    float a[DEPTH_1D][HEIGHT_1D + 4];
    float b[DEPTH_1D][COLUMNS_1D];

    __device__ void bring(const float *from_a, const float *from_b, shape s, int y0, int x0, int k0)
    {
        for (int i = thread_number(); i < HEIGHT_1D * DEPTH_1D; i += THREADS)
            a[i % DEPTH_1D][i / DEPTH_1D] = a_at(from_a, s, y0 + i / DEPTH_1D, k0 + i % DEPTH_1D);
        for (int i = thread_number(); i < DEPTH_1D * COLUMNS_1D; i += THREADS)
            b[i / COLUMNS_1D][i % COLUMNS_1D] =
                b_at(from_b, s, k0 + i / COLUMNS_1D, x0 + i % COLUMNS_1D);
    }
};

__global__ void __launch_bounds__(THREADS)
    register_tile_1d(const float *a, const float *b, float *c, shape s)
{
    __shared__ __align__(16) slabs_1d slab;
    const int x = thread_number() % COLUMNS_1D, row = thread_number() / COLUMNS_1D * ROWS_1D;
    const int y0 = blockIdx.y * HEIGHT_1D, x0 = blockIdx.x * COLUMNS_1D;
    float4 upper = make_float4(0, 0, 0, 0), lower = upper;
    for (int k0 = 0; k0 < s.depth; k0 += DEPTH_1D) {
        slab.bring(a, b, s, y0, x0, k0);
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < DEPTH_1D; k++) {
            const float4 p = *(const float4 *)&slab.a[k][row],
                         q = *(const float4 *)&slab.a[k][row + 4];
            const float r = slab.b[k][x];
            upper.x += p.x * r, upper.y += p.y * r, upper.z += p.z * r, upper.w += p.w * r;
            lower.x += q.x * r, lower.y += q.y * r, lower.z += q.z * r, lower.w += q.w * r;
        }
        __syncthreads();
    }
    set_c(c, s, y0 + row, x0 + x, upper.x), set_c(c, s, y0 + row + 1, x0 + x, upper.y);
    set_c(c, s, y0 + row + 2, x0 + x, upper.z), set_c(c, s, y0 + row + 3, x0 + x, upper.w);
    set_c(c, s, y0 + row + 4, x0 + x, lower.x), set_c(c, s, y0 + row + 5, x0 + x, lower.y);
    set_c(c, s, y0 + row + 6, x0 + x, lower.z), set_c(c, s, y0 + row + 7, x0 + x, lower.w);
}
