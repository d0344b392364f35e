/*
 * assertion.cu - a kernel's assert() that does not hold: the runtime's answers from then on, which
 * are those of an H200. An argument says what the other threads do meanwhile, or where else it
 * fails.
 */
#include <assert.h>
#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "check.h"

#define GIVES(error, call) RESULT((call) == (error), #error ": " #call)

enum waiting { FOR_BLOCK, FOR_WARP, FOR_LOCK, FOR_GRID };

__global__ void fails(int *lock, waiting waits)
{
    int i = threadIdx.x;
    assert(i != 3 || blockIdx.x == 0);
    if (waits == FOR_BLOCK)
        __syncthreads();
    else if (waits == FOR_WARP)
        __syncwarp();
    else if (waits == FOR_LOCK)
        while (i > 3 && blockIdx.x > 0 && atomicCAS(lock, 1, 1) != 1)
            ;
    else
        cooperative_groups::this_grid().sync();
}

static void note(void *called)
{
    *(bool *)called = true;
}

static void test_answers(waiting waits)
{
    int *x, *y, h[4] = {5}, count;
    bool called = false;
    float ms;
    cudaEvent_t event;
    cudaStream_t stream;
    CHECK(cudaMalloc(&x, sizeof h));
    CHECK(cudaMemset(x, 0, sizeof h));
    CHECK(cudaEventCreate(&event));
    CHECK(cudaStreamCreate(&stream));
    void *arguments[] = {&x, &waits};
    if (waits == FOR_GRID)
        CHECK(cudaLaunchCooperativeKernel((void *)fails, 2, 64, arguments));
    else
        fails<<<2, 64>>>(x, waits);
    GIVES(cudaSuccess, cudaGetLastError());
    GIVES(cudaSuccess, cudaLaunchHostFunc(0, note, &called));
    GIVES(cudaErrorAssert, cudaDeviceSynchronize());
    RESULT(!called, "what stands behind it in the stream does not run");
    GIVES(cudaErrorAssert, cudaPeekAtLastError());
    GIVES(cudaErrorAssert, cudaGetLastError());
    GIVES(cudaSuccess, cudaGetLastError());
    GIVES(cudaErrorAssert, cudaDeviceSynchronize());
    GIVES(cudaErrorAssert, cudaMemcpy(h, x, sizeof h, cudaMemcpyDeviceToHost));
    RESULT(h[0] == 5, "and nothing is copied");
    GIVES(cudaErrorAssert, cudaMemset(x, 0, sizeof h));
    GIVES(cudaErrorAssert, cudaMalloc(&y, sizeof h));
    fails<<<1, 1>>>(x, FOR_BLOCK);
    GIVES(cudaErrorAssert, cudaGetLastError());
    GIVES(cudaErrorAssert, cudaEventRecord(event));
    GIVES(cudaErrorAssert, cudaEventSynchronize(event));
    GIVES(cudaErrorAssert, cudaEventElapsedTime(&ms, event, event));
    GIVES(cudaErrorAssert, cudaEventDestroy(event));
    GIVES(cudaErrorAssert, cudaStreamSynchronize(stream));
    GIVES(cudaErrorAssert, cudaStreamDestroy(stream));
    GIVES(cudaErrorAssert, cudaFree(x));
    GIVES(cudaSuccess, cudaGetDeviceCount(&count));
}

/* A process that a program forks is ended by it, and the program goes on. */
static void test_forked()
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        fails<<<2, 64>>>(nullptr, FOR_BLOCK);
        _exit(cudaDeviceSynchronize() == cudaErrorAssert);
    }
    waitpid(child, &status, 0);
    RESULT(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT, "the child ends");
    RESULT(cudaDeviceSynchronize() == cudaSuccess, "its parent has no error");
}

int main(int argc, char **argv)
{
    static const char *const ways[] = {"block", "warp", "lock", "grid"};
    const char *way = argc > 1 ? argv[1] : "block";
    assert(strcmp(way, "host"));
    for (int i = 0; i < 4; i++)
        if (!strcmp(way, ways[i]))
            test_answers((waiting)i);
    if (!strcmp(way, "forked"))
        test_forked();
    return 0;
}
