/*
 * image_pnm.c - PGM and PPM, binary (P5, P6) and ASCII (P2, P3), maxval 1 to 255. A maxval below
 * 255 is scaled to 255, as the format means it. Comments (# to the end of the line) may stand
 * wherever white space may.
 */
#include <ctype.h>

#include "image_format.h"

typedef struct cursor {
    const uint8_t *at, *end;
} cursor;

static void skip_space(cursor *c)
{
    for (int comment = 0; c->at < c->end && (comment || *c->at == '#' || isspace(*c->at)); c->at++)
        comment = comment ? *c->at != '\n' && *c->at != '\r' : *c->at == '#';
}

/* A whole number after white space; -1 where none stands. More than a million is a million. */
static int read_number(cursor *c)
{
    const int million = 1000000;
    int value = 0;
    skip_space(c);
    const uint8_t *start = c->at;
    for (; c->at < c->end && *c->at >= '0' && *c->at <= '9'; c->at++)
        value = value < million / 10 ? 10 * value + (*c->at - '0') : million;
    return c->at > start ? value : -1;
}

/* A sample that the header's maximum allows; -1 where none stands. */
static int read_sample(cursor *c, int ascii, int maxval)
{
    int value = ascii ? read_number(c) : c->at < c->end ? *c->at++ : -1;
    return value <= maxval ? value : -1;
}

image image_decode_pnm(const image_source *source)
{
    cursor c = {source->bytes + 2, source->bytes + source->size};
    int kind = source->bytes[1], ascii = kind < '5', channels = kind == '3' || kind == '6' ? 3 : 1;
    int separate = c.at < c.end && (*c.at == '#' || isspace(*c.at));
    int width = read_number(&c), height = read_number(&c), maxval = read_number(&c);
    if (!separate || width < 0 || height < 0 || maxval < 1 || maxval > 255)
        die_bad_file(source->path,
                     "P%c needs width, height and maximum (1 to 255), and here they are not", kind);
    if (!ascii && (c.at == c.end || !isspace(*c.at++)))
        die_bad_file(source->path, "P%c: white space must follow the maximum", kind);
    image out = image_create_from_header(source, width, height, channels);
    size_t samples = (size_t)width * (size_t)height * (size_t)channels;
    for (size_t i = 0; i < samples; i++) {
        int value = read_sample(&c, ascii, maxval);
        if (value < 0)
            die_bad_file(source->path,
                         "truncated or broken P%c: sample %zu of %zu is no number from 0 to %d",
                         kind, i + 1, samples, maxval);
        out.pixels[i] = (uint8_t)((value * 255 + maxval / 2) / maxval);
    }
    return out;
}

void image_encode_pnm(const image *picture, const file_draft *draft)
{
    size_t samples = (size_t)picture->width * (size_t)picture->height * (size_t)picture->channels;
    fprintf(draft->stream, "P%c\n%d %d\n255\n", picture->channels == 1 ? '5' : '6', picture->width,
            picture->height);
    fwrite(picture->pixels, 1, samples, draft->stream);
}
