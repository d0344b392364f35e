/*
 * scaling.h - how the OpenMP variant gains from threads, and Amdahl's law fitted to it.
 */
#ifndef REPORT_SCALING_H
#define REPORT_SCALING_H

#include "ceilings.h"
#include "facts.h"
#include "study.h"

/*
 * Tables scaling and amdahl and their facts, from the machine's own rows of cpu_omp with
 * cpu_threads among their parameters. The speedup is over the same program on one thread (over the
 * row `cpu` of the same work and size where that was not run): the serial program is compiled in
 * another way, and what that gains or loses has nothing to do with threads. Of several works or
 * sizes the one with the most rows is taken, of equals the largest. fit.h tells how P is fitted;
 * the limit 1 / (1 - P) is left out where P is 1. Flag superlinear: with all threads the speedup is
 * more than SUPERLINEAR times their number, as where their caches add up. Flag scaling_from_cache:
 * their rate is above the CPU's measured copy rate, so the data does not come from memory.
 */
#define SUPERLINEAR 1.05
void scaling_analyse(const study *s, const ceilings *c, const char *folder, facts *f);

#endif
