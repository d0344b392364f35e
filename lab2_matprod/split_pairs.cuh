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
    APART = SPLITTERS / PAIR_COLUMNS,                       /* of k that a thread reads */
    JUDGED_PAIRS = PAIR_ROWS * PAIR_COLUMNS / SPLIT_CLUSTER /* by a block */
};
static_assert(PAIR_ROWS == SPLITTERS / 32, "a pair for each thread");

/* A block's numbers by their line's largest magnitude. */
typedef struct pair_room {
    float a[PAIR_ROWS][PAIR_K], b[PAIR_K][PAIR_COLUMNS];
} pair_room;

/* S and E^2. */
typedef struct pair_sums {
    float s, e2;
} pair_sums;

/* What the blocks of a cluster tell each other: largest magnitudes, as bits, and sums. */
typedef struct pair_exchange {
    unsigned largest[SPLIT_CLUSTER][PAIR_LINES]; /* of columns, then of rows */
    pair_sums sums[SPLIT_CLUSTER][JUDGED_PAIRS];
} pair_exchange;

/* ---- what a block looks at ------------------------------------------------------------------ */

/* Rows and columns of its cluster; k from `first` to `end` for the largest magnitudes, from `from`
 * to `to` for products, at most PAIR_K. */
typedef struct pair_part {
    const float *a, *b; /* the thread's column, of B or NULL; the warp's row */
    shape s;
    int first, end, from, to;
    bool odd; /* rows of A (panel.cuh) */
} pair_part;

/* Returns the thread's column, -1 beyond B. */
__device__ inline int column_of_pair(int cluster, shape s)
{
    enum { GROUP = 8, GROUPS = PAIR_COLUMNS / GROUP * PAIR_CLUSTERS };
    const int i = threadIdx.x % PAIR_COLUMNS, groups = (s.width + GROUP - 1) / GROUP;
    const int x = (i / GROUP * PAIR_CLUSTERS + cluster) * groups / GROUPS * GROUP + i % GROUP;
    return x < s.width ? x : -1;
}

template <class S>
__device__ inline pair_part part_of_pairs(const float *a, const float *b, int cluster, const S &s)
{
    const int share = max(PAIR_K, (s.depth + 4 * SPLIT_CLUSTER - 1) / (4 * SPLIT_CLUSTER) * 4);
    const int first = min(s.depth, (int)cluster_ctarank() * share);
    const int end = min(s.depth, first + share), spare = max(0, end - first - PAIR_K);
    const int from = first + spare / 4 * cluster / PAIR_CLUSTERS * 4;
    const int y = (int)((int64_t)(threadIdx.x / 32 * PAIR_CLUSTERS + cluster) * s.height /
                        (PAIR_ROWS * PAIR_CLUSTERS));
    const int x = column_of_pair(cluster, s);
    return {a + (size_t)y * pitch_of(s), x < 0 ? NULL : b + x, s, first, end, from,
            min(end, from + PAIR_K),     has_odd_rows(a, s)};
}

/* Return the largest magnitude of a thread's column, but for what it holds, `from` to `to`; and of
 * its warp's row, all of it. */
__device__ inline float largest_of_column(const pair_part &p)
{
    float m = 0;
#pragma unroll 32 /* reads that wait together */
    for (int k = p.first + (int)threadIdx.x / PAIR_COLUMNS; k < p.end; k += APART)
        if (p.b && (k < p.from || k >= p.to))
            m = larger(m, p.b[(size_t)k * p.s.width]);
    return m;
}

__device__ inline float largest_of_row(const pair_part &p)
{
    float m = 0;
#pragma unroll 4
    for (int k = p.first + (int)threadIdx.x % 32 * 4; k < p.end; k += PAIR_K)
        m = largest(m, load_4(p.a, k, p.s.depth, p.odd));
    return m;
}

/* A thread's numbers: of its column each APART of k, of its row four. */
typedef struct pair_numbers {
    float b[PAIR_K / APART], a[4];
} pair_numbers;

/* Reads them, all at once. */
__device__ inline pair_numbers load_pairs(const pair_part &p)
{
    pair_numbers v;
#pragma unroll
    for (int i = 0; i < PAIR_K / APART; i++) {
        const int k = p.from + (int)threadIdx.x / PAIR_COLUMNS + i * APART;
        v.b[i] = p.b && k < p.to ? p.b[(size_t)k * p.s.width] : 0;
    }
    *(float4 *)v.a = load_4(p.a, p.from + (int)threadIdx.x % 32 * 4, p.s.depth, p.odd);
#pragma unroll
    for (int i = 0; i < 4; i++)
        v.a[i] = p.from + (int)threadIdx.x % 32 * 4 + i < p.to ? v.a[i] : 0;
    return v;
}

/* ---- largest magnitudes --------------------------------------------------------------------- */

/* Tells each block of the cluster, by a warp, what this one has found, and waits for all. */
__device__ inline void tell_lines(pair_exchange *met, const unsigned *mine)
{
    cluster_wait(); /* the other blocks have begun */
    for (int i = threadIdx.x % 32; i < PAIR_LINES; i += 32) {
        const unsigned *to = &met->largest[cluster_ctarank()][i];
        st_shared_cluster(mapa(shared_address(to), threadIdx.x / 32), mine[i]);
    }
    cluster_sync();
}

/* Sets `by` to what all lines are multiplied by: one by their largest magnitude, or 0. Everybody
 * calls it. */
__device__ inline void scale_pairs(pair_exchange *met, const pair_part &p, const pair_numbers &v,
                                   float (&by)[PAIR_LINES])
{
    __shared__ unsigned mine[PAIR_LINES];
    float column = 0, row = 0;
#pragma unroll
    for (int i = 0; i < PAIR_K / APART; i++)
        column = larger(column, v.b[i]);
    row = largest(row, *(const float4 *)v.a);
    if (p.end - p.first > PAIR_K) {
        column = larger(column, largest_of_column(p));
        row = larger(row, largest_of_row(p));
    }
    if (threadIdx.x < PAIR_COLUMNS)
        mine[threadIdx.x] = 0;
    __syncthreads();
    atomicMax(&mine[threadIdx.x % PAIR_COLUMNS], __float_as_uint(column)); /* bits are in order */
    mine[PAIR_COLUMNS + threadIdx.x / 32] = redux_max(__float_as_uint(row));
    __syncthreads();
    tell_lines(met, mine);
    if (threadIdx.x < PAIR_LINES) {
        unsigned m = 0;
        for (int i = 0; i < SPLIT_CLUSTER; i++)
            m = max(m, met->largest[i][threadIdx.x]);
        by[threadIdx.x] = m ? 1 / __uint_as_float(m) : 0;
    }
    __syncthreads();
}

/* ---- sums ----------------------------------------------------------------------------------- */

/* Scales a magnitude; one that is not zero stays so. */
__device__ inline float by_largest(float x, float by)
{
    return x == 0 ? 0 : fmaxf(fabsf(x) * by, 0x1p-149f);
}

/* Returns the sums of a thread's pair, its column and its warp's row. Everybody calls it. */
template <class PARTS>
__device__ inline pair_sums sum_pair(pair_room *room, const pair_numbers &v,
                                     const float (&by)[PAIR_LINES])
{
    constexpr pair_error error = PARTS::ERROR;
    const int column = threadIdx.x % PAIR_COLUMNS, row = threadIdx.x / 32;
    pair_sums sums = {};
#pragma unroll
    for (int i = 0; i < 4; i++)
        room->a[row][threadIdx.x % 32 * 4 + i] = by_largest(v.a[i], by[PAIR_COLUMNS + row]);
#pragma unroll
    for (int i = 0; i < PAIR_K / APART; i++)
        room->b[row + i * APART][column] = by_largest(v.b[i], by[column]);
    __syncthreads();
#pragma unroll 8
    for (int k = 0; k < PAIR_K; k++) {
        const float a = room->a[row][k], b = room->b[k][column];
        sums.s += a * b;
        if (a != 0 && b != 0)
            sums.e2 += error.each + error.factor * (a * a + b * b);
    }
    return sums;
}

/* Is the error of one of the pairs that this thread judges larger than FP32's? Of long k the sums
 * are a part: S grows with k, and E^2 does, too. Everybody calls it. */
__device__ inline bool is_ill_matched(pair_exchange *met, const pair_sums &mine, int depth)
{
    const pair_sums *to = &met->sums[cluster_ctarank()][threadIdx.x % JUDGED_PAIRS];
    const uint32_t there = mapa(shared_address(to), threadIdx.x / JUDGED_PAIRS);
    st_shared_cluster(there, __float_as_uint(mine.s));
    st_shared_cluster(there + sizeof(float), __float_as_uint(mine.e2));
    cluster_sync();
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
                                    const split_matrices &to, int cluster, const S &s)
{
    __shared__ pair_exchange met;
    __shared__ float by[PAIR_LINES];
    cluster_arrive(); /* this block has begun */
    const pair_part p = part_of_pairs(a, b, cluster, s);
    const pair_numbers v = load_pairs(p);
    scale_pairs(&met, p, v, by);
    bool beyond = false;
#pragma unroll
    for (int i = 0; i < PAIR_K / APART; i++)
        beyond |= is_beyond_thirds(v.b[i]);
#pragma unroll
    for (int i = 0; i < 4; i++)
        beyond |= is_beyond_thirds(v.a[i]);
    const facts extreme = to.thirds_of_b && beyond ? IS_EXTREME : 0;
    const bool ill = is_ill_matched(&met, sum_pair<PARTS>(room, v, by), s.depth);
    report(told(PARTS(), to.found), __syncthreads_or(ill) ? IS_UNEVEN | extreme : 0);
}

/* Judges the pairs of a cluster, 0 to PAIR_CLUSTERS - 1, if the way has need of it. Everybody calls
 * it. */
template <class WAYS, class S>
__device__ inline void judge_pairs(pair_room *room, const float *a, const float *b,
                                   const WAYS &ways, int cluster, const S &s)
{
    ways.choose([&](auto parts, const split_matrices &to) {
        if constexpr (decltype(parts)::JUDGES_PAIRS)
            report_pairs<decltype(parts)>(room, a, b, to, cluster, s);
    });
}

#endif
#endif
