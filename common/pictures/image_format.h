/*
 * image_format.h - what image.c shares with the file formats (image_bmp.c, image_pnm.c,
 * image_png.c, image_jpeg.c). Private to them; everyone else includes image.h.
 */
#ifndef COMMON_IMAGE_FORMAT_H
#define COMMON_IMAGE_FORMAT_H

#include "files/file.h"
#include "image.h"

/* A file read whole: what a decoder gets. path is for messages only. */
typedef struct image_source {
    const char *path;
    const uint8_t *bytes;
    size_t size;
    int density; /* pixels that a byte of such a file holds at most */
} image_source;

/* Can rely on the first bytes, its format's magic number. */
typedef image image_decoder(const image_source *source);

/* Writes the picture to the draft's stream; failed writes are file_commit()'s. */
typedef void image_encoder(const image *picture, const file_draft *draft);

image_decoder image_decode_bmp, image_decode_pnm;
image_encoder image_encode_bmp, image_encode_pnm;

/* NULL stands for a format that the build lacks. */
#ifdef HAVE_PNG
image_decoder image_decode_png;
image_encoder image_encode_png;
#else
#define image_decode_png NULL
#define image_encode_png NULL
#endif
#ifdef HAVE_JPEG
image_decoder image_decode_jpeg;
#else
#define image_decode_jpeg NULL
#endif

/*
 * A picture of unset pixels, of the sides that a file's header claims: sides that are not legal, or
 * more pixels than its bytes can hold, end the program before they cost memory.
 */
image image_create_from_header(const image_source *source, int64_t width, int64_t height,
                               int channels);

#endif
