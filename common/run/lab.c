#include "lab.h"
#include "command_line/options.h"
#include "command_line/progress.h"
#include "command_line/relaunch.h"
#include "files/file.h"
#include "judge.h"
#include "machine/device.h"
#include "machine/host.h"
#include "measure/handed_in.h"
#include "occupancy_table.h"
#include "process/die.h"
#include "rows/build.h"
#include "rows/store.h"
#include "run_record.h"
#include "sweep.h"

#include <omp.h>
#include <stdio.h>

/* ---- sweeps --------------------------------------------------------------------------------- */

/* Each of these tells whether there was a case to run. */
static bool sweep_one(const lab *definition, const options *o, const device *d, const char *machine,
                      store *rows)
{
    if (definition->configure)
        definition->configure();
    return sweep_run(definition, o, d, machine, rows);
}

/* One sweep after the other, with each of these settings. */
static bool sweep_settings(const lab *definition, const options *o, const lab_settings *settings,
                           const device *d, const char *machine, store *rows)
{
    bool any = false;
    for (; settings->options && !interrupted(); settings++) {
        if (options_leave_out(o, settings))
            continue;
        options configured = options_configure(o, definition, settings->options, false);
        any |= sweep_one(definition, &configured, d, machine, rows);
        options_free(&configured);
    }
    return any;
}

/* A stream of frames, the user's or that of a default sweep. */
static bool sweep_stream(const lab *definition, const options *o, const device *d,
                         const char *machine, store *rows)
{
    options frames = options_for_stream(o, definition, d->emulated);
    bool any = sweep_one(definition, &frames, d, machine, rows);
    options_free(&frames);
    return any;
}

/* The sweep, or in a default run those of the lab's configurations. */
static bool sweep_configurations(const lab *definition, const options *o, const device *d,
                                 const char *machine, store *rows)
{
    const lab_settings *settings = definition->sweep.configurations;
    if (!settings || o->single || o->configured)
        return sweep_one(definition, o, d, machine, rows);
    if (o->cpu_threads.count)
        settings = options_scaling(definition);
    return sweep_settings(definition, o, settings, d, machine, rows);
}

/*
 * Over several GPUs: what the lab has for them. Sizes that the user gave are gone through once, not
 * with each of its settings, and settings of the user's own take their place.
 */
static bool sweep_divided(const lab *definition, const options *o, const device *d,
                          const char *machine, store *rows)
{
    bool any = false;
    if (!definition->sweep.divided)
        die_bad_input("%s has no variants for several GPUs", definition->name);
    const lab_settings *s = definition->sweep.divided;
    for (; s->options && !interrupted(); s++) {
        options divided = options_for_ranks(o, definition, s->options);
        any |= sweep_one(definition, &divided, d, machine, rows);
        options_free(&divided);
        if (o->sizes_given)
            break;
    }
    return any;
}

/* What the command line asks for; a default sweep ends with a stream and OpenMP scaling, with
 * --full with hot data, too. */
static bool sweep_all(const lab *definition, const options *o, const device *d, const char *machine,
                      store *rows)
{
    if (o->divided || (ranks_now().count > 1 && !o->single))
        return sweep_divided(definition, o, d, machine, rows);
    if (o->frames)
        return sweep_stream(definition, o, d, machine, rows);
    bool any = sweep_configurations(definition, o, d, machine, rows);
    if (!options_are_default_sweep(o))
        return any;
    if (o->full && !d->emulated && !o->hot && !interrupted()) {
        options hot = options_for_hot(o, definition);
        any |= sweep_one(definition, &hot, d, machine, rows);
        options_free(&hot);
    }
    if (definition->sweep.stream && !interrupted())
        any |= sweep_stream(definition, o, d, machine, rows);
    if (!definition->sweep.scaling_size || interrupted())
        return any;
    options scaled = options_with_threads(o, omp_get_max_threads());
    return sweep_settings(definition, &scaled, options_scaling(definition), d, machine, rows) ||
           any;
}

static int exit_status(const store_counts *rows)
{
    if (interrupted())
        return EXIT_INTERRUPTED;
    return rows->failed ? EXIT_CUDA_ERROR : rows->wrong ? EXIT_WRONG_RESULT : 0;
}

/* ---- the whole run -------------------------------------------------------------------------- */

/* Returns the file that the rows go to, or NULL. Makes the folder of --results. */
static const char *rows_path(const lab *definition, const options *o, const char *machine)
{
    static char path[8192];
    if (!o->results)
        return o->csv;
    if (this_build.checks) {
        fprintf(stderr, "%s: this build is for checks (CHECK=); nothing goes to %s\n",
                definition->name, o->results);
        return NULL;
    }
    snprintf(path, sizeof path, "%s/%s/%s.csv", o->results, machine, definition->name);
    file_make_folders(path);
    return path;
}

/* Ranks that run other programs would wait for one another for ever. */
static void agree_on_build(const lab *definition)
{
    char text[128];
    snprintf(text, sizeof text, "%s of commit %s, %s", definition->name, this_build.commit,
             this_build.compiler);
    ranks_agree_on_build(text);
}

static int run(const lab *definition, const options *o, int argc, char **argv)
{
    char name[64];
    double start = host_seconds();
    agree_on_build(definition);
    device d = device_open(o->device);
    const ranks all = ranks_now();
    machine_name(&d, name, sizeof name);
    if (o->print_machine) {
        puts(name);
        return 0;
    }
    if (o->declared)
        handed_in_declare(o->declared);
    if (o->kernel && handed_in_names(definition, o->kernel, o->blocks.items, o->blocks.count))
        return 0;
    if (o->kernel)
        handed_in_open(definition, o->kernel);
    if (o->judge) {
        if (definition->configure)
            definition->configure();
        return judge_run(definition, o, &d);
    }
    const char *machine = o->machine ? o->machine : name;
    const char *path = all.rank == 0 ? rows_path(definition, o, machine) : NULL;
    device_state before = {0};
    if (path)
        before = device_state_now(&d);
    store rows = store_open(path, o->fresh);
    if (!sweep_all(definition, o, &d, machine, &rows) && !interrupted()) {
        if (definition->sweep.configurations && o->sizes_text) /* strict, which may say why */
            (void)options_configure(o, definition, definition->sweep.configurations->options, true);
        die_bad_input("nothing to run: no chosen variant belongs to these options and sizes");
    }
    int status = exit_status(&rows.counts);
    if (options_are_default_sweep(o) && !interrupted())
        store_drop_unlisted(&rows, definition, machine);
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
                             .before = before,
                             .after = device_state_now(&d),
                             .rows = rows.counts};
        run_record_write(&record, path);
    }
    store_free(&rows);
    ranks_end();
    (void)cudaDeviceReset(); /* what is not free by now NVIDIA's memcheck calls a leak */
    return status;
}

int lab_main(const lab *definition, int argc, char **argv)
{
    int status = 0;
    die_set_program(argv[0]);
    ranks_start(&argc, &argv);
    options o = options_parse(definition, argc, argv);
    if (o.help)
        options_print_help(definition);
    else if (o.list)
        options_print_variants(definition);
    else if (o.describe)
        options_print_description(definition);
    else if (o.print_machine && o.occupancy_of)
        occupancy_table_print_architecture(&o);
    else if (o.occupancy_of)
        occupancy_table_print(definition, &o);
    else if (o.gpus.count)
        status = relaunch(definition, &o, argc, argv);
    else
        status = run(definition, &o, argc, argv);
    options_free(&o);
    if (fflush(stdout) != 0 || ferror(stdout))
        die_bad_input("standard output: some of it was lost; is the disk full?");
    return status;
}
