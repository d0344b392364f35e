#include "variant.h"

#include <stdio.h>

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

result variant_row(const lab *definition, const variant *v, const char *kind, const char *machine,
                   const char *parameters, extent size, dim3 block)
{
    result row = result_empty();
    snprintf(row.lab, sizeof row.lab, "%s", definition->name);
    snprintf(row.variant, sizeof row.variant, "%s", v->name);
    snprintf(row.kind, sizeof row.kind, "%s", kind);
    snprintf(row.machine, sizeof row.machine, "%s", machine);
    snprintf(row.parameters, sizeof row.parameters, "%s", parameters);
    snprintf(row.role, sizeof row.role, "%s",
             v->serial      ? "serial"
             : v->scales    ? "scales"
             : v->yardstick ? "yardstick"
                            : "");
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
