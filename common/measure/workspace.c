#include "workspace.h"

size_t workspace_need(const variant *v, const problem *p)
{
    return v->run && v->workspace_bytes ? v->workspace_bytes(p) : 0;
}

size_t workspace_part(size_t bytes)
{
    enum { ALIGNMENT = 256 }; /* what cudaMalloc promises */
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* The largest need below a limit; 0 where there is none. */
static size_t largest_below(const size_t *needs, int count, size_t limit)
{
    size_t largest = 0;
    for (int i = 0; i < count; i++)
        if (needs[i] < limit && needs[i] > largest)
            largest = needs[i];
    return largest;
}

device_memory workspace_create(const size_t *needs, int count)
{
    device_memory memory = {NULL};
    size_t bytes = largest_below(needs, count, SIZE_MAX);
    while (bytes > 0 && !device_memory_create(&memory, bytes))
        bytes = largest_below(needs, count, bytes);
    return memory;
}
