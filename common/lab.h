/*
 * lab.h - what a lab tells the rest of the suite: its data, its variants and how to check them.
 *
 * A lab's main() hands its `lab` to lab_main(), which does everything that labs have in common:
 * the command line, the sweep over variants x sizes x blocks, checking, timing and CSV. Nothing in
 * common/ knows a particular lab.
 */
#ifndef COMMON_LAB_H
#define COMMON_LAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cuda_runtime_api.h>

#include "check.h"
#include "cuda_check.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { LAB_MAX_BUFFERS = 8 };

/* ---- the data ------------------------------------------------------------------------------- */

typedef enum buffer_role {
    BUFFER_INPUT,    /* filled by the lab, copied to the device */
    BUFFER_RESIDENT, /* the same, but it stays there: no part of the time from end to end */
    BUFFER_OUTPUT,   /* poisoned before each check, copied back */
    BUFFER_SCRATCH   /* room that a variant may write to between its kernels */
} buffer_role;

typedef struct lab_buffer {
    const char *name;
    buffer_role role;
    size_t bytes;
    void *host; /* allocated by common/, 256-byte aligned */
} lab_buffer;

/* One size of the experiment with its data. */
typedef struct problem {
    int width, height; /* elements: n x 1 for vectors, N x N for matrices, pixels for images */
    uint64_t seed;
    int buffers;
    lab_buffer buffer[LAB_MAX_BUFFERS];
    void *reference; /* whatever the lab's check needs; malloc'ed by reference(), freed by common */
} problem;

/* Adds a buffer to a problem; called by a lab's layout(), in the order of its own enum. */
void problem_add_buffer(problem *p, const char *name, buffer_role role, size_t bytes);

/* ---- the variants --------------------------------------------------------------------------- */

typedef enum variant_kind {
    VARIANT_CPU,   /* run() works on host pointers; the serial one is named "cpu" */
    VARIANT_GPU,   /* run() launches our own kernels */
    VARIANT_VENDOR /* run() calls a library on the GPU */
} variant_kind;

typedef enum variant_accuracy {
    ACCURACY_EXACT,      /* equal to the last bit */
    ACCURACY_BOUND,      /* within an error bound that the lab's check derives */
    ACCURACY_APPROXIMATE /* less than its peers by design; its note says by how much */
} variant_accuracy;

/* What run() gets: where to work and how to launch. */
typedef struct launch {
    dim3 block;          /* threads; (0,0,0) for CPU and vendor variants */
    cudaStream_t stream; /* every launch and every library call goes here */
    void *const *buffer; /* in layout()'s order: device pointers, for CPU variants host pointers */
    void *workspace;     /* workspace_bytes() of device memory, or NULL */
} launch;

typedef struct variant {
    const char *name;
    variant_kind kind;
    const char *summary; /* its idea in one line, for --list */

    /*
     * Computes every output of the problem once. Returns without waiting for the GPU; checks
     * cudaGetLastError() after each launch. NULL where this build cannot run it: `needs` says why.
     */
    void (*run)(const problem *p, const launch *l);
    const char *needs;      /* what it requires beyond any CUDA device, e.g. "cuBLAS"; or NULL */
    int compute_capability; /* the least it needs, 90 for 9.0; 0 for any */

    /* The kernel that it launches, for its registers and its occupancy; or NULL. */
    const void *kernel;
    /* The same where the kernel depends on the block, such as a template's instance. */
    const void *(*kernel_for)(dim3 block);
    /* Dynamic shared memory per block, in bytes; NULL for none. */
    size_t (*shared_bytes)(const problem *p, dim3 block);
    /* Device memory beside the buffers, in bytes; NULL for none. */
    size_t (*workspace_bytes)(const problem *p);
    /* Does it belong to the lab's current options? Where not it has no rows. NULL: always. */
    bool (*applies)(void);
    /* Why this block or size cannot run, as a phrase for a skipped row; NULL if it can. */
    const char *(*refuse)(const problem *p, dim3 block);
    /* Untimed work before a problem's first run of this variant, e.g. filling constant memory. */
    void (*prepare)(const problem *p, const launch *l);

    variant_accuracy accuracy;
    bool large;       /* fast enough for the lab's large sizes */
    const char *note; /* a remark for its CSV rows; or NULL */
} variant;

/* ---- the lab's own options ------------------------------------------------------------------ */

typedef enum option_type { OPTION_INT, OPTION_DOUBLE, OPTION_TEXT, OPTION_CHOICE } option_type;

typedef struct lab_option {
    const char *name; /* long option with its dashes, "--radius" */
    option_type type;
    void *value;      /* int, double or const char *, for a choice its int index; the default */
    double min, max;  /* legal range of numbers, both ends included */
    const char *help; /* one line, without the default */
    const char *const *choices; /* the words of a choice, ends with NULL */
} lab_option;

/* ---- the lab -------------------------------------------------------------------------------- */

typedef enum size_kind {
    SIZE_VECTOR, /* n */
    SIZE_SQUARE, /* N, meaning N x N */
    SIZE_IMAGE   /* WxH */
} size_kind;

typedef struct lab {
    const char *name;  /* the folder's name, "lab2_matprod": rows and CSV files carry it */
    const char *title; /* what it computes, one line for --help */

    size_kind sizes_are;
    const char *sizes;       /* default sweep, e.g. "32 64 128" */
    const char *sizes_large; /* GPU only, for `large` variants and blocks of 64 threads or more */
    /*
     * Size of the OpenMP scaling runs: data beyond the L2 cache of a core, the serial CPU variant
     * about 0.05 to 0.5 s, best one of `sizes`. NULL for none.
     */
    const char *scaling_size;
    int size_min, size_max; /* legal width and height */
    double emulated_max;    /* width * height up to which a default sweep emulates; 0: no limit */
    int block_dimensions;   /* 1: `--blocks 16` is 16 threads; 2: it is 16x16 */
    const char *blocks;     /* default sweep */

    /*
     * The 2012 report's positional arguments, as the long options that they stand for;
     * "WIDTH" and "HEIGHT" stand for the two halves of --sizes. The first `required` must be given.
     * A run with positional arguments, or with none at all where none is required, does one size
     * and one block, by default those below.
     */
    const char *const *positional; /* ends with NULL */
    int required;
    const char *single_size, *single_block, *single_trials;

    const lab_option *options;
    int n_options;
    /*
     * What a default sweep goes through, one after the other: settings of the lab's own options
     * such as "--type rgb24"; ends with NULL. Any of them on the command line makes it that one
     * sweep.
     */
    const char *const *configurations;

    const variant *variants;
    int n_variants;

    /* After the options are set, before any problem: loads input files. Optional. */
    void (*configure)(bool single_run);
    /* CSV column `parameters`: key=value pairs joined by ';'. */
    void (*parameters)(char *text, size_t bytes);
    /* Why a size is not legal, as a phrase; NULL if it is. Optional. */
    const char *(*refuse_size)(int width, int height);
    /* Names the buffers and their sizes for p->width x p->height. */
    void (*layout)(problem *p);
    /* Fills the inputs' host memory. */
    void (*fill)(const problem *p);
    /* Works out what check() needs and returns it (malloc), or NULL. */
    void *(*reference)(const problem *p);
    /* Checks the outputs of a variant, which lie in the host buffers. */
    check_result (*check)(const problem *p, const variant *v);
    /* Compulsory traffic (each input read once, each output written once) and operations. */
    void (*work)(const problem *p, double *bytes, double *flops);
    /*
     * Single runs only: shows or writes the result that lies in the host buffers. Called for the
     * first correct CPU variant and for the first correct GPU variant. Optional.
     */
    void (*present)(const problem *p, const variant *v, dim3 block);
} lab;

/* Runs the program; returns its exit status (die.h). */
int lab_main(const lab *definition, int argc, char **argv);

/* ---- for launchers and CPU variants --------------------------------------------------------- */

/* Blocks needed to cover `count` elements with `size` each: the quotient rounded up. */
static inline unsigned blocks_for(int count, unsigned size)
{
    return ((unsigned)count + size - 1) / size;
}

#ifdef __cplusplus
}
#endif

#endif
