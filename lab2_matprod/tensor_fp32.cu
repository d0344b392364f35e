/*
 * tensor_fp32.cu - FP32's accuracy by the fastest way that there is: for who wants a product, not a
 * rung. The promise is tensor_split's (tensor_split.cu).
 *
 *   the card                           the product          is multiplied as by
 *   9.0, and code for sm_90a           small, or short k    tensor_fp64
 *                                      500 tiles or more    tensor_mixed, tensor_int8_slices or
 *                                                           tensor_split
 *                                      others               tensor_split
 *   8.0, 9.0, 10.0: A100, H100, B200   large                tensor_split_mma
 *   others                             any                  stream_k, or warp_tile
 *
 * By data sheets the tensor cores of the others (GeForce RTX 30 to 50) multiply FP16 at twice
 * FP32's rate, with sums in FP32: three products take longer than one. Small is what FP64 makes
 * before the split would have packed its parts: 512 x 512 x 512 (fp64_small.cuh).
 *
 * From 500 tiles on the device decides, by a sample (split_sample.cuh), unless pairs of tiles,
 * which the other ways have, would be half empty. Bytes are taken for low parts where they would do
 * for the sample, with something to spare: of both factors, or of one where the other has none in
 * FP16 (one_low.cuh). Where both have low parts, and bytes would not do or are added up with care,
 * it takes digits, as tensor_int8_slices, if they would do. If neither has any, one product of FP16
 * is all. The sample only tells which way is faster. Whether it is right, the split finds out of
 * all data, as ever, and else the product is made of thirds or in FP64.
 *
 *   sample_operands   what the sample looks like
 *   split_either      both matrices, into FP16 and bytes, into digits or into FP16's parts
 *   bytes_product     the product of FP16 and bytes, or of digits; else nothing
 *   tensor_split      the product of FP16's parts; else nothing
 *   tensor_split      that of thirds, or in FP64; else nothing
 */
#include <algorithm>

#include "split_sample.cuh"
#include "warp_tile.cuh"

#ifdef HAVE_HOPPER

/* ---- the product of bytes ------------------------------------------------------------------- */

typedef split_tile<SPLIT_TILES(mixed_parts)> bytes_tile;

/* What a way's product reads: what the split has packed, and maps of it. */
typedef struct bytes_operands {
    CUtensorMap a, b;
    split_matrices from;
} bytes_operands;

/* Multiplies in any way with bytes. (One kernel: if there is nothing to do it still takes 4 us.) */
template <class MIXED, class ONE_LOW>
__global__ void __launch_bounds__(SPLIT_THREADS, 1)
    bytes_product(const __grid_constant__ bytes_operands mixed,
                  const __grid_constant__ bytes_operands one_low,
                  const __grid_constant__ bytes_operands digits, const float *a, const float *b,
                  float *c, shape s)
{
#ifdef HOPPER_CODE
    extern __shared__ __align__(16) uint8_t dynamic[];
    __shared__ uint64_t barriers[2 * bytes_tile::STAGES];
    const ring r = begin_ring<bytes_tile>(dynamic, barriers);
    if (threadIdx.x == 0) {
        prefetch_tensormap(&mixed.a);
        prefetch_tensormap(&mixed.b);
    }
    griddepcontrol_wait();
    const facts known = read_verdict(mixed.from.found);
    const way wanted = way_of(known);
    if (wanted == BY_THIRDS && (known & KINDS))
        split_into_thirds(a, b, mixed.from, known, s);
    else if (wanted == BY_MIXED)
        multiply_matrices<MIXED, SPLIT_TILES(MIXED)>(r, known, &mixed.a, &mixed.b, &mixed.from, c,
                                                     s, k_shares(), [] {});
    else if (wanted == BY_ONE_LOW)
        multiply_matrices<ONE_LOW, SPLIT_TILES(MIXED)>(r, known, &one_low.a, &one_low.b,
                                                       &one_low.from, c, s, k_shares(), [] {});
    else if (wanted == BY_INT8)
        multiply_matrices<int8_slices, SPLIT_TILES(int8_slices)>(
            r, known, &digits.a, &digits.b, &digits.from, c, s, k_shares(), [] {});
#endif
}

/* Plans the product of what PARTS have packed, with care if there are few tiles. */
template <class PARTS>
static split_plan plan_bytes(shape s, void *workspace, verdict *found)
{
    const void *kernel = are_few_for_bytes(s)
                             ? (const void *)bytes_product<mixed_parts, one_low_parts>
                             : (const void *)bytes_product<mixed_long, one_low_long>;
    split_plan plan = place_operands<PARTS>(s, workspace, found);
    plan_kernel<PARTS, SPLIT_TILES(PARTS)>(&plan.product, kernel, plan.to, s, 1, multiprocessors());
    return plan;
}

static bytes_operands operands_of(const split_plan *plan)
{
    bytes_operands its;
    memcpy(&its.a, &plan->product.map_a, sizeof its.a);
    memcpy(&its.b, &plan->product.map_b, sizeof its.b);
    its.from = plan->to;
    return its;
}

/* ---- the way -------------------------------------------------------------------------------- */

/* A variant that does it all, or all ways that a sample may choose. */
typedef struct fp32_plan {
    const variant *by; /* NULL: a sample chooses */
    void *its;         /* that one's plan */
    size_t shared_bytes;
    open_ways open;
    split_plan mixed, one_low, digits, parts; /* of a way that is not open there is none */
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

/* Are bytes in pairs of tiles faster than FP16's parts? A round takes five sixths of the time. */
static bool suits_bytes(shape s)
{
    const int all = multiprocessors();
    return 5 * rounds_of_tiles<SPLIT_TILES(mixed_parts)>(s, all) <=
           6 * rounds_of_tiles<128, 1, 1>(s, all);
}

static open_ways ways_for(shape s)
{
    const bool bytes = suits_bytes(s);
    return {.bytes = bytes,
            .one_low = bytes && takes_k<one_low_parts>(s.depth),
            .digits = takes_k<int8_slices>(s.depth) &&
                      are_worth_it<SPLIT_TILES(int8_slices)>(s, multiprocessors())};
}

/* Does a sample choose? */
static bool is_sampled(shape s)
{
    const open_ways open = ways_for(s);
    return tiles_of<128, 1, 1>(s) >= SAMPLED_TILES && takes_k<mixed_parts>(s.depth) &&
           (open.bytes || open.digits);
}

/* Returns whose work it is; NULL: a sample chooses. */
static const variant *best_for(const problem *p)
{
    const shape s = shape_of(p);
    const double products = (double)s.height * s.width * s.depth;
    const bool deep = s.depth >= fp16_parts::SHORTEST_K, hopper = has_hopper();
    if (deep && products > 0x1p22 && hopper && !is_quick_in_fp64(s))
        return is_sampled(s) ? NULL : &tensor_split_variant;
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
    const shape s = shape_of(p);
    return std::max({split_bytes<mixed_parts>(s), split_bytes<one_low_parts>(s),
                     split_bytes<int8_slices>(s), split_bytes<fp16_parts>(s)});
}

static void *plan_fp32(const problem *p, const launch *l)
{
    fp32_plan *plan = (fp32_plan *)allocate(sizeof *plan);
    *plan = {};
    plan->by = best_for(p);
    if (plan->by)
        plan_by(plan, p, l);
    else {
        const shape s = shape_of(p);
        verdict *found = new_verdict();
        plan->open = ways_for(s);
        plan->mixed = plan_bytes<mixed_parts>(s, l->workspace, found);
        if (plan->open.one_low)
            plan->one_low = plan_bytes<one_low_parts>(s, l->workspace, found);
        if (plan->open.digits)
            plan->digits = plan_bytes<int8_slices>(s, l->workspace, found);
        plan->parts = plan_parts(s, l->workspace, found);
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
    const product_plan *bytes = &plan->mixed.product;
    bytes_operands mixed = operands_of(&plan->mixed), one_low = operands_of(&plan->one_low),
                   digits = operands_of(&plan->digits);
    void *sample[] = {&a, &b, &mixed.from, &s};
    split_clusters clusters = clusters_for_split<sampled_way>(s);
    void *split[] = {
        &a,          &b,        &mixed.from, &one_low.from, &digits.from, &plan->parts.to,
        &plan->open, &clusters, &s};
    void *product[] = {&mixed, &one_low, &digits, &a, &b, &c, &s};
    cluster_launch((const void *)sample_operands, sample, 2 * SAMPLES * SPLIT_CLUSTER, SPLITTERS, 0,
                   SPLIT_CLUSTER, stream);
    cluster_launch((const void *)split_either, split, clusters.all * SPLIT_CLUSTER, SPLITTERS, 0,
                   SPLIT_CLUSTER, stream);
    cluster_launch(bytes->kernel, product, bytes->blocks, SPLIT_THREADS, bytes->shared_bytes,
                   bytes->cluster, stream);
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
    const unsigned taken = last_taken();
    return taken & AS_MIXED      ? way_in_parts<mixed_parts>()
           : taken & AS_INTEGERS ? way_in_parts<int8_slices>()
           : taken & AS_ONE_LOW
               ? split_way(taken & A_IS_LOW ? "as FP16 and bytes of A" : "as FP16 and bytes of B")
               : fp16_way();
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
