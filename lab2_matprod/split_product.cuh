/*
 * split_product.cuh - the second kernel of tensor_split, tensor_mixed and tensor_int8_slices: the
 * product of what split_operands.cuh has packed, and of the third kernel (tensor_thirds.cuh). How a
 * tile is multiplied is PARTS' own: multiply_tile(PARTS, ...), which lines it wants, by what the
 * split has found, lines_of(PARTS, ...), and where a stage's lines of B lie, stage_of_b(PARTS,
 * ...). The ring of stages, the tiles' order and the results are the same.
 */
#ifndef LAB2_SPLIT_PRODUCT_CUH
#define LAB2_SPLIT_PRODUCT_CUH

#include "ptx/tma.cuh"
#include "ring.cuh"
#include "bf16_thirds.cuh"
#include "fp64_tile.cuh"
#include "split_shares.cuh"

#ifdef HAVE_HOPPER

/* ---- the product ---------------------------------------------------------------------------- */

/* Which lines of a stage are wanted. */
enum { OF_A = 1, OF_B = 2 };

/* A box of packed lines begins at element x of line y. */
typedef struct box_place {
    int x, y;
} box_place;

/* Returns the place in B, whose lines are columns, from column n on. */
template <class PARTS>
__device__ inline box_place stage_of_b(PARTS, int stage, int n)
{
    return {stage * LINE_HALVES, n};
}

/*
 * Copies a tile's stages, by one thread: of A and of B the piece that falls to this block, to all
 * blocks that share it, among them itself; without those lines that nobody wants.
 */
template <class PARTS, int COLUMNS, int ROWS, int ABREAST>
__device__ inline void copy_stages(ring *r, const place *p, facts known, const CUtensorMap *a,
                                   const CUtensorMap *b)
{
    using T = split_tile<COLUMNS, ROWS, ABREAST>;
    constexpr int a_lines = TILE_ROWS / ABREAST, b_lines = COLUMNS / ROWS;
    constexpr int box = b_lines < PARTS::B_BOX ? b_lines : PARTS::B_BOX;
    const int base = p->part * T::SHARING;
    uint32_t a_sharers = 0, b_sharers = 0;
    for (int i = 0; i < ABREAST; i++)
        a_sharers |= 1u << (base + i * ROWS + p->row);
    for (int i = 0; i < ROWS; i++)
        b_sharers |= 1u << (base + p->abreast * ROWS + i);
    for (int k = p->first; k < p->end; k++) {
        const int lines = lines_of(PARTS(), k % PARTS::STEP, known);
        if (!lines)
            continue;
        const uint32_t full = r->full + 8 * r->stage, to = r->stages + r->stage * T::STAGE_BYTES;
        const uint32_t to_a = to + p->abreast * a_lines * LINE_BYTES;
        const uint32_t to_b = to + T::A_BYTES + p->row * b_lines * LINE_BYTES;
        mbarrier_wait(r->empty + 8 * r->stage, r->phase ^ 1);
        mbarrier_arrive_expect_tx(full, (lines & OF_A ? T::A_BYTES : 0) +
                                            (lines & OF_B ? T::STAGE_BYTES - T::A_BYTES : 0));
        if ((lines & OF_A) && ABREAST == 1)
            cp_async_bulk_tensor(to_a, a, full, k * LINE_HALVES, p->m);
        else if (lines & OF_A)
            cp_async_bulk_tensor_multicast(a_sharers, to_a, a, full, k * LINE_HALVES,
                                           p->m + p->abreast * a_lines);
        for (int n = 0; n < b_lines && (lines & OF_B); n += box) {
            const box_place of_b = stage_of_b(PARTS(), k, p->n + p->row * b_lines + n);
            const uint32_t there = to_b + n * LINE_BYTES;
            if (ROWS == 1)
                cp_async_bulk_tensor(there, b, full, of_b.x, of_b.y);
            else
                cp_async_bulk_tensor_multicast(b_sharers, there, b, full, of_b.x, of_b.y);
        }
        ring_advance(r, 1, T::STAGES);
    }
}

/* Releases a stage that the group has read: every block that copies into it may do so again. */
template <int COLUMNS, int ROWS, int ABREAST>
__device__ inline void release_stage(const ring *r, const place *p, int stage)
{
    using T = split_tile<COLUMNS, ROWS, ABREAST>;
    const int t = threadIdx.x % WARPGROUP;
    const int row = t < ABREAST ? p->row : (p->row + 1 + t - ABREAST) % ROWS;
    const int abreast = t < ABREAST ? t : p->abreast;
    if (t < T::SENDERS)
        mbarrier_arrive_cluster(r->empty + 8 * stage, row + ROWS * (abreast + ABREAST * p->part));
}

/* ---- turns ---------------------------------------------------------------------------------- */

/*
 * Groups 1 and 2 take turns with the tensor cores: each issues all of a batch, then lets the other
 * issue, and adds up its own while the other's is multiplied. Without turns both wait for both, and
 * both add up while the tensor cores stand still.
 */
enum { FIRST_TURN = 2, BOTH_GROUPS = 2 * WARPGROUP }; /* named barriers: that of group 1; threads */

__device__ inline int turn_of(int group)
{
    return FIRST_TURN + group - 1;
}

/* Lets group 1 begin, or takes back at the end what the last batch has given it. */
__device__ inline void begin_turns()
{
    if (threadIdx.x / WARPGROUP == 2)
        named_barrier_arrive<BOTH_GROUPS>(turn_of(1));
}

__device__ inline void end_turns()
{
    if (threadIdx.x / WARPGROUP == 1)
        named_barrier_sync_aligned<BOTH_GROUPS>(turn_of(1));
}

__device__ inline void take_turn()
{
    named_barrier_sync_aligned<BOTH_GROUPS>(turn_of(threadIdx.x / WARPGROUP));
}

__device__ inline void give_turn()
{
    named_barrier_arrive<BOTH_GROUPS>(turn_of(3 - threadIdx.x / WARPGROUP));
}

/* ---- the kernel ----------------------------------------------------------------------------- */

/* Copies all of the block's tiles, by one thread of group 0. */
template <class PARTS, int COLUMNS, int ROWS, int ABREAST, bool SHARES>
__device__ inline void copy_tiles(ring r, facts known, const CUtensorMap *a, const CUtensorMap *b,
                                  shape s, const k_shares &of)
{
    tile_walk<PARTS, COLUMNS, ROWS, ABREAST, SHARES> walk(s, of);
    while (walk.next(s, of))
        copy_stages<PARTS, COLUMNS, ROWS, ABREAST>(&r, &walk.p, known, a, b);
}

/* Multiplies all of the block's tiles, by groups 1 and 2. */
template <class PARTS, int COLUMNS, int ROWS, int ABREAST, bool SHARES, class S>
__device__ inline void multiply_tiles(ring r, facts known, const split_matrices *from, float *c,
                                      const S &s, const k_shares &of)
{
    using T = split_tile<COLUMNS, ROWS, ABREAST>;
    tile_walk<PARTS, COLUMNS, ROWS, ABREAST, SHARES> walk(s, of);
    __shared__ tile_unscale<COLUMNS> unscales[2]; /* who writes one has met all behind the other */
    for (int at_room = 0; warp_uniform(walk.next(s, of)); at_room ^= 1) {
        float sums[T::HALVES][64];
        place p = walk.p;
        p.first = warp_uniform(p.first);
        p.end = warp_uniform(p.end);
        fetch_unscale(PARTS(), unscales + at_room, from, &p, known);
        multiply_tile<COLUMNS, ROWS, ABREAST>(PARTS(), &r, &p, known, sums);
        copy_async_wait<0>();
        named_barrier_sync(1, 2 * WARPGROUP);
        if constexpr (SHARES) {
            if (walk.now.part > 0) {
                leave_part(of, walk.now, sums[0]);
                continue;
            }
            if (walk.now.parts > 1)
                add_parts(of, walk.now, sums[0]);
        }
        const spot at = spot_of(&p, c, s, unscales + at_room);
        if (!SHARES && COLUMNS == 128 && (int)cluster_nctarank() > T::SHARING) {
            leave_sums(sums[0], r.stages);
            cluster_sync();
            store_sums_of_parts<PARTS>(&at, &p, T::SHARING, r.stages);
        } else if (at.whole) {
            store_whole<PARTS, COLUMNS / 2>(&at, 0, sums[0]);
        } else {
            store_each<PARTS, COLUMNS / 2>(&at, 0, sums[0]);
        }
    }
}

/* Sets up a block's ring in its dynamic shared memory, and lets the next kernel be set up.
 * Everybody calls it. */
template <class TILE>
__device__ inline ring begin_ring(uint8_t *dynamic, uint64_t *barriers)
{
    const uint32_t start = (shared_address(dynamic) + 1023) / 1024 * 1024;
    const ring r = {start, shared_address(barriers), shared_address(barriers + TILE::STAGES), 0, 0};
    if (threadIdx.x == 0)
        create_ring(&r, TILE::STAGES, 2 * TILE::SENDERS);
    __syncthreads();
    cluster_sync_relaxed();
    griddepcontrol_launch_dependents();
    return r;
}

/* Multiplies all of a cluster's tiles; an idle thread calls meanwhile(). Everybody calls it. */
template <class PARTS, int COLUMNS, int ROWS, int ABREAST, bool SHARES = false, class S,
          class MEANWHILE>
__device__ inline void multiply_matrices(ring r, facts known, const CUtensorMap *map_a,
                                         const CUtensorMap *map_b, const split_matrices *from,
                                         float *c, const S &s, const k_shares &of,
                                         MEANWHILE meanwhile)
{
    using T = split_tile<COLUMNS, ROWS, ABREAST>;
    /* Registers of a thread, 3 x 168 of three: a thread that copies has use for more than 24. */
    enum { MULTIPLIES = PARTS::WAY == BY_THIRDS ? 240 : 232, COPIES = 3 * 168 - 2 * MULTIPLIES };
    if (PARTS::TURNS)
        begin_turns();
    if (threadIdx.x < WARPGROUP) {
        setmaxnreg_dec<COPIES>();
        if (threadIdx.x == 0)
            copy_tiles<PARTS, COLUMNS, ROWS, ABREAST, SHARES>(r, known, map_a, map_b, s, of);
        if constexpr (SHARES) {
            const tile_walk<PARTS, COLUMNS, ROWS, ABREAST, true> walk(s, of);
            if (threadIdx.x / 32 == TELLS)
                tell_of_part(walk, s, of);
            if (threadIdx.x / 32 == WAITS)
                await_parts(walk, s, of);
        }
        if (threadIdx.x == WARPGROUP - 1)
            meanwhile();
        if (!SHARES && COLUMNS == 128 && (int)cluster_nctarank() > T::SHARING)
            cluster_sync(); /* as the other groups */
    } else {
        setmaxnreg_inc<MULTIPLIES>();
        multiply_tiles<PARTS, COLUMNS, ROWS, ABREAST, SHARES>(r, known, from, c, s, of);
    }
    if (PARTS::TURNS)
        end_turns();
    cluster_sync_relaxed(); /* nobody leaves while another block may still arrive here, or read */
}

/*
 * Blocks of three warpgroups, in clusters of ROWS x ABREAST x the parts of k; of several parts,
 * each cluster has one tile. With SHARES blocks by themselves share tiles' k. What its parts will
 * not do for it splits into thirds, for the kernel behind it. The LAST kernel makes in FP64 what is
 * left.
 */
template <class PARTS, int COLUMNS, int ROWS, int ABREAST, class S = shape, bool LAST = false,
          bool SHARES = false>
__global__ void __launch_bounds__(SPLIT_THREADS, 1)
    tensor_split(const __grid_constant__ CUtensorMap map_a,
                 const __grid_constant__ CUtensorMap map_b, split_matrices from, const float *a,
                 const float *b, float *c, S s, k_shares of)
{
#ifdef HOPPER_CODE
    using T = split_tile<COLUMNS, ROWS, ABREAST>;
    constexpr bool ALONE = LAST && PARTS::WAY != BY_THIRDS; /* there is no kernel for thirds */
    static_assert(!LAST || FP64_SLABS * sizeof(fp64_slab) <= T::SHARED_BYTES);
    extern __shared__ __align__(16) uint8_t dynamic[];
    __shared__ uint64_t barriers[2 * T::STAGES];
    const ring r = begin_ring<T>(dynamic, barriers);
    if (threadIdx.x == 0) {
        prefetch_tensormap(&map_a);
        prefetch_tensormap(&map_b);
    }
    griddepcontrol_wait();
    const facts known = read_verdict(from.found);
    const way wanted = way_of(known);
    const bool here = wanted == PARTS::WAY;
    const way taken = ALONE && !here ? BY_FP64 : wanted;
    const bool idle = ALONE && (int)clusterid_x() >= tiles_of<COLUMNS, ROWS, ABREAST>(s);
    /* It waits for memory: only when registers have changed hands. */
    const auto close = [&] {
        if constexpr (LAST)
            close_verdict(from.found, known, taken, adds(s));
    };
    if (here && !idle) {
        multiply_matrices<PARTS, COLUMNS, ROWS, ABREAST, SHARES>(r, known, &map_a, &map_b, &from, c,
                                                                 s, of, close);
        return;
    } /* else all blocks of the cluster leave: none arrives anywhere */
    if constexpr (!LAST)
        if (wanted == BY_THIRDS && (known & KINDS) == PARTS::KIND)
            split_into_thirds(a, b, from, known, s);
    if (threadIdx.x == WARPGROUP - 1)
        close();
    if constexpr (LAST)
        if (taken == BY_FP64) {
            __shared__ uint64_t its_barriers[2 * FP64_SLABS];
            make_share(fp64_tiles(dynamic, its_barriers), a, b, c, s, of);
        }
#endif
}

#endif
#endif
