/*
 * test_transfer.c - every way for data to get to the device and back: what went in comes out, where
 * the run worked, and nothing but the outputs changed.
 */
#include "data/transfer.h"
#include "fixture.h"
#include "machine/host.h"
#include "tap.h"

#include <math.h>

enum { ROOM = OUT + 1, TABLE, MORE, BYTES = 10000 };

static const void *seen[LAB_MAX_BUFFERS];

/*
 * The test's own clock: from a reading to the next it takes 0, 1, 0, 4, 0, 9 ... units, and each
 * time it looks at where the output shall come to.
 */
static int readings;
static const unsigned char *watched;
static unsigned char there[2];

static double steady; /* units of each interval; 0: each is longer than the one before */

double host_seconds(void)
{
    static double now;
    int k = ++readings / 2;
    there[readings % 2] = watched ? *watched : 0;
    return now += readings % 2 ? 0 : 1e-4 * (steady > 0 ? steady : k * k);
}

static int read_before; /* how often the clock had been read when the stream came to it */

static void note_readings(void *unused)
{
    (void)unused;
    read_before = readings;
}

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

/* Did it take so many units? None are NaN. */
static bool took(double seconds, double units)
{
    return units ? fabs(seconds - 1e-4 * units) < 1e-9 : isnan(seconds);
}

static bool is_in_mapped(transfer_mode mode)
{
    return mode == TRANSFER_MAPPED || mode >= TRANSFER_UNIFIED;
}

/* Is it the set's buffer, or a part of it? */
static bool is_of(const void *address, const device_sets *sets, int buffer)
{
    const char *start = set_buffer(sets, 0, buffer);
    return (const char *)address >= start && (const char *)address < start + BYTES;
}

static void test_mode(transfer_mode mode, const problem *p, const device_sets *sets, launch l)
{
    static const variant copier = {.name = "copier", .kind = VARIANT_GPU, .run = run_copy};
    runner r = {&copier, p, l};
    const char *name = transfer_names[mode];
    static unsigned char back[BYTES];
    transfer t;
    const char *reason = transfer_create(&t, mode, p, sets);
    if (reason) {
        ok(t.host[IN] == NULL, "%s: cannot be here: %s", name, reason);
        return;
    }
    binding b;
    runner_bind(&r, &b, t.device);
    ok((t.host[IN] != NULL) == (mode != TRANSFER_PAGEABLE) && !t.host[TABLE] &&
           (t.host[ROOM] != NULL) == (mode >= TRANSFER_UNIFIED) &&
           t.device[TABLE] == set_buffer(sets, 0, TABLE),
       "%s: memory of its kind, but for what is resident", name);
    unsigned char *in = t.host[IN] ? t.host[IN] : p->buffer[IN].host;
    watched = t.host[OUT] ? t.host[OUT] : p->buffer[OUT].host;
    CUDA_CHECK(cudaMemset(set_buffer(sets, 0, MORE), 0, BYTES));
    CUDA_CHECK(cudaDeviceSynchronize()); /* the launch's stream does not wait for it */
    for (int time = 1; time <= 2; time++) {
        problem_poison_host(p);
        for (int i = 0; i < BYTES && !is_in_mapped(mode); i++)
            in[i] ^= (unsigned char)time; /* no earlier copy brought these in */
        readings = 0;
        CUDA_CHECK(cudaLaunchHostFunc(l.stream, note_readings, NULL));
        ok(took(transfer_run(&t, &r, &b), 1) && there[1] == 0xFF && there[0] == in[0],
           "%s: run %d is timed from before the copy in to behind the copy out", name, time);
        ok(memcmp(in, p->buffer[OUT].host, BYTES) == 0, "%s: run %d: what went in came out", name,
           time);
        ok(read_before == 0, "%s: run %d: nor has its time what was in the stream", name, time);
    }
    bool in_mapped = is_in_mapped(mode);
    bool out_mapped = in_mapped || mode == TRANSFER_MAPPED_OUTPUT;
    ok(is_of(seen[IN], sets, IN) == !in_mapped && is_of(seen[OUT], sets, OUT) == !out_mapped &&
           (seen[IN] != set_buffer(sets, 0, IN)) == (in_mapped || mode == TRANSFER_OVERLAPPED),
       "%s: it was read and written where it should", name);
    memset(p->buffer[OUT].host, 0, BYTES);
    readings = 0;
    copy_times copies = transfer_time_copies(&t, l.stream);
    ok(took(copies.in_s, in_mapped ? 0 : 56.5), "%s: the inputs' noisy copy: 14, for 0.1 s", name);
    ok(took(copies.out_s, out_mapped ? 0 : 272.5), "%s: of the outputs' four", name);
    ok(in_mapped || fabs(copies.noise - 97.5 / 56.5) < 1e-9, "%s: the inputs' are noisier", name);
    for (int k = 0; k < 2; k++) {
        readings = 0;
        steady = k ? 2000 : 1;
        copies = transfer_time_copies(&t, l.stream);
        ok(took(copies.in_s, in_mapped ? 0 : steady) &&
               took(copies.out_s, out_mapped ? 0 : steady) &&
               readings == 2 * (k ? 3 : 5) * (!in_mapped + !out_mapped),
           "%s: of steady copies %s do", name, k ? "that take long three" : "five");
    }
    steady = 0;
    ok(is_all(p, MORE, t.device[MORE], AS_FILLED), "%s: all inputs are copied", name);
    CUDA_CHECK(cudaMemcpy(back, set_buffer(sets, 0, OUT), BYTES, cudaMemcpyDeviceToHost));
    const void *host_out = t.host[OUT] ? t.host[OUT] : p->buffer[OUT].host;
    ok(out_mapped || memcmp(host_out, back, BYTES) == 0, "%s: and did copy them", name);
    transfer_free(&t);
    ok(t.host[IN] == NULL && t.problem == NULL, "%s: freed", name);
}

/* As much as is free is more than managed memory may be. */
static void test_no_room(const device_sets *sets)
{
    size_t free_bytes, total_bytes;
    transfer t;
    CUDA_CHECK(cudaMemGetInfo(&free_bytes, &total_bytes));
    fixture_table(&(buffer_spec){"in", BUFFER_INPUT, free_bytes}, 1);
    problem p = problem_lay_out(&fixture_lab, (extent){1, 1, 0}, 0);
    const char *reason = transfer_create(&t, TRANSFER_UNIFIED, &p, sets);
    ok(reason && strstr(reason, "managed memory"), "no room for managed memory: %s", reason);
}

int main(void)
{
    static const buffer_spec table[] = {{"in", BUFFER_INPUT, BYTES},
                                        {"out", BUFFER_OUTPUT, BYTES},
                                        {"room", BUFFER_SCRATCH, BYTES},
                                        {"table", BUFFER_RESIDENT, BYTES},
                                        {"more", BUFFER_INPUT, BYTES}};
    device_sets sets;
    launch l = {.stream = 0};
    problem p = fixture_problem(table, COUNT(table));
    p.width = BYTES;
    p.elementwise = true;
    CUDA_CHECK(cudaStreamCreateWithFlags(&l.stream, cudaStreamNonBlocking));
    ok(device_sets_create(&sets, &p, 0), "there is a set of device buffers");
    for (int mode = 0; mode <= TRANSFER_UNIFIED_PREFETCH; mode++)
        test_mode((transfer_mode)mode, &p, &sets, l);
    p.elementwise = false;
    ok(transfer_create(&(transfer){0}, TRANSFER_OVERLAPPED, &p, &sets) != NULL,
       "what is no vector of elements is not cut into parts");
    test_no_room(&sets);
    device_sets_free(&sets);
    problem_free(&p);
    CUDA_CHECK(cudaStreamDestroy(l.stream));
    return done_testing();
}
