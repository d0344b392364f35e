/*
 * pixels4.cuh - lab 6's kernels that make four pixels side by side in a thread: two 16-bit values a
 * register, random bytes by the word.
 *
 * A tile in shared memory has rows as they lie in the frame, 6 bytes a pixel: they are copied by
 * lines, and past the registers (cp.async). A pixel lies in two words, whole or shifted by half a
 * word. Filtered, Y and Cb are a word, and two pixels' Cr is one: four pixels are six words.
 */
#ifndef LAB6_PIXELS4_CUH
#define LAB6_PIXELS4_CUH

#include "async_copy.cuh"

enum { GROUP = 4 }; /* pixels side by side that a thread makes */

/* Bytes of b:a by the selector's digits, the lowest first; a digit's bit 3 spreads the sign. */
template <unsigned SELECTOR>
__device__ static unsigned permute(unsigned a, unsigned b)
{
#ifdef CUDA_ON_CPU
    return __byte_perm(a, b, SELECTOR);
#else
    unsigned bytes; /* __byte_perm() does not pass bit 3 on */
    asm("prmt.b32 %0, %1, %2, %3;" : "=r"(bytes) : "r"(a), "r"(b), "n"(SELECTOR));
    return bytes;
#endif
}

/*
 * Any function of three bits, of all bits of three words, in one instruction: TABLE has its value
 * for a, b and c, the number abc its place. nvcc would make two of these where one does.
 */
template <unsigned TABLE>
__device__ static unsigned logic(unsigned a, unsigned b, unsigned c)
{
    unsigned bits = 0;
#ifdef CUDA_ON_CPU
    for (int i = 0; i < 8; i++)
        if (TABLE >> i & 1)
            bits |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
#else
    asm("lop3.b32 %0, %1, %2, %3, %4;" : "=r"(bits) : "r"(a), "r"(b), "r"(c), "n"(TABLE));
#endif
    return bits;
}

/* What a word of three bits' values is in such a table: a function of these is its table. */
enum { BIT_A = 0xf0, BIT_B = 0xcc, BIT_C = 0xaa };

/* ---- two values at a time ------------------------------------------------------------------- */

/* |a - b|, kept in 16 bits. */
__device__ static unsigned apart(unsigned a, unsigned b)
{
    return __vsub2(__vmaxs2(a, b), __vmins2(a, b));
}

/*
 * (a + b + 1) >> 1: what either has, less half of what only one has. Made of the complement, that
 * is a shift and an addition, which are one instruction. It is right of values without a sign;
 * where signs differ, the result's is the other one.
 */
__device__ static unsigned mean(unsigned a, unsigned b)
{
    unsigned differ = (a ^ b) & 0xfffefffe, neither = logic<~(BIT_A | BIT_B) & 0xff>(a, b, 0);
    unsigned complement = (differ >> 1) + neither;
    return logic<~(BIT_A ^ (BIT_B & BIT_C)) & 0xff>(complement, differ, 0x80008000);
}

/* (a + b + c + d + 2) >> 2: of values without a sign, as 0x8000 more makes them. */
__device__ static unsigned mean(unsigned a, unsigned b, unsigned c, unsigned d)
{
    const unsigned sign = 0x80008000, high = 0xfffcfffc, low = 0x00030003;
    unsigned quarters = (((a ^ sign) & high) >> 2) + (((b ^ sign) & high) >> 2) +
                        (((c ^ sign) & high) >> 2) + (((d ^ sign) & high) >> 2);
    unsigned rest = (a & low) + (b & low) + (c & low) + (d & low) + 0x00020002;
    return (quarters + (rest >> 2 & low)) ^ sign;
}

/* What a word's two values are compared with and get added. */
typedef struct lanes {
    unsigned limit;  /* 0x8000 less the threshold */
    unsigned dither; /* the noise's middle */
} lanes;

__device__ static lanes lanes_of(int threshold_0, int dither_0, int threshold_1, int dither_1)
{
    return {(unsigned)(0x8000 - threshold_0) | (unsigned)(0x8000 - threshold_1) << 16,
            (unsigned)(dither_0 | dither_1 << 16)};
}

/*
 * Two values with their neighbours' and their noise (0 .. 2 dither). A difference below 0 has
 * wrapped and is below any threshold, as -1 is; the highest bit of its sum with the limit says that
 * the threshold is reached.
 */
template <int MODE, bool BLUR_FIRST>
__device__ static unsigned filter_lanes(unsigned own, const unsigned *other, unsigned noise,
                                        lanes l)
{
    unsigned average = MODE == 0   ? other[0]
                       : MODE == 1 ? mean(other[0], other[1])
                                   : mean(other[0], other[1], other[2], other[3]);
    unsigned difference;
    if (MODE == 0 || BLUR_FIRST) {
        difference = apart(own, average);
    } else {
        difference = __vmaxs2(apart(own, other[0]), apart(own, other[1]));
        if (MODE == 2)
            difference = __vmaxs2(difference, __vmaxs2(apart(own, other[2]), apart(own, other[3])));
    }
    unsigned clamped = __vmaxs2(difference, 0xffffffff);
    unsigned keeps = permute<0xbb99>(__vadd2(clamped, l.limit), 0);
    unsigned chosen = logic<(BIT_A & BIT_B) | (~BIT_A & BIT_C)>(keeps, own, average);
    return __vadd2(chosen, __vsub2(noise, l.dither));
}

/* ---- four pixels ---------------------------------------------------------------------------- */

/* Bytes 0 and 2 of a word, or 1 and 3, in halves. */
__device__ static unsigned even_bytes(unsigned word)
{
    return word & 0x00ff00ff;
}

__device__ static unsigned odd_bytes(unsigned word)
{
    return permute<0x4341>(word, 0);
}

/* Four pixels in six words: Y and Cb of each, Cr of two. */
typedef struct group_values {
    unsigned ycb[GROUP], cr[GROUP / 2];
} group_values;

/* As 24 bytes of the frame, at an address that is a multiple of 8. */
__device__ static void put_values(void *to, group_values v)
{
    uint2 *word = (uint2 *)to;
    word[0] = make_uint2(v.ycb[0], permute<0x5410>(v.cr[0], v.ycb[1]));
    word[1] = make_uint2(permute<0x7632>(v.ycb[1], v.cr[0]), v.ycb[2]);
    word[2] = make_uint2(permute<0x5410>(v.cr[1], v.ycb[3]), permute<0x7632>(v.ycb[3], v.cr[1]));
}

/* Do groups lie in whole words of 8 bytes, and their random bytes in words of 4? */
__device__ static bool groups_are_words(filter f)
{
    return f.width % GROUP == 0;
}

/* To the group at column x, as much of it as the picture has. */
__device__ static void store_group(yc48 *out, group_values v, filter f, int x)
{
    if (groups_are_words(f)) {
        put_values(out, v);
        return;
    }
#pragma unroll
    for (int i = 0; i < GROUP; i++)
        if (x + i < f.width)
            out[i] = {(short)v.ycb[i], (short)(v.ycb[i] >> 16),
                      (short)(v.cr[i / 2] >> 16 * (i % 2))};
}

/* Random byte i of the planes. */
template <bool HASHED>
__device__ static unsigned random_byte(const uint8_t *random, filter f, unsigned i)
{
    return HASHED ? hash_word(f.key + i / 4) >> 8 * (i % 4) & 0xff : random[i];
}

/* The five random words of the group at (x, y): from the planes, or made here. */
template <bool HASHED>
__device__ static void random_words(unsigned *word, const uint8_t *random, filter f, int x, int y)
{
    unsigned plane = f.width * f.height, at = y * f.width + x;
    if (groups_are_words(f)) {
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
        for (unsigned k = 0; k < GROUP && x + (int)k < f.width; k++)
            word[i] |= random_byte<HASHED>(random, f, i * plane + at + k) << 8 * k;
    }
}

/* ---- where neighbours lie ------------------------------------------------------------------- */

/*
 * Rows of pixels in shared memory, 6 bytes a pixel as in the frame. A place is a number of bytes
 * from the first one. In a ring the first row follows the last: places go on to twice its bytes.
 */
typedef struct room {
    const char *first;
    unsigned row_bytes, ring_bytes;
} room;

enum { PIXEL_BYTES = sizeof(yc48), GROUP_BYTES = GROUP * PIXEL_BYTES };

/* A number that is kept, where nvcc would work it out again at each use. */
__device__ static unsigned kept(unsigned number)
{
    asm("" : "+r"(number));
    return number;
}

/* Where in shared memory a place is. */
template <bool RING>
__device__ static unsigned place(unsigned at, room r)
{
    return RING ? min(at, at - r.ring_bytes) : at;
}

/* A pixel: Y and Cb; Cr, with something above it. */
typedef struct pixel_words {
    unsigned ycb, cr;
} pixel_words;

/* It lies in two words, from bit `shift` % 32 of the first one on: 0, or 16 in an odd column. */
template <bool RING>
__device__ static pixel_words pixel_in(room r, unsigned at, unsigned shift)
{
    const unsigned *word = (const unsigned *)(r.first + (place<RING>(at, r) & ~3u));
    unsigned low = word[0], high = word[1];
    return {__funnelshift_r(low, high, shift), __funnelshift_r(high, high, shift)};
}

/*
 * Where the neighbours of the group at `own` lie. Away from the edges n is the range for all, and a
 * product has the offsets of two pixels, each in the upper byte of its half.
 */
template <int MODE>
__device__ static void find_inner(unsigned (*at)[1 << MODE], unsigned own, unsigned down,
                                  unsigned across, unsigned n, unsigned row_bytes)
{
    unsigned shares = 2 * n + 1;
    unsigned a[] = {even_bytes(down) * shares, odd_bytes(down) * shares};
    unsigned b[] = {even_bytes(across) * shares, odd_bytes(across) * shares};
#pragma unroll
    for (int i = 0; i < GROUP; i++, own += PIXEL_BYTES) {
        unsigned a_i = i < 2 ? permute<0x4441>(a[i % 2], 0) : a[i % 2] >> 24;
        unsigned b_i = i < 2 ? permute<0x4441>(b[i % 2], 0) : b[i % 2] >> 24;
        at[i][0] = own - n * (row_bytes + PIXEL_BYTES) + b_i * PIXEL_BYTES + a_i * row_bytes;
        if (MODE > 0)
            at[i][1] = 2 * own - at[i][0];
        if (MODE > 1) {
            at[i][2] = own + n * (row_bytes - PIXEL_BYTES) + a_i * PIXEL_BYTES - b_i * row_bytes;
            at[i][3] = 2 * own - at[i][2];
        }
    }
}

template <int MODE>
__device__ static void find_any(unsigned (*at)[1 << MODE], unsigned own, unsigned down,
                                unsigned across, unsigned row_bytes, filter f, int x, int y)
{
    int edge = min(y, f.height - 1 - y), least = MODE == 0 ? -y : -edge, pitch = (int)row_bytes;
#pragma unroll
    for (int i = 0; i < GROUP; i++, own += PIXEL_BYTES) {
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

/* ---- a group filtered ----------------------------------------------------------------------- */

/*
 * Four pixels from (x, y) on, the first of which lies at `own`. A word of Cr has those of two
 * pixels: each neighbour brings its pixel's. Mirror images are an even number of columns apart.
 */
template <int MODE, bool BLUR_FIRST, bool RING>
__device__ static group_values filter_group(room r, unsigned own, const unsigned *random, filter f,
                                            int x, int y)
{
    enum { OTHERS = 1 << MODE };
    unsigned at[GROUP][OTHERS];
    bool inner = f.field_mask == 0xff && min(y, f.height - 1 - y) >= f.range &&
                 min(x, f.width - GROUP - x) >= f.range;
    if (inner)
        find_inner<MODE>(at, own, random[0], random[1], f.range, r.row_bytes);
    else
        find_any<MODE>(at, own, random[0], random[1], r.row_bytes, f, x, y);

    lanes luma = lanes_of(f.threshold_y, f.dither_y, f.threshold_cb, f.dither_c);
    lanes chroma = lanes_of(f.threshold_cr, f.dither_c, f.threshold_cr, f.dither_c);
    unsigned shares_y = (unsigned)(2 * f.dither_y + 1), shares_c = (unsigned)(2 * f.dither_c + 1);
    unsigned noise_y[] = {even_bytes(random[2]) * shares_y, odd_bytes(random[2]) * shares_y};
    unsigned noise_cb[] = {even_bytes(random[3]) * shares_c, odd_bytes(random[3]) * shares_c};
    unsigned noise_cr[] = {even_bytes(random[4]) * shares_c, odd_bytes(random[4]) * shares_c};

    group_values v;
    const uint2 *own_word = (const uint2 *)(r.first + place<RING>(own, r));
    uint2 w[] = {own_word[0], own_word[1], own_word[2]};
    const unsigned center[] = {w[0].x, w[0].y, w[1].x, w[1].y, w[2].x, w[2].y};
#pragma unroll
    for (int i = 0; i < GROUP; i += 2) {
        const unsigned *pair = center + 3 * (i / 2);
        pixel_words other[2][OTHERS];
#pragma unroll
        for (int k = 0; k < 2; k++)
            for (int j = 0; j < OTHERS; j++)
                other[k][j] = pixel_in<RING>(r, at[i + k][j], 8 * at[i + k][j & ~1]);
        unsigned value[OTHERS], noise;
#pragma unroll
        for (int k = 0; k < 2; k++) {
            for (int j = 0; j < OTHERS; j++)
                value[j] = other[k][j].ycb;
            noise = i == 0 ? permute<0xd591>(noise_y[k], noise_cb[k])
                           : permute<0xf7b3>(noise_y[k], noise_cb[k]);
            unsigned ycb = k == 0 ? pair[0] : permute<0x5432>(pair[1], pair[2]);
            v.ycb[i + k] = filter_lanes<MODE, BLUR_FIRST>(ycb, value, noise, luma);
        }
        for (int j = 0; j < OTHERS; j++)
            value[j] = permute<0x5410>(other[0][j].cr, other[1][j].cr);
        noise = i == 0 ? permute<0xd591>(noise_cr[0], noise_cr[1])
                       : permute<0xf7b3>(noise_cr[0], noise_cr[1]);
        v.cr[i / 2] =
            filter_lanes<MODE, BLUR_FIRST>(permute<0x7610>(pair[1], pair[2]), value, noise, chroma);
    }
    return v;
}

/* ---- a block's strip of the picture --------------------------------------------------------- */

/* Columns beside a strip: the halo, up to two whole groups, 48 bytes of the frame. */
__host__ __device__ static int halo_columns(filter f)
{
    return (f.range + 2 * GROUP - 1) / (2 * GROUP) * 2 * GROUP;
}

/* Bytes of a strip's row in shared memory, a multiple of 16. */
__host__ __device__ static int strip_row_bytes(filter f, int block_x)
{
    return (GROUP_BYTES * block_x + 2 * PIXEL_BYTES * halo_columns(f) + 15) / 16 * 16;
}

/* What the picture has of a block's columns and those beside them: where in a row it begins and how
 * much it is, and where that goes in a row of shared memory. */
typedef struct strip {
    int x, bytes, to;
} strip;

__device__ static strip strip_of(filter f)
{
    int own = blockDim.x * GROUP, beside = halo_columns(f);
    int left = (int)blockIdx.x * own - beside, x = max(left, 0);
    return {x, (min(left + own + 2 * beside, f.width) - x) * PIXEL_BYTES, (x - left) * PIXEL_BYTES};
}

/* Starts the copy of bytes that lie side by side, by threads that do. */
template <int BYTES>
__device__ static void copy_row(char *to, const char *from, int bytes)
{
    for (int i = threadIdx.x * BYTES; i < bytes; i += blockDim.x * BYTES)
        copy_async<BYTES>(to + i, from + i, true);
}

/* The same where rows end within a group, of which words are read as a whole: the rest is zeros. */
__device__ static void copy_odd_row(char *to, const char *from, int bytes, int room)
{
    const int step = sizeof(short), end = min(bytes + GROUP_BYTES, room);
    for (int i = threadIdx.x * step; i < end; i += blockDim.x * step)
        *(short *)(to + i) = i < bytes ? *(const short *)(from + i) : 0;
}

/* Rows y to end of a strip, which are rows `row` and on of a ring of `ring` rows. */
typedef struct stretch {
    int y, end, row, ring;
} stretch;

/* Starts the copies of a stretch, lines of 128 bytes in order, and closes their group. */
__device__ static void copy_rows(char *shared, const yc48 *in, filter f, strip s, stretch rows)
{
    int row_bytes = strip_row_bytes(f, blockDim.x);
    for (int k = threadIdx.y; k < rows.end - rows.y; k += blockDim.y) {
        int row = rows.row + k < rows.ring ? rows.row + k : rows.row + k - rows.ring;
        char *to = shared + row * row_bytes + s.to;
        const char *from = (const char *)(in + ((rows.y + k) * f.width + s.x));
        if (f.width % 8 == 0 && blockDim.x % 2 == 0)
            copy_row<16>(to, from, s.bytes);
        else if (groups_are_words(f))
            copy_row<4>(to, from, s.bytes);
        else
            copy_odd_row(to, from, s.bytes, row_bytes - s.to);
    }
    copy_async_commit();
}

/* ---- pixels4 -------------------------------------------------------------------------------- */

template <int MODE, bool BLUR_FIRST>
__device__ static void filter_tile(char *shared, const yc48 *__restrict__ in,
                                   yc48 *__restrict__ out, const uint8_t *__restrict__ random,
                                   filter f, int rows)
{
    int halo = halo_of(f), first = blockIdx.y * rows, top = first - halo, y_0 = max(top, 0);
    int bottom = min(first + rows, f.height);
    copy_rows(shared, in, f, strip_of(f),
              {y_0, min(bottom + halo, f.height), y_0 - top, rows + 2 * halo});
    copy_async_wait<0>();
    __syncthreads();

    unsigned row_bytes = strip_row_bytes(f, blockDim.x);
    room r = {shared, row_bytes, 0};
    unsigned column = (halo_columns(f) + GROUP * threadIdx.x) * PIXEL_BYTES;
    int x = (blockIdx.x * blockDim.x + threadIdx.x) * GROUP;
    for (int y = first + (int)threadIdx.y; y < bottom && x < f.width; y += blockDim.y) {
        unsigned word[PLANES];
        random_words<false>(word, random, f, x, y);
        group_values v = filter_group<MODE, BLUR_FIRST, false>(
            r, (unsigned)(y - top) * row_bytes + column, word, f, x, y);
        store_group(out + (y * f.width + x), v, f, x);
    }
}

#endif
