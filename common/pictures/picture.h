/*
 * picture.h - a lab's picture as input data: read once, brought to each size of a sweep; and its
 * result as a picture. Bad files are bad input (exit 2). A path may be NULL: an option not given.
 */
#ifndef COMMON_PICTURE_H
#define COMMON_PICTURE_H

#include "image.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A path that holds %d, or %04d, names a file a frame, as for ffmpeg: the first is the file of the
 * least number from 0 to 4, then without a gap. What such a path is given to below is the file of
 * the frame that is set, counted from 0.
 */
bool picture_is_pattern(const char *path);
void picture_set_frame(int frame);

/* Has a pattern been loaded? */
bool picture_frames_are_files(void);

/* The path, or where it is a pattern that of the frame; it lies in static memory. */
const char *picture_path(const char *path);

/*
 * Which of several pictures made of one picture_fit() gives: turned, so that k sixteenths of its
 * rows leave it below and come in above. 0: as it is.
 */
void picture_set_turn(int k);

/* Reads a picture as its file has it, unless it is there already; without a path it stays empty. */
void picture_load(image *picture, const char *path);

/* Whether pictures are resampled without a word: for sizes that nobody asked for. */
void picture_set_quiet(bool quiet);

/*
 * Writes the picture `name` into pixels[width * height * channels], resampled where it has another
 * size (and then says so on stderr), its channels as image_convert() has them; gray before it is
 * resampled. An empty picture stands for random bytes.
 */
void picture_fit(const image *picture, const char *name, int width, int height, int channels,
                 uint64_t seed, uint8_t *pixels);

/* Fits it in gray, as floats from 0 to 255. */
void picture_fit_floats(const image *picture, const char *name, int width, int height,
                        uint64_t seed, float *values);

/* Ends the program (exit 2) if picture_write() could not write to this path. */
void picture_check_writable(const char *path);

/* Writes width x height pixels to a picture file. */
void picture_write(const char *path, const uint8_t *pixels, int width, int height, int channels);

/* Writes floats as a gray picture: rounded, and cut off at 0 and 255. */
void picture_write_floats(const char *path, const float *values, int width, int height);

#ifdef __cplusplus
}
#endif

#endif
