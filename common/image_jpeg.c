/*
 * image_jpeg.c - JPEG, read only, by libjpeg where the build found it. The picture comes out as the
 * file has it: a camera's note about how it was held (EXIF) is not looked at.
 */
#ifdef HAVE_JPEG

#include <setjmp.h>
#include <stdio.h> /* jpeglib.h expects it */

#include <jpeglib.h>
#include <jerror.h>

#include "image_format.h"

typedef struct reader {
    struct jpeg_decompress_struct jpeg;
    struct jpeg_error_mgr errors;
    jmp_buf failed; /* libjpeg calls fail() and does not expect it to return */
} reader;

static void fail(j_common_ptr jpeg)
{
    longjmp(((reader *)jpeg->client_data)->failed, 1);
}

/* libjpeg fills what is missing with gray and warns: that is a broken file, stray bytes are not. */
static void warn(j_common_ptr jpeg, int level)
{
    if (level < 0 && jpeg->err->msg_code != JWRN_EXTRANEOUS_DATA)
        fail(jpeg);
}

/* Where libjpeg fails it jumps to r->failed. */
static void decode_pixels(reader *r, const image_source *source, image *out)
{
    jpeg_create_decompress(&r->jpeg);
    jpeg_mem_src(&r->jpeg, source->bytes, source->size);
    jpeg_read_header(&r->jpeg, TRUE);
    int channels = r->jpeg.num_components == 1 ? 1 : 3;
    r->jpeg.out_color_space = channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
    uint64_t most = (uint64_t)source->size * IMAGE_MAX_FOLD;
    image_create_from_header(source, r->jpeg.image_width, r->jpeg.image_height, channels, most,
                             out);
    jpeg_start_decompress(&r->jpeg);
    while (r->jpeg.output_scanline < r->jpeg.output_height) {
        JSAMPROW row =
            out->pixels + (size_t)r->jpeg.output_scanline * (size_t)out->width * (size_t)channels;
        jpeg_read_scanlines(&r->jpeg, &row, 1);
    }
    jpeg_finish_decompress(&r->jpeg);
}

void image_decode_jpeg(const image_source *source, image *out)
{
    reader r = {.jpeg.client_data = &r};
    r.jpeg.err = jpeg_std_error(&r.errors);
    r.errors.error_exit = fail;
    r.errors.emit_message = warn;
    if (setjmp(r.failed) != 0) {
        char why[JMSG_LENGTH_MAX];
        r.errors.format_message((j_common_ptr)&r.jpeg, why);
        die_bad_file(source->path, "broken JPEG: %s", why);
    }
    decode_pixels(&r, source, out);
    jpeg_destroy_decompress(&r.jpeg);
}

#endif
