/*
 * walk.cuh - a warp's way down a strip for symmetric: each new row meets the open ones above it. It
 * ends R rows below the warp's own ones, or where another warp hands it what these would add.
 */
#ifndef LAB3_WALK_CUH
#define LAB3_WALK_CUH

#include "open_rows.cuh"
#include "pairs.cuh"
#include "strips.cuh"

enum { SYMMETRIC_THREADS = 256 }; /* of a block, at most */

/* ---- between warps -------------------------------------------------------------------------- */

/*
 * In a small picture each warp has few rows, and those below it, which it would go through again to
 * finish its last ones, count. There a block's warps are one below the other and each hands what
 * its first rows have added to those above to the warp that has them: two words a lane and row.
 */
enum { HANDED = 2 * 32 };

/* What a warp hands up starts at `word`; what it gets, R rows further. */
template <int A>
struct handed_sums {
    pixel_word<float, A> *word;
    bool above, below; /* a warp of its block hands it something there, or gets it */
};

/* Says that nothing is handed up to or by a warp. */
template <int A>
__device__ static handed_sums<A> nothing_handed(void)
{
    return {NULL, false, false};
}

template <int A>
__device__ static void hand_up(pixel_word<float, A> *word, const open_row<A> &row)
{
    write_word(word, row.numerator);
    write_word(word + 32, row.denominator);
}

template <int A>
__device__ static void add_handed(open_row<A> &row, const pixel_word<float, A> *word)
{
    pixel_word<float, A> numerator = word[0], denominator = word[32];
#pragma unroll
    for (int a = 0; a < A; a++) {
        row.numerator[a] += numerator.pixel[a];
        row.denominator[a] += denominator.pixel[a];
    }
}

/* ---- a warp's way --------------------------------------------------------------------------- */

/*
 * Pairs a new row with the open ones, of which the oldest is finished then. Below the warp's own
 * rows (BOTH = false) only the sums of those are wanted, `below` rows and more above. Where a
 * larger radius is in registers a branch that is never taken keeps the compiler from mixing the
 * rows' instructions: 5 % less time at radius 7.
 */
template <bool BOTH, class Pixel, int R, int A>
__device__ static void meet(open_rows<R, A> &open, const float (&value)[A],
                            const place<Pixel, A> &at, int y, int top, int below,
                            const handed_sums<A> &handed, const scaled_filter<R> &f)
{
    new_row<R, A> row;
    open_row<A> own = {};
    widen<R, A>(row.value, value);
#pragma unroll
    for (int j = 0; j < A + 2 * R; j++)
        row.numerator[j] = row.denominator[j] = -0.0f; /* x + -0 is x: the compiler leaves it out */
#pragma unroll IN_SHARED < R> ? 1 : R
    for (int dy = R; dy >= 1; dy--) {
        if (dy < below || (R > 3 && !IN_SHARED<R> && dy == 1 && f.unscale < 0))
            continue; /* it never is negative */
        open_row<A> &p = take_row(open, dy);
        float exponent[R + 1];
#pragma unroll
        for (int dx = 0; dx <= R; dx++)
            exponent[dx] = IN_SHARED<R> ? f.exponent[dx * dx] + f.exponent[dy * dy]
                                        : f.exponent[dx * dx + dy * dy];
        pair_with<BOTH>(p, row, exponent);
        if (dy < R)
            keep_sums(open, dy);
        else if (y - R >= top)
            store_row(p, at, y - R, f);
        else if (BOTH && handed.above)
            hand_up(handed.word + (y - top) * HANDED, p);
    }
#pragma unroll
    for (int a = 0; a < A; a++)
        own.value[a] = value[a];
    if (BOTH) {
        pair_within(row, f);
        collect<R, A>(own.numerator, row.numerator);
        collect<R, A>(own.denominator, row.denominator);
    }
    push_row(open, own);
}

/* Loads the R rows above `top` and opens them; `next` gets the row `top` itself. */
template <class Pixel, int R, int A>
__device__ static void open_above(open_rows<R, A> &open, raw_row<Pixel, A> &next,
                                  const place<Pixel, A> &at, int top, float scale)
{
    constexpr int AT_ONCE = rows_at_hand(R);
    raw_row<Pixel, A> raw[AT_ONCE];
#pragma unroll 1
    for (int y = top - R; y < top; y += AT_ONCE) {
#pragma unroll
        for (int i = 0; i < AT_ONCE; i++)
            load_row(raw[i], at, y + i);
        load_row(next, at, y + AT_ONCE);
#pragma unroll
        for (int i = 0; i < AT_ONCE; i++) {
            open_row<A> row = {};
            scale_row(row.value, raw[i], at, y + i, scale);
            push_row(open, row);
        }
    }
}

/* Goes through the R rows below a warp's own ones, of which the last is `bottom`; `value` has the
 * first of them. */
template <class Pixel, int R, int A>
__device__ static void go_below(open_rows<R, A> &open, float (&value)[A], const place<Pixel, A> &at,
                                int top, int bottom, const scaled_filter<R> &f)
{
    raw_row<Pixel, A> next;
#pragma unroll 1
    for (int below = 1; below <= R; below++) {
        load_row(next, at, bottom + below + 1);
        meet<false>(open, value, at, bottom + below, top, below, nothing_handed<A>(), f);
        scale_row(value, next, at, bottom + below + 1, f.scale);
    }
}

/* Goes down a strip: the warp's rows of it are top .. top + rows - 1. */
template <int R, int A, class Pixel>
__device__ static void walk_strip(const place<Pixel, A> &at, int top, int rows,
                                  pixel_word<float, A> *ring, const scaled_filter<R> &f)
{
    open_rows<R, A> open = {{}, ring, 0};
    raw_row<Pixel, A> next = {};
    float value[A];
    open_above(open, next, at, top, f.scale);
#pragma unroll 1
    for (int y = top; y < top + rows; y++) {
        scale_row(value, next, at, y, f.scale);
        load_row(next, at, y + 1);
        meet<true>(open, value, at, y, top, 1, nothing_handed<A>(), f);
    }
    scale_row(value, next, at, top + rows, f.scale);
    go_below(open, value, at, top, top + rows - 1, f);
}

#endif
