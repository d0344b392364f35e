/*
 * affinity.h - threads that stay on their processors: a thread that moves finds cold caches, and
 * two on one core share it, so that times of the CPU would differ from run to run.
 */
#ifndef COMMON_AFFINITY_H
#define COMMON_AFFINITY_H

/*
 * Binds the caller, and with `threads` > 1 all threads of an OpenMP team of that many, to a
 * processor each, of those that the process may use: first one of every core, then the cores'
 * others. Does nothing where there are more threads than processors, where OpenMP was told to bind
 * them (OMP_PROC_BIND), or where the system knows no such thing.
 */
void affinity_pin(int threads);

/* The caller may run anywhere again that the process may: threads that it makes inherit it. */
void affinity_release(void);

#endif
