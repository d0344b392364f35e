#define _POSIX_C_SOURCE 200809L /* fdopen */

#include "judge.h"
#include "measure/buffers.h"
#include "measure/handed_in.h"
#include "measure/statistics.h"
#include "measure/timing.h"
#include "measure/variant.h"
#include "measure/workspace.h"
#include "process/die.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
    FLUSHES = 8,        /* before a run: the clocks rise, and its launch waits for no host */
    FLUSH_VALUE = 0x5A, /* what it leaves in memory that is the judge's own */
    MOST = 16           /* contestants */
};
#define OVERTIME_S 50e-6 /* that a device may be at work when all that was launched has ended */

/* One who runs, and what came of it. */
typedef struct contestant {
    const variant *variant;
    bool handed_in;
    dim3 block;
    samples times;
    const char *status; /* "ok" as long as nothing was wrong */
    char note[RESULT_TEXT];
} contestant;

/* A run of one of them. */
typedef struct trial {
    const lab *lab;
    const device *device;
    contestant *who;
    problem *problem;
    cudaStream_t stream;
    device_sets sets;
    device_memory workspace, flush;
    runner runner;
    binding binding;
    double seconds, overtime;
} trial;

static void finish(contestant *who, const char *status, const char *note)
{
    who->status = status;
    if (note != who->note)
        snprintf(who->note, sizeof who->note, "%s", note);
}

/* ---- one run -------------------------------------------------------------------------------- */

/* Its kernels, and whether they can run. */
static bool settle(trial *t)
{
    contestant *who = t->who;
    const variant *v = who->variant;
    const struct cudaDeviceProp *d = &t->device->properties;
    launch *l = &t->runner.launch;
    const void *kernel;
    t->runner = (runner){.variant = v, .problem = t->problem};
    l->block = who->block;
    l->stream = t->stream;
    if (who->handed_in)
        handed_in_reload();
    if (who->handed_in && !handed_in_bind(v, l->block, who->note)) {
        finish(who, "failed", who->note);
        return false;
    }
    handed_in_use(who->handed_in);
    if (!v->run || variant_refuses(v, t->problem, l->block, d->major, d->minor, who->note)) {
        finish(who, "skipped", v->run ? who->note : "is not in this build");
        return false;
    }
    l->kernel = variant_kernel(v, l->block, 0);
    l->shared_bytes = variant_shared_bytes(v, t->problem, l->block);
    for (int i = 0; (kernel = variant_kernel(v, l->block, i)); i++)
        if (!device_can_launch(t->device, kernel, l->block, i ? 0 : l->shared_bytes, who->note)) {
            finish(who, "skipped", who->note);
            return false;
        }
    return true;
}

static void open_memory(trial *t)
{
    void *buffers[LAB_MAX_BUFFERS];
    const size_t need = workspace_need(t->who->variant, t->problem);
    const size_t cache = t->device->emulated ? 1 : (size_t)t->device->properties.l2CacheSize;
    if (!device_sets_create(&t->sets, t->problem, 0) ||
        !device_memory_create(&t->flush, 3 * cache) ||
        (need && !device_memory_create(&t->workspace, need)))
        die_bad_input("--judge: the device has no room");
    if (need) {
        t->runner.launch.workspace = device_memory_start(&t->workspace);
        CUDA_CHECK(cudaMemsetAsync(t->runner.launch.workspace, 0xFF, need, t->stream));
        device_memory_guard(&t->workspace, need, t->stream);
    }
    device_memory_guard(&t->flush, t->flush.bytes, t->stream);
    device_sets_buffers(&t->sets, 0, buffers);
    runner_bind(&t->runner, &t->binding, buffers);
}

/* Seconds between events around one run, with nothing of its data in the cache. */
static void take_time(trial *t)
{
    cudaEvent_t start, stop;
    float milliseconds = 0;
    CUDA_CHECK(cudaEventCreate(&start));
    CUDA_CHECK(cudaEventCreate(&stop));
    runner_prepare(&t->runner, &t->binding);
    problem_poison_host(t->problem);
    device_sets_poison(&t->sets, t->stream);
    for (int i = 0; i < FLUSHES; i++)
        CUDA_CHECK(cudaMemsetAsync(device_memory_start(&t->flush), FLUSH_VALUE, t->flush.bytes,
                                   t->stream));
    CUDA_CHECK(cudaEventRecord(start, t->stream));
    run_variant(&t->runner, &t->binding);
    CUDA_CHECK(cudaEventRecord(stop, t->stream));
    CUDA_CHECK(cudaEventSynchronize(stop));
    t->overtime = device_overtime();
    CUDA_CHECK(cudaEventElapsedTime(&milliseconds, start, stop));
    t->seconds = 1e-3 * (double)milliseconds;
    CUDA_CHECK(cudaEventDestroy(start));
    CUDA_CHECK(cudaEventDestroy(stop));
}

/* Does this memory hold what the host has, or where that is NULL the flush's value? All of it. */
static bool holds(trial *t, const void *device, const unsigned char *host, size_t bytes)
{
    static unsigned char back[1 << 20];
    for (size_t done = 0, part; done < bytes; done += part) {
        part = bytes - done < sizeof back ? bytes - done : sizeof back;
        CUDA_CHECK(cudaMemcpyAsync(back, (const char *)device + done, part, cudaMemcpyDeviceToHost,
                                   t->stream));
        CUDA_CHECK(cudaStreamSynchronize(t->stream));
        for (size_t i = 0; !host && i < part; i++)
            if (back[i] != FLUSH_VALUE)
                return false;
        if (host && memcmp(back, host + done, part) != 0)
            return false;
    }
    return true;
}

static bool left_all_alone(trial *t, char reason[RESULT_TEXT])
{
    const problem *p = t->problem;
    if (!device_sets_are_whole(&t->sets, t->stream, reason) ||
        !device_memory_is_whole(&t->flush, t->flush.bytes, "the judge's memory", t->stream, reason))
        return false;
    if (t->workspace.base && !device_memory_is_whole(&t->workspace, t->workspace.bytes,
                                                     "the workspace", t->stream, reason))
        return false;
    for (int i = 0; i < p->buffers; i++) {
        bool input = p->buffer[i].role == BUFFER_INPUT || p->buffer[i].role == BUFFER_RESIDENT;
        if (!input || holds(t, device_memory_start(&t->sets.memory[0][i]), p->buffer[i].host,
                            p->buffer[i].bytes))
            continue;
        snprintf(reason, RESULT_TEXT, "wrote to the input %s", p->buffer[i].name);
        return false;
    }
    if (holds(t, device_memory_start(&t->flush), NULL, t->flush.bytes))
        return true;
    snprintf(reason, RESULT_TEXT, "wrote to the judge's memory");
    return false;
}

/* The expected output is worked out when the run has ended, so that nothing can read it. */
static void judge_output(trial *t)
{
    problem *p = t->problem;
    contestant *who = t->who;
    device_sets_copy_out(&t->sets, 0, t->stream);
    CUDA_CHECK(cudaStreamSynchronize(t->stream));
    if (!left_all_alone(t, who->note)) {
        finish(who, "wrong", who->note);
        return;
    }
    if (t->lab->reference && !p->reference)
        p->reference = t->lab->reference(p);
    check_result checked = t->lab->check(p, who->variant);
    if (!check_passed(&checked)) {
        check_explain(&checked);
        finish(who, "wrong", checked.note);
    } else if (!t->device->emulated && t->overtime > OVERTIME_S) {
        finish(who, "wrong", "still at work when its clock had stopped");
    }
}

static void run_trial(void *context)
{
    trial *t = context;
    if (!settle(t))
        return;
    open_memory(t);
    take_time(t);
    judge_output(t);
    runner_release(&t->runner, &t->binding);
    runner_release_plan(&t->runner);
    device_sets_free(&t->sets);
    device_memory_free(&t->workspace);
    device_memory_free(&t->flush);
}

/* ---- rounds --------------------------------------------------------------------------------- */

static void take_part(trial *t, contestant *who)
{
    char failure[CUDA_FAILURE_SIZE];
    t->who = who;
    if (strcmp(who->status, "ok") != 0)
        return;
    if (cuda_context_lost())
        finish(who, "failed", cuda_context_lost());
    else if (!cuda_check_guarded(run_trial, t, t->stream, failure))
        finish(who, "failed", failure);
    else if (strcmp(who->status, "ok") == 0)
        samples_add(&who->times, t->seconds);
    *t = (trial){.lab = t->lab, .device = t->device, .stream = t->stream, .problem = t->problem};
}

/* Takes stdout for the judge: what a kernel prints goes nowhere, and is no line of the judge's. */
static FILE *own_output(void)
{
    fflush(stdout);
    FILE *own = fdopen(dup(STDOUT_FILENO), "w");
    const int nowhere = open("/dev/null", O_WRONLY);
    if (!own || nowhere < 0 || dup2(nowhere, STDOUT_FILENO) < 0)
        die_bad_input("--judge: stdout cannot be kept from what kernels print");
    close(nowhere);
    return own;
}

static void tell(const contestant *who, bool emulated, FILE *to)
{
    const summary s = summarise(who->times.values, who->times.count);
    fprintf(to, "%s %s %s", who->handed_in ? "handed_in" : "peer", who->variant->name, who->status);
    if (emulated || strcmp(who->status, "ok") != 0)
        fprintf(to, " - - -");
    else
        fprintf(to, " %.3f %.3f %.3f", 1e6 * s.median, 1e6 * s.q1, 1e6 * s.q3);
    fprintf(to, " %d %s\n", who->times.count, who->note);
}

/* A number that nobody knows before: of --seed where that is given, of the kernel's noise else. */
static uint64_t seed_of(const options *o, int round)
{
    uint64_t random = 0;
    if (o->seed != 1)
        return o->seed + (uint64_t)round;
    FILE *noise = fopen("/dev/urandom", "rb");
    if (!noise || fread(&random, sizeof random, 1, noise) != 1)
        die_bad_input("--judge: /dev/urandom gives nothing; give a --seed");
    fclose(noise);
    return random >> 12; /* as --seed has it, up to 2^53 */
}

static int contestants_of(const lab *definition, const options *o, contestant *all)
{
    int count = 0;
    for (int i = -1; i < definition->n_variants; i++)
        for (int k = 0; k < definition->n_variants && count < MOST; k++) {
            const variant *v = &definition->variants[k];
            bool wanted = i < 0 ? handed_in_is(v) : i == k && o->variants_text && o->chosen[k];
            contestant *who = &all[count];
            *who = (contestant){.variant = v, .handed_in = i < 0, .status = "ok"};
            if (wanted && v->kind == VARIANT_GPU)
                (void)variant_block(v, o->blocks.items, o->blocks.count, 0, &who->block);
            count += wanted && v->kind != VARIANT_CPU && !v->on_host;
        }
    return count;
}

int judge_run(const lab *definition, const options *o, const device *d)
{
    contestant all[MOST + 1] = {{.status = ""}};
    lab blind = *definition; /* whose problems have no expected output yet */
    int count = contestants_of(definition, o, all), status = 0;
    trial t = {.lab = definition, .device = d};
    blind.reference = NULL;
    if (count == 0 || !all[0].handed_in)
        die_bad_input("--judge is for a --kernel that was handed in");
    FILE *to = own_output();
    CUDA_CHECK(cudaStreamCreateWithFlags(&t.stream, cudaStreamNonBlocking));
    for (int round = 0; round < o->judge && strcmp(all[0].status, "ok") == 0; round++) {
        problem p = problem_create(&blind, o->sizes.items[o->sizes.count - 1], seed_of(o, round));
        t.problem = &p;
        for (int i = 0; i < count; i++)
            take_part(&t, &all[i]);
        problem_free(&p);
    }
    for (int i = 0; i < count; i++) {
        tell(&all[i], d->emulated, to);
        samples_free(&all[i].times);
    }
    fclose(to);
    if (strcmp(all[0].status, "ok") != 0)
        status = strcmp(all[0].status, "wrong") == 0 ? EXIT_WRONG_RESULT : EXIT_CUDA_ERROR;
    CUDA_RELEASE(cudaStreamDestroy(t.stream));
    return status;
}
