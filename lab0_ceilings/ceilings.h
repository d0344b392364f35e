/*
 * ceilings.h - what lab 0's files share: which ceiling is measured, the buffers, how a kernel is
 * launched, what check() is told of a variant, and the variants that have files of their own.
 *
 * Numbers that their comments expect are from
 *
 *   [guide]  NVIDIA, CUDA C++ Programming Guide, "Throughput of Native Arithmetic Instructions":
 *            results a clock and multiprocessor, in report/cores.csv by compute capability
 *   [white]  NVIDIA H100 Tensor Core GPU Architecture, 2022 (an H200 has the same multiprocessors)
 *   [micro]  Luo, Fan, Li, Du, Wang, Chu: Benchmarking and Dissecting the Nvidia Hopper GPU
 *            Architecture, IPDPS 2024: an H100's latencies in clocks
 *   [chips]  Chips and Cheese: Nvidia's H100: Funny L2, and Tons of Bandwidth, 2023
 */
#ifndef LAB0_CEILINGS_H
#define LAB0_CEILINGS_H

#include <cuda_runtime.h>

#include "lab.h"

enum { X, Y }; /* buffers, in layout's order */
enum { COPY, READ, FMA, L2, SHARED, LOADS, INT32, EXP };
enum { TENSOR_FP16 = EXP + 1, TENSOR_TF32, TENSOR_INT8, TENSOR_FP64 };
enum { CONSTANT = TENSOR_FP64 + 1, L2_STORE, TAGS, ATOMICS, BLOCKS, LAUNCH, LATENCY, LINK };

extern int measure; /* from the command line */

/* Tells whether that is what is measured, as a variant's applies(). */
template <int WHAT>
static bool measures(void)
{
    return measure == WHAT;
}

/* ---- data and checks: checks.cu ------------------------------------------------------------- */

/* What check() is told of a variant, as its `own`; NULL: what is expected tells the measure alone.
 */
typedef struct own_check {
    int first, period; /* of what is expected, those that y repeats; period 0: as many as y has */
    int way;           /* of a measure's `ways`, from 0 on */
    check_result (*check)(const problem *p, const variant *v); /* instead of all else, or NULL */
} own_check;

/* Returns the number of elements of y; for a link, that of one message. */
int outputs(const problem *p);
void layout(problem *p);
void fill(const problem *p);
void *reference(const problem *p);
check_result check(const problem *p, const variant *v);
lab_work work(const problem *p);

/* ---- launching: ceilings.cu ----------------------------------------------------------------- */

#define KERNEL(...) .kernel = (const void *)__VA_ARGS__

/* Launches l->kernel, which takes (x, y, n), with so many blocks. */
void launch_blocks(unsigned blocks, const problem *p, const launch *l);

/* Launches threads that make so many elements each. */
template <int ELEMENTS>
static void launch_each(const problem *p, const launch *l)
{
    launch_blocks(blocks_for(p->width, ELEMENTS * l->block.x), p, l);
}

static inline const char *refuse_part_of_warp(const problem *, dim3 block)
{
    return block.x % 32 ? "a matrix, or a sum, is a whole warp's" : NULL;
}

/* Launches the kernel `copy`, whose address copy_kernel() returns, for so many words. */
void launch_copy_of(const float *x, float *y, int words, const launch *l);
const void *copy_kernel(dim3 block);

/* ---- the variants, by file ------------------------------------------------------------------ */

extern const variant cpu_variant, cpu_omp_variant;                               /* cpu.cu */
extern const variant bulk_copy_variant;                                          /* bulk_copy.cu */
extern const variant shared_4_variant, shared_16_variant, load_variant;          /* reads.cu */
extern const variant tags_both_variant, tags_even_variant, l2_variant;           /* reads.cu */
extern const variant constant_1_variant, constant_2_variant, constant_4_variant; /* reads.cu */
extern const variant store_whole_variant, store_part_variant;                    /* writes.cu */
extern const variant red_one_variant, red_warp_variant, red_words_variant;       /* writes.cu */
extern const variant red_sectors_variant, atoms_warp_variant, atoms_words_variant;
extern const variant imad_variant, exp2_variant; /* units.cu */
extern const variant mma_fp16_variant, mma_tf32_variant, mma_int8_variant,
    mma_fp64_variant;                                                            /* mma.cu */
extern const variant wgmma_fp16_variant, wgmma_tf32_variant, wgmma_int8_variant; /* wgmma.cu */
extern const variant chase_variant, alone_variant, graph_variant;                /* waits.cu */
extern const variant start_variant, late_variant;                                /* waits.cu */

/* ---- the link: link.cu ---------------------------------------------------------------------- */

/* Return the words of a message, and of all GPUs' messages. */
size_t message_words(const problem *p);
size_t all_messages(const problem *p);

/* Tells NCCL, before it starts, that it will be told of memory. */
void allow_registration(void);

extern const variant link_copy_variant, link_load_variant, link_send_variant;
extern const variant link_copy_both_variant, link_load_both_variant, link_send_both_variant;
extern const variant link_registered_variant, link_registered_both_variant;
extern const variant link_gather_variant, link_reduce_variant;
extern const lab_settings several_gpus[]; /* of a run over them */

#endif
