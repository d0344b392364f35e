#define _POSIX_C_SOURCE 200809L

#include "file.h"
#include "process/die.h"

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

/* Names of files that are to go when the program ends in between, or NULL. */
static char *unfinished; /* the draft that is open */
static char *locked;     /* the lock that is held */

static void remove_both(void)
{
    if (unfinished)
        unlink(unfinished);
    if (locked)
        unlink(locked);
}

static void remove_at_exit(void)
{
    static bool is_set;
    if (!is_set)
        is_set = atexit(remove_both) == 0;
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
    struct stat status;
    size_t size = strlen(path) + sizeof SUFFIX;
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode))
        die_bad_file(path, "cannot create: %s of that name exists; give a file name",
                     S_ISDIR(status.st_mode) ? "a directory" : "something else than a file");
    remove_at_exit();
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

/* Opens the lock's file and waits until nobody else holds it. */
static int hold(const char *name)
{
    int descriptor = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    while (descriptor < 0 || flock(descriptor, LOCK_EX) != 0)
        if (descriptor < 0 || errno != EINTR)
            die_bad_file(name, "cannot lock: %s; results need a file system with locks",
                         strerror(errno));
    return descriptor;
}

/* Whoever held it before has removed it. */
static bool is_removed(int descriptor, const char *name)
{
    struct stat held, there;
    return fstat(descriptor, &held) != 0 || stat(name, &there) != 0 ||
           held.st_ino != there.st_ino || held.st_dev != there.st_dev;
}

file_lock file_lock_take(const char *path)
{
    const char *slash = strrchr(path, '/');
    int folder = slash ? (int)(slash - path) + 1 : 0;
    size_t size = strlen(path) + sizeof "..lock";
    file_lock lock = {.name = allocate(size)};
    snprintf(lock.name, size, "%.*s.%s.lock", folder, path, path + folder);
    while (is_removed(lock.descriptor = hold(lock.name), lock.name))
        close(lock.descriptor);
    remove_at_exit();
    locked = lock.name;
    return lock;
}

void file_lock_release(file_lock *lock)
{
    unlink(lock->name);
    close(lock->descriptor);
    locked = NULL;
    free(lock->name);
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
