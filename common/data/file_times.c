#define _POSIX_C_SOURCE 200809L /* mkstemp */

#include "file_times.h"
#include "machine/host.h"
#include "measure/statistics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
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

/* A new file that is gone when it is closed; -1 where there can be none. */
static int open_nameless(void)
{
    char path[PATH_SIZE];
    const char *folder = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/times.XXXXXX", folder && *folder ? folder : "/tmp");
    int file = mkstemp(path);
    if (file >= 0)
        unlink(path);
    return file;
}

static bool move_buffer(int file, const lab_buffer *b, bool reading)
{
    ssize_t moved = reading ? read(file, b->host, b->bytes) : write(file, b->host, b->bytes);
    return moved == (ssize_t)b->bytes;
}

/* From the file's start, all buffers of a role. Returns seconds, or NaN where it failed. */
static double move(int file, const problem *p, buffer_role role, bool reading)
{
    bool moved = lseek(file, 0, SEEK_SET) == 0;
    double start = host_seconds();
    for (int i = 0; i < p->buffers && moved; i++)
        if (p->buffer[i].role == role)
            moved = move_buffer(file, &p->buffer[i], reading);
    return moved ? host_seconds() - start : NAN;
}

/* The median; NaN if one of them was. */
static double median(const double seconds[TIMES])
{
    for (int i = 0; i < TIMES; i++)
        if (isnan(seconds[i]))
            return NAN;
    return summarise(seconds, TIMES).median;
}

/* What was just written lies in the page cache; a first reading that is not timed makes sure. */
static double time_reading(const problem *p)
{
    double seconds[TIMES];
    int file = open_nameless();
    move(file, p, BUFFER_INPUT, false);
    move(file, p, BUFFER_INPUT, true);
    for (int i = 0; i < TIMES; i++)
        seconds[i] = move(file, p, BUFFER_INPUT, true);
    close(file);
    return median(seconds);
}

/* Each time into a new file, as a program would. */
static double time_writing(const problem *p)
{
    double seconds[TIMES];
    for (int i = 0; i < TIMES; i++) {
        int file = open_nameless();
        seconds[i] = move(file, p, BUFFER_OUTPUT, false);
        close(file);
    }
    return median(seconds);
}

file_times file_times_measure(const problem *p)
{
    if (bytes_of(p, BUFFER_INPUT) > FILE_TIMES_MAX_BYTES ||
        bytes_of(p, BUFFER_OUTPUT) > FILE_TIMES_MAX_BYTES)
        return (file_times){NAN, NAN};
    problem_poison_host(p);
    return (file_times){time_reading(p), time_writing(p)};
}

file_times file_times_of(const problem *p)
{
    static struct {
        size_t in, out;
        file_times times;
    } known[64];
    static size_t count, next; /* the oldest one goes */
    const size_t most = sizeof known / sizeof *known;
    const size_t in = bytes_of(p, BUFFER_INPUT), out = bytes_of(p, BUFFER_OUTPUT);
    for (size_t i = 0; i < count; i++)
        if (known[i].in == in && known[i].out == out)
            return known[i].times;
    file_times times = file_times_measure(p);
    known[next].in = in;
    known[next].out = out;
    known[next].times = times;
    next = (next + 1) % most;
    count += count < most;
    return times;
}
