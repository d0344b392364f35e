#include "die.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *program = "gpgpu-lab";

void die_set_program(const char *argv0)
{
    const char *slash = strrchr(argv0, '/');
    program = slash ? slash + 1 : argv0;
}

const char *die_program(void)
{
    return program;
}

void die_bad_input(const char *format, ...)
{
    char line[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    for (char *c = line; *c;
         c++) /* what the user wrote may hold line breaks; one line is promised */
        if ((unsigned char)*c < 0x20 || *c == 0x7F)
            *c = '?';
    fprintf(stderr, "%s: %s\n", program, line);
    exit(EXIT_BAD_INPUT);
}

void *allocate(unsigned long long bytes)
{
    void *memory = bytes <= SIZE_MAX ? malloc(bytes ? (size_t)bytes : 1) : NULL;
    if (!memory)
        die_bad_input("out of memory: %llu bytes were asked for", bytes);
    return memory;
}

void *grow(void *items, int count, int *capacity, unsigned long long item_bytes)
{
    if (count < *capacity)
        return items;
    *capacity = *capacity ? 2 * *capacity : 16;
    void *larger = allocate((unsigned long long)*capacity * item_bytes);
    if (count)
        memcpy(larger, items, (size_t)count * (size_t)item_bytes);
    free(items);
    return larger;
}
