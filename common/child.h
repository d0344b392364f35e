/*
 * child.h - work that may crash or never end, in a process of its own.
 */
#ifndef COMMON_CHILD_H
#define COMMON_CHILD_H

#include "result.h"

#include <stddef.h>
#include <stdio.h>

/* Memory, all zeros, in which each reads what the other has written; what a child writes anywhere
 * else is lost. */
void *child_memory(size_t bytes);
void child_memory_free(void *memory, size_t bytes);

/*
 * Runs work(context) in a child, whose stdout goes to `out`. The reason is what ended it, for where
 * that was not the work's end. Ctrl-C and SIGTERM end it at once. Of an exit() in it with a status
 * but 0 the program ends.
 */
void child_run(void (*work)(void *context), void *context, FILE *out, char reason[RESULT_TEXT]);

#endif
