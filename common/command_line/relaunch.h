/*
 * relaunch.h - --gpus "1 2 4": the program once more for each number of GPUs, as so many processes
 * under mpirun.
 *
 * The environment's MPIRUN replaces `mpirun` and its options; its words may not hold blanks.
 */
#ifndef COMMON_RELAUNCH_H
#define COMMON_RELAUNCH_H

#include "lab.h"
#include "options.h"

/*
 * Returns the worst exit status of the runs: that of the program, or 3, after a line on stderr, for
 * a run whose processes ended in another way, such as by a signal. Exit 2 where this build has no
 * MPI, or there is no mpirun.
 */
int relaunch(const lab *definition, const options *o, int argc, char **argv);

#endif
