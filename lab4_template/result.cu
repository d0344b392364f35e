/*
 * result.cu - what a single run shows of its map and writes to files.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "files/file.h"
#include "matches.h"
#include "pictures/picture.h"

/* Writes the map as the report's program did: one value a line, in raster order. */
static void write_dat(const void *map, size_t count, value_reader at)
{
    file_draft file = file_create(dat_path);
    for (size_t i = 0; i < count; i++)
        fprintf(file.stream, "%.6f\n", at(map, i));
    file_commit(&file);
}

static void write_matches(const uint32_t *places, int count, shapes s)
{
    file_draft file = file_create(match_path);
    for (int i = 0; i < count && places[i] != NOWHERE; i++)
        fprintf(file.stream, "%d %d %d %d\n", places[i] % s.map_width, places[i] / s.map_width,
                template_width, template_height);
    file_commit(&file);
}

/* Writes the map as a picture: the smallest value black, the largest white. */
static void write_map_picture(const void *map, shapes s, value_reader at)
{
    size_t count = (size_t)s.map_width * s.map_height;
    double smallest = at(map, 0), largest = smallest;
    for (size_t i = 1; i < count; i++) {
        smallest = fmin(smallest, at(map, i));
        largest = fmax(largest, at(map, i));
    }
    double scale = largest > smallest ? 255.0 / (largest - smallest) : 0;
    uint8_t *pixels = (uint8_t *)allocate(count);
    for (size_t i = 0; i < count; i++)
        pixels[i] = (uint8_t)(scale * (at(map, i) - smallest) + 0.5);
    picture_write(map_path, pixels, s.map_width, s.map_height, 1);
    free(pixels);
}

static void print_matches(const void *map, value_reader at, const uint32_t *places, int count,
                          shapes s, const char *by)
{
    static const char *const names[] = {"min(R_SSD)", "min(R_SAD)", "max(R_NCC)", "max(R_ZNCC)"};
    for (int i = 0; i < count; i++)
        if (places[i] == NOWHERE)
            printf("%s: no position is left for number %d, by %s\n", names[measure], i + 1, by);
        else
            printf("%s: (%d,%d)  R = %.15g  by %s\n", names[measure], places[i] % s.map_width,
                   places[i] / s.map_width, at(map, places[i]), by);
}

/* Shows what was found with --top, or else the best, looked for here. */
void present(const problem *p, const variant *v, dim3)
{
    shapes s = shapes_of(p);
    const void *map = p->buffer[MAP].host;
    value_reader at = reader_for(v);
    uint32_t best = top_count ? 0 : next_match(map, at, is_normalised(), NULL, 0, s);
    const uint32_t *places = top_count ? (const uint32_t *)p->buffer[MATCHES].host : &best;
    int count = top_count ? top_count : 1;
    print_matches(map, at, places, count, s, v->name);
    if (dat_path)
        write_dat(map, (size_t)s.map_width * s.map_height, at);
    if (map_path)
        write_map_picture(map, s, at);
    if (match_path)
        write_matches(places, count, s);
    if (gray_path)
        picture_write(gray_path, (const uint8_t *)p->buffer[IMAGE].host, p->width, p->height, 1);
}
