/*
 * test_file_times.c - reading inputs and writing outputs are timed, the inputs stay as they are,
 * and no file stays behind, whatever the disk has to say.
 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS, syscall() */

#include "data/file_times.h"
#include "fixture.h"
#include "folder.h"
#include "machine/host.h"

#include <math.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/*
 * The test's own clock. It tells the time, but `step` more from every other reading to the next,
 * then 4 times as much, 9 times ...; and `per_byte` more for each byte that was read or written.
 */
static double step, steps, per_byte;
static int readings;

double host_seconds(void)
{
    struct timespec now;
    int k = ++readings / 2;
    clock_gettime(CLOCK_MONOTONIC, &now);
    steps += readings % 2 ? 0 : step * k * k;
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec + steps;
}

static ssize_t counted(ssize_t moved)
{
    steps += moved > 0 ? per_byte * (double)moved : 0;
    return moved;
}

ssize_t read(int file, void *to, size_t bytes)
{
    return counted(syscall(SYS_read, file, to, bytes));
}

ssize_t write(int file, const void *from, size_t bytes)
{
    return counted(syscall(SYS_write, file, from, bytes));
}

enum { TABLE = 2, ROOM, MORE, IN_BYTES = 3000001, OUT_BYTES = 1000003 };

static problem small_problem(size_t in_bytes, size_t out_bytes)
{
    const buffer_spec table[] = {{"in", BUFFER_INPUT, in_bytes},
                                 {"out", BUFFER_OUTPUT, out_bytes},
                                 {"table", BUFFER_RESIDENT, 1000},
                                 {"room", BUFFER_SCRATCH, 1000},
                                 {"more", BUFFER_INPUT, 17}};
    return fixture_problem(table, COUNT(table));
}

static bool are_filled(const problem *p, int one, int other)
{
    return is_all(p, one, p->buffer[one].host, AS_FILLED) &&
           is_all(p, other, p->buffer[other].host, AS_FILLED);
}

static void test_times(const problem *p)
{
    int open = entries_of("/proc/self/fd");
    double start = host_seconds();
    file_times steps = file_times_measure(p);
    double whole = host_seconds() - start;
    ok(entries_of("/proc/self/fd") == open, "no file is left open"); /* CUDA opens its own below */
    ok(steps.read_s > 0 && steps.write_s > 0, "both steps took a time");
    /* Two of three times are no shorter than the median. */
    ok(2 * (steps.read_s + steps.write_s) <= whole, "and less than the whole call took");
    ok(are_filled(p, IN, MORE), "the inputs came back as they were");
    ok(are_filled(p, TABLE, ROOM), "what is neither input nor output is untouched");
    ok(is_all(p, OUT, p->buffer[OUT].host, 0xFF), "the outputs are poisoned");
    ok(entries_of(".") == 0, "no file is left");
}

/* What is not read or written between two readings of the clock takes no time of it. */
static void test_bytes(const problem *p)
{
    per_byte = 10;
    file_times times = file_times_measure(p);
    per_byte = 0;
    ok(fabs(times.read_s - 10 * (IN_BYTES + 17)) < 100,
       "every byte of the inputs is read, and no other");
    ok(fabs(times.write_s - 10 * OUT_BYTES) < 100,
       "every byte of the outputs is written, and no other");
}

/* To write, to read, and three times to read for the time; then to write, three times. */
static void test_medians(const problem *p)
{
    readings = 0;
    step = 1000;
    file_times times = file_times_measure(p);
    step = 0;
    ok(fabs(times.read_s - 16000) < 100, "the median of what comes 3rd to 5th");
    ok(fabs(times.write_s - 49000) < 100, "the median of what comes 6th to 8th");
}

/* As many bytes are measured once; others anew. */
static void test_known(void)
{
    file_times first, other, again, swapped;
    problem p = small_problem(1000, 2000), q = small_problem(1000, 2001),
            r = small_problem(2000, 1000);
    first = file_times_of(&p);
    readings = 0;
    again = file_times_of(&p);
    ok(readings == 0 && again.read_s == first.read_s && again.write_s == first.write_s,
       "what is known is not measured again");
    other = file_times_of(&q);
    ok(readings > 0 && other.read_s > 0, "more bytes of output are");
    readings = 0;
    swapped = file_times_of(&r);
    ok(readings > 0 && swapped.read_s > 0, "and inputs for outputs");
    for (size_t bytes = 1; bytes <= 64; bytes++) {
        problem small = small_problem(bytes, bytes);
        (void)file_times_of(&small);
        problem_free(&small);
    }
    readings = 0;
    (void)file_times_of(&p);
    ok(readings > 0, "the oldest of more than 64 is forgotten");
    problem_free(&p), problem_free(&q), problem_free(&r);
}

static void measures_nothing(const problem *p, const char *why)
{
    file_times steps = file_times_measure(p);
    ok(isnan(steps.read_s) && isnan(steps.write_s) && entries_of(".") == 0,
       "%s: nothing is measured, no file is left", why);
}

static void test_limits(const problem *p)
{
    struct rlimit whole, little = {100000, 0};
    getrlimit(RLIMIT_FSIZE, &whole);
    little.rlim_max = whole.rlim_max;
    signal(SIGXFSZ, SIG_IGN); /* as lab_main() does */
    setrlimit(RLIMIT_FSIZE, &little);
    measures_nothing(p, "files are limited to 100 kB");
    setrlimit(RLIMIT_FSIZE, &whole);
    ok(are_filled(p, IN, MORE), "the inputs are as they were");
    setenv("TMPDIR", "/none/such", 1);
    measures_nothing(p, "a TMPDIR that is missing");
}

/* Two inputs and an output in memory that could be read and written, but is not. */
static void test_large(size_t in_bytes, size_t more_bytes, size_t out_bytes)
{
    const buffer_spec table[] = {{"in", BUFFER_INPUT, in_bytes},
                                 {"more", BUFFER_INPUT, more_bytes},
                                 {"out", BUFFER_OUTPUT, out_bytes}};
    const size_t largest = (size_t)FILE_TIMES_MAX_BYTES + 1;
    void *memory = mmap(NULL, largest, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    fixture_table(table, COUNT(table));
    problem p = problem_lay_out(&fixture_lab, (extent){1, 1, 0}, 0);
    for (int i = 0; i < p.buffers; i++)
        p.buffer[i].host = memory;
    measures_nothing(&p, "more than 256 MiB");
    munmap(memory, largest);
}

int main(void)
{
    enter_folder();
    setenv("TMPDIR", test_folder, 1);
    problem p = small_problem(IN_BYTES, OUT_BYTES);
    test_times(&p);
    test_bytes(&p);
    test_medians(&p);
    test_known();
    test_large((size_t)FILE_TIMES_MAX_BYTES + 1, 10, 10);
    test_large(FILE_TIMES_MAX_BYTES, 1, 10);
    test_large(10, 10, (size_t)FILE_TIMES_MAX_BYTES + 1);
    test_limits(&p);
    problem_free(&p);
    leave_folder();
    return done_testing();
}
