/*
 * matprod.h - what lab 2's files share: a product's shape and buffers, what check() is told of a
 * variant, and the variants that have files of their own. matprod.cu lists them all.
 */
#ifndef LAB2_MATPROD_H
#define LAB2_MATPROD_H

#include <cuda_runtime.h>

#include "lab.h"

enum { A, B, C }; /* buffers, in layout's order */

/* A is height x depth, B is depth x width, C is height x width. */
typedef struct shape {
    int height, width, depth;
} shape;

static inline shape shape_of(const problem *p)
{
    return {p->height, p->width, p->depth};
}

/* Returns the number of floats in a matrix. */
static inline size_t count_of(int rows, int columns)
{
    return (size_t)rows * columns;
}

/* Runs a CPU program, as a variant's run(). */
template <auto *PROGRAM>
static void run_cpu(const problem *p, const launch *l)
{
    PROGRAM((float *)l->buffer[A], (float *)l->buffer[B], (float *)l->buffer[C], shape_of(p));
}

/* Launches l->kernel, which takes (a, b, c, shape), with so many blocks (matprod.cu). */
void launch_grid(dim3 grid, const problem *p, const launch *l);

/* Launches blocks that make a tile of C each. */
template <int ROWS, int COLUMNS>
static void launch_tiles(const problem *p, const launch *l)
{
    launch_grid(grid_over(p->width, p->height, dim3(COLUMNS, ROWS)), p, l);
}

/* Returns dynamic shared memory that does not depend on the size. */
template <size_t BYTES>
static size_t shared_of(const problem *, dim3)
{
    return BYTES;
}

/* Returns device memory of zeros, which any stream may use. */
static inline void *device_zeros(size_t bytes)
{
    void *zeros;
    CUDA_CHECK(cudaMalloc(&zeros, bytes));
    CUDA_CHECK(cudaMemset(zeros, 0, bytes));
    CUDA_CHECK(cudaStreamSynchronize(NULL)); /* a run's stream does not wait for this one */
    return zeros;
}

/* ---- data and checks: data.cu, checks.cu ---------------------------------------------------- */

/* What check() is told of a variant, as its `own`; NULL: sums in FP32, and no more to say. */
typedef struct accuracy {
    double unit = 0x1p-24;    /* of rounding in sums */
    double factors;           /* what rounded factors add to the error of each product */
    bool median;              /* the row tells the median error, too */
    bool promises;            /* FP32's accuracy whatever the data (checks.cu), and a median */
    const char *local;        /* over several GPUs, what multiplies on each; or NULL */
    const char *(*way)(void); /* which way its last run went, as a phrase; or NULL */
} accuracy;

/*
 * TF32 keeps 10 bits behind the point. Tensor cores leave the others out, if nobody rounded before:
 * each factor is off by 2^-10 at most, and by as much again of their product's square; they also
 * cut, instead of rounding, in sums: the unit is 2^-23 there.
 */
constexpr accuracy tf32_accuracy = {.unit = 0x1p-23, .factors = 0x1p-9 + 0x1p-20, .median = true};
constexpr accuracy with_median = {.median = true};

extern const lab_option data_options[3];
extern int all_rows; /* are to be compared, of large products, too */
void parameters(char *text, size_t bytes);
void layout(problem *p);
void fill(const problem *p);
void *reference(const problem *p);
check_result check(const problem *p, const variant *v);
lab_work work(const problem *p);

/* ---- the summit: a file each ---------------------------------------------------------------- */

/* What its variants for the tensor cores of compute capability 9.0 have in common (hopper.cuh). */
constexpr int HOPPER_THREADS = 3 * 128; /* of their blocks: three warpgroups */
#define HOPPER_BLOCK(threads)                                                                      \
    .needs = "the tensor cores of a GPU", .architecture = "sm_90a", .own_block = threads
#define HOPPER_ONLY HOPPER_BLOCK(HOPPER_THREADS)

/* Does tensor_fp64 take less time than tensor_split, which has two kernels and a split? */
bool is_quick_in_fp64(shape s);

extern const variant cpu_panels_variant, cpu_omp_panels_variant, cpu_blas_variant;
extern const variant warp_tile_variant, slice_k_variant, stream_k_variant, tensor_fp64_variant;
extern const variant tensor_tf32_variant, tf32_wgmma_variant, tf32_tma_variant;
extern const variant tf32_groups_variant, tf32_stages_variant, tf32_producer_variant;
extern const variant tf32_cluster_variant, tf32_order_variant, tensor_tf32_hopper_variant;
extern const variant tensor_split_mma_variant, tensor_split_variant, tensor_int8_slices_variant;
extern const variant tensor_mixed_variant, tensor_fp32_variant;
extern const variant cublas_variant, cublas_tf32_variant, cublas_bf16x9_variant, cublas_xt_variant;
extern const variant replicated_b_variant, ring_variant, tensor_ring_variant;
extern const lab_settings several_gpus[]; /* of a run over them */

#endif
