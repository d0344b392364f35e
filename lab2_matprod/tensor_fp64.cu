/*
 * tensor_fp64.cu - FP32's product on FP64 tensor cores (fp64_tile.cuh): against stream_k, whose
 * shares of k it takes, another unit multiplies, and each result is rounded once. Small products
 * have smaller tiles (fp64_small.cuh).
 */
#include "fp64_small.cuh"
#include "fp64_tile.cuh"

#ifdef HAVE_HOPPER

__global__ void __launch_bounds__(HOPPER_THREADS, 1)
    tensor_fp64(const float *a, const float *b, float *c, shape s, k_shares of)
{
#ifdef HOPPER_CODE
    extern __shared__ float4 room[];
    __shared__ uint64_t barriers[2 * FP64_SLABS];
    make_share(fp64_tiles(room, barriers), a, b, c, s, of);
#endif
}

/* ---- launcher and variant ------------------------------------------------------------------- */

bool is_quick_in_fp64(shape s)
{
    return is_quick_small(s);
}

static void launch_tensor_fp64(const problem *p, const launch *l)
{
    const float *a = (const float *)l->buffer[A], *b = (const float *)l->buffer[B];
    float *c = (float *)l->buffer[C];
    const shape s = shape_of(p);
    if (small_slabs(s) <= MOST_SMALL_SLABS)
        return multiply_small(a, b, c, s, l->stream);
    const k_shares *of = (const k_shares *)l->plan;
    const int blocks = std::min(multiprocessors(), of->whole + of->shares);
    tensor_fp64<<<blocks, l->block, l->shared_bytes, l->stream>>>(a, b, c, s, *of);
    CUDA_CHECK(cudaGetLastError());
}

static const char *refuse_tensor_fp64(const problem *, dim3)
{
    return hopper_refuses((const void *)tensor_fp64);
}

#endif

static const accuracy fp64_accuracy = {.median = true, .promises = true};

const variant tensor_fp64_variant = GPU_VARIANT(
    "tensor_fp64", "FP32's numbers on FP64 tensor cores: one rounding a result",
    BUILT(HAVE_HOPPER, launch_tensor_fp64), HOPPER_ONLY,
    .kernel = BUILT(HAVE_HOPPER, (const void *)tensor_fp64),
    .shared_bytes = BUILT(HAVE_HOPPER, shared_of<FP64_SLABS * sizeof(fp64_slab)>),
    .workspace_bytes = BUILT(HAVE_HOPPER, (bytes_of_shares<fp64_tiles, multiprocessors>)),
    .refuse = BUILT(HAVE_HOPPER, refuse_tensor_fp64),
    .plan_once = BUILT(HAVE_HOPPER, (plan_of_shares<fp64_tiles, multiprocessors>)),
    .release = BUILT(HAVE_HOPPER, release_shares), .own = &fp64_accuracy);
