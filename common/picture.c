#include "picture.h"
#include "die.h"

#include <stdio.h>

image picture_read(const char *path)
{
    char error[FILE_ERROR_SIZE];
    image picture;
    if (image_read(path, &picture, error))
        die_bad_input("%s", error);
    return picture;
}

image picture_read_gray(const char *path)
{
    image picture = picture_read(path), gray;
    if (image_to_gray(&picture, &gray))
        die_bad_input("%s: out of memory", path);
    image_free(&picture);
    return gray;
}

static bool is_quiet;

void picture_set_quiet(bool quiet)
{
    is_quiet = quiet;
}

void picture_fit(const image *picture, const char *name, int width, int height, int channels,
                 uint8_t *pixels)
{
    image fitted;
    if (picture->width == width && picture->height == height) {
        image_convert(picture, channels, pixels);
        return;
    }
    if (!is_quiet)
        fprintf(stderr, "%s: %s is %dx%d; resampled to %dx%d\n", die_program(), name,
                picture->width, picture->height, width, height);
    if (image_resample(picture, width, height, &fitted))
        die_bad_input("%s: out of memory", name);
    image_convert(&fitted, channels, pixels);
    image_free(&fitted);
}

void picture_check_writable(const char *path)
{
    char error[FILE_ERROR_SIZE];
    if (image_check_writable(path, error))
        die_bad_input("%s", error);
}

void picture_write(const char *path, const uint8_t *pixels, int width, int height, int channels)
{
    char error[FILE_ERROR_SIZE];
    image picture = {width, height, channels, (uint8_t *)pixels};
    if (image_write(path, &picture, error))
        die_bad_input("%s", error);
}
