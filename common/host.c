#define _POSIX_C_SOURCE 200809L /* clock_gettime, sysconf */
#define _DEFAULT_SOURCE         /* _SC_PHYS_PAGES */

#include "host.h"

#include <ctype.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

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

int host_threads(void)
{
    return omp_get_max_threads();
}

void host_cpu_name(char *text, size_t bytes)
{
    char line[512];
    struct utsname system;
    FILE *file = fopen("/proc/cpuinfo", "r");
    snprintf(text, bytes, "%s", uname(&system) == 0 ? system.machine : "cpu");
    while (file && fgets(line, sizeof line, file)) {
        char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) == 0 && colon) {
            colon += 1 + strspn(colon + 1, " \t");
            colon[strcspn(colon, "\n")] = '\0';
            snprintf(text, bytes, "%s", colon);
            break;
        }
    }
    if (file)
        fclose(file);
}

void host_os_name(char *text, size_t bytes)
{
    char line[256], name[128] = "";
    struct utsname system;
    FILE *file = fopen("/etc/os-release", "r");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "PRETTY_NAME=\"%127[^\"]\"", name) == 1)
            break;
    if (file)
        fclose(file);
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
