/*
 * several_gpus.cu - lab 2 over several GPUs, one process each. Each has some rows of A and of B and
 * makes the same rows of C as of A, for which it needs all of B. The local product is warp_tile's,
 * tensor_ring's is tensor_split's.
 *
 *   replicated_b   each GPU fetches the others' rows of B, and then multiplies
 *   ring           the rows of B, a panel of k each, go round a ring of GPUs, and a GPU multiplies
 *                  the panel that it has while the next one comes in
 *
 * With N x N matrices over G GPUs each multiplies 2 N^3 / G operations and receives 4 N^2 (G - 1) /
 * G bytes: at N = 32768 over two some 0.7 s of FP32 beside 2 GiB, which an NVLink of 380 GB/s
 * brings in 6 ms. replicated_b is to lose that 1 %, ring to hide it. The latter adds its panels in
 * an order that differs from rank to rank; each sum stays within the bound of any order.
 */
#include <stdlib.h>

#include "edges.cuh" /* THREADS */
#include "panel.cuh"
#include "panel_split.h"
#include "process/die.h"
#include "ptx/hopper.cuh" /* HAVE_HOPPER */
#ifdef HAVE_RANKS
#include "process/nccl_check.h"
#endif

/* One product over more and more GPUs, and one a GPU. */
const lab_settings several_gpus[] = {
    {"--data uniform --variants replicated_b,ring,tensor_ring,cublas_xt --sizes 256,4096,32768"},
    {"--data uniform --weak --variants replicated_b,ring,tensor_ring "
     "--sizes 128x256x256,8192x16384x16384"},
    {NULL},
};

/* Returns which rows of `rows` a rank has. */
static rank_part rows_of_rank(int rows, int rank, int count)
{
    return ranks_part((size_t)rows, 1, rank, count);
}

static rank_part part_of_product(const problem *p, int i, int rank, int count)
{
    shape s = shape_of(p);
    size_t row = (i == A ? s.depth : s.width) * sizeof(float);
    rank_part rows = rows_of_rank(i == B ? s.depth : s.height, rank, count);
    return {row * rows.first, row * rows.count};
}

#ifdef HAVE_RANKS

/* Returns which rows of B rank `rank` has. */
static rank_part panel_of_rank(const problem *p, int rank)
{
    return rows_of_rank(shape_of(p).depth, rank, ranks_now().count);
}

/* Describes, for this rank's rows of C, the product of the panel and A's columns that go with it.
 */
static panel product_of_panel(const problem *p, rank_part k, bool first)
{
    const shape s = shape_of(p);
    const int rows = (int)(p->buffer[C].bytes / sizeof(float) / (size_t)s.width);
    return {{rows, s.width, (int)k.count}, s.depth, first};
}

static void multiply_by_panel(const problem *p, const launch *l, const float *b, rank_part k,
                              bool first)
{
    launch_panel((const float *)l->buffer[A] + k.first, b, (float *)l->buffer[C],
                 product_of_panel(p, k, first), l);
}

/* ---- replicated_b --------------------------------------------------------------------------- */

static size_t whole_b_bytes(const problem *p)
{
    return p->is_part ? sizeof(float) * shape_of(p).depth * shape_of(p).width : 0;
}

/* Gathers all ranks' rows of B in their places. */
static void gather_b(const problem *p, const launch *l, float *whole)
{
    const ranks all = ranks_now();
    const size_t width = (size_t)shape_of(p).width;
    ncclComm_t others = ranks_communicator();
    const rank_part own = panel_of_rank(p, all.rank);
    CUDA_CHECK(cudaMemcpyAsync(whole + own.first * width, l->buffer[B], p->buffer[B].bytes,
                               cudaMemcpyDeviceToDevice, l->stream));
    if (l->no_exchange)
        return;
    NCCL_CHECK(ncclGroupStart());
    for (int rank = 0; rank < all.count; rank++) {
        const rank_part k = panel_of_rank(p, rank);
        if (rank == all.rank)
            continue;
        NCCL_CHECK(ncclSend(l->buffer[B], own.count * width, ncclFloat, rank, others, l->stream));
        NCCL_CHECK(
            ncclRecv(whole + k.first * width, k.count * width, ncclFloat, rank, others, l->stream));
    }
    NCCL_CHECK(ncclGroupEnd());
}

static void launch_replicated_b(const problem *p, const launch *l)
{
    const float *b = (const float *)l->buffer[B];
    const size_t depth = (size_t)shape_of(p).depth;
    if (p->is_part) {
        gather_b(p, l, (float *)l->workspace);
        b = (const float *)l->workspace;
    }
    multiply_by_panel(p, l, b, {0, depth}, true);
}

/* ---- ring ----------------------------------------------------------------------------------- */

/* Exchanges run on a stream of their own. */
typedef struct ring_plan {
    cudaStream_t stream;
    cudaEvent_t multiplied, arrived;
} ring_plan;

static void open_ring(ring_plan *r)
{
    int least, greatest;
    CUDA_CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    CUDA_CHECK(cudaStreamCreateWithPriority(&r->stream, cudaStreamNonBlocking, greatest));
    CUDA_CHECK(cudaEventCreateWithFlags(&r->multiplied, cudaEventDisableTiming));
    CUDA_CHECK(cudaEventCreateWithFlags(&r->arrived, cudaEventDisableTiming));
}

static void close_ring(const ring_plan *r)
{
    CUDA_RELEASE(cudaStreamDestroy(r->stream));
    CUDA_RELEASE(cudaEventDestroy(r->multiplied));
    CUDA_RELEASE(cudaEventDestroy(r->arrived));
}

static void *plan_ring(const problem *, const launch *)
{
    ring_plan *r = (ring_plan *)allocate(sizeof *r);
    open_ring(r);
    return r;
}

static void release_ring(void *plan)
{
    close_ring((ring_plan *)plan);
    free(plan);
}

/* Returns the size of rank 0's panel, the largest. */
static size_t panel_floats(const problem *p)
{
    return panel_of_rank(p, 0).count * (size_t)shape_of(p).width;
}

static size_t two_panels_bytes(const problem *p)
{
    return p->is_part ? 2 * panel_floats(p) * sizeof(float) : 0;
}

/* Hands `now`, the panel of rank `of`, to the rank before this one; `next` comes from that behind.
 */
static void pass_on(const problem *p, const launch *l, const float *now, float *next, int of)
{
    const ranks all = ranks_now();
    const ring_plan *r = (const ring_plan *)l->plan;
    const size_t width = (size_t)shape_of(p).width;
    ncclComm_t ring = ranks_communicator();
    CUDA_CHECK(cudaEventRecord(r->multiplied, l->stream)); /* `next` was multiplied a step ago */
    CUDA_CHECK(cudaStreamWaitEvent(r->stream, r->multiplied, 0));
    if (!l->no_exchange) {
        NCCL_CHECK(ncclGroupStart());
        NCCL_CHECK(ncclSend(now, panel_of_rank(p, of).count * width, ncclFloat,
                            (all.rank + all.count - 1) % all.count, ring, r->stream));
        NCCL_CHECK(ncclRecv(next, panel_of_rank(p, (of + 1) % all.count).count * width, ncclFloat,
                            (all.rank + 1) % all.count, ring, r->stream));
        NCCL_CHECK(ncclGroupEnd());
    }
    CUDA_CHECK(cudaEventRecord(r->arrived, r->stream));
}

/* Launches the product with `b`, the panel of rank `of`. */
typedef void local_product(const problem *p, const launch *l, const float *b, int of, bool first);

static void multiply_by_warp_tile(const problem *p, const launch *l, const float *b, int of,
                                  bool first)
{
    multiply_by_panel(p, l, b, panel_of_rank(p, of), first);
}

/* Launches the exchange before the product: behind the product's blocks it would find no room
 * before these end. */
template <local_product *MULTIPLY>
static void launch_ring(const problem *p, const launch *l)
{
    const ranks all = ranks_now();
    const ring_plan *r = (const ring_plan *)l->plan;
    const float *now = (const float *)l->buffer[B];
    float *room = (float *)l->workspace;
    for (int step = 0; step < all.count; step++) {
        int of = (all.rank + step) % all.count;
        float *next = room + (size_t)(step % 2) * panel_floats(p);
        bool more = step < all.count - 1;
        if (more)
            pass_on(p, l, now, next, of);
        MULTIPLY(p, l, now, of, step == 0);
        if (more)
            CUDA_CHECK(cudaStreamWaitEvent(l->stream, r->arrived, 0));
        now = next;
    }
}

/* ---- tensor_ring ---------------------------------------------------------------------------- */

#ifdef HAVE_HOPPER
#define HAVE_TENSOR_RING 1

/* Behind the ring's two panels there is room for what a panel and A's columns are split into. */
typedef struct tensor_ring_plan {
    ring_plan ring;
    panel_split *panels;
} tensor_ring_plan;

static size_t split_begins(const problem *p)
{
    return workspace_part(two_panels_bytes(p));
}

static size_t tensor_ring_bytes(const problem *p)
{
    return split_begins(p) + panel_split_bytes(product_of_panel(p, panel_of_rank(p, 0), true));
}

static void *plan_tensor_ring(const problem *p, const launch *l)
{
    const int count = ranks_now().count;
    tensor_ring_plan *t = (tensor_ring_plan *)allocate(sizeof *t);
    panel *panels = (panel *)allocate((size_t)count * sizeof *panels);
    for (int rank = 0; rank < count; rank++)
        panels[rank] = product_of_panel(p, panel_of_rank(p, rank), true);
    open_ring(&t->ring);
    t->panels = panel_split_create(panels, count, (uint8_t *)l->workspace + split_begins(p));
    free(panels);
    return t;
}

static void release_tensor_ring(void *plan)
{
    tensor_ring_plan *t = (tensor_ring_plan *)plan;
    close_ring(&t->ring);
    panel_split_free(t->panels);
    free(t);
}

/* Multiplies by a panel, which has scales of its own. */
static void multiply_by_tensor_split(const problem *p, const launch *l, const float *b, int of,
                                     bool first)
{
    const rank_part k = panel_of_rank(p, of);
    panel_split_multiply(((tensor_ring_plan *)l->plan)->panels, of,
                         (const float *)l->buffer[A] + k.first, b, (float *)l->buffer[C],
                         product_of_panel(p, k, first), l->stream);
}
#endif
#endif

/* ---- variants ------------------------------------------------------------------------------- */

#define WARP_TILE_OF_PANELS                                                                        \
    .needs = "MPI and NCCL", .own_block = THREADS, .kernel = (const void *)panel_tile,             \
    .shared_bytes = panel_tile_bytes

static const accuracy by_warp_tile = {.local = "local product by warp_tile"};
static const accuracy by_tensor_split = {.median = true,
                                         .promises = true,
                                         .local = "local product by tensor_split",
                                         .way = BUILT(HAVE_TENSOR_RING, panel_split_way)};

const variant replicated_b_variant =
    GPU_VARIANT("replicated_b", "over several GPUs: B is gathered to all, then multiplied",
                BUILT(HAVE_RANKS, launch_replicated_b), WARP_TILE_OF_PANELS,
                .workspace_bytes = BUILT(HAVE_RANKS, whole_b_bytes), .part = part_of_product,
                .exchanges = true, .own = &by_warp_tile);
const variant ring_variant = GPU_VARIANT(
    "ring", "the same, panels of B go round while they are multiplied",
    BUILT(HAVE_RANKS, launch_ring<multiply_by_warp_tile>), WARP_TILE_OF_PANELS,
    .workspace_bytes = BUILT(HAVE_RANKS, two_panels_bytes),
    .plan_once = BUILT(HAVE_RANKS, plan_ring), .release = BUILT(HAVE_RANKS, release_ring),
    .part = part_of_product, .exchanges = true, .own = &by_warp_tile);
const variant tensor_ring_variant = GPU_VARIANT(
    "tensor_ring", "ring, multiplied by tensor_split",
    BUILT(HAVE_TENSOR_RING, launch_ring<multiply_by_tensor_split>),
    .needs = "MPI, NCCL and the tensor cores of a GPU", .architecture = "sm_90a",
    .own_block = HOPPER_THREADS, .kernel_for = BUILT(HAVE_TENSOR_RING, panel_split_kernel),
    .shared_bytes = BUILT(HAVE_TENSOR_RING, panel_split_shared_bytes),
    .workspace_bytes = BUILT(HAVE_TENSOR_RING, tensor_ring_bytes),
    .refuse = BUILT(HAVE_TENSOR_RING, panel_split_refuse),
    .plan_once = BUILT(HAVE_TENSOR_RING, plan_tensor_ring),
    .release = BUILT(HAVE_TENSOR_RING, release_tensor_ring), .part = part_of_product,
    .exchanges = true, .own = &by_tensor_split);
