/*
 * api_c.c - C11 code that calls the runtime: what the C files of common/ do.
 */
#include <cuda_runtime_api.h>
#include <string.h>
#include "check.h"

static void test_description(void)
{
    struct cudaDeviceProp properties;
    char bus[32];
    int count = 0, major = -1, optin = 0, driver = -1, runtime = -1;
    CHECK(cudaGetDeviceCount(&count));
    CHECK(cudaGetDeviceProperties(&properties, 0));
    CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
    CHECK(cudaDeviceGetAttribute(&optin, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    CHECK(cudaDeviceGetPCIBusId(bus, (int)sizeof bus, 0));
    CHECK(cudaDriverGetVersion(&driver));
    CHECK(cudaRuntimeGetVersion(&runtime));
    RESULT(count == 1, "C: one device");
    RESULT(strncmp(properties.name, "CPU (", 5) == 0, "C: its name says CPU");
    RESULT(properties.major == 0 && major == 0, "C: of compute capability 0");
    RESULT(optin == 227 * 1024, "C: with 227 KiB of shared memory for those that ask");
    RESULT(driver == 0 && runtime == 0, "C: without a driver");
}

static void test_memory(void)
{
    int in[16], out[16];
    int *d = NULL;
    for (int i = 0; i < 16; i++)
        in[i] = i * i;
    CHECK(cudaMalloc((void **)&d, sizeof in));
    CHECK(cudaMemcpy(d, in, sizeof in, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpyAsync(out, d, sizeof out, cudaMemcpyDeviceToHost, 0));
    CHECK(cudaFree(d));
    RESULT(memcmp(in, out, sizeof in) == 0, "C: a copy there and back");
}

static void test_events(void)
{
    cudaStream_t stream;
    cudaEvent_t start, stop;
    float ms = -1.0f;
    dim3 block = {16, 16, 1};
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    CHECK(cudaEventRecord(start, stream));
    CHECK(cudaEventRecord(stop, stream));
    CHECK(cudaEventSynchronize(stop));
    CHECK(cudaEventElapsedTime(&ms, start, stop));
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(stop));
    CHECK(cudaStreamDestroy(stream));
    RESULT(ms >= 0.0f && ms < 1000.0f, "C: events tell the time");
    RESULT(block.x * block.y * block.z == 256, "C: dim3 is a plain structure");
}

static void test_graphs(void)
{
    cudaGraph_t graph;
    RESULT(cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal) == cudaErrorNotSupported,
           "C: no capture");
    RESULT(cudaStreamEndCapture(0, &graph) == cudaErrorNotSupported, "C: so none to end");
    RESULT(cudaGetLastError() == cudaErrorNotSupported, "C: the last error says so");
    RESULT(cudaGetLastError() == cudaSuccess, "C: once");
}

int main(void)
{
    test_description();
    test_memory();
    test_events();
    test_graphs();
    return 0;
}
