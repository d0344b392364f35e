#define _POSIX_C_SOURCE 200809L /* clock_gettime, sysconf */
#define _DEFAULT_SOURCE         /* _SC_PHYS_PAGES */

#include "host.h"

#include <ctype.h>
#include <stdio.h>
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
