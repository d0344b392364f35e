/*
 * pieces.cuh - the pieces of the template that kernels of the products take one after the other,
 * and what these kernels have in common. Each subtracts twice its piece's sums from the map.
 */
#ifndef LAB4_PIECES_CUH
#define LAB4_PIECES_CUH

#include "template.h"

/* Tiles and sums are made for a piece of such a side; its sums fit 32 bits. */
enum { PIECE_SIDE = 64, WORD = 4 /* pixels of a word of 32 bits */ };

typedef struct piece {
    int left, top, width, height;
} piece;

static inline int pieces_of(int side)
{
    return blocks_for(side, PIECE_SIDE);
}

/* Returns a piece of the template; the first is the upper left one. */
static inline piece piece_at(int index)
{
    int left = index % pieces_of(template_width) * PIECE_SIDE;
    int top = index / pieces_of(template_width) * PIECE_SIDE;
    int width = template_width - left, height = template_height - top;
    return {left, top, width < PIECE_SIDE ? width : PIECE_SIDE,
            height < PIECE_SIDE ? height : PIECE_SIDE};
}

static inline int pieces(void)
{
    return pieces_of(template_width) * pieces_of(template_height);
}

/* Reads pixels x to x+3 of row y as the bytes of a word, 0 outside [0, width) x [0, height). */
__device__ inline uint32_t four_pixels(const uint8_t *pixels, int pitch, int x, int y, int width,
                                       int height)
{
    uint32_t word = 0;
    for (int i = 0; i < 4; i++)
        if (x + i < width && y < height)
            word |= (uint32_t)pixels[y * pitch + x + i] << 8 * i;
    return word;
}

/* Reads four pixels of the template, 0 outside the piece, whose corner is (0, 0). */
__device__ inline uint32_t four_of_piece(const uint8_t *templ, shapes s, piece part, int x, int y)
{
    return four_pixels(templ + part.top * s.template_width + part.left, s.template_width, x, y,
                       part.width, part.height);
}

/* Returns where (x, y) lies in the map; -1 if it is outside. */
__device__ inline int place_of(int x, int y, shapes s)
{
    return x < s.map_width && y < s.map_height ? y * s.map_width + x : -1;
}

/*
 * Subtracts twice the sums from places of the map, -1 for none. All are loaded before one is
 * stored: for all the compiler knows a store may change what a later load reads, so that it would
 * wait.
 */
template <int COUNT, typename value>
__device__ inline void subtract_twice(value *map, const int (&places)[COUNT], const uint32_t *sums)
{
    value before[COUNT];
#pragma unroll
    for (int i = 0; i < COUNT; i++)
        before[i] = places[i] >= 0 ? map[places[i]] : 0;
#pragma unroll
    for (int i = 0; i < COUNT; i++)
        if (places[i] >= 0)
            map[places[i]] = before[i] - 2 * sums[i];
}

#endif
