#include "picture.h"
#include "die.h"
#include "random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

image picture_read(const char *path)
{
    image picture;
    image_read(path, &picture);
    return picture;
}

void picture_load(image *picture, const char *path)
{
    if (path && !picture->pixels)
        *picture = picture_read(path);
}

static bool is_quiet;

void picture_set_quiet(bool quiet)
{
    is_quiet = quiet;
}

/* Resamples it with no more channels than are wanted. */
static image resampled(const image *picture, int width, int height, int channels)
{
    image gray = {0}, fitted;
    bool turn_gray = channels == 1 && picture->channels > 1;
    if ((turn_gray && image_to_gray(picture, &gray)) ||
        image_resample(turn_gray ? &gray : picture, width, height, &fitted))
        die_bad_input("out of memory for a picture of %dx%d", width, height);
    image_free(&gray);
    return fitted;
}

void picture_fit(const image *picture, const char *name, int width, int height, int channels,
                 uint64_t seed, uint8_t *pixels)
{
    if (!picture->pixels) {
        random_fill_bytes(pixels, (size_t)width * (size_t)height * (size_t)channels, seed);
        return;
    }
    if (picture->width == width && picture->height == height) {
        image_convert(picture, channels, pixels);
        return;
    }
    if (!is_quiet)
        fprintf(stderr, "%s: %s is %dx%d; resampled to %dx%d\n", die_program(), name,
                picture->width, picture->height, width, height);
    image fitted = resampled(picture, width, height, channels);
    image_convert(&fitted, channels, pixels);
    image_free(&fitted);
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

void picture_check_writable(const char *path)
{
    if (path)
        image_check_writable(path);
}

void picture_write(const char *path, const uint8_t *pixels, int width, int height, int channels)
{
    const image picture = {width, height, channels, (uint8_t *)pixels};
    if (path)
        image_write(path, &picture);
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
