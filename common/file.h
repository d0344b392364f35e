/*
 * file.h - files that are read whole and files that appear whole.
 *
 * A new file is written beside its place, under a temporary name that holds the process id, and
 * renamed when it is complete: a reader sees the old file or the new one, never half of either.
 *
 *     file_draft draft;
 *     if (file_create(&draft, path, error) != 0) return -1;
 *     fprintf(draft.stream, ...);               (write errors may be left to file_commit)
 *     return file_commit(&draft, error);        (or file_abandon(&draft))
 *
 * Every error is one line without a newline, `PATH: what is wrong`, in a buffer of FILE_ERROR_SIZE
 * bytes that the caller owns.
 */
#ifndef COMMON_FILE_H
#define COMMON_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { FILE_ERROR_SIZE = 256 }; /* bytes that an error message needs at most */

/* Such a buffer as a parameter; C, not C++, sees one that is too short. */
#ifdef __cplusplus
#define FILE_ERROR(name) char *name
#else
#define FILE_ERROR(name) char name[static FILE_ERROR_SIZE]
#endif

typedef struct file_draft {
    FILE *stream;
    char *path, *temporary;
} file_draft;

/*
 * Opens a draft of path for writing. What is there stays until the commit, which replaces it (a
 * symbolic link too, not what it points to); only a regular file may be. Returns 0, or -1 with
 * error set and the draft empty.
 */
int file_create(file_draft *draft, const char *path, FILE_ERROR(error));

/*
 * Closes the draft and gives it its name. Returns 0; or -1 with error set where anything was lost:
 * the draft is then removed, and an older file untouched. The draft is empty afterwards.
 */
int file_commit(file_draft *draft, FILE_ERROR(error));

/* Closes and removes the draft; an empty draft is fine. */
void file_abandon(file_draft *draft);

/* Tells a wrong path before the work is done, not after it. Returns 0, or -1 with error set. */
int file_check_writable(const char *path, FILE_ERROR(error));

/* Makes the folders that path lies in where they are missing. Returns 0, or -1 with error set. */
int file_make_folders(const char *path, FILE_ERROR(error));

/*
 * For changes that read a file first: waits until no other process holds the folder of path, and
 * holds it until file_unlock(), which takes what is returned; -1 where there are no locks.
 */
int file_lock(const char *path);
void file_unlock(int lock);

/*
 * Reads a regular file whole into *bytes (free() releases it; never NULL on success) and its length
 * into *size. Returns 0, or -1 with error set and nothing to release.
 */
int file_read(const char *path, uint8_t **bytes, size_t *size, FILE_ERROR(error));

/*
 * Writes `PATH: message` to error, as printf would; a long path keeps its end and a control
 * character becomes '?', so that the line stays one line and its message whole. Returns -1, so that
 * a caller can return it in turn.
 */
__attribute__((format(printf, 3, 4))) int file_error(FILE_ERROR(error), const char *path,
                                                     const char *format, ...);

#ifdef __cplusplus
}
#endif

#endif
