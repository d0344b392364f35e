/*
 * test_buffers.c - a problem's host memory, and its sets of device buffers: where they lie, what is
 * in them, that together they are larger than the cache, and that a byte written beside one is
 * seen.
 */
#define _POSIX_C_SOURCE 200809L /* setenv */

#include "buffers.h"
#include "random.h"
#include "tap.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- a lab with buffers of odd lengths ------------------------------------------------------ */

enum { LEFT, RIGHT, OUT, SCRATCH };

static void layout(problem *p)
{
    size_t n = (size_t)p->width * (size_t)p->height;
    problem_add_buffer(p, "left", BUFFER_INPUT, n);
    problem_add_buffer(p, "right", BUFFER_INPUT, n + 300);
    problem_add_buffer(p, "out", BUFFER_OUTPUT, 2 * n + 1);
    problem_add_buffer(p, "scratch", BUFFER_SCRATCH, 77);
}

static void fill(const problem *p)
{
    random_fill_bytes(p->buffer[LEFT].host, p->buffer[LEFT].bytes, p->seed);
    random_fill_bytes(p->buffer[RIGHT].host, p->buffer[RIGHT].bytes, p->seed + 1);
}

/* The reference needs the inputs; a copy of the first one's beginning will do here. */
static void *reference(const problem *p)
{
    void *copy = malloc(16);
    memcpy(copy, p->buffer[LEFT].host, 16);
    return copy;
}

static const lab odd_lab = {
    .name = "odd",
    .layout = layout,
    .fill = fill,
    .reference = reference,
};

/* ---- host ----------------------------------------------------------------------------------- */

static int all_bytes_are(const unsigned char *bytes, size_t count, int value)
{
    for (size_t i = 0; i < count; i++)
        if (bytes[i] != value)
            return 0;
    return 1;
}

static void test_host(void)
{
    void *pointers[LAB_MAX_BUFFERS] = {NULL};
    problem p = problem_create(&odd_lab, (extent){101, 3, 0}, 42);
    ok(p.width == 101 && p.height == 3 && p.seed == 42 && p.buffers == 4, "a problem's shape");
    ok(p.buffer[LEFT].bytes == 303 && p.buffer[RIGHT].bytes == 603 && p.buffer[OUT].bytes == 607,
       "its buffers have the sizes that the lab gave");
    ok(problem_bytes(&odd_lab, (extent){101, 3, 0}) == 303 + 603 + 607 + 77,
       "bytes of all of them");
    ok(problem_bytes(&odd_lab, (extent){1 << 30, 1 << 20, 0}) > 0x1p51, "of a huge problem, too");

    int aligned = 1, same = 1;
    problem_host_buffers(&p, pointers);
    for (int i = 0; i < p.buffers; i++) {
        aligned = aligned && (uintptr_t)p.buffer[i].host % 256 == 0;
        same = same && pointers[i] == p.buffer[i].host;
    }
    ok(aligned, "they are 256-byte aligned");
    ok(same, "a launch gets them in layout's order");

    uint8_t *expected = malloc(303);
    random_fill_bytes(expected, 303, 42);
    ok(memcmp(p.buffer[LEFT].host, expected, 303) == 0, "the inputs are filled from the seed");
    ok(memcmp(p.reference, expected, 16) == 0, "before the reference is worked out");

    memset(p.buffer[SCRATCH].host, 1, 77);
    problem_poison_host(&p);
    ok(all_bytes_are(p.buffer[OUT].host, 607, 0xFF), "poison fills every byte of the output");
    ok(memcmp(p.buffer[LEFT].host, expected, 303) == 0 &&
           all_bytes_are(p.buffer[SCRATCH].host, 77, 1),
       "and leaves inputs and scratch alone");
    free(expected);
    problem_free(&p);
    ok(p.buffers == 0 && p.reference == NULL, "a freed problem is empty");
}

/* ---- device --------------------------------------------------------------------------------- */

/* Device memory as the host sees it; good until the next call. */
static const unsigned char *fetched(const void *device_pointer, size_t bytes)
{
    static unsigned char *copy;
    free(copy);
    copy = malloc(bytes);
    CUDA_CHECK(cudaMemcpy(copy, device_pointer, bytes, cudaMemcpyDeviceToHost));
    return copy;
}

static size_t input_bytes(const problem *p)
{
    return p->buffer[LEFT].bytes + p->buffer[RIGHT].bytes;
}

/* Alignment and contents of every set. */
static void sets_are_sound(const device_sets *sets, const problem *p, const char *name)
{
    char reason[RESULT_TEXT];
    int aligned = 1, inputs = 1;
    for (int set = 0; set < sets->count; set++) {
        void *d[LAB_MAX_BUFFERS];
        device_sets_buffers(sets, set, d);
        for (int i = 0; i < p->buffers; i++) {
            size_t bytes = p->buffer[i].bytes;
            aligned = aligned && (uintptr_t)d[i] % 256 == 0;
            if (p->buffer[i].role == BUFFER_INPUT)
                inputs = inputs && memcmp(fetched(d[i], bytes), p->buffer[i].host, bytes) == 0;
        }
    }
    ok(aligned, "%s: every buffer is 256-byte aligned", name);
    ok(inputs, "%s: the inputs of every set are the host's", name);
    ok(device_sets_are_whole(sets, 0, reason), "%s: nothing was written beside them", name);
}

static void sets_wrap_around(const device_sets *sets, const char *name)
{
    void *first[LAB_MAX_BUFFERS], *again[LAB_MAX_BUFFERS], *last[LAB_MAX_BUFFERS];
    device_sets_buffers(sets, 0, first);
    device_sets_buffers(sets, sets->count, again);
    device_sets_buffers(sets, sets->count - 1, last);
    ok(first[OUT] == again[OUT] && (sets->count == 1 || first[OUT] != last[OUT]),
       "%s: the set after the last is the first", name);
}

static void test_sets(const char *name, size_t cold_bytes, int least, int most, bool flush)
{
    device_sets sets;
    problem p = problem_create(&odd_lab, (extent){101, 3, 0}, 42);
    bool created = device_sets_create(&sets, &p, cold_bytes);
    ok(created && sets.count >= least && sets.count <= most, "%s: %d sets", name, sets.count);
    ok((size_t)sets.count * input_bytes(&p) >= cold_bytes ||
           (sets.flush && 2 * sets.flush_bytes >= cold_bytes - 1),
       "%s: the inputs of all sets exceed the cache, or there is a flush that does", name);
    ok((sets.flush != NULL) == flush, "%s: %s", name, flush ? "there is a flush" : "no flush");
    sets_are_sound(&sets, &p, name);
    sets_wrap_around(&sets, name);
    device_sets_flush(&sets, 0);
    CUDA_CHECK(cudaDeviceSynchronize());
    sets_are_sound(&sets, &p, flush ? "after a flush" : "after no flush");
    device_sets_free(&sets);
    ok(sets.memory[0][0].base == NULL && sets.flush == NULL && sets.count == 0, "%s: freed", name);
    problem_free(&p);
}

static void test_copies(void)
{
    device_sets sets;
    void *d[LAB_MAX_BUFFERS], *d1[LAB_MAX_BUFFERS];
    problem p = problem_create(&odd_lab, (extent){101, 3, 0}, 42);
    device_sets_create(&sets, &p, 3 * input_bytes(&p));
    device_sets_buffers(&sets, 0, d);
    device_sets_buffers(&sets, 1, d1);

    /* The new inputs reach set 0, and the output leaves it; set 1 keeps the old ones. */
    unsigned char old = ((unsigned char *)p.buffer[LEFT].host)[0];
    memset(p.buffer[LEFT].host, old + 1, p.buffer[LEFT].bytes);
    device_sets_copy_in(&sets, 0);
    CUDA_CHECK(cudaDeviceSynchronize());
    ok(all_bytes_are(fetched(d[LEFT], 303), 303, (unsigned char)(old + 1)),
       "copying in brings the inputs to set 0");
    ok(fetched(d1[LEFT], 303)[0] == old, "and to no other set");

    CUDA_CHECK(cudaMemset(d[OUT], 7, p.buffer[OUT].bytes));
    CUDA_CHECK(cudaMemset(d[SCRATCH], 8, p.buffer[SCRATCH].bytes));
    memset(p.buffer[SCRATCH].host, 1, 77);
    device_sets_copy_out(&sets, 0);
    CUDA_CHECK(cudaDeviceSynchronize());
    ok(all_bytes_are(p.buffer[OUT].host, 607, 7), "copying out brings the whole output");
    ok(all_bytes_are(p.buffer[LEFT].host, 303, (unsigned char)(old + 1)) &&
           all_bytes_are(p.buffer[SCRATCH].host, 77, 1),
       "and nothing else");

    CUDA_CHECK(cudaMemset(d1[OUT], 9, p.buffer[OUT].bytes));
    device_sets_poison(&sets, 0);
    CUDA_CHECK(cudaDeviceSynchronize());
    ok(all_bytes_are(fetched(d[OUT], 607), 607, 0xFF), "poison fills the output of set 0");
    ok(all_bytes_are(fetched(d[LEFT], 303), 303, (unsigned char)(old + 1)) &&
           all_bytes_are(fetched(d[SCRATCH], 77), 77, 0xFF),
       "and its scratch, not its inputs");
    ok(all_bytes_are(fetched(d1[OUT], 607), 607, 9), "and no other set's output");
    device_sets_free(&sets);
    problem_free(&p);
}

/* ---- guard zones ---------------------------------------------------------------------------- */

/* A byte in host memory, beside a buffer or in an input: is it seen, by this name, and once? */
static void host_byte_is_seen(problem *p, int buffer, long at, const char *expected)
{
    char reason[RESULT_TEXT] = "";
    unsigned char *byte = (unsigned char *)p->buffer[buffer].host + at;
    ok(problem_is_whole(&odd_lab, p, reason), "host: nothing has happened");
    *byte ^= 1;
    bool whole = problem_is_whole(&odd_lab, p, reason);
    if (!ok(!whole && strcmp(reason, expected) == 0, "host: %s", expected))
        printf("#   got %s\n", reason);
    ok(problem_is_whole(&odd_lab, p, reason), "host: and is mended");
}

static void device_byte_is_seen(const device_sets *sets, int buffer, long at, const char *expected)
{
    char reason[RESULT_TEXT] = "";
    void *d[LAB_MAX_BUFFERS];
    device_sets_buffers(sets, 0, d);
    unsigned char *byte = (unsigned char *)d[buffer] + at, value;
    CUDA_CHECK(cudaMemcpy(&value, byte, 1, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaMemset(byte, value ^ 1, 1));
    bool whole = device_sets_are_whole(sets, 0, reason);
    if (!ok(!whole && strcmp(reason, expected) == 0, "device: %s", expected))
        printf("#   got %s\n", reason);
    ok(device_sets_are_whole(sets, 0, reason), "device: and is mended");
}

static void test_guards(void)
{
    device_sets sets;
    problem p = problem_create(&odd_lab, (extent){101, 3, 0}, 42);
    device_sets_create(&sets, &p, 0);
    host_byte_is_seen(&p, OUT, 607, "wrote behind buffer out: byte 607 of 607");
    host_byte_is_seen(&p, RIGHT, 603 + 4095, "wrote behind buffer right: byte 4698 of 603");
    host_byte_is_seen(&p, LEFT, -1, "wrote before buffer left: byte -1");
    host_byte_is_seen(&p, SCRATCH, -4096, "wrote before buffer scratch: byte -4096");
    host_byte_is_seen(&p, RIGHT, 602, "wrote to the input right");
    host_byte_is_seen(&p, LEFT, 8, "wrote to the input left");
    device_byte_is_seen(&sets, OUT, 607, "wrote behind buffer out: byte 607 of 607");
    device_byte_is_seen(&sets, SCRATCH, 77 + 4095, "wrote behind buffer scratch: byte 4172 of 77");
    device_byte_is_seen(&sets, LEFT, -1, "wrote before buffer left: byte -1");
    device_byte_is_seen(&sets, RIGHT, 0, "wrote to the input right");
    device_sets_free(&sets);
    problem_free(&p);
}

/* Where a tool looks for oversteps, nothing lies between a buffer's end and its allocation's. */
static void test_exact(void)
{
    char reason[RESULT_TEXT];
    device_sets sets;
    setenv("EXACT_BUFFERS", "1", 1);
    problem p = problem_create(&odd_lab, (extent){101, 3, 0}, 42);
    device_sets_create(&sets, &p, 0);
    ok(device_memory_start(&sets.memory[0][OUT]) == sets.memory[0][OUT].base,
       "EXACT_BUFFERS: an allocation starts with its buffer");
    unsigned char byte[2];
    ok(cudaMemcpy(byte, sets.memory[0][OUT].base + 606, 2, cudaMemcpyDeviceToHost) != cudaSuccess,
       "and ends with it");
    (void)cudaGetLastError();
    ok(device_sets_are_whole(&sets, 0, reason) && problem_is_whole(&odd_lab, &p, reason),
       "nothing is found then");
    device_sets_free(&sets);
    problem_free(&p);
    unsetenv("EXACT_BUFFERS");
}

/* Half the address space: no device has it. */
static void huge_layout(problem *p)
{
    problem_add_buffer(p, "out", BUFFER_OUTPUT, SIZE_MAX / 2 - 1024);
}

static void test_no_room(void)
{
    device_sets sets;
    problem p = {.width = 1, .height = 1};
    huge_layout(&p);
    ok(!device_sets_create(&sets, &p, 0), "a problem that the device has no room for");
    ok(sets.memory[0][0].base == NULL && sets.flush == NULL, "leaves nothing allocated");
    ok(cudaGetLastError() == cudaSuccess, "and no error behind");
}

int main(void)
{
    test_host();
    test_sets("hot", 0, 1, 1, false);
    test_sets("three sets", 3 * 906 - 1, 3, 3, false);
    test_sets("one byte more than two sets", 2 * 906 + 1, 3, 3, false);
    test_sets("seven sets", 7 * 906, 7, 8, false);
    test_sets("a cache too large for rotating", SETS_MAX * 906 + 1000, 2, SETS_MAX, true);
    test_copies();
#ifndef __SANITIZE_ADDRESS__ /* which gives every buffer its exact length */
    test_guards();
    test_exact();
#endif
    test_no_room();
    return done_testing();
}
