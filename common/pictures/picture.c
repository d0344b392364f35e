#define _POSIX_C_SOURCE 200809L /* access */

#include "picture.h"
#include "files/file.h"
#include "process/die.h"
#include "random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_BYTES = 4096 };

/* ---- frames --------------------------------------------------------------------------------- */

enum { NUMBERS_TRIED = 5, TURNS = 16 };

static int frame, first_number = -1, turn;

/* The %d or %04d in it, and its length; NULL where there is none. */
static const char *placeholder(const char *path, size_t *length)
{
    for (const char *at = strchr(path, '%'); at; at = strchr(at + 1, '%')) {
        size_t digits = strspn(at + 1, "0123456789");
        *length = digits + 2;
        if (at[digits + 1] == 'd')
            return at;
    }
    return NULL;
}

bool picture_is_pattern(const char *path)
{
    size_t length;
    return path && placeholder(path, &length);
}

/* The pattern with a number, of at least as many digits as it asks for. */
static const char *numbered(const char *pattern, int number)
{
    static char path[PATH_BYTES];
    size_t length = 0;
    const char *at = placeholder(pattern, &length);
    long asked = strtol(at + 1, NULL, 10);
    int digits = asked < 10 ? (int)asked : 10;
    if (strlen(pattern) + 10 >= sizeof path)
        die_bad_file(pattern, "the file name is too long");
    snprintf(path, sizeof path, "%.*s%0*d%s", (int)(at - pattern), pattern, digits, number,
             at + length);
    return path;
}

static bool exists(const char *path)
{
    return access(path, R_OK) == 0;
}

static void find_first(const char *pattern)
{
    for (int n = NUMBERS_TRIED - 1; n >= 0; n--)
        if (exists(numbered(pattern, n)))
            first_number = n;
    if (first_number < 0)
        die_bad_file(pattern, "there is none of the frames 0 to %d to begin with",
                     NUMBERS_TRIED - 1);
}

const char *picture_path(const char *path)
{
    return picture_is_pattern(path) ? numbered(path, (first_number < 0 ? 0 : first_number) + frame)
                                    : path;
}

bool picture_frames_are_files(void)
{
    return first_number >= 0;
}

void picture_set_frame(int which)
{
    frame = which;
}

void picture_set_turn(int k)
{
    turn = k;
}

/* Turns a picture of `height` rows, of so many bytes each. */
static void turn_rows(uint8_t *pixels, size_t row, int height)
{
    size_t bytes = row * (size_t)height;
    size_t down = (size_t)(turn * (height < TURNS ? 1 : height / TURNS) % height) * row;
    uint8_t *below = allocate(down);
    memcpy(below, pixels + bytes - down, down);
    memmove(pixels + down, pixels, bytes - down);
    memcpy(pixels, below, down);
    free(below);
}

/* The frame that is set; the first one is the picture. */
static image read_frame(const image *picture, const char *pattern)
{
    const char *path = picture_path(pattern);
    image now = image_read(path);
    if (now.width != picture->width || now.height != picture->height)
        die_bad_file(path, "is %dx%d; the frames of a stream have the first one's size, %dx%d",
                     now.width, now.height, picture->width, picture->height);
    return now;
}

/* ---- in ------------------------------------------------------------------------------------- */

void picture_load(image *picture, const char *path)
{
    if (!path || picture->pixels)
        return;
    if (picture_is_pattern(path))
        find_first(path);
    *picture = image_read(picture_path(path));
}

static bool is_quiet;

void picture_set_quiet(bool quiet)
{
    is_quiet = quiet;
}

void picture_fit(const image *picture, const char *name, int width, int height, int channels,
                 uint64_t seed, uint8_t *pixels)
{
    if (!picture->pixels) {
        random_fill_bytes(pixels, (size_t)width * (size_t)height * (size_t)channels, seed);
        return;
    }
    bool is_this_size = picture->width == width && picture->height == height;
    if (!is_this_size && !is_quiet && frame == 0 && turn == 0)
        fprintf(stderr, "%s: %s is %dx%d; resampled to %dx%d\n", die_program(), name,
                picture->width, picture->height, width, height);
    bool is_other = frame > 0 && picture_is_pattern(name);
    image other = is_other ? read_frame(picture, name) : (image){0};
    image converted = image_create(picture->width, picture->height, channels);
    image_convert(is_other ? &other : picture, channels, converted.pixels);
    image_resample(&converted, &(image){width, height, channels, pixels});
    turn_rows(pixels, (size_t)width * (size_t)channels, height);
    image_free(&converted);
    image_free(&other);
}

void picture_fit_floats(const image *picture, const char *name, int width, int height,
                        uint64_t seed, float *values)
{
    size_t count = (size_t)width * (size_t)height;
    uint8_t *gray = allocate(count);
    picture_fit(picture, name, width, height, 1, seed, gray);
    for (size_t i = 0; i < count; i++)
        values[i] = gray[i];
    free(gray);
}

/* ---- out ------------------------------------------------------------------------------------ */

void picture_check_writable(const char *path)
{
    if (path)
        image_check_writable(picture_path(path));
}

void picture_write(const char *path, const uint8_t *pixels, int width, int height, int channels)
{
    const image picture = {width, height, channels, (uint8_t *)pixels};
    if (path)
        image_write(picture_path(path), &picture);
}

void picture_write_floats(const char *path, const float *values, int width, int height)
{
    size_t count = (size_t)width * (size_t)height;
    uint8_t *pixels = allocate(count);
    for (size_t i = 0; i < count; i++)
        pixels[i] = (uint8_t)lrintf(fminf(fmaxf(values[i], 0), 255));
    picture_write(path, pixels, width, height, 1);
    free(pixels);
}
