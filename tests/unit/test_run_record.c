/*
 * test_run_record.c - run.json: it is JSON, sqlite3 says, whatever the texts in it; each lab has
 * its line and keeps it, also where several programs end at once.
 */
#define _XOPEN_SOURCE 700 /* mkdtemp, popen, fork */

#include "host.h"
#include "run_record.h"
#include "tap.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/test_run_record.XXXXXX";
static char csv[sizeof folder + 16], json[sizeof folder + 16];

/* What sqlite3 answers to a query in which r is the content of run.json; without the line end. */
static const char *query(const char *select)
{
    static char answer[4096];
    char command[1024];
    snprintf(command, sizeof command,
             "sqlite3 :memory: \"with f(r) as (select cast(readfile('%s') as text)) %s from f\"",
             json, select);
    FILE *out = popen(command, "r");
    size_t size = out ? fread(answer, 1, sizeof answer - 1, out) : 0;
    answer[size ? size - 1 : 0] = '\0';
    if (!out || pclose(out))
        snprintf(answer, sizeof answer, "sqlite3 failed");
    return answer;
}

static void answers(const char *name, const char *select, const char *expected)
{
    const char *got = query(select);
    if (!ok(strcmp(got, expected) == 0, "%s", name))
        printf("#   got %s\n#   expected %s\n", got, expected);
}

#define LABS "(select group_concat(key, ' ') from json_each(r))"

static device plain_device(void)
{
    device d;
    memset(&d, 0, sizeof d);
    snprintf(d.properties.name, sizeof d.properties.name, "NVIDIA H200");
    d.properties.major = 9;
    d.driver_version = 13020;
    d.runtime_version = 12090;
    return d;
}

static int put_record(const char *lab, const char *text, bool emulated)
{
    char error[FILE_ERROR_SIZE] = "";
    char *argv[] = {"program", "--input", (char *)text};
    device d = plain_device();
    d.emulated = emulated;
    run_record record = {.lab = lab,
                         .machine = text,
                         .date = "2026-11-20T21:54:50Z",
                         .device = &d,
                         .argc = 3,
                         .argv = argv,
                         .seconds = 12.34,
                         .clock_before_mhz = 1980,
                         .clock_after_mhz = -1,
                         .rows = {.rows = 42, .wrong = 1, .failed = 2}};
    int status = run_record_write(&record, csv, error);
    if (status)
        printf("# %s\n", error);
    return status;
}

static void put_json(const char *content)
{
    FILE *file = fopen(json, "wb");
    if (!file || fputs(content, file) < 0 || fclose(file)) {
        perror(json);
        exit(1);
    }
}

static void test_one_record(void)
{
    put_record("lab1_vecadd", "nvidia-h200", false);
    answers(
        "a record of a GPU",
        "select json_extract(json_extract(r, '$.lab1_vecadd'), '$.machine', '$.gpu', '$.backend', "
        "'$.compute_capability', '$.driver_cuda', '$.runtime_cuda', '$.date', '$.command[1]', "
        "'$.seconds', '$.rows', '$.wrong_rows', '$.failed_rows', '$.sm_clock_before_mhz', "
        "'$.sm_clock_after_mhz')",
        "[\"nvidia-h200\",\"NVIDIA H200\",\"cuda\",\"9.0\",\"13.2\",\"12.9\","
        "\"2026-11-20T21:54:50Z\",\"--input\",12.3,42,1,2,1980,null]");
    answers("it tells of host and build",
            "select (select count(value) from json_each(json_extract(r, '$.lab1_vecadd')) where "
            "key in ('cpu', "
            "'cpu_threads', 'memory_bytes', 'os', 'compiler', 'flags', 'commit'))",
            "7");
    put_record("lab1_vecadd", "laptop", true);
    answers("without a GPU it says so",
            "select json_extract(json_extract(r, '$.lab1_vecadd'), '$.gpu', '$.backend')",
            "[null,\"cpu\"]");
}

static void test_merging(void)
{
    remove(json);
    put_record("lab1_vecadd", "first", false);
    put_record("lab2_matprod", "second", false);
    put_record("lab3_bilateral", "third", false);
    put_record("lab2_matprod", "again", false);
    put_record("lab2", "short", false);
    answers("each lab has one record, the last", "select " LABS,
            "lab1_vecadd lab3_bilateral lab2_matprod lab2");
    answers("and its own",
            "select json_extract(r, '$.lab1_vecadd.machine'), json_extract(r, "
            "'$.lab2_matprod.machine')",
            "first|again");
}

/* A file that is no run.json must not make a broken one. */
static void test_odd_old_files(void)
{
    static const char *const olds[] = {"", "hello\nworld\n", "{\n}\n",
                                       "{\n\"lab2\": {\"machine\": \"x\", \"cpu_thre\n}\n"};
    for (size_t i = 0; i < sizeof olds / sizeof olds[0]; i++) {
        put_json(olds[i]);
        put_record("lab1_vecadd", "here", false);
        answers("an odd old file gives way to JSON", "select " LABS, "lab1_vecadd");
    }
    put_json("{\r\n\"lab2\": {\"machine\": \"kept\"},\r\n\"lab3\": {}\r\n}");
    put_record("lab1_vecadd", "here", false);
    answers("lines that end in CR LF are kept", "select json_extract(r, '$.lab2.machine')", "kept");
}

static void test_hostile_strings(void)
{
    static const char *const texts[] = {"a\"b\\c\\\"", "a\nb\r\n\"lab2\": {}\nc", "\x01\x1f\t.",
                                        "\"}},\n{\"x\": 1", "\xc3\xa4\xe2\x82\xac%s%n"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        remove(json);
        put_record("lab2_matprod", "other", false);
        put_record("lab1_vecadd", texts[i], false);
        put_record("lab3_bilateral", "third", false);
        answers("a hostile name comes back", "select json_extract(r, '$.lab1_vecadd.machine')",
                texts[i]);
        answers("as an argument, too", "select json_extract(r, '$.lab1_vecadd.command[2]')",
                texts[i]);
    }
    put_record("lab1_vecadd", "caf\xe9.csv", false);
    answers("a name in Latin-1 has a mark for what is no UTF-8",
            "select json_extract(r, '$.lab1_vecadd.machine')", "caf\xef\xbf\xbd.csv");
}

static void test_at_once(void)
{
    enum { PROGRAMS = 6, LABS_EACH = 10 };
    remove(json);
    fflush(stdout);
    for (int p = 0; p < PROGRAMS; p++)
        if (fork() == 0) {
            char lab[16];
            for (int i = 0; i < LABS_EACH; i++) {
                snprintf(lab, sizeof lab, "lab%d", p * LABS_EACH + i);
                put_record(lab, "m", false);
            }
            _exit(0);
        }
    for (int p = 0, status; p < PROGRAMS; p++)
        wait(&status);
    answers("programs that end at once lose no record",
            "select (select count(key) from json_each(r))", "60");
}

static void test_places(void)
{
    char error[FILE_ERROR_SIZE] = "", here[4096];
    device d = plain_device();
    run_record record = {.lab = "lab1", .machine = "m", .date = "", .device = &d};
    remove(json);
    int moved = getcwd(here, sizeof here) && chdir(folder) == 0;
    ok(moved && run_record_write(&record, "rows.csv", error) == 0 && access(json, F_OK) == 0,
       "a CSV without a folder has its run.json in the current one");
    if (moved && chdir(here))
        perror(here);
    remove(json);
    mkdir(json, 0777);
    ok(run_record_write(&record, csv, error) == -1 && strstr(error, "directory"),
       "a folder of its name is refused");
    rmdir(json);
    ok(run_record_write(&record, "/nonexistent/folder/rows.csv", error) == -1,
       "so is a missing folder");
}

static void test_name(void)
{
    char name[64], cpu[256], expected[64];
    device d = plain_device();
    machine_name(&d, name, sizeof name);
    ok(strcmp(name, "nvidia-h200") == 0, "a machine is named after its GPU");
    d.emulated = true;
    machine_name(&d, name, sizeof name);
    host_cpu_name(cpu, sizeof cpu);
    host_short_name(cpu, expected, sizeof expected);
    ok(strcmp(name, expected) == 0, "without one after its CPU: %s", name);
}

int main(void)
{
    if (system("sqlite3 --version >/dev/null 2>&1")) {
        printf("1..0 # SKIP sqlite3 is not there to read run.json\n");
        return 0;
    }
    if (!mkdtemp(folder)) {
        printf("Bail out! cannot make %s\n", folder);
        return 1;
    }
    snprintf(csv, sizeof csv, "%s/rows.csv", folder);
    snprintf(json, sizeof json, "%s/run.json", folder);
    test_one_record();
    test_merging();
    test_odd_old_files();
    test_hostile_strings();
    test_at_once();
    test_places();
    test_name();
    ok(rmdir(folder) == 0, "no file is left behind");
    return done_testing();
}
