/*
 * pairs.cuh - the arithmetic of symmetric: rows of pixels as scaled values, and pairs of them, each
 * weighed once, its weight added to the sums of both.
 */
#ifndef LAB3_PAIRS_CUH
#define LAB3_PAIRS_CUH

#include "open_rows.cuh"
#include "pixels.cuh"

/* What pairs add to the pixels of a new row: column j is the lane's first one plus j - R. */
template <int R, int A>
struct new_row {
    float value[A + 2 * R], numerator[A + 2 * R], denominator[A + 2 * R];
};

/* ---- rows in and out ------------------------------------------------------------------------ */

/* Returns pixel a of a row as a float. */
template <int A>
__device__ static float pixel_of(const raw_row<float, A> &raw, int a)
{
    return __uint_as_float(raw.bits[a]);
}

/* Makes 2^23 + byte out of a byte: a conversion would wait for the unit of the exponentials. */
template <int A>
__device__ static float pixel_of(const raw_row<uint8_t, A> &raw, int a)
{
    return __uint_as_float(__byte_perm(raw.bits[0], 0x4b000000, 0x7440 + a)) - 0x1p23f;
}

/* Scales the pixels of row y. Infinity becomes NaN: by equation (1) it has no weight, not even for
 * itself. */
template <class Pixel, int A>
__device__ static void scale_row(float (&value)[A], const raw_row<Pixel, A> &raw,
                                 const place<Pixel, A> &at, int y, float scale)
{
    float shift = at.outside || y < 0 || y >= at.height ? OUTSIDE : 0;
#pragma unroll
    for (int a = 0; a < A; a++) {
        float pixel = pixel_of(raw, a);
        value[a] = pixel * scale + (sizeof(Pixel) == 1 ? shift : pixel * 0 + shift);
    }
    hide_columns(at, [&](int a) { value[a] = OUTSIDE; });
}

/* Stores a row that has met all its pairs; what is left are its pixels' own weights, and those of
 * the rows outside. */
template <class Pixel, int R, int A>
__device__ static void store_row(const open_row<A> &row, const place<Pixel, A> &at, int y,
                                 const scaled_filter<R> &f)
{
    if (!at.makes_some || y >= at.height)
        return;
    float own[A];
#pragma unroll
    for (int a = 0; a < A; a++)
        own[a] = at.own_weight[a];
    if (y < R || y >= at.height - R) {
#pragma unroll
        for (int a = 0; a < A; a++)
            own[a] = 1 + weight_outside(f, at.x + a, y);
    }
    pixel_word<Pixel, A> word;
#pragma unroll
    for (int a = 0; a < A; a++) {
        float numerator = row.numerator[a] + own[a] * row.value[a];
        float weights = row.denominator[a] + own[a];
        put_pixel(&word.pixel[a], numerator * reciprocal(weights) * f.unscale);
    }
    write_row(at, y, word);
}

/* ---- pairs ---------------------------------------------------------------------------------- */

/*
 * Weighs all pairs of the open row p, which is dy above, and a new row q, and adds them to p; and
 * to q, where these sums are wanted (BOTH).
 */
template <bool BOTH, int R, int A>
__device__ static void pair_with(open_row<A> &p, new_row<R, A> &q, const float (&exponent)[R + 1])
{
#pragma unroll
    for (int j = 0; j < A + 2 * R; j++)
#pragma unroll
        for (int a = 0; a < A; a++) {
            int dx = j - R - a;
            if (dx < -R || dx > R)
                continue;
            float difference = p.value[a] - q.value[j];
            float weight = power_of_two(exponent[dx < 0 ? -dx : dx] - difference * difference);
            p.numerator[a] += weight * q.value[j];
            p.denominator[a] += weight;
            if (BOTH) {
                q.numerator[j] += weight * p.value[a];
                q.denominator[j] += weight;
            }
        }
}

/* Weighs the pairs of a lane's own pixels of the new row and those to their right. */
template <int R, int A>
__device__ static void pair_within(new_row<R, A> &row, const scaled_filter<R> &f)
{
#pragma unroll
    for (int p = R; p < R + A; p++)
#pragma unroll
        for (int dx = 1; dx <= R; dx++) {
            int q = p + dx;
            float difference = row.value[p] - row.value[q];
            float weight = power_of_two(f.exponent[dx * dx] - difference * difference);
            row.numerator[p] += weight * row.value[q];
            row.denominator[p] += weight;
            row.numerator[q] += weight * row.value[p];
            row.denominator[q] += weight;
        }
}

#endif
