#include "workspace.h"
#include "die.h"

#include <stdlib.h>
#include <string.h>

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

workspace workspace_create(const size_t *needs, int count)
{
    workspace w = {.copies = NULL};
    size_t bytes = largest_below(needs, count, SIZE_MAX);
    while (bytes > 0 && !device_memory_create(&w.memory, bytes))
        bytes = largest_below(needs, count, bytes);
    return w;
}

void workspace_free(workspace *w)
{
    device_memory_free(&w->memory);
    for (int i = 0; i < w->n_copies; i++)
        for (int set = 0; set < SETS_MAX; set++)
            device_memory_free(&w->copies[i].memory[set]);
    free(w->copies);
    memset(w, 0, sizeof *w);
}

static derived_copies *copies_of(workspace *w, const variant *v)
{
    for (int i = 0; i < w->n_copies; i++)
        if (w->copies[i].of->derive == v->derive &&
            w->copies[i].of->derived_bytes == v->derived_bytes)
            return &w->copies[i];
    w->copies = grow(w->copies, w->n_copies, &w->capacity, sizeof *w->copies);
    w->copies[w->n_copies] = (derived_copies){.of = v};
    return &w->copies[w->n_copies++];
}

/* Fills a set's copies, once and for all variants that share them. */
static void fill(const runner *r, const device_sets *sets, int set, void *derived)
{
    binding b = {.derived = derived};
    device_sets_buffers(sets, set, b.buffer);
    runner_derive(r, &b);
    CUDA_CHECK(cudaStreamSynchronize(r->launch.stream));
}

void *workspace_derived(workspace *w, const runner *r, const device_sets *sets, int set, bool *fits)
{
    const variant *v = r->variant;
    *fits = true;
    if (!v->derived_bytes || !v->derive)
        return NULL;
    device_memory *memory = &copies_of(w, v)->memory[set];
    if (!memory->base) {
        *fits = device_memory_create(memory, v->derived_bytes(r->problem));
        if (*fits)
            fill(r, sets, set, device_memory_start(memory));
    }
    return device_memory_start(memory);
}
