#include "picture.h"
#include "die.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

image picture_read(const char *path)
{
    char error[IMAGE_ERROR_SIZE];
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

/* The picture's pixels with another number of channels. */
static void convert(const image *picture, const char *name, int channels, uint8_t *pixels)
{
    image gray = {0};
    bool through_gray = channels == 1 || picture->channels == 1;
    size_t count = (size_t)picture->width * (size_t)picture->height;
    if (channels == picture->channels) {
        memcpy(pixels, picture->pixels, count * (size_t)channels);
        return;
    }
    if (through_gray && image_to_gray(picture, &gray))
        die_bad_input("%s: out of memory", name);
    const image *from = through_gray ? &gray : picture;
    for (size_t i = 0; i < count; i++)
        for (int c = 0; c < channels; c++) {
            size_t of = (size_t)(from->channels == 1 ? 0 : c);
            bool opaque = c == 3; /* alpha, and the picture has none: else it had four channels */
            pixels[i * (size_t)channels + (size_t)c] =
                opaque ? 255 : from->pixels[i * (size_t)from->channels + of];
        }
    image_free(&gray);
}

void picture_fit(const image *picture, const char *name, int width, int height, int channels,
                 uint8_t *pixels)
{
    image fitted;
    if (picture->width == width && picture->height == height) {
        convert(picture, name, channels, pixels);
        return;
    }
    fprintf(stderr, "%s: %s is %dx%d; resampled to %dx%d\n", die_program(), name, picture->width,
            picture->height, width, height);
    if (image_resample(picture, width, height, &fitted))
        die_bad_input("%s: out of memory", name);
    convert(&fitted, name, channels, pixels);
    image_free(&fitted);
}

void picture_check_writable(const char *path)
{
    char error[IMAGE_ERROR_SIZE];
    if (image_check_writable(path, error))
        die_bad_input("%s", error);
}

void picture_write(const char *path, const uint8_t *pixels, int width, int height, int channels)
{
    char error[IMAGE_ERROR_SIZE];
    image picture = {width, height, channels, (uint8_t *)pixels};
    if (image_write(path, &picture, error))
        die_bad_input("%s", error);
}
