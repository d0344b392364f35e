/*
 * flat_bytes.cuh - a picture as rows of bytes, whatever its pixels are: the bytes that are summed
 * lie DISTANCE apart, 1 for gray, 3 for RGB24, 4 for RGBA32. A thread owns a stretch of bytes and
 * walks with it down a strip of the picture. It reads a row's stretch, and what it needs to the
 * left and right, as words, sums along the row, and keeps the sums of five rows in registers: with
 * each new row a row of the output is complete. How bytes become sums and sums bytes is the Rule's.
 */
#ifndef LAB5_FLAT_BYTES_CUH
#define LAB5_FLAT_BYTES_CUH

#include <stdint.h>

#include "gaussian.cuh"

enum {
    STRETCH = 8, /* bytes that a thread makes of a row */
    BESIDE = 8,  /* that it reads on either side: four pixels' taps would be too many */
    GROUP = 5,   /* rows that are read at a time; as many sums are kept of a column */
    STRIP = 16   /* rows that a thread makes: two more above and below are read, four groups */
};

/* A row's bytes in words: those before the stretch, its own, those after. */
template <int BYTES>
constexpr int WORDS = (BYTES + 2 * BESIDE) / 4;

/* Rows of bytes, and where in them a thread's stretch is. */
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

/* A stretch that is loaded at once. */
template <int BYTES>
struct alignas(BYTES) stretch_words {
    uint32_t word[BYTES / 4];
};

/*
 * Where stretches are words of memory: three loads, of which the outer two of gray pixels are of
 * four bytes. What lies beyond a row's ends is left to extend_ends(), later: that the loads of
 * several rows are under way at once, no one may look at what they bring.
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

/* For rows that begin anywhere: whole words around the bytes, shifted into place. */
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

/* At their ends: byte by byte, and beyond them the outermost pixel's byte of the same channel. */
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

/* Five rows, from row y on. */
template <int DISTANCE>
__device__ inline void load_rows(const uint8_t *in, const stretch_place &at, int y,
                                 uint32_t (&word)[GROUP][WORDS<STRETCH>])
{
    if (at.whole) {
#pragma unroll
        for (int u = 0; u < GROUP; u++)
            load_words<DISTANCE, STRETCH>(in + clamp(y + u, at.height) * at.row_bytes + at.left, at,
                                          word[u]);
        return;
    }
#pragma unroll
    for (int u = 0; u < GROUP; u++) {
        const uint8_t *row = in + clamp(y + u, at.height) * at.row_bytes;
        if (at.inside)
            load_shifted(row + at.left - BESIDE, word[u]);
        else
            load_clamped<DISTANCE>(row, at, word[u]);
    }
}

/* Four bytes, from position `from` on, of a pixel that is repeated: bytes `first`.. of a word. */
template <int DISTANCE>
__device__ inline uint32_t repeated(uint32_t word, int first, int from)
{
    unsigned select = 0;
#pragma unroll
    for (int i = 0; i < 4; i++)
        select |= (first + (from + i) % DISTANCE) << 4 * i;
    return __byte_perm(word, 0, select);
}

/* Beyond the ends of a row its outermost pixel. */
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
 * Of the last five rows their sums and, for alpha, their own bytes. Row i of a strip's input is at
 * i % 5. Whoever walks unrolls his loop, so that each index is known and all is in registers.
 */
template <int BYTES>
struct five_rows {
    float sums[GROUP][BYTES];
    uint32_t own[GROUP][BYTES / 4];
};

/* Row u of the five. */
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

/* Four bytes, each in a word of its own, as one word. */
__device__ inline uint32_t packed(const uint32_t (&byte)[4])
{
    return __byte_perm(__byte_perm(byte[0], byte[1], 0x0040), __byte_perm(byte[2], byte[3], 0x0040),
                       0x5410);
}

/* The output of two rows above row u, which is the last of the five, as words. */
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
            byte[k] = DISTANCE == 4 && k == 3
                          ? rows.own[(u + 3) % GROUP][i] >> 24
                          : rule.along_column(rows.sums[(u + 1) % GROUP][j],
                                              rows.sums[(u + 2) % GROUP][j],
                                              rows.sums[(u + 3) % GROUP][j],
                                              rows.sums[(u + 4) % GROUP][j], rows.sums[u][j]);
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

/* A stretch of the rows from `top` to before `bottom`. A group's loads are issued before its sums.
 */
template <int DISTANCE, class Rule>
__device__ inline void walk(const uint8_t *in, uint8_t *out, const stretch_place &at, int top,
                            int bottom, const Rule &rule)
{
    five_rows<STRETCH> rows;
#pragma unroll 1
    for (int y = top - 4; y < bottom; y += GROUP) {
        uint32_t word[GROUP][WORDS<STRETCH>];
        load_rows<DISTANCE>(in, at, y + 2, word);
#pragma unroll
        for (int u = 0; u < GROUP; u++) {
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

/* Thread (x, y) makes stretch x of the rows of strip y. */
template <int DISTANCE, class Rule>
__global__ void walk_strips(const uint8_t *in, uint8_t *out, shape s, Rule rule)
{
    int stretch = blockIdx.x * blockDim.x + threadIdx.x;
    int top = (blockIdx.y * blockDim.y + threadIdx.y) * STRIP;
    stretch_place at = place_of<DISTANCE, STRETCH>(s, stretch);
    if (at.left < at.row_bytes && top < at.height)
        walk<DISTANCE>(in, out, at, top, min(top + STRIP, at.height), rule);
}

/* ---- flat_bytes: bytes as floats ------------------------------------------------------------ */

struct float_rule {
    float weight[3]; /* of a distance of 0, 1 and 2 */

    /* The five taps around byte k of some words. */
    template <int DISTANCE, int N>
    __device__ float along_row(const uint32_t (&word)[N], int k) const
    {
        float sum = 0;
#pragma unroll
        for (int i = -2; i <= 2; i++) {
            int byte = k + i * DISTANCE;
            sum += weight[i < 0 ? -i : i] * (float)(word[byte / 4] >> 8 * (byte % 4) & 0xff);
        }
        return sum;
    }

    /* The same down a column. */
    __device__ uint32_t along_column(float a, float b, float c, float d, float e) const
    {
        return (uint32_t)(weight[2] * a + weight[1] * b + weight[0] * c + weight[1] * d +
                          weight[2] * e + 0.5f);
    }
};

#endif
