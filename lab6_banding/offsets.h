/*
 * offsets.h - where the neighbours of a pixel lie: random bytes as offsets, what edges and
 * interlaced rows leave of them, and how far they reach.
 */
#ifndef LAB6_OFFSETS_H
#define LAB6_OFFSETS_H

#include "banding.h"

/* Makes a random word of its index by a hash: the last step of MurmurHash3 (Appleby), fmix32. */
__host__ __device__ inline uint32_t hash_word(uint32_t x)
{
    x = (x ^ x >> 16) * 0x85ebca6b;
    x = (x ^ x >> 13) * 0xc2b2ae35;
    return x ^ x >> 16;
}

/* Makes of a random byte an offset in -n..n. */
__host__ __device__ inline int random_range(int byte, int n)
{
    return ((2 * n + 1) * byte >> 8) - n;
}

/*
 * Keeps rows to go down in one field: -3 becomes -4 where the mask clears the lowest bit, and may
 * so leave the picture by a row. There the original reads whatever lies beside it; here the offset
 * is 0.
 */
__host__ __device__ inline int field_rows(int offset, int field_mask, int least)
{
    int down = (signed char)(offset & field_mask); /* char alone is unsigned on some machines */
    return down < least ? 0 : down;
}

/* Returns how many rows and columns away a neighbour may lie; interlaced -15 becomes -16. */
__host__ __device__ inline int halo_of(filter f)
{
    return f.field_mask == 0xff ? f.range : f.range + 1;
}

/* Distances in pixels: p(+) lies at p + first, p(-) at p - first, and q(+) at p + second. */
typedef struct neighbours {
    int first, second;
} neighbours;

/*
 * Finds the neighbours of pixel (x, y) in a picture with `pitch` pixels a row by the planes' bytes.
 * None is further away than the nearest edge.
 *
 *     .  .  .  .  q+ .  .
 *     .  .  .  .  .  .  .
 *     p- .  .  .  .  .  .      n = 3; across = 3, down = 1
 *     .  .  .  p  .  .  .
 *     .  .  .  .  .  .  p+     the second pair is the first, turned by a right angle:
 *     .  .  .  .  .  .  .      q+ lies `down` columns to the right and `across` rows up
 *     .  .  q- .  .  .  .
 */
__host__ __device__ inline neighbours find_neighbours(int mode, const uint8_t *random, filter f,
                                                      int pitch, int x, int y)
{
    int edge = min(y, f.height - y - 1);
    int n = min(min(f.range, edge), min(x, f.width - x - 1));
    int least = mode == 0 ? -y : -edge;
    random += y * f.width + x;
    int down = random_range(random[0], n);
    int across = random_range(random[f.width * f.height], n);
    return {field_rows(down, f.field_mask, least) * pitch + across,
            down - field_rows(across, f.field_mask, least) * pitch};
}

#endif
