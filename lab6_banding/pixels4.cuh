/*
 * pixels4.cuh - lab 6's kernels that make four pixels side by side in a thread: two 16-bit values a
 * register, random bytes by the word, the frame in words of 8 bytes.
 *
 * A tile in shared memory has a pixel in 8 bytes: Y and Cb in the first word, Cr in the second
 * one's lower half; what is in its upper half is of no account. Two pixels' Cr make a word of their
 * own when they are filtered, so that four pixels are six words.
 */
#ifndef LAB6_PIXELS4_CUH
#define LAB6_PIXELS4_CUH

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
    unsigned differ = (a ^ b) & 0xfffefffe, complement = (differ >> 1) + ~(a | b);
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
 * wrapped and is below any threshold, as 0 is; then neither it nor its sum with the limit leaves
 * its half, and the sum's highest bit says that the threshold is reached.
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
        difference = __vimax_s16x2_relu(apart(own, average), 0);
    } else {
        difference = __vimax_s16x2_relu(apart(own, other[0]), apart(own, other[1]));
        if (MODE == 2)
            difference = __vmaxs2(difference, __vmaxs2(apart(own, other[2]), apart(own, other[3])));
    }
    unsigned keeps = permute<0xbb99>(difference + l.limit, 0);
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

/* The first and the last pixel of a group that the picture has: all four, or fewer at its edge. */
typedef struct span {
    int first, last;
} span;

__device__ static span span_of(int x, int width)
{
    return {max(0, -x), min(GROUP, width - x) - 1};
}

/* Four random bytes as a word; only where the width is a multiple of 4 do they lie so. */
template <bool ALIGNED>
__device__ static unsigned random_word(const uint8_t *random, span s)
{
    unsigned word = 0;
    if constexpr (ALIGNED) {
        word = *(const unsigned *)random;
    } else {
#pragma unroll
        for (int i = 0; i < GROUP; i++)
            word |= (i <= s.last ? (unsigned)random[i] : 0) << 8 * i;
    }
    return word;
}

/* 16-bit value i of a group and the next; 0 where their pixel is not in the picture. */
__device__ static unsigned two_values(const yc48 *in, int i, span s)
{
    const unsigned short *value = (const unsigned short *)in;
    unsigned low = i / 3 <= s.last ? value[i] : 0, high = (i + 1) / 3 <= s.last ? value[i + 1] : 0;
    return low | high << 16;
}

typedef struct group_words {
    uint2 word[3];
} group_words;

/* A group of the frame, 24 bytes. */
template <bool ALIGNED>
__device__ static group_words load_group(const yc48 *in, span s)
{
    group_words g;
#pragma unroll
    for (int i = 0; i < 3; i++)
        g.word[i] = ALIGNED ? ((const uint2 *)in)[i]
                            : make_uint2(two_values(in, 4 * i, s), two_values(in, 4 * i + 2, s));
    return g;
}

/* The same in shared memory, where it takes 32 bytes: pairs of pixels `to` and `to` + 1, see place.
 */
__device__ static void put_group(uint4 *pairs, unsigned to, group_words g)
{
    to ^= to >> 3 & 1;
    pairs[to] = make_uint4(g.word[0].x, g.word[0].y, permute<0x5432>(g.word[0].y, g.word[1].x),
                           g.word[1].x >> 16);
    pairs[to ^ 1] = make_uint4(g.word[1].y, g.word[2].x, permute<0x5432>(g.word[2].x, g.word[2].y),
                               g.word[2].y >> 16);
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

template <bool ALIGNED>
__device__ static void store_group(yc48 *out, group_values v, span s)
{
    if constexpr (ALIGNED) {
        put_values(out, v);
    } else {
#pragma unroll
        for (int i = 0; i < GROUP; i++)
            if (i <= s.last)
                out[i] = {(short)v.ycb[i], (short)(v.ycb[i] >> 16),
                          (short)(v.cr[i / 2] >> 16 * (i % 2))};
    }
}

/* Random bytes i to i + 3 as the hash makes them; i is a multiple of 4 where ALIGNED. */
template <bool ALIGNED>
__device__ static unsigned hashed_word(unsigned i, unsigned key)
{
    unsigned word = hash_word(key + i / 4);
    return ALIGNED ? word : __funnelshift_r(word, hash_word(key + i / 4 + 1), 8 * (i % 4));
}

/* The five random words of the group at pixel `at`: from the planes, or made here. */
template <bool ALIGNED, bool HASHED>
__device__ static void random_words(unsigned *word, const uint8_t *random, filter f, int at, span s)
{
    int plane = f.width * f.height;
    random += at;
#pragma unroll
    for (int i = 0; i < PLANES; i++)
        word[i] = HASHED ? hashed_word<ALIGNED>((unsigned)(i * plane + at), f.key)
                         : random_word<ALIGNED>(random + (size_t)i * (size_t)plane, s);
}

/* ---- where neighbours lie ------------------------------------------------------------------- */

/*
 * Rows of pixels in shared memory. A place is a number of bytes from the first one. In a ring the
 * first row follows the last: places go on to twice its bytes, and place() takes them back.
 */
typedef struct room {
    const char *first;
    unsigned row_bytes, ring_bytes;
} room;

enum { PIXEL_BYTES = sizeof(uint2), PAIR_BYTES = sizeof(uint4) };

/* A number that is kept, where nvcc would work it out again at each use. */
__device__ static unsigned kept(unsigned number)
{
    asm("" : "+r"(number));
    return number;
}

/*
 * Where in shared memory a place is. Pairs of pixels change places with their neighbours in every
 * other 128 bytes: then the first pairs of eight groups side by side lie in different banks.
 */
template <bool RING>
__device__ static unsigned place(unsigned at, room r)
{
    unsigned row = RING ? min(at, at - r.ring_bytes) : at;
    return row ^ (row >> 3 & PAIR_BYTES);
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
 * pixels: each neighbour brings its pixel's.
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
    unsigned own_place = place<RING>(own, r);
#pragma unroll
    for (int i = 0; i < GROUP; i += 2) {
        uint4 center = *(const uint4 *)(r.first + (own_place ^ i / 2 * PAIR_BYTES));
        uint2 other[2][OTHERS];
#pragma unroll
        for (int k = 0; k < 2; k++)
            for (int j = 0; j < OTHERS; j++)
                other[k][j] = *(const uint2 *)(r.first + place<RING>(at[i + k][j], r));
        unsigned value[OTHERS], noise;
#pragma unroll
        for (int k = 0; k < 2; k++) {
            for (int j = 0; j < OTHERS; j++)
                value[j] = other[k][j].x;
            noise = i == 0 ? permute<0xd591>(noise_y[k], noise_cb[k])
                           : permute<0xf7b3>(noise_y[k], noise_cb[k]);
            v.ycb[i + k] =
                filter_lanes<MODE, BLUR_FIRST>(k == 0 ? center.x : center.z, value, noise, luma);
        }
        for (int j = 0; j < OTHERS; j++)
            value[j] = permute<0x5410>(other[0][j].y, other[1][j].y);
        noise = i == 0 ? permute<0xd591>(noise_cr[0], noise_cr[1])
                       : permute<0xf7b3>(noise_cr[0], noise_cr[1]);
        v.cr[i / 2] = filter_lanes<MODE, BLUR_FIRST>(permute<0x5410>(center.y, center.w), value,
                                                     noise, chroma);
    }
    return v;
}

/* ---- a block's strip of the picture --------------------------------------------------------- */

/* Columns beside a strip: the halo, up to two whole groups, 48 bytes of the frame. */
__host__ __device__ static int halo_columns(filter f)
{
    return (f.range + 2 * GROUP - 1) / (2 * GROUP) * 2 * GROUP;
}

/* Pixels in a row of shared memory, which is a multiple of 256 bytes: place() asks for it. */
__host__ __device__ static int tile_pitch(filter f, int block_x)
{
    enum { MULTIPLE = 256 / PIXEL_BYTES };
    return (GROUP * block_x + 2 * halo_columns(f) + MULTIPLE - 1) / MULTIPLE * MULTIPLE;
}

enum { EIGHT = 8 }; /* threads that load groups side by side */

/*
 * What the picture has of a block's columns and those beside them: `groups` from pixel x on. They
 * go to shared memory, where they are groups `column` and on of a row. A thread loads group `group`
 * of rows `row`, row + deep, ...; where threads are too few for all columns, `across` groups
 * further on, too. From one of its rows to the next it is `from_step` pixels of the frame and
 * `to_step` pairs of pixels of shared memory, which is a ring of `ring` pairs.
 */
typedef struct strip {
    int x, groups, column, pairs;
    int group, row, across, deep;
    int from_step;
    unsigned to_step, ring;
} strip;

__device__ static strip strip_of(filter f, int rows)
{
    int pairs = tile_pitch(f, blockDim.x) / 2, own = blockDim.x * GROUP, beside = halo_columns(f);
    int left = blockIdx.x * own - beside, x = max(left, 0);
    int groups = (min(left + own + 2 * beside, f.width) - x + GROUP - 1) / GROUP;
    int eights = blockDim.x * blockDim.y / EIGHT, i = threadIdx.y * blockDim.x + threadIdx.x;
    int across = min(eights, (groups + EIGHT - 1) / EIGHT), deep = eights / across;
    int row = i / EIGHT / across, group = i / EIGHT % across * EIGHT + i % EIGHT;
    return {x,
            groups,
            (x - left) / GROUP,
            pairs,
            row < deep ? group : groups,
            row,
            across * EIGHT,
            deep,
            deep * f.width,
            (unsigned)(deep * pairs),
            kept((unsigned)(rows * pairs))};
}

/* Rows y to end of a strip, which go to shared memory from row `row` on. */
typedef struct stretch {
    int y, end, row;
} stretch;

/* A group of a stretch: its row there, its first pixel in the frame, its pair in shared memory. */
typedef struct cursor {
    int row, from;
    unsigned to;
} cursor;

__device__ static cursor cursor_at(filter f, strip s, stretch rows, int group, int row)
{
    unsigned to = (unsigned)(rows.row + row) * s.pairs;
    return {row, (rows.y + row) * f.width + s.x + group * GROUP,
            min(to, to - s.ring) + 2 * (s.column + group)};
}

template <bool RING>
__device__ static cursor next_row(cursor c, strip s)
{
    unsigned to = c.to + s.to_step;
    return {c.row + s.deep, c.from + s.from_step, RING ? min(to, to - s.ring) : to};
}

/* Groups of N of a thread's rows on their way from the frame to shared memory. */
template <int N>
struct batch {
    group_words word[N];
};

/* Of `rows` rows. FULL: there are all N. */
template <bool ALIGNED, bool FULL, int N>
__device__ static batch<N> load_batch(const yc48 *__restrict__ in, int width, strip s, int rows,
                                      cursor c)
{
    batch<N> b;
#pragma unroll
    for (int k = 0; k < N; k++, c = next_row<false>(c, s))
        if (FULL || c.row < rows)
            b.word[k] = load_group<ALIGNED>(in + c.from, span_of(c.from % width, width));
    return b;
}

template <bool FULL, bool RING, int N>
__device__ static cursor put_batch(uint4 *pairs, const batch<N> &b, strip s, int rows, cursor c)
{
#pragma unroll
    for (int k = 0; k < N; k++, c = next_row<RING>(c, s))
        if (FULL || c.row < rows)
            put_group(pairs, c.to, b.word[k]);
    return c;
}

/* Loads what a stretch has, but of the first group the thread's first `skip` rows, and puts it. */
template <bool ALIGNED, bool RING>
__device__ static void fill_rows(uint4 *pairs, const yc48 *__restrict__ in, filter f, strip s,
                                 stretch rows, int skip)
{
    enum { BATCH = ALIGNED ? 4 : 1 };
    int count = rows.end - rows.y;
    for (int group = s.group; group < s.groups; group += s.across, skip = 0) {
        cursor c = cursor_at(f, s, rows, group, s.row + skip * s.deep);
        while (c.row + (BATCH - 1) * s.deep < count) {
            batch<BATCH> b = load_batch<ALIGNED, true, BATCH>(in, f.width, s, count, c);
            c = put_batch<true, RING>(pairs, b, s, count, c);
        }
        if (c.row < count) {
            batch<BATCH> b = load_batch<ALIGNED, false, BATCH>(in, f.width, s, count, c);
            put_batch<false, RING>(pairs, b, s, count, c);
        }
    }
}

/* ---- the kernels' bodies -------------------------------------------------------------------- */

template <int MODE, bool BLUR_FIRST, bool ALIGNED>
__device__ static void filter_tile(uint4 *pairs, const yc48 *__restrict__ in,
                                   yc48 *__restrict__ out, const uint8_t *__restrict__ random,
                                   filter f, int rows)
{
    int halo = halo_of(f), first = blockIdx.y * rows, top = first - halo, y_0 = max(top, 0);
    int bottom = min(first + rows, f.height);
    strip s = strip_of(f, rows + 2 * halo);
    fill_rows<ALIGNED, false>(pairs, in, f, s, {y_0, min(bottom + halo, f.height), y_0 - top}, 0);
    __syncthreads();

    unsigned row_bytes = (unsigned)s.pairs * PAIR_BYTES;
    room r = {(const char *)pairs, row_bytes, 0};
    int column = halo_columns(f) + GROUP * threadIdx.x;
    int x = (blockIdx.x * blockDim.x + threadIdx.x) * GROUP;
    for (int y = first + (int)threadIdx.y; y < bottom && x < f.width; y += blockDim.y) {
        unsigned word[PLANES];
        random_words<ALIGNED, false>(word, random, f, y * f.width + x, span_of(x, f.width));
        group_values v = filter_group<MODE, BLUR_FIRST, false>(
            r, (unsigned)(y - top) * row_bytes + column * PIXEL_BYTES, word, f, x, y);
        store_group<ALIGNED>(out + (y * f.width + x), v, span_of(x, f.width));
    }
}

/* Rows of shared memory of rolling_tile: those that are filtered, as many next ones, the halo. */
__host__ __device__ static int ring_rows(filter f, int block_y)
{
    return 2 * (block_y + halo_of(f));
}

template <int MODE, bool BLUR_FIRST, bool ALIGNED, bool HASHED>
__device__ static void roll(uint4 *pairs, const yc48 *__restrict__ in, yc48 *__restrict__ out,
                            const uint8_t *__restrict__ random, filter f, int rows)
{
    enum { AHEAD = ALIGNED ? 2 : 1 };
    int halo = halo_of(f), step = blockDim.y, ring = ring_rows(f, step);
    int first = blockIdx.y * rows, top = first - halo, y_0 = max(top, 0);
    int bottom = min(first + rows, f.height), last = min(bottom + halo, f.height);
    strip s = strip_of(f, ring);
    int loaded = min(first + step + halo, last);
    int x = (blockIdx.x * blockDim.x + threadIdx.x) * GROUP, y = first + (int)threadIdx.y;
    bool inside = x < f.width;
    unsigned word[PLANES] = {}, next_word[PLANES] = {};
    if (inside && y < bottom)
        random_words<ALIGNED, HASHED>(word, random, f, y * f.width + x, span_of(x, f.width));
    fill_rows<ALIGNED, true>(pairs, in, f, s, {y_0, loaded, y_0 - top}, 0);

    unsigned row_bytes = (unsigned)s.pairs * PAIR_BYTES, ring_end = (unsigned)(ring + halo);
    room r = {(const char *)pairs, row_bytes, kept(ring * row_bytes)};
    unsigned own =
        (halo + threadIdx.y) * row_bytes + (halo_columns(f) + GROUP * threadIdx.x) * PIXEL_BYTES;
    stretch next = {loaded, 0, loaded - top};
    cursor c = cursor_at(f, s, next, s.group, s.row);
    __syncthreads();
    for (; y - (int)threadIdx.y < bottom; y += step) {
        int count = min(step, last - next.y);
        batch<AHEAD> ahead =
            load_batch<ALIGNED, false, AHEAD>(in, f.width, s, s.group < s.groups ? count : 0, c);
        if (inside && y + step < bottom)
            random_words<ALIGNED, HASHED>(next_word, random, f, (y + step) * f.width + x,
                                          span_of(x, f.width));
        if (inside && y < bottom)
            store_group<ALIGNED>(out + (y * f.width + x),
                                 filter_group<MODE, BLUR_FIRST, true>(r, own, word, f, x, y),
                                 span_of(x, f.width));
        put_batch<false, true>(pairs, ahead, s, s.group < s.groups ? count : 0, c);
        if (count > AHEAD * s.deep || s.across < s.groups)
            fill_rows<ALIGNED, true>(pairs, in, f, s, {next.y, next.y + count, next.row}, AHEAD);
        next = {next.y + step, 0,
                next.row + step >= ring ? next.row + step - ring : next.row + step};
        c.from += step * f.width;
        c.to += step * s.pairs;
        c.to = min(c.to, c.to - s.ring);
        own += step * row_bytes;
        own -= own >= ring_end * row_bytes ? r.ring_bytes : 0;
#pragma unroll
        for (int i = 0; i < PLANES; i++)
            word[i] = next_word[i];
        __syncthreads();
    }
}

#endif
