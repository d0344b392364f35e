/*
 * test_host.c - the clock, the computer's description, and short names for files and rows.
 */
#define _POSIX_C_SOURCE 200809L /* nanosleep, sysconf */

#include "host.h"
#include "tap.h"

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

/* A name in a buffer of any length: one line, its beginning, and no byte behind it. */
static void test_name(const char *what, void (*name)(char *, size_t))
{
    char whole[512] = "", cut[512];
    name(whole, sizeof whole);
    ok(whole[0] > ' ' && !strpbrk(whole, "\r\n\t"), "%s has a name, one line: %s", what, whole);
    for (size_t bytes = 1; bytes <= 4; bytes += 3) {
        memset(cut, '#', sizeof cut);
        name(cut, bytes);
        ok(cut[bytes] == '#' && strlen(cut) == bytes - 1 && strncmp(cut, whole, bytes - 1) == 0,
           "%zu bytes get its beginning", bytes);
    }
}

/* Short for a file's name: cut to any length, it is still one and neither begins nor ends in `-`.
 */
static void test_short_names(void)
{
    static const char *const names[][2] = {
        {"NVIDIA H200", "nvidia-h200"},
        {"Tesla C2050", "tesla-c2050"},
        {"NVIDIA GeForce RTX 4090 Laptop GPU", "nvidia-geforce-rtx-4090-laptop"},
        {"NVIDIA A100-SXM4-80GB", "nvidia-a100-sxm4-80gb"},
        {"Intel(R) Xeon(R) Platinum 8481C CPU @ 2.70GHz", "intel-xeon-platinum-8481c"},
        {"Intel(R) Core(TM) i7-2600 CPU @ 3.40GHz", "intel-core-i7-2600"},
        {"AMD EPYC 7742 64-Core Processor", "amd-epyc-7742-64-core"},
        {"AMD EPYC-Milan Processor", "amd-epyc-milan"},
        {"aarch64", "aarch64"},
        {"a/b\\c\"d,e;f", "a-b-c-d-e-f"},
        {"../../etc", "etc"},
        {"\xc3\xa9 clair", "clair"},
        {"", "unknown"},
        {"@ 2.70GHz", "unknown"},
        {"(R) CPU", "unknown"},
    };
    for (size_t n = 0; n < COUNT(names); n++) {
        char text[64];
        int fit = 1;
        for (size_t bytes = 1; bytes < sizeof text; bytes++) {
            memset(text, '#', sizeof text);
            host_short_name(names[n][0], text, bytes);
            size_t length = memchr(text, '\0', bytes) ? strlen(text) : sizeof text;
            fit = fit && length < bytes && text[bytes] == '#' && text[0] != '-' &&
                  (length == 0 || text[length - 1] != '-') &&
                  strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-") == length;
        }
        is(text, names[n][1], "'%s' for short", names[n][0]);
        ok(fit, "and shorter, in any buffer");
    }
}

int main(void)
{
    test_clock();
    test_numbers();
    test_name("the CPU", host_cpu_name);
    test_name("the system", host_os_name);
    test_short_names();
    return done_testing();
}
