/*
 * store.h - the rows of a lab on disk, where runs meet.
 *
 * A run replaces the rows of the cases that it measured and keeps all others: other variants,
 * sizes, blocks, parameters, caches, machines. A row takes the place of the one before; a new one
 * goes to the end. What was not measured takes no time away from a row that has one: neither does a
 * check that passes, nor a skip, whatever its reason. Each save reads the file again, under a lock
 * (file_lock), and replaces it as a whole, so that runs at the same time lose no row of each
 * other's.
 */
#ifndef COMMON_STORE_H
#define COMMON_STORE_H

#include "lab.h"
#include "result.h"

/* The rows that this run has put. */
typedef struct store_counts {
    int rows, emulated, wrong, failed;
} store_counts;

typedef struct store {
    const char *path;  /* of the CSV file; NULL: the rows are in memory alone */
    bool fresh;        /* the next save drops what the file has held so far */
    result_table rows; /* as of the last save, of this run and those before */
    char date[32];     /* of store_open; every row that is put gets it, and the build's commit */
    store_counts counts;
} store;

/*
 * Exit 2 if the file cannot be written, or is no results file and not to be dropped. One that has
 * several rows of a case is written anew, with the last of them; a line on stderr says so.
 */
store store_open(const char *path, bool fresh);

/* Has this run put the row, which is one of the store's or NULL? */
bool store_is_own(const store *s, const result *row);

/*
 * Is the case's row in the store, and right, with a time if it is to be `timed` and not emulated?
 * What was skipped is not finished: another build, option or hour may run it.
 */
bool store_is_finished(const store *s, const result *like, bool timed);

/* Puts the rows in and saves the file; exit 2 if that fails. */
void store_put(store *s, const result *rows, int count);

/*
 * Drops the machine's rows of variants that the lab no longer has, and says so on stderr. Those
 * that this build lacks the library for it has.
 */
void store_drop_unlisted(store *s, const lab *definition, const char *machine);

void store_free(store *s);

#endif
