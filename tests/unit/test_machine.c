/*
 * test_machine.c - run.json: valid JSON whatever the strings, one line per lab, other labs' lines
 * kept; and the machine's short name.
 */
#define _XOPEN_SOURCE 700 /* mkdtemp */

#include "file.h"
#include "host.h"
#include "machine.h"
#include "tap.h"

#include <dirent.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/test_machine.XXXXXX";
static char csv[sizeof folder + 16], json[sizeof folder + 16];

/* ---- is it JSON? ---------------------------------------------------------------------------- */

/* Each returns what follows, or NULL if the text is no such thing (RFC 8259). */
static const char *skip_value(const char *s);

static const char *skip_blanks(const char *s)
{
    return s + strspn(s, " \t\r\n");
}

/* One character of UTF-8: no stray continuation, nothing overlong, no surrogate. */
static const char *skip_character(const char *s)
{
    const unsigned char *u = (const unsigned char *)s;
    int more = u[0] < 0x80 ? 0 : u[0] < 0xC2 ? -1 : u[0] < 0xE0 ? 1 : u[0] < 0xF0 ? 2 : 3;
    if (more < 0 || u[0] > 0xF4 || (u[0] == 0xE0 && u[1] < 0xA0) || (u[0] == 0xED && u[1] > 0x9F) ||
        (u[0] == 0xF0 && u[1] < 0x90) || (u[0] == 0xF4 && u[1] > 0x8F))
        return NULL;
    for (int i = 1; i <= more; i++)
        if ((u[i] & 0xC0) != 0x80)
            return NULL;
    return s + 1 + more;
}

static const char *skip_string(const char *s)
{
    if (*s++ != '"')
        return NULL;
    while (s && *s != '"') {
        if ((unsigned char)*s < 0x20)
            return NULL;
        if (*s != '\\')
            s = skip_character(s);
        else if (s[1] == 'u' && strspn(s + 2, "0123456789abcdefABCDEF") >= 4)
            s += 6;
        else
            s = s[1] && strchr("\"\\/bfnrt", s[1]) ? s + 2 : NULL;
    }
    return s ? s + 1 : NULL;
}

static const char *skip_number(const char *s)
{
    const char *digits = "0123456789";
    s += *s == '-';
    size_t whole = strspn(s, digits);
    if (!whole || (*s == '0' && whole > 1))
        return NULL;
    s += whole;
    if (*s == '.') {
        size_t fraction = strspn(s + 1, digits);
        if (!fraction)
            return NULL;
        s += 1 + fraction;
    }
    return *s == 'e' || *s == 'E' ? NULL : s; /* run.json has no exponents */
}

/* What stands between a pair of brackets, separated by commas. */
static const char *skip_members(const char *s, char closing)
{
    s = skip_blanks(s + 1);
    if (*s == closing)
        return s + 1;
    for (;;) {
        if (closing == '}') {
            s = skip_string(skip_blanks(s));
            if (!s || *(s = skip_blanks(s)) != ':')
                return NULL;
            s++;
        }
        s = skip_value(s);
        if (!s)
            return NULL;
        s = skip_blanks(s);
        if (*s == closing)
            return s + 1;
        if (*s++ != ',')
            return NULL;
    }
}

static const char *skip_value(const char *s)
{
    s = skip_blanks(s);
    if (*s == '{')
        return skip_members(s, '}');
    if (*s == '[')
        return skip_members(s, ']');
    if (*s == '"')
        return skip_string(s);
    for (int i = 0; i < 3; i++) {
        static const char *const words[] = {"null", "true", "false"};
        if (strncmp(s, words[i], strlen(words[i])) == 0)
            return s + strlen(words[i]);
    }
    return skip_number(s);
}

static int is_json(const char *text)
{
    const char *end = skip_value(text);
    return end && *skip_blanks(end) == '\0';
}

/* The validator is of use only if it refuses. */
static void test_validator(void)
{
    ok(is_json(" {\"a\": [1, -2.5, null, \"x\\u0001\\\"\\\\\"], \"b\": {}}\n"), "JSON is JSON");
    static const char *const broken[] = {"",
                                         "{",
                                         "{}}",
                                         "{\"a\": 1,}",
                                         "{\"a\" 1}",
                                         "{a: 1}",
                                         "[1,,2]",
                                         "\"a\nb\"",
                                         "\"\\x\"",
                                         "\"\\u12\"",
                                         "\"\xff\"",
                                         "\"\xc3\"",
                                         "\"\xc0\xaf\"",
                                         "\"a\"b\"",
                                         "01",
                                         "{\"a\": nan}"};
    int refused = 0, count = (int)(sizeof broken / sizeof broken[0]);
    for (int i = 0; i < count; i++)
        refused += !is_json(broken[i]);
    ok(refused == count, "%d of %d broken texts are not", refused, count);
}

/* ---- writing records ------------------------------------------------------------------------ */

static char *text; /* run.json as it is now */

static void read_json(void)
{
    char error[FILE_ERROR_SIZE];
    uint8_t *bytes;
    size_t size;
    free(text);
    text = calloc(1, 1);
    if (file_read(json, &bytes, &size, error)) {
        printf("# %s\n", error);
        return;
    }
    free(text);
    text = malloc(size + 1);
    memcpy(text, bytes, size);
    text[size] = '\0';
    free(bytes);
}

static void put_json(const char *content)
{
    FILE *file = fopen(json, "wb");
    if (!file || fputs(content, file) < 0 || fclose(file)) {
        perror(json);
        exit(1);
    }
}

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

static int put_record(const char *lab, const char *machine, const device *d, int argc, char **argv)
{
    char error[FILE_ERROR_SIZE] = "";
    run_record record = {.lab = lab,
                         .machine = machine,
                         .device = d,
                         .argc = argc,
                         .argv = argv,
                         .seconds = 12.34,
                         .clock_before_mhz = 1980,
                         .clock_after_mhz = 1755,
                         .rows = 42,
                         .wrong_rows = 1};
    int status = run_record_write(&record, csv, error);
    if (status)
        printf("# %s\n", error);
    read_json();
    return status;
}

static int put_lab(const char *lab, const char *machine)
{
    device d = plain_device();
    char *argv[] = {"program", "--trials", "3"};
    return put_record(lab, machine, &d, 3, argv);
}

/* How often a part stands in run.json. */
static int count_of(const char *part)
{
    int count = 0;
    for (const char *at = text; (at = strstr(at, part)); at += strlen(part))
        count++;
    return count;
}

static int lines(void)
{
    return count_of("\n");
}

static void show_if(int failed)
{
    for (const char *c = text; failed && *c; c++) {
        if (c == text || c[-1] == '\n')
            printf("#   ");
        putchar(*c);
    }
}

/* ---- tests ---------------------------------------------------------------------------------- */

static void test_one_record(void)
{
    ok(put_lab("lab1_vecadd", "nvidia-h200") == 0, "a first record is written");
    show_if(!ok(is_json(text), "it is JSON"));
    ok(lines() == 3 && strncmp(text, "{\n\"lab1_vecadd\": {", 18) == 0, "one line for the lab");
    static const char *const parts[] = {"\"machine\": \"nvidia-h200\"",
                                        "\"gpu\": \"NVIDIA H200\"",
                                        "\"compute_capability\": \"9.0\"",
                                        "\"driver_cuda\": \"13.2\"",
                                        "\"runtime_cuda\": \"12.9\"",
                                        "\"cpu\": \"",
                                        "\"os\": \"",
                                        "\"compiler\": \"",
                                        "\"flags\": \"",
                                        "\"commit\": \"",
                                        "\"date\": \"20",
                                        "\"--trials\", \"3\"]",
                                        "\"seconds\": 12.3",
                                        "\"rows\": 42",
                                        "\"wrong_rows\": 1",
                                        "\"sm_clock_before_mhz\": 1980",
                                        "\"sm_clock_after_mhz\": 1755"};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        ok(count_of(parts[i]) == 1, "it has %s", parts[i]);

    device d = plain_device();
    d.emulated = true;
    char *argv[] = {"program"};
    put_record("lab1_vecadd", "laptop", &d, 1, argv);
    ok(is_json(text) && count_of("\"gpu\": null") == 1 && count_of("H200") == 0,
       "without a GPU the record says so");
}

static void test_merging(void)
{
    remove(json);
    put_lab("lab1_vecadd", "first");
    put_lab("lab2_matprod", "second");
    put_lab("lab3_bilateral", "third");
    show_if(!ok(is_json(text) && lines() == 5, "three labs: three lines of JSON"));
    ok(count_of("\"machine\": \"first\"") == 1 && count_of("\"machine\": \"second\"") == 1 &&
           count_of("\"machine\": \"third\"") == 1,
       "each lab keeps its own line");
    put_lab("lab2_matprod", "again");
    show_if(!ok(is_json(text) && lines() == 5, "a lab's second run replaces its line"));
    ok(count_of("\"machine\": \"second\"") == 0 && count_of("\"machine\": \"again\"") == 1 &&
           count_of("\"machine\": \"first\"") == 1 && count_of("\"machine\": \"third\"") == 1,
       "and leaves the others'");
    put_lab("lab2", "short");
    show_if(!ok(is_json(text) && lines() == 6 && count_of("\"machine\": \"again\"") == 1,
                "a lab whose name begins another's does not replace it"));
    put_lab("lab1_vecadd", "last");
    ok(is_json(text) && lines() == 6 && count_of("\"machine\": \"first\"") == 0,
       "the first line can be replaced as well");
}

/* A file that is no run.json must not make a broken one. */
static void replaces(const char *name, const char *old)
{
    put_json(old);
    int status = put_lab("lab1_vecadd", "here");
    show_if(!ok(status == 0 && is_json(text) && count_of("\"machine\": \"here\"") == 1,
                "an old file of %s gives way to JSON", name));
}

static void test_odd_old_files(void)
{
    replaces("nothing", "");
    replaces("other text", "hello\nworld\n");
    replaces("an empty object", "{\n}\n");
    replaces("a line that was cut off",
             "{\n\"lab2_matprod\": {\"machine\": \"x\", \"cpu_thre\n}\n");
    put_json("{\r\n\"lab2_matprod\": {\"machine\": \"kept\"},\r\n\"lab3\": {}\r\n}\r\n");
    put_lab("lab1_vecadd", "here");
    show_if(!ok(is_json(text) && count_of("\"machine\": \"kept\"") == 1,
                "lines that end in CR LF are kept"));
    put_json("{\n\"lab2_matprod\": {\"machine\": \"kept\"}\n}");
    put_lab("lab1_vecadd", "here");
    ok(is_json(text) && count_of("\"machine\": \"kept\"") == 1,
       "so is the last line without a line end");
}

static void hostile(const char *name, const char *string, const char *escaped)
{
    char *argv[] = {"program", "--csv", (char *)string}, expected[256];
    device d = plain_device();
    remove(json);
    put_lab("lab2_matprod", "other");
    put_record("lab1_vecadd", string, &d, 3, argv);
    show_if(!ok(is_json(text), "%s: it is JSON", name));
    snprintf(expected, sizeof expected, "\"machine\": \"%s\"", escaped);
    ok(count_of(expected) == 1, "%s: as machine it is escaped", name);
    snprintf(expected, sizeof expected, "\"--csv\", \"%s\"]", escaped);
    ok(count_of(expected) == 1, "%s: as argument it is escaped", name);
    put_lab("lab3_bilateral", "third");
    show_if(!ok(is_json(text) && lines() == 5, "%s: it survives the next lab's run", name));
}

static void test_hostile_strings(void)
{
    hostile("quotes and backslashes", "a\"b\\c\\\"", "a\\\"b\\\\c\\\\\\\"");
    hostile("line breaks", "a\nb\r\n\"lab2_matprod\": {}\n",
            "a\\u000ab\\u000d\\u000a\\\"lab2_matprod\\\": {}\\u000a");
    hostile("control characters", "\x01\x1f\t", "\\u0001\\u001f\\u0009");
    hostile("an end and a new start", "\"}},\n{\"x\": 1", "\\\"}},\\u000a{\\\"x\\\": 1");
    hostile("other alphabets", "\xc3\xa4\xe2\x82\xac", "\xc3\xa4\xe2\x82\xac");
    hostile("format directives", "%s%n%d", "%s%n%d");

    /* File names need not be UTF-8; JSON must be. How they are shown is left open. */
    char *argv[] = {"program", "--csv", "caf\xe9.csv"};
    device d = plain_device();
    remove(json);
    put_record("lab1_vecadd", "here", &d, 3, argv);
    show_if(!ok(is_json(text), "a file name in Latin-1: it is JSON"));
}

/* A second opinion, where there is one. */
static void test_python(void)
{
    char command[512];
    const char *name = "python reads it, too";
    if (system("python3 -c 'import json' >/dev/null 2>&1")) {
        ok(1, "%s # SKIP no python3", name);
        return;
    }
    char *argv[] = {"program", "a\"b\\c\n\x01"};
    device d = plain_device();
    remove(json);
    put_lab("lab2_matprod", "other");
    put_record("lab1_vecadd", "a\"b\\c\n\x01", &d, 2, argv);
    snprintf(command, sizeof command,
             "python3 -c 'import json, sys\n"
             "r = json.load(open(sys.argv[1]))\n"
             "want = \"a\\\"b\\\\c\\n\\x01\"\n"
             "l = r[\"lab1_vecadd\"]\n"
             "sys.exit(not (sorted(r) == [\"lab1_vecadd\", \"lab2_matprod\"] and\n"
             "  l[\"machine\"] == want and l[\"command\"][1] == want))' '%s'",
             json);
    ok(system(command) == 0, "%s", name);
}

static void test_places(void)
{
    char error[FILE_ERROR_SIZE] = "", here[4096];
    char *argv[] = {"program"};
    device d = plain_device();
    run_record record = {.lab = "lab1_vecadd",
                         .machine = "m",
                         .device = &d,
                         .argc = 1,
                         .argv = argv,
                         .clock_before_mhz = -1,
                         .clock_after_mhz = -1};
    char *back = getcwd(here, sizeof here);
    remove(json);
    int moved = back && chdir(folder) == 0;
    ok(moved && run_record_write(&record, "rows.csv", error) == 0 && access(json, F_OK) == 0,
       "a CSV without a folder has its run.json in the current one");
    read_json();
    ok(count_of("\"sm_clock_before_mhz\": null, \"sm_clock_after_mhz\": null") == 1 &&
           is_json(text),
       "unknown clocks are null");
    if (moved && chdir(here))
        perror(here);

    remove(json);
    mkdir(json, 0777);
    error[0] = '\0';
    ok(run_record_write(&record, csv, error) == -1 && strstr(error, json) &&
           strstr(error, "directory"),
       "a folder of its name is refused");
    rmdir(json);
    ok(run_record_write(&record, "/nonexistent/folder/rows.csv", error) == -1,
       "so is a missing folder");
    int files = 0;
    DIR *directory = opendir(folder);
    for (struct dirent *entry; (entry = readdir(directory));)
        files += entry->d_name[0] != '.';
    closedir(directory);
    ok(files == 0, "and no temporary file stays");
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
    if (!mkdtemp(folder)) {
        printf("Bail out! cannot make %s\n", folder);
        return 1;
    }
    snprintf(csv, sizeof csv, "%s/rows.csv", folder);
    snprintf(json, sizeof json, "%s/run.json", folder);
    test_validator();
    test_one_record();
    test_merging();
    test_odd_old_files();
    test_hostile_strings();
    test_python();
    test_places();
    test_name();
    remove(json);
    rmdir(folder);
    free(text);
    return done_testing();
}
