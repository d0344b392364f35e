#define _POSIX_C_SOURCE 200809L /* mkstemp, sigaction */

#include "file_times.h"
#include "host.h"
#include "statistics.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { TIMES = 3, PATH_SIZE = 4096 };

static size_t bytes_of(const problem *p, buffer_role role)
{
    size_t bytes = 0;
    for (int i = 0; i < p->buffers; i++)
        if (p->buffer[i].role == role)
            bytes += p->buffer[i].bytes;
    return bytes;
}

/* ---- a file without a name ------------------------------------------------------------------ */

static const char *folder(void)
{
    const char *name = getenv("TMPDIR");
    return name && *name ? name : "/tmp";
}

/* NULL where there is none. No signal comes between the file's making and the loss of its name. */
static FILE *open_nameless(void)
{
    char path[PATH_SIZE];
    sigset_t all, before;
    if (snprintf(path, sizeof path, "%s/times.XXXXXX", folder()) >= (int)sizeof path)
        return NULL;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    int descriptor = mkstemp(path);
    if (descriptor >= 0)
        unlink(path);
    sigprocmask(SIG_SETMASK, &before, NULL);
    FILE *file = descriptor >= 0 ? fdopen(descriptor, "w+b") : NULL;
    if (file)
        setvbuf(file, NULL, _IONBF, 0); /* a buffer is moved by one call, not by many small ones */
    return file;
}

/* No disk is filled to the brim for this. */
static bool has_room(size_t bytes)
{
    struct statvfs disk;
    return bytes <= FILE_TIMES_MAX_BYTES && statvfs(folder(), &disk) == 0 &&
           (double)disk.f_bavail * (double)disk.f_frsize > 2.0 * (double)bytes;
}

/* ---- moving ---------------------------------------------------------------------------------- */

static bool move_buffer(FILE *file, const lab_buffer *b, bool reading)
{
    if (reading)
        return fread(b->host, 1, b->bytes, file) == b->bytes;
    return fwrite(b->host, 1, b->bytes, file) == b->bytes;
}

/* From the file's start, all buffers of a role. Returns seconds, or NaN where it failed. */
static double move(FILE *file, const problem *p, buffer_role role, bool reading)
{
    bool moved = file && fseek(file, 0, SEEK_SET) == 0;
    double start = host_seconds();
    for (int i = 0; i < p->buffers && moved; i++)
        if (p->buffer[i].role == role)
            moved = move_buffer(file, &p->buffer[i], reading);
    return moved ? host_seconds() - start : NAN;
}

static void close_file(FILE *file)
{
    if (file)
        fclose(file);
}

/* The median; NaN if one of them was. */
static double median(const double seconds[TIMES])
{
    for (int i = 0; i < TIMES; i++)
        if (isnan(seconds[i]))
            return NAN;
    return summarise(seconds, TIMES).median;
}

/* ---- the two times --------------------------------------------------------------------------- */

/* What was just written lies in the page cache; a first reading that is not timed makes sure. */
static double time_reading(const problem *p)
{
    double seconds[TIMES];
    FILE *file = open_nameless();
    bool there =
        !isnan(move(file, p, BUFFER_INPUT, false)) && !isnan(move(file, p, BUFFER_INPUT, true));
    for (int i = 0; i < TIMES; i++)
        seconds[i] = there ? move(file, p, BUFFER_INPUT, true) : NAN;
    close_file(file);
    return median(seconds);
}

/* Each time into a new file, as a program would. */
static double time_writing(const problem *p)
{
    double seconds[TIMES];
    for (int i = 0; i < TIMES; i++) {
        FILE *file = open_nameless();
        seconds[i] = move(file, p, BUFFER_OUTPUT, false);
        close_file(file);
    }
    return median(seconds);
}

file_times file_times_measure(const problem *p)
{
    file_times times = {NAN, NAN};
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
    if (!has_room(bytes_of(p, BUFFER_INPUT)) || !has_room(bytes_of(p, BUFFER_OUTPUT)))
        return times;
    problem_poison_host(p);
    sigaction(SIGXFSZ, &ignore, &before); /* a file over `ulimit -f` is an error, not the end */
    times.read_s = time_reading(p);
    times.write_s = isnan(times.read_s) ? NAN : time_writing(p);
    sigaction(SIGXFSZ, &before, NULL);
    if (isnan(times.write_s))
        times.read_s = NAN;
    return times;
}
