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
#include "split_operands.cuh"
#include "warp_tile.cuh"

#ifdef HAVE_HOPPER

/* ---- the product ---------------------------------------------------------------------------- */

/*
 * A block's tile is TILE_ROWS x COLUMNS. A cluster has ROWS blocks below one another, which share
 * B, times ABREAST beside one another, which share A; that many again for each part of k.
 */
template <int COLUMNS, int ROWS, int ABREAST>
struct split_tile {
    enum {
        A_BYTES = TILE_ROWS * LINE_BYTES,
        STAGE_BYTES = A_BYTES + COLUMNS * LINE_BYTES,
        STAGES = COLUMNS == 256 ? 4 : 6,            /* an even number */
        SHARED_BYTES = STAGES * STAGE_BYTES + 1024, /* room to start at a multiple of 1024 */
        SHARING = ROWS * ABREAST,
        SENDERS = ROWS + ABREAST - 1, /* blocks whose copies arrive in one of them */
        HALVES = COLUMNS / 128
    };
};

/* A block's place in the cluster, and the tile it is at. */
typedef struct place {
    int row, abreast, part; /* in the cluster */
    int m, n;               /* the tile's first row and column */
    int first, end;         /* of k, in stages; a multiple of STEP of them */
} place;

template <class PARTS, int ROWS, int ABREAST>
__device__ inline place place_in_cluster(int depth)
{
    const int rank = (int)cluster_ctarank(), parts = (int)cluster_nctarank() / (ROWS * ABREAST);
    const int stages = pitch<PARTS>(depth) / LINE_BYTES, steps = stages / PARTS::STEP;
    const int share = (steps + parts - 1) / parts * PARTS::STEP;
    place p = {rank % ROWS, rank / ROWS % ABREAST, rank / (ROWS * ABREAST), 0, 0, 0, 0};
    p.first = min(stages, p.part * share);
    p.end = min(stages, p.first + share);
    return p;
}

/* The matrix in tiles of whole clusters, without parts of k. */
typedef struct split_tiling {
    int tall, wide;
} split_tiling;

template <int COLUMNS, int ROWS, int ABREAST>
__host__ __device__ inline split_tiling tiling_of(shape s)
{
    const int height = ROWS * TILE_ROWS, width = ABREAST * COLUMNS;
    return {(s.height + height - 1) / height, (s.width + width - 1) / width};
}

template <int COLUMNS, int ROWS, int ABREAST>
__host__ __device__ inline int tiles_of(shape s)
{
    const split_tiling all = tiling_of<COLUMNS, ROWS, ABREAST>(s);
    return all.tall * all.wide;
}

/*
 * Finds the t-th tile: 16 rows of tiles at a time, column by column, so that those that are worked
 * at together are near one another and find each other's lines of A and B in the L2 cache.
 */
template <int COLUMNS, int ROWS, int ABREAST>
__device__ inline void place_at(place *p, int t, shape s)
{
    enum { BAND = 16 / ROWS };
    const split_tiling all = tiling_of<COLUMNS, ROWS, ABREAST>(s);
    int band = t / (BAND * all.wide), in_band = t % (BAND * all.wide);
    int height = min(BAND, all.tall - band * BAND);
    p->m = ((band * BAND + in_band % height) * ROWS + p->row) * TILE_ROWS;
    p->n = (in_band / height * ABREAST + p->abreast) * COLUMNS;
}

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

/* ---- the results ---------------------------------------------------------------------------- */

/* What undoes the scales of a tile's rows and columns. */
template <int COLUMNS>
struct tile_unscale {
    __align__(16) unscale row[TILE_ROWS], column[COLUMNS];
};

/* Starts the copies of them into shared memory, where the end of the tile finds them. */
template <class PARTS, int COLUMNS>
__device__ inline void fetch_unscale(PARTS, tile_unscale<COLUMNS> *to, const split_matrices *from,
                                     const place *p, facts)
{
    const int i = (threadIdx.x - WARPGROUP) * 2;
    if (i < TILE_ROWS)
        copy_async<16>(to->row + i, from->row + p->m + i, true);
    else if (i < TILE_ROWS + COLUMNS)
        copy_async<16>(to->column + i - TILE_ROWS, from->column + p->n + i - TILE_ROWS, true);
    copy_async_commit();
}

/* The place of a thread's sums: rows m and m + 8; columns n, n + 1, n + 8, n + 9, n + 16, ... */
typedef struct spot {
    float *c;
    shape s;
    int m, n;
    bool whole; /* the tile is within C, whose rows start at multiples of 16 bytes */
    bool add;   /* to what C has */
    unscale row[2];
    const unscale *column; /* that of n */
} spot;

template <int COLUMNS, class S>
__device__ inline spot spot_of(const place *p, float *c, const S &s,
                               const tile_unscale<COLUMNS> *by)
{
    const int t = threadIdx.x % WARPGROUP, group = threadIdx.x / WARPGROUP - 1;
    spot at;
    at.c = c;
    at.s = s;
    at.m = p->m + group * 64 + t / 32 * 16 + t % 32 / 4;
    at.n = p->n + 2 * (t % 4);
    at.whole = p->m + TILE_ROWS <= s.height && p->n + COLUMNS <= s.width && s.width % 4 == 0;
    at.add = adds(s);
    at.row[0] = by->row[at.m - p->m];
    at.row[1] = by->row[at.m - p->m + 8];
    at.column = by->column + at.n - p->n;
    return at;
}

template <class PARTS>
__device__ inline float scaled_back(float sum, unscale row, float column_x, float column_y)
{
    const float x = row.x * column_x;
    return (PARTS::FILLS ? __fdiv_rn(sum, x) : sum * x) * (row.y * column_y);
}

/* Adds to results, or to one, what C has there. */
__device__ inline float4 with_before(const spot *at, const float *c, float4 v)
{
    if (at->add) {
        const float4 before = __ldcs((const float4 *)c);
        v.x += before.x, v.y += before.y, v.z += before.z, v.w += before.w;
    }
    return v;
}

__device__ inline float with_before(const spot *at, const float *c, float x)
{
    return at->add ? *c + x : x;
}

/* A row's results from 2 x 2 sums: columns n and n + 1 in x and y, those 8 further on in z and w.
 */
template <class PARTS>
__device__ inline float4 results_of(const spot *at, int row, const float *column, const float *sums)
{
    const float4 near = *(const float4 *)column, far = *(const float4 *)(column + 16);
    const unscale by = at->row[row];
    return make_float4(scaled_back<PARTS>(sums[0], by, near.x, near.y),
                       scaled_back<PARTS>(sums[1], by, near.z, near.w),
                       scaled_back<PARTS>(sums[4], by, far.x, far.y),
                       scaled_back<PARTS>(sums[5], by, far.z, far.w));
}

/*
 * Stores COUNT results of a whole tile, columns n + offset and so on. Neighbouring lanes swap two
 * of theirs, so that each has four that lie beside one another.
 */
template <class PARTS, int COUNT>
__device__ inline void store_whole(const spot *at, int offset, const float *sums)
{
    const bool odd = threadIdx.x & 1;
    const size_t below = (size_t)8 * at->s.width;
    float *to = at->c + (size_t)at->m * at->s.width + at->n + offset + (odd ? 6 : 0);
#pragma unroll
    for (int i = 0; i < COUNT; i += 8, to += 16)
#pragma unroll
        for (int row = 0; row < 2; row++) {
            const float *column = (const float *)(at->column + offset + 2 * i);
            const float4 v = results_of<PARTS>(at, row, column, sums + i + 2 * row);
            const float s = __shfl_xor_sync(~0u, odd ? v.x : v.z, 1);
            const float t = __shfl_xor_sync(~0u, odd ? v.y : v.w, 1);
            float *here = to + row * below;
            __stcs((float4 *)here,
                   with_before(at, here,
                               odd ? make_float4(s, t, v.z, v.w) : make_float4(v.x, v.y, s, t)));
        }
}

/* Stores those of a tile that is not, or whose rows start anywhere. */
template <class PARTS, int COUNT>
__device__ inline void store_each(const spot *at, int offset, const float *sums)
{
#pragma unroll
    for (int i = 0; i < COUNT; i += 8)
#pragma unroll
        for (int row = 0; row < 2; row++) {
            const int m = at->m + 8 * row, n = at->n + offset + 2 * i;
            const float *column = (const float *)(at->column + offset + 2 * i);
            const float4 v = results_of<PARTS>(at, row, column, sums + i + 2 * row);
            float *to = at->c + (size_t)m * at->s.width + n;
            if (m < at->s.height) {
                if (n < at->s.width)
                    to[0] = with_before(at, to, v.x);
                if (n + 1 < at->s.width)
                    to[1] = with_before(at, to + 1, v.y);
                if (n + 8 < at->s.width)
                    to[8] = with_before(at, to + 8, v.z);
                if (n + 9 < at->s.width)
                    to[9] = with_before(at, to + 9, v.w);
            }
        }
}

enum { SLOT_BYTES = 16 };

/*
 * Leaves a block's sums, where the parts of k are in different blocks: each leaves its own in its
 * shared memory, where both groups have done with the stages ...
 */
__device__ inline void leave_sums(const float (&sums)[64], uint32_t room)
{
    const uint32_t slot = room + (threadIdx.x - WARPGROUP) * SLOT_BYTES;
#pragma unroll
    for (int i = 0; i < 16; i++)
        st_shared_v4(slot + i * 2 * WARPGROUP * SLOT_BYTES, sums + 4 * i);
}

/*
 * ... and adds up, in order, what all have left of the columns that fall to it: each eighth of the
 * tile's. In a loop: its code is in no cache, and takes longer to come than to run.
 */
template <class PARTS>
__device__ inline void store_sums_of_parts(const spot *at, const place *p, int sharing,
                                           uint32_t room)
{
    enum { EIGHTHS = 8, GROUP = 2 * WARPGROUP * SLOT_BYTES /* of four sums of all threads */ };
    const int parts = (int)cluster_nctarank() / sharing, mine = (int)cluster_ctarank() % sharing;
    const uint32_t slot = room + (threadIdx.x - WARPGROUP) * SLOT_BYTES;
#pragma unroll 1
    for (int eighth = p->part; eighth < EIGHTHS; eighth += parts) {
        float sums[8] = {};
        for (int part = 0; part < parts; part++) {
            const uint32_t there = mapa(slot + 2 * eighth * GROUP, part * sharing + mine);
            const float4 near = ld_shared_cluster_v4(there);
            const float4 far = ld_shared_cluster_v4(there + GROUP);
            sums[0] += near.x, sums[1] += near.y, sums[2] += near.z, sums[3] += near.w;
            sums[4] += far.x, sums[5] += far.y, sums[6] += far.z, sums[7] += far.w;
        }
        if (at->whole)
            store_whole<PARTS, 8>(at, 16 * eighth, sums);
        else
            store_each<PARTS, 8>(at, 16 * eighth, sums);
    }
}

/* ---- the kernel ----------------------------------------------------------------------------- */

/* Copies all of the block's tiles, by one thread of group 0. */
template <class PARTS, int COLUMNS, int ROWS, int ABREAST>
__device__ inline void copy_tiles(ring r, facts known, const CUtensorMap *a, const CUtensorMap *b,
                                  shape s)
{
    place p = place_in_cluster<PARTS, ROWS, ABREAST>(s.depth);
    const int end = tiles_of<COLUMNS, ROWS, ABREAST>(s), clusters = (int)nclusterid_x();
    for (int t = (int)clusterid_x(); t < end; t += clusters) {
        place_at<COLUMNS, ROWS, ABREAST>(&p, t, s);
        copy_stages<PARTS, COLUMNS, ROWS, ABREAST>(&r, &p, known, a, b);
    }
}

/* Multiplies all of the block's tiles, by groups 1 and 2. */
template <class PARTS, int COLUMNS, int ROWS, int ABREAST, class S>
__device__ inline void multiply_tiles(ring r, facts known, const split_matrices *from, float *c,
                                      const S &s)
{
    using T = split_tile<COLUMNS, ROWS, ABREAST>;
    place p = place_in_cluster<PARTS, ROWS, ABREAST>(s.depth);
    const int end = tiles_of<COLUMNS, ROWS, ABREAST>(s), clusters = (int)nclusterid_x();
    __shared__ tile_unscale<COLUMNS> unscales[2]; /* who writes one has met all behind the other */
    int at_room = 0;
    for (int t = (int)clusterid_x(); t < end; t += clusters, at_room ^= 1) {
        float sums[T::HALVES][64];
        place_at<COLUMNS, ROWS, ABREAST>(&p, t, s);
        fetch_unscale(PARTS(), unscales + at_room, from, &p, known);
        multiply_tile<COLUMNS, ROWS, ABREAST>(PARTS(), &r, &p, known, sums);
        copy_async_wait<0>();
        named_barrier_sync(1, 2 * WARPGROUP);
        const spot at = spot_of(&p, c, s, unscales + at_room);
        if (COLUMNS == 128 && (int)cluster_nctarank() > T::SHARING) {
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

constexpr tiling with_promoted_sums(tiling t)
{
    t.promoted = 6;
    t.among = true;
    return t;
}

/* Tiles in FP32 of a product that has no kernel behind it, by a part of its threads. */
constexpr tiling promoted = with_promoted_sums(sliced);

/* Makes all of the block's tiles in FP32, without tensor cores, by groups 1 and 2. */
template <class S>
__device__ inline void multiply_in_fp32(float4 *room, const float *a, const float *b, float *c,
                                        const S &s)
{
    const int wide = (s.width + promoted.columns - 1) / promoted.columns;
    const int tiles = (s.height + promoted.rows - 1) / promoted.rows * wide;
    for (int t = blockIdx.x; t < tiles; t += gridDim.x) {
        tile_sync<promoted>();
        make_any_tile<promoted>(room, a, b, c, s, 0, s.depth, t / wide * promoted.rows,
                                t % wide * promoted.columns);
    }
}

/*
 * Blocks of three warpgroups, in clusters of ROWS x ABREAST x the parts of k; of several parts,
 * each cluster has one tile. What its parts will not do for it splits into thirds, for the kernels
 * behind it; one that is ALONE makes it in FP32.
 */
template <class PARTS, int COLUMNS, int ROWS, int ABREAST, class S = shape, bool ALONE = false>
__global__ void __launch_bounds__(SPLIT_THREADS, 1)
    tensor_split(const __grid_constant__ CUtensorMap map_a,
                 const __grid_constant__ CUtensorMap map_b, split_matrices from, const float *a,
                 const float *b, float *c, S s)
{
#ifdef HOPPER_CODE
    using T = split_tile<COLUMNS, ROWS, ABREAST>;
    constexpr bool SPLITS = !ALONE && PARTS::WAY != BY_THIRDS;
    extern __shared__ __align__(16) uint8_t dynamic[];
    __shared__ uint64_t barriers[2 * T::STAGES];
    uint32_t start = (shared_address(dynamic) + 1023) / 1024 * 1024;
    ring r = {start, shared_address(barriers), shared_address(barriers + T::STAGES), 0, 0};
    if (threadIdx.x == 0)
        create_ring(&r, T::STAGES, 2 * T::SENDERS);
    __syncthreads();
    cluster_sync_relaxed();
    griddepcontrol_launch_dependents();
    if (threadIdx.x == 0) {
        prefetch_tensormap(&map_a);
        prefetch_tensormap(&map_b);
    }
    griddepcontrol_wait();
    const facts known = read_verdict(from.found);
    const way wanted = way_of(known);
    const bool here = wanted == PARTS::WAY;
    if constexpr (SPLITS)
        if (wanted == BY_THIRDS && (known & KINDS) == PARTS::KIND)
            split_into_thirds(a, b, from, known, s);
    if (!here && !ALONE)
        return; /* and so do all blocks of the cluster: none arrives anywhere */
    if (PARTS::TURNS && here)
        begin_turns();
    if (threadIdx.x < WARPGROUP) {
        setmaxnreg_dec<24>();
        if (ALONE && threadIdx.x == WARPGROUP - 1)
            close_verdict(from.found, known, here ? wanted : BY_FP32, adds(s));
        if (threadIdx.x == 0 && here)
            copy_tiles<PARTS, COLUMNS, ROWS, ABREAST>(r, known, &map_a, &map_b, s);
        if (COLUMNS == 128 && (int)cluster_nctarank() > T::SHARING && here)
            cluster_sync(); /* as the other groups */
    } else if (here) {
        setmaxnreg_inc<240>();
        multiply_tiles<PARTS, COLUMNS, ROWS, ABREAST>(r, known, &from, c, s);
    } else if constexpr (ALONE) {
        setmaxnreg_inc<240>();
        multiply_in_fp32((float4 *)dynamic, a, b, c, s);
    }
    if (PARTS::TURNS && here)
        end_turns();
    cluster_sync_relaxed(); /* nobody leaves while another block may still arrive here, or read */
#endif
}

#endif
#endif
