/*
 * die.h - how a program gives up, with one line on stderr; and memory that is there, or it does.
 */
#ifndef COMMON_DIE_H
#define COMMON_DIE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Exit statuses, the same in every program of the suite. */
enum {
    EXIT_WRONG_RESULT = 1, /* a check failed; the rows say which */
    EXIT_BAD_INPUT = 2,    /* the command line or an input file */
    EXIT_CUDA_ERROR = 3,
    EXIT_INTERRUPTED = 130 /* Ctrl-C, as a shell reports it */
};

/* At the start: names the program in messages; of argv[0] only the last part is kept. */
void die_set_program(const char *argv0);

/* The program's name as messages give it. */
const char *die_program(void);

/* `program: message` on stderr, then exit 2: what was wrong and what is legal, in one line. */
__attribute__((noreturn, format(printf, 1, 2))) void die_bad_input(const char *format, ...);

/*
 * What a program that gives up does first, such as to write what it has finished: once, then
 * nothing is left to be done. NULL: nothing.
 */
void die_after(void (*last_work)(void));

/* malloc that never returns NULL, not for 0 bytes either: a size too large is bad input. */
void *allocate(size_t bytes);

/*
 * Room for one more item in a growing array: returns the array, moved if it was full, with
 * *capacity up to date. `count` items of `item_bytes` each are in use; NULL and 0 start an array.
 */
void *grow(void *items, int count, int *capacity, size_t item_bytes);

#ifdef __cplusplus
}
#endif

#endif
