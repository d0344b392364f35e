/*
 * symmetric.cuh - the kernel symmetric of bilateral.cu: the weight of q for p is that of p for q,
 * so every pair of pixels is weighed once and the weight added to the sums of both.
 *
 * Who computes what: a warp goes down a strip of 32 A columns, row by row; lane l owns its columns
 * A l .. A l + A-1. The R rows above the new one are still open: a lane keeps the values and both
 * sums of its own pixels in them, in registers. Of R = 3 and A = 4, at the new row y:
 *
 *               lane l-1        lane l         lane l+1
 *   row y-3   . . . .         p p p p         . . . .      p: its open pixels
 *   row y-2   . . . .         p p p p         . . . .
 *   row y-1   . . . .         p p p p         . . . .
 *   row y     . q q q         q q q q         q q q .      q: the new pixels it pairs them with
 *
 * It pairs each p with the new pixels at most R columns away and, within row y, its own pixels with
 * those to their right. A weight goes straight to p's sums; what it adds to q is gathered in A + 2R
 * sums of the row, of which the 2R that belong to its neighbours go there by shuffles, as did the
 * neighbours' values before. Row y-R has then met all its pairs and is finished. A weight needs no
 * memory: a row costs a lane one load and one store of A pixels.
 *
 * Where pixels end: the outer `halo` lanes of a warp only serve their neighbours, and strips
 * overlap by them. A warp has `rows` rows of its strip. The R rows above them, which are not its
 * own, are open when it starts: its first rows meet their pixels above there. Below its last row it
 * goes R rows further, to finish those that are open, and gathers nothing for the new ones.
 */
#ifndef LAB3_SYMMETRIC_CUH
#define LAB3_SYMMETRIC_CUH

#include <limits.h>

#include "scaled.cuh"

/* Columns a lane: as many as its registers hold. */
constexpr int columns_of(int radius)
{
    return radius <= 7 ? 4 : 2;
}

template <int R>
constexpr int COLUMNS = columns_of(R);

/* Lanes at either end of a warp that only serve their neighbours. */
template <int R>
constexpr int HALO = (R + COLUMNS<R> - 1) / COLUMNS<R>;

/* Columns of a strip that are its own. */
template <int R>
constexpr int STRIP = (32 - 2 * HALO<R>)*COLUMNS<R>;

/* A lane's own pixels of a row: their values and their sums so far, without the pixel itself. */
template <int A>
struct open_row {
    float value[A], numerator[A], denominator[A];
};

/* What pairs add to the pixels of a new row: column j is the lane's first one plus j - R. */
template <int R, int A>
struct new_row {
    float value[A + 2 * R], numerator[A + 2 * R], denominator[A + 2 * R];
};

/* Where a lane is. */
template <class Pixel>
struct place {
    const Pixel *in;
    Pixel *out;
    int width, height;
    int x;        /* its first column */
    bool aligned; /* all of its columns are in the picture, and are read and written at once */
    bool owner;   /* it makes output */
    bool edge;    /* some of its columns have taps outside the picture */
};

/* ---- rows in and out ------------------------------------------------------------------------ */

/* A pixels as one word. */
template <class Pixel, int A>
struct alignas(A * sizeof(Pixel)) pixel_word {
    Pixel pixel[A];
};

/*
 * The bits of a lane's pixels as they come from memory. A row is asked for one row ahead, and
 * nothing may be done with it then, not even to take a word's bytes apart: the warp would wait.
 */
template <class Pixel, int A>
struct raw_row {
    uint32_t bits[(A * sizeof(Pixel) + 3) / 4];
};

/* Where there is no pixel the nearest one is loaded: scale_row() knows. */
template <class Pixel, int A>
__device__ static void load_row(raw_row<Pixel, A> &raw, const place<Pixel> &at, int y)
{
    const Pixel *row = at.in + min(max(y, 0), at.height - 1) * at.width;
    pixel_word<Pixel, A> word;
    if (at.aligned) {
        word = *(const pixel_word<Pixel, A> *)(row + at.x);
    } else {
#pragma unroll
        for (int a = 0; a < A; a++)
            word.pixel[a] = row[min(max(at.x + a, 0), at.width - 1)];
    }
    memcpy(raw.bits, &word, sizeof word);
}

template <int A>
__device__ static float pixel_of(const raw_row<float, A> &raw, int a)
{
    return __uint_as_float(raw.bits[a]);
}

/* Without a conversion, which would wait for the unit that makes the exponentials: of 2^23 + byte.
 */
template <int A>
__device__ static float pixel_of(const raw_row<uint8_t, A> &raw, int a)
{
    return __uint_as_float(__byte_perm(raw.bits[0], 0x4b000000, 0x7440 + a)) - 0x1p23f;
}

template <class Pixel, int A>
__device__ static void scale_row(float (&value)[A], const raw_row<Pixel, A> &raw,
                                 const place<Pixel> &at, int y, float scale)
{
    float shift = y >= 0 && y < at.height ? 0 : OUTSIDE;
#pragma unroll
    for (int a = 0; a < A; a++)
        value[a] = pixel_of(raw, a) * scale + shift;
    if (at.aligned)
        return;
#pragma unroll
    for (int a = 0; a < A; a++)
        if (at.x + a < 0 || at.x + a >= at.width)
            value[a] = OUTSIDE;
}

/* The row is finished, but for its own pixels' weight of 1, and for the taps outside. */
template <class Pixel, int R, int A>
__device__ static void store_row(const open_row<A> &row, const place<Pixel> &at, int y,
                                 const scaled_filter<R> &f)
{
    if (!at.owner || y >= at.height)
        return;
    float numerator[A], denominator[A];
#pragma unroll
    for (int a = 0; a < A; a++) {
        numerator[a] = row.numerator[a] + row.value[a];
        denominator[a] = row.denominator[a] + 1;
    }
    if (at.edge || y < R || y >= at.height - R) {
#pragma unroll
        for (int a = 0; a < A; a++)
            add_outside(f, at.x + a, y, row.value[a], &numerator[a], &denominator[a]);
    }
    pixel_word<Pixel, A> word;
#pragma unroll
    for (int a = 0; a < A; a++)
        put_pixel(&word.pixel[a], numerator[a] * reciprocal(denominator[a]) * f.unscale);
    Pixel *out = at.out + y * at.width + at.x;
    if (at.aligned) {
        *(pixel_word<Pixel, A> *)out = word;
        return;
    }
#pragma unroll
    for (int a = 0; a < A; a++)
        if (at.x + a < at.width)
            out[a] = word.pixel[a];
}

/* ---- between lanes -------------------------------------------------------------------------- */

/* The values around a lane's own: each from the lane that owns it. */
template <int R, int A>
__device__ static void widen(float (&wide)[A + 2 * R], const float (&own)[A])
{
#pragma unroll
    for (int j = 0; j < A + 2 * R; j++) {
        int column = j - R;
        if (column < 0) {
            int lanes = (-column + A - 1) / A;
            wide[j] = __shfl_up_sync(~0u, own[column + lanes * A], lanes);
        } else if (column < A) {
            wide[j] = own[column];
        } else {
            wide[j] = __shfl_down_sync(~0u, own[column % A], column / A);
        }
    }
}

/* The reverse: each lane gets what the others have summed up for its columns. */
template <int R, int A>
__device__ static void collect(float (&own)[A], const float (&wide)[A + 2 * R])
{
#pragma unroll
    for (int a = 0; a < A; a++) {
        own[a] = wide[R + a];
#pragma unroll
        for (int lanes = 1; lanes * A - a <= R; lanes++)
            own[a] += __shfl_down_sync(~0u, wide[R + a - lanes * A], lanes);
#pragma unroll
        for (int lanes = 1; lanes * A + a < A + R; lanes++)
            own[a] += __shfl_up_sync(~0u, wide[R + a + lanes * A], lanes);
    }
}

/* ---- pairs ---------------------------------------------------------------------------------- */

/* Weighs the pair of an open pixel p and a new one q, and adds it to both. */
#define ADD_PAIR(p, a, q, j, exponent)                                                             \
    do {                                                                                           \
        float difference = (p).value[a] - (q).value[j];                                            \
        float weight = power_of_two((exponent)-difference * difference);                           \
        (p).numerator[a] += weight * (q).value[j];                                                 \
        (p).denominator[a] += weight;                                                              \
        (q).numerator[j] += weight * (p).value[a];                                                 \
        (q).denominator[j] += weight;                                                              \
    } while (0)

/*
 * Pairs a new row with the open ones, open[i] being the row i + 1 above, and within itself. Of a
 * large radius a branch that is never taken keeps the compiler from mixing the rows' instructions:
 * 3 % less time at radius 7.
 */
template <int R, int A>
__device__ static open_row<A> pair_row(open_row<A> (&open)[R], const float (&value)[A],
                                       const scaled_filter<R> &f)
{
    new_row<R, A> row;
    widen<R, A>(row.value, value);
#pragma unroll
    for (int j = 0; j < A + 2 * R; j++)
        row.numerator[j] = row.denominator[j] = -0.0f; /* x + -0 is x: the compiler leaves it out */
#pragma unroll
    for (int dy = R; dy >= 1; dy--) {
        if (R > 3 && dy == 1 && f.unscale < 0)
            continue; /* it never is: see above */
#pragma unroll
        for (int j = 0; j < A + 2 * R; j++)
#pragma unroll
            for (int a = 0; a < A; a++) {
                int dx = j - R - a;
                if (dx >= -R && dx <= R)
                    ADD_PAIR(open[dy - 1], a, row, j, f.exponent[dx * dx + dy * dy]);
            }
    }
#pragma unroll
    for (int a = 0; a < A; a++)
#pragma unroll
        for (int dx = 1; dx <= R; dx++)
            ADD_PAIR(row, R + a, row, R + a + dx, f.exponent[dx * dx]);

    open_row<A> own;
#pragma unroll
    for (int a = 0; a < A; a++)
        own.value[a] = value[a];
    collect<R, A>(own.numerator, row.numerator);
    collect<R, A>(own.denominator, row.denominator);
    return own;
}

/* Of a row `below` the warp's own ones: adds its pixels to the rows that are still open. */
template <int R, int A>
__device__ static void pair_below(open_row<A> (&open)[R], const float (&value)[A], int below,
                                  const scaled_filter<R> &f)
{
    float wide[A + 2 * R];
    widen<R, A>(wide, value);
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
                float difference = open[dy - 1].value[a] - wide[j];
                float weight =
                    power_of_two(f.exponent[dx * dx + dy * dy] - difference * difference);
                open[dy - 1].numerator[a] += weight * wide[j];
                open[dy - 1].denominator[a] += weight;
            }
    }
}

/* ---- a warp's way --------------------------------------------------------------------------- */

enum { SYMMETRIC_THREADS = 256 };

/* The rows move up, and a new one becomes the first above the next. */
template <int R, int A>
__device__ static void push_row(open_row<A> (&open)[R], const open_row<A> &row)
{
#pragma unroll
    for (int i = R - 1; i > 0; i--)
        open[i] = open[i - 1];
    open[0] = row;
}

template <class Pixel, int R>
__device__ static place<Pixel> place_of(const Pixel *in, Pixel *out, int strip,
                                        const scaled_filter<R> &f)
{
    constexpr int A = COLUMNS<R>;
    int lane = (threadIdx.y * blockDim.x + threadIdx.x) % 32;
    place<Pixel> at = {in, out, f.width, f.height};
    at.x = strip * STRIP<R> + (lane - HALO<R>)*A;
    at.aligned = at.x >= 0 && at.x + A <= f.width && f.width % A == 0;
    at.owner = lane >= HALO<R> && lane < 32 - HALO<R> && at.x < f.width;
    at.edge = at.x < R || at.x + A > f.width - R;
    return at;
}

/* The warp's rows of its strip are top .. top + rows - 1. */
template <class Pixel, int R>
__device__ static void walk_strip(const place<Pixel> &at, int top, int rows,
                                  const scaled_filter<R> &f)
{
    constexpr int A = COLUMNS<R>;
    open_row<A> open[R];
    raw_row<Pixel, A> raw[R + 1]; /* the next row, and at first those above it */
    float value[A];
#pragma unroll
    for (int i = 0; i <= R; i++)
        load_row(raw[i], at, top - i);
#pragma unroll
    for (int i = 0; i < R; i++) {
        scale_row(open[i].value, raw[i + 1], at, top - 1 - i, f.scale);
#pragma unroll
        for (int a = 0; a < A; a++)
            open[i].numerator[a] = open[i].denominator[a] = 0;
    }
#pragma unroll 1
    for (int y = top; y < top + rows; y++) {
        scale_row(value, raw[0], at, y, f.scale);
        load_row(raw[0], at, y + 1);
        open_row<A> row = pair_row<R, A>(open, value, f);
        if (y - R >= top)
            store_row(open[R - 1], at, y - R, f);
        push_row(open, row);
    }
#pragma unroll 1
    for (int below = 1; below <= R; below++) {
        int y = top + rows - 1 + below;
        scale_row(value, raw[0], at, y, f.scale);
        load_row(raw[0], at, y + 1);
        pair_below<R, A>(open, value, below, f);
        if (y - R >= top)
            store_row(open[R - 1], at, y - R, f);
        push_row(open, open[0]); /* the first row is not looked at again */
    }
}

/* ---- rows a warp ---------------------------------------------------------------------------- */

/*
 * How many rows each warp gets, for the shortest time: more of them are less to start and to
 * finish, fewer are more warps. A multiprocessor's four schedulers get their warps one after the
 * other, as others end; a warp takes the time of its rows and of about R more. Where four share a
 * scheduler they do not end together, which costs as much as one more. Fitted to times on an H200.
 */
static int rows_for(int width, int height, int radius, int multiprocessors)
{
    int columns = columns_of(radius), halo = (radius + columns - 1) / columns, best = 1;
    int strips = (int)blocks_for(width, (32 - 2 * halo) * columns), least = INT_MAX;
    for (int rows = 1; rows <= 256; rows++) {
        int warps = strips * (int)blocks_for(height, rows);
        int turns = (int)blocks_for(warps, 4 * multiprocessors) + (radius <= 3);
        if (turns * (rows + radius) < least) {
            least = turns * (rows + radius);
            best = rows;
        }
    }
    return best;
}

#endif
