/*
 * host.h - the computer around the GPU, and its clock.
 */
#ifndef COMMON_HOST_H
#define COMMON_HOST_H

#include <stddef.h>

/* Seconds from an arbitrary start, by a clock that never jumps. */
double host_seconds(void);

/* Physical memory in bytes. */
double host_memory_bytes(void);

/* The CPU's name as the operating system gives it, or the architecture where it gives none. */
void host_cpu_name(char *text, size_t bytes);

/*
 * What the system tells of its CPUs; 0 and an empty text for what it does not tell. Caches are
 * those that the first CPU uses: L3 may be one of several.
 */
typedef struct host_cpus {
    char model[96]; /* "family 6, model 143, stepping 8": tells CPUs of one name apart */
    int sockets, cores;
    double l1_data_bytes, l2_bytes, l3_bytes;
} host_cpus;

/* `root` is where proc/ and sys/ are: empty, but for tests. */
host_cpus host_read_cpus(const char *root);

/* The operating system's name and its kernel's version number. */
void host_os_name(char *text, size_t bytes);

/* Which host this is, in eight digits: a sum (FNV-1a) of its network name, which is nobody's
 * business but tells hosts apart. */
void host_id(char text[9]);

/*
 * A device's marketing name as a short name for files and rows: lower case, words joined by '-',
 * trademarks, "CPU" and clock rates left out. "NVIDIA H200" gives nvidia-h200,
 * "Intel(R) Xeon(R) Platinum 8481C CPU @ 2.70GHz" intel-xeon-platinum-8481c.
 */
void host_short_name(const char *name, char *text, size_t bytes);

#endif
