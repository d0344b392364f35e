/*
 * split_pairs.cuh - whether rows of A and columns of B fit each other: a part of the split, for
 * what no row tells by itself. Each may be even (split_scale.cuh), and yet the large numbers of the
 * one meet nothing but zeros or small ones of the other:
 *
 *      k            0   1   2   3        Integers and bytes have an error that is the same for all
 *      a row        1  e    1  e         numbers of a row: of e = 2^-10 they keep some 12 bits. No
 *      a column     0   1   0   1        product is of two large numbers: the sum has as few.
 *
 * So the split looks at pairs: PAIR_CLUSTERS clusters of 8 blocks each take 8 rows of A from all of
 * M, 32 columns of B from all of N, and an eighth of k, or 128 of it, a block. For each of the 256
 * pairs they add up S, which is |a||b|, and the square of the error that PARTS would make,
 *
 *     E^2 = sum of  each + factor (a^2 + b^2)     where neither is 0,
 *
 * in u of both largest magnitudes, by which a and b are divided. A pair whose E is beyond S, which
 * is an error of u in the mean square, makes the whole product IS_UNEVEN, as an uneven row does.
 *
 * What half of all rows and a tenth of the columns have is seen; what a single column has, most
 * likely not. (FP16's parts have no need of it: fp16_parts.cuh counts what is beyond their range.)
 */
#ifndef LAB2_SPLIT_PAIRS_CUH
#define LAB2_SPLIT_PAIRS_CUH

#include "ptx/async_copy.cuh"
#include "ptx/cluster.cuh"
#include "split_ways.cuh"

#ifdef HAVE_HOPPER

/* The square of a product's error (above). */
typedef struct pair_error {
    float each, factor;
} pair_error;

enum {
    PAIR_ROWS = 8,     /* of A, a warp's each */
    PAIR_COLUMNS = 32, /* of B, in groups of 8 side by side */
    PAIR_LINES = PAIR_COLUMNS + PAIR_ROWS,
    PAIR_K = 128,                                           /* of a block */
    JUDGED_PAIRS = PAIR_ROWS * PAIR_COLUMNS / SPLIT_CLUSTER /* by a block */
};
static_assert(PAIR_ROWS == SPLITTERS / 32, "a pair for each thread");

/* A block's numbers, then their magnitudes by their line's largest. */
typedef struct pair_room {
    float b[PAIR_K][PAIR_COLUMNS];
    __align__(16) float a[PAIR_ROWS][PAIR_K];
} pair_room;

/* S and E^2. */
typedef struct pair_sums {
    float s, e2;
} pair_sums;

/* What the blocks of a cluster tell each other: largest magnitudes, as bits, and sums. */
typedef struct pair_exchange {
    unsigned largest[SPLIT_CLUSTER][PAIR_LINES]; /* of columns, then of rows */
    pair_sums sums[SPLIT_CLUSTER][JUDGED_PAIRS];
    uint64_t of_largest, of_sums; /* inboxes */
    float by[PAIR_LINES];         /* what lines are multiplied by: one by their largest, or 0 */
} pair_exchange;

/* ---- what a block looks at ------------------------------------------------------------------ */

/* Rows and columns of its cluster; k from `first` to `end` for the largest magnitudes, from `from`
 * to `to` for products, at most PAIR_K. */
typedef struct pair_part {
    const float *a, *b; /* the warp's row; B */
    shape s;
    int cluster, first, end, from, to;
    bool odd; /* rows of A (panel.cuh) */
} pair_part;

template <class S>
__device__ inline pair_part part_of_pairs(const float *a, const float *b, int cluster, const S &s)
{
    const int share = max(PAIR_K, (s.depth + 4 * SPLIT_CLUSTER - 1) / (4 * SPLIT_CLUSTER) * 4);
    const int first = min(s.depth, (int)cluster_ctarank() * share);
    const int end = min(s.depth, first + share), spare = max(0, end - first - PAIR_K);
    const int from = first + spare / 4 * cluster / PAIR_CLUSTERS * 4;
    const int y = (int)((int64_t)(threadIdx.x / 32 * PAIR_CLUSTERS + cluster) * s.height /
                        (PAIR_ROWS * PAIR_CLUSTERS));
    return {a + (size_t)y * pitch_of(s), b, s, cluster, first, end, from, min(end, from + PAIR_K),
            has_odd_rows(a, s)};
}

/* Returns the i-th of a cluster's columns, which may be beyond B. */
__device__ inline int column_of_pair(const pair_part &p, unsigned i)
{
    enum { GROUP = 8, GROUPS = PAIR_COLUMNS / GROUP * PAIR_CLUSTERS };
    const unsigned groups = ((unsigned)p.s.width + GROUP - 1) / GROUP;
    return (int)((i / GROUP * PAIR_CLUSTERS + p.cluster) * groups / GROUPS * GROUP + i % GROUP);
}

/* Starts the copies of the part, numbers by WIDTH: a thread's share of the columns, a warp's of its
 * row; zeros for what lies beyond it. */
template <int WIDTH>
__device__ inline void copy_pairs(pair_room *room, const pair_part &p)
{
    enum { IN_ROW = PAIR_COLUMNS / WIDTH, ROWS = SPLITTERS / IN_ROW };
    const int row = threadIdx.x / IN_ROW, i = threadIdx.x % IN_ROW * WIDTH;
    const int x = column_of_pair(p, i), warp = threadIdx.x / 32, lane = threadIdx.x % 32 * WIDTH;
    const float *from = p.b + (size_t)(p.from + row) * p.s.width + x;
#pragma unroll 1
    for (int k = row; k < PAIR_K; k += ROWS, from += (size_t)ROWS * p.s.width) {
        const bool there = x < p.s.width && p.from + k < p.to;
        copy_async<4 * WIDTH>(&room->b[k][i], there ? from : p.b, there);
    }
#pragma unroll 1
    for (int k = lane; k < PAIR_K; k += 32 * WIDTH) {
        const bool there = p.from + k < p.to;
        copy_async<4 * WIDTH>(&room->a[warp][k], there ? p.a + p.from + k : p.a, there);
    }
    copy_async_commit();
}

/* Finds the largest magnitudes of WIDTH neighbours, of which there are `count`, each `apart`. */
template <int WIDTH>
__device__ inline void find_largest(float (&m)[WIDTH], const float *from, size_t apart, int count)
{
#pragma unroll 8 /* reads that wait together */
    for (int i = 0; i < count; i++, from += apart) {
        float v[WIDTH];
        if constexpr (WIDTH == 4)
            *(float4 *)v = *(const float4 *)from;
        else
            v[0] = *from;
#pragma unroll
        for (int j = 0; j < WIDTH; j++)
            m[j] = larger(m[j], v[j]);
    }
}

/* Returns how many of `from`, `from + step`, ... lie before `end`. */
__device__ inline int steps_before(int from, int end, int step)
{
    return (max(0, end - from) + step - 1) / step;
}

/* Puts the largest magnitudes of columns and rows in the part into `most`, as bits, which are in
 * order, too. The row is on its way to L2 while columns are read: memory is busy, and one read
 * behind the other would take twice as long. */
template <int WIDTH>
__device__ inline void find_largest_of_lines(unsigned *most, const pair_part &p)
{
    enum { IN_ROW = PAIR_COLUMNS / WIDTH, ROWS = SPLITTERS / IN_ROW };
    const int row = threadIdx.x / IN_ROW, i = threadIdx.x % IN_ROW * WIDTH;
    const int x = column_of_pair(p, i), warp = threadIdx.x / 32, lane = threadIdx.x % 32 * WIDTH;
    const int in_row = steps_before(p.first + lane, p.end, 32 * WIDTH);
    const float *from = p.a + p.first + lane;
    float of_columns[WIDTH] = {}, of_row[WIDTH] = {};
#pragma unroll 1
    for (int j = 0; j < in_row; j++)
        prefetch_global_l2(from + j * 32 * WIDTH);
    if (x < p.s.width)
        find_largest<WIDTH>(of_columns, p.b + (size_t)(p.first + row) * p.s.width + x,
                            (size_t)ROWS * p.s.width, steps_before(p.first + row, p.end, ROWS));
    find_largest<WIDTH>(of_row, from, 32 * WIDTH, in_row);
#pragma unroll
    for (int j = 0; j < WIDTH; j++) {
        atomicMax(most + i + j, __float_as_uint(of_columns[j]));
        atomicMax(most + PAIR_COLUMNS + warp, __float_as_uint(of_row[j]));
    }
}

/* The same, where what the block has copied is all of its part. */
__device__ inline void find_largest_of_copies(unsigned *most, const pair_room *room)
{
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    float of_column[1] = {}, of_row[1] = {};
    find_largest<1>(of_column, &room->b[warp][lane], SPLITTERS, PAIR_K * PAIR_COLUMNS / SPLITTERS);
    find_largest<1>(of_row, &room->a[warp][lane], 32, PAIR_K / 32);
    atomicMax(most + lane, __float_as_uint(of_column[0]));
    atomicMax(most + PAIR_COLUMNS + warp, __float_as_uint(of_row[0]));
}

/* ---- largest magnitudes --------------------------------------------------------------------- */

/* Tells each block of the cluster, by a warp, what this one has found, and waits for all. */
__device__ inline void tell_lines(pair_exchange *met, const unsigned *mine)
{
    const uint32_t inbox = shared_address(&met->of_largest);
    cluster_wait(); /* the other blocks have begun */
    for (int i = threadIdx.x % 32; i < PAIR_LINES; i += 32) {
        const unsigned *to = &met->largest[cluster_ctarank()][i];
        st_async(mapa(shared_address(to), threadIdx.x / 32), mine[i],
                 mapa(inbox, threadIdx.x / 32));
    }
    await_stores(inbox, sizeof met->largest);
}

/* Reads the part, and finds what all lines are multiplied by. Everybody calls it. */
__device__ inline void read_pairs(pair_room *room, pair_exchange *met, const pair_part &p)
{
    __shared__ unsigned mine[PAIR_LINES];
    if (threadIdx.x < PAIR_LINES)
        mine[threadIdx.x] = 0;
    const bool fours = p.s.width % 4 == 0 && p.s.depth % 4 == 0 && !p.odd;
    if (fours)
        copy_pairs<4>(room, p);
    else
        copy_pairs<1>(room, p);
    const bool all = p.end - p.first <= PAIR_K;
    if (all)
        copy_async_wait<0>();
    __syncthreads(); /* everybody's, then */
    if (all)
        find_largest_of_copies(mine, room);
    else if (fours)
        find_largest_of_lines<4>(mine, p);
    else
        find_largest_of_lines<1>(mine, p);
    __syncthreads();
    tell_lines(met, mine);
    if (threadIdx.x < PAIR_LINES) {
        unsigned m = 0;
        for (int i = 0; i < SPLIT_CLUSTER; i++)
            m = max(m, met->largest[i][threadIdx.x]);
        met->by[threadIdx.x] = m ? 1 / __uint_as_float(m) : 0;
    }
    copy_async_wait<0>();
    __syncthreads();
}

/* ---- sums ----------------------------------------------------------------------------------- */

/* Scales a magnitude; one that is not zero stays so. */
__device__ inline float by_largest(float x, float by)
{
    return x == 0 ? 0 : fmaxf(fabsf(x) * by, 0x1p-149f);
}

/* Scales all numbers. Everybody calls it. Returns whether a thread has seen one that thirds will
 * not do for. */
__device__ inline bool scale_pairs(pair_room *room, const float (&by)[PAIR_LINES])
{
    const int row = threadIdx.x / 32, lane = threadIdx.x % 32;
    const float by_column = by[lane], by_row = by[PAIR_COLUMNS + row];
    bool beyond = false;
#pragma unroll 2
    for (int k = row; k < PAIR_K; k += SPLITTERS / 32) {
        const float x = room->b[k][lane];
        beyond |= is_beyond_thirds(x);
        room->b[k][lane] = by_largest(x, by_column);
    }
#pragma unroll 2
    for (int k = lane; k < PAIR_K; k += 32) {
        const float x = room->a[row][k];
        beyond |= is_beyond_thirds(x);
        room->a[row][k] = by_largest(x, by_row);
    }
    __syncthreads();
    return beyond;
}

/* Adds a product's share. */
template <class PARTS>
__device__ inline void add_pair(pair_sums *sums, float a, float b)
{
    constexpr pair_error error = PARTS::ERROR;
    float e2 = error.each;
    if constexpr (error.factor != 0)
        e2 += error.factor * (a * a + b * b);
    sums->s += a * b;
    if (fminf(a, b) != 0) /* magnitudes */
        sums->e2 += e2;
}

/* Returns the sums of a thread's pair: its warp's row, its lane's column. */
template <class PARTS>
__device__ inline pair_sums sum_pair(const pair_room *room)
{
    const int row = threadIdx.x / 32, lane = threadIdx.x % 32;
    pair_sums sums = {};
#pragma unroll 2
    for (int k = 0; k < PAIR_K; k += 4) {
        const float4 a = *(const float4 *)&room->a[row][k];
        add_pair<PARTS>(&sums, a.x, room->b[k][lane]);
        add_pair<PARTS>(&sums, a.y, room->b[k + 1][lane]);
        add_pair<PARTS>(&sums, a.z, room->b[k + 2][lane]);
        add_pair<PARTS>(&sums, a.w, room->b[k + 3][lane]);
    }
    return sums;
}

/* Is the error of one of the pairs that this thread judges larger than FP32's? Of long k the sums
 * are a part: S grows with k, and E^2 does, too. Everybody calls it. */
__device__ inline bool is_ill_matched(pair_exchange *met, const pair_sums &mine, int depth)
{
    const pair_sums *to = &met->sums[cluster_ctarank()][threadIdx.x % JUDGED_PAIRS];
    const uint32_t there = mapa(shared_address(to), threadIdx.x / JUDGED_PAIRS);
    const uint32_t inbox = shared_address(&met->of_sums);
    const uint32_t its_inbox = mapa(inbox, threadIdx.x / JUDGED_PAIRS);
    st_async(there, __float_as_uint(mine.s), its_inbox);
    st_async(there + sizeof(float), __float_as_uint(mine.e2), its_inbox);
    await_stores(inbox, sizeof met->sums);
    pair_sums all = {};
    for (int i = 0; i < SPLIT_CLUSTER && threadIdx.x < JUDGED_PAIRS; i++) {
        all.s += met->sums[i][threadIdx.x].s;
        all.e2 += met->sums[i][threadIdx.x].e2;
    }
    const float parts = fmaxf(1, (float)depth / (SPLIT_CLUSTER * PAIR_K));
    return all.e2 > parts * all.s * all.s;
}

/* Reports whether a cluster's pairs are ill matched. Everybody calls it. */
template <class PARTS, class S>
__device__ inline void report_pairs(pair_room *room, const float *a, const float *b,
                                    const split_matrices &to, int cluster, const S &s,
                                    pair_exchange *met)
{
    if (threadIdx.x == 0) {
        mbarrier_init(shared_address(&met->of_largest), 1);
        mbarrier_init(shared_address(&met->of_sums), 1);
        fence_mbarrier_init();
    }
    cluster_arrive_relaxed(); /* this block has begun */
    read_pairs(room, met, part_of_pairs(a, b, cluster, s));
    const bool beyond = scale_pairs(room, met->by) && to.thirds_of_b;
    const bool ill = is_ill_matched(met, sum_pair<PARTS>(room), s.depth);
    if (__syncthreads_or(ill))
        report(told(PARTS(), to.found), IS_UNEVEN | (beyond ? IS_EXTREME : 0));
}

/* Judges the pairs of a cluster, 0 to PAIR_CLUSTERS - 1, if the way has need of it. Everybody calls
 * it. */
template <class WAYS, class S>
__device__ inline void judge_pairs(pair_room *room, const float *a, const float *b,
                                   const WAYS &ways, int cluster, const S &s)
{
    __shared__ pair_exchange met; /* once for all ways */
    ways.choose([&](auto parts, const split_matrices &to) {
        if constexpr (decltype(parts)::JUDGES_PAIRS)
            report_pairs<decltype(parts)>(room, a, b, to, cluster, s, &met);
    });
}

#endif
#endif
