#include "variant.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const void *variant_kernel(const variant *v, dim3 block, int i)
{
    if (i == 0)
        return v->kernel_for ? v->kernel_for(block) : v->kernel;
    return v->more_kernels ? v->more_kernels[i - 1] : NULL;
}

size_t variant_shared_bytes(const variant *v, const problem *p, dim3 block)
{
    return v->shared_bytes ? v->shared_bytes(p, block) : 0;
}

bool variant_refuses(const variant *v, const problem *p, dim3 block, int major, int minor,
                     char reason[RESULT_TEXT])
{
    const int capability = major * 10 + minor;
    char *suffix = ""; /* of "sm_90a" */
    int least = v->architecture ? (int)strtol(v->architecture + strlen("sm_"), &suffix, 10) : 0;
    bool alone = *suffix == 'a';
    bool other = v->architecture && (capability < least || (alone && capability > least));
    const char *refused = !other && v->refuse ? v->refuse(p, block) : NULL;
    if (other)
        snprintf(reason, RESULT_TEXT, "needs compute capability %d.%d%s", least / 10, least % 10,
                 alone ? " and no later one" : "");
    else if (refused)
        snprintf(reason, RESULT_TEXT, "%s", refused);
    return refused || other;
}

bool variant_block(const variant *v, const dim3 *chosen, int count, int i, dim3 *block)
{
    if (i >= (v->own_block ? 1 : count))
        return false;
    *block = v->own_block ? (dim3){(unsigned)v->own_block, 1, 1} : chosen[i];
    return true;
}

bool variant_is_on_host(const variant *v)
{
    return v->kind == VARIANT_CPU || v->on_host;
}

bool variant_is_one_thread(const variant *v)
{
    return v->role == ROLE_SERIAL || v->role == ROLE_TUNED;
}

static const char *const roles[] = {"", "serial", "tuned", "scales", "yardstick"};

result variant_row(const lab *definition, const variant *v, const char *kind, const char *machine,
                   const char *parameters, extent size, dim3 block)
{
    result row = result_empty();
    snprintf(row.lab, sizeof row.lab, "%s", definition->name);
    snprintf(row.variant, sizeof row.variant, "%s", v->name);
    snprintf(row.kind, sizeof row.kind, "%s", kind);
    snprintf(row.role, sizeof row.role, "%s", roles[v->role]);
    snprintf(row.machine, sizeof row.machine, "%s", machine);
    snprintf(row.parameters, sizeof row.parameters, "%s", parameters);
    row.width = size.width;
    row.height = size.height;
    row.depth = size.depth > 0 ? size.depth : -1;
    if (v->kind == VARIANT_GPU) {
        row.block_x = (int)block.x;
        row.block_y = (int)block.y;
        row.threads_per_block = (int)(block.x * block.y);
    }
    return row;
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

void variant_add_kernel(result *row, const kernel_figures *figures, size_t dynamic_shared_bytes,
                        const occupancy *o)
{
    row->registers = larger(row->registers, figures->registers);
    row->shared_bytes =
        larger(row->shared_bytes, figures->shared_bytes + (int)dynamic_shared_bytes);
    row->local_bytes = larger(row->local_bytes, figures->local_bytes);
    row->constant_bytes = larger(row->constant_bytes, figures->constant_bytes);
    if (o->share >= row->occupancy)
        return;
    row->blocks_per_sm = o->blocks_per_sm;
    row->warps_per_sm = o->warps_per_sm;
    row->threads_per_sm = o->threads_per_sm;
    row->occupancy = o->share;
    snprintf(row->limiter, sizeof row->limiter, "%s", o->limiter);
}

/* ---- running -------------------------------------------------------------------------------- */

static launch launch_on(const runner *r, const binding *b)
{
    launch l = r->launch;
    l.buffer = b->buffer;
    if (b->plan)
        l.plan = b->plan;
    return l;
}

void runner_bind(runner *r, binding *b, void *const buffer[LAB_MAX_BUFFERS])
{
    if (r->variant->plan_once && !r->launch.plan)
        r->launch.plan = r->variant->plan_once(r->problem, &r->launch);
    *b = (binding){.plan = NULL};
    memcpy(b->buffer, buffer, sizeof b->buffer);
    launch l = launch_on(r, b);
    if (r->variant->plan)
        b->plan = r->variant->plan(r->problem, &l);
}

static void release(const variant *v, void **plan)
{
    if (*plan && v->release)
        v->release(*plan);
    *plan = NULL;
}

void runner_release(const runner *r, binding *b)
{
    release(r->variant, &b->plan);
}

void runner_release_plan(runner *r)
{
    release(r->variant, &r->launch.plan);
}

void runner_prepare(const runner *r, const binding *b)
{
    launch l = launch_on(r, b);
    if (!r->variant->prepare)
        return;
    r->variant->prepare(r->problem, &l);
    if (r->variant->kind != VARIANT_CPU)
        CUDA_CHECK(cudaDeviceSynchronize());
}

/* An error that the launcher did not ask for is this variant's: nothing else may find it later. */
static void take_error_left(const variant *v)
{
    cudaError_t error = v->kind == VARIANT_CPU ? cudaSuccess : cudaGetLastError();
    if (error != cudaSuccess)
        library_check_fail(cuda_check_text((int)error),
                           "cudaGetLastError(), which the launcher does not ask", __FILE__,
                           __LINE__);
}

void run_variant(const runner *r, const binding *b)
{
    launch l = launch_on(r, b);
    r->variant->run(r->problem, &l);
    take_error_left(r->variant);
}
