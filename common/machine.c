#include "machine.h"
#include "die.h"
#include "file.h"
#include "host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The build tells what it was made with; a build by hand says less. */
#ifndef BUILD_COMPILER
#define BUILD_COMPILER "unknown"
#endif
#ifndef BUILD_FLAGS
#define BUILD_FLAGS "unknown"
#endif
#ifndef BUILD_COMMIT
#define BUILD_COMMIT "unknown"
#endif

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
        else if (tail > 0) {
            fwrite(text, 1, (size_t)tail + 1, out);
            text += tail;
        } else if (c == '"' || c == '\\')
            fprintf(out, "\\%c", c);
        else if (c < 0x20)
            fprintf(out, "\\u%04x", c);
        else
            fputc(c, out);
    }
    fputc('"', out);
}

static void write_text(FILE *out, const char *key, const char *value)
{
    fprintf(out, "\"%s\": ", key);
    write_string(out, value);
    fputs(", ", out);
}

static void write_device(FILE *out, const device *d)
{
    if (d->emulated) {
        fputs("\"gpu\": null, \"backend\": \"cpu\", ", out);
        return;
    }
    const struct cudaDeviceProp *p = &d->properties;
    write_text(out, "gpu", p->name);
    write_text(out, "backend", "cuda");
    fprintf(out, "\"compute_capability\": \"%d.%d\", \"multiprocessors\": %d, ", p->major, p->minor,
            p->multiProcessorCount);
    fprintf(out, "\"global_memory_bytes\": %zu, \"l2_bytes\": %d, ", p->totalGlobalMem,
            p->l2CacheSize);
    fprintf(out, "\"memory_bus_bits\": %d, \"constant_memory_bytes\": %zu, ", p->memoryBusWidth,
            p->totalConstMem);
    fprintf(out, "\"shared_memory_per_block_bytes\": %zu, \"registers_per_block\": %d, ",
            p->sharedMemPerBlock, p->regsPerBlock);
    fprintf(out, "\"warp_size\": %d, \"max_threads_per_block\": %d, ", p->warpSize,
            p->maxThreadsPerBlock);
    fprintf(out, "\"driver_cuda\": \"%d.%d\", \"runtime_cuda\": \"%d.%d\", ",
            d->driver_version / 1000, d->driver_version % 1000 / 10, d->runtime_version / 1000,
            d->runtime_version % 1000 / 10);
}

static void write_record(FILE *out, const run_record *r)
{
    char text[512], date[32];
    time_t now = time(NULL);
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
    fprintf(out, "\"%s\": {", r->lab);
    write_text(out, "machine", r->machine);
    write_device(out, r->device);
    host_cpu_name(text, sizeof text);
    write_text(out, "cpu", text);
    fprintf(out, "\"cpu_threads\": %d, \"memory_bytes\": %.0f, ", host_threads(),
            host_memory_bytes());
    host_os_name(text, sizeof text);
    write_text(out, "os", text);
    write_text(out, "compiler", BUILD_COMPILER);
    write_text(out, "flags", BUILD_FLAGS);
    write_text(out, "commit", BUILD_COMMIT);
    write_text(out, "date", date);
    fputs("\"command\": [", out);
    for (int i = 0; i < r->argc; i++) {
        fputs(i ? ", " : "", out);
        write_string(out, i ? r->argv[i] : die_program());
    }
    fprintf(out, "], \"seconds\": %.1f, \"rows\": %d, \"wrong_rows\": %d, ", r->seconds, r->rows,
            r->wrong_rows);
    if (r->clock_before_mhz >= 0 && r->clock_after_mhz >= 0)
        fprintf(out, "\"sm_clock_before_mhz\": %d, \"sm_clock_after_mhz\": %d}",
                r->clock_before_mhz, r->clock_after_mhz);
    else
        fputs("\"sm_clock_before_mhz\": null, \"sm_clock_after_mhz\": null}", out);
}

/* ---- one line per lab ----------------------------------------------------------------------- */

/* Copies the other labs' lines of the old file; returns whether there was one. */
static int copy_other_labs(FILE *out, char *old, const char *lab)
{
    int copied = 0;
    size_t length = strlen(lab);
    for (char *line = old; line && *line;) {
        char *end = strchr(line, '\n');
        size_t size = end ? (size_t)(end - line) : strlen(line);
        bool ours =
            size > length + 2 && memcmp(line + 1, lab, length) == 0 && line[length + 1] == '"';
        while (size && (line[size - 1] == '\r' || line[size - 1] == ','))
            size--;
        bool whole = size > 2 && line[0] == '"' && line[size - 1] == '}';
        if (whole && !ours) {
            fprintf(out, "%s%.*s", copied ? ",\n" : "", (int)size, line);
            copied = 1;
        }
        line = end ? end + 1 : NULL;
    }
    return copied;
}

int run_record_write(const run_record *record, const char *csv_path, char *error)
{
    char path[4096], ignored[FILE_ERROR_SIZE];
    const char *slash = strrchr(csv_path, '/');
    int folder = slash ? (int)(slash - csv_path + 1) : 0;
    snprintf(path, sizeof path, "%.*srun.json", folder, csv_path);

    uint8_t *bytes = NULL;
    size_t size = 0;
    char *old = NULL;
    if (file_read(path, &bytes, &size, ignored) == 0) {
        old = allocate(size + 1);
        memcpy(old, bytes, size);
        old[size] = '\0';
        free(bytes);
    }
    file_draft file;
    int failed = file_create(&file, path, error);
    if (!failed) {
        fputs("{\n", file.stream);
        if (copy_other_labs(file.stream, old, record->lab))
            fputs(",\n", file.stream);
        write_record(file.stream, record);
        fputs("\n}\n", file.stream);
        failed = file_commit(&file, error);
    }
    free(old);
    return failed;
}
