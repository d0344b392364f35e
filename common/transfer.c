#include "transfer.h"
#include "host.h"
#include "statistics.h"

#include <string.h>

enum { PAGE = 4096 };

static bool is_managed(transfer_mode mode)
{
    return mode == TRANSFER_UNIFIED || mode == TRANSFER_UNIFIED_PREFETCH;
}

/* Does a kernel reach this buffer in host memory? */
static bool is_mapped(transfer_mode mode, buffer_role role)
{
    return (mode == TRANSFER_MAPPED && role != BUFFER_SCRATCH) ||
           (mode == TRANSFER_MAPPED_OUTPUT && role == BUFFER_OUTPUT);
}

/* ---- memory --------------------------------------------------------------------------------- */

/* Managed memory beyond what the card has free would be paged to and fro, or worse. */
static const char *refuse_managed(const problem *p)
{
    int device, managed = 0;
    size_t free_bytes, total_bytes, needed = 0;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaDeviceGetAttribute(&managed, cudaDevAttrManagedMemory, device));
    CUDA_CHECK(cudaMemGetInfo(&free_bytes, &total_bytes));
    for (int i = 0; i < p->buffers; i++)
        needed += p->buffer[i].bytes;
    if (!managed)
        return "the device has no managed memory";
    return needed < free_bytes / 2 ? NULL : "not enough free device memory for managed memory";
}

static cudaError_t allocate_buffer(transfer *t, int i, void *set_buffer)
{
    const lab_buffer *b = &t->problem->buffer[i];
    cudaError_t status = cudaSuccess;
    t->far[i] = set_buffer;
    if (b->role == BUFFER_RESIDENT) {
        /* stays in device memory, whatever the mode */
    } else if (is_managed(t->mode)) {
        status = cudaMallocManaged(&t->near[i], b->bytes, cudaMemAttachGlobal);
        t->far[i] = t->near[i];
        t->far_is_near[i] = true;
    } else if (is_mapped(t->mode, b->role)) {
        status = cudaHostAlloc(&t->near[i], b->bytes, cudaHostAllocMapped);
        if (status == cudaSuccess)
            status = cudaHostGetDevicePointer(&t->far[i], t->near[i], 0);
        t->far_is_near[i] = true;
    } else if (t->mode != TRANSFER_PAGEABLE && b->role != BUFFER_SCRATCH) {
        status = cudaHostAlloc(&t->near[i], b->bytes, cudaHostAllocDefault);
    }
    return status;
}

const char *transfer_create(transfer *t, transfer_mode mode, const problem *p,
                            const device_sets *sets)
{
    void *set[LAB_MAX_BUFFERS];
    memset(t, 0, sizeof *t);
    t->mode = mode;
    t->problem = p;
    const char *reason = is_managed(mode) ? refuse_managed(p) : NULL;
    if (reason)
        return reason;
    device_sets_buffers(sets, p, 0, set);
    for (int i = 0; i < p->buffers; i++) {
        cudaError_t status = allocate_buffer(t, i, set[i]);
        if (status != cudaSuccess) {
            (void)cudaGetLastError(); /* handled here: the rows are skipped */
            transfer_free(t);
            return cudaGetErrorString(status);
        }
        if (t->near[i] && p->buffer[i].role == BUFFER_INPUT)
            memcpy(t->near[i], p->buffer[i].host, p->buffer[i].bytes);
    }
    return NULL;
}

void transfer_free(transfer *t)
{
    for (int i = 0; t->problem && i < t->problem->buffers; i++) {
        if (t->near[i] && is_managed(t->mode))
            CUDA_CHECK(cudaFree(t->near[i]));
        else if (t->near[i])
            CUDA_CHECK(cudaFreeHost(t->near[i]));
    }
    memset(t, 0, sizeof *t);
}

/* ---- moving --------------------------------------------------------------------------------- */

/* Where host code finds a buffer. */
static void *near_side(const transfer *t, int i)
{
    return t->near[i] ? t->near[i] : t->problem->buffer[i].host;
}

static void prefetch(const transfer *t, int i, bool to_device, cudaStream_t stream)
{
#ifndef CUDA_ON_CPU
    int device;
    CUDA_CHECK(cudaGetDevice(&device));
#if CUDART_VERSION >= 13000
    struct cudaMemLocation place = {.type = to_device ? cudaMemLocationTypeDevice
                                                      : cudaMemLocationTypeHost,
                                    .id = to_device ? device : 0};
    CUDA_CHECK(cudaMemPrefetchAsync(t->near[i], t->problem->buffer[i].bytes, place, 0, stream));
#else
    CUDA_CHECK(cudaMemPrefetchAsync(t->near[i], t->problem->buffer[i].bytes,
                                    to_device ? device : cudaCpuDeviceId, stream));
#endif
#else
    (void)t, (void)i, (void)to_device, (void)stream;
#endif
}

/* Does the mode copy this buffer, one of `role`, between host and device? */
static bool is_copied(const transfer *t, int i, buffer_role role)
{
    return t->problem->buffer[i].role == role && !is_managed(t->mode) && !t->far_is_near[i];
}

/* Copies the inputs in, or the outputs out, as the mode has it. */
static void move(const transfer *t, buffer_role role, cudaStream_t stream)
{
    bool in = role == BUFFER_INPUT;
    for (int i = 0; i < t->problem->buffers; i++) {
        const lab_buffer *b = &t->problem->buffer[i];
        if (t->mode == TRANSFER_UNIFIED_PREFETCH) {
            if (t->near[i] &&
                (in ||
                 b->role == role)) /* an output is brought in, too: its pages lie at the host */
                prefetch(t, i, in, stream);
        } else if (is_copied(t, i, role)) {
            CUDA_CHECK(cudaMemcpyAsync(
                in ? t->far[i] : near_side(t, i), in ? near_side(t, i) : t->far[i], b->bytes,
                in ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost, stream));
        }
    }
}

/* Reads a byte of every page of the outputs, so that pages that are still at the device move. */
static unsigned touch_outputs(const transfer *t)
{
    unsigned sum = 0;
    for (int i = 0; i < t->problem->buffers; i++)
        if (t->problem->buffer[i].role == BUFFER_OUTPUT)
            for (size_t at = 0; at < t->problem->buffer[i].bytes; at += PAGE)
                sum += ((volatile unsigned char *)t->near[i])[at];
    return sum;
}

/* Untimed: outputs are poisoned; managed pages are written by the host, and so lie there. */
static void reset(const transfer *t)
{
    for (int i = 0; i < t->problem->buffers; i++) {
        const lab_buffer *b = &t->problem->buffer[i];
        if (b->role == BUFFER_OUTPUT)
            memset(near_side(t, i), 0xFF, b->bytes);
        else if (b->role == BUFFER_INPUT && is_managed(t->mode))
            memcpy(t->near[i], b->host, b->bytes);
    }
}

/* ---- the copies alone ----------------------------------------------------------------------- */

/* The median of a few; of one where it takes long. */
static double time_move(const transfer *t, buffer_role role, cudaStream_t stream)
{
    enum { MOST = 5 };
    const double enough = 0.1; /* seconds in all */
    samples list = {0};
    double spent = 0;
    bool copied = false;
    for (int i = 0; i < t->problem->buffers; i++)
        copied = copied || is_copied(t, i, role);
    while (copied && list.count < MOST && spent < enough) {
        CUDA_CHECK(cudaStreamSynchronize(stream));
        double start = host_seconds();
        move(t, role, stream);
        CUDA_CHECK(cudaStreamSynchronize(stream));
        samples_add(&list, host_seconds() - start);
        spent += list.values[list.count - 1];
    }
    double seconds = samples_summarise(&list).median;
    samples_free(&list);
    return seconds;
}

copy_times transfer_time_copies(const transfer *t, cudaStream_t stream)
{
    reset(t); /* the first copy must not be the one that makes the pages */
    return (copy_times){time_move(t, BUFFER_INPUT, stream), time_move(t, BUFFER_OUTPUT, stream)};
}

/* ---- one run -------------------------------------------------------------------------------- */

double transfer_run(transfer *t, const variant *v, const launch *l)
{
    launch at_far = *l;
    at_far.buffer = t->far;
    reset(t);
    CUDA_CHECK(cudaStreamSynchronize(l->stream));
    double start = host_seconds();
    move(t, BUFFER_INPUT, l->stream);
    v->run(t->problem, &at_far);
    move(t, BUFFER_OUTPUT, l->stream);
    CUDA_CHECK(cudaStreamSynchronize(l->stream));
    if (is_managed(t->mode))
        (void)touch_outputs(t);
    double seconds = host_seconds() - start;
    for (int i = 0; i < t->problem->buffers; i++)
        if (t->near[i] && t->problem->buffer[i].role == BUFFER_OUTPUT)
            memcpy(t->problem->buffer[i].host, t->near[i], t->problem->buffer[i].bytes);
    return seconds;
}
