/*
 * symmetric.cuh - the kernel symmetric of bilateral.cu: the weight of q for p is that of p for q,
 * so every pair of pixels is weighed once and the weight added to the sums of both.
 *
 * Who computes what: a warp goes down a strip of 32 A columns, row by row; lane l owns its columns
 * A l .. A l + A-1. The R rows above the new one are still open: a lane keeps the values and both
 * sums of its own pixels in them, in registers. Of R = 3 and A = 4, at the new row y:
 *
 *               lane l-1        lane l         lane l+1
 *   row y-3   . . . .         p p p p         . . . .      p: its open pixels
 *   row y-2   . . . .         p p p p         . . . .
 *   row y-1   . . . .         p p p p         . . . .
 *   row y     . q q q         q q q q         q q q .      q: the new pixels it pairs them with
 *
 * It pairs each p with the new pixels at most R columns away and, within row y, its own pixels with
 * those to their right. A weight goes straight to p's sums; what it adds to q is gathered in A + 2R
 * sums of the row, of which the 2R that belong to its neighbours go there by shuffles, as did the
 * neighbours' values before. Row y-R has then met all its pairs and is finished. A weight needs no
 * memory: a row costs a lane one load and one store of A pixels.
 *
 * Where pixels end: a warp has `rows` rows of its strip (strips.cuh). The R rows above them, which
 * are not its own, are open when it starts: its first rows meet their pixels above there. Below its
 * last row it goes R rows further, to finish those that are open, and gathers nothing for the new
 * ones.
 */
#ifndef LAB3_SYMMETRIC_CUH
#define LAB3_SYMMETRIC_CUH

#include "strips.cuh"

/* A lane's own pixels of a row: their values and their sums so far, without the pixel itself. */
template <int A>
struct open_row {
    float value[A], numerator[A], denominator[A];
};

/* What pairs add to the pixels of a new row: column j is the lane's first one plus j - R. */
template <int R, int A>
struct new_row {
    float value[A + 2 * R], numerator[A + 2 * R], denominator[A + 2 * R];
};

/* ---- rows in and out ------------------------------------------------------------------------ */

template <int A>
__device__ static float pixel_of(const raw_row<float, A> &raw, int a)
{
    return __uint_as_float(raw.bits[a]);
}

/* Without a conversion, which would wait for the unit that makes the exponentials: of 2^23 + byte.
 */
template <int A>
__device__ static float pixel_of(const raw_row<uint8_t, A> &raw, int a)
{
    return __uint_as_float(__byte_perm(raw.bits[0], 0x4b000000, 0x7440 + a)) - 0x1p23f;
}

/* Infinity becomes NaN: by equation (1) it has no weight, not even for itself. */
template <class Pixel, int A>
__device__ static void scale_row(float (&value)[A], const raw_row<Pixel, A> &raw,
                                 const place<Pixel, A> &at, int y, float scale)
{
    float shift = at.beside || y < 0 || y >= at.height ? OUTSIDE : 0;
#pragma unroll
    for (int a = 0; a < A; a++) {
        float pixel = pixel_of(raw, a);
        value[a] = pixel * scale + (sizeof(Pixel) == 1 ? shift : pixel * 0 + shift);
    }
    hide_columns(at, [&](int a) { value[a] = OUTSIDE; });
}

/* The row is finished, but for its pixels' own weights, and those of the rows outside. */
template <class Pixel, int R, int A>
__device__ static void store_row(const open_row<A> &row, const place<Pixel, A> &at, int y,
                                 const scaled_filter<R> &f)
{
    if (!at.owner || y >= at.height)
        return;
    float own[A];
#pragma unroll
    for (int a = 0; a < A; a++)
        own[a] = at.own[a];
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
 * to q, where these sums are wanted.
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

/* The same of a lane's own pixels of the new row and those to their right. */
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

/* ---- the open rows --------------------------------------------------------------------------- */

/*
 * Up to radius 7 they stay in registers, and move up there. For more of them there is no room, nor
 * for so much code near the multiprocessor: they stay in shared memory, where each lane has its
 * own, and a loop that is not unrolled takes one after the other from there.
 */
enum { IN_REGISTERS = 7 };

template <int R>
constexpr bool IN_SHARED = R > IN_REGISTERS;

/* How many are at hand at once: all of them, or the one that was taken. */
__host__ __device__ static constexpr int rows_at_hand(int radius)
{
    return radius > IN_REGISTERS ? 1 : radius;
}

/* A lane's words of a row are 32 words apart: lanes side by side read words side by side. */
enum { WORDS = 3 * 32 };

template <int R, int A>
struct open_rows {
    open_row<A> row[rows_at_hand(R)]; /* [i]: the row i + 1 above; or the one that was taken */
    pixel_word<float, A> *shared;     /* a ring of R rows */
    int oldest;                       /* in the ring the row R above, and the next one's place */
};

template <int R, int A>
__device__ static pixel_word<float, A> *in_ring(const open_rows<R, A> &open, int dy)
{
    int i = open.oldest + R - dy;
    return open.shared + (i < R ? i : i - R) * WORDS;
}

template <int A>
__device__ static void read_word(float (&to)[A], pixel_word<float, A> from)
{
#pragma unroll
    for (int a = 0; a < A; a++)
        to[a] = from.pixel[a];
}

template <int A>
__device__ static void write_word(pixel_word<float, A> *to, const float (&from)[A])
{
    pixel_word<float, A> word;
#pragma unroll
    for (int a = 0; a < A; a++)
        word.pixel[a] = from[a];
    *to = word;
}

template <int R, int A>
__device__ static open_row<A> &take_row(open_rows<R, A> &open, int dy)
{
    if constexpr (!IN_SHARED<R>) {
        return open.row[dy - 1];
    } else {
        const pixel_word<float, A> *word = in_ring(open, dy);
        read_word(open.row[0].value, word[0]);
        read_word(open.row[0].numerator, word[32]);
        read_word(open.row[0].denominator, word[64]);
        return open.row[0];
    }
}

/* Puts back the sums of the row that was taken. */
template <int R, int A>
__device__ static void keep_sums(const open_rows<R, A> &open, int dy)
{
    if constexpr (IN_SHARED<R>) {
        pixel_word<float, A> *word = in_ring(open, dy);
        write_word(word + 32, open.row[0].numerator);
        write_word(word + 64, open.row[0].denominator);
    }
}

/* The rows move up, and a new one becomes the first above the next. */
template <int R, int A>
__device__ static void push_row(open_rows<R, A> &open, const open_row<A> &row)
{
    if constexpr (IN_SHARED<R>) {
        pixel_word<float, A> *word = in_ring(open, R);
        write_word(word, row.value);
        write_word(word + 32, row.numerator);
        write_word(word + 64, row.denominator);
        open.oldest = open.oldest + 1 < R ? open.oldest + 1 : 0;
    } else {
#pragma unroll
        for (int i = R - 1; i > 0; i--)
            open.row[i] = open.row[i - 1];
        open.row[0] = row;
    }
}

/* ---- between warps ----------------------------------------------------------------------------
 */

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
 * A new row meets the open ones, of which the oldest is finished then. Below the warp's own rows,
 * by BOTH = false, it does so only for the sums of those that are, `below` rows and more above. Of
 * a larger radius in registers a branch that is never taken keeps the compiler from mixing the
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

enum { SYMMETRIC_THREADS = 256 };

/* Blocks of so many threads that a multiprocessor's registers have room for, without spills. */
constexpr int blocks_of(int radius)
{
    return radius <= 3 || radius == IN_REGISTERS + 1 ? 2 : 1;
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

/*
 * The rows below a warp's own ones, of which the last is `bottom`; `value` has the first of them.
 */
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

/* A warp's rows of its strip are top .. top + rows - 1. */
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

/*
 * The same of a warp that hands up and gets what is handed to it. It does so with its first R rows,
 * and all warps of a block are about as far: there they wait for each other. rows > R. The next row
 * is scaled at the end of the loop: at its start nvcc would load into other registers, and copy
 * them, and so wait, at once.
 */
template <int R, int A, class Pixel>
__device__ static void walk_stack(const place<Pixel, A> &at, int top, int rows,
                                  const handed_sums<A> &handed, const scaled_filter<R> &f)
{
    open_rows<R, A> open = {{}, NULL, 0};
    raw_row<Pixel, A> next = {};
    float value[A];
    open_above(open, next, at, top, f.scale);
    scale_row(value, next, at, top, f.scale);
#pragma unroll 1
    for (int y = top; y < top + rows; y++) {
        load_row(next, at, y + 1);
        meet<true>(open, value, at, y, top, 1, handed, f);
        if (y == top + R - 1)
            __syncthreads();
        scale_row(value, next, at, y + 1, f.scale);
    }
    if (!handed.below) {
        go_below(open, value, at, top, top + rows - 1, f);
        return;
    }
#pragma unroll
    for (int dy = R; dy >= 1; dy--) {
        add_handed(open.row[dy - 1], handed.word + (R + R - dy) * HANDED);
        store_row(open.row[dy - 1], at, top + rows - dy, f);
    }
}

#endif
