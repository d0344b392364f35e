/*
 * image_format.h - what image.c shares with the file formats (image_bmp.c, image_pnm.c,
 * image_png.c). Private to them; everyone else includes image.h.
 */
#ifndef COMMON_IMAGE_FORMAT_H
#define COMMON_IMAGE_FORMAT_H

#include "file.h"
#include "image.h"

/* A file read whole: what a decoder gets. path is for messages only. */
typedef struct image_source {
    const char *path;
    const uint8_t *bytes;
    size_t size;
} image_source;

/*
 * Decoders: 0 and a whole picture in *out; or -1, *out empty and error set. The caller has looked
 * at the first bytes, so each can rely on its magic number (2 bytes for BMP and PNM) being there.
 */
int image_decode_bmp(const image_source *source, image *out, char *error);
int image_decode_pnm(const image_source *source, image *out, char *error);
int image_decode_png(const image_source *source, image *out, char *error);

/*
 * Encoders: write to the draft's stream. 0; or -1 and error set where the format cannot hold such a
 * picture. A failed write may be left to file_commit.
 */
int image_encode_bmp(const image *picture, file_draft *draft, char *error);
int image_encode_pgm(const image *picture, file_draft *draft, char *error);
int image_encode_ppm(const image *picture, file_draft *draft, char *error);
int image_encode_png(const image *picture, file_draft *draft, char *error);

/* Both sides that a header claims lie in 1..IMAGE_MAX_SIDE. Returns 0, or -1 with error set. */
int image_check_header(const image_source *source, int64_t width, int64_t height, char *error);

/* Makes the picture that a header claims, checked as above. Returns 0, or -1 with error set. */
int image_create_from_header(const image_source *source, int64_t width, int64_t height,
                             int channels, image *out, char *error);

#endif
