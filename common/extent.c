#include "extent.h"

#include <stdbool.h>
#include <stdio.h>

const char *extent_text(extent size, char text[EXTENT_TEXT])
{
    bool cube = size.width == size.height && size.width == size.depth;
    if (size.depth > 0 && !cube)
        snprintf(text, EXTENT_TEXT, "%dx%dx%d", size.height, size.width, size.depth);
    else
        snprintf(text, EXTENT_TEXT, "%dx%d", size.width, size.height);
    return text;
}
