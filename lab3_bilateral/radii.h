/*
 * radii.h - instances of kernels whose loops are unrolled for a radius, one for each. The code, and
 * the time to compile it, grow with the radius, for some with its square. A build that checks
 * accesses or races takes the longest: it has one radius of each kind.
 */
#ifndef LAB3_RADII_H
#define LAB3_RADII_H

#include "bilateral.h"

/* List NAME<PIXEL, R> for radii from one to the other. */
#ifndef CHECK_BUILD
#define RADII_1_TO_4(NAME, PIXEL) NAME<PIXEL, 1>, NAME<PIXEL, 2>, NAME<PIXEL, 3>, NAME<PIXEL, 4>
#define RADII_1_TO_7(NAME, PIXEL)                                                                  \
    RADII_1_TO_4(NAME, PIXEL), NAME<PIXEL, 5>, NAME<PIXEL, 6>, NAME<PIXEL, 7>
#define RADII_8_TO_16(NAME, PIXEL)                                                                 \
    NAME<PIXEL, 8>, NAME<PIXEL, 9>, NAME<PIXEL, 10>, NAME<PIXEL, 11>, NAME<PIXEL, 12>,             \
        NAME<PIXEL, 13>, NAME<PIXEL, 14>, NAME<PIXEL, 15>, NAME<PIXEL, 16>
#else
#define RADII_1_TO_4(NAME, PIXEL) NAME<PIXEL, 1>, nullptr, NAME<PIXEL, 3>, nullptr
#define RADII_1_TO_7(NAME, PIXEL) RADII_1_TO_4(NAME, PIXEL), nullptr, nullptr, nullptr
#define RADII_8_TO_16(NAME, PIXEL)                                                                 \
    NAME<PIXEL, 8>, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr
#endif
#define RADII_1_TO_8(NAME, PIXEL) RADII_1_TO_7(NAME, PIXEL), NAME<PIXEL, 8>

/* Says why there is no instance of this radius; NULL where there is. */
static inline const char *refuse_radius(int most)
{
    const int radius = settings.radius;
#ifdef CHECK_BUILD
    if (radius != 1 && radius != 3 && radius != 8)
        return "of its radii a build with checks has 1, 3 and 8";
#endif
    return radius >= 1 && radius <= most ? NULL
           : most == 4                   ? "its loops are unrolled for radii 1 to 4"
           : most == 8                   ? "its loops are unrolled for radii 1 to 8"
                                         : "its loops are unrolled for radii 1 to 16";
}

static inline const char *refuse_to_radius_8(const problem *p, dim3 block)
{
    const char *refused = refuse_radius(8);
    return refused ? refused : refuse_colour_and_border(p, block);
}

/* Picks the kernel for the current radius out of those from FIRST to LAST: first all for floats,
 * then all for bytes, or for bytes alone. */
template <int FIRST, int LAST, auto... INSTANCES>
static const void *of_radius(dim3)
{
    static const void *const all[] = {(const void *)INSTANCES...};
    const int radius = settings.radius < FIRST  ? FIRST
                       : settings.radius < LAST ? settings.radius
                                                : LAST;
    const int count = LAST - FIRST + 1;
    const bool in_second_half = settings.type == U8 && sizeof all > count * sizeof all[0];
    return all[(in_second_half ? count : 0) + radius - FIRST];
}

#define FOR_RADII(KERNEL, FIRST, LAST)                                                             \
    of_radius<FIRST, LAST, RADII_##FIRST##_TO_##LAST(KERNEL, float),                               \
              RADII_##FIRST##_TO_##LAST(KERNEL, uint8_t)>

#endif
