/*
 * tf32_cluster.cu - two rungs on one kernel, which differ by the order of tiles.
 *
 * tf32_cluster: against tf32_producer, two blocks beside one another in C are a cluster and share
 * A's lines: each copies half of them to both (multicast). A stage is empty when the groups of both
 * have said so, to both.
 *
 *                 B: 128 columns     128 columns
 *              +--------+--------+--------+--------+
 *          128 |        |        |        |        |    block 0 brings these lines of A to both
 *    A         | group  | group  | group  | group  |
 *          128 |   1    |   2    |   1    |   2    |    block 1 brings these
 *              +--------+--------+--------+--------+
 *                    block 0           block 1          each brings its own columns of B
 *
 *   Expected: 4 / 256 + 4 / 256 bytes a multiply-add, 2.1 GB from L2 at N = 4096: 0.23 ms in place
 *   of 0.34. Now the tensor cores are what is busiest, 0.28 ms.
 *
 * tf32_order: against tf32_cluster, tiles are not taken row by row, but down columns of 8 tiles:
 *
 *     1  2  3  4  ..         1  9 17 25 ..    66 pairs of blocks work at a time. In rows of 16
 *    17 18 19 20  ..         2 10 18 26 ..    (N = 4096) they read 4 rows of A, 17 MB, and all of
 *    33 34 35 36  ..         :  :  :  :       B, 67 MB; in columns 8 rows of A and 8 or 9 columns
 *     :  :  :  :             8 16 24 32 ..    of B, 34 MB each. L2 holds 60 MB.
 *
 *   Expected: from memory 0.27 GB at N = 4096 in place of 0.34, at 4 TB/s hidden either way; at
 *   8192 2.1 in place of 4.5, 0.5 ms in place of 1.1 beside products of 2.2 ms.
 */
#include "tf32_steps.cuh"

enum { CLUSTER_STAGES = 4, CLUSTER_THREADS = HOPPER_THREADS };

#ifdef HAVE_HOPPER

/* Makes a block's halves of its pair's tiles, which go down columns of ROWS tiles. */
template <int ROWS>
__device__ inline void make_pair_tiles(const CUtensorMap *map_a, const CUtensorMap *map_b, float *c,
                                       shape s)
{
    extern __shared__ uint8_t dynamic[];
    __shared__ uint64_t full[CLUSTER_STAGES], empty[CLUSTER_STAGES];
    ring r = {stages_in(dynamic), shared_address(full), shared_address(empty), 0, 0};
    if (threadIdx.x == 0)
        create_ring(&r, CLUSTER_STAGES, 2 * PAIR);
    __syncthreads();
    cluster_sync_relaxed(); /* the other block's barriers are there, too */
    griddepcontrol_wait();
    if (threadIdx.x < WARPGROUP) {
        setmaxnreg_dec<COPYING_REGISTERS>();
        if (threadIdx.x == 0)
            bring_tiles<CLUSTER_STAGES, PAIR, ROWS>(r, map_a, map_b, s);
    } else {
        setmaxnreg_inc<GROUPS_REGISTERS>();
        const int group = threadIdx.x / WARPGROUP - 1, end = count_tiles<PAIR>(s);
        for (int t = blockIdx.x / PAIR; t < end; t += gridDim.x / PAIR) {
            float sums[128];
            int m, n;
            multiply_columns<CLUSTER_STAGES, PAIR>(&r, sums, s.depth);
            tile_at<PAIR, ROWS>(t, s, &m, &n);
            store_results(sums, c, s, m, n + group * GROUP_N);
        }
    }
    cluster_sync_relaxed(); /* nobody leaves while the other block may still arrive here */
}

__global__ void __launch_bounds__(CLUSTER_THREADS, 1)
    tf32_cluster(const __grid_constant__ CUtensorMap map_a,
                 const __grid_constant__ CUtensorMap map_b, float *c, shape s)
{
#ifdef HOPPER_CODE
    make_pair_tiles<1>(&map_a, &map_b, c, s);
#endif
}

__global__ void __launch_bounds__(CLUSTER_THREADS, 1)
    tf32_order(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b,
               float *c, shape s)
{
#ifdef HOPPER_CODE
    make_pair_tiles<BAND>(&map_a, &map_b, c, s);
#endif
}

#endif

const variant tf32_cluster_variant =
    GPU_VARIANT("tf32_cluster", "TF32, not FP32: two blocks share A's lines (multicast)",
                BUILT(HAVE_HOPPER, launch_resident<PAIR>),
                TF32_STEP(tf32_cluster, CLUSTER_THREADS, 2, CLUSTER_STAGES, PAIR));
const variant tf32_order_variant =
    GPU_VARIANT("tf32_order", "TF32, not FP32: tiles in an order for the L2 cache",
                BUILT(HAVE_HOPPER, launch_resident<PAIR>),
                TF32_STEP(tf32_order, CLUSTER_THREADS, 2, CLUSTER_STAGES, PAIR));
