/*
 * byte_strips.cuh - the walk down a strip of a picture that is rows of bytes, whatever its pixels
 * are: the bytes that are summed lie DISTANCE apart, 1 for gray, 3 for RGB24, 4 for RGBA32. A
 * thread owns a stretch of bytes of each row of its strip. It reads a row's stretch, and what it
 * needs to the left and right, as words, sums along the row, and keeps the sums of five rows in
 * registers: with each new row a row of the output is complete.
 *
 *                 | BESIDE |  a stretch  | BESIDE |
 *      top - 2    |        | s s s s s.. |        |   sums along the row, kept at [0]
 *      top - 1    |        | s s s s s.. |        |   [1]
 *      top        |        | s s s s s.. |        |   [2]
 *      top + 1    |        | s s s s s.. |        |   [3]
 *      top + 2    |        | s s s s s.. |        |   [4]: now row `top` of the output is made
 *
 * A Rule says how bytes become sums and sums bytes: flat_bytes.cu has one, integer_rule.cuh one.
 */
#ifndef LAB5_BYTE_STRIPS_CUH
#define LAB5_BYTE_STRIPS_CUH

#include <cuda_runtime.h>
#include <stdint.h>

#include "gaussian.h"

enum {
    STRETCH = 8, /* bytes that a thread makes of a row */
    BESIDE = 8,  /* that it reads on either side: four pixels' taps would be too many */
    TAPS = 5,    /* of a column: so many rows are read at a time, so many sums are kept */
};

/* Words of a row that a thread reads: those before the stretch, its own, those after. */
template <int BYTES>
constexpr int WORDS = (BYTES + 2 * BESIDE) / 4;

/* The picture as rows of bytes, and where in them a thread's stretch is. */
struct stretch_place {
    int row_bytes, height;
    int left;          /* the stretch's first byte */
    bool whole;        /* rows are whole stretches, so each one is words of memory */
    bool starts, ends; /* it is the first one of such rows, the last one */
    bool inside;       /* all that is read lies in the row, with four bytes to spare */
};

template <int DISTANCE, int BYTES>
__device__ inline stretch_place place_of(shape s, int stretch)
{
    int row_bytes = s.width * DISTANCE, left = stretch * BYTES;
    bool whole = row_bytes % BYTES == 0;
    return {row_bytes,
            s.height,
            left,
            whole,
            whole && left == 0,
            whole && left + BYTES == row_bytes,
            left >= BESIDE && left + BYTES + BESIDE + 4 <= row_bytes};
}

/* ---- rows in -------------------------------------------------------------------------------- */

/* A stretch that one instruction loads. */
template <int BYTES>
struct alignas(BYTES) stretch_words {
    uint32_t word[BYTES / 4];
};

/*
 * Loads a row where stretches are words of memory: three loads, of which the outer two of gray
 * pixels are of four bytes. What lies beyond a row's ends is left to extend_ends(), later: that the
 * loads of several rows are under way at once, no one may look at what they bring.
 */
template <int DISTANCE, int BYTES>
__device__ inline void load_words(const uint8_t *own, const stretch_place &at,
                                  uint32_t (&word)[WORDS<BYTES>])
{
    const stretch_words<BYTES> middle = *(const stretch_words<BYTES> *)own;
    uint2 before = {}, after = {};
    if (!at.starts && DISTANCE > 1)
        before = *(const uint2 *)(own - 8);
    else if (!at.starts)
        before.y = *(const uint32_t *)(own - 4);
    if (!at.ends && DISTANCE > 1)
        after = *(const uint2 *)(own + BYTES);
    else if (!at.ends)
        after.x = *(const uint32_t *)(own + BYTES);
    word[0] = before.x, word[1] = before.y;
#pragma unroll
    for (int i = 0; i < BYTES / 4; i++)
        word[2 + i] = middle.word[i];
    word[2 + BYTES / 4] = after.x, word[3 + BYTES / 4] = after.y;
}

/* Loads a row that begins anywhere: whole words around the bytes, shifted into place. */
__device__ inline void load_shifted(const uint8_t *first, uint32_t (&word)[WORDS<STRETCH>])
{
    unsigned off = (uintptr_t)first & 3;
    const uint32_t *from = (const uint32_t *)(first - off);
    uint32_t low = from[0];
#pragma unroll
    for (int i = 0; i < WORDS<STRETCH>; i++) {
        uint32_t high = from[i + 1];
        word[i] = __funnelshift_r(low, high, 8 * off);
        low = high;
    }
}

/* Loads the ends of such a row byte by byte; beyond them the outermost pixel's byte of the same
 * channel. */
template <int DISTANCE>
__device__ inline void load_clamped(const uint8_t *row, const stretch_place &at,
                                    uint32_t (&word)[WORDS<STRETCH>])
{
#pragma unroll
    for (int w = 0; w < WORDS<STRETCH>; w++) {
        word[w] = 0;
#pragma unroll 1
        for (int k = 0; k < 4; k++) {
            int i = at.left + 4 * w + k - BESIDE;
            if (i < 0)
                i = (i + BESIDE * DISTANCE) % DISTANCE;
            else if (i >= at.row_bytes)
                i = at.row_bytes - DISTANCE + i % DISTANCE;
            word[w] |= (uint32_t)row[i] << 8 * k;
        }
    }
}

/* Loads five rows, from row y on. */
template <int DISTANCE>
__device__ inline void load_rows(const uint8_t *in, const stretch_place &at, int y,
                                 uint32_t (&word)[TAPS][WORDS<STRETCH>])
{
    if (at.whole) {
#pragma unroll
        for (int u = 0; u < TAPS; u++)
            load_words<DISTANCE, STRETCH>(in + clamp(y + u, at.height) * at.row_bytes + at.left, at,
                                          word[u]);
        return;
    }
#pragma unroll
    for (int u = 0; u < TAPS; u++) {
        const uint8_t *row = in + clamp(y + u, at.height) * at.row_bytes;
        if (at.inside)
            load_shifted(row + at.left - BESIDE, word[u]);
        else
            load_clamped<DISTANCE>(row, at, word[u]);
    }
}

/* Returns four bytes, from position `from` on, of a repeated pixel, which is bytes `first`.. of a
 * word. */
template <int DISTANCE>
__device__ inline uint32_t repeated(uint32_t word, int first, int from)
{
    unsigned select = 0;
#pragma unroll
    for (int i = 0; i < 4; i++)
        select |= (first + (from + i) % DISTANCE) << 4 * i;
    return __byte_perm(word, 0, select);
}

/* Puts a row's outermost pixels beyond its ends, where load_words() left zeros. */
template <int DISTANCE, int N>
__device__ inline void extend_ends(const stretch_place &at, uint32_t (&word)[N])
{
    if (at.starts) {
        word[0] = repeated<DISTANCE>(word[2], 0, BESIDE * (DISTANCE - 1));
        word[1] = repeated<DISTANCE>(word[2], 0, BESIDE * (DISTANCE - 1) + 4);
    }
    if (at.ends) {
        word[N - 2] = repeated<DISTANCE>(word[N - 3], 4 - DISTANCE, 0);
        word[N - 1] = repeated<DISTANCE>(word[N - 3], 4 - DISTANCE, 4);
    }
}

/* ---- sums ----------------------------------------------------------------------------------- */

/*
 * The last five rows' sums and, for alpha, their own bytes. Row i of a strip's input is at i % 5.
 * Whoever walks unrolls the loop, so that each index is known and all is in registers.
 */
template <int BYTES>
struct five_rows {
    float sums[TAPS][BYTES];
    uint32_t own[TAPS][BYTES / 4];
};

/* Sums along row u of the five. */
template <int DISTANCE, int BYTES, class Rule>
__device__ inline void sum_row(five_rows<BYTES> &rows, int u, const uint32_t (&word)[WORDS<BYTES>],
                               const Rule &rule)
{
#pragma unroll
    for (int i = 0; i < BYTES / 4; i++)
        rows.own[u][i] = word[BESIDE / 4 + i];
#pragma unroll
    for (int j = 0; j < BYTES; j++)
        if (DISTANCE < 4 || j % 4 < 3)
            rows.sums[u][j] = rule.template along_row<DISTANCE>(word, BESIDE + j);
}

/* Packs four bytes, each in a word of its own, into one word. */
__device__ inline uint32_t packed(const uint32_t (&byte)[4])
{
    return __byte_perm(__byte_perm(byte[0], byte[1], 0x0040), __byte_perm(byte[2], byte[3], 0x0040),
                       0x5410);
}

/* Makes the output row in the middle of the five, of which row u is the last, as words. */
template <int DISTANCE, int BYTES, class Rule>
__device__ inline void finish_row(const five_rows<BYTES> &rows, int u, uint32_t (&word)[BYTES / 4],
                                  const Rule &rule)
{
#pragma unroll
    for (int i = 0; i < BYTES / 4; i++) {
        uint32_t byte[4];
#pragma unroll
        for (int k = 0; k < 4; k++) {
            int j = 4 * i + k;
            byte[k] =
                DISTANCE == 4 && k == 3
                    ? rows.own[(u + 3) % TAPS][i] >> 24
                    : rule.along_column(rows.sums[(u + 1) % TAPS][j], rows.sums[(u + 2) % TAPS][j],
                                        rows.sums[(u + 3) % TAPS][j], rows.sums[(u + 4) % TAPS][j],
                                        rows.sums[u][j]);
        }
        word[i] = packed(byte);
    }
}

/* ---- the walk ------------------------------------------------------------------------------- */

__device__ inline void store_row(uint8_t *out, const stretch_place &at, int y,
                                 const uint32_t (&word)[STRETCH / 4])
{
    uint8_t *to = out + y * at.row_bytes + at.left;
    if (at.whole) {
        *(uint2 *)to = make_uint2(word[0], word[1]);
        return;
    }
#pragma unroll
    for (int j = 0; j < STRETCH; j++)
        if (at.left + j < at.row_bytes)
            to[j] = (uint8_t)(word[j / 4] >> 8 * (j % 4));
}

/* Makes a stretch of the rows from `top` to before `bottom`; loads five rows before it sums any. */
template <int DISTANCE, class Rule>
__device__ inline void walk(const uint8_t *in, uint8_t *out, const stretch_place &at, int top,
                            int bottom, const Rule &rule)
{
    five_rows<STRETCH> rows;
#pragma unroll 1
    for (int y = top - 4; y < bottom; y += TAPS) {
        uint32_t word[TAPS][WORDS<STRETCH>];
        load_rows<DISTANCE>(in, at, y + 2, word);
#pragma unroll
        for (int u = 0; u < TAPS; u++) {
            extend_ends<DISTANCE>(at, word[u]);
            sum_row<DISTANCE, STRETCH>(rows, u, word[u], rule);
            if (y + u < top || y + u >= bottom)
                continue;
            uint32_t result[STRETCH / 4];
            finish_row<DISTANCE, STRETCH>(rows, u, result, rule);
            store_row(out, at, y + u, result);
        }
    }
}

/* Makes, as thread (x, y) of the grid, stretch x of the rows of strip y. */
template <int DISTANCE, class Rule>
__device__ inline void walk_own_strip(const uint8_t *in, uint8_t *out, shape s, const Rule &rule)
{
    int stretch = blockIdx.x * blockDim.x + threadIdx.x;
    int top = (blockIdx.y * blockDim.y + threadIdx.y) * STRIP;
    stretch_place at = place_of<DISTANCE, STRETCH>(s, stretch);
    if (at.left < at.row_bytes && top < at.height)
        walk<DISTANCE>(in, out, at, top, min(top + STRIP, at.height), rule);
}

/* Returns the grid whose threads have a stretch of a strip each. */
static inline dim3 grid_of_strips(const problem *p, dim3 block)
{
    int stretches = blocks_for(p->width * channels(), STRETCH);
    return grid_over(stretches, blocks_for(p->height, STRIP), block);
}

#endif
