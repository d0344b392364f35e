/*
 * build.h - what this program was built with, as rows and run.json tell it.
 */
#ifndef COMMON_BUILD_H
#define COMMON_BUILD_H

#include <stdbool.h>

typedef struct build {
    const char *compiler, *flags, *commit;
    const char *key;    /* that seals its rows (seal.h), or "" */
    const char *source; /* a sum of the lab's sources; NULL in a program of no lab */
    bool checks;        /* instrumented (CHECK=race, asan or lens): its rows are no results */
    bool counts;        /* CHECK=lens: some blocks of a kernel run, and nothing is right */
} build;

extern const build this_build;

#endif
