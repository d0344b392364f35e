/*
 * resources.h - what the compiler gave a kernel, as `make resources` has it from nvcc.
 *
 * The file is a CSV with a heading; of its columns lab, symbol, architecture, registers,
 * shared_bytes, local_bytes and constant_bytes are read, in whatever order. A kernel is known by
 * its symbol, the mangled name, which nvcc and g++ form alike.
 */
#ifndef COMMON_RESOURCES_H
#define COMMON_RESOURCES_H

#include "file.h"

typedef struct kernel_figures {
    int registers;         /* per thread */
    int shared_bytes;      /* per block, what the kernel declares: without dynamic shared memory */
    int local_bytes;       /* per thread: spills and arrays indexed at run time */
    int constant_bytes;    /* that the kernel's module declares */
    char architecture[16]; /* that it was compiled for, "sm_90a" */
} kernel_figures;

typedef struct kernel_entry {
    char lab[64], symbol[256];
    kernel_figures figures;
} kernel_entry;

typedef struct resource_list {
    kernel_entry *items;
    int count, capacity;
} resource_list;

/*
 * Returns 0, or -1 with a line in error if the file cannot be read or is none of
 * these. resources_free() releases the list.
 */
int resources_read(resource_list *list, const char *path, FILE_ERROR(error));
void resources_free(resource_list *list);

/* The figures of a lab's kernel, given its symbol; NULL where the list has none of it. */
const kernel_figures *resources_find(const resource_list *list, const char *lab,
                                     const char *symbol);

#endif
