/*
 * judge.h - a kernel that was handed in, timed beside others so that it can win by its work alone:
 * --judge ROUNDS (docs/judging.md).
 */
#ifndef COMMON_JUDGE_H
#define COMMON_JUDGE_H

#include "command_line/options.h"
#include "machine/device.h"

/*
 * In each round the kernel of --kernel and then each of --variants, by the lab's own kernels, run
 * once over the same new inputs in new memory, checked in full. Prints a line for each: WHO VARIANT
 * STATUS MEDIAN Q1 Q3 ROUNDS NOTE, times in microseconds, `-` where there are none. Returns the
 * exit status.
 */
int judge_run(const lab *definition, const options *o, const device *d);

#endif
