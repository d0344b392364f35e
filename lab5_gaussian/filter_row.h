/*
 * filter_row.h - one row of the filtered picture by one CPU thread, for the loops of `cpu` and
 * `cpu_omp`.
 */
#ifndef LAB5_FILTER_ROW_H
#define LAB5_FILTER_ROW_H

#include <stdint.h>
#include <string.h>

#include "gaussian.h"
#include "process/die.h"

/* Copies a row and repeats its first and last pixel beyond its ends, as often as the radius says.
 */
static inline void extend_row(const uint8_t *row, shape s, uint8_t *extended)
{
    int n = channels(), r = s.radius;
    memcpy(extended + r * n, row, (size_t)s.width * n);
    for (int x = 0; x < r; x++) {
        memcpy(extended + x * n, row, n);
        memcpy(extended + (r + s.width + x) * n, row + (s.width - 1) * n, n);
    }
}

/*
 * Filters row y, tap by tap, each for the whole row: neighbouring sums then need neighbouring bytes
 * and one weight, which is what a processor's vectors are for. `room` holds a row of sums and an
 * extended row.
 */
static inline void filter_row(const uint8_t *in, uint8_t *out, shape s, int y, void *room)
{
    int side = 2 * s.radius + 1, n = channels(), count = s.width * n;
    float *sums = (float *)room;
    uint8_t *extended = (uint8_t *)(sums + count);
    memset(sums, 0, count * sizeof *sums);
    for (int j = 0; j < side; j++) {
        extend_row(in + (size_t)clamp(y + j - s.radius, s.height) * count, s, extended);
        for (int i = 0; i < side; i++) {
            float weight = gauss.plane[j * side + i];
            const uint8_t *shifted = extended + i * n;
            for (int v = 0; v < count; v++)
                sums[v] += weight * shifted[v];
        }
    }
    for (int v = 0; v < count; v++)
        out[(size_t)y * count + v] = (uint8_t)(int)(sums[v] + 0.5f);
    for (int v = 3; v < count && pixel_type == RGBA32; v += 4)
        out[(size_t)y * count + v] = in[(size_t)y * count + v];
}

/* Allocates filter_row()'s room; to be released by free(). */
static inline void *allocate_row_room(shape s)
{
    size_t sums = (size_t)s.width * channels();
    return allocate(sums * sizeof(float) + sums + 2 * s.radius * channels());
}

#endif
