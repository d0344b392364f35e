/*
 * strips.cuh - how warps go through a picture for the kernels of bilateral.cu that weigh every pair
 * of pixels once: down a strip of 32 A columns, row by row; lane l owns its columns A l .. A l +
 * A-1. The outer lanes of a warp only serve their neighbours, and strips overlap by them.
 */
#ifndef LAB3_STRIPS_CUH
#define LAB3_STRIPS_CUH

#include <limits.h>

#include "scaled.cuh"

enum { COLUMNS = 4 }; /* A, where nothing else is said */

/* Lanes at either end of a warp that only serve their neighbours. */
template <int R, int A>
constexpr int HALO = (R + A - 1) / A;

/*
 * The first of a strip's columns that is its own, and how many are. Of lanes with two columns the
 * outer ones have one: where a strip is narrow, that counts.
 */
template <int R, int A>
constexpr int FIRST = A > 2 ? HALO<R, A> *A : R;

template <int R, int A>
constexpr int STRIP = 32 * A - 2 * FIRST<R, A>;

/* How many a picture has, whose first column is the first strip's lane HALO's. */
template <int R, int A>
static int strips_of(int width)
{
    return (int)blocks_for(width + HALO<R, A> * A - FIRST<R, A>, STRIP<R, A>);
}

/* The picture, and where in it a lane is. */
template <class Pixel, int A>
struct place {
    const Pixel *in;
    Pixel *out;
    int width, height;
    int x;       /* the lane's first column */
    int from;    /* where it loads from: x, but inside the picture */
    bool whole;  /* lanes are inside or outside as a whole: their pixels are one word of memory */
    bool beside; /* it is outside as a whole */
    bool owner;  /* it makes output */
    bool full;   /* of all its columns that are inside */
    int alone;   /* if not: the one of two that it makes output of */
    float
        own[A]; /* a pixel's own weight: 1, and that of the columns outside that it stands in for */
};

/* With WHOLE the width is a multiple of A. */
template <bool WHOLE, int R, int A, class Pixel>
__device__ static place<Pixel, A> place_of(const Pixel *in, Pixel *out, int strip, int lane,
                                           const scaled_filter<R> &f)
{
    static_assert(WHOLE || A > 2, "two columns of a lane are stored as a word or as one of them");
    int own = lane * A - FIRST<R, A>;
    place<Pixel, A> at = {in, out, f.width, f.height};
    at.x = strip * STRIP<R, A> + (lane - HALO<R, A>)*A;
    at.from = max(min(at.x, f.width - A), 0);
    at.whole = WHOLE || f.width % A == 0;
    at.beside = at.whole && at.from != at.x;
    at.owner = own > -A && own < STRIP<R, A> && at.x >= 0 && at.x < f.width;
    at.full = A > 2 || (own >= 0 && own + A <= STRIP<R, A>);
    at.alone = own < 0;
#pragma unroll
    for (int a = 0; a < A; a++)
        at.own[a] = 1 + f.whole * beyond(f, at.x + a, f.width);
    return at;
}

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

/* Where there is no pixel another one is loaded. */
template <class Pixel, int A>
__device__ static void load_row(raw_row<Pixel, A> &raw, const place<Pixel, A> &at, int y)
{
    const Pixel *row = at.in + min(max(y, 0), at.height - 1) * at.width;
    pixel_word<Pixel, A> word;
    if (at.whole) {
        word = *(const pixel_word<Pixel, A> *)(row + at.from);
    } else {
#pragma unroll
        for (int a = 0; a < A; a++)
            word.pixel[a] = row[min(max(at.x + a, 0), at.width - 1)];
    }
    memcpy(raw.bits, &word, sizeof word);
}

/* Calls hide(a) for the pixels that are outside where lanes are not inside or outside as a whole.
 */
template <class Pixel, int A, class Hide>
__device__ static void hide_columns(const place<Pixel, A> &at, Hide hide)
{
    if (at.whole)
        return;
#pragma unroll
    for (int a = 0; a < A; a++)
        if (at.x + a < 0 || at.x + a >= at.width)
            hide(a);
}

template <class Pixel, int A>
__device__ static void write_row(const place<Pixel, A> &at, int y, const pixel_word<Pixel, A> &word)
{
    Pixel *out = at.out + y * at.width + at.x;
    if (at.whole && at.full) {
        *(pixel_word<Pixel, A> *)out = word;
        return;
    }
    if constexpr (A == 2) {
        out[at.alone] = at.alone ? word.pixel[1] : word.pixel[0];
    } else {
#pragma unroll
        for (int a = 0; a < A; a++)
            if (at.x + a < at.width)
                out[a] = word.pixel[a];
    }
}

/* ---- between lanes -------------------------------------------------------------------------- */

/* The values around a lane's own: each from the lane that owns it. Column j is its first + j - R.
 */
template <int R, int A, class Value>
__device__ static void widen(Value (&wide)[A + 2 * R], const Value (&own)[A])
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

__device__ static float sum_of(float a, float b)
{
    return a + b;
}

/* The reverse: each lane gets what the others have summed up for its columns. */
template <int R, int A, class Sum>
__device__ static void collect(Sum (&own)[A], const Sum (&wide)[A + 2 * R])
{
#pragma unroll
    for (int a = 0; a < A; a++) {
        own[a] = wide[R + a];
#pragma unroll
        for (int lanes = 1; lanes * A - a <= R; lanes++)
            own[a] = sum_of(own[a], __shfl_down_sync(~0u, wide[R + a - lanes * A], lanes));
#pragma unroll
        for (int lanes = 1; lanes * A + a < A + R; lanes++)
            own[a] = sum_of(own[a], __shfl_up_sync(~0u, wide[R + a + lanes * A], lanes));
    }
}

/* ---- who gets which rows --------------------------------------------------------------------- */

/* A warp's part of the picture. */
typedef struct share {
    int strip, top, rows;
} share;

/*
 * All of them: warps take `tall` rows each, strip by strip and then further down, and from the row
 * `tall_groups` times that on `low` rows: the last to start are the first to end, so that
 * multiprocessors end nearly together.
 */
typedef struct shares {
    int strips, tall, tall_groups, low;
} shares;

__device__ static share share_of(shares s, int warp)
{
    int group = warp / s.strips, lower = group - s.tall_groups;
    return lower < 0 ? share{warp % s.strips, group * s.tall, s.tall}
                     : share{warp % s.strips, s.tall_groups * s.tall + lower * s.low, s.low};
}

static int warps_of(shares s, int height)
{
    int rest = height - s.tall_groups * s.tall;
    return s.strips * (s.tall_groups + (int)blocks_for(rest > 0 ? rest : 0, s.low));
}

/*
 * How many rows each warp gets, for the shortest time: more of them are less to start and to
 * finish, fewer are more warps. A multiprocessor's four schedulers get their warps one after the
 * other, as others end; a warp takes the time of its rows and of about R more, and one warp alone
 * does not keep a scheduler busy. Where four share one they do not end together, which costs as
 * much as one more (`uneven`). Where there are many rows for each, most warps get many of them and
 * the last few. Fitted to times on an H200.
 */
static shares shares_for(int strips, int height, int radius, int multiprocessors, bool uneven)
{
    int schedulers = 4 * multiprocessors, best = 1, least = INT_MAX;
    int rows_of_four = strips * height / (4 * schedulers);
    if (uneven && rows_of_four >= 100) {
        int tall = rows_of_four * 2 / 5;
        return {strips, tall, height * 17 / 20 / tall, rows_of_four / 14};
    }
    for (int rows = 1; rows <= 1024; rows++) {
        int turns = (int)blocks_for(strips * (int)blocks_for(height, rows), schedulers);
        int time = ((turns < 2 ? 2 : turns) + uneven) * (rows + radius);
        if (time < least) {
            least = time;
            best = rows;
        }
    }
    return {strips, best, 0, best};
}

/*
 * The rows of blocks whose warps are one below the other: of each warp, and of the block. The last
 * warp has one less, for it goes through the rows below the block, too. More than `radius` of them.
 */
typedef struct stacks {
    int rows, block;
} stacks;

/*
 * For the shortest time: a multiprocessor takes that of all the warps that it gets, and as if there
 * were two more, for few do not keep it busy. Fitted to times on an H200.
 */
static stacks stacks_for(int strips, int height, int radius, int warps, int multiprocessors)
{
    int best = 0, least = INT_MAX;
    for (int rows = radius + 2; rows <= 64; rows++) {
        int blocks = strips * (int)blocks_for(height, rows * warps - 1);
        int time = rows * ((int)blocks_for(blocks, multiprocessors) * warps + 2);
        if (time < least) {
            least = time;
            best = rows;
        }
    }
    return {best, best * warps - 1};
}

#endif
