/*
 * ranks.h - the processes of a run over several GPUs, one a GPU: who am I, what is my part, and
 * what do all of them say together. A program that nobody started as one of several is rank 0 of 1.
 *
 * MPI starts the processes and carries what they tell each other on the host; between GPUs data
 * moves by NCCL (nccl_check.h). A build has both or neither. What follows here is called by all
 * ranks, in the same order, unless it says otherwise: so all that decides what comes next must be
 * agreed upon.
 */
#ifndef COMMON_RANKS_H
#define COMMON_RANKS_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ranks {
    int rank, count;    /* this process, of how many */
    int local, on_node; /* the same among those of its node */
    int nodes;
} ranks;

/* Once, before the command line is read; what is wrong with how it was started ends the program.
 * Rank 0 alone has a stdout. */
void ranks_start(int *argc, char ***argv);

/* This process among the others. No other rank takes part. */
ranks ranks_now(void);

/* Can this build run over several GPUs? */
bool ranks_are_built(void);

/*
 * Ends the program (exit 2) unless all ranks are of the same build and each has a device of its
 * own, of the `devices` that its node has from number `first` on.
 */
void ranks_agree_on_build(const char *build);
void ranks_need_devices(int first, int devices);

/* Before the program ends: waits for the others. */
void ranks_end(void);

/* Ends all ranks with this status, after a line that says why. No other rank takes part. */
__attribute__((noreturn)) void ranks_exit(int status);
__attribute__((noreturn)) void ranks_abort(int status, const char *why);

/* ---- parts ---------------------------------------------------------------------------------- */

/* `count` items from `first` on. */
typedef struct rank_part {
    size_t first, count;
} rank_part;

/*
 * Rank's part of `total` items in units of `unit`, the last of which may be short: the parts are
 * next to one another and differ by one unit at most; of less units than ranks the last ranks have
 * none. No other rank takes part.
 */
rank_part ranks_part(size_t total, size_t unit, int rank, int count);

/* Brings each rank's part of a memory, in bytes, to its place in rank 0's: part(context, rank). */
void ranks_gather(void *memory, rank_part (*part)(const void *context, int rank),
                  const void *context);

/* ---- what all say together ------------------------------------------------------------------ */

void ranks_wait(void);

/* The largest of the ranks' values: of times that of the slowest rank. */
double ranks_slowest(double seconds);

/* Does any rank say so? */
bool ranks_any(bool here);

/* Each rank's `bytes`, for all: into all[0], all[bytes], .. by rank. */
void ranks_exchange(const void *own, void *all, size_t bytes);

/* What rank 0 says. */
bool ranks_first(bool here);

/* The text of the first rank that has one, for all: `bytes` of it at most. Is there any? */
bool ranks_any_text(char *text, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif
