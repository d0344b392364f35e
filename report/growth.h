/*
 * growth.h - how times grow with the size: fitted exponents beside those that table 19 of 2012
 * expects.
 */
#ifndef REPORT_GROWTH_H
#define REPORT_GROWTH_H

#include "ceilings.h"

/*
 * Tables exponents and fit_points, for each variant with FIT_POINTS sizes or more, of the block
 * that is its best at the lab's size; facts exponent_cpu, exponent_naive_small, _large, _bend.
 *
 * x is n, N, the number of pixels, or with a template the number of its positions (view_x). Without
 * a bend there is one exponent, exponent_large. bend_size is the measured size nearest to the bend.
 *
 * Theory, table 19: the product takes O(N^3) on a CPU and O(N) on a GPU with a thread an element; a
 * filter is linear in the pixels on a CPU and does not depend on them on a GPU. The vector sum is
 * not in that table.
 *
 * `why` is what the data points to, for GPU rows; of these those that hold, joined by commas:
 *
 * - launch: below the bend, or everywhere without one, every time is within LAUNCH_RATIO of the
 *   least time of all sizes: launching and waiting take longer than the work;
 * - full: the results at the bend, with a thread for each, are between half and twice the threads
 *   that all multiprocessors together have room for, by the kernel's occupancy: until then a larger
 *   size is spread over idle processors, as the theory has it;
 * - cache: the traffic at the bend is between half and twice the L2 cache (l2_bytes of run.json);
 * - bandwidth: at the largest size, gb_per_s is at least NEAR_CEILING of the copy rate of lab 0, or
 *   without lab 0 of the greatest rate of any GPU row;
 * - arithmetic: the same of gflop_per_s and lab 0's rate of multiply-adds.
 */
enum { LAUNCH_RATIO = 3 };
#define NEAR_CEILING 0.7
void growth_analyse(const view *views, const ceilings *c, const char *folder, facts *f);

#endif
