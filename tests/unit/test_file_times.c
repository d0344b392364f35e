/*
 * test_file_times.c - reading inputs and writing outputs are timed, the inputs stay as they are,
 * and no file stays behind, whatever the disk has to say.
 */
#define _POSIX_C_SOURCE 200809L /* mkdtemp, setenv, setrlimit */

#include "host.h"
#include "file_times.h"
#include "tap.h"

#include <dirent.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { IN, MORE, TABLE, OUT, ROOM };

static size_t in_bytes = 3000001, out_bytes = 1000003;

static void layout(problem *p)
{
    problem_add_buffer(p, "in", BUFFER_INPUT, in_bytes);
    problem_add_buffer(p, "more", BUFFER_INPUT, 17);
    problem_add_buffer(p, "table", BUFFER_RESIDENT, 1000);
    problem_add_buffer(p, "out", BUFFER_OUTPUT, out_bytes);
    problem_add_buffer(p, "room", BUFFER_SCRATCH, 1000);
}

static void fill(const problem *p)
{
    for (int i = 0; i < p->buffers; i++)
        for (size_t at = 0; at < p->buffer[i].bytes; at++)
            ((unsigned char *)p->buffer[i].host)[at] = (unsigned char)(at * 7 + (size_t)i);
}

static const lab some_lab = {
    .layout = layout,
    .fill = fill,
};

static bool is_filled(const problem *p, int buffer)
{
    const unsigned char *bytes = p->buffer[buffer].host;
    for (size_t at = 0; at < p->buffer[buffer].bytes; at++)
        if (bytes[at] != (unsigned char)(at * 7 + (size_t)buffer))
            return false;
    return true;
}

/* Files in a folder, hidden ones included; -1 where it is none. */
static int count_files(const char *path)
{
    int count = 0;
    DIR *folder = opendir(path);
    if (!folder)
        return -1;
    for (const struct dirent *entry; (entry = readdir(folder));)
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(folder);
    return count;
}

static int open_files(void)
{
    return count_files("/proc/self/fd");
}

static bool measures_nothing(const problem *p)
{
    file_times steps = file_times_measure(p);
    return isnan(steps.read_s) && isnan(steps.write_s);
}

static void test_times(const problem *p, const char *folder)
{
    int open_before = open_files();
    double start = host_seconds();
    file_times steps = file_times_measure(p);
    double whole = host_seconds() - start;
    ok(steps.read_s > 0 && steps.write_s > 0, "both steps took a time");
    /* Of three times, two are no shorter than the median. */
    ok(2 * (steps.read_s + steps.write_s) <= whole, "and less than the whole call took");
    ok(is_filled(p, IN) && is_filled(p, MORE), "the inputs came back as they were");
    ok(is_filled(p, TABLE) && is_filled(p, ROOM), "what is neither input nor output is untouched");
    ok(((unsigned char *)p->buffer[OUT].host)[out_bytes - 1] == 0xFF, "the outputs are poisoned");
    ok(count_files(folder) == 0, "no file is left");
    ok(open_files() == open_before, "none is left open");
}

/* So far apart that the order is no matter of luck. */
static void test_proportion(void)
{
    file_times small, large;
    in_bytes = 1 << 10;
    out_bytes = 64 << 20;
    problem p = problem_create(&some_lab, (extent){1, 1, 0}, 1);
    small = file_times_measure(&p);
    problem_free(&p);
    in_bytes = 64 << 20;
    out_bytes = 1 << 10;
    p = problem_create(&some_lab, (extent){1, 1, 0}, 1);
    large = file_times_measure(&p);
    problem_free(&p);
    ok(large.read_s > 20 * small.read_s, "65536 times the inputs take far longer to read");
    ok(small.write_s > 20 * large.write_s, "65536 times the outputs take far longer to write");
}

static void test_limits(const problem *p, const char *folder)
{
    struct rlimit whole, little = {100000, 0};
    getrlimit(RLIMIT_FSIZE, &whole);
    little.rlim_max = whole.rlim_max;
    setrlimit(RLIMIT_FSIZE, &little);
    ok(measures_nothing(p), "files are limited to 100 kB: nothing, and the program lives");
    setrlimit(RLIMIT_FSIZE, &whole);
    ok(count_files(folder) == 0, "no file is left then");
    ok(is_filled(p, IN) && is_filled(p, MORE), "the inputs are as they were");

    struct sigaction now;
    sigaction(SIGXFSZ, NULL, &now);
    ok(now.sa_handler == SIG_DFL, "SIGXFSZ is what it was");

    setenv("TMPDIR", "/none/such", 1);
    ok(measures_nothing(p), "a TMPDIR that is missing: nothing");
    static char long_name[5000];
    memset(long_name, 'x', sizeof long_name - 1);
    setenv("TMPDIR", long_name, 1);
    ok(measures_nothing(p), "a TMPDIR with too long a name: nothing");
    setenv("TMPDIR", folder, 1);
}

/* The memory is asked for, but neither filled nor touched. */
static void test_large(const char *folder)
{
    static const lab untouched = {
        .layout = layout,
    };
    problem p = {.width = 1, .height = 1};
    in_bytes = (size_t)FILE_TIMES_MAX_BYTES + 1;
    out_bytes = 10;
    untouched.layout(&p);
    ok(measures_nothing(&p), "inputs of more than 256 MiB: nothing");
    ok(count_files(folder) == 0, "and no file");
}

int main(void)
{
    char folder[] = "/tmp/test_steps.XXXXXX";
    if (!mkdtemp(folder))
        return 1;
    setenv("TMPDIR", folder, 1);
    problem p = problem_create(&some_lab, (extent){1, 1, 0}, 1);
    test_times(&p, folder);
    test_limits(&p, folder);
    unsetenv("TMPDIR");
    ok(!measures_nothing(&p), "without TMPDIR there is /tmp");
    setenv("TMPDIR", folder, 1);
    problem_free(&p);
    test_proportion();
    test_large(folder);
    ok(rmdir(folder) == 0, "the folder is empty at the end");
    return done_testing();
}
