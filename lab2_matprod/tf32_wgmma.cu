/*
 * tf32_wgmma.cu - against tensor_tf32, four warps multiply together (wgmma), and the tensor cores
 * read A from shared memory by themselves: no thread loads it, and one instruction is 64 x 256 x 8
 * multiply-adds in place of 16 x 8 x 8. cp.async fills shared memory, past the registers.
 *
 *                B: 64 columns           A block is one group; it makes 256 x 64 results, 128 sums
 *             +---------------+          a thread. Two stages of 40 KB: while one is multiplied,
 *    A        |               |          the threads' copies of the next are under way, 16 bytes a
 *   256       |    a group    |          copy, 20 copies a thread. Two blocks a multiprocessor:
 *  rows       |               |          when one waits, the other's products go on.
 *             +---------------+
 *
 * Expected: a multiply-add takes 4 / 64 + 4 / 256 bytes from L2, 5.4 GB at N = 4096: 0.57 ms at the
 * 9.4 TB/s of an H200's L2. The tensor cores need 0.28 ms (495 TFLOP/s), half of which mma.sync
 * cannot reach. What is left of tensor_tf32's time is its waits.
 */
#include "ptx/async_copy.cuh"
#include "tf32_steps.cuh"

#ifdef HAVE_HOPPER

/*
 * Starts a thread's share of copying a box, 32 numbers a line, WIDTH (4 or 1) at a time; zeros
 * beyond the matrix. Each goes to its swizzled place: what TMA will do for a whole box.
 */
template <int WIDTH, int LINES>
__device__ inline void copy_box(uint8_t *to, const float *matrix, int rows, int columns, int y,
                                int x)
{
    enum { IN_LINE = STAGE_K / WIDTH };
#pragma unroll(WIDTH == 4 ? 16 : 2)
    for (int j = 0; j < LINES * IN_LINE / WARPGROUP; j++) {
        const int i = j * WARPGROUP + threadIdx.x, line = i / IN_LINE, at = i % IN_LINE * WIDTH;
        const bool inside = y + line < rows && x + at < columns;
        const float *from = matrix + (size_t)(y + line) * columns + x + at;
        copy_async<4 * WIDTH>(to + swizzled(line, at), inside ? from : matrix, inside);
    }
}

template <int WIDTH>
__device__ inline void copy_boxes(uint8_t *stage, const float *a, const float *b, shape s, int m,
                                  int n, int k)
{
    copy_box<WIDTH, GROUP_M>(stage, a, s.height, s.depth, m, k);
    copy_box<WIDTH, STAGE_K>(stage + A_BYTES, b, s.depth, s.width, k, n);
    copy_box<WIDTH, STAGE_K>(stage + A_BYTES + BOX_BYTES, b, s.depth, s.width, k, n + 32);
    copy_async_commit();
}

/*
 * Makes a tile. The tensor cores read by another way (the async proxy) than cp.async writes: each
 * thread shows its own copies to it before the barrier.
 */
template <int WIDTH>
__device__ inline void make_copied_tile(const float *a, const float *b, float *c, shape s)
{
    extern __shared__ uint8_t dynamic[];
    const int m = blockIdx.y * GROUP_M, n = blockIdx.x * GROUP_N;
    const uint32_t start = stages_in(dynamic);
    uint8_t *stages = dynamic + (start - shared_address(dynamic));
    float sums[128];
    copy_boxes<WIDTH>(stages, a, b, s, m, n, 0);
    for (int k = 0, at = 0; k < s.depth; k += STAGE_K, at ^= 1) {
        copy_async_wait<0>();
        fence_proxy_async();
        __syncthreads(); /* the stage is there, and nobody multiplies the other any more */
        if (k + STAGE_K < s.depth)
            copy_boxes<WIDTH>(stages + (at ^ 1) * stage_bytes(1), a, b, s, m, n, k + STAGE_K);
        multiply_alone(sums, start + at * stage_bytes(1), 0, k == 0);
    }
    store_results(sums, c, s, m, n);
}

/* Copies numbers one by one where rows do not begin at multiples of 16 bytes. */
__global__ void __launch_bounds__(WARPGROUP, 2)
    tf32_wgmma(const float *a, const float *b, float *c, shape s)
{
#ifdef HOPPER_CODE
    if (s.depth % 4 == 0 && s.width % 4 == 0)
        make_copied_tile<4>(a, b, c, s);
    else
        make_copied_tile<1>(a, b, c, s);
#endif
}

#endif

const variant tf32_wgmma_variant =
    GPU_VARIANT("tf32_wgmma", "TF32, not FP32: wgmma from shared memory, filled by cp.async",
                BUILT(HAVE_HOPPER, launch_tiles<GROUP_M, GROUP_N>), HOPPER_BLOCK(WARPGROUP),
                .kernel = BUILT(HAVE_HOPPER, (const void *)tf32_wgmma),
                .shared_bytes = BUILT(HAVE_HOPPER, shared_of<stages_bytes(1, 2)>),
                .refuse = BUILT(HAVE_HOPPER, refuse_step<tf32_wgmma>), .own = &tf32_accuracy);
