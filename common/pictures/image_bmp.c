/*
 * image_bmp.c - Windows bitmaps: a file header of 14 bytes, an information header of 40 bytes or
 * more, a palette where a pixel has 8 bits, then rows of B, G, R(, A) padded to 4 bytes, the bottom
 * row first unless the height is negative. All numbers are little-endian.
 */
#include "image_format.h"

enum {
    FILE_HEADER = 14,
    INFO_HEADER = 40, /* BITMAPINFOHEADER, the start of all later ones */
    HEADERS = FILE_HEADER + INFO_HEADER,
    MASKS = 12, /* of red, green and blue; inside a later information header, else behind it */
    COLOURS = 256
};

typedef struct bmp {
    const image_source *source;
    const uint8_t *palette, *pixels;
    size_t colours; /* in the palette */
    int64_t width, height;
    int top_down, bits;
} bmp;

static uint32_t read16(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8;
}

static uint32_t read32(const uint8_t *bytes)
{
    return read16(bytes) | read16(bytes + 2) << 16;
}

static void write32(uint8_t *bytes, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        bytes[i] = (uint8_t)(value >> 8 * i);
}

static size_t padded_row(int64_t width, int bits)
{
    return (size_t)((width * bits + 31) / 32 * 4);
}

/* ----------------------------------------------------------------------------- reading ---- */

/* Many programs write 32 bits with colour masks that say what is so anyway: B G R A. */
static int has_plain_masks(const image_source *source)
{
    const uint8_t *masks = source->bytes + HEADERS;
    return source->size >= HEADERS + MASKS && read32(masks) == 0xFF0000 &&
           read32(masks + 4) == 0xFF00 && read32(masks + 8) == 0xFF;
}

/* The palette and the first of the pixels lie inside the file, or the program ends. */
static bmp read_header(const image_source *source)
{
    const uint8_t *bytes = source->bytes;
    if (source->size < HEADERS)
        die_bad_file(source->path, "BMP truncated in its header: %zu bytes", source->size);
    uint32_t info = read32(bytes + 14), bits = read16(bytes + 28), compression = read32(bytes + 30);
    int plain = compression == 0 || (compression == 3 && bits == 32 && has_plain_masks(source));
    if (info < INFO_HEADER || !plain || (bits != 8 && bits != 24 && bits != 32))
        die_bad_file(source->path, "no BMP of 8, 24 or 32 bits, uncompressed, with a header of 40 "
                                   "bytes or more; save it anew");
    size_t colours = read32(bytes + 46) ? read32(bytes + 46) : COLOURS;
    size_t palette = FILE_HEADER + (size_t)info, pixels = read32(bytes + 10);
    size_t earliest = palette + (bits == 8 ? 4 * colours : 0);
    if (colours > COLOURS || pixels < earliest || pixels > source->size)
        die_bad_file(source->path, "BMP truncated or broken: its pixels would begin at byte %zu",
                     pixels);
    int64_t height = (int32_t)read32(bytes + 22);
    return (bmp){.source = source,
                 .palette = bytes + palette,
                 .pixels = bytes + pixels,
                 .colours = colours,
                 .width = (int32_t)read32(bytes + 18),
                 .height = height < 0 ? -height : height,
                 .top_down = height < 0,
                 .bits = (int)bits};
}

/* An 8-bit picture of grays only is read with one channel. */
static int channels_of(const bmp *b)
{
    if (b->bits != 8)
        return b->bits / 8;
    for (const uint8_t *colour = b->palette; colour < b->palette + 4 * b->colours; colour += 4)
        if (colour[0] != colour[1] || colour[0] != colour[2])
            return 3;
    return 1;
}

/* Turns width pixels of a file's row into a picture's. */
static void decode_row(const bmp *b, const uint8_t *from, int channels, uint8_t *to)
{
    for (int64_t x = 0; x < b->width; x++, to += channels, from += b->bits / 8) {
        if (b->bits == 8 && *from >= b->colours)
            die_bad_file(b->source->path, "broken BMP: colour %d of a palette of %zu", *from,
                         b->colours);
        const uint8_t *colour = b->bits == 8 ? b->palette + 4 * *from : from;
        for (int c = 0; c < channels; c++)
            to[c] = colour[c == 3 || channels == 1 ? c : 2 - c];
    }
}

/* Zeros throughout are an unused byte, not an invisible picture. */
static void make_visible(const image *picture)
{
    uint8_t any = 0;
    size_t size = 4 * (size_t)picture->width * (size_t)picture->height;
    for (size_t i = 3; i < size; i += 4)
        any |= picture->pixels[i];
    for (size_t i = 3; i < size && !any; i += 4)
        picture->pixels[i] = 255;
}

image image_decode_bmp(const image_source *source)
{
    bmp b = read_header(source);
    int channels = channels_of(&b);
    image out = image_create_from_header(source, b.width, b.height, channels);
    size_t row_size = padded_row(out.width, b.bits);
    size_t there = (size_t)(source->bytes + source->size - b.pixels);
    if (there / row_size < (size_t)out.height)
        die_bad_file(source->path, "BMP truncated: its %zu bytes cannot hold %d x %d pixels",
                     source->size, out.width, out.height);
    for (int y = 0; y < out.height; y++) {
        size_t row = (size_t)(b.top_down ? y : out.height - 1 - y);
        decode_row(&b, b.pixels + row * row_size, channels,
                   out.pixels + (size_t)y * (size_t)out.width * (size_t)channels);
    }
    if (channels == 4)
        make_visible(&out);
    return out;
}

/* ----------------------------------------------------------------------------- writing ---- */

static void write_headers(const image *picture, size_t row_size, FILE *stream)
{
    uint8_t header[HEADERS + 4 * COLOURS] = {'B', 'M'};
    uint32_t colours = picture->channels == 1 ? COLOURS : 0, pixels = HEADERS + 4 * colours;
    /* 4 GiB, the largest RGBA, do not fit; readers go by width and height. */
    uint32_t pixel_size = (uint32_t)(row_size * (size_t)picture->height);
    write32(header + 2, pixels + pixel_size);
    write32(header + 10, pixels);
    write32(header + 14, INFO_HEADER);
    write32(header + 18, (uint32_t)picture->width);
    write32(header + 22, (uint32_t)picture->height);
    header[26] = 1; /* planes */
    header[28] = (uint8_t)(8 * picture->channels);
    write32(header + 34, pixel_size);
    write32(header + 38, 2835); /* pixels per metre: 72 dpi */
    write32(header + 42, 2835);
    write32(header + 46, colours);
    for (uint32_t i = 0; i < colours; i++)
        write32(header + HEADERS + 4 * i, i * 0x010101);
    fwrite(header, 1, pixels, stream);
}

void image_encode_bmp(const image *picture, const file_draft *draft)
{
    static const uint8_t padding[4] = {0};
    int channels = picture->channels;
    size_t used = (size_t)picture->width * (size_t)channels;
    size_t row_size = padded_row(picture->width, 8 * channels);
    write_headers(picture, row_size, draft->stream);
    for (int y = picture->height - 1; y >= 0; y--) {
        const uint8_t *pixel = picture->pixels + (size_t)y * used;
        for (int x = 0; x < picture->width; x++, pixel += channels)
            for (int c = 0; c < channels; c++)
                putc(pixel[c == 3 || channels == 1 ? c : 2 - c], draft->stream);
        fwrite(padding, 1, row_size - used, draft->stream);
    }
}
