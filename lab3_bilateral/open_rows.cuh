/*
 * open_rows.cuh - the rows whose sums are not complete: the R rows above the one that a warp has
 * come to. Up to radius 7 they stay in registers, and move up there. For more of them there is no
 * room, nor for so much code near the multiprocessor: they stay in shared memory, where each lane
 * has its own, and a loop that is not unrolled takes one after the other from there.
 */
#ifndef LAB3_OPEN_ROWS_CUH
#define LAB3_OPEN_ROWS_CUH

#include "strips.cuh"

/* A lane's own pixels of a row: their values and their sums so far, without the pixel itself. */
template <int A>
struct open_row {
    float value[A], numerator[A], denominator[A];
};

enum { IN_REGISTERS = 7 };

template <int R>
constexpr bool IN_SHARED = R > IN_REGISTERS;

/* Returns how many are at hand at once: all of them, or the one that was taken. */
__host__ __device__ constexpr int rows_at_hand(int radius)
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

/* Returns the words in the ring of the row dy above. */
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

/* Takes the row dy above; its sums may be added to. */
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

/* Moves the rows up; a new one becomes the first above the next. */
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

#endif
