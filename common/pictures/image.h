/*
 * image.h - 8-bit pictures in memory and on disk.
 *
 * BMP (uncompressed 8-, 24- and 32-bit) and PGM/PPM (binary P5/P6 and ASCII P2/P3, maxval <= 255)
 * are built in. PNG goes through libpng and JPEG, read only, through libjpeg, where the build found
 * them (HAVE_PNG, HAVE_JPEG). The file's first bytes tell the format to read, the name's ending the
 * format to write. Files that cannot be read or written end the program (file.h).
 */
#ifndef COMMON_IMAGE_H
#define COMMON_IMAGE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { IMAGE_MAX_SIDE = 32768 }; /* pixels; larger headers are refused before they cost memory */

/* Row-major, first row on top, channels interleaved: pixels[(y * width + x) * channels + c]. */
typedef struct image {
    int width, height; /* pixels, 1..IMAGE_MAX_SIDE */
    int channels;      /* 1 gray, 3 RGB, 4 RGBA */
    uint8_t *pixels;   /* width * height * channels bytes, owned; image_free() releases them */
} image;

/* A picture of unset pixels. */
image image_create(int width, int height, int channels);

/* Releases the pixels and empties *picture; an empty picture is fine. */
void image_free(image *picture);

/* Reads a picture of any known format, with the channels it has in the file. */
image image_read(const char *path);

/*
 * Writes a picture whole or not at all; the ending .bmp, .pgm, .ppm or .png chooses the format. A
 * .pgm gets it in gray, a .ppm in RGB.
 */
void image_write(const char *path, const image *picture);

/* Tells a wrong ending or folder before the work is done, not after it. */
void image_check_writable(const char *path);

/*
 * The picture's pixels with so many channels, 1, 3 or 4: colours turn gray by ITU-R BT.601, gray
 * stands for each colour, and what has no alpha is opaque. pixels has room for them all.
 */
void image_convert(const image *in, int channels, uint8_t *pixels);

/*
 * Fills the pixels of `out`, of as many channels, from a picture of another size: the area average
 * where it shrinks, bilinear where it grows (each axis on its own), deterministic to the bit. The
 * same size is a copy.
 */
void image_resample(const image *in, const image *out);

/* The width x height pixels from (x, y) on; they must lie inside. */
image image_crop(const image *in, int x, int y, int width, int height);

#ifdef __cplusplus
}
#endif

#endif
