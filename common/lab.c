#include "lab.h"
#include "build.h"
#include "device.h"
#include "die.h"
#include "file.h"
#include "host.h"
#include "occupancy_table.h"
#include "options.h"
#include "run_record.h"
#include "store.h"
#include "sweep.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- sweeps --------------------------------------------------------------------------------- */

/* The worse of two exit statuses; that of a sweep without a case is the least of all. */
static int worse(int a, int b)
{
    return a > b ? a : b;
}

static int sweep_one(const lab *definition, const options *o, const device *d, const char *machine,
                     store *rows)
{
    options_check_blocks(o, d->properties.maxThreadsPerBlock, d->properties.maxThreadsDim);
    if (definition->configure)
        definition->configure();
    return sweep_run(definition, o, d, machine, rows);
}

/*
 * The sweep, or in a default run one after the other of the lab's configurations; OpenMP scaling is
 * for the first one.
 */
static int sweep_configurations(const lab *definition, const options *o, const device *d,
                                const char *machine, store *rows)
{
    int worst = SWEEP_NOTHING;
    if (!definition->sweep.configurations || o->single || o->configured)
        return sweep_one(definition, o, d, machine, rows);
    int most = o->cpu_threads.count ? 1 : INT_MAX;
    for (int i = 0; i < most && definition->sweep.configurations[i] && worst != EXIT_INTERRUPTED;
         i++) {
        options configured =
            options_configure(o, definition, definition->sweep.configurations[i], false);
        worst = worse(worst, sweep_one(definition, &configured, d, machine, rows));
        options_free(&configured);
    }
    return worst;
}

/* What the command line asks for; a default sweep ends with OpenMP scaling. */
static int sweep_all(const lab *definition, const options *o, const device *d, const char *machine,
                     store *rows)
{
    int status = sweep_configurations(definition, o, d, machine, rows);
    if (!definition->sweep.scaling_size || !options_are_default_sweep(o) ||
        status == EXIT_INTERRUPTED)
        return status;
    options scaling = options_for_scaling(o, definition, host_threads());
    status = worse(status, sweep_one(definition, &scaling, d, machine, rows));
    options_free(&scaling);
    return status;
}

static void refuse_nothing(const lab *definition, const options *o)
{
    if (definition->sweep.configurations && o->sizes_text) /* strict, which may say why */
        (void)options_configure(o, definition, definition->sweep.configurations[0], true);
    die_bad_input("nothing to run: no chosen variant belongs to these options and sizes");
}

/* ---- the whole run -------------------------------------------------------------------------- */

/* Where the rows go: a path that the caller frees, or NULL. Makes the folder of --results. */
static char *rows_path(const lab *definition, const options *o, const char *machine)
{
    const char *name = o->csv ? o->csv : o->results;
    if (name && o->results && this_build.checks) {
        fprintf(stderr, "%s: this build is for checks (CHECK=); nothing goes to %s\n",
                definition->name, o->results);
        name = NULL;
    }
    if (!name)
        return NULL;
    size_t bytes = strlen(name) + strlen(machine) + strlen(definition->name) + sizeof "//.csv";
    char *path = allocate(bytes);
    if (o->csv)
        snprintf(path, bytes, "%s", name);
    else
        snprintf(path, bytes, "%s/%s/%s.csv", name, machine, definition->name);
    if (o->results)
        file_make_folders(path);
    return path;
}

static int run(const lab *definition, const options *o, int argc, char **argv)
{
    char name[64];
    double start = host_seconds();
    device d = device_open(o->device);
    machine_name(&d, name, sizeof name);
    const char *machine = o->machine ? o->machine : name;
    char *path = rows_path(definition, o, machine);
    int clock_before = path ? device_clock_mhz(&d) : -1;
    store rows = store_open(path, o->fresh);
    int status = sweep_all(definition, o, &d, machine, &rows);
    if (status == SWEEP_NOTHING)
        refuse_nothing(definition, o);
    if (rows.counts.emulated > 0)
        puts("(emulated: these kernels ran on the CPU, for correctness; they have no times)");
    if (path) {
        run_record record = {.lab = definition->name,
                             .machine = machine,
                             .date = rows.date,
                             .device = &d,
                             .argc = argc,
                             .argv = argv,
                             .seconds = host_seconds() - start,
                             .clock_before_mhz = clock_before,
                             .clock_after_mhz = device_clock_mhz(&d),
                             .rows = rows.counts};
        run_record_write(&record, path);
    }
    store_free(&rows);
    free(path);
    return status;
}

static void print_machine(const options *o)
{
    char name[64];
    device d = device_open(o->device);
    machine_name(&d, name, sizeof name);
    puts(name);
}

int lab_main(const lab *definition, int argc, char **argv)
{
    int status = 0;
    die_set_program(argv[0]);
    options o = options_parse(definition, argc, argv);
    if (o.help)
        options_print_help(definition);
    else if (o.list)
        options_print_variants(definition);
    else if (o.describe)
        options_print_description(definition);
    else if (o.print_machine && o.occupancy_of)
        occupancy_table_print_architecture(&o);
    else if (o.print_machine)
        print_machine(&o);
    else if (o.occupancy_of)
        occupancy_table_print(definition, &o);
    else
        status = run(definition, &o, argc, argv);
    options_free(&o);
    return status;
}
