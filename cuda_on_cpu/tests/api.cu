/*
 * api.cu - the runtime's answers: what must succeed, and what must fail with which error.
 */
#include <cuda_runtime.h>
#include <stdint.h>
#include <string.h>
#include "check.h"

__constant__ float constants[8];

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
#define GIVES(call, error, name)                                                                   \
    do {                                                                                           \
        cudaGetLastError();                                                                        \
        cudaError_t given = (call);                                                                \
        cudaError_t last = cudaGetLastError();                                                     \
        RESULT(given == (error) && last == (error), name);                                         \
    } while (0)

#define LAUNCH_GIVES(launch, error, name) GIVES((launch, cudaPeekAtLastError()), error, name)

static void test_launches(void)
{
    const cudaError_t bad = cudaErrorInvalidConfiguration;
    cudaStream_t stream;
    LAUNCH_GIVES((nothing<<<1, dim3(32, 32)>>>()), cudaSuccess, "block 32x32 is accepted");
    LAUNCH_GIVES((nothing<<<1, dim3(33, 33)>>>()), bad, "block 33x33 is refused");
    LAUNCH_GIVES((nothing<<<1, 1025>>>()), bad, "block 1025 is refused");
    LAUNCH_GIVES((nothing<<<1, dim3(1, 1, 65)>>>()), bad, "block.z 65 is refused");
    LAUNCH_GIVES((nothing<<<1, 0>>>()), bad, "block 0 is refused");
    LAUNCH_GIVES((nothing<<<0, 1>>>()), bad, "grid 0 is refused");
    LAUNCH_GIVES((nothing<<<dim3(1, 65535), 1>>>()), cudaSuccess, "grid.y 65535 is accepted");
    LAUNCH_GIVES((nothing<<<dim3(1, 65536), 1>>>()), bad, "grid.y 65536 is refused");
    LAUNCH_GIVES((nothing<<<dim3(1, 1, 65536), 1>>>()), bad, "grid.z 65536 is refused");
    LAUNCH_GIVES((nothing<<<dim3(0x80000000u), 1>>>()), bad, "grid.x 2^31 is refused");
    LAUNCH_GIVES((nothing<<<1, 1, 0, (cudaStream_t)0x1234567>>>()), cudaErrorInvalidResourceHandle,
                 "a stream that is none is refused");
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    LAUNCH_GIVES((nothing<<<1, 1, 0, stream>>>()), cudaSuccess, "a launch in a stream");
    CHECK(cudaStreamDestroy(stream));
    GIVES(cudaStreamDestroy(stream), cudaErrorInvalidResourceHandle, "a stream goes once");
}

static void test_shared_memory(void)
{
    const int most = 227 * 1024;
    int *d_out, out = 0;
    CHECK(cudaMalloc(&d_out, sizeof *d_out));
    LAUNCH_GIVES((fill_shared<3><<<1, 64, 48 * 1024>>>(d_out, 12 * 1024)), cudaSuccess,
                 "48 KiB of shared memory are accepted");
    LAUNCH_GIVES((fill_shared<3><<<1, 64, 48 * 1024 + 4>>>(d_out, 10)), cudaErrorInvalidValue,
                 "more than 48 KiB are refused");
    GIVES(cudaFuncSetAttribute(fill_shared<3>, cudaFuncAttributeMaxDynamicSharedMemorySize, most),
          cudaSuccess, "a kernel opts in to 227 KiB");
    LAUNCH_GIVES((fill_shared<3><<<1, 64, most>>>(d_out, most / 4)), cudaSuccess,
                 "then 227 KiB are accepted");
    CHECK(cudaMemcpy(&out, d_out, sizeof out, cudaMemcpyDeviceToHost));
    RESULT(out == (most / 4 - 1) * 3, "and are there");
    LAUNCH_GIVES((fill_shared<5><<<1, 64, 48 * 1024 + 4>>>(d_out, 10)), cudaErrorInvalidValue,
                 "another kernel has not opted in");
    GIVES(cudaFuncSetAttribute((const void *)fill_shared<5>,
                               cudaFuncAttributeMaxDynamicSharedMemorySize, most + 1),
          cudaErrorInvalidValue, "nobody can opt in to more");
    CHECK(cudaFree(d_out));
}

static void test_allocation(void)
{
    struct cudaDeviceProp properties;
    size_t free, total, pitch = 0;
    char *d, *pinned, *device_view = NULL, *managed;
    CHECK(cudaGetDeviceProperties(&properties, 0));
    CHECK(cudaMemGetInfo(&free, &total));
    RESULT(total == properties.totalGlobalMem && free <= total, "free and total memory");
    GIVES(cudaMalloc(&d, total + 1), cudaErrorMemoryAllocation, "more than all memory is refused");
    GIVES(cudaMalloc(&d, SIZE_MAX / 2), cudaErrorMemoryAllocation, "far more is refused");
    RESULT(d == NULL, "and the pointer is NULL");
    CHECK(cudaMalloc(&d, 100));
    CHECK(cudaFree(d));
    GIVES(cudaFree(d), cudaErrorInvalidValue, "memory is freed once");
    GIVES(cudaFree((void *)&total), cudaErrorInvalidValue, "host memory is not cudaFree's");
    GIVES(cudaFree(NULL), cudaSuccess, "NULL may be freed");
    CHECK(cudaMallocHost(&pinned, 100));
    GIVES(cudaFree(pinned), cudaErrorInvalidValue, "pinned memory is not cudaFree's");
    GIVES(cudaHostGetDevicePointer(&device_view, pinned, 0), cudaSuccess,
          "pinned memory is mapped");
    RESULT(device_view == pinned, "at its own address");
    CHECK(cudaFreeHost(pinned));
    CHECK(cudaMallocManaged(&managed, 100));
    managed[99] = 1;
    CHECK(cudaFree(managed));
    CHECK(cudaMallocPitch(&d, &pitch, 100, 10));
    RESULT(pitch >= 100 && pitch % 512 == 0, "rows of a pitched allocation are aligned");
    CHECK(cudaFree(d));
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
    CHECK(cudaFree(d));
}

static void test_copies(void)
{
    const cudaError_t bad = cudaErrorInvalidValue;
    int h[16] = {1, 2, 3}, back[16] = {0}, *d;
    CHECK(cudaMalloc(&d, sizeof h));
    GIVES(cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice), cudaSuccess, "a copy in");
    GIVES(cudaMemcpy(back, d, sizeof h, cudaMemcpyDefault), cudaSuccess, "a copy out by default");
    RESULT(memcmp(h, back, sizeof h) == 0, "gives back what went in");
    GIVES(cudaMemcpy(d, h, sizeof h + 1, cudaMemcpyHostToDevice), bad,
          "a copy in that is too long is refused");
    GIVES(cudaMemcpy(back, d + 1, sizeof h, cudaMemcpyDeviceToHost), bad,
          "a copy out that is too long is refused");
    GIVES(cudaMemcpy(d, h, sizeof h, cudaMemcpyDeviceToHost), bad, "a wrong direction is refused");
    GIVES(cudaMemcpy(back, h, sizeof h, cudaMemcpyHostToDevice), bad,
          "a copy to the device that ends on the host is refused");
    GIVES(cudaMemcpy(d, h, sizeof h, (enum cudaMemcpyKind)7), cudaErrorInvalidMemcpyDirection,
          "a direction that is none is refused");
    GIVES(cudaMemset(d, 0, sizeof h + 1), bad, "setting too much is refused");
    GIVES(cudaMemset(back, 0, sizeof h), bad, "setting host memory is refused");
    GIVES(cudaMemcpy2D(back, 8, d, 16, 8, 4, cudaMemcpyDeviceToHost), cudaSuccess,
          "a copy of rows");
    GIVES(cudaMemcpy2D(back, 4, d, 16, 8, 4, cudaMemcpyDeviceToHost), cudaErrorInvalidPitchValue,
          "rows wider than their pitch are refused");
    GIVES(cudaMemcpy2D(back, 8, d, 16, 8, 5, cudaMemcpyDeviceToHost), bad,
          "more rows than there are, are refused");
    CHECK(cudaFree(d));
}

static void test_symbols(void)
{
    const float h[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    float back[8], *d;
    size_t size = 0;
    CHECK(cudaMalloc(&d, sizeof back));
    GIVES(cudaMemcpyToSymbol(constants, h, sizeof h), cudaSuccess, "a copy to a symbol");
    GIVES(cudaMemcpyToSymbolAsync(constants, h, 8, 24, cudaMemcpyHostToDevice, 0), cudaSuccess,
          "and to its end");
    GIVES(cudaMemcpyToSymbol(constants, h, 8, 28), cudaErrorInvalidValue, "not past it");
    CHECK(cudaGetSymbolSize(&size, constants));
    RESULT(size == sizeof h, "the symbol's size");
    read_constants<<<1, 8>>>(d);
    CHECK(cudaMemcpy(back, d, sizeof back, cudaMemcpyDeviceToHost));
    RESULT(back[0] == 1 && back[5] == 6 && back[6] == 1 && back[7] == 2, "a kernel reads it");
    CHECK(cudaFree(d));
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
    RESULT(strncmp(properties.name, "CPU (", 5) == 0, "its name says CPU");
    RESULT(properties.major == 0 && major == 0, "of compute capability 0");
    RESULT(optin == 227 * 1024, "with 227 KiB of shared memory for those that ask");
    RESULT(driver == 0 && runtime == 0, "without a driver");
    GIVES(cudaSetDevice(1), cudaErrorInvalidDevice, "there is no second device");
    GIVES(cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal), cudaErrorNotSupported,
          "no stream is captured");
}

static void test_events_and_errors(void)
{
    cudaEvent_t start, stop, untimed;
    float ms = -1;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    CHECK(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
    GIVES(cudaEventElapsedTime(&ms, start, stop), cudaErrorInvalidResourceHandle,
          "an event not recorded has no time");
    CHECK(cudaEventRecord(start));
    nothing<<<10, 100>>>();
    CHECK(cudaEventRecord(stop));
    CHECK(cudaEventRecord(untimed));
    CHECK(cudaEventElapsedTime(&ms, start, stop));
    RESULT(ms > 0, "a kernel takes time");
    GIVES(cudaEventElapsedTime(&ms, start, untimed), cudaErrorInvalidResourceHandle,
          "an event without timing has none");
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
           "asking clears it");
}

int main(void)
{
    test_description();
    test_launches();
    test_shared_memory();
    test_allocation();
    test_fresh_memory();
    test_copies();
    test_symbols();
    test_events_and_errors();
    return 0;
}
