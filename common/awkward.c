#include "awkward.h"

#include <stdio.h>

/* Primes and odd numbers: multiples of no usual block. */
static extent usual_size(size_kind kind)
{
    switch (kind) {
    case SIZE_VECTOR:
        return (extent){1013, 1, 0};
    case SIZE_SQUARE:
        return (extent){33, 33, 0};
    case SIZE_PRODUCT:
        return (extent){.height = 37, .width = 33, .depth = 35};
    default:
        return (extent){67, 49, 0};
    }
}

/* "1013", "67x49", or of a product "37x33x35", rows by columns by what is summed over. */
static extent parse(const lab *definition)
{
    int a = 0, b = 1, c = 0;
    int sides = sscanf(definition->sweep.awkward, "%dx%dx%d", &a, &b, &c);
    if (sides == 3)
        return (extent){.height = a, .width = b, .depth = c};
    return (extent){a, sides == 2 || definition->sizes_are == SIZE_VECTOR ? b : a, 0};
}

static int twice(int side)
{
    return side > 1 ? 2 * side + 1 : side;
}

/* The next size like it: odd sides, about twice as long. */
static extent larger(extent size)
{
    return (extent){twice(size.width), twice(size.height), twice(size.depth)};
}

/* Is a side within the lab's limits? The second side of a vector and the third of most have none.
 */
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
    *size = definition->sweep.awkward ? parse(definition) : usual_size(definition->sizes_are);
    while (!awkward_is_legal(definition, *size)) {
        if (size->width > definition->size_max / 2)
            return false;
        *size = larger(*size);
    }
    return true;
}
