/*
 * test_run_record.c - run.json: it is JSON, sqlite3 says, whatever the texts in it; each lab has
 * its line and keeps it, also where several programs end at once.
 */
#define _XOPEN_SOURCE 700

#include "folder.h"
#include "machine/host.h"
#include "run/run_record.h"

#include <omp.h>

static const char json[] = "run.json";

/* What sqlite3 answers to a query in which r is the content of run.json. */
static void answers(const char *name, const char *select, const char *expected)
{
    char command[2048], answer[4096];
    snprintf(command, sizeof command,
             "sqlite3 :memory: \"with f(r) as (select cast(readfile('run.json') as text)) "
             "select %s from f\"",
             select);
    FILE *out = popen(command, "r");
    size_t size = out ? fread(answer, 1, sizeof answer - 1, out) : 0;
    answer[size ? size - 1 : 0] = '\0'; /* without the line end */
    if (!out || pclose(out))
        snprintf(answer, sizeof answer, "sqlite3 failed");
    is(answer, expected, "%s", name);
}

/* The host may tell nothing of its CPU (ld's --wrap). */
static bool cpu_is_unknown;

host_cpus __real_host_read_cpus(const char *root);
host_cpus __wrap_host_read_cpus(const char *root);

host_cpus __wrap_host_read_cpus(const char *root)
{
    return cpu_is_unknown ? (host_cpus){.sockets = 0} : __real_host_read_cpus(root);
}

#define LABS "(select group_concat(key, ' ') from json_each(r))"

static device some_device(bool emulated)
{
    device d;
    memset(&d, 0, sizeof d);
    snprintf(d.properties.name, sizeof d.properties.name, "NVIDIA H200");
    d.properties.major = 9;
    d.properties.multiProcessorCount = 132;
    d.properties.totalGlobalMem = 141;
    d.properties.regsPerBlock = 65536;
    d.properties.warpSize = 32;
    d.properties.maxThreadsPerBlock = 1024;
    d.properties.l2CacheSize = 60;
    d.properties.memoryBusWidth = 512;
    d.properties.totalConstMem = 64;
    d.properties.sharedMemPerBlock = 48;
    d.properties.sharedMemPerMultiprocessor = 228;
    memcpy(d.properties.maxThreadsDim, (int[]){1024, 512, 64}, sizeof(int[3]));
    memcpy(d.properties.maxGridSize, (int[]){2147483647, 65535, 99}, sizeof(int[3]));
    d.driver_version = 13020;
    d.runtime_version = 12090;
    d.emulated = emulated;
    return d;
}

/* A run's record; its machine is the text, as is an argument. */
static void put_record_of(const char *lab, const char *text, bool emulated)
{
    char *argv[] = {"program", "--input", (char *)text};
    device d = some_device(emulated);
    run_record record = {.lab = lab,
                         .machine = text,
                         .date = "2026-11-20T21:54:50Z",
                         .device = &d,
                         .argc = 3,
                         .argv = argv,
                         .seconds = 12.34,
                         .before = {0, 1980, 3201, 700, "", "5"},
                         .after = {-1, -1, -1, -1, "", ""},
                         .rows = {.rows = 42, .wrong = 1, .failed = 2}};
    run_record_write(&record, "rows.csv");
}

static void put_record(const char *lab, const char *text)
{
    put_record_of(lab, text, false);
}

static void test_one_record(void)
{
    omp_set_num_threads(7);
    put_record("lab1", "nvidia-h200");
    answers(
        "a record of a GPU", "substr(r, 3, instr(r, 'cpu') - 6)",
        "\"lab1\": {\"machine\": \"nvidia-h200\", \"gpu\": \"NVIDIA H200\", \"backend\": \"cuda\", "
        "\"compute_capability\": \"9.0\", \"multiprocessors\": 132, "
        "\"global_memory_bytes\": 141, \"l2_bytes\": 60, \"memory_bus_bits\": 512, "
        "\"constant_memory_bytes\": 64, \"shared_memory_per_block_bytes\": 48, "
        "\"registers_per_block\": 65536, \"warp_size\": 32, \"max_threads_per_block\": 1024, "
        "\"max_block_dimensions\": \"1024 x 512 x 64\", "
        "\"max_grid_dimensions\": \"2147483647 x 65535 x 99\", \"driver_cuda\": \"13.2\", "
        "\"runtime_cuda\": \"12.9\"");
    answers("and of its run", "substr(r, instr(r, 'date'))",
            "date\": \"2026-11-20T21:54:50Z\", \"command\": [\"gpgpu-lab\", \"--input\", "
            "\"nvidia-h200\"], \"seconds\": 12.3, \"rows\": 42, \"wrong_rows\": 1, "
            "\"failed_rows\": 2, \"driver\": \"5\", \"ecc\": null, \"power_limit_w\": 700, "
            "\"sm_clock_max_mhz\": 1980, \"memory_clock_max_mhz\": 3201, "
            "\"sm_clock_before_mhz\": 0, \"sm_clock_after_mhz\": null}\n}\n");
    answers("on so many threads", "json_extract(r, '$.lab1.cpu_threads')", "7");
    answers("it tells of host and build",
            "(select count(value) from json_each(json_extract(r, '$.lab1')) where key in ('cpu', "
            "'cpu_threads', 'memory_bytes', 'os', 'compiler', 'flags', 'commit'))",
            "7");
    char expected[256];
    host_cpus cpus = host_read_cpus("");
    snprintf(expected, sizeof expected, "%s,%d,%d,%.0f,%.0f,%.0f", cpus.model, cpus.sockets,
             cpus.cores, cpus.l1_data_bytes, cpus.l2_bytes, cpus.l3_bytes);
    answers("and of the CPU what the system tells",
            "(select group_concat(coalesce(value, iif(key = 'cpu_model', '', 0))) from "
            "json_each(json_extract(r, '$.lab1')) where key glob 'cpu_*' and key <> 'cpu_threads')",
            expected);
    cpu_is_unknown = true;
    put_record("lab1", "nvidia-h200");
    cpu_is_unknown = false;
    answers("or nothing",
            "json_extract(r, '$.lab1.cpu_model', '$.lab1.cpu_sockets', '$.lab1.cpu_cores', "
            "'$.lab1.cpu_l1d_bytes', '$.lab1.cpu_l2_bytes', '$.lab1.cpu_l3_bytes')",
            "[null,null,null,null,null,null]");
    put_record_of("lab1", "laptop", true);
    answers(
        "without a GPU it says so",
        "json_extract(json_extract(r, '$.lab1'), '$.gpu', '$.backend', '$.max_block_dimensions')",
        "[null,\"cpu\",null]");
}

static void test_merging(void)
{
    /* Files that are no run.json must not make a broken one. */
    static const char *const olds[] = {"", "hello\nworld\n", "{\n}\n",
                                       "{\n\"lab2\": {\"machine\": \"x\", \"cpu_thre\n}\n"};
    for (size_t i = 0; i < COUNT(olds); i++) {
        put_file(json, olds[i]);
        put_record("lab1", "here");
        answers("an odd old file gives way to JSON", LABS, "lab1");
    }
    put_file(json, "{\r\n\"lab2\": {\"machine\": \"kept\"},\r\n\"lab3\": {}\r\n}");
    put_record("lab1", "first");
    put_record("lab3", "again");
    put_record("lab", "short");
    answers("each lab has one record, the last", LABS, "lab2 lab1 lab3 lab");
    answers("and its own", "json_extract(r, '$.lab2.machine', '$.lab1.machine', '$.lab3.machine')",
            "[\"kept\",\"first\",\"again\"]");
}

static void test_hostile_strings(void)
{
    static const char *const texts[][2] = {
        {"\"}},\n{\"x\": \\1\\\"", "\"}},\n{\"x\": \\1\\\""},
        {"a\nb\r\n\"lab2\": {}\n\x01\x1f\t.", "a\nb\r\n\"lab2\": {}\n\x01\x1f\t."},
        {"\xc3\xa4\xe2\x82\xac%s%n", "\xc3\xa4\xe2\x82\xac%s%n"},
        {"\x80\xe9.csv", "\xef\xbf\xbd\xef\xbf\xbd.csv"}, /* marks for what is no UTF-8 */
    };
    for (size_t i = 0; i < COUNT(texts); i++) {
        remove(json);
        put_record("lab1", texts[i][0]);
        put_record("lab3", "third");
        answers("a hostile name comes back", "json_extract(r, '$.lab1.machine')", texts[i][1]);
        answers("as an argument, too", "json_extract(r, '$.lab1.command[2]')", texts[i][1]);
    }
}

static void put_ten(int program)
{
    for (int i = 0; i < 10; i++) {
        char lab[16];
        snprintf(lab, sizeof lab, "lab%d", program * 10 + i);
        put_record(lab, "m");
    }
}

static void test_names(void)
{
    char name[64], cpu[256], expected[64];
    device gpu = some_device(false), emulated = some_device(true);
    machine_name(&gpu, name, sizeof name);
    is(name, "nvidia-h200", "a machine is named after its GPU");
    machine_name(&emulated, name, sizeof name);
    host_cpu_name(cpu, sizeof cpu);
    host_short_name(cpu, expected, sizeof expected);
    is(name, expected, "without one after its CPU");
}

int main(void)
{
    if (system("sqlite3 --version >/dev/null 2>&1")) {
        printf("1..0 # SKIP sqlite3 is missing: make setup installs it\n");
        return 0;
    }
    enter_folder();
    test_one_record();
    test_merging();
    test_hostile_strings();
    remove(json);
    at_once(6, put_ten);
    answers("programs that end at once lose no record", "(select count(key) from json_each(r))",
            "60");
    remove(json);
    test_names();
    leave_folder();
    return done_testing();
}
