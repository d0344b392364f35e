#include "variant.h"

#include <stdio.h>
#include <string.h>

const void *variant_kernel(const variant *v, dim3 block)
{
    return v->kernel_for ? v->kernel_for(block) : v->kernel;
}

size_t variant_shared_bytes(const variant *v, const problem *p, dim3 block)
{
    return v->shared_bytes ? v->shared_bytes(p, block) : 0;
}

const char *variant_refuses_capability(const variant *v, int major, int minor)
{
    static char text[64];
    if (major * 10 + minor >= v->compute_capability)
        return NULL;
    snprintf(text, sizeof text, "needs compute capability %d.%d", v->compute_capability / 10,
             v->compute_capability % 10);
    return text;
}

static const char *role_of(const variant *v)
{
    return v->serial ? "serial" : v->scales ? "scales" : v->yardstick ? "yardstick" : "";
}

result variant_row(const lab *definition, const variant *v, const char *kind, const char *machine,
                   const char *parameters, extent size, dim3 block)
{
    result row = result_empty();
    snprintf(row.lab, sizeof row.lab, "%s", definition->name);
    snprintf(row.variant, sizeof row.variant, "%s", v->name);
    snprintf(row.kind, sizeof row.kind, "%s", kind);
    snprintf(row.role, sizeof row.role, "%s", role_of(v));
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

/* ---- running -------------------------------------------------------------------------------- */

static launch launch_on(const runner *r, const binding *b)
{
    launch l = r->launch;
    l.buffer = b->buffer;
    l.derived = b->derived;
    l.plan = b->plan;
    return l;
}

void runner_bind(const runner *r, binding *b, void *const buffer[LAB_MAX_BUFFERS], void *derived)
{
    *b = (binding){.derived = derived};
    memcpy(b->buffer, buffer, sizeof b->buffer);
    launch l = launch_on(r, b);
    if (r->variant->plan)
        b->plan = r->variant->plan(r->problem, &l);
}

void runner_release(const runner *r, binding *b)
{
    if (b->plan && r->variant->release)
        r->variant->release(b->plan);
    b->plan = NULL;
}

void runner_derive(const runner *r, const binding *b)
{
    launch l = launch_on(r, b);
    if (r->variant->derive)
        r->variant->derive(r->problem, &l);
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

void run_variant(const runner *r, const binding *b)
{
    launch l = launch_on(r, b);
    if (r->variant->derive_timed)
        runner_derive(r, b);
    r->variant->run(r->problem, &l);
}
