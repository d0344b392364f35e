/*
 * handed_in.h - a kernel from a file in the place of one of the lab's own, for the judge of a
 * course (docs/judging.md): --kernel VARIANT=FILE. The file is a cubin, on the CPU a runner
 * (cuda_on_cpu/library.cpp). Launchers, plans and refusals stay the lab's own.
 */
#ifndef COMMON_HANDED_IN_H
#define COMMON_HANDED_IN_H

#include "lab.h"
#include "rows/result.h"

typedef struct CUkern_st *cudaKernel_t; /* as the runtime has it, late versions of CUDA 12 */

/* Opens the file for this variant, as `VARIANT=FILE` has it. */
void handed_in_open(const lab *definition, const char *text);

/* Prints the names of the kernels that such a file is to hold, where the FILE is '?'. */
bool handed_in_names(const lab *definition, const char *text, const dim3 *blocks, int count);

/*
 * The launch that a part declares, TEXT of `grid: 264` or `grid: 264x2`, so many blocks; `grid: /4`
 * or `grid: /2x1`, the lab's own grid divided, rounded up; `shared: 4096` or `shared: 8/thread`,
 * dynamic bytes a block. Ends the program where it is malformed or no device can launch it.
 */
void handed_in_declare(const char *text);

/* A launch of the file's kernel, by the lab, becomes what was declared. */
void handed_in_reshape(dim3 *grid, dim3 block, size_t *shared_bytes);

/* The most dynamic bytes that the file's kernels are launched with, where the lab says VALUE. */
int handed_in_shared_limit(int value);

/*
 * The variant's kernels for this block are the file's from now on, if it is the one of --kernel;
 * false, with the reason, where the file lacks one.
 */
bool handed_in_bind(const variant *v, dim3 block, char reason[RESULT_TEXT]);

/* Is it the one? */
bool handed_in_is(const variant *v);

/* Loads the file anew: nothing that its kernels kept is left. */
void handed_in_reload(void);

/* Are launches to go to the file's kernels, as at first, or to the lab's own? */
void handed_in_use(bool file);

/* For course/wraps.c: what a launch of the lab's own kernel is to run, NULL for that itself; the
 * same for its handle, which nvcc 13's launches have; the file's variable of that name, or NULL. */
cudaKernel_t handed_in_kernel(const void *own);
cudaKernel_t handed_in_by_handle(cudaKernel_t own);
char *handed_in_variable(const char *name);

/* Is this program linked with course/wraps.c, without which a GPU launches its own kernels? */
extern const bool handed_in_wrapped __attribute__((weak));

#endif
