#define _POSIX_C_SOURCE 200809L

#include "file.h"
#include "die.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    PATH_SHOWN = 100,      /* bytes of a path that an error message shows at most */
    TEMPORARY_SUFFIX = 64, /* room for ".tmp-<pid>-<attempt>" */
    TEMPORARY_ATTEMPTS = 100
};

int file_error(FILE_ERROR(error), const char *path, const char *format, ...)
{
    va_list arguments;
    size_t length = strlen(path);
    int used = length <= PATH_SHOWN
                   ? snprintf(error, FILE_ERROR_SIZE, "%s: ", path)
                   : snprintf(error, FILE_ERROR_SIZE, "...%s: ", path + length - PATH_SHOWN);
    va_start(arguments, format);
    vsnprintf(error + used, (size_t)(FILE_ERROR_SIZE - used), format, arguments);
    va_end(arguments);
    for (char *c = error; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 127)
            *c = '?';
    return -1;
}

/*
 * Opens a temporary file that nobody else has. The process id keeps processes of one machine apart;
 * O_EXCL and a few attempts keep apart what it cannot: machines that share a disk, threads, and
 * leftovers of a process that was killed. Unlike mkstemp, open() honours the umask.
 */
static int open_temporary(const char *path, char *temporary, size_t size)
{
    int descriptor = -1;
    for (int attempt = 0; descriptor < 0 && attempt < TEMPORARY_ATTEMPTS; attempt++) {
        snprintf(temporary, size, "%s.tmp-%ld-%d", path, (long)getpid(), attempt);
        descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor < 0 && errno != EEXIST)
            break;
    }
    return descriptor;
}

static void empty_draft(file_draft *draft)
{
    free(draft->path);
    free(draft->temporary);
    memset(draft, 0, sizeof *draft);
}

int file_create(file_draft *draft, const char *path, FILE_ERROR(error))
{
    struct stat status;
    size_t length = strlen(path), size = length + TEMPORARY_SUFFIX;
    memset(draft, 0, sizeof *draft);
    if (length == 0)
        return file_error(error, path, "cannot create: the file name is empty");
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode))
        return file_error(error, path, "cannot create: %s of that name exists; give a file name",
                          S_ISDIR(status.st_mode) ? "a directory" : "something else than a file");
    draft->path = allocate(length + 1);
    draft->temporary = allocate(size);
    memcpy(draft->path, path, length + 1);
    int descriptor = open_temporary(path, draft->temporary, size);
    if (descriptor >= 0 && !(draft->stream = fdopen(descriptor, "wb"))) {
        close(descriptor);
        unlink(draft->temporary);
    }
    if (!draft->stream) {
        int reason = errno;
        empty_draft(draft);
        return file_error(error, path, "cannot create: %s", strerror(reason));
    }
    return 0;
}

int file_commit(file_draft *draft, FILE_ERROR(error))
{
    /* An earlier failed write left its mark on the stream, but its errno is gone. */
    int lost = ferror(draft->stream) != 0;
    int reason = 0, result = 0;
    if (fclose(draft->stream) != 0)
        reason = errno;
    draft->stream = NULL;
    if (!lost && reason == 0 && rename(draft->temporary, draft->path) != 0)
        reason = errno;
    if (lost || reason != 0) {
        result = file_error(error, draft->path, "cannot write: %s",
                            reason ? strerror(reason) : "some of it was lost; is the disk full?");
        unlink(draft->temporary);
    }
    empty_draft(draft);
    return result;
}

void file_abandon(file_draft *draft)
{
    if (draft->stream) {
        fclose(draft->stream);
        unlink(draft->temporary);
    }
    empty_draft(draft);
}

int file_check_writable(const char *path, FILE_ERROR(error))
{
    file_draft draft;
    if (file_create(&draft, path, error) != 0)
        return -1;
    file_abandon(&draft);
    return 0;
}

int file_make_folders(const char *path, FILE_ERROR(error))
{
    char folder[4096];
    if (strlen(path) >= sizeof folder)
        return file_error(error, path, "the file name is too long");
    for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path);
        if (mkdir(folder, 0777) != 0 && errno != EEXIST)
            return file_error(error, folder, "cannot make the folder: %s", strerror(errno));
    }
    return 0;
}

static int lock_at(const char *path, int flags)
{
    int descriptor = open(path, flags | O_CLOEXEC, 0666), status = -1;
    if (descriptor < 0)
        return -1;
    do
        status = flock(descriptor, LOCK_EX);
    while (status != 0 && errno == EINTR);
    if (status == 0)
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

int file_read(const char *path, uint8_t **bytes, size_t *size, FILE_ERROR(error))
{
    struct stat status;
    *bytes = NULL;
    *size = 0;
    /* Asked before opening: to open a pipe would wait for its writer. */
    if (stat(path, &status) != 0)
        return file_error(error, path, "cannot open: %s", strerror(errno));
    if (!S_ISREG(status.st_mode))
        return file_error(error, path, "is %s; give the name of a file",
                          S_ISDIR(status.st_mode) ? "a directory" : "not a regular file");
    FILE *stream = fopen(path, "rb");
    if (!stream)
        return file_error(error, path, "cannot open: %s", strerror(errno));
    size_t wanted = (size_t)status.st_size;
    uint8_t *content = malloc(wanted + 1); /* + 1: malloc(0) may be NULL */
    size_t got = content ? fread(content, 1, wanted, stream) : 0;
    int failed = ferror(stream) ? errno : 0;
    fclose(stream);
    if (!content)
        return file_error(error, path, "out of memory: %zu bytes to read", wanted);
    if (failed) {
        free(content);
        return file_error(error, path, "cannot read: %s", strerror(failed));
    }
    *bytes = content;
    *size = got;
    return 0;
}
