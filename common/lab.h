/*
 * lab.h - what a lab tells the rest of the suite: its data, its variants and how to check them.
 *
 * A lab's main() hands its `lab` to lab_main(), which does all that labs have in common: command
 * line, sweep over variants x sizes x blocks, checks, timing, rows. This is a whole lab, which
 * tests/new_lab.t builds and runs; lab1_vecadd/vecadd.cu is the one to read next.
 *
 *     enum { X, Y }; // buffers, in layout's order
 *     __global__ void naive(const float *x, float *y, int n)
 *     {
 *         int i = blockIdx.x * blockDim.x + threadIdx.x;
 *         if (i < n)
 *             y[i] = 2 * x[i];
 *     }
 *     static void launch_naive(const problem *p, const launch *l)
 *     {
 *         naive<<<blocks_for(p->width, l->block.x), l->block, 0, l->stream>>>(
 *             (float *)l->buffer[X], (float *)l->buffer[Y], p->width);
 *         CUDA_CHECK(cudaGetLastError());
 *     }
 *     static const variant variants[] = {GPU_VARIANT("naive", "one a thread", launch_naive)};
 *     static void parameters(char *text, size_t bytes) { snprintf(text, bytes, "type=f32"); }
 *     static void layout(problem *p)
 *     {
 *         problem_add_buffer(p, "x", BUFFER_INPUT, p->width * sizeof(float));
 *         problem_add_buffer(p, "y", BUFFER_OUTPUT, p->width * sizeof(float));
 *     }
 *     static float *host(const problem *p, int i) { return (float *)p->buffer[i].host; }
 *     static void fill(const problem *p) { random_fill_float(host(p, X), p->width, -1, 1, 7); }
 *     static check_result check(const problem *p, const variant *)
 *     {
 *         check_result result = check_start(0, p->width);
 *         for (int i = 0; i < p->width; i++)
 *             check_scaled(&result, host(p, Y)[i], 2 * host(p, X)[i], 1, i);
 *         return result;
 *     }
 *     static lab_work work(const problem *p) { return {.bytes = 8.0 * p->width}; }
 *     static const char *const positional[] = {"--sizes", "--blocks", NULL};
 *     static const lab twice = {
 *         .name = "lab98_twice", .title = "y = 2 x", .sizes_are = SIZE_VECTOR,
 *         .sweep = {.sizes = "2^10 2^20", .blocks = "64 256"}, .size_max = 1 << 20,
 *         .block_dimensions = 1, .single = {positional, 0, "1024", "64", "3"},
 *         LAB_VARIANTS(variants), .parameters = parameters, .layout = layout, .fill = fill,
 *         .check = check, .work = work};
 *     int main(int argc, char **argv) { return lab_main(&twice, argc, argv); }
 */
#ifndef COMMON_LAB_H
#define COMMON_LAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cuda_runtime_api.h>

#include "check.h"
#include "launching.h"
#include "option.h"
#include "process/cuda_check.h"
#include "process/die.h"
#include "process/ranks.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the data ------------------------------------------------------------------------------- */

enum { LAB_MAX_BUFFERS = 8 };

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
    bool is_part;      /* buffers are this rank's share (variant.part); the three above never are */
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
} lab_work;

/* Adds a buffer to a problem; called by a lab's layout(), in the order of its own enum. */
void problem_add_buffer(problem *p, const char *name, buffer_role role, size_t bytes);

/* ---- the variants --------------------------------------------------------------------------- */

typedef enum variant_kind {
    VARIANT_CPU,   /* run() works on host pointers */
    VARIANT_GPU,   /* run() launches our own kernels */
    VARIANT_VENDOR /* run() calls a library on the GPU */
} variant_kind;

/* What a variant is among its peers: the column `role`. */
typedef enum variant_role {
    ROLE_NONE,
    ROLE_SERIAL,   /* one thread of the CPU, the report's program: speedups are over it */
    ROLE_TUNED,    /* one thread of the CPU, written well: how far one gets */
    ROLE_SCALES,   /* an OpenMP program: --cpu-threads runs it on 1, 2, 4, .. threads */
    ROLE_YARDSTICK /* moves the data without the work: no operations, no speedup */
} variant_role;

/* What run() gets: where to work and how to launch. */
typedef struct launch {
    dim3 block;          /* threads; (0,0,0) for CPU and vendor variants */
    cudaStream_t stream; /* every launch and every library call goes here */
    void *const *buffer; /* in layout()'s order: device pointers, for CPU variants host pointers */
    const void *kernel;  /* the variant's for this block, or NULL */
    size_t shared_bytes; /* dynamic shared memory that it asks for */
    void *workspace;  /* workspace_bytes() of device memory, or NULL; holds nothing between runs */
    void *plan;       /* what plan() made for these pointers, or plan_once() without any */
    bool no_exchange; /* leave out what moves between GPUs: the rest is timed, its result is not */
} launch;

typedef struct variant {
    const char *name;
    variant_kind kind;
    const char *summary; /* its idea in one line, for --list */
    /*
     * Computes every output of the problem once. Returns without waiting for the GPU; checks
     * cudaGetLastError() after each launch. A CUDA_CHECK that fails leaves it by longjmp: it holds
     * no memory or files of its own. NULL: not in this build.
     */
    void (*run)(const problem *p, const launch *l);
    variant_role role;

    /* It cannot run, a skipped row with its reason, where this build lacks what it `needs` (run is
     * NULL), where the card is of another `architecture`, or where refuse() says why not. */
    const char *needs;        /* beyond any CUDA device, e.g. "cuBLAS"; or NULL */
    const char *architecture; /* "sm_80": that or later; "sm_90a": no other will do; NULL: any */

    int own_block;      /* threads of the one block that it runs with; 0: with any of --blocks */
    const void *kernel; /* which it launches: for its registers and its occupancy; or NULL */
    const void *(*kernel_for)(dim3 block); /* the same where it depends on the block */
    const void *const *more_kernels; /* of a run; its row shows the largest need; NULL ends them */
    size_t (*shared_bytes)(const problem *p, dim3 block); /* dynamic, a block; NULL: none */
    size_t (*workspace_bytes)(const problem *p);          /* device memory, which lasts for a run */

    bool (*applies)(void); /* else it has no rows at all with the lab's current options; or NULL */
    const char *(*refuse)(const problem *p, dim3 block); /* a phrase, NULL if it can run; or NULL */
    /* Untimed work on l->stream before each sample and each check: filling constant memory. */
    void (*prepare)(const problem *p, const launch *l);
    void *(*plan)(const problem *p, const launch *l); /* untimed, for each set of buffers: maps */
    void *(*plan_once)(const problem *p, const launch *l); /* for all of them: library handles */
    void (*release)(void *plan);                           /* what either has made */

    /* Over several GPUs, one process each (ranks.h): which bytes of buffer `i` lie in this rank's
     * device memory. Outputs' parts are next to each other and cover the buffer, inputs' may
     * overlap. By itself a rank has the whole. NULL: for one GPU alone. */
    rank_part (*part)(const problem *p, int i, int rank, int count);
    bool exchanges; /* moves data between GPUs, which l->no_exchange leaves out */

    bool on_host;  /* VARIANT_VENDOR that takes host memory: run and timed as a CPU variant is */
    bool unpinned; /* a library's threads, which it places itself; all others stay where they are */
    bool unordered; /* adds in no fixed order; else a run with other bits than the first is wrong */
    bool slow;      /* on a GPU too slow for the lab's large sizes */
    bool singly;    /* short runs are timed one by one, too, not in batches */
    bool overlaps;  /* begins before the run before it has ended: its time is a run's period */
    const char *note; /* a remark for its CSV rows; or NULL */
    const void *own;  /* what the lab's check() wants to know of it; nobody else looks at it */
} variant;

/* An entry of the table. Further fields come last, in the struct's order: GPU_VARIANT("mine", "what
 * is new", launch_kernel, .kernel = (const void *)mine). */
#define VARIANT_OF(is, id, idea, program, ...)                                                     \
    {                                                                                              \
        .name = id, .kind = is, .summary = idea, .run = program, __VA_ARGS__                       \
    }
#define CPU_VARIANT(id, idea, ...) VARIANT_OF(VARIANT_CPU, id, idea, __VA_ARGS__, )
#define SERIAL_VARIANT(idea, program, ...)                                                         \
    VARIANT_OF(VARIANT_CPU, "cpu", idea, program, .role = ROLE_SERIAL, __VA_ARGS__)
#define OPENMP_VARIANT(idea, program, ...)                                                         \
    VARIANT_OF(VARIANT_CPU, "cpu_omp", idea, program, .role = ROLE_SCALES, __VA_ARGS__)
#define GPU_VARIANT(id, idea, ...)    VARIANT_OF(VARIANT_GPU, id, idea, __VA_ARGS__, )
#define VENDOR_VARIANT(id, idea, ...) VARIANT_OF(VARIANT_VENDOR, id, idea, __VA_ARGS__, )

/* ---- the lab -------------------------------------------------------------------------------- */

typedef enum size_kind {
    SIZE_VECTOR, /* n */
    SIZE_IMAGE,  /* WxH */
    SIZE_PRODUCT /* N, or MxNxK: C is M rows by N columns, K is summed over */
} size_kind;

/* What a run without options goes through. */
typedef struct lab_sweep {
    const char *sizes; /* e.g. "32 64 128"; the last one is the lab's; --full: with hot data, too */
    const char *sizes_large;  /* GPU only, blocks of 64 threads or more, without `slow` variants */
    const char *scaling_size; /* one of `sizes`, 0.05 to 0.5 s of one CPU thread; NULL: none */
    const lab_settings *scaling; /* of that, too; NULL: the first of the configurations */
    double emulated_max; /* width * height of GPU variants on a machine without one; 0: no limit */
    const char *blocks;
    /* A sweep each, but one alone where the user sets an option that is set there. */
    const lab_settings *configurations;
    bool any_shape;     /* but --sizes and --blocks stand for those of each configuration */
    const char *stream; /* the options of a stream of frames at the end; NULL: none */
    const lab_settings *divided; /* the runs over several GPUs; NULL: none */
} lab_sweep;

/* One size and one block by the 2012 report's positional arguments, or where there are none. */
typedef struct lab_single {
    const char *const *positional; /* long options, or WIDTH, HEIGHT of --sizes; ends with NULL */
    int required;                  /* so many of them must be given */
    const char *size, *block, *trials; /* where they are not */
} lab_single;

typedef struct lab {
    const char *name;  /* the folder's name, "lab2_matprod": rows and CSV files carry it */
    const char *title; /* what it computes, one line for --help */

    size_kind sizes_are;
    const char *size_axis; /* what figures write below sizes; NULL: the kind's */
    lab_sweep sweep;
    bool elementwise;     /* outputs come from the same elements of inputs: transfers may overlap */
    int size_max;         /* of a legal width or height; the least is 1 */
    int block_dimensions; /* 1: `--blocks 16` is 16 threads; 2: it is 16x16 */
    lab_single single;

    const lab_option *options;
    int n_options;
    const variant *variants;
    int n_variants;

    void (*configure)(void); /* after the options are set, before any problem; or NULL */
    void (*parameters)(char *text, size_t bytes); /* the CSV column: key=value pairs, ';' between */
    const char *(*refuse_size)(int width, int height); /* why it is bad input, or NULL; or NULL */
    void (*layout)(problem *p);                        /* names the buffers and their sizes */
    void (*fill)(const problem *p);                    /* fills the inputs' host memory */
    void *(*reference)(const problem *p);              /* for check(): malloc'ed, or NULL */
    check_result (*check)(const problem *p, const variant *v); /* of outputs in host memory */
    lab_work (*work)(const problem *p);
    /* Shows the result of a single run's first right CPU and first right GPU variant; or NULL. */
    void (*present)(const problem *p, const variant *v, dim3 block);
} lab;

/* The lab's fields that are an array and its length. */
#define LAB_OPTIONS(list)  .options = list, .n_options = sizeof list / sizeof list[0]
#define LAB_VARIANTS(list) .variants = list, .n_variants = sizeof list / sizeof list[0]

/* Runs the program; returns its exit status (die.h). */
int lab_main(const lab *definition, int argc, char **argv);

#ifdef __cplusplus
}
#endif

#endif
