/*
 * test_buffers.c - a problem's host memory, and its sets of device buffers: where they lie, what is
 * in them, that together they are larger than the cache, and that a byte written beside one is
 * seen.
 */
#define _POSIX_C_SOURCE 200809L /* setenv */

#include "fixture.h"
#include "tap.h"

#include <stdint.h>

enum { LEFT, RIGHT, RESULT, SCRATCH, N_BUFFERS };
enum { LONG = (1 << 20) + 303, INPUTS = LONG + 603 }; /* of a long input the ends are compared */

static const buffer_spec odd_lengths[N_BUFFERS] = {{"left", BUFFER_INPUT, LONG},
                                                   {"right", BUFFER_RESIDENT, 603},
                                                   {"out", BUFFER_OUTPUT, 607},
                                                   {"scratch", BUFFER_SCRATCH, 77}};

static problem odd_problem(void)
{
    return fixture_problem(odd_lengths, N_BUFFERS);
}

/* ---- host ----------------------------------------------------------------------------------- */

static void *first_byte(const problem *p)
{
    unsigned char *copy = malloc(1);
    *copy = *(unsigned char *)p->buffer[LEFT].host;
    return copy;
}

static void test_host(void)
{
    void *pointers[LAB_MAX_BUFFERS] = {NULL};
    const lab with_reference = {FIXTURE, .reference = first_byte};
    fixture_table(odd_lengths, N_BUFFERS);
    problem p = problem_create(&with_reference, (extent){1, 1, 0}, 42);
    int as_asked = p.buffers == N_BUFFERS;
    problem_host_buffers(&p, pointers);
    for (int i = 0; i < p.buffers; i++)
        as_asked = as_asked && p.buffer[i].bytes == odd_lengths[i].bytes &&
                   (uintptr_t)p.buffer[i].host % 256 == 0 && pointers[i] == p.buffer[i].host;
    ok(as_asked, "buffers of the lab's sizes, 256-byte aligned, for a launch in layout's order");
    ok(problem_bytes(&fixture_lab, (extent){1, 1, 0}) == INPUTS + 607 + 77, "bytes of all of them");
    ok(*(unsigned char *)p.reference == pattern(LEFT, 0), "inputs are there for the reference");

    memset(p.buffer[SCRATCH].host, 1, 77);
    problem_poison_host(&p);
    ok(is_all(&p, RESULT, p.buffer[RESULT].host, 0xFF), "poison fills every byte of the output");
    ok(is_all(&p, LEFT, p.buffer[LEFT].host, AS_FILLED) &&
           is_all(&p, SCRATCH, p.buffer[SCRATCH].host, 1),
       "and leaves inputs and scratch alone");
    problem_free(&p);
    ok(p.buffers == 0 && p.reference == NULL, "a freed problem is empty");
}

/* ---- device --------------------------------------------------------------------------------- */

static void test_sets(const char *name, size_t cold_bytes, int least, int most, bool flush)
{
    char reason[RESULT_TEXT];
    device_sets sets;
    problem p = odd_problem();
    bool created = device_sets_create(&sets, &p, cold_bytes);
    ok(created && sets.count >= least && sets.count <= most, "%s: %d sets", name, sets.count);
    ok((size_t)sets.count * INPUTS >= cold_bytes || sets.flush.bytes >= cold_bytes,
       "%s: the inputs of all sets exceed the cache, or there is a flush that does", name);
    ok((sets.flush.base != NULL) == flush, "%s: %s", name, flush ? "there is a flush" : "no flush");
    const problem both = {.buffer = {{.bytes = sets.flush.bytes / 2 * 2}}};
    if (flush)
        CUDA_CHECK(cudaMemset(sets.flush.base + sets.flush.bytes / 2, 5, sets.flush.bytes / 2));
    device_sets_flush(&sets, 0);
    CUDA_CHECK(cudaDeviceSynchronize());
    ok(!flush || is_all(&both, 0, sets.flush.base, 5),
       "%s: what flushes is read and written, all of it", name);
    int aligned = 1, filled = 1, distinct = 1;
    for (int set = 0; set < sets.count; set++)
        for (int i = 0; i < N_BUFFERS; i++) {
            void *memory = set_buffer(&sets, set, i);
            aligned = aligned && (uintptr_t)memory % 256 == 0;
            filled = filled && (i >= RESULT || is_all(&p, i, memory, AS_FILLED));
            distinct = distinct && (set == 0 || memory != set_buffer(&sets, 0, i));
        }
    ok(aligned, "%s: every buffer is 256-byte aligned", name);
    ok(filled, "%s: the inputs of every set are the host's", name);
    ok(distinct && set_buffer(&sets, 0, RESULT) == set_buffer(&sets, sets.count, RESULT),
       "%s: the set after the last is the first, and no other is", name);
    ok(device_sets_are_whole(&sets, 0, reason), "%s: nothing was written beside them", name);
    device_sets_free(&sets);
    ok(!sets.memory[0][0].base && !sets.flush.base && sets.count == 0, "%s: freed", name);
    problem_free(&p);
}

/* Has set 0 the host's outputs, bit for bit? */
static bool match(const device_sets *sets, const problem *p)
{
    return device_sets_bits(sets, 0, 0) == problem_bits(p, false);
}

/* Is a byte of an output that differs seen, wherever it is? */
static void test_match(void)
{
    enum { LENGTH = 100001 };
    static const buffer_spec table[] = {{"in", BUFFER_INPUT, 16}, {"out", BUFFER_OUTPUT, LENGTH}};
    static const size_t spoilt[] = {0, 1, 65535, 65536, LENGTH / 2, LENGTH - 1};
    device_sets sets;
    problem p = fixture_problem(table, COUNT(table));
    device_sets_create(&sets, &p, 0);
    unsigned char *out = set_buffer(&sets, 0, OUT);
    device_sets_copy_out(&sets, 0, 0);
    CUDA_CHECK(cudaDeviceSynchronize());
    ok(match(&sets, &p), "what was copied out is the host's");
    for (size_t i = 0; i < COUNT(spoilt); i++) {
        CUDA_CHECK(cudaMemset(out + spoilt[i], 7, 1));
        ok(!match(&sets, &p), "not if byte %zu is another", spoilt[i]);
        CUDA_CHECK(cudaMemset(out + spoilt[i], 0xFF, 1));
    }
    ok(match(&sets, &p), "all put back");
    device_sets_free(&sets);
    problem_free(&p);
}

static void test_outputs(void)
{
    device_sets sets;
    problem p = odd_problem();
    device_sets_create(&sets, &p, 3 * INPUTS);
    void *out = set_buffer(&sets, 0, RESULT), *scratch = set_buffer(&sets, 0, SCRATCH);
    void *other_out = set_buffer(&sets, 1, RESULT);
    CUDA_CHECK(cudaMemset(out, 7, 607));
    CUDA_CHECK(cudaMemset(other_out, 9, 607));
    CUDA_CHECK(cudaMemset(scratch, 8, 77));
    memset(p.buffer[SCRATCH].host, 1, 77);
    device_sets_copy_out(&sets, 0, 0);
    CUDA_CHECK(cudaDeviceSynchronize());
    ok(is_all(&p, RESULT, p.buffer[RESULT].host, 7), "copying out brings the whole output");
    ok(is_all(&p, SCRATCH, p.buffer[SCRATCH].host, 1), "and nothing else");

    device_sets_poison(&sets, 0);
    CUDA_CHECK(cudaDeviceSynchronize());
    ok(is_all(&p, RESULT, out, 0xFF) && is_all(&p, SCRATCH, scratch, 0xFF),
       "poison fills the output and the scratch of set 0");
    ok(is_all(&p, LEFT, set_buffer(&sets, 0, LEFT), AS_FILLED) && is_all(&p, RESULT, other_out, 9),
       "not its inputs, and no other set");
    device_sets_free(&sets);
    problem_free(&p);
}

/* An output and a scratch may be the first of a lab's buffers. */
static void test_first(buffer_role role)
{
    const buffer_spec table[] = {{"first", role, 607}, {"in", BUFFER_INPUT, 16}};
    const bool is_output = role == BUFFER_OUTPUT;
    device_sets sets;
    problem p = fixture_problem(table, COUNT(table));
    device_sets_create(&sets, &p, 0);
    void *first = set_buffer(&sets, 0, 0);
    CUDA_CHECK(cudaMemset(first, 7, 607));
    device_sets_poison(&sets, 0);
    ok(is_all(&p, 0, first, 0xFF), "the first buffer's poison");
    CUDA_CHECK(cudaMemset(first, 7, 607));
    ok(match(&sets, &p) == !is_output, "it is compared if it is an output");
    device_sets_copy_out(&sets, 0, 0);
    ok(is_all(&p, 0, p.buffer[0].host, is_output ? 7 : AS_FILLED), "and copied out then");
    problem_poison_host(&p);
    ok(is_all(&p, 0, p.buffer[0].host, is_output ? 0xFF : AS_FILLED), "and poisoned there");
    device_sets_free(&sets);
    problem_free(&p);
}

/* ---- guard zones ---------------------------------------------------------------------------- */

#ifndef __SANITIZE_ADDRESS__ /* which gives every buffer its exact length */
static bool are_whole(const device_sets *sets, const problem *p, bool host, char *reason)
{
    return host ? problem_is_whole(&fixture_lab, p, reason)
                : device_sets_are_whole(sets, 0, reason);
}

/* Would a kernel that adds what lies here see it in its sum, as a float and as a byte? */
static bool weighs(const unsigned char *memory)
{
    float value;
    CUDA_CHECK(cudaMemcpy(&value, memory, sizeof value, cudaMemcpyDefault));
    return value > 1e30F && *(signed char *)&value > 100;
}

/* A byte beside a buffer or in an input is changed: is it seen, by this name, and once? */
static void test_guards(void)
{
    static const struct {
        bool host;
        int buffer;
        long at;
        const char *expected;
    } cases[] = {
        {true, RESULT, 607, "wrote behind buffer out: byte 607 of 607"},
        {true, RIGHT, 603 + 4095, "wrote behind buffer right: byte 4698 of 603"},
        {true, LEFT, -1, "wrote before buffer left: byte -1"},
        {true, SCRATCH, -4096, "wrote before buffer scratch: byte -4096"},
        {true, LEFT, 0, "wrote to the input left"},
        {true, RIGHT, 602, "wrote to the input right"},
        {false, RESULT, 607, "wrote behind buffer out: byte 607 of 607"},
        {false, SCRATCH, 77 + 4095, "wrote behind buffer scratch: byte 4172 of 77"},
        {false, LEFT, -1, "wrote before buffer left: byte -1"},
        {false, LEFT, LONG - 1, "wrote to the input left"},
        {false, RIGHT, 0, "wrote to the input right"},
    };
    device_sets sets;
    problem p = odd_problem();
    device_sets_create(&sets, &p, 0);
    for (int i = 0; i < N_BUFFERS; i++) {
        const unsigned char *host = p.buffer[i].host, *device = set_buffer(&sets, 0, i);
        size_t end = p.buffer[i].bytes;
        ok(weighs(host - 4) && weighs(host + end) && weighs(device - 4) && weighs(device + end),
           "what lies beside buffer %s does not vanish in a sum", p.buffer[i].name);
    }
    for (size_t i = 0; i < COUNT(cases); i++) {
        char reason[RESULT_TEXT] = "";
        bool host = cases[i].host;
        int buffer = cases[i].buffer;
        void *start = host ? p.buffer[buffer].host : set_buffer(&sets, 0, buffer);
        unsigned char *byte = (unsigned char *)start + cases[i].at, value;
        ok(are_whole(&sets, &p, host, reason), "nothing has happened yet");
        CUDA_CHECK(cudaMemcpy(&value, byte, 1, cudaMemcpyDefault));
        value ^= 1;
        CUDA_CHECK(cudaMemcpy(byte, &value, 1, cudaMemcpyDefault));
        ok(!are_whole(&sets, &p, host, reason), "%s memory is written to",
           host ? "host" : "device");
        is(reason, cases[i].expected, "with this reason");
        ok(are_whole(&sets, &p, host, reason), "and is mended");
    }
    uint64_t *words = p.buffer[RIGHT].host, first = words[0];
    words[0] = words[1];
    words[1] = first;
    ok(!problem_is_whole(&fixture_lab, &p, (char[RESULT_TEXT]){""}),
       "words that change places are seen");
    device_sets_free(&sets);
    problem_free(&p);
}

static void test_exact(void)
{
    char reason[RESULT_TEXT];
    device_sets sets;
    setenv("EXACT_BUFFERS", "1", 1);
    problem p = odd_problem();
    device_sets_create(&sets, &p, 0);
    unsigned char *base = sets.memory[0][RESULT].base, byte[2];
    ok(device_memory_start(&sets.memory[0][RESULT]) == base,
       "EXACT_BUFFERS: an allocation starts with its buffer");
    ok(cudaMemcpy(byte, base + 606, 2, cudaMemcpyDeviceToHost) != cudaSuccess, "and ends with it");
    (void)cudaGetLastError();
    ok(device_sets_are_whole(&sets, 0, reason) && problem_is_whole(&fixture_lab, &p, reason),
       "nothing is found then");
    device_sets_free(&sets);
    problem_free(&p);
    unsetenv("EXACT_BUFFERS");
}
#endif

/* Half the address space: no device has it. */
static void test_no_room(void)
{
    device_sets sets;
    fixture_table(&(buffer_spec){"out", BUFFER_OUTPUT, SIZE_MAX / 2 - 1024}, 1);
    problem p = problem_lay_out(&fixture_lab, (extent){1, 1, 0}, 0);
    ok(problem_bytes(&fixture_lab, (extent){1, 1, 0}) > 0x1p61, "bytes of a huge problem, too");
    ok(!device_sets_create(&sets, &p, 0), "the device has no room for it");
    device_memory freed;
    ok(device_memory_create(&freed, 1000), "there is for a little");
    unsigned char *base = freed.base;
    device_memory_free(&freed);
    ok(cudaFree(base) != cudaSuccess && cudaGetLastError() != cudaSuccess, "which is freed once");
    ok(!device_memory_create(&sets.flush, SIZE_MAX), "nor for a length that zones make short");
    ok(!sets.memory[0][0].base && cudaGetLastError() == cudaSuccess,
       "which leaves nothing allocated and no error behind");
}

static void test_workspace_part(void)
{
    ok(workspace_part(0) == 0 && workspace_part(1) == 256 && workspace_part(256) == 256 &&
           workspace_part(257) == 512,
       "what lies behind a part of a workspace begins at a multiple of 256 bytes");
}

static rank_part equal_part(const problem *p, int i, int rank, int count)
{
    size_t bytes = p->buffer[i].bytes / (size_t)count;
    return (rank_part){(size_t)rank * bytes, bytes};
}

static void test_part(void)
{
    const variant divided = {.part = equal_part}, whole = {.part = NULL};
    problem p = odd_problem();
    problem part = problem_part(&p, &divided, 1, 3);
    ok(part.is_part && part.buffer[RIGHT].bytes == 201 &&
           part.buffer[RIGHT].host == (char *)p.buffer[RIGHT].host + 201 && part.width == p.width,
       "a rank's part has its bytes of each buffer, the whole's size, and says so");
    ok(!problem_part(&p, &divided, 0, 1).is_part && !problem_part(&p, &whole, 1, 3).is_part,
       "by itself, and for one GPU alone, it is the whole");
    problem_free(&p);
}

int main(void)
{
    test_host();
    test_part();
    test_workspace_part();
    test_sets("hot", 0, 1, 1, false);
    test_sets("three sets", 3 * INPUTS - 1, 3, 3, false);
    test_sets("one byte more than two sets", 2 * INPUTS + 1, 3, 3, false);
    test_sets("seven sets", 7 * INPUTS, 7, 8, false);
    test_sets("as many sets as there are", SETS_MAX * INPUTS, SETS_MAX, SETS_MAX, false);
    test_sets("a cache too large for rotating", SETS_MAX * INPUTS + 1000, 2, SETS_MAX, true);
    test_match();
    test_outputs();
    test_first(BUFFER_OUTPUT);
    test_first(BUFFER_SCRATCH);
#ifndef __SANITIZE_ADDRESS__
    test_guards();
    test_exact();
#endif
    test_no_room();
    return done_testing();
}
