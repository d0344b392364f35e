/*
 * ceilings.cu - what the machine can do at most: how fast it moves memory, how fast it computes,
 * and what else a kernel may wait for. The other labs' rates are seen against these, as in a
 * roofline (Williams, Waterman, Patterson: Roofline, an insightful visual performance model for
 * multicore architectures, Communications of the ACM 52(4), 2009).
 *
 *   --measure copy          y[i] = x[i]                             8 bytes, no arithmetic
 *   --measure read          y[i] = sum of READ_WORDS words of x     4 bytes a word, from memory
 *   --measure fma           y[i] = f(f(...f(x[i])...)), FMAS times f,
 *                           f(v) = fma(SLOPE, v, SHIFT)             8 bytes, 2 FMAS operations
 *   --measure l2            y[i] = sum of L2_PASSES words of x      as many words from the L2 cache
 *   --measure shared        y[i] = sum of READS words of a tile     as many from shared memory
 *   --measure loads         the same                                as many loads that hit L1
 *   --measure int32         y[i] = INT_STEPS integer multiply-adds  2 INT_STEPS operations
 *   --measure exp           y[i] = sum of EXPS exponentials         EXPS operations
 *   --measure tensor_fp16   y[i] = x[i] + TENSOR_STEPS (A B)[i]     2 k TENSOR_STEPS operations
 *             tensor_tf32, tensor_int8, tensor_fp64
 *   --measure constant      y[i] = sum of READS words of a table    as many from constant memory
 *   --measure l2_store      y[i] = x[..] + 1, + 2, .. + L2_PASSES   as many words to the L2 cache
 *   --measure tags          y[i] = sum of READS words of lines      as many loads, of 32 lines each
 *   --measure atomics       y[..] += x[i], ADDS times               ADDS operations
 *   --measure blocks        y[i] = of block i                       a block
 *   --measure launch        y = n, ~n                               nothing but the launch
 *   --measure latency       y = where a walk of HOPS steps went     HOPS loads, one after the other
 *   --measure link          y = x of another GPU, or of all         4 bytes, one way
 *
 * The first three are the roof of a roofline. Sizes of l2 and latency choose which memory answers,
 * that of link is one message's; the others' only have to be large enough. What is copied and what
 * comes out: checks.cu.
 *
 *   make -C lab0_ceilings run                         check and time all measures
 *   build/cuda/ceilings --measure fma --blocks 128    one of them (build/cpu without a GPU)
 */
#include <cuda_runtime.h>
#include <stdio.h>

#include "ceilings.h"
#include "steps.h"
#include "sums.cuh"

int measure = COPY;

typedef void (*ceiling_kernel)(const float *x, float *y, int n);

/* The kernels have one shape and differ in how many blocks they want. */
void launch_blocks(unsigned blocks, const problem *p, const launch *l)
{
    ceiling_kernel kernel = (ceiling_kernel)l->kernel;
    kernel<<<blocks, l->block, 0, l->stream>>>((const float *)l->buffer[X], (float *)l->buffer[Y],
                                               p->width);
    CUDA_CHECK(cudaGetLastError());
}

/*
 * copy: thread i copies float4 i; the one after the last copies the 0 to 3 floats that are left. On
 * an H200 more does not pay: with four or eight float4 a thread it copies 5 % less a second, and
 * loads and stores marked as streaming (__ldcs, __stcs) change nothing. Any block, but small ones
 * are slow; the arrays must be 16-byte aligned.
 */
__global__ void copy(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 4)
        ((float4 *)y)[i] = ((const float4 *)x)[i];
    else if (i == n / 4)
        for (int j = n / 4 * 4; j < n; j++)
            y[j] = x[j];
}

static void launch_copy(const problem *p, const launch *l)
{
    launch_blocks(blocks_for(p->width / 4 + 1, l->block.x), p, l);
}

const void *copy_kernel(dim3)
{
    return (const void *)copy;
}

void launch_copy_of(const float *x, float *y, int words, const launch *l)
{
    copy<<<blocks_for(words / 4, l->block.x), l->block, 0, l->stream>>>(x, y, words);
    CUDA_CHECK(cudaGetLastError());
}

/* On the CPU it would be the host's own copy, which says nothing about a GPU. */
#ifdef CUDA_ON_CPU
#define launch_memcpy NULL
#else
static void launch_memcpy(const problem *p, const launch *l)
{
    CUDA_CHECK(cudaMemcpyAsync(l->buffer[Y], l->buffer[X], p->buffer[X].bytes,
                               cudaMemcpyDeviceToDevice, l->stream));
}
#endif

/*
 * read: a warp sums up 4 KiB of x, which is padded to whole ones: 16 bytes a lane, 8 loads under
 * way at a time, then five exchanges between lanes. Blocks one after the other read what lies
 * together. 4096 bytes come in for 4 that are written, so that memory need not turn round between
 * reading and writing, as it must in a copy. On an H100 it reads 3.10 TB/s where float4 copies
 * move 3.01 and a sum of two vectors 3.06; 2 or 16 loads at a time 1 % less, 64 rows of 4 KiB a
 * thread 4 % less. Expected: some percent above the copy, below the data sheet's 4.8 TB/s. Blocks
 * of whole warps.
 */
__global__ void read_memory(const float *x, float *y, int n)
{
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (warp >= read_sums(n))
        return;
    const uint4 *from = (const uint4 *)x + (size_t)warp * (READ_WORDS / 4) + lane;
    uint4 vectors = {};
#pragma unroll
    for (int k = 0; k < READ_WORDS / 4; k += 32)
        add(&vectors, from[k]);
    uint32_t sum = vectors.x + vectors.y + vectors.z + vectors.w;
#pragma unroll
    for (int other = 16; other > 0; other /= 2)
        sum += __shfl_xor_sync(0xFFFFFFFF, sum, other);
    if (lane == 0)
        ((uint32_t *)y)[warp] = sum;
}

static void launch_read(const problem *p, const launch *l)
{
    launch_blocks(blocks_for(read_sums(p->width), l->block.x / 32), p, l);
}

/*
 * fma: thread t of a block works on elements t, t + T, ... t + 7T of the block's 8T, for T threads
 * a block: eight chains of multiply-adds, each of which waits for itself alone. A multiply-add
 * takes four cycles, and every quarter of a multiprocessor starts one warp's in each. Whatever else
 * is in the loop takes a turn from them; so STEPS steps of all chains, 1024 multiply-adds, share
 * one counter and one branch: on an H200 97 % of the data sheet's rate, with 32 steps 94 %. Threads
 * beyond the end compute on zeros and write nothing. Any block.
 */
static const int CHAINS = 8, STEPS = 128; /* STEPS of FMAS at once */
static_assert(FMAS % STEPS == 0, "the loop takes whole rounds of STEPS");

__global__ void multiply_add(const float *x, float *y, int n)
{
    int step = blockDim.x;
    int first = blockIdx.x * blockDim.x * CHAINS + threadIdx.x;
    float v[CHAINS];
#pragma unroll
    for (int c = 0; c < CHAINS; c++)
        v[c] = first + c * step < n ? x[first + c * step] : 0;
#pragma unroll 1
    for (int k = 0; k < FMAS; k += STEPS) {
#pragma unroll
        for (int s = 0; s < STEPS; s++)
#pragma unroll
            for (int c = 0; c < CHAINS; c++)
                v[c] = fmaf(SLOPE, v[c], SHIFT);
    }
#pragma unroll
    for (int c = 0; c < CHAINS; c++)
        if (first + c * step < n)
            y[first + c * step] = v[c];
}

/* ---- variants ------------------------------------------------------------------------------- */

static const variant variants[] = {
    cpu_variant,
    cpu_omp_variant,
    GPU_VARIANT("copy", "copy: a float4 a thread", launch_copy, KERNEL(copy),
                .applies = measures<COPY>),
    VENDOR_VARIANT("memcpy", "copy: cudaMemcpyAsync from device to device", launch_memcpy,
                   .needs = "a GPU", .applies = measures<COPY>, .singly = true),
    bulk_copy_variant,
    GPU_VARIANT("read", "read: 4 KiB a warp, 16 bytes a lane", launch_read, KERNEL(read_memory),
                .applies = measures<READ>, .refuse = refuse_part_of_warp),
    GPU_VARIANT("fma", "fma: eight chains a thread", launch_each<CHAINS>, KERNEL(multiply_add),
                .applies = measures<FMA>),
    l2_variant,
    shared_4_variant,
    shared_16_variant,
    load_variant,
    imad_variant,
    exp2_variant,
    mma_fp16_variant,
    mma_tf32_variant,
    mma_int8_variant,
    mma_fp64_variant,
    wgmma_fp16_variant,
    wgmma_tf32_variant,
    wgmma_int8_variant,
    constant_1_variant,
    constant_2_variant,
    constant_4_variant,
    store_whole_variant,
    store_part_variant,
    tags_both_variant,
    tags_even_variant,
    red_one_variant,
    red_warp_variant,
    red_words_variant,
    red_sectors_variant,
    atoms_warp_variant,
    atoms_words_variant,
    start_variant,
    late_variant,
    alone_variant,
    graph_variant,
    chase_variant,
    link_copy_variant,
    link_load_variant,
    link_send_variant,
    link_copy_both_variant,
    link_load_both_variant,
    link_send_both_variant,
    link_registered_variant,
    link_registered_both_variant,
    link_gather_variant,
    link_reduce_variant,
};

static const char *const measure_names[] = {
    "copy", "read",        "fma",         "l2",          "shared",      "loads",    "int32",
    "exp",  "tensor_fp16", "tensor_tf32", "tensor_int8", "tensor_fp64", "constant", "l2_store",
    "tags", "atomics",     "blocks",      "launch",      "latency",     "link",     NULL};

static const lab_option options[] = {
    {"--measure", OPTION_CHOICE, &measure, 0, 0,
     "copy, read: memory; fma: arithmetic; l2, shared, loads: what is near; int32, exp, "
     "tensor_fp16, tensor_tf32, tensor_int8, tensor_fp64: other units; constant, l2_store, tags, "
     "atomics: other "
     "ways to "
     "memory; blocks, launch: starting; latency; link: between GPUs",
     measure_names},
};

/* Sizes of copy, read and fma are below; those of latency are the caches' and memory's. */
static const lab_settings configurations[] = {
    {"--measure copy"},
    {"--measure read"},
    {"--measure fma"},
    {"--measure l2 --sizes 2^20,2^22,2^23,2^24"},
    {"--measure shared --sizes 2^20,2^22"},
    {"--measure loads --sizes 2^20,2^22"},
    {"--measure int32 --sizes 2^20,2^24"},
    {"--measure exp --sizes 2^20,2^22"},
    {"--measure tensor_fp16 --sizes 2^20,2^25"},
    {"--measure tensor_tf32 --sizes 2^20,2^25"},
    {"--measure tensor_int8 --sizes 2^20,2^25"},
    {"--measure tensor_fp64 --sizes 2^20,2^24"},
    {"--measure constant --sizes 2^20 --blocks 256"},
    {"--measure l2_store --sizes 2^20,2^22 --blocks 256"},
    {"--measure tags --sizes 2^20 --blocks 256"},
    {"--measure atomics --sizes 2^13,2^21 --blocks 256"},
    {"--measure blocks --sizes 2^16 --blocks 32,64,128,256,512,1024"},
    {"--measure launch --sizes 1 --blocks 32"},
    {"--measure latency --sizes 2^12,2^14,2^16,2^18,2^20,2^22,2^26 --blocks 1024"},
    {NULL},
};

/* On 1, 2, 4, .. threads: memory, and arithmetic that takes one of them some 25 ms. */
static const lab_settings scaling[] = {
    {"--measure copy --sizes 2^26"},
    {"--measure fma --sizes 2^20"},
    {NULL},
};

static void parameters(char *text, size_t bytes)
{
    snprintf(text, bytes, "measure=%s", measure_names[measure]);
}

/* What a CPU has to work out for the check would take minutes. */
static const char *refuse_size(int width, int)
{
    static char why[64];
    bool takes_any = measure <= READ || measure == LAUNCH || measure >= LATENCY;
    snprintf(why, sizeof why, "with --measure %s 2^25 is the greatest", measure_names[measure]);
    return !takes_any && width > 1 << 25 ? why : NULL;
}

/* ---- main ----------------------------------------------------------------------------------- */

static const char *const positional[] = {"--sizes", "--blocks", "--trials", NULL};

/*
 * 2^20 is for the multiply-adds (a copy of it runs on the GPU, and where there is none, to be
 * checked); 2^26 is the CPU's copy. The large sizes are the GPU's, for either.
 */
static const lab ceilings = {
    .name = "lab0_ceilings",
    .title = "what the machine can do at most: memory, caches, arithmetic, launches",
    .sizes_are = SIZE_VECTOR,
    .sweep = {.sizes = "2^20 2^26",
              .sizes_large = "2^25 2^28",
              .scaling_size = "2^25",
              .scaling = scaling,
              .emulated_max = 1 << 20,
              .blocks = "128 256",
              .configurations = configurations,
              .any_shape = true,
              .divided = several_gpus},
    .size_max = 1 << 30,
    .block_dimensions = 1,
    .single = {.positional = positional, .size = "2^26", .block = "256", .trials = "3"},
    LAB_OPTIONS(options),
    LAB_VARIANTS(variants),
    .configure = allow_registration,
    .parameters = parameters,
    .refuse_size = refuse_size,
    .layout = layout,
    .fill = fill,
    .reference = reference,
    .check = check,
    .work = work,
};

int main(int argc, char **argv)
{
    return lab_main(&ceilings, argc, argv);
}
