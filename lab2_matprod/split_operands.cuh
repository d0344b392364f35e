/*
 * split_operands.cuh - the first kernel of tensor_split, tensor_mixed and tensor_int8_slices: rows
 * of A and columns of B are scaled and split into parts of few bits, packed in lines of 128 bytes.
 * How a number is split is PARTS' own: split_8(PARTS, ...) in the .cu file. All that is known of
 * the data afterwards stands in the verdict.
 */
#ifndef LAB2_SPLIT_OPERANDS_CUH
#define LAB2_SPLIT_OPERANDS_CUH

#include "panel.cuh"
#include "ptx/async_copy.cuh"
#include "ptx/cluster.cuh"
#include "ptx/wgmma.cuh" /* WARPGROUP */
#include "split_scale.cuh"
#include "tensor.cuh" /* load_4() */

#ifdef HAVE_HOPPER

enum {
    LINE_K = 32,                  /* of k that a warp splits of a column at a time */
    LINE_BYTES = 128,             /* a packed line, of parts of one kind */
    LINE_HALVES = LINE_BYTES / 2, /* as the copies count it */
    TILE_ROWS = 128,              /* of a block's tile */
    SPLIT_THREADS = 3 * WARPGROUP /* of tensor_split */
};

typedef struct split_matrices {
    uint8_t *a, *b;        /* packed: rows of A, columns of B, in lines of pitch() bytes */
    uint8_t *thirds_of_b;  /* those of A take a's place (bf16_thirds.cuh); NULL: there are none */
    unscale *row, *column; /* one each, padded to whole tiles */
    verdict *found;
} split_matrices;

template <class PARTS>
__host__ __device__ inline int padded_k(int k)
{
    return (k + PARTS::WHOLE_K - 1) / PARTS::WHOLE_K * PARTS::WHOLE_K;
}

template <class PARTS>
__host__ __device__ inline int pitch(int k)
{
    return padded_k<PARTS>(k) * PARTS::K_BYTES;
}

/* ---- the split ------------------------------------------------------------------------------ */

enum {
    SPLITTERS = 256,     /* threads of a block */
    SPLIT_CLUSTER = 8,   /* blocks, as many as warps: each has a part of k of a strip of B */
    STRIP = 32,          /* columns of B */
    HELD = 4,            /* x 8 numbers of a row of A that stay in a thread's registers */
    STRIP_K = 128,       /* of k that a block transposes at a time, of two that it holds */
    LEAST_STRIP_K = 128, /* of k that a block has of a strip, if there is so much */
    EARLY_BLOCKS = 512   /* begin before anything is known */
};

/*
 * The ways of a kernel that has one: choose(split) calls split with how numbers are split and where
 * the parts go. It is asked for behind the largest magnitudes, which are the same for all ways.
 */
template <class PARTS>
struct only_way {
    static constexpr int WHOLE_K = PARTS::WHOLE_K;
    const split_matrices &to;
    __device__ const verdict *found() const
    {
        return to.found;
    }
    template <class SPLIT>
    __device__ void choose(SPLIT split) const
    {
        split(PARTS(), to);
    }
};

/* Returns where the split tells what it has found. */
template <class PARTS>
__device__ inline facts *told(PARTS, verdict *v)
{
    return &v->now;
}

/* Returns how many warps a row of A has: a thread holds HELD x 8 of its elements, if 8 warps
 * suffice for that. */
__host__ __device__ inline int warps_for_row(int k)
{
    const int each = HELD * 8 * 32;
    return k <= each ? 1 : k <= 2 * each ? 2 : k <= 4 * each ? 4 : 8;
}

template <class PARTS>
__host__ __device__ inline bool takes_k(int k)
{
    return k >= PARTS::SHORTEST_K && k <= PARTS::LONGEST_K;
}

/* Returns how many of a row's k numbers a warp has from its lanes' `first` on, 8 each. */
__device__ inline int count_of_row(unsigned first, int k)
{
    return max(0, min(k - (int)(first / (8 * 32) * (8 * 32)), 8 * 32));
}

/* Are a warp's `count` numbers of a row uneven, as its lanes have seen them? Their sums begin anew.
 */
template <class PARTS>
__device__ inline bool judge_row(seen *of, int count, float largest, int depth)
{
    const float mass = (float)redux_add(__float2int_rn(of->mass)); /* below 2^15 a number */
    float squares = 0;
    if constexpr (PARTS::TAKES_SQUARES)
        squares = (float)redux_add(__float2int_rn(of->squares * 0x1p-14f)) * 0x1p14f;
    of->mass = of->squares = 0;
    return is_uneven<PARTS>(mass, squares, count, largest, depth);
}

/* Returns the facts of a warp's share of a row. */
__device__ inline facts facts_of_row(const seen &s, bool uneven)
{
    return (s.remainder ? A_IS_LOW : 0) | (uneven ? IS_UNEVEN : 0) |
           length_of(redux_or(s.integers), A_LENGTHS);
}

/* Is a number too large or too small for thirds (bf16_thirds.cuh), whatever the others are? */
__device__ inline bool is_beyond_thirds(float x)
{
    const float magnitude = fabsf(x);
    return magnitude != 0 && !(magnitude >= 0x1p-87f && magnitude < 0x1p39f);
}

/*
 * Returns what is told of a row's largest magnitude. Later blocks may leave before they look at
 * theirs: which of them do must not decide anything, so that early ones tell of large numbers.
 */
__device__ inline facts facts_of_row_largest(unsigned magnitude)
{
    return facts_of_largest(magnitude) & ~(facts)(blockIdx.x < EARLY_BLOCKS ? 0 : IS_LARGE);
}

/* By what a row's numbers are multiplied: a power of two, and PARTS' own fill. */
typedef struct scaling {
    float scale, fill;
} scaling;

template <class PARTS>
__device__ inline scaling scaling_for(unsigned largest)
{
    float fill = 1;
    if constexpr (PARTS::FILLS)
        fill = PARTS::fill(top_of(largest));
    return {scale_for(largest), fill};
}

/* Splits eight consecutive k of a row into a packed line, and looks at them. */
template <class PARTS, class FACTOR>
__device__ inline void split_numbers(FACTOR, const float *x, const scaling &by, uint8_t *line,
                                     int k, seen *of)
{
    see_bits<8>(of, x, by.scale);
    split_8(PARTS(), FACTOR(), x, by.scale, by.fill, line, k, of);
}

/* Returns four numbers of a line, as load_4() does. Lines that are ALIGNED begin and end at
 * multiples of 16 bytes, which spares a branch for each four. */
template <bool ALIGNED>
__device__ inline float4 load_of(const float *line, int i, int length)
{
    if (!ALIGNED)
        return load_4(line, i, length, true);
    return i < length ? *(const float4 *)(line + i) : make_float4(0, 0, 0, 0);
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
    const int y = block * (SPLITTERS / 32 / warps) + threadIdx.x / 32 / warps;
    return {a + (size_t)y * pitch_of(s),
            y,
            y < s.height ? s.depth : 0,
            8 * (int)(threadIdx.x % (32 * warps)),
            8 * 32 * warps,
            has_odd_rows(a, s)};
}

/* Reads what a thread holds of a row and returns the bits of the whole row's largest magnitude.
 * Everybody calls it. */
__device__ inline unsigned hold_row(float (&x)[HELD][8], const row_share &r)
{
    __shared__ unsigned of_warps[SPLITTERS / 32];
    const int warps = r.step / (8 * 32), warp = threadIdx.x / 32;
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
    unsigned m = redux_max(__float_as_uint(most)); /* bits are in order, too */
    if (threadIdx.x % 32 == 0)
        of_warps[warp] = m;
    __syncthreads();
    for (int i = 0; i < warps; i++)
        m = max(m, of_warps[warp / warps * warps + i]);
    return m;
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

/* Splits what a thread holds, whose row has the largest magnitude `m`, and what lies behind it,
 * which it reads again. Everybody calls it. */
template <class PARTS, class S>
__device__ inline void split_held(const float (&x)[HELD][8], const row_share &r, unsigned m,
                                  const split_matrices &to, const S &s)
{
    uint8_t *line = to.a + (size_t)r.y * pitch<PARTS>(s.depth);
    const float top = top_of(m);
    const scaling by = scaling_for<PARTS>(m);
    bool uneven = false;
    seen share = {};
    int count = 0;
#pragma unroll
    for (int i = 0; i < HELD; i++) {
        const int at = i * r.step + r.first;
        if (at < padded_k<PARTS>(r.k))
            split_numbers<PARTS>(of_a(), x[i], by, line, at, &share);
        count += count_of_row(at, r.k);
        if ((i + 1) % PARTS::JUDGED == 0) {
            uneven |= judge_row<PARTS>(&share, count, top, s.depth);
            count = 0;
        }
    }
    facts known = facts_of_row(share, uneven);
    for (int at = HELD * r.step + r.first; at - at % (8 * 32) < r.k; at += r.step) {
        float more[8];
        seen now = {};
        *(float4 *)more = load_4(r.row, at, r.k, r.odd);
        *(float4 *)(more + 4) = load_4(r.row, at + 4, r.k, r.odd);
        if (at < padded_k<PARTS>(r.k))
            split_numbers<PARTS>(of_a(), more, by, line, at, &now);
        uneven = judge_row<PARTS>(&now, count_of_row(at, r.k), top, s.depth);
        known |= facts_of_row(now, uneven);
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

__device__ inline float4 largest_of(const float4 &m, const float4 &v)
{
    return make_float4(larger(m.x, v.x), larger(m.y, v.y), larger(m.z, v.z), larger(m.w, v.w));
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

/* Largest magnitudes of a strip's columns in the parts of all blocks, as bits. */
typedef struct strip_largest {
    __align__(16) unsigned of_warps[SPLITTERS / 32][STRIP];
    unsigned of_parts[SPLIT_CLUSTER][STRIP];
} strip_largest;

/* Tells each block of the cluster, by a warp, what this block has found. */
__device__ inline void tell_largest(strip_largest *found, float4 mine)
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
    cluster_wait(); /* the other blocks have begun */
    st_shared_cluster(mapa(shared_address(to), warp), m);
    cluster_sync();
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
                                      unsigned largest, const seen &of_column)
{
    __shared__ float2 sums[2][STRIP];
    const strip_lane l = lane_of_strip();
    float mass = of_column.mass, squares = PARTS::TAKES_SQUARES ? of_column.squares : 0;
    unsigned integers = of_column.integers;
    for (int lanes = 1; lanes < 4; lanes *= 2) {
        mass += __shfl_xor_sync(~0u, mass, lanes);
        if constexpr (PARTS::TAKES_SQUARES)
            squares += __shfl_xor_sync(~0u, squares, lanes);
        integers |= __shfl_xor_sync(~0u, integers, lanes);
    }
    if (l.k % LINE_K == 0) /* one of four */
        sums[l.k / LINE_K][l.column] = make_float2(mass, squares);
    __syncthreads();
    mass = sums[0][l.column].x + sums[1][l.column].x;
    squares = sums[0][l.column].y + sums[1][l.column].y;
    facts known = PARTS::KIND | facts_of_row_largest(largest) |
                  (of_column.remainder ? B_IS_LOW : 0) | length_of(integers, B_LENGTHS);
    const int count = min(p->end, p->s.depth) - p->first;
    if (is_uneven<PARTS>(mass, squares, count, top_of(largest), p->s.depth))
        known |= IS_UNEVEN | (to.thirds_of_b && is_part_beyond_thirds(p, l) ? IS_EXTREME : 0);
    report(told(PARTS(), to.found), p->column + l.column < p->s.width ? known : 0);
}

/* Splits a block's part of a strip, whose columns' largest magnitudes are found: 128 rows at a
 * time, while further ones come in. Everybody calls it. */
template <class PARTS>
__device__ inline void split_part(strip_room *rooms, const strip_part *p,
                                  const strip_largest *found, const split_matrices &to)
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
    report_columns<PARTS>(p, to, largest, of_column);
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
    __shared__ strip_largest found;
    cluster_arrive();              /* this block has begun */
    if (__syncthreads_or(in_vain)) /* they may have read different words */
        p.end = p.first;
    fetch_rows(&rooms[0], &p, p.first);
    fetch_rows(&rooms[1], &p, p.first + STRIP_K);
    tell_largest(&found, largest_of_part(rooms, &p));
    ways.choose([&](auto parts, const split_matrices &to) {
        split_part<decltype(parts)>(rooms, &p, &found, to);
    });
}

/* Returns how many clusters split A, and below how many split B. */
__host__ __device__ inline int clusters_for_rows(shape s)
{
    const int rows = SPLIT_CLUSTER * (SPLITTERS / 32 / warps_for_row(s.depth));
    return (s.height + rows - 1) / rows;
}

__host__ __device__ inline int clusters_for_strips(shape s)
{
    return (s.width + STRIP - 1) / STRIP;
}

/*
 * Returns how many of the first c clusters have a strip of B; the others have rows of A. Strips
 * take longest: they are spread evenly, so that not too many begin at once, over the first four
 * fifths.
 */
__device__ inline int strips_before(int c, shape s)
{
    const int strips = clusters_for_strips(s);
    const int among = max(strips, (strips + clusters_for_rows(s)) * 4 / 5);
    return min(strips, (c * strips + among - 1) / among);
}

#ifdef HOPPER_CODE
/*
 * Splits what falls to this block. Who begins when it is known already that the parts will not do
 * leaves it at that.
 */
template <class WAYS, class S>
__device__ inline void split_by_block(strip_room *rooms, const float *a, const float *b,
                                      const WAYS &ways, const S &s)
{
    const int c = blockIdx.x / SPLIT_CLUSTER, before = strips_before(c, s);
    const bool in_vain = blockIdx.x >= EARLY_BLOCKS && (__ldcg(&ways.found()->now) & UNFIT);
    if (strips_before(c + 1, s) > before)
        split_strip(rooms, part_of_strip<WAYS>(b, before, s), ways, in_vain);
    else if (!__syncthreads_or(in_vain)) /* they may have read different words */
        split_row(a, ways, (c - before) * SPLIT_CLUSTER + (int)cluster_ctarank(), s);
}
#endif

/* Splits both matrices. */
template <class PARTS, class S = shape>
__global__ void __launch_bounds__(SPLITTERS, 4)
    split_operands(const float *a, const float *b, split_matrices to, S s)
{
#ifdef HOPPER_CODE
    __shared__ strip_room rooms[2];
    griddepcontrol_launch_dependents();
    griddepcontrol_wait();
    split_by_block(rooms, a, b, only_way<PARTS>{to}, s);
#endif
}

#endif
#endif
