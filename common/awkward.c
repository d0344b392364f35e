#include "awkward.h"

/* Primes and odd numbers: multiples of no usual block. */
static const extent usual[] = {
    [SIZE_VECTOR] = {.width = 1013, .height = 1},
    [SIZE_IMAGE] = {.width = 67, .height = 49},
    [SIZE_PRODUCT] = {.height = 37, .width = 33, .depth = 35},
};

/* An odd side about twice as long; the second side of a vector and the third of most stay. */
static int twice(int side)
{
    return side > 1 ? 2 * side + 1 : side;
}

static bool in_limits(const lab *definition, int side)
{
    return side <= 1 || (side >= definition->size_min && side <= definition->size_max);
}

bool awkward_is_legal(const lab *definition, extent size)
{
    return in_limits(definition, size.width) && in_limits(definition, size.height) &&
           in_limits(definition, size.depth) &&
           !(definition->refuse_size && definition->refuse_size(size.width, size.height));
}

bool awkward_size(const lab *definition, extent *size)
{
    *size = usual[definition->sizes_are];
    while (!awkward_is_legal(definition, *size)) {
        if (size->width > definition->size_max / 2)
            return false;
        *size = (extent){twice(size->width), twice(size->height), twice(size->depth)};
    }
    return true;
}
