#define _POSIX_C_SOURCE 200809L /* posix_memalign */

#include "data.h"
#include "die.h"

#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 256 }; /* bytes; what cudaMalloc promises */

static size_t round_up(size_t bytes)
{
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* ---- host ----------------------------------------------------------------------------------- */

void problem_add_buffer(problem *p, const char *name, buffer_role role, size_t bytes)
{
    if (p->buffers == LAB_MAX_BUFFERS)
        die_bad_input("a problem has at most %d buffers", LAB_MAX_BUFFERS);
    p->buffer[p->buffers++] = (lab_buffer){name, role, bytes, NULL};
}

static problem lay_out(const lab *definition, int width, int height, uint64_t seed)
{
    problem p = {.width = width, .height = height, .seed = seed};
    definition->layout(&p);
    return p;
}

double problem_bytes(const lab *definition, int width, int height)
{
    problem p = lay_out(definition, width, height, 0);
    double bytes = 0;
    for (int i = 0; i < p.buffers; i++)
        bytes += (double)p.buffer[i].bytes;
    return bytes;
}

problem problem_create(const lab *definition, int width, int height, uint64_t seed)
{
    problem p = lay_out(definition, width, height, seed);
    for (int i = 0; i < p.buffers; i++)
        if (posix_memalign(&p.buffer[i].host, ALIGNMENT, round_up(p.buffer[i].bytes)))
            die_bad_input("out of memory: %zu bytes for %s", p.buffer[i].bytes, p.buffer[i].name);
    definition->fill(&p);
    p.reference = definition->reference ? definition->reference(&p) : NULL;
    return p;
}

void problem_free(problem *p)
{
    for (int i = 0; i < p->buffers; i++)
        free(p->buffer[i].host);
    free(p->reference);
    memset(p, 0, sizeof *p);
}

void problem_host_buffers(const problem *p, void *pointers[LAB_MAX_BUFFERS])
{
    for (int i = 0; i < p->buffers; i++)
        pointers[i] = p->buffer[i].host;
}

void problem_poison_host(const problem *p)
{
    for (int i = 0; i < p->buffers; i++)
        if (p->buffer[i].role == BUFFER_OUTPUT)
            memset(p->buffer[i].host, 0xFF, p->buffer[i].bytes);
}

/* Does the lab fill it, and the device need it before a run? */
static bool is_filled(buffer_role role)
{
    return role == BUFFER_INPUT || role == BUFFER_RESIDENT;
}

/* ---- device --------------------------------------------------------------------------------- */

/* Copies set 0's inputs into all other sets, doubling what is there with each copy. */
static void replicate(const device_sets *sets)
{
    for (int done = 1; done < sets->count;) {
        int copies = done < sets->count - done ? done : sets->count - done;
        CUDA_CHECK(cudaMemcpy(sets->memory + (size_t)done * sets->set_bytes, sets->memory,
                              (size_t)copies * sets->set_bytes, cudaMemcpyDeviceToDevice));
        done += copies;
    }
}

int device_sets_create(device_sets *sets, const problem *p, size_t cold_bytes)
{
    size_t input_bytes = 0;
    memset(sets, 0, sizeof *sets);
    for (int i = 0; i < p->buffers; i++) {
        sets->offset[i] = sets->set_bytes;
        sets->set_bytes += round_up(p->buffer[i].bytes);
        if (is_filled(p->buffer[i].role))
            input_bytes += p->buffer[i].bytes;
    }
    size_t wanted = cold_bytes && input_bytes ? (cold_bytes + input_bytes - 1) / input_bytes : 1;
    sets->count = wanted < SETS_MAX ? (int)wanted : SETS_MAX;
    if (wanted > SETS_MAX)
        sets->flush_bytes = cold_bytes / 2;

    cudaError_t status = cudaMalloc((void **)&sets->memory, (size_t)sets->count * sets->set_bytes);
    if (status == cudaSuccess && sets->flush_bytes)
        status = cudaMalloc((void **)&sets->flush, 2 * sets->flush_bytes);
    if (status == cudaErrorMemoryAllocation) {
        (void)cudaGetLastError(); /* it is handled here: the caller skips the rows */
        device_sets_free(sets);
        return -1;
    }
    CUDA_CHECK(status);
    CUDA_CHECK(cudaMemset(sets->memory, 0xFF, sets->set_bytes));
    device_sets_copy_in(sets, p, 0);
    CUDA_CHECK(cudaDeviceSynchronize());
    replicate(sets);
    CUDA_CHECK(cudaDeviceSynchronize()); /* copies within the device return before they are done */
    return 0;
}

void device_sets_free(device_sets *sets)
{
    CUDA_CHECK(cudaFree(sets->memory));
    CUDA_CHECK(cudaFree(sets->flush));
    memset(sets, 0, sizeof *sets);
}

void device_sets_buffers(const device_sets *sets, const problem *p, int index,
                         void *pointers[LAB_MAX_BUFFERS])
{
    unsigned char *set = sets->memory + (size_t)(index % sets->count) * sets->set_bytes;
    for (int i = 0; i < p->buffers; i++)
        pointers[i] = set + sets->offset[i];
}

void device_sets_poison(const device_sets *sets, const problem *p, cudaStream_t stream)
{
    for (int i = 0; i < p->buffers; i++)
        if (p->buffer[i].role == BUFFER_OUTPUT)
            CUDA_CHECK(
                cudaMemsetAsync(sets->memory + sets->offset[i], 0xFF, p->buffer[i].bytes, stream));
}

void device_sets_copy_in(const device_sets *sets, const problem *p, cudaStream_t stream)
{
    for (int i = 0; i < p->buffers; i++)
        if (is_filled(p->buffer[i].role))
            CUDA_CHECK(cudaMemcpyAsync(sets->memory + sets->offset[i], p->buffer[i].host,
                                       p->buffer[i].bytes, cudaMemcpyHostToDevice, stream));
}

void device_sets_copy_out(const device_sets *sets, const problem *p, cudaStream_t stream)
{
    for (int i = 0; i < p->buffers; i++)
        if (p->buffer[i].role == BUFFER_OUTPUT)
            CUDA_CHECK(cudaMemcpyAsync(p->buffer[i].host, sets->memory + sets->offset[i],
                                       p->buffer[i].bytes, cudaMemcpyDeviceToHost, stream));
}

void device_sets_flush(const device_sets *sets, cudaStream_t stream)
{
    if (sets->flush)
        CUDA_CHECK(cudaMemcpyAsync(sets->flush, sets->flush + sets->flush_bytes, sets->flush_bytes,
                                   cudaMemcpyDeviceToDevice, stream));
}
