/*
 * frames.cu - lab 6's data: frames of three 16-bit values a pixel, or four, of a picture, of a raw
 * file or made up; the planes of random bytes; and a frame written as a picture or as a raw file.
 *
 * A raw file, FILE.yc48, has the frame's pixels and nothing else: Y, Cb and Cr of 16 bits each,
 * little-endian as the machines with a GPU are, row by row. Whoever reads or writes one gives its
 * size.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "banding.h"
#include "files/file.h"
#include "offsets.h"
#include "pictures/image.h"
#include "pictures/picture.h"
#include "random.h"

/* Tells a raw frame by its name; there may be no path. */
static bool is_raw(const char *path)
{
    const char *ending = path ? strrchr(path, '.') : NULL;
    return ending && strcmp(ending, ".yc48") == 0;
}

/* ---- colours -------------------------------------------------------------------------------- */

/*
 * Turns R, G, B in 0..255 into Y in 0..4096, Cb and Cr in -2048..2048, AviUtl's ranges, by ITU-R
 * BT.601: Y = 4096/255 (0.299 R + 0.587 G + 0.114 B), Cb = 4096/255 (B - Y') / 1.772 and
 * Cr = 4096/255 (R - Y') / 1.402 with 16 fractional bits, rounded. Grays have Cb = Cr = 0.
 */
static void rgb_to_ycc(const uint8_t rgb[3], int16_t ycc[3])
{
    int r = rgb[0], g = rgb[1], b = rgb[2];
    ycc[0] = (int16_t)((314754 * r + 617928 * g + 120006 * b + 32768) >> 16);
    ycc[1] = (int16_t)((-177626 * r - 348718 * g + 526344 * b + 32768) >> 16);
    ycc[2] = (int16_t)((526344 * r - 440747 * g - 85597 * b + 32768) >> 16);
}

/* Rounds 65536ths, and cuts off at 0 and 255. */
static uint8_t to_byte(int value)
{
    int rounded = (value + 32768) >> 16;
    return (uint8_t)(rounded < 0 ? 0 : rounded > 255 ? 255 : rounded);
}

/* Turns them back: every RGB colour comes back as it was. */
static void ycc_to_rgb(const int16_t ycc[3], uint8_t rgb[3])
{
    int y = 4080 * ycc[0], cb = ycc[1], cr = ycc[2]; /* 4080 = 65536 * 255/4096 */
    rgb[0] = to_byte(y + 5720 * cr);
    rgb[1] = to_byte(y - 1404 * cb - 2914 * cr);
    rgb[2] = to_byte(y + 7230 * cb);
}

/* Cuts a value to its highest bits, and spreads the 2^bits levels over 0..255 again. */
static uint8_t coarser(uint8_t value, int bits)
{
    int last = (1 << bits) - 1;
    return (uint8_t)(((value >> (8 - bits)) * 255 + last / 2) / last);
}

/* ---- input ---------------------------------------------------------------------------------- */

static image photo;        /* the input picture as its file has it; empty without one */
static uint8_t *raw_frame; /* or the raw frame; NULL without one */

/* Refuses all sizes but a raw frame's own, which is not resampled. */
const char *refuse_size(int width, int height)
{
    static char text[160];
    static size_t bytes;
    size_t needed = (size_t)width * height * sizeof(yc48);
    if (!is_raw(settings.input))
        return NULL;
    if (!raw_frame)
        raw_frame = file_read(settings.input, &bytes);
    if (bytes == needed)
        return NULL;
    snprintf(text, sizeof text, "a raw frame of it has %zu bytes, this one %zu", needed, bytes);
    return text;
}

/* Reads the input, where refuse_size() has not, and looks whether outputs can be written. */
void configure(void)
{
    if (!raw_frame)
        picture_load(&photo, settings.input);
    if (settings.quantise != 8 && !photo.pixels)
        die_bad_input("--quantise needs --input, a picture");
    for (const char *path : {settings.output, settings.before})
        if (!is_raw(path))
            picture_check_writable(path);
}

/* Fills a frame with the picture at this size, which is quantised after resampling. */
static void fill_from_picture(void *frame, int width, int height)
{
    size_t count = (size_t)width * height;
    uint8_t *rgb = (uint8_t *)allocate(3 * count);
    picture_fit(&photo, settings.input, width, height, 3, 0, rgb);
    for (size_t i = 0; i < 3 * count; i++)
        rgb[i] = coarser(rgb[i], settings.quantise);
    for (size_t i = 0; i < count; i++)
        rgb_to_ycc(rgb + 3 * i, frame_pixel(frame, i));
    free(rgb);
}

/* Makes gradients over the whole range with noise of 7 bits, some of it below the thresholds. */
static void fill_synthetic(void *frame, int width, int height, uint64_t seed)
{
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            size_t i = (size_t)y * width + x;
            uint64_t bits = random_bits(seed, i);
            int16_t *pixel = frame_pixel(frame, i);
            int across = 4096 * x / width, down = 4096 * y / height;
            pixel[0] = (int16_t)((across + down) / 2 + (int)(bits & 127) - 64);
            pixel[1] = (int16_t)(across - 2048 + (int)(bits >> 7 & 127) - 64);
            pixel[2] = (int16_t)(down - 2048 + (int)(bits >> 14 & 127) - 64);
        }
}

/* Fills a frame with the input at this size; a fourth value is 0. */
static void fill_frame(void *frame, int width, int height, uint64_t seed)
{
    size_t count = (size_t)width * height;
    if (photo.pixels)
        fill_from_picture(frame, width, height);
    else if (raw_frame)
        for (size_t i = 0; i < count; i++)
            memcpy(frame_pixel(frame, i), raw_frame + i * sizeof(yc48), sizeof(yc48));
    else
        fill_synthetic(frame, width, height, seed);
    for (size_t i = 0; i < count && settings.pixels == YC64; i++)
        frame_pixel(frame, i)[3] = 0;
}

/* ---- the random planes ---------------------------------------------------------------------- */

/*
 * Fills the planes by Marsaglia's xorshift128 (Xorshift RNGs, Journal of Statistical Software 8,
 * 2003). A step gives four bytes, the lowest first, which fill plane after plane without a gap.
 * Each step needs the one before: the CPU makes the planes, once a problem.
 */
static void fill_random(uint8_t *bytes, size_t count, uint32_t seed)
{
    uint32_t x = 123456789 - seed, y = 362436069, z = 521288629, w = 88675123;
    for (size_t i = 0; i < count; i++) {
        if (i % 4 == 0) {
            uint32_t t = x ^ x << 11;
            x = y;
            y = z;
            z = w;
            w = w ^ w >> 19 ^ t ^ t >> 8;
        }
        bytes[i] = (uint8_t)(w >> 8 * (i % 4));
    }
}

/* Fills them with words of the hash, one after the other, the lowest byte first. */
static void fill_hashed(uint8_t *bytes, size_t count, uint32_t key)
{
    for (size_t i = 0; i < count; i++)
        bytes[i] = (uint8_t)(hash_word(key + (uint32_t)(i / 4)) >> 8 * (i % 4));
}

/* ---- the problem ---------------------------------------------------------------------------- */

void layout(problem *p)
{
    size_t count = (size_t)p->width * p->height;
    size_t frame_bytes = count * values_per_pixel() * sizeof(int16_t);
    problem_add_buffer(p, "frame", BUFFER_INPUT, frame_bytes);
    problem_add_buffer(p, "random", BUFFER_RESIDENT, PLANES * count);
    problem_add_buffer(p, "output", BUFFER_OUTPUT, frame_bytes);
}

void fill(const problem *p)
{
    fill_frame(p->buffer[FRAME].host, p->width, p->height, p->seed);
    uint8_t *bytes = (uint8_t *)p->buffer[RANDOM].host;
    if (settings.random == HASH)
        fill_hashed(bytes, p->buffer[RANDOM].bytes, filter_of(p).key);
    else
        fill_random(bytes, p->buffer[RANDOM].bytes, settings.seed);
}

/* ---- output --------------------------------------------------------------------------------- */

static void write_raw_frame(const char *path, void *frame, size_t count)
{
    file_draft file = file_create(picture_path(path));
    for (size_t i = 0; i < count; i++)
        fwrite(frame_pixel(frame, i), sizeof(yc48), 1, file.stream);
    file_commit(&file);
}

static void write_picture(const char *path, void *frame, int width, int height)
{
    size_t count = (size_t)width * height;
    uint8_t *rgb = (uint8_t *)allocate(3 * count);
    for (size_t i = 0; i < count; i++)
        ycc_to_rgb(frame_pixel(frame, i), rgb + 3 * i);
    picture_write(path, rgb, width, height, 3);
    free(rgb);
}

/* Writes a frame where there is a path. */
static void write_frame(const char *path, void *frame, int width, int height)
{
    if (is_raw(path))
        write_raw_frame(path, frame, (size_t)width * height);
    else if (path)
        write_picture(path, frame, width, height);
}

/* Writes what a single run has filtered, and the result. */
void present(const problem *p, const variant *, dim3)
{
    write_frame(settings.before, p->buffer[FRAME].host, p->width, p->height);
    write_frame(settings.output, p->buffer[OUTPUT].host, p->width, p->height);
}
