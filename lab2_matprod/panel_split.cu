/*
 * panel_split.cu - tensor_split of panels of a product, for tensor_ring (several_gpus.cu).
 */
#include "panel_split.h"

#include "fp16_parts.cuh"

#if defined HAVE_HOPPER && defined HAVE_RANKS
struct panel_split {
    verdict *found;
    split_plan plan[]; /* of each panel */
};

size_t panel_split_bytes(panel of)
{
    return split_bytes<fp16_parts>(of);
}

panel_split *panel_split_create(const panel *panels, int count, void *workspace)
{
    panel_split *s = (panel_split *)allocate(sizeof *s + (size_t)count * sizeof s->plan[0]);
    s->found = new_verdict();
    for (int i = 0; i < count; i++)
        s->plan[i] = split_plan_of<fp16_parts>(panels[i], workspace, s->found);
    return s;
}

void panel_split_free(panel_split *s)
{
    last_verdict = NULL;
    CUDA_RELEASE(cudaFree(s->found));
    free(s);
}

void panel_split_multiply(panel_split *s, int i, const float *a, const float *b, float *c, panel of,
                          cudaStream_t stream)
{
    multiply_split<fp16_parts>(&s->plan[i], a, b, c, of, stream);
}

const void *panel_split_kernel(dim3)
{
    return (const void *)tensor_split<fp16_parts, 256, 2, 1, panel>;
}

size_t panel_split_shared_bytes(const problem *p, dim3 block)
{
    return split_shared_bytes<256, 2, 1>(p, block);
}

const char *panel_split_refuse(const problem *p, dim3 block)
{
    return refuse_split<fp16_parts>(p, block);
}

const char *panel_split_way()
{
    return fp16_way();
}
#endif
