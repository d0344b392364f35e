#define _POSIX_C_SOURCE 200809L /* getline */

#include "run_record.h"
#include "build.h"
#include "die.h"
#include "host.h"

#include <stdarg.h>
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
    int tail = c < 0x80 ? 0 : c >= 0xC2 && c < 0xE0 ? 1 : (c & 0xF0) == 0xE0 ? 2 : -1;
    if (c >= 0xF0 && c < 0xF5)
        tail = 3;
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

/* `, "key": ` and a number. */
__attribute__((format(printf, 3, 4))) static void write_number(FILE *out, const char *key,
                                                               const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(out, ", \"%s\": ", key);
    vfprintf(out, format, arguments);
    va_end(arguments);
}

static void write_clock(FILE *out, const char *key, int mhz)
{
    if (mhz >= 0)
        write_number(out, key, "%d", mhz);
    else
        write_number(out, key, "null");
}

static void write_device(FILE *out, const device *d)
{
    const struct cudaDeviceProp *p = &d->properties;
    if (d->emulated) {
        fputs(", \"gpu\": null, \"backend\": \"cpu\"", out);
        return;
    }
    write_text(out, "gpu", p->name);
    write_text(out, "backend", "cuda");
    write_number(out, "compute_capability", "\"%d.%d\"", p->major, p->minor);
    write_number(out, "multiprocessors", "%d", p->multiProcessorCount);
    write_number(out, "global_memory_bytes", "%zu", p->totalGlobalMem);
    write_number(out, "l2_bytes", "%d", p->l2CacheSize);
    write_number(out, "memory_bus_bits", "%d", p->memoryBusWidth);
    write_number(out, "constant_memory_bytes", "%zu", p->totalConstMem);
    write_number(out, "shared_memory_per_block_bytes", "%zu", p->sharedMemPerBlock);
    write_number(out, "registers_per_block", "%d", p->regsPerBlock);
    write_number(out, "warp_size", "%d", p->warpSize);
    write_number(out, "max_threads_per_block", "%d", p->maxThreadsPerBlock);
    write_number(out, "driver_cuda", "\"%d.%d\"", d->driver_version / 1000,
                 d->driver_version % 1000 / 10);
    write_number(out, "runtime_cuda", "\"%d.%d\"", d->runtime_version / 1000,
                 d->runtime_version % 1000 / 10);
}

static void write_host(FILE *out)
{
    char text[512];
    host_cpu_name(text, sizeof text);
    write_text(out, "cpu", text);
    write_number(out, "cpu_threads", "%d", host_threads());
    write_number(out, "memory_bytes", "%.0f", host_memory_bytes());
    host_os_name(text, sizeof text);
    write_text(out, "os", text);
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
    fputs("]", out);
    write_number(out, "seconds", "%.1f", r->seconds);
    write_number(out, "rows", "%d", r->rows.rows);
    write_number(out, "wrong_rows", "%d", r->rows.wrong);
    write_number(out, "failed_rows", "%d", r->rows.failed);
    write_clock(out, "sm_clock_before_mhz", r->clock_before_mhz);
    write_clock(out, "sm_clock_after_mhz", r->clock_after_mhz);
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

static int replace_line(const run_record *record, const char *path, FILE_ERROR(error))
{
    file_draft file;
    if (file_create(&file, path, error))
        return -1;
    fputs("{\n", file.stream);
    copy_other_labs(file.stream, path, record->lab);
    write_record(file.stream, record);
    fputs("\n}\n", file.stream);
    return file_commit(&file, error);
}

int run_record_write(const run_record *record, const char *csv_path, FILE_ERROR(error))
{
    char path[4096];
    const char *slash = strrchr(csv_path, '/');
    int folder = slash ? (int)(slash - csv_path + 1) : 0;
    snprintf(path, sizeof path, "%.*srun.json", folder, csv_path);
    int lock = file_lock(path);
    int failed = replace_line(record, path, error);
    file_unlock(lock);
    return failed;
}
