/*
 * correct.cu - kernels without a fault: no build may complain, every order must give the same.
 *
 * Each is checked against the host and prints one result line, its numbers included, so that two
 * runs can be compared as texts. All sums are of small integers, exact in any order.
 */
#include <cuda_pipeline.h>
#include <cuda_runtime.h>
#include <string.h>
#include <thread>
#include "check.h"

#define COUNT 10007 /* elements; a multiple of no block */
#define WARP  32
#define FULL  0xffffffffu

/* ---- sums: shared memory, warps, a ticket for the last block -------------------------------- */

__device__ float warp_sum(float v)
{
    for (int offset = WARP / 2; offset > 0; offset /= 2)
        v += __shfl_down_sync(FULL, v, offset);
    return v;
}

__global__ void sum_warps(const float *in, float *sum, int n)
{
    __shared__ float partial[WARP];
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;
    float v = warp_sum(i < n ? in[i] : 0.0f);
    if (t % WARP == 0)
        partial[t / WARP] = v;
    __syncthreads();
    if (t < WARP) {
        v = warp_sum(t < blockDim.x / WARP ? partial[t] : 0.0f);
        if (t == 0)
            atomicAdd(sum, v);
    }
}

/* One warp in shared memory, which only __syncwarp() keeps in order; every lane reads and writes.
 */
__global__ void sum_one_warp(const float *in, float *sum)
{
    __shared__ float s[WARP];
    int lane = threadIdx.x;
    s[lane] = in[lane];
    __syncwarp();
    for (int offset = 1; offset < WARP; offset *= 2) {
        float other = s[(lane + offset) % WARP];
        __syncwarp();
        s[lane] += other;
        __syncwarp();
    }
    if (lane == 0)
        *sum = s[0];
}

/* One block goes through the values; the next 2 * WARP are copied while it adds the last ones. */
__global__ void sum_of_copies(const float *in, float *sum, int n)
{
    __shared__ float slab[2][2 * WARP];
    const int t = threadIdx.x, width = 2 * WARP;
    float mine = 0;
    for (int first = -width, now = 0; first < n; first += width, now = 1 - now) {
        int next = first + width + t;
        __pipeline_memcpy_async(&slab[1 - now][t], next < n ? in + next : in, sizeof(float),
                                next < n ? 0 : sizeof(float));
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        mine += first < 0 ? 0 : slab[now][width - 1 - t];
        __syncthreads();
    }
    __pipeline_wait_prior(0);
    atomicAdd(sum, mine);
}

/* Each block publishes its part with a fence and a ticket; the last to take one adds them up. */
__global__ void sum_last_block(const float *in, float *parts, unsigned *tickets, float *sum, int n)
{
    extern __shared__ float partial[];
    __shared__ bool last;
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;
    partial[t] = i < n ? in[i] : 0.0f;
    __syncthreads();
    for (int width = blockDim.x / 2; width > 0; width /= 2) {
        if (t < width)
            partial[t] += partial[t + width];
        __syncthreads();
    }
    if (t == 0) {
        parts[blockIdx.x] = partial[0];
        __threadfence();
        last = atomicAdd(tickets, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last)
        return;
    float v = 0;
    for (int b = t; b < gridDim.x; b += blockDim.x)
        v += parts[b];
    atomicAdd(sum, v);
}

/* What lies behind a structure's last member is copied along, and nobody has written it. */
struct padded {
    float value;
    char sign;
};

__global__ void write_padded(const float *in, struct padded *out)
{
    out[threadIdx.x].value = in[threadIdx.x];
    out[threadIdx.x].sign = 1;
}

__global__ void sum_padded(const struct padded *in, float *sum)
{
    __shared__ struct padded s[WARP];
    s[threadIdx.x] = in[threadIdx.x];
    atomicAdd(sum, s[threadIdx.x].value * s[threadIdx.x].sign);
}

/* Each thread's own memory, and shared memory written by functions of the library. */
__global__ void sum_in_own_memory(const float *in, float *sum)
{
    __shared__ float s[2 * WARP];
    int t = threadIdx.x;
    float *first = (float *)malloc(WARP * sizeof(float)), *second = new float[WARP];
    memcpy(first, in, WARP * sizeof(float));
    memcpy(second, first + 1, (WARP - 1) * sizeof(float));
    if (t == 0)
        memset(s, 0, sizeof s);
    __syncthreads();
    s[t] += t == 0 ? first[t] : second[t - 1];
    free(first);
    delete[] second;
    __syncthreads();
    atomicAdd(sum, s[t] + s[t + WARP]);
}

/* ---- what looks like a mistake and is none -------------------------------------------------- */

__device__ float factor;

struct many_kinds {
    const float *in, *begin, *end, *nothing, *of_host;
    float *factor;
    unsigned long long like_an_address;
};

__device__ void meet()
{
    __syncthreads();
}

/* in begins before its array, end behind it; only the host uses of_host. */
template <int STEPS>
__global__ void sum_of_kinds(struct many_kinds k, float *sum)
{
    __shared__ float s[2 * WARP];
    int t = threadIdx.x;
    s[t] = k.begin + t < k.end && k.nothing == nullptr ? k.in[t + 9000] * *k.factor : 0;
    meet();
    for (int i = 0; i < STEPS; i++) {
        float other = s[(t + (1 << i)) % (2 * WARP)];
        meet();
        s[t] += other;
        meet();
    }
    if (t == 0)
        *sum = k.of_host && k.like_an_address == 0x7fff00000001 ? s[0] : 0;
}

/* ---- counting and waiting ------------------------------------------------------------------- */

/* Shared objects, of which g++ notes whether they are initialised; and a variable of the file. */
struct place {
    float value;
    int of;
    place() = default;
    __device__ place(float v, int thread) : value(v), of(thread)
    {
    }
};
__shared__ bool is_first;
__global__ void sum_of_places(const float *in, float *sum)
{
    __shared__ place places[WARP];
    const int t = threadIdx.x;
    places[t] = place(in[t], t);
    if (t == 0)
        is_first = blockIdx.x == 0;
    __syncthreads();
    const place other = places[WARP - 1 - t];
    if (is_first && other.of == WARP - 1 - t)
        atomicAdd(sum, other.value);
}

__global__ void histogram(const float *in, int *counts, int n)
{
    __shared__ int own[256];
    int t = threadIdx.x;
    own[t] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&own[(int)in[i]], 1);
    __syncthreads();
    atomicAdd(&counts[t], own[t]);
}

/* Loops of atomicCAS() as the programming guide has them: a plain read comes first. */
__global__ void sum_and_largest(const float *in, float *sum, float *largest, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int seen, old = *(int *)sum;
    do {
        seen = old;
        old = atomicCAS((int *)sum, seen, __float_as_int(__int_as_float(seen) + in[i]));
    } while (old != seen);
    for (old = *(int *)largest; __int_as_float(old) < in[i];) {
        seen = old;
        old = atomicCAS((int *)largest, seen, __float_as_int(in[i]));
    }
}

__device__ int lock;
__device__ volatile int guarded;

__global__ void count_with_lock(volatile int *count)
{
    if (threadIdx.x % WARP != 0)
        return;
    while (atomicCAS(&lock, 0, 1) != 0)
        ;
    __threadfence();
    guarded = guarded + 1;
    *count = *count + 1;
    __threadfence();
    atomicExch(&lock, 0);
}

/* The number of even elements, counted three ways, by every barrier and vote that counts. */
__global__ void count_votes(const float *in, int *counts, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int even = i < n && (int)in[i] % 2 == 0;
    int in_block = __syncthreads_count(even);
    int again = __syncthreads_count(even);
    if (threadIdx.x == 0)
        atomicAdd(&counts[0], in_block == again ? in_block : 1000000);
    unsigned votes = __ballot_sync(FULL, even);
    if (threadIdx.x % WARP == 0)
        atomicAdd(&counts[1], __popc(votes));
    int some = __syncthreads_or(even), all = __syncthreads_and(even);
    if (threadIdx.x == 0) {
        atomicAdd(&counts[2], some == (in_block > 0));
        atomicAdd(&counts[3], all == (in_block == blockDim.x));
    }
}

/* ---- the host's side ------------------------------------------------------------------------ */

static float values[COUNT];
static float *d_values, *d_result;
static int *d_counts;

static void prepare(void)
{
    for (int i = 0; i < COUNT; i++)
        values[i] = (float)(i * 7 % 11);
    CHECK(cudaMalloc(&d_values, sizeof values));
    CHECK(cudaMalloc(&d_result, sizeof *d_result));
    CHECK(cudaMalloc(&d_counts, 256 * sizeof(int)));
    CHECK(cudaMemcpy(d_values, values, sizeof values, cudaMemcpyHostToDevice));
}

static float fetch_result(void)
{
    float result;
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&result, d_result, sizeof result, cudaMemcpyDeviceToHost));
    CHECK(cudaMemset(d_result, 0, sizeof result));
    return result;
}

static void report(const char *name, double got, double wanted)
{
    char line[128];
    snprintf(line, sizeof line, "%s = %.0f", name, got);
    RESULT(got == wanted, line);
}

static double values_sum(int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += values[i];
    return sum;
}

/* An object of the program's, which is there before main(). */
static struct early {
    float *sum;
    early()
    {
        const float one = 1;
        float *d_in;
        CHECK(cudaMalloc(&d_in, WARP * sizeof one));
        CHECK(cudaMalloc(&sum, sizeof *sum));
        for (int i = 0; i < WARP; i++)
            CHECK(cudaMemcpy(d_in + i, &one, sizeof one, cudaMemcpyHostToDevice));
        sum_one_warp<<<1, WARP>>>(d_in, sum);
        CHECK(cudaGetLastError());
        CHECK(cudaFree(d_in));
    }
} early;

/* Several threads of the host's, each with a stream and a result of its own. */
static void sum_by_thread(double *sum)
{
    cudaStream_t stream;
    float *d_sum, got;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMalloc(&d_sum, sizeof *d_sum));
    for (int i = 0; i < 20; i++) {
        sum_one_warp<<<1, WARP, 0, stream>>>(d_values + i, d_sum);
        CHECK(cudaMemcpyAsync(&got, d_sum, sizeof got, cudaMemcpyDeviceToHost, stream));
        CHECK(cudaStreamSynchronize(stream));
        *sum += got;
    }
    CHECK(cudaFree(d_sum));
    CHECK(cudaStreamDestroy(stream));
}

static void sum_one_block(int threads)
{
    sum_warps<<<1, threads>>>(d_values, d_result, threads);
    CHECK(cudaDeviceSynchronize());
}

/* Its second block has stacks where those of an ended block lay, if not quite. */
static void sum_two_blocks(int threads)
{
    sum_one_block(threads);
    std::thread(sum_one_block, WARP).join();
}

static void test_host(void)
{
    float sum;
    CHECK(cudaMemcpy(&sum, early.sum, sizeof sum, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(early.sum));
    report("sum before main()", sum, WARP);

    double sums[4] = {0}, wanted = 0;
    for (int i = 0; i < 20; i++)
        for (int j = 0; j < WARP; j++)
            wanted += values[i + j];
    std::thread threads[4];
    for (int i = 0; i < 4; i++)
        threads[i] = std::thread(sum_by_thread, sums + i);
    for (std::thread &t : threads)
        t.join();
    report("sums by four threads", sums[0] + sums[1] + sums[2] + sums[3], 4 * wanted);

    wanted = 0;
    CHECK(cudaMemset(d_result, 0, sizeof(float)));
    for (int n = WARP; n <= 16 * WARP; n += WARP) {
        std::thread(sum_one_block, n + WARP).join();
        std::thread(sum_two_blocks, n).join();
        wanted += values_sum(n + WARP) + values_sum(n) + values_sum(WARP);
    }
    report("sums on the stacks of threads that ended", fetch_result(), wanted);
}

static void test_sums(void)
{
    const int threads = 256, blocks = (COUNT + threads - 1) / threads;
    const double wanted = values_sum(COUNT);
    float *d_parts;
    CHECK(cudaMemset(d_result, 0, sizeof(float)));
    sum_warps<<<blocks, threads>>>(d_values, d_result, COUNT);
    report("sum of warps", fetch_result(), wanted);
    CHECK(cudaMemset(d_result, 0, sizeof(float)));
    sum_of_places<<<2, WARP>>>(d_values, d_result);
    report("sum of shared objects", fetch_result(), values_sum(WARP));
    sum_of_copies<<<1, 2 * WARP>>>(d_values, d_result, COUNT);
    report("sum of what is copied meanwhile", fetch_result(), wanted);
    sum_one_warp<<<1, WARP>>>(d_values, d_result);
    report("sum of one warp", fetch_result(), values_sum(WARP));
    sum_in_own_memory<<<1, WARP>>>(d_values, d_result);
    report("sum in memory of its own", fetch_result(), values_sum(WARP));
    struct many_kinds k = {d_values - 9000, d_values, d_values + WARP, NULL,
                           values,          NULL,     0x7fff00000001};
    struct padded *d_padded;
    CHECK(cudaMalloc(&d_padded, WARP * sizeof *d_padded));
    write_padded<<<1, WARP>>>(d_values, d_padded);
    sum_padded<<<1, WARP>>>(d_padded, d_result);
    report("sum of structures with padding", fetch_result(), values_sum(WARP));
    CHECK(cudaFree(d_padded));
    const float one = 1;
    CHECK(cudaMemcpyToSymbol(factor, &one, sizeof one));
    CHECK(cudaGetSymbolAddress((void **)&k.factor, factor));
    sum_of_kinds<6><<<1, 2 * WARP>>>(k, d_result);
    report("sum with pointers of many kinds", fetch_result(), values_sum(WARP));
    CHECK(cudaMalloc(&d_parts, blocks * sizeof(float)));
    CHECK(cudaMemset(d_counts, 0, sizeof(unsigned)));
    sum_last_block<<<blocks, threads, threads * sizeof(float)>>>(
        d_values, d_parts, (unsigned *)d_counts, d_result, COUNT);
    report("sum by the last block", fetch_result(), wanted);
}

static void test_counts(void)
{
    int counts[256], wanted[256] = {0}, even = 0, count;
    for (int i = 0; i < COUNT; i++) {
        wanted[(int)values[i]]++;
        even += (int)values[i] % 2 == 0;
    }
    CHECK(cudaMemset(d_counts, 0, sizeof counts));
    histogram<<<5, 256>>>(d_values, d_counts, COUNT);
    CHECK(cudaMemcpy(counts, d_counts, sizeof counts, cudaMemcpyDeviceToHost));
    RESULT(memcmp(counts, wanted, sizeof counts) == 0, "histogram");

    float most;
    CHECK(cudaMemset(d_counts, 0, sizeof(float)));
    sum_and_largest<<<(COUNT + 95) / 96, 96>>>(d_values, d_result, (float *)d_counts, COUNT);
    report("sum by compare and swap", fetch_result(), values_sum(COUNT));
    CHECK(cudaMemcpy(&most, d_counts, sizeof most, cudaMemcpyDeviceToHost));
    report("largest by compare and swap", most, 10);

    const int blocks = (COUNT + 95) / 96;
    CHECK(cudaMemset(d_counts, 0, sizeof counts));
    count_votes<<<blocks, 96>>>(d_values, d_counts, COUNT);
    CHECK(cudaMemcpy(counts, d_counts, sizeof counts, cudaMemcpyDeviceToHost));
    report("even numbers by barriers", counts[0], even);
    report("even numbers by votes", counts[1], even);
    report("blocks with the right or", counts[2], blocks);
    report("blocks with the right and", counts[3], blocks);

    CHECK(cudaMemset(d_counts, 0, sizeof counts));
    count_with_lock<<<100, 64>>>(d_counts);
    CHECK(cudaMemcpyFromSymbol(&count, guarded, sizeof count));
    report("turns with the lock", count, 200);
    CHECK(cudaMemcpy(&count, d_counts, sizeof count, cudaMemcpyDeviceToHost));
    report("turns counted in device memory", count, 200);
}

int main(void)
{
    prepare();
    test_host();
    test_sums();
    test_counts();
    CHECK(cudaDeviceReset());
    return 0;
}
