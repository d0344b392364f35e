/*
 * test_host.c - the computer's description, and short names for files and rows.
 */
#define _XOPEN_SOURCE 700

#include "folder.h"
#include "machine/host.h"

#include <sys/stat.h>
#include <sys/utsname.h>

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

/* ---- made-up files of the system's ---------------------------------------------------------- */

/* The file with the folders that it is in. */
static void put_deep(const char *path, const char *text)
{
    char folder[256];
    for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
        snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path);
        mkdir(folder, 0777);
    }
    put_file(path, text);
}

/* What a CPU shares its core, and its socket, with. */
static void put_cpu(int number, const char *core, const char *socket)
{
    char path[256];
    snprintf(path, sizeof path, "sys/devices/system/cpu/cpu%d/topology/thread_siblings_list",
             number);
    put_deep(path, core);
    snprintf(path, sizeof path, "sys/devices/system/cpu/cpu%d/topology/core_siblings_list", number);
    put_deep(path, socket);
}

static void put_cache(int index, const char *level, const char *type, const char *size)
{
    const char *const files[][2] = {{"level", level}, {"type", type}, {"size", size}};
    for (size_t i = 0; i < COUNT(files); i++) {
        char path[256];
        snprintf(path, sizeof path, "sys/devices/system/cpu/cpu0/cache/index%d/%s", index,
                 files[i][0]);
        put_deep(path, files[i][1]);
    }
}

/* Two sockets of two cores of two threads, numbered as Linux does; CPU 10 is on its own. */
static void test_x86(void)
{
    put_deep("proc/cpuinfo", "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\n"
                             "model\t\t: 143\nmodel name\t: Intel(R) Xeon(R) Processor\n"
                             "stepping\t: 8\n\nprocessor\t: 1\nmodel\t\t: 7\n");
    for (int cpu = 0; cpu < 8; cpu++) {
        char core[8];
        snprintf(core, sizeof core, "%d,%d\n", cpu % 4, cpu % 4 + 4);
        put_cpu(cpu, core, cpu % 4 < 2 ? "0-1,4-5\n" : "2-3,6-7\n");
    }
    put_cpu(10, "10\n", "10\n");
    put_deep("sys/devices/system/cpu/cpufreq/topology/thread_siblings_list", "0\n");
    put_cache(0, "1\n", "Data\n", "48K\n");
    put_cache(1, "1\n", "Instruction\n", "32K\n");
    put_cache(2, "2\n", "Unified\n", "2M\n");
    put_cache(3, "3\n", "Unified\n", "307200K\n");
    host_cpus cpus = host_read_cpus(".");
    is(cpus.model, "family 6, model 143, stepping 8", "the first CPU's model");
    ok(cpus.sockets == 3 && cpus.cores == 5, "3 sockets and 5 cores: %d, %d", cpus.sockets,
       cpus.cores);
    ok(cpus.l1_data_bytes == 48 * 1024 && cpus.l2_bytes == 2 * 1024 * 1024 &&
           cpus.l3_bytes == 300.0 * 1024 * 1024,
       "its data caches: %g, %g, %g", cpus.l1_data_bytes, cpus.l2_bytes, cpus.l3_bytes);
}

static void test_arm(void)
{
    put_file("proc/cpuinfo", "processor\t: 0\nCPU implementer\t: 0x41\nCPU architecture: 8\n"
                             "CPU variant\t: 0x0\nCPU part\t: 0xd4f\n");
    is(host_read_cpus(".").model, "implementer 0x41, part 0xd4f", "an Arm's model");
}

static void test_nothing_told(void)
{
    host_cpus cpus = host_read_cpus("./nowhere");
    ok(!cpus.model[0] && !cpus.sockets && !cpus.cores && cpus.l1_data_bytes == 0 &&
           cpus.l2_bytes == 0 && cpus.l3_bytes == 0,
       "of a system that tells nothing nothing is known");
}

static void test_made_up(void)
{
    enter_folder();
    test_x86();
    test_arm();
    test_nothing_told();
    ok(system("rm -r proc sys") == 0, "the made-up files go");
    leave_folder();
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

/* The host's name, if it is not its own. */
static const char *node;
int __real_uname(struct utsname *system);
int __wrap_uname(struct utsname *system);
int __wrap_uname(struct utsname *system)
{
    const int status = __real_uname(system);
    if (node)
        strcpy(system->nodename, node);
    return status;
}

static void test_id(void)
{
    char text[16], again[16];
    memset(text, '#', sizeof text);
    host_id(text);
    host_id(again);
    ok(strlen(text) == 8 && strspn(text, "0123456789abcdef") == 8 && strcmp(text, again) == 0,
       "the host is %s, and stays it", text);
    node = "foobar"; /* http://www.isthe.com/chongo/tech/comp/fnv */
    host_id(text);
    node = NULL;
    is(text, "bf9cf968", "it is FNV-1a of its name, in 32 bits");
}

int main(void)
{
    test_id();
    test_memory();
    test_name("the CPU", host_cpu_name);
    test_name("the system", host_os_name);
    test_made_up();
    test_short_names();
    test_cut();
    return done_testing();
}
