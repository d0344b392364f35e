/*
 * test_affinity.c - who runs where: each thread of a team on a processor of its own, the caller
 * free again afterwards, and nobody bound where there are too few processors.
 */
#define _GNU_SOURCE /* sched_getaffinity */

#include "machine/affinity.h"
#include "tap.h"

#include <omp.h>
#include <sched.h>

static cpu_set_t mask(void)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    sched_getaffinity(0, sizeof set, &set);
    return set;
}

/* The processors that a team may use together, and the most that one of it may. */
static void look(int threads, int *together, int *most)
{
    cpu_set_t all;
    int widest = 0;
    CPU_ZERO(&all);
#pragma omp parallel num_threads(threads)
#pragma omp critical
    {
        cpu_set_t own = mask();
        CPU_OR(&all, &all, &own);
        widest = CPU_COUNT(&own) > widest ? CPU_COUNT(&own) : widest;
    }
    *together = CPU_COUNT(&all);
    *most = widest;
}

int main(void)
{
    cpu_set_t before = mask(), after;
    int processors = CPU_COUNT(&before), together, most;
    affinity_pin(processors);
    look(processors, &together, &most);
    ok(together == processors && most == 1, "%d threads have a processor each", processors);
    affinity_release();
    after = mask();
    ok(CPU_EQUAL(&before, &after), "then the caller may run anywhere again");
    affinity_pin(1);
    after = mask();
    ok(CPU_COUNT(&after) == 1, "a thread by itself stays where it is");
    affinity_release();
    affinity_pin(processors + 1);
    after = mask();
    ok(CPU_EQUAL(&before, &after), "more threads than processors are left alone");
    return done_testing();
}
