/*
 * pixel.cuh - a pixel filtered by a thread: the arithmetic that no rung of banding.cu changes.
 */
#ifndef LAB6_PIXEL_CUH
#define LAB6_PIXEL_CUH

#include "offsets.h"

/* ---- three values at a time ----------------------------------------------------------------- */

/* Reads a pixel of three values, in three parts. */
__device__ inline yc48 read_pixel(const yc48 *p)
{
    return *p;
}

/* Reads a packed pixel, 8 bytes at once. */
__device__ inline yc48 read_pixel(const short4 *p)
{
    short4 packed = *p;
    return {packed.x, packed.y, packed.z};
}

/* Packs three values with a fourth, 0. */
__device__ inline short4 pack(yc48 pixel)
{
    return make_short4(pixel.y, pixel.cb, pixel.cr, 0);
}

/* Takes differences, kept in 16 bits: they may wrap. */
__device__ inline yc48 abs_difference(yc48 a, yc48 b)
{
    return {(short)abs(a.y - b.y), (short)abs(a.cb - b.cb), (short)abs(a.cr - b.cr)};
}

/* Takes the larger one of each value. */
__device__ inline yc48 larger(yc48 a, yc48 b)
{
    return {(short)max(a.y, b.y), (short)max(a.cb, b.cb), (short)max(a.cr, b.cr)};
}

/* Averages two pixels, halves rounded up. */
__device__ inline yc48 average_of(yc48 a, yc48 b)
{
    return {(short)((a.y + b.y + 1) >> 1), (short)((a.cb + b.cb + 1) >> 1),
            (short)((a.cr + b.cr + 1) >> 1)};
}

/* Averages four pixels, halves rounded up. */
__device__ inline yc48 average_of(yc48 a, yc48 b, yc48 c, yc48 d)
{
    return {(short)((a.y + b.y + c.y + d.y + 2) >> 2),
            (short)((a.cb + b.cb + c.cb + d.cb + 2) >> 2),
            (short)((a.cr + b.cr + c.cr + d.cr + 2) >> 2)};
}

/* ---- a pixel -------------------------------------------------------------------------------- */

/*
 * Filters pixel (x, y), which lies at `own` in a picture with `pitch` pixels a row: the article's
 * kernel from its reads to its result. The mode is known to the compiler, so that no branch on it
 * is left. The pictures' types differ: yc48, or short4.
 */
template <int MODE, bool BLUR_FIRST, typename PIXEL>
__device__ inline yc48 filter_pixel(const PIXEL *own, int pitch, const uint8_t *random, filter f,
                                    int x, int y)
{
    int plane = f.width * f.height;
    neighbours to = find_neighbours(MODE, random, f, pitch, x, y);
    random += y * f.width + x;

    yc48 center = read_pixel(own), average, difference;
    if (MODE == 0) {
        average = read_pixel(own + to.first);
        difference = abs_difference(center, average);
    } else if (MODE == 1) {
        yc48 plus = read_pixel(own + to.first), minus = read_pixel(own - to.first);
        average = average_of(plus, minus);
        difference = BLUR_FIRST
                         ? abs_difference(center, average)
                         : larger(abs_difference(center, plus), abs_difference(center, minus));
    } else {
        yc48 plus_0 = read_pixel(own + to.first), minus_0 = read_pixel(own - to.first);
        yc48 plus_1 = read_pixel(own + to.second), minus_1 = read_pixel(own - to.second);
        average = average_of(plus_0, minus_0, plus_1, minus_1);
        difference =
            BLUR_FIRST
                ? abs_difference(center, average)
                : larger(larger(abs_difference(center, plus_0), abs_difference(center, minus_0)),
                         larger(abs_difference(center, plus_1), abs_difference(center, minus_1)));
    }
    yc48 result;
    result.y = difference.y < f.threshold_y ? average.y : center.y;
    result.cb = difference.cb < f.threshold_cb ? average.cb : center.cb;
    result.cr = difference.cr < f.threshold_cr ? average.cr : center.cr;
    result.y += random_range(random[2 * plane], f.dither_y);
    result.cb += random_range(random[3 * plane], f.dither_c);
    result.cr += random_range(random[4 * plane], f.dither_c);
    return result;
}

#endif
