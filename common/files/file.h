/*
 * file.h - files that are read whole and files that appear whole.
 *
 * A new file is written beside its place, under a temporary name of its own, and renamed when it is
 * complete: a reader sees the old file or the new one, never half of either.
 *
 *     file_draft draft = file_create(path);
 *     fprintf(draft.stream, ...);               (write errors may be left to file_commit)
 *     file_commit(&draft);
 *
 * Whatever fails ends the program with die_bad_file(). A draft that is not committed when the
 * program exits is removed; there is one at a time. What a killed program left is removed when the
 * same file is written an hour later or more.
 */
#ifndef COMMON_FILE_H
#define COMMON_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct file_draft {
    FILE *stream;
    char *path, *temporary;
} file_draft;

/* die_bad_input() with `PATH: message`; a long path keeps its end. */
__attribute__((noreturn, format(printf, 2, 3))) void die_bad_file(const char *path,
                                                                  const char *format, ...);

/*
 * Opens a draft of path for writing. What is there stays until the commit, which replaces it (a
 * symbolic link too, not what it points to); only a regular file may be.
 */
file_draft file_create(const char *path);

/* Closes the draft and gives it its name; where anything was lost, an older file is untouched. */
void file_commit(file_draft *draft);

/* Tells a wrong path before the work is done, not after it. */
void file_check_writable(const char *path);

/* Makes the folders that path lies in where they are missing. */
void file_make_folders(const char *path);

/*
 * For changes that read a file first: waits until no other process holds path, and holds it until
 * the release. What is locked is a file beside it, .NAME.lock, which goes with the lock: NFS tells
 * other nodes of locks on files that can be written, of none on folders. It is one at a time, and
 * goes where the program exits. Where there are no locks that is the end: rows would be lost.
 */
typedef struct file_lock {
    char *name;
    int descriptor;
} file_lock;

file_lock file_lock_take(const char *path);
void file_lock_release(file_lock *lock);

/*
 * Reads a regular file whole; returns its bytes, which the caller frees, with a 0 behind them, and
 * sets their number.
 */
uint8_t *file_read(const char *path, size_t *size);

#ifdef __cplusplus
}
#endif

#endif
