#define _POSIX_C_SOURCE 200809L

#include "file.h"
#include "die.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { PATH_SHOWN = 100 }; /* bytes of a path that a message shows at most */

void die_bad_file(const char *path, const char *format, ...)
{
    char message[512];
    size_t length = strlen(path), hidden = length > PATH_SHOWN ? length - PATH_SHOWN : 0;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    die_bad_input("%s%s: %s", hidden ? "..." : "", path + hidden, message);
}

/* ---- drafts --------------------------------------------------------------------------------- */

#define SUFFIX ".tmp-XXXXXX" /* as mkstemp() wants it */

static char *unfinished; /* the temporary name of the draft that is open, or NULL */

static void remove_unfinished(void)
{
    if (unfinished)
        unlink(unfinished);
}

/* A draft that is older than any program writes on one: who began it was killed. */
static void remove_abandoned(const char *path)
{
    glob_t drafts;
    struct stat status;
    char pattern[4096];
    snprintf(pattern, sizeof pattern, "%s.tmp-??????", path);
    int found = glob(pattern, GLOB_NOSORT, NULL, &drafts);
    for (size_t i = 0; found == 0 && i < drafts.gl_pathc; i++)
        if (stat(drafts.gl_pathv[i], &status) == 0 && status.st_mtime < time(NULL) - 3600)
            unlink(drafts.gl_pathv[i]);
    globfree(&drafts);
}

/* Opens a temporary file that nobody else has, with the permissions that open() would give. */
static int open_temporary(char *name)
{
    mode_t mask = umask(0);
    umask(mask);
    int descriptor = mkstemp(name);
    if (descriptor >= 0)
        fchmod(descriptor, 0666 & ~mask);
    return descriptor;
}

file_draft file_create(const char *path)
{
    static bool removes_at_exit;
    struct stat status;
    size_t size = strlen(path) + sizeof SUFFIX;
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode))
        die_bad_file(path, "cannot create: %s of that name exists; give a file name",
                     S_ISDIR(status.st_mode) ? "a directory" : "something else than a file");
    if (!removes_at_exit)
        removes_at_exit = atexit(remove_unfinished) == 0;
    file_draft draft = {.path = allocate(size), .temporary = allocate(size)};
    strcpy(draft.path, path);
    snprintf(draft.temporary, size, "%s" SUFFIX, path);
    remove_abandoned(path);
    int descriptor = open_temporary(draft.temporary);
    unfinished = descriptor >= 0 ? draft.temporary : NULL;
    draft.stream = descriptor >= 0 ? fdopen(descriptor, "wb") : NULL;
    if (!draft.stream)
        die_bad_file(path, "cannot create: %s", strerror(errno));
    return draft;
}

static void release(file_draft *draft)
{
    unfinished = NULL;
    free(draft->path);
    free(draft->temporary);
}

void file_commit(file_draft *draft)
{
    /* An earlier failed write left its mark on the stream, but its errno is gone. */
    if (ferror(draft->stream))
        die_bad_file(draft->path, "cannot write: some of it was lost; is the disk full?");
    if (fclose(draft->stream) != 0 || rename(draft->temporary, draft->path) != 0)
        die_bad_file(draft->path, "cannot write: %s", strerror(errno));
    release(draft);
}

void file_check_writable(const char *path)
{
    file_draft draft = file_create(path);
    fclose(draft.stream);
    unlink(draft.temporary);
    release(&draft);
}

/* ---- folders and locks ---------------------------------------------------------------------- */

void file_make_folders(const char *path)
{
    char folder[4096];
    if (strlen(path) >= sizeof folder)
        die_bad_file(path, "the file name is too long");
    for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path);
        if (mkdir(folder, 0777) != 0 && errno != EEXIST)
            die_bad_file(folder, "cannot make the folder: %s", strerror(errno));
    }
}

static int lock_at(const char *path, int flags)
{
    int descriptor = open(path, flags | O_CLOEXEC, 0666);
    if (descriptor < 0 || flock(descriptor, LOCK_EX) == 0)
        return descriptor;
    close(descriptor);
    return -1;
}

int file_lock(const char *path)
{
    char name[4096];
    const char *slash = strrchr(path, '/');
    int folder = slash ? (int)(slash - path) + 1 : 0;
    snprintf(name, sizeof name, "%.*s.", folder, path);
    int lock = lock_at(name, O_RDONLY);
    if (lock >= 0)
        return lock;
    snprintf(name, sizeof name, "%.*s.lock", folder, path); /* NFS locks what can be written */
    return lock_at(name, O_RDWR | O_CREAT);
}

void file_unlock(int lock)
{
    if (lock >= 0)
        close(lock);
}

/* ---- reading -------------------------------------------------------------------------------- */

uint8_t *file_read(const char *path, size_t *size)
{
    struct stat status;
    /* Asked before opening: to open a pipe would wait for its writer. */
    if (stat(path, &status) != 0)
        die_bad_file(path, "cannot open: %s", strerror(errno));
    if (!S_ISREG(status.st_mode))
        die_bad_file(path, "is %s; give the name of a file",
                     S_ISDIR(status.st_mode) ? "a directory" : "not a regular file");
    FILE *stream = fopen(path, "rb");
    if (!stream)
        die_bad_file(path, "cannot open: %s", strerror(errno));
    uint8_t *bytes = allocate((size_t)status.st_size + 1);
    *size = fread(bytes, 1, (size_t)status.st_size, stream);
    if (ferror(stream))
        die_bad_file(path, "cannot read: %s", strerror(errno));
    fclose(stream);
    bytes[*size] = 0;
    return bytes;
}
