#define _POSIX_C_SOURCE 200809L /* clock_gettime, sysconf */
#define _DEFAULT_SOURCE         /* _SC_PHYS_PAGES */

#include "host.h"

#include <ctype.h>
#include <glob.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

enum { VALUE_SIZE = 512 };

double host_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double host_memory_bytes(void)
{
    return (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
}

/* What follows a key in a file of the system's, where `format` has its %s; else empty. */
static void read_value(const char *path, const char *format, char value[VALUE_SIZE])
{
    char line[VALUE_SIZE];
    FILE *file = fopen(path, "r");
    value[0] = '\0';
    while (file && fgets(line, sizeof line, file) && sscanf(line, format, value) != 1)
        ;
    if (file)
        fclose(file);
}

void host_cpu_name(char *text, size_t bytes)
{
    char model[VALUE_SIZE];
    struct utsname system;
    read_value("/proc/cpuinfo", "model name : %[^\n]", model);
    snprintf(text, bytes, "%s", model[0] ? model : uname(&system) == 0 ? system.machine : "cpu");
}

/* Each CPU has such a folder; its number follows. */
#define CPU_FOLDER "/sys/devices/system/cpu/cpu"

/*
 * How many CPUs stand first in their own list of those that share something: as many as there are
 * cores, sockets.
 */
static int count_first(const char *root, const char *list)
{
    int count = 0;
    char pattern[VALUE_SIZE], first[VALUE_SIZE];
    glob_t found;
    snprintf(pattern, sizeof pattern, "%s" CPU_FOLDER "[0-9]*/topology/%s", root, list);
    if (glob(pattern, 0, NULL, &found) != 0)
        return 0;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        const char *number = found.gl_pathv[i] + strlen(root) + strlen(CPU_FOLDER);
        read_value(found.gl_pathv[i], "%[0-9]", first);
        count += first[0] && strtol(first, NULL, 10) == strtol(number, NULL, 10);
    }
    globfree(&found);
    return count;
}

/* A file of the first CPU's i-th cache. */
static void read_cache(const char *root, int i, const char *name, char value[VALUE_SIZE])
{
    char path[VALUE_SIZE];
    snprintf(path, sizeof path, "%s" CPU_FOLDER "0/cache/index%d/%s", root, i, name);
    read_value(path, "%s", value);
}

/* Data caches: "48K" of level 1, and so on. */
static void read_caches(const char *root, host_cpus *cpus)
{
    double *const bytes[] = {&cpus->l1_data_bytes, &cpus->l2_bytes, &cpus->l3_bytes};
    char level[VALUE_SIZE], type[VALUE_SIZE], size[VALUE_SIZE], *unit;
    for (int i = 0; read_cache(root, i, "level", level), level[0]; i++) {
        read_cache(root, i, "type", type);
        read_cache(root, i, "size", size);
        double number = strtod(size, &unit);
        long at = strtol(level, NULL, 10) - 1;
        if (at >= 0 && at < 3 && strcmp(type, "Instruction") != 0)
            *bytes[at] = number * (*unit == 'K' ? 1024 : *unit == 'M' ? 1024 * 1024 : 1);
    }
}

/* The numbers by which a CPU tells what it is: the first three on x86, the others on Arm. */
static void read_model(const char *root, char *text, size_t bytes)
{
    static const char *const keys[][2] = {{"family", "cpu family : %[^\n]"},
                                          {"model", "model : %[^\n]"},
                                          {"stepping", "stepping : %[^\n]"},
                                          {"implementer", "CPU implementer : %[^\n]"},
                                          {"part", "CPU part : %[^\n]"}};
    char path[VALUE_SIZE], value[VALUE_SIZE];
    size_t used = 0;
    text[0] = '\0';
    snprintf(path, sizeof path, "%s/proc/cpuinfo", root);
    for (size_t k = 0; k < sizeof keys / sizeof keys[0] && used < bytes; k++) {
        read_value(path, keys[k][1], value);
        if (value[0])
            used += (size_t)snprintf(text + used, bytes - used, "%s%s %s", used ? ", " : "",
                                     keys[k][0], value);
    }
}

host_cpus host_read_cpus(const char *root)
{
    host_cpus cpus = {.sockets = count_first(root, "core_siblings_list"),
                      .cores = count_first(root, "thread_siblings_list")};
    read_model(root, cpus.model, sizeof cpus.model);
    read_caches(root, &cpus);
    return cpus;
}

void host_os_name(char *text, size_t bytes)
{
    char name[VALUE_SIZE];
    struct utsname system;
    read_value("/etc/os-release", "PRETTY_NAME=\"%[^\"]\"", name);
    if (uname(&system) == 0)
        snprintf(text, bytes, "%s%s%s %.*s", name, name[0] ? ", " : "", system.sysname,
                 (int)strspn(system.release, "0123456789."), system.release);
    else
        snprintf(text, bytes, "%s", name);
}

void host_id(char text[9])
{
    struct utsname system = {0};
    uint32_t sum = 2166136261;
    (void)uname(&system);
    for (const char *c = system.nodename; *c; c++)
        sum = (sum ^ (unsigned char)*c) * 16777619;
    snprintf(text, 9, "%08x", (unsigned)sum);
}

void host_short_name(const char *name, char *text, size_t bytes)
{
    static const char *const fillers[] = {"(r)", "(tm)", "(c)", "cpu", "processor", "gpu"};
    size_t used = 0;
    while (*name && *name != '@' && used + 2 < bytes) {
        size_t skip = 0;
        for (size_t i = 0; i < sizeof fillers / sizeof fillers[0]; i++)
            if (strncasecmp(name, fillers[i], strlen(fillers[i])) == 0)
                skip = strlen(fillers[i]);
        if (skip) {
            name += skip;
            continue;
        }
        if (isalnum((unsigned char)*name))
            text[used++] = (char)tolower((unsigned char)*name);
        else if (used && text[used - 1] != '-')
            text[used++] = '-';
        name++;
    }
    while (used && text[used - 1] == '-')
        used--;
    text[used] = '\0';
    if (!used)
        snprintf(text, bytes, "unknown");
}
