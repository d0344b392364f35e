/*
 * test_host.c - the clock, the computer's description, and short names for files and rows.
 */
#define _POSIX_C_SOURCE 200809L /* nanosleep, sysconf */

#include "host.h"
#include "tap.h"

#include <ctype.h>
#include <omp.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void test_clock(void)
{
    int backwards = 0;
    double last = host_seconds();
    for (int i = 0; i < 10000; i++) {
        double now = host_seconds();
        backwards += now < last;
        last = now;
    }
    ok(backwards == 0, "the clock never runs backwards");

    const struct timespec pause = {0, 20 * 1000 * 1000};
    double start = host_seconds();
    nanosleep(&pause, NULL);
    double seconds = host_seconds() - start;
    ok(seconds >= 0.02 && seconds < 5, "it counts seconds: a sleep of 20 ms took %.3g s", seconds);
}

static void test_numbers(void)
{
    double memory = host_memory_bytes();
    ok(memory > 0x1p26 && memory < 0x1p50, "physical memory, %.1f GiB", memory / 0x1p30);
    omp_set_num_threads(3);
    ok(host_threads() == 3, "threads are those that an OpenMP region gets");
    omp_set_num_threads(1);
    ok(host_threads() == 1, "also where it is one");
}

static int is_one_line(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ')
            return 0;
    return 1;
}

/* A name in a buffer of `bytes` bytes is the longer one's beginning, and nothing lies behind it. */
static int cuts(void (*name)(char *, size_t), size_t bytes)
{
    char whole[512], cut[512];
    name(whole, sizeof whole);
    memset(cut, '#', sizeof cut);
    name(cut, bytes);
    return memchr(cut, '\0', bytes) && strncmp(cut, whole, strlen(cut)) == 0 &&
           strlen(cut) == (strlen(whole) < bytes ? strlen(whole) : bytes - 1) && cut[bytes] == '#';
}

static void test_names(void)
{
    char text[512] = "";
    host_cpu_name(text, sizeof text);
    ok(text[0] && is_one_line(text), "the CPU has a name: %s", text);
    ok(!isspace((unsigned char)text[0]), "which starts without blanks");
    host_os_name(text, sizeof text);
    ok(text[0] && is_one_line(text), "so has the system: %s", text);
    ok(cuts(host_cpu_name, 4) && cuts(host_os_name, 4) && cuts(host_cpu_name, 1) &&
           cuts(host_os_name, 1),
       "a short buffer gets a name's beginning and no byte more");
}

static void short_name_is(const char *name, const char *expected)
{
    char text[64];
    host_short_name(name, text, sizeof text);
    if (!ok(strcmp(text, expected) == 0, "'%s' is %s for short", name, expected))
        printf("#   got %s\n", text);
}

static void test_short_names(void)
{
    short_name_is("NVIDIA H200", "nvidia-h200");
    short_name_is("Tesla C2050", "tesla-c2050");
    short_name_is("NVIDIA GeForce RTX 4090 Laptop GPU", "nvidia-geforce-rtx-4090-laptop");
    short_name_is("NVIDIA A100-SXM4-80GB", "nvidia-a100-sxm4-80gb");
    short_name_is("Intel(R) Xeon(R) Platinum 8481C CPU @ 2.70GHz", "intel-xeon-platinum-8481c");
    short_name_is("Intel(R) Core(TM) i7-2600 CPU @ 3.40GHz", "intel-core-i7-2600");
    short_name_is("AMD EPYC 7742 64-Core Processor", "amd-epyc-7742-64-core");
    short_name_is("AMD EPYC-Milan Processor", "amd-epyc-milan");
    short_name_is("aarch64", "aarch64");
    short_name_is("a/b\\c\"d,e;f", "a-b-c-d-e-f");
    short_name_is("../../etc", "etc");
    short_name_is("\xc3\xa9"
                  "clair",
                  "clair");
    short_name_is("", "unknown");
    short_name_is("@ 2.70GHz", "unknown");
    short_name_is("(R) CPU", "unknown");
}

/* Every length of buffer: terminated, within it, and fit to be a file's name. */
static void test_short_buffers(void)
{
    static const char *const names[] = {"Intel(R) Xeon(R) Platinum 8481C CPU @ 2.70GHz",
                                        "a-b-c-d-e-f-g-h", "x", "", "((((((((((((((((("};
    int fit = 1;
    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++)
        for (size_t bytes = 1; bytes < 40; bytes++) {
            char text[48];
            memset(text, '#', sizeof text);
            host_short_name(names[n], text, bytes);
            size_t length = memchr(text, '\0', bytes) ? strlen(text) : sizeof text;
            fit = fit && length < bytes && text[bytes] == '#' && text[0] != '-' &&
                  (length == 0 || text[length - 1] != '-') &&
                  strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-") == length;
        }
    ok(fit, "a short name keeps to its buffer and never begins or ends in '-'");
}

int main(void)
{
    test_clock();
    test_numbers();
    test_names();
    test_short_names();
    test_short_buffers();
    return done_testing();
}
