#include "allocate.h"
#include "die.h"

#include <stdlib.h>

static void *or_die(void *memory, size_t bytes)
{
    if (!memory)
        die_bad_input("out of memory: %zu bytes were asked for", bytes);
    return memory;
}

void *allocate(size_t bytes)
{
    return or_die(malloc(bytes ? bytes : 1), bytes);
}

void *grow(void *items, int count, int *capacity, size_t item_bytes)
{
    if (count < *capacity)
        return items;
    *capacity = *capacity ? 2 * *capacity : 16;
    size_t bytes = (size_t)*capacity * item_bytes;
    return or_die(realloc(items, bytes), bytes);
}
