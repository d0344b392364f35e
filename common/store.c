#define _POSIX_C_SOURCE 200809L /* access */

#include "store.h"
#include "build.h"
#include "file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static bool is_there(const store *s)
{
    return s->path && access(s->path, F_OK) == 0;
}

/* Takes the rows of the file; a file that is not there takes none away. */
static void load(store *s)
{
    if (s->fresh || !is_there(s))
        return;
    result_table_free(&s->rows);
    result_table_read(&s->rows, s->path);
}

store store_open(const char *path, bool fresh)
{
    struct timespec now;
    store s = {.path = path, .fresh = fresh};
    timespec_get(&now, TIME_UTC); /* time() may be some milliseconds behind `date` */
    strftime(s.date, sizeof s.date, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now.tv_sec));
    if (path)
        file_check_writable(path);
    load(&s);
    return s;
}

bool store_is_own(const store *s, const result *row)
{
    return row && strcmp(row->date, s->date) == 0;
}

static bool is_right(const result *row)
{
    return strcmp(row->status, "ok") == 0;
}

/* A time of an emulated kernel, which old files may have, is none. */
static bool is_timed(const result *row)
{
    return is_right(row) && strcmp(row->kind, "emulated") != 0 && !isnan(row->time_s);
}

/* Reasons for a skipped row that another build, option or hour may lift. */
static bool may_pass(const char *note)
{
    static const char *const reasons[] = {"this build", "more memory than", "no room",
                                          "not enough", "OMP_THREAD_LIMIT", "--cpu-limit"};
    for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++)
        if (strstr(note, reasons[i]))
            return true;
    return false;
}

bool store_is_finished(const store *s, const result *like, bool timed)
{
    const result *row = result_table_find(&s->rows, like);
    if (!row)
        return false;
    if (strcmp(row->status, "skipped") == 0)
        return !may_pass(row->note);
    return timed && strcmp(row->kind, "emulated") != 0 ? is_timed(row) : is_right(row);
}

/* What was not measured takes no time away: a check that passes, a skip that another run lifts. */
static bool takes_place(const result *row, const result *before)
{
    bool measured =
        is_timed(row) || strcmp(row->status, "wrong") == 0 || strcmp(row->status, "failed") == 0;
    bool lasts = strcmp(row->status, "skipped") == 0 && !may_pass(row->note);
    return !before || !is_timed(before) || measured || lasts;
}

/* Puts the row in as one of this run. */
static void put(store *s, const result *row)
{
    result own = *row;
    snprintf(own.commit, sizeof own.commit, "%s", this_build.commit);
    snprintf(own.date, sizeof own.date, "%s", s->date);
    if (takes_place(&own, result_table_find(&s->rows, &own)))
        result_table_put(&s->rows, &own);
    s->counts.rows++;
    s->counts.emulated += strcmp(own.kind, "emulated") == 0;
    s->counts.wrong += strcmp(own.status, "wrong") == 0;
    s->counts.failed += strcmp(own.status, "failed") == 0;
}

void store_put(store *s, const result *rows, int count)
{
    if (count == 0)
        return;
    int lock = s->path ? file_lock(s->path) : -1;
    load(s);
    for (int i = 0; i < count; i++)
        put(s, &rows[i]);
    if (s->path)
        result_table_write(&s->rows, s->path);
    s->fresh = false;
    file_unlock(lock);
}

void store_free(store *s)
{
    result_table_free(&s->rows);
}
