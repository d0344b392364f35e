/* environment.c - see environment.h. The values of 2012 are those of tables 3 and 4 of its report.
 */
#include "environment.h"
#include "text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VALUE_SIZE = 512 };

/* ---- values ---------------------------------------------------------------------------------- */

static const char *copied(char *text, const char *value)
{
    snprintf(text, VALUE_SIZE, "%s", value);
    return text;
}

/* A number of bytes in GiB, MiB or bytes; "" if it is none. */
static const char *bytes_text(char *text, const char *bytes, double unit, const char *name)
{
    char number[LABEL_SIZE];
    double value = strtod(bytes, NULL);
    text[0] = '\0';
    if (value > 0)
        snprintf(text, VALUE_SIZE, "%s %s", number_text(number, value / unit, 4), name);
    return text;
}

/* `nvcc 13.0, gcc (Ubuntu ...) 13.3.0` holds both compilers. */
static const char *gpu_compiler(char *text, const run_json *run)
{
    copied(text, run_json_text(run, "compiler"));
    if (strncmp(text, "nvcc", 4) != 0)
        return "";
    text[strcspn(text, ",")] = '\0';
    return text;
}

static const char *cpu_compiler(char *text, const run_json *run)
{
    const char *both = run_json_text(run, "compiler"), *second = strstr(both, ", ");
    return copied(text, strncmp(both, "nvcc", 4) == 0 && second ? second + 2 : both);
}

static const char *date_of(char *text, const run_json *run)
{
    copied(text, run_json_text(run, "date"));
    text[strcspn(text, "T")] = '\0';
    return text;
}

/*
 * CUDA cores (FP32 lanes) of a multiprocessor, by compute capability: CUDA C++ Programming Guide,
 * "Arithmetic Instructions". 0: not listed.
 */
static int cores_per_multiprocessor(const char *capability)
{
    static const struct {
        const char *capability;
        int cores;
    } table[] = {{"5.0", 128},  {"5.2", 128},  {"5.3", 128}, {"6.0", 64},  {"6.1", 128},
                 {"6.2", 128},  {"7.0", 64},   {"7.2", 64},  {"7.5", 64},  {"8.0", 64},
                 {"8.6", 128},  {"8.7", 128},  {"8.9", 128}, {"9.0", 128}, {"10.0", 128},
                 {"10.3", 128}, {"12.0", 128}, {"12.1", 128}};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (strcmp(table[i].capability, capability) == 0)
            return table[i].cores;
    return 0;
}

static const char *cores_text(char *text, const run_json *run)
{
    int multiprocessors = atoi(run_json_text(run, "multiprocessors"));
    int cores = cores_per_multiprocessor(run_json_text(run, "compute_capability"));
    text[0] = '\0';
    if (multiprocessors > 0 && cores > 0)
        snprintf(text, VALUE_SIZE, "%d", multiprocessors * cores);
    return text;
}

static const char *with_unit(char *text, const char *number, const char *unit)
{
    text[0] = '\0';
    if (number[0])
        snprintf(text, VALUE_SIZE, "%s %s", number, unit);
    return text;
}

/* ---- tables ---------------------------------------------------------------------------------- */

static void item(table *t, const char *name, const char *now, const char *past)
{
    table_text(t, name);
    table_text(t, now);
    table_text(t, past);
    table_end_row(t);
}

static void environment_table(const study *s, const char *folder)
{
    table t;
    char text[VALUE_SIZE], gpu[VALUE_SIZE];
    const run_json *run = &s->run, *card = study_gpu_run(s);
    const char *gpu_name = run_json_text(card, "gpu");
    snprintf(gpu, sizeof gpu, "%s%s", gpu_name,
             s->gpu_recorded && gpu_name[0] ? " (recorded)" : "");
    table_start(&t, folder, "environment", "item,this,past");
    item(&t, "OS", run_json_text(run, "os"), "Ubuntu 10.04 LTS (64bit)");
    item(&t, "CPU", run_json_text(run, "cpu"), "2 x Intel Xeon E5450, 3.00 GHz");
    item(&t, "CPU threads", run_json_text(run, "cpu_threads"),
         "16 (as printed; the two have 8 cores)");
    item(&t, "memory", bytes_text(text, run_json_text(run, "memory_bytes"), 1 << 30, "GiB"),
         "16 GB");
    item(&t, "GPU", gpu, "NVIDIA Tesla C2050");
    item(&t, "GPU memory",
         bytes_text(text, run_json_text(card, "global_memory_bytes"), 1 << 30, "GiB"), "3 GB");
    item(&t, "CPU compiler", cpu_compiler(text, run), "gcc 4.3.4");
    item(&t, "GPU compiler", gpu_compiler(text, card), "NVIDIA CUDA compiler driver 4.0");
    item(&t, "commit", run_json_text(run, "commit"), "");
    item(&t, "date", date_of(text, run), "2012-07-17");
    table_finish(&t);
}

static void device_table(const study *s, const char *folder)
{
    table t;
    char text[VALUE_SIZE];
    const run_json *card = study_gpu_run(s);
    table_start(&t, folder, "device", "item,this,past");
    if (run_json_text(card, "gpu")[0]) {
        item(&t, "CUDA driver", run_json_text(card, "driver_cuda"), "4.10");
        item(&t, "CUDA runtime", run_json_text(card, "runtime_cuda"), "4.0");
        item(&t, "compute capability", run_json_text(card, "compute_capability"), "2.0");
        item(&t, "multiprocessors", run_json_text(card, "multiprocessors"), "14");
        item(&t, "CUDA cores", cores_text(text, card), "448");
        item(&t, "clock", with_unit(text, run_json_text(card, "sm_clock_before_mhz"), "MHz"),
             "1150 MHz");
        item(&t, "global memory",
             bytes_text(text, run_json_text(card, "global_memory_bytes"), 1 << 20, "MiB"),
             "2687 MB");
        item(&t, "memory bus", with_unit(text, run_json_text(card, "memory_bus_bits"), "bit"),
             "384 bit");
        item(&t, "constant memory",
             with_unit(text, run_json_text(card, "constant_memory_bytes"), "bytes"), "65536 bytes");
        item(&t, "shared memory per block",
             with_unit(text, run_json_text(card, "shared_memory_per_block_bytes"), "bytes"),
             "49152 bytes");
        item(&t, "registers per block", run_json_text(card, "registers_per_block"), "32768");
        item(&t, "warp size", run_json_text(card, "warp_size"), "32");
        item(&t, "threads per block", run_json_text(card, "max_threads_per_block"), "1024");
    }
    table_finish(&t);
}

typedef struct tally {
    long rows, status[N_STATUS], emulated;
} tally;

static tally count_rows(const row_list *list)
{
    tally c = {.rows = list->count};
    for (int i = 0; i < list->count; i++)
        if (list->rows[i].status == STATUS_OK && list->rows[i].kind == KIND_EMULATED)
            c.emulated++;
        else
            c.status[list->rows[i].status]++;
    return c;
}

static void status_table(const study *s, const char *folder)
{
    table t;
    table_start(&t, folder, "status", "lab,rows,ok,wrong,skipped,failed,emulated");
    for (int lab = 0; lab < N_LABS; lab++) {
        if (!s->present[lab])
            continue;
        tally c = count_rows(&s->rows[lab][ORIGIN_OWN]);
        table_text(&t, lab_infos[lab].name);
        table_int(&t, c.rows);
        for (int i = 0; i < N_STATUS; i++)
            table_int(&t, c.status[i]);
        table_int(&t, c.emulated);
        table_end_row(&t);
    }
    table_finish(&t);
}

void environment_tables(const study *s, const char *folder)
{
    environment_table(s, folder);
    device_table(s, folder);
    status_table(s, folder);
}

/* ---- facts ----------------------------------------------------------------------------------- */

/* A value of run.json under that key, shown as `text`; its source is the line. */
static void told(facts *f, const run_json *run, const char *name, const char *key, const char *text)
{
    char source[VALUE_SIZE];
    const run_value *value = run_json_value(run, key);
    if (value) {
        snprintf(source, sizeof source, "%s:%d", text_of(run->label), value->line);
        fact_said(f, name, text, source);
    }
}

static void run_facts(const study *s, facts *f)
{
    char text[VALUE_SIZE];
    static const char *const own[] = {"cpu", "cpu_threads", "os", "compiler", "commit"};
    const run_json *card = study_gpu_run(s);
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        told(f, &s->run, own[i], own[i], run_json_text(&s->run, own[i]));
    told(f, &s->run, "date", "date", date_of(text, &s->run));
    told(f, card, "gpu", "gpu", run_json_text(card, "gpu"));
    told(f, card, "compute_capability", "compute_capability",
         run_json_text(card, "compute_capability"));
    told(f, card, "cuda", "runtime_cuda", run_json_text(card, "runtime_cuda"));
    if (s->gpu_recorded) {
        told(f, card, "commit_gpu", "commit", run_json_text(card, "commit"));
        told(f, card, "date_gpu", "date", date_of(text, card));
    }
}

/* The files that hold own rows, joined by `;`. */
static void own_files(const study *s, char *source, size_t bytes)
{
    size_t used = 0;
    source[0] = '\0';
    for (int lab = 0; lab < N_LABS; lab++)
        if (s->present[lab])
            used += (size_t)snprintf(source + used, bytes - used, "%s%s", used ? ";" : "",
                                     lab_infos[lab].file);
}

static void row_facts(const study *s, facts *f)
{
    char source[VALUE_SIZE];
    tally all = {0};
    for (int lab = 0; lab < N_LABS; lab++) {
        tally c = count_rows(&s->rows[lab][ORIGIN_OWN]);
        all.rows += c.rows;
        all.emulated += c.emulated;
        for (int i = 0; i < N_STATUS; i++)
            all.status[i] += c.status[i];
    }
    own_files(s, source, sizeof source);
    fact_count(f, "rows", all.rows, source);
    /* an emulated row passed its check, too: it only has no time */
    fact_count(f, "rows_ok", all.status[STATUS_OK] + all.emulated, source);
    static const char *const names[] = {"rows_wrong", "rows_skipped", "rows_failed"};
    for (int i = STATUS_WRONG; i < N_STATUS; i++)
        if (all.status[i])
            fact_count(f, names[i - STATUS_WRONG], all.status[i], source);
    fact_count(f, "rows_emulated", all.emulated, source);
    fact_said(f, "wrong", all.status[STATUS_WRONG] ? "1" : "", source);
    fact_said(f, "problems", s->problems.serious ? "1" : "", source);
}

void environment_facts(const study *s, facts *f)
{
    fact_said(f, "machine", s->machine, "");
    fact_said(f, "gpu_label", s->gpu_label, "");
    fact_said(f, "gpu_measured", s->gpu_measured ? "1" : "", "");
    fact_said(f, "gpu_recorded", s->gpu_recorded ? "1" : "", "");
    run_facts(s, f);
    row_facts(s, f);
}
