/*
 * sum.cu - the sum of n whole numbers by reduction. A lab as short as they get: tests/new_lab.t
 * adds it to a copy of the suite as one folder.
 *
 * Data: n unsigned integers of 32 bits, and one for the sum, which wraps around: whatever the
 * order, the sum is the same, so equality is demanded. One addition per 4 bytes.
 *
 *   cpu          serial loop
 *   atomic       each thread adds its element to the sum, all of them to one address
 *   shared_tree  a block adds up its elements in shared memory first
 */
#include <cuda_runtime.h>
#include <stdio.h>

#include "lab.h"
#include "random.h"

enum { VALUES, SUM }; /* buffers, in layout's order */

static unsigned sum_serial(const unsigned *value, int n)
{
    unsigned sum = 0;
    for (int i = 0; i < n; i++)
        sum += value[i];
    return sum;
}

/* atomic: thread i adds element i. The additions to one address happen one after the other. */
__global__ void atomic(const unsigned *value, unsigned *sum, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(sum, value[i]);
}

/*
 * shared_tree: against atomic, a block halves its elements in shared memory until one is left,
 * which one thread adds to the sum. Any block: of an odd number the middle one waits for the next
 * round.
 */
__global__ void shared_tree(const unsigned *value, unsigned *sum, int n)
{
    extern __shared__ unsigned part[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    part[threadIdx.x] = i < n ? value[i] : 0;
    for (unsigned left = blockDim.x; left > 1;) {
        unsigned half = (left + 1) / 2;
        __syncthreads();
        if (threadIdx.x < left / 2)
            part[threadIdx.x] += part[threadIdx.x + half];
        left = half;
    }
    if (threadIdx.x == 0)
        atomicAdd(sum, part[0]);
}

static void run_cpu(const problem *p, const launch *l)
{
    *(unsigned *)l->buffer[SUM] = sum_serial((const unsigned *)l->buffer[VALUES], p->width);
}

typedef void (*sum_kernel)(const unsigned *value, unsigned *sum, int n);

static void launch_kernel(const problem *p, const launch *l)
{
    sum_kernel kernel = (sum_kernel)l->kernel;
    unsigned *sum = (unsigned *)l->buffer[SUM];
    CUDA_CHECK(cudaMemsetAsync(sum, 0, sizeof *sum, l->stream));
    kernel<<<blocks_for(p->width, l->block.x), l->block, l->shared_bytes, l->stream>>>(
        (const unsigned *)l->buffer[VALUES], sum, p->width);
    CUDA_CHECK(cudaGetLastError());
}

static size_t part_bytes(const problem *, dim3 block)
{
    return block.x * sizeof(unsigned);
}

static const variant variants[] = {
    SERIAL_VARIANT("serial loop", run_cpu),
    {.name = "atomic",
     .kind = VARIANT_GPU,
     .summary = "each thread adds to the sum",
     .run = launch_kernel,
     .kernel = (const void *)atomic},
    {.name = "shared_tree",
     .kind = VARIANT_GPU,
     .summary = "a tree in shared memory, one addition a block",
     .run = launch_kernel,
     .kernel = (const void *)shared_tree,
     .shared_bytes = part_bytes},
};

static void parameters(char *text, size_t bytes)
{
    snprintf(text, bytes, "type=u32");
}

static void layout(problem *p)
{
    problem_add_buffer(p, "values", BUFFER_INPUT, (size_t)p->width * sizeof(unsigned));
    problem_add_buffer(p, "sum", BUFFER_OUTPUT, sizeof(unsigned));
}

static void fill(const problem *p)
{
    unsigned *value = (unsigned *)p->buffer[VALUES].host;
    for (int i = 0; i < p->width; i++)
        value[i] = (unsigned)random_bits(p->seed, (uint64_t)i);
}

static check_result check(const problem *p, const variant *)
{
    unsigned expected = sum_serial((const unsigned *)p->buffer[VALUES].host, p->width);
    check_result result = check_start(0, 1);
    check_scaled(&result, *(const unsigned *)p->buffer[SUM].host, expected, 1, 0);
    return result;
}

static lab_work work(const problem *p)
{
    return {.bytes = sizeof(unsigned) * (p->width + 1.0), .int_ops = (double)p->width};
}

static const char *const positional[] = {"--sizes", "--blocks", "--trials", NULL};

int main(int argc, char **argv)
{
    lab sum = {
        .name = "lab99_sum",
        .title = "the sum of n whole numbers by reduction",
        .sizes_are = SIZE_VECTOR,
        .sweep = {.sizes = "2^10 2^14 2^18 2^22", .blocks = "32 128 512"},
        .size_max = 1 << 28,
        .block_dimensions = 1,
        .single = {.positional = positional, .size = "1000", .block = "128", .trials = "1"},
        LAB_VARIANTS(variants),
        .parameters = parameters,
        .layout = layout,
        .fill = fill,
        .check = check,
        .work = work,
    };
    return lab_main(&sum, argc, argv);
}
