/*
 * split.h - where the time goes from file to file: reading, copying in, the kernel, copying out,
 * writing; and what that leaves of the speedup (Amdahl's law with the kernel as the parallel part).
 */
#ifndef REPORT_SPLIT_H
#define REPORT_SPLIT_H

#include "facts.h"
#include "view.h"

/*
 * Table split and the facts split_*, of each lab's fastest variant of kind gpu whose row names all
 * four steps around the kernel: at the lab's size, or where no row does so there, at the largest
 * size that has one. The CPU reads and writes the same files: cpu_total = read + cpu + write; limit
 * = cpu_total / (read + copies + write), the speedup with a kernel that takes no time.
 */
void split_analyse(const view *views, const char *folder, facts *f);

#endif
