/*
 * faulty.cu - a lab whose variants are wrong on purpose: tests/fault.t runs it to see that the
 * suite finds each of them out, times none of them, and skips with a reason what cannot run.
 *
 * Computed is C[i] = A[i] + B[i] + 1 for n floats; A and B lie in [1, 2), so no sum is 0.
 * A variant is named after its fault, cpu_* on the CPU.
 */
#include <cuda_runtime.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "lab.h"
#include "random.h"

enum { A, B, C }; /* buffers, in layout's order */

enum fault {
    correct,
    right_edge, /* the last element is never written */
    writes_nan, /* in the middle; on the CPU at the end */
    zeros,
    one_unit,         /* one element is off by one unit in its last place */
    whole_blocks,     /* only whole blocks are launched: right where n is a multiple of the block */
    first_launch,     /* right in the first run of each size only */
    other_bits,       /* in later runs, as little off as its check() allows */
    behind,           /* right, but also written is the element behind C's last, */
    writes_input,     /* or in A, */
    behind_workspace, /* or behind the workspace */
    reads_behind,     /* the sum has A's element behind the last one, too */
    crashes,          /* all threads write where no memory is; */
    never_ends,       /* one stays in a loop; */
    prints,           /* one prints a line: all three on the CPU alone */
    constant_one, /* right, as long as the constant is what their own prepare() set: both share */
    constant_two, /* one and set it differently; once it was wrong, results are NaN */
    other_stream, /* all work goes to a stream of its own, */
    works_on,     /* or some of it, which goes on when the rest is done */
    bad_launch,   /* a block that is too large: a CUDA error */
    unchecked,    /* the same, and the launcher does not ask for it */
    bad_later     /* an error from the third run of a size on */
};

/* ---- on the device -------------------------------------------------------------------------- */

__constant__ float addend;
__device__ int mixed; /* was the constant ever another variant's? */

__device__ float sum_or_nan(float sum, float mine)
{
    if (addend != mine)
        mixed = 1;
    return mixed ? NAN : sum;
}

__global__ void add(float *a, const float *b, float *c, int n, float *workspace, fault what)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || (what == right_edge && i == n - 1))
        return;
    float sum = what == zeros ? 0 : a[i] + b[i] + 1;
    if (what == prints && i == 0)
        printf("printed of %d\n", n);
    if (what == crashes)
        c[1L << 40] = 7;
    for (volatile bool on = what == never_ends && i == 0; on;)
        ;
    if (what == reads_behind && i == n - 1)
        sum += a[n];
    if (what == writes_nan && i == n / 2)
        sum = NAN;
    if (what == constant_one || what == constant_two)
        sum = sum_or_nan(sum, what == constant_one ? 1 : 2);
    c[i] = sum;
    if (what == one_unit && i == n / 2)
        ((unsigned *)c)[i] ^= 1;
    if (what == behind && i == 0)
        c[n] = 7;
    if (what == writes_input && i == 0)
        a[0] = 7;
    if (what == behind_workspace && i == 0)
        workspace[n] = 7;
}

__global__ void spin(long long cycles)
{
    for (long long start = clock64(); clock64() - start < cycles;)
        ;
}

/* A stream that waits for no other. */
static cudaStream_t own_stream(void)
{
    static cudaStream_t stream;
    if (!stream)
        CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    return stream;
}

/* How often this variant ran before at the same size. */
template <fault What, bool OnDevice>
static int earlier_runs(const problem *p)
{
    static int width, runs;
    if (p->width != width)
        runs = 0;
    width = p->width;
    return runs++;
}

/* A file tells of a long run. */
static void tell_begun(void)
{
    const char *name = getenv("FAULTY_SLOW");
    if (name)
        fclose(fopen(name, "w"));
}

template <fault What>
static void run_gpu(const problem *p, const launch *l)
{
    int n = p->width;
    fault what = What;
    dim3 grid = blocks_for(n, l->block.x), block = l->block;
    cudaStream_t stream = What == other_stream ? own_stream() : l->stream;
    if (What ==
        works_on) { /* 1.5 ms or more, too long for a batch; 20, beside other programs, too */
        spin<<<1, 1, 0, stream>>>(3000000);
        spin<<<1, 1, 0, own_stream()>>>(40000000);
    }
    if (What == whole_blocks)
        grid = n / block.x;
    if (What == first_launch && earlier_runs<What, true>(p))
        what = right_edge;
    if (What == never_ends)
        tell_begun();
    if (What == bad_launch || What == unchecked)
        block = 1 << 20;
    if (grid.x > 0)
        add<<<grid, block, 0, stream>>>((float *)l->buffer[A], (float *)l->buffer[B],
                                        (float *)l->buffer[C], n, (float *)l->workspace, what);
    if (What != unchecked)
        CUDA_CHECK(cudaGetLastError());
}

/* ---- on the CPU ----------------------------------------------------------------------------- */

static float cpu_addend;

/* For both: on the CPU, too, where kernels are not timed, variants are. */
template <int Value>
static void set_constant(const problem *, const launch *)
{
    const float value = Value;
    cpu_addend = value;
    CUDA_CHECK(cudaMemcpyToSymbol(addend, &value, sizeof value));
}

template <fault What>
static void run_cpu(const problem *p, const launch *l)
{
    static bool cpu_mixed;
    float *a = (float *)l->buffer[A], *b = (float *)l->buffer[B], *c = (float *)l->buffer[C];
    int n = p->width, earlier = earlier_runs<What, false>(p);
    for (int i = 0; i < n; i++)
        c[i] = a[i] + b[i] + 1;
    if (What == writes_nan)
        c[n - 1] = NAN;
    if (What == first_launch && earlier > 0)
        c[0] = 0;
    if (What == other_bits && earlier > 0)
        c[0] = nextafterf(c[0], 9);
    if (What == behind)
        c[n] = 7;
    if (What == constant_one || What == constant_two) {
        cpu_mixed = cpu_mixed || cpu_addend != (What == constant_one ? 1 : 2);
        if (cpu_mixed)
            c[0] = NAN;
    }
    if (What == bad_later && earlier >= 2)
        CUDA_CHECK(cudaSetDevice(-1));
}

static void run_slow(const problem *p, const launch *l)
{
    long long ns = 10000LL * p->width;
    struct timespec pause = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
    if (ns > 1000000000)
        tell_begun();
    run_cpu<correct>(p, l);
    while (nanosleep(&pause, &pause)) /* a signal does not shorten it */
        ;
}

/* Right; the file that FAULTY_THREADS names gets the number of threads, a line a run. */
static void run_omp(const problem *p, const launch *l)
{
    const char *name = getenv("FAULTY_THREADS");
    FILE *log = name ? fopen(name, "a") : NULL;
    run_cpu<correct>(p, l);
#pragma omp parallel
#pragma omp single
    if (log)
        fprintf(log, "%d\n", omp_get_num_threads());
    if (log)
        fclose(log);
}

/* A library that one rank calls for all. */
static rank_part all_on_first(const problem *p, int i, int rank, int)
{
    return {0, rank == 0 ? p->buffer[i].bytes : 0};
}

static void run_on_first(const problem *p, const launch *l)
{
    if (p->buffer[C].bytes > 0)
        run_cpu<correct>(p, l);
}

/* Several GPUs with parts of which none has the last element. */
static rank_part all_but_last(const problem *p, int, int rank, int count)
{
    const rank_part own = ranks_part((size_t)p->width - 1, 1, rank, count);
    return {sizeof(float) * own.first, sizeof(float) * own.count};
}

static void run_part(const problem *p, const launch *l)
{
    problem own = *p;
    own.width = (int)(p->buffer[C].bytes / sizeof(float));
    run_gpu<correct>(&own, l);
}

static void run_refusal(const problem *, const launch *)
{
    library_refuse("the library answers NO_SUCH_MODE");
}

/* ---- reasons not to run --------------------------------------------------------------------- */

static const char *refuse_odd(const problem *, dim3 block)
{
    return block.x % 2 ? "the block must be even" : NULL;
}

static size_t a_gibibyte(const problem *, dim3)
{
    return (size_t)1 << 30;
}

static size_t an_exbibyte(const problem *)
{
    return (size_t)1 << 60;
}

static size_t one_copy(const problem *p)
{
    return p->buffer[C].bytes;
}

/* Makes room that no kernel uses: what is looked at is how it comes and goes. */
static void *plan_room(const problem *p, const launch *)
{
    void *room;
    CUDA_CHECK(cudaMalloc(&room, p->buffer[A].bytes));
    return room;
}

static void release_room(void *room)
{
    CUDA_RELEASE(cudaFree(room));
}

/* ---- variants and callbacks ----------------------------------------------------------------- */

#define CPU(label, what) .name = #label, .kind = VARIANT_CPU, .summary = #what, .run = run_cpu<what>
#define GPU(label, what) .name = #label, .kind = VARIANT_GPU, .summary = #what, .run = run_gpu<what>

static const variant variants[] = {
    SERIAL_VARIANT("serial loop", run_cpu<correct>),
    OPENMP_VARIANT("tells its threads", run_omp),
    {.name = "cpu_slow", .kind = VARIANT_CPU, .summary = "10 us an element", .run = run_slow},
    {CPU(cpu_first_run, first_launch)},
    {CPU(cpu_other_bits, other_bits)},
    {CPU(cpu_unordered, other_bits), .unordered = true},
    {CPU(cpu_nan, writes_nan), .note = "a remark"},
    {CPU(cpu_behind, behind)},
    {CPU(cpu_one, constant_one), .prepare = set_constant<1>},
    {CPU(cpu_two, constant_two), .prepare = set_constant<2>},
    {CPU(cpu_bad_later, bad_later)},
    {GPU(correct, correct)},
    {GPU(right_edge, right_edge)},
    {GPU(writes_nan, writes_nan)},
    {GPU(zeros, zeros)},
    {GPU(one_unit, one_unit)},
    {GPU(whole_blocks, whole_blocks)},
    {GPU(first_launch, first_launch)},
    {GPU(behind, behind)},
    {GPU(writes_input, writes_input)},
    {GPU(behind_workspace, behind_workspace), .workspace_bytes = one_copy},
    {GPU(reads_behind, reads_behind)},
#ifdef CUDA_ON_CPU
    {GPU(crashes, crashes)},
    {GPU(never_ends, never_ends)},
    {GPU(prints, prints)},
#endif
    {GPU(with_plans, correct), .workspace_bytes = one_copy, .plan = plan_room,
     .release = release_room},
    {GPU(constant_one, constant_one), .prepare = set_constant<1>},
    {GPU(constant_two, constant_two), .prepare = set_constant<2>},
    {GPU(other_stream, other_stream)},
    {GPU(works_on, works_on)},
    {GPU(bad_launch, bad_launch)},
    {GPU(unchecked, unchecked)},
    {GPU(refuses_odd, correct), .refuse = refuse_odd},
    {.name = "on_first",
     .kind = VARIANT_VENDOR,
     .summary = "of all ranks",
     .run = run_on_first,
     .part = all_on_first,
     .on_host = true},
    {.name = "parts",
     .kind = VARIANT_GPU,
     .summary = "but one element",
     .run = run_part,
     .kernel = (const void *)add,
     .part = all_but_last},
    {.name = "library_refuses", .kind = VARIANT_VENDOR, .summary = "none", .run = run_refusal},
    {.name = "needs_library", .kind = VARIANT_VENDOR, .summary = "none", .needs = "cuNothing"},
    {GPU(needs_future, correct), .architecture = "sm_990"},
    {GPU(much_shared, correct), .kernel = (const void *)add, .shared_bytes = a_gibibyte},
    {GPU(much_workspace, correct), .workspace_bytes = an_exbibyte},
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

/* Two sums, each rounded once, the same way everywhere: equality is demanded. Not of some. */
static check_result check(const problem *p, const variant *v)
{
    const float *a = (const float *)p->buffer[A].host, *b = (const float *)p->buffer[B].host;
    const float *c = (const float *)p->buffer[C].host;
    check_result result = check_start(v->run == run_cpu<other_bits> ? 1e-6 : 0, p->width);
    for (int i = 0; i < p->width; i++) {
        float expected = a[i] + b[i] + 1;
        check_scaled(&result, c[i], expected, 1, (size_t)i);
    }
    return result;
}

static lab_work work(const problem *p)
{
    return {.bytes = 3.0 * sizeof(float) * p->width, .flops = 2.0 * p->width};
}

/* ---- main ----------------------------------------------------------------------------------- */

static const lab_settings several_gpus[] = {{"--variants on_first"}, {NULL}};
static const char *const positional[] = {"--sizes", "--blocks", "--trials", NULL};

static const lab faulty = {
    .name = "faulty",
    .title = "C = A + B + 1, wrong on purpose",
    .sizes_are = SIZE_VECTOR,
    .sweep = {.sizes = "1000 1024",
              .scaling_size = "1024",
              .blocks = "32 128",
              .divided = several_gpus},
    .size_max = 1 << 20,
    .block_dimensions = 1,
    .single = {.positional = positional, .size = "1000", .block = "128", .trials = "3"},
    LAB_VARIANTS(variants),
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
