#define _GNU_SOURCE /* sched_setaffinity */

#include "affinity.h"

#include <omp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef __linux__
#include <sched.h>

static cpu_set_t allowed; /* what the process may use, as it was at first */
static int order[CPU_SETSIZE], processors;

/* The lowest processor of its core; itself where the system does not say. */
static int first_of_core(int processor)
{
    char path[96], list[64];
    long first = processor;
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list",
             processor);
    FILE *file = fopen(path, "r");
    if (file && fgets(list, sizeof list, file)) /* 0,8 or 0-1 */
        first = strtol(list, NULL, 10);
    if (file)
        fclose(file);
    return first >= 0 && first < CPU_SETSIZE ? (int)first : processor;
}

static void find_order(void)
{
    bool taken[CPU_SETSIZE] = {false}, in_use[CPU_SETSIZE] = {false};
    if (processors > 0 || sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return;
    for (int others = 0; others < 2; others++)
        for (int i = 0; i < CPU_SETSIZE; i++) {
            if (!CPU_ISSET(i, &allowed) || taken[i] || (!others && in_use[first_of_core(i)]))
                continue;
            in_use[first_of_core(i)] = taken[i] = true;
            order[processors++] = i;
        }
}

static void bind_caller(int thread)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(order[thread], &one);
    sched_setaffinity(0, sizeof one, &one);
}

void affinity_pin(int threads)
{
    find_order();
    if (threads > processors || omp_get_proc_bind() != omp_proc_bind_false)
        return;
    if (threads == 1) {
        bind_caller(0);
        return;
    }
#pragma omp parallel num_threads(threads)
    bind_caller(omp_get_thread_num());
}

void affinity_release(void)
{
    if (processors > 0)
        sched_setaffinity(0, sizeof allowed, &allowed);
}
#else
void affinity_pin(int threads)
{
    (void)threads;
}

void affinity_release(void)
{
}
#endif
