/*
 * tensor_fp32.cu - FP32's accuracy by the fastest way that there is: for who wants a product, not a
 * rung. The promise is tensor_split's (tensor_split.cu).
 *
 *   the card                           the product          is multiplied as by
 *   9.0, and code for sm_90a           small, or short k    tensor_fp64
 *                                      500 tiles or more    tensor_mixed or tensor_split
 *                                      others               tensor_split
 *   8.0, 9.0, 10.0: A100, H100, B200   large                tensor_split_mma
 *   others                             any                  stream_k, or warp_tile
 *
 * By data sheets the tensor cores of the others (GeForce RTX 30 to 50) multiply FP16 at twice
 * FP32's rate, with sums in FP32: three products take longer than one. What is small was measured
 * on an H100.
 *
 * From 500 tiles on the device decides, by a sample: rows of A, columns of B at even distances are
 * looked at as a split looks at them. Bytes are taken for low parts where they would do for the
 * sample, with something to spare, unless a factor lacks low parts in FP16. The sample only tells
 * which way is faster. Whether it is right, the split finds out of all data, as ever, and else the
 * product is made of thirds or in FP64.
 *
 *   sample_operands   what the sample looks like
 *   split_either      both matrices, into FP16 and bytes or into FP16's parts
 *   tensor_split      the product of FP16 and bytes; else nothing
 *   tensor_split      the product of FP16's parts; else nothing
 *   tensor_split      that of thirds, or in FP64; else nothing
 */
#include <algorithm>

#include "fp16_parts.cuh"
#include "mixed_parts.cuh"
#include "warp_tile.cuh"

#ifdef HAVE_HOPPER

/* ---- the sample ----------------------------------------------------------------------------- */

/* As for bytes, but nothing is stored; what is left beside high parts in FP16 is noted. Of all rows
 * some will be less even than those of a sample: a twentieth is spared for them. */
struct mixed_sample : mixed_parts {
    static constexpr facts KIND = 0;
    __device__ static bool are_even(float mass, float squares, float count, float largest,
                                    int depth)
    {
        return mixed_parts::are_even(mass, 1.05f * squares, count, largest, depth);
    }
};

__device__ inline facts *told(mixed_sample, verdict *v)
{
    return &v->sampled;
}

template <class FACTOR>
__device__ inline void split_8(mixed_sample, FACTOR, const float *x, float scale, float, uint8_t *,
                               int k, seen *of)
{
    unsigned high, low; /* which nobody wants */
#pragma unroll
    for (int i = 0; i < 8; i += 2)
        split_2<FACTOR>(x + i, scale, k + i, &high, &low, of);
#pragma unroll
    for (int i = 0; i < 8; i++)
        of->second = fmaf(x[i] * scale, x[i] * scale, of->second);
}

enum {
    SAMPLES = 4,         /* clusters for each factor */
    SAMPLED_TILES = 500, /* of 128 x 128: for fewer the sample takes longer than it spares */
    SAMPLED_K = 256      /* of each eighth of k, of columns of B: enough to be judged */
};

__global__ void __launch_bounds__(SPLITTERS, 4)
    sample_operands(const float *a, const float *b, split_matrices to, shape s)
{
#ifdef HOPPER_CODE
    __shared__ strip_room rooms[2];
    griddepcontrol_wait();
    griddepcontrol_launch_dependents(); /* what ran before is done, so that they may read A and B */
    const only_way<mixed_sample> way = {to};
    const int c = blockIdx.x / SPLIT_CLUSTER, i = c % SAMPLES;
    const int strip = i * clusters_for_strips(s) / SAMPLES;
    const int rows = i * clusters_for_rows(s) / SAMPLES * SPLIT_CLUSTER + (int)cluster_ctarank();
    if (c < SAMPLES) {
        strip_part p = part_of_strip<mixed_sample>(b, strip, s);
        p.end = min(p.end, p.first + SAMPLED_K);
        split_strip(rooms, p, way, false);
    } else
        split_row(a, way, rows, s);
#endif
}

/* Are bytes faster for such data, and will they do? */
__device__ inline bool are_for_bytes(facts sampled)
{
    const facts low = A_IS_LOW | B_IS_LOW;
    return (sampled & low) == low && way_of(sampled | AS_MIXED) == BY_MIXED;
}

/* Both ways; the largest magnitudes are found while the sample is looked at. */
struct sampled_way {
    static constexpr int WHOLE_K = fp16_parts::WHOLE_K;
    static constexpr bool JUDGES_PAIRS = mixed_parts::JUDGES_PAIRS;
    const split_matrices &mixed, &parts;
    __device__ const verdict *found() const
    {
        return mixed.found;
    }
    template <class SPLIT>
    __device__ void choose(SPLIT split) const
    {
        griddepcontrol_wait();
        if (are_for_bytes(__ldcg(&mixed.found->sampled)))
            split(mixed_parts(), mixed);
        else
            split(fp16_parts(), parts);
    }
};
static_assert(sampled_way::WHOLE_K == mixed_parts::WHOLE_K);

/* Splits both matrices into FP16 and bytes, or into FP16's parts. */
__global__ void __launch_bounds__(SPLITTERS, 4)
    split_either(const float *a, const float *b, split_matrices mixed, split_matrices parts,
                 shape s)
{
#ifdef HOPPER_CODE
    __shared__ strip_room rooms[2];
    griddepcontrol_launch_dependents();
    split_by_block(rooms, a, b, sampled_way{mixed, parts}, s);
#endif
}

/* ---- the way -------------------------------------------------------------------------------- */

/* A variant that does it all, or both ways. */
typedef struct fp32_plan {
    const variant *by; /* NULL: both */
    void *its;         /* that one's plan */
    size_t shared_bytes;
    split_plan mixed, parts;
} fp32_plan;

/* What ran last, for its row. */
static const variant *last_by;

static bool has_hopper()
{
    return !tensor_split_variant.refuse(NULL, dim3(HOPPER_THREADS));
}

/* Has the card tensor cores of 15 times FP32's rate or more, and this build code for them? */
static bool has_fast_mma()
{
    int device, major, minor;
    cudaFuncAttributes figures;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
    CUDA_CHECK(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device));
    CUDA_CHECK(cudaFuncGetAttributes(&figures, tensor_split_mma_variant.kernel));
    return minor == 0 && major >= 8 && major <= 10 && figures.binaryVersion >= 80;
}

/* How long a result takes by stream_k, of its time by warp_tile (H200: N of 1920 to 4096). */
constexpr double BY_SHARES = 1.09;

/* Is warp_tile faster than stream_k? Its last round of tiles may leave more of the card idle. */
static bool are_for_warp_tile(shape s)
{
    const dim3 tiles = grid_over(s.width, s.height, dim3(large.columns, large.rows));
    const unsigned rounds = blocks_for(tiles.x * tiles.y, multiprocessors());
    const double even = (double)s.height * s.width / multiprocessors();
    return (double)large.rows * large.columns * rounds <= BY_SHARES * even;
}

/* Returns whose work it is; NULL: both ways are to be had. */
static const variant *best_for(const problem *p)
{
    const shape s = shape_of(p);
    const double products = (double)s.height * s.width * s.depth;
    const bool deep = s.depth >= fp16_parts::SHORTEST_K, hopper = has_hopper();
    if (deep && products > 0x1p22 && hopper)
        return tiles_of<128, 1, 1>(s) >= SAMPLED_TILES && takes_k<mixed_parts>(s.depth)
                   ? NULL
                   : &tensor_split_variant;
    if (deep && products > 0x1p30 && !hopper && has_fast_mma())
        return &tensor_split_mma_variant;
    if (hopper)
        return &tensor_fp64_variant;
    return are_for_warp_tile(s) ? &warp_tile_variant : &stream_k_variant;
}

/* Returns the launch that the plan's variant would get. */
static launch launch_of(const fp32_plan *plan, const launch *l)
{
    launch its = *l;
    its.block = dim3(plan->by->own_block);
    its.kernel = plan->by->kernel;
    its.shared_bytes = plan->shared_bytes;
    its.plan = plan->its;
    return its;
}

/* Makes the plan of the variant that does it all. */
static void plan_by(fp32_plan *plan, const problem *p, const launch *l)
{
    const variant *by = plan->by;
    plan->shared_bytes = by->shared_bytes(p, dim3(by->own_block));
    CUDA_CHECK(cudaFuncSetAttribute(by->kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    (int)plan->shared_bytes));
    const launch its = launch_of(plan, l);
    plan->its = by->plan_once ? by->plan_once(p, &its) : NULL;
}

static size_t fp32_workspace(const problem *p)
{
    const variant *by = best_for(p);
    if (by)
        return by->workspace_bytes ? by->workspace_bytes(p) : 0;
    return std::max(split_bytes<mixed_parts>(shape_of(p)), split_bytes<fp16_parts>(shape_of(p)));
}

static void *plan_fp32(const problem *p, const launch *l)
{
    fp32_plan *plan = (fp32_plan *)allocate(sizeof *plan);
    *plan = {};
    plan->by = best_for(p);
    if (plan->by)
        plan_by(plan, p, l);
    else {
        verdict *found = new_verdict();
        plan->mixed = plan_mixed(shape_of(p), l->workspace, found);
        plan->parts = plan_parts(shape_of(p), l->workspace, found);
    }
    return plan;
}

static void release_fp32(void *made)
{
    fp32_plan *plan = (fp32_plan *)made;
    last_verdict = NULL;
    last_by = NULL;
    if (plan->its)
        plan->by->release(plan->its);
    CUDA_RELEASE(cudaFree(plan->mixed.to.found));
    free(plan);
}

static void multiply_either(fp32_plan *plan, const float *a, const float *b, float *c, shape s,
                            cudaStream_t stream)
{
    void *sample[] = {&a, &b, &plan->mixed.to, &s};
    void *split[] = {&a, &b, &plan->mixed.to, &plan->parts.to, &s};
    cluster_launch((const void *)sample_operands, sample, 2 * SAMPLES * SPLIT_CLUSTER, SPLITTERS, 0,
                   SPLIT_CLUSTER, stream);
    cluster_launch((const void *)split_either, split,
                   clusters_for_split<sampled_way>(s) * SPLIT_CLUSTER, SPLITTERS, 0, SPLIT_CLUSTER,
                   stream);
    launch_product(&plan->mixed.product, &plan->mixed.to, a, b, c, s, stream);
    launch_product(&plan->parts.product, &plan->parts.to, a, b, c, s, stream);
    launch_third(&plan->parts, a, b, c, s, stream);
    last_verdict = plan->parts.to.found;
}

static void launch_tensor_fp32(const problem *p, const launch *l)
{
    fp32_plan *plan = (fp32_plan *)l->plan;
    last_by = plan->by;
    if (plan->by) {
        const launch its = launch_of(plan, l);
        plan->by->run(p, &its);
    } else
        multiply_either(plan, (float *)l->buffer[A], (float *)l->buffer[B], (float *)l->buffer[C],
                        shape_of(p), l->stream);
}

/* Says which way the last run went, as a phrase. */
static const char *way_taken()
{
    const accuracy *its = last_by ? (const accuracy *)last_by->own : NULL;
    if (last_by)
        return its && its->way                   ? its->way()
               : last_by == &tensor_fp64_variant ? "in FP64: it is small, or k is short"
                                                 : "in FP32, without tensor cores";
    return last_taken() & AS_MIXED ? split_way("as FP16 and bytes") : fp16_way();
}

/* Returns the kernel for large products. */
static const void *fp32_kernel(dim3)
{
    return has_hopper()     ? tensor_split_variant.kernel
           : has_fast_mma() ? tensor_split_mma_variant.kernel
                            : warp_tile_variant.kernel;
}

static size_t fp32_shared_bytes(const problem *p, dim3 block)
{
    const variant *by = best_for(p);
    return (by ? by : &tensor_split_variant)->shared_bytes(p, block);
}

#endif

static const accuracy fp32_accuracy = {
    .median = true, .promises = true, .way = BUILT(HAVE_HOPPER, way_taken)};

const variant tensor_fp32_variant =
    GPU_VARIANT("tensor_fp32", "FP32's accuracy by the fastest way for the card, shape and data",
                BUILT(HAVE_HOPPER, launch_tensor_fp32), .needs = "the tensor cores of a GPU",
                .own_block = HOPPER_THREADS, .kernel_for = BUILT(HAVE_HOPPER, fp32_kernel),
                .shared_bytes = BUILT(HAVE_HOPPER, fp32_shared_bytes),
                .workspace_bytes = BUILT(HAVE_HOPPER, fp32_workspace),
                .plan_once = BUILT(HAVE_HOPPER, plan_fp32),
                .release = BUILT(HAVE_HOPPER, release_fp32), .own = &fp32_accuracy);
