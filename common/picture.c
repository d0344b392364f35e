#include "picture.h"
#include "die.h"
#include "random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

void picture_load(image *picture, const char *path)
{
    if (path && !picture->pixels)
        *picture = image_read(path);
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
    if (!is_this_size && !is_quiet)
        fprintf(stderr, "%s: %s is %dx%d; resampled to %dx%d\n", die_program(), name,
                picture->width, picture->height, width, height);
    image converted = image_create(picture->width, picture->height, channels);
    image_convert(picture, channels, converted.pixels);
    image_resample(&converted, &(image){width, height, channels, pixels});
    image_free(&converted);
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
