/*
 * allocate.h - memory that is there, or the program ends: out of memory is a bad input, a size too
 * large (exit 2).
 */
#ifndef COMMON_ALLOCATE_H
#define COMMON_ALLOCATE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* malloc that never returns NULL, not for 0 bytes either. */
void *allocate(size_t bytes);

/*
 * Room for one more item in a growing array: returns the array, moved if it was full, with
 * *capacity up to date. `count` items of `item_bytes` each are in use; NULL and 0 start an array.
 */
void *grow(void *items, int count, int *capacity, size_t item_bytes);

#ifdef __cplusplus
}
#endif

#endif
