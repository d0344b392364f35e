#include "sweep_case.h"
#include "check.h"
#include "host.h"
#include "variant.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>

static bool is_cpu(const sweep_case *c)
{
    return c->variant->kind == VARIANT_CPU;
}

void case_finish(sweep_case *c, const char *status, const char *note)
{
    snprintf(c->row.status, sizeof c->row.status, "%s", status);
    if (note)
        snprintf(c->row.note, sizeof c->row.note, "%s", note);
    c->state = CASE_DONE;
}

/* ---- can it run ----------------------------------------------------------------------------- */

/* Why the case cannot run here, or NULL. */
static const char *refusal(const sweep_case *c, const problem *p)
{
    static char text[128];
    const variant *v = c->variant;
    const struct cudaDeviceProp *device = &c->device->properties;
    if (!v->run) {
        snprintf(text, sizeof text, "needs %s, which this build lacks", v->needs);
        return text;
    }
    const char *reason = variant_refuses_capability(v, device->major, device->minor);
    if (reason)
        return reason;
    if (c->cpu_threads > omp_get_thread_limit()) {
        snprintf(text, sizeof text, "OMP_THREAD_LIMIT is %d", omp_get_thread_limit());
        return text;
    }
    dim3 block = c->launch.block;
    reason = v->refuse ? v->refuse(p, block) : NULL;
    if (!reason && v->kind == VARIANT_GPU)
        reason = device_refuses_launch(c->device, variant_kernel(v, block), block,
                                       variant_shared_bytes(v, p, block));
    return reason;
}

static void describe_resources(sweep_case *c, const problem *p)
{
    dim3 block = c->launch.block;
    kernel_resources r = device_kernel_resources(c->device, variant_kernel(c->variant, block),
                                                 block, variant_shared_bytes(c->variant, p, block));
    c->row.registers = r.registers;
    c->row.shared_bytes = r.shared_bytes;
    c->row.local_bytes = r.local_bytes;
    c->row.constant_bytes = r.constant_bytes;
    c->row.blocks_per_sm = r.blocks_per_sm;
    c->row.warps_per_sm = r.warps_per_sm;
    c->row.threads_per_sm = r.threads_per_sm;
    c->row.occupancy = r.occupancy;
    snprintf(c->row.limiter, sizeof c->row.limiter, "%s", r.limiter);
}

/* ---- is it right ---------------------------------------------------------------------------- */

/* Gives OpenMP the case's number of threads; returns the number that it had, to be restored. */
static int set_threads(const sweep_case *c)
{
    int before = omp_get_max_threads();
    if (c->cpu_threads)
        omp_set_num_threads(c->cpu_threads);
    return before;
}

/* Runs the case once over poisoned outputs, which end up in host memory. Returns its seconds. */
static double run_once(const sweep_case *c, const problem *p, const device_sets *sets)
{
    void *buffers[LAB_MAX_BUFFERS];
    launch l = c->launch;
    l.buffer = buffers;
    problem_poison_host(p);
    if (is_cpu(c)) {
        problem_host_buffers(p, buffers);
        int threads = set_threads(c);
        double start = host_seconds();
        c->variant->run(p, &l);
        double seconds = host_seconds() - start;
        omp_set_num_threads(threads);
        return seconds;
    }
    device_sets_buffers(sets, p, 0, buffers);
    device_sets_poison(sets, p, l.stream);
    if (c->variant->prepare)
        c->variant->prepare(p, &l);
    CUDA_CHECK(cudaStreamSynchronize(l.stream));
    double start = host_seconds();
    c->variant->run(p, &l);
    CUDA_CHECK(cudaStreamSynchronize(l.stream));
    double seconds = host_seconds() - start;
    device_sets_copy_out(sets, p, l.stream);
    CUDA_CHECK(cudaStreamSynchronize(l.stream));
    return seconds;
}

/* Checks what lies in the host buffers; a wrong result finishes the row. */
static bool is_right(sweep_case *c, const problem *p, const char *when)
{
    char note[RESULT_TEXT];
    check_result checked = c->lab->check(p, c->variant);
    c->row.max_error = checked.max_error;
    c->row.tolerance = checked.tolerance;
    if (check_passed(&checked)) {
        if (checked.note[0])
            snprintf(c->row.note, sizeof c->row.note, "%s", checked.note);
        return true;
    }
    check_explain(&checked);
    snprintf(note, sizeof note, "%s%s", checked.note, when);
    case_finish(c, "wrong", note);
    return false;
}

double case_check(sweep_case *c, const problem *p, const device_sets *sets)
{
    const variant *v = c->variant;
    const char *reason = refusal(c, p);
    if (reason) {
        case_finish(c, "skipped", reason);
        return NAN;
    }
    size_t workspace = v->workspace_bytes ? v->workspace_bytes(p) : 0;
    if (workspace && cudaMalloc(&c->launch.workspace, workspace) != cudaSuccess) {
        (void)cudaGetLastError(); /* handled here: the case is skipped */
        c->launch.workspace = NULL;
        case_finish(c, "skipped", "the device has no room for the workspace");
        return NAN;
    }
    c->launch.kernel = variant_kernel(v, c->launch.block);
    c->launch.shared_bytes = variant_shared_bytes(v, p, c->launch.block);
    c->lab->work(p, &c->row.bytes, &c->row.flops);
    if (v->kind == VARIANT_GPU)
        describe_resources(c, p);
    double seconds = run_once(c, p, sets);
    if (!is_right(c, p, ""))
        return NAN;
    case_finish(c, "ok", NULL);
    return seconds;
}

/* ---- how long does it take ------------------------------------------------------------------ */

static void set_times(result *row, const samples *list)
{
    summary times = samples_summarise(list);
    row->trials = times.count;
    row->time_s = times.median;
    row->time_min_s = times.min;
    row->time_q1_s = times.q1;
    row->time_q3_s = times.q3;
    row->time_max_s = times.max;
}

void case_set_emulated_time(sweep_case *c, double seconds)
{
    samples once = {0};
    samples_add(&once, seconds);
    set_times(&c->row, &once);
    samples_free(&once);
}

/* The median of a few runs; of one where a run takes long. */
bool case_time_end_to_end(sweep_case *c, const problem *p, transfer *t)
{
    enum { MOST = 5 };
    const double enough = 0.1; /* seconds in all */
    samples list = {0};
    double spent = 0;
    while (list.count == 0 || (list.count < MOST && spent < enough)) {
        double seconds = transfer_run(t, c->variant, &c->launch);
        spent += seconds;
        samples_add(&list, seconds);
    }
    bool right = is_right(c, p, " (it was right in device memory)");
    if (right)
        c->row.end_to_end_s = samples_summarise(&list).median;
    samples_free(&list);
    return right;
}

void case_start_timer(sweep_case *c, const problem *p, device_sets *sets, double seconds, bool hot)
{
    c->timer = is_cpu(c) ? timer_create_cpu(p, c->variant, &c->launch, seconds)
                         : timer_create_gpu(p, c->variant, &c->launch, sets, hot);
    c->state = CASE_TIMED;
}

void case_sample(sweep_case *c)
{
    int threads = set_threads(c);
    timer_sample(&c->timer);
    omp_set_num_threads(threads);
}

void case_end_timer(sweep_case *c, const problem *p, const device_sets *sets)
{
    run_once(c, p, sets);
    if (is_right(c, p, " (it was right before)"))
        set_times(&c->row, &c->timer.samples);
    else
        c->row.end_to_end_s = NAN;
    timer_free(&c->timer);
    c->state = CASE_DONE;
}

void case_abandon_timer(sweep_case *c)
{
    timer_free(&c->timer);
    c->state = CASE_NEW;
}

void case_free(sweep_case *c)
{
    if (c->launch.workspace)
        CUDA_CHECK(cudaFree(c->launch.workspace));
    c->launch.workspace = NULL;
}
