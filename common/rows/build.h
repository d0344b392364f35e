/*
 * build.h - what this program was built with, as rows and run.json tell it.
 */
#ifndef COMMON_BUILD_H
#define COMMON_BUILD_H

#include <stdbool.h>

typedef struct build {
    const char *compiler, *flags, *commit;
    bool checks; /* instrumented (CHECK=race, asan or lens): its rows are no results */
    bool counts; /* CHECK=lens: some blocks of a kernel run, and nothing is right */
} build;

extern const build this_build;

#endif
