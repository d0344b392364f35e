#define _POSIX_C_SOURCE 200809L /* getline */

#include "run_record.h"
#include "files/file.h"
#include "machine/host.h"
#include "process/die.h"
#include "rows/build.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

void machine_name(const device *d, char *text, size_t bytes)
{
    char name[256];
    if (d->emulated)
        host_cpu_name(name, sizeof name);
    else
        snprintf(name, sizeof name, "%s", d->properties.name);
    host_short_name(name, text, bytes);
}

/* ---- JSON ----------------------------------------------------------------------------------- */

/* How many bytes follow in the UTF-8 character at text: 0 to 3; -1 if it is none. */
static int utf8_tail(const char *text)
{
    unsigned char c = (unsigned char)*text;
    int tail = c < 0x80 ? 0 : c < 0xC2 ? -1 : c < 0xE0 ? 1 : c < 0xF0 ? 2 : c < 0xF5 ? 3 : -1;
    for (int i = 1; i <= tail; i++)
        if (((unsigned char)text[i] & 0xC0) != 0x80)
            return -1;
    return tail;
}

static void write_string(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        int tail = utf8_tail(text);
        if (tail < 0)
            fputs("\\ufffd", out); /* not UTF-8: a file name may hold any bytes */
        else if (c == '"' || c == '\\')
            fprintf(out, "\\%c", c);
        else if (c < 0x20)
            fprintf(out, "\\u%04x", c);
        else
            fwrite(text, 1, (size_t)tail + 1, out);
        text += tail > 0 ? tail : 0;
    }
    fputc('"', out);
}

static void write_text(FILE *out, const char *key, const char *value)
{
    fprintf(out, ", \"%s\": ", key);
    write_string(out, value);
}

/* What is not known is null: numbers below `least`, and empty texts. */
static void write_number(FILE *out, const char *key, double value, double least)
{
    fprintf(out, ", \"%s\": ", key);
    fprintf(out, value >= least ? "%.0f" : "null", value);
}

static void write_known(FILE *out, const char *key, const char *value)
{
    if (value[0])
        write_text(out, key, value);
    else
        fprintf(out, ", \"%s\": null", key);
}

/* Writes the sides of the greatest block or grid: columns x rows x layers. */
static void write_sides(FILE *out, const char *key, const int side[3])
{
    fprintf(out, ", \"%s\": \"%d x %d x %d\"", key, side[0], side[1], side[2]);
}

static void write_device(FILE *out, const device *d)
{
    const struct cudaDeviceProp *p = &d->properties;
    int driver = d->driver_version, runtime = d->runtime_version;
    if (d->emulated) {
        fputs(", \"gpu\": null, \"backend\": \"cpu\"", out);
        return;
    }
    write_text(out, "gpu", p->name);
    fprintf(out, ", \"backend\": \"cuda\", \"compute_capability\": \"%d.%d\"", p->major, p->minor);
    fprintf(out, ", \"multiprocessors\": %d, \"global_memory_bytes\": %zu", p->multiProcessorCount,
            p->totalGlobalMem);
    fprintf(out, ", \"l2_bytes\": %d, \"memory_bus_bits\": %d, \"constant_memory_bytes\": %zu",
            p->l2CacheSize, p->memoryBusWidth, p->totalConstMem);
    fprintf(out, ", \"shared_memory_per_block_bytes\": %zu, \"registers_per_block\": %d",
            p->sharedMemPerBlock, p->regsPerBlock);
    fprintf(out, ", \"warp_size\": %d, \"max_threads_per_block\": %d", p->warpSize,
            p->maxThreadsPerBlock);
    write_sides(out, "max_block_dimensions", p->maxThreadsDim);
    write_sides(out, "max_grid_dimensions", p->maxGridSize);
    fprintf(out, ", \"driver_cuda\": \"%d.%d\", \"runtime_cuda\": \"%d.%d\"", driver / 1000,
            driver % 1000 / 10, runtime / 1000, runtime % 1000 / 10);
}

/* Board, power and clocks: what the device's properties do not tell. */
static void write_state(FILE *out, const device_state *before, const device_state *after)
{
    write_known(out, "driver", before->driver);
    write_known(out, "ecc", before->ecc);
    write_number(out, "power_limit_w", before->power_limit_w, 0);
    write_number(out, "sm_clock_max_mhz", before->sm_clock_max_mhz, 0);
    write_number(out, "memory_clock_max_mhz", before->memory_clock_max_mhz, 0);
    write_number(out, "sm_clock_before_mhz", before->sm_clock_mhz, 0);
    write_number(out, "sm_clock_after_mhz", after->sm_clock_mhz, 0);
}

static void write_cpus(FILE *out, const host_cpus *cpus)
{
    write_known(out, "cpu_model", cpus->model);
    write_number(out, "cpu_sockets", cpus->sockets, 1);
    write_number(out, "cpu_cores", cpus->cores, 1);
    write_number(out, "cpu_l1d_bytes", cpus->l1_data_bytes, 1);
    write_number(out, "cpu_l2_bytes", cpus->l2_bytes, 1);
    write_number(out, "cpu_l3_bytes", cpus->l3_bytes, 1);
}

static void write_host(FILE *out)
{
    char text[512];
    host_cpus cpus = host_read_cpus("");
    host_cpu_name(text, sizeof text);
    write_text(out, "cpu", text);
    write_cpus(out, &cpus);
    fprintf(out, ", \"cpu_threads\": %d, \"memory_bytes\": %.0f", omp_get_max_threads(),
            host_memory_bytes());
    host_os_name(text, sizeof text);
    write_text(out, "os", text);
    host_id(text);
    write_text(out, "host", text);
}

static void write_record(FILE *out, const run_record *r)
{
    fprintf(out, "\"%s\": {\"machine\": ", r->lab);
    write_string(out, r->machine);
    write_device(out, r->device);
    write_host(out);
    write_text(out, "compiler", this_build.compiler);
    write_text(out, "flags", this_build.flags);
    write_text(out, "commit", this_build.commit);
    write_text(out, "date", r->date);
    fputs(", \"command\": [", out);
    for (int i = 0; i < r->argc; i++) {
        fputs(i ? ", " : "", out);
        write_string(out, i ? r->argv[i] : die_program());
    }
    fprintf(out, "], \"seconds\": %.1f, \"rows\": %d", r->seconds, r->rows.rows);
    fprintf(out, ", \"wrong_rows\": %d, \"failed_rows\": %d", r->rows.wrong, r->rows.failed);
    write_state(out, &r->before, &r->after);
    fputs("}", out);
}

/* ---- one line per lab ----------------------------------------------------------------------- */

/* The other labs' lines of the old file, each with a comma behind it. */
static void copy_other_labs(FILE *out, const char *path, const char *lab)
{
    char *line = NULL, ours[80];
    size_t room = 0;
    FILE *old = fopen(path, "r");
    if (!old)
        return;
    snprintf(ours, sizeof ours, "\"%s\":", lab);
    while (getline(&line, &room, old) > 0) {
        size_t length = strlen(line);
        while (length && strchr("\r\n,", line[length - 1]))
            line[--length] = '\0';
        if (length > 2 && line[0] == '"' && line[length - 1] == '}' &&
            strncmp(line, ours, strlen(ours)) != 0)
            fprintf(out, "%s,\n", line);
    }
    free(line);
    fclose(old);
}

static void replace_line(const run_record *record, const char *path)
{
    file_draft file = file_create(path);
    fputs("{\n", file.stream);
    copy_other_labs(file.stream, path, record->lab);
    write_record(file.stream, record);
    fputs("\n}\n", file.stream);
    file_commit(&file);
}

void run_record_write(const run_record *record, const char *csv_path)
{
    char path[4096];
    const char *slash = strrchr(csv_path, '/');
    int folder = slash ? (int)(slash - csv_path + 1) : 0;
    snprintf(path, sizeof path, "%.*srun.json", folder, csv_path);
    file_lock lock = file_lock_take(path);
    replace_line(record, path);
    file_lock_release(&lock);
}
