/*
 * split_rows.cuh - rows of A: a thread holds what it reads of one in registers, until its warps
 * know the row's largest magnitude, and splits it.
 */
#ifndef LAB2_SPLIT_ROWS_CUH
#define LAB2_SPLIT_ROWS_CUH

#include "split_ways.cuh"

#ifdef HAVE_HOPPER

/* Returns how many warps a row of A has: a thread holds HELD x 8 of its elements, if 8 warps
 * suffice for that. */
__host__ __device__ inline int warps_for_row(int k)
{
    const int each = HELD * 8 * 32;
    return k <= each ? 1 : k <= 2 * each ? 2 : k <= 4 * each ? 4 : 8;
}

/* Returns how many of a row's k numbers a warp has from its lanes' `first` on, 8 each. */
__device__ inline int count_of_row(unsigned first, int k)
{
    return max(0, min(k - (int)(first / (8 * 32) * (8 * 32)), 8 * 32));
}

/* What a warp has seen of its numbers of a row. */
typedef struct row_sums {
    float mass, second;
} row_sums;

/* Returns what its lanes have seen, whose sums begin anew. */
template <class PARTS>
__device__ inline row_sums take_sums(seen *of)
{
    row_sums all = {(float)redux_add(__float2int_rn(of->mass)), 0}; /* below 2^15 a number */
    if constexpr (PARTS::SECOND != 0)
        all.second =
            (float)redux_add(__float2int_rn(of->second * (1 / PARTS::SECOND))) * PARTS::SECOND;
    of->mass = of->second = 0;
    return all;
}

/* Returns whether a warp's `count` numbers of a row are uneven, as its lanes have seen them, as
 * facts. */
template <class PARTS>
__device__ inline facts judge_row(seen *of, int count, float largest, int depth)
{
    const row_sums all = take_sums<PARTS>(of);
    return unevenness<PARTS>(all.mass, all.second, count, largest, depth);
}

/* Returns the facts of a warp's share of a row. */
__device__ inline facts facts_of_row(const seen &s, facts uneven)
{
    return (s.remainder ? A_IS_LOW : 0) | uneven | length_of(redux_or(s.integers), A_LENGTHS);
}

/* Reads what a thread holds of a row. */
template <bool ALIGNED>
__device__ inline void load_held(float (&x)[HELD][8], const float *row, int first, int step, int k)
{
#pragma unroll
    for (int i = 0; i < HELD; i++) {
        *(float4 *)x[i] = load_of<ALIGNED>(row, i * step + first, k);
        *(float4 *)(x[i] + 4) = load_of<ALIGNED>(row, i * step + first + 4, k);
    }
}

/* A row of A, and what a thread has of it: eight numbers from `first` on, and from each `step`. */
typedef struct row_share {
    const float *row;
    int y, k; /* beyond A no k */
    int first, step;
    bool odd;
} row_share;

template <class S>
__device__ inline row_share share_of_row(const float *a, int block, const S &s)
{
    const int warps = warps_for_row(s.depth);
    const int y = (block * SPLITTERS + (int)threadIdx.x) / 32 >> (__ffs(warps) - 1);
    return {a + (size_t)y * pitch_of(s),
            y,
            y < s.height ? s.depth : 0,
            8 * (int)(threadIdx.x & (32 * warps - 1)), /* powers of two */
            8 * 32 * warps,
            has_odd_rows(a, s)};
}

/* Reads what a thread holds of a row and returns the bits of the whole row's largest magnitude.
 * Everybody calls it. */
__device__ inline unsigned hold_row(float (&x)[HELD][8], const row_share &r)
{
    __shared__ unsigned of_warps[SPLITTERS / 32];
    const int warps = r.step / (8 * 32), warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    float most = 0;
    if (!r.odd && r.k % 4 == 0)
        load_held<true>(x, r.row, r.first, r.step, r.k);
    else
        load_held<false>(x, r.row, r.first, r.step, r.k);
#pragma unroll
    for (int i = 0; i < HELD; i++)
        most = largest(largest(most, *(float4 *)x[i]), *(float4 *)(x[i] + 4));
    for (int i = HELD * r.step + r.first; i < r.k; i += r.step)
        most =
            largest(largest(most, load_4(r.row, i, r.k, r.odd)), load_4(r.row, i + 4, r.k, r.odd));
    const unsigned m = redux_max(__float_as_uint(most)); /* bits are in order, too */
    if (warps == 1)
        return m;
    if (lane == 0)
        of_warps[warp] = m;
    __syncthreads();
    return redux_max(lane < warps ? of_warps[(warp & -warps) + lane] : 0); /* the row's first on */
}

/* Has what a thread has of a row a number that thirds will not do for? It is read again. */
__device__ inline bool is_row_beyond_thirds(const row_share &r)
{
    bool beyond = false;
#pragma unroll 4
    for (int i = r.first; i < r.k; i += r.step) {
        float x[8];
        *(float4 *)x = load_4(r.row, i, r.k, r.odd);
        *(float4 *)(x + 4) = load_4(r.row, i + 4, r.k, r.odd);
#pragma unroll
        for (int j = 0; j < 8; j++)
            beyond |= is_beyond_thirds(x[j]);
    }
    return beyond;
}

/* Judges a warp's SHARES of what its lanes hold of a row, a share by each of as many lanes. */
template <class PARTS, int SHARES>
__device__ inline facts judge_held(const row_sums (&sums)[SHARES], const row_share &r, float top,
                                   int depth)
{
    const int mine = threadIdx.x % SHARES;
    row_sums its = sums[0];
    int count = 0;
#pragma unroll
    for (int i = 1; i < SHARES; i++)
        if (mine == i)
            its = sums[i];
#pragma unroll
    for (int i = 0; i < PARTS::JUDGED; i++)
        count += count_of_row((mine * PARTS::JUDGED + i) * r.step + r.first, r.k);
    const facts known = unevenness<PARTS>(its.mass, its.second, count, top, depth);
    return redux_or((unsigned)known);
}

/* Splits what a thread holds, whose row has the largest magnitude `m`, and what lies behind it,
 * which it reads again. Everybody calls it. */
template <class PARTS, class S>
__device__ inline void split_held(const float (&x)[HELD][8], const row_share &r, unsigned m,
                                  const split_matrices &to, const S &s)
{
    uint8_t *line = to.a + (size_t)r.y * pitch<PARTS>(s.depth);
    const float top = top_of(m);
    const scaling by = scaling_for<PARTS>(m);
    row_sums sums[HELD / PARTS::JUDGED];
    seen share = {};
#pragma unroll
    for (int i = 0; i < HELD; i++) {
        const int at = i * r.step + r.first;
        if (at < padded_k<PARTS>(r.k))
            split_numbers<PARTS>(of_a(), x[i], by, line, at, &share);
        if ((i + 1) % PARTS::JUDGED == 0)
            sums[i / PARTS::JUDGED] = take_sums<PARTS>(&share);
    }
    facts known = facts_of_row(share, judge_held<PARTS>(sums, r, top, s.depth));
    for (int at = HELD * r.step + r.first; at - at % (8 * 32) < r.k; at += r.step) {
        float more[8];
        seen now = {};
        *(float4 *)more = load_4(r.row, at, r.k, r.odd);
        *(float4 *)(more + 4) = load_4(r.row, at + 4, r.k, r.odd);
        if (at < padded_k<PARTS>(r.k))
            split_numbers<PARTS>(of_a(), more, by, line, at, &now);
        known |= facts_of_row(now, judge_row<PARTS>(&now, count_of_row(at, r.k), top, s.depth));
    }
    if ((known & IS_UNEVEN) && to.thirds_of_b && is_row_beyond_thirds(r))
        known |= IS_EXTREME;
    known |= PARTS::KIND | facts_of_row_largest(m) | (takes_k<PARTS>(s.depth) ? 0 : IS_SHORT);
    report(told(PARTS(), to.found), known);
}

/*
 * Splits a row of A by 1, 2, 4 or 8 of a block's warps, which read it once if it has HELD x 2048
 * elements at most; of more they read those behind them again.
 */
template <class WAYS, class S>
__device__ inline void split_row(const float *a, const WAYS &ways, int block, const S &s)
{
    const row_share r = share_of_row(a, block, s);
    float x[HELD][8];
    const unsigned m = hold_row(x, r);
    ways.choose([&](auto parts, const split_matrices &to) {
        using PARTS = decltype(parts);
        if (r.first == 0 && r.y < s.height)
            to.row[r.y] = unscale_for<PARTS>(m);
        split_held<PARTS>(x, r, m, to, s);
    });
}

/* Returns how many clusters split A. */
__host__ __device__ inline int clusters_for_rows(shape s)
{
    enum { WARPS = SPLIT_CLUSTER * SPLITTERS / 32 };
    return (s.height * warps_for_row(s.depth) + WARPS - 1) / WARPS;
}

#endif
#endif
