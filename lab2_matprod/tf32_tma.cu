/*
 * tf32_tma.cu - three rungs on one kernel, which differ by how many groups a block has and how many
 * stages there are.
 *
 * tf32_tma: against tf32_wgmma, one thread tells the copy engine (TMA) which boxes to bring: three
 * instructions a stage in place of 20 copies in each of 128 threads, with their addresses and
 * edges. The bytes arrive at a barrier in shared memory (mbarrier), where all wait.
 *
 *     thread 0 starts copy of   1      | 2      | 3      | ..
 *     all wait for              0      | 1      | 2      | ..
 *     the group multiplies        0    |   1    |   2    | ..
 *
 *   Expected: the same bytes and products. What goes are the group's instructions between two
 *   stages: some 200 for the copies, while its tensor cores stand still.
 *
 * tf32_groups: against tf32_tma, two groups share a stage's lines of A, each with 64 columns of its
 * own. A block has a multiprocessor for itself.
 *
 *                B: 128 columns
 *             +--------+--------+        Expected: 4 / 128 + 4 / 256 bytes a multiply-add in place
 *    A        |        |        |        of 4 / 64 + 4 / 256: 3.2 GB from L2 at N = 4096, not 5.4,
 *   256       | group  | group  |        0.34 ms in place of 0.57. But one stage under way is 48 KB
 *  rows       |   0    |   1    |        for each latency and transfer, some 1500 cycles, where its
 *             |        |        |        products take 1024.
 *             +--------+--------+
 *
 * tf32_stages: against tf32_groups, four stages: three are under way, 144 KB a multiprocessor. 9.4
 * TB/s need 70 KB for a latency of a microsecond. Expected: the wait for copies goes, 1500 cycles a
 * stage become 1024 and the gap in which both groups meet and fetch.
 *
 * The copy engine wants rows to begin at multiples of 16 bytes: others are copied first,
 * pad_rows().
 */
#include "tf32_steps.cuh"

enum { FEW_STAGES = 2, MORE_STAGES = 4, ONE_GROUP = WARPGROUP, TWO_GROUPS = 2 * WARPGROUP };

#ifdef HAVE_HOPPER

/* Makes a tile of GROUPS groups. Thread 0 copies STAGES - 1 stages ahead. */
template <int GROUPS, int STAGES>
__device__ inline void make_staged_tile(const CUtensorMap *map_a, const CUtensorMap *map_b,
                                        float *c, shape s)
{
    extern __shared__ uint8_t dynamic[];
    __shared__ uint64_t barriers[STAGES];
    enum { BYTES = stage_bytes(GROUPS), AHEAD = (STAGES - 1) * STAGE_K };
    const int m = blockIdx.y * GROUP_M, n = blockIdx.x * GROUPS * GROUP_N;
    const int group = threadIdx.x / WARPGROUP;
    const bool copies = threadIdx.x == 0;
    ring r = {stages_in(dynamic), shared_address(barriers), 0, 0, 0};
    float sums[128];
    if (copies)
        create_full(&r, STAGES);
    __syncthreads();
    griddepcontrol_wait();
    for (int i = 0; copies && i < STAGES - 1 && i * STAGE_K < s.depth; i++)
        copy_stage<GROUPS, 1>(r.stages + i * BYTES, r.full + 8 * i, map_a, map_b, m, n,
                              i * STAGE_K);
    for (int k = 0; k < s.depth; k += STAGE_K) {
        const int stage = r.stage, before = (stage + STAGES - 1) % STAGES;
        mbarrier_wait(r.full + 8 * stage, r.phase);
        __syncthreads(); /* nobody multiplies the stage before any more */
        if (copies && k + AHEAD < s.depth)
            copy_stage<GROUPS, 1>(r.stages + before * BYTES, r.full + 8 * before, map_a, map_b, m,
                                  n, k + AHEAD);
        multiply_alone(sums, r.stages + stage * BYTES, group, k == 0);
        ring_advance(&r, 1, STAGES);
    }
    store_results(sums, c, s, m, n + group * GROUP_N);
}

__global__ void __launch_bounds__(ONE_GROUP, 2)
    tf32_tma(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b,
             float *c, shape s)
{
#ifdef HOPPER_CODE
    make_staged_tile<1, FEW_STAGES>(&map_a, &map_b, c, s);
#endif
}

__global__ void __launch_bounds__(TWO_GROUPS, 1)
    tf32_groups(const __grid_constant__ CUtensorMap map_a,
                const __grid_constant__ CUtensorMap map_b, float *c, shape s)
{
#ifdef HOPPER_CODE
    make_staged_tile<2, FEW_STAGES>(&map_a, &map_b, c, s);
#endif
}

__global__ void __launch_bounds__(TWO_GROUPS, 1)
    tf32_stages(const __grid_constant__ CUtensorMap map_a,
                const __grid_constant__ CUtensorMap map_b, float *c, shape s)
{
#ifdef HOPPER_CODE
    make_staged_tile<2, MORE_STAGES>(&map_a, &map_b, c, s);
#endif
}

#endif

const variant tf32_tma_variant = GPU_VARIANT(
    "tf32_tma", "TF32, not FP32: copies by the copy engine (TMA)",
    BUILT(HAVE_HOPPER, launch_each_tile<1>), TF32_STEP(tf32_tma, ONE_GROUP, 1, FEW_STAGES, 1));
const variant tf32_groups_variant = GPU_VARIANT(
    "tf32_groups", "TF32, not FP32: two groups share A's lines",
    BUILT(HAVE_HOPPER, launch_each_tile<2>), TF32_STEP(tf32_groups, TWO_GROUPS, 2, FEW_STAGES, 1));
const variant tf32_stages_variant = GPU_VARIANT(
    "tf32_stages", "TF32, not FP32: four stages, three under way",
    BUILT(HAVE_HOPPER, launch_each_tile<2>), TF32_STEP(tf32_stages, TWO_GROUPS, 2, MORE_STAGES, 1));
