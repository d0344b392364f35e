/*
 * bugs.cu - one planted bug a kernel. `bugs NAME` runs one; `bugs` lists what each build says of
 * each. The line that a diagnosis has to name carries the comment "bug: NAME".
 */
#include <assert.h>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "check.h"

#define N 64

/* What a kernel of this file is given: device memory, all set, but for fresh. */
struct memory {
    float *in;          /* 4 N floats, and no more */
    float *out;         /* N floats, zeros */
    const float *fresh; /* N floats, never written */
    const float *host;  /* N floats of the host */
    int *count;         /* N ints, zeros */
};

struct bug {
    const char *name;
    void (*kernel)(struct memory);
    int blocks, threads, shared_bytes;
    const struct bug *next;
    const char *said[3]; /* in the builds plain, asan and race; NULL: not found there */
};
static const struct bug *bugs;

/* A kernel, how it is launched, and what is said of it: a pattern for each build. */
#define BUG(name, blocks, threads, shared_bytes, ...)                                              \
    __global__ void name(struct memory m);                                                         \
    static const struct bug name##_entry = {                                                       \
        #name, name, blocks, threads, (int)(shared_bytes), bugs, {__VA_ARGS__}};                   \
    static const struct bug *name##_first = bugs = &name##_entry;                                  \
    __global__ void name(struct memory m)
#define EVERY_BUILD(pattern) pattern, pattern, pattern

/* ---- memory --------------------------------------------------------------------------------- */

BUG(out_of_bounds_global, 1, N, 0, "Segmentation fault in kernel", "heap-buffer-overflow",
    "outside every allocation")
{
    int t = threadIdx.x;
    m.out[t + 1] = t; /* bug: out_of_bounds_global */
}

/* gcc puts a file's first array last: by one element only, for its end is all arrays' end. */
BUG(out_of_bounds_shared, 1, N, 0, "access past the end", "index 64 out of bounds",
    "shared memory past the end")
{
    __shared__ float s[N];
    int t = threadIdx.x;
    s[t + 1] = t; /* bug: out_of_bounds_shared */
    __syncthreads();
    m.out[t] = s[t];
}

BUG(overrun_shared, 1, N, 0, "access past the end", "index 64 out of bounds",
    "shared memory past the end")
{
    __shared__ int s[N];
    int t = threadIdx.x;
    for (int i = 0; t == 0 && i < 16 * N; i++) /* over whatever else is shared in this file */
        s[i] = i;                              /* bug: overrun_shared */
    __syncthreads();
    m.count[t] = s[t];
}

BUG(out_of_bounds_pointer, 1, N, 0, NULL, "global-buffer-overflow\\|insufficient space")
{
    __shared__ float s[N];
    int t = threadIdx.x;
    float *p = s;
    p[t + 1] = t; /* bug: out_of_bounds_pointer */
    __syncthreads();
    m.out[t] = p[t];
}

BUG(out_of_bounds_dynamic, 1, N, N * sizeof(float), "access past the end", "heap-buffer-overflow",
    "past the end")
{
    extern __shared__ float d[];
    int t = threadIdx.x;
    d[t + 1] = t; /* bug: out_of_bounds_dynamic */
    __syncthreads();
    m.out[t] = d[t];
}

BUG(no_dynamic, 1, N, 0, "of which the launch gives none", "heap-buffer-overflow",
    "past the end of every array")
{
    extern __shared__ float d[];
    d[threadIdx.x] = 1; /* bug: no_dynamic */
    m.out[threadIdx.x] = d[threadIdx.x];
}

BUG(overrun_dynamic, 1, N, N * sizeof(float), "access past the end", "heap-buffer-overflow",
    "past the end")
{
    extern __shared__ float d[];
    int t = threadIdx.x;
    for (int i = 0; t == 0 && i < 16 * N; i++)
        d[i] = i; /* bug: overrun_dynamic */
    __syncthreads();
    m.out[t] = d[t];
}

BUG(out_of_bounds_local, 1, N, 0, NULL, "out of bounds\\|stack-buffer-overflow")
{
    float own[4];
    for (int i = 0; i < 4; i++)
        own[i] = m.in[i];
    m.out[threadIdx.x] = own[threadIdx.x]; /* bug: out_of_bounds_local */
}

BUG(uninitialised_shared, 1, N, 0, NULL, NULL, "shared memory that the block has never written")
{
    __shared__ float s[N];
    int t = threadIdx.x;
    if (t < N - 1)
        s[t] = t;
    __syncthreads();
    m.out[t] = s[t]; /* bug: uninitialised_shared */
}

BUG(never_written_shared, 1, N, 0, NULL, NULL, "shared memory that the block has never written")
{
    __shared__ int s[N];
    m.count[threadIdx.x] = s[threadIdx.x] + 1; /* bug: never_written_shared */
}

BUG(uninitialised_dynamic, 1, N, N * sizeof(float), NULL, NULL,
    "shared memory that the block has never written")
{
    extern __shared__ float d[];
    m.out[threadIdx.x] = d[threadIdx.x]; /* bug: uninitialised_dynamic */
}

BUG(uninitialised_global, 1, N, 0, NULL, NULL, "device memory never written")
{
    m.out[threadIdx.x] = m.fresh[threadIdx.x] * 2; /* bug: uninitialised_global */
}

BUG(uninitialised_atomic, 1, N, 0, NULL, NULL, "device memory never written")
{
    atomicAdd((float *)m.fresh, 1.0f); /* bug: uninitialised_atomic */
}

BUG(host_pointer, 1, N, 0, "touches the host's memory", "pointer to the host's memory",
    "touches the host's memory")
{
    m.out[threadIdx.x] = m.host[threadIdx.x]; /* bug: host_pointer */
}

__constant__ int factors[N];

BUG(constant_written, 1, N, 0, "a kernel writes __constant__ memory", NULL,
    "a kernel writes __constant__ memory")
{
    factors[threadIdx.x] = m.count[threadIdx.x]; /* bug: constant_written */
}

BUG(host_reads_device, 1, N, 0, "is touched in host code", "is touched in host code",
    "host code touches device memory")
{
    m.out[threadIdx.x] = 1; /* which run() reads */
}

/* Writes managed memory, which run() reads before it waits. */
BUG(host_does_not_wait, 1, N, 0, NULL, NULL, "touches managed memory before it waits")
{
    m.out[threadIdx.x] = 1;
}

BUG(host_sets_variable, 1, N, 0, "is touched in host code", NULL,
    "host code touches a variable of the device")
{
    m.count[threadIdx.x] = factors[threadIdx.x]; /* which run() has set */
}

BUG(null_pointer, 4 * N, N, 0, "Segmentation fault in kernel", "null pointer")
{
    float *nothing = m.count[0] == 0 ? NULL : m.out;
    printf("told before\n");
    nothing[threadIdx.x] = 1; /* bug: null_pointer */
}

BUG(misaligned, 1, N, 0, NULL, "misaligned address", "misaligned address")
{
    const float4 *fours = (const float4 *)(m.in + 1);
    m.out[threadIdx.x] = fours->x; /* bug: misaligned */
}

BUG(never_freed, 1, N, 0)
{
    m.out[threadIdx.x] = m.in[threadIdx.x]; /* nothing wrong here, but main forgets to free */
}

BUG(never_asked, 1, N, 0)
{
    m.out[threadIdx.x] = m.in[threadIdx.x]; /* nor here, but main does not ask for its error */
}

BUG(never_awaited, 1, N, 0, EVERY_BUILD("without waiting for this asynchronous copy"))
{
    __shared__ float s[N];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&s[t], &m.in[t], sizeof(float)); /* bug: never_awaited */
    __pipeline_commit();
}

BUG(copied_too_early, 1, N, 0, NULL, NULL, "race on shared memory")
{
    __shared__ float s[N];
    int t = threadIdx.x;
    s[t] = m.in[t];
    __syncthreads();
    m.out[t] = s[N - 1 - t];
    __pipeline_memcpy_async(&s[t], &m.in[t], sizeof(float)); /* bug: copied_too_early */
    __pipeline_commit();
    __pipeline_wait_prior(0);
}

/* ---- arithmetic and the stack --------------------------------------------------------------- */

BUG(undefined_shift, 1, N, 0, NULL, "shift exponent 32 is too large")
{
    int t = threadIdx.x;
    m.count[t] = 1 << (t + 1); /* bug: undefined_shift */
}

BUG(division_by_zero, 1, N, 0, "Floating point exception", "division by zero",
    "Floating point exception")
{
    m.count[1] = N / m.count[0]; /* bug: division_by_zero */
}

__device__ int deeper(volatile int *count, int depth)
{
    volatile char room[1024];
    room[depth % 1024] = (char)depth;
    if (count[0] != 0)
        return room[0];
    if (depth % 2)
        return deeper(count, depth + 1) - room[depth % 1024];
    return deeper(count, depth + 1) + room[depth % 1024];
}

BUG(runaway_recursion, 1, N, 0, EVERY_BUILD("stack.overflow"))
{
    m.count[1] = deeper(m.count, 1);
}

BUG(failed_assertion, 1, N, 0, "Illegal instruction", "AddressSanitizer: ILL")
{
    if (m.in[threadIdx.x] != 0)
        __trap(); /* bug: failed_assertion */
}

BUG(assertion_that_fails, 1, N, 0, EVERY_BUILD("an assertion fails in"))
{
    assert(m.in[threadIdx.x] == 0); /* bug: assertion_that_fails */
}

/* ---- barriers ------------------------------------------------------------------------------- */

BUG(divergent_branch, 1, N, 0, EVERY_BUILD("divergent __syncthreads()"))
{
    int t = threadIdx.x;
    if (t < N / 2) {
        __syncthreads(); /* bug: divergent_branch */
        m.out[t] = 1;
    } else {
        __syncthreads();
        m.out[t] = 2;
    }
}

__device__ void meet()
{
    __syncthreads();
}

BUG(divergent_call, 1, N, 0, NULL, "divergent __syncthreads()", "divergent __syncthreads()")
{
    int t = threadIdx.x;
    if (t < N / 2) {
        meet(); /* bug: divergent_call */
        m.out[t] = 1;
    } else {
        m.out[t] = 2;
        meet();
    }
}

BUG(early_return, 1, N, 0, EVERY_BUILD("not reached by all threads"))
{
    int t = threadIdx.x;
    __syncthreads();
    if (t >= N - 4)
        return;
    __syncthreads(); /* bug: early_return */
    m.out[t] = t;
}

BUG(divergent_loop, 1, N, 0, EVERY_BUILD("not reached by all threads"))
{
    int t = threadIdx.x;
    for (int i = 0; i < t % 3; i++)
        __syncthreads(); /* bug: divergent_loop */
    m.out[t] = t;
}

BUG(half_a_warp, 1, N, 0, EVERY_BUILD("wait for their warp"))
{
    int t = threadIdx.x;
    if (t % 32 < 16)
        m.out[t] = __shfl_down_sync(0xffffffffu, m.in[t], 1); /* bug: half_a_warp */
}

BUG(mask_without_caller, 1, N, 0, EVERY_BUILD("mask .* lacks the lane"))
{
    int t = threadIdx.x;
    m.out[t] = __shfl_sync(0x0000ffffu, m.in[t], 0); /* bug: mask_without_caller */
}

BUG(different_masks, 1, N, 0, EVERY_BUILD("different masks"))
{
    int t = threadIdx.x;
    unsigned mask = t % 32 == 1 ? 0x00000003u : 0xffffffffu;
    m.out[t] = __shfl_xor_sync(mask, m.in[t], 2); /* bug: different_masks */
}

BUG(lock_never_released, 1, N, 0, "lock is never released")
{
    while (atomicCAS(m.count, 0, 1) != 0) /* bug: lock_never_released */
        ;
    m.out[threadIdx.x] = 1;
}

BUG(blocks_meet, 2, 1, 0)
{
    volatile int *is_there = m.count; /* nothing wrong here where two blocks run at a time */
    is_there[blockIdx.x] = 1;
    while (!is_there[1 - blockIdx.x])
        ;
}

BUG(volatile_flag, 1, N, 0, EVERY_BUILD("an endless loop"))
{
    volatile int *flag = m.count;
    while (threadIdx.x == 0 && *flag == 0) /* bug: volatile_flag */
        ;
    *flag = 1;
}

BUG(no_next_tile, 1, N, 0, EVERY_BUILD("an endless loop"))
{
    while (m.count[0] == 0)
        __syncthreads();
}

/* ---- races ---------------------------------------------------------------------------------- */

/* Between warps. */
BUG(missing_barrier, 1, N, 0, NULL, NULL, "race on shared memory")
{
    __shared__ float s[N];
    int t = threadIdx.x;
    s[t] = t;
    m.out[t] = s[N - 1 - t]; /* bug: missing_barrier */
}

BUG(missing_second_barrier, 1, N, 0, NULL, NULL, "race on shared memory")
{
    __shared__ float s[N];
    int t = threadIdx.x;
    float sum = 0;
    for (int k = 0; k < 4; k++) {
        s[t] = m.in[k * N + t]; /* bug: missing_second_barrier */
        __syncthreads();
        sum += s[(t + 1) % N];
    }
    m.out[t] = sum;
}

BUG(missing_barrier_dynamic, 1, N, N * sizeof(float), NULL, NULL, "race on shared memory")
{
    extern __shared__ float d[];
    int t = threadIdx.x;
    d[t] = t;
    m.out[t] = t > 0 ? d[t - 1] : 0; /* bug: missing_barrier_dynamic */
}

BUG(reduction_without_barrier, 1, N, 0, NULL, NULL, "race on shared memory")
{
    __shared__ float s[N];
    int t = threadIdx.x;
    s[t] = m.in[t];
    __syncthreads();
    for (int width = N / 2; width > 0; width /= 2)
        if (t < width)
            s[t] += s[t + width]; /* bug: reduction_without_barrier */
    if (t == 0)
        m.out[0] = s[0];
}

/* Within a warp. */
BUG(missing_syncwarp, 1, N, 0, NULL, NULL, "race on shared memory")
{
    __shared__ float s[N];
    int t = threadIdx.x;
    s[t] = t;
    m.out[t] = s[t ^ 1]; /* bug: missing_syncwarp */
}

/* It keeps a warp's own readers in order. */
BUG(syncwarp_for_a_block, 1, N, 0, NULL, NULL, "race on shared memory")
{
    __shared__ float s[N];
    int t = threadIdx.x;
    s[t] = m.in[t];
    __syncthreads();
    m.out[t] = s[0];
    __syncwarp();
    if (t == N - 1)
        s[0] = 0; /* bug: syncwarp_for_a_block */
}

BUG(race_by_memcpy, 1, N, 0, NULL, NULL, "race on global memory$")
{
    int own[3] = {(int)threadIdx.x, 1, 2};
    memcpy(m.out, &own, sizeof own); /* bug: race_by_memcpy */
}

BUG(race_by_builtin, 1, N, N * sizeof(float), NULL, NULL, "race on shared memory")
{
    extern __shared__ float d[];
    __builtin_memset(d, m.count[0], 12); /* bug: race_by_builtin */
}

/* Stores that nobody reads. */
BUG(race_of_stores, 1, N, 0, NULL, NULL, "race on shared memory: writes of the same value")
{
    __shared__ int s[N];
    s[0] = m.count[threadIdx.x]; /* bug: race_of_stores */
}

/* Other values, though each thread leaves the same one. */
BUG(race_that_is_mended, 1, N, 0, NULL, NULL, "race on shared memory$")
{
    __shared__ int s[N];
    s[0] = (int)threadIdx.x;       /* bug: race_that_is_mended */
    asm volatile("" ::: "memory"); /* both are stored */
    s[0] = m.count[0];
}

/* The thread that sets the sum adds to it, too: its own atomic does not hide what it has stored. */
BUG(zeroed_beside_atomics, 1, N, 0, NULL, NULL, "race on shared memory$")
{
    __shared__ int s;
    if (threadIdx.x == 0)
        s = 0;
    atomicAdd(&s, 1); /* bug: zeroed_beside_atomics */
    __syncthreads();
    m.count[threadIdx.x] = s;
}

/* The thread that reads has added, too. */
BUG(read_beside_atomics, 1, N, 0, NULL, NULL, "race on shared memory$")
{
    __shared__ int s;
    if (threadIdx.x == 0)
        s = 0;
    __syncthreads();
    atomicAdd(&s, 1); /* bug: read_beside_atomics */
    if (threadIdx.x == N - 1)
        m.count[0] = s;
}

/* A barrier orders one block alone. */
BUG(zeroed_by_a_block, 2, N, 0, NULL, NULL, "race on global memory$")
{
    if (blockIdx.x == 0 && threadIdx.x == 0)
        m.count[0] = 0;
    __syncthreads();
    atomicAdd(m.count, 1); /* bug: zeroed_by_a_block */
}

/* Two blocks of one thread. */
BUG(race_between_blocks, 2, 1, 0, NULL, NULL, "race on global memory")
{
    m.count[0] = m.count[0] + 1; /* bug: race_between_blocks */
}

__device__ int variable;

BUG(race_on_variable, 2, 1, 0, NULL, NULL, "race on global memory")
{
    variable = (int)m.in[blockIdx.x]; /* bug: race_on_variable */
}

/* Two blocks: the second reads what the first may not have written yet. */
BUG(read_of_another_block, 2, N, 0, NULL, NULL, "race on global memory")
{
    if (blockIdx.x == 0)
        m.out[threadIdx.x] = 1;
    else
        m.in[threadIdx.x] = m.out[threadIdx.x]; /* bug: read_of_another_block */
}

/* The first block's fence publishes nothing: no atomic of its own comes behind it. */
BUG(fence_of_another_block, 2, 1, 0, NULL, NULL, "race on global memory")
{
    if (blockIdx.x == 0) {
        m.out[0] = 1;
        __threadfence();
    } else {
        atomicAdd(m.count, 1);
        m.in[0] = m.out[0]; /* bug: fence_of_another_block */
    }
}

/* No array is allocated earlier. */
BUG(before_first_array, 1, N, 0, NULL, "heap-buffer-overflow", "outside every allocation")
{
    int t = threadIdx.x;
    m.out[t] = m.in[t - 1]; /* bug: before_first_array */
}

/* ---- running one ---------------------------------------------------------------------------- */

static struct memory prepare(void)
{
    static float values[4 * N];
    struct memory m;
    for (int i = 0; i < 4 * N; i++)
        values[i] = (float)(1 + i % 5);
    CHECK(cudaMalloc(&m.in, sizeof values));
    CHECK(cudaMalloc(&m.out, N * sizeof(float)));
    CHECK(cudaMalloc(&m.fresh, N * sizeof(float)));
    CHECK(cudaMalloc(&m.count, N * sizeof(int)));
    CHECK(cudaMemcpy(m.in, values, sizeof values, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(m.out, 0, N * sizeof(float)));
    CHECK(cudaMemset(m.count, 0, N * sizeof(int)));
    m.host = (const float *)calloc(N, sizeof(float));
    return m;
}

/* What a program waits for may be all, or a stream, before it copies. */
static void run(const struct bug *bug, const char *wait)
{
    float out[N];
    struct memory m = prepare();
    const bool early = strcmp(bug->name, "host_does_not_wait") == 0;
    if (early)
        CHECK(cudaMallocManaged(&m.out, N * sizeof(float)));
    if (strcmp(bug->name, "host_sets_variable") == 0)
        factors[1] = 2; /* bug: host_sets_variable */
    if (strcmp(bug->name, "host_reads_device") == 0)
        printf("%g\n", m.out[1]); /* bug: host_reads_device */
    bug->kernel<<<bug->blocks, bug->threads, bug->shared_bytes>>>(m);
    if (strcmp(bug->name, "never_asked") != 0)
        CHECK(cudaGetLastError());
    if (early)
        printf("%g\n", m.out[1]); /* bug: host_does_not_wait */
    if (wait && strcmp(wait, "never") == 0)
        return;
    if (wait) {
        CHECK(strcmp(wait, "all") == 0 ? cudaDeviceSynchronize() : cudaStreamSynchronize(0));
        return;
    }
    CHECK(cudaMemcpy(out, m.out, sizeof out, cudaMemcpyDeviceToHost));
    printf("%s: %g %g\n", bug->name, out[0], out[N - 1]);
    free((void *)m.host);
    if (strcmp(bug->name, "never_freed") != 0)
        CHECK(cudaDeviceReset());
}

/* Who comes when, before a barrier and behind it: no two threads of a block run at a time here. */
__global__ static void line_up(int *came)
{
    came[2 + came[0]++] = threadIdx.x;
    __syncthreads();
    came[6 + came[1]++] = threadIdx.x;
}

static void tell_order()
{
    int *came;
    CHECK(cudaMallocManaged(&came, 10 * sizeof *came));
    memset(came, 0, 10 * sizeof *came);
    line_up<<<1, 4>>>(came);
    CHECK(cudaDeviceSynchronize());
    for (int i = 2; i < 10; i++)
        printf("%d", came[i]);
    CHECK(cudaFree(came));
}

int main(int argc, char **argv)
{
    static const char *const builds[] = {"plain", "asan", "race"};
    if (argc > 1 && strcmp(argv[1], "stream_kept") == 0) { /* and no memory is asked for */
        cudaStream_t kept;
        CHECK(cudaStreamCreate(&kept));
    }
    if (argc > 1 && strcmp(argv[1], "order") == 0)
        tell_order();
    for (const struct bug *bug = bugs; bug; bug = bug->next) {
        if (argc > 1 && strcmp(argv[1], bug->name) == 0)
            run(bug, argv[2]);
        for (int i = 0; argc == 1 && i < 3; i++)
            if (bug->said[i])
                printf("%s %s %s\n", builds[i], bug->name, bug->said[i]);
    }
    return 0;
}
