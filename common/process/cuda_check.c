#include "cuda_check.h"
#include "die.h"
#include "ranks.h"

#include <setjmp.h>
#include <stdio.h>

/* The innermost guarded action: where a failure goes, and where its line does. */
typedef struct guard {
    jmp_buf leave;
    char *failure;
} guard;

static guard *innermost;
static bool refused;
static char lost[CUDA_FAILURE_SIZE];

const char *cuda_check_text(int error)
{
    static char text[CUDA_FAILURE_SIZE];
    snprintf(text, sizeof text, "%s (%s)", cudaGetErrorName((cudaError_t)error),
             cudaGetErrorString((cudaError_t)error));
    return text;
}

/* Leaves the guarded action, or ends the program, with the line on stderr. */
__attribute__((noreturn)) static void leave(const char *text)
{
    if (innermost) {
        snprintf(innermost->failure, CUDA_FAILURE_SIZE, "%s", text);
        longjmp(innermost->leave, 1);
    }
    ranks_abort(EXIT_CUDA_ERROR, text);
}

void library_check_fail(const char *status, const char *expression, const char *file, int line)
{
    char text[CUDA_FAILURE_SIZE];
    snprintf(text, sizeof text, "%s:%d: %s: %s", file, line, expression, status);
    refused = false;
    leave(text);
}

void library_refuse(const char *reason)
{
    refused = true;
    leave(reason);
}

bool library_refused(void)
{
    return refused;
}

const char *cuda_refuses(int error, const char *expression, const char *file, int line)
{
    if (error == cudaSuccess)
        return NULL;
    if (error != cudaErrorMemoryAllocation && error != cudaErrorNotSupported)
        library_check_fail(cuda_check_text(error), expression, file, line);
    (void)cudaGetLastError(); /* it is handled: the caller skips rows */
    return cudaGetErrorString((cudaError_t)error);
}

static void end_capture(cudaStream_t stream)
{
    enum cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    cudaGraph_t graph = NULL;
    if (cudaStreamIsCapturing(stream, &status) != cudaSuccess ||
        status == cudaStreamCaptureStatusNone)
        return;
    if (cudaStreamEndCapture(stream, &graph) == cudaSuccess && graph)
        (void)cudaGraphDestroy(graph);
}

/* Some errors are over once they are told; after others every call gives the same error again. */
static void see_what_is_left(cudaStream_t stream, const char *failure)
{
    end_capture(stream);
    (void)cudaGetLastError();
    if (cudaDeviceSynchronize() != cudaSuccess && !lost[0])
        snprintf(lost, sizeof lost, "%s", failure);
    (void)cudaGetLastError();
}

bool cuda_check_guarded(void (*action)(void *context), void *context, cudaStream_t stream,
                        char failure[CUDA_FAILURE_SIZE])
{
    guard here = {.failure = failure};
    guard *const outer = innermost;
    if (setjmp(here.leave)) {
        innermost = outer;
        see_what_is_left(stream, failure);
        return false;
    }
    innermost = &here;
    action(context);
    innermost = outer;
    return true;
}

const char *cuda_context_lost(void)
{
    return lost[0] ? lost : NULL;
}
