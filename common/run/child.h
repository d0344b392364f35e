/*
 * child.h - work that may crash or never end, in a process of its own.
 */
#ifndef COMMON_CHILD_H
#define COMMON_CHILD_H

#include "rows/result.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Memory, all zeros, in which each reads what the other has written; what a child writes anywhere
 * else is lost. */
void *child_memory(size_t bytes);
void child_memory_free(void *memory, size_t bytes);

/*
 * Runs work(context) in a child, whose stdout goes to `out`. Did it end by itself? Else the reason
 * tells what ended it; so it does where somebody called exit(0). Ctrl-C and SIGTERM end it at once.
 * If it exits with another status, so does the program.
 */
bool child_run(void (*work)(void *context), void *context, FILE *out, char reason[RESULT_TEXT]);

#endif
