/*
 * build.h - what this program was built with, as rows and run.json tell it.
 */
#ifndef COMMON_BUILD_H
#define COMMON_BUILD_H

#include <stdbool.h>

typedef struct build {
    const char *compiler, *flags, *commit;
    bool checks; /* instrumented (CHECK=race, CHECK=asan): its rows are no results */
} build;

extern const build this_build;

#endif
