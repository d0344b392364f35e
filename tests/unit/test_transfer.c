/*
 * test_transfer.c - every way for data to get to the device and back: what went in comes out, where
 * the run worked, and nothing but the outputs changed.
 */
#include "tap.h"
#include "transfer.h"

#include <math.h>
#include <string.h>

enum { IN, OUT, ROOM, BYTES = 10000 };

static void layout(problem *p)
{
    problem_add_buffer(p, "in", BUFFER_INPUT, BYTES);
    problem_add_buffer(p, "out", BUFFER_OUTPUT, BYTES);
    problem_add_buffer(p, "room", BUFFER_SCRATCH, BYTES);
}

static void fill(const problem *p)
{
    for (int i = 0; i < BYTES; i++)
        ((unsigned char *)p->buffer[IN].host)[i] = (unsigned char)(i * 7 + 1);
}

static const lab copy_lab = {
    .layout = layout,
    .fill = fill,
};
static const void *seen[LAB_MAX_BUFFERS];

/* Copies by way of the scratch buffer, as a variant of two kernels would. */
static void run_copy(const problem *p, const launch *l)
{
    (void)p;
    memcpy(seen, l->buffer, sizeof seen);
    CUDA_CHECK(
        cudaMemcpyAsync(l->buffer[ROOM], l->buffer[IN], BYTES, cudaMemcpyDefault, l->stream));
    CUDA_CHECK(
        cudaMemcpyAsync(l->buffer[OUT], l->buffer[ROOM], BYTES, cudaMemcpyDefault, l->stream));
}

static void test_mode(transfer_mode mode, const problem *p, const device_sets *sets, launch l)
{
    static const variant copier = {.name = "copier", .kind = VARIANT_GPU, .run = run_copy};
    const runner r = {&copier, p, l};
    const char *name = transfer_names[mode];
    static unsigned char back[BYTES];
    transfer t;
    void *set[LAB_MAX_BUFFERS];
    device_sets_buffers(sets, 0, set);
    const char *reason = transfer_create(&t, mode, p, sets);
    if (reason) {
        ok(t.host[IN] == NULL, "%s: cannot be here: %s", name, reason);
        return;
    }
    binding b;
    runner_bind(&r, &b, t.device, NULL);
    for (int time = 1; time <= 2; time++) {
        problem_poison_host(p);
        double seconds = transfer_run(&t, &r, &b);
        ok(seconds > 0 && seconds < 10, "%s: run %d took a time", name, time);
        ok(memcmp(p->buffer[IN].host, p->buffer[OUT].host, BYTES) == 0,
           "%s: run %d: what went in came out", name, time);
    }
    bool in_mapped = mode == TRANSFER_MAPPED || mode >= TRANSFER_UNIFIED;
    bool out_mapped = in_mapped || mode == TRANSFER_MAPPED_OUTPUT;
    ok((seen[IN] != set[IN]) == in_mapped, "%s: the input was read where it should", name);
    ok((seen[OUT] != set[OUT]) == out_mapped, "%s: the output was written where it should", name);
    memset(p->buffer[OUT].host, 0, BYTES);
    copy_times copies = transfer_time_copies(&t, l.stream);
    ok(in_mapped ? isnan(copies.in_s) : copies.in_s > 0 && copies.in_s < 10,
       "%s: the inputs' copy has a time if there is one", name);
    ok(out_mapped ? isnan(copies.out_s) : copies.out_s > 0 && copies.out_s < 10,
       "%s: so has the outputs'", name);
    CUDA_CHECK(cudaMemcpy(back, set[OUT], BYTES, cudaMemcpyDeviceToHost));
    const void *host_out = t.host[OUT] ? t.host[OUT] : p->buffer[OUT].host;
    ok(out_mapped || memcmp(host_out, back, BYTES) == 0, "%s: and did copy them", name);
    transfer_free(&t);
    ok(t.host[IN] == NULL && t.problem == NULL, "%s: freed", name);
}

int main(void)
{
    device_sets sets;
    launch l = {.stream = 0};
    problem p = problem_create(&copy_lab, (extent){100, 100, 0}, 1);
    CUDA_CHECK(cudaStreamCreateWithFlags(&l.stream, cudaStreamNonBlocking));
    ok(device_sets_create(&sets, &p, 0), "there is a set of device buffers");
    for (int mode = 0; transfer_names[mode]; mode++)
        test_mode((transfer_mode)mode, &p, &sets, l);
    device_sets_free(&sets);
    problem_free(&p);
    CUDA_CHECK(cudaStreamDestroy(l.stream));
    return done_testing();
}
