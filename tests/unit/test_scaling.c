/*
 * test_scaling.c - a default sweep ends with OpenMP scaling: which rows it has, how many threads
 * the runs really had, what the speedups refer to, and that a resumed run keeps them.
 */
#define _XOPEN_SOURCE 700

#include "folder.h"
#include "lab.h"
#include "result.h"

#include <math.h>
#include <omp.h>

enum { THREADS = 6 };

/* ---- a lab of two colours whose CPU variants note how many threads they had ----------------- */

static int colour;
static const char *const colours[] = {"gray", "red", NULL};
static const lab_option colour_option = {"--colour", OPTION_CHOICE, &colour, .help = "which",
                                         .choices = colours};

static int runs_with[THREADS + 1]; /* so many threads, since the program began */

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
    runs_with[threads]++;
}

static double error_at(const void *context, size_t i)
{
    const problem *p = context;
    return fabs(((float *)p->buffer[1].host)[i] - 2.0 * (double)i);
}

static check_result check(const problem *p, const variant *v)
{
    (void)v;
    return check_all(0, (size_t)p->width, (size_t)p->width, error_at, p);
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
                    .sweep = {.sizes = "100 20000",
                              .scaling_size = "20000",
                              .blocks = "32",
                              .configurations = configurations},
                    .size_min = 1,
                    .size_max = 1 << 20,
                    .block_dimensions = 1,
                    .options = &colour_option,
                    .n_options = 1,
                    .variants = variants,
                    .n_variants = 2,
                    .parameters = parameters,
                    .layout = layout,
                    .fill = fill,
                    .check = check,
                    .work = work};

/* ---- its runs ------------------------------------------------------------------------------- */

static const char path[] = "rows.csv";

#define WORDS(...) ((char *[]){__VA_ARGS__, NULL})

/* Runs the program, its rows not on the test's stdout; returns its rows. */
static result_table run(char **words)
{
    result_table rows = {0};
    char error[FILE_ERROR_SIZE] = "";
    char *argv[16] = {"twice", "--csv", "rows.csv", "--time-cap", "0.02", "--trials", "3"};
    int argc = 7, saved = dup(STDOUT_FILENO);
    while (*words)
        argv[argc++] = *words++;
    memset(runs_with, 0, sizeof runs_with);
    fflush(stdout);
    if (!freopen("/dev/null", "w", stdout))
        exit(1);
    int status = lab_main(&twice, argc, argv);
    fflush(stdout);
    dup2(saved, STDOUT_FILENO);
    close(saved);
    ok(status == 0, "the program exits 0, %s", argc > 7 ? argv[7] : "without options");
    ok(result_table_read(&rows, path, error) == 0, "its rows can be read%s", error);
    ok(omp_get_max_threads() == THREADS, "afterwards OpenMP is as it was");
    return rows;
}

static result_table run_anew(char **words)
{
    remove(path);
    return run(words);
}

/* The rows are these, each `threads` of a scaling row or `-`, and its size. */
static void rows_are(const result_table *rows, const char *expected, const char *name)
{
    char text[512] = "";
    size_t used = 0;
    for (int i = 0; i < rows->count; i++) {
        const result *r = &rows->rows[i];
        const char *threads = strstr(r->parameters, "cpu_threads=");
        used += (size_t)snprintf(text + used, sizeof text - used, "%s %s %d;", r->variant,
                                 threads ? threads + strlen("cpu_threads=") : "-", r->width);
    }
    is(text, expected, "%s", name);
}

static const result *serial_of(const result_table *rows, const result *like)
{
    result serial = *like;
    strcpy(serial.variant, "cpu");
    strcpy(serial.parameters, "colour=gray");
    return result_table_find(rows, &serial);
}

/* Each scaling row is timed, its speedup over the serial row, and the steps are those of its size.
 */
static void scaling_rows_hold(const result_table *rows)
{
    for (int i = 0; i < rows->count; i++) {
        const result *r = &rows->rows[i], *serial = serial_of(rows, r);
        if (!strstr(r->parameters, "cpu_threads="))
            continue;
        ok(strcmp(r->status, "ok") == 0 && r->trials > 0 && serial &&
               fabs(r->speedup * r->time_s / serial->time_s - 1) < 1e-4,
           "%s at %d: timed, its speedup is over the serial time", r->parameters, r->width);
        ok(serial && r->read_s == serial->read_s && r->write_s == serial->write_s &&
               r->read_s > 0 && isnan(r->copy_in_s),
           "the steps around it are those of its size, none of them a copy");
    }
}

#define SCALING "cpu_omp 1 20000;cpu_omp 2 20000;cpu_omp 4 20000;cpu_omp 6 20000;"
#define SWEEP   "cpu - 100;cpu_omp - 100;cpu - 20000;cpu_omp - 20000;"

static void test_default_sweep(void)
{
    result_table rows = run_anew(WORDS(NULL));
    rows_are(&rows, SWEEP SWEEP SCALING, "two colours, and scaling at the end");
    scaling_rows_hold(&rows);
    ok(runs_with[1] > 2 && runs_with[2] > 2 && runs_with[4] > 2, "so many threads ran");
    ok(runs_with[3] == 0 && runs_with[5] == 0, "and no other number");

    /* What was there stays to the last bit, which no second measurement would give. */
    char error[FILE_ERROR_SIZE];
    result_table kept = {0};
    for (int i = 0; i < rows.count; i++) {
        rows.rows[i].time_s = 1000 + i;
        rows.rows[i].read_s = 2000 + i;
        if (i != 9) /* two threads */
            result_table_put(&kept, &rows.rows[i]);
    }
    result_table_write(&kept, path, error);
    result_table_free(&rows);
    rows = run(WORDS("--resume"));
    ok(rows.count == 12, "a resumed run measures the one row that is missing");
    int same = 0;
    for (int i = 0; i < kept.count; i++)
        same += rows.rows[i].time_s == kept.rows[i].time_s &&
                rows.rows[i].read_s == kept.rows[i].read_s;
    /* The others run once, to be checked at the awkward size. */
    ok(same == 11 && runs_with[2] > 2 && runs_with[1] == 1 && runs_with[4] == 1,
       "with two threads, and nothing else");
    const result *added = &rows.rows[11], *serial = serial_of(&rows, added);
    ok(serial && fabs(added->speedup * added->time_s / serial->time_s - 1) < 1e-4,
       "it refers to the serial row that was kept");
    result_table_free(&rows);
    result_table_free(&kept);
}

static void test_asked_for(void)
{
    result_table rows = run_anew(WORDS("--cpu-threads", "2,5"));
    rows_are(&rows, "cpu - 20000;cpu_omp 2 20000;cpu_omp 5 20000;", "the serial row, and theirs");
    scaling_rows_hold(&rows);
    ok(runs_with[2] > 2 && runs_with[5] > 2 && !runs_with[1], "other numbers did not run");
    result_table_free(&rows);

    rows = run_anew(WORDS("--cpu-threads", "2", "--sizes", "300 400", "--variants", "cpu_omp"));
    rows_are(&rows, "cpu - 300;cpu_omp 2 300;cpu - 400;cpu_omp 2 400;",
             "at sizes of one's own, the serial variant not chosen");
    scaling_rows_hold(&rows);
    result_table_free(&rows);

    rows = run_anew(WORDS("--cpu-threads", "2", "--check-only"));
    rows_are(&rows, "cpu - 20000;cpu_omp 2 20000;", "--check-only");
    ok(isnan(rows.rows[0].read_s) && isnan(rows.rows[1].time_s) && runs_with[2] == 1,
       "measures no step and runs the case once, with its threads");
    result_table_free(&rows);
}

static void test_without(void)
{
    twice.sweep.scaling_size = NULL;
    result_table rows = run_anew(WORDS(NULL));
    rows_are(&rows, SWEEP SWEEP, "a lab without a size for it has no such rows");
    result_table_free(&rows);
    twice.sweep.scaling_size = "20000";
    rows = run_anew(WORDS("--sizes", "100"));
    ok(rows.count == 4, "nor has a sweep over sizes of one's own");
    result_table_free(&rows);
}

int main(void)
{
    enter_folder();
    omp_set_num_threads(THREADS);
    test_default_sweep();
    test_asked_for();
    test_without();
    remove(path);
    remove("run.json");
    leave_folder();
    return done_testing();
}
