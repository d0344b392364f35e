/*
 * picture.h - a lab's picture as input data: read once, brought to each size of a sweep.
 */
#ifndef COMMON_PICTURE_H
#define COMMON_PICTURE_H

#include "image.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Reads a picture and turns it gray. A missing or broken file is bad input (exit 2). */
image picture_read_gray(const char *path);

/*
 * Writes the picture's pixels, resampled to width x height where it has another size (and then says
 * so on stderr), into pixels[width * height].
 */
void picture_fit(const image *gray, const char *name, int width, int height, uint8_t *pixels);

/* Ends the program (exit 2) if picture_write_gray() could not write to this path. */
void picture_check_writable(const char *path);

/* Writes width x height gray pixels to a picture file; a path that cannot be is bad input. */
void picture_write_gray(const char *path, const uint8_t *pixels, int width, int height);

#ifdef __cplusplus
}
#endif

#endif
