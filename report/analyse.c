/*
 * analyse.c - results to tables and facts, for the report and its figures.
 *
 *     analyse [--results DIR] [--reference DIR] --out DIR MACHINE
 *     analyse [--results DIR] [--reference DIR] --out DIR --compare MACHINE...
 *
 * Reads what a machine measured, from RESULTS/MACHINE or REFERENCE/MACHINE, and writes tables of it
 * to OUT/tables/NAME.csv and single facts to OUT/facts.csv; TABLES.md lists them. With --compare
 * one table sets several machines side by side.
 *
 * Exit status: 0, also where rows or files are missing, wrong or broken, which problems.csv tells;
 * 2 for a wrong command line, a machine without results, or an OUT that cannot be written.
 */
#define _POSIX_C_SOURCE 200809L

#include "ceilings.h"
#include "compare.h"
#include "die.h"
#include "environment.h"
#include "facts.h"
#include "growth.h"
#include "labs.h"
#include "occupancy_2012.h"
#include "profile.h"
#include "scaling.h"
#include "split.h"
#include "study.h"
#include "transfers.h"
#include "view.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct command {
    const char *results, *reference, *out;
    bool compare;
    char **machines;
    int n_machines;
} command;

static const char usage[] =
    "usage: analyse [--results DIR] [--reference DIR] --out DIR MACHINE\n"
    "       analyse [--results DIR] [--reference DIR] --out DIR --compare MACHINE...\n"
    "Tables and facts of a machine's results, into DIR/tables and DIR/facts.csv.\n"
    "  --results DIR    where MACHINE/labN_*.csv lie (default data/results)\n"
    "  --reference DIR  where else, and what they are compared with (default data/reference)\n"
    "  --out DIR        what to write to; made if it is not there\n"
    "  --compare        one table of all the machines\n";

static command parse(int argc, char **argv)
{
    command c = {.results = "data/results", .reference = "data/reference"};
    c.machines = allocate((unsigned long long)argc * sizeof *c.machines);
    for (int i = 1; i < argc; i++) {
        const char *option = argv[i];
        const char **folder = strcmp(option, "--results") == 0     ? &c.results
                              : strcmp(option, "--reference") == 0 ? &c.reference
                              : strcmp(option, "--out") == 0       ? &c.out
                                                                   : NULL;
        if (folder && ++i >= argc)
            die_bad_input("%s needs a folder", option);
        if (folder) {
            *folder = argv[i];
        } else if (strcmp(option, "--compare") == 0) {
            c.compare = true;
        } else if (strcmp(option, "--help") == 0 || strcmp(option, "-h") == 0) {
            fputs(usage, stdout);
            exit(0);
        } else if (option[0] == '-') {
            die_bad_input("unknown option '%s'; --help lists them", option);
        } else {
            c.machines[c.n_machines++] = argv[i];
        }
    }
    return c;
}

static void check(const command *c)
{
    if (!c->out || !c->out[0])
        die_bad_input("--out DIR is needed: where to write");
    if (c->n_machines == 0)
        die_bad_input("which machine? A folder's name in %s or %s", c->results, c->reference);
    if (c->n_machines > 1 && !c->compare)
        die_bad_input("one machine, or --compare for several");
    for (int i = 0; i < c->n_machines; i++)
        if (!c->machines[i][0] || c->machines[i][0] == '.' || strchr(c->machines[i], '/'))
            die_bad_input("'%s' is not the name of a folder in %s", c->machines[i], c->results);
}

static void make_folders(const char *path)
{
    char part[4096];
    if (snprintf(part, sizeof part, "%s", path) >= (int)sizeof part)
        die_bad_input("%.100s...: a path too long", path);
    for (char *c = part + 1;; c++) {
        if (*c != '/' && *c != '\0')
            continue;
        char kept = *c;
        *c = '\0';
        if (mkdir(part, 0777) != 0 && errno != EEXIST)
            die_bad_input("%s: cannot make the folder: %s", part, strerror(errno));
        if (!kept)
            break;
        *c = kept;
    }
}

static void read_machine(study *s, const command *c, const char *machine, bool beside)
{
    study_read(s, c->results, c->reference, machine, beside);
    if (!s->any_file)
        die_bad_input("no results for '%s' in %s or %s", machine, c->results, c->reference);
}

static void analyse(const command *c, const char *tables)
{
    study s;
    view views[N_VIEWS];
    facts f = {0};
    read_machine(&s, c, c->machines[0], true);
    for (int i = 0; i < N_VIEWS; i++)
        view_read(&views[i], &s, &view_infos[i]);
    environment_facts(&s, &f);
    environment_tables(&s, tables);
    for (int i = 0; i < N_VIEWS; i++) {
        lab_tables(&views[i], tables);
        lab_facts(&views[i], &f);
    }
    ceilings measured = ceilings_of(&s);
    ceilings_analyse(&measured, views, tables, &f);
    growth_analyse(views, &measured, tables, &f);
    scaling_analyse(&s, &measured, tables, &f);
    split_analyse(views, tables, &f);
    transfers_analyse(&s, tables, &f);
    profile_analyse(&s, views, tables, &f);
    occupancy_2012_table(tables);
    problems_write(&s.problems, tables);
    facts_write(&f, c->out);
    facts_free(&f);
    for (int i = 0; i < N_VIEWS; i++)
        view_free(&views[i]);
    study_free(&s);
}

static void compare_machines(const command *c, const char *tables)
{
    study *studies = allocate((unsigned long long)c->n_machines * sizeof *studies);
    facts f = {0};
    for (int i = 0; i < c->n_machines; i++)
        read_machine(&studies[i], c, c->machines[i], false);
    compare_analyse(studies, c->n_machines, tables, &f);
    facts_write(&f, c->out);
    facts_free(&f);
    for (int i = 0; i < c->n_machines; i++)
        study_free(&studies[i]);
    free(studies);
}

int main(int argc, char **argv)
{
    char tables[4096];
    die_set_program(argv[0]);
    command c = parse(argc, argv);
    check(&c);
    if (snprintf(tables, sizeof tables, "%s/tables", c.out) >= (int)sizeof tables)
        die_bad_input("%.100s...: a path too long", c.out);
    make_folders(tables);
    if (c.compare)
        compare_machines(&c, tables);
    else
        analyse(&c, tables);
    free(c.machines);
    return 0;
}
