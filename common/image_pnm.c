/*
 * image_pnm.c - PGM and PPM, binary (P5, P6) and ASCII (P2, P3), maxval 1 to 255. A maxval below
 * 255 is scaled to 255, as the format means it. Comments (# to the end of the line) may stand
 * wherever white space may.
 */
#include <string.h>

#include "image_format.h"

typedef struct pnm_cursor {
    const image_source *source;
    size_t at; /* the next byte to read */
} pnm_cursor;

static int is_space(int byte)
{
    return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

/* The byte under the cursor, -1 at the end. */
static int peek(const pnm_cursor *cursor)
{
    return cursor->at < cursor->source->size ? cursor->source->bytes[cursor->at] : -1;
}

static void skip_space(pnm_cursor *cursor)
{
    for (int byte; (byte = peek(cursor)) == '#' || is_space(byte);) {
        if (byte == '#')
            while ((byte = peek(cursor)) != '\n' && byte != '\r' && byte >= 0)
                cursor->at++;
        else
            cursor->at++;
    }
}

/* A whole number after white space; -1 if the file ends, -2 if something else stands there. */
static int64_t read_number(pnm_cursor *cursor)
{
    const int64_t too_large = (int64_t)1 << 40; /* keeps what a message shows, cannot overflow */
    int64_t value = 0;
    skip_space(cursor);
    if (peek(cursor) < 0)
        return -1;
    if (peek(cursor) < '0' || peek(cursor) > '9')
        return -2;
    for (int byte; (byte = peek(cursor)) >= '0' && byte <= '9'; cursor->at++)
        value = value < too_large ? 10 * value + (byte - '0') : too_large;
    return value;
}

static int read_header_field(pnm_cursor *cursor, const char *name, int64_t *value, char *error)
{
    *value = read_number(cursor);
    if (*value == -1)
        return file_error(error, cursor->source->path, "PNM truncated in its header, before the %s",
                          name);
    if (*value == -2)
        return file_error(error, cursor->source->path,
                          "PNM header has no number for the %s; legal are decimal digits", name);
    return 0;
}

static uint8_t scale(int64_t value, int64_t maxval)
{
    return (uint8_t)((value * 255 + maxval / 2) / maxval);
}

static int read_sample(pnm_cursor *cursor, int ascii, int64_t maxval, uint8_t *sample, char *error)
{
    int64_t value = ascii ? read_number(cursor) : peek(cursor);
    if (value == -1)
        return file_error(error, cursor->source->path, "PNM truncated in its pixels");
    if (value == -2)
        return file_error(error, cursor->source->path,
                          "PNM pixels hold something that is no number, at byte %zu", cursor->at);
    if (value > maxval)
        return file_error(error, cursor->source->path,
                          "PNM pixel value %lld is over the header's maximum of %lld",
                          (long long)value, (long long)maxval);
    if (!ascii)
        cursor->at++;
    *sample = scale(value, maxval);
    return 0;
}

static int read_header(pnm_cursor *cursor, int64_t *width, int64_t *height, int64_t *maxval,
                       char *error)
{
    const image_source *source = cursor->source;
    int kind = source->bytes[1];
    if (kind == '1' || kind == '4' || kind == '7')
        return file_error(error, source->path,
                          "PNM of kind P%c; legal are P2 and P5 (gray), P3 and P6 (colour)", kind);
    cursor->at = 2;
    if (peek(cursor) >= 0 && peek(cursor) != '#' && !is_space(peek(cursor)))
        return file_error(error, source->path, "PNM header: white space must follow P%c", kind);
    if (read_header_field(cursor, "width", width, error) != 0 ||
        read_header_field(cursor, "height", height, error) != 0 ||
        read_header_field(cursor, "maximum value", maxval, error) != 0)
        return -1;
    if (*maxval < 1 || *maxval > 255)
        return file_error(error, source->path, "PNM maximum value %lld; legal are 1 to 255",
                          (long long)*maxval);
    return 0;
}

int image_decode_pnm(const image_source *source, image *out, char *error)
{
    pnm_cursor cursor = {source, 0};
    int64_t width = 0, height = 0, maxval = 0;
    memset(out, 0, sizeof *out);
    if (read_header(&cursor, &width, &height, &maxval, error) != 0)
        return -1;
    int kind = source->bytes[1], ascii = kind == '2' || kind == '3';
    int channels = kind == '3' || kind == '6' ? 3 : 1;
    if (image_check_header(source, width, height, error) != 0)
        return -1;
    if (!ascii && peek(&cursor) >= 0) {
        if (!is_space(peek(&cursor)))
            return file_error(error, source->path,
                              "PNM header: white space must follow the maximum value");
        cursor.at++;
    }
    /* A sample takes at least a byte (in ASCII two, but for the last), so memory is asked for only
       where the file can fill it. */
    uint64_t samples = (uint64_t)width * (uint64_t)height * (uint64_t)channels;
    uint64_t needed = ascii ? 2 * samples - 1 : samples;
    if (source->size - cursor.at < needed)
        return file_error(error, source->path, "PNM truncated in its pixels: %zu of %llu bytes",
                          source->size - cursor.at, (unsigned long long)needed);
    if (image_create_from_header(source, width, height, channels, out, error) != 0)
        return -1;
    for (uint64_t i = 0; i < samples; i++)
        if (read_sample(&cursor, ascii, maxval, &out->pixels[i], error) != 0) {
            image_free(out);
            return -1;
        }
    return 0;
}

static int encode(const image *picture, char kind, int channels, file_draft *draft, char *error)
{
    if (picture->channels != channels)
        return file_error(error, draft->path,
                          "the picture has %d channels, a .p%cm takes %d; .bmp takes any",
                          picture->channels, channels == 1 ? 'g' : 'p', channels);
    fprintf(draft->stream, "P%c\n%d %d\n255\n", kind, picture->width, picture->height);
    size_t size = (size_t)picture->width * (size_t)picture->height * (size_t)channels;
    fwrite(picture->pixels, 1, size, draft->stream);
    return 0;
}

int image_encode_pgm(const image *picture, file_draft *draft, char *error)
{
    return encode(picture, '5', 1, draft, error);
}

int image_encode_ppm(const image *picture, file_draft *draft, char *error)
{
    return encode(picture, '6', 3, draft, error);
}
