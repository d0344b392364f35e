/*
 * image_png.c - PNG by libpng's simplified interface (1.6 or later), where the build found it:
 * every kind of PNG comes out as 8-bit gray, RGB or, where it has transparency, RGBA.
 */
#ifdef HAVE_PNG

#include <png.h>

#include "image_format.h"

static png_uint_32 format_of(int channels)
{
    return channels == 4 ? PNG_FORMAT_RGBA : channels == 3 ? PNG_FORMAT_RGB : PNG_FORMAT_GRAY;
}

image image_decode_png(const image_source *source)
{
    png_image png = {.version = PNG_IMAGE_VERSION};
    if (!png_image_begin_read_from_memory(&png, source->bytes, source->size))
        die_bad_file(source->path, "broken PNG: %s", png.message);
    int channels = png.format & PNG_FORMAT_FLAG_ALPHA   ? 4
                   : png.format & PNG_FORMAT_FLAG_COLOR ? 3
                                                        : 1;
    image out = image_create_from_header(source, png.width, png.height, channels);
    png.format = format_of(channels);
    /* 16-bit samples are taken for sRGB like 8-bit ones, not for linear light. */
    png.flags |= PNG_IMAGE_FLAG_16BIT_sRGB;
    if (!png_image_finish_read(&png, NULL, out.pixels, 0, NULL))
        die_bad_file(source->path, "broken PNG: %s", png.message);
    return out;
}

void image_encode_png(const image *picture, const file_draft *draft)
{
    png_image png = {.version = PNG_IMAGE_VERSION,
                     .width = (png_uint_32)picture->width,
                     .height = (png_uint_32)picture->height,
                     .format = format_of(picture->channels)};
    if (!png_image_write_to_stdio(&png, draft->stream, 0, picture->pixels, 0, NULL))
        die_bad_file(draft->path, "cannot write PNG: %s", png.message);
}

#endif
