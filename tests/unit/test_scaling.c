/*
 * test_scaling.c - a default sweep ends with OpenMP scaling: which rows it has, how many threads
 * the runs really had, what the speedups refer to, and that a resumed run keeps them.
 */
#define _POSIX_C_SOURCE 200809L /* mkdtemp */

#include "lab.h"
#include "result.h"
#include "tap.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { THREADS = 6 };

/* ---- a lab of two colours whose CPU variants note how many threads they had ----------------- */

static int colour;
static const char *const colours[] = {"gray", "red", NULL};
static const lab_option colour_option = {"--colour", OPTION_CHOICE, &colour, .help = "which",
                                         .choices = colours};

static int most_threads; /* of all runs since it was set to 0 */
static int runs_with[THREADS + 1];

static void parameters(char *text, size_t bytes)
{
    snprintf(text, bytes, "colour=%s", colours[colour]);
}

static void layout(problem *p)
{
    problem_add_buffer(p, "in", BUFFER_INPUT, (size_t)p->width * sizeof(float));
    problem_add_buffer(p, "out", BUFFER_OUTPUT, (size_t)p->width * sizeof(float));
}

static void fill(const problem *p)
{
    for (int i = 0; i < p->width; i++)
        ((float *)p->buffer[0].host)[i] = (float)i;
}

static void run_serial(const problem *p, const launch *l)
{
    for (int i = 0; i < p->width; i++)
        ((float *)l->buffer[1])[i] = 2 * ((const float *)l->buffer[0])[i];
}

static void run_omp(const problem *p, const launch *l)
{
    int threads = 0;
#pragma omp parallel
    {
#pragma omp single
        threads = omp_get_num_threads();
#pragma omp for
        for (int i = 0; i < p->width; i++)
            ((float *)l->buffer[1])[i] = 2 * ((const float *)l->buffer[0])[i];
    }
    if (threads <= THREADS)
        runs_with[threads]++;
    most_threads = threads > most_threads ? threads : most_threads;
}

static check_result check(const problem *p, const variant *v)
{
    check_result result = check_start(0, p->width);
    (void)v;
    for (int i = 0; i < p->width; i++)
        check_scaled(&result, ((float *)p->buffer[1].host)[i], 2.0 * i, 1, (size_t)i);
    return result;
}

static void work(const problem *p, double *bytes, double *flops)
{
    *bytes = 8.0 * p->width;
    *flops = p->width;
}

static const char *const configurations[] = {"--colour gray", "--colour red", NULL};
static const variant variants[] = {
    {.name = "cpu", .kind = VARIANT_CPU, .summary = "serial", .serial = true, .run = run_serial},
    {.name = "cpu_omp", .kind = VARIANT_CPU, .summary = "OpenMP", .scales = true, .run = run_omp},
};

static lab twice = {.name = "lab9_twice",
                    .title = "twice a vector",
                    .sizes_are = SIZE_VECTOR,
                    .sizes = "100 20000",
                    .scaling_size = "20000",
                    .size_min = 1,
                    .size_max = 1 << 20,
                    .block_dimensions = 1,
                    .blocks = "32",
                    .options = &colour_option,
                    .n_options = 1,
                    .configurations = configurations,
                    .variants = variants,
                    .n_variants = 2,
                    .parameters = parameters,
                    .layout = layout,
                    .fill = fill,
                    .check = check,
                    .work = work};

/* ---- its runs ---------------------------------------------------------------------------------
 */

static char folder[] = "/tmp/test_scaling.XXXXXX", path[64];

/* Runs the program, its rows not on the test's stdout; returns its rows. */
static result_table run(char **words)
{
    result_table rows = {0};
    char error[256] = "";
    char *argv[16] = {"twice", "--csv", path, "--time-cap", "0.02", "--machine", "here"};
    int argc = 7, saved = dup(STDOUT_FILENO);
    while (*words)
        argv[argc++] = *words++;
    memset(runs_with, 0, sizeof runs_with);
    most_threads = 0;
    fflush(stdout);
    if (!freopen("/dev/null", "w", stdout))
        exit(1);
    int status = lab_main(&twice, argc, argv);
    fflush(stdout);
    dup2(saved, STDOUT_FILENO);
    close(saved);
    ok(status == 0, "the program exits 0%s%s", argc > 7 ? ", " : "", argc > 7 ? argv[7] : "");
    ok(result_table_read(&rows, path, error) == 0, "its rows can be read%s", error);
    return rows;
}

#define WORDS(...) ((char *[]){__VA_ARGS__, NULL})

/* The only row of a variant with these parameters at a size; NULL if there is none, or a second. */
static const result *row_of(const result_table *rows, const char *variant, const char *parameters,
                            int width)
{
    const result *found = NULL;
    for (int i = 0; i < rows->count; i++) {
        const result *r = &rows->rows[i];
        if (strcmp(r->variant, variant) || strcmp(r->parameters, parameters) || r->width != width)
            continue;
        if (found)
            return NULL;
        found = r;
    }
    return found;
}

/* A scaling row of the colour gray: there once, timed, its speedup over the serial row. */
static void has_scaling_row(const result_table *rows, int threads, int width)
{
    char text[64];
    snprintf(text, sizeof text, "colour=gray;cpu_threads=%d", threads);
    const result *serial = row_of(rows, "cpu", "colour=gray", width);
    const result *r = row_of(rows, "cpu_omp", text, width);
    ok(serial && r, "%d threads: a row, and one serial row of size %d", threads, width);
    if (!serial || !r)
        return;
    ok(strcmp(r->status, "ok") == 0 && r->trials > 0 && r->time_s > 0, "it is timed");
    ok(fabs(r->speedup * r->time_s / serial->time_s - 1) < 1e-4,
       "%d threads: the speedup is the serial time over its own", threads);
    ok(r->read_s == serial->read_s && r->write_s == serial->write_s && r->read_s > 0,
       "%d threads: the steps around it are those of its size", threads);
    ok(isnan(r->copy_in_s) && isnan(r->copy_out_s), "none of them is a copy");
}

static void test_default_sweep(void)
{
    result_table rows = run(WORDS("--trials", "3"));
    ok(rows.count == 2 * 2 * 2 + 4, "2 colours x 2 sizes x 2 variants and 4 numbers of threads");
    static const int threads[] = {1, 2, 4, THREADS};
    for (int i = 0; i < 4; i++) {
        has_scaling_row(&rows, threads[i], 20000);
        ok(runs_with[threads[i]] > 2, "%d threads: so many ran", threads[i]);
        ok(rows.count == 12 && strstr(rows.rows[8 + i].parameters, "cpu_threads="),
           "they come last");
    }
    ok(runs_with[3] == 0 && runs_with[5] == 0, "no other number ran");
    ok(omp_get_max_threads() == THREADS, "afterwards OpenMP is as it was");
    result_table_free(&rows);
}

/* What was there stays to the last bit, which no second measurement would give. */
static void test_resumed(void)
{
    char error[256];
    result_table before = {0};
    result_table_read(&before, path, error);
    for (int i = 0; i < before.count; i++) {
        before.rows[i].time_s = 1000 + i;
        before.rows[i].read_s = 2000 + i;
    }
    result_table_remove(&before, 9); /* two threads */
    result_table_write(&before, path, error);
    result_table rows = run(WORDS("--resume", "--trials", "3"));
    ok(rows.count == before.count + 1, "a resumed run measures the one row that is missing");
    int same = 0;
    for (int i = 0; i < rows.count; i++)
        same += rows.rows[i].time_s == 1000 + i && rows.rows[i].read_s == 2000 + i;
    ok(same == before.count, "all others keep their times and their steps");
    ok(runs_with[2] > 2 && most_threads == 2, "only two threads ran");
    const result *r = row_of(&rows, "cpu_omp", "colour=gray;cpu_threads=2", 20000);
    const result *serial = row_of(&rows, "cpu", "colour=gray", 20000);
    ok(r && serial && fabs(r->speedup * r->time_s / serial->time_s - 1) < 1e-4,
       "the new row refers to the serial row that was kept");
    result_table_free(&rows);
    result_table_free(&before);
}

static void test_asked_for(void)
{
    remove(path);
    result_table rows = run(WORDS("--cpu-threads", "2,5", "--trials", "3"));
    ok(rows.count == 3, "asked for two numbers of threads, there is the serial row and theirs");
    has_scaling_row(&rows, 2, 20000);
    has_scaling_row(&rows, 5, 20000);
    ok(omp_get_max_threads() == THREADS, "afterwards OpenMP is as it was, again");
    ok(most_threads == 5 && !runs_with[1] && !runs_with[THREADS], "the others did not run");
    result_table_free(&rows);

    rows = run(WORDS("--cpu-threads", "2", "--sizes", "300 400", "--variants", "cpu_omp"));
    ok(rows.count == 4, "at sizes of one's own, the serial variant not chosen");
    has_scaling_row(&rows, 2, 300);
    has_scaling_row(&rows, 2, 400);
    result_table_free(&rows);

    rows = run(WORDS("--cpu-threads", "2", "--check-only"));
    ok(rows.count == 2 && isnan(rows.rows[0].read_s) && isnan(rows.rows[1].write_s),
       "--check-only measures no step");
    ok(runs_with[2] == 1, "it runs the case once, with its threads");
    result_table_free(&rows);
}

static void test_without(void)
{
    remove(path);
    twice.scaling_size = NULL;
    result_table rows = run(WORDS("--trials", "3"));
    ok(rows.count == 8, "a lab without a size for it has no such rows");
    result_table_free(&rows);
    twice.scaling_size = "20000";
    remove(path);
    rows = run(WORDS("--sizes", "100"));
    ok(rows.count == 4, "nor has a sweep over sizes of one's own");
    result_table_free(&rows);
}

int main(void)
{
    if (!mkdtemp(folder))
        return 1;
    snprintf(path, sizeof path, "%s/rows.csv", folder);
    omp_set_num_threads(THREADS);
    test_default_sweep();
    test_resumed();
    test_asked_for();
    test_without();
    remove(path);
    snprintf(path, sizeof path, "%s/run.json", folder);
    remove(path);
    ok(rmdir(folder) == 0, "nothing else was written");
    return done_testing();
}
