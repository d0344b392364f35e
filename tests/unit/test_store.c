/*
 * test_store.c - where runs meet: what a run keeps of the rows that are there, what it replaces,
 * and two runs at once.
 */
#define _XOPEN_SOURCE 700

#include "folder.h"
#include "files/file.h"
#include "process.h"
#include "rows/store.h"

#include <errno.h>
#include <math.h>
#include <utime.h>

static const char path[] = "rows.csv";

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

/* A run that puts one row and ends. */
static void run_once(const char *variant, int width, double time, const char *status, bool fresh)
{
    result row = row_of(variant, width, time);
    strcpy(row.status, status);
    store s = store_open(path, fresh);
    store_put(&s, &row, 1);
    store_free(&s);
}

/* The file's rows as "variant width time;". */
static void file_has(const char *name, const char *expected)
{
    char text[1024] = "";
    size_t used = 0;
    store s = store_open(path, false);
    for (int i = 0; i < s.rows.count; i++) {
        const result *row = &s.rows.rows[i];
        used += (size_t)snprintf(text + used, sizeof text - used, "%s %d %g;", row->variant,
                                 row->width, row->time_s);
    }
    store_free(&s);
    is(text, expected, "%s", name);
}

/* ---- runs one after the other --------------------------------------------------------------- */

static void test_merge(void)
{
    remove(path);
    run_once("cpu", 32, 1, "ok", false);
    run_once("naive", 32, 2, "ok", false);
    run_once("naive", 64, 3, "ok", false);
    file_has("rows of other variants and sizes stay", "cpu 32 1;naive 32 2;naive 64 3;");
    run_once("naive", 32, 4, "ok", false);
    file_has("a row that is measured again takes its place", "cpu 32 1;naive 32 4;naive 64 3;");

    run_once("cpu", 32, NAN, "ok", false);
    file_has("a check takes no time away", "cpu 32 1;naive 32 4;naive 64 3;");
    run_once("cpu", 32, NAN, "skipped", false);
    file_has("nor does a skip", "cpu 32 1;naive 32 4;naive 64 3;");
    run_once("naive", 64, NAN, "failed", false);
    file_has("an error does", "cpu 32 1;naive 32 4;naive 64 nan;");
    run_once("naive", 64, 3, "ok", false);
    run_once("naive", 64, NAN, "wrong", false);
    file_has("as does a wrong result", "cpu 32 1;naive 32 4;naive 64 nan;");
    run_once("naive", 64, 3, "ok", false);

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
    found = result_table_find(&s.rows, &rows[0]);
    ok(found && !store_is_own(&s, found), "it knows rows of other runs");
    store_put(&s, rows, 1);
    ok(store_is_own(&s, result_table_find(&s.rows, &rows[0])), "and its own");
    strcpy(rows[1].status, "failed");
    store_put(&s, &rows[1], 1);
    store_put(&s, rows, 1);
    ok(s.counts.wrong == 1 && s.counts.failed == 1, "what failed counts, whatever comes behind");
    remove(path);
    store_put(&s, rows, 1);
    file_has("a file that is gone is written whole", "cpu 32 5;naive 32 4;naive 64 3;new 32 6;");
    store_free(&s);
}

/* What a run drops at its end: of its lab and machine what is no variant any more. */
static void drop_unlisted(const void *of_run)
{
    static const variant listed[] = {{.name = "cpu"}, {.name = "late"}};
    static const lab definition = {.name = "lab2_matprod", LAB_VARIANTS(listed)};
    store s = *(const store *)of_run;
    store_drop_unlisted(&s, &definition, "");
}

static void test_dropping(void)
{
    store s = store_open(NULL, false);
    ok(in_process(drop_unlisted, &s).status == 0, "without a file there is nothing to drop");
    s = store_open(path, false);
    result other = row_of("naive", 128, 7);
    strcpy(other.machine, "another");
    store_put(&s, &other, 1);
    run_once("late", 32, 8, "ok", false); /* of a program at the same time */
    outcome got = in_process(drop_unlisted, &s);
    is(got.error, "gpgpu-lab: rows.csv: 3 rows of variants that the lab no longer has: dropped\n",
       "it tells");
    file_has("what has no variant goes, all else stays", "cpu 32 5;naive 128 7;late 32 8;");
    got = in_process(drop_unlisted, &s);
    is(got.error, "", "once");
    store_free(&s);
}

static void test_fresh(void)
{
    result row = row_of("only", 8, 1);
    store s = store_open(path, true);
    ok(!s.rows.count, "a fresh run begins without rows");
    file_has("but drops nothing before it has one", "cpu 32 5;naive 128 7;late 32 8;");
    store_put(&s, &row, 1);
    file_has("with the first one it drops the others", "only 8 1;");
    run_once("other", 8, 2, "ok", false);
    row.width = 9;
    store_put(&s, &row, 1);
    store_free(&s);
    file_has("and from then on it keeps those of others", "only 8 1;other 8 2;only 9 1;");
    put_file(path, "no results file");
    run_once("cpu", 1, 1, "ok", true);
    file_has("it starts a broken file anew", "cpu 1 1;");
}

static void test_drafts(void)
{
    put_file("rows.csv.tmp-killed", "half");
    run_once("cpu", 1, 1, "ok", false);
    ok(entries_of(".") == 2, "a draft that may be another's stays");
    utime("rows.csv.tmp-killed", &(struct utimbuf){0, 0});
    run_once("cpu", 1, 1, "ok", false);
    ok(entries_of(".") == 1, "one that a killed program left long ago is removed");
}

/* ---- runs at the same time ------------------------------------------------------------------ */

enum { WRITERS = 4, ROWS = 25 };

static void write_rows(int writer)
{
    char name[32];
    snprintf(name, sizeof name, "writer%d", writer);
    store s = store_open(path, false);
    for (int i = 1; i <= ROWS; i++) {
        result row = row_of(name, i, writer);
        store_put(&s, &row, 1);
    }
}

static void test_at_once(void)
{
    remove(path);
    at_once(WRITERS, write_rows);
    store s = store_open(path, false);
    int right = 0;
    for (int i = 0; i < s.rows.count; i++)
        right += s.rows.rows[i].variant[6] - '0' == (int)s.rows.rows[i].time_s;
    ok(s.rows.count == WRITERS * ROWS && right == s.rows.count,
       "%d runs at once lose none of their %d rows", WRITERS, WRITERS * ROWS);
    store_free(&s);
}

/* The linker's --wrap: without locks if `no_locks`, as on a network's file system may be. */
static bool no_locks;
int __real_flock(int descriptor, int operation);
int __wrap_flock(int descriptor, int operation)
{
    errno = ENOLCK;
    return no_locks ? -1 : __real_flock(descriptor, operation);
}

static void open_store(const void *context)
{
    (void)context;
    store_open(path, false);
}

static void test_without_locks(void)
{
    no_locks = true;
    outcome got = in_process(open_store, NULL);
    no_locks = false;
    remove(".rows.csv.lock"); /* whose it is nobody can tell there */
    ok(is_refusal(&got, ".rows.csv.lock: cannot lock: No locks available"),
       "without locks a run does not begin");
}

/* ---- what --resume may keep ----------------------------------------------------------------- */

static void test_finished(void)
{
    static const struct {
        bool finished, timed;
        const char *kind, *status;
        double time;
    } cases[] = {
        {true, true, "gpu", "ok", 1},         {false, true, "gpu", "ok", NAN},
        {true, false, "gpu", "ok", NAN}, /* enough for a check */
        {true, true, "emulated", "ok", NAN},  {false, true, "gpu", "wrong", NAN},
        {false, false, "gpu", "wrong", NAN},  {false, true, "gpu", "failed", NAN},
        {false, true, "gpu", "skipped", NAN},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        store s = store_open(NULL, false); /* without a file rows are in memory */
        result row = row_of("naive", 1, cases[i].time);
        ok(!store_is_finished(&s, &row, false), "a row that is not there is not finished");
        strcpy(row.kind, cases[i].kind);
        strcpy(row.status, cases[i].status);
        store_put(&s, &row, 1);
        ok(store_is_finished(&s, &row, cases[i].timed) == cases[i].finished,
           "%s, %s, time %g: %sfinished", row.kind, row.status, row.time_s,
           cases[i].finished ? "" : "not ");
        store_free(&s);
    }
}

/* A program that ends with a file locked, such as one that finds it full. */
static void exit_with_lock(const void *name)
{
    (void)file_lock_take(name);
    exit(2);
}

static void test_exit_with_lock(void)
{
    ok(in_process(exit_with_lock, path).status == 2, "a program ends with a lock");
    ok(access(".rows.csv.lock", F_OK) != 0, "which is removed");
    outcome got = in_process(exit_with_lock, "none/rows.csv");
    ok(is_refusal(&got, "none/.rows.csv.lock: cannot lock: No such file or directory"),
       "in a folder that is not there there is none");
}

int main(void)
{
    enter_folder();
    test_merge();
    test_dropping();
    test_fresh();
    test_drafts();
    test_at_once();
    test_without_locks();
    test_finished();
    test_exit_with_lock();
    remove(path);
    leave_folder();
    return done_testing();
}
