/*
 * split_strips.cuh - strips of B: a cluster of blocks has 32 columns, of which each block
 * transposes its part of k through shared memory.
 */
#ifndef LAB2_SPLIT_STRIPS_CUH
#define LAB2_SPLIT_STRIPS_CUH

#include "ptx/async_copy.cuh"
#include "ptx/cluster.cuh"
#include "split_ways.cuh"

#ifdef HAVE_HOPPER

/* A block's part of a strip of B, for which there is a cluster: 32 columns and an eighth of k. */
typedef struct strip_part {
    const float *b;
    shape s;
    int column, first, end; /* rows of the packed matrix: those beyond B's are zeros */
} strip_part;

template <class WAYS>
__device__ inline strip_part part_of_strip(const float *b, int strip, shape s)
{
    const int rank = (int)cluster_ctarank(), lines = padded_k<WAYS>(s.depth) / LINE_K;
    const int share = max(LEAST_STRIP_K / LINE_K, (lines + SPLIT_CLUSTER - 1) / SPLIT_CLUSTER);
    const int first = min(lines, rank * share), end = min(lines, first + share);
    return {b, s, strip * STRIP, first * LINE_K, end * LINE_K};
}

/*
 * Room for rows of a strip, 128 bytes each. The sixteens of bytes of a row change places with each
 * eight rows, so that lanes that read eight neighbours of four rows, 8 apart, read 32 banks. They
 * are alike again TURN rows further on.
 */
enum { TURN = 32 };

typedef struct strip_room {
    float4 rows[STRIP_K][STRIP / 4];
} strip_room;

__device__ inline float *in_strip(strip_room *room, unsigned row, unsigned column)
{
    return (float *)(room->rows[0] + row * (STRIP / 4) + (column / 4 ^ row / 8 % 4 * 2)) +
           column % 4;
}

/* Starts the copies of STRIP_K rows, numbers by WIDTH; zeros for what lies beyond the part. */
template <int WIDTH>
__device__ inline void fetch_strip(strip_room *to, const strip_part *p, int at)
{
    enum { IN_ROW = STRIP / WIDTH, ROWS = SPLITTERS / IN_ROW };
    const unsigned x = threadIdx.x % IN_ROW * WIDTH, row = threadIdx.x / IN_ROW;
    const int k = at + (int)row, column = p->column + (int)x;
    const int end = column < p->s.width ? min(p->end, p->s.depth) : 0;
    const float *from = p->b + (size_t)k * p->s.width + column;
    const size_t apart = (size_t)ROWS * p->s.width;
    float *there = in_strip(to, row, x);
#pragma unroll 4
    for (int i = 0; i < STRIP_K; i += ROWS, from += apart)
        copy_async<4 * WIDTH>(ROWS % TURN == 0 ? there + i * STRIP : in_strip(to, row + i, x),
                              k + i < end ? from : p->b, k + i < end);
}

__device__ inline void fetch_rows(strip_room *to, const strip_part *p, int at)
{
    if (at < p->end && p->s.width % 4 == 0)
        fetch_strip<4>(to, p, at);
    else if (at < p->end)
        fetch_strip<1>(to, p, at);
    copy_async_commit();
}

/* Returns the largest magnitudes of four columns in rows of B from `first` on, before `end`. */
template <bool ALIGNED>
__device__ inline float4 largest_of_rows(const strip_part *p, int first, int end)
{
    enum { AT_ONCE = 4, ROWS = SPLITTERS / (STRIP / 4) };
    const int row = threadIdx.x / (STRIP / 4), x = threadIdx.x % (STRIP / 4) * 4;
    const float *from = p->b + (size_t)(first + row) * p->s.width;
    const size_t apart = (size_t)ROWS * p->s.width;
    float4 m = make_float4(0, 0, 0, 0);
    for (int k = first + row; k < end; k += AT_ONCE * ROWS) {
        float4 v[AT_ONCE];
#pragma unroll
        for (int i = 0; i < AT_ONCE; i++, from += apart)
            v[i] = load_of<ALIGNED>(from, p->column + x, k + i * ROWS < end ? p->s.width : 0);
#pragma unroll
        for (int i = 0; i < AT_ONCE; i++)
            m = largest_of(m, v[i]);
    }
    return m;
}

/* Returns the largest magnitudes of four columns in the rows of this block's part. */
__device__ inline float4 largest_of_part(strip_room *rooms, const strip_part *p)
{
    enum { ROWS = SPLITTERS / (STRIP / 4) };
    const unsigned row = threadIdx.x / (STRIP / 4), x = threadIdx.x % (STRIP / 4) * 4;
    const int held = min(2 * STRIP_K, p->end - p->first), end = min(p->end, p->s.depth);
    const int others = p->first + 2 * STRIP_K;
    float4 m = p->s.width % 4 == 0 ? largest_of_rows<true>(p, others, end)
                                   : largest_of_rows<false>(p, others, end);
    copy_async_wait<0>();
    __syncthreads(); /* everybody's copies are there */
    static_assert(ROWS % TURN == 0);
    const float *from = in_strip(rooms, row, x);
#pragma unroll 4
    for (int i = row; i < held; i += ROWS, from += ROWS * STRIP) /* of one room and the next */
        m = largest_of(m, *(const float4 *)from);
    return m;
}

__device__ inline float largest_of_lanes(float m, int apart)
{
    return larger(m, __shfl_xor_sync(~0u, m, apart));
}

/* What threads of a strip tell each other: largest magnitudes of its columns in the parts of all
 * blocks, as bits, and what they have seen of them. */
typedef struct strip_exchange {
    __align__(16) unsigned of_warps[SPLITTERS / 32][STRIP];
    unsigned of_parts[SPLIT_CLUSTER][STRIP];
    uint64_t inbox; /* of those of parts */
    float2 sums[2][STRIP];
} strip_exchange;

/* Tells each block of the cluster, by a warp, what this block has found. */
__device__ inline void tell_largest(strip_exchange *found, float4 mine)
{
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    for (int apart = STRIP / 4; apart < 32; apart *= 2) {
        mine.x = largest_of_lanes(mine.x, apart);
        mine.y = largest_of_lanes(mine.y, apart);
        mine.z = largest_of_lanes(mine.z, apart);
        mine.w = largest_of_lanes(mine.w, apart);
    }
    if (lane < STRIP / 4)
        *(float4 *)&found->of_warps[warp][lane * 4] = mine;
    __syncthreads();
    unsigned m = 0; /* bits are in order, too */
    for (int i = 0; i < SPLITTERS / 32; i++)
        m = max(m, found->of_warps[i][lane]);
    const unsigned *to = &found->of_parts[cluster_ctarank()][lane];
    const uint32_t inbox = shared_address(&found->inbox);
    cluster_wait(); /* the other blocks have begun */
    st_async(mapa(shared_address(to), warp), m, mapa(inbox, warp));
    await_stores(inbox, sizeof found->of_parts);
}

/*
 * From a tile of STRIP_K rows of the strip to packed lines. A warp has eight columns and each
 * second line of them, of which a lane has a quarter: so lanes read different banks.
 */
typedef struct strip_lane {
    unsigned column, k; /* in the strip; in each two lines */
} strip_lane;

__device__ inline strip_lane lane_of_strip()
{
    const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    return {warp % 4 * 8 + lane / 4, warp / 4 * LINE_K + lane % 4 * 8};
}

template <class PARTS>
__device__ inline void split_columns(strip_room *room, const strip_part *p, uint8_t *line, int k,
                                     const scaling &by, seen *of_column)
{
    const strip_lane l = lane_of_strip();
#pragma unroll
    for (int i = 0; i < STRIP_K; i += 2 * LINE_K) {
        const float *from = in_strip(room, i + l.k, l.column);
        float x[8];
#pragma unroll
        for (int j = 0; j < 8; j++)
            x[j] = from[j * STRIP];
        if (p->column + l.column < p->s.width && k + i + l.k < p->end)
            split_numbers<PARTS>(of_b(), x, by, line, k + i + l.k, of_column);
    }
}

/* Has a column's part a number that thirds will not do for? Eight threads look at an eighth each.
 */
__device__ inline bool is_part_beyond_thirds(const strip_part *p, const strip_lane &l)
{
    bool beyond = false;
    if (p->column + l.column < p->s.width)
#pragma unroll 8
        for (int k = p->first + l.k / 8; k < min(p->end, p->s.depth); k += 2 * LINE_K / 8)
            beyond |= is_beyond_thirds(p->b[(size_t)k * p->s.width + p->column + l.column]);
    return beyond;
}

/* Reports a block's part of its columns, of each of which four lanes of two warps have seen a half:
 * every other line. Everybody calls it. */
template <class PARTS>
__device__ inline void report_columns(const strip_part *p, const split_matrices &to,
                                      unsigned largest, const seen &of_column,
                                      float2 (&sums)[2][STRIP])
{
    const strip_lane l = lane_of_strip();
    float mass = of_column.mass, second = PARTS::SECOND != 0 ? of_column.second : 0;
    unsigned integers = of_column.integers;
    for (int lanes = 1; lanes < 4; lanes *= 2) {
        mass += __shfl_xor_sync(~0u, mass, lanes);
        if constexpr (PARTS::SECOND != 0)
            second += __shfl_xor_sync(~0u, second, lanes);
        integers |= __shfl_xor_sync(~0u, integers, lanes);
    }
    if (l.k % LINE_K == 0) /* one of four */
        sums[l.k / LINE_K][l.column] = make_float2(mass, second);
    __syncthreads();
    mass = sums[0][l.column].x + sums[1][l.column].x;
    second = sums[0][l.column].y + sums[1][l.column].y;
    facts known = PARTS::KIND | facts_of_row_largest(largest) |
                  (of_column.remainder ? B_IS_LOW : 0) | length_of(integers, B_LENGTHS);
    const int count = min(p->end, p->s.depth) - p->first;
    known |= unevenness<PARTS>(mass, second, count, top_of(largest), p->s.depth);
    if ((known & IS_UNEVEN) && to.thirds_of_b && is_part_beyond_thirds(p, l))
        known |= IS_EXTREME;
    report(told(PARTS(), to.found), p->column + l.column < p->s.width ? known : 0);
}

/* Splits a block's part of a strip, whose columns' largest magnitudes are found: 128 rows at a
 * time, while further ones come in. Everybody calls it. */
template <class PARTS>
__device__ inline void split_part(strip_room *rooms, const strip_part *p, strip_exchange *found,
                                  const split_matrices &to)
{
    const strip_lane l = lane_of_strip();
    const int column = p->column + l.column;
    unsigned largest = 0;
    for (int i = 0; i < SPLIT_CLUSTER; i++)
        largest = max(largest, found->of_parts[i][l.column]);
    const scaling by = scaling_for<PARTS>(largest);
    seen of_column = {};
    for (int k = p->first, at = 0; k < p->end; k += STRIP_K, at ^= 1) {
        copy_async_wait<1>();
        __syncthreads();
        split_columns<PARTS>(rooms + at, p, to.b + (size_t)column * pitch<PARTS>(p->s.depth), k, by,
                             &of_column);
        __syncthreads();
        fetch_rows(rooms + at, p, k + 2 * STRIP_K);
    }
    report_columns<PARTS>(p, to, largest, of_column, found->sums);
    if (cluster_ctarank() == 0 && l.k == 0 && column < p->s.width)
        to.column[column] = unscale_for<PARTS>(largest);
}

/*
 * Splits a block's part of a strip: first come the columns' largest magnitudes; it keeps the first
 * 256 rows that it reads for that, the others it reads again, from L2.
 */
template <class WAYS>
__device__ inline void split_strip(strip_room *rooms, strip_part p, const WAYS &ways, bool in_vain)
{
    __shared__ strip_exchange found; /* once for all ways */
    if (threadIdx.x == 0) {
        mbarrier_init(shared_address(&found.inbox), 1);
        fence_mbarrier_init();
    }
    cluster_arrive_relaxed();      /* this block has begun */
    if (__syncthreads_or(in_vain)) /* they may have read different words */
        p.end = p.first;
    fetch_rows(&rooms[0], &p, p.first);
    fetch_rows(&rooms[1], &p, p.first + STRIP_K);
    tell_largest(&found, largest_of_part(rooms, &p));
    ways.choose([&](auto parts, const split_matrices &to) {
        p.end = min(p.end, padded_k<decltype(parts)>(p.s.depth));
        split_part<decltype(parts)>(rooms, &p, &found, to);
    });
}

/* Returns how many clusters split B. */
__host__ __device__ inline int clusters_for_strips(shape s)
{
    return (s.width + STRIP - 1) / STRIP;
}

#endif
#endif
