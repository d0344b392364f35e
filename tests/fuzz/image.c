/* image.c - readers of pictures: what is accepted is legal, and all of it set by the file. */
#include "fuzz.h"
#include "image.h"

#include <string.h>

void fuzz(const char *path)
{
    image picture = image_read(path), again = image_read(path);
    DEMAND(picture.width >= 1 && picture.width <= IMAGE_MAX_SIDE);
    DEMAND(picture.height >= 1 && picture.height <= IMAGE_MAX_SIDE);
    DEMAND(picture.channels == 1 || picture.channels == 3 || picture.channels == 4);
    size_t samples = (size_t)picture.width * (size_t)picture.height * (size_t)picture.channels;
    DEMAND(memcmp(picture.pixels, again.pixels, samples) == 0);
    image_free(&picture);
    image_free(&again);
}
