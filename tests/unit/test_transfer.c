/*
 * test_transfer.c - every way for data to get to the device and back: what went in comes out, where
 * the run worked, and nothing but the outputs changed.
 */
#include "fixture.h"
#include "tap.h"
#include "transfer.h"

#include <math.h>

enum { ROOM = OUT + 1, BYTES = 10000 };

static const void *seen[LAB_MAX_BUFFERS];

/* Copies by way of the scratch buffer, as a variant of two kernels would. */
static void run_copy(const problem *p, const launch *l)
{
    void *const first[] = {l->buffer[IN], l->buffer[ROOM]};
    void *const second[] = {l->buffer[ROOM], l->buffer[OUT]};
    launch half = *l;
    memcpy(seen, l->buffer, sizeof seen);
    half.buffer = first;
    fixture_copy(p, &half);
    half.buffer = second;
    fixture_copy(p, &half);
}

static bool is_a_time(double seconds)
{
    return seconds > 0 && seconds < 10;
}

static bool is_in_mapped(transfer_mode mode)
{
    return mode == TRANSFER_MAPPED || mode >= TRANSFER_UNIFIED;
}

static void test_mode(transfer_mode mode, const problem *p, const device_sets *sets, launch l)
{
    static const variant copier = {.name = "copier", .kind = VARIANT_GPU, .run = run_copy};
    const runner r = {&copier, p, l};
    const char *name = transfer_names[mode];
    static unsigned char back[BYTES];
    transfer t;
    const char *reason = transfer_create(&t, mode, p, sets);
    if (reason) {
        ok(t.host[IN] == NULL, "%s: cannot be here: %s", name, reason);
        return;
    }
    binding b;
    runner_bind(&r, &b, t.device, NULL);
    unsigned char *in = t.host[IN] ? t.host[IN] : p->buffer[IN].host;
    for (int time = 1; time <= 2; time++) {
        problem_poison_host(p);
        for (int i = 0; i < BYTES && !is_in_mapped(mode); i++)
            in[i] ^= (unsigned char)time; /* no earlier copy brought these in */
        ok(is_a_time(transfer_run(&t, &r, &b)), "%s: run %d took a time", name, time);
        ok(memcmp(in, p->buffer[OUT].host, BYTES) == 0, "%s: run %d: what went in came out", name,
           time);
    }
    bool in_mapped = is_in_mapped(mode);
    bool out_mapped = in_mapped || mode == TRANSFER_MAPPED_OUTPUT;
    ok((seen[IN] != set_buffer(sets, 0, IN)) == in_mapped &&
           (seen[OUT] != set_buffer(sets, 0, OUT)) == out_mapped,
       "%s: it was read and written where it should", name);
    memset(p->buffer[OUT].host, 0, BYTES);
    copy_times copies = transfer_time_copies(&t, l.stream);
    ok(in_mapped ? isnan(copies.in_s) : is_a_time(copies.in_s),
       "%s: the inputs' copy has a time if there is one", name);
    ok(out_mapped ? isnan(copies.out_s) : is_a_time(copies.out_s), "%s: so has the outputs'", name);
    CUDA_CHECK(cudaMemcpy(back, set_buffer(sets, 0, OUT), BYTES, cudaMemcpyDeviceToHost));
    const void *host_out = t.host[OUT] ? t.host[OUT] : p->buffer[OUT].host;
    ok(out_mapped || memcmp(host_out, back, BYTES) == 0, "%s: and did copy them", name);
    transfer_free(&t);
    ok(t.host[IN] == NULL && t.problem == NULL, "%s: freed", name);
}

int main(void)
{
    static const buffer_spec table[] = {{"in", BUFFER_INPUT, BYTES},
                                        {"out", BUFFER_OUTPUT, BYTES},
                                        {"room", BUFFER_SCRATCH, BYTES}};
    device_sets sets;
    launch l = {.stream = 0};
    problem p = fixture_problem(table, COUNT(table));
    CUDA_CHECK(cudaStreamCreateWithFlags(&l.stream, cudaStreamNonBlocking));
    ok(device_sets_create(&sets, &p, 0), "there is a set of device buffers");
    for (int mode = 0; transfer_names[mode]; mode++)
        test_mode((transfer_mode)mode, &p, &sets, l);
    device_sets_free(&sets);
    problem_free(&p);
    CUDA_CHECK(cudaStreamDestroy(l.stream));
    return done_testing();
}
