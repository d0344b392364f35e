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

#include "die.h"
#include "check.h"
#include "cuda_check.h"
#include "ranks.h"

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
    void *host;        /* allocated by common/, 256-byte aligned */
    uint64_t checksum; /* of an input as it was filled */
} lab_buffer;

/* One size of the experiment with its data. */
typedef struct problem {
    int width, height; /* elements: n x 1 for vectors, pixels for images, columns x rows of C */
    int depth;         /* of a product of matrices what is summed over; elsewhere 0 */
    bool elementwise;  /* as the lab has it */
    uint64_t seed;
    int buffers;
    lab_buffer buffer[LAB_MAX_BUFFERS];
    void *reference; /* whatever the lab's check needs; malloc'ed by reference(), freed by common */
} problem;

/* What a problem asks of whatever program solves it; 0 is none. */
typedef struct lab_work {
    double bytes;   /* each input read once, each output written once */
    double flops;   /* operations on floats: a fused multiply-add is two, an exponential one */
    double int_ops; /* operations on integers */
    double steps;   /* passes of the innermost loop (taps, products, pixels): step_cost's unit;
                       0 where the variants' costs do not hold */
} lab_work;

/* Adds a buffer to a problem; called by a lab's layout(), in the order of its own enum. */
void problem_add_buffer(problem *p, const char *name, buffer_role role, size_t bytes);

/* ---- the variants --------------------------------------------------------------------------- */

typedef enum variant_kind {
    VARIANT_CPU,   /* run() works on host pointers */
    VARIANT_GPU,   /* run() launches our own kernels */
    VARIANT_VENDOR /* run() calls a library on the GPU */
} variant_kind;

/* What run() gets: where to work and how to launch. */
typedef struct launch {
    dim3 block;          /* threads; (0,0,0) for CPU and vendor variants */
    dim3 cluster;        /* blocks that share their shared memory; (0,0,0): none */
    cudaStream_t stream; /* every launch and every library call goes here */
    void *const *buffer; /* in layout()'s order: device pointers, for CPU variants host pointers */
    const void *kernel;  /* the variant's for this block, or NULL */
    size_t shared_bytes; /* dynamic shared memory that it asks for */
    void *workspace;  /* workspace_bytes() of device memory, or NULL; holds nothing between runs */
    void *derived;    /* derived_bytes() of device memory that goes with `buffer`, or NULL */
    void *plan;       /* what plan() made for these pointers, or NULL */
    bool no_exchange; /* leave out what moves between GPUs: the rest is timed, its result is not */
} launch;

/* Room in a workspace for so many bytes and behind them a part that begins as aligned as it does.
 */
size_t workspace_part(size_t bytes);

/*
 * What a kernel's threads issue for each step of the work (lab_work), counted in the machine code
 * that nvcc 13.0 makes of it for sm_90 (`make sass`), its unrolled loops and what is around them
 * shared out over the steps: the report finds by it, and by lab 0's rates, which unit holds the
 * kernel up. 0: not counted. Stores, branches, the reads of constants and what a warp does once are
 * left out.
 */
typedef struct step_cost {
    double loads; /* words of up to 4 bytes, from global and from shared memory */
    double fp32;  /* additions, products, and both fused, which is one, of floats */
    /*
     * Those on integers and addresses, comparisons, moves and conversions of the ALU, or, where
     * these are more, the integer multiply-adds (IMAD), which have as many lanes of their own.
     */
    double int32;
    double special; /* exponentials, reciprocals, roots */
} step_cost;

typedef struct variant {
    const char *name;
    variant_kind kind;
    const char *summary; /* its idea in one line, for --list */

    /* What it is among its peers. */
    bool serial; /* one thread of the CPU, the program as the report has it: speedups are over it */
    bool tuned;  /* one thread of the CPU, written well: how far one gets */
    bool unpinned; /* a library's threads, which it places itself; all others stay where they are */
    bool scales;   /* an OpenMP program: --cpu-threads runs it on 1, 2, 4, .. threads */

    /*
     * Computes every output of the problem once. Returns without waiting for the GPU; checks
     * cudaGetLastError() after each launch. A CUDA_CHECK that fails leaves it by longjmp: it holds
     * no memory or files of its own. NULL where this build cannot run it: `needs` says why.
     */
    void (*run)(const problem *p, const launch *l);
    const char *needs;      /* what it requires beyond any CUDA device, e.g. "cuBLAS"; or NULL */
    int compute_capability; /* the least it needs, 90 for 9.0; 0 for any */
    bool no_later;          /* and no other will do: wgmma is of 9.0 alone */
    int own_block; /* threads of the one block that it runs with; 0: with any of --blocks */

    step_cost cost;

    /* The kernel that it launches, for its registers and its occupancy; or NULL. */
    const void *kernel;
    /* The same where the kernel depends on the block, such as a template's instance. */
    const void *(*kernel_for)(dim3 block);
    /* Further kernels of a run, ends with NULL; its row shows the largest need. Or NULL. */
    const void *const *more_kernels;
    /* Blocks to a cluster; (0,0,0) for none. */
    dim3 cluster;
    /* Dynamic shared memory per block, in bytes; NULL for none. */
    size_t (*shared_bytes)(const problem *p, dim3 block);
    /* Device memory beside the buffers, in bytes; NULL for none. Its contents last for a run. */
    size_t (*workspace_bytes)(const problem *p);

    /* Does it belong to the lab's current options? Where not it has no rows. NULL: always. */
    bool (*applies)(void);
    /* Why this block or size cannot run, as a phrase for a skipped row; NULL if it can. */
    const char *(*refuse)(const problem *p, dim3 block);
    /*
     * Untimed work on l->stream before each timed sample and each check, after whatever another
     * variant did: filling constant memory. The same for every set of buffers.
     */
    void (*prepare)(const problem *p, const launch *l);

    /*
     * Copies of the inputs in another form (FP16, int8, transposed), one for each set of buffers:
     * derive() fills l->derived from the inputs on l->stream. Untimed, once for a set, unless
     * `derive_timed`: then it runs before each run(), as a part of it.
     */
    size_t (*derived_bytes)(const problem *p);
    void (*derive)(const problem *p, const launch *l);
    bool derive_timed;
    /*
     * What a run needs that depends on its pointers: tensor maps, library handles and plans. Made,
     * untimed, for each set of buffers, and again where pointers change, with the first set's plan
     * in l->plan: where nothing in it depends on pointers, that is what to return. release() frees
     * each plan once.
     */
    void *(*plan)(const problem *p, const launch *l);
    void (*release)(void *plan);

    /*
     * Over several GPUs, one process each (ranks.h): which bytes of the problem's buffer `i` lie in
     * this rank's device memory. run() finds the problem with its whole width, height and depth;
     * bytes, host and device pointers of its buffers are those of the rank's part. Outputs' parts
     * are next to each other and cover the buffer, inputs' may overlap. By itself a rank has the
     * whole. NULL: for one GPU alone.
     */
    rank_part (*part)(const problem *p, int i, int rank, int count);
    bool exchanges; /* moves data between GPUs, which l->no_exchange leaves out */
    /*
     * A library that takes host memory and moves the data itself, kind VARIANT_VENDOR: run, and
     * timed by the host's clock, as a CPU variant is. Its part may leave ranks without any.
     */
    bool on_host;

    bool unordered; /* adds in no fixed order; else a run with other bits than the first is wrong */
    bool yardstick; /* moves the data without the work: no operations, no speedup */
    bool slow;      /* on a GPU too slow for the lab's large sizes */
    bool singly;    /* short runs are timed one by one, too, not in batches */
    const char *note; /* a remark for its CSV rows; or NULL */
} variant;

/*
 * The two programs of the CPU that a lab has, under the names that they have in all labs; a variant
 * of kernels of its own, and one of a library. Further fields come last, in the struct's order:
 * GPU_VARIANT("mine", "what is new", launch_kernel, .kernel = (const void *)mine).
 */
#define SERIAL_VARIANT(idea, program, ...)                                                         \
    {                                                                                              \
        .name = "cpu", .kind = VARIANT_CPU, .summary = idea, .serial = true, .run = program,       \
        __VA_ARGS__                                                                                \
    }
#define OPENMP_VARIANT(idea, program, ...)                                                         \
    {                                                                                              \
        .name = "cpu_omp", .kind = VARIANT_CPU, .summary = idea, .scales = true, .run = program,   \
        __VA_ARGS__                                                                                \
    }
#define GPU_VARIANT(id, idea, launcher, ...)                                                       \
    {                                                                                              \
        .name = id, .kind = VARIANT_GPU, .summary = idea, .run = launcher, __VA_ARGS__             \
    }
#define VENDOR_VARIANT(id, idea, launcher, ...)                                                    \
    {                                                                                              \
        .name = id, .kind = VARIANT_VENDOR, .summary = idea, .run = launcher, __VA_ARGS__          \
    }

/* ---- the lab's own options ------------------------------------------------------------------ */

typedef enum option_type {
    OPTION_FLAG,   /* bool; takes no value */
    OPTION_INT,    /* int */
    OPTION_UINT64, /* uint64_t */
    OPTION_DOUBLE, /* double */
    OPTION_TEXT,   /* const char * */
    OPTION_OUTPUT, /* the same, a file that the run writes and no other option names */
    OPTION_CHOICE  /* int, the index of one of `choices` */
} option_type;

typedef struct lab_option {
    const char *name; /* long option with its dashes, "--radius" */
    option_type type;
    void *value;                /* of the type's C type; it holds the default */
    double min, max;            /* legal range of numbers, both ends included */
    const char *help;           /* one line, without the default */
    const char *const *choices; /* the words of a choice, ends with NULL */
    const char *argument;       /* what --help calls its value; or NULL */
} lab_option;

/* ---- the lab -------------------------------------------------------------------------------- */

typedef enum size_kind {
    SIZE_VECTOR, /* n */
    SIZE_IMAGE,  /* WxH */
    SIZE_PRODUCT /* N, or MxNxK: C is M rows by N columns, K is summed over */
} size_kind;

/* Of configurations, those that a report of the lab does without. */
#define FOR_FULL "--full"

/* What a run without options goes through. */
typedef struct lab_sweep {
    const char *sizes; /* e.g. "32 64 128"; the last one is the lab's; --full: with hot data, too */
    const char *sizes_large; /* GPU only, blocks of 64 threads or more, without `slow` variants */
    /*
     * Size of the OpenMP scaling runs: data beyond the L2 cache of a core, the serial CPU variant
     * about 0.05 to 0.5 s, best one of `sizes`. NULL for none.
     */
    const char *scaling_size;
    /* Its settings, as those of `configurations`; NULL: the first of these. */
    const char *const *scaling;
    /* width * height up to which a machine without a GPU has the GPU's variants; 0: no limit */
    double emulated_max;
    const char *blocks;
    /*
     * Settings of the lab's own options such as "--type rgb24", gone through one after the other,
     * each on top of the command line's; ends with NULL. Any of them there makes it that one sweep.
     * Those that begin with FOR_FULL are left out unless the user gave that, too.
     */
    const char *const *configurations;
    bool any_shape; /* but --sizes and --blocks stand for those of each configuration */
    /*
     * A stream of frames with these settings, "--stream 100 --variants fastest --sizes 64,128",
     * ends a default sweep, a small one without a GPU. NULL for none.
     */
    const char *stream;
    /* Settings of the runs over several GPUs, as those of `configurations`, with their --variants
     * and --sizes. NULL: the lab has none. */
    const char *const *divided;
} lab_sweep;

/*
 * The 2012 report's positional arguments, as the long options that they stand for; "WIDTH" and
 * "HEIGHT" stand for the two halves of --sizes. The first `required` must be given. A run with
 * positional arguments, or with none at all where none is required, does one size and one block, by
 * default those below.
 */
typedef struct lab_single {
    const char *const *positional; /* ends with NULL */
    int required;
    const char *size, *block, *trials;
} lab_single;

typedef struct lab {
    const char *name;  /* the folder's name, "lab2_matprod": rows and CSV files carry it */
    const char *title; /* what it computes, one line for --help */

    size_kind sizes_are;
    lab_sweep sweep;
    /*
     * Elements of the outputs come from the inputs' same elements alone: any part of the vectors is
     * a problem, and --transfer overlapped may cut them.
     */
    bool elementwise;
    int size_max;         /* of a legal width or height; the least is 1 */
    int block_dimensions; /* 1: `--blocks 16` is 16 threads; 2: it is 16x16 */
    lab_single single;

    const lab_option *options;
    int n_options;

    const variant *variants;
    int n_variants;

    /* After the options are set, before any problem: reads inputs, looks at outputs. Optional. */
    void (*configure)(void);
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
    lab_work (*work)(const problem *p);
    /*
     * Single runs only: shows or writes the result that lies in the host buffers. Called for the
     * first correct CPU variant and for the first correct GPU variant. Optional.
     */
    void (*present)(const problem *p, const variant *v, dim3 block);
} lab;

/* The lab's fields that are an array and its length. */
#define LAB_OPTIONS(list)  .options = list, .n_options = sizeof list / sizeof list[0]
#define LAB_VARIANTS(list) .variants = list, .n_variants = sizeof list / sizeof list[0]

/* Runs the program; returns its exit status (die.h). */
int lab_main(const lab *definition, int argc, char **argv);

/* ---- for launchers and CPU variants --------------------------------------------------------- */

/* Blocks needed to cover `count` elements with `size` each: the quotient rounded up. */
static inline unsigned blocks_for(int count, unsigned size)
{
    return ((unsigned)count + size - 1) / size;
}

/* A grid of such blocks that covers width x height elements, one a thread. */
static inline dim3 grid_over(int width, int height, dim3 block)
{
    dim3 grid = block;
    grid.x = blocks_for(width, block.x);
    grid.y = blocks_for(height, block.y);
    return grid;
}

/* Those of the device. */
static inline int multiprocessors(void)
{
    int device = 0, count = 0;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device));
    return count;
}

#ifdef __cplusplus
}
#endif

#endif
