/*
 * test_host.c - the computer's description, and short names for files and rows.
 */
#include "host.h"
#include "tap.h"

#include <string.h>

static void test_memory(void)
{
    double memory = host_memory_bytes();
    ok(memory > 0x1p26 && memory < 0x1p50, "physical memory, %.1f GiB", memory / 0x1p30);
}

static void test_name(const char *what, void (*name)(char *, size_t))
{
    char text[512] = "";
    name(text, sizeof text);
    ok(text[0] > ' ' && !strpbrk(text, "\r\n\t"), "%s has a name, one line: %s", what, text);
}

static void test_short_names(void)
{
    static const char *const names[][2] = {
        {"NVIDIA H200", "nvidia-h200"},
        {"NVIDIA GeForce RTX 4090 Laptop GPU", "nvidia-geforce-rtx-4090-laptop"},
        {"NVIDIA A100-SXM4-80GB", "nvidia-a100-sxm4-80gb"},
        {"Intel(R) Xeon(R) Platinum 8481C CPU @ 2.70GHz", "intel-xeon-platinum-8481c"},
        {"Intel(R) Core(TM) i7-2600 CPU @ 3.40GHz", "intel-core-i7-2600"},
        {"AMD EPYC 7742 64-Core Processor", "amd-epyc-7742-64-core"},
        {"aarch64", "aarch64"},
        {"a/b\\c\"d,e;f", "a-b-c-d-e-f"},
        {"../../etc", "etc"},
        {"\xc3\xa9 clair", "clair"},
        {"", "unknown"},
        {"(R) CPU", "unknown"},
    };
    for (size_t n = 0; n < COUNT(names); n++) {
        char text[64];
        host_short_name(names[n][0], text, sizeof text);
        is(text, names[n][1], "'%s' for short", names[n][0]);
    }
}

/* Cut to any length, a name neither ends in `-` nor leaves its buffer. */
static void test_cut(void)
{
    char text[64];
    for (size_t bytes = 1; bytes < 16; bytes++) {
        memset(text, '#', sizeof text);
        host_short_name("NVIDIA H200 NVL", text, bytes);
        size_t length = strlen(text);
        ok(length < bytes && text[bytes] == '#' && (length == 0 || text[length - 1] != '-'),
           "in %zu bytes it is '%s'", bytes, text);
    }
}

int main(void)
{
    test_memory();
    test_name("the CPU", host_cpu_name);
    test_name("the system", host_os_name);
    test_short_names();
    test_cut();
    return done_testing();
}
