#define _POSIX_C_SOURCE 200809L /* posix_memalign */

#include "buffers.h"
#include "checksum.h"
#include "process/die.h"
#include "rows/build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ALIGNMENT = 256, /* bytes; what cudaMalloc promises */
    ZONE_BYTES = 4096,
    ZONE_VALUE = 0x78, /* and those after it */
    PIECES = 16,
    PIECE_BYTES = 1 << 16
};

/* Does the lab fill it, and the device need it before a run? */
static bool is_filled(buffer_role role)
{
    return role == BUFFER_INPUT || role == BUFFER_RESIDENT;
}

/* ---- guard zones ---------------------------------------------------------------------------- */

static size_t zone_bytes(void)
{
#ifdef __SANITIZE_ADDRESS__
    return 0;
#else
    const char *exact = getenv("EXACT_BUFFERS");
    return exact && *exact ? 0 : ZONE_BYTES;
#endif
}

/*
 * Zones of two buffers differ: a copy that goes too far writes a zone over a zone. What is read
 * from one does not vanish in a sum: from 0x78 to 0x7F a byte, with a sign or without, is 120 or
 * more, an int16_t 30,840, an int 2e9, a float 2e34, and half precision 36,608 or NaN.
 */
static unsigned char zone_value(unsigned turn)
{
    return (unsigned char)(ZONE_VALUE + turn % LAB_MAX_BUFFERS);
}

/*
 * Are both zones whole? If not, the reason tells the changed byte that is nearest to the buffer, as
 * an index into it: negative before its start, its length or more behind its end.
 */
static bool zones_are_whole(const unsigned char *before, const unsigned char *behind, size_t bytes,
                            unsigned char value, const char *name, char reason[RESULT_TEXT])
{
    const size_t zone = zone_bytes();
    for (size_t i = 0; i < zone; i++) {
        if (behind[i] != value) {
            snprintf(reason, RESULT_TEXT, "wrote behind %s: byte %zu of %zu", name, bytes + i,
                     bytes);
            return false;
        }
        if (before[zone - 1 - i] != value) {
            snprintf(reason, RESULT_TEXT, "wrote before %s: byte -%zu", name, i + 1);
            return false;
        }
    }
    return true;
}

/* ---- host ----------------------------------------------------------------------------------- */

void problem_add_buffer(problem *p, const char *name, buffer_role role, size_t bytes)
{
    if (p->buffers == LAB_MAX_BUFFERS)
        die_bad_input("a problem has at most %d buffers", LAB_MAX_BUFFERS);
    p->buffer[p->buffers++] = (lab_buffer){.name = name, .role = role, .bytes = bytes};
}

problem problem_lay_out(const lab *definition, extent size, uint64_t seed)
{
    problem p = {.width = size.width,
                 .height = size.height,
                 .depth = size.depth,
                 .elementwise = definition->elementwise,
                 .seed = seed};
    definition->layout(&p);
    return p;
}

/* ---- parts, one a rank ---------------------------------------------------------------------- */

problem problem_part(const problem *p, const variant *v, int rank, int count)
{
    problem part = *p;
    part.is_part = v->part && count > 1;
    for (int i = 0; v->part && i < p->buffers; i++) {
        const rank_part own = v->part(p, i, rank, count);
        part.buffer[i].bytes = own.count;
        if (p->buffer[i].host)
            part.buffer[i].host = (char *)p->buffer[i].host + own.first;
    }
    return part;
}

typedef struct divided_buffer {
    const problem *problem;
    const variant *variant;
    int buffer;
} divided_buffer;

static rank_part part_of_rank(const void *context, int rank)
{
    const divided_buffer *of = context;
    return of->variant->part(of->problem, of->buffer, rank, ranks_now().count);
}

void problem_gather(const problem *p, const variant *v)
{
    for (int i = 0; v->part && i < p->buffers; i++) {
        const divided_buffer of = {p, v, i};
        if (p->buffer[i].role == BUFFER_OUTPUT)
            ranks_gather(p->buffer[i].host, part_of_rank, &of);
    }
}

double problem_bytes(const lab *definition, extent size)
{
    problem p = problem_lay_out(definition, size, 0);
    double bytes = 0;
    for (int i = 0; i < p.buffers; i++)
        bytes += (double)p.buffer[i].bytes;
    return bytes;
}

static void guard_host(const lab_buffer *b)
{
    unsigned char *start = b->host;
    memset(start - zone_bytes(), zone_value(b->role), zone_bytes());
    memset(start + b->bytes, zone_value(b->role), zone_bytes());
}

static void allocate_host(lab_buffer *b)
{
    void *memory;
    if (posix_memalign(&memory, ALIGNMENT, b->bytes + 2 * zone_bytes()))
        die_bad_input("out of memory: %zu bytes for %s", b->bytes, b->name);
    b->host = (unsigned char *)memory + zone_bytes();
    guard_host(b);
}

/* As checksum_on_device(), by all threads. */
static uint64_t checksum_on_host(const void *memory, size_t bytes)
{
    const unsigned char *byte = memory;
    const size_t words = bytes / sizeof(uint64_t);
    uint64_t sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (size_t i = 0; i < words; i++) {
        uint64_t word;
        memcpy(&word, byte + i * sizeof word, sizeof word);
        sum += checksum_mixed(word, i);
    }
    for (size_t i = words * sizeof(uint64_t); i < bytes; i++)
        sum += checksum_mixed(byte[i], i);
    return sum;
}

uint64_t problem_bits(const problem *p, bool filled)
{
    uint64_t bits = 0;
    for (const lab_buffer *b = p->buffer; b < p->buffer + p->buffers; b++)
        if (filled ? is_filled(b->role) : b->role == BUFFER_OUTPUT)
            bits = 3 * bits + checksum_on_host(b->host, b->bytes);
    return bits;
}

problem problem_create(const lab *definition, extent size, uint64_t seed)
{
    problem p = problem_lay_out(definition, size, seed);
    for (int i = 0; i < p.buffers; i++)
        allocate_host(&p.buffer[i]);
    definition->fill(&p);
    for (int i = 0; i < p.buffers; i++)
        if (is_filled(p.buffer[i].role))
            p.buffer[i].checksum = checksum_on_host(p.buffer[i].host, p.buffer[i].bytes);
    if (definition->reference && ranks_now().rank == 0 && !this_build.counts) /* who checks */
        p.reference = definition->reference(&p);
    return p;
}

void problem_free(problem *p)
{
    for (int i = 0; i < p->buffers; i++)
        if (p->buffer[i].host)
            free((unsigned char *)p->buffer[i].host - zone_bytes());
    free(p->reference);
    memset(p, 0, sizeof *p);
}

void problem_host_buffers(const problem *p, void *pointers[LAB_MAX_BUFFERS])
{
    for (int i = 0; i < p->buffers; i++)
        pointers[i] = p->buffer[i].host;
}

static unsigned char poison = 0xFF;

void poison_with(unsigned char value)
{
    poison = value;
}

/* By all threads: a large output is poisoned some hundred times. */
void host_poison(void *memory, size_t bytes)
{
    const size_t large = (size_t)4 << 20;
    unsigned char *byte = memory;
#pragma omp parallel for if (bytes > large)
    for (size_t i = 0; i < bytes; i++)
        byte[i] = poison;
}

void problem_poison_host(const problem *p)
{
    for (int i = 0; i < p->buffers; i++)
        if (p->buffer[i].role == BUFFER_OUTPUT)
            host_poison(p->buffer[i].host, p->buffer[i].bytes);
}

static bool host_buffer_is_whole(const lab_buffer *b, char reason[RESULT_TEXT])
{
    char name[64];
    const unsigned char *start = b->host;
    snprintf(name, sizeof name, "buffer %s", b->name);
    if (!zones_are_whole(start - zone_bytes(), start + b->bytes, b->bytes, zone_value(b->role),
                         name, reason))
        return false;
    if (!is_filled(b->role) || checksum_on_host(start, b->bytes) == b->checksum)
        return true;
    snprintf(reason, RESULT_TEXT, "wrote to the input %s", b->name);
    return false;
}

bool problem_is_whole(const lab *definition, const problem *p, char reason[RESULT_TEXT])
{
    for (int i = 0; i < p->buffers; i++)
        if (!host_buffer_is_whole(&p->buffer[i], reason)) {
            for (int k = 0; k < p->buffers; k++)
                guard_host(&p->buffer[k]);
            definition->fill(p);
            return false;
        }
    return true;
}

/* ---- device memory -------------------------------------------------------------------------- */

bool device_memory_create(device_memory *memory, size_t bytes)
{
    static unsigned turn;
    unsigned char *base;
    *memory = (device_memory){NULL};
    if (bytes > SIZE_MAX - 2 * zone_bytes())
        return false;
    if (CUDA_REFUSES(cudaMalloc((void **)&base, bytes + 2 * zone_bytes())))
        return false;
    *memory = (device_memory){base, bytes, zone_value(turn++)};
    return true;
}

void device_memory_free(device_memory *memory)
{
    CUDA_RELEASE(cudaFree(memory->base));
    *memory = (device_memory){NULL};
}

void *device_memory_start(const device_memory *memory)
{
    return memory->base ? memory->base + zone_bytes() : NULL;
}

void device_memory_guard(const device_memory *memory, size_t bytes, cudaStream_t stream)
{
    size_t zone = zone_bytes();
    if (!zone)
        return;
    CUDA_CHECK(cudaMemsetAsync(memory->base, memory->zone_value, zone, stream));
    CUDA_CHECK(cudaMemsetAsync(memory->base + zone + bytes, memory->zone_value, zone, stream));
}

bool device_memory_is_whole(const device_memory *memory, size_t bytes, const char *name,
                            cudaStream_t stream, char reason[RESULT_TEXT])
{
    unsigned char before[ZONE_BYTES], behind[ZONE_BYTES];
    size_t zone = zone_bytes();
    if (!zone)
        return true;
    CUDA_CHECK(cudaMemcpyAsync(before, memory->base, zone, cudaMemcpyDeviceToHost, stream));
    CUDA_CHECK(
        cudaMemcpyAsync(behind, memory->base + zone + bytes, zone, cudaMemcpyDeviceToHost, stream));
    CUDA_CHECK(cudaStreamSynchronize(stream));
    return zones_are_whole(before, behind, bytes, memory->zone_value, name, reason);
}

/* ---- sets ----------------------------------------------------------------------------------- */

static bool allocate_sets(device_sets *sets, size_t flush_bytes)
{
    const problem *p = sets->problem;
    for (int set = 0; set < sets->count; set++)
        for (int i = 0; i < p->buffers; i++)
            if (!device_memory_create(&sets->memory[set][i], p->buffer[i].bytes))
                return false;
    return device_memory_create(&sets->sum, sizeof(uint64_t)) &&
           (!flush_bytes || device_memory_create(&sets->flush, flush_bytes));
}

/* Copies what the lab filled from pageable host memory into set 0. */
static void copy_in(const device_sets *sets, cudaStream_t stream)
{
    const problem *p = sets->problem;
    for (int i = 0; i < p->buffers; i++)
        if (is_filled(p->buffer[i].role))
            CUDA_CHECK(cudaMemcpyAsync(device_memory_start(&sets->memory[0][i]), p->buffer[i].host,
                                       p->buffer[i].bytes, cudaMemcpyHostToDevice, stream));
}

/* Copies set 0's inputs into all other sets. */
static void replicate(const device_sets *sets)
{
    const problem *p = sets->problem;
    for (int set = 1; set < sets->count; set++)
        for (int i = 0; i < p->buffers; i++)
            if (is_filled(p->buffer[i].role))
                CUDA_CHECK(cudaMemcpy(device_memory_start(&sets->memory[set][i]),
                                      device_memory_start(&sets->memory[0][i]), p->buffer[i].bytes,
                                      cudaMemcpyDeviceToDevice));
}

static void guard_set(const device_sets *sets, cudaStream_t stream)
{
    for (int i = 0; i < sets->problem->buffers; i++)
        device_memory_guard(&sets->memory[0][i], sets->problem->buffer[i].bytes, stream);
}

bool device_sets_create(device_sets *sets, const problem *p, size_t cold_bytes)
{
    size_t input_bytes = 0;
    memset(sets, 0, sizeof *sets);
    sets->problem = p;
    for (int i = 0; i < p->buffers; i++)
        if (is_filled(p->buffer[i].role))
            input_bytes += p->buffer[i].bytes;
    size_t wanted = cold_bytes && input_bytes ? (cold_bytes + input_bytes - 1) / input_bytes : 1;
    sets->count = wanted < SETS_MAX ? (int)wanted : SETS_MAX;
    if (!allocate_sets(sets, wanted > SETS_MAX ? cold_bytes : 0)) {
        device_sets_free(sets);
        return false;
    }
    device_sets_poison(sets, 0);
    copy_in(sets, 0);
    guard_set(sets, 0);
    CUDA_CHECK(cudaDeviceSynchronize());
    replicate(sets);
    CUDA_CHECK(cudaDeviceSynchronize()); /* copies within the device return before they are done */
    return true;
}

void device_sets_free(device_sets *sets)
{
    for (int set = 0; set < sets->count; set++)
        for (int i = 0; i < sets->problem->buffers; i++)
            device_memory_free(&sets->memory[set][i]);
    device_memory_free(&sets->sum);
    device_memory_free(&sets->flush);
    memset(sets, 0, sizeof *sets);
}

void device_sets_buffers(const device_sets *sets, int index, void *pointers[LAB_MAX_BUFFERS])
{
    for (int i = 0; i < sets->problem->buffers; i++)
        pointers[i] = device_memory_start(&sets->memory[index % sets->count][i]);
}

void device_sets_poison(const device_sets *sets, cudaStream_t stream)
{
    const problem *p = sets->problem;
    for (int i = 0; i < p->buffers; i++)
        if (!is_filled(p->buffer[i].role))
            CUDA_CHECK(cudaMemsetAsync(device_memory_start(&sets->memory[0][i]), poison,
                                       p->buffer[i].bytes, stream));
}

void device_sets_copy_out(const device_sets *sets, int set, cudaStream_t stream)
{
    const problem *p = sets->problem;
    for (int i = 0; i < p->buffers; i++)
        if (p->buffer[i].role == BUFFER_OUTPUT)
            CUDA_CHECK(cudaMemcpyAsync(p->buffer[i].host,
                                       device_memory_start(&sets->memory[set][i]),
                                       p->buffer[i].bytes, cudaMemcpyDeviceToHost, stream));
}

/*
 * Does device memory hold these bytes? Of more than PIECES * PIECE_BYTES, pieces that lie evenly
 * from the first byte to the last.
 */
static bool equals_host(const unsigned char *device, const unsigned char *host, size_t bytes,
                        cudaStream_t stream)
{
    static unsigned char back[PIECES][PIECE_BYTES];
    size_t piece = bytes < PIECE_BYTES ? bytes : PIECE_BYTES, start[PIECES];
    size_t pieces = piece < bytes ? PIECES : 1;
    for (size_t i = 0; i < pieces; i++) {
        start[i] = (bytes - piece) / (PIECES - 1) * i;
        if (i == PIECES - 1)
            start[i] = bytes - piece;
        CUDA_CHECK(
            cudaMemcpyAsync(back[i], device + start[i], piece, cudaMemcpyDeviceToHost, stream));
    }
    CUDA_CHECK(cudaStreamSynchronize(stream));
    for (size_t i = 0; i < pieces; i++)
        if (memcmp(back[i], host + start[i], piece) != 0)
            return false;
    return true;
}

static bool set_equals_host(const device_sets *sets, int i, cudaStream_t stream)
{
    const lab_buffer *b = &sets->problem->buffer[i];
    return equals_host(device_memory_start(&sets->memory[0][i]), b->host, b->bytes, stream);
}

uint64_t device_sets_bits(const device_sets *sets, int set, cudaStream_t stream)
{
    uint64_t bits = 0;
    for (int i = 0; i < sets->problem->buffers; i++)
        if (sets->problem->buffer[i].role == BUFFER_OUTPUT)
            bits = 3 * bits + checksum_on_device(device_memory_start(&sets->memory[set][i]),
                                                 sets->problem->buffer[i].bytes,
                                                 device_memory_start(&sets->sum), stream);
    return bits;
}

static bool buffer_is_whole(const device_sets *sets, int i, cudaStream_t stream,
                            char reason[RESULT_TEXT])
{
    char name[64];
    const lab_buffer *b = &sets->problem->buffer[i];
    snprintf(name, sizeof name, "buffer %s", b->name);
    if (!device_memory_is_whole(&sets->memory[0][i], b->bytes, name, stream, reason))
        return false;
    if (!is_filled(b->role) || set_equals_host(sets, i, stream))
        return true;
    snprintf(reason, RESULT_TEXT, "wrote to the input %s", b->name);
    return false;
}

bool device_sets_are_whole(const device_sets *sets, cudaStream_t stream, char reason[RESULT_TEXT])
{
    for (int i = 0; i < sets->problem->buffers; i++)
        if (!buffer_is_whole(sets, i, stream, reason)) {
            guard_set(sets, stream);
            copy_in(sets, stream);
            CUDA_CHECK(cudaStreamSynchronize(stream));
            return false;
        }
    return true;
}

void device_sets_flush(const device_sets *sets, cudaStream_t stream)
{
    size_t half = sets->flush.bytes / 2;
    if (half)
        CUDA_CHECK(cudaMemcpyAsync(sets->flush.base, sets->flush.base + half, half,
                                   cudaMemcpyDeviceToDevice, stream));
}
