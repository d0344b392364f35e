/* image.c - pictures in memory, and the choice of a file format. See image.h. */
#include "image.h"
#include "process/die.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "image_format.h"

/* ------------------------------------------------------------------ pictures in memory ---- */

static size_t sample_count(const image *picture)
{
    return (size_t)picture->width * (size_t)picture->height * (size_t)picture->channels;
}

image image_create(int width, int height, int channels)
{
    image made = {width, height, channels, NULL};
    made.pixels = allocate(sample_count(&made));
    return made;
}

void image_free(image *picture)
{
    free(picture->pixels);
    memset(picture, 0, sizeof *picture);
}

/* Y = 0.299 R + 0.587 G + 0.114 B, rounded. */
static uint8_t gray_of(const uint8_t *rgb)
{
    return (uint8_t)((299 * rgb[0] + 587 * rgb[1] + 114 * rgb[2] + 500) / 1000);
}

void image_convert(const image *in, int channels, uint8_t *pixels)
{
    const uint8_t *from = in->pixels, *end = from + sample_count(in);
    for (; from < end; from += in->channels)
        for (int c = 0; c < channels; c++)
            if (c == 3)
                *pixels++ = in->channels == 4 ? from[3] : 255;
            else
                *pixels++ = in->channels == 1 ? from[0] : channels == 1 ? gray_of(from) : from[c];
}

image image_crop(const image *in, int x, int y, int width, int height)
{
    image out = image_create(width, height, in->channels);
    size_t pixel = (size_t)in->channels, row_size = (size_t)width * pixel;
    for (size_t row = 0; row < (size_t)height; row++)
        memcpy(out.pixels + row * row_size,
               in->pixels + (((size_t)y + row) * (size_t)in->width + (size_t)x) * pixel, row_size);
    return out;
}

/* ------------------------------------------------------------------------------- files ---- */

typedef struct format {
    const char *magic;  /* the first bytes of a file */
    const char *ending; /* of the name of a file to write; "": it is only read */
    int channels;       /* that are written; 0: as many as there are */
    image_decoder *decode;
    image_encoder *encode;
    const char *package; /* what a build without them lacks */
    int density;         /* image_source's; 1 where it is not set */
} format;

/* A bit a pixel, of which deflate makes 1032 of one; a bit a block of 8 x 8, which Huffman's is. */
enum { PNG_DENSITY = 8 * 1032, JPEG_DENSITY = 8 * 64 };

static const format formats[] = {
    {"BM", ".bmp", 0, image_decode_bmp, image_encode_bmp, NULL},
    {"P5", ".pgm", 1, image_decode_pnm, image_encode_pnm, NULL},
    {"P6", ".ppm", 3, image_decode_pnm, image_encode_pnm, NULL},
    {"P2", "", 0, image_decode_pnm, NULL, NULL},
    {"P3", "", 0, image_decode_pnm, NULL, NULL},
    {"\x89PNG\r\n\x1a\n", ".png", 0, image_decode_png, image_encode_png, "libpng-dev", PNG_DENSITY},
    {"\xFF\xD8\xFF", "", 0, image_decode_jpeg, NULL, "libjpeg-dev", JPEG_DENSITY},
};

enum { FORMATS = sizeof formats / sizeof *formats };

/* The format itself, if this build has it. */
static const format *available(const format *f, const char *path)
{
    if (!f->decode)
        die_bad_file(path,
                     "this program was built without %s; install it (make setup) and build anew",
                     f->package);
    return f;
}

static const format *format_of_bytes(const image_source *source)
{
    for (int i = 0; i < FORMATS; i++) {
        size_t length = strlen(formats[i].magic);
        if (source->size >= length && memcmp(source->bytes, formats[i].magic, length) == 0)
            return available(&formats[i], source->path);
    }
    die_bad_file(source->path,
                 "not a picture of a known format; legal are BMP, PGM (P2, P5), PPM (P3, P6), "
                 "PNG and JPEG");
}

static const format *format_of_name(const char *path)
{
    const char *ending = strrchr(path, '.');
    for (int i = 0; ending && i < FORMATS; i++)
        if (strcasecmp(ending, formats[i].ending) == 0)
            return available(&formats[i], path);
    die_bad_file(path, "unknown ending; legal are .bmp, .pgm, .ppm and .png");
}

image image_create_from_header(const image_source *source, int64_t width, int64_t height,
                               int channels)
{
    if (width < 1 || width > IMAGE_MAX_SIDE || height < 1 || height > IMAGE_MAX_SIDE)
        die_bad_file(source->path, "its header says %lld x %lld pixels; legal are 1 to %d each way",
                     (long long)width, (long long)height, IMAGE_MAX_SIDE);
    if ((double)width * (double)height > (double)source->size * source->density)
        die_bad_file(source->path, "its %zu bytes cannot hold %lld x %lld pixels", source->size,
                     (long long)width, (long long)height);
    return image_create((int)width, (int)height, channels);
}

static image decode(image_source *source)
{
    const format *f = format_of_bytes(source);
    source->density = f->density ? f->density : 1;
    return f->decode(source);
}

image image_read(const char *path)
{
    size_t size;
    uint8_t *bytes = file_read(path, &size);
    image picture = decode(&(image_source){.path = path, .bytes = bytes, .size = size});
    free(bytes);
    return picture;
}

void image_check_writable(const char *path)
{
    format_of_name(path);
    file_check_writable(path);
}

void image_write(const char *path, const image *picture)
{
    const format *f = format_of_name(path);
    file_draft draft = file_create(path);
    image written = image_create(picture->width, picture->height,
                                 f->channels ? f->channels : picture->channels);
    image_convert(picture, written.channels, written.pixels);
    f->encode(&written, &draft);
    image_free(&written);
    file_commit(&draft);
}
