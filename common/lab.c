#include "lab.h"
#include "device.h"
#include "die.h"
#include "file.h"
#include "host.h"
#include "machine.h"
#include "occupancy_table.h"
#include "options.h"
#include "sweep.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

static int count_wrong(const result_table *table)
{
    int wrong = 0;
    for (int i = 0; i < table->count; i++)
        wrong += strcmp(table->rows[i].status, "wrong") == 0;
    return wrong;
}

static int sweep_one(const lab *definition, const options *o, const device *d, const char *machine,
                     sweep_results *results)
{
    options_check_blocks(o, d->properties.maxThreadsPerBlock, d->properties.maxThreadsDim);
    if (definition->configure)
        definition->configure(o->single);
    return sweep_run(definition, o, d, machine, results);
}

/*
 * The sweep, or in a default run one after the other of the lab's configurations; OpenMP scaling is
 * for the first one.
 */
static int sweep_configurations(const lab *definition, const options *o, const device *d,
                                const char *machine, sweep_results *results)
{
    int worst = 0;
    if (!definition->sweep.configurations || o->single || o->configured)
        return sweep_one(definition, o, d, machine, results);
    int most = o->cpu_threads.count ? 1 : INT_MAX;
    for (int i = 0; i < most && definition->sweep.configurations[i] && worst != EXIT_INTERRUPTED;
         i++) {
        options configured =
            options_configure(o, definition, definition->sweep.configurations[i], false);
        int status = sweep_one(definition, &configured, d, machine, results);
        worst = status ? status : worst;
        options_free(&configured);
    }
    return worst;
}

/* What the command line asks for; a default sweep ends with OpenMP scaling. */
static int sweep_all(const lab *definition, const options *o, const device *d, const char *machine,
                     sweep_results *results)
{
    int status = sweep_configurations(definition, o, d, machine, results);
    if (!definition->sweep.scaling_size || !options_are_default_sweep(o) ||
        status == EXIT_INTERRUPTED)
        return status;
    options scaling = options_for_scaling(o, definition, host_threads());
    int scaling_status = sweep_one(definition, &scaling, d, machine, results);
    options_free(&scaling);
    return scaling_status ? scaling_status : status;
}

static int run(const lab *definition, const options *o, int argc, char **argv)
{
    char name[64], error[FILE_ERROR_SIZE];
    sweep_results results = {0};
    double start = host_seconds();
    device d = device_open(o->device);
    machine_name(&d, name, sizeof name);
    run_record record = {.lab = definition->name,
                         .machine = o->machine ? o->machine : name,
                         .device = &d,
                         .argc = argc,
                         .argv = argv,
                         .clock_before_mhz = o->csv ? device_clock_mhz(&d) : -1};
    sweep_open(o, &results);
    int status = sweep_all(definition, o, &d, record.machine, &results);
    bool nothing = results.rows.count + results.kept.count == 0 && status == 0;
    if (nothing && definition->sweep.configurations && o->sizes_text)
        (void)options_configure(o, definition, definition->sweep.configurations[0],
                                true); /* says why */
    if (nothing)
        die_bad_input("nothing to run: no chosen variant belongs to these options and sizes");
    if (o->csv) {
        record.clock_after_mhz = device_clock_mhz(&d);
        record.seconds = host_seconds() - start;
        record.rows = results.rows.count;
        record.wrong_rows = count_wrong(&results.rows);
        if (run_record_write(&record, o->csv, error))
            die_bad_input("%s", error);
    }
    sweep_results_free(&results);
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
