/*
 * test_store.c - where runs meet: what a run keeps of the rows that are there, what it replaces,
 * and two runs at once.
 */
#define _XOPEN_SOURCE 700 /* mkdtemp, fork */

#include "process.h"
#include "store.h"
#include "tap.h"

#include <math.h>

static char folder[] = "/tmp/test_store.XXXXXX";
static char path[sizeof folder + 16];

static result row_of(const char *variant, int width, double time)
{
    result row = result_empty();
    strcpy(row.lab, "lab2_matprod");
    snprintf(row.variant, sizeof row.variant, "%s", variant);
    strcpy(row.status, "ok");
    row.width = row.height = width;
    row.time_s = time;
    return row;
}

static void put_once(const result *row, bool fresh)
{
    store s = store_open(path, fresh);
    store_put(&s, row, 1);
    store_free(&s);
}

/* A run that puts one row and ends. */
static void run_once(const char *variant, int width, double time, bool fresh)
{
    result row = row_of(variant, width, time);
    put_once(&row, fresh);
}

static void skip_once(const char *variant, int width, const char *note)
{
    result row = row_of(variant, width, NAN);
    strcpy(row.status, "skipped");
    strcpy(row.note, note);
    put_once(&row, false);
}

static void put_file(const char *text)
{
    FILE *file = fopen(path, "wb");
    if (!file || fputs(text, file) < 0 || fclose(file)) {
        perror(path);
        exit(1);
    }
}

/* The file's rows as "variant width time;". */
static const char *rows_in_file(void)
{
    static char text[1024];
    size_t used = 0;
    store s = store_open(path, false);
    text[0] = '\0';
    for (int i = 0; i < s.rows.count; i++)
        used +=
            (size_t)snprintf(text + used, sizeof text - used, "%s %d %g;", s.rows.rows[i].variant,
                             s.rows.rows[i].width, s.rows.rows[i].time_s);
    store_free(&s);
    return text;
}

static void file_has(const char *name, const char *expected)
{
    if (!ok(strcmp(rows_in_file(), expected) == 0, "%s", name))
        printf("#   got %s\n#   expected %s\n", rows_in_file(), expected);
}

/* ---- runs one after the other --------------------------------------------------------------- */

static void test_merge(void)
{
    remove(path);
    run_once("cpu", 32, 1, false);
    run_once("naive", 32, 2, false);
    run_once("naive", 64, 3, false);
    file_has("rows of other variants and sizes stay", "cpu 32 1;naive 32 2;naive 64 3;");
    run_once("naive", 32, 4, false);
    file_has("a row that is measured again takes its place", "cpu 32 1;naive 32 4;naive 64 3;");

    run_once("cpu", 32, NAN, false);
    file_has("a check takes no time away", "cpu 32 1;naive 32 4;naive 64 3;");
    skip_once("cpu", 32, "about 50 s, over --cpu-limit 20");
    file_has("nor does a skip that may pass", "cpu 32 1;naive 32 4;naive 64 3;");
    skip_once("naive", 64, "the block is too large");
    file_has("one that lasts does", "cpu 32 1;naive 32 4;naive 64 nan;");
    run_once("naive", 64, 3, false);

    store s = store_open(path, false);
    result rows[] = {row_of("cpu", 32, 5), row_of("new", 32, 6)};
    strcpy(rows[1].status, "wrong");
    strcpy(rows[1].kind, "emulated");
    store_put(&s, rows, 2);
    file_has("the rest of it, too", "cpu 32 5;naive 32 4;naive 64 3;new 32 6;");
    const result *found = result_table_find(&s.rows, &rows[0]);
    ok(found && found->time_s == 5 && found->commit[0] && strcmp(found->date, s.date) == 0 &&
           strlen(s.date) == strlen("2026-11-20T21:54:50Z"),
       "a row carries its build's commit and its run's start");
    ok(s.counts.rows == 2 && s.counts.wrong == 1 && s.counts.emulated == 1,
       "a store counts what its run has put");
    strcpy(s.date, "later");
    ok(result_table_find(&s.rows, &rows[0]) &&
           !store_is_own(&s, result_table_find(&s.rows, &rows[0])),
       "it knows rows of other runs");
    store_put(&s, rows, 1);
    ok(store_is_own(&s, result_table_find(&s.rows, &rows[0])), "and its own");
    remove(path);
    store_put(&s, rows, 1);
    file_has("a file that is gone is written whole", "cpu 32 5;naive 32 4;naive 64 3;new 32 6;");
    store_free(&s);
}

static void test_fresh(void)
{
    result row = row_of("only", 8, 1);
    store s = store_open(path, true);
    ok(!s.rows.count && strstr(rows_in_file(), "cpu 32 5;"),
       "a fresh run drops nothing before it has a row");
    store_put(&s, &row, 1);
    file_has("with the first one it drops the others", "only 8 1;");
    run_once("other", 8, 2, false);
    row.width = 9;
    store_put(&s, &row, 1);
    store_free(&s);
    file_has("and from then on it keeps those of others", "only 8 1;other 8 2;only 9 1;");
    put_file("no results file");
    run_once("cpu", 1, 1, true);
    file_has("it starts a broken file anew", "cpu 1 1;");
}

static void test_old_files(void)
{
    put_file("width,lab,variant,height,time_s\r\n"
             "1,lab2_matprod,cpu,1,7\r\n2,lab2_matprod,cpu,2,8\r\n1,lab2_matprod,cpu,1,9\r\n");
    run_once("naive", 1, 1, false);
    file_has("fewer columns, another order, a doubled row", "cpu 1 9;cpu 2 8;naive 1 1;");
}

static void open_store(const void *place)
{
    store s = store_open(place, false);
    store_free(&s);
}

static void test_refusals(void)
{
    char missing[sizeof folder + 32];
    put_file("no results file");
    outcome got = in_process(open_store, path);
    ok(is_refusal(&got, "not a results file"), "a broken file is refused");
    snprintf(missing, sizeof missing, "%s/no/rows.csv", folder);
    got = in_process(open_store, missing);
    ok(is_refusal(&got, "No such file"), "so is a missing folder");
    got = in_process(open_store, folder);
    ok(is_refusal(&got, "directory"), "and a folder as the file");

    store s = store_open(NULL, false);
    result row = row_of("cpu", 1, 1);
    store_put(&s, &row, 1);
    ok(result_table_find(&s.rows, &row) != NULL, "without a file rows are in memory");
    store_free(&s);
}

/* ---- runs at the same time ------------------------------------------------------------------ */

enum { WRITERS = 4, ROWS = 25 };

static void test_at_once(void)
{
    int all = 0;
    remove(path);
    fflush(stdout);
    for (int w = 0; w < WRITERS; w++)
        if (fork() == 0) {
            char name[32];
            snprintf(name, sizeof name, "writer%d", w);
            store s = store_open(path, false);
            for (int i = 1; i <= ROWS; i++) {
                result row = row_of(name, i, w);
                store_put(&s, &row, 1);
            }
            _exit(0);
        }
    for (int w = 0, status; w < WRITERS; w++)
        wait(&status);
    store s = store_open(path, false);
    for (int i = 0; i < s.rows.count; i++)
        all += s.rows.rows[i].variant[6] - '0' == (int)s.rows.rows[i].time_s;
    ok(s.rows.count == WRITERS * ROWS && all == s.rows.count,
       "%d runs at once lose none of their %d rows", WRITERS, WRITERS * ROWS);
    store_free(&s);
}

/* ---- what --resume may keep ----------------------------------------------------------------- */

static void finished(bool expected, bool timed, const char *status, const char *note, double time)
{
    store s = store_open(NULL, false);
    result row = row_of(time < 0 ? "emulated" : "naive", 1, time > 0 ? time : NAN);
    strcpy(row.kind, time < 0 ? "emulated" : "gpu");
    strcpy(row.status, status);
    strcpy(row.note, note);
    store_put(&s, &row, 1);
    ok(store_is_finished(&s, &row, timed) == expected, "%s%s%s%s is %sfinished%s", status,
       *note ? ": " : "", note,
       time > 0   ? " with a time"
       : time < 0 ? ", emulated"
                  : "",
       expected ? "" : "not ", timed ? "" : " for a check");
    store_free(&s);
}

static void test_finished(void)
{
    store s = store_open(NULL, false);
    result row = row_of("cpu", 1, 1);
    ok(!store_is_finished(&s, &row, false), "a row that is not there is not finished");
    store_free(&s);
    finished(true, true, "ok", "", 1);
    finished(false, true, "ok", "", 0);
    finished(true, true, "ok", "", -1);
    finished(true, false, "ok", "", 0);
    finished(false, true, "wrong", "", 0);
    finished(false, true, "failed", "an illegal memory access", 0);
    finished(true, true, "skipped", "a template larger than constant memory holds", 0);
    finished(true, true, "skipped", "needs compute capability 9.0", 0);
    finished(false, true, "skipped", "needs cuBLAS, which this build lacks", 0);
    finished(false, true, "skipped", "more memory than this machine has", 0);
    finished(false, true, "skipped", "about 50 s, over --cpu-limit 20", 0);
}

int main(void)
{
    if (!mkdtemp(folder)) {
        printf("Bail out! cannot make %s\n", folder);
        return 1;
    }
    snprintf(path, sizeof path, "%s/rows.csv", folder);
    test_merge();
    test_fresh();
    test_old_files();
    test_refusals();
    test_at_once();
    test_finished();
    remove(path);
    ok(rmdir(folder) == 0, "no file is left behind");
    return done_testing();
}
