/*
 * strips.cuh - how a warp goes through a picture that weighs every pair of pixels once: down a
 * strip of 32 A columns, row by row; lane l owns its columns A l .. A l + A-1. The outer lanes of a
 * warp only serve their neighbours, and strips overlap by them:
 *
 *      0   1        30  31      lanes of a warp, A columns each; HALO at either end make no output
 *    +---+---+-    -+---+---+
 *    |   | own      own |   |
 *    +---+---+-    -+---+---+-
 *                   |   | own    the next strip: its lanes 0 and 1 lie where 30 and 31 do here
 *                   +---+---+-
 */
#ifndef LAB3_STRIPS_CUH
#define LAB3_STRIPS_CUH

#include <string.h>

#include "scaled.cuh"

enum { COLUMNS = 4 }; /* A, where nothing else is said */

/* Lanes at either end of a warp that only serve their neighbours. */
template <int R, int A>
constexpr int HALO = (R + A - 1) / A;

/*
 * The first of a strip's columns that is its own, and how many are. Where lanes have two columns
 * the outer ones have one of their own: where a strip is narrow, that counts.
 */
template <int R, int A>
constexpr int FIRST = A > 2 ? HALO<R, A> *A : R;

template <int R, int A>
constexpr int STRIP = 32 * A - 2 * FIRST<R, A>;

/* Returns how many strips a picture has. The first strip's lane HALO has its first column. */
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
    int x;             /* the lane's first column */
    int load_x;        /* where it loads from: x, but inside the picture */
    bool one_word;     /* lanes are inside or outside as a whole: A pixels are a word of memory */
    bool outside;      /* as a whole */
    bool makes_some;   /* of its columns that are inside it makes output of some, */
    bool makes_all;    /* of all, */
    int single_column; /* or of this one of two */
    float
        own_weight[A]; /* a pixel's own: 1, and those of the columns outside for which it stands */
};

/* Finds a lane's place. With ONE_WORD the width is a multiple of A. */
template <bool ONE_WORD, int R, int A, class Pixel>
__device__ static place<Pixel, A> place_of(const Pixel *in, Pixel *out, int strip, int lane,
                                           const scaled_filter<R> &f)
{
    static_assert(ONE_WORD || A > 2, "of a lane's two columns a word or one is stored");
    int own = lane * A - FIRST<R, A>;
    place<Pixel, A> at = {in, out, f.width, f.height};
    at.x = strip * STRIP<R, A> + (lane - HALO<R, A>)*A;
    at.load_x = max(min(at.x, f.width - A), 0);
    at.one_word = ONE_WORD || f.width % A == 0;
    at.outside = at.one_word && at.load_x != at.x;
    at.makes_some = own > -A && own < STRIP<R, A> && at.x >= 0 && at.x < f.width;
    at.makes_all = A > 2 || (own >= 0 && own + A <= STRIP<R, A>);
    at.single_column = own < 0;
#pragma unroll
    for (int a = 0; a < A; a++)
        at.own_weight[a] = 1 + f.whole * beyond(f, at.x + a, f.width);
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

/* Loads a lane's pixels of row y; where there is no pixel, another one. */
template <class Pixel, int A>
__device__ static void load_row(raw_row<Pixel, A> &raw, const place<Pixel, A> &at, int y)
{
    const Pixel *row = at.in + min(max(y, 0), at.height - 1) * at.width;
    pixel_word<Pixel, A> word;
    if (at.one_word) {
        word = *(const pixel_word<Pixel, A> *)(row + at.load_x);
    } else {
#pragma unroll
        for (int a = 0; a < A; a++)
            word.pixel[a] = row[min(max(at.x + a, 0), at.width - 1)];
    }
    memcpy(raw.bits, &word, sizeof word);
}

/* Calls hide(a) for the columns that are outside, where a lane may be so in part. */
template <class Pixel, int A, class Hide>
__device__ static void hide_columns(const place<Pixel, A> &at, Hide hide)
{
    if (at.one_word)
        return;
#pragma unroll
    for (int a = 0; a < A; a++)
        if (at.x + a < 0 || at.x + a >= at.width)
            hide(a);
}

/* Stores the columns that the lane makes. */
template <class Pixel, int A>
__device__ static void write_row(const place<Pixel, A> &at, int y, const pixel_word<Pixel, A> &word)
{
    Pixel *out = at.out + y * at.width + at.x;
    if (at.one_word && at.makes_all) {
        *(pixel_word<Pixel, A> *)out = word;
        return;
    }
    if constexpr (A == 2) {
        out[at.single_column] = at.single_column ? word.pixel[1] : word.pixel[0];
    } else {
#pragma unroll
        for (int a = 0; a < A; a++)
            if (at.x + a < at.width)
                out[a] = word.pixel[a];
    }
}

/* ---- between lanes -------------------------------------------------------------------------- */

/* Gets the values around a lane's own, each from the lane that owns it. Column j of the wide row is
 * the lane's first + j - R. */
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

__device__ inline float sum_of(float a, float b)
{
    return a + b;
}

/* Collects what the other lanes have summed up for a lane's columns: the reverse of widen(). */
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

#endif
