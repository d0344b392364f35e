/*
 * check_keep.h - what a lab's check() compares, value by value: for a diagnosis, which looks at all
 * of an output. Not for labs.
 */
#ifndef COMMON_CHECK_KEEP_H
#define COMMON_CHECK_KEEP_H

#include <stdbool.h>
#include <stddef.h>

/* A comparison that check_scaled() made. */
typedef struct compared {
    double value, expected, scale, room; /* room: the largest difference allowed */
    bool wrong, seen;
} compared;

/* Keeps what is compared from now on in items[index], where that is below `count`; NULL ends it. */
void check_keep(compared *items, size_t count);

#endif
