/*
 * compare.h - several machines side by side.
 */
#ifndef REPORT_COMPARE_H
#define REPORT_COMPARE_H

#include "facts.h"
#include "study.h"

/*
 * Table compare: for each lab (of lab 5 each type of pixel) and variant of kind cpu or gpu, the
 * time in ms on each machine, at the lab's size: that at which the most machines' CPUs and GPUs
 * were measured, of equals the largest. Each is at its best block; the blocks are joined by `/`
 * where they differ, in the machines' order. An empty cell: not measured at that size. Also the
 * machines' problems.csv, with the machine before each file, and the facts `machines` and
 * `machine_1`, `machine_2` ...
 */
void compare_analyse(study *studies, int n, const char *folder, facts *f);

#endif
