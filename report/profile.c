/* profile.c - see profile.h. */
#include "profile.h"
#include "die.h"
#include "records.h"
#include "text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The columns that are read; shares are 0..1. */
enum {
    LAB,
    VARIANT,
    STATUS,
    PARAMETERS, /* texts */
    WIDTH,
    HEIGHT,
    BLOCK_X,
    BLOCK_Y,
    ACHIEVED,
    DRAM_READ,
    DRAM_WRITE,
    L2,
    ISSUE,
    SM,
    DRAM,
    N_COLUMNS
};

static const char *const column_names[N_COLUMNS] = {"lab",
                                                    "variant",
                                                    "status",
                                                    "parameters",
                                                    "width",
                                                    "height",
                                                    "block_x",
                                                    "block_y",
                                                    "achieved_occupancy",
                                                    "dram_read_bytes",
                                                    "dram_write_bytes",
                                                    "l2_bytes",
                                                    "issue_utilisation",
                                                    "sm_throughput",
                                                    "dram_throughput"};

typedef struct counters {
    int lab; /* its place in lab_infos; -1: none of them */
    double value[N_COLUMNS];
    row at; /* variant, parameters, size, block; file and line, so that it can be a source */
} counters;

/* NaN for what is no number, or negative. */
static double number(const char *text)
{
    char *end;
    double value = strtod(text, &end);
    return end != text && *end == '\0' && isfinite(value) && value >= 0 ? value : NAN;
}

static int small(double value)
{
    return value >= 0 && value < 1e9 ? (int)value : -1;
}

/* `lab2_matprod` or `lab2`. */
static int lab_of(const char *name)
{
    for (int lab = 0; lab < N_LABS; lab++) {
        size_t length = strlen(lab_infos[lab].name);
        if (strncmp(name, lab_infos[lab].name, length) == 0 &&
            (name[length] == '_' || name[length] == '\0'))
            return lab;
    }
    return -1;
}

static counters counters_of(const records *file, const int *place, const char *label)
{
    counters c = {.lab = lab_of(file->fields[place[LAB]])};
    for (int i = WIDTH; i < N_COLUMNS; i++)
        c.value[i] = place[i] >= 0 ? number(file->fields[place[i]]) : NAN;
    c.at.variant = text_id(file->fields[place[VARIANT]]);
    c.at.parameters = text_id(place[PARAMETERS] >= 0 ? file->fields[place[PARAMETERS]] : "");
    c.at.width = small(c.value[WIDTH]);
    c.at.height = small(c.value[HEIGHT]);
    c.at.block_x = small(c.value[BLOCK_X]);
    c.at.block_y = small(c.value[BLOCK_Y]);
    c.at.file = text_id(label);
    c.at.line = (int)file->line;
    return c;
}

/* Reads the file; returns how many rows, the caller frees. */
static int read_counters(study *s, counters **list)
{
    char path[4096], label[64];
    const char *machine = s->gpu_recorded ? RECORDED_MACHINE : s->machine;
    int n = 0, capacity = 0, place[N_COLUMNS];
    records file;
    *list = NULL;
    if (!study_find(s, machine, "profile.csv", path, sizeof path))
        return 0;
    snprintf(label, sizeof label, "%sprofile.csv", s->gpu_recorded ? RECORDED_MACHINE "/" : "");
    bool good = records_open(&file, path) == 0;
    for (int i = 0; i < N_COLUMNS && good; i++) {
        place[i] = records_column(&file, column_names[i]);
        good = place[i] >= 0 || i == PARAMETERS || i >= ACHIEVED;
        if (!good)
            snprintf(file.error, sizeof file.error, "there is no column '%s'", column_names[i]);
    }
    while (good && records_next(&file))
        if (strcmp(file.fields[place[STATUS]], "ok") == 0) {
            *list = grow(*list, n, &capacity, sizeof **list);
            (*list)[n++] = counters_of(&file, place, label);
        }
    if (file.error[0])
        problem_file(&s->problems, "", "broken", label, file.error);
    records_close(&file);
    return n;
}

/* ---- joining --------------------------------------------------------------------------------- */

/* The view whose rows were counted: the first of the lab that has the row's work. */
static const view *view_of(const view *views, const counters *c, const row **joined)
{
    for (int i = 0; i < N_VIEWS; i++) {
        *joined = NULL;
        if (views[i].info->lab != c->lab || !view_takes(&views[i], &c->at))
            continue;
        *joined =
            view_row(&views[i].now, c->at.variant, extent_of(&c->at), c->at.block_x, c->at.block_y);
        return &views[i];
    }
    return NULL;
}

static void profile_row(table *t, const view *v, const counters *c, const row *joined)
{
    table_text(t, v->info->name);
    table_text(t, text_of(c->at.variant));
    table_size(t, v->lab->shape, c->at.width, c->at.height);
    table_block(t, v->lab->shape, &c->at);
    table_number(t, joined ? joined->occupancy * 100 : NAN);
    table_number(t, c->value[ACHIEVED] * 100);
    table_number(t, joined ? joined->bytes / 1e6 : NAN);
    table_number(t, (c->value[DRAM_READ] + c->value[DRAM_WRITE]) / 1e6);
    table_number(t, c->value[L2] / 1e6);
    table_number(t, c->value[ISSUE] * 100);
    table_number(t, c->value[SM] * 100);
    table_number(t, c->value[DRAM] * 100);
    table_end_row(t);
}

static void add(facts *f, const view *v, const char *who, const char *what, double value,
                const counters *c, const row *joined)
{
    char name[64];
    snprintf(name, sizeof name, "%s_%s", who, what);
    fact_number(f, v->info->name, name, value, FROM(&c->at, joined));
}

static void variant_facts(facts *f, const view *v, const char *who, const counters *c,
                          const row *joined)
{
    add(f, v, who, "achieved_percent", c->value[ACHIEVED] * 100, c, NULL);
    add(f, v, who, "dram_mb", (c->value[DRAM_READ] + c->value[DRAM_WRITE]) / 1e6, c, NULL);
    add(f, v, who, "l2_mb", c->value[L2] / 1e6, c, NULL);
    add(f, v, who, "issue_percent", c->value[ISSUE] * 100, c, NULL);
    add(f, v, who, "sm_percent", c->value[SM] * 100, c, NULL);
    add(f, v, who, "dram_percent", c->value[DRAM] * 100, c, NULL);
    if (joined) {
        add(f, v, who, "profile_occupancy_percent", joined->occupancy * 100, c, joined);
        add(f, v, who, "compulsory_mb", joined->bytes / 1e6, c, joined);
        if (joined->bytes > 0)
            add(f, v, who, "dram_ratio",
                (c->value[DRAM_READ] + c->value[DRAM_WRITE]) / joined->bytes, c, joined);
    }
}

/* Of the rows of one view: `naive`, and the fastest kernel among those that were counted. */
static void view_facts(facts *f, const view *views, const view *v, const counters *list, int n)
{
    const counters *naive = NULL, *fastest = NULL;
    const row *naive_row = NULL, *fastest_row = NULL, *joined;
    for (int i = 0; i < n; i++) {
        if (view_of(views, &list[i], &joined) != v)
            continue;
        if (list[i].at.variant == text_id("naive")) {
            naive = &list[i];
            naive_row = joined;
        }
        if (joined && joined->kind == KIND_GPU &&
            (!fastest || joined->time_s < fastest_row->time_s)) {
            fastest = &list[i];
            fastest_row = joined;
        }
    }
    if (naive || fastest)
        fact_flag(f, v->info->name, "profiled", true, FROM(&(naive ? naive : fastest)->at));
    if (naive)
        variant_facts(f, v, "naive", naive, naive_row);
    if (fastest) {
        fact_text(f, v->info->name, "fastest_profile_variant", text_of(fastest->at.variant),
                  FROM(&fastest->at, fastest_row));
        variant_facts(f, v, "fastest", fastest, fastest_row);
    }
}

void profile_analyse(study *s, const view *views, const char *folder, facts *f)
{
    table t;
    counters *list;
    int n = read_counters(s, &list);
    table_start(&t, folder, "profile",
                "lab,variant,size,block,occupancy_percent,achieved_percent,compulsory_mb,dram_mb,"
                "l2_mb,issue_percent,sm_percent,dram_percent");
    for (int i = 0; i < n; i++) {
        const row *joined;
        const view *v = view_of(views, &list[i], &joined);
        if (v)
            profile_row(&t, v, &list[i], joined);
    }
    table_finish(&t);
    for (int i = 0; i < N_VIEWS && n; i++)
        view_facts(f, views, &views[i], list, n);
    free(list);
}
