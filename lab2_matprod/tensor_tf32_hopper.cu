/*
 * tensor_tf32_hopper.cu - against tf32_order, blocks stay: each makes tile after tile, and while
 * the results of one are on their way, stages of the next come and its products begin.
 *
 *     copies        | tile 0            | tile 1            | tile 2 ..
 *     multiplies      | tile 0            |    | tile 1            |
 *     threads                              store 0                  store 1
 *     engine                                   store 0                   store 1
 *
 * All blocks are done with a tile at the same time, and L2 then takes what it can. So the results
 * go by the copy engine, in whole lines, from 32 KB of shared memory, and its last pieces leave
 * while the next tile is multiplied, for which four stages have come in the meantime. Tile, groups
 * and order are tf32_order's (tf32_cluster.cu has the drawing); the producer comes first, and is a
 * group that hands its registers back.
 *
 * Expected: at N = 4096 a tile is 131,072 cycles of products; that threads store it, 16 bytes at a
 * time, adds 14,300, a tenth.
 */
#include "tf32_steps.cuh"

enum {
    WIDE_STAGES = 4,
    PIECE_BYTES = (int)sizeof(float) * PIECE_M * GROUP_N,
    WIDE_SHARED_BYTES = stages_bytes(2, WIDE_STAGES) + 4 * PIECE_BYTES,
    WIDE_THREADS = HOPPER_THREADS
};

#ifdef HAVE_HOPPER

/*
 * Leaves 32 rows of a group's results in one of two rooms in shared memory, taken in turns: two
 * boxes side by side, of 32 columns, in the copies' swizzle. sums[4 j + 2 i + c] is that of the
 * i-th of a thread's two columns and row 8 j + 2 t + c. Half of the lanes take the other c first:
 * the 32 lanes then write 32 different banks.
 */
__device__ inline void leave_piece(const float *sums, int thread, uint32_t room)
{
    const int warp = thread % WARPGROUP / 32, g = thread % 32 / 4, t = thread % 4;
    const int other = g / 4, chunk = 4 * (g / 4) + 2 * (warp % 2);
    const uint32_t box = room + warp / 2 * (PIECE_BYTES / 2) + g % 4 * 4;
#pragma unroll
    for (int n = 0; n < 4; n++) {
        const int row = 2 * t + (n % 2 ^ other);
        const uint32_t at = box + row * 128 + (chunk + n / 2 ^ row) * 16;
#pragma unroll
        for (int j = 0; j < PIECE_M / 8; j++)
            st_shared(at + j * 8 * 128, other ? sums[4 * j + (n ^ 1)] : sums[4 * j + n]);
    }
}

/* Stores a piece by threads, where C's rows do not start at multiples of 16 bytes, as the copy
 * engine wants them. */
__device__ inline void store_piece(float *c, shape s, int m, int n, uint32_t room)
{
    for (int i = threadIdx.x % WARPGROUP; i < PIECE_M * GROUP_N; i += WARPGROUP) {
        const int row = i / GROUP_N, x = i % GROUP_N;
        const uint32_t box = room + x / 32 * PIECE_BYTES / 2;
        if (m + row < s.height && n + x < s.width)
            c[(size_t)(m + row) * s.width + n + x] = ld_shared(box + swizzled(row, x % 32));
    }
}

/* Stores a tile; while its last pieces are on their way, the group is at the next one. */
__device__ inline void store_wide_tile(const float (&sums)[128], uint32_t rooms,
                                       const CUtensorMap *map, float *c, shape s, int m, int n)
{
    int thread = threadIdx.x;
    asm volatile("" : "+r"(thread)); /* what follows is worked out here, not kept in registers */
    const int group = thread / WARPGROUP - 1;
    const bool first = thread % WARPGROUP == 0, by_box = s.width % 4 == 0;
    rooms += group * 2 * PIECE_BYTES;
    n += group * GROUP_N;
#pragma unroll
    for (int i = 0; i < GROUP_M / PIECE_M; i++) {
        const uint32_t room = rooms + i % 2 * PIECE_BYTES;
        const int row = m + i * PIECE_M;
        if (first)
            cp_async_bulk_wait_group_read<1>();
        named_barrier_sync(1 + group, WARPGROUP); /* the room is free */
        leave_piece(sums + i * (PIECE_M / 8 * 4), thread, room);
        fence_proxy_async();
        named_barrier_sync(1 + group, WARPGROUP);
        if (!by_box) {
            store_piece(c, s, row, n, room);
        } else if (first) {
            cp_async_bulk_tensor_store(map, room, n, row);
            cp_async_bulk_tensor_store(map, room + PIECE_BYTES / 2, n + 32, row);
            cp_async_bulk_commit_group();
        }
    }
}

__global__ void __launch_bounds__(WIDE_THREADS, 1)
    tensor_tf32_hopper(const __grid_constant__ CUtensorMap map_a,
                       const __grid_constant__ CUtensorMap map_b,
                       const __grid_constant__ CUtensorMap map_c, float *c, shape s)
{
#ifdef HOPPER_CODE
    extern __shared__ uint8_t dynamic[];
    __shared__ uint64_t barriers[2 * WIDE_STAGES];
    const uint32_t start = stages_in(dynamic);
    ring r = {start, shared_address(barriers), shared_address(barriers + WIDE_STAGES), 0, 0};
    if (threadIdx.x == 0)
        create_ring(&r, WIDE_STAGES, 2 * PAIR);
    __syncthreads();
    cluster_sync_relaxed();
    griddepcontrol_wait();
    if (threadIdx.x < WARPGROUP) {
        setmaxnreg_dec<COPYING_REGISTERS>();
        if (threadIdx.x == 0)
            bring_tiles<WIDE_STAGES, PAIR, BAND>(r, &map_a, &map_b, s);
    } else {
        setmaxnreg_inc<GROUPS_REGISTERS>();
        const int end = count_tiles<PAIR>(s);
        for (int t = blockIdx.x / PAIR; t < end; t += gridDim.x / PAIR) {
            float sums[128];
            int m, n;
            multiply_columns<WIDE_STAGES, PAIR>(&r, sums, s.depth);
            tile_at<PAIR, BAND>(t, s, &m, &n);
            store_wide_tile(sums, start + WIDE_STAGES * stage_bytes(2), &map_c, c, s, m, n);
        }
    }
    cluster_sync_relaxed(); /* nobody leaves while the other block may still arrive here */
    cp_async_bulk_wait_group_read<0>();
#endif
}

/* ---- on the host ---------------------------------------------------------------------------- */

static void launch_wide(const problem *p, const launch *l)
{
    tf32_plan *plan = (tf32_plan *)l->plan;
    shape s = shape_of(p);
    float *c = (float *)l->buffer[C];
    void *arguments[] = {&plan->map_a, &plan->map_b, &plan->map_c, &c, &s};
    pad_rows(p, l);
    cluster_launch(l->kernel, arguments, resident_blocks<PAIR>(p, l), WIDE_THREADS, l->shared_bytes,
                   PAIR, l->stream);
}

#endif

const variant tensor_tf32_hopper_variant = GPU_VARIANT(
    "tensor_tf32_hopper", "TF32, not FP32: results by TMA, behind the next tile",
    BUILT(HAVE_HOPPER, launch_wide), HOPPER_ONLY,
    .kernel = BUILT(HAVE_HOPPER, (const void *)tensor_tf32_hopper),
    .shared_bytes = BUILT(HAVE_HOPPER, shared_of<WIDE_SHARED_BYTES>),
    .workspace_bytes = BUILT(HAVE_HOPPER, padded_bytes),
    .refuse = BUILT(HAVE_HOPPER, refuse_step<tensor_tf32_hopper>),
    .plan = BUILT(HAVE_HOPPER, plan_maps<PAIR>), .release = free, .own = &tf32_accuracy);
