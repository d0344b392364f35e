/*
 * sad_words.cu - sum |I - T| four bytes at a time, with the tiles and the walk of integer_dp4a. A
 * byte of zero adds nothing to a product, but |I - 0| to this sum: rows and columns outside the
 * template must not be met at all.
 */
#include "matches.h"
#include "word_tile.cuh"

/* Returns sum + |a - b| over the four bytes: one instruction. */
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
 * Adds what HIGH rows of the image, from row r of the thread's on, differ from word m of the
 * template's rows. Where ALL is false some of these lie above or below the template. `mask` has the
 * bytes of the word that the template has.
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

/*
 * sad_words: against integer_dp4a, it adds differences; the piece's sums are added to the map, or
 * put there, if it is the first. Any block whose tile fits shared memory.
 */
__global__ void sad_words(const uint8_t *image, const uint8_t *templ, uint32_t *map, shapes s,
                          piece part)
{
    extern __shared__ uint32_t shared_words[];
    uint32_t *tile = shared_words + PIECE_STEPS * PIECE_WORDS;
    int words = (part.width + WORD - 1) / WORD, pitch = word_pitch(blockDim.x);
    int left = WORD * blockIdx.x * blockDim.x, top = HIGH * blockIdx.y * blockDim.y;
    copy_words(shared_words, tile, pitch, image, templ, s, part);
    __syncthreads();

    uint32_t sums[HIGH][WORD] = {{0}};
    tile += HIGH * threadIdx.y * pitch + threadIdx.x;
    for (int m = 0; m < words; m++) {
        int bytes = min(WORD, part.width - WORD * m);
        uint32_t recent[HIGH] = {0}, mask = 0xFFFFFFFF >> 8 * (WORD - bytes);
        for (int r = 0; r < part.height + HIGH - 1; r += HIGH)
            if (r > 0 && r + HIGH <= part.height)
                add_high_rows<true>(sums, recent, tile, pitch, shared_words, m, r, part.height,
                                    mask);
            else
                add_high_rows<false>(sums, recent, tile, pitch, shared_words, m, r, part.height,
                                     mask);
    }
    int x = left + WORD * threadIdx.x, y = top + HIGH * threadIdx.y;
    bool first = part.left == 0 && part.top == 0;
#pragma unroll
    for (int k = 0; k < HIGH; k++)
#pragma unroll
        for (int i = 0; i < WORD; i++) {
            int place = place_of(x + i, y + k, s);
            if (place >= 0)
                map[place] = sums[k][i] + (first ? 0 : map[place]);
        }
}

/* ---- launcher ------------------------------------------------------------------------------- */

static const char *refuse_all_but_sad(const problem *, dim3)
{
    return measure == SAD ? NULL : "needs --measure sad";
}

static void launch_sad_words(const problem *p, const launch *l)
{
    shapes s = shapes_of(p);
    dim3 grid = grid_over(s.map_width, s.map_height, dim3(WORD * l->block.x, HIGH * l->block.y));
    for (int i = 0; i < pieces(); i++) {
        sad_words<<<grid, l->block, l->shared_bytes, l->stream>>>(
            (uint8_t *)l->buffer[IMAGE], (uint8_t *)l->buffer[TEMPLATE], (uint32_t *)l->buffer[MAP],
            s, piece_at(i));
        CUDA_CHECK(cudaGetLastError());
    }
}

const variant sad_words_variant =
    GPU_VARIANT("sad_words", "absolute differences of bytes four at a time",
                with_matches<launch_sad_words>, .kernel = (const void *)sad_words,
                .shared_bytes = word_tile_bytes, .refuse = refuse_all_but_sad);
