/*
 * api.cu - the runtime's answers: what must succeed, and what must fail with which error.
 */
#include <cuda_runtime.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "check.h"

__constant__ float constants[8];
__device__ float numbers[2] = {1, 2};
__managed__ float shared_by_both[2] = {1, 2}, one_more;

__global__ void nothing(void)
{
}

template <int FACTOR>
__global__ void fill_shared(int *out, int n)
{
    extern __shared__ int shared[];
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        shared[i] = i * FACTOR;
    __syncthreads();
    if (threadIdx.x == 0)
        *out = shared[n - 1];
}

__global__ void read_constants(float *out)
{
    out[threadIdx.x] = constants[threadIdx.x];
}

/* Prints whether the call gave this error, and whether the last error says the same. */
#define GIVES(error, ...)                                                                          \
    do {                                                                                           \
        cudaGetLastError();                                                                        \
        cudaError_t given = (__VA_ARGS__);                                                         \
        cudaError_t last = cudaGetLastError();                                                     \
        RESULT(given == (error) && last == (error), #__VA_ARGS__ " gives " #error);                \
    } while (0)

/* Tests what a launch gives: kernel<<<...>>>(...). */
#define LAUNCH_GIVES(error, ...) GIVES(error, (__VA_ARGS__, cudaPeekAtLastError()))

static void test_launches(void)
{
    const cudaError_t bad = cudaErrorInvalidConfiguration;
    cudaStream_t stream;
    LAUNCH_GIVES(cudaSuccess, nothing<<<1, dim3(32, 32)>>>());
    LAUNCH_GIVES(bad, nothing<<<1, dim3(33, 33)>>>());
    LAUNCH_GIVES(bad, nothing<<<1, 1025>>>());
    LAUNCH_GIVES(bad, nothing<<<1, dim3(1, 1, 65)>>>());
    LAUNCH_GIVES(bad, nothing<<<1, 0>>>());
    LAUNCH_GIVES(bad, nothing<<<0, 1>>>());
    LAUNCH_GIVES(cudaSuccess, nothing<<<dim3(1, 65535), 1>>>());
    LAUNCH_GIVES(bad, nothing<<<dim3(1, 65536), 1>>>());
    LAUNCH_GIVES(bad, nothing<<<dim3(1, 1, 65536), 1>>>());
    LAUNCH_GIVES(bad, nothing<<<dim3(0x80000000u), 1>>>());
    LAUNCH_GIVES(cudaErrorInvalidResourceHandle, nothing<<<1, 1, 0, (cudaStream_t)0x1234567>>>());
    int least = -1, greatest = -1;
    CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    CHECK(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, greatest));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    LAUNCH_GIVES(cudaSuccess, nothing<<<1, 1, 0, stream>>>());
    CHECK(cudaStreamDestroy(stream));
    GIVES(cudaErrorInvalidResourceHandle, cudaStreamDestroy(stream));
}

static void test_shared_memory(void)
{
    const int most = 227 * 1024;
    int *d_out, out = 0;
    CHECK(cudaMalloc(&d_out, sizeof *d_out));
    LAUNCH_GIVES(cudaSuccess, fill_shared<3><<<1, 64, 48 * 1024>>>(d_out, 12 * 1024));
    LAUNCH_GIVES(cudaErrorInvalidValue, fill_shared<3><<<1, 64, 48 * 1024 + 4>>>(d_out, 10));
    GIVES(cudaSuccess,
          cudaFuncSetAttribute(fill_shared<3>, cudaFuncAttributeMaxDynamicSharedMemorySize, most));
    LAUNCH_GIVES(cudaSuccess, fill_shared<3><<<1, 64, most>>>(d_out, most / 4));
    CHECK(cudaMemcpy(&out, d_out, sizeof out, cudaMemcpyDeviceToHost));
    RESULT(out == (most / 4 - 1) * 3, "227 KiB of shared memory are there");
    /* Another kernel has not opted in. */
    LAUNCH_GIVES(cudaErrorInvalidValue, fill_shared<5><<<1, 64, 48 * 1024 + 4>>>(d_out, 10));
    GIVES(cudaErrorInvalidValue,
          cudaFuncSetAttribute((const void *)fill_shared<5>,
                               cudaFuncAttributeMaxDynamicSharedMemorySize, most + 1));
}

static void test_allocation(void)
{
    struct cudaDeviceProp properties;
    size_t free, total, pitch = 0;
    char *d, *pinned, *device_view = NULL, *managed;
    CHECK(cudaGetDeviceProperties(&properties, 0));
    CHECK(cudaMemGetInfo(&free, &total));
    RESULT(total == properties.totalGlobalMem && free <= total, "free and total memory");
    GIVES(cudaErrorMemoryAllocation, cudaMalloc(&d, total + 1));
    static char plain[64];
    GIVES(cudaErrorHostMemoryNotRegistered, cudaHostUnregister(plain));
    if (cudaHostRegister(plain, sizeof plain, cudaHostRegisterDefault) == cudaSuccess) {
        GIVES(cudaErrorHostMemoryAlreadyRegistered, cudaHostRegister(plain, 1, 0));
        GIVES(cudaErrorInvalidValue, cudaFreeHost(plain));
        GIVES(cudaSuccess, cudaHostUnregister(plain));
    }
    GIVES(cudaErrorMemoryAllocation, cudaMalloc(&d, SIZE_MAX / 2));
    RESULT(d == NULL, "the pointer to memory refused is NULL");
    CHECK(cudaMalloc(&d, 100));
    CHECK(cudaFree(d));
    GIVES(cudaErrorInvalidValue, cudaFree(d)); /* it went already */
    GIVES(cudaErrorInvalidValue, cudaFree((void *)&total));
    GIVES(cudaSuccess, cudaFree(NULL));
    CHECK(cudaMallocHost(&pinned, 100));
    GIVES(cudaErrorInvalidValue, cudaFree(pinned)); /* cudaFreeHost's */
    GIVES(cudaSuccess, cudaHostGetDevicePointer(&device_view, pinned, 0));
    RESULT(device_view == pinned, "pinned memory is mapped at its own address");
    CHECK(cudaFreeHost(pinned));
    GIVES(cudaErrorInvalidValue, cudaMallocManaged(&managed, 0));
    CHECK(cudaMallocManaged(&managed, 100));
    managed[99] = 1;
    CHECK(cudaFree(managed));
    CHECK(cudaMallocPitch(&d, &pitch, 100, 10));
    RESULT(pitch >= 100 && pitch % 512 == 0, "rows of a pitched allocation are aligned");
}

static void test_fresh_memory(void)
{
    unsigned char *d;
    static unsigned char h[5 << 20];
    size_t set = 0;
    CHECK(cudaMalloc(&d, sizeof h));
    CHECK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < sizeof h; i++)
        set += h[i] == 0xff;
    RESULT(set == sizeof h, "fresh memory is all 0xff");
    CHECK(cudaMemset(d, 0x5a, sizeof h));
    CHECK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    RESULT(h[0] == 0x5a && h[sizeof h - 1] == 0x5a, "cudaMemset sets it all");
}

static void test_copies(void)
{
    const cudaError_t bad = cudaErrorInvalidValue;
    int h[16], back[16] = {0}, *d;
    for (int i = 0; i < 16; i++)
        h[i] = 1 << i;
    CHECK(cudaMalloc(&d, sizeof h));
    GIVES(cudaSuccess, cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice));
    GIVES(cudaSuccess, cudaMemcpy(back, d, sizeof h, cudaMemcpyDefault));
    RESULT(memcmp(h, back, sizeof h) == 0, "a copy out gives back what went in");
    GIVES(bad, cudaMemcpy(d, h, sizeof h + 1, cudaMemcpyHostToDevice));
    GIVES(bad, cudaMemcpy(back, d + 1, sizeof h, cudaMemcpyDeviceToHost));
    GIVES(bad, cudaMemcpy(d, h, sizeof h, cudaMemcpyDeviceToHost)); /* the wrong way round */
    GIVES(bad, cudaMemcpy(back, h, sizeof h, cudaMemcpyHostToDevice));
    GIVES(cudaErrorInvalidMemcpyDirection, cudaMemcpy(d, h, sizeof h, (enum cudaMemcpyKind)7));
    GIVES(bad, cudaMemset(d, 0, sizeof h + 1));
    GIVES(bad, cudaMemset(back, 0, sizeof h));
    GIVES(cudaSuccess, cudaMemcpy2D(back, 8, d + 2, 16, 8, 4, cudaMemcpyDeviceToHost));
    const int right[16] = {h[2], h[3], h[6],  h[7],  h[10], h[11], h[14], h[15],
                           h[8], h[9], h[10], h[11], h[12], h[13], h[14], h[15]};
    RESULT(memcmp(back, right, sizeof back) == 0, "the right halves of four rows, no more");
    GIVES(cudaErrorInvalidPitchValue, cudaMemcpy2D(back, 4, d, 16, 8, 4, cudaMemcpyDeviceToHost));
    GIVES(bad, cudaMemcpy2D(back, 8, d, 16, 8, 5, cudaMemcpyDeviceToHost)); /* 4 rows are there */
    GIVES(bad, cudaMemcpy2D(d, 16, back, 8, 8, 5, cudaMemcpyHostToDevice));
    GIVES(cudaSuccess, cudaMemcpy2D(d, 16, back, 8, 8, 4, cudaMemcpyHostToDevice));
}

static void test_symbols(void)
{
    const float h[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    float back[8], *d;
    size_t size = 0;
    CHECK(cudaMalloc(&d, sizeof back));
    GIVES(cudaSuccess, cudaMemcpyToSymbol(constants, h, sizeof h));
    GIVES(cudaSuccess, cudaMemcpyToSymbolAsync(constants, h, 8, 24, cudaMemcpyHostToDevice, 0));
    GIVES(cudaErrorInvalidValue, cudaMemcpyToSymbol(constants, h, 8, 28));
    CHECK(cudaGetSymbolSize(&size, constants));
    RESULT(size == sizeof h, "the symbol's size");
    read_constants<<<1, 8>>>(d);
    CHECK(cudaMemcpy(back, d, sizeof back, cudaMemcpyDeviceToHost));
    RESULT(back[0] == 1 && back[5] == 6 && back[6] == 1 && back[7] == 2,
           "a kernel reads the symbol");
}

__global__ void read_variables(float *out)
{
    out[0] = constants[7];
    out[1] = numbers[1];
    out[2] = shared_by_both[1];
    out[3] = one_more;
}

/* Their addresses in copies; more than a variable has is refused. */
static void test_symbol_addresses(void)
{
    const cudaError_t bad = cudaErrorInvalidValue;
    const float h[2] = {5, 6};
    float back[4], *d, *p;
    CHECK(cudaMalloc(&d, sizeof back));
    CHECK(cudaGetSymbolAddress((void **)&p, constants));
    GIVES(cudaSuccess, cudaMemcpyAsync(p + 6, h, sizeof h, cudaMemcpyHostToDevice, 0));
    GIVES(bad, cudaMemcpy(p + 7, h, sizeof h, cudaMemcpyHostToDevice));
    GIVES(bad, cudaMemcpy(back, h, sizeof h, cudaMemcpyHostToDevice));
    CHECK(cudaGetSymbolAddress((void **)&p, numbers));
    GIVES(cudaSuccess, cudaMemset(p, 0, 2 * sizeof *p));
    GIVES(bad, cudaMemset(p, 0, 2 * sizeof *p + 1));
    GIVES(cudaSuccess, cudaMemcpy(p, h, sizeof h, cudaMemcpyHostToDevice));
    GIVES(cudaSuccess, cudaMemcpy(d, p, sizeof h, cudaMemcpyDeviceToDevice));
    GIVES(cudaSuccess, cudaMemcpy(back, p, sizeof h, cudaMemcpyDeviceToHost));
    RESULT(back[0] == 5 && back[1] == 6, "a copy of a variable by its address");
    GIVES(bad, cudaMemcpy(back, p, sizeof h + 1, cudaMemcpyDeviceToHost));
    GIVES(bad, cudaMemcpy(p, h, sizeof h, cudaMemcpyDeviceToHost)); /* the wrong way round */
    GIVES(cudaSuccess, cudaMemset(&one_more, 0, sizeof one_more));
    GIVES(cudaSuccess, cudaMemcpy(shared_by_both, h, sizeof h, cudaMemcpyHostToDevice));
    GIVES(cudaSuccess, cudaMemcpy(back, shared_by_both, sizeof h, cudaMemcpyDeviceToHost));
    GIVES(bad, cudaMemcpy(shared_by_both + 1, h, sizeof h, cudaMemcpyHostToDevice));
    read_variables<<<1, 1>>>(d);
    CHECK(cudaMemcpy(back, d, sizeof back, cudaMemcpyDeviceToHost));
    RESULT(back[0] == 6 && back[1] == 6 && back[2] == 6 && back[3] == 0, "a kernel reads it all");
}

static void test_rows_and_peers(void)
{
    const cudaError_t bad = cudaErrorInvalidValue;
    unsigned char h[32], *d, *other;
    CHECK(cudaMalloc(&d, sizeof h));
    CHECK(cudaMalloc(&other, sizeof h));
    CHECK(cudaMemset(d, 1, sizeof h));
    GIVES(cudaSuccess, cudaMemset2D(d + 2, 8, 9, 3, 4));
    GIVES(bad, cudaMemset2D(d + 2, 8, 9, 7, 4));
    GIVES(bad, cudaMemset2D(d, 8, 9, 9, 1));
    GIVES(cudaSuccess, cudaMemcpyPeer(other, 0, d, 0, sizeof h));
    GIVES(cudaErrorInvalidDevice, cudaMemcpyPeer(other, 1, d, 0, sizeof h));
    CHECK(cudaMemcpy(h, other, sizeof h, cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int i = 0; i < 32; i++)
        wrong += h[i] != (i % 8 >= 2 && i % 8 < 5 ? 9 : 1);
    RESULT(wrong == 0, "three bytes of each of four rows are set");
    CHECK(cudaFree(d));
    CHECK(cudaFree(other));
}

static void test_pointers(void)
{
    struct cudaPointerAttributes is;
    char *d, *pinned, *managed, plain;
    CHECK(cudaMalloc(&d, 8));
    CHECK(cudaMallocHost(&pinned, 8));
    CHECK(cudaMallocManaged(&managed, 8));
    CHECK(cudaPointerGetAttributes(&is, d + 7));
    RESULT(is.type == cudaMemoryTypeDevice && is.device == 0 && is.devicePointer == d + 7 &&
               is.hostPointer == NULL,
           "a pointer to device memory");
    CHECK(cudaPointerGetAttributes(&is, pinned));
    RESULT(is.type == cudaMemoryTypeHost && is.hostPointer == pinned, "to pinned memory");
    CHECK(cudaPointerGetAttributes(&is, managed));
    RESULT(is.type == cudaMemoryTypeManaged && is.hostPointer == managed, "to managed memory");
    CHECK(cudaPointerGetAttributes(&is, shared_by_both));
    RESULT(is.type == cudaMemoryTypeManaged, "to a managed variable");
    CHECK(cudaPointerGetAttributes(&is, &plain));
    RESULT(is.type == cudaMemoryTypeUnregistered, "to the host's");
    CHECK(cudaFree(d));
    CHECK(cudaFreeHost(pinned));
    CHECK(cudaFree(managed));
}

/* What NVIDIA's samples and their helper_cuda.h ask for. */
#if !defined __DRIVER_TYPES_H__ || !defined __CUDA_RUNTIME_H__
#error helper_cuda.h looks for these
#endif
static void test_hints(void)
{
    int blocks = 0, threads = 0, few = 0;
    GIVES(cudaSuccess, cudaSetDeviceFlags(cudaDeviceScheduleAuto));
    size_t limit = 0;
    GIVES(cudaSuccess, cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 1 << 21));
    GIVES(cudaSuccess, cudaDeviceGetLimit(&limit, cudaLimitPrintfFifoSize));
    RESULT(limit == 1 << 21, "a limit that was set");
    GIVES(cudaErrorUnsupportedLimit, cudaDeviceGetLimit(&limit, (enum cudaLimit)99));
    GIVES(cudaSuccess, cudaDeviceSetCacheConfig(cudaFuncCachePreferL1));
    GIVES(cudaSuccess, cudaMemAdvise(shared_by_both, sizeof shared_by_both,
                                     cudaMemAdviseSetReadMostly, cudaMemLocation{}));
    struct cudaDeviceProp properties = {};
    int device = -1;
    CHECK(cudaChooseDevice(&device, &properties));
    RESULT(device == 0, "the device that is chosen");
    CHECK(cudaOccupancyMaxPotentialBlockSize(&blocks, &threads, fill_shared<4>, 0, 0));
    RESULT(blocks > 0 && threads > 0 && threads <= 1024, "a block that fills a multiprocessor");
    CHECK(cudaOccupancyMaxPotentialBlockSize(&blocks, &few, fill_shared<4>, 0, 64));
    RESULT(few == 64, "or as many threads as are asked for");
}

static void test_description(void)
{
    struct cudaDeviceProp properties;
    char bus[32] = "?";
    int count = 0, major = -1, optin = 0, driver = -1, runtime = -1;
    CHECK(cudaGetDeviceCount(&count));
    CHECK(cudaGetDeviceProperties(&properties, 0));
    CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
    CHECK(cudaDeviceGetAttribute(&optin, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    CHECK(cudaDeviceGetPCIBusId(bus, sizeof bus, 0));
    CHECK(cudaDriverGetVersion(&driver));
    CHECK(cudaRuntimeGetVersion(&runtime));
    RESULT(count == 1 && bus[0] == '\0', "one device, on no bus");
    RESULT(strncmp(properties.name, "CPU (", 5) == 0, "the device's name says CPU");
    RESULT(properties.major == 8 && major == 8, "the compute capability is 8.0");
    RESULT(optin == 227 * 1024, "a kernel may ask for 227 KiB of shared memory");
    RESULT(driver == 0 && runtime == 0, "there is no driver");
    GIVES(cudaErrorInvalidDevice, cudaSetDevice(1));
}

#ifdef CUDA_ON_CPU
/* Names are numbers here as with the toolkit; what else a device tells is the engine's. */
static void test_numbers(void)
{
#define NUMBER(name, number, ...) name,
    const int errors[] = {CUDA_CPU_ERRORS(NUMBER)}, attributes[] = {CUDA_CPU_ATTRIBUTES(NUMBER)};
    const int right_errors[] = {0,   1,   2,   9,   12,  13,  20,  21,  26,  27,  35,  98,
                                100, 101, 215, 301, 400, 401, 600, 700, 710, 712, 713, 719,
                                720, 801, 900, 901, 903, 904, 905, 906, 907, 999};
    const int right[][2] = {
        {1, 1024},  {2, 1024},  {3, 1024},    {4, 64},      {5, 2147483647}, {6, 65535}, {7, 65535},
        {8, 49152}, {9, 65536}, {10, 32},     {12, 65536},  {13, 1000000},   {15, 0},    {16, -1},
        {18, 1},    {19, 1},    {20, 0},      {31, 0},      {38, -1},        {39, 1024}, {40, 0},
        {41, 1},    {75, 8},    {76, 0},      {81, 233472}, {82, 65536},     {83, 1},    {88, 0},
        {89, 1},    {95, 1},    {97, 232448}, {106, 1}};
    static_assert(sizeof errors == sizeof right_errors && sizeof attributes == sizeof right / 2);
    int wrong = memcmp(errors, right_errors, sizeof errors) != 0, value;
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++) {
        CHECK(cudaDeviceGetAttribute(&value, (cudaDeviceAttr)attributes[i], 0));
        bool is_known = right[i][1] >= 0; /* and not this machine's */
        wrong += attributes[i] != right[i][0] || (is_known ? value != right[i][1] : value < 1);
    }
    RESULT(wrong == 0, "errors and attributes have their numbers");
    cudaDeviceProp its;
    CHECK(cudaGetDeviceProperties(&its, 0));
    RESULT(its.textureAlignment == 512 && its.pciBusID + its.ECCEnabled + its.maxTexture2D[0] == 0,
           "what else is printed of a device");
    GIVES(cudaSuccess, cudaMemPrefetchAsync(shared_by_both, sizeof shared_by_both, 0));
    GIVES(cudaSuccess, cudaMemAdvise(shared_by_both, 4, cudaMemAdviseSetReadMostly, 0));
}
#endif

static void test_events_and_errors(void)
{
    cudaEvent_t start, stop, untimed;
    float ms = -1;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    CHECK(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
    GIVES(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, start, stop));
    CHECK(cudaEventRecord(start));
    nothing<<<10, 100>>>();
    CHECK(cudaEventRecord(stop));
    CHECK(cudaEventRecord(untimed));
    CHECK(cudaEventSynchronize(untimed));
    CHECK(cudaEventElapsedTime(&ms, start, stop));
    RESULT(ms > 0, "a kernel takes time");
    GIVES(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, start, untimed));
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(stop));
    CHECK(cudaEventDestroy(untimed));
    RESULT(strcmp(cudaGetErrorName(cudaErrorInvalidValue), "cudaErrorInvalidValue") == 0 &&
               strcmp(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory") == 0,
           "errors have their names and texts");
    cudaSetDevice(1);
    CHECK(cudaDeviceSynchronize());
    RESULT(cudaPeekAtLastError() == cudaErrorInvalidDevice, "a success leaves the last error");
    RESULT(cudaGetLastError() == cudaErrorInvalidDevice && cudaGetLastError() == cudaSuccess,
           "asking for the last error clears it");
}

static void count(void *number)
{
    ++*(int *)number;
}

static void count_after(cudaStream_t, cudaError_t status, void *number)
{
    *(int *)number += status == cudaSuccess ? 10 : 100;
}

static void test_callbacks(void)
{
    int called = 0;
    CHECK(cudaLaunchHostFunc(0, count, &called));
    CHECK(cudaStreamAddCallback(0, count_after, &called, 0));
    CHECK(cudaDeviceSynchronize());
    RESULT(called == 11, "the host's functions in a stream are called, once each");
}

#ifdef CUDA_ON_CPU
__global__ void add(int *sum, const int *what)
{
    *sum += *what;
}

static void add_ten(void *to)
{
    *(int *)to += 10;
}

/* Three numbers that host and device see, two streams, one that does not wait for the legacy one.
 */
static struct {
    int *sum, *one, *later;
    cudaStream_t first, second, apart;
} s;

static void set_numbers(int sum, int one)
{
    CHECK(cudaDeviceSynchronize());
    *s.sum = sum;
    *s.one = one;
    *s.later = 0;
}

/* Returns the sum once the stream is waited for. */
static int sum_after(cudaStream_t stream)
{
    CHECK(cudaGetLastError());
    CHECK(cudaStreamSynchronize(stream));
    return *s.sum;
}

/* Work runs as late as CUDA allows: what nothing orders comes in the wrong order. */
static void test_order(void)
{
    cudaEvent_t event;
    float ms;
    CHECK(cudaMallocHost(&s.sum, sizeof *s.sum));
    CHECK(cudaMallocHost(&s.one, sizeof *s.one));
    CHECK(cudaMallocHost(&s.later, sizeof *s.later));
    CHECK(cudaStreamCreate(&s.first));
    CHECK(cudaStreamCreate(&s.second));
    CHECK(cudaStreamCreateWithFlags(&s.apart, cudaStreamNonBlocking));
    CHECK(cudaEventCreate(&event));

    set_numbers(1, 1);
    add<<<1, 1, 0, s.first>>>(s.sum, s.one);
    RESULT(*s.sum == 1, "the host does not see what it has not waited for");
    RESULT(sum_after(s.second) == 1, "nor after another stream");
    *s.one = 5;
    RESULT(sum_after(s.first) == 6, "a kernel reads what is there when it runs");

    set_numbers(1, 1);
    CHECK(cudaMemcpyAsync(s.later, s.sum, sizeof(int), cudaMemcpyDefault, s.first));
    RESULT(*s.later == 0, "a copy to pinned memory waits, too");
    CHECK(cudaStreamSynchronize(s.first));
    RESULT(*s.later == 1, "until it is waited for");

    for (int ordered = 0; ordered <= 1; ordered++) {
        set_numbers(1, 1);
        add<<<1, 1, 0, s.first>>>(s.one, s.sum);
        CHECK(cudaEventRecord(event, s.first));
        if (ordered)
            CHECK(cudaStreamWaitEvent(s.second, event));
        add<<<1, 1, 0, s.second>>>(s.sum, s.one);
        RESULT(sum_after(s.second) == (ordered ? 3 : 2),
               ordered ? "an event orders two streams" : "without one the second reads too early");
    }
    CHECK(cudaEventRecord(event, s.first));
    GIVES(cudaErrorNotReady, cudaEventElapsedTime(&ms, event, event));
    CHECK(cudaEventSynchronize(event));
    GIVES(cudaSuccess, cudaEventElapsedTime(&ms, event, event));

    for (int apart = 0; apart <= 1; apart++) {
        set_numbers(1, 1);
        add<<<1, 1, 0, apart ? s.apart : s.first>>>(s.one, s.sum);
        add<<<1, 1>>>(s.sum, s.one);
        RESULT(sum_after(0) == (apart ? 2 : 3),
               apart ? "but not for one that is apart" : "the legacy stream waits for others");
        set_numbers(1, 1);
        add<<<1, 1>>>(s.one, s.sum);
        add<<<1, 1, 0, apart ? s.apart : s.first>>>(s.sum, s.one);
        RESULT(sum_after(apart ? s.apart : s.first) == (apart ? 2 : 3),
               apart ? "nor does that wait for it" : "and others for it");
    }

    set_numbers(1, 1);
    CHECK(cudaLaunchHostFunc(s.first, add_ten, s.one));
    add<<<1, 1, 0, s.first>>>(s.sum, s.one);
    RESULT(*s.one == 1 && sum_after(s.first) == 12, "a host's function has its place in a stream");

    set_numbers(1, 1);
    add<<<1, 1>>>(s.sum, s.one);
    const pid_t child = fork();
    if (child == 0)
        _exit(*s.sum == 2 ? 0 : 1);
    int status = -1;
    waitpid(child, &status, 0);
    RESULT(*s.sum == 2 && status == 0, "and before a process forks all is done");

    set_numbers(1, 1);
    add<<<1, 1, 0, s.first>>>(s.sum, s.one);
    CHECK(cudaStreamDestroy(s.first));
    RESULT(sum_after(s.second) == 1 && sum_after(0) == 2, "a destroyed stream's work goes on");
    add<<<1, 1, 0, s.apart>>>(s.sum, s.one);
    CHECK(cudaGetLastError());
    CHECK(cudaFreeHost(s.later));
    RESULT(*s.sum == 3, "to free memory waits for all");
    CHECK(cudaStreamDestroy(s.second));
    CHECK(cudaStreamDestroy(s.apart));
    CHECK(cudaEventDestroy(event));
    CHECK(cudaFreeHost(s.one));
    CHECK(cudaFreeHost(s.sum));
}
#endif

__global__ void multiply_add(int *to, int by, int more)
{
    *to = *to * by + more;
}

/* A graph of two streams, launched three times. */
static void test_graph(cudaStream_t first, cudaStream_t second, cudaEvent_t event)
{
    int *number, calls = 0, by = 2;
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    CHECK(cudaMallocManaged(&number, 3 * sizeof *number));
    number[0] = 1, number[1] = number[2] = 0;
    GIVES(cudaSuccess, cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal));
    multiply_add<<<1, 1, 0, first>>>(number, by, 3);
    by = 100; /* the graph keeps what it was */
    CHECK(cudaEventRecord(event, first));
    CHECK(cudaStreamWaitEvent(second, event));
    CHECK(cudaMemcpyAsync(number + 1, number, sizeof(int), cudaMemcpyDefault, second));
    CHECK(cudaLaunchHostFunc(second, count, &calls));
    CHECK(cudaEventRecord(event, second));
    CHECK(cudaStreamWaitEvent(first, event));
    multiply_add<<<1, 1, 0, first>>>(number + 2, by / 100, 1);
    GIVES(cudaSuccess, cudaStreamEndCapture(first, &graph));
    GIVES(cudaSuccess, cudaGraphInstantiate(&ready, graph, NULL, NULL, 0));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaDeviceSynchronize());
    RESULT(number[0] == 1 && calls == 0, "what is captured does not run");
    for (int i = 0; i < 3; i++)
        GIVES(cudaSuccess, cudaGraphLaunch(ready, i == 2 ? second : first));
    CHECK(cudaDeviceSynchronize());
    RESULT(number[0] == 29 && number[1] == 29 && number[2] == 3 && calls == 3,
           "a graph of two streams runs as often as it is launched");
    CHECK(cudaGraphExecDestroy(ready));
    CHECK(cudaFree(number));
}

/* What spoils a capture, and a call that does not. */
#define SPOILS(error, call)                                                                        \
    do {                                                                                           \
        CHECK(cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal));                         \
        CHECK(cudaEventRecord(event, first));                                                      \
        GIVES(error, call);                                                                        \
        GIVES(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(first, &graph));             \
    } while (0)

static void test_captures(cudaStream_t first, cudaStream_t second, cudaEvent_t event)
{
    cudaGraph_t graph;
    void *room;
    GIVES(cudaErrorStreamCaptureUnsupported,
          cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal));
    GIVES(cudaErrorIllegalState, cudaStreamEndCapture(first, &graph));
    SPOILS(cudaErrorCapturedEvent, cudaEventSynchronize(event));
    SPOILS(cudaErrorCapturedEvent, cudaEventQuery(event));
    SPOILS(cudaErrorStreamCaptureUnsupported, cudaStreamSynchronize(first));
    SPOILS(cudaErrorStreamCaptureUnsupported, cudaStreamQuery(first));
    SPOILS(cudaErrorStreamCaptureUnsupported, cudaDeviceSynchronize());
    SPOILS(cudaErrorStreamCaptureUnsupported, cudaMalloc(&room, 64));
    SPOILS(cudaErrorStreamCaptureImplicit, (nothing<<<1, 1>>>(), cudaPeekAtLastError()));
    SPOILS(cudaErrorInvalidValue, (nothing<<<1, 1, 1 << 20, first>>>(), cudaPeekAtLastError()));
    CHECK(cudaStreamBeginCapture(first, cudaStreamCaptureModeRelaxed));
    GIVES(cudaErrorIllegalState, cudaStreamBeginCapture(first, cudaStreamCaptureModeRelaxed));
    GIVES(cudaSuccess, cudaMalloc(&room, 64));
    GIVES(cudaErrorInvalidValue, cudaMemcpyAsync(NULL, NULL, 4, cudaMemcpyDefault, first));
    GIVES(cudaSuccess, cudaStreamEndCapture(first, &graph));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaFree(room));

    for (int unmatched = 0; unmatched <= 1; unmatched++) {
        CHECK(cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal));
        CHECK(cudaEventRecord(event, first));
        CHECK(cudaStreamWaitEvent(second, event));
        nothing<<<1, 1, 0, second>>>();
        if (unmatched)
            GIVES(cudaErrorStreamCaptureUnmatched, cudaStreamEndCapture(second, &graph));
        GIVES(unmatched ? cudaErrorStreamCaptureInvalidated : cudaErrorStreamCaptureUnjoined,
              cudaStreamEndCapture(first, &graph));
    }
}

static void test_graphs(void)
{
    cudaStream_t first, second;
    cudaEvent_t event;
    CHECK(cudaStreamCreate(&first));
    CHECK(cudaStreamCreate(&second));
    CHECK(cudaEventCreate(&event));
    test_graph(first, second, event);
    test_captures(first, second, event);
    CHECK(cudaStreamDestroy(first));
    CHECK(cudaStreamDestroy(second));
    CHECK(cudaEventDestroy(event));
}

/* `api graphs` tests what a GPU answers, too, all of it. */
int main(int argc, char **)
{
    if (argc > 1) {
        test_graphs();
        return 0;
    }
    test_description();
    test_hints();
#ifdef CUDA_ON_CPU
    test_numbers();
#endif
    test_launches();
    test_shared_memory();
    test_allocation();
    test_fresh_memory();
    test_copies();
    test_symbols();
    test_symbol_addresses();
    test_rows_and_peers();
    test_pointers();
    test_events_and_errors();
    test_callbacks();
    test_graphs();
#ifdef CUDA_ON_CPU
    test_order();
#endif
    CHECK(cudaDeviceReset());
    return 0;
}
