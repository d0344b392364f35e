/*
 * tensor_split.cuh - FP32's accuracy from the FP16 tensor cores of compute capability 9.0.
 *
 * Each row of A and each column of B is multiplied by a power of two, so that its largest magnitude
 * lies in [2^14, 2^15), and each number is split in two of FP16, x = high + low, which together
 * keep 22 bits or more. Then a b = high high + high low + low high: three products in FP16 for one,
 * at a rate 15 times FP32's. The fourth, low low, is less than 2^-22 of the first and is left out.
 * Low parts are not scaled by themselves: all three products go into one sum.
 *
 * Two kernels, the second of which is set up while the first one ends:
 *
 *   split_operands   both matrices into packed lines of 128 bytes, 32 high parts and the 32 low
 *                    parts of the same k; B transposed, since wgmma wants k consecutive
 *   tensor_split     the product of the packed matrices
 *
 * Both take a whole product, or a panel of one (panel.cuh), whose product is added to C.
 *
 *              B: 256 columns                      a stage: 128 lines of A, 256 of B
 *            +--------+--------+                   k      0..31        0..31
 *            |  half  |  half  |                        +---------+---------+
 *            +--------+--------+                   line |  high   |   low   |  128 bytes
 *   A  +--+  +--------+--------+  group 1               +---------+---------+
 *  128 |  |  |        |        |  64 rows          48 KB a stage, a ring of four: one thread of
 *  rows|  |  +--------+--------+  group 2          group 0 copies (TMA) into stages that are free,
 *      +--+  |        |        |  64 rows          the groups 1 and 2 multiply what has arrived
 *            +--------+--------+
 *
 * The tensor cores add with truncation: sums that are kept there lose 2^-24 of themselves on the
 * average with each step, always towards zero. So they only keep those of two stages, 64 of k,
 * which are then added, rounded, to sums in FP32 registers ("promoted"), and what such a block
 * loses on the average is known and put back with that.
 *
 * Registers: 2 x 64 FP32 sums and the 64 of the tensor cores, which the two halves of the tile take
 * in turns, are 192 of a thread's 240; groups 1 and 2 have these because group 0 gives all but 24
 * of its own back. While one group adds up, the tensor cores work for the other.
 *
 * Blocks in a cluster share what they load: two blocks, one below the other, each copy half of B's
 * lines to both. Where the tiles are too few for the card, they have 128 columns, and the blocks
 * of a cluster each take a part of k and then add up each other's sums in a fixed order.
 *
 * Which data is it for? What is more than 2^16 times smaller than its row's largest keeps only an
 * absolute error, 2^-39 of that. A row (a column of B) is even if at most three eighths of it are
 * below 2^-7 of its largest. Where all are, a quarter of an element's products at least have two
 * large factors, and what the small ones lose is less than 2^-23 of |A||B|, whatever the data. The
 * split counts. Where a row is uneven, a number not finite or k short, which the second kernel
 * learns from a word in memory, it multiplies A and B as they are, in FP32, without tensor cores.
 */
#ifndef LAB2_TENSOR_SPLIT_CUH
#define LAB2_TENSOR_SPLIT_CUH

#include "async_copy.cuh"
#include "hopper.cuh"
#include "panel.cuh"
#include "tensor_tf32.cuh" /* load_4() */

#ifdef HAVE_HOPPER

enum {
    LINE_K = 32,              /* of k in a packed line */
    LINE_BYTES = 128,         /* so many high parts, and as many low ones */
    TILE_ROWS = 128,          /* of a block's tile */
    SPLIT_THREADS = 3 * GROUP /* of tensor_split */
};

/* What differs between this way and that of tensor_int8_slices.cuh. */
struct fp16_parts {
    enum {
        LARGEST = 14,   /* the largest magnitude of a row is scaled to [2^14, 2^15) */
        K_BYTES = 4,    /* of a packed line for each of k */
        WHOLE_K = 64,   /* packed lines hold multiples of it */
        STEP = 2,       /* stages that are multiplied together */
        SHORTEST_K = 64 /* for less the tensor cores are not worth it, nor is the bound */
    };
    static constexpr float FULL = 1; /* by which a scaled number is multiplied, too */
};

/* What the split found: bits of verdict.range. */
enum range_bits {
    IS_UNEVEN = 1,   /* in some row of A or column of B too many are below 2^-7 of its largest */
    NOT_FOR_FP16 = 2 /* infinite, NaN, so small that the scale has no float; or k is short */
};

/* In device memory, zeros at first: the split adds to `range`, the last block to end clears it. */
typedef struct verdict {
    unsigned range;
    unsigned ended; /* blocks of tensor_split */
    unsigned taken; /* the last run's range */
} verdict;

/* 2^-e = x y, which undoes a scale: in two steps, so that neither over- nor underflows. */
typedef float2 unscale;

typedef struct split_matrices {
    uint8_t *a, *b;        /* packed: rows of A, columns of B, in lines of pitch() bytes */
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
    SPLITTERS = 256,    /* threads of a block */
    SPLIT_CLUSTER = 8,  /* blocks, as many as warps: each has a part of k of a strip of B */
    STRIP = 32,         /* columns of B */
    HELD = 4,           /* x 8 numbers of a row of A that stay in a thread's registers */
    STRIP_K = 128,      /* of k that a block transposes at a time, of two that it holds */
    LEAST_STRIP_K = 128 /* of k that a block has of a strip, if there is so much */
};

/* The larger magnitude; NaN if one of them is. */
__device__ inline float larger(float x, float y)
{
    float larger;
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(larger) : "f"(fabsf(x)), "f"(fabsf(y)));
    return larger;
}

__device__ inline float largest(float m, const float4 &v)
{
    return larger(larger(larger(larger(m, v.x), v.y), v.z), v.w);
}

/* e for which 2^e times the largest magnitude, given by its bits, is as PARTS wants it. */
template <class PARTS>
__device__ inline int scale_exponent(unsigned magnitude)
{
    int exponent = PARTS::LARGEST - ((int)(magnitude >> 23) - 127);
    return magnitude == 0 ? 0 : max(-126, min(126, exponent));
}

__device__ inline float power_of_2(int e)
{
    return __int_as_float((e + 127) << 23);
}

template <class PARTS>
__device__ inline float scale_for(unsigned magnitude)
{
    return power_of_2(scale_exponent<PARTS>(magnitude)) * PARTS::FULL;
}

template <class PARTS>
__device__ inline unscale unscale_for(unsigned magnitude)
{
    int e = -scale_exponent<PARTS>(magnitude);
    return make_float2(power_of_2(e >> 1) / PARTS::FULL, power_of_2(e - (e >> 1)));
}

/*
 * Splits two neighbours in k, scaled: their largest is in [2^14, 2^15). The difference is exact.
 * Adds one to a half of `large` for each that is not below 2^-7 of that: FP16 counts to 2048.
 */
__device__ inline void split_2(float x, float y, unsigned *high, unsigned *low, __half2 *large)
{
    const __half2 h = __floats2half2_rn(x, y);
    const float2 rounded = __half22float2(h);
    const __half2 l = __floats2half2_rn(x - rounded.x, y - rounded.y);
    *high = *(const unsigned *)&h;
    *low = *(const unsigned *)&l;
    *large = __hadd2(*large, __hge2(__habs2(h), __float2half2_rn(128)));
}

/* Eight consecutive k of a line: 16 bytes of high parts, and 16 of low ones 64 bytes further on. */
__device__ inline void split_8(fp16_parts, const float *x, float scale, uint8_t *line, int k,
                               __half2 *large)
{
    uint4 high, low;
    split_2(x[0] * scale, x[1] * scale, &high.x, &low.x, large);
    split_2(x[2] * scale, x[3] * scale, &high.y, &low.y, large);
    split_2(x[4] * scale, x[5] * scale, &high.z, &low.z, large);
    split_2(x[6] * scale, x[7] * scale, &high.w, &low.w, large);
    uint8_t *to = line + k / LINE_K * LINE_BYTES + k % LINE_K * sizeof(__half);
    *(uint4 *)to = high;
    *(uint4 *)(to + LINE_BYTES / 2) = low;
}

/* Adds bits to what is known of all: a warp does. */
__device__ inline void report(verdict *found, unsigned bits)
{
    bits = warp_or(bits);
    if (threadIdx.x % 32 == 0 && bits)
        atomicOr(&found->range, bits);
}

/*
 * Is a share of a row uneven, of whose `count` elements so many are large? A few are forgiven: a
 * share has 32 of k or more, so that three eighths of a row at most are not large.
 */
__device__ inline bool is_uneven(int count, int large)
{
    return large < count - count / 4 - 4;
}

__device__ inline int sum_of(__half2 counts)
{
    return (int)(__low2float(counts) + __high2float(counts));
}

template <class PARTS>
__device__ inline bool has_no_scale(unsigned magnitude)
{
    const bool tiny = magnitude >> 23 < 1 + PARTS::LARGEST; /* the exponent is 126 at most */
    return magnitude >= 0x7F800000u || (magnitude != 0 && tiny);
}

/* Warps for a row of A: a thread holds HELD x 8 of its elements, if 8 warps suffice for that. */
__host__ __device__ inline int warps_for_row(int k)
{
    const int each = HELD * 8 * 32;
    return k <= each ? 1 : k <= 2 * each ? 2 : k <= 4 * each ? 4 : 8;
}

/*
 * A row of A has 1, 2, 4 or 8 of a block's warps, which read it once if it has HELD x 2048 elements
 * at most; of more they read those behind them again.
 */
template <class PARTS, class S>
__device__ inline void split_row(const float *a, split_matrices to, int block, const S &s)
{
    const int warps = warps_for_row(s.depth), step = 8 * 32 * warps, warp = threadIdx.x / 32;
    const int y = block * (SPLITTERS / 32 / warps) + warp / warps;
    const int first = 8 * (threadIdx.x % (32 * warps)), k = y < s.height ? s.depth : 0;
    const float *row = a + (size_t)y * pitch_of(s);
    const bool odd = has_odd_rows(a, s);
    uint8_t *line = to.a + (size_t)y * pitch<PARTS>(s.depth);
    __shared__ unsigned of_warps[SPLITTERS / 32];
    float x[HELD][8];
    float most = 0;
#pragma unroll
    for (int i = 0; i < HELD; i++) {
        *(float4 *)x[i] = load_4(row, i * step + first, k, odd);
        *(float4 *)(x[i] + 4) = load_4(row, i * step + first + 4, k, odd);
    }
#pragma unroll
    for (int i = 0; i < HELD; i++)
        most = largest(largest(most, *(float4 *)x[i]), *(float4 *)(x[i] + 4));
    for (int i = HELD * step + first; i < k; i += step)
        most = largest(largest(most, load_4(row, i, k, odd)), load_4(row, i + 4, k, odd));
    unsigned m = warp_largest(__float_as_uint(most)); /* bits are in order, too */
    if (threadIdx.x % 32 == 0)
        of_warps[warp] = m;
    __syncthreads();
    for (int i = 0; i < warps; i++)
        m = max(m, of_warps[warp / warps * warps + i]);
    if (first == 0 && y < s.height)
        to.row[y] = unscale_for<PARTS>(m);

    const float scale = scale_for<PARTS>(m);
    __half2 large = __float2half2_rn(0);
    int count = 0;
#pragma unroll
    for (int i = 0; i < HELD; i++)
        if (i * step + first < padded_k<PARTS>(k))
            split_8(PARTS(), x[i], scale, line, i * step + first, &large);
    for (int i = HELD * step + first; i < padded_k<PARTS>(k); i += step) {
        float more[8];
        *(float4 *)more = load_4(row, i, k, odd);
        *(float4 *)(more + 4) = load_4(row, i + 4, k, odd);
        split_8(PARTS(), more, scale, line, i, &large);
    }
    for (int i = first - 8 * (threadIdx.x % 32); i < k; i += step)
        count += min(k - i, 8 * 32); /* of the warp */
    const bool uneven = m != 0 && is_uneven(count, warp_sum(sum_of(large)));
    const bool not_for_fp16 = has_no_scale<PARTS>(m) || s.depth < PARTS::SHORTEST_K;
    report(to.found, (uneven ? IS_UNEVEN : 0) | (not_for_fp16 ? NOT_FOR_FP16 : 0));
}

/* A block's part of a strip of B, for which there is a cluster: 32 columns and an eighth of k. */
typedef struct strip_part {
    const float *b;
    shape s;
    int column, first, end; /* rows of the packed matrix: those beyond B's are zeros */
} strip_part;

template <class PARTS>
__device__ inline strip_part part_of_strip(const float *b, int strip, shape s)
{
    const int rank = (int)cluster_rank(), lines = padded_k<PARTS>(s.depth) / LINE_K;
    const int share = max(LEAST_STRIP_K / LINE_K, (lines + SPLIT_CLUSTER - 1) / SPLIT_CLUSTER);
    const int first = min(lines, rank * share), end = min(lines, first + share);
    return {b, s, strip * STRIP, first * LINE_K, end * LINE_K};
}

/*
 * Room for rows of a strip, 128 bytes each. The sixteens of bytes of a row change places with each
 * eight rows, so that lanes that read eight neighbours of four rows, 8 apart, read 32 banks.
 */
typedef struct strip_room {
    float4 rows[STRIP_K][STRIP / 4];
} strip_room;

__device__ inline float *in_strip(strip_room *room, int row, int column)
{
    return (float *)&room->rows[row][column / 4 ^ row / 8 % 4 * 2] + column % 4;
}

/* Starts the copies of STRIP_K rows, numbers by WIDTH; zeros for what lies beyond the part. */
template <int WIDTH>
__device__ inline void fetch_strip(strip_room *to, const strip_part *p, int at)
{
    enum { IN_ROW = STRIP / WIDTH };
    const int x = threadIdx.x % IN_ROW * WIDTH, column = p->column + x;
#pragma unroll 4
    for (int i = threadIdx.x / IN_ROW; i < STRIP_K; i += SPLITTERS / IN_ROW) {
        const bool inside = at + i < min(p->end, p->s.depth) && column < p->s.width;
        copy_async<4 * WIDTH>(in_strip(to, i, x),
                              inside ? p->b + (size_t)(at + i) * p->s.width + column : p->b,
                              inside);
    }
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

/* Of four columns in the rows of a part: those in both rooms, and those behind them. */
__device__ inline float4 largest_of_part(strip_room *rooms, const strip_part *p)
{
    enum { AT_ONCE = 8, ROWS = SPLITTERS / (STRIP / 4) };
    const int row = threadIdx.x / (STRIP / 4), x = threadIdx.x % (STRIP / 4) * 4;
    const int held = min(2 * STRIP_K, p->end - p->first), end = min(p->end, p->s.depth);
    float4 m = make_float4(0, 0, 0, 0);
    for (int k = p->first + 2 * STRIP_K; k < end; k += AT_ONCE * ROWS) {
        float4 v[AT_ONCE];
#pragma unroll
        for (int i = 0; i < AT_ONCE; i++)
            v[i] = load_4(p->b + (size_t)(k + i * ROWS + row) * p->s.width, p->column + x,
                          k + i * ROWS + row < end ? p->s.width : 0);
#pragma unroll
        for (int i = 0; i < AT_ONCE; i++)
            m = largest_of(m, v[i]);
    }
    copy_async_wait<0>();
    __syncthreads(); /* everybody's copies are there */
    for (int i = row; i < held; i += ROWS)
        m = largest_of(m, *(float4 *)in_strip(rooms + i / STRIP_K, i % STRIP_K, x));
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

/* Each warp tells one block of the cluster what this block has found. */
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
    const unsigned *to = &found->of_parts[cluster_rank()][lane];
    cluster_wait(); /* the other blocks have begun */
    cluster_store(cluster_address(shared_address(to), warp), m);
    cluster_sync();
}

/*
 * From a tile of STRIP_K rows of the strip to packed lines. A warp has eight columns and each
 * second line of them, of which a lane has a quarter: so lanes read different banks.
 */
typedef struct strip_lane {
    int column, k; /* in the strip; in each two lines */
} strip_lane;

__device__ inline strip_lane lane_of_strip()
{
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    return {warp % 4 * 8 + lane / 4, warp / 4 * LINE_K + lane % 4 * 8};
}

template <class PARTS>
__device__ inline void split_columns(strip_room *room, const strip_part *p, uint8_t *line, int k,
                                     float scale, __half2 *large)
{
    const strip_lane l = lane_of_strip();
#pragma unroll
    for (int i = 0; i < STRIP_K; i += 2 * LINE_K) {
        float x[8];
#pragma unroll
        for (int j = 0; j < 8; j++)
            x[j] = *in_strip(room, i + l.k + j, l.column);
        if (p->column + l.column < p->s.width && k + i + l.k < p->end)
            split_8(PARTS(), x, scale, line, k + i + l.k, large);
    }
}

/* Reports a warp's columns, each of which four lanes have counted every other line of. */
template <class PARTS>
__device__ inline void report_columns(const strip_part *p, verdict *found, unsigned largest,
                                      __half2 large)
{
    const strip_lane l = lane_of_strip();
    const int end = min(p->end, p->s.depth);
    int count = 0, counted = sum_of(large);
    for (int lanes = 1; lanes < 4; lanes *= 2)
        counted += __shfl_xor_sync(~0u, counted, lanes);
    for (int k = p->first + l.k / LINE_K * LINE_K; k < end; k += 2 * LINE_K)
        count += min(end - k, (int)LINE_K);
    unsigned bits = largest != 0 && is_uneven(count, counted) ? IS_UNEVEN : 0;
    bits |= has_no_scale<PARTS>(largest) ? NOT_FOR_FP16 : 0;
    report(found, p->column + l.column < p->s.width ? bits : 0);
}

/*
 * A block's part of a strip: first the columns' largest magnitudes; of what it reads for that it
 * keeps the first 256 rows, the others it reads again, from L2. Then it splits 128 rows at a time,
 * while further ones come in.
 */
template <class PARTS>
__device__ inline void split_strip(strip_room *rooms, const strip_part &p, split_matrices to)
{
    __shared__ strip_largest found;
    cluster_arrive(); /* this block has begun */
    fetch_rows(&rooms[0], &p, p.first);
    fetch_rows(&rooms[1], &p, p.first + STRIP_K);
    tell_largest(&found, largest_of_part(rooms, &p));
    const strip_lane l = lane_of_strip();
    const int column = p.column + l.column;
    unsigned largest = 0;
    for (int i = 0; i < SPLIT_CLUSTER; i++)
        largest = max(largest, found.of_parts[i][l.column]);
    __half2 large = __float2half2_rn(0);
    for (int k = p.first, at = 0; k < p.end; k += STRIP_K, at ^= 1) {
        copy_async_wait<1>();
        __syncthreads();
        split_columns<PARTS>(rooms + at, &p, to.b + (size_t)column * pitch<PARTS>(p.s.depth), k,
                             scale_for<PARTS>(largest), &large);
        __syncthreads();
        fetch_rows(rooms + at, &p, k + 2 * STRIP_K);
    }
    report_columns<PARTS>(&p, to.found, largest, large);
    if (cluster_rank() == 0 && l.k == 0 && column < p.s.width)
        to.column[column] = unscale_for<PARTS>(largest);
}

/* Clusters that split A, and those that split B. */
__host__ __device__ inline int clusters_for_rows(shape s)
{
    const int rows = SPLIT_CLUSTER * (SPLITTERS / 32 / warps_for_row(s.depth));
    return (s.height + rows - 1) / rows;
}

__host__ __device__ inline int clusters_for_strips(shape s)
{
    return (s.width + STRIP - 1) / STRIP;
}

/* Of the first c clusters those that have a strip of B; the others have rows of A. */
__device__ inline int strips_before(int c, shape s)
{
    const int strips = clusters_for_strips(s), all = strips + clusters_for_rows(s);
    return (c * strips + all - 1) / all;
}

/* Strips take longest: they are spread evenly, so that none begins last, nor too many at once. */
template <class PARTS, class S = shape>
__global__ void __launch_bounds__(SPLITTERS, 4)
    split_operands(const float *a, const float *b, split_matrices to, S s)
{
#ifdef HOPPER_CODE
    __shared__ strip_room rooms[2];
    next_kernel_may_start();
    wait_for_kernel_before();
    const int c = blockIdx.x / SPLIT_CLUSTER, before = strips_before(c, s);
    if (strips_before(c + 1, s) > before)
        split_strip<PARTS>(rooms, part_of_strip<PARTS>(b, before, s), to);
    else
        split_row<PARTS>(a, to, (c - before) * SPLIT_CLUSTER + (int)cluster_rank(), s);
#endif
}

/* ---- the product ---------------------------------------------------------------------------- */

/*
 * A block's tile is TILE_ROWS x COLUMNS. Of a cluster's blocks ROWS are below one another and share
 * B, ABREAST beside one another and share A; that many again for each part of k.
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

/* Where a block works: its place in the cluster, and the tile it is at. */
typedef struct place {
    int row, abreast, part; /* in the cluster */
    int m, n;               /* the tile's first row and column */
    int first, end;         /* of k, in stages; a multiple of STEP of them */
} place;

template <class PARTS, int ROWS, int ABREAST>
__device__ inline place place_in_cluster(int depth)
{
    const int rank = (int)cluster_rank(), parts = (int)cluster_blocks() / (ROWS * ABREAST);
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
 * The t-th of them: 16 rows of tiles at a time, column by column, so that those that are worked at
 * together are near one another and find each other's lines of A and B in the L2 cache.
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

/*
 * One thread copies a tile's stages: of A and of B the piece that falls to this block, to all
 * blocks that share it, among them itself.
 */
template <int COLUMNS, int ROWS, int ABREAST>
__device__ inline void copy_stages(ring *r, const place *p, const CUtensorMap *a,
                                   const CUtensorMap *b)
{
    using T = split_tile<COLUMNS, ROWS, ABREAST>;
    const int base = p->part * T::SHARING, a_lines = TILE_ROWS / ABREAST, b_lines = COLUMNS / ROWS;
    uint32_t a_sharers = 0, b_sharers = 0;
    for (int i = 0; i < ABREAST; i++)
        a_sharers |= 1u << (base + i * ROWS + p->row);
    for (int i = 0; i < ROWS; i++)
        b_sharers |= 1u << (base + p->abreast * ROWS + i);
    for (int k = p->first; k < p->end; k++) {
        const uint32_t full = r->full + 8 * r->stage, to = r->stages + r->stage * T::STAGE_BYTES;
        const uint32_t to_a = to + p->abreast * a_lines * LINE_BYTES;
        const uint32_t to_b = to + T::A_BYTES + p->row * b_lines * LINE_BYTES;
        barrier_wait(r->empty + 8 * r->stage, r->phase ^ 1);
        barrier_expect(full, T::STAGE_BYTES);
        if (ABREAST == 1)
            copy_box(to_a, a, full, k * 2 * LINE_K, p->m);
        else
            copy_box_to(a_sharers, to_a, a, full, k * 2 * LINE_K, p->m + p->abreast * a_lines);
        if (ROWS == 1)
            copy_box(to_b, b, full, k * 2 * LINE_K, p->n);
        else
            copy_box_to(b_sharers, to_b, b, full, k * 2 * LINE_K, p->n + p->row * b_lines);
        ring_advance(r, 1, T::STAGES);
    }
}

/* The group has read a stage: every block that copies into it may do so again. */
template <int COLUMNS, int ROWS, int ABREAST>
__device__ inline void release_stage(const ring *r, const place *p, int stage)
{
    using T = split_tile<COLUMNS, ROWS, ABREAST>;
    const int t = threadIdx.x % GROUP;
    const int row = t < ABREAST ? p->row : (p->row + 1 + t - ABREAST) % ROWS;
    const int abreast = t < ABREAST ? t : p->abreast;
    if (t < T::SENDERS)
        barrier_arrive(r->empty + 8 * stage, row + ROWS * (abreast + ABREAST * p->part));
}

__device__ inline void wait_for_two(const ring *r)
{
    barrier_wait(r->full + 8 * r->stage, r->phase);
    barrier_wait(r->full + 8 * r->stage + 8, r->phase);
}

/*
 * All products of two stages for 64 rows and 128 columns, in units of 16 of k, which are 32 bytes
 * of a line: 0 and 1 are high parts, 2 and 3 low ones. Small products first, so that they are not
 * cut off by the large ones. A group of them (products_end) is all that reads the first stage.
 */
template <int STAGE>
__device__ inline void multiply_stages(float (&sums)[64], uint64_t a, uint64_t b)
{
    enum { STEPS = 2 * NEXT_32_BYTES, LOW = 2 * NEXT_32_BYTES };
    products_begin();
#pragma unroll
    for (int stage = 0; stage < 2; stage++)
#pragma unroll
        for (int k = 0; k < STEPS; k += NEXT_32_BYTES) {
            const int at = stage * STAGE / 16 + k;
            multiply_fp16(sums, a + at + LOW, b + at, stage + k > 0);
            multiply_fp16(sums, a + at, b + at + LOW, 1);
        }
#pragma unroll
    for (int stage = 0; stage < 2; stage++) {
#pragma unroll
        for (int k = 0; k < STEPS; k += NEXT_32_BYTES)
            multiply_fp16(sums, a + stage * STAGE / 16 + k, b + stage * STAGE / 16 + k, 1);
        products_end();
    }
}

/*
 * A group's 64 rows of a tile: sums[h] are those of the tile's half h.
 *
 * What truncation takes from a block's sum, 1.8e-7 of it with numbers of one sign, as measured, is
 * put back by the multiply-add that promotes it: 2^-23 and 2^-22 of the block in turns.
 */
template <int COLUMNS, int ROWS, int ABREAST>
__device__ inline void multiply_tile(fp16_parts, ring *r, const place *p,
                                     float (&sums)[COLUMNS / 128][64])
{
    using T = split_tile<COLUMNS, ROWS, ABREAST>;
    const int group = threadIdx.x / GROUP - 1;
    const uint64_t a0 = tile_descriptor(r->stages + group * 64 * LINE_BYTES);
    const uint64_t b0 = tile_descriptor(r->stages + T::A_BYTES);
    float block[64]; /* of 64 of k, in the tensor cores' care */
#pragma unroll
    for (int i = 0; i < T::HALVES * 64; i++)
        sums[i / 64][i % 64] = 0;
    if (p->first < p->end)
        wait_for_two(r);
    for (int k = p->first; k < p->end; k += 2) {
        const int stage = r->stage, at = stage * (T::STAGE_BYTES / 16);
        const float put_back = (k - p->first) % 4 ? 1 + 0x1p-22f : 1 + 0x1p-23f;
        ring_advance(r, 2, T::STAGES);
#pragma unroll
        for (int half = 0; half < T::HALVES; half++) {
            const bool last = half == T::HALVES - 1;
            multiply_stages<T::STAGE_BYTES>(block, a0 + at,
                                            b0 + at + half * 128 * NEXT_ROW_OF_128_BYTES);
            if (last && k + 2 < p->end)
                wait_for_two(r); /* while the tensor cores work */
            if (last) {
                products_wait<1>();
                release_stage<COLUMNS, ROWS, ABREAST>(r, p, stage);
            }
            products_wait<0>();
            if (last)
                release_stage<COLUMNS, ROWS, ABREAST>(r, p, stage + 1);
#pragma unroll
            for (int i = 0; i < 64; i++)
                sums[half][i] = fmaf(block[i], put_back, sums[half][i]);
        }
    }
}

/* ---- the results ---------------------------------------------------------------------------- */

/* What undoes the scales of a tile's rows and columns. */
template <int COLUMNS>
struct tile_unscale {
    __align__(16) unscale row[TILE_ROWS], column[COLUMNS];
};

/* Starts the copies of them into shared memory, where the end of the tile finds them. */
template <int COLUMNS>
__device__ inline void fetch_unscale(tile_unscale<COLUMNS> *to, const split_matrices *from,
                                     const place *p)
{
    const int i = (threadIdx.x - GROUP) * 2;
    if (i < TILE_ROWS)
        copy_async<16>(to->row + i, from->row + p->m + i, true);
    else if (i < TILE_ROWS + COLUMNS)
        copy_async<16>(to->column + i - TILE_ROWS, from->column + p->n + i - TILE_ROWS, true);
    copy_async_commit();
}

/* Where a thread's sums belong: rows m and m + 8; columns n, n + 1, n + 8, n + 9, n + 16, ... */
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
    const int t = threadIdx.x % GROUP, group = threadIdx.x / GROUP - 1;
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

__device__ inline float scaled_back(float sum, unscale row, float column_x, float column_y)
{
    return sum * (row.x * column_x) * (row.y * column_y);
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

/*
 * Two times 2 x 2 results, columns n + offset and 8 further on. In a whole tile neighbouring lanes
 * swap two of theirs, so that each has four that lie beside one another.
 */
__device__ inline void store_8(const spot *at, int offset, const float *sums)
{
    const int n = at->n + offset;
    const float4 near = *(const float4 *)(at->column + offset);
    const float4 far = *(const float4 *)(at->column + offset + 8);
    const bool odd = threadIdx.x & 1;
#pragma unroll
    for (int i = 0; i < 2; i++) {
        const float *v = sums + 2 * i;
        const float x = scaled_back(v[0], at->row[i], near.x, near.y);
        const float y = scaled_back(v[1], at->row[i], near.z, near.w);
        const float z = scaled_back(v[4], at->row[i], far.x, far.y);
        const float w = scaled_back(v[5], at->row[i], far.z, far.w);
        const int m = at->m + 8 * i;
        float *to = at->c + (size_t)m * at->s.width + n;
        if (at->whole) {
            const float s = __shfl_xor_sync(~0u, odd ? x : z, 1);
            const float t = __shfl_xor_sync(~0u, odd ? y : w, 1);
            to += odd ? 6 : 0;
            __stcs((float4 *)to,
                   with_before(at, to, odd ? make_float4(s, t, z, w) : make_float4(x, y, s, t)));
        } else if (m < at->s.height) {
            if (n < at->s.width)
                to[0] = with_before(at, to, x);
            if (n + 1 < at->s.width)
                to[1] = with_before(at, to + 1, y);
            if (n + 8 < at->s.width)
                to[8] = with_before(at, to + 8, z);
            if (n + 9 < at->s.width)
                to[9] = with_before(at, to + 9, w);
        }
    }
}

enum { SLOT_BYTES = 16 };

/*
 * The parts of k are in different blocks: each leaves its sums in its shared memory, where both
 * groups have done with the stages ...
 */
__device__ inline void leave_sums(const float (&sums)[64], uint32_t room)
{
    const uint32_t slot = room + (threadIdx.x - GROUP) * SLOT_BYTES;
#pragma unroll
    for (int i = 0; i < 16; i++)
        shared_store4(slot + i * 2 * GROUP * SLOT_BYTES, sums + 4 * i);
}

/*
 * ... and adds up, in order, what all have left of the columns that fall to it: each eighth of the
 * tile's, so that of two parts or more, a block has four at most.
 */
__device__ inline void store_sums_of_parts(const spot *at, const place *p, int sharing,
                                           uint32_t room)
{
    enum { EIGHTHS = 8, MOST = 4 };
    const int parts = (int)cluster_blocks() / sharing, mine = (int)cluster_rank() % sharing;
    const uint32_t slot = room + (threadIdx.x - GROUP) * SLOT_BYTES;
    const uint32_t group = 2 * GROUP * SLOT_BYTES; /* of four sums of all threads */
    float sums[MOST][8] = {};
    for (int part = 0; part < parts; part++) {
        const uint32_t there = cluster_address(slot, part * sharing + mine);
#pragma unroll
        for (int i = 0; i < MOST; i++) {
            const int eighth = min(p->part + i * parts, EIGHTHS - 1);
            const float4 near = cluster_load4(there + 2 * eighth * group);
            const float4 far = cluster_load4(there + (2 * eighth + 1) * group);
            sums[i][0] += near.x, sums[i][1] += near.y, sums[i][2] += near.z, sums[i][3] += near.w;
            sums[i][4] += far.x, sums[i][5] += far.y, sums[i][6] += far.z, sums[i][7] += far.w;
        }
    }
#pragma unroll
    for (int i = 0; i < MOST; i++)
        if (p->part + i * parts < EIGHTHS)
            store_8(at, 16 * (p->part + i * parts), sums[i]);
}

/* ---- without tensor cores ------------------------------------------------------------------- */

/*
 * For what FP16 will not do: tiles of 128 x 96, 4 x 8 results a thread, 12 of k at a time from
 * shared memory, while the next 12 are on their way, four numbers of A and of B a thread. Sums of
 * 60 of k are promoted here, too, so that the error does not grow with k.
 */
enum { PLAIN_COLUMNS = 96, PLAIN_K = 12, PLAIN_SUMMED = 60 };

typedef struct plain_tiles {
    float a[PLAIN_K][TILE_ROWS + 4]; /* transposed; 4 more for alignment and fewer conflicts */
    float b[PLAIN_K][PLAIN_COLUMNS];
} plain_tiles;

/* A thread's share of both tiles: of A a quarter of a row's 12, of B four of a row's columns. */
template <class S>
__device__ inline void load_plain(float4 *of_a, float4 *of_b, const float *a, const float *b,
                                  const S &s, int m, int n, int k)
{
    const int y = m + threadIdx.x / 3, row = threadIdx.x / 24;
    *of_a = load_4(a + (size_t)y * pitch_of(s), k + threadIdx.x % 3 * 4, y < s.height ? s.depth : 0,
                   has_odd_rows(a, s));
    *of_b = load_4(b + (size_t)(k + row) * s.width, n + threadIdx.x % 24 * 4,
                   row < PLAIN_K && k + row < s.depth ? s.width : 0);
}

__device__ inline void store_plain(plain_tiles *to, const float4 &of_a, const float4 &of_b)
{
    float *column = &to->a[threadIdx.x % 3 * 4][threadIdx.x / 3];
    column[0 * (TILE_ROWS + 4)] = of_a.x;
    column[1 * (TILE_ROWS + 4)] = of_a.y;
    column[2 * (TILE_ROWS + 4)] = of_a.z;
    column[3 * (TILE_ROWS + 4)] = of_a.w;
    if (threadIdx.x / 24 < PLAIN_K)
        *(float4 *)&to->b[threadIdx.x / 24][threadIdx.x % 24 * 4] = of_b;
}

/* A thread's results are 4 rows from `down` on, 4 columns from `across` on and 4, 48 further on. */
__device__ inline void multiply_plain_tiles(const plain_tiles *tiles, float (&sums)[4][8], int down,
                                            int across)
{
#pragma unroll
    for (int k = 0; k < PLAIN_K; k++) {
        const float4 x = *(const float4 *)&tiles->a[k][down];
        const float4 y = *(const float4 *)&tiles->b[k][across];
        const float4 z = *(const float4 *)&tiles->b[k][across + PLAIN_COLUMNS / 2];
        const float left[] = {x.x, x.y, x.z, x.w};
        const float right[] = {y.x, y.y, y.z, y.w, z.x, z.y, z.z, z.w};
#pragma unroll
        for (int i = 0; i < 32; i++)
            sums[i / 8][i % 8] += left[i / 8] * right[i % 8];
    }
}

/* Adds a block's sum; what rounding has cut off is where the next block starts (Kahan). */
__device__ inline void promote(float *sum, float *block)
{
    const float before = *sum;
    *sum += *block;
    const float cut = *block - (*sum - before);
    *block = isfinite(cut) ? cut : 0;
}

template <class S>
__device__ inline void multiply_plain_tile(plain_tiles *tiles, const float *a, const float *b,
                                           float *c, const S &s, int m, int n)
{
    const int down = threadIdx.x / 12 * 4, across = threadIdx.x % 12 * 4;
    float sums[4][8] = {}, block[4][8] = {};
    float4 of_a, of_b;
    load_plain(&of_a, &of_b, a, b, s, m, n, 0);
    for (int k = 0, at = 0; k < s.depth; k += PLAIN_K, at ^= 1) {
        store_plain(&tiles[at], of_a, of_b);
        __syncthreads(); /* and nobody is at the tiles before these any more */
        load_plain(&of_a, &of_b, a, b, s, m, n, k + PLAIN_K);
        multiply_plain_tiles(&tiles[at], block, down, across);
        if ((k + PLAIN_K) % PLAIN_SUMMED && k + PLAIN_K < s.depth)
            continue;
#pragma unroll
        for (int i = 0; i < 32; i++)
            promote(&sums[i / 8][i % 8], &block[i / 8][i % 8]);
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 32; i++) {
        const int y = m + down + i / 8;
        const int x = n + across + i % 4 + i % 8 / 4 * (PLAIN_COLUMNS / 2);
        float *to = c + (size_t)y * s.width + x;
        if (y < s.height && x < s.width)
            *to = adds(s) ? *to + sums[i / 8][i % 8] : sums[i / 8][i % 8];
    }
}

template <class S>
__device__ inline void multiply_plain(plain_tiles *tiles, const float *a, const float *b, float *c,
                                      const S &s)
{
    const int wide = (s.width + PLAIN_COLUMNS - 1) / PLAIN_COLUMNS;
    const int count = (s.height + TILE_ROWS - 1) / TILE_ROWS * wide;
    for (int t = blockIdx.x; t < count; t += gridDim.x)
        multiply_plain_tile(tiles, a, b, c, s, t / wide * TILE_ROWS, t % wide * PLAIN_COLUMNS);
}

/* ---- the kernel ----------------------------------------------------------------------------- */

/*
 * The last block of the kernel to have read the verdict notes which way is taken. An idle thread
 * does it while others multiply: at the kernel's end all would wait for the word from L2. Behind
 * the first panel it adds to what it has noted.
 */
__device__ inline void close_verdict(verdict *found, bool adds)
{
    if (atomicInc(&found->ended, gridDim.x - 1) != gridDim.x - 1)
        return;
    found->taken = found->range | (adds ? found->taken : 0);
    found->range = 0;
}

/* Group 0, of which one thread works: all of the block's tiles. */
template <class PARTS, int COLUMNS, int ROWS, int ABREAST>
__device__ inline void copy_tiles(ring r, const CUtensorMap *a, const CUtensorMap *b, shape s)
{
    place p = place_in_cluster<PARTS, ROWS, ABREAST>(s.depth);
    const int blocks = (int)cluster_blocks(), end = tiles_of<COLUMNS, ROWS, ABREAST>(s);
    for (int t = blockIdx.x / blocks; t < end; t += gridDim.x / blocks) {
        place_at<COLUMNS, ROWS, ABREAST>(&p, t, s);
        copy_stages<COLUMNS, ROWS, ABREAST>(&r, &p, a, b);
    }
}

/* Groups 1 and 2. */
template <class PARTS, int COLUMNS, int ROWS, int ABREAST, class S>
__device__ inline void multiply_tiles(ring r, const split_matrices *from, float *c, const S &s)
{
    using T = split_tile<COLUMNS, ROWS, ABREAST>;
    place p = place_in_cluster<PARTS, ROWS, ABREAST>(s.depth);
    const int blocks = (int)cluster_blocks(), end = tiles_of<COLUMNS, ROWS, ABREAST>(s);
    __shared__ tile_unscale<COLUMNS> unscales[2]; /* who writes one has met all behind the other */
    int turn = 0;
    for (int t = blockIdx.x / blocks; t < end; t += gridDim.x / blocks, turn ^= 1) {
        float sums[T::HALVES][64];
        place_at<COLUMNS, ROWS, ABREAST>(&p, t, s);
        fetch_unscale(unscales + turn, from, &p);
        multiply_tile<COLUMNS, ROWS, ABREAST>(PARTS(), &r, &p, sums);
        copy_async_wait<0>();
        named_barrier(1, 2 * GROUP);
        const spot at = spot_of(&p, c, s, unscales + turn);
        if (COLUMNS == 128 && blocks > T::SHARING) {
            leave_sums(sums[0], r.stages);
            cluster_sync();
            store_sums_of_parts(&at, &p, T::SHARING, r.stages);
        } else {
#pragma unroll
            for (int i = 0; i < T::HALVES * 64; i += 8)
                store_8(&at, 2 * i, sums[i / 64] + i % 64);
        }
    }
}

/*
 * Blocks of three warpgroups, in clusters of ROWS x ABREAST x the parts of k; of several parts,
 * each cluster has one tile.
 */
template <class PARTS, int COLUMNS, int ROWS, int ABREAST, class S = shape>
__global__ void __launch_bounds__(SPLIT_THREADS, 1)
    tensor_split(const __grid_constant__ CUtensorMap map_a,
                 const __grid_constant__ CUtensorMap map_b, split_matrices from, const float *a,
                 const float *b, float *c, S s)
{
#ifdef HOPPER_CODE
    using T = split_tile<COLUMNS, ROWS, ABREAST>;
    extern __shared__ uint8_t dynamic[];
    __shared__ uint64_t barriers[2 * T::STAGES];
    __shared__ unsigned range;
    uint32_t start = (shared_address(dynamic) + 1023) / 1024 * 1024;
    ring r = {start, shared_address(barriers), shared_address(barriers + T::STAGES), 0, 0};
    if (threadIdx.x == 0)
        create_ring(&r, T::STAGES, 2 * T::SENDERS);
    __syncthreads();
    cluster_meet();
    next_kernel_may_start();
    wait_for_kernel_before();
    if (threadIdx.x == 0)
        range = *(volatile unsigned *)&from.found->range;
    __syncthreads(); /* the block has read the verdict: it may be closed */
    if (range) {
        multiply_plain((plain_tiles *)dynamic, a, b, c, s);
        if (threadIdx.x == 0)
            close_verdict(from.found, adds(s));
    } else if (threadIdx.x < GROUP) {
        give_registers<24>();
        if (threadIdx.x == 0)
            copy_tiles<PARTS, COLUMNS, ROWS, ABREAST>(r, &map_a, &map_b, s);
        if (threadIdx.x == GROUP - 1)
            close_verdict(from.found, adds(s));
        if (COLUMNS == 128 && (int)cluster_blocks() > T::SHARING)
            cluster_sync(); /* as the other groups */
    } else {
        take_registers<240>();
        multiply_tiles<PARTS, COLUMNS, ROWS, ABREAST>(r, &from, c, s);
    }
    cluster_meet(); /* nobody leaves while another block may still arrive here, or read */
#endif
}

/* ---- on the host ---------------------------------------------------------------------------- */

typedef struct split_plan {
    tensor_map map_a, map_b;
    split_matrices to;
    const void *kernel;
    int blocks, cluster;
    size_t shared_bytes;
} split_plan;

/* What was last run, for its row. */
static const verdict *last_verdict;

enum { PADDED_LINES = 512 }; /* whole tiles of any kernel */

static inline size_t padded_lines(int lines)
{
    return (size_t)(lines + PADDED_LINES - 1) / PADDED_LINES * PADDED_LINES;
}

template <class PARTS>
static size_t packed_bytes(int lines, int k)
{
    return padded_lines(lines) * (size_t)pitch<PARTS>(k);
}

template <class PARTS>
static size_t split_bytes(shape s)
{
    return packed_bytes<PARTS>(s.height, s.depth) + packed_bytes<PARTS>(s.width, s.depth) +
           (padded_lines(s.height) + padded_lines(s.width)) * sizeof(unscale);
}

/*
 * Blocks that work through all tiles, as many as there is room for; of a panel, eight times as many
 * with an eighth of the tiles each: another kernel's blocks, which bring the next panel, may be at
 * some multiprocessors, which then get fewer of these.
 */
static inline int rounds_of(shape)
{
    return 1;
}

static inline int rounds_of(panel)
{
    return 8;
}

template <class PARTS, int COLUMNS, int ROWS, int ABREAST, class S>
static void plan_tiles(split_plan *plan, const S &s, int parts, int multiprocessors)
{
    using T = split_tile<COLUMNS, ROWS, ABREAST>;
    const split_tiling all = tiling_of<COLUMNS, ROWS, ABREAST>(s);
    const size_t bytes = pitch<PARTS>(s.depth), halves = bytes / sizeof(__half);
    const int tiles = all.tall * all.wide, most = rounds_of(s) * (multiprocessors / T::SHARING);
    plan->cluster = T::SHARING * parts;
    plan->blocks = parts > 1 || tiles < most ? tiles * plan->cluster : most * T::SHARING;
    plan->kernel = (const void *)tensor_split<PARTS, COLUMNS, ROWS, ABREAST, S>;
    plan->shared_bytes = T::SHARED_BYTES;
    plan->map_a =
        tensor_map_of(plan->to.a, sizeof(__half), halves, s.height, bytes, TILE_ROWS / ABREAST);
    plan->map_b = tensor_map_of(plan->to.b, sizeof(__half), halves, s.width, bytes, COLUMNS / ROWS);
    CUDA_CHECK(cudaFuncSetAttribute(plan->kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    T::SHARED_BYTES));
}

/* Parts of k for tiles of 128 x 128, as many as there are multiprocessors for. */
static int parts_of_k(shape s, int multiprocessors)
{
    enum { MOST_PARTS = 8, LEAST_PART_K = 128 };
    const int tiles = tiles_of<128, 1, 1>(s); /* 2^16 at most */
    int parts = 1;
    while (parts < MOST_PARTS && (parts + 1) * tiles <= multiprocessors &&
           (parts + 1) * LEAST_PART_K <= s.depth)
        parts++;
    return parts;
}

/* Wide tiles in pairs, if there are enough to keep the card busy; else smaller ones. */
template <class S>
static void choose_tiles(fp16_parts, split_plan *plan, const S &s, int multiprocessors)
{
    enum { ENOUGH = 240 };
    if (tiles_of<128, 1, 1>(s) >= ENOUGH)
        plan_tiles<fp16_parts, 256, 2, 1>(plan, s, 1, multiprocessors);
    else
        plan_tiles<fp16_parts, 128, 1, 1>(plan, s, parts_of_k(s, multiprocessors), multiprocessors);
}

static verdict *new_verdict()
{
    verdict *found;
    CUDA_CHECK(cudaMalloc(&found, sizeof *found));
    CUDA_CHECK(cudaMemset(found, 0, sizeof *found));
    return found;
}

/* A shape's plan, or a panel's, which has split_bytes() of room at `workspace`. */
template <class PARTS, class S>
static split_plan split_plan_of(const S &s, void *workspace, verdict *found)
{
    split_plan plan = {};
    plan.to.a = (uint8_t *)workspace;
    plan.to.b = plan.to.a + packed_bytes<PARTS>(s.height, s.depth);
    plan.to.row = (unscale *)(plan.to.b + packed_bytes<PARTS>(s.width, s.depth));
    plan.to.column = plan.to.row + padded_lines(s.height);
    plan.to.found = found;
    choose_tiles(PARTS(), &plan, s, multiprocessors());
    return plan;
}

/* All that it needs lies in the workspace: one plan serves all sets of buffers. */
template <class PARTS>
static void *plan_split(const problem *p, const launch *l)
{
    split_plan *plan = (split_plan *)allocate(sizeof *plan);
    *plan = split_plan_of<PARTS>(shape_of(p), l->workspace, new_verdict());
    return plan;
}

static void release_split(void *made)
{
    split_plan *plan = (split_plan *)made;
    last_verdict = NULL;
    CUDA_RELEASE(cudaFree(plan->to.found));
    free(plan);
}

/* Both kernels, for a shape or a panel. */
template <class PARTS, class S>
static void multiply_split(split_plan *plan, const float *a, const float *b, float *c, S s,
                           cudaStream_t stream)
{
    const int clusters = clusters_for_strips(s) + clusters_for_rows(s);
    void *split[] = {&a, &b, &plan->to, &s};
    cluster_launch((const void *)split_operands<PARTS, S>, split, clusters * SPLIT_CLUSTER,
                   SPLITTERS, 0, SPLIT_CLUSTER, stream);
    void *product[] = {&plan->map_a, &plan->map_b, &plan->to, &a, &b, &c, &s};
    cluster_launch(plan->kernel, product, plan->blocks, SPLIT_THREADS, plan->shared_bytes,
                   plan->cluster, stream);
    last_verdict = plan->to.found;
}

template <class PARTS>
static void launch_split(const problem *p, const launch *l)
{
    multiply_split<PARTS>((split_plan *)l->plan, (float *)l->buffer[A], (float *)l->buffer[B],
                          (float *)l->buffer[C], shape_of(p), l->stream);
}

template <class PARTS>
static size_t split_workspace(const problem *p)
{
    return split_bytes<PARTS>(shape_of(p));
}

static const char *refuse_split(const problem *, dim3)
{
    return hopper_refuses((const void *)split_operands<fp16_parts>);
}

template <int COLUMNS, int ROWS, int ABREAST>
static size_t split_shared_bytes(const problem *, dim3)
{
    return split_tile<COLUMNS, ROWS, ABREAST>::SHARED_BYTES;
}

/* Which way the last run went, as a phrase. */
static const char *split_way(const char *in_parts)
{
    verdict found;
    if (!last_verdict)
        return "not run";
    CUDA_CHECK(cudaMemcpy(&found, last_verdict, sizeof found, cudaMemcpyDeviceToHost));
    if (found.taken == 0)
        return in_parts;
    return found.taken & NOT_FOR_FP16 ? "in FP32: K is short or a number is out of range"
                                      : "in FP32: magnitudes differ too much along k";
}

/* A variant and the tiles that it has for large matrices. */
#define SPLIT_VARIANT(id, idea, parts, ...)                                                        \
    GPU_VARIANT(id, idea, launch_split<parts>, HOPPER_VARIANT,                                     \
                .kernel = (const void *)tensor_split<parts, __VA_ARGS__>,                          \
                .shared_bytes = split_shared_bytes<__VA_ARGS__>,                                   \
                .workspace_bytes = split_workspace<parts>, .refuse = refuse_split,                 \
                .plan_once = plan_split<parts>, .release = release_split)
#else
#define split_way(in_parts)          "not run"
#define SPLIT_VARIANT(id, idea, ...) GPU_VARIANT(id, idea, NULL, HOPPER_VARIANT)
#endif
#endif
