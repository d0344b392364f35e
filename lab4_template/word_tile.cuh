/*
 * word_tile.cuh - how integer_dp4a and sad_words walk: a piece of the template and what a block's
 * positions touch of the image lie in shared memory as words of four pixels.
 *
 *          4 positions a thread side by side, 8 below each other
 *      +----+----+----+----+
 *      | t0 | t1 | t2 | .. |  8        a word of the image is shifted to 4 places, where it meets
 *      +----+----+----+----+           the template's word in the 8 rows that lie on it for the
 *      |    |    |    |    |  8        thread's 8 rows of the map
 *      +----+----+----+----+
 */
#ifndef LAB4_WORD_TILE_CUH
#define LAB4_WORD_TILE_CUH

#include "pieces.cuh"

enum {
    HIGH = 8, /* positions of a thread below each other; side by side it has WORD */
    PIECE_WORDS = PIECE_SIDE / WORD,
    PIECE_STEPS = PIECE_SIDE + HIGH /* rows of the image that it walks over, at most */
};

/* Returns the words of a row of the tile: narrow blocks' rows of 8 or of 16 threads must not share
 * banks. */
__host__ __device__ inline int word_pitch(int block_x)
{
    return block_x + PIECE_WORDS + (block_x <= 8 ? 1 : 2);
}

static inline size_t word_tile_bytes(const problem *, dim3 block)
{
    size_t tile = (size_t)word_pitch(block.x) * (HIGH * (block.y - 1) + PIECE_STEPS);
    return (PIECE_STEPS * PIECE_WORDS + tile) * sizeof(uint32_t);
}

/* Returns the rows of the image that a thread walks over, in whole rounds. */
__device__ inline int steps_of(piece part)
{
    return (part.height + HIGH - 1 + HIGH - 1) / HIGH * HIGH;
}

/* Copies, by all threads of the block, the piece and what its positions touch of the image, as
 * words. */
__device__ inline void copy_words(uint32_t *words_of_piece, uint32_t *tile, int pitch,
                                  const uint8_t *image, const uint8_t *templ, shapes s, piece part)
{
    int words = (part.width + WORD - 1) / WORD, steps = steps_of(part);
    int left = WORD * blockIdx.x * blockDim.x + part.left;
    int top = HIGH * blockIdx.y * blockDim.y + part.top;
    for (int ty = threadIdx.y; ty < steps; ty += blockDim.y)
        for (int tx = threadIdx.x; tx < words; tx += blockDim.x)
            words_of_piece[ty * PIECE_WORDS + tx] = four_of_piece(templ, s, part, WORD * tx, ty);
    for (int ty = threadIdx.y; ty < HIGH * ((int)blockDim.y - 1) + steps; ty += blockDim.y)
        for (int tx = threadIdx.x; tx < (int)blockDim.x + words; tx += blockDim.x)
            tile[ty * pitch + tx] = four_pixels(image, s.image_width, left + WORD * tx, top + ty,
                                                s.image_width, s.image_height);
}

#endif
