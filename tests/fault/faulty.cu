/*
 * faulty.cu - a lab whose variants are wrong on purpose: tests/fault.t runs it to see that the
 * suite finds each of them out, times none of them, and skips with a reason what cannot run.
 *
 * Computed is C[i] = A[i] + B[i] + 1 for n floats; A and B lie in [1, 2), so no sum is 0.
 *
 *   cpu               right: serial loop
 *   correct           right: one element a thread
 *
 *   right_edge        off by one: the last element is never written
 *   left_edge         the first element is never written, the others are right
 *   last_block        the last block writes nothing
 *   writes_nan        NaN in the middle
 *   writes_infinity   infinity in the middle
 *   all_nan           NaN everywhere
 *   zeros             zeros everywhere
 *   one_unit          one element, in the middle, is off by one unit in its last place
 *   whole_blocks      only whole blocks are launched: right where n is a multiple of the block
 *   first_launch      right in the first launch of each size only
 *   cpu_first_run     the same on the CPU, where every run is timed, many times
 *   cpu_nan           a CPU variant that writes NaN
 *
 *   behind, before    right, but also written is the element behind C's last or before its first
 *   cpu_behind        the same on the CPU
 *   writes_input      right, but A is changed
 *   cpu_input         the same on the CPU
 *   behind_workspace  right, but one byte behind its workspace is written
 *
 *   constant_one, constant_two, cpu_one, cpu_two
 *                     right, as long as the constant is what their own prepare() set: each pair
 *                     shares one and sets it differently; once it was wrong, all results are NaN
 *   bad_launch        a launch of a block that is too large: a CUDA error
 *   bad_later         the same from the third run of a size on
 *   cpu_bad_later     a CPU variant that asks for a device that is not there, from the third on
 *   cpu_slow          right, in 10 us an element
 *
 *   refuses_odd       cannot run: refuses odd blocks
 *   needs_library     cannot run: a library that no build has
 *   needs_future      cannot run: compute capability 99.0
 *   much_shared       cannot run: more shared memory than any device has
 *   much_workspace    cannot run: more device memory than there is
 *   some_workspace    right: C by way of a workspace
 */
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <time.h>

#include "lab.h"
#include "random.h"

enum { A, B, C }; /* buffers, in layout's order */

/* ---- CPU reference -------------------------------------------------------------------------- */

static void add_serial(const float *a, const float *b, float *c, int n)
{
    for (int i = 0; i < n; i++)
        c[i] = a[i] + b[i] + 1;
}

/* ---- kernels -------------------------------------------------------------------------------- */

/* The right one, for the elements first..last-1. The faults lie in what it is asked to do. */
__global__ void add_range(const float *a, const float *b, float *c, int first, int last)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= first && i < last)
        c[i] = a[i] + b[i] + 1;
}

/* All elements, but the middle one is replaced by `instead`, and those from `from` on by it too. */
__global__ void add_but(const float *a, const float *b, float *c, int n, int from, float instead)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = i == n / 2 || i >= from ? instead : a[i] + b[i] + 1;
}

/* The middle element's last bit is flipped: one unit in the last place. */
__global__ void add_one_unit(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    c[i] = a[i] + b[i] + 1;
    if (i == n / 2)
        ((unsigned *)c)[i] ^= 1;
}

/* A sum, and one more write where the caller wants it. */
__global__ void add_and_write(const float *a, const float *b, float *c, int n, float *extra)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i] + 1;
    if (i == 0)
        *extra = 7;
}

__constant__ float addend;
__device__ int mixed; /* was the constant ever another variant's? */

__global__ void add_constant(const float *a, const float *b, float *c, int n, float mine)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    if (addend != mine)
        mixed = 1;
    c[i] = mixed ? NAN : a[i] + b[i] + 1;
}

/* ---- launchers ------------------------------------------------------------------------------ */

static void run_range(const launch *l, unsigned blocks, int first, int last)
{
    add_range<<<blocks, l->block, 0, l->stream>>>((float *)l->buffer[A], (float *)l->buffer[B],
                                                  (float *)l->buffer[C], first, last);
    CUDA_CHECK(cudaGetLastError());
}

static void run_but(const problem *p, const launch *l, int from, float instead)
{
    int n = p->width;
    add_but<<<blocks_for(n, l->block.x), l->block, 0, l->stream>>>(
        (float *)l->buffer[A], (float *)l->buffer[B], (float *)l->buffer[C], n, from, instead);
    CUDA_CHECK(cudaGetLastError());
}

static void launch_correct(const problem *p, const launch *l)
{
    run_range(l, blocks_for(p->width, l->block.x), 0, p->width);
}

static void launch_right_edge(const problem *p, const launch *l)
{
    run_range(l, blocks_for(p->width, l->block.x), 0, p->width - 1);
}

static void launch_left_edge(const problem *p, const launch *l)
{
    run_range(l, blocks_for(p->width, l->block.x), 1, p->width);
}

static void launch_last_block(const problem *p, const launch *l)
{
    int blocks = (int)blocks_for(p->width, l->block.x);
    run_range(l, (unsigned)blocks, 0, (blocks - 1) * (int)l->block.x);
}

static void launch_writes_nan(const problem *p, const launch *l)
{
    run_but(p, l, p->width, NAN);
}

static void launch_writes_infinity(const problem *p, const launch *l)
{
    run_but(p, l, p->width, INFINITY);
}

static void launch_all_nan(const problem *p, const launch *l)
{
    run_but(p, l, 0, NAN);
}

static void launch_zeros(const problem *p, const launch *l)
{
    run_but(p, l, 0, 0);
}

static void launch_one_unit(const problem *p, const launch *l)
{
    int n = p->width;
    add_one_unit<<<blocks_for(n, l->block.x), l->block, 0, l->stream>>>(
        (float *)l->buffer[A], (float *)l->buffer[B], (float *)l->buffer[C], n);
    CUDA_CHECK(cudaGetLastError());
}

static void launch_whole_blocks(const problem *p, const launch *l)
{
    unsigned blocks = (unsigned)p->width / l->block.x;
    if (blocks > 0)
        run_range(l, blocks, 0, p->width);
}

static void launch_first_launch(const problem *p, const launch *l)
{
    static int width, launches;
    if (p->width != width)
        launches = 0;
    width = p->width;
    run_range(l, blocks_for(p->width, l->block.x), 0, launches++ ? p->width / 2 : p->width);
}

static void run_and_write(const problem *p, const launch *l, float *extra)
{
    add_and_write<<<blocks_for(p->width, l->block.x), l->block, 0, l->stream>>>(
        (float *)l->buffer[A], (float *)l->buffer[B], (float *)l->buffer[C], p->width, extra);
    CUDA_CHECK(cudaGetLastError());
}

static void launch_behind(const problem *p, const launch *l)
{
    run_and_write(p, l, (float *)l->buffer[C] + p->width);
}

static void launch_before(const problem *p, const launch *l)
{
    run_and_write(p, l, (float *)l->buffer[C] - 1);
}

static void launch_writes_input(const problem *p, const launch *l)
{
    run_and_write(p, l, (float *)l->buffer[A]);
}

static size_t one_copy(const problem *p)
{
    return p->buffer[C].bytes;
}

static void launch_behind_workspace(const problem *p, const launch *l)
{
    run_and_write(p, l, (float *)l->workspace + p->width);
}

static void launch_some_workspace(const problem *p, const launch *l)
{
    void *const buffer[] = {l->buffer[A], l->buffer[B], l->workspace};
    launch to_workspace = *l;
    to_workspace.buffer = buffer;
    run_range(&to_workspace, blocks_for(p->width, l->block.x), 0, p->width);
    CUDA_CHECK(cudaMemcpyAsync(l->buffer[C], l->workspace, p->buffer[C].bytes,
                               cudaMemcpyDeviceToDevice, l->stream));
}

static void run_constant(const problem *p, const launch *l, float mine)
{
    add_constant<<<blocks_for(p->width, l->block.x), l->block, 0, l->stream>>>(
        (float *)l->buffer[A], (float *)l->buffer[B], (float *)l->buffer[C], p->width, mine);
    CUDA_CHECK(cudaGetLastError());
}

static void set_constant(float value)
{
    CUDA_CHECK(cudaMemcpyToSymbol(addend, &value, sizeof value));
}

static void prepare_one(const problem *, const launch *)
{
    set_constant(1);
}

static void prepare_two(const problem *, const launch *)
{
    set_constant(2);
}

static void launch_constant_one(const problem *p, const launch *l)
{
    run_constant(p, l, 1);
}

static void launch_constant_two(const problem *p, const launch *l)
{
    run_constant(p, l, 2);
}

static void launch_bad_launch(const problem *p, const launch *l)
{
    add_range<<<1, 1 << 20, 0, l->stream>>>((float *)l->buffer[A], (float *)l->buffer[B],
                                            (float *)l->buffer[C], 0, p->width);
    CUDA_CHECK(cudaGetLastError());
}

static void launch_bad_later(const problem *p, const launch *l)
{
    static int width, launches;
    if (p->width != width)
        launches = 0;
    width = p->width;
    if (launches++ < 2)
        launch_correct(p, l);
    else
        launch_bad_launch(p, l);
}

static void run_cpu(const problem *p, const launch *l)
{
    add_serial((float *)l->buffer[A], (float *)l->buffer[B], (float *)l->buffer[C], p->width);
}

static void run_cpu_first_run(const problem *p, const launch *l)
{
    static int width, runs;
    if (p->width != width)
        runs = 0;
    width = p->width;
    run_cpu(p, l);
    if (runs++)
        ((float *)l->buffer[C])[0] = 0;
}

static void run_cpu_behind(const problem *p, const launch *l)
{
    run_cpu(p, l);
    ((float *)l->buffer[C])[p->width] = 7;
}

static void run_cpu_input(const problem *p, const launch *l)
{
    run_cpu(p, l);
    ((float *)l->buffer[A])[p->width - 1] = 7;
}

static float cpu_addend;

static void prepare_cpu_one(const problem *, const launch *)
{
    cpu_addend = 1;
}

static void prepare_cpu_two(const problem *, const launch *)
{
    cpu_addend = 2;
}

static void run_cpu_constant(const problem *p, const launch *l, float mine)
{
    static bool cpu_mixed;
    cpu_mixed = cpu_mixed || cpu_addend != mine;
    run_cpu(p, l);
    if (cpu_mixed)
        ((float *)l->buffer[C])[0] = NAN;
}

static void run_cpu_one(const problem *p, const launch *l)
{
    run_cpu_constant(p, l, 1);
}

static void run_cpu_two(const problem *p, const launch *l)
{
    run_cpu_constant(p, l, 2);
}

static void run_cpu_bad_later(const problem *p, const launch *l)
{
    static int width, runs;
    if (p->width != width)
        runs = 0;
    width = p->width;
    run_cpu(p, l);
    if (runs++ >= 2)
        CUDA_CHECK(cudaSetDevice(-1));
}

static void run_cpu_slow(const problem *p, const launch *l)
{
    long long ns = 10000ll * p->width;
    const struct timespec pause = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
    run_cpu(p, l);
    nanosleep(&pause, NULL);
}

static void run_cpu_nan(const problem *p, const launch *l)
{
    run_cpu(p, l);
    ((float *)l->buffer[C])[p->width - 1] = NAN;
}

/* ---- reasons not to run --------------------------------------------------------------------- */

static const char *refuse_odd(const problem *p, dim3 block)
{
    (void)p;
    return block.x % 2 ? "the block must be even" : NULL;
}

static size_t a_gibibyte(const problem *p, dim3 block)
{
    (void)p;
    (void)block;
    return (size_t)1 << 30;
}

static size_t an_exbibyte(const problem *p)
{
    (void)p;
    return (size_t)1 << 60;
}

/* ---- variants and callbacks ----------------------------------------------------------------- */

#define FAULT(label, why)                                                                          \
    {                                                                                              \
        .name = #label, .kind = VARIANT_GPU, .summary = why, .run = launch_##label                 \
    }

static const variant variants[] = {
    {.name = "cpu", .kind = VARIANT_CPU, .summary = "serial loop", .serial = true, .run = run_cpu},
    {.name = "cpu_first_run",
     .kind = VARIANT_CPU,
     .summary = "wrong from the second run on",
     .run = run_cpu_first_run},
    {.name = "cpu_nan",
     .kind = VARIANT_CPU,
     .summary = "NaN at the end",
     .run = run_cpu_nan,
     .note = "a remark"},
    {.name = "cpu_behind",
     .kind = VARIANT_CPU,
     .summary = "writes behind C",
     .run = run_cpu_behind},
    {.name = "cpu_input", .kind = VARIANT_CPU, .summary = "changes A", .run = run_cpu_input},
    {.name = "cpu_one",
     .kind = VARIANT_CPU,
     .summary = "right where the constant is 1",
     .run = run_cpu_one,
     .prepare = prepare_cpu_one},
    {.name = "cpu_two",
     .kind = VARIANT_CPU,
     .summary = "right where the constant is 2",
     .run = run_cpu_two,
     .prepare = prepare_cpu_two},
    {.name = "cpu_bad_later",
     .kind = VARIANT_CPU,
     .summary = "a CUDA error from the third run on",
     .run = run_cpu_bad_later},
    {.name = "cpu_slow", .kind = VARIANT_CPU, .summary = "10 us an element", .run = run_cpu_slow},
    FAULT(correct, "right"),
    FAULT(right_edge, "the last element is not written"),
    FAULT(left_edge, "the first element is not written"),
    FAULT(last_block, "the last block is not written"),
    FAULT(writes_nan, "one NaN"),
    FAULT(writes_infinity, "one infinity"),
    FAULT(all_nan, "all NaN"),
    FAULT(zeros, "all zero"),
    FAULT(one_unit, "one element off by one unit in its last place"),
    FAULT(whole_blocks, "no thread for the rest behind the last whole block"),
    FAULT(first_launch, "wrong from the second launch on"),
    FAULT(behind, "writes behind C"),
    FAULT(before, "writes before C"),
    FAULT(writes_input, "changes A"),
    {.name = "behind_workspace",
     .kind = VARIANT_GPU,
     .summary = "writes behind its workspace",
     .run = launch_behind_workspace,
     .workspace_bytes = one_copy},
    {.name = "constant_one",
     .kind = VARIANT_GPU,
     .summary = "right where the constant is 1",
     .run = launch_constant_one,
     .prepare = prepare_one},
    {.name = "constant_two",
     .kind = VARIANT_GPU,
     .summary = "right where the constant is 2",
     .run = launch_constant_two,
     .prepare = prepare_two},
    FAULT(bad_launch, "a CUDA error"),
    FAULT(bad_later, "a CUDA error from the third run on"),
    {.name = "refuses_odd",
     .kind = VARIANT_GPU,
     .summary = "refuses odd blocks",
     .run = launch_correct,
     .refuse = refuse_odd},
    {.name = "needs_library",
     .kind = VARIANT_VENDOR,
     .summary = "needs a library",
     .needs = "cuNothing"},
    {.name = "needs_future",
     .kind = VARIANT_GPU,
     .summary = "needs a device to come",
     .run = launch_correct,
     .compute_capability = 990},
    {.name = "much_shared",
     .kind = VARIANT_GPU,
     .summary = "1 GiB of shared memory",
     .run = launch_correct,
     .kernel = (const void *)add_range,
     .shared_bytes = a_gibibyte},
    {.name = "much_workspace",
     .kind = VARIANT_GPU,
     .summary = "1 EiB of device memory",
     .run = launch_correct,
     .workspace_bytes = an_exbibyte},
    {.name = "some_workspace",
     .kind = VARIANT_GPU,
     .summary = "by way of a workspace",
     .run = launch_some_workspace,
     .workspace_bytes = one_copy},
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
    random_fill_float((float *)p->buffer[A].host, (size_t)p->width, 1, 2, 2 * p->seed);
    random_fill_float((float *)p->buffer[B].host, (size_t)p->width, 1, 2, 2 * p->seed + 1);
}

/* Two sums, each rounded once, the same way everywhere: equality is demanded. */
static check_result check(const problem *p, const variant *)
{
    const float *a = (const float *)p->buffer[A].host, *b = (const float *)p->buffer[B].host;
    const float *c = (const float *)p->buffer[C].host;
    check_result result = check_start(0, p->width);
    for (int i = 0; i < p->width; i++) {
        float expected = a[i] + b[i] + 1;
        check_scaled(&result, c[i], expected, 1, (size_t)i);
    }
    return result;
}

static void work(const problem *p, double *bytes, double *flops)
{
    *bytes = 3.0 * sizeof(float) * p->width;
    *flops = 2.0 * p->width;
}

/* ---- main ----------------------------------------------------------------------------------- */

static const char *const positional[] = {"--sizes", "--blocks", "--trials", NULL};

static const lab faulty = {
    .name = "faulty",
    .title = "C = A + B + 1, wrong on purpose",
    .sizes_are = SIZE_VECTOR,
    .sweep = {.sizes = "1000 1024", .blocks = "32 128"},
    .size_min = 2,
    .size_max = 1 << 20,
    .block_dimensions = 1,
    .single = {.positional = positional, .size = "1000", .block = "128", .trials = "3"},
    .variants = variants,
    .n_variants = sizeof variants / sizeof variants[0],
    .parameters = parameters,
    .layout = layout,
    .fill = fill,
    .check = check,
    .work = work,
};

int main(int argc, char **argv)
{
    return lab_main(&faulty, argc, argv);
}
