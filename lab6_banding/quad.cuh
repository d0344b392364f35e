/*
 * quad.cuh - four pixels side by side, a quad, filtered by a thread out of rows in shared memory:
 * two 16-bit values a register, random bytes by the word.
 *
 * Rows lie in shared memory as they do in the frame, 6 bytes a pixel. A pixel lies in two words,
 * whole or shifted by half a word. Filtered, Y and Cb are a word, and two pixels' Cr is one: four
 * pixels are six words.
 *
 *     pixel       0          1          2          3
 *              +-------+-------+-------+-------+-------+-------+
 *     in words | Y  Cb | Cr  Y | Cb Cr | Y  Cb | Cr  Y | Cb Cr |     low half first
 *              +-------+-------+-------+-------+-------+-------+
 */
#ifndef LAB6_QUAD_CUH
#define LAB6_QUAD_CUH

#include "halfwords.cuh"
#include "offsets.h"

enum { QUAD = 4, PIXEL_BYTES = sizeof(yc48), QUAD_BYTES = QUAD * PIXEL_BYTES };

/* ---- in the frame --------------------------------------------------------------------------- */

/* Six words filtered: Y and Cb of each pixel, Cr of two. */
typedef struct quad_values {
    unsigned ycb[QUAD], cr[QUAD / 2];
} quad_values;

/* Writes 24 bytes as the frame has them, at an address that is a multiple of 8. */
__device__ inline void put_values(void *to, quad_values v)
{
    uint2 *word = (uint2 *)to;
    word[0] = make_uint2(v.ycb[0], prmt<0x5410>(v.cr[0], v.ycb[1]));
    word[1] = make_uint2(prmt<0x7632>(v.ycb[1], v.cr[0]), v.ycb[2]);
    word[2] = make_uint2(prmt<0x5410>(v.cr[1], v.ycb[3]), prmt<0x7632>(v.ycb[3], v.cr[1]));
}

/* Says whether quads lie in whole words of 8 bytes, and their random bytes in words of 4. */
__device__ inline bool quads_are_words(filter f)
{
    return f.width % QUAD == 0;
}

/* Stores the quad at column x, as much of it as the picture has. */
__device__ inline void store_quad(yc48 *out, quad_values v, filter f, int x)
{
    if (quads_are_words(f)) {
        put_values(out, v);
        return;
    }
#pragma unroll
    for (int i = 0; i < QUAD; i++)
        if (x + i < f.width)
            out[i] = {(short)v.ycb[i], (short)(v.ycb[i] >> 16),
                      (short)(v.cr[i / 2] >> 16 * (i % 2))};
}

/* Returns random byte i of the planes. */
template <bool HASHED>
__device__ inline unsigned random_byte(const uint8_t *random, filter f, unsigned i)
{
    return HASHED ? hash_word(f.key + i / 4) >> 8 * (i % 4) & 0xff : random[i];
}

/* Gets the five random words of the quad at (x, y): from the planes, or made here. */
template <bool HASHED>
__device__ inline void random_words(unsigned *word, const uint8_t *random, filter f, int x, int y)
{
    unsigned plane = f.width * f.height, at = y * f.width + x;
    if (quads_are_words(f)) {
#pragma unroll
        for (unsigned i = 0; i < PLANES; i++)
            word[i] = HASHED ? hash_word(f.key + (i * plane + at) / 4)
                             : *(const unsigned *)(random + (i * plane + at));
        return;
    }
#pragma unroll
    for (unsigned i = 0; i < PLANES; i++) {
        word[i] = 0;
#pragma unroll 1
        for (unsigned k = 0; k < QUAD && x + (int)k < f.width; k++)
            word[i] |= random_byte<HASHED>(random, f, i * plane + at + k) << 8 * k;
    }
}

/* ---- in shared memory ----------------------------------------------------------------------- */

/*
 * Rows of pixels in shared memory. A place is a number of bytes from the first one. In a ring the
 * first row follows the last: places go on to twice its bytes.
 */
typedef struct pixel_rows {
    const char *first;
    unsigned row_bytes, ring_bytes;
} pixel_rows;

/* Returns where in shared memory a place is. */
template <bool RING>
__device__ inline unsigned place(unsigned at, pixel_rows r)
{
    return RING ? min(at, at - r.ring_bytes) : at;
}

/* A pixel: Y and Cb; Cr, with something above it. */
typedef struct pixel_words {
    unsigned ycb, cr;
} pixel_words;

/* Reads a pixel from its two words, from bit `shift` % 32 of the first one on: 0, or 16 in an odd
 * column. */
template <bool RING>
__device__ inline pixel_words pixel_in(pixel_rows r, unsigned at, unsigned shift)
{
    const unsigned *word = (const unsigned *)(r.first + (place<RING>(at, r) & ~3u));
    unsigned low = word[0], high = word[1];
    return {__funnelshift_r(low, high, shift), __funnelshift_r(high, high, shift)};
}

/*
 * Finds the neighbours of a quad away from the edges: n is the range for all pixels, and a product
 * has the offsets of two of them, each in the upper byte of its half.
 */
template <int MODE>
__device__ inline void find_inner(unsigned (*at)[1 << MODE], unsigned own, unsigned down,
                                  unsigned across, unsigned n, unsigned row_bytes)
{
    unsigned shares = 2 * n + 1;
    unsigned a[] = {even_bytes(down) * shares, odd_bytes(down) * shares};
    unsigned b[] = {even_bytes(across) * shares, odd_bytes(across) * shares};
#pragma unroll
    for (int i = 0; i < QUAD; i++, own += PIXEL_BYTES) {
        unsigned a_i = i < 2 ? prmt<0x4441>(a[i % 2], 0) : a[i % 2] >> 24;
        unsigned b_i = i < 2 ? prmt<0x4441>(b[i % 2], 0) : b[i % 2] >> 24;
        at[i][0] = own - n * (row_bytes + PIXEL_BYTES) + b_i * PIXEL_BYTES + a_i * row_bytes;
        if (MODE > 0)
            at[i][1] = 2 * own - at[i][0];
        if (MODE > 1) {
            at[i][2] = own + n * (row_bytes - PIXEL_BYTES) + a_i * PIXEL_BYTES - b_i * row_bytes;
            at[i][3] = 2 * own - at[i][2];
        }
    }
}

/* Finds the neighbours of any quad, also of what of it lies outside the picture. */
template <int MODE>
__device__ inline void find_any(unsigned (*at)[1 << MODE], unsigned own, unsigned down,
                                unsigned across, unsigned row_bytes, filter f, int x, int y)
{
    int edge = min(y, f.height - 1 - y), least = MODE == 0 ? -y : -edge, pitch = (int)row_bytes;
#pragma unroll
    for (int i = 0; i < QUAD; i++, own += PIXEL_BYTES) {
        int n = max(0, min(min(f.range, edge), min(x + i, f.width - 1 - x - i)));
        int a = random_range(down >> 8 * i & 0xff, n), b = random_range(across >> 8 * i & 0xff, n);
        int ref_0 = field_rows(a, f.field_mask, least) * pitch + b * PIXEL_BYTES;
        int ref_1 = a * PIXEL_BYTES - field_rows(b, f.field_mask, least) * pitch;
        const int refs[] = {ref_0, -ref_0, ref_1, -ref_1};
#pragma unroll
        for (int k = 0; k < 1 << MODE; k++)
            at[i][k] = own + (unsigned)refs[k];
    }
}

/* Finds the places of all neighbours of the quad at (x, y). */
template <int MODE>
__device__ inline void find_places(unsigned (*at)[1 << MODE], unsigned own, const unsigned *random,
                                   unsigned row_bytes, filter f, int x, int y)
{
    bool inner = f.field_mask == 0xff && min(y, f.height - 1 - y) >= f.range &&
                 min(x, f.width - QUAD - x) >= f.range;
    if (inner)
        find_inner<MODE>(at, own, random[0], random[1], f.range, row_bytes);
    else
        find_any<MODE>(at, own, random[0], random[1], row_bytes, f, x, y);
}

/* ---- filtered ------------------------------------------------------------------------------- */

/* Noise of channels: bytes times shares, each in the upper byte of its half; even and odd pixels.
 */
typedef struct quad_noise {
    unsigned y[2], cb[2], cr[2];
} quad_noise;

/* Makes the noise of a quad from its random words. */
__device__ inline quad_noise noise_of(const unsigned *random, filter f)
{
    unsigned shares_y = (unsigned)(2 * f.dither_y + 1), shares_c = (unsigned)(2 * f.dither_c + 1);
    return {{even_bytes(random[2]) * shares_y, odd_bytes(random[2]) * shares_y},
            {even_bytes(random[3]) * shares_c, odd_bytes(random[3]) * shares_c},
            {even_bytes(random[4]) * shares_c, odd_bytes(random[4]) * shares_c}};
}

/* Pairs the noise of two values, of pixels 0 and 1 or of 2 and 3. */
__device__ inline unsigned noise_pair(unsigned low, unsigned high, bool second)
{
    return second ? prmt<0xf7b3>(low, high) : prmt<0xd591>(low, high);
}

/*
 * Filters the quad at (x, y), which lies at `own`, with its five random words. A word of Cr has
 * those of two pixels: each neighbour brings its pixel's. Mirror images are an even number of
 * columns apart.
 */
template <int MODE, bool BLUR_FIRST, bool RING>
__device__ inline quad_values filter_quad(pixel_rows r, unsigned own, const unsigned *random,
                                          filter f, int x, int y)
{
    enum { OTHERS = 1 << MODE };
    unsigned at[QUAD][OTHERS];
    find_places<MODE>(at, own, random, r.row_bytes, f, x, y);
    pair_limits luma = limits_of(f.threshold_y, f.dither_y, f.threshold_cb, f.dither_c);
    pair_limits chroma = limits_of(f.threshold_cr, f.dither_c, f.threshold_cr, f.dither_c);
    quad_noise noise = noise_of(random, f);

    quad_values v;
    const uint2 *own_word = (const uint2 *)(r.first + place<RING>(own, r));
    uint2 w[] = {own_word[0], own_word[1], own_word[2]};
    const unsigned center[] = {w[0].x, w[0].y, w[1].x, w[1].y, w[2].x, w[2].y};
#pragma unroll
    for (int i = 0; i < QUAD; i += 2) {
        const unsigned *three = center + 3 * (i / 2); /* words of pixels i and i + 1 */
        pixel_words other[2][OTHERS];
#pragma unroll
        for (int k = 0; k < 2; k++)
            for (int j = 0; j < OTHERS; j++)
                other[k][j] = pixel_in<RING>(r, at[i + k][j], 8 * at[i + k][j & ~1]);
        unsigned value[OTHERS];
#pragma unroll
        for (int k = 0; k < 2; k++) {
            for (int j = 0; j < OTHERS; j++)
                value[j] = other[k][j].ycb;
            unsigned noise_k = noise_pair(noise.y[k], noise.cb[k], i > 0);
            unsigned ycb = k == 0 ? three[0] : prmt<0x5432>(three[1], three[2]);
            v.ycb[i + k] = filter_pair<MODE, BLUR_FIRST>(ycb, value, noise_k, luma);
        }
        for (int j = 0; j < OTHERS; j++)
            value[j] = prmt<0x5410>(other[0][j].cr, other[1][j].cr);
        unsigned noise_cr = noise_pair(noise.cr[0], noise.cr[1], i > 0);
        unsigned cr = prmt<0x7610>(three[1], three[2]);
        v.cr[i / 2] = filter_pair<MODE, BLUR_FIRST>(cr, value, noise_cr, chroma);
    }
    return v;
}

#endif
