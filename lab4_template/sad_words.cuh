/*
 * sad_words.cuh - sum |I - T| four bytes at a time, with the tiles and the walk of integer_dp4a. A
 * byte of zero adds nothing to a product, but |I - 0| to this sum: rows and columns outside the
 * template must not be met at all.
 */
#ifndef LAB4_SAD_WORDS_CUH
#define LAB4_SAD_WORDS_CUH

/* sum + |a - b| of each of the four bytes: an instruction. */
__device__ inline uint32_t add_differences(uint32_t a, uint32_t b, uint32_t sum)
{
#ifdef CUDA_ON_CPU
    return sum + __vsadu4(a, b);
#else
    asm("vabsdiff4.u32.u32.u32.add %0, %1, %2, %0;" : "+r"(sum) : "r"(a), "r"(b));
    return sum;
#endif
}

/*
 * HIGH rows of the image, from row r of the thread's on, meet word m of the template's rows. Where
 * ALL is not known some of these lie above or below the template. `mask` has the bytes of the word
 * that the template has.
 */
template <bool ALL>
__device__ inline void add_high_rows(uint32_t (&sums)[HIGH][WORD], uint32_t (&recent)[HIGH],
                                     const uint32_t *tile, int pitch, const uint32_t *templ, int m,
                                     int r, int height, uint32_t mask)
{
#pragma unroll
    for (int u = 0; u < HIGH; u++) {
        const uint32_t *row = tile + (r + u) * pitch + m;
        uint32_t low = row[0], high = row[1];
        recent[u] = templ[(r + u) * PIECE_WORDS + m];
#pragma unroll
        for (int i = 0; i < WORD; i++) {
            uint32_t pixels = __funnelshift_r(low, high, 8 * i) & mask;
#pragma unroll
            for (int k = 0; k < HIGH; k++)
                if (ALL || (r + u >= k && r + u - k < height))
                    sums[k][i] = add_differences(pixels, recent[(u - k + HIGH) % HIGH], sums[k][i]);
        }
    }
}

#endif
