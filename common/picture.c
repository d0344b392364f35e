#include "picture.h"
#include "die.h"

#include <stdio.h>
#include <string.h>

image picture_read_gray(const char *path)
{
    char error[IMAGE_ERROR_SIZE];
    image picture, gray;
    if (image_read(path, &picture, error))
        die_bad_input("%s", error);
    if (image_to_gray(&picture, &gray))
        die_bad_input("%s: out of memory", path);
    image_free(&picture);
    return gray;
}

void picture_fit(const image *gray, const char *name, int width, int height, uint8_t *pixels)
{
    image fitted;
    size_t bytes = (size_t)width * (size_t)height;
    if (gray->width == width && gray->height == height) {
        memcpy(pixels, gray->pixels, bytes);
        return;
    }
    fprintf(stderr, "%s: %s is %dx%d; resampled to %dx%d\n", die_program(), name, gray->width,
            gray->height, width, height);
    if (image_resample(gray, width, height, &fitted))
        die_bad_input("%s: out of memory", name);
    memcpy(pixels, fitted.pixels, bytes);
    image_free(&fitted);
}

void picture_check_writable(const char *path)
{
    char error[IMAGE_ERROR_SIZE];
    if (image_check_writable(path, error))
        die_bad_input("%s", error);
}

void picture_write_gray(const char *path, const uint8_t *pixels, int width, int height)
{
    char error[IMAGE_ERROR_SIZE];
    image picture = {width, height, 1, (uint8_t *)pixels};
    if (image_write(path, &picture, error))
        die_bad_input("%s", error);
}
