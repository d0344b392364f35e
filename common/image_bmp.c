/*
 * image_bmp.c - Windows bitmaps: a file header of 14 bytes, an information header of 40 bytes or
 * more, a palette where a pixel has 8 bits, then rows of B, G, R(, A) padded to 4 bytes, the bottom
 * row first unless the height is negative. All numbers are little-endian.
 */
#include <string.h>

#include "image_format.h"

enum {
    FILE_HEADER = 14,
    INFO_HEADER = 40, /* BITMAPINFOHEADER, the start of all later ones */
    V2_HEADER = 52,   /* with colour masks */
    V3_HEADER = 56,   /* with an alpha mask too */
    V4_HEADER = 108,
    V5_HEADER = 124,
    PALETTE_MAX = 256,
    COMPRESSION_NONE = 0,
    COMPRESSION_BITFIELDS = 3
};

#define MASK_RED   0x00FF0000u
#define MASK_GREEN 0x0000FF00u
#define MASK_BLUE  0x000000FFu
#define MASK_ALPHA 0xFF000000u

typedef struct bmp_header {
    uint32_t pixel_offset, info_size, compression, colours_used;
    int64_t width, height;
    int top_down, bits_per_pixel;
    int alpha_known; /* an alpha mask says that the fourth byte is alpha */
    size_t palette_offset, row_size;
} bmp_header;

static uint32_t read16(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8;
}

static uint32_t read32(const uint8_t *bytes)
{
    return read16(bytes) | read16(bytes + 2) << 16;
}

/* Two's complement by arithmetic: a cast of a large unsigned is the compiler's choice. */
static int64_t read_signed32(const uint8_t *bytes)
{
    int64_t value = read32(bytes);
    return value > INT32_MAX ? value - ((int64_t)1 << 32) : value;
}

static void write32(uint8_t *bytes, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        bytes[i] = (uint8_t)(value >> 8 * i);
}

static size_t padded_row(int64_t width, int bits_per_pixel)
{
    return (size_t)((width * bits_per_pixel + 31) / 32 * 4);
}

/* ----------------------------------------------------------------------------- reading ---- */

static int is_known_info_size(uint32_t size)
{
    return size == INFO_HEADER || size == V2_HEADER || size == V3_HEADER || size == V4_HEADER ||
           size == V5_HEADER;
}

/* The plain 32-bit order is all that a BITFIELDS file may ask for. */
static int check_masks(const image_source *source, bmp_header *header, char *error)
{
    const uint8_t *masks = source->bytes + FILE_HEADER + INFO_HEADER;
    size_t needed = header->info_size >= V3_HEADER ? 16 : 12;
    if (source->size < FILE_HEADER + INFO_HEADER + needed)
        return file_error(error, source->path, "BMP truncated in its colour masks");
    uint32_t alpha = needed == 16 ? read32(masks + 12) : 0;
    if (header->bits_per_pixel != 32 || read32(masks) != MASK_RED ||
        read32(masks + 4) != MASK_GREEN || read32(masks + 8) != MASK_BLUE ||
        (alpha != 0 && alpha != MASK_ALPHA))
        return file_error(
            error, source->path,
            "BMP with unusual colour masks (BITFIELDS, %d-bit); legal are 8-, 24- and "
            "32-bit without them, or 32-bit in the order B G R A",
            header->bits_per_pixel);
    header->alpha_known = alpha != 0;
    if (header->info_size == INFO_HEADER)
        header->palette_offset += needed;
    return 0;
}

static int check_pixel_format(const image_source *source, bmp_header *header, char *error)
{
    if (header->compression == COMPRESSION_BITFIELDS) {
        if (check_masks(source, header, error) != 0)
            return -1;
    } else if (header->compression != COMPRESSION_NONE) {
        return file_error(error, source->path,
                          "compressed BMP (method %u%s); legal is an uncompressed one",
                          header->compression,
                          header->compression == 1 || header->compression == 2 ? ", RLE" : "");
    }
    if (header->bits_per_pixel != 8 && header->bits_per_pixel != 24 && header->bits_per_pixel != 32)
        return file_error(error, source->path, "%d-bit BMP; legal are 8, 24 and 32 bits per pixel",
                          header->bits_per_pixel);
    if (header->bits_per_pixel != 8)
        return 0;
    if (header->colours_used > PALETTE_MAX)
        return file_error(error, source->path, "BMP palette of %u colours; legal are 1 to %d",
                          header->colours_used, PALETTE_MAX);
    if (header->colours_used == 0)
        header->colours_used = PALETTE_MAX;
    return 0;
}

/* Where the pixels lie: behind headers and palette, and whole. */
static int check_extent(const image_source *source, bmp_header *header, char *error)
{
    size_t palette_size = header->bits_per_pixel == 8 ? 4 * (size_t)header->colours_used : 0;
    size_t earliest = header->palette_offset + palette_size, offset = header->pixel_offset;
    if (source->size < earliest)
        return file_error(error, source->path,
                          "BMP truncated in its header or palette: %zu of %zu bytes", source->size,
                          earliest);
    if (offset < earliest || offset > source->size)
        return file_error(error, source->path,
                          "BMP pixel data offset %zu is out of range; legal are %zu to %zu", offset,
                          earliest, source->size);
    header->row_size = padded_row(header->width, header->bits_per_pixel);
    uint64_t needed = (uint64_t)header->row_size * (uint64_t)header->height;
    if (source->size - offset < needed)
        return file_error(error, source->path, "BMP truncated in its pixels: %zu of %llu bytes",
                          source->size - offset, (unsigned long long)needed);
    return 0;
}

static int read_header(const image_source *source, bmp_header *header, char *error)
{
    const uint8_t *bytes = source->bytes;
    memset(header, 0, sizeof *header);
    if (source->size < FILE_HEADER + 4)
        return file_error(error, source->path, "BMP truncated in its header: %zu bytes",
                          source->size);
    header->pixel_offset = read32(bytes + 10);
    header->info_size = read32(bytes + 14);
    if (!is_known_info_size(header->info_size))
        return file_error(
            error, source->path, "BMP header of %u bytes%s; legal are 40, 52, 56, 108 and 124",
            header->info_size, header->info_size == 12 ? " (OS/2, BITMAPCOREHEADER)" : "");
    if (source->size < FILE_HEADER + header->info_size)
        return file_error(error, source->path, "BMP truncated in its header: %zu of %u bytes",
                          source->size, FILE_HEADER + header->info_size);
    header->width = read_signed32(bytes + 18);
    header->height = read_signed32(bytes + 22);
    header->top_down = header->height < 0;
    if (header->top_down)
        header->height = -header->height;
    header->bits_per_pixel = (int)read16(bytes + 28);
    header->compression = read32(bytes + 30);
    header->colours_used = read32(bytes + 46);
    header->palette_offset = FILE_HEADER + (size_t)header->info_size;
    return check_pixel_format(source, header, error);
}

/* An 8-bit picture of grays only is read with one channel. */
static int palette_is_gray(const uint8_t *palette, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (palette[4 * i] != palette[4 * i + 1] || palette[4 * i] != palette[4 * i + 2])
            return 0;
    return 1;
}

static const uint8_t *row_of_file(const image_source *source, const bmp_header *header, int y)
{
    size_t row = (size_t)(header->top_down ? y : (int)header->height - 1 - y);
    return source->bytes + header->pixel_offset + row * header->row_size;
}

static uint8_t *row_of_picture(const image *picture, int y)
{
    return picture->pixels + (size_t)y * (size_t)picture->width * (size_t)picture->channels;
}

static int decode_indexed(const image_source *source, const bmp_header *header, image *out,
                          char *error)
{
    const uint8_t *palette = source->bytes + header->palette_offset;
    for (int y = 0; y < out->height; y++) {
        const uint8_t *from = row_of_file(source, header, y);
        uint8_t *to = row_of_picture(out, y);
        for (int x = 0; x < out->width; x++, to += out->channels) {
            if (from[x] >= header->colours_used)
                return file_error(
                    error, source->path,
                    "BMP pixel (%d, %d) has colour number %d, its palette only %u colours", x, y,
                    from[x], header->colours_used);
            const uint8_t *colour = palette + 4 * from[x];
            for (int channel = 0; channel < out->channels; channel++)
                to[channel] = colour[2 - channel];
        }
    }
    return 0;
}

static void decode_direct(const image_source *source, const bmp_header *header, image *out)
{
    uint8_t any_alpha = 0;
    for (int y = 0; y < out->height; y++) {
        const uint8_t *from = row_of_file(source, header, y);
        uint8_t *to = row_of_picture(out, y);
        for (int x = 0; x < out->width; x++, to += out->channels, from += out->channels) {
            to[0] = from[2];
            to[1] = from[1];
            to[2] = from[0];
            if (out->channels == 4)
                any_alpha |= to[3] = from[3];
        }
    }
    /* Without an alpha mask, zeros throughout mean an unused byte, not an invisible picture. */
    if (out->channels == 4 && !header->alpha_known && !any_alpha)
        for (size_t i = 3; i < 4 * (size_t)out->width * (size_t)out->height; i += 4)
            out->pixels[i] = 255;
}

int image_decode_bmp(const image_source *source, image *out, char *error)
{
    bmp_header header;
    memset(out, 0, sizeof *out);
    if (read_header(source, &header, error) != 0)
        return -1;
    if (image_check_header(source, header.width, header.height, error) != 0 ||
        check_extent(source, &header, error) != 0)
        return -1;
    int indexed = header.bits_per_pixel == 8, channels = header.bits_per_pixel / 8;
    if (indexed && !palette_is_gray(source->bytes + header.palette_offset, header.colours_used))
        channels = 3;
    if (image_create_from_header(source, header.width, header.height, channels, out, error) != 0)
        return -1;
    if (!indexed) {
        decode_direct(source, &header, out);
    } else if (decode_indexed(source, &header, out, error) != 0) {
        image_free(out);
        return -1;
    }
    return 0;
}

/* ----------------------------------------------------------------------------- writing ---- */

/* 4 channels need the V4 header: it alone says that the fourth byte is alpha. */
static void write_header(const image *picture, size_t row_size, FILE *stream)
{
    uint8_t header[FILE_HEADER + V4_HEADER] = {'B', 'M'};
    uint32_t info_size = picture->channels == 4 ? V4_HEADER : INFO_HEADER;
    uint32_t palette_size = picture->channels == 1 ? 4 * PALETTE_MAX : 0;
    uint32_t pixel_offset = FILE_HEADER + info_size + palette_size;
    uint64_t pixel_size = (uint64_t)row_size * (uint64_t)picture->height;
    uint64_t file_size = pixel_offset + pixel_size;
    /* Over 4 GiB the two sizes do not fit; readers go by width and height. */
    write32(header + 2, file_size <= UINT32_MAX ? (uint32_t)file_size : 0);
    write32(header + 10, pixel_offset);
    write32(header + 14, info_size);
    write32(header + 18, (uint32_t)picture->width);
    write32(header + 22, (uint32_t)picture->height);
    header[26] = 1; /* planes */
    header[28] = (uint8_t)(8 * picture->channels);
    write32(header + 34, pixel_size <= UINT32_MAX ? (uint32_t)pixel_size : 0);
    write32(header + 38, 2835); /* pixels per metre: 72 dpi */
    write32(header + 42, 2835);
    if (picture->channels == 1)
        write32(header + 46, PALETTE_MAX);
    if (picture->channels == 4) {
        header[30] = COMPRESSION_BITFIELDS;
        write32(header + 54, MASK_RED);
        write32(header + 58, MASK_GREEN);
        write32(header + 62, MASK_BLUE);
        write32(header + 66, MASK_ALPHA);
        write32(header + 70, 0x73524742u); /* colour space: sRGB */
    }
    fwrite(header, 1, FILE_HEADER + info_size, stream);
}

static void write_gray_palette(FILE *stream)
{
    for (int i = 0; i < PALETTE_MAX; i++) {
        uint8_t entry[4] = {(uint8_t)i, (uint8_t)i, (uint8_t)i, 0};
        fwrite(entry, 1, sizeof entry, stream);
    }
}

int image_encode_bmp(const image *picture, file_draft *draft, char *error)
{
    static const uint8_t padding[4] = {0};
    size_t used = (size_t)picture->width * (size_t)picture->channels;
    size_t row_size = padded_row(picture->width, 8 * picture->channels);
    (void)error;
    write_header(picture, row_size, draft->stream);
    if (picture->channels == 1)
        write_gray_palette(draft->stream);
    for (int y = picture->height - 1; y >= 0; y--) {
        const uint8_t *row = row_of_picture(picture, y);
        for (size_t i = 0; i < used; i += (size_t)picture->channels) {
            uint8_t swapped[4] = {row[i]};
            if (picture->channels >= 3) {
                swapped[0] = row[i + 2];
                swapped[1] = row[i + 1];
                swapped[2] = row[i];
            }
            if (picture->channels == 4)
                swapped[3] = row[i + 3];
            fwrite(swapped, 1, (size_t)picture->channels, draft->stream);
        }
        fwrite(padding, 1, row_size - used, draft->stream);
    }
    return 0;
}
