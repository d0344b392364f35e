#define _POSIX_C_SOURCE 200809L /* access */

#include "store.h"
#include "build.h"
#include "seal.h"
#include "files/file.h"
#include "process/die.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Takes the rows of the file; a file that is not there takes none away. Had it any case twice? */
static bool load(store *s)
{
    if (s->fresh || access(s->path, F_OK) != 0)
        return false;
    result_table_free(&s->rows);
    int doubled = result_table_read(&s->rows, s->path);
    if (doubled)
        fprintf(stderr, "%s: %s: %d row%s of a case that has a later one: dropped\n", die_program(),
                s->path, doubled, doubled == 1 ? "" : "s");
    return doubled;
}

store store_open(const char *path, bool fresh)
{
    struct timespec now;
    store s = {.path = path, .fresh = fresh};
    timespec_get(&now, TIME_UTC); /* time() may be some milliseconds behind `date` */
    strftime(s.date, sizeof s.date, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now.tv_sec));
    if (path) {
        file_check_writable(path);
        file_lock lock = file_lock_take(path);
        if (load(&s))
            result_table_write(&s.rows, path);
        file_lock_release(&lock);
    }
    return s;
}

bool store_is_own(const store *s, const result *row)
{
    return row && strcmp(row->date, s->date) == 0;
}

static bool has_status(const result *row, const char *status)
{
    return strcmp(row->status, status) == 0;
}

static bool is_timed(const result *row)
{
    return has_status(row, "ok") && !isnan(row->time_s);
}

bool store_is_finished(const store *s, const result *like, bool timed)
{
    const result *row = result_table_find(&s->rows, like);
    return row && has_status(row, "ok") &&
           (!timed || is_timed(row) || strcmp(row->kind, "emulated") == 0);
}

/* What was not measured takes no time away: a check that passes, a skip. */
static bool takes_place(const result *row, const result *before)
{
    return !before || !is_timed(before) || is_timed(row) || has_status(row, "wrong") ||
           has_status(row, "failed");
}

/* Puts the row in as one of this run. */
static void put(store *s, const result *row)
{
    result own = *row;
    snprintf(own.commit, sizeof own.commit, "%s", this_build.commit);
    snprintf(own.date, sizeof own.date, "%s", s->date);
    seal_row(&own);
    if (takes_place(&own, result_table_find(&s->rows, &own)))
        result_table_put(&s->rows, &own);
    s->counts.rows++;
    s->counts.emulated += strcmp(own.kind, "emulated") == 0;
    s->counts.wrong += has_status(&own, "wrong");
    s->counts.failed += has_status(&own, "failed");
}

static void put_all(store *s, const result *rows, int count)
{
    for (int i = 0; i < count; i++)
        put(s, &rows[i]);
}

void store_put(store *s, const result *rows, int count)
{
    if (count == 0)
        return;
    if (!s->path) {
        put_all(s, rows, count);
        return;
    }
    file_lock lock = file_lock_take(s->path);
    load(s);
    put_all(s, rows, count);
    result_table_write(&s->rows, s->path);
    s->fresh = false;
    file_lock_release(&lock);
}

static bool is_unlisted(const result *row, const lab *definition, const char *machine)
{
    for (int i = 0; i < definition->n_variants; i++)
        if (strcmp(row->variant, definition->variants[i].name) == 0)
            return false;
    return strcmp(row->lab, definition->name) == 0 && strcmp(row->machine, machine) == 0;
}

void store_drop_unlisted(store *s, const lab *definition, const char *machine)
{
    if (!s->path)
        return;
    file_lock lock = file_lock_take(s->path);
    load(s);
    int count = s->rows.count, kept = 0;
    for (int i = 0; i < count; i++)
        if (!is_unlisted(&s->rows.rows[i], definition, machine))
            s->rows.rows[kept++] = s->rows.rows[i];
    s->rows.count = kept;
    if (kept < count) {
        result_table_write(&s->rows, s->path);
        fprintf(stderr, "%s: %s: %d row%s of variants that the lab no longer has: dropped\n",
                die_program(), s->path, count - kept, count - kept == 1 ? "" : "s");
    }
    file_lock_release(&lock);
}

void store_free(store *s)
{
    result_table_free(&s->rows);
}
