/*
 * tf32_producer.cu - against tf32_stages, copies have a warp of their own, and nobody meets at a
 * barrier of the block any more. A stage has two: full, at which bytes arrive, and empty, at which
 * the groups do.
 *
 *     producer   empty 0?  copy 0   empty 1?  copy 1   ..   empty 0?  copy 4 to 0   ..
 *     group 0       full 0?  fetch 0  issue 0   full 1?  fetch 1  issue 1   0 is done: empty 0
 *     group 1           full 0?  fetch 0  issue 0   full 1?  fetch 1  issue 1   ..
 *
 * So a group fetches its numbers of B of the next stage while the tensor cores multiply this one,
 * for which it has two sets of registers; and the producer runs ahead into the next tile: blocks
 * are as many as there are multiprocessors, and take tile after tile.
 *
 *                B: 128 columns
 *             +--------+--------+        Tile and stages are tf32_stages's. Registers: 128 sums,
 *    A        |        |        |        2 x 16 numbers of B, more than 65,536 / 384 = 170. The
 *   256       | group  | group  |        producer is a whole group, though one thread works, since
 *  rows       |   1    |   2    |        only a group can hand registers back: all but 24.
 *             |        |        |
 *             +--------+--------+
 *
 * Expected: the gap between the products of two stages, a third of the time, goes; 0.34 ms at N =
 * 4096, L2's bytes, and the stores of the results, 14,300 cycles a tile of 131,072.
 */
#include "tf32_steps.cuh"

enum { PRODUCER_STAGES = 4, PRODUCER_THREADS = HOPPER_THREADS };

#ifdef HAVE_HOPPER

__global__ void __launch_bounds__(PRODUCER_THREADS, 1)
    tf32_producer(const __grid_constant__ CUtensorMap map_a,
                  const __grid_constant__ CUtensorMap map_b, float *c, shape s)
{
#ifdef HOPPER_CODE
    extern __shared__ uint8_t dynamic[];
    __shared__ uint64_t full[PRODUCER_STAGES], empty[PRODUCER_STAGES];
    ring r = {stages_in(dynamic), shared_address(full), shared_address(empty), 0, 0};
    if (threadIdx.x == 0)
        create_ring(&r, PRODUCER_STAGES, 2);
    __syncthreads();
    griddepcontrol_wait();
    if (threadIdx.x < WARPGROUP) {
        setmaxnreg_dec<COPYING_REGISTERS>();
        if (threadIdx.x == 0)
            bring_tiles<PRODUCER_STAGES, 1, 1>(r, &map_a, &map_b, s);
    } else {
        setmaxnreg_inc<GROUPS_REGISTERS>();
        const int group = threadIdx.x / WARPGROUP - 1, end = count_tiles<1>(s);
        for (int t = blockIdx.x; t < end; t += gridDim.x) {
            float sums[128];
            int m, n;
            multiply_columns<PRODUCER_STAGES, 1>(&r, sums, s.depth);
            tile_at<1, 1>(t, s, &m, &n);
            store_results(sums, c, s, m, n + group * GROUP_N);
        }
    }
#endif
}

#endif

const variant tf32_producer_variant =
    GPU_VARIANT("tf32_producer", "TF32, not FP32: a producer, and blocks that stay",
                BUILT(HAVE_HOPPER, launch_resident<1>),
                TF32_STEP(tf32_producer, PRODUCER_THREADS, 2, PRODUCER_STAGES, 1));
