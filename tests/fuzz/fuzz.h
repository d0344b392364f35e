/*
 * fuzz.h - what the targets of `make test-fuzz` share: each is a program, NAME.c with fuzz.c, whose
 * folder NAME/ has a folder of first inputs for each run of it.
 */
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include <stdio.h>
#include <stdlib.h>

/* Reads the file of this name. It may end the program with exit status 2, but nothing else. */
void fuzz(const char *path);

/* What must hold of whatever was read. */
#define DEMAND(condition)                                                                          \
    ((condition) ? (void)0 : (fprintf(stderr, "not so: %s\n", #condition), abort()))

#endif
