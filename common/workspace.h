/*
 * workspace.h - device memory beside a problem's buffers that the cases of a size share: one
 * workspace, since runs follow one another and it holds nothing between them, and the derived
 * copies of the inputs, one for each set of buffers and each way to derive them.
 */
#ifndef COMMON_WORKSPACE_H
#define COMMON_WORKSPACE_H

#include "buffers.h"
#include "variant.h"

/* The copies that variants with the same derive() share. */
typedef struct derived_copies {
    const variant *of;
    device_memory memory[SETS_MAX];
} derived_copies;

typedef struct workspace {
    device_memory memory;
    derived_copies *copies;
    int n_copies, capacity;
} workspace;

/* What a variant needs of it, in bytes. */
size_t workspace_need(const variant *v, const problem *p);

/* Allocates the largest of the needs that the device has room for. {0} where there is none. */
workspace workspace_create(const size_t *needs, int count);
void workspace_free(workspace *w);

/*
 * The variant's derived copies for a set of buffers, filled unless each run fills them: NULL where
 * it has none or the device has no room, which `fits` tells.
 */
void *workspace_derived(workspace *w, const runner *r, const device_sets *sets, int set,
                        bool *fits);

#endif
