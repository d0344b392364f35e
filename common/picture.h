/*
 * picture.h - a lab's picture as input data: read once, brought to each size of a sweep.
 */
#ifndef COMMON_PICTURE_H
#define COMMON_PICTURE_H

#include "image.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Reads a picture as its file has it. A missing or broken file is bad input (exit 2). */
image picture_read(const char *path);

/* The same, turned gray. */
image picture_read_gray(const char *path);

/* Whether picture_fit() keeps to itself what it resamples: for sizes that nobody asked for. */
void picture_set_quiet(bool quiet);

/*
 * Writes the picture into pixels[width * height * channels], resampled where it has another size
 * (and then says so on stderr), its channels as image_convert() has them.
 */
void picture_fit(const image *picture, const char *name, int width, int height, int channels,
                 uint8_t *pixels);

/* Ends the program (exit 2) if picture_write() could not write to this path. */
void picture_check_writable(const char *path);

/* Writes width x height pixels to a picture file; a path that cannot be is bad input. */
void picture_write(const char *path, const uint8_t *pixels, int width, int height, int channels);

#ifdef __cplusplus
}
#endif

#endif
