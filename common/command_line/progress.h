/*
 * progress.h - what a long run tells on stderr: what runs, how far it is, the time left; and
 * Ctrl-C, of which the first one lets the case in progress end and a second one stops at once.
 */
#ifndef COMMON_PROGRESS_H
#define COMMON_PROGRESS_H

#include <stdbool.h>

typedef struct progress {
    const char *step, *title; /* "lab 3 of 8" or NULL; the program */
    double total, done;       /* work units, in any unit that time is roughly proportional to */
    double start, last_shown; /* host_seconds() */
    double interval;          /* seconds between two lines */
    bool terminal, line_open;
} progress;

/*
 * On a terminal one line that rewrites itself; elsewhere a plain line every few seconds. Catches
 * SIGINT and SIGTERM from now on.
 */
progress progress_start(const char *step, const char *title, double total_work);

/* Shows what runs now, also to the first Ctrl-C; `work` units were finished since the last call. */
void progress_show(progress *p, double work, const char *what);

/* What runs until the next call ends with the first Ctrl-C, too, which waits for nothing. */
void progress_ends_at_once(void);

/* Clears the line, so that other output can go where it was. */
void progress_clear(progress *p);

bool interrupted(void);

#endif
