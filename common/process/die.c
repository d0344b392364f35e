#define _POSIX_C_SOURCE 200809L /* SIGXFSZ, sleep */

#include "die.h"
#include "ranks.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *program = "gpgpu-lab";

void die_set_program(const char *argv0)
{
    const char *slash = strrchr(argv0, '/');
    program = slash ? slash + 1 : argv0;
    signal(SIGXFSZ, SIG_IGN); /* a file over `ulimit -f` is an error, not the end */
}

const char *die_program(void)
{
    return program;
}

static void (*last_work)(void);

void die_after(void (*work)(void))
{
    last_work = work;
}

void die_bad_input(const char *format, ...)
{
    char line[1024];
    void (*work)(void) = last_work;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    last_work = NULL;
    if (work)
        work();
    for (char *c = line; *c; c++) /* one line is promised, and words of the user may hold breaks */
        if ((unsigned char)*c < 0x20 || *c == 0x7F)
            *c = '?';
    if (ranks_now().rank > 0)
        sleep(2); /* what all find wrong rank 0 says for all, and the others end with it */
    fprintf(stderr, "%s: %s\n", program, line);
    ranks_exit(EXIT_BAD_INPUT);
}

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
