/*
 * table8.cu - against symmetric, the weights of bytes' differences come from a table, and both sums
 * of a pixel are halves in one register. Two bytes differ by -255 to 255: a table in shared memory
 * has the weights of all differences, and a pair of pixels costs an address, a load and two
 * multiply-adds:
 *
 *   entry of d:  (w, w d / 256) as two halves, w = exp(-d^2 / (2 sigma_range^2))
 *   p's sums     += (s, -s) entry(p - q)           s: the weight of the distance
 *   q's sums     += (s, s) entry(p - q)
 *
 * The first sum is the denominator, the second what the mean is away from the pixel itself, in
 * units of 256 levels: where the picture is flat it is small, and its rounding even smaller.
 *
 *   lane     0  1  2  ..  31
 *   -511   | .  .  .      . |   All 32 lanes have a column of the table each, one bank of shared
 *    ..    | .  .  .      . |   memory: no two lanes are in each other's way. A pixel is kept as
 *      0   | .  .  .      . |   where it stands in the table, 128 bytes a level; a pair's entry is
 *    ..    | .  .  .      . |   so many bytes from that of difference 0 as their places differ.
 *    511   | .  .  .      . |
 *
 * One outside the picture is as level 511, further from all others than any of these are from each
 * other, and what is so far away has a weight of 0 in the table. Who goes where is as in symmetric
 * (strips.cuh, shares.cuh).
 */
#include <cuda_fp16.h>

#include "bilateral.h"
#include "pixels.cuh"
#include "radii.h"
#include "shares.cuh"
#include "strips.cuh"

enum {
    TABLE_THREADS = 768,
    TABLE_LEVEL = 32 * (int)sizeof(__half2), /* bytes */
    TABLE_OUTSIDE = 511,
    TABLE_ENTRIES = 2 * TABLE_OUTSIDE + 1
};

static const float TABLE_UNIT = 1 / 256.0f; /* of the second sum, so that no half is infinite */

template <int R>
struct table_filter {
    scaled_filter<R> scaled;
    __half2 both[2 * R * R + 1];     /* the weight of a squared distance, twice */
    __half2 opposite[2 * R * R + 1]; /* and negated the second time */
};

/* Adds up both sums of a pixel, for collect(). */
__device__ inline __half2 sum_of(__half2 a, __half2 b)
{
    return __hadd2(a, b);
}

/* A lane's own pixels of a row: where they stand in its column of the table, and their sums. */
template <int A>
struct table_row {
    int level[A];
    __half2 sum[A];
};

/* Moves the rows up; a new one becomes the first above the next. */
template <int R, int A>
__device__ static void push_row(table_row<A> (&open)[R], const table_row<A> &row)
{
#pragma unroll
    for (int i = R - 1; i > 0; i--)
        open[i] = open[i - 1];
    open[0] = row;
}

/* Fills the table; all threads of the block do. */
__device__ inline void fill_table(__half2 *table, float scale)
{
    int threads = blockDim.x * blockDim.y, thread = threadIdx.y * blockDim.x + threadIdx.x;
    for (int i = thread; i < 32 * TABLE_ENTRIES; i += threads) {
        int entry = i / 32;
        float difference = (float)(entry - TABLE_OUTSIDE), scaled = scale * difference;
        float weight = fabsf(difference) < 256 ? power_of_two(-scaled * scaled) : 0;
        table[i] = __floats2half2_rn(weight, weight * difference * TABLE_UNIT);
    }
}

/* Turns the pixels of row y into their places in the table. */
template <int A>
__device__ static void levels_of(int (&level)[A], const raw_row<uint8_t, A> &raw,
                                 const place<uint8_t, A> &at, int y)
{
#pragma unroll
    for (int a = 0; a < A; a++) /* byte a times 128 */
        level[a] = (a ? raw.bits[0] >> (8 * a - 7) : raw.bits[0] << 7) & 0x7f80;
    if (at.outside || y < 0 || y >= at.height) {
#pragma unroll
        for (int a = 0; a < A; a++)
            level[a] = TABLE_OUTSIDE * TABLE_LEVEL;
    }
    hide_columns(at, [&](int a) { level[a] = TABLE_OUTSIDE * TABLE_LEVEL; });
}

/* Returns the entry of a pair: `column` points to the lane's one of difference 0. */
__device__ inline __half2 entry_of(const char *column, int p, int q)
{
    return *(const __half2 *)(column + (p - q));
}

/* Stores a row that has met all its pairs: the pixel itself and what its mean is away from it. */
template <int R, int A>
__device__ static void store_table_row(const table_row<A> &row, const place<uint8_t, A> &at, int y,
                                       const scaled_filter<R> &f)
{
    if (!at.makes_some || y >= at.height)
        return;
    float own[A];
#pragma unroll
    for (int a = 0; a < A; a++)
        own[a] = TABLE_UNIT;
    bool edge = at.x < R || at.x + A > at.width - R || y < R || y >= at.height - R;
    if (edge) {
#pragma unroll
        for (int a = 0; a < A; a++)
            own[a] += TABLE_UNIT * weight_outside(f, at.x + a, y);
    }
    pixel_word<uint8_t, A> word;
#pragma unroll
    for (int a = 0; a < A; a++) {
        float weights = __low2float(row.sum[a]) * TABLE_UNIT + own[a];
        int own_level = row.level[a] / TABLE_LEVEL;
        put_pixel(&word.pixel[a],
                  (float)own_level + __high2float(row.sum[a]) * reciprocal(weights));
    }
    write_row(at, y, word);
}

/* Pairs a new row with the open ones, open[i] being the row i + 1 above, and within itself. */
template <int R, int A>
__device__ static table_row<A> pair_table_row(const char *column, table_row<A> (&open)[R],
                                              const int (&level)[A], const table_filter<R> &f)
{
    int q[A + 2 * R];
    __half2 sum[A + 2 * R];
    bool begun[A + 2 * R] = {}; /* the compiler's: a first product is not added to 0 */
    widen<R, A>(q, level);
#pragma unroll
    for (int dy = R; dy >= 1; dy--)
#pragma unroll
        for (int j = 0; j < A + 2 * R; j++)
#pragma unroll
            for (int a = 0; a < A; a++) {
                int dx = j - R - a, squared = dx * dx + dy * dy;
                if (dx < -R || dx > R)
                    continue;
                table_row<A> &p = open[dy - 1];
                __half2 entry = entry_of(column, p.level[a], q[j]);
                p.sum[a] = __hfma2(entry, f.opposite[squared], p.sum[a]);
                sum[j] = begun[j] ? __hfma2(entry, f.both[squared], sum[j])
                                  : __hmul2(entry, f.both[squared]);
                begun[j] = true;
            }
    table_row<A> own;
#pragma unroll
    for (int a = 0; a < A; a++) {
        own.level[a] = level[a];
#pragma unroll
        for (int dx = 1; dx <= R; dx++) {
            int p = R + a;
            __half2 entry = entry_of(column, q[p], q[p + dx]);
            sum[p] = __hfma2(entry, f.opposite[dx * dx], sum[p]);
            sum[p + dx] = __hfma2(entry, f.both[dx * dx], sum[p + dx]);
        }
    }
    collect<R, A>(own.sum, sum);
    return own;
}

/* Pairs a row `below` the warp's own ones with the open rows, for the sums of these alone. */
template <int R, int A>
__device__ static void pair_table_below(const char *column, table_row<A> (&open)[R],
                                        const int (&level)[A], int below, const table_filter<R> &f)
{
    int q[A + 2 * R];
    widen<R, A>(q, level);
#pragma unroll
    for (int dy = R; dy >= 1; dy--) {
        if (dy < below)
            continue;
#pragma unroll
        for (int j = 0; j < A + 2 * R; j++)
#pragma unroll
            for (int a = 0; a < A; a++) {
                int dx = j - R - a;
                if (dx < -R || dx > R)
                    continue;
                table_row<A> &p = open[dy - 1];
                p.sum[a] = __hfma2(entry_of(column, p.level[a], q[j]),
                                   f.opposite[dx * dx + dy * dy], p.sum[a]);
            }
    }
}

/* Goes down a warp's rows top .. top + rows - 1 of its strip, as symmetric does. */
template <int R, int A>
__device__ static void walk_table(const char *column, const place<uint8_t, A> &at, int top,
                                  int rows, const table_filter<R> &f)
{
    table_row<A> open[R];
    raw_row<uint8_t, A> raw[R + 1];
    int level[A];
#pragma unroll
    for (int i = 0; i <= R; i++)
        load_row(raw[i], at, top - i);
#pragma unroll
    for (int i = 0; i < R; i++) {
        levels_of(open[i].level, raw[i + 1], at, top - 1 - i);
#pragma unroll
        for (int a = 0; a < A; a++)
            open[i].sum[a] = __floats2half2_rn(0, 0);
    }
#pragma unroll 1
    for (int y = top; y < top + rows; y++) {
        levels_of(level, raw[0], at, y);
        load_row(raw[0], at, y + 1);
        table_row<A> row = pair_table_row<R, A>(column, open, level, f);
        if (y - R >= top)
            store_table_row<R, A>(open[R - 1], at, y - R, f.scaled);
        push_row(open, row);
    }
#pragma unroll 1
    for (int below = 1; below <= R; below++) {
        int y = top + rows - 1 + below;
        levels_of(level, raw[0], at, y);
        load_row(raw[0], at, y + 1);
        pair_table_below<R, A>(column, open, level, below, f);
        if (y - R >= top)
            store_table_row<R, A>(open[R - 1], at, y - R, f.scaled);
        push_row(open, open[0]); /* the first row is not looked at again */
    }
}

/* ---- kernel --------------------------------------------------------------------------------- */

/*
 * table8: blocks of whole warps; one has a multiprocessor's shared memory for itself, so the larger
 * the better: TABLE_THREADS.
 */
template <class Byte, int R>
__global__ void __launch_bounds__(TABLE_THREADS, 1)
    table8(const Byte *in, Byte *out, shares s, const __grid_constant__ table_filter<R> f)
{
    extern __shared__ __half2 table[];
    fill_table(table, f.scaled.scale);
    __syncthreads();

    int thread = threadIdx.y * blockDim.x + threadIdx.x, lane = thread % 32;
    const char *column = (const char *)(table + 32 * TABLE_OUTSIDE + lane);
    share mine = share_of(s, (blockIdx.x * blockDim.x * blockDim.y + thread) / 32);
    if (mine.top < f.scaled.height)
        walk_table(column, place_of<false, R, COLUMNS>(in, out, mine.strip, lane, f.scaled),
                   mine.top, mine.rows, f);
}

/* ---- launchers ------------------------------------------------------------------------------ */

static const char *refuse_table8(const problem *p, dim3 block)
{
    const char *refused = refuse_radius(4);
    return settings.type != U8   ? "needs --type u8"
           : settings.passes > 1 ? "a pass is off by a level, several by nobody knows how many"
           : refused             ? refused
                                 : refuse_colour_and_border(p, block);
}

static size_t table_bytes(const problem *, dim3)
{
    return TABLE_ENTRIES * TABLE_LEVEL;
}

template <class Byte, int R>
static void pass_of_radius(const Byte *d_in, Byte *d_out, filter f, const launch *l)
{
    table_filter<R> t = {scale_filter<R>(f)};
    for (int squared = 0; squared <= 2 * R * R; squared++) {
        float weight = exp2f(t.scaled.exponent[squared]);
        t.both[squared] = __floats2half2_rn(weight, weight);
        t.opposite[squared] = __floats2half2_rn(weight, -weight);
    }
    shares s = shares_at_once(strips_of<R, COLUMNS>(f.width), f.height, multiprocessors(),
                              TABLE_THREADS / 32);
    int blocks = blocks_for(32 * warps_of(s, f.height), l->block.x);
    table8<Byte, R><<<blocks, l->block, l->shared_bytes, l->stream>>>(d_in, d_out, s, t);
    CUDA_CHECK(cudaGetLastError());
}

static void pass_table8(const uint8_t *d_in, uint8_t *d_out, filter f, const launch *l)
{
    static const filter_pass<uint8_t> all[] = {RADII_1_TO_4(pass_of_radius, uint8_t)};
    all[f.radius - 1](d_in, d_out, f, l);
}

static void launch_table8(const problem *p, const launch *l)
{
    repeat<uint8_t>(pass_table8, p, l);
}

/* Sums in halves round: the nearest byte is not demanded. */
static const deviation table8_deviation = {.off_by_level = true};

extern const variant table8_variant = GPU_VARIANT(
    "table8", "weights from a table of the differences of bytes, sums in halves", launch_table8,
    .own_block = TABLE_THREADS, .kernel_for = of_radius<1, 4, RADII_1_TO_4(table8, uint8_t)>,
    .shared_bytes = table_bytes, .refuse = refuse_table8, .own = &table8_deviation);
