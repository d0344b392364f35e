/*
 * image_jpeg.c - JPEG, read only, by libjpeg where the build found it. The picture comes out as the
 * file has it: a camera's note about how it was held (EXIF) is not looked at.
 */
#ifdef HAVE_JPEG

#include <stdio.h> /* jpeglib.h expects it */

#include <jpeglib.h>
#include <jerror.h>

#include "image_format.h"

static void fail(j_common_ptr jpeg)
{
    const image_source *source = jpeg->client_data;
    char why[JMSG_LENGTH_MAX];
    jpeg->err->format_message(jpeg, why);
    die_bad_file(source->path, "broken JPEG: %s", why);
}

/* libjpeg fills what is missing with gray and warns: that is a broken file, stray bytes are not. */
static void warn(j_common_ptr jpeg, int level)
{
    if (level < 0 && jpeg->err->msg_code != JWRN_EXTRANEOUS_DATA)
        fail(jpeg);
}

image image_decode_jpeg(const image_source *source)
{
    struct jpeg_error_mgr errors;
    struct jpeg_decompress_struct jpeg = {.err = jpeg_std_error(&errors),
                                          .client_data = (void *)source};
    errors.error_exit = fail;
    errors.emit_message = warn;
    jpeg_create_decompress(&jpeg);
    jpeg_mem_src(&jpeg, source->bytes, source->size);
    jpeg_read_header(&jpeg, TRUE);
    if (jpeg.jpeg_color_space == JCS_CMYK || jpeg.jpeg_color_space == JCS_YCCK)
        die_bad_file(source->path, "a JPEG for print (CMYK); save it in RGB or gray");
    int channels = jpeg.num_components == 1 ? 1 : 3;
    image out = image_create_from_header(source, jpeg.image_width, jpeg.image_height, channels);
    jpeg.out_color_space = channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_start_decompress(&jpeg);
    while (jpeg.output_scanline < jpeg.output_height) {
        JSAMPROW row =
            out.pixels + (size_t)jpeg.output_scanline * (size_t)out.width * (size_t)channels;
        jpeg_read_scanlines(&jpeg, &row, 1);
    }
    jpeg_finish_decompress(&jpeg);
    jpeg_destroy_decompress(&jpeg);
    return out;
}

#endif
