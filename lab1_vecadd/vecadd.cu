/*
 * vecadd.cu - experiment 1 of the 2012 report: the sum of two vectors, C[i] = A[i] + B[i].
 *
 * Data: three arrays of n floats. One addition per 12 bytes: the memory's rate is all there is.
 *
 *   cpu          serial loop
 *   cpu_omp      the same, OpenMP
 *   naive        one element a thread (table 2 of the report)
 *   grid_stride  a grid as large as the GPU holds, each thread steps through the vector
 *   vector4      four elements a thread, moved as one 16-byte float4
 *   cub          cub::DeviceTransform, where the toolkit has it (vendor.cu)
 *   memcpy       no sum: the driver copies as many bytes as the sum moves
 *   divided      vector4 over several GPUs, each with its part of the vectors
 *
 *   make -C lab1_vecadd                    build just this lab
 *   make -C lab1_vecadd run BLOCKS=256     check and time it
 *   build/cpu/vecadd 16 16                 table 5 of the report, on the CPU (build/cuda on a GPU)
 *
 * The five steps of a CUDA program stand in show_five_steps() below; read that first.
 */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#include "vecadd.h"
#include "lab.h"
#include "random.h"

/* ---- CPU reference -------------------------------------------------------------------------- */

static void add_serial(const float *a, const float *b, float *c, int n)
{
    for (int i = 0; i < n; i++)
        c[i] = a[i] + b[i];
}

static void add_omp(const float *a, const float *b, float *c, int n)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        c[i] = a[i] + b[i];
}

/* ---- kernels -------------------------------------------------------------------------------- */

/* [exercise 1.1] */
/*
 * naive: thread i makes element i. The last block may reach past the end, so each thread checks.
 * Any block. A warp reads 128 neighbouring bytes of A and of B: fully coalesced.
 */
__global__ void naive(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
/* [end 1.1] */

/* [exercise 1.2] */
/*
 * grid_stride: what changed is who makes what: thread t makes t, t + T, t + 2T, ... for T threads
 * in the grid. n <= 2^30, so i + T does not overflow. Any block.
 */
__global__ void grid_stride(const float *a, const float *b, float *c, int n)
{
    int step = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        c[i] = a[i] + b[i];
}
/* [end 1.2] */

/* [exercise 1.3] */
/*
 * vector4: against naive, thread i makes elements 4i..4i+3 with 16-byte accesses: a quarter of the
 * instructions, four times the bytes in flight a thread. The thread that owns the end adds the
 * last 1 to 3 elements one by one. Any block; the arrays must be 16-byte aligned.
 */
__global__ void vector4(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 4) {
        float4 x = ((const float4 *)a)[i];
        float4 y = ((const float4 *)b)[i];
        ((float4 *)c)[i] = make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
    } else if (i == n / 4) {
        for (int j = n / 4 * 4; j < n; j++)
            c[j] = a[j] + b[j];
    }
}
/* [end 1.3] */

/* ---- launchers ------------------------------------------------------------------------------ */

template <auto *PROGRAM>
static void run_cpu(const problem *p, const launch *l)
{
    PROGRAM((float *)l->buffer[A], (float *)l->buffer[B], (float *)l->buffer[C], p->width);
}

typedef void (*vector_kernel)(const float *a, const float *b, float *c, int n);

/* The kernels have one shape and differ in how many blocks they want. */
static void launch_blocks(unsigned blocks, const problem *p, const launch *l)
{
    vector_kernel kernel = (vector_kernel)l->kernel;
    kernel<<<blocks, l->block, 0, l->stream>>>((float *)l->buffer[A], (float *)l->buffer[B],
                                               (float *)l->buffer[C], p->width);
    CUDA_CHECK(cudaGetLastError());
}

static void launch_naive(const problem *p, const launch *l)
{
    launch_blocks(blocks_for(p->width, l->block.x), p, l);
}

/* As many blocks as the GPU holds at a time, but no more than the vector has. */
static void launch_grid_stride(const problem *p, const launch *l)
{
    unsigned resident = resident_blocks(l->kernel, l->block, 0);
    unsigned needed = blocks_for(p->width, l->block.x);
    launch_blocks(needed < resident ? needed : resident, p, l);
}

static void launch_vector4(const problem *p, const launch *l)
{
    launch_blocks(blocks_for(p->width / 4 + 1, l->block.x), p, l);
}

/*
 * divided: against vector4, each GPU adds a part of the vectors, in fours. Nothing moves between
 * them: no division can scale better, and what it loses is lost by any.
 */
static rank_part part_of_vector(const problem *p, int, int rank, int count)
{
    rank_part elements = ranks_part((size_t)p->width, 4, rank, count);
    return {sizeof(float) * elements.first, sizeof(float) * elements.count};
}

#ifdef HAVE_RANKS
static void launch_divided(const problem *p, const launch *l)
{
    problem own = *p;
    own.width = (int)(p->buffer[C].bytes / sizeof(float));
    launch_vector4(&own, l);
}
#endif

/*
 * What the driver copies: A, and then half of B over it, 12 bytes an element as in the sum. It is
 * timed singly: as a node of a graph a copy of 512 MiB takes 397 us on an H200, on a stream 257.
 */
static int half_length(const problem *p)
{
    return p->width / 2;
}

static void launch_memcpy(const problem *p, const launch *l)
{
    CUDA_CHECK(cudaMemcpyAsync(l->buffer[C], l->buffer[A], p->buffer[A].bytes,
                               cudaMemcpyDeviceToDevice, l->stream));
    CUDA_CHECK(cudaMemcpyAsync(l->buffer[C], l->buffer[B], half_length(p) * sizeof(float),
                               cudaMemcpyDeviceToDevice, l->stream));
}

/* ---- variants and callbacks ----------------------------------------------------------------- */

static const variant variants[] = {
    SERIAL_VARIANT("serial loop", run_cpu<add_serial>),
    OPENMP_VARIANT("OpenMP loop", run_cpu<add_omp>),
    GPU_VARIANT("naive", "one element a thread", launch_naive, .kernel = (const void *)naive),
    GPU_VARIANT("grid_stride", "a resident grid that steps through the vector", launch_grid_stride,
                .kernel = (const void *)grid_stride),
    GPU_VARIANT("vector4", "four elements a thread, as one float4", launch_vector4,
                .kernel = (const void *)vector4),
    cub_variant,
    VENDOR_VARIANT("memcpy", "as many bytes copied by cudaMemcpyAsync", launch_memcpy,
                   .role = ROLE_YARDSTICK, .singly = true),
    GPU_VARIANT("divided", "vector4 over several GPUs, a part each",
                BUILT(HAVE_RANKS, launch_divided), .needs = "MPI and NCCL",
                .kernel = (const void *)vector4, .part = part_of_vector),
};

static void parameters(char *text, size_t bytes)
{
    snprintf(text, bytes, "type=f32");
}

static void layout(problem *p)
{
    size_t bytes = (size_t)p->width * sizeof(float);
    problem_add_buffer(p, "A", BUFFER_INPUT, bytes);
    problem_add_buffer(p, "B", BUFFER_INPUT, bytes);
    problem_add_buffer(p, "C", BUFFER_OUTPUT, bytes);
}

static void fill(const problem *p)
{
    random_fill_float((float *)p->buffer[A].host, (size_t)p->width, -1, 1, 2 * p->seed);
    random_fill_float((float *)p->buffer[B].host, (size_t)p->width, -1, 1, 2 * p->seed + 1);
}

/* A sum of two floats is rounded once, the same way everywhere: equality is demanded. */
static checked value_at(const void *context, size_t i)
{
    const problem *p = (const problem *)context;
    const float *a = (const float *)p->buffer[A].host, *b = (const float *)p->buffer[B].host;
    return {((const float *)p->buffer[C].host)[i], a[i] + b[i], 1};
}

/* The yardstick's. */
static checked copied_at(const void *context, size_t i)
{
    const problem *p = (const problem *)context;
    const float *from = (const float *)p->buffer[(int)i < half_length(p) ? B : A].host;
    return {((const float *)p->buffer[C].host)[i], from[i], 1};
}

static check_result check(const problem *p, const variant *v)
{
    const bool copied = v->role == ROLE_YARDSTICK;
    return check_all(0, p->width, (size_t)p->width, copied ? copied_at : value_at, p);
}

static lab_work work(const problem *p)
{
    double n = p->width;
    return {.bytes = 3 * sizeof(float) * n, .flops = n};
}

/* ---- the five steps ------------------------------------------------------------------------- */

static void print_vector(const char *name, const float *v, int n)
{
    printf("%s:", name);
    for (int i = 0; i < n; i++)
        printf("%5.1f", v[i]);
    printf("\n");
}

/*
 * Table 5 of the report: A = (1, 1, ..., 1), B = (0, 1, ..., n-1), C = A + B, and every step that a
 * CUDA program takes, with nothing hidden. (Elsewhere the suite takes steps 1, 2, 4 and 5 for you.)
 */
static void show_five_steps(int n, int threads)
{
    size_t bytes = (size_t)n * sizeof(float);
    float *h_a = (float *)malloc(bytes), *h_b = (float *)malloc(bytes);
    float *h_c = (float *)malloc(bytes);
    for (int i = 0; i < n; i++) {
        h_a[i] = 1;
        h_b[i] = (float)i;
    }
    /* 1. Allocate device memory. */
    float *d_a, *d_b, *d_c;
    CUDA_CHECK(cudaMalloc(&d_a, bytes));
    CUDA_CHECK(cudaMalloc(&d_b, bytes));
    CUDA_CHECK(cudaMalloc(&d_c, bytes));
    /* 2. Copy the inputs from the host to the device. */
    CUDA_CHECK(cudaMemcpy(d_a, h_a, bytes, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(d_b, h_b, bytes, cudaMemcpyHostToDevice));
    /* 3. Launch the kernel: enough blocks of `threads` threads to cover n elements. */
    naive<<<blocks_for(n, (unsigned)threads), threads>>>(d_a, d_b, d_c, n);
    CUDA_CHECK(cudaGetLastError());
    /* 4. Copy the result back; cudaMemcpy waits for the kernel. */
    CUDA_CHECK(cudaMemcpy(h_c, d_c, bytes, cudaMemcpyDeviceToHost));
    print_vector("A", h_a, n);
    print_vector("B", h_b, n);
    print_vector("C", h_c, n);
    /* 5. Free device memory. */
    CUDA_CHECK(cudaFree(d_a));
    CUDA_CHECK(cudaFree(d_b));
    CUDA_CHECK(cudaFree(d_c));
    free(h_a);
    free(h_b);
    free(h_c);
}

static void present(const problem *p, const variant *v, dim3 block)
{
    const int most = 64; /* elements that are still readable on a terminal */
    if (v->kind == VARIANT_GPU && p->width <= most)
        show_five_steps(p->width, (int)block.x);
}

/* ---- main ----------------------------------------------------------------------------------- */

static const char *const positional[] = {"--sizes", "--blocks", "--trials", NULL};

/* From end to end, from page-locked memory, one after the other and overlapped. */
#define TRANSFER(mode) "--transfer " mode " --variants vector4 --sizes 2^24,2^26,2^28 --blocks 1024"

static const lab_settings configurations[] = {
    {""},
    {TRANSFER("pinned")},
    {TRANSFER("overlapped")},
    {NULL},
};

/* One sum over more and more GPUs, and one a GPU. */
static const lab_settings several_gpus[] = {
    {"--variants divided --sizes 2^20,2^28,2^30 --blocks 1024"},
    {"--weak --variants divided --sizes 2^18,2^28 --blocks 1024"},
    {NULL},
};

static const lab vecadd = {
    .name = "lab1_vecadd",
    .title = "C = A + B for vectors of n floats",
    .sizes_are = SIZE_VECTOR,
    .sweep = {.sizes = "2^10 2^12 2^14 2^16 2^18 2^20 2^22 2^24 2^26 2^28",
              .scaling_size = "2^24",
              .emulated_max = 1 << 22,
              .blocks = "32 64 128 256 512 1024",
              .configurations = configurations,
              .divided = several_gpus},
    .elementwise = true,
    .size_max = 1 << 30,
    .block_dimensions = 1,
    .single = {.positional = positional, .size = "16", .block = "16", .trials = "3"},
    LAB_VARIANTS(variants),
    .parameters = parameters,
    .layout = layout,
    .fill = fill,
    .check = check,
    .work = work,
    .present = present,
};

int main(int argc, char **argv)
{
    return lab_main(&vecadd, argc, argv);
}
