/* image.c - pictures in memory, and the choice of a file format. See image.h. */
#include "image.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "image_format.h"

/* ------------------------------------------------------------------ pictures in memory ---- */

static int is_side(int64_t side)
{
    return side >= 1 && side <= IMAGE_MAX_SIDE;
}

static size_t sample_count(const image *picture)
{
    return (size_t)picture->width * (size_t)picture->height * (size_t)picture->channels;
}

int image_create(image *out, int width, int height, int channels)
{
    image made = {width, height, channels, NULL};
    memset(out, 0, sizeof *out);
    if (!is_side(width) || !is_side(height) || !(channels == 1 || channels == 3 || channels == 4))
        return -1;
    made.pixels = malloc(sample_count(&made));
    if (!made.pixels)
        return -1;
    *out = made;
    return 0;
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

int image_to_gray(const image *in, image *out)
{
    if (image_create(out, in->width, in->height, 1) != 0)
        return -1;
    image_convert(in, 1, out->pixels);
    return 0;
}

int image_crop(const image *in, int x, int y, int width, int height, image *out)
{
    memset(out, 0, sizeof *out);
    if (x < 0 || y < 0 || width > in->width - x || height > in->height - y ||
        image_create(out, width, height, in->channels) != 0)
        return -1;
    size_t pixel = (size_t)in->channels, row_size = (size_t)width * pixel;
    for (size_t row = 0; row < (size_t)height; row++)
        memcpy(out->pixels + row * row_size,
               in->pixels + (((size_t)y + row) * (size_t)in->width + (size_t)x) * pixel, row_size);
    return 0;
}

/* ------------------------------------------------------------------------------- files ---- */

void image_create_from_header(const image_source *source, int64_t width, int64_t height,
                              int channels, uint64_t most_samples, image *out)
{
    if (!is_side(width) || !is_side(height))
        die_bad_file(source->path, "its header says %lld x %lld pixels; legal are 1 to %d each way",
                     (long long)width, (long long)height, IMAGE_MAX_SIDE);
    if ((uint64_t)(width * height * channels) > most_samples)
        die_bad_file(source->path, "truncated or broken: its %zu bytes cannot hold %d x %d pixels",
                     source->size, (int)width, (int)height);
    if (image_create(out, (int)width, (int)height, channels) != 0)
        die_bad_file(source->path, "out of memory for %d x %d pixels", (int)width, (int)height);
}

static const struct {
    const char *magic, *name, *package; /* the package: what a build without decode lacks */
    image_decoder *decode;
} readable[] = {
    {"BM", "BMP", NULL, image_decode_bmp},
    {"P2", "PGM", NULL, image_decode_pnm},
    {"P3", "PPM", NULL, image_decode_pnm},
    {"P5", "PGM", NULL, image_decode_pnm},
    {"P6", "PPM", NULL, image_decode_pnm},
    {"\x89PNG\r\n\x1a\n", "PNG", "libpng-dev", image_decode_png},
    {"\xFF\xD8\xFF", "JPEG", "libjpeg-dev", image_decode_jpeg},
};

__attribute__((noreturn)) static void refuse_missing(const char *path, const char *name,
                                                     const char *package)
{
    die_bad_file(path, "this program was built without %s; install %s (make setup) and build anew",
                 name, package);
}

static void decode(const image_source *source, image *out)
{
    for (size_t i = 0; i < sizeof readable / sizeof *readable; i++) {
        size_t length = strlen(readable[i].magic);
        if (source->size < length || memcmp(source->bytes, readable[i].magic, length) != 0)
            continue;
        if (!readable[i].decode)
            refuse_missing(source->path, readable[i].name, readable[i].package);
        readable[i].decode(source, out);
        return;
    }
    die_bad_file(source->path,
                 "not a picture of a known format; legal are BMP, PGM (P2, P5), PPM (P3, P6), "
                 "PNG and JPEG");
}

void image_read(const char *path, image *out)
{
    size_t size;
    uint8_t *bytes = file_read(path, &size);
    image_source source = {path, bytes, size};
    decode(&source, out);
    free(bytes);
}

/* The encoder that the name's ending chooses. */
static image_encoder *find_encoder(const char *path)
{
    static const struct {
        const char *ending;
        image_encoder *encode;
    } writable[] = {
        {".bmp", image_encode_bmp},
        {".pgm", image_encode_pnm},
        {".ppm", image_encode_pnm},
        {".png", image_encode_png},
    };
    const char *ending = strrchr(path, '.');
    for (size_t i = 0; ending && i < sizeof writable / sizeof *writable; i++) {
        if (strcasecmp(ending, writable[i].ending) != 0)
            continue;
        if (!writable[i].encode)
            refuse_missing(path, "PNG", "libpng-dev");
        return writable[i].encode;
    }
    die_bad_file(path, "unknown ending; legal are .bmp, .pgm, .ppm and .png");
}

void image_check_writable(const char *path)
{
    find_encoder(path);
    file_check_writable(path);
}

void image_write(const char *path, const image *picture)
{
    image_encoder *encode = find_encoder(path);
    file_draft draft = file_create(path);
    encode(picture, &draft);
    file_commit(&draft);
}
